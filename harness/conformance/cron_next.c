/* Cron expressions in UTC: the next bit, in each field, and what follows from it in the others. */
#include <glasspool/clock.h>

#include "cron_support.h"
#include "suite.h"

static void seconds_minutes_and_hours(void)
{
    check_utc_runs("* * * * * *", "2026-12-31 23:59:58",
                   RUNS("2026-12-31 23:59:59", "2027-01-01 00:00:00", "2027-01-01 00:00:01"));
    check_utc_runs("*/15 * * * * *", "2026-01-01 00:00:44",
                   RUNS("2026-01-01 00:00:45", "2026-01-01 00:01:00"));
    check_utc_runs("7,59 * * * * *", "2026-01-01 00:00:07",
                   RUNS("2026-01-01 00:00:59", "2026-01-01 00:01:07"));
    check_utc_runs("0 5/20 * * * *", "2026-01-01 23:30",
                   RUNS("2026-01-01 23:45", "2026-01-02 00:05", "2026-01-02 00:25"));
    check_utc_runs("30 15 9,17 * * *", "2026-01-01",
                   RUNS("2026-01-01 09:15:30", "2026-01-01 17:15:30", "2026-01-02 09:15:30"));
    check_utc_runs("15 9 * * *", "2026-01-01", RUNS("2026-01-01 09:15", "2026-01-02 09:15"));
    check_utc_runs("@hourly", "2026-01-01 09:15", RUNS("2026-01-01 10:00", "2026-01-01 11:00"));
}

/* SPR-6170: when a field is carried, the ones below it begin anew. */
static void a_carry_resets_all_that_is_below(void)
{
    check_utc_runs("5 10 * * * *", "2026-01-01 08:10:30", RUNS("2026-01-01 09:10:05"));
    check_utc_runs("10-20 30-40 9-11 * * *", "2026-01-01 09:40:20",
                   RUNS("2026-01-01 10:30:10", "2026-01-01 10:30:11"));
    check_utc_runs("10-20 30-40 9-11 * * *", "2026-01-01 11:40:20", RUNS("2026-01-02 09:30:10"));
    check_utc_runs("10,20 30,40 9,11 2-3 2,4 *", "2026-02-03 11:40:20",
                   RUNS("2026-04-02 09:30:10", "2026-04-02 09:30:20"));
    check_utc_runs("59 59 23 31 12 *", "2026-12-31 23:59:59", RUNS("2027-12-31 23:59:59"));
    /* a field that does not match, with larger ones below */
    check_utc_runs("0 0 9 * * *", "2026-01-01 08:59:59", RUNS("2026-01-01 09:00"));
    check_utc_runs("0 0 9 1 * *", "2026-01-31 23:59:59", RUNS("2026-02-01 09:00"));
    check_utc_runs("0 0 0 1 3 *", "2026-02-28 23:59:59", RUNS("2026-03-01 00:00"));
}

static void leap_days(void)
{
    check_utc_runs("0 0 0 29 2 *", "2026-01-01", RUNS("2028-02-29", "2032-02-29"));
    check_utc_runs("0 0 0 29 2 *", "2096-02-29", RUNS("2104-02-29"));
    check_utc_runs("0 0 0 29 2 *", "1996-03-01", RUNS("2000-02-29", "2004-02-29"));
    check_utc_runs("0 0 0 29 2 THU", "2026-01-01", RUNS("2052-02-29", "2080-02-29", "2120-02-29"));
    check_utc_runs("0 0 0 L 2 *", "2027-01-01", RUNS("2027-02-28", "2028-02-29", "2029-02-28"));
    check_utc_runs("0 0 0 31 * *", "2026-01-31",
                   RUNS("2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31"));
}

static void last_days(void)
{
    check_utc_runs("0 0 0 L * *", "2026-01-01", RUNS("2026-01-31", "2026-02-28", "2026-03-31"));
    check_utc_runs("0 0 0 L-3 * *", "2028-01-30", RUNS("2028-02-26", "2028-03-28"));
    check_utc_runs("0 0 0 L-30 * *", "2026-01-02", RUNS("2026-03-01", "2026-05-01"));
    check_utc_runs("0 0 0 L-28 2 *", "2026-01-02", RUNS("2028-02-01"));
    check_utc_runs("0 0 0 1,L * *", "2026-01-31", RUNS("2026-02-01", "2026-02-28", "2026-03-01"));
    /* 2026: 31 January is a Saturday, 31 May a Sunday, 31 March a Tuesday */
    check_utc_runs("0 0 0 LW * *", "2026-01-01",
                   RUNS("2026-01-30", "2026-02-27", "2026-03-31", "2026-04-30", "2026-05-29"));
}

