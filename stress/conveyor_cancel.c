/*
 * A worker of a conveyor is cancelled, with pthread_cancel, while it goes from one to the next.
 *
 * To hold cancellation off and let it in again costs more than a small function. So between two
 * functions a worker leaves it as it is [WORKER-9]: nothing that the library does there is a point
 * at which a thread may be cancelled. That ends where the user's code begins again, and that is
 * not only in functions. A task that was cancelled as a future is not run, but its argument is
 * destroyed, and what a destructor calls nobody knows:
 *
 *        worker                             somebody
 *        runs a function
 *                                           pthread_cancel(worker)
 *        takes a task: done already
 *        destroys its argument
 *            waits for something: ends here, with the argument half destroyed
 *
 * The first function is run as a task, by a worker that has waited for it; the second tells who
 * runs it, plainly if it came in time. The one that comes last waits until the cancellation was
 * asked for: the worker, or who has taken its place, is there until then.
 */
#include <pthread.h>

#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"
#include "stress/support.h"

#define FUNCTIONS "impl/pool/functions.c"

enum {
    FIRST,
    TELLER,
    BETWEEN,
    LAST
};

enum {
    THE_TASK = CLOSE + 1,
    THE_LAST
};

struct state {
    struct pool_state base;
    pthread_t worker; /* who runs the teller */
    gp_future *known; /* set when that is known */
    gp_future *asked; /* and when its end has been asked for */
};

static void tell_who(void *context)
{
    struct state *state = context;

    state->worker = pthread_self();
    gp_future_set(state->known, NULL);
}

static void wait_for_request(void *context)
{
    struct state *state = context;

    insist_on_get(state->asked);
}

static int run_between(void *argument, void **result)
{
    struct job *job = argument;

    *result = job;
    job->runs++;
    return 0;
}

static void end_slowly(void *argument)
{
    struct job *job = argument;

    pthread_testcancel();
    job->ends++;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->known);
    gp_future_release(state->asked);
}

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    struct job *jobs = state->base.jobs;

    jobs[TELLER].body = tell_who;
    jobs[LAST].body = wait_for_request;
    jobs[TELLER].context = jobs[LAST].context = state;
    bool ready = gp_future_new(&nothing, &state->known) == GP_OK &&
                 gp_future_new(&nothing, &state->asked) == GP_OK &&
                 conveyor_set_up_with_worker(&state->base, random);
    if (!ready)
        tear_down(state);
    return ready;
}

static void act_execute(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_pool *pool = state->base.pool;
    struct job *between = &state->base.jobs[BETWEEN];
    const gp_callable callable = {.call = run_between, .argument = between, .destroy = end_slowly};

    (void)outcome;
    conveyor_execute(&state->base.jobs[FIRST], pool);
    conveyor_execute(&state->base.jobs[TELLER], pool);
    if (gp_pool_submit(pool, &callable, &between->future) == GP_OK)
        gp_future_cancel(between->future, false);
    conveyor_execute(&state->base.jobs[LAST], pool);
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    insist_on_get(state->known);
    pthread_cancel(state->worker);
    gp_future_set(state->asked, NULL);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[THE_TASK] = (unsigned char)job_fate(&state->base.jobs[BETWEEN]);
    outcome->slot[THE_LAST] = (unsigned char)job_fate(&state->base.jobs[LAST]);
}

/* ---- the family ---- */

const struct scenario conveyor_cancel_races[] = {
    {
        .name = "conveyor/cancel_against_destructor",
        .description = "a worker is cancelled between two functions, where a task that is done "
                       "already is given up: its argument is destroyed nevertheless, once",
        .invariants = "[WORKER-9] [TASK-2]",
        .attacks = {FUNCTIONS, "gp__run_task(worker, work->argument);"},
        .broken_by = "conveyor-task-lets-cancellation-in",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"execute, cancel", act_execute}, {"pthread_cancel", act_cancel}},
        .invariant = pool_invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"the first", FATES}, {NULL, ENDS}, {"the task", FATES}, {"the last", FATES}},
        .outcomes =
            {
                {"the first ran, closed, the task cancelled, the last ran", ACCEPTABLE,
                 "it was cancelled before a worker came for it", MUST_OCCUR},
                {"the first ran, closed, the task ran, the last ran", ACCEPTABLE,
                 "a worker was quicker", MUST_OCCUR},
                {"the task not destroyed once", FORBIDDEN,
                 "its worker ended in the destructor of another one's task", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
