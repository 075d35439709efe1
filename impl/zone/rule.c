/*
 * Rules: the text that POSIX has for the variable TZ, and with which a TZif file ends.
 *
 *     CET-1CEST,M3.5.0,M10.5.0/3
 *      |  |  |     |       |
 *      |  |  |     |       until the last (5) Sunday (0) of October (10), 03:00
 *      |  |  |     daylight saving time from the last Sunday of March on, 02:00 if not said
 *      |  |  its name; its offset, if not said, is an hour more
 *      |  offset of standard time, the other way round than anywhere else: west is positive
 *      name of standard time; with other signs than letters in angle brackets, <+0330>
 *
 * A date is Mmonth.week.weekday, Jn (1 to 365, in leap years too), or n (0 to 365). A time of day
 * may be from -167 to 167 hours (RFC 9636): "the Thursday before the last Friday" is otherwise not
 * to be said. Daylight saving time may be less than standard time: Dublin's is winter's.
 *
 * Years. Each year has one stretch of daylight saving time. It begins on a date of that year, and
 * ends on the other date: of the same year, if that comes later; else of the next one, as in the
 * southern hemisphere.
 *
 *     north   ....[ 2025 ]......[ 2026 ]....          begin < end in each year
 *     south   2024 ]......[ 2025 ]......[ 2026        end < begin
 *     always  [ 2024 ][ 2025 ][ 2026 ]                begins as the one before ends
 *
 *   [RULE-1] Stretches that touch or overlap are one: a rule for daylight saving time all the year
 *            gives no transition at New Year.
 *   [RULE-2] Nothing is read beyond the length of a text, and a text is taken as a whole or not at
 *            all.
 *
 * A rule with daylight saving time but without dates, "EST5EDT", is refused: POSIX does not say
 * when, and C libraries take the dates of the United States for everybody.
 */
#include "zone/zone.h"

#include <string.h>

#include <glasspool/status.h>

#define HOUR 3600

/* The text. */

struct reader {
    const char *at;
    const char *end;
};

static char peek(const struct reader *reader)
{
    if (reader->at == reader->end) /* [RULE-2] */
        return '\0';
    return *reader->at;
}

static bool take(struct reader *reader, char sign)
{
    if (peek(reader) != sign)
        return false;
    reader->at++;
    return true;
}

static bool is_digit(char sign)
{
    return sign >= '0' && sign <= '9';
}

static bool is_letter(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
}

bool gp__is_abbreviation(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '+' && text[i] != '-')
            return false;
    return length > 0 && length < GP__ABBREVIATION_SIZE;
}

static bool read_name(struct reader *reader, char name[GP__ABBREVIATION_SIZE])
{
    bool quoted = take(reader, '<');
    const char *begin = reader->at;
    while (quoted ? peek(reader) != '>' && peek(reader) != '\0' : is_letter(peek(reader)))
        reader->at++;
    size_t length = (size_t)(reader->at - begin);
    if (length < 3 || !gp__is_abbreviation(begin, length) || (quoted && !take(reader, '>')))
        return false;
    memset(name, 0, GP__ABBREVIATION_SIZE);
    memcpy(name, begin, length);
    return true;
}

/* At most three digits, which is enough for all that a rule has. */
static bool read_number(struct reader *reader, int from, int to, int *out)
{
    int digits = 0;
    *out = 0;
    for (; is_digit(peek(reader)) && digits < 4; digits++)
        *out = *out * 10 + (*reader->at++ - '0');
    return digits > 0 && digits < 4 && *out >= from && *out <= to;
}

/* [+-]hh[:mm[:ss]] */
static bool read_time(struct reader *reader, int most_hours, int32_t *out)
{
    bool negative = take(reader, '-');
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (!negative)
        take(reader, '+');
    if (!read_number(reader, 0, most_hours, &hours))
        return false;
    if (take(reader, ':')) {
        if (!read_number(reader, 0, 59, &minutes))
            return false;
        if (take(reader, ':') && !read_number(reader, 0, 59, &seconds))
            return false;
    }
    *out = hours * HOUR + minutes * 60 + seconds;
    if (negative)
        *out = -*out;
    return true;
}

static bool read_weekday_date(struct reader *reader, struct gp__rule_date *date)
{
    return read_number(reader, 1, 12, &date->month) && take(reader, '.') &&
           read_number(reader, 1, 5, &date->week) && take(reader, '.') &&
           read_number(reader, 0, 6, &date->day);
}

