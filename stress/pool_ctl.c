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
 *   Who ends it. Each event that may have been the last calls try_terminate: shutdown, stop, a
 *   worker that leaves, a task that is removed. All of them may find that nothing is left; one
 *   CAS decides who says TIDYING and runs the hook [LIFE-1]. And the last event has to be among
 *   them. If somebody removes the last task when the worker has seen it, but not yet tried to take
 *   it, the worker goes to sleep on an empty queue, and the shutdown's interrupt has long been
 *   spent. The remover has to wake it [LIFE-2]:
 *
 *        worker                        remover
 *        SHUTDOWN, queue not empty
 *                                      remove the last task
 *        take: wait                    try_terminate: a worker is there, interrupt it
 *        wake, SHUTDOWN, queue empty: leave
 *
 *   Who may free it. In Java the collector knows. Here await_termination says so, and may not say
 *   it while somebody, even the thread that called shutdown, is still on its way out [LIFE-4].
 *
 * The rest is about those who wait or are turned away: await_quiescence must not call a pool quiet
 * that has a task in its queue, the policies of rejection keep their word in a race, and of several
 * tasks of invoke_any that succeed at the same time one is the answer.
 *
 * Most of these pools have no core, so that a thread is made only if a task is accepted, and the
 * shutdown has a chance to come first.
 */
#include <stdatomic.h>

#include "stress/pool_support.h"
#include "stress/support.h"

#define LIFECYCLE "impl/pool/lifecycle.c"
#define POOL      "impl/pool/pool.c"
#define QUEUE     "impl/queue/queue.c"
#define REJECTION "impl/pool/rejection.c"
#define SUBMIT    "impl/pool/submit.c"
#define WORKER    "impl/pool/worker.c"

enum {
    JOBS = 8,
    MANY = 6, /* for a queue with room for one */
    HALF = 3  /* of them, for each of two submitters */
};

struct state {
    gp_pool *pool;
    struct job jobs[JOBS];
    uint64_t random;
    gp_future *go;       /* what a task waits for, in some scenarios */
    gp_thread *actor;    /* one that the scenario is about; to be compared */
    gp_thread *ended_by; /* who ran the terminated hook; likewise */
    int hooks;           /* how often it ran */
    int largest;         /* workers, when the pool had been stopped */
    atomic_int users;    /* who have not come back from await_termination */
    bool freed;          /* by the last of them */
    atomic_bool told;    /* somebody has done what the scenario says */
};

/* ---- shared ---- */

static bool open_pool(struct state *state, gp_pool_config *config, uint64_t random)
{
    state->random = random;
    config->time_tasks = false;
    return gp_pool_new(config, &state->pool) == GP_OK;
}

/* As many core workers as `core`, none of them started; at most one if that is none. */
static bool open_plain(struct state *state, int core, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = core;
    config.maximum_size = core ? core : 1;
    return open_pool(state, &config, random);
}

static bool set_up_core_0(void *argument, uint64_t random)
{
    return open_plain(argument, 0, random);
}

static bool set_up_core_1(void *argument, uint64_t random)
{
    return open_plain(argument, 1, random);
}

static bool set_up_core_2(void *argument, uint64_t random)
{
    return open_plain(argument, 2, random);
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    for (int i = 0; i < JOBS; i++)
        job_release(&state->jobs[i]);
    gp_future_release(state->go);
}

static int invariant(void *argument)
{
    struct state *state = argument;

    return gp_pool_check(state->pool);
}

/* ---- execute against shutdown ---- */

enum {
    TASK, /* the fate of the first one */
    CLOSE
};

static void act_submit(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
}

static void act_shutdown_and_await(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
    gp_pool_await_termination(state->pool, GP_FOREVER);
}

/* The fate of the first task; whether the pool could be closed. */
static void arbiter_of_one(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[TASK] = (unsigned char)job_fate(&state->jobs[0]);
}

/* ---- execute against shutdown_now ---- */

static void act_submit_two(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
    job_submit(&state->jobs[1], state->pool);
}

