/*
 * Cron expressions where clocks are put forward and back.
 *
 * Each row is run in the zone as the system has it, and in one of our own with the same changes, so
 * that it is tested wherever this runs. The moments of the changes, with the laws and newspapers
 * behind them, are in the files of the IANA time zone database (europe, northamerica, ...), which
 * the comments name; zdump shows them: `zdump -v -c 2026,2027 Europe/Berlin`.
 */
#include <string.h>

#include <glasspool/clock.h>

#include "cron_support.h"
#include "suite.h"

#define TWICE GP_CRON_OVERLAP_TWICE

struct row {
    const char *zone;
    const char *rule;             /* the same as a rule; or, if NULL: */
    int32_t offset;               /* the same as changes, with that before the first */
    const struct change *changes; /* these */
    const char *expression;
    unsigned flags;
    const char *after;
    const char *runs[MOST_RUNS];
};

static void run_row(const struct row *row, gp_zone *zone)
{
    gp_cron *cron = cron_of(row->expression, zone, row->flags);
    check_runs(cron, row->after, row->runs);
    gp_cron_release(cron);
    gp_zone_release(zone);
}

static void run_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        run_row(row, row->rule != NULL ? zone_of_rule(row->rule)
                                       : zone_of_changes(row->offset, row->changes));
        gp_zone *zone = zone_of_system(row->zone);
        if (zone != NULL)
            run_row(row, zone);
    }
}

#define RUN(rows) run_rows(rows, sizeof(rows) / sizeof *(rows))

/* europe, "Rule EU": the last Sundays of March and October, 01:00 UTC. 2026: 29 March, 25 October.
   Directive 2000/84/EC. */
#define BERLIN "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", 0, NULL

static void berlin_has_a_gap_and_an_overlap_at_night(void)
{
    static const struct row rows[] = {
        /* 02:30 does not exist on the 29th: no run, neither early nor late */
        {BERLIN,
         "0 30 2 * * *",
         0,
         "2026-03-28 00:00",
         {"2026-03-28 01:30", "2026-03-30 00:30", "2026-03-31 00:30"}},
        /* the first moment after the gap is 03:00 */
        {BERLIN, "0 0 3 * * *", 0, "2026-03-28 12:00", {"2026-03-29 01:00", "2026-03-30 01:00"}},
        {BERLIN,
         "0 0 2,3 * * *",
         0,
         "2026-03-28 12:00",
         {"2026-03-29 01:00", "2026-03-30 00:00", "2026-03-30 01:00"}},
        /* through the hours: 00, 01, 03, 04 of local time are an hour apart */
        {BERLIN,
         "0 0 * * * *",
         0,
         "2026-03-28 22:30",
         {"2026-03-28 23:00", "2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29 02:00"}},
        {BERLIN,
         "0 0 */2 * * *",
         0,
         "2026-03-28 22:30",
         {"2026-03-28 23:00", "2026-03-29 02:00", "2026-03-29 04:00"}},
        {BERLIN,
         "0 */30 * * * *",
         0,
         "2026-03-29 00:00",
         {"2026-03-29 00:30", "2026-03-29 01:00", "2026-03-29 01:30"}},
        /* 02:30 comes twice on 25 October: at 00:30 and 01:30 UTC */
        {BERLIN, "0 30 2 * * *", 0, "2026-10-24 12:00", {"2026-10-25 00:30", "2026-10-26 01:30"}},
        {BERLIN,
         "0 30 2 * * *",
         TWICE,
         "2026-10-24 12:00",
         {"2026-10-25 00:30", "2026-10-25 01:30", "2026-10-26 01:30"}},
        {BERLIN,
         "0 30 * * * *",
         0,
         "2026-10-24 23:00",
         {"2026-10-24 23:30", "2026-10-25 00:30", "2026-10-25 01:30", "2026-10-25 02:30"}},
        {BERLIN,
         "0 0 2/2 * * *",
         0,
         "2026-10-24 23:00",
         {"2026-10-25 00:00", "2026-10-25 01:00", "2026-10-25 03:00"}},
        /* named hours, also as a range, run once; the one after the overlap is in time */
        {BERLIN,
         "0 0 1-4 * * *",
         0,
         "2026-10-24 22:30",
         {"2026-10-24 23:00", "2026-10-25 00:00", "2026-10-25 02:00", "2026-10-25 03:00"}},
        {BERLIN,
         "0 0,59 2,3 * * *",
         0,
         "2026-10-24 22:30",
         {"2026-10-25 00:00", "2026-10-25 00:59", "2026-10-25 02:00", "2026-10-25 02:59"}},
        /* asked for from within the second hour */
        {BERLIN, "0 30 2 * * *", 0, "2026-10-25 01:10", {"2026-10-26 01:30"}},
        {BERLIN,
         "0 30 2 * * *",
         TWICE,
         "2026-10-25 01:10",
         {"2026-10-25 01:30", "2026-10-26 01:30"}},
        {BERLIN,
         "30 59 2 * * *",
         0,
         "2026-10-25 00:59:29",
         {"2026-10-25 00:59:30", "2026-10-26 01:59:30"}},
    };
    RUN(rows);
}

