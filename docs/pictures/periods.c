/*
 * When are the clocks changed, and what does a cron expression make of it? Asked of the library:
 * what docs/pictures/draw makes drawings of periods from.
 *
 *     periods RULE YEAR EXPRESSION...
 *
 * RULE is a zone as POSIX writes it. For each change in that year, in UTC:
 *
 *     change M B A             M minutes after midnight; local time is B minutes ahead, then A
 *     match I M                the I-th expression, M minutes after the hour before has begun
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/cron.h>
#include <glasspool/status.h>
#include <glasspool/zone.h>

#include "zone/civil.h"

#define MINUTE GP_SECONDS(60)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

static int64_t beginning_of(int year)
{
    return gp__days_of(year, 1, 1) * DAY;
}

/* In the hour before the change, and in the hour after it. */
static int print_matches(gp_zone *zone, int64_t change, int number, const char *expression)
{
    gp_cron *cron;
    int status = gp_cron_parse_in(expression, zone, 0, &cron, NULL);
    if (status != GP_OK)
        return status;
    int64_t from = change - HOUR;
    for (int64_t time = gp_cron_next(cron, from - 1); time < change + HOUR;
         time = gp_cron_next(cron, time))
        printf("match %d %" PRId64 "\n", number, (time - from) / MINUTE);
    gp_cron_release(cron);
    return GP_OK;
}

int main(int argc, char **argv)
{
    gp_zone *zone;
    if (argc < 3 || gp_zone_of_rule(argv[1], &zone) != GP_OK)
        return 2;
    int year = atoi(argv[2]);
    int status = GP_OK;
    gp_zone_period before = gp_zone_period_at(zone, beginning_of(year));
    while (before.end < beginning_of(year + 1) && status == GP_OK) {
        int64_t change = before.end;
        gp_zone_period after = gp_zone_period_at(zone, change);
        printf("change %" PRId64 " %d %d\n", change % DAY / MINUTE, (int)before.offset / 60,
               (int)after.offset / 60);
        for (int i = 3; i < argc && status == GP_OK; i++)
            status = print_matches(zone, change, i - 3, argv[i]);
        before = after;
    }
    gp_zone_release(zone);
    return status == GP_OK ? 0 : 1;
}