static void act_shutdown_now(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task_list unrun;

    (void)outcome;
    gp_pool_shutdown_now(state->pool, &unrun);
    jobs_hand_back(&unrun, false);
}

enum {
    SECOND = CLOSE + 1
};

static void arbiter_of_two(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[SECOND] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- a worker that comes too late ---- */

enum {
    LATER = CLOSE + 1
};

static int count_largest(struct state *state)
{
    gp_pool_stats stats;

    gp_pool_statistics(state->pool, &stats);
    return stats.largest;
}

static void act_stop_and_count(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    if (state->random & 1)
        gp_pool_shutdown(state->pool);
    else
        gp_pool_shutdown_now(state->pool, NULL);
    state->largest = count_largest(state);
}

static void arbiter_counts_again(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_pool_await_termination(state->pool, GP_FOREVER);
    outcome->slot[LATER] = count_largest(state) != state->largest;
    arbiter_of_one(state, outcome);
}

/* ---- shutdown against shutdown_now ---- */

enum {
    HOOK = CLOSE + 1
};

static void on_terminated(void *context)
{
    struct state *state = context;

    state->hooks++;
    state->ended_by = gp_thread_self();
}

static bool open_hooked(struct state *state, int core, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = core;
    config.hooks.terminated = on_terminated;
    config.hooks.context = state;
    return open_pool(state, &config, random);
}

static bool set_up_hooked(void *argument, uint64_t random)
{
    return open_hooked(argument, 0, random);
}

static bool set_up_hooked_core_1(void *argument, uint64_t random)
{
    return open_hooked(argument, 1, random);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    state->actor = gp_thread_self();
    gp_pool_shutdown(state->pool);
}

static void act_submit_and_shutdown(void *argument, struct outcome *outcome)
{
    act_submit(argument, outcome);
    act_shutdown(argument, outcome);
}

static void arbiter_of_hook(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[HOOK] = (unsigned char)state->hooks;
}

enum {
    HOOK_ALONE,
    HOOK_CLOSE,
    ENDED_BY
};

static void arbiter_of_empty_pool(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[HOOK_CLOSE] = !pool_end(&state->pool);
    outcome->slot[HOOK_ALONE] = (unsigned char)state->hooks;
    outcome->slot[ENDED_BY] = state->ended_by == state->actor;
}

/* ---- submit and get against shutdown_now ---- */

enum {
    GET = CLOSE + 1
};

static void act_submit_and_get(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    job_submit(&state->jobs[0], state->pool);
    outcome->slot[GET] = job_get(&state->jobs[0]);
}

static void act_shutdown_now_and_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task_list unrun;

    (void)outcome;
    gp_pool_shutdown_now(state->pool, &unrun);
    jobs_hand_back(&unrun, state->random & 1);
}

/* ---- remove against the last worker ---- */

enum {
    RAN_SOME,
    DROPPED_SOME,
    OTHERS,
    BACKLOG_CLOSE
};

static void await_go(void *context)
{
    gp_future_get(context, NULL);
}

static bool prepare_go(struct state *state)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    if (gp_future_new(&nothing, &state->go) != GP_OK)
        return false;
    state->jobs[0].body = await_go;
    state->jobs[0].context = state->go;
    return true;
}

/* One worker, whose task waits for `go`; the others are queued, and the pool is shut down. */
static bool set_up_backlog(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (!prepare_go(state))
        return false;
    if (!open_plain(state, 1, random)) {
        gp_future_release(state->go);
        return false;
    }
    bool ready = true;
    for (int i = 0; i < JOBS; i++)
        ready = ready && job_submit(&state->jobs[i], state->pool) == GP_OK;
    gp_pool_shutdown(state->pool);
    if (!ready) {
        gp_future_set(state->go, NULL);
        pool_end(&state->pool);
        tear_down(state);
    }
    return ready;
}

static void act_remove_from_the_back(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    if (state->random & 1)
        job_get(&state->jobs[1]); /* the worker has begun */
    for (int i = JOBS - 1; i > 1; i--)
        gp_pool_remove(state->pool, state->jobs[i].future);
}

