/*
 * Cron expressions (impl/cron/cron.c) and zones (impl/zone/zone.c): what a question costs.
 *
 *     cron/next_utc       the next time, in UTC
 *     cron/next_berlin    the same in a zone that changes its clocks twice a year
 *     cron/prev_berlin    the previous time
 *     cron/never          an expression whose time is in a gap each year, until 2262
 *     cron/parse          from a text, with a zone at hand
 *     cron/describe       into words
 *     zone/period         the offset at a time
 *     zone/open           from a file: read, checked, and its rule carried out to 2262
 *
 * The argument says which expression: 0 every second, 1 every 15 minutes, 2 at 09:30 on working
 * days, 3 on the last Friday of the month, 4 on 29 February if it is a Monday. A bench asks for the
 * time after the last answer, and begins anew in 2026 when that comes to 2100; so it meets changes
 * of the clocks as often as a program would. The zone is Berlin's rule; zone/open needs the file.
 *
 * Aims, per second: next_utc 1,000,000; next_berlin 200,000.
 */

#include <glasspool/glasspool.h>

#include "gbench.h"
#include "random.h"

#define BERLIN  "CET-1CEST,M3.5.0,M10.5.0/3"
#define IN_2026 GP_SECONDS(1767225600) /* 2026-01-01 */
#define IN_2100 GP_SECONDS(4102444800)

static const char *const expressions[] = {
    "* * * * * *", "0 */15 * * * *", "0 30 9 * * MON-FRI", "0 0 12 ? * FRIL", "0 0 0 29 2 MON",
};

#define WHICH                                                   \
    {                                                           \
        {                                                       \
            .name = "expression", .from = 0, .to = 4, .plus = 1 \
        }                                                       \
    }

static gp_cron *cron_of(gb_state *state, const char *expression, const char *rule)
{
    gp_zone *zone = NULL;
    gp_cron *cron = NULL;
    int status = gp_zone_of_rule(rule, &zone);

    if (status == GP_OK)
        status = gp_cron_parse_in(expression, zone, 0, &cron, NULL);
    gp_zone_release(zone);
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return cron;
}

static void *in_utc(gb_state *state)
{
    gb_label(state, expressions[gb_value(state, 0)]);
    return cron_of(state, expressions[gb_value(state, 0)], "UTC0");
}

static void *in_berlin(gb_state *state)
{
    gb_label(state, expressions[gb_value(state, 0)]);
    return cron_of(state, expressions[gb_value(state, 0)], BERLIN);
}

static void *in_a_gap(gb_state *state)
{
    return cron_of(state, "0 30 2 ? MAR SUNL", BERLIN);
}

static void drop(void *cron)
{
    gp_cron_release(cron);
}

static void next(gb_state *state)
{
    const gp_cron *cron = state->fixture;
    int64_t time = IN_2026;

    while (gb_keep_running(state)) {
        time = gp_cron_next(cron, time);
        if (time > IN_2100)
            time = IN_2026;
    }
    GB_KEEP(time);
    gb_items(state, gb_iterations(state));
}

static void previous(gb_state *state)
{
    const gp_cron *cron = state->fixture;
    int64_t time = IN_2100;

    while (gb_keep_running(state)) {
        time = gp_cron_prev(cron, time);
        if (time < IN_2026)
            time = IN_2100;
    }
    GB_KEEP(time);
    gb_items(state, gb_iterations(state));
}

static void never(gb_state *state)
{
    const gp_cron *cron = state->fixture;

    while (gb_keep_running(state)) {
        int64_t time = gp_cron_next(cron, IN_2026);

        GB_KEEP(time);
    }
    gb_items(state, gb_iterations(state));
}

static void parse(gb_state *state)
{
    const char *expression = expressions[gb_value(state, 0)];
    const gp_cron *other = state->fixture;
    gp_zone *zone = gp_cron_zone(other);

    while (gb_keep_running(state)) {
        gp_cron *cron = NULL;
        int status = gp_cron_parse_in(expression, zone, 0, &cron, NULL);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        gp_cron_release(cron);
    }
    gb_items(state, gb_iterations(state));
}

static void describe(gb_state *state)
{
    const gp_cron *cron = state->fixture;
    char text[200];

    while (gb_keep_running(state)) {
        int length = gp_cron_describe(cron, text, sizeof text);

        GB_KEEP(length);
    }
    gb_items(state, gb_iterations(state));
}

static void period(gb_state *state)
{
    const gp_cron *cron = state->fixture;
    const gp_zone *zone = gp_cron_zone(cron);
    uint64_t seed = 1;

    while (gb_keep_running(state)) {
        int64_t time = IN_2026 + GP_SECONDS(random_below(&seed, 2335219200U));
        gp_zone_period found = gp_zone_period_at(zone, time);

        GB_KEEP(found.offset);
    }
    gb_items(state, gb_iterations(state));
}

static void open_zone(gb_state *state)
{
    while (gb_keep_running(state)) {
        gp_zone *zone = NULL;
        int status = gp_zone_open("Europe/Berlin", &zone);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        gp_zone_release(zone);
    }
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "cron/next_utc", .run = next, .set_up = in_utc, .tear_down = drop, .arguments = WHICH},
    {.name = "cron/next_berlin",
     .run = next,
     .set_up = in_berlin,
     .tear_down = drop,
     .arguments = WHICH},
    {.name = "cron/prev_berlin",
     .run = previous,
     .set_up = in_berlin,
     .tear_down = drop,
     .arguments = WHICH},
    {.name = "cron/never", .run = never, .set_up = in_a_gap, .tear_down = drop},
    {.name = "cron/parse",
     .run = parse,
     .set_up = in_berlin,
     .tear_down = drop,
     .arguments = WHICH},
    {.name = "cron/describe",
     .run = describe,
     .set_up = in_berlin,
     .tear_down = drop,
     .arguments = WHICH},
    {.name = "zone/period", .run = period, .set_up = in_a_gap, .tear_down = drop},
    {.name = "zone/open", .run = open_zone},
};
GB_REGISTER(benches);
