/*
 * Local times that match: the next bit, field by field.
 *
 * Local time is taken here as it stands on a wall: days of the calendar, each with 24 hours. That
 * hours may be left out or come twice is the business of cron.c.
 *
 * Days. Each month has a mask of its days that match, made of both fields when it is asked for. The
 * weekdays are seven bits, turned until the month's first weekday comes first, and repeated:
 *
 *      MON-FRI                     SMTWTFS
 *                                  0111110
 *      a month from a Thursday on  TFSSMTW TFSSMTW TFSSMTW TFSSMTW TFS
 *      turned and repeated         1100111 1100111 1100111 1100111 110
 *      of these MON#2                            . ....1..
 *
 *   [DATE-1] When a field goes on to a later value, all fields below it begin anew, with their
 *            first value. Spring once left them as they were (SPR-6170), and 10:00 followed on
 *            09:59 as 10:59.
 *   [DATE-2] Each step goes on by a month that is asked for, at least; so a search ends, after some
 *            hundred years at the latest. Whether any date can match is asked before: there are
 *            but 14 kinds of years.
 */
#include "cron/cron.h"

#include "zone/civil.h"

#define REPEATED UINT64_C(0x10204081) /* bits 0, 7, 14, 21, 28 */

/* Bits. */

/* The first bit from there on, or the last up to there; -1: there is none. */
static int next_bit(uint64_t set, int from)
{
    uint64_t rest = set & (~UINT64_C(0) << from);
    return rest == 0 ? -1 : __builtin_ctzll(rest);
}

static int previous_bit(uint64_t set, int to)
{
    uint64_t rest = to < 0 ? 0 : set & (~UINT64_C(0) >> (63 - to));
    return rest == 0 ? -1 : 63 - __builtin_clzll(rest);
}

static bool has_bit(uint64_t set, int bit)
{
    return (set >> bit & 1) != 0;
}

/* Days of a month; bit 0 of a mask is nobody's. */

struct month {
    int length;
    int first_weekday; /* of its first day */
};

static uint32_t days_up_to(int day)
{
    return (uint32_t)((UINT64_C(2) << day) - 2);
}

static uint32_t weekday_days(const struct month *month, uint8_t weekdays)
{
    uint32_t turned = ((uint32_t)weekdays >> month->first_weekday |
                       (uint32_t)weekdays << (7 - month->first_weekday)) &
                      GP__ALL_WEEKDAYS;
    return (uint32_t)(turned * REPEATED << 1);
}

/* Of Monday to Friday the nearest to a day; also of the first and the last, in the same month. */
static int nearest_to(const struct month *month, int day)
{
    int weekday = (month->first_weekday + day - 1) % 7;
    if (weekday == 6)
        return day > 1 ? day - 1 : day + 2;
    if (weekday == 0)
        return day < month->length ? day + 1 : day - 2;
    return day;
}

static int last_weekday_of(const struct month *month)
{
    int weekday = (month->first_weekday + month->length - 1) % 7;
    return month->length - (weekday == 6 ? 1 : weekday == 0 ? 2 : 0);
}

static uint32_t special_days(const struct gp__cron_set *set, const struct month *month)
{
    uint32_t mask = 0;
    for (int n = next_bit(set->before_last, 0); n >= 0; n = next_bit(set->before_last, n + 1))
        if (n < month->length)
            mask |= UINT32_C(1) << (month->length - n);
    for (int n = next_bit(set->nearest, 0); n >= 0; n = next_bit(set->nearest, n + 1))
        if (n <= month->length)
            mask |= UINT32_C(1) << nearest_to(month, n);
    if (set->last_weekday)
        mask |= UINT32_C(1) << last_weekday_of(month);
    return mask;
}

static uint32_t special_weekdays(const struct gp__cron_set *set, const struct month *month)
{
    uint32_t last_week = ~days_up_to(month->length - 7);
    uint32_t mask = weekday_days(month, set->last) & last_week;
    for (int n = 1; n <= 5; n++)
        mask |= weekday_days(month, set->nth[n]) & days_up_to(7 * n) & ~days_up_to(7 * n - 7);
    return mask;
}

static uint32_t matching_days(const struct gp__cron_set *set, const struct month *month)
{
    uint32_t days = set->days;
    uint32_t weekdays = weekday_days(month, set->weekdays);
    if (set->special_days)
        days |= special_days(set, month);
    if (set->special_weekdays)
        weekdays |= special_weekdays(set, month);
    return days & weekdays & days_up_to(month->length);
}

static uint32_t matching_days_of(const struct gp__cron_set *set, int year, int month)
{
    return matching_days(set, &(struct month){gp__month_length(year, month),
                                              gp__weekday_of(gp__days_of(year, month, 1))});
}

static bool has_date_in(const struct gp__cron_set *set, bool leap, int weekday)
{
    int year = leap ? 2000 : 2001; /* any */
    for (int month = 1; month <= 12; month++) {
        int length = gp__month_length(year, month);
        if (has_bit(set->months, month) && matching_days(set, &(struct month){length, weekday}))
            return true;
        weekday = (weekday + length) % 7;
    }
    return false;
}