static void act_go_and_await(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_set(state->go, NULL);
    gp_pool_await_termination(state->pool, GP_FOREVER);
}

static void arbiter_of_backlog(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int ran = 0;
    int removed = 0;

    outcome->slot[BACKLOG_CLOSE] = !pool_end(&state->pool);
    for (int i = 2; i < JOBS; i++) {
        enum fate fate = job_fate(&state->jobs[i]);
        ran += fate == RAN;
        removed += fate == CANCELLED;
    }
    outcome->slot[RAN_SOME] = ran > 0;
    outcome->slot[DROPPED_SOME] = removed > 0;
    outcome->slot[OTHERS] = ran + removed != JOBS - 2;
}

/* ---- await_termination, then free ---- */

enum {
    ONE,
    OTHER,
    FREE
};

static bool set_up_users(void *argument, uint64_t random)
{
    struct state *state = argument;

    atomic_init(&state->users, 2);
    return open_plain(state, 1, random);
}

/* Nobody else is inside await_termination when the last of them frees. */
static void await_and_leave(struct state *state, struct outcome *outcome, int slot)
{
    outcome->slot[slot] = gp_pool_await_termination(state->pool, GP_FOREVER) == GP_OK;
    if (atomic_fetch_sub(&state->users, 1) > 1)
        return;
    outcome->slot[FREE] = gp_pool_free(state->pool) == GP_OK ? 1 : 2;
    state->freed = outcome->slot[FREE] == 1;
}

static void act_await_one(void *argument, struct outcome *outcome)
{
    await_and_leave(argument, outcome, ONE);
}

static void act_await_other(void *argument, struct outcome *outcome)
{
    await_and_leave(argument, outcome, OTHER);
}

static void act_submit_and_end(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    if (state->random % 8 == 0)
        job_submit(&state->jobs[0], state->pool); /* a worker has to be joined, too */
    gp_pool_shutdown(state->pool);
}

static void arbiter_of_free(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    if (!state->freed)
        gp_pool_close(state->pool);
}

/* ---- await_quiescence against execute ---- */

enum {
    QUIET = CLOSE + 1,
    OWN,
    ANOTHER
};

static bool set_up_idle(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (!open_plain(state, (int)(random & 1), random))
        return false;
    gp_pool_prestart_core(state->pool);
    return true;
}

static void act_submit_and_settle(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    job_submit(&state->jobs[0], state->pool);
    outcome->slot[QUIET] = gp_pool_await_quiescence(state->pool, GP_FOREVER) != GP_OK;
    outcome->slot[OWN] = (unsigned char)state->jobs[0].runs;
    outcome->slot[ANOTHER] = atomic_load_explicit(&state->told, memory_order_relaxed);
}

static void act_submit_another(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[1], state->pool);
    atomic_store_explicit(&state->told, true, memory_order_relaxed); /* it guards nothing */
}

/* ---- rejection ---- */

enum {
    TOO_LATE,
    BY_CALLER,
    BY_WORKER,
    ASTRAY,
    CALLER_CLOSE
};

static bool open_narrow(struct state *state, gp_reject_fn *reject, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.rejection.reject = reject;
    if (gp_linked_new(1, &config.queue) != GP_OK)
        return false;
    if (open_pool(state, &config, random))
        return true;
    gp_queue_free(config.queue);
    return false;
}

static bool set_up_caller_runs(void *argument, uint64_t random)
{
    return open_narrow(argument, gp_reject_caller_runs, random);
}

static void act_submit_many(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    state->actor = gp_thread_self();
    for (int i = 0; i < MANY; i++) {
        bool down = atomic_load(&state->told);
        int status = job_submit(&state->jobs[i], state->pool);
        if (down && status == GP_OK)
            outcome->slot[TOO_LATE] = true;
    }
}

static void act_shutdown_and_tell(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
    atomic_store(&state->told, true);
}

