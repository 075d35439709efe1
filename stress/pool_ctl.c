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
 *   workers that ever was does not grow any more. That goes for one that comes without a task, too:
 *   it would leave at once, but it was there.
 *
 *   The count after the end. Two submit. One has looked at the state in time, is slow, and wants to
 *   see to a worker when the pool has ended; the other has queued its task just now, and not yet
 *   taken it back. That a task is queued is then no reason to reserve a worker: from TIDYING on
 *   the count stays zero [POOL-3].
 *
 *   The next task. A worker reads the state before it takes one. It may take one that shutdown_now
 *   would have handed back, if it has read too early; but not if it knows better, since the task
 *   that it has just run has seen the stop.
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

/* ---- execute against shutdown_now ---- */

static void act_submit_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
    job_submit(&state->jobs[1], state->pool);
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

static void act_prestart(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_prestart_core(state->pool);
}

/* Of a pool that was only shut down, idle workers may yet be entered. */
static void act_stop_now_and_count(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
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

/* ---- the task behind ---- */

static bool set_up_looking(void *argument, uint64_t random)
{
    struct looking_state *state = argument;

    looking_prepare(state);
    return ctl_open(&state->base, 1, random);
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
        .name = "pool_ctl/two_against_shutdown_now",
        .like = "pool_ctl/execute_against_shutdown_now",
        .description = "two execute while a pool is stopped, and one comes when it has ended: "
                       "nobody reserves a worker for that",
        .invariants = "[POOL-1] [POOL-3]",
        .attacks = {WORKER, "(gp__at_least(ctl, GP__STOP) || first_task != NULL ||"},
        .broken_by = "pool-reserves-after-the-end",
        .actors = {{"submit", act_submit_one},
                   {"submit too", act_submit_other},
                   {"shutdown_now", act_shutdown_now}},
        .outcomes =
            {
                {"the other lost", FORBIDDEN, "it is nowhere", MAY_OCCUR},
                {"the other met two fates", FORBIDDEN, "it is in two places", MAY_OCCUR},
                {"one rejected, closed, ...", ACCEPTABLE, "the stop came first", MUST_OCCUR},
                {"one handed back, closed, ...", ACCEPTABLE, "it was queued", MAY_OCCUR},
                {"one ran, closed, ...", ACCEPTABLE, "a worker was quick", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/get_against_shutdown_now",
        .description = "a task is submitted and waited for while the pool is stopped: the wait "
                       "ends, whatever becomes of the task",
        .invariants = "[POOL-1] [FUTURE-1] [TASK-2]",
        .attacks = {LIFECYCLE, "gp__queue_drain(pool->queue, &tasks); /* [LIFE-5] */"},
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
    {
        .name = "pool_ctl/prestart_against_stop",
        .description = "a worker without a task is being made while the pool is stopped: it is "
                       "entered before, or not at all",
        .invariants = "[WORKER-2] [POOL-5]",
        .attacks = {WORKER, "(!gp__at_least(ctl, GP__STOP) && worker->first_task == NULL)) {"},
        .broken_by = "pool-admits-idle-worker-after-stop",
        .state_size = sizeof(struct state),
        .set_up = set_up_core_1,
        .actors = {{"prestart", act_prestart}, {"stop", act_stop_now_and_count}},
        .invariant = pool_invariant,
        .arbiter = arbiter_counts_again,
        .tear_down = pool_tear_down,
        .slots = {{NULL, {"without a task"}},
                  {NULL, ENDS},
                  {"after the stop", {"nobody came", "a worker came"}}},
        .outcomes =
            {
                {"without a task, closed, after the stop nobody came", ACCEPTABLE,
                 "the worker was in time, or refused", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/stop_against_next_task",
        .description = "a pool is stopped while a task runs and another is queued: the worker "
                       "whose task has seen the stop does not take the other",
        .invariants = "[LIFE-3] [WORKER-7]",
        .attacks = {WORKER, "(gp__at_least(ctl, GP__STOP) || gp__pool_queue_is_empty(pool))) {"},
        .broken_by = "pool-worker-goes-on-after-stop",
        .state_size = sizeof(struct looking_state),
        .set_up = set_up_looking,
        .actors = {{"submit", act_submit_two}, {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_looking,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES},
                  {NULL, ENDS},
                  {"the other", FATES},
                  {"the one saw", {"no stop", "the stop"}}},
        .outcomes =
            {
                {"one ran, closed, the other ran, the one saw the stop", FORBIDDEN,
                 "its worker knew, and went on", MAY_OCCUR},
                {"one ran, closed, the other ran, the one saw no stop", ACCEPTABLE,
                 "the worker was quick", MAY_OCCUR},
                {"one ran, closed, the other handed back, ...", ACCEPTABLE,
                 "stopped while the first ran", MUST_OCCUR},
                {"one ran, closed, the other rejected, ...", ACCEPTABLE, "stopped between the two",
                 MAY_OCCUR},
                {"one rejected, closed, the other rejected, the one saw no stop", ACCEPTABLE,
                 "the stop came first", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_ctl/execute_against_shutdown",
                  "pool_ctl/execute_against_shutdown_on_conveyor", pool_choose_conveyor),
    SCENARIO_TWIN("pool_ctl/two_against_shutdown_now",
                  "pool_ctl/two_against_shutdown_now_on_conveyor", pool_choose_conveyor),
    SCENARIO_TWIN("pool_ctl/worker_against_stop", "pool_ctl/worker_against_stop_on_conveyor",
                  pool_choose_conveyor),
    SCENARIO_TWIN("pool_ctl/stop_against_next_task", "pool_ctl/stop_against_next_task_on_conveyor",
                  pool_choose_conveyor),
    {.name = NULL},
};
