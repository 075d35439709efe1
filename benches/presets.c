/*
 * Presets (impl/rpc/presets.c): what it costs to read one, and to have its pool.
 *
 *     presets/parse   a text with all keys of its kind
 *     presets/pool    a pool made from that, and closed: it has no threads yet
 */
#include <glasspool/glasspool.h>

#include "gbench.h"

static const char text[] = "cached?name=io&core_threads=4&threads=200&queues=1000&alive=60000";

static void parse(gb_state *state)
{
    while (gb_keep_running(state)) {
        gp_preset preset;
        const int status = gp_preset_parse(text, &preset, NULL);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
    }
    gb_items(state, gb_iterations(state));
}

static void make_pool(gb_state *state)
{
    gp_preset preset = GP_PRESET_CACHED_DEFAULT;
    const int parsed = gp_preset_parse(text, &preset, NULL);

    if (parsed != GP_OK)
        gb_fail(state, gp_strerror(parsed));
    while (gb_keep_running(state)) {
        gp_pool *pool = NULL;
        int status = gp_preset_pool(&preset, &pool);

        if (status == GP_OK)
            status = gp_pool_close(pool);
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
    }
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "presets/parse", .run = parse},
    {.name = "presets/pool", .run = make_pool},
};
GB_REGISTER(benches);