static void nearest_weekdays(void)
{
    /* 2026: the 15th is a Thursday in January, a Sunday in February and March, a Wednesday in
       April, a Friday in May; in August a Saturday */
    check_utc_runs("0 0 0 15W * *", "2026-01-01",
                   RUNS("2026-01-15", "2026-02-16", "2026-03-16", "2026-04-15", "2026-05-15"));
    check_utc_runs("0 0 0 15W 8 *", "2026-01-01", RUNS("2026-08-14"));
    /* 1 August 2026 is a Saturday, 1 February and 1 March are Sundays */
    check_utc_runs("0 0 0 1W * *", "2026-01-02",
                   RUNS("2026-02-02", "2026-03-02", "2026-04-01", "2026-05-01", "2026-06-01",
                        "2026-07-01", "2026-08-03"));
    /* 31 January 2026 is a Saturday, 31 May a Sunday; April has no 31st */
    check_utc_runs("0 0 0 31W * *", "2026-01-01",
                   RUNS("2026-01-30", "2026-03-31", "2026-05-29", "2026-07-31", "2026-08-31"));
    check_utc_runs("0 0 0 30W 2,5 *", "2026-01-01", RUNS("2026-05-29", "2027-05-31"));
    check_utc_runs("0 0 0 29W 2 *", "2026-01-01", RUNS("2028-02-29", "2032-02-27"));
    check_utc_runs("0 0 0 2W,3 8 *", "2026-01-01", RUNS("2026-08-03", "2027-08-02"));
}

static void weekdays_of_the_month(void)
{
    check_utc_runs("0 0 12 ? * FRI#3", "2026-01-01", RUNS("2026-01-16 12:00", "2026-02-20 12:00"));
    check_utc_runs("0 0 0 ? * 5L", "2026-01-01", RUNS("2026-01-30", "2026-02-27", "2026-03-27"));
    check_utc_runs("0 0 0 ? * MON#5", "2026-01-01", RUNS("2026-03-30", "2026-06-29"));
    check_utc_runs("0 0 0 ? * 0#1,MON#1", "2026-01-01",
                   RUNS("2026-01-04", "2026-01-05", "2026-02-01", "2026-02-02"));
    check_utc_runs("0 0 0 ? * WED#2,SATL", "2026-01-01",
                   RUNS("2026-01-14", "2026-01-31", "2026-02-11", "2026-02-28"));
    check_utc_runs("0 0 0 ? 2 SUN#5", "2026-01-01", RUNS("2032-02-29", "2060-02-29"));
}

static void day_and_weekday_must_both_match(void)
{
    check_utc_runs("0 0 0 13 * FRI", "2026-01-01", RUNS("2026-02-13", "2026-03-13", "2026-11-13"));
    check_utc_runs("0 0 0 1-7 * MON", "2026-01-01", RUNS("2026-01-05", "2026-02-02"));
    check_utc_runs("0 0 0 L * SAT", "2026-01-01", RUNS("2026-01-31", "2026-02-28", "2026-10-31"));
    check_utc_runs("0 0 0 13 * ?", "2026-01-01", RUNS("2026-01-13", "2026-02-13"));
    check_utc_runs("0 0 0 ? * FRI", "2026-01-01", RUNS("2026-01-02", "2026-01-09"));
    check_utc_runs("0 30 9 * * MON-FRI", "2026-01-02",
                   RUNS("2026-01-02 09:30", "2026-01-05 09:30", "2026-01-06 09:30"));
    check_utc_runs("0 0 0 * * 5-7", "2026-01-01",
                   RUNS("2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09"));
}

static void months_and_years(void)
{
    check_utc_runs("0 0 0 1 1,7 *", "2026-02-01", RUNS("2026-07-01", "2027-01-01"));
    check_utc_runs("@yearly", "2026-02-01", RUNS("2027-01-01", "2028-01-01"));
    check_utc_runs("@monthly", "2026-11-15", RUNS("2026-12-01", "2027-01-01"));
    check_utc_runs("@weekly", "2026-01-01", RUNS("2026-01-04", "2026-01-11"));
    check_utc_runs("@daily", "2026-02-28", RUNS("2026-03-01", "2026-03-02"));
    check_utc_runs("0 0 12 * DEC-DEC MON", "2026-01-01", RUNS("2026-12-07 12:00"));
    check_utc_runs("0 0 0 1 1 *", "1899-06-01", RUNS("1900-01-01", "1901-01-01"));
    check_utc_runs("0 0 0 29 2 *", "1898-06-01", RUNS("1904-02-29"));
}

