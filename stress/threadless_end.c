/*
 * How a wait ends otherwise: by time, by an interrupt, by somebody else's drain, by a task that
 * ends the thread; and how the executor ends.
 *
 *        drain                               execute
 *        the list is empty; asleep
 *        woken: the time is up
 *                                            put it in the list, signal
 *        the lock again: am I signalled?
 *
 * Who gives up waiting says so in the step in which it sees that there is nothing. What comes later
 * goes to the shared executor: upstream it stays in the queue, and nobody comes for it.
 */
#include <pthread.h> /* pthread_exit */

#include "stress/threadless_support.h"
#include "stress/victim.h"

#define CONDITION "impl/sync/condition.c"
#define A_MOMENT  INT64_C(50000)

/* ---- by time ---- */

enum {
    WAIT = OTHER_JOB
};

static void act_wait_a_moment(void *argument, struct outcome *outcome)
{
    outcome->slot[WAIT] = threadless_wait_for(argument, A_MOMENT);
}

static void act_wait_and_announce(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    outcome->slot[WAIT] = threadless_wait_for(state, A_MOMENT);
    gp_future_set(state->answer, NULL);
}

static void act_execute_when_announced(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    (void)outcome;
    gp_future_get(state->answer, NULL);
    threadless_execute(state, 0);
}

/* ---- by an interrupt ---- */

struct interrupted_state {
    struct threadless_state base;
    struct victim victim;
};

enum {
    FLAG = WAIT + 1
};

static void act_wait_as_victim(void *argument, struct outcome *outcome)
{
    struct interrupted_state *state = argument;

    victim_stand(&state->victim);
    outcome->slot[WAIT] = threadless_wait(&state->base);
    outcome->slot[FLAG] = victim_leave(&state->victim);
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    struct interrupted_state *state = argument;

    (void)outcome;
    victim_interrupt(&state->victim);
}

/* ---- by another drain ---- */

enum {
    ONE_WAIT = WAIT,
    OTHER_WAIT
};

static void act_drain(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    outcome->slot[ONE_WAIT] = gp_threadless_wait_and_drain(state->threadless) != GP_OK;
}

static void act_drain_too(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    outcome->slot[OTHER_WAIT] = gp_threadless_wait_and_drain(state->threadless) != GP_OK;
}

static void arbiter_of_drains(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    threadless_judge(state, outcome, 0);
    outcome->slot[ONE_JOB] = (unsigned char)job_fate(&state->base.jobs[0]);
}

/* ---- by a task ---- */

enum {
    CALLER,
    KILLER,
    BEHIND
};

enum {
    BEHIND_IT = ONE_JOB,
    KILLED,
    CALL
};

static void make_call(void *context)
{
    threadless_wait(context);
}

static void end_thread(void *unused)
{
    (void)unused;
    pthread_exit(NULL);
}

static bool set_up_call(void *argument, uint64_t random)
{
    struct threadless_state *state = argument;

    if (!threadless_open(state, random))
        return false;
    state->base.jobs[CALLER].body = make_call;
    state->base.jobs[CALLER].context = state;
    state->base.jobs[KILLER].body = end_thread;
    return true;
}

static void act_call(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    job_submit(&state->base.jobs[CALLER], state->base.pool);
    outcome->slot[CALL] = job_get(&state->base.jobs[CALLER]);
}

static void act_execute_killer(void *argument, struct outcome *outcome)
{
    (void)outcome;
    threadless_execute(argument, KILLER);
    threadless_execute(argument, BEHIND);
}

static void arbiter_of_call(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    threadless_judge(state, outcome, 0);
    outcome->slot[BEHIND_IT] = threadless_whereabouts(state, BEHIND);
    outcome->slot[KILLED] = threadless_whereabouts(state, KILLER);
}

/* ---- the last handle ---- */

static bool set_up_handles(void *argument, uint64_t random)
{
    struct threadless_state *state = argument;

    if (!threadless_open(state, random))
        return false;
    gp_threadless_retain(state->threadless);
    return true;
}

static void act_execute_and_release(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    (void)outcome;
    threadless_execute(state, 0);
    gp_threadless_release(state->threadless);
}

static void act_release(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    (void)outcome;
    gp_threadless_release(state->threadless);
}

static void act_wait_and_release(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    outcome->slot[WAIT] = threadless_wait(state);
    gp_threadless_release(state->threadless);
}

static void arbiter_of_handles(void *argument, struct outcome *outcome)
{
    struct threadless_state *state = argument;

    state->threadless = NULL;
    threadless_judge(state, outcome, 1);
}

/* ---- the family ---- */

