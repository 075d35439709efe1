/*
 * How a pool ends, and what becomes of its tasks.
 *
 * One word, ctl, has the run state of a pool and the number of its workers. There is no lock around
 * "the pool is running, so I queue my task"; instead everybody looks twice. Who submits looks at
 * the state, queues the task, and looks again. Who ends the pool sets the state and then looks at
 * the queue. One of the two sees the other [POOL-1]:
 *
 *        execute                       shutdown
 *        running
 *                                      ctl = SHUTDOWN
 *                                      queue empty, no worker: TIDYING, TERMINATED
 *        offer
 *        running? no: take it back, reject it
 *
 *   Without the last line the task is accepted, and nobody is left to run it (JDK-6440728). With it
 *   another mistake is possible: the task that is to be taken back may be gone, because a worker
 *   has it, or shutdown_now has just handed it to its caller. Who could not take it back has to
 *   leave it alone: each task meets one fate. It is run, or handed back, or rejected, and its
 *   argument is destroyed once.
 *
 *   A worker on the way. Making a thread takes long, and the pool may be stopped meanwhile. A
 *   worker that entered the set after shutdown_now has gone through it would never be interrupted
 *   (JDK-6523756). So the state is read again under main_lock, where shutdown_now changes it
 *   [WORKER-2]. From outside this is visible: once shutdown_now has returned, the largest number of
 *   workers that ever was does not grow any more.
 *
 * Most of these pools have no core, so that a thread is made only if a task is accepted, and the
 * shutdown has a chance to come first. Who ends a pool, and who may free it, is in pool_ctl_end.c;
 * those who wait for a pool or are turned away by it are in pool_ctl_callers.c.
 */
#include "stress/pool_ctl_support.h"

#define LIFECYCLE "impl/pool/lifecycle.c"
#define POOL      "impl/pool/pool.c"
#define WORKER    "impl/pool/worker.c"

struct state {
    struct pool_state base;
    int largest; /* workers, when the pool had been stopped */
};

static bool set_up_core_0(void *argument, uint64_t random)
{
    return ctl_open(argument, 0, random);
}

static bool set_up_core_1(void *argument, uint64_t random)
{
    return ctl_open(argument, 1, random);
}

/* ---- execute against shutdown ---- */

static void act_shutdown_and_await(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
    gp_pool_await_termination(state->pool, GP_FOREVER);
}

/* ---- execute against shutdown_now ---- */

enum {
    SECOND = CLOSE + 1
};

static void act_submit_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
    job_submit(&state->jobs[1], state->pool);
}

static void arbiter_of_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[SECOND] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- submit and get against shutdown_now ---- */

enum {
    GET = CLOSE + 1
};

static void act_submit_and_get(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    job_submit(&state->jobs[0], state->pool);
    outcome->slot[GET] = job_get(&state->jobs[0]);
}

static void act_shutdown_now_and_run(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
    gp_task_list unrun;

    (void)outcome;
    gp_pool_shutdown_now(state->pool, &unrun);
    jobs_hand_back(&unrun, state->random & 1);
}

/* ---- a worker that comes too late ---- */

enum {
    LATER = CLOSE + 1
};

static int count_largest(struct pool_state *state)
{
    gp_pool_stats stats;

    gp_pool_statistics(state->pool, &stats);
    return stats.largest;
}

static void act_stop_and_count(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    if (state->base.random & 1)
        gp_pool_shutdown(state->base.pool);
    else
        gp_pool_shutdown_now(state->base.pool, NULL);
    state->largest = count_largest(&state->base);
}

static void arbiter_counts_again(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_pool_await_termination(state->base.pool, GP_FOREVER);
    outcome->slot[LATER] = count_largest(&state->base) != state->largest;
    arbiter_of_one(state, outcome);
}

/* ---- the family ---- */