static void arbiter_of_callers(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLER_CLOSE] = !pool_end(&state->pool);
    for (int i = 0; i < MANY; i++) {
        enum fate fate = job_fate(&state->jobs[i]);
        if (fate == RAN && state->jobs[i].runner == state->actor)
            outcome->slot[BY_CALLER] = 1;
        else if (fate == RAN)
            outcome->slot[BY_WORKER] = 1;
        else if (fate != REJECTED)
            outcome->slot[ASTRAY] = 1;
    }
}

static bool set_up_discard_oldest(void *argument, uint64_t random)
{
    return open_narrow(argument, gp_reject_discard_oldest, random);
}

static void submit_half(struct state *state, int first)
{
    for (int i = first; i < first + HALF; i++)
        job_submit(&state->jobs[i], state->pool);
    for (int i = first; i < first + HALF; i++)
        job_get(&state->jobs[i]);
}

static void act_submit_first_half(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_half(argument, 0);
}

static void act_submit_second_half(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_half(argument, HALF);
}

static void arbiter_of_discarded(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[BACKLOG_CLOSE] = !pool_end(&state->pool);
    for (int i = 0; i < MANY; i++) {
        enum fate fate = job_fate(&state->jobs[i]);
        if (fate == RAN)
            outcome->slot[RAN_SOME] = 1;
        else if (fate == CANCELLED)
            outcome->slot[DROPPED_SOME] = 1;
        else
            outcome->slot[OTHERS] = fate == REJECTED ? 1 : 2;
    }
}

/* ---- invoke_any ---- */

enum {
    ONE_GOT,
    OTHER_GOT,
    INVOKED,
    INVOKE_CLOSE
};

static unsigned char invoke_any(struct state *state, struct job *jobs)
{
    gp_callable callables[] = {job_callable(&jobs[0]), job_callable(&jobs[1])};
    void *result = NULL;
    int status = gp_pool_invoke_any(state->pool, callables, 2, GP_FOREVER, &result);

    if (status != GP_OK)
        return 3;
    return result == &jobs[0] ? 1 : result == &jobs[1] ? 2 : 3;
}

static void act_invoke_one(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ONE_GOT] = invoke_any(state, &state->jobs[0]);
}

static void act_invoke_other(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[OTHER_GOT] = invoke_any(state, &state->jobs[2]);
}

static void arbiter_of_invoked(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[INVOKE_CLOSE] = !pool_end(&state->pool);
    for (int i = 0; i < 4; i++)
        if (state->jobs[i].runs > 1 || state->jobs[i].ends != 1)
            outcome->slot[INVOKED] = 1;
}

/* ---- the family ---- */

