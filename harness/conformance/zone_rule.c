/* Rules: what is understood, when it begins and ends, and what is refused. */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "zone/zone.h"

#include "fault.h"
#include "suite.h"
#include "zone_support.h"

/* In that year: from when to when it is daylight saving time. */
static void check_daylight(const char *rule, const char *within, const char *begin, const char *end)
{
    gp_zone *zone = zone_of_rule(rule);
    gp_zone_period period = gp_zone_period_at(zone, utc(within));
    check(period.daylight_saving);
    check_time(period.begin, begin, rule);
    check_time(period.end, end, rule);
    check(!gp_zone_period_at(zone, period.begin - 1).daylight_saving);
    check(!gp_zone_period_at(zone, period.end).daylight_saving);
    gp_zone_release(zone);
}

static void north_and_south(void)
{
    check_daylight("CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01", "2026-03-29 01:00",
                   "2026-10-25 01:00");
    check_daylight("EST5EDT,M3.2.0,M11.1.0", "2026-07-01", "2026-03-08 07:00", "2026-11-01 06:00");
    check_daylight("NZST-12NZDT,M9.5.0,M4.1.0/3", "2027-01-01", "2026-09-26 14:00",
                   "2027-04-03 14:00");
    check_daylight("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2027-01-01", "2026-10-03 15:30",
                   "2027-04-03 15:00");
    /* Dublin: winter */
    check_daylight("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01", "2025-10-26 01:00",
                   "2026-03-29 01:00");
}

/* Nuuk until 2023: on the Saturday before the last Sunday. Gaza: the Saturday before it, from
   Thursday on. */
static void times_of_day_from_167_hours_before_to_167_after(void)
{
    check_daylight("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2026-07-01", "2026-03-29 01:00",
                   "2026-10-25 01:00");
    check_daylight("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-07-01", "2026-03-28 00:00",
                   "2026-10-23 23:00");
    check_daylight("AAA0BBB,J100/-167:59:59,J200/167:59:59", "2026-07-01", "2026-04-03 00:00:01",
                   "2026-07-25 22:59:59");
    check_daylight("AAA0BBB,M3.1.0/24,M10.1.0/+3:30", "2026-07-01", "2026-03-02 00:00",
                   "2026-10-04 02:30");
}

static void days_of_the_year(void)
{
    /* J60 is 1 March always, 59 is 29 February in leap years */
    check_daylight("AAA0BBB,J60/0,J305/0", "2026-07-01", "2026-03-01", "2026-10-31 23:00");
    check_daylight("AAA0BBB,J60/0,J305/0", "2028-07-01", "2028-03-01", "2028-10-31 23:00");
    check_daylight("AAA0BBB,J59/0,J365/0", "2028-07-01", "2028-02-28", "2028-12-30 23:00");
    check_daylight("AAA0BBB,59/0,304/0", "2026-07-01", "2026-03-01", "2026-10-31 23:00");
    check_daylight("AAA0BBB,59/0,304/0", "2028-07-01", "2028-02-29", "2028-10-30 23:00");
    check_daylight("AAA0BBB,J79/24,J263/24", "2026-07-01", "2026-03-21", "2026-09-20 23:00");
}

static void weeks_of_the_month(void)
{
    check_daylight("AAA0BBB,M2.1.0/0,M8.4.6/1", "2026-07-01", "2026-02-01", "2026-08-22");
    check_daylight("AAA0BBB,M2.5.0/0,M8.5.6/1", "2026-07-01", "2026-02-22", "2026-08-29");
    check_daylight("AAA0BBB,M2.5.6/0,M8.5.1/1", "2026-07-01", "2026-02-28", "2026-08-31");
    check_daylight("AAA0BBB,M3.3.3/0,M12.2.4/1", "2026-07-01", "2026-03-18", "2026-12-10");
}

