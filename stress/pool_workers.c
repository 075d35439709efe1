/*
 * Workers that come, leave, fail to come, and are interrupted.
 *
 * A pool with nothing to do should cost nothing, so workers leave when their time is up. The task
 * that arrives at that moment must not be left to a worker that is on its way out [WORKER-5]:
 *
 *        execute                       worker
 *        enough workers: queue it
 *                                      time is up, queue empty
 *                                      count - 1, leave; nobody queued anything
 *        offer
 *        is a worker there? no: start one
 *
 *   The count in ctl alone does not say whether one is there. A slot in the count is taken before
 *   the thread is made, and making it may fail. Whoever sees such a reservation and relies on it is
 *   left with a task and no worker, when the reservation comes to nothing (jsr166 2011 had a worse
 *   form of it: the count stayed up). So who finds only reservations waits for the decision
 *   [WORKER-1], and if there is no thread to be had, the submitter gets its task back [POOL-2].
 *   A factory that fails as often as not makes this happen all the time:
 *
 *        prestart                      submit
 *        count + 1
 *                                      offer
 *        the factory fails             is a worker there? perhaps: wait for the decision
 *        count - 1, decide
 *                                      no: start one; that fails, too: take the task back
 *
 *   A worker may also leave because its task has ended the thread. It is replaced, even while the
 *   pool shuts down, as long as tasks are queued.
 *
 *   Settings change while workers sleep. A sleeping worker knows only the limit that it went to
 *   sleep with, so whoever lowers the core or lets core workers time out has to wake it
 *   (JDK-6450200). Waking is done with an interrupt, and that is dangerous: the flag belongs to the
 *   thread, and the next moment the thread may run a task that looks at its flag. Two things keep
 *   them apart. The interrupt needs the worker's lock, which a running worker holds [WORKER-3]
 *   (JDK-6576792); and what was raised while it was being woken is cleared before the task begins
 *   [WORKER-4]. The stop of a pool is the opposite case: this interrupt is for the tasks, also for
 *   one whose worker had not yet started when all workers were interrupted.
 *
 *        setter                        worker
 *                                      idle, being woken with a task
 *        try_lock: idle
 *        interrupt                     takes the task, as it was woken for it
 *        unlock                        lock; clear the flag, look: is the pool stopping?
 *                                      run the task
 *
 * To see that a worker has left, the factory of some scenarios wraps it: its thread sets a future
 * when the worker has returned.
 */
#include <pthread.h> /* pthread_exit */
#include <stdatomic.h>

#include "stress/pool_support.h"

#define POOL   "impl/pool/pool.c"
#define WORKER "impl/pool/worker.c"

enum {
    JOBS = 8,
    THREADS = 16 /* that a factory of ours can keep track of */
};

/* A thread that tells when its worker has left. */
struct departure {
    gp_run_fn *run; /* the worker */
    void *argument;
    gp_future *left;             /* set by the thread */
    _Atomic(gp_thread *) thread; /* a reference; the pool may not have started it */
};

struct state {
    gp_pool *pool;
    struct job jobs[JOBS];
    uint64_t random;
    atomic_int threads;                   /* that the factory was asked for */
    struct departure departures[THREADS]; /* in some scenarios: one for each of them */
    bool seen[JOBS];                      /* by a task: its thread's interrupt flag */
    atomic_bool told;                     /* shutdown_now has returned */
    bool late[2];                         /* a task began after that ... */
    bool up[2];                           /* ... and found its flag up */
};

/* ---- shared ---- */

enum {
    CLOSE,
    FATE
};

/* Threads that wake up when their time is up, not 50 us later. */
static int create_thread(gp_run_fn *run, void *argument, gp_thread **out)
{
    const gp_thread_config punctual = {.timer_slack = 1};

    return gp_thread_new(&punctual, run, argument, out);
}

static int create_counted(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;

    atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);
    return create_thread(run, argument, out);
}

