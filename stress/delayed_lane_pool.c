/*
 * Functions on the lane of a scheduled pool.
 *
 * gp_pool_execute, and gp_schedule without delay and without a handle, put a plain function on the
 * lane, and no task around it [LANE-7]. What has no address cannot be taken back. So the pool is
 * asked whether the function may stay before it is put there, with the put latch held; and whoever
 * shuts the pool down, or leaves it, looks at the lane with that latch held afterwards. The races
 * are those of the conveyor (conveyor_pool.c), with another queue and another pool around it.
 *
 * Two who schedule draw their keys before they come to the latch, and may come in the other order.
 * Then the later one gets another key [LANE-1].
 */
#include <glasspool/clock.h>

#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"
#include "stress/scenarios.h"

#define LANE      "impl/queue/lane.c"
#define SCHEDULED "impl/scheduled/scheduled.c"

enum {
    LAST = CLOSE + 1,
    SEVERAL = 3
};

static void act_execute_several(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = 0; i < SEVERAL; i++)
        conveyor_execute(&state->jobs[i], state->pool);
}

static void act_execute_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[0], state->pool);
    conveyor_execute(&state->jobs[SEVERAL - 1], state->pool);
}

static void act_execute_another(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[1], state->pool);
}

static void act_shutdown_and_await(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
    gp_pool_await_termination(state->pool, GP_FOREVER);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[LAST] = (unsigned char)job_fate(&state->jobs[SEVERAL - 1]);
}

const struct scenario delayed_lane_pool_races[] = {
    {
        .name = "delayed_lane/execute_against_shutdown_now",
        .description = "functions are put on the lane while the pool is stopped: each is run, "
                       "handed back or rejected, one of them",
        .invariants = "[SCHEDULED-1] [LANE-6] [LANE-7]",
        .attacks = {LANE, "if (question->may_stay(question->context))"},
        .broken_by = "lane-accepts-unasked",
        .state_size = sizeof(struct pool_state),
        .set_up = laned_set_up_with_worker,
        .actors = {{"execute", act_execute_two}, {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
        .arbiter = arbiter,
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
        .name = "delayed_lane/worker_against_placing",
        .description = "functions are put on the lane while the pool shuts down and its worker "
                       "leaves: the answer that they may stay holds until they are there",
        .invariants = "[SCHEDULED-1] [WORKER-5] [LANE-7]",
        .attacks = {LANE, "gp__latch_lock(&lane->belts.put_latch); /* before asking */"},
        .broken_by = "lane-asks-before-latch",
        .state_size = sizeof(struct pool_state),
        .set_up = laned_set_up_with_worker,
        .actors = {{"execute", act_execute_several}, {"shutdown", act_shutdown_and_await}},
        .invariant = pool_invariant,
        .arbiter = arbiter,
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
        .name = "delayed_lane/drawn_anew",
        .description = "two threads schedule functions for now: who has drawn its key first and "
                       "comes to the lane last gets another",
        .invariants = "[LANE-1]",
        .attacks = {LANE, "renew(item, drawer);"},
        .broken_by = "lane-key-out-of-order",
        .state_size = sizeof(struct pool_state),
        .set_up = laned_set_up_with_worker,
        .actors = {{"execute", act_execute_two}, {"execute", act_execute_another}},
        .invariant = pool_invariant,
        .arbiter = arbiter,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES}, {NULL, ENDS}, {"the other", FATES}},
        .outcomes =
            {
                {"one ran, closed, the other ran", ACCEPTABLE, "in whichever order they came",
                 MUST_OCCUR},
            },
    },
    {.name = NULL},
};
