/*
 * An expression in words.
 *
 * The words are made from the compiled sets, not from the text. So they say what an expression
 * does, and two that do the same are said the same way: 0,15,30,45 minutes are "every 15 minutes".
 *
 *     [time] [date] [zone]
 *
 *     time    at 09:30                          few times of day, each of them
 *             every 2 hours from 01:30 to 23:30   one in each of many hours
 *             every 15 minutes from 09:00 to 17:59
 *             at second 15 of minutes 0 to 9 of every hour
 *     date    , Monday to Friday                weekdays alone
 *             on the last day of February       days
 *             on the 13th of the month, if that is a Friday
 *     zone    (Europe/Berlin)                   where it matters [WORDS-2]
 *
 *   [WORDS-1] Values that stand side by side, three at least, are said as a range; others one by
 *             one; and four or more at even distances by their distance.
 *   [WORDS-2] The zone is left out where all zones give the same times. The clocks of today are
 *             apart by whole quarters of an hour. So that is what goes through all hours of all
 *             days and does the same in each quarter: "every 15 minutes", but not "every hour",
 *             which in Asia/Kolkata is half past in UTC.
 *   [WORDS-3] 0-23 names its hours, where * goes through them: it leaves out the hour that clocks
 *             show again (cron.c). The two are said apart in a zone whose clocks change.
 */
#include "cron/cron.h"

#include <string.h>

#include "zone/civil.h"
#include "cron/text.h"

#define FEW_TIMES 6

/* Sets. */

static int count_of(uint64_t set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

static int first_of(uint64_t set)
{
    return __builtin_ctzll(set);
}

static int last_of(uint64_t set)
{
    return 63 - __builtin_clzll(set);
}

static uint64_t without(uint64_t set, int bit)
{
    return set & ~(UINT64_C(1) << bit);
}

/* How far its values are apart, if all are equally so; 0: they are not, or it has but one. */
static int distance_in(uint64_t set)
{
    int value = first_of(set);
    int distance = 0;
    for (uint64_t rest = without(set, value); rest != 0; rest = without(rest, value)) {
        int next = first_of(rest);
        if (distance != 0 && next - value != distance)
            return 0;
        distance = next - value;
        value = next;
    }
    return distance;
}

/* Every so many, all around the clock: 0 if not. */
static int rhythm_of(uint64_t set, int size)
{
    int distance = distance_in(set);
    bool whole = distance > 0 && first_of(set) == 0 && size % distance == 0;
    return whole && count_of(set) * distance == size ? distance : 0;
}

/* Where the run of neighbours that begins there ends. */
static int end_of_run(uint64_t set, int from)
{
    while ((set >> (from + 1) & 1) != 0)
        from++;
    return from;
}

/* Lists of anything: "a", "a and b", "a, b and c". */

struct list {
    struct gp__text *text;
    int left;         /* how many are still to come */
    bool begun;       /* one has been put */
    const char *last; /* what stands before the last: " and ", " or " */
};

static void put_joint(struct list *list)
{
    if (list->begun)
        gp__put(list->text, list->left == 1 ? list->last : ", ");
    list->begun = true;
    list->left--;
}

typedef void put_value(struct gp__text *, int value);

/* [WORDS-1] How many items that gives. */
static int items_in(uint64_t set)
{
    int items = 0;
    while (set != 0) {
        int from = first_of(set);
        int to = end_of_run(set, from);
        if (to < from + 2)
            to = from;
        for (int value = from; value <= to; value++)
            set = without(set, value);
        items++;
    }
    return items;
}

static void put_items(struct list *list, uint64_t set, put_value *put)
{
    while (set != 0) {
        int from = first_of(set);
        int to = end_of_run(set, from);
        put_joint(list);
        put(list->text, from);
        if (to < from + 2)
            to = from;
        if (to > from) {
            gp__put(list->text, " to ");
            put(list->text, to);
        }
        for (int value = from; value <= to; value++)
            set = without(set, value);
    }
}

static void put_set(struct gp__text *text, uint64_t set, put_value *put)
{
    struct list list = {.text = text, .left = items_in(set), .last = " and "};
    put_items(&list, set, put);
}

/* Values. */

static void put_plain(struct gp__text *text, int value)
{
    gp__put_number(text, value, 1);
}

static void put_ordinal(struct gp__text *text, int value)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    bool teen = value / 10 == 1;
    gp__put_number(text, value, 1);
    gp__put(text, endings[teen || value % 10 > 3 ? 0 : value % 10]);
}

