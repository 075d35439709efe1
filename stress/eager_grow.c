/*
 * When an eager pool starts a worker, and when it leaves a task to those it has.
 *
 * Its queue says that it is full while there may be more workers, and decides by two numbers that
 * others change meanwhile: the tasks and the workers.
 *
 *        submit                              a worker, idle
 *                                            time is up, queue empty
 *        workers 2, as many as may be
 *        offer
 *                                            workers 1: leave
 *
 *   The only worker that is left is busy, perhaps for long; perhaps with a task that waits for this
 *   one. In Java the task waits. Here both look again at the numbers when they are done, and the
 *   last one sees what the other did [EAGER-3].
 *
 *   Room for a worker that is not used. A worker that cannot be created, or that another caller was
 *   quicker to start, leaves a task without a place. It is queued after all [EAGER-4], and then the
 *   same look is due.
 *
 *        submit A                            submit B
 *                                            workers 2, as many as may be
 *        offer
 *        workers 2: nothing to do
 *                                            no thread: workers 1
 *                                            the queue is full: rejected
 *
 *   A has relied on a worker that never was. So B looks, too, though it has queued nothing.
 *
 *   A worker for a task that has one. Two callers start a worker each, with their task as its
 *   first: both tasks are counted, and one of the workers not yet. Who looks in that moment sees a
 *   task too many, but none in the queue.
 */
#include "stress/eager_support.h"

/* ---- submit against submit ---- */

enum {
    WORKERS = ONE
};

/* Both tasks stay with their workers. */
static bool set_up_holding(struct eager_state *state, int core_size, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    eager_hold(state, 0);
    eager_hold(state, 1);
    config.core_size = core_size;
    config.keep_alive = AN_HOUR;
    if (eager_open_gate(state) && eager_open(state, &config, 4, 2, random))
        return true;
    eager_tear_down(state);
    return false;
}

static bool set_up_idle(void *argument, uint64_t random)
{
    struct eager_state *state = argument;

    if (!set_up_holding(state, 1, random))
        return false;
    gp_pool_prestart_core(state->base.pool);
    return true;
}

static bool set_up_empty(void *argument, uint64_t random)
{
    return set_up_holding(argument, 0, random);
}

static void arbiter_of_workers(void *argument, struct outcome *outcome)
{
    struct eager_state *state = argument;
    gp_pool_stats stats;

    gp_pool_statistics(state->base.pool, &stats);
    outcome->slot[WORKERS] = (unsigned char)stats.pool_size;
    eager_let_go(state);
    eager_end(state, outcome);
}

/* ---- room for one ---- */

static bool set_up_one(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    return eager_open(argument, &config, 1, 0, random);
}

/* ---- a task that another one waits for ---- */

static void let_go(void *argument)
{
    eager_let_go(argument);
}

/* The first job waits for the second; both are to be run. */
static bool set_up_waiting(struct eager_state *state, gp_pool_config *config, int capacity,
                           uint64_t random)
{
    eager_hold(state, 0);
    state->base.jobs[1].body = let_go;
    state->base.jobs[1].context = state;
    config->core_size = 0;
    config->factory.context = state;
    if (!eager_open_gate(state) || !eager_open(state, config, 2, capacity, random)) {
        eager_tear_down(state);
        return false;
    }
    job_submit(&state->base.jobs[0], state->base.pool);
    return true;
}

static void act_get_the_first(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_get(&state->jobs[0]);
}

/* ---- a worker that leaves ---- */

/* A thread that wakes up when its time is up, not 50 us later. */
static int create_punctual(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    const gp_thread_config punctual = {.timer_slack = 1};

    (void)context;
    return gp_thread_new(&punctual, run, argument, out);
}

static bool set_up_leaving(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory.create = create_punctual;
    config.keep_alive = GP_MICROSECONDS(random % 64);
    return set_up_waiting(argument, &config, JOBS, random);
}

/* When it has got one, its worker has nothing more to do, and is about to leave. */
static void act_submit_one_by_one(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = JOBS - 1; i > 0; i--) {
        job_submit(&state->jobs[i], state->pool);
        job_get(&state->jobs[i]);
    }
}

/* ---- a worker that leaves for good ---- */

