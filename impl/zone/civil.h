/*
 * The calendar: days since 1970-01-01, and years, months and days of the Gregorian calendar. Time
 * zones and cron expressions reckon with it, in years after Christ.
 *
 * The arithmetic is that of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": a year
 * that begins in March has its leap day at its end, and 400 of them always have 146097 days.
 */
#ifndef GP_ZONE_CIVIL_H
#define GP_ZONE_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

#define GP__DAY_SECONDS 86400

/* Whole seconds that nanoseconds in an int64_t can tell. */
#define GP__FIRST_SECOND INT64_C(-9223372036)
#define GP__LAST_SECOND  INT64_C(9223372036)

/* The years that they lie in, and those next to them. */
#define GP__FIRST_YEAR 1676
#define GP__LAST_YEAR  2263

struct gp__date {
    int year;
    int month; /* 1 to 12 */
    int day;   /* 1 to 31 */
};

/* Rounded down, as no integer division of C does. */
static inline int64_t gp__floor_divide(int64_t number, int64_t divisor)
{
    return number / divisor - (number % divisor < 0);
}

static inline bool gp__is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int gp__month_length(int year, int month)
{
    if (month == 2)
        return gp__is_leap(year) ? 29 : 28;
    return 30 + ((month + (month >> 3)) & 1);
}

static inline int64_t gp__days_of(int year, int month, int day)
{
    int from_march = year - (month <= 2);
    int era = from_march / 400;
    int year_of_era = from_march - era * 400;
    int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)era * 146097 + day_of_era - 719468;
}

static inline struct gp__date gp__date_of(int64_t days)
{
    int64_t shifted = days + 719468;
    int era = (int)(shifted / 146097);
    int day_of_era = (int)(shifted - (int64_t)era * 146097);
    int year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (5 * day_of_year + 2) / 153;
    struct gp__date date = {.day = day_of_year - (153 * month + 2) / 5 + 1};
    date.month = month < 10 ? month + 3 : month - 9;
    date.year = year_of_era + era * 400 + (date.month <= 2);
    return date;
}

/* 0 is Sunday; 1970-01-01 was a Thursday. */
static inline int gp__weekday_of(int64_t days)
{
    int64_t rest = (days + 4) % 7;
    return (int)(rest < 0 ? rest + 7 : rest);
}

static inline const char *gp__weekday_name(int weekday)
{
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};
    return names[weekday];
}

#endif
