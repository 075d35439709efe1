/*
 * Those who wait for a pool, and those who are turned away by it.
 *
 *   Until it is quiet. await_quiescence must not call a pool quiet that has a task in its queue:
 *   who has submitted a task and then awaits quiescence finds that the task has run [QUEUE-1].
 *   A slot that is reserved for a worker counts as one that is busy; if there is no thread for it,
 *   whoever gives the slot back says so, or the one who waits has waited for nobody.
 *
 *   Turned away. A pool that is full, or shut down, asks its policy what becomes of the task. The
 *   policies keep their word in a race: "caller runs" makes the submitter run what a full pool
 *   cannot take, but nothing any more once the pool is shut down; "discard oldest" takes somebody
 *   else's task out of the queue and has to end it, since that somebody may be waiting for it:
 *
 *        submit A, get A               submit B
 *        into the queue, full
 *                                      full: take A out, discard it; queue B
 *        get: cancelled                without the discard it waits for ever
 *
 * Those who wait for several tasks at once are in pool_ctl_invoke.c.
 */
#include "stress/pool_ctl_support.h"
#include "stress/support.h"

#define LIFECYCLE "impl/pool/lifecycle.c"
#define QUEUE     "impl/queue/queue.c"
#define REJECTION "impl/pool/rejection.c"

enum {
    MANY = 6, /* jobs, for a queue with room for one */
    HALF = 3  /* of them, for each of two submitters */
};

struct state {
    struct pool_state base;
    gp_thread *actor; /* who submits; to be compared */
    atomic_bool told; /* somebody has done what the scenario says */
    gp_future *gate;  /* the first job waits for it; or NULL */
};

/* ---- await_quiescence against execute ---- */

enum {
    QUIET = CLOSE + 1,
    OWN,
    ANOTHER
};

static bool set_up_idle(void *argument, uint64_t random)
{
    struct pool_state *state = argument;

    if (!ctl_open(state, (int)(random & 1), random))
        return false;
    gp_pool_prestart_core(state->pool);
    return true;
}

static void act_submit_and_settle(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    job_submit(&state->base.jobs[0], state->base.pool);
    outcome->slot[QUIET] = gp_pool_await_quiescence(state->base.pool, GP_FOREVER) != GP_OK;
    outcome->slot[OWN] = (unsigned char)state->base.jobs[0].runs;
    outcome->slot[ANOTHER] = atomic_load_explicit(&state->told, memory_order_relaxed);
}

static void act_submit_another(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->base.jobs[1], state->base.pool);
    atomic_store_explicit(&state->told, true, memory_order_relaxed); /* it guards nothing */
}

/* Without a thread: these are the slots. */
enum {
    NONE_CLOSE,
    NONE_QUIET,
    NONE_STARTED
};

static int create_none(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    (void)context;
    (void)run;
    (void)argument;
    (void)out;
    return GP_EAGAIN;
}

static bool set_up_without_threads(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory.create = create_none;
    return pool_open(argument, &config, random);
}

static void act_prestart(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[NONE_STARTED] = gp_pool_prestart_core(state->pool) == GP_OK;
}

static void act_settle(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[NONE_QUIET] = insist_on_quiet(state->pool) != GP_OK;
}

static void arbiter_of_none(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[NONE_CLOSE] = !pool_end(&state->pool);
}

/* ---- rejection ---- */

static bool open_narrow(struct pool_state *state, gp_reject_fn *reject, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.rejection.reject = reject;
    if (gp_linked_new(1, &config.queue) != GP_OK)
        return false;
    if (pool_open(state, &config, random))
        return true;
    gp_queue_free(config.queue);
    return false;
}

/* ---- the caller runs ---- */

enum {
    TOO_LATE,
    BY_CALLER,
    BY_WORKER,
    ASTRAY,
    CALLER_CLOSE
};

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
        int status = job_submit(&state->base.jobs[i], state->base.pool);
        if (down && status == GP_OK)
            outcome->slot[TOO_LATE] = true;
    }
}

static void act_shutdown_and_tell(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->base.pool);
    atomic_store(&state->told, true);
}

static void arbiter_of_callers(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLER_CLOSE] = !pool_end(&state->base.pool);
    for (int i = 0; i < MANY; i++) {
        enum fate fate = job_fate(&state->base.jobs[i]);
        if (fate == RAN && state->base.jobs[i].runner == state->actor)
            outcome->slot[BY_CALLER] = 1;
        else if (fate == RAN)
            outcome->slot[BY_WORKER] = 1;
        else if (fate != REJECTED)
            outcome->slot[ASTRAY] = 1;
    }
}

/* ---- the oldest is dropped ---- */

enum {
    RAN_SOME,
    DROPPED_SOME,
    OTHERS,
    OLDEST_CLOSE
};

static bool set_up_discard_oldest(void *argument, uint64_t random)
{
    return open_narrow(argument, gp_reject_discard_oldest, random);
}

static void submit_half(struct pool_state *state, int first)
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
    struct pool_state *state = argument;

    outcome->slot[OLDEST_CLOSE] = !pool_end(&state->pool);
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

/* ---- the oldest is dropped while the pool is shut down ---- */

enum {
    SHUT_CLOSE,
    SHUT_ASTRAY,
    SHUT_DROPPED
};

static void wait_for_gate(void *argument)
{
    struct state *state = argument;

    gp_future_get(state->gate, NULL);
}

/* The worker is busy until the gate is opened, and the queue is full. */
static bool set_up_full(void *argument, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    struct state *state = argument;

    if (gp_future_new(&nothing, &state->gate) != GP_OK)
        return false;
    if (!open_narrow(&state->base, gp_reject_discard_oldest, random)) {
        gp_future_release(state->gate);
        return false;
    }
    state->base.jobs[0].body = wait_for_gate;
    state->base.jobs[0].context = state;
    job_submit(&state->base.jobs[0], state->base.pool);
    job_submit(&state->base.jobs[1], state->base.pool);
    return true;
}