static int create_counted(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct eager_state *state = context;

    atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed); /* a figure */
    return create_punctual(context, run, argument, out);
}

static bool set_up_counted(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    config.factory.create = create_counted;
    config.factory.context = argument;
    config.keep_alive = GP_MICROSECONDS(random % 64);
    return eager_open(argument, &config, 2, JOBS, random);
}

static void arbiter_of_threads(void *argument, struct outcome *outcome)
{
    struct eager_state *state = argument;

    eager_end(state, outcome);
    outcome->slot[WORKERS] = (unsigned char)atomic_load(&state->base.threads);
}

/* ---- a thread that cannot be created ---- */

static int create_but_once(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct eager_state *state = context;

    if (atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed) == 1)
        return GP_EAGAIN;
    return gp_thread_new(NULL, run, argument, out);
}

static bool set_up_failing(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory.create = create_but_once;
    return set_up_waiting(argument, &config, JOBS, random);
}

static void act_submit_and_get(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[1], state->pool);
    job_get(&state->jobs[1]);
}

/* ---- a worker that comes to nothing ---- */

/* Meanwhile it counts as a worker: there is time to rely on it. */
static int create_slowly_but_once(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct eager_state *state = context;

    if (atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed) == 1) {
        gp_future_get_timed(state->gate, GP_MICROSECONDS(state->base.random % 4), NULL);
        return GP_EAGAIN;
    }
    return gp_thread_new(NULL, run, argument, out);
}

/* The first job waits for one of the others; the queue has room for one of them. */
static bool set_up_wasted(void *argument, uint64_t random)
{
    struct eager_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->base.jobs[2].body = let_go;
    state->base.jobs[2].context = state;
    config.keep_alive = AN_HOUR; /* with no worker left a task stays with its submitter */
    config.factory.create = create_slowly_but_once;
    return set_up_waiting(state, &config, 1, random);
}

static void act_submit_third_and_get(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[2], state->pool);
    job_get(&state->jobs[2]);
}

static void arbiter_of_wasted(void *argument, struct outcome *outcome)
{
    struct eager_state *state = argument;

    eager_end(state, outcome);
    outcome->slot[ONE] = (unsigned char)job_fate(&state->base.jobs[1]);
    outcome->slot[OTHER] = (unsigned char)job_fate(&state->base.jobs[2]);
}

/* ---- the family ---- */