const struct scenario threadless_end_races[] = {
    {
        .name = "threadless_end/timeout_against_execute",
        .description = "a task is given to an executor whose caller gives up waiting: the caller "
                       "runs it, or the shared executor does",
        .invariants = "[THREADLESS-1] [CONDITION-2]",
        .attacks = {CONDITION, "return GP_OK;                 /* [CONDITION-2] */"},
        .broken_by = "condition-signal-swallowed",
        .state_size = sizeof(struct threadless_state),
        .set_up = threadless_set_up,
        .actors = {{"wait", act_wait_a_moment}, {"execute", act_execute_one}},
        .invariant = threadless_invariant,
        .arbiter = threadless_arbiter_of_one,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS}, {"the task", WHEREABOUTS}, {"the wait", DRAINED}},
        .outcomes =
            {
                {"closed, the task ran here, the wait came back", ACCEPTABLE, "it came in time",
                 MUST_OCCUR},
                {"closed, the task ran elsewhere, the wait timed out", ACCEPTABLE,
                 "it came too late", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_end/execute_after_timeout",
        .like = "threadless_end/timeout_against_execute",
        .description = "the answer comes when the caller has given up: the caller did not wait "
                       "longer than it said (dubbo #12484), and the shared executor runs it",
        .invariants = "[THREADLESS-2] [THREADLESS-3]",
        .attacks = {THREADLESS,
                    "gp__condition_wait(&threadless->arrived, &threadless->lock, deadline)"},
        .broken_by = "threadless-untimed-wait",
        .actors = {{"wait", act_wait_and_announce}, {"execute", act_execute_when_announced}},
        .outcomes =
            {
                {"closed, the task ran elsewhere, the wait timed out", ACCEPTABLE,
                 "the wait has ended by itself", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_end/interrupt_against_execute",
        .description = "a caller that waits is interrupted while a task comes: it runs the task "
                       "and keeps the flag, or the shared executor runs it",
        .invariants = "[THREADLESS-1] [THREADLESS-3]",
        .attacks = {THREADLESS, "set_state(threadless, status == GP_OK ? DRAINING : FINISHED);"},
        .broken_by = "threadless-reopened-by-interrupt",
        .state_size = sizeof(struct interrupted_state),
        .set_up = threadless_set_up,
        .actors = {{"wait", act_wait_as_victim},
                   {"interrupt", act_interrupt},
                   {"execute", act_execute_one}},
        .invariant = threadless_invariant,
        .arbiter = threadless_arbiter_of_one,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS},
                  {"the task", WHEREABOUTS},
                  {"the wait", DRAINED},
                  {"the flag", {"is down", "is up"}}},
        .outcomes =
            {
                {"closed, the task ran here, the wait came back, the flag is up", ACCEPTABLE,
                 "the task came first", MUST_OCCUR},
                {"closed, the task ran elsewhere, the wait was interrupted, the flag is down",
                 ACCEPTABLE, "the interrupt came first", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_end/second_drain_against_the_first",
        .description = "two threads drain an executor that gets one task: one of them runs it, and "
                       "the other comes back at once",
        .invariants = "[THREADLESS-3]",
        .attacks = {THREADLESS, "bool first = threadless->state == OPEN;"},
        .broken_by = "threadless-second-drain-waits",
        .state_size = sizeof(struct threadless_state),
        .set_up = threadless_set_up,
        .actors = {{"drain", act_drain}, {"drain", act_drain_too}, {"execute", act_execute_one}},
        .invariant = threadless_invariant,
        .arbiter = arbiter_of_drains,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS},
                  {"the task", FATES},
                  {"one drain", {"came back", "found it busy"}},
                  {"the other", {"came back", "found it busy"}}},
        .outcomes =
            {
                {"closed, the task ran, one drain came back, the other found it busy", ACCEPTABLE,
                 "the one was first", MUST_OCCUR},
                {"closed, the task ran, one drain found it busy, the other came back", ACCEPTABLE,
                 "the other was first", MUST_OCCUR},
                {"closed, the task ran, one drain came back, the other came back", ACCEPTABLE,
                 "the second came when all was over", MAY_OCCUR},
            },
    },
    {
        .name = "threadless_end/first_task_ends_its_thread",
        .description = "the first of two tasks ends the thread that drains: the second is run by "
                       "the shared executor",
        .invariants = "[THREADLESS-1] [THREADLESS-5]",
        .attacks = {THREADLESS, "pthread_cleanup_push(end_drain, drain);"},
        .broken_by = "threadless-unguarded-first-task",
        .state_size = sizeof(struct threadless_state),
        .set_up = set_up_call,
        .actors = {{"call", act_call}, {"execute", act_execute_killer}},
        .invariant = threadless_invariant,
        .arbiter = arbiter_of_call,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS},
                  {"the second", WHEREABOUTS},
                  {"the first", WHEREABOUTS},
                  {"the call got", GOTTEN}},
        .outcomes =
            {
                {"closed, the second ran elsewhere, the first ran here, the call got a failure",
                 ACCEPTABLE, "handed on, or sent there at once", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_end/release_against_release",
        .description = "nobody waits, and both sides give up an executor that has a task: the task "
                       "is discarded once, whoever is last",
        .invariants = "[THREADLESS-1]",
        .attacks = {THREADLESS, "atomic_fetch_sub_explicit(&threadless->refs, 1, "
                                "memory_order_acq_rel)"},
        .broken_by = "threadless-relaxed-last-release",
        .state_size = sizeof(struct threadless_state),
        .set_up = set_up_handles,
        .actors = {{"execute, release", act_execute_and_release}, {"release", act_release}},
        .arbiter = arbiter_of_handles,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS}, {"the task", WHEREABOUTS}},
        .outcomes =
            {
                {"closed, the task was discarded", ACCEPTABLE, "by whoever was last", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_end/release_against_execute",
        .description = "a caller runs its task and gives up its handle while the one who gave it "
                       "the task is still inside execute: each has a handle of its own",
        .invariants = "[THREADLESS-1] [THREADLESS-4]",
        .attacks = {THREADLESS, "atomic_fetch_add_explicit(&threadless->refs, 1, "
                                "memory_order_relaxed);"},
        .broken_by = "threadless-uncounted-handle",
        .state_size = sizeof(struct threadless_state),
        .set_up = set_up_handles,
        .actors = {{"wait, release", act_wait_and_release},
                   {"execute, release", act_execute_and_release}},
        .arbiter = arbiter_of_handles,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS}, {"the task", WHEREABOUTS}, {"the wait", DRAINED}},
        .outcomes =
            {
                {"closed, the task ran here, the wait came back", ACCEPTABLE,
                 "whoever was the last to let go", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
