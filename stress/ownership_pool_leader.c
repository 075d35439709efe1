/*
 * What becomes of a task that somebody waits for.
 *
 * The worker that leads sleeps until the head of the queue is due. In Java it had the head in a
 * local variable meanwhile, and a task that was cancelled and removed could not be collected before
 * the worker woke up (jsr166, 2013). Here a task has references, and the same mistake is one too
 * many:
 *
 *        worker                        cancel
 *        retain the head
 *        sleep until it is due
 *                                      out of the queue, dropped; the last handle released
 *        ... an hour later: release    and only now is it freed
 *
 * What goes with a task's memory says when it goes: its decoration. The canceller looks whether it
 * is gone when cancel and release have returned. That holds while the task is not due; then a
 * worker may have it by right.
 */
#include <stdatomic.h>

#include <glasspool/clock.h>
#include <glasspool/future.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "stress/scenarios.h"
#include "stress/support.h"

#define DELAYED "impl/queue/delayed.c"

#define AN_HOUR GP_SECONDS(3600)

struct state {
    gp_scheduled *scheduled;
    gp_future *other;  /* keeps the worker asleep when the first has gone, or NULL */
    atomic_bool freed; /* the first */
    bool decorated;    /* the first is */
};

static void proceed(void *context, gp_proceeding *proceeding)
{
    (void)context;
    gp_proceed(proceeding);
}

static void note_freed(void *context)
{
    struct state *state = context;

    atomic_store(&state->freed, true);
}

/* Asked before a task is in the queue, by who schedules it. */
static int decorate(void *context, gp_future *task, gp_decorator *out)
{
    struct state *state = context;

    (void)task;
    if (!state->decorated)
        *out = (gp_decorator){.run = proceed, .context = state, .destroy = note_freed};
    state->decorated = true;
    return GP_OK;
}

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    (void)random;
    config.core_size = 1;
    config.remove_on_cancel = true;
    config.decorate = decorate;
    config.decorate_context = state;
    return gp_scheduled_new(&config, &state->scheduled) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->other);
    gp_scheduled_close(state->scheduled);
}

enum {
    MEMORY,
    TIME
};

/* The worker is on its way to lead for the first, or leads, or has yet to begin. */
static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    int64_t due = gp_time_after(gp_now(), AN_HOUR);
    gp_future *future;

    if (gp_schedule(state->scheduled, &nothing, AN_HOUR, &future) != GP_OK)
        return;
    gp_schedule(state->scheduled, &nothing, 2 * AN_HOUR, &state->other);
    gp_future_cancel(future, false);
    gp_future_release(future);
    outcome->slot[MEMORY] = !atomic_load(&state->freed);
    outcome->slot[TIME] = gp_time_until(due, gp_now()) <= 0;
}

static void act_prestart(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_prestart_core(gp_scheduled_pool(state->scheduled));
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_shutdown_now(gp_scheduled_pool(state->scheduled), NULL);
    gp_scheduled_close(state->scheduled);
    state->scheduled = NULL;
}

/* ---- the family ---- */

const struct scenario ownership_pool_leader_races[] = {
    {
        .name = "ownership_pool/cancel_beside_leader",
        .description = "a task is cancelled and let go while a worker sleeps until it is due: its "
                       "memory does not wait for the worker",
        .invariants = "[TASK-1] [SCHEDULED-2]",
        .attacks = {DELAYED, "status = gp__queue_await_task(base, wake_time(queue));"},
        .broken_by = "leader-holds-on-to-head",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"schedule and cancel", act_cancel}, {"prestart", act_prestart}},
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"its memory", {"gone", "still there"}}, {"its time", {"to come", "over"}}},
        .outcomes =
            {
                {"its memory gone, its time to come", ACCEPTABLE, "nobody had it any more",
                 MUST_OCCUR},
                {"its memory gone, its time over", ACCEPTABLE, "it was run, or cancelled in time",
                 MAY_OCCUR},
                {"its memory still there, its time over", ACCEPTABLE,
                 "the worker had taken it, to run it", MAY_OCCUR},
                {"its memory still there, its time to come", FORBIDDEN,
                 "a worker that only waits for it holds on to it", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