static bool open_pool(struct state *state, gp_pool_config *config, uint64_t random)
{
    state->random = random;
    config->time_tasks = false;
    config->factory.context = state;
    if (!config->factory.create)
        config->factory.create = create_counted;
    return gp_pool_new(config, &state->pool) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    for (int i = 0; i < JOBS; i++)
        job_release(&state->jobs[i]);
    for (int i = 0; i < THREADS; i++) {
        gp_future_release(state->departures[i].left);
        gp_thread_release(
            atomic_load_explicit(&state->departures[i].thread, memory_order_relaxed)); /* alone */
    }
}

static int invariant(void *argument)
{
    struct state *state = argument;

    return gp_pool_check(state->pool);
}

static void submit_and_get(struct state *state, int first, int end)
{
    for (int i = first; i < end; i++) {
        job_submit(&state->jobs[i], state->pool);
        job_get(&state->jobs[i]);
    }
}

/* What became of the jobs up to `end`: the fate of all of them, or of one that met another one. */
static unsigned char common_fate(struct state *state, int end, enum fate expected)
{
    enum fate common = expected;

    for (int i = 0; i < end; i++) {
        enum fate fate = job_fate(&state->jobs[i]);
        if (fate != expected)
            common = fate;
    }
    return (unsigned char)common;
}

/* ---- the last worker leaves ---- */

enum {
    CAME = FATE + 1
};

static bool set_up_leaving(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    config.keep_alive = GP_MICROSECONDS(random % 32);
    return open_pool(argument, &config, random);
}

static void act_submit_first(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_and_get(argument, 0, JOBS / 2);
}

static void act_submit_second(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_and_get(argument, JOBS / 2, JOBS);
}

static void arbiter_of_all(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int came;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    came = atomic_load(&state->threads);
    outcome->slot[FATE] = common_fate(state, JOBS, RAN);
    outcome->slot[CAME] = (unsigned char)(came > 2 ? 2 : came);
}

/* ---- core workers that time out ---- */

static bool set_up_core_timeout(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_timeout = true;
    config.keep_alive = GP_MICROSECONDS(1 + random % 32);
    return open_pool(argument, &config, random);
}

/* ---- core against maximum ---- */

enum {
    SET_CORE = CLOSE + 1,
    SET_MAXIMUM
};

static bool set_up_resizable(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.maximum_size = 2;
    return open_pool(argument, &config, random);
}

static void act_set_core(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[SET_CORE] = gp_pool_set_core_size(state->pool, 2) == GP_OK;
}

static void act_set_maximum(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[SET_MAXIMUM] = gp_pool_set_maximum_size(state->pool, 1) == GP_OK;
}

static void arbiter_closes(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
}

/* ---- two submitters at the limit ---- */

enum {
    LARGEST = FATE + 1
};

static bool set_up_limit(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    return open_pool(argument, &config, random);
}

static void act_submit_one(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
}

static void act_submit_other(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[1], state->pool);
}

static void arbiter_of_limit(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_pool_stats stats;

    gp_pool_statistics(state->pool, &stats);
    outcome->slot[LARGEST] = (unsigned char)stats.largest;
    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = common_fate(state, 2, RAN);
}

/* ---- idle workers are told of new settings ---- */

static void run_and_tell(void *argument)
{
    struct departure *departure = argument;

    departure->run(departure->argument);
    gp_future_set(departure->left, NULL);
}

static int create_telling(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;
    int number = atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);
    const gp_callable nothing = {.run = run, .argument = argument}; /* never run */

    if (number >= THREADS)
        return GP_EAGAIN;
    struct departure *departure = &state->departures[number];
    departure->run = run;
    departure->argument = argument;
    if (gp_future_new(&nothing, &departure->left) != GP_OK ||
        create_thread(run_and_tell, departure, out) != GP_OK)
        return GP_ENOMEM;
    /* release, pairs with await_departures: a replacement may come late */
    atomic_store_explicit(&departure->thread, gp_thread_retain(*out), memory_order_release);
    return GP_OK;
}

static bool open_telling(struct state *state, gp_pool_config *config, uint64_t random)
{
    config->factory.create = create_telling;
    if (!open_pool(state, config, random))
        return false;
    gp_pool_prestart_core(state->pool);
    return true;
}

static bool set_up_telling(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.keep_alive = GP_MICROSECONDS(1 + random % 8);
    return open_telling(argument, &config, random);
}