static void put_weekday(struct gp__text *text, int value)
{
    gp__put(text, gp__weekday_name(value % 7));
}

static void put_weekdays(struct gp__text *text, int value)
{
    put_weekday(text, value);
    gp__put_sign(text, 's');
}

static void put_a_weekday(struct gp__text *text, int value)
{
    gp__put(text, "a ");
    put_weekday(text, value);
}

static void put_month(struct gp__text *text, int value)
{
    static const char *const months[] = {"",        "January",  "February", "March",  "April",
                                         "May",     "June",     "July",     "August", "September",
                                         "October", "November", "December"};
    gp__put(text, months[value]);
}

/* The time. */

static void put_clock(struct gp__text *text, int hour, int minute, int second)
{
    gp__put_number(text, hour, 2);
    gp__put_sign(text, ':');
    gp__put_number(text, minute, 2);
    if (second != 0) {
        gp__put_sign(text, ':');
        gp__put_number(text, second, 2);
    }
}

static void put_times(struct gp__text *text, const struct gp__cron_set *set)
{
    struct list list = {.text = text, .last = " and "};
    list.left = count_of(set->hours) * count_of(set->minutes);
    gp__put(text, "at ");
    for (uint64_t hours = set->hours; hours != 0; hours = without(hours, first_of(hours)))
        for (uint64_t rest = set->minutes; rest != 0; rest = without(rest, first_of(rest))) {
            put_joint(&list);
            put_clock(text, first_of(hours), first_of(rest), first_of(set->seconds));
        }
}

static void put_every(struct gp__text *text, int number, const char *unit)
{
    gp__put(text, "every ");
    if (number > 1) {
        gp__put_number(text, number, 1);
        gp__put_sign(text, ' ');
    }
    gp__put(text, unit);
    if (number > 1)
        gp__put_sign(text, 's');
}

/* The same minute and second of many hours. */
static void put_hourly(struct gp__text *text, const struct gp__cron_set *set)
{
    int minute = first_of(set->minutes);
    int second = first_of(set->seconds);
    int distance = distance_in(set->hours);
    put_every(text, distance, "hour");
    if (minute == 0 && second == 0 && rhythm_of(set->hours, 24) != 0)
        return;
    gp__put(text, " from ");
    put_clock(text, first_of(set->hours), minute, second);
    gp__put(text, " to ");
    put_clock(text, last_of(set->hours), minute, second);
}

/* "minute 5", "minutes 5, 7 and 20 to 30", "every 7th minute from 0 to 56" */
static void put_named(struct gp__text *text, const char *unit, uint64_t set)
{
    int distance = distance_in(set);
    if (distance > 1 && count_of(set) > 3) {
        gp__put(text, "every ");
        put_ordinal(text, distance);
        gp__put_sign(text, ' ');
        gp__put(text, unit);
        gp__put(text, " from ");
        put_plain(text, first_of(set));
        gp__put(text, " to ");
        put_plain(text, last_of(set));
        return;
    }
    gp__put(text, unit);
    gp__put(text, count_of(set) > 1 ? "s " : " ");
    put_set(text, set, put_plain);
}

/* Seconds or minutes, as the first thing that is said; true: it goes through all of the hour. */
static bool put_first(struct gp__text *text, const char *unit, uint64_t set)
{
    int rhythm = rhythm_of(set, 60);
    if (rhythm != 0) {
        put_every(text, rhythm, unit);
        return true;
    }
    gp__put(text, "at ");
    put_named(text, unit, set);
    return false;
}

static void put_hours(struct gp__text *text, uint64_t hours, bool through)
{
    if (hours == GP__ALL_HOURS) {
        gp__put(text, through ? "" : " of every hour");
    } else if (through && (distance_in(hours) == 1 || count_of(hours) == 1)) {
        gp__put(text, " from ");
        put_clock(text, first_of(hours), 0, 0);
        gp__put(text, " to ");
        put_clock(text, last_of(hours), 59, 0);
    } else {
        gp__put(text, " of ");
        put_named(text, "hour", hours);
    }
}

