/*
 * Cron expressions, judged by a slow matcher: random expressions of the whole grammar, random
 * times, zones with all kinds of changes.
 *
 * The matcher reads the text of the expression anew for each second that it is asked about, and
 * compares. It has its own calendar (zone_support.c), its own reading of the fields, and asks the
 * zone for nothing but the period at a time. So [CRON-1] is checked as it is stated: what next and
 * prev find matches, and stepping from one match to the next meets no other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "cron_support.h"
#include "suite.h"
#include "support.h"

#define TEXT_SIZE 400
#define DAY       86400
#define SPREAD    (60 * 3600) /* more than any two offsets differ */

/* The matcher. */

struct moment {
    struct date date;
    int hour;
    int minute;
    int second;
};

static int64_t floor_divided(int64_t number, int64_t divisor)
{
    int64_t quotient = number / divisor;
    return quotient * divisor > number ? quotient - 1 : quotient;
}

static struct moment moment_of(int64_t local)
{
    int64_t days = floor_divided(local, DAY);
    int rest = (int)(local - days * DAY);
    return (struct moment){date_of(days), rest / 3600, rest / 60 % 60, rest % 60};
}

static int value_of(const char **at, const char *names)
{
    if (**at >= '0' && **at <= '9')
        return (int)strtol(*at, (char **)(uintptr_t)at, 10);
    const char *found = NULL;
    for (const char *each = names; *each != '\0' && found == NULL; each += 3)
        if (strncmp(each, *at, 3) == 0)
            found = each;
    require(found != NULL);
    *at += 3;
    return (int)(found - names) / 3;
}

/* Star, value, range, step; item ends where it ends. */
static bool in_range(const char *item, const char *names, int value, int from, int to)
{
    int step = 1;
    if (*item == '*') {
        item++;
    } else {
        int maximum = to;
        from = value_of(&item, names);
        to = from;
        if (*item == '-') {
            item++;
            to = value_of(&item, names);
        } else if (*item == '/') {
            to = maximum;
        }
    }
    if (*item == '/')
        step = atoi(item + 1);
    return value >= from && value <= to && (value - from) % step == 0;
}

static int weekday_on(const struct date *date, int day)
{
    return ((date->weekday + day - date->day) % 7 + 7) % 7;
}

/* The day from Monday to Friday nearest to one, by looking at all. */
static int nearest(const struct date *date, int day, int length)
{
    for (int away = 0; away < 3; away++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int candidate = day + sign * away;
            int weekday = candidate < 1 || candidate > length ? 0 : weekday_on(date, candidate);
            if (weekday != 0 && weekday != 6)
                return candidate;
        }
    return 0;
}

static bool day_matches(const char *item, const struct date *date)
{
    int length = month_length(date->year, date->month);
    if (*item == '?')
        return true;
    if (strncmp(item, "LW", 2) == 0) {
        int day = length;
        while (weekday_on(date, day) == 0 || weekday_on(date, day) == 6)
            day--;
        return date->day == day;
    }
    if (*item == 'L')
        return date->day == length + atoi(item + 1); /* "-3" */
    if (item[strlen(item) - 1] == 'W')
        return atoi(item) <= length && date->day == nearest(date, atoi(item), length);
    return in_range(item, "", date->day, 1, 31);
}

static const char weekdays[] = "SUNMONTUEWEDTHUFRISAT";

static bool weekday_matches(const char *item, const struct date *date)
{
    const char *rest = item;
    if (*item == '?')
        return true;
    if (*item != '*') {
        int weekday = value_of(&rest, weekdays) % 7;
        if (*rest == 'L')
            return date->weekday == weekday &&
                   date->day + 7 > month_length(date->year, date->month);
        if (*rest == '#')
            return date->weekday == weekday && (date->day + 6) / 7 == atoi(rest + 1);
    }
    return in_range(item, weekdays, date->weekday, 0, 7) ||
           (date->weekday == 0 && in_range(item, weekdays, 7, 0, 7));
}

static bool item_matches(int field, const char *item, const struct moment *moment)
{
    switch (field) {
    case 0:
        return in_range(item, "", moment->second, 0, 59);
    case 1:
        return in_range(item, "", moment->minute, 0, 59);
    case 2:
        return in_range(item, "", moment->hour, 0, 23);
    case 3:
        return day_matches(item, &moment->date);
    case 4:
        return in_range(item, "???JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", moment->date.month, 1, 12);
    default:
        return weekday_matches(item, &moment->date);
    }
}

struct subject_expression {
    char text[TEXT_SIZE];
    char fields[6][TEXT_SIZE / 6]; /* each field's own text */
    gp_zone *zone;
    unsigned flags;
    gp_cron *cron;
};

