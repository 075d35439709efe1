/*
 * Workers that leave a conveyor because their time is up.
 *
 * A function is put on a belt only if a worker is there [POOL-7]. That worker may be on its way
 * out: it has waited in vain, has looked at the queue for the last time, and lowers the number of
 * workers. Either it does so before the question is answered, with the put latch held, and the
 * answer is no; or it looks at the queue once more after that, with the latch held, and is replaced
 * [WORKER-5]:
 *
 *        execute                            worker
 *        enough workers: one                its time is up, nothing is queued
 *                                           ctl = 0 workers
 *                                           anything queued? no: no need for another one
 *        takes the put latch
 *        a worker? none: the three steps
 *
 *   A thread that asks only whether the pool runs puts the function where no worker looks any more,
 *   until the next one is executed, or the pool is shut down.
 *
 * Here two execute a function each and wait until the pool is quiet, while workers come and leave.
 */
#include <glasspool/clock.h>

#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"
#include "stress/support.h"

#define FUNCTIONS "impl/pool/functions.c"

enum {
    OTHER = CLOSE + 1,
    ONE_QUIET,
    OTHER_QUIET
};

static bool set_up_impatient(void *argument, uint64_t random)
{
    struct pool_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.keep_alive = GP_MICROSECONDS(1 + random % 8);
    config.core_timeout = true;
    config.thread.timer_slack = 1;
    if (!conveyor_open(state, &config, random))
        return false;
    gp_pool_prestart_core(state->pool);
    return true;
}

static bool has_run_when_quiet(struct pool_state *state, struct job *job)
{
    conveyor_execute(job, state->pool);
    return insist_on_quiet(state->pool) == GP_OK && job->runs == 1;
}

static void act_one(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[ONE_QUIET] = has_run_when_quiet(state, &state->jobs[0]);
}

static void act_other(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[OTHER_QUIET] = has_run_when_quiet(state, &state->jobs[1]);
}

static void arbiter_of_both(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[OTHER] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- the family ---- */

const struct scenario conveyor_idle_races[] = {
    {
        .name = "conveyor/timeout_against_placing",
        .description = "two functions are executed while idle workers leave, their time being up: "
                       "neither is left to a worker that is gone",
        .invariants = "[POOL-7] [WORKER-5] [QUEUE-1]",
        .attacks = {FUNCTIONS, "gp__are_workers_there(pool, 1);"},
        .broken_by = "conveyor-placed-without-worker",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_impatient,
        .actors = {{"execute, await", act_one}, {"execute, await", act_other}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_both,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES},
                  {NULL, ENDS},
                  {"the other", FATES},
                  {"when quiet one", {"had not run", "had run"}},
                  {"the other", {"had not run", "had run"}}},
        .outcomes =
            {
                {"one ran, closed, the other ran, when quiet one had run, the other had run",
                 ACCEPTABLE, "by the worker that was there, or by a new one", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