const struct scenario eager_grow_races[] = {
    {
        .name = "eager/submit_against_submit",
        .description = "two tasks are submitted to a pool with one idle worker: each gets a worker "
                       "of its own, and one is left in reserve",
        .invariants = "[EAGER-2]",
        .attacks = {EAGER, "bool is_attended = load_submitted(eager_of(pool)) < workers;"},
        .broken_by = "eager-counts-itself-idle",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_idle,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = eager_invariant,
        .arbiter = arbiter_of_workers,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, {"workers", {"none", "one", "two", "three", "four"}}},
        .outcomes =
            {
                {DRIFTED},
                {"closed, counts nothing, workers three", ACCEPTABLE, "the idle one is still idle",
                 MUST_OCCUR},
                {"workers two", FORBIDDEN, "one was queued although there may be more workers",
                 MAY_OCCUR},
            },
    },
    {
        .name = "eager/nobody_in_reserve",
        .like = "eager/submit_against_submit",
        .description = "two tasks are submitted to a pool without a worker: each starts one, and "
                       "none for the other, which is counted and not queued",
        .invariants = "[EAGER-3] [EAGER-1]",
        .attacks = {EAGER, "           !gp__pool_queue_is_empty(pool);"},
        .broken_by = "eager-starts-for-one-not-queued",
        .set_up = set_up_empty,
        .outcomes =
            {
                {DRIFTED},
                {"closed, counts nothing, workers two", ACCEPTABLE, "one for each", MUST_OCCUR},
                {"workers one", FORBIDDEN, "one was queued although there may be more workers",
                 MAY_OCCUR},
                {"workers three", FORBIDDEN, "one was started for a task that brings its own",
                 MAY_OCCUR},
            },
    },
    {
        .name = "eager/room_for_one",
        .description = "two tasks find room for the only worker of a pool whose queue is to have "
                       "no room: one starts it, the other is queued",
        .invariants = "[EAGER-4] [EAGER-5]",
        .attacks = {EAGER, "size_t room = capacity <= 0 ? 1 : (size_t)capacity; /* [EAGER-5] */"},
        .broken_by = "eager-zero-capacity",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_one,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = eager_invariant,
        .arbiter = eager_judge_two,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, {"one", FATES}, {"the other", FATES}},
        .outcomes =
            {
                {DRIFTED},
                {"closed, counts nothing, one ran, the other ran", ACCEPTABLE,
                 "one of them had to wait", MUST_OCCUR},
                {"one rejected", FORBIDDEN, "there is room for it", MAY_OCCUR},
                {"the other rejected", FORBIDDEN, "there is room for it", MAY_OCCUR},
            },
    },
    {
        .name = "eager/leave_against_submit",
        .description = "tasks are submitted one after the other, the last of them one that a "
                       "running task waits for, and each time the idle worker is about to "
                       "leave: they get another one",
        .invariants = "[EAGER-3] [WORKER-5]",
        .attacks = {"impl/pool/worker.c", "pool->class->is_short(pool)))"},
        .broken_by = "eager-leaver-does-not-look",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_leaving,
        .actors = {{"submit, get", act_submit_one_by_one}, {"get", act_get_the_first}},
        .invariant = eager_invariant,
        .arbiter = eager_judge_two,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, {"the one that waits", FATES}, {"the one it waits for", FATES}},
        .outcomes =
            {
                {DRIFTED},
                {"closed, counts nothing, the one that waits ran, the one it waits for ran",
                 ACCEPTABLE, "nobody waits for a busy worker", MUST_OCCUR},
            },
    },
    {
        .name = "eager/leaves_for_good",
        .description = "the only worker leaves, its time being up, while somebody looks on: the "
                       "pool has no task, and starts no other",
        .invariants = "[EAGER-3] [WORKER-5]",
        .attacks = {"impl/pool/worker.c", "pool->class->is_short != NULL"},
        .broken_by = "eager-leaver-always-replaced",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_counted,
        .actors = {{"submit", act_submit_one}, {"wait", act_wait_for_idle}},
        .invariant = eager_invariant,
        .arbiter = arbiter_of_threads,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, {"threads", {NULL}}},
        .outcomes =
            {
                {DRIFTED},
                {"closed, counts nothing, threads 1", ACCEPTABLE, "there was work for one",
                 MUST_OCCUR},
            },
    },
    {
        .name = "eager/failing_thread",
        .like = "eager/leave_against_submit",
        .description = "a thread cannot be created for a task that a running one waits for: it is "
                       "queued, and then there is a thread for it",
        .invariants = "[EAGER-3] [EAGER-4]",
        .attacks = {EAGER, "if (eager_is_short(pool))"},
        .broken_by = "eager-no-look-after-queueing",
        .set_up = set_up_failing,
        .actors = {{"submit, get", act_submit_and_get}, {"get", act_get_the_first}},
    },
    {
        .name = "eager/wasted_reservation",
        .description = "one of two tasks is to get a worker and does not, the other may be queued "
                       "meanwhile and rely on it, and a running task waits for that: it gets a "
                       "worker though the first one is rejected",
        .invariants = "[EAGER-3]",
        .attacks = {EAGER, "if (eager_is_short(pool))"},
        .broken_by = "eager-rejected-does-not-look",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_wasted,
        .actors = {{"submit, get", act_submit_and_get}, {"submit, get", act_submit_third_and_get}},
        .invariant = eager_invariant,
        .arbiter = arbiter_of_wasted,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, {"one", FATES}, {"the other", FATES}},
        .outcomes =
            {
                {DRIFTED},
                {"closed, counts nothing, one ran, the other ran", ACCEPTABLE,
                 "there was room for both", MUST_OCCUR},
                {"closed, counts nothing, one rejected, the other ran", ACCEPTABLE,
                 "the other came between, and got a worker", MUST_OCCUR},
                {"closed, counts nothing, one ran, the other rejected", ACCEPTABLE,
                 "one came between, and got a worker", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