/* northamerica, "Rule US": the second Sunday of March and the first of November, 02:00 local time.
   2026: 8 March, 1 November. Energy Policy Act of 2005. */
#define NEW_YORK "America/New_York", "EST5EDT,M3.2.0,M11.1.0", 0, NULL

static void new_york(void)
{
    static const struct row rows[] = {
        {NEW_YORK, "0 15 2 * * *", 0, "2026-03-07 12:00", {"2026-03-09 06:15"}},
        {NEW_YORK, "0 30 1 * * *", 0, "2026-10-31 12:00", {"2026-11-01 05:30", "2026-11-02 06:30"}},
        {NEW_YORK,
         "0 30 1 * * *",
         TWICE,
         "2026-10-31 12:00",
         {"2026-11-01 05:30", "2026-11-01 06:30", "2026-11-02 06:30"}},
        {NEW_YORK,
         "0 30 9 * * MON-FRI",
         0,
         "2026-03-06 12:00",
         {"2026-03-06 14:30", "2026-03-09 13:30", "2026-03-10 13:30"}},
    };
    RUN(rows);
}

/* australasia, "Rule LH": half an hour, at 02:00 local time on the first Sundays of October and
   April. 2026: 5 April, 4 October. */
#define LORD_HOWE "Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 0, NULL

static void lord_howe_goes_by_half_an_hour(void)
{
    static const struct row rows[] = {
        /* 02:00 to 02:30 is left out, 02:30 is not */
        {LORD_HOWE,
         "0 15 2 * * *",
         0,
         "2026-10-03 00:00",
         {"2026-10-04 15:15", "2026-10-05 15:15"}},
        {LORD_HOWE,
         "0 30 2 * * *",
         0,
         "2026-10-03 00:00",
         {"2026-10-03 15:30", "2026-10-04 15:30"}},
        {LORD_HOWE,
         "0 0 * * * *",
         0,
         "2026-10-03 14:00",
         {"2026-10-03 14:30", "2026-10-03 16:00", "2026-10-03 17:00"}},
        /* 01:30 to 02:00 comes twice, 01:00 to 01:30 does not */
        {LORD_HOWE,
         "0 45 1 * * *",
         0,
         "2026-04-04 00:00",
         {"2026-04-04 14:45", "2026-04-05 15:15"}},
        {LORD_HOWE,
         "0 45 1 * * *",
         TWICE,
         "2026-04-04 00:00",
         {"2026-04-04 14:45", "2026-04-04 15:15", "2026-04-05 15:15"}},
        {LORD_HOWE,
         "0 15 1 * * *",
         TWICE,
         "2026-04-04 00:00",
         {"2026-04-04 14:15", "2026-04-05 14:45"}},
        {LORD_HOWE,
         "0 */15 * * * *",
         0,
         "2026-04-04 14:30",
         {"2026-04-04 14:45", "2026-04-04 15:00", "2026-04-04 15:15", "2026-04-04 15:30"}},
        {LORD_HOWE,
         "0 0,45 1,2 * * *",
         0,
         "2026-04-04 12:00",
         {"2026-04-04 14:00", "2026-04-04 14:45", "2026-04-04 15:30", "2026-04-04 16:15"}},
    };
    RUN(rows);
}

/* southamerica, "Rule Brazil": in 2018 from Sunday, 4 November, 00:00 (decree 9242 of 2017), back
   on 16 February 2019, 24:00: the hour before midnight again, a date with 25 hours. */
static const struct change brazil[] = {
    {"2018-02-18 02:00", -10800}, {"2018-11-04 03:00", -7200}, {"2019-02-17 02:00", -10800}, {0}};