bool gp__cron_has_date(const struct gp__cron_set *set)
{
    for (int weekday = 0; weekday < 7; weekday++)
        if (has_date_in(set, false, weekday) || has_date_in(set, true, weekday))
            return true;
    return false;
}

/* Dates. */

/* The first that matches, from that one on. */
static bool next_date(const struct gp__cron_set *set, struct gp__date *date)
{
    while (date->year <= GP__LAST_YEAR) { /* [DATE-2] */
        int month = next_bit(set->months, date->month);
        if (month < 0) {
            *date = (struct gp__date){date->year + 1, 1, 1};
            continue;
        }
        if (month != date->month)
            *date = (struct gp__date){date->year, month, 1};
        int day = next_bit(matching_days_of(set, date->year, month), date->day);
        if (day >= 0) {
            date->day = day;
            return true;
        }
        *date = (struct gp__date){date->year, month + 1, 1};
    }
    return false;
}

static bool previous_date(const struct gp__cron_set *set, struct gp__date *date)
{
    while (date->year >= GP__FIRST_YEAR) {
        int month = previous_bit(set->months, date->month);
        if (month < 0) {
            *date = (struct gp__date){date->year - 1, 12, 31};
            continue;
        }
        if (month != date->month)
            *date = (struct gp__date){date->year, month, 31};
        int day = previous_bit(matching_days_of(set, date->year, month), date->day);
        if (day >= 0) {
            date->day = day;
            return true;
        }
        *date = (struct gp__date){date->year, month - 1, 31};
    }
    return false;
}

/* Times of day, as seconds since midnight: [DATE-1]. */

static int joined(int hour, int minute, int second)
{
    return hour * 3600 + minute * 60 + second;
}

static int next_time(const struct gp__cron_set *set, int from)
{
    int hour = from / 3600;
    int minute = from / 60 % 60;
    if (has_bit(set->hours, hour)) {
        int second = has_bit(set->minutes, minute) ? next_bit(set->seconds, from % 60) : -1;
        if (second >= 0)
            return joined(hour, minute, second);
        minute = next_bit(set->minutes, minute + 1);
        if (minute >= 0)
            return joined(hour, minute, next_bit(set->seconds, 0));
    }
    hour = next_bit(set->hours, hour + 1);
    if (hour < 0)
        return -1;
    return joined(hour, next_bit(set->minutes, 0), next_bit(set->seconds, 0)); /* [PARSE-2] */
}

static int previous_time(const struct gp__cron_set *set, int to)
{
    int hour = to / 3600;
    int minute = to / 60 % 60;
    if (has_bit(set->hours, hour)) {
        int second = has_bit(set->minutes, minute) ? previous_bit(set->seconds, to % 60) : -1;
        if (second >= 0)
            return joined(hour, minute, second);
        minute = previous_bit(set->minutes, minute - 1);
        if (minute >= 0)
            return joined(hour, minute, previous_bit(set->seconds, 59));
    }
    hour = previous_bit(set->hours, hour - 1);
    if (hour < 0)
        return -1;
    return joined(hour, previous_bit(set->minutes, 59), previous_bit(set->seconds, 59));
}

/* Both. */

struct local {
    int64_t days;
    int time;
    struct gp__date date;
};

static struct local local_of(int64_t second)
{
    struct local local = {.days = gp__floor_divide(second, GP__DAY_SECONDS)};
    local.time = (int)(second - local.days * GP__DAY_SECONDS);
    local.date = gp__date_of(local.days);
    return local;
}

static int64_t second_of(const struct gp__date *date, int time)
{
    return gp__days_of(date->year, date->month, date->day) * GP__DAY_SECONDS + time;
}

static bool matches_date(const struct gp__cron_set *set, const struct gp__date *date)
{
    return has_bit(set->months, date->month) &&
           has_bit(matching_days_of(set, date->year, date->month), date->day);
}

bool gp__cron_next_local(const struct gp__cron_set *set, int64_t from, int64_t *out)
{
    struct local local = local_of(from);
    if (matches_date(set, &local.date)) {
        int time = next_time(set, local.time);
        if (time >= 0) {
            *out = local.days * GP__DAY_SECONDS + time;
            return true;
        }
    }
    local.date.day++; /* a day 32 has no bit */
    if (!next_date(set, &local.date))
        return false;
    *out = second_of(&local.date, next_time(set, 0));
    return true;
}

bool gp__cron_previous_local(const struct gp__cron_set *set, int64_t to, int64_t *out)
{
    struct local local = local_of(to);
    if (matches_date(set, &local.date)) {
        int time = previous_time(set, local.time);
        if (time >= 0) {
            *out = local.days * GP__DAY_SECONDS + time;
            return true;
        }
    }
    local.date.day--; /* a day 0 has none either */
    if (!previous_date(set, &local.date))
        return false;
    *out = second_of(&local.date, previous_time(set, GP__DAY_SECONDS - 1));
    return true;
}

bool gp__cron_matches_local(const struct gp__cron_set *set, int64_t second)
{
    struct local local = local_of(second);
    return matches_date(set, &local.date) && has_bit(set->hours, local.time / 3600) &&
           has_bit(set->minutes, local.time / 60 % 60) && has_bit(set->seconds, local.time % 60);
}
