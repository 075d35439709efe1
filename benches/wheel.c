/*
 * The wheel (impl/wheel/): what a timeout costs that is cancelled before it is due, as nearly all
 * are that guard a call over the network.
 *
 *     wheel/add_cancel        a timeout added and cancelled
 *     wheel/schedule_cancel   the same with the heap of a scheduled pool, and remove-on-cancel
 *
 * Both with 10^3 ... 10^6 others pending, and by one thread or two. The wheel promises that the
 * others do not matter. What it leaves to its worker, the removal, is not in the CPU time of the
 * bench, but takes a core's time: ticks are of a millisecond, and the worker runs beside.
 */
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"
#include "random.h"

struct pending {
    gp_timer *timer;         /* either this ... */
    gp_scheduled *scheduled; /* ... or this */
};

static int nothing(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    return 0;
}

static void run_nothing(void *argument)
{
    (void)argument;
}

/* Between one hour ahead and two. */
static int64_t delay_of(uint64_t *seed)
{
    return GP_SECONDS(3600) + (int64_t)random_below(seed, (size_t)GP_SECONDS(3600));
}

static int add(struct pending *pending, int64_t delay, gp_timeout **out)
{
    return gp_timer_after(pending->timer, delay, nothing, NULL, NULL, out);
}

static int schedule(struct pending *pending, int64_t delay, gp_future **out)
{
    const gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);

    return gp_schedule(pending->scheduled, &callable, delay, out);
}

static void fill(gb_state *state, struct pending *pending)
{
    uint64_t seed = 1;
    int status = GP_OK;

    for (int64_t i = 0; i < gb_value(state, 0) && status == GP_OK; i++)
        status = pending->timer ? add(pending, delay_of(&seed), NULL)
                                : schedule(pending, delay_of(&seed), NULL);
    if (status != GP_OK)
        gb_skip(state, gp_strerror(status));
}

static void *pending_on_wheel(gb_state *state)
{
    struct pending *pending = calloc(1, sizeof(*pending));
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    config.tick = GP_MILLISECONDS(1);
    if (!pending || gp_wheel_new(&config, &pending->timer) != GP_OK)
        gb_skip(state, gp_strerror(GP_ENOMEM));
    else
        fill(state, pending);
    return pending;
}

static void *pending_on_heap(gb_state *state)
{
    struct pending *pending = calloc(1, sizeof(*pending));
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    if (!pending || gp_scheduled_new(&config, &pending->scheduled) != GP_OK)
        gb_skip(state, gp_strerror(GP_ENOMEM));
    else
        fill(state, pending);
    return pending;
}

static void pending_free(void *fixture)
{
    struct pending *pending = fixture;

    if (!pending)
        return;
    (void)gp_timer_close(pending->timer);
    if (pending->scheduled)
        gp_pool_shutdown_now(gp_scheduled_pool(pending->scheduled), NULL);
    (void)gp_scheduled_close(pending->scheduled);
    free(pending);
}

static uint64_t seed_of(const gb_state *state)
{
    return (uint64_t)state->thread + 2;
}

static void add_cancel(gb_state *state)
{
    uint64_t seed = seed_of(state);
    gp_timeout *timeout;

    while (gb_keep_running(state)) {
        if (add(state->fixture, delay_of(&seed), &timeout) != GP_OK) {
            gb_skip(state, "cannot add");
            continue;
        }
        gp_timeout_cancel(timeout);
        gp_timeout_release(timeout);
    }
    gb_items(state, gb_iterations(state));
}

static void schedule_cancel(gb_state *state)
{
    uint64_t seed = seed_of(state);
    gp_future *future;

    while (gb_keep_running(state)) {
        if (schedule(state->fixture, delay_of(&seed), &future) != GP_OK) {
            gb_skip(state, "cannot schedule");
            continue;
        }
        gp_future_cancel(future, false);
        gp_future_release(future);
    }
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "wheel/add_cancel",
     .run = add_cancel,
     .set_up = pending_on_wheel,
     .tear_down = pending_free,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .threads = {1, 2}},
    {.name = "wheel/schedule_cancel",
     .run = schedule_cancel,
     .set_up = pending_on_heap,
     .tear_down = pending_free,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .threads = {1, 2}},
};
GB_REGISTER(benches);