#define SAO_PAULO "America/Sao_Paulo", NULL, -7200, brazil

static void sao_paulo_had_no_midnight(void)
{
    static const struct row rows[] = {
        {SAO_PAULO,
         "0 0 0 * * *",
         0,
         "2018-11-02 12:00",
         {"2018-11-03 03:00", "2018-11-05 02:00", "2018-11-06 02:00"}},
        {SAO_PAULO, "@daily", TWICE, "2018-11-03 12:00", {"2018-11-05 02:00"}},
        {SAO_PAULO,
         "0 0 1 * * SUN",
         0,
         "2018-11-03 12:00",
         {"2018-11-04 03:00", "2018-11-11 03:00"}},
        {SAO_PAULO, "0 0 0 4 11 *", 0, "2018-11-01 12:00", {"2019-11-04 03:00"}},
        {SAO_PAULO,
         "0 30 23 * * *",
         0,
         "2019-02-16 12:00",
         {"2019-02-17 01:30", "2019-02-18 02:30"}},
        {SAO_PAULO,
         "0 30 23 * * *",
         TWICE,
         "2019-02-16 12:00",
         {"2019-02-17 01:30", "2019-02-17 02:30", "2019-02-18 02:30"}},
        {SAO_PAULO,
         "0 30 23 16 * *",
         0,
         "2019-02-16 12:00",
         {"2019-02-17 01:30", "2019-03-17 02:30"}},
        {SAO_PAULO, "0 0 0 17 2 *", 0, "2019-02-16 12:00", {"2019-02-17 03:00"}},
    };
    RUN(rows);
}

/* asia, "Rule Lebanon": the last Sunday of March, 00:00, and the last of October, 00:00. */
#define BEIRUT "Asia/Beirut", "EET-2EEST,M3.5.0/0,M10.5.0/0", 0, NULL

static void beirut_has_no_midnight_either(void)
{
    static const struct row rows[] = {
        {BEIRUT, "0 0 0 * * *", 0, "2026-03-27 12:00", {"2026-03-27 22:00", "2026-03-29 21:00"}},
        {BEIRUT, "0 59 0 * * *", 0, "2026-03-28 12:00", {"2026-03-29 21:59"}},
        {BEIRUT, "0 0 1 * * *", 0, "2026-03-28 12:00", {"2026-03-28 22:00"}},
        /* 24 October has its last hour twice, and the 25th begins after both */
        {BEIRUT, "0 30 23 * * *", 0, "2026-10-24 12:00", {"2026-10-24 20:30", "2026-10-25 21:30"}},
        {BEIRUT,
         "0 30 23 * * *",
         TWICE,
         "2026-10-24 12:00",
         {"2026-10-24 20:30", "2026-10-24 21:30", "2026-10-25 21:30"}},
        {BEIRUT, "0 0 0 * * *", 0, "2026-10-24 12:00", {"2026-10-24 22:00", "2026-10-25 22:00"}},
        {BEIRUT, "0 0 0 L 10 *", 0, "2026-10-24 12:00", {"2026-10-30 22:00"}},
    };
    RUN(rows);
}

/* africa, "Rule Morocco": an hour less during Ramadan, which the table marks as daylight saving
   time. 2026: 15 February, 03:00, to 22 March, 02:00. Decree 2.18.855 of 2018. */
static const struct change morocco[] = {{"2026-02-15 02:00", 0}, {"2026-03-22 02:00", 3600}, {0}};
#define CASABLANCA "Africa/Casablanca", NULL, 3600, morocco

static void casablanca_puts_clocks_back_for_ramadan(void)
{
    static const struct row rows[] = {
        {CASABLANCA,
         "0 30 2 * * *",
         0,
         "2026-02-14 12:00",
         {"2026-02-15 01:30", "2026-02-16 02:30"}},
        {CASABLANCA,
         "0 30 2 * * *",
         TWICE,
         "2026-02-14 12:00",
         {"2026-02-15 01:30", "2026-02-15 02:30", "2026-02-16 02:30"}},
        {CASABLANCA, "0 30 2 * * *", 0, "2026-03-21 12:00", {"2026-03-23 01:30"}},
    };
    RUN(rows);
}

/* australasia: Samoa went over the date line after 29 December 2011; the 30th, a Friday, was left
   out (International Date Line Act 2011). Kwajalein left out 21 August 1993, a Saturday; and had
   gone the other way on 30 September 1969, of which 23 hours came twice. */