static void act_submit_last(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[HALF - 1], state->pool);
}

static void act_open_and_shut_down(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_set(state->gate, NULL);
    gp_pool_shutdown(state->base.pool);
}

/* Nobody tells a worker that sleeps beside an empty queue, but who has emptied it. */
static void arbiter_awaits_end(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[SHUT_CLOSE] = gp_pool_await_termination(state->pool, GP_FOREVER) != GP_OK ||
                                gp_pool_free(state->pool) != GP_OK;
    for (int i = 0; i < HALF; i++) {
        enum fate fate = job_fate(&state->jobs[i]);
        if (fate == CANCELLED)
            outcome->slot[SHUT_DROPPED] = 1;
        else if (fate != RAN && fate != REJECTED)
            outcome->slot[SHUT_ASTRAY] = 1;
    }
}

static void tear_down_gate(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->gate);
}

/* ---- the family ---- */

const struct scenario pool_ctl_callers_races[] = {
    {
        .name = "pool_ctl/quiescence_against_execute",
        .description = "a thread submits a task and awaits quiescence while another submits: when "
                       "the pool is quiet the first task has run",
        .invariants = "[QUEUE-1] [POOL-1]",
        .attacks = {QUEUE, "return atomic_load(&queue->takers) - queue->strangers"},
        .broken_by = "quiet-ignores-backlog",
        .state_size = sizeof(struct state),
        .set_up = set_up_idle,
        .actors = {{"submit, settle", act_submit_and_settle}, {"submit", act_submit_another}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = pool_tear_down,
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
        .broken_by = "pool-shutdown-seen-as-stop",
        .state_size = sizeof(struct state),
        .set_up = set_up_caller_runs,
        .actors = {{"submit", act_submit_many}, {"shutdown", act_shutdown_and_tell}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_callers,
        .tear_down = pool_tear_down,
        .slots = {{NULL, {"in time", "too late"}},
                  {"by the caller", {"none", "some"}},
                  {"by a worker", {"none", "some"}},
                  {"astray", {"none", "some"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"too late", FORBIDDEN, "accepted by a pool that was shut down", MAY_OCCUR},
                {"astray some", FORBIDDEN, "neither run nor rejected", MAY_OCCUR},
                {"in time, by the caller some, by a worker some, astray none, closed", ACCEPTABLE,
                 "worker and queue were full, and the pool not yet shut down", MUST_OCCUR},
                {"in time, by the caller none, by a worker some, astray none, closed", ACCEPTABLE,
                 "shut down before it was full, or the worker kept up", MUST_OCCUR},
                {"in time, by the caller none, by a worker none, astray none, closed", ACCEPTABLE,
                 "the shutdown came first", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/discard_oldest_against_shutdown",
        .description = "a submitter drops the last task of the queue while the pool is shut down: "
                       "a worker that was kept by that task learns of it, and the pool ends",
        .invariants = "[LIFE-2] [LIFE-3]",
        .attacks = {REJECTION, "gp__try_terminate(pool); /* [LIFE-2] */"},
        .broken_by = "discard-oldest-ends-nothing",
        .state_size = sizeof(struct state),
        .set_up = set_up_full,
        .actors = {{"submit", act_submit_last}, {"open, shutdown", act_open_and_shut_down}},
        .arbiter = arbiter_awaits_end,
        .tear_down = tear_down_gate,
        .slots = {{NULL, ENDS}, {"astray", {"none", "some"}}, {"dropped", {"none", "some"}}},
        .outcomes =
            {
                {"astray some", FORBIDDEN, "neither run, nor dropped, nor rejected", MAY_OCCUR},
                {"closed, astray none, dropped some", ACCEPTABLE, "the queue was full", MUST_OCCUR},
                {"closed, astray none, dropped none", ACCEPTABLE,
                 "the worker kept up, or the shutdown came first", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/discard_oldest_against_workers",
        .description = "two submitters press into a queue with room for one and drop each other's "
                       "oldest: whoever waits for a task learns its end",
        .invariants = "[TASK-1] [TASK-2] [POOL-1]",
        .attacks = {REJECTION, "gp_task_discard(oldest);"},
        .broken_by = "rejection-drops-task-unended",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_discard_oldest,
        .actors = {{"submit, get", act_submit_first_half}, {"submit, get", act_submit_second_half}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_discarded,
        .tear_down = pool_tear_down,
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
        .name = "pool_ctl/quiescence_against_no_thread",
        .description = "a worker is asked for, and there is no thread for it, while somebody "
                       "awaits quiescence: the slot that was reserved is not waited for",
        .invariants = "[QUEUE-1] [WORKER-1]",
        .attacks = {"impl/pool/worker.c", "atomic_fetch_add(&pool->failed_reservations, 1);"},
        .broken_by = "failed-worker-nudges-nobody",
        .state_size = sizeof(struct state),
        .set_up = set_up_without_threads,
        .actors = {{"prestart_core", act_prestart}, {"await_quiescence", act_settle}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_none,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {NULL, {"quiet", "not quiet"}}, {"a worker", {"failed", "came"}}},
        .outcomes =
            {
                {"closed, quiet, a worker failed", ACCEPTABLE, "nobody was there, and nobody came",
                 MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_ctl/quiescence_against_execute",
                  "pool_ctl/quiescence_against_execute_on_conveyor", pool_choose_conveyor),
    SCENARIO_TWIN("pool_ctl/quiescence_against_no_thread",
                  "pool_ctl/quiescence_against_no_thread_on_conveyor", pool_choose_conveyor),
    {.name = NULL},
};