static void act_submit_and_get(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_and_get(argument, 0, 2);
}

static void act_let_core_time_out(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_set_core_timeout(state->pool, true);
}

static void act_lower_core(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_set_core_size(state->pool, 0);
}

static void await_departures(struct state *state)
{
    for (int i = 0; i < THREADS; i++) {
        struct departure *departure = &state->departures[i];
        gp_thread *thread = atomic_load_explicit(&departure->thread, memory_order_acquire);
        if (thread && gp_thread_is_started(thread))
            gp_future_get(departure->left, NULL);
    }
}

static void arbiter_awaits_departures(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int came;

    await_departures(state);
    outcome->slot[CLOSE] = !pool_end(&state->pool);
    came = atomic_load(&state->threads);
    outcome->slot[CAME] = (unsigned char)(came > 2 ? 2 : came);
    outcome->slot[FATE] = common_fate(state, 2, RAN);
}

/* ---- no threads to be had ---- */

enum {
    ONE = CLOSE + 1,
    OTHER,
    PRESTART
};

static int create_or_fail(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;
    int number = atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);

    if (number < 8 && (state->random >> 2 * number & 3))
        return GP_EAGAIN;
    return create_thread(run, argument, out);
}

static bool set_up_failing(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory.create = create_or_fail;
    return open_pool(argument, &config, random);
}

static void act_prestart(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[PRESTART] = gp_pool_prestart_core(state->pool) == GP_OK;
}

static void act_one_submits_and_gets(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_and_get(argument, 0, 1);
}

static void act_other_submits_and_gets(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_and_get(argument, 1, 2);
}

