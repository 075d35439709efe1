/*
 * Is a pool with a conveyor quiet?
 *
 * Two looks answer that: do all workers wait, and is nothing queued? Between the two a task may
 * come, but none may go, or it is overlooked (queue.c). Everywhere else the lock with which one
 * looks keeps tasks where they are. Not here: who takes from a conveyor has the take latch, and no
 * lock. All that are workers at the first look sleep with that lock, and cannot come; but a worker
 * that is new can [CONVEYOR-6]:
 *
 *        await                       worker                      another worker
 *                                    places the one behind
 *                                    ends its thread, ctl = 0
 *        no taker, no worker
 *                                    is replaced, ctl = 1
 *                                                                takes the one behind
 *        nothing on the belts:
 *        quiet?                                                  runs it
 *
 *   So it takes the latches first, and lets them go when it has looked at both. The lane of a
 *   delayed queue is made of the same belts, and taken from likewise.
 */
#include <pthread.h> /* pthread_exit */

#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"

enum {
    KILLER,
    BEHIND,
    OTHER,
    RUN_WHEN_QUIET = CLOSE + 1
};

/* Leaves work to whoever comes after its worker. */
static void execute_and_end_thread(void *context)
{
    struct pool_state *state = context;

    conveyor_execute(&state->jobs[BEHIND], state->pool);
    pthread_exit(NULL);
}

static void prepare(struct pool_state *state)
{
    state->jobs[KILLER].body = execute_and_end_thread;
    state->jobs[KILLER].context = state;
}

static bool set_up_killer(void *argument, uint64_t random)
{
    prepare(argument);
    return conveyor_set_up_with_worker(argument, random);
}

static bool set_up_laned(void *argument, uint64_t random)
{
    prepare(argument);
    return laned_set_up_with_worker(argument, random);
}

static void act_execute_and_await(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    conveyor_execute(&state->jobs[KILLER], state->pool);
    if (gp_pool_await_quiescence(state->pool, GP_FOREVER) == GP_OK)
        outcome->slot[RUN_WHEN_QUIET] =
            (unsigned char)(state->jobs[KILLER].runs + state->jobs[BEHIND].runs);
}

static void act_execute_other(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[OTHER], state->pool);
}

/* ---- the family ---- */

const struct scenario conveyor_quiet_races[] = {
    {
        .name = "conveyor/quiet_against_replacement",
        .description = "a function executes another one and ends its thread while somebody waits "
                       "until the pool is quiet: when it is, both have run",
        .invariants = "[QUEUE-1] [CONVEYOR-6]",
        .attacks = {"impl/queue/belts.c", "gp__queue_do_all_wait(queue, workers, context) &&"},
        .broken_by = "conveyor-quiet-asked-before-latches",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_killer,
        .actors = {{"execute, await", act_execute_and_await}, {"execute", act_execute_other}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = pool_tear_down,
        .slots = {{"the killer", FATES}, {NULL, ENDS}, {"run when quiet", {NULL}}},
        .outcomes =
            {
                {"the killer ran, closed, run when quiet 2", ACCEPTABLE, "both, and it was quiet",
                 MUST_OCCUR},
                {"run when quiet 1", FORBIDDEN, "the one behind was queued, or about to run",
                 MAY_OCCUR},
            },
    },
    {
        .name = "delayed_lane/quiet_against_replacement",
        .like = "conveyor/quiet_against_replacement",
        .description = "the same on the lane of a scheduled pool",
        .invariants = "[QUEUE-1] [LANE-4] [CONVEYOR-6]",
        .attacks = {"impl/queue/delayed_lane.c", ".is_quiet = delayed_is_quiet,"},
        .broken_by = "lane-quiet-asked-without-latches",
        .set_up = set_up_laned,
    },
    {.name = NULL},
};