static bool field_matches(const struct subject_expression *expression, int field,
                          const struct moment *moment)
{
    char copy[TEXT_SIZE / 6];
    char *rest = copy;
    memcpy(copy, expression->fields[field], sizeof copy);
    for (char *item = strtok_r(copy, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest))
        if (item_matches(field, item, moment))
            return true;
    return false;
}

/* Has that local time been before that second? */
static bool was_before(gp_zone *zone, int64_t second, int64_t local)
{
    int64_t at = second;
    while (at > second - SPREAD) {
        gp_zone_period period = gp_zone_period_at(zone, GP_SECONDS(at));
        int64_t candidate = local - period.offset;
        if (candidate < second &&
            gp_zone_period_at(zone, GP_SECONDS(candidate)).offset == period.offset)
            return true;
        if (period.begin == INT64_MIN)
            break;
        at = period.begin / GP_SECONDS(1) - 1;
    }
    return false;
}

static bool matches_slowly(const struct subject_expression *expression, int64_t second)
{
    int64_t local = second + gp_zone_period_at(expression->zone, GP_SECONDS(second)).offset;
    struct moment moment = moment_of(local);
    for (int field = 0; field < 6; field++)
        if (!field_matches(expression, field, &moment))
            return false;
    bool once = strpbrk(expression->fields[2], "*/") == NULL && expression->flags == 0;
    return !once || !was_before(expression->zone, second, local);
}

/* May anything in an hour from that second on match? Only to save time: whether the date or the
   hour can, at either end of it or of the local hour. */
static bool hour_is_of_interest(const struct subject_expression *expression, int64_t second)
{
    gp_zone_period period = gp_zone_period_at(expression->zone, GP_SECONDS(second));
    if (period.end < GP_SECONDS(second + 3600))
        return true;
    struct moment begin = moment_of(second + period.offset);
    struct moment end = moment_of(second + 3599 + period.offset);
    bool date = false;
    bool hour = field_matches(expression, 2, &begin) || field_matches(expression, 2, &end);
    for (int i = 0; i < 2; i++) {
        const struct moment *moment = i == 0 ? &begin : &end;
        date =
            date || (field_matches(expression, 3, moment) && field_matches(expression, 4, moment) &&
                     field_matches(expression, 5, moment));
    }
    return date && hour;
}

/* Expressions. */

struct field_kind {
    int minimum;
    int maximum;
    const char *names;
};

