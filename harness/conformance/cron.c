/* Cron expressions: handles, zones, flags, and want of memory. */
#include <pthread.h>
#include <stdlib.h> /* setenv */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "cron_support.h"
#include "fault.h"
#include "suite.h"
#include "support.h"

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

static void a_zone_by_name(void)
{
    gp_cron *cron = NULL;
    require_ok(gp_cron_parse("0 0 12 * * *", "UTC", 0, &cron, NULL));
    check_text(gp_zone_name(gp_cron_zone(cron)), "UTC");
    check_time(gp_cron_next(cron, 0), "1970-01-01 12:00", "noon");
    gp_cron_release(cron);
}

static void without_a_name_the_local_zone(void)
{
    gp_cron *cron = NULL;
    setenv("TZ", "<-03>3", 1);
    require_ok(gp_cron_parse("0 0 12 * * *", NULL, 0, &cron, NULL));
    unsetenv("TZ");
    check_text(gp_zone_name(gp_cron_zone(cron)), "local");
    check_time(gp_cron_next(cron, 0), "1970-01-01 15:00", "noon");
    gp_cron_release(cron);
}

static void a_zone_at_hand_is_kept(void)
{
    gp_zone *zone = zone_of_rule("<+03>-3");
    gp_cron *cron = cron_of("0 0 12 * * *", zone, 0);
    check(gp_cron_zone(cron) == zone);
    gp_zone_release(zone);
    check_time(gp_cron_next(cron, 0), "1970-01-01 09:00", "noon");
    gp_cron_release(cron);
    cron = cron_of("0 0 12 * * *", NULL, 0);
    check_text(gp_zone_name(gp_cron_zone(cron)), "UTC");
    gp_cron_release(cron);
}

static void check_zone_refused(const char *zone, int status, const char *reason)
{
    gp_cron_error error = {.reason = ""};
    gp_cron *cron = NULL;
    check_status(gp_cron_parse("0 0 12 * * *", zone, 0, &cron, &error), status);
    check(cron == NULL);
    check_int(error.field, GP_CRON_ZONE);
    check_int(error.length, 0);
    check_text(error.reason, reason);
    check_status(gp_cron_parse("0 0 12 * * *", zone, 0, &cron, NULL), status);
}

static void a_zone_that_cannot_be_opened(void)
{
    check_zone_refused("No/Such_Zone", GP_ENOTFOUND, "there is no such zone");
    check_zone_refused("../etc/passwd", GP_EINVAL, "not the name of a zone");
    setenv("TZDIR", "/proc/self", 1);
    check_zone_refused("cmdline", GP_ENOTSUP, "its table cannot be used");
    unsetenv("TZDIR");
}

static void the_expression_is_looked_at_before_the_zone(void)
{
    gp_cron_error error = {.reason = ""};
    gp_cron *cron = NULL;
    check_status(gp_cron_parse("0 0 25 * * *", "No/Such_Zone", 0, &cron, &error), GP_EINVAL);
    check_int(error.field, GP_CRON_HOUR);
}

static void arguments_that_make_no_sense(void)
{
    gp_cron_error error = {.reason = ""};
    gp_cron *cron = NULL;
    check_status(gp_cron_parse("0 0 12 * * *", "UTC", 2, &cron, &error), GP_EINVAL);
    check_int(error.field, GP_CRON_EXPRESSION);
    check_text(error.reason, "there is no such flag");
    check_status(gp_cron_parse("0 0 12 * * *", "UTC", 0, NULL, &error), GP_EINVAL);
    check_text(error.reason, "there is nowhere to put it");
    check_status(gp_cron_parse("0 0 12 * * *", "UTC", 0, NULL, NULL), GP_EINVAL);
    check_status(gp_cron_parse_in("0 0 12 * * *", NULL, 0, NULL, NULL), GP_EINVAL);
    check_status(gp_cron_parse(NULL, "UTC", 0, &cron, NULL), GP_EINVAL);
    gp_zone *zone = zone_of_rule(BERLIN);
    check_status(gp_cron_parse_in("0 0 25 * * *", zone, 0, &cron, &error), GP_EINVAL);
    check_int(error.field, GP_CRON_HOUR);
    check_status(gp_cron_parse_in("0 0 25 * * *", zone, 0, &cron, NULL), GP_EINVAL);
    gp_zone_release(zone);
    check(cron == NULL);
    gp_cron_release(NULL);
}