static void put_fields(struct gp__text *text, const struct gp__cron_set *set)
{
    bool through = false;
    if (set->seconds == 1) {
        through = put_first(text, "minute", set->minutes);
    } else {
        through = put_first(text, "second", set->seconds);
        if (set->minutes != GP__ALL_SIXTY) {
            gp__put(text, " of ");
            put_named(text, "minute", set->minutes);
            through = false;
        } else if (!through) {
            gp__put(text, " of every minute");
            through = true;
        }
    }
    put_hours(text, set->hours, through);
}

static void put_time(struct gp__text *text, const struct gp__cron_set *set)
{
    bool once = count_of(set->seconds) == 1;
    int minutes = count_of(set->minutes);
    int distance = distance_in(set->hours);
    if (once && set->hours != GP__ALL_HOURS && count_of(set->hours) * minutes <= FEW_TIMES)
        put_times(text, set);
    else if (once && minutes == 1 && distance > 0 &&
             (set->hours != GP__ALL_HOURS || (set->minutes == 1 && set->seconds == 1)))
        put_hourly(text, set);
    else if (once && minutes == 1 && set->hours != GP__ALL_HOURS)
        put_times(text, set);
    else
        put_fields(text, set);
}

/* The date. */

/* One item if they are said by their distance. */
static bool by_distance(uint32_t days)
{
    return distance_in(days) > 1 && count_of(days) > 3; /* [WORDS-1] */
}

static void put_days_by_distance(struct list *list, uint32_t days)
{
    put_joint(list);
    gp__put(list->text, "every ");
    put_ordinal(list->text, distance_in(days));
    gp__put(list->text, " day from the ");
    put_ordinal(list->text, first_of(days));
    gp__put(list->text, " to the ");
    put_ordinal(list->text, last_of(days));
}

static void put_nearest(struct gp__text *text, int day)
{
    gp__put(text, "the working day nearest to the ");
    put_ordinal(text, day);
}

/* Not "the 3rd day before the last": behind "the 1st and" that might be the 3rd of the month. */
static void put_before_last(struct gp__text *text, int days)
{
    if (days > 1) {
        gp__put(text, "the day ");
        gp__put_number(text, days, 1);
        gp__put(text, " days before the last");
    } else {
        gp__put(text, days > 0 ? "the day before the last" : "the last day");
    }
}

static void put_each(struct list *list, uint32_t set, put_value *put)
{
    for (; set != 0; set = (uint32_t)without(set, first_of(set))) {
        put_joint(list);
        put(list->text, first_of(set));
    }
}

static void put_days(struct gp__text *text, const struct gp__cron_set *set)
{
    struct list list = {.text = text, .last = " and "};
    list.left = count_of(set->before_last) + count_of(set->nearest) + set->last_weekday;
    gp__put(text, " on ");
    if (set->days != 0 && by_distance(set->days)) {
        list.left++;
        put_days_by_distance(&list, set->days);
    } else if (set->days != 0) {
        list.left += items_in(set->days);
        gp__put(text, "the ");
        put_items(&list, set->days, put_ordinal);
    }
    put_each(&list, set->nearest, put_nearest);
    put_each(&list, set->before_last, put_before_last);
    if (set->last_weekday) {
        put_joint(&list);
        gp__put(text, "the last working day");
    }
}

/* Sunday is the last, next to Saturday: it is easier to say. */
static uint64_t weekdays_from_monday(uint8_t weekdays)
{
    return (weekdays & 1) != 0 ? without(weekdays, 0) | 1 << 7 : weekdays;
}

static int special_weekday_count(const struct gp__cron_set *set)
{
    int items = count_of(set->last);
    for (int n = 1; n <= 5; n++)
        items += count_of(set->nth[n]);
    return items;
}