static const struct field_kind kinds[6] = {
    {0, 59, NULL},
    {0, 59, NULL},
    {0, 23, NULL},
    {1, 31, NULL},
    {1, 12, "???JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
    {0, 7, weekdays},
};

static uint64_t seed;

static int any(int from, int to)
{
    uint64_t count = (uint64_t)to - (uint64_t)from + 1;
    return from + (int)random_below(&seed, count);
}

static void add_value(char *text, size_t size, int field, int value)
{
    size_t length = strlen(text);
    const char *names = kinds[field].names;
    if (names != NULL && value < (field == 5 ? 7 : 13) && any(0, 1) == 0)
        snprintf(text + length, size - length, "%.3s", names + (size_t)value * 3);
    else
        snprintf(text + length, size - length, any(0, 9) == 0 ? "%02d" : "%d", value);
}

static void add_text(char *text, size_t size, const char *format, int number)
{
    size_t length = strlen(text);
    char part[16];
    char *hash = NULL;
    snprintf(part, sizeof part, "%s", format);
    hash = strchr(part, '%');
    if (hash == NULL) {
        snprintf(text + length, size - length, "%s", part);
        return;
    }
    *hash = '\0';
    snprintf(text + length, size - length, "%s%d%s", part, number, hash + 1);
}

static void add_special_day(char *text, size_t size)
{
    switch (any(0, 3)) {
    case 0:
        add_text(text, size, "L", 0);
        break;
    case 1:
        add_text(text, size, "L-%", any(1, 30));
        break;
    case 2:
        add_text(text, size, "LW", 0);
        break;
    default:
        add_text(text, size, "%W", any(1, 31));
        break;
    }
}

static void add_special_weekday(char *text, size_t size)
{
    add_value(text, size, 5, any(0, 7));
    if (any(0, 1) == 0)
        add_text(text, size, "L", 0);
    else
        add_text(text, size, "#%", any(1, 5));
}

static void add_range(char *text, size_t size, int field)
{
    const struct field_kind *kind = &kinds[field];
    int from = any(kind->minimum, kind->maximum);
    int form = any(0, 7);
    if (form == 0) {
        add_text(text, size, "*", 0);
    } else {
        add_value(text, size, field, from);
        if (form <= 3) {
            add_text(text, size, "-", 0);
            add_value(text, size, field, any(from, kind->maximum));
        }
    }
    if (form <= 1 || form == 4)
        add_text(text, size, "/%", any(1, kind->maximum - kind->minimum));
}

static void make_field(char *text, size_t size, int field)
{
    int items = any(0, 2) == 0 ? any(2, 3) : 1;
    *text = '\0';
    if (field >= 2 && any(0, field >= 3 ? 1 : 4) == 0) {
        add_text(text, size, field != 4 && field != 2 && any(0, 1) == 0 ? "?" : "*", 0);
        return;
    }
    for (int i = 0; i < items; i++) {
        if (i > 0)
            add_text(text, size, ",", 0);
        bool special = any(0, 2) == 0;
        if (field == 3 && special)
            add_special_day(text, size);
        else if (field == 5 && special)
            add_special_weekday(text, size);
        else
            add_range(text, size, field);
    }
}

/* Sunday, at either end of a range, is 0 or 7 by turns, which the slow matcher does not know. */
static void make_expression(struct subject_expression *made)
{
    char text[TEXT_SIZE];
    do {
        *text = '\0';
        for (int field = 0; field < 6; field++) {
            make_field(made->fields[field], sizeof made->fields[field], field);
            size_t length = strlen(text);
            const char *space = field == 0 ? "" : any(0, 5) == 0 ? " \t" : " ";
            snprintf(text + length, sizeof text - length, "%s%s", space, made->fields[field]);
        }
    } while (strstr(made->fields[5], "-SUN") != NULL || strstr(made->fields[5], "-0") != NULL);
    memcpy(made->text, text, sizeof text);
    made->flags = any(0, 3) == 0 ? GP_CRON_OVERLAP_TWICE : 0;
}

/* Zones. */

static const char *const rules[] = {
    "UTC0",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "IST-1GMT0,M10.5.0,M3.5.0/1",
    "EET-2EEST,M3.5.0/0,M10.5.0/0",
    "AAA0BBB-24,J100/0,J200/0",              /* a day left out, and one that comes twice */
    "AAA0BBB-2,J100/0,J100/3",               /* for an hour */
    "AAA-3:07:09BBB-4:00:01,60/1:02:03,300", /* at odd seconds */
    "XXX3EDT4,0/0,J365/23",                  /* all the year */
    "AAA12BBB-12,0/-167,J365/167",
};

static const char *const systems[] = {
    "Europe/Berlin",     "America/Sao_Paulo",   "Africa/Casablanca", "Pacific/Apia",
    "Pacific/Kwajalein", "Australia/Lord_Howe", "Asia/Tehran",       "America/Caracas",
    "Antarctica/Troll",  "Asia/Manila",
};

static const struct change odd[] = {
    {"1999-12-31 23:00", 7200},     {"2000-01-01 00:00", 3600},   {"2000-01-01 00:10", 0},
    {"2000-01-02 02:00:07", 3600},  {"2000-01-02 02:20:09", -60}, {"2000-01-03 00:00", 93599},
    {"2000-01-04 00:00", -89999},   {"2000-01-04 00:00:01", 1},   {"2000-01-04 00:00:02", -1},
    {"2000-01-04 12:00", -89999},   {"2000-01-07 12:00", 93599},  {"2000-01-07 18:00", 0},
    {"2000-02-29 00:00:00", 86400}, {"2000-03-01 00:00:00", 0},   {0}};

enum {
    RULES = sizeof rules / sizeof *rules,
    SYSTEMS = sizeof systems / sizeof *systems
};

static gp_zone *any_zone(void)
{
    gp_zone *zone = NULL;
    int which = any(0, RULES + SYSTEMS + 2);
    if (which < RULES)
        return zone_of_rule(rules[which]);
    if (which < RULES + SYSTEMS && gp_zone_open(systems[which - RULES], &zone) == GP_OK)
        return zone;
    return zone_of_changes(-3600, odd);
}

/* Near a change, mostly. */
static int64_t any_second(gp_zone *zone)
{
    int64_t second = any(0, 1) == 0
                         ? utc("2000-01-01") / GP_SECONDS(1) + any(-3 * DAY, 70 * DAY)
                         : utc("1840-01-01") / GP_SECONDS(1) + (int64_t)any(0, 400 * 366) * DAY;
    gp_zone_period period = gp_zone_period_at(zone, GP_SECONDS(second));
    if (any(0, 3) != 0 && period.end != INT64_MAX)
        second = period.end / GP_SECONDS(1) + any(-2 * DAY, DAY);
    return second;
}

/* The properties. */

static struct subject_expression expression;

static void fail(const char *what, int64_t from, int64_t found)
{
    static char text[TEXT_SIZE * 2];
    char texts[2][UTC_TEXT_SIZE];
    utc_text(from, texts[0]);
    utc_text(found, texts[1]);
    snprintf(text, sizeof text, "\"%s\" in %s, flags %u: from %s: %s", expression.text,
             gp_zone_name(expression.zone), expression.flags, texts[0], texts[1]);
    check_within(text);
    check_text(what, "");
    check_within(NULL);
}

/* No match from `from` on, before `to`: as far as the patience reaches, from both ends. */
static void check_nothing_between(int64_t from, int64_t to)
{
    const int patience = (int)scaled(100);
    for (int end = 0; end < 2; end++) {
        int64_t begin = end == 0 ? from : to - (int64_t)patience * 3600;
        for (int hours = 0; hours < patience; hours++) {
            int64_t hour = begin + (int64_t)hours * 3600;
            if (hour >= to || hour < from || !hour_is_of_interest(&expression, hour))
                continue;
            for (int64_t second = hour; second < hour + 3600 && second < to; second++)
                if (matches_slowly(&expression, second)) {
                    fail("left out", GP_SECONDS(from), GP_SECONDS(second));
                    return;
                }
        }
        if (to - from < (int64_t)patience * 3600)
            return;
    }
}

static void check_next(int64_t after)
{
    int64_t next = gp_cron_next(expression.cron, after);
    int64_t first = floor_divided(after, GP_SECONDS(1)) + 1;
    if (next == GP_NEVER) {
        check_nothing_between(first, first + (int64_t)scaled(30) * DAY);
        return;
    }
    if (next <= after || next % GP_SECONDS(1) != 0)
        fail("next is not later", after, next);
    else if (!matches_slowly(&expression, next / GP_SECONDS(1)))
        fail("next does not match", after, next);
    else if (!gp_cron_matches(expression.cron, next + any(0, 999999999)))
        fail("matches does not know what next found", after, next);
    else if (gp_cron_prev(expression.cron, next) > after)
        fail("prev of next is later", after, next);
    else if (gp_cron_prev(expression.cron, next + 1) != next)
        fail("prev does not find what next found", after, next);
    else
        check_nothing_between(first, next / GP_SECONDS(1));
}

static void check_previous(int64_t before)
{
    int64_t previous = gp_cron_prev(expression.cron, before);
    if (previous == INT64_MIN)
        return;
    if (previous >= before || previous % GP_SECONDS(1) != 0)
        fail("prev is not earlier", before, previous);
    else if (!matches_slowly(&expression, previous / GP_SECONDS(1)))
        fail("prev does not match", before, previous);
    else if (gp_cron_next(expression.cron, previous) < before)
        fail("next of prev is earlier", before, previous);
    else if (gp_cron_next(expression.cron, previous - 1) != previous)
        fail("next does not find what prev found", before, previous);
}

static void check_matches(int64_t second)
{
    if (gp_cron_matches(expression.cron, GP_SECONDS(second)) != matches_slowly(&expression, second))
        fail("matches and the slow matcher differ", GP_SECONDS(second), GP_SECONDS(second));
}

static void random_expressions_have_the_properties(void)
{
    seed = 20261025;
    unsigned rounds = scaled(600);
    for (unsigned i = 0; i < rounds; i++) {
        expression.zone = any_zone();
        make_expression(&expression);
        expression.cron = cron_of(expression.text, expression.zone, expression.flags);
        int64_t second = any_second(expression.zone);
        int64_t time = GP_SECONDS(second) + (any(0, 1) == 0 ? 0 : any(0, 999999999));
        check_next(time);
        check_previous(time);
        for (int j = 0; j < 20; j++)
            check_matches(second + any(-DAY, DAY));
        gp_cron_release(expression.cron);
        gp_zone_release(expression.zone);
    }
}

/* Many runs in a row, over changes: the same ones forwards and backwards. */
static void the_way_back_is_the_way_there(void)
{
    enum {
        RUNS_EACH = 200
    };
    static int64_t runs[RUNS_EACH];
    seed = 20260329;
    for (unsigned i = 0; i < scaled(300); i++) {
        int count = 0;
        expression.zone = any_zone();
        make_expression(&expression);
        expression.cron = cron_of(expression.text, expression.zone, expression.flags);
        int64_t time = GP_SECONDS(any_second(expression.zone));
        while (count < RUNS_EACH && (time = gp_cron_next(expression.cron, time)) != GP_NEVER)
            runs[count++] = time;
        for (int j = count - 1; j > 0; j--)
            if (gp_cron_prev(expression.cron, runs[j]) != runs[j - 1])
                fail("prev goes another way", runs[j], runs[j - 1]);
        gp_cron_release(expression.cron);
        gp_zone_release(expression.zone);
    }
}

static const struct test tests[] = {
    TEST(random_expressions_have_the_properties),
    TEST(the_way_back_is_the_way_there),
    END_OF_TESTS,
};

const struct suite cron_property_suite = {.name = "cron_property", .tests = tests};