static void each_handle_keeps_it(void)
{
    gp_cron *cron = cron_in_utc("@daily");
    check(gp_cron_retain(cron) == cron);
    gp_cron_release(cron);
    check_time(gp_cron_next(cron, 0), "1970-01-02", "midnight");
    gp_cron_release(cron);
}

static void a_dash_is_disabled(void)
{
    gp_cron *cron = cron_in_utc("-");
    check(gp_cron_is_disabled(cron));
    check(gp_cron_next(cron, 0) == GP_NEVER);
    check(gp_cron_prev(cron, 0) == INT64_MIN);
    check(!gp_cron_matches(cron, 0));
    gp_cron_release(cron);
    cron = cron_in_utc("0 0 0 30 2 *");
    check(!gp_cron_is_disabled(cron));
    gp_cron_release(cron);
}

/* Threads: one expression, and its zone, asked and released by all. */

static void walk(void *argument)
{
    gp_cron *cron = argument;
    int64_t time = utc("2026-01-01");
    int runs = 0;
    for (; time < utc("2027-01-01"); runs++)
        time = gp_cron_next(cron, time);
    if (runs != 365)
        abort();
    gp_cron_release(cron);
}

static void threads_share_an_expression(void)
{
    struct helper helpers[4];
    gp_zone *zone = zone_of_rule(BERLIN);
    gp_cron *cron = cron_of("0 30 2 * * *", zone, 0);
    gp_zone_release(zone);
    for (int i = 0; i < 4; i++)
        helper_start(&helpers[i], walk, gp_cron_retain(cron));
    gp_cron_release(cron);
    for (int i = 0; i < 4; i++)
        helper_join(&helpers[i]);
}

static void want_of_memory(void)
{
    struct fault_walk walk_faults = {.kinds = FAULT_MEMORY};
    while (fault_walk_next(&walk_faults)) {
        gp_cron_error error = {.reason = "untouched"};
        gp_cron *cron = NULL;
        int status = gp_cron_parse("0 0 12 * * *", "UTC", 0, &cron, &error);
        check_text(error.reason, "untouched");
        if (fault_walk_hit(&walk_faults)) {
            check_status(status, GP_ENOMEM);
            check(cron == NULL);
        } else {
            check_status(status, GP_OK);
            gp_cron_release(cron);
        }
    }
    check_int(walk_faults.point, 3); /* the zone, the expression, none */
}

static void want_of_memory_leaves_the_zone(void)
{
    gp_zone *zone = zone_of_rule(BERLIN);
    gp_cron *cron = NULL;
    fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
    int status = gp_cron_parse_in("@daily", zone, 0, &cron, NULL);
    check_int(fault_disarm(), 1);
    check_status(status, GP_ENOMEM);
    check_text(gp_zone_name(zone), BERLIN);
    gp_zone_release(zone);
}

/* The search ends, and soon: what would walk through each second, or each period again and again,
   would be here for minutes. */
static void rare_matches_are_found_quickly(void)
{
    gp_zone *zone = zone_of_rule(BERLIN);
    gp_cron *gap = cron_of("0 30 2 ? MAR SUNL", zone, 0);
    gp_cron *leap = cron_of("0 30 2 29 2 MON", zone, 0);
    int64_t found = 0;
    for (unsigned i = 0; i < scaled(1000); i++) {
        check(gp_cron_next(gap, GP_SECONDS(i)) == GP_NEVER);
        found = gp_cron_next(leap, GP_SECONDS(i));
    }
    check_time(found, "1988-02-29 01:30", "a Monday");
    gp_cron_release(gap);
    gp_cron_release(leap);
    gp_zone_release(zone);
}

static const struct test tests[] = {
    TEST(a_zone_by_name),
    TEST(without_a_name_the_local_zone),
    TEST(a_zone_at_hand_is_kept),
    TEST(a_zone_that_cannot_be_opened),
    TEST(the_expression_is_looked_at_before_the_zone),
    TEST(arguments_that_make_no_sense),
    TEST(each_handle_keeps_it),
    TEST(a_dash_is_disabled),
    TEST(threads_share_an_expression),
    TEST(want_of_memory),
    TEST(want_of_memory_leaves_the_zone),
    TEST(rare_matches_are_found_quickly),
    END_OF_TESTS,
};

const struct suite cron_suite = {.name = "cron", .tests = tests};