static void check_offsets(const char *rule, int32_t standard, int32_t daylight,
                          const char *abbreviations)
{
    gp_zone *zone = zone_of_rule(rule);
    gp_zone_period winter = gp_zone_period_at(zone, utc("2026-01-15"));
    gp_zone_period summer = gp_zone_period_at(zone, utc("2026-07-15"));
    check_within(rule);
    check_int(winter.offset, standard);
    check_int(summer.offset, daylight);
    check(strncmp(abbreviations, winter.abbreviation, strlen(winter.abbreviation)) == 0);
    check_text(summer.abbreviation, strchr(abbreviations, ' ') + 1);
    check_text(gp_zone_name(zone), rule);
    check_within(NULL);
    gp_zone_release(zone);
}

static void names_and_offsets(void)
{
    check_offsets("UTC0", 0, 0, "UTC UTC");
    check_offsets("EST5", -18000, -18000, "EST EST");
    check_offsets("<+0330>-3:30", 12600, 12600, "+0330 +0330");
    check_offsets("<-00>+0", 0, 0, "-00 -00");
    check_offsets("LMT-0:53:28", 3208, 3208, "LMT LMT");
    check_offsets("AAA24:59:59", -89999, -89999, "AAA AAA");
    check_offsets("AAA-24:59:59BBB,M3.1.0,M10.1.0", 89999, 93599, "AAA BBB");
    check_offsets("CET-1CEST,M3.1.0,M10.1.0", 3600, 7200, "CET CEST");
    check_offsets("AAA-1<+05>-5:30,M3.1.0,M10.1.0", 3600, 19800, "AAA +05");
    check_offsets("abcdefghijklmno3", -10800, -10800, "abcdefghijklmno abcdefghijklmno");
}

/* [RULE-1] */
static void all_the_year(void)
{
    static const char *const rules[] = {
        "XXX3EDT4,0/0,J365/23", /* the RFC's: ends when the next begins */
        "AAA0BBB,0/0,J365/25",  /* the same, an hour ahead */
        "AAA0BBB,0/0,J365/48",  /* overlaps */
        "AAA0BBB,J1/-24,J365/49",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        gp_zone *zone = zone_of_rule(rules[i]);
        gp_zone_period period = gp_zone_period_at(zone, 0);
        check_within(rules[i]);
        check(period.begin == INT64_MIN);
        check(period.end == INT64_MAX);
        check(period.daylight_saving);
        check_within(NULL);
        gp_zone_release(zone);
    }
}

static void almost_all_the_year_and_almost_never(void)
{
    /* a day is left in leap years alone */
    check_daylight("AAA0BBB,0/0,364/25", "2027-06-01", "2025-01-01", "2028-12-30 24:00");
    check_daylight("AAA0BBB-2,J100/0,J100/3", "2026-04-10 00:30", "2026-04-10", "2026-04-10 01:00");
    /* the end comes before the beginning in some years and after it in others, which then adds
       nothing to the stretch before */
    check_daylight("AAA0BBB,M3.5.0/0,J87/0", "2027-07-01", "2027-03-28", "2028-03-27 23:00");
    gp_zone *zone = zone_of_rule("AAA0BBB,J100/0,J100/1"); /* ends as it begins */
    check(gp_zone_period_at(zone, 0).end == INT64_MAX);
    check(!gp_zone_period_at(zone, 0).daylight_saving);
    gp_zone_release(zone);
    zone = zone_of_rule("AAA0BBB,365/167,0/-167"); /* ends before it begins, each year */
    check(gp_zone_period_at(zone, 0).end == INT64_MAX);
    gp_zone_release(zone);
}

static void to_the_ends_of_time(void)
{
    gp_zone *zone = zone_of_rule("CET-1CEST,M3.5.0,M10.5.0/3");
    gp_zone_period first = gp_zone_period_at(zone, INT64_MIN);
    gp_zone_period last = gp_zone_period_at(zone, INT64_MAX);
    check_text(first.abbreviation, "CEST"); /* 21 September 1677 */
    check_time(first.end, "1677-10-31 01:00", "the first");
    check_text(last.abbreviation, "CEST"); /* 11 April 2262 */
    check_time(last.begin, "2262-03-30 01:00", "the last");
    gp_zone_release(zone);
    zone = zone_of_rule("AAA3BBB,M10.1.0,M2.3.0"); /* south */
    check(!gp_zone_period_at(zone, INT64_MIN).daylight_saving);
    check(!gp_zone_period_at(zone, INT64_MAX).daylight_saving);
    gp_zone_release(zone);
}