static void arbiter_of_failing(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[ONE] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[OTHER] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- a task that ends its thread ---- */

enum {
    KILLER = CLOSE + 1,
    BEHIND,
    GET
};

static void end_thread(void *context)
{
    (void)context;
    pthread_exit(NULL);
}

static bool set_up_killer(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->jobs[0].body = end_thread;
    return open_pool(state, &config, random);
}

static void act_submit_killer(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    job_submit(&state->jobs[0], state->pool);
    job_submit(&state->jobs[1], state->pool);
    outcome->slot[GET] = job_get(&state->jobs[1]);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
}

static void arbiter_of_killer(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[KILLER] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[BEHIND] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- interrupts for the idle ---- */

enum {
    FLAG = FATE + 1
};

/* Looks at its flag, and keeps what it has found. */
static void look_at_flag(void *context)
{
    bool *seen = context;

    for (int i = 0; i < 8; i++)
        if (gp_interrupted())
            *seen = true;
}

/* One worker, idle; tasks that look at their flag. */
static bool set_up_looking(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.keep_alive = AN_HOUR;
    if (!open_pool(state, &config, random))
        return false;
    for (int i = 0; i < JOBS; i++) {
        state->jobs[i].body = look_at_flag;
        state->jobs[i].context = &state->seen[i];
    }
    gp_pool_prestart_core(state->pool);
    return true;
}

static void act_submit_all(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    for (int i = 0; i < JOBS; i++)
        job_submit(&state->jobs[i], state->pool);
}

static void act_submit_one_by_one(void *argument, struct outcome *outcome)
{
    (void)outcome;
    submit_and_get(argument, 0, JOBS);
}

/* Each call wakes the idle, so that they wait with the new limit. */
static void act_lower_keep_alive(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    for (int i = 1; i <= 16; i++)
        gp_pool_set_keep_alive(state->pool, AN_HOUR - i);
}

static void arbiter_of_flags(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = common_fate(state, JOBS, RAN);
    for (int i = 0; i < JOBS; i++)
        if (state->seen[i])
            outcome->slot[FLAG] = true;
}

/* ---- an interrupt for all ---- */

enum {
    STOPPED_ONE = CLOSE + 1,
    STOPPED_OTHER,
    BEGAN,
    LATE_FLAGS
};

static void look_after_stop(struct state *state, int number)
{
    state->late[number] = atomic_load(&state->told);
    state->up[number] = gp_interrupted();
}

static void look_first(void *context)
{
    look_after_stop(context, 0);
}

static void look_second(void *context)
{
    look_after_stop(context, 1);
}

static bool set_up_stopped(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 2;
    config.maximum_size = 2;
    state->jobs[0].body = look_first;
    state->jobs[1].body = look_second;
    state->jobs[0].context = state;
    state->jobs[1].context = state;
    return open_pool(state, &config, random);
}

/* The worker of this task is entered before the stop; it has hardly begun. */
static void act_submit_and_stop(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    act_submit_other(state, outcome);
    gp_pool_shutdown_now(state->pool, NULL);
    atomic_store(&state->told, true);
}

static void arbiter_of_stop(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[STOPPED_ONE] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[STOPPED_OTHER] = (unsigned char)job_fate(&state->jobs[1]);
    for (int i = 0; i < 2; i++) {
        outcome->slot[BEGAN] |= state->late[i];
        outcome->slot[LATE_FLAGS] |= state->late[i] && !state->up[i];
    }
}

/* ---- the family ---- */

const struct scenario pool_workers_races[] = {
    {
        .name = "pool_workers/last_worker_leaves",
        .description = "two threads submit and wait while the only worker, without a core, keeps "
                       "leaving: no task stays behind",
        .invariants = "[POOL-1] [WORKER-1] [WORKER-5]",
        .attacks = {WORKER, "gp__condition_signal_all(&pool->decided);"},
        .broken_by = {WORKER, "gp__condition_signal_all(&pool->decided);", ""},
        .state_size = sizeof(struct state),
        .set_up = set_up_leaving,
        .actors = {{"submit, get", act_submit_first}, {"submit, get", act_submit_second}},
        .invariant = invariant,
        .arbiter = arbiter_of_all,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {"none", "one", "two or more"}}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "it stayed", MAY_OCCUR},
                {"closed, each task ran, workers two or more", ACCEPTABLE,
                 "one left, and the next task brought another", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_timeout",
        .description = "two threads submit and wait while the only core worker keeps timing out: "
                       "who finds it gone starts another",
        .invariants = "[POOL-1] [WORKER-5]",
        .attacks = {POOL, "int status = gp__ensure_worker(pool);"},
        .broken_by = {POOL, "int status = gp__ensure_worker(pool);", "int status = GP_OK;"},
        .state_size = sizeof(struct state),
        .set_up = set_up_core_timeout,
        .actors = {{"submit, get", act_submit_first}, {"submit, get", act_submit_second}},
        .invariant = invariant,
        .arbiter = arbiter_of_all,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {"none", "one", "two or more"}}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "it stayed", MAY_OCCUR},
                {"closed, each task ran, workers two or more", ACCEPTABLE,
                 "one left, and the next task brought another", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_against_maximum",
        .description = "the core is raised above the maximum that another thread lowers: one of "
                       "the two is refused",
        .invariants = "[POOL-4]",
        .attacks = {POOL, "bool valid = core_size >= 0 && core_size <= gp_pool_maximum_size"},
        .broken_by = {POOL,
                      "bool valid = core_size >= 0 && core_size <= gp_pool_maximum_size(pool);",
                      "bool valid = core_size >= 0 && core_size <= gp_pool_maximum_size(pool); "
                      "pthread_mutex_unlock(&pool->main_lock); "
                      "pthread_mutex_lock(&pool->main_lock);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_resizable,
        .actors = {{"set core", act_set_core}, {"set maximum", act_set_maximum}},
        .invariant = invariant,
        .arbiter = arbiter_closes,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"core 2", {"refused", "accepted"}},
                  {"maximum 1", {"refused", "accepted"}}},
        .outcomes =
            {
                {"core 2 accepted, maximum 1 accepted", FORBIDDEN, "a core above the maximum",
                 MAY_OCCUR},
                {"closed, core 2 accepted, maximum 1 refused", ACCEPTABLE, "the core came first",
                 MUST_OCCUR},
                {"closed, core 2 refused, maximum 1 accepted", ACCEPTABLE, "the maximum came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/two_submitters_at_the_limit",
        .description = "two threads find the pool empty and start its only worker: one does, the "
                       "other queues its task",
        .invariants = "[WORKER-1] [POOL-3]",
        .attacks = {WORKER, "if (gp__worker_count_of(ctl) >= (limit & GP__COUNT_MASK))"},
        .broken_by = {WORKER, "if (gp__worker_count_of(ctl) >= (limit & GP__COUNT_MASK))",
                      "if (gp__worker_count_of(ctl) > (limit & GP__COUNT_MASK))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_limit,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = invariant,
        .arbiter = arbiter_of_limit,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {"none", "one", "two"}}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "no more are allowed",
                 MUST_OCCUR},
                {"workers two", FORBIDDEN, "more than the maximum", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_timeout_switched_on",
        .description = "core workers are allowed to time out while one becomes idle or busy: it "
                       "learns of it and leaves",
        .invariants = "[WORKER-7] [WORKER-3]",
        .attacks = {POOL, "if (changed && on)"},
        .broken_by = {POOL, "if (changed && on)", "if (changed && !on)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_telling,
        .actors = {{"submit, get", act_submit_and_get},
                   {"set_core_timeout", act_let_core_time_out}},
        .invariant = invariant,
        .arbiter = arbiter_awaits_departures,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {"none", "one", "two or more"}}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "it ran both and left",
                 MAY_OCCUR},
                {"closed, each task ran, workers two or more", ACCEPTABLE,
                 "it left between the two tasks", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_lowered",
        .description = "the core is lowered to nothing while its worker becomes idle or busy: it "
                       "learns of it and leaves",
        .invariants = "[WORKER-7] [WORKER-3]",
        .attacks = {POOL, "if (gp__worker_count(pool) > core_size)"},
        .broken_by = {POOL, "if (gp__worker_count(pool) > core_size)",
                      "if (gp__worker_count(pool) > gp_pool_maximum_size(pool))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_telling,
        .actors = {{"submit, get", act_submit_and_get}, {"set_core_size", act_lower_core}},
        .invariant = invariant,
        .arbiter = arbiter_awaits_departures,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {"none", "one", "two or more"}}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "it ran both and left",
                 MAY_OCCUR},
                {"closed, each task ran, workers two or more", ACCEPTABLE,
                 "it left between the two tasks", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/failing_reservation",
        .description = "threads fail to be created while tasks are submitted that count on them: "
                       "a task is run or given back, nobody waits for nothing",
        .invariants = "[WORKER-1] [POOL-2]",
        .attacks = {WORKER, "return count - atomic_load(&pool->undecided) >= wanted &&"},
        .broken_by = {WORKER, "return count - atomic_load(&pool->undecided) >= wanted &&",
                      "return count >= wanted &&"},
        .state_size = sizeof(struct state),
        .set_up = set_up_failing,
        .actors = {{"submit, get", act_one_submits_and_gets},
                   {"submit, get", act_other_submits_and_gets},
                   {"prestart", act_prestart}},
        .invariant = invariant,
        .arbiter = arbiter_of_failing,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"prestart", {"in vain", "started one"}}},
        .outcomes =
            {
                {"closed, one ran, the other ran", ACCEPTABLE, "a thread was to be had",
                 MUST_OCCUR},
                {"closed, one ran, the other stayed with its submitter", ACCEPTABLE,
                 "there was none for the other, and none to wait for", MAY_OCCUR},
                {"closed, one stayed with its submitter, the other ran", ACCEPTABLE,
                 "there was none for the one, and none to wait for", MAY_OCCUR},
                {"closed, one stayed with its submitter, the other stayed with its submitter",
                 ACCEPTABLE, "no thread was to be had", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/killed_by_its_task",
        .description = "a task ends its thread while another is queued behind it and the pool is "
                       "shut down: a new worker runs the other",
        .invariants = "[WORKER-5] [LIFE-2]",
        .attacks = {WORKER, "    if (gp__at_least(ctl, GP__STOP))"},
        .broken_by = {WORKER, "    if (gp__at_least(ctl, GP__STOP))",
                      "    if (gp__at_least(ctl, GP__SHUTDOWN))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_killer,
        .actors = {{"submit, get", act_submit_killer}, {"shutdown", act_shutdown}},
        .invariant = invariant,
        .arbiter = arbiter_of_killer,
        .tear_down = tear_down,
        .slots =
            {{NULL, ENDS}, {"the killer", FATES}, {"the one behind", FATES}, {"get gave", GOTTEN}},
        .outcomes =
            {
                {"closed, the killer ran, the one behind ran, get gave a result", ACCEPTABLE,
                 "a worker that its task has killed is replaced", MUST_OCCUR},
                {"closed, the killer ran, the one behind rejected, get gave nothing", ACCEPTABLE,
                 "shut down between the two", MAY_OCCUR},
                {"closed, the killer rejected, the one behind rejected, get gave nothing",
                 ACCEPTABLE, "shut down before", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/idle_interrupt_against_task",
        .description = "settings change, which interrupts idle workers, while one runs tasks that "
                       "look at their flag: they see nothing of it",
        .invariants = "[WORKER-3]",
        .attacks = {WORKER, "if (!gp_is_interrupted(worker->thread) && try_lock(worker)) {"},
        .broken_by = {WORKER, "if (!gp_is_interrupted(worker->thread) && try_lock(worker)) {",
                      "if (!gp_is_interrupted(worker->thread)) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up_looking,
        .actors = {{"submit", act_submit_all}, {"set_keep_alive", act_lower_keep_alive}},
        .invariant = invariant,
        .arbiter = arbiter_of_flags,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"flags", {"down", "up"}}},
        .outcomes =
            {
                {"closed, each task ran, flags down", ACCEPTABLE,
                 "the interrupt needs the worker's lock, which it has while it runs a task",
                 MUST_OCCUR},
                {"flags up", FORBIDDEN, "an interrupt for the idle has hit a task", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/leftover_interrupt",
        .description = "settings change while an idle worker is being woken by a task: the "
                       "interrupt is cleared before the task begins",
        .invariants = "[WORKER-4]",
        .attacks = {WORKER, "(gp__clear_interrupt(self) && gp__at_least"},
        .broken_by = {WORKER, "(gp__clear_interrupt(self) && gp__at_least",
                      "(gp_is_interrupted(self) && gp__at_least"},
        .state_size = sizeof(struct state),
        .set_up = set_up_looking,
        .actors = {{"submit, get", act_submit_one_by_one},
                   {"set_keep_alive", act_lower_keep_alive}},
        .invariant = invariant,
        .arbiter = arbiter_of_flags,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"flags", {"down", "up"}}},
        .outcomes =
            {
                {"closed, each task ran, flags down", ACCEPTABLE,
                 "what came while it was idle is gone", MUST_OCCUR},
                {"flags up", FORBIDDEN, "an interrupt for the idle has reached a task", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/stop_against_new_worker",
        .description = "the pool is stopped while workers start, too early to be interrupted: "
                       "their tasks find the flag up all the same",
        .invariants = "[WORKER-3] [WORKER-4]",
        .attacks = {WORKER, "if ((gp__at_least(gp__pool_load_ctl(pool), GP__STOP) ||"},
        .broken_by = {WORKER, "if ((gp__at_least(gp__pool_load_ctl(pool), GP__STOP) ||", "if (("},
        .state_size = sizeof(struct state),
        .set_up = set_up_stopped,
        .actors = {{"submit", act_submit_one}, {"submit, shutdown_now", act_submit_and_stop}},
        .invariant = invariant,
        .arbiter = arbiter_of_stop,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"begun after the stop", {"none", "some"}},
                  {"their flags", {"up", "down"}}},
        .outcomes =
            {
                {"their flags down", FORBIDDEN,
                 "a task runs in a pool that is stopped, and nobody has told it", MAY_OCCUR},
                {"closed, one rejected, the other ran", ACCEPTABLE, "the stop came first",
                 MUST_OCCUR},
                {"closed, one ran, the other ran, begun after the stop some", ACCEPTABLE,
                 "their workers had been entered before the stop", MUST_OCCUR},
                {"closed, one ran, the other ran, begun after the stop none", ACCEPTABLE,
                 "they were there in time, or while the pool was being stopped", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