static void a_match_is_later_than_what_is_asked_for(void)
{
    gp_cron *cron = cron_in_utc("*/10 * * * * *");
    int64_t time = utc("2026-01-01 00:00:10");
    check(gp_cron_next(cron, time) == time + GP_SECONDS(10));
    check(gp_cron_next(cron, time - 1) == time);
    check(gp_cron_next(cron, time + 1) == time + GP_SECONDS(10));
    check(gp_cron_next(cron, time - GP_SECONDS(1)) == time);
    check(gp_cron_prev(cron, time) == time - GP_SECONDS(10));
    check(gp_cron_prev(cron, time + 1) == time);
    check(gp_cron_prev(cron, time - 1) == time - GP_SECONDS(10));
    check(gp_cron_prev(cron, time + GP_SECONDS(1)) == time);
    check(gp_cron_next(cron, -1) == 0);
    check(gp_cron_next(cron, -GP_SECONDS(10) - 1) == -GP_SECONDS(10));
    check(gp_cron_prev(cron, 0) == -GP_SECONDS(10));
    check(gp_cron_prev(cron, 1) == 0);
    gp_cron_release(cron);
}

static void the_second_of_a_time_matches_or_not(void)
{
    gp_cron *cron = cron_in_utc("5 30 9 * * MON-FRI");
    int64_t time = utc("2026-01-02 09:30:05");
    check(gp_cron_matches(cron, time));
    check(gp_cron_matches(cron, time + 999999999));
    check(!gp_cron_matches(cron, time - 1));
    check(!gp_cron_matches(cron, time + GP_SECONDS(1)));
    check(!gp_cron_matches(cron, utc("2026-01-03 09:30:05")));
    check(!gp_cron_matches(cron, utc("2026-01-02 09:31:05")));
    check(!gp_cron_matches(cron, utc("2026-01-02 10:30:05")));
    gp_cron_release(cron);
    cron = cron_in_utc("* * * * 2 *");
    check(gp_cron_matches(cron, utc("2026-02-01")));
    check(!gp_cron_matches(cron, utc("2026-03-01")));
    check(gp_cron_matches(cron, utc("1969-02-28 23:59:59")));
    gp_cron_release(cron);
}

/* The range of int64_t, from 1677-09-21 00:12:43.145... to 2262-04-11 23:47:16.854... */
static void at_the_ends_of_time(void)
{
    const int64_t first = INT64_C(-9223372036000000000);
    const int64_t last = INT64_C(9223372036000000000);
    gp_cron *cron = cron_in_utc("* * * * * *");
    check(gp_cron_next(cron, INT64_MIN) == first);
    check(gp_cron_next(cron, first - 1) == first);
    check(gp_cron_prev(cron, first) == INT64_MIN);
    check(gp_cron_prev(cron, first + 1) == first);
    check(gp_cron_prev(cron, INT64_MIN) == INT64_MIN);
    check(gp_cron_prev(cron, INT64_MIN + 1) == INT64_MIN);
    check(gp_cron_prev(cron, INT64_MAX) == last);
    check(gp_cron_prev(cron, last) == last - GP_SECONDS(1));
    check(gp_cron_next(cron, last - 1) == last);
    check(gp_cron_next(cron, last) == GP_NEVER);
    check(gp_cron_next(cron, INT64_MAX) == GP_NEVER);
    check(!gp_cron_matches(cron, INT64_MIN));
    check(gp_cron_matches(cron, first));
    check(gp_cron_matches(cron, INT64_MAX));
    gp_cron_release(cron);
    check_utc_runs("0 0 0 1 1 *", "2261-01-01 12:00", RUNS("2262-01-01", "never"));
    check_utc_runs("0 0 0 29 2 *", "2257-01-01", RUNS("2260-02-29", "never"));
    cron = cron_in_utc("0 0 0 29 2 *");
    check_time(gp_cron_next(cron, INT64_MIN), "1680-02-29", "the first");
    check(gp_cron_prev(cron, utc("1680-02-29")) == INT64_MIN);
    gp_cron_release(cron);
}

static const struct test tests[] = {
    TEST(seconds_minutes_and_hours),
    TEST(a_carry_resets_all_that_is_below),
    TEST(leap_days),
    TEST(last_days),
    TEST(nearest_weekdays),
    TEST(weekdays_of_the_month),
    TEST(day_and_weekday_must_both_match),
    TEST(months_and_years),
    TEST(a_match_is_later_than_what_is_asked_for),
    TEST(the_second_of_a_time_matches_or_not),
    TEST(at_the_ends_of_time),
    END_OF_TESTS,
};

const struct suite cron_next_suite = {.name = "cron_next", .tests = tests};