static const struct change samoa[] = {{"2011-09-24 14:00", -36000},
                                      {"2011-12-30 10:00", 50400},
                                      {"2012-03-31 14:00", 46800},
                                      {"2012-09-29 14:00", 50400},
                                      {0}};
static const struct change kwajalein[] = {
    {"1969-09-30 13:00", -43200}, {"1993-08-21 12:00", 43200}, {0}};
#define APIA      "Pacific/Apia", NULL, -39600, samoa
#define KWAJALEIN "Pacific/Kwajalein", NULL, 39600, kwajalein

static void days_are_left_out_and_come_twice(void)
{
    static const struct row rows[] = {
        {APIA,
         "0 0 12 * * *",
         0,
         "2011-12-29 00:00",
         {"2011-12-29 22:00", "2011-12-30 22:00", "2011-12-31 22:00"}},
        {APIA, "0 0 12 30 12 *", 0, "2011-01-01", {"2012-12-29 22:00"}},
        {APIA, "0 0 12 ? * FRI", 0, "2011-12-24 12:00", {"2012-01-05 22:00"}},
        {APIA, "0 0 0 31 12 ?", 0, "2011-12-01", {"2011-12-30 10:00", "2012-12-30 10:00"}},
        {APIA,
         "59 59 23 * * *",
         0,
         "2011-12-29 12:00",
         {"2011-12-30 09:59:59", "2011-12-31 09:59:59"}},
        {KWAJALEIN,
         "0 0 12 * * *",
         0,
         "1993-08-20 00:00:01",
         {"1993-08-21 00:00", "1993-08-22 00:00", "1993-08-23 00:00"}},
        {KWAJALEIN, "0 0 12 21 8 *", 0, "1993-08-01", {"1994-08-21 00:00"}},
        {KWAJALEIN,
         "0 0 12 * * *",
         0,
         "1969-09-29 12:00",
         {"1969-09-30 01:00", "1969-10-02 00:00"}},
        {KWAJALEIN,
         "0 0 12 * * *",
         TWICE,
         "1969-09-29 12:00",
         {"1969-09-30 01:00", "1969-10-01 00:00", "1969-10-02 00:00"}},
        {KWAJALEIN,
         "0 30 0 * * *",
         TWICE,
         "1969-09-29 12:00",
         {"1969-09-29 13:30", "1969-10-01 12:30"}},
    };
    RUN(rows);
}

/* asia, "Rule Iran": at midnight of the Persian year's first days, abolished in 2022. */
static const struct change iran[] = {{"2021-03-21 20:30", 16200},
                                     {"2021-09-21 19:30", 12600},
                                     {"2022-03-21 20:30", 16200},
                                     {"2022-09-21 19:30", 12600},
                                     {0}};
#define TEHRAN "Asia/Tehran", NULL, 12600, iran

static void tehran_is_half_an_hour_off(void)
{
    static const struct row rows[] = {
        {TEHRAN, "0 0 0 * * *", 0, "2022-03-20 12:00", {"2022-03-20 20:30", "2022-03-22 19:30"}},
        {TEHRAN, "0 15 23 * * *", 0, "2022-09-21 00:00", {"2022-09-21 18:45", "2022-09-22 19:45"}},
        {TEHRAN,
         "0 15 23 * * *",
         TWICE,
         "2022-09-21 00:00",
         {"2022-09-21 18:45", "2022-09-21 19:45", "2022-09-22 19:45"}},
        {TEHRAN, "0 0 * * * *", 0, "2026-01-01 00:00", {"2026-01-01 00:30", "2026-01-01 01:30"}},
    };
    RUN(rows);
}

/* europe: Ireland's standard time is summer's (Standard Time Act 1968), winter's is an hour less
   and marked as daylight saving time. */
#define DUBLIN "Europe/Dublin", "IST-1GMT0,M10.5.0,M3.5.0/1", 0, NULL

static void dublin_saves_daylight_in_winter(void)
{
    static const struct row rows[] = {
        {DUBLIN, "0 30 1 * * *", 0, "2026-03-28 12:00", {"2026-03-30 00:30"}},
        {DUBLIN, "0 30 1 * * *", 0, "2026-10-24 12:00", {"2026-10-25 00:30", "2026-10-26 01:30"}},
        {DUBLIN,
         "0 30 1 * * *",
         TWICE,
         "2026-10-24 12:00",
         {"2026-10-25 00:30", "2026-10-25 01:30", "2026-10-26 01:30"}},
    };
    RUN(rows);
}

