/*
 * The future (impl/future/future.c), one thread, nobody waiting: what its states cost.
 *
 *     future/round_trip  made, run, asked, released: NEW -> COMPLETING -> NORMAL
 *     future/cancel      made, cancelled, released: NEW -> CANCELLED
 *     future/get         asking one that is done
 */

#include <glasspool/glasspool.h>

#include "gbench.h"

static int answer(void *argument, void **result)
{
    *result = argument;
    return 0;
}

static gp_future *future_new(gb_state *state)
{
    static int value;
    const gp_callable callable = {.call = answer, .argument = &value};
    gp_future *future = NULL;
    const int status = gp_future_new(&callable, &future);

    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return future;
}

static void get(gb_state *state, gp_future *future)
{
    void *result = NULL;
    const int status = gp_future_get(future, &result);

    if (status != GP_OK || !result)
        gb_fail(state, gp_strerror(status));
}

static void round_trip(gb_state *state)
{
    while (gb_keep_running(state)) {
        gp_future *future = future_new(state);
        if (future) {
            gp_future_run(future);
            get(state, future);
            gp_future_release(future);
        }
    }
    gb_items(state, gb_iterations(state));
}

static void cancel(gb_state *state)
{
    while (gb_keep_running(state)) {
        gp_future *future = future_new(state);
        if (future && !gp_future_cancel(future, false))
            gb_fail(state, "a new future could not be cancelled");
        gp_future_release(future);
    }
    gb_items(state, gb_iterations(state));
}

static void *future_done(gb_state *state)
{
    gp_future *future = future_new(state);

    if (future)
        gp_future_run(future);
    return future;
}

static void future_drop(void *fixture)
{
    gp_future_release(fixture);
}

static void get_done(gb_state *state)
{
    while (gb_keep_running(state))
        get(state, state->fixture);
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "future/round_trip", .run = round_trip},
    {.name = "future/cancel", .run = cancel},
    {.name = "future/get",
     .run = get_done,
     .set_up = future_done,
     .tear_down = future_drop,
     .threads = {1, 2}},
};
GB_REGISTER(benches);