static void what_is_no_rule_is_refused(void)
{
    static const char *const rules[] = {
        "",
        "A",
        "AA0",
        "AB{0",
        "AB[0",
        "AB`0",
        "AB@0",
        "UTC",
        "5",
        "<+3>-3",
        "<+03-3",
        "<>-3",
        "<+0 3>-3",
        "UTC 0",
        "UTC0 ",
        "UTC25",
        "UTC0:60",
        "UTC0:0:60",
        "UTC0:",
        "UTC+-1",
        "UTC--1",
        "UTC0001",
        "UTC00001",
        "EST5EDT4J1,J2",
        "EST5EDT4M3.2.0,M11.1.0",
        "EST5EDT",
        "EST5EDT,",
        "EST5EDT,M3.2.0",
        "EST5EDT,M3.2.0,",
        "EST5EDT4,M3.2.0",
        "EST5EDT,M3.2.0,M11.1.0,",
        "EST5EDT,M3.2.0,M11.1.0 ",
        "EST5EDTM3.2.0,M11.1.0",
        "EST5ED,M3.2.0,M11.1.0",
        "EST5EDT25,M3.2.0,M11.1.0",
        "EST5EDT,M0.2.0,M11.1.0",
        "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,M3.0.0,M11.1.0",
        "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0",
        "EST5EDT,M3.2,M11.1.0",
        "EST5EDT,M3,M11.1.0",
        "EST5EDT,M3.2.0/,M11.1.0",
        "EST5EDT,M3.2.0/168,M11.1.0",
        "EST5EDT,M3.2.0/-168,M11.1.0",
        "EST5EDT,J0,J1",
        "EST5EDT,J366,J1",
        "EST5EDT,366,1",
        "EST5EDT,-1,1",
        "EST5EDT,0001,1",
        "EST5EDT,M3.2.0,J",
        "abcdefghijklmnop3",
        "<abcdefghijklmnop>3",
        "AAA3<BB>,0,1",
        ":UTC0",
        "U\xc3\xa9T0",
    };
    gp_zone *zone = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        check_within(rules[i]);
        check_status(gp_zone_of_rule(rules[i], &zone), GP_EINVAL);
        check(zone == NULL);
    }
    check_within(NULL);
    check_status(gp_zone_of_rule(NULL, &zone), GP_EINVAL);
    check_status(gp_zone_of_rule("UTC0", NULL), GP_EINVAL);
}

/* [RULE-2]: cut at any length it is a rule or not, and nothing behind it is read. */
static void nothing_is_read_beyond_the_length(void)
{
    const char *rule = "<+1030>-10:30<+11>-11:00:00,M10.1.0/-2:30,J100/3";
    struct gp__rule read;
    int accepted = 0;
    for (size_t length = 0; length <= strlen(rule); length++) {
        char copy[64];
        memcpy(copy, rule, length);
        memset(copy + length, '1', sizeof copy - length);
        accepted += gp__rule_read(copy, length, &read);
    }
    /* -1, -10, -10:3, -10:30; J1, J10, J100; J100/3; and M10.1.0/-2:30,J100/ is none */
    check_int(accepted, 8);
}

static void want_of_memory(void)
{
    gp_zone *zone = NULL;
    fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
    int status = gp_zone_of_rule("UTC0", &zone);
    check_int(fault_disarm(), 1);
    check_status(status, GP_ENOMEM);
    check(zone == NULL);
}

static const struct test tests[] = {
    TEST(north_and_south),
    TEST(times_of_day_from_167_hours_before_to_167_after),
    TEST(days_of_the_year),
    TEST(weeks_of_the_month),
    TEST(names_and_offsets),
    TEST(all_the_year),
    TEST(almost_all_the_year_and_almost_never),
    TEST(to_the_ends_of_time),
    TEST(what_is_no_rule_is_refused),
    TEST(nothing_is_read_beyond_the_length),
    TEST(want_of_memory),
    END_OF_TESTS,
};

const struct suite zone_rule_suite = {.name = "zone_rule", .tests = tests};