/* antarctica: Troll changes by two hours. southamerica: Venezuela by half an hour, for nine years
   (Gaceta Oficial 38.819 and 40.883). asia: Nepal is at 05:45. */
#define TROLL "Antarctica/Troll", "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", 0, NULL
static const struct change venezuela[] = {
    {"2007-12-09 07:00", -16200}, {"2016-05-01 07:00", -14400}, {0}};
#define CARACAS   "America/Caracas", NULL, -14400, venezuela
#define KATHMANDU "Asia/Kathmandu", "<+0545>-5:45", 0, NULL

static void two_hours_half_an_hour_and_three_quarters(void)
{
    static const struct row rows[] = {
        {TROLL,
         "0 30 1,2,3 * * *",
         0,
         "2026-03-28 23:00",
         {"2026-03-29 01:30", "2026-03-29 23:30"}},
        {TROLL,
         "0 30 1,2,3 * * *",
         0,
         "2026-10-24 23:00",
         {"2026-10-24 23:30", "2026-10-25 00:30", "2026-10-25 03:30", "2026-10-26 01:30"}},
        {TROLL,
         "0 30 1,2 * * *",
         TWICE,
         "2026-10-24 23:00",
         {"2026-10-24 23:30", "2026-10-25 00:30", "2026-10-25 01:30", "2026-10-25 02:30"}},
        {CARACAS, "0 45 2 * * *", 0, "2007-12-08 12:00", {"2007-12-09 06:45", "2007-12-10 07:15"}},
        {CARACAS, "0 45 2 * * *", 0, "2016-04-30 12:00", {"2016-05-02 06:45"}},
        {CARACAS, "0 15 2 * * *", 0, "2016-04-30 12:00", {"2016-05-01 06:45", "2016-05-02 06:15"}},
        {KATHMANDU, "0 0 9 * * *", 0, "2026-01-01", {"2026-01-01 03:15", "2026-01-02 03:15"}},
    };
    RUN(rows);
}

/* What no zone has had, but a table might say. */

static void run_changes(int32_t offset, const struct change *changes, const char *expression,
                        unsigned flags, const char *after, const char *const runs[MOST_RUNS])
{
    gp_zone *zone = zone_of_changes(offset, changes);
    gp_cron *cron = cron_of(expression, zone, flags);
    gp_zone_release(zone);
    check_runs(cron, after, runs);
    gp_cron_release(cron);
}

static void two_changes_close_together(void)
{
    /* back by an hour at 02:00, and by another ten minutes later: 01:00 to 01:10 comes three times,
       00:10 to 01:00 and 01:10 to 02:00 twice */
    static const struct change back_twice[] = {
        {"2026-01-01 00:00", 3600}, {"2026-01-01 00:10", 0}, {0}};
    run_changes(7200, back_twice, "0 5 1 * * *", 0, "2025-12-31 12:00",
                RUNS("2025-12-31 23:05", "2026-01-02 01:05"));
    run_changes(7200, back_twice, "0 5 1 * * *", TWICE, "2025-12-31 12:00",
                RUNS("2025-12-31 23:05", "2026-01-01 00:05", "2026-01-01 01:05"));
    run_changes(7200, back_twice, "0 30 0,1,2 * * *", 0, "2025-12-31 12:00",
                RUNS("2025-12-31 22:30", "2025-12-31 23:30", "2026-01-01 02:30"));
    /* forward by an hour at 02:00, and back again twenty minutes later: 03:20 to 02:20. From 02:20
       to 03:00 it is the first time */
    static const struct change there_and_back[] = {
        {"2026-01-01 02:00", 3600}, {"2026-01-01 02:20", 0}, {0}};
    run_changes(
        0, there_and_back, "0 10,30 2,3 * * *", 0, "2026-01-01 00:00",
        RUNS("2026-01-01 02:10", "2026-01-01 02:30", "2026-01-01 03:30", "2026-01-02 02:10"));
    run_changes(
        0, there_and_back, "0 10,30 2,3 * * *", TWICE, "2026-01-01 00:00",
        RUNS("2026-01-01 02:10", "2026-01-01 02:30", "2026-01-01 03:10", "2026-01-01 03:30"));
}

