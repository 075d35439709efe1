/*
 * Tasks that come before, while and after somebody waits for them.
 *
 *        drain                               execute
 *        the list is not empty
 *        take it as a whole; DRAINING
 *                                            DRAINING: to the shared executor
 *        run what was taken
 *
 * The list and the state change in one step [THREADLESS-1]. A drain that took the list and changed
 * the state a moment later would leave in the list what came between; one that did it the other way
 * round would wait for a task that is sent elsewhere.
 */
#include "stress/threadless_support.h"

/* ---- execute against the wait ---- */

enum {
    WAIT_FOR_ONE = OTHER_JOB
};

static void act_wait_for_one(void *argument, struct outcome *outcome)
{
    outcome->slot[WAIT_FOR_ONE] = threadless_wait(argument);
}

/* ---- two of them ---- */

enum {
    WAIT = FREE_SLOT
};

static void act_wait(void *argument, struct outcome *outcome)
{
    outcome->slot[WAIT] = threadless_wait(argument);
}

/* ---- when the drain has begun ---- */

static bool set_up_queued(void *argument, uint64_t random)
{
    struct threadless_state *state = argument;

    if (!threadless_open(state, random))
        return false;
    if (threadless_execute(state, 0) == GP_OK)
        return true;
    threadless_judge(state, &(struct outcome){{0}}, 0);
    threadless_tear_down(state);
    return false;
}

/* ---- the family ---- */

const struct scenario threadless_wait_races[] = {
    {
        .name = "threadless_wait/execute_against_wait",
        .description = "a task is given to an executor whose caller begins to wait: the caller "
                       "runs it, asleep or not",
        .invariants = "[THREADLESS-4]",
        .attacks = {THREADLESS, "gp__condition_signal(&threadless->arrived);"},
        .broken_by = "threadless-silent-put",
        .state_size = sizeof(struct threadless_state),
        .set_up = threadless_set_up,
        .actors = {{"wait", act_wait_for_one}, {"execute", act_execute_one}},
        .invariant = threadless_invariant,
        .arbiter = threadless_arbiter_of_one,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS}, {"the task", WHEREABOUTS}, {"the wait", DRAINED}},
        .outcomes =
            {
                {"closed, the task ran here, the wait came back", ACCEPTABLE, "whoever came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "threadless_wait/two_executes",
        .description = "two tasks are given to an executor whose caller waits: it runs one of them "
                       "or both, and the shared executor runs what comes too late",
        .invariants = "[THREADLESS-1] [THREADLESS-2]",
        .attacks = {THREADLESS, "set_state(threadless, status == GP_OK ? DRAINING : FINISHED);"},
        .broken_by = "threadless-waiting-while-draining",
        .state_size = sizeof(struct threadless_state),
        .set_up = threadless_set_up,
        .actors = {{"wait", act_wait},
                   {"execute", act_execute_one},
                   {"execute", act_execute_other}},
        .invariant = threadless_invariant,
        .arbiter = threadless_arbiter_of_two,
        .tear_down = threadless_tear_down,
        .slots =
            {{NULL, ENDS}, {"one", WHEREABOUTS}, {"the other", WHEREABOUTS}, {"the wait", DRAINED}},
        .outcomes =
            {
                {"closed, one ran here, the other ran here, the wait came back", ACCEPTABLE,
                 "both were there", MUST_OCCUR},
                {"closed, one ran here, the other ran elsewhere, the wait came back", ACCEPTABLE,
                 "the other came too late", MUST_OCCUR},
                {"closed, one ran elsewhere, the other ran here, the wait came back", ACCEPTABLE,
                 "the one came too late", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_wait/execute_against_the_end",
        .description = "a task is given to an executor whose caller drains it: the caller runs it, "
                       "or the shared executor does",
        .invariants = "[THREADLESS-1] [THREADLESS-2]",
        .attacks = {THREADLESS, "return threadless->state <= WAITING;"},
        .broken_by = "threadless-accepts-while-draining",
        .state_size = sizeof(struct threadless_state),
        .set_up = set_up_queued,
        .actors = {{"drain", act_wait}, {"execute", act_execute_other}},
        .invariant = threadless_invariant,
        .arbiter = threadless_arbiter_of_two,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS},
                  {"the first", WHEREABOUTS},
                  {"the second", WHEREABOUTS},
                  {"the wait", DRAINED}},
        .outcomes =
            {
                {"closed, the first ran here, the second ran here, the wait came back", ACCEPTABLE,
                 "it came before the drain", MUST_OCCUR},
                {"closed, the first ran here, the second ran elsewhere, the wait came back",
                 ACCEPTABLE, "it came during the drain, or after", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
