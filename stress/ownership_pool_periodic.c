/*
 * What becomes of a task that a pool runs again and again.
 *
 * ownership_pool.c asks who ends a task. This one nobody ends, until it is cancelled: its argument
 * is needed again after each run, and who destroys it when the first is over has ended what goes
 * on. The cancel comes before the first run, during one, or between two, when the task is in the
 * queue and the worker is elsewhere; the purge then finds it there, or does not.
 */
#include <glasspool/future.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "stress/answer.h"
#include "stress/ownership_support.h"
#include "stress/scenarios.h"
#include "stress/support.h"

#define FUTURE "impl/future/future.c"

struct state {
    gp_scheduled *scheduled;
    gp_future *announced; /* its result is a handle of the task */
    gp_future *future;    /* likewise, or NULL */
    int64_t pause;        /* before the cancel */
    struct argument argument;
};

static int call(void *argument, void **result)
{
    argument_enter(argument);
    *result = NULL;
    argument_leave(argument);
    return 0;
}

static void destroy(void *argument)
{
    argument_destroy(argument);
}

enum {
    CANCEL,
    RUNS,
    GET,
    ARGUMENT
};

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    config.remove_on_cancel = random & 1;
    state->pause = (int64_t)(random >> 32 & 0x3fff);
    if (gp_future_new(&nothing, &state->announced) != GP_OK)
        return false;
    if (gp_scheduled_new(&config, &state->scheduled) == GP_OK)
        return true;
    gp_future_release(state->announced);
    return false;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->announced);
    gp_future_release(state->future);
    gp_scheduled_close(state->scheduled);
}

static void act_schedule(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    const gp_callable callable = {.call = call, .argument = &state->argument, .destroy = destroy};

    (void)outcome;
    if (gp_schedule_with_fixed_delay(state->scheduled, &callable, 0, 1, &state->future) != GP_OK)
        gp_future_cancel(state->announced, false);
    else
        gp_future_set(state->announced, state->future);
    gp_pool_purge(gp_scheduled_pool(state->scheduled));
}

/* A periodic task is never done by itself: to wait for it is to wait for the time to pass. */
static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    void *future;

    if (gp_future_get(state->announced, &future) != GP_OK)
        return;
    gp_future_get_timed(future, state->pause, NULL);
    outcome->slot[CANCEL] = gp_future_cancel(future, true);
}

/* The pool has ended: a future that is not done will never be. */
static unsigned char ask(gp_future *future)
{
    if (!future || !gp_future_is_done(future))
        return NO_ANSWER;
    return answer_of(gp_future_get(future, NULL), false);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_scheduled_close(state->scheduled);
    state->scheduled = NULL;
    outcome->slot[RUNS] = state->argument.runs > 0;
    outcome->slot[GET] = ask(state->future);
    outcome->slot[ARGUMENT] = argument_ending(&state->argument);
}

/* ---- the family ---- */

const struct scenario ownership_pool_periodic_races[] = {
    {
        .name = "ownership_pool/cancel_periodic",
        .description = "a periodic task is cancelled and purged while it runs, or between two "
                       "runs: its argument lasts until then and goes once",
        .invariants = "[TASK-2] [FUTURE-5] [SCHEDULED-2]",
        .attacks = {FUTURE, "if (load_state(future) != GP_NEW)"},
        .broken_by = "argument-gone-after-first-run",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"schedule and purge", act_schedule}, {"cancel", act_cancel}},
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"it had run", {"never", "before"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS}},
        .outcomes =
            {
                {"cancel won, it had run before, get a cancellation, argument destroyed once",
                 ACCEPTABLE, "cancelled between two runs, or during one", MUST_OCCUR},
                {"cancel won, it had run never, get a cancellation, argument destroyed once",
                 ACCEPTABLE, "cancelled before the first run", MUST_OCCUR},
                {"argument destroyed too early", FORBIDDEN, "it was run once more", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