static void put_special_weekdays(struct list *list, const struct gp__cron_set *set)
{
    static const char *const which[] = {"",        "first ", "second ", "third ",
                                        "fourth ", "fifth ", "last "};
    for (int n = 1; n <= 6; n++) {
        uint64_t rest = weekdays_from_monday(n == 6 ? set->last : set->nth[n]);
        for (; rest != 0; rest = without(rest, first_of(rest))) {
            put_joint(list);
            gp__put(list->text, "the ");
            gp__put(list->text, which[n]);
            put_weekday(list->text, first_of(rest));
        }
    }
}

/* "Monday to Friday" stands for itself, others have a word before them. */
static void put_weekday_list(struct gp__text *text, const struct gp__cron_set *set, bool condition)
{
    uint64_t plain = weekdays_from_monday(set->weekdays);
    bool range = plain != 0 && distance_in(plain) == 1 && count_of(plain) > 2;
    struct list list = {.text = text, .last = condition ? " or " : " and "};
    list.left = (plain == 0 ? 0 : items_in(plain)) + special_weekday_count(set);
    if (condition)
        gp__put(text, range ? ", if that is a day from " : ", if that is ");
    else
        gp__put(text, range && list.left == 1 ? ", " : " on ");
    put_items(&list, plain, range ? put_weekday : condition ? put_a_weekday : put_weekdays);
    put_special_weekdays(&list, set);
}

/* " of the month", " of January and July", " of each month from June to August"; or, where no day
   is named, " in July", " from June to August". */
static void put_months(struct gp__text *text, uint32_t months, bool of_days)
{
    bool range = items_in(months) == 1 && count_of(months) > 1;
    if (months == GP__ALL_MONTHS) {
        gp__put(text, of_days ? " of the month" : "");
        return;
    }
    if (range)
        gp__put(text, of_days ? " of each month from " : " from ");
    else
        gp__put(text, of_days ? " of " : " in ");
    put_set(text, months, put_month);
}

static void put_date(struct gp__text *text, const struct gp__cron_set *set)
{
    bool some_days = set->days != GP__ALL_DAYS;
    bool some_weekdays = set->weekdays != GP__ALL_WEEKDAYS;
    if (some_days)
        put_days(text, set);
    else if (some_weekdays)
        put_weekday_list(text, set, false);
    put_months(text, set->months, some_days || (some_weekdays && set->special_weekdays));
    if (some_days && some_weekdays)
        put_weekday_list(text, set, true);
}

/* The whole. */

/* [WORDS-2] */
static bool is_same_each_quarter(uint64_t minutes)
{
    return ((minutes << 15 | minutes >> 45) & GP__ALL_SIXTY) == minutes;
}

/* [WORDS-3] */
static bool leaves_an_hour_out(const gp_cron *cron, const struct gp__cron_set *set)
{
    gp_zone_period period = gp_zone_period_at(gp_cron_zone(cron), 0);
    bool fixed = period.begin == INT64_MIN && period.end == INT64_MAX;
    return set->hours == GP__ALL_HOURS && gp__cron_leaves_repetitions(cron) && !fixed;
}

static bool depends_on_zone(const struct gp__cron_set *set)
{
    return set->hours != GP__ALL_HOURS || set->days != GP__ALL_DAYS ||
           set->months != GP__ALL_MONTHS || set->weekdays != GP__ALL_WEEKDAYS ||
           !is_same_each_quarter(set->minutes);
}

static void put_zone(struct gp__text *text, const gp_cron *cron)
{
    gp__put(text, " (");
    gp__put(text, gp_zone_name(gp_cron_zone(cron)));
    gp__put(text, ")");
}

int gp_cron_describe(const gp_cron *cron, char *buffer, size_t size)
{
    const struct gp__cron_set *set = gp__cron_set_of(cron);
    struct gp__text text = {.size = size};
    text.buffer = buffer;
    if (set->disabled) {
        gp__put(&text, "never: disabled");
        return gp__text_end(&text);
    }
    bool once = leaves_an_hour_out(cron, set);
    put_time(&text, set);
    put_date(&text, set);
    if (once || depends_on_zone(set))
        put_zone(&text, cron);
    if (set->never)
        gp__put(&text, ", a day that never comes");
    else if (once)
        gp__put(&text, ", not again when clocks are put back");
    return gp__text_end(&text);
}