const struct scenario pool_ctl_races[] = {
    {
        .name = "pool_ctl/execute_against_shutdown",
        .description = "a task is submitted while the pool shuts down: it is run or rejected, one "
                       "of them, and the pool ends",
        .invariants = "[POOL-1] [LIFE-1] [LIFE-2]",
        .attacks = {POOL, "if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back"},
        .broken_by = "pool-no-recheck-after-offer",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_core_0,
        .actors = {{"submit", act_submit_one}, {"shutdown", act_shutdown_and_await}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = pool_tear_down,
        .slots = {{"the task", FATES}, {NULL, ENDS}},
        .outcomes =
            {
                {"the task ran, closed", ACCEPTABLE, "it was in the queue in time", MUST_OCCUR},
                {"the task rejected, closed", ACCEPTABLE, "the shutdown came first", MUST_OCCUR},
                {"the task cancelled", FORBIDDEN,
                 "accepted and stranded: only freeing the pool has ended it", MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/execute_against_shutdown_now",
        .description = "two tasks are submitted while the pool is stopped: each is run, handed "
                       "back or rejected, one of them",
        .invariants = "[POOL-1] [TASK-1] [TASK-2]",
        .attacks = {POOL, "if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back"},
        .broken_by = "pool-take-back-result-ignored",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_core_0,
        .actors = {{"submit", act_submit_two}, {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_two,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES}, {NULL, ENDS}, {"the other", FATES}},
        .outcomes =
            {
                {"one ran, closed, the other ran", ACCEPTABLE, "a worker was quick", MAY_OCCUR},
                {"one ran, closed, the other handed back", ACCEPTABLE,
                 "stopped while the first ran", MAY_OCCUR},
                {"one ran, closed, the other rejected", ACCEPTABLE, "stopped between the two",
                 MAY_OCCUR},
                {"one handed back, closed, the other handed back", ACCEPTABLE,
                 "stopped before a worker came", MAY_OCCUR},
                {"one handed back, closed, the other rejected", ACCEPTABLE,
                 "stopped between the two", MUST_OCCUR},
                {"one handed back, closed, the other ran", INTERESTING,
                 "offered after the draining, and the worker had had its look at the state",
                 MAY_OCCUR},
                {"one rejected, closed, the other rejected", ACCEPTABLE, "the stop came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/get_against_shutdown_now",
        .description = "a task is submitted and waited for while the pool is stopped: the wait "
                       "ends, whatever becomes of the task",
        .invariants = "[POOL-1] [FUTURE-1] [TASK-2]",
        .attacks = {LIFECYCLE, "gp_queue_drain(pool->queue, &tasks);"},
        .broken_by = "pool-recheck-misses-stop",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_core_0,
        .actors = {{"submit, get", act_submit_and_get}, {"shutdown_now", act_shutdown_now_and_run}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = pool_tear_down,
        .slots = {{"the task", FATES}, {NULL, ENDS}, {"get gave", GOTTEN}},
        .outcomes =
            {
                {"the task ran, closed, get gave a result", ACCEPTABLE,
                 "by a worker, or by who had stopped the pool and got it back", MUST_OCCUR},
                {"the task handed back, closed, get gave a cancellation", ACCEPTABLE,
                 "who got it back discarded it", MUST_OCCUR},
                {"the task rejected, closed, get gave nothing", ACCEPTABLE, "the stop came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/worker_against_stop",
        .description = "a worker is being made while the pool is shut down or stopped: it is "
                       "entered before, or not at all",
        .invariants = "[WORKER-1] [WORKER-2] [POOL-5]",
        .attacks = {WORKER, "(!gp__at_least(ctl, GP__STOP) && worker->first_task == NULL)) {"},
        .broken_by = "pool-admits-worker-after-stop",
        .state_size = sizeof(struct state),
        .set_up = set_up_core_1,
        .actors = {{"submit", act_submit_one}, {"stop", act_stop_and_count}},
        .invariant = pool_invariant,
        .arbiter = arbiter_counts_again,
        .tear_down = pool_tear_down,
        .slots = {{"the task", FATES},
                  {NULL, ENDS},
                  {"after the stop", {"nobody came", "a worker came"}}},
        .outcomes =
            {
                {"after the stop a worker came", FORBIDDEN,
                 "nobody interrupts a worker that is entered after the stop", MAY_OCCUR},
                {"the task ran, closed, after the stop nobody came", ACCEPTABLE,
                 "its worker was entered in time", MUST_OCCUR},
                {"the task rejected, closed, after the stop nobody came", ACCEPTABLE,
                 "the stop came first, or while the worker was being made", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
