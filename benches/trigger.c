/*
 * Triggered tasks (impl/scheduled/trigger.c, watch.c).
 *
 *     trigger/schedule_cancel      a task with a trigger scheduled and cancelled ...
 *     trigger/periodic_cancel      ... beside a periodic one: what a trigger costs
 *     trigger/recompute            all of them moved, since the clock was set: their times stay
 *     trigger/recompute_and_ask    likewise, and each is asked for another time: the clock has
 *                                  jumped over the one it had
 *
 * With others pending, or of so many: 10^3, 10^4, 10^5. The triggers are functions that add a
 * number; what a cron expression costs is in cron.c. The clock is moved by hand, and nobody makes
 * rounds: the bench looks.
 */
#include <stdatomic.h>
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"
#include "random.h"
#include "scheduled/trigger.h"

#define AN_HOUR GP_SECONDS(3600)

struct pending {
    gp_scheduled *scheduled;
    _Atomic int64_t offset; /* of the wall clock */
};

static int64_t wall_now(void *argument)
{
    struct pending *pending = argument;

    return gp_now() + atomic_load_explicit(&pending->offset, memory_order_relaxed);
}

static void run_nothing(void *argument)
{
    (void)argument;
}

/* The delay is the trigger itself. */
static int64_t next_after(void *delay, const gp_trigger_context *last, int64_t now)
{
    (void)last;
    return now + (int64_t)(intptr_t)delay;
}

/* Between one hour ahead and two. */
static int64_t delay_of(uint64_t *seed)
{
    return AN_HOUR + (int64_t)random_below(seed, (size_t)AN_HOUR);
}

static int schedule(struct pending *pending, int64_t delay, gp_future **out)
{
    const gp_trigger_options options = {.missed = GP_MISSED_SKIP};
    const gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    const gp_trigger trigger = {.next = next_after, .self = (void *)(intptr_t)delay};

    return gp_schedule_trigger(pending->scheduled, &callable, &trigger, &options, out);
}

static int schedule_periodic(struct pending *pending, int64_t delay, gp_future **out)
{
    const gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);

    return gp_schedule_at_fixed_rate(pending->scheduled, &callable, delay, AN_HOUR, out);
}

static void *pending_tasks(gb_state *state)
{
    struct pending *pending = calloc(1, sizeof(*pending));
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    uint64_t seed = 1;
    int status = pending ? GP_OK : GP_ENOMEM;

    config.remove_on_cancel = true;
    config.wall_clock = (gp_wall_clock){wall_now, pending, true};
    if (status == GP_OK)
        status = gp_scheduled_new(&config, &pending->scheduled);
    for (int64_t i = 0; i < gb_value(state, 0) && status == GP_OK; i++)
        status = schedule(pending, delay_of(&seed), NULL);
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return pending;
}

static void pending_free(void *fixture)
{
    struct pending *pending = fixture;

    if (!pending)
        return;
    if (pending->scheduled)
        gp_pool_shutdown_now(gp_scheduled_pool(pending->scheduled), NULL);
    (void)gp_scheduled_close(pending->scheduled);
    free(pending);
}

static void cancel_each(gb_state *state, int (*start)(struct pending *, int64_t, gp_future **))
{
    uint64_t seed = 2;
    gp_future *future;

    while (gb_keep_running(state)) {
        if (start(state->fixture, delay_of(&seed), &future) != GP_OK) {
            gb_fail(state, "cannot schedule");
            continue;
        }
        gp_future_cancel(future, false);
        gp_future_release(future);
    }
    gb_items(state, gb_iterations(state));
}

static void schedule_cancel(gb_state *state)
{
    cancel_each(state, schedule);
}

static void periodic_cancel(gb_state *state)
{
    cancel_each(state, schedule_periodic);
}

static void step_and_look(gb_state *state, int64_t by, int64_t then_by)
{
    struct pending *pending = state->fixture;

    while (gb_keep_running(state)) {
        atomic_fetch_add(&pending->offset, by);
        gp__watch_look(pending->scheduled);
        int64_t swapped = by;
        by = then_by;
        then_by = swapped;
    }
    gb_items(state, gb_iterations(state) * gb_value(state, 0));
}

/* To and fro, by half an hour: nothing falls due. */
static void recompute(gb_state *state)
{
    step_and_look(state, AN_HOUR / 2, -AN_HOUR / 2);
}

/* On and on, over all of them. */
static void recompute_and_ask(gb_state *state)
{
    step_and_look(state, 3 * AN_HOUR, 3 * AN_HOUR);
}

#define BENCH(its_name, its_run, its_unit)                                                         \
    {                                                                                              \
        .name = (its_name), .run = (its_run), .set_up = pending_tasks, .tear_down = pending_free,  \
        .keep = true, .arguments = {{.name = "pending", .from = 1000, .to = 100000, .times = 10}}, \
        .unit = (its_unit)                                                                         \
    }

static const gb_bench benches[] = {
    BENCH("trigger/schedule_cancel", schedule_cancel, GB_NANOSECONDS),
    BENCH("trigger/periodic_cancel", periodic_cancel, GB_NANOSECONDS),
    BENCH("trigger/recompute", recompute, GB_MICROSECONDS),
    BENCH("trigger/recompute_and_ask", recompute_and_ask, GB_MICROSECONDS),
};
GB_REGISTER(benches);