const struct scenario pool_ctl_races[] = {
    {
        .name = "pool_ctl/execute_against_shutdown",
        .description = "a task is submitted while the pool shuts down: it is run or rejected, one "
                       "of them, and the pool ends",
        .invariants = "[POOL-1] [LIFE-1] [LIFE-2]",
        .attacks = {POOL, "if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back"},
        .broken_by = {POOL,
                      "if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back(pool, "
                      "task))",
                      "if (false)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_core_0,
        .actors = {{"submit", act_submit}, {"shutdown", act_shutdown_and_await}},
        .invariant = invariant,
        .arbiter = arbiter_of_one,
        .tear_down = tear_down,
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
        .broken_by = {POOL,
                      "if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back(pool, "
                      "task))",
                      "if (!gp__is_running(gp__pool_load_ctl(pool)) && (gp__pool_take_back(pool, "
                      "task), true))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_core_0,
        .actors = {{"submit", act_submit_two}, {"shutdown_now", act_shutdown_now}},
        .invariant = invariant,
        .arbiter = arbiter_of_two,
        .tear_down = tear_down,
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
        .name = "pool_ctl/worker_against_stop",
        .description = "a worker is being made while the pool is shut down or stopped: it is "
                       "entered before, or not at all",
        .invariants = "[WORKER-1] [WORKER-2] [POOL-5]",
        .attacks = {WORKER, "if (gp__is_running(ctl) || (!gp__at_least(ctl, GP__STOP)"},
        .broken_by = {WORKER,
                      "if (gp__is_running(ctl) || (!gp__at_least(ctl, GP__STOP) && "
                      "worker->first_task == NULL)) {",
                      "if (gp__at_least(ctl, GP__RUNNING)) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up_core_1,
        .actors = {{"submit", act_submit}, {"stop", act_stop_and_count}},
        .invariant = invariant,
        .arbiter = arbiter_counts_again,
        .tear_down = tear_down,
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
        .name = "pool_ctl/terminated_once",
        .description = "shutdown and shutdown_now both find nothing left to do: one of them ends "
                       "the pool, and the hook runs once",
        .invariants = "[LIFE-1] [POOL-3]",
        .attacks = {LIFECYCLE, "if (atomic_compare_exchange_strong(&pool->ctl, &ctl, gp__ctl_of"},
        .broken_by = {LIFECYCLE,
                      "if (atomic_compare_exchange_strong(&pool->ctl, &ctl, "
                      "gp__ctl_of(GP__TIDYING, 0))) {",
                      "if (atomic_store(&pool->ctl, gp__ctl_of(GP__TIDYING, 0)), true) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up_hooked,
        .actors = {{"shutdown", act_shutdown}, {"shutdown_now", act_shutdown_now}},
        .invariant = invariant,
        .arbiter = arbiter_of_empty_pool,
        .tear_down = tear_down,
        .slots = {{"the hook ran", {"never", "once", "twice"}},
                  {NULL, ENDS},
                  {"ended by", {"shutdown_now", "shutdown"}}},
        .outcomes =
            {
                {"the hook ran once, closed, ended by shutdown", ACCEPTABLE, "its CAS came first",
                 MUST_OCCUR},
                {"the hook ran once, closed, ended by shutdown_now", ACCEPTABLE,
                 "its CAS came first", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/shutdown_against_shutdown_now",
        .description = "a pool is shut down and stopped at once: its state goes forward only, the "
                       "task meets one fate, the hook runs once",
        .invariants = "[POOL-3] [LIFE-1] [LIFE-3]",
        .attacks = {LIFECYCLE, "while (!gp__at_least(ctl, target) &&"},
        .broken_by = {LIFECYCLE, "while (!gp__at_least(ctl, target) &&", "while (ctl != target &&"},
        .state_size = sizeof(struct state),
        .set_up = set_up_hooked_core_1,
        .actors = {{"submit, shutdown", act_submit_and_shutdown},
                   {"shutdown_now", act_shutdown_now}},
        .invariant = invariant,
        .arbiter = arbiter_of_hook,
        .tear_down = tear_down,
        .slots = {{"the task", FATES}, {NULL, ENDS}, {"the hook ran", {"never", "once", "twice"}}},
        .outcomes =
            {
                {"the task ran, closed, the hook ran once", ACCEPTABLE, "a worker had it in time",
                 MUST_OCCUR},
                {"the task rejected, closed, the hook ran once", ACCEPTABLE,
                 "the pool was stopped first", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/get_against_shutdown_now",
        .description = "a task is submitted and waited for while the pool is stopped: the wait "
                       "ends, whatever becomes of the task",
        .invariants = "[POOL-1] [FUTURE-1] [TASK-2]",
        .attacks = {LIFECYCLE, "gp_queue_drain(pool->queue, &tasks);"},
        .broken_by = {POOL,
                      "if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back(pool, "
                      "task))",
                      "if (gp__pool_load_ctl(pool) >> GP__COUNT_BITS == 0 && "
                      "gp__pool_take_back(pool, task))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_core_0,
        .actors = {{"submit, get", act_submit_and_get}, {"shutdown_now", act_shutdown_now_and_run}},
        .invariant = invariant,
        .arbiter = arbiter_of_one,
        .tear_down = tear_down,
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
        .name = "pool_ctl/remove_against_last_worker",
        .description = "the pool is shut down and its worker eats up the queue from the front, "
                       "another thread from the back: the worker learns that nothing is left",
        .invariants = "[LIFE-2] [LIFE-3]",
        .attacks = {POOL, "gp__try_terminate(pool); /* [LIFE-2]: who looked before"},
        .broken_by = {POOL,
                      "gp__try_terminate(pool); /* [LIFE-2]: who looked before saw the queue with "
                      "these in it */",
                      ""},
        .state_size = sizeof(struct state),
        .set_up = set_up_backlog,
        .actors = {{"remove", act_remove_from_the_back}, {"await", act_go_and_await}},
        .invariant = invariant,
        .arbiter = arbiter_of_backlog,
        .tear_down = tear_down,
        .slots = {{"ran", {"none", "some"}},
                  {"removed", {"none", "some"}},
                  {"others", {"none", "some"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"others some", FORBIDDEN, "a task neither ran nor was removed", MAY_OCCUR},
                {"ran some, removed some, closed", ACCEPTABLE, "they met half-way", MAY_OCCUR},
                {"ran none, removed some, closed", ACCEPTABLE, "the worker was slow", MAY_OCCUR},
                {"ran some, removed none, closed", ACCEPTABLE, "the remover was slow", MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/await_then_free",
        .description = "two threads await the end of a pool that a third is shutting down: both "
                       "are told, and the last to leave can free it",
        .invariants = "[LIFE-4] [WORKER-6]",
        .attacks = {LIFECYCLE, "if (pool->unjoined == 0 && pool->enders == 0) { /* [LIFE-4] */"},
        .broken_by = {LIFECYCLE, "if (pool->unjoined == 0 && pool->enders == 0) { /* [LIFE-4] */",
                      "if (pool->unjoined == 0) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up_users,
        .actors = {{"await", act_await_one},
                   {"await", act_await_other},
                   {"shutdown", act_submit_and_end}},
        .arbiter = arbiter_of_free,
        .tear_down = tear_down,
        .slots = {{"one was told", {"of trouble", "the end"}},
                  {"the other", {"of trouble", "the end"}},
                  {"free", {"was not called", "succeeded", "refused"}}},
        .outcomes =
            {
                {"one was told the end, the other the end, free succeeded", ACCEPTABLE,
                 "GP_OK of await_termination is the right to free", MUST_OCCUR},
                {"free refused", FORBIDDEN, "somebody was still at work on its end", MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/quiescence_against_execute",
        .description = "a thread submits a task and awaits quiescence while another submits: when "
                       "the pool is quiet the first task has run",
        .invariants = "[QUEUE-1] [POOL-1]",
        .attacks = {QUEUE, "(atomic_load(&queue->takers) < workers(context) || queue->class"},
        .broken_by = {QUEUE,
                      "(atomic_load(&queue->takers) < workers(context) || "
                      "queue->class->backlog(queue) > 0))",
                      "atomic_load(&queue->takers) < workers(context))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_idle,
        .actors = {{"submit, settle", act_submit_and_settle}, {"submit", act_submit_another}},
        .invariant = invariant,
        .arbiter = arbiter_of_one,
        .tear_down = tear_down,
        .slots = {{"the task", FATES},
                  {NULL, ENDS},
                  {"then", {"all was quiet", "there was trouble"}},
                  {"and it", {"had not run", "had run"}},
                  {"the other came", {"later", "before"}}},
        .outcomes =
            {
                {"and it had not run", FORBIDDEN, "a pool with a task in it is not quiet",
                 MAY_OCCUR},
                {"the task ran, closed, then all was quiet, and it had run, the other came before",
                 ACCEPTABLE, "then that one had run, too", MUST_OCCUR},
                {"the task ran, closed, then all was quiet, and it had run, the other came later",
                 ACCEPTABLE, "the pool was quiet between the two, or the other was on its way",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/caller_runs_against_shutdown",
        .description = "a saturated pool makes its submitter run tasks while it is shut down: once "
                       "it is, tasks are rejected",
        .invariants = "[POOL-1] [TASK-1]",
        .attacks = {REJECTION, "gp_task_run(task);"},
        .broken_by = {LIFECYCLE, "return gp__at_least(gp__pool_load_ctl(pool), GP__SHUTDOWN);",
                      "return gp__at_least(gp__pool_load_ctl(pool), GP__STOP);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_caller_runs,
        .actors = {{"submit", act_submit_many}, {"shutdown", act_shutdown_and_tell}},
        .invariant = invariant,
        .arbiter = arbiter_of_callers,
        .tear_down = tear_down,
        .slots = {{NULL, {"in time", "too late"}},
                  {"by the caller", {"none", "some"}},
                  {"by a worker", {"none", "some"}},
                  {"astray", {"none", "some"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"too late", FORBIDDEN, "accepted by a pool that was shut down", MAY_OCCUR},
                {"astray some", FORBIDDEN, "neither run nor rejected", MAY_OCCUR},
                {"by the caller some, by a worker some, closed", ACCEPTABLE,
                 "worker and queue were full, and the pool not yet shut down", MUST_OCCUR},
                {"by the caller none, by a worker some, closed", ACCEPTABLE,
                 "shut down before it was full, or the worker kept up", MUST_OCCUR},
                {"by the caller none, by a worker none, closed", ACCEPTABLE,
                 "the shutdown came first", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/discard_oldest_against_workers",
        .description = "two submitters press into a queue with room for one and drop each other's "
                       "oldest: whoever waits for a task learns its end",
        .invariants = "[TASK-1] [TASK-2] [POOL-1]",
        .attacks = {REJECTION, "gp_task_discard(oldest);"},
        .broken_by = {REJECTION, "gp_task_discard(oldest);", "gp_task_release(oldest);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_discard_oldest,
        .actors = {{"submit, get", act_submit_first_half}, {"submit, get", act_submit_second_half}},
        .invariant = invariant,
        .arbiter = arbiter_of_discarded,
        .tear_down = tear_down,
        .slots = {{"ran", {"none", "some"}},
                  {"dropped", {"none", "some"}},
                  {"others", {"none", "rejected", "went astray"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"others rejected", FORBIDDEN,
                 "this policy makes room, it rejects only what comes after a shutdown", MAY_OCCUR},
                {"others went astray", FORBIDDEN, "a task neither ran nor was cancelled",
                 MAY_OCCUR},
                {"ran some, dropped some, others none, closed", ACCEPTABLE, "the queue was full",
                 MUST_OCCUR},
                {"ran some, dropped none, others none, closed", ACCEPTABLE, "the worker kept up",
                 MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/invoke_any",
        .description = "two tasks of one call succeed at once, on two workers: one of them is the "
                       "answer, and the meeting point outlives both reports",
        .invariants = "[INVOKE-1] [INVOKE-2]",
        .attacks = {SUBMIT, "if (meeting->winner == NULL && gp_future_state_of(future)"},
        .broken_by = {SUBMIT,
                      "if (meeting->winner == NULL && gp_future_state_of(future) == GP_NORMAL)",
                      "if (gp_future_state_of(future) == GP_NORMAL)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_core_2,
        .actors = {{"invoke_any", act_invoke_one}, {"invoke_any", act_invoke_other}},
        .invariant = invariant,
        .arbiter = arbiter_of_invoked,
        .tear_down = tear_down,
        .slots = {{"one got", {"nothing", "the first", "the second", "nonsense"}},
                  {"the other", {"nothing", "the first", "the second", "nonsense"}},
                  {"tasks", {"ended once each", "not ended once each"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"one got nonsense", FORBIDDEN, "the answer is none of the two", MAY_OCCUR},
                {"one got nothing", FORBIDDEN, "both tasks succeed", MAY_OCCUR},
                {"the other nonsense", FORBIDDEN, "the answer is none of the two", MAY_OCCUR},
                {"the other nothing", FORBIDDEN, "both tasks succeed", MAY_OCCUR},
                {"one got the first, tasks ended once each, closed", ACCEPTABLE,
                 "it reported first", MUST_OCCUR},
                {"one got the second, tasks ended once each, closed", ACCEPTABLE,
                 "it reported first", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
