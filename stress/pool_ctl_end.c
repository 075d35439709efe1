/*
 * Who ends a pool, and who may free it.
 *
 * A pool that is shut down ends when its queue is empty and its last worker has gone. Nobody is
 * appointed to notice that.
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
 *   it while somebody, even the thread that called shutdown, is still on its way out [LIFE-4]. Two
 *   may await the end. The first that is told has no right to free what the other is still inside
 *   of, and need not know of it: free refuses.
 *
 * What becomes of tasks that are submitted meanwhile is in pool_ctl.c.
 */
#include "stress/pool_ctl_support.h"
#include "stress/support.h"

#define LIFECYCLE "impl/pool/lifecycle.c"
#define POOL      "impl/pool/pool.c"

struct state {
    struct pool_state base;
    gp_future *go;       /* what somebody waits for, in some scenarios */
    gp_thread *actor;    /* who called shutdown; to be compared */
    gp_thread *ended_by; /* who ran the terminated hook; likewise */
    int hooks;           /* how often it ran */
    atomic_int users;    /* who have not come back from await_termination */
    bool freed;          /* by the last of them */
    bool awaiting;       /* somebody calls await_termination: there are threads from now on */
};

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->go);
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
    return pool_open(&state->base, &config, random);
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
    gp_pool_shutdown(state->base.pool);
}

