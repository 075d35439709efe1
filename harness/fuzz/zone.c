/*
 * Zones: from the bytes of a file, and from a rule. What can be read must answer at any time, its
 * periods must adjoin, and a search for a cron expression must end in it.
 */
#include <glasspool/zone.h>

#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "harness/fuzz/targets.h"

enum {
    MOST_OFFSET = 26 * 3600
}; /* RFC 9636: less than that */

static void check_period(const gp_zone *zone, int64_t time)
{
    gp_zone_period period = gp_zone_period_at(zone, time);

    promise(period.begin <= time && (time < period.end || period.end == INT64_MAX));
    promise(period.offset < MOST_OFFSET && period.offset > -MOST_OFFSET);
    promise(period.abbreviation && strlen(period.abbreviation) < 256);
    if (period.begin != INT64_MIN)
        promise(gp_zone_period_at(zone, period.begin - 1).end == period.begin);
    if (period.end != INT64_MAX)
        promise(gp_zone_period_at(zone, period.end).begin == period.end);
}

static void check_expression(gp_zone *zone, const char *expression, int64_t time)
{
    gp_cron *cron = NULL;

    promise(gp_cron_parse_in(expression, zone, 0, &cron, NULL) == GP_OK);
    check_cron(cron, time);
    gp_cron_release(cron);
}

static void check_zone(gp_zone *zone, int64_t chosen)
{
    const int64_t times[] = {INT64_MIN, INT64_MIN + 1, 0,        GP_SECONDS(951782400),
                             chosen,    INT64_MAX - 1, INT64_MAX};

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        check_period(zone, times[i]);
    for (int year = -100; year <= 250; year += 10)
        check_period(zone, year * GP_SECONDS(31556952));
    check_expression(zone, "0 30 2 * * *", chosen);
    check_expression(zone, "0 0 0 L * ?", chosen);
    check_expression(zone, "*/20 */7 */5 * * *", chosen);
}

/* A time that the input chooses: the last eight bytes of it. */
static int64_t chosen_time(const uint8_t *bytes, size_t size)
{
    uint64_t time = 0;

    for (size_t i = size < 8 ? 0 : size - 8; i < size; i++)
        time = time << 8 | bytes[i];
    return (int64_t)time;
}

static void check_opened(int status, gp_zone *zone, int64_t chosen)
{
    promise((status == GP_OK) == (zone != NULL));
    promise(status == GP_OK || status == GP_EINVAL || status == GP_ENOTSUP);
    if (zone)
        check_zone(zone, chosen);
    gp_zone_release(zone);
}

void fuzz_zone(const uint8_t *bytes, size_t size)
{
    int64_t chosen = chosen_time(bytes, size);
    char *text = string_of(bytes, size);
    uint8_t *data = malloc(size + !size);
    gp_zone *zone = NULL;

    if (!data)
        abort();
    memcpy(data, bytes, size);
    int status = gp_zone_of_data("fuzzed", data, size, &zone);
    check_opened(status, zone, chosen);
    free(data);
    zone = NULL;
    text[strcspn(text, "\n")] = '\0';
    status = gp_zone_of_rule(text, &zone);
    check_opened(status, zone, chosen);
    free(text);
}