/* ,date[/time] */
static bool read_date(struct reader *reader, struct gp__rule_date *date)
{
    bool well = take(reader, ',');
    *date = (struct gp__rule_date){.kind = GP__RULE_DAY, .time = 2 * HOUR};
    if (take(reader, 'M')) {
        date->kind = GP__RULE_WEEKDAY;
        well = well && read_weekday_date(reader, date);
    } else if (take(reader, 'J')) {
        date->kind = GP__RULE_JULIAN;
        well = well && read_number(reader, 1, 365, &date->day);
    } else {
        well = well && read_number(reader, 0, 365, &date->day);
    }
    return well && (!take(reader, '/') || read_time(reader, 167, &date->time));
}

static bool read_daylight(struct reader *reader, struct gp__rule *rule)
{
    int32_t west = -rule->standard.offset - HOUR;
    rule->has_daylight = true;
    rule->daylight.daylight_saving = true;
    if (!read_name(reader, rule->daylight.abbreviation) ||
        (peek(reader) != ',' && !read_time(reader, 24, &west)))
        return false;
    rule->daylight.offset = -west;
    return read_date(reader, &rule->begin) && read_date(reader, &rule->end);
}

bool gp__rule_read(const char *text, size_t length, struct gp__rule *out)
{
    struct reader reader = {.at = text, .end = text + length};
    struct gp__rule rule = {.has_daylight = false};
    int32_t west = 0;
    if (!read_name(&reader, rule.standard.abbreviation) || !read_time(&reader, 24, &west))
        return false;
    rule.standard.offset = -west;
    if (reader.at < reader.end && !read_daylight(&reader, &rule))
        return false;
    *out = rule;
    return reader.at == reader.end;
}

/* The years. */

static int64_t days_of_date(const struct gp__rule_date *date, int year)
{
    int64_t january = gp__days_of(year, 1, 1);
    if (date->kind == GP__RULE_DAY)
        return january + date->day;
    if (date->kind == GP__RULE_JULIAN)
        return january + date->day - 1 + (date->day >= 60 && gp__is_leap(year));
    int64_t first = gp__days_of(year, date->month, 1);
    int day = (date->day - gp__weekday_of(first) + 7) % 7 + 7 * (date->week - 1);
    return first + (day < gp__month_length(year, date->month) ? day : day - 7);
}

static int64_t second_of_change(const struct gp__rule_date *date, int year, int32_t offset)
{
    return days_of_date(date, year) * GP__DAY_SECONDS + date->time - offset;
}

struct stretch {
    int64_t begin;
    int64_t end;
};

static struct stretch stretch_of(const struct gp__rule *rule, int year)
{
    struct stretch stretch = {second_of_change(&rule->begin, year, rule->standard.offset),
                              second_of_change(&rule->end, year, rule->daylight.offset)};
    if (stretch.end < stretch.begin)
        stretch.end = second_of_change(&rule->end, year + 1, rule->daylight.offset);
    return stretch;
}

struct kinds {
    uint16_t standard;
    uint16_t daylight;
};

/* Of the stretch as much as comes later than that. */
static void add_stretch(gp_zone *zone, int64_t after, struct stretch stretch, struct kinds kinds)
{
    if (stretch.begin >= stretch.end)
        return;
    if (stretch.begin > after)
        gp__zone_add(zone, stretch.begin, kinds.daylight);
    if (stretch.end > after)
        gp__zone_add(zone, stretch.end, kinds.standard);
}

void gp__rule_extend(const struct gp__rule *rule, gp_zone *zone, int64_t after)
{
    struct kinds kinds = {.standard = gp__zone_add_type(zone, &rule->standard)};
    if (after < GP__FIRST_SECOND)
        gp__zone_add(zone, after, kinds.standard);
    if (!rule->has_daylight)
        return;
    kinds.daylight = gp__zone_add_type(zone, &rule->daylight);
    struct stretch whole = stretch_of(rule, GP__FIRST_YEAR - 1);
    for (int year = GP__FIRST_YEAR; year <= GP__LAST_YEAR + 1; year++) {
        struct stretch next = stretch_of(rule, year);
        if (next.begin > whole.end) {
            add_stretch(zone, after, whole, kinds);
            whole = next;
        } else if (next.end > whole.end) { /* [RULE-1] */
            whole.end = next.end;
        }
    }
    add_stretch(zone, after, whole, kinds);
}

int gp_zone_of_rule(const char *rule, gp_zone **out)
{
    struct gp__rule read;
    if (rule == NULL || out == NULL || !gp__rule_read(rule, strlen(rule), &read))
        return GP_EINVAL;
    int status = gp__zone_new(rule, GP__RULE_TRANSITIONS, 2, out);
    if (status == GP_OK)
        gp__rule_extend(&read, *out, INT64_MIN);
    return status;
}
