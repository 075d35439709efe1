/*
 * Functions that a pool puts on a conveyor, without a task around them.
 *
 * A task can be taken back: who offered it holds a reference and knows its address. That is what
 * execute rests on when the pool shuts down meanwhile (pool_ctl.c). A function on a belt has no
 * address. So it is asked first whether it may stay, with the latch held behind which it is then
 * put [POOL-7] [CONVEYOR-4]:
 *
 *        execute                            shutdown
 *        takes the put latch
 *        running? yes                       ctl = SHUTDOWN
 *        placed = 1                         how many are queued? waits for the latch
 *        lets the latch go                  one: it is left to the workers
 *
 *   If the answer is always yes, the function lies on a belt that nobody looks at any more. If it
 *   is asked before the latch is taken, nothing is queued in between: the workers leave, the pool
 *   ends, and then the function comes.
 *
 *   Quiet [QUEUE-1]. A worker takes functions without the lock with which others look whether all
 *   workers wait. It has to count as one that does not wait until it comes back.
 *
 * One core worker, which is there from the beginning: without it a function would be its first task
 * and never see a belt.
 */
#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"

#define CONVEYOR  "impl/queue/conveyor.c"
#define FUNCTIONS "impl/pool/functions.c"

/* ---- execute against shutdown ---- */

enum {
    LAST = CLOSE + 1,
    SEVERAL = 4
};

static void act_execute_one(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[0], state->pool);
}

/* ---- several ---- */

static void act_execute_several(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = 0; i < SEVERAL; i++)
        conveyor_execute(&state->jobs[i], state->pool);
}

static void arbiter_of_several(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[LAST] = (unsigned char)job_fate(&state->jobs[SEVERAL - 1]);
}

/* ---- quiet ---- */

/* Its own have run when the pool is quiet; what others execute may have come later. */
static void act_execute_and_await_quiet(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    conveyor_execute(&state->jobs[0], state->pool);
    conveyor_execute(&state->jobs[1], state->pool);
    if (gp_pool_await_quiescence(state->pool, GP_FOREVER) == GP_OK)
        outcome->slot[LAST] = (unsigned char)(state->jobs[0].runs + state->jobs[1].runs);
}

static void act_execute_others(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[2], state->pool);
    conveyor_execute(&state->jobs[3], state->pool);
}

/* ---- the family ---- */

const struct scenario conveyor_pool_races[] = {
    {
        .name = "conveyor/execute_against_shutdown",
        .description = "a plain function is executed while the pool shuts down: it is run or "
                       "rejected, one of them, and the pool ends",
        .invariants = "[POOL-1] [POOL-7] [CONVEYOR-4]",
        .attacks = {FUNCTIONS, "struct gp__admission_check check = {has_core_workers, pool};"},
        .broken_by = "conveyor-placing-always-confirmed",
        .state_size = sizeof(struct pool_state),
        .set_up = conveyor_set_up_with_worker,
        .actors = {{"execute", act_execute_one}, {"shutdown", act_shutdown_and_await}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = pool_tear_down,
        .slots = {{"the function", FATES}, {NULL, ENDS}},
        .outcomes =
            {
                {"the function ran, closed", ACCEPTABLE, "it was on the belt in time", MUST_OCCUR},
                {"the function rejected, closed", ACCEPTABLE, "the shutdown came first",
                 MUST_OCCUR},
                {"the function lost", FORBIDDEN, "accepted, and nobody was left to run it",
                 MAY_OCCUR},
            },
    },
    {
        .name = "conveyor/execute_against_shutdown_now",
        .description = "two plain functions are executed while the pool is stopped: each is run, "
                       "handed back or rejected, one of them",
        .invariants = "[POOL-1] [POOL-7] [CONVEYOR-4]",
        .attacks = {CONVEYOR, "check == NULL || check->may_enqueue(check->context);"},
        .broken_by = "conveyor-accepts-unasked",
        .state_size = sizeof(struct pool_state),
        .set_up = conveyor_set_up_with_worker,
        .actors = {{"execute", act_execute_two}, {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_two,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES}, {NULL, ENDS}, {"the other", FATES}},
        .outcomes =
            {
                {"one ran, closed, the other ran", ACCEPTABLE, "the worker was quick", MAY_OCCUR},
                {"one ran, closed, the other handed back", ACCEPTABLE,
                 "stopped while the first ran", MAY_OCCUR},
                {"one ran, closed, the other rejected", ACCEPTABLE, "stopped between the two",
                 MAY_OCCUR},
                {"one handed back, closed, the other handed back", ACCEPTABLE,
                 "stopped before the worker came", MAY_OCCUR},
                {"one handed back, closed, the other rejected", ACCEPTABLE,
                 "stopped between the two", MAY_OCCUR},
                {"one rejected, closed, the other rejected", ACCEPTABLE, "the stop came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/worker_against_placing",
        .description =
            "functions are executed while the pool shuts down and its worker leaves: the "
            "answer that they may stay holds until they are on the belt",
        .invariants = "[POOL-7] [LIFE-2] [CONVEYOR-4]",
        .attacks = {CONVEYOR, "gp__latch_lock(&queue->belts.put_latch); /* before asking */"},
        .broken_by = "conveyor-asks-before-latch",
        .state_size = sizeof(struct pool_state),
        .set_up = conveyor_set_up_with_worker,
        .actors = {{"execute", act_execute_several}, {"shutdown", act_shutdown_and_await}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_several,
        .tear_down = pool_tear_down,
        .slots = {{"the first", FATES}, {NULL, ENDS}, {"the last", FATES}},
        .outcomes =
            {
                {"the first ran, closed, the last ran", ACCEPTABLE, "the shutdown came last",
                 MUST_OCCUR},
                {"the first ran, closed, the last rejected", ACCEPTABLE,
                 "the shutdown came in between", MAY_OCCUR},
                {"the first rejected, closed, the last rejected", ACCEPTABLE,
                 "the shutdown came first", MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/quiet_against_worker",
        .description = "functions are executed and the pool awaited quiet while others are put "
                       "behind them: when it is, they have run",
        .invariants = "[QUEUE-1]",
        .attacks = {"impl/queue/belts.c", "gp__queue_end_wait(queue, stranger);"},
        .broken_by = "conveyor-runner-counted-waiting",
        .state_size = sizeof(struct pool_state),
        .set_up = conveyor_set_up_with_worker,
        .actors = {{"execute, await", act_execute_and_await_quiet},
                   {"execute", act_execute_others}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = pool_tear_down,
        .slots = {{"the first", FATES}, {NULL, ENDS}, {"run when quiet", {NULL}}},
        .outcomes =
            {
                {"the first ran, closed, run when quiet 2", ACCEPTABLE, "both, and it was quiet",
                 MUST_OCCUR},
            },
    },
    {.name = NULL},
};