static void a_change_of_the_name_alone_repeats_nothing(void)
{
    const int64_t times[] = {utc("2026-01-01 12:00") / GP_SECONDS(1)};
    const uint8_t kinds[] = {1};
    const struct tzif_type types[] = {{3600, 0, 0}, {3600, 1, 4}};
    struct tzif tzif = {'2', 1, times, kinds, 2, types, "OLD\0NEW", 8, "", 0, 0, 0};
    unsigned char data[TZIF_SIZE];
    gp_zone *zone = NULL;
    require(gp_zone_of_data("names", data, tzif_write(&tzif, data), &zone) == 0);
    gp_cron *cron = cron_of("0 0 13 * * *", zone, 0);
    check_runs(cron, "2026-01-01 00:00", RUNS("2026-01-01 12:00", "2026-01-02 12:00"));
    gp_cron_release(cron);
    gp_zone_release(zone);
}

static void a_time_that_is_always_in_a_gap_never_comes(void)
{
    gp_zone *zone = zone_of_rule("CET-1CEST,M3.5.0,M10.5.0/3");
    gp_cron *cron = cron_of("0 30 2 ? MAR SUNL", zone, 0);
    check(gp_cron_next(cron, 0) == GP_NEVER);
    check(gp_cron_prev(cron, GP_NEVER) == INT64_MIN);
    check(!gp_cron_matches(cron, utc("2026-03-29 01:30")));
    gp_cron_release(cron);
    gp_zone_release(zone);
}

static void the_repetition_of_a_time_does_not_match(void)
{
    gp_zone *zone = zone_of_rule("CET-1CEST,M3.5.0,M10.5.0/3");
    gp_cron *once = cron_of("0 30 2 * * *", zone, 0);
    gp_cron *twice = cron_of("0 30 2 * * *", zone, TWICE);
    gp_cron *through = cron_of("0 30 */2 * * *", zone, 0);
    check(gp_cron_matches(once, utc("2026-10-25 00:30")));
    check(!gp_cron_matches(once, utc("2026-10-25 01:30")));
    check(gp_cron_matches(twice, utc("2026-10-25 01:30")));
    check(gp_cron_matches(through, utc("2026-10-25 01:30")));
    gp_cron_release(once);
    gp_cron_release(twice);
    gp_cron_release(through);
    gp_zone_release(zone);
}

static void years_end_by_local_time(void)
{
    static const struct row rows[] = {
        {BERLIN, "0 0 0 1 1 *", 0, "2026-06-01", {"2026-12-31 23:00", "2027-12-31 23:00"}},
        {BERLIN,
         "59 59 23 31 12 *",
         0,
         "2026-06-01",
         {"2026-12-31 22:59:59", "2027-12-31 22:59:59"}},
        {NEW_YORK, "@yearly", 0, "2026-06-01", {"2027-01-01 05:00", "2028-01-01 05:00"}},
        {BERLIN, "0 0 12 29 2 *", 0, "2026-06-01", {"2028-02-29 11:00", "2032-02-29 11:00"}},
        {BERLIN, "0 0 12 29 2 *", 0, "2096-06-01", {"2104-02-29 11:00"}},
        /* years away, over many periods; and a leap year left out on the way */
        {BERLIN, "0 0 12 29 2 MON", 0, "2026-06-01", {"2044-02-29 11:00", "2072-02-29 11:00"}},
        {BERLIN, "0 30 2 31 3 SUN", 0, "2026-01-01", {"never"}},
    };
    RUN(rows);
}

static const struct test tests[] = {
    TEST(berlin_has_a_gap_and_an_overlap_at_night),
    TEST(new_york),
    TEST(lord_howe_goes_by_half_an_hour),
    TEST(sao_paulo_had_no_midnight),
    TEST(beirut_has_no_midnight_either),
    TEST(casablanca_puts_clocks_back_for_ramadan),
    TEST(days_are_left_out_and_come_twice),
    TEST(tehran_is_half_an_hour_off),
    TEST(dublin_saves_daylight_in_winter),
    TEST(two_hours_half_an_hour_and_three_quarters),
    TEST(two_changes_close_together),
    TEST(a_change_of_the_name_alone_repeats_nothing),
    TEST(a_time_that_is_always_in_a_gap_never_comes),
    TEST(the_repetition_of_a_time_does_not_match),
    TEST(years_end_by_local_time),
    END_OF_TESTS,
};
const struct suite cron_zone_suite = {.name = "cron_zone", .tests = tests};
