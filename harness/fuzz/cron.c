/*
 * Cron expressions: parsed, searched in both directions, described.
 *
 * An input has three lines, so that a corpus can be read: the expression, a time in nanoseconds
 * since 1970, and the rule of the zone. The last two may be missing, or be nonsense: 0 and UTC.
 */
#include <glasspool/cron.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "harness/fuzz/targets.h"

enum {
    STEPS = 100,
    ROOM = 4096
};

/* ---- what next, prev and matches owe each other ---- */

static int64_t second_of(int64_t time)
{
    int64_t second = GP_SECONDS(1), rest = (time % second + second) % second;

    return time < INT64_MIN + rest ? INT64_MIN : time - rest;
}

static void check_next(const gp_cron *cron, int64_t time)
{
    int64_t next = gp_cron_next(cron, time);

    promise(next > time || next == GP_NEVER);
    for (int64_t i = 1; i <= STEPS && time < INT64_MAX - i * GP_SECONDS(1); i++) {
        int64_t between = second_of(time + i * GP_SECONDS(1));
        promise(between >= next || between <= time || !gp_cron_matches(cron, between));
    }
    if (next == GP_NEVER)
        return;
    promise(next == second_of(next) && gp_cron_matches(cron, next));
    int64_t before = gp_cron_prev(cron, next);
    promise(before <= time);
    promise(before == INT64_MIN || gp_cron_next(cron, before) == next);
}

static void check_prev(const gp_cron *cron, int64_t time)
{
    int64_t prev = gp_cron_prev(cron, time);

    promise(prev < time || prev == INT64_MIN);
    for (int64_t i = 1; i <= STEPS && time > INT64_MIN + i * GP_SECONDS(1); i++) {
        int64_t between = second_of(time - i * GP_SECONDS(1));
        promise(between <= prev || !gp_cron_matches(cron, between));
    }
    if (prev == INT64_MIN)
        return;
    promise(prev == second_of(prev) && gp_cron_matches(cron, prev));
    int64_t after = gp_cron_next(cron, prev);
    promise(after >= time);
    promise(after == GP_NEVER || gp_cron_prev(cron, after) == prev);
}

static void check_matches(const gp_cron *cron, int64_t time)
{
    int64_t second = second_of(time);

    if (second > INT64_MIN)
        promise(gp_cron_matches(cron, time) == (gp_cron_next(cron, second - 1) == second));
}

static void check_description(const gp_cron *cron)
{
    char whole[ROOM], part[ROOM];
    int length = gp_cron_describe(cron, whole, sizeof(whole));

    promise(length > 0 && length < ROOM && strlen(whole) == (size_t)length);
    size_t room = (size_t)length / 2 + 1;
    promise(gp_cron_describe(cron, part, room) == length);
    promise(strlen(part) == room - 1 && strncmp(part, whole, room - 1) == 0);
    promise(gp_cron_describe(cron, NULL, 0) == length);
}

void check_cron(const gp_cron *cron, int64_t time)
{
    check_next(cron, time);
    check_prev(cron, time);
    check_matches(cron, time);
    check_description(cron);
    if (gp_cron_is_disabled(cron))
        promise(gp_cron_next(cron, time) == GP_NEVER && gp_cron_prev(cron, time) == INT64_MIN);
}

/* ---- the input ---- */

static void check_error(const char *expression, const gp_cron_error *error)
{
    char text[ROOM];
    size_t length = strlen(expression);

    promise(error->field <= GP_CRON_EXPRESSION);
    promise(error->position <= length && error->length <= length - error->position);
    promise(error->reason && *error->reason);
    promise(gp_cron_explain(expression, error, text, sizeof(text)) > 0);
    promise(gp_cron_explain(expression, error, NULL, 0) > 0);
}

/* Cuts the line off; NULL: there is no further. */
static char *line_after(char *line)
{
    char *end = line ? strchr(line, '\n') : NULL;

    if (!end)
        return NULL;
    *end = '\0';
    return end + 1;
}

static gp_zone *zone_of(const char *rule)
{
    gp_zone *zone = NULL;

    if (rule && *rule && gp_zone_of_rule(rule, &zone) != GP_OK)
        promise(!zone);
    return zone;
}

static void try_flags(const char *expression, gp_zone *zone, unsigned flags, int64_t time)
{
    gp_cron *cron = NULL;
    gp_cron_error error = {0};
    int status = gp_cron_parse_in(expression, zone, flags, &cron, &error);

    if (status == GP_OK) {
        check_cron(cron, time);
        gp_cron_release(cron);
    } else {
        promise(status == GP_EINVAL && !cron);
        check_error(expression, &error);
    }
}

void fuzz_cron(const uint8_t *bytes, size_t size)
{
    char *text = string_of(bytes, size), *time = line_after(text), *rule = line_after(time);
    char *expression = string_of((const uint8_t *)text, strlen(text));
    gp_zone *zone = (line_after(rule), zone_of(rule));
    int64_t when = time ? strtoll(time, NULL, 10) : 0;

    try_flags(expression, zone, 0, when);
    try_flags(expression, zone, GP_CRON_OVERLAP_TWICE, when);
    gp_zone_release(zone);
    free(expression);
    free(text);
}