static void act_submit_and_shutdown(void *argument, struct outcome *outcome)
{
    act_submit_one(argument, outcome);
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

    outcome->slot[HOOK_CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[HOOK_ALONE] = (unsigned char)state->hooks;
    outcome->slot[ENDED_BY] = state->ended_by == state->actor;
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
    state->base.jobs[0].body = await_go;
    state->base.jobs[0].context = state->go;
    return true;
}

/* One worker, whose task waits for `go`; the others are queued, and the pool is shut down. */
static bool set_up_backlog(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (!prepare_go(state))
        return false;
    if (!ctl_open(&state->base, 1, random)) {
        gp_future_release(state->go);
        return false;
    }
    bool ready = true;
    for (int i = 0; i < JOBS; i++)
        ready = ready && job_submit(&state->base.jobs[i], state->base.pool) == GP_OK;
    gp_pool_shutdown(state->base.pool);
    if (!ready) {
        gp_future_set(state->go, NULL);
        pool_end(&state->base.pool);
        tear_down(state);
    }
    return ready;
}

static void act_remove_from_the_back(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

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
    gp_pool_await_termination(state->base.pool, GP_FOREVER);
}

static void arbiter_of_backlog(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
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
    return ctl_open(&state->base, 1, random);
}

/* Nobody else is inside await_termination when the last of them frees. */
static void await_and_leave(struct state *state, struct outcome *outcome, int slot)
{
    outcome->slot[slot] = gp_pool_await_termination(state->base.pool, GP_FOREVER) == GP_OK;
    if (atomic_fetch_sub(&state->users, 1) > 1)
        return;
    outcome->slot[FREE] = gp_pool_free(state->base.pool) == GP_OK ? 1 : 2;
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
    struct pool_state *state = argument;

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
        gp_pool_close(state->base.pool);
}

/* ---- who frees it while shutdown is at work ---- */

/* Nobody has to leave: shutdown ends it at once. */
static bool set_up_without_workers(void *argument, uint64_t random)
{
    return ctl_open(argument, 0, random);
}

static void act_free(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    state->freed = gp_pool_free(state->base.pool) == GP_OK;
    outcome->slot[FREE] = state->freed;
}

static void arbiter_of_freed(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (!state->freed)
        outcome->slot[CLOSE] = !pool_end(&state->base.pool);
}

/* ---- who frees it while another is on its way out of await_termination ---- */

static int create_for_awaiting(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;

    return state->awaiting ? gp_thread_new(NULL, run, argument, out) : GP_EAGAIN;
}

/* One task, which came by the queue, and no worker for it, not even at the shutdown: it runs when
   somebody awaits the end. */
static bool open_unattended(struct state *state, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory = (gp_thread_factory){create_for_awaiting, state};
    if (gp_linked_new(1, &config.queue) != GP_OK)
        return false;
    if (!pool_open(&state->base, &config, random)) {
        gp_queue_free(config.queue);
        return false;
    }
    bool ready = gp_queue_offer(config.queue, gp_future_task(state->go)) == GP_OK;
    if (ready)
        gp_future_retain(state->go); /* nobody runs it yet */
    gp_pool_shutdown(state->base.pool);
    if (!ready)
        gp_pool_free(state->base.pool);
    return ready;
}

static bool set_up_unattended(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (!prepare_go(state))
        return false;
    if (open_unattended(state, random))
        return true;
    gp_future_release(state->go);
    return false;
}

static void act_await(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    state->awaiting = true;
    outcome->slot[ONE] = gp_pool_await_termination(state->base.pool, GP_FOREVER) == GP_OK;
}

static void act_await_other_and_free(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    insist_on_get(state->go); /* the other is inside */
    outcome->slot[OTHER] = gp_pool_await_termination(state->base.pool, GP_FOREVER) == GP_OK;
    act_free(state, outcome);
}

/* ---- the family ---- */

const struct scenario pool_ctl_end_races[] = {
    {
        .name = "pool_ctl/terminated_once",
        .description = "shutdown and shutdown_now both find nothing left to do: one of them ends "
                       "the pool, and the hook runs once",
        .invariants = "[LIFE-1] [POOL-3]",
        .attacks = {LIFECYCLE, "if (atomic_compare_exchange_strong(&pool->ctl, &ctl, gp__ctl_of"},
        .broken_by = "pool-tidying-plain-store",
        .state_size = sizeof(struct state),
        .set_up = set_up_hooked,
        .actors = {{"shutdown", act_shutdown}, {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
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
        .broken_by = "pool-run-state-plain-store",
        .state_size = sizeof(struct state),
        .set_up = set_up_hooked_core_1,
        .actors = {{"submit, shutdown", act_submit_and_shutdown},
                   {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
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
        .name = "pool_ctl/remove_against_last_worker",
        .description = "the pool is shut down and its worker eats up the queue from the front, "
                       "another thread from the back: the worker learns that nothing is left",
        .invariants = "[LIFE-2] [LIFE-3]",
        .attacks = {POOL, "gp__try_terminate(pool); /* [LIFE-2]: an earlier look"},
        .broken_by = "pool-removal-wakes-nobody",
        .state_size = sizeof(struct state),
        .set_up = set_up_backlog,
        .actors = {{"remove", act_remove_from_the_back}, {"await", act_go_and_await}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_backlog,
        .tear_down = tear_down,
        .slots = {{"ran", {"none", "some"}},
                  {"removed", {"none", "some"}},
                  {"others", {"none", "some"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"others some", FORBIDDEN, "a task neither ran nor was removed", MAY_OCCUR},
                {"ran some, removed some, others none, closed", ACCEPTABLE, "they met half-way",
                 MUST_OCCUR},
                {"ran none, removed some, others none, closed", ACCEPTABLE, "the worker was slow",
                 MAY_OCCUR},
                {"ran some, removed none, others none, closed", ACCEPTABLE, "the remover was slow",
                 MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/await_then_free",
        .description = "two threads await the end of a pool that a third is shutting down: both "
                       "are told, and the last to leave can free it",
        .invariants = "[LIFE-4] [WORKER-6]",
        .attacks = {LIFECYCLE, "if (pool->unjoined == 0 && pool->enders == 0) { /* [LIFE-4] */"},
        .broken_by = "pool-await-ignores-enders",
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
        .name = "pool_ctl/free_against_shutdown",
        .description = "a pool is freed as soon as it has ended, while the one who has shut it "
                       "down is on its way out: freeing is refused until that one is out",
        .invariants = "[LIFE-4]",
        .attacks = {LIFECYCLE, "ended = ended && pool->unjoined == 0 && pool->enders == 0"},
        .broken_by = "pool-freed-under-shutdown",
        .state_size = sizeof(struct state),
        .set_up = set_up_without_workers,
        .actors = {{"shutdown", act_shutdown}, {"free", act_free}},
        .arbiter = arbiter_of_freed,
        .tear_down = tear_down,
        .slots = {{"free", {"was refused", "succeeded"}}, {NULL, ENDS}},
        .outcomes =
            {
                {"free was refused, closed", ACCEPTABLE, "it had not ended, or not quite",
                 MUST_OCCUR},
                {"free succeeded, closed", ACCEPTABLE, "shutdown was done", MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/free_against_await",
        .description = "two threads await the end of a pool, and one of them frees it when it is "
                       "told: refused until the other is out",
        .invariants = "[LIFE-4]",
        .attacks = {LIFECYCLE, "pool->enders == 0 && pool->watchers == 0;"},
        .broken_by = "pool-freed-under-watcher",
        .state_size = sizeof(struct state),
        .set_up = set_up_unattended,
        .actors = {{"await", act_await}, {"await, free", act_await_other_and_free}},
        .arbiter = arbiter_of_free,
        .tear_down = tear_down,
        .slots = {{"one was told", {"of trouble", "the end"}},
                  {"the other", {"of trouble", "the end"}},
                  {"free", {"was refused", "succeeded"}}},
        .outcomes =
            {
                {"one was told the end, the other the end, free succeeded", ACCEPTABLE,
                 "one was out", MUST_OCCUR},
                {"one was told the end, the other the end, free was refused", ACCEPTABLE,
                 "one had been told, or was about to be, and had not left", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_ctl/remove_against_last_worker",
                  "pool_ctl/remove_against_last_worker_on_conveyor", pool_choose_conveyor),
    {.name = NULL},
};
