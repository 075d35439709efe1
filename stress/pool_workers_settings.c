/*
 * Settings that change while workers sleep, and tasks that are taken away from them.
 *
 * A sleeping worker knows only the limit that it went to sleep with. So whoever lowers the core,
 * the maximum or the keep-alive time, or lets core workers time out, has to wake those who sleep
 * (JDK-6450200); they look at the settings again, and leave, or sleep with the new limit
 * [WORKER-7]. A worker that is busy is not told: it looks by itself when it is done, and the one or
 * the other must not fall between.
 *
 *        setter                        worker
 *                                      reads keep_alive: for ever
 *        keep_alive = 5 us
 *        is it idle? interrupt it
 *                                      wait: interrupted. Reads keep_alive: 5 us
 *
 * One more worker sleeps too long if it is not told. The last worker of a scheduled pool stays,
 * though its time is up, as long as there are timers in the queue. It looks again after 1 ms, then
 * after 2, 4, 8 and so on, and likewise when it was woken for nothing. Who purges or removes the
 * last timer wakes it, or it would stay on for as long as it had meant to. On real threads some
 * milliseconds cannot be told from a slow machine; so it is woken for nothing until it would sleep
 * for minutes, which is a hang. The explorer asks, whenever nobody can run, whether somebody sleeps
 * who should not.
 *
 * A core that is raised wakes nobody: who sleeps may stay. But one whose time was up may be on its
 * way out by then, and the count in ctl, which is all that its CAS looks at, says nothing of the
 * core. So who has left looks at the core again, and is replaced if one is missing [WORKER-5]:
 *
 *        setter                        worker
 *                                      time is up, core is 0: I may leave
 *        core = 1
 *        a worker is there: good
 *                                      count: 1 -> 0
 *                                      core is 1: start another
 *
 *   That a task is queued makes one worker necessary where the core says none. It does not make one
 *   enough where the core says two: the other may be waiting for that very task.
 *
 * To see that a worker has left, the factory wraps it: its thread sets a future when the worker has
 * returned.
 */
#include <glasspool/scheduled.h>

#include "stress/pool_workers_support.h"
#include "stress/support.h"

#define POOL "impl/pool/pool.c"

enum {
    THREADS = 16 /* that the factory can keep track of */
};

/* A thread that tells when its worker has left. */
struct departure {
    struct state *state;
    gp_run_fn *run; /* the worker */
    void *argument;
    gp_future *left;             /* set by the thread */
    _Atomic(gp_thread *) thread; /* a reference; the pool may not have started it */
};

struct state {
    struct pool_state base;
    struct departure departures[THREADS]; /* one for each thread */
    gp_future *one_left;                  /* set by the first thread whose worker has left */
    atomic_bool told;                     /* the tasks have run */
    gp_scheduled *scheduled;              /* in one scenario; base.pool is its pool */
    bool core_times_out;                  /* there: the worker is a core worker */
    gp_future *timers[2];
    int64_t asleep_since; /* for the explorer: the queue is empty, and the worker sleeps */
    int64_t has_until;    /* in one scenario: the worker's time is not up before that */
    gp_future *go;        /* in another: what the first job waits for, and the second sets */
};

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->one_left);
    gp_future_release(state->go);
    gp_future_release(state->timers[0]);
    gp_future_release(state->timers[1]);
    for (int i = 0; i < THREADS; i++) {
        gp_future_release(state->departures[i].left);
        gp_thread_release(
            atomic_load_explicit(&state->departures[i].thread, memory_order_relaxed)); /* alone */
    }
}

/* ---- threads that tell ---- */

static void run_and_tell(void *argument)
{
    struct departure *departure = argument;

    departure->run(departure->argument);
    gp_future_set(departure->left, NULL);
    gp_future_set(departure->state->one_left, NULL);
}

static int new_signal(gp_future **out)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    return gp_future_new(&nothing, out);
}

static int create_telling(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;
    int number = atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed);

    if (number >= THREADS)
        return GP_EAGAIN;
    struct departure *departure = &state->departures[number];
    departure->state = state;
    departure->run = run;
    departure->argument = argument;
    if (new_signal(&departure->left) != GP_OK ||
        workers_thread_new(run_and_tell, departure, out) != GP_OK)
        return GP_ENOMEM;
    /* release, pairs with await_departures: a replacement may come late */
    atomic_store_explicit(&departure->thread, gp_thread_retain(*out), memory_order_release);
    return GP_OK;
}

static bool start_core(struct state *state, int core_size)
{
    if (gp_pool_prestart_all_core(state->base.pool) == core_size)
        return true;
    pool_end(&state->base.pool);
    return false;
}

/* With all core workers started: to wait for one that is not there would be in vain. */
static bool open_telling(struct state *state, gp_pool_config *config, uint64_t random)
{
    config->factory.create = create_telling;
    bool ready = new_signal(&state->one_left) == GP_OK &&
                 workers_open(&state->base, config, random) && start_core(state, config->core_size);
    if (!ready)
        tear_down(state);
    return ready;
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

/* ---- settings ---- */

enum {
    CAME = FATE + 1
};

static int64_t a_moment(uint64_t random)
{
    return GP_MICROSECONDS(1 + random % 8);
}

static bool set_up_core(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.keep_alive = a_moment(random);
    return open_telling(argument, &config, random);
}

static bool set_up_patient_core(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.keep_alive = GP_FOREVER;
    config.core_timeout = true;
    return open_telling(argument, &config, random);
}

/* Two workers, one of them beyond the core. */
static bool open_beyond_core(struct state *state, int64_t keep_alive, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 2;
    config.maximum_size = 2;
    config.keep_alive = keep_alive;
    if (!open_telling(state, &config, random))
        return false;
    gp_pool_set_core_size(state->base.pool, 1);
    return true;
}

static bool set_up_one_beyond_core(void *argument, uint64_t random)
{
    return open_beyond_core(argument, GP_FOREVER, random);
}

static void act_submit_and_get(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    workers_submit_and_get(&state->base, 0, 2);
    atomic_store_explicit(&state->told, true, memory_order_relaxed); /* it guards nothing */
}

static void act_let_core_time_out(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_set_core_timeout(state->pool, true);
}

static void act_lower_core(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_set_core_size(state->pool, 0);
}

static void act_lower_keep_alive(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_set_keep_alive(state->pool, a_moment(state->random));
}

static void act_lower_maximum(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CAME] = atomic_load_explicit(&state->told, memory_order_relaxed);
    gp_pool_set_maximum_size(state->base.pool, 1);
}

static void arbiter_awaits_departures(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    await_departures(state);
    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[CAME] = workers_came(&state->base);
    outcome->slot[FATE] = workers_common_fate(&state->base, 2, RAN);
}

static void arbiter_awaits_one_departure(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_get(state->one_left, NULL);
    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = workers_common_fate(&state->base, 2, RAN);
}

/* ---- a core that is raised ---- */

enum {
    RAISED_CLOSE,
    IN_TIME,
    LEFT,
    THERE
};

/* A worker beyond the core, whose time will be up. */
static bool set_up_no_core(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (!set_up_core(state, random))
        return false;
    state->has_until = gp_time_after(gp_now(), gp_pool_keep_alive(state->base.pool));
    gp_pool_set_core_size(state->base.pool, 0);
    return true;
}

/* At once, or when the worker's time is about to be up. From then on there is one. */
static void act_raise_core(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (state->base.random >> 32 & 1)
        gp_future_get_timed(state->one_left, a_moment(state->base.random), NULL);
    gp_pool_set_core_size(state->base.pool, 1);
    outcome->slot[IN_TIME] = gp_time_until(state->has_until, gp_now()) > 0;
    gp_pool_prestart_core(state->base.pool); /* unless one is there */
}

/* A thread tells when its worker has been replaced, if it is; one that does not tell is there. */
static void arbiter_counts_workers(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_pool_stats stats = {.pool_size = 1};

    outcome->slot[LEFT] =
        gp_future_get_timed(state->departures[0].left, GP_MILLISECONDS(1), NULL) == GP_OK;
    if (outcome->slot[LEFT])
        gp_pool_statistics(state->base.pool, &stats);
    outcome->slot[THERE] = (unsigned char)stats.pool_size;
    outcome->slot[RAISED_CLOSE] = !pool_end(&state->base.pool);
}

/* ---- a core that is raised for a task ---- */

static void await_go(void *context)
{
    struct state *state = context;

    insist_on_get(state->go);
}

static void set_go(void *context)
{
    struct state *state = context;

    gp_future_set(state->go, NULL);
}

/* The time of the one beyond the core will be up. */
static bool set_up_moment_beyond_core(void *argument, uint64_t random)
{
    struct state *state = argument;

    state->base.jobs[0].body = await_go;
    state->base.jobs[1].body = set_go;
    state->base.jobs[0].context = state->base.jobs[1].context = state;
    return new_signal(&state->go) == GP_OK && open_beyond_core(state, a_moment(random), random);
}

static void act_raise_core_for_task(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->base.jobs[0], state->base.pool);
    if (state->base.random >> 32 & 1)
        gp_future_get_timed(state->one_left, a_moment(state->base.random), NULL);
    gp_pool_set_core_size(state->base.pool, 2);
    job_submit(&state->base.jobs[1], state->base.pool);
    job_get(&state->base.jobs[0]);
}

static void arbiter_of_two_jobs(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = workers_common_fate(&state->base, 2, RAN);
}

/* ---- a worker that stays for a timer ---- */

enum {
    TIMERS_CLOSE,
    REMOVED,
    A_MICROSECOND = 1000,
    A_LOOK = 100 * A_MICROSECOND,
    WAKE_UPS = 16
};

static bool schedule_timers(struct state *state)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    return gp_schedule(state->scheduled, &nothing, AN_HOUR, &state->timers[0]) == GP_OK &&
           gp_schedule(state->scheduled, &nothing, AN_HOUR, &state->timers[1]) == GP_OK;
}

static bool close_scheduled(struct state *state)
{
    gp_pool_shutdown_now(state->base.pool, NULL);
    return gp_scheduled_close(state->scheduled) == GP_OK;
}

/* With a setting that is as it was before. */
static void wake(struct state *state)
{
    if (!state->core_times_out) {
        gp_pool_set_core_size(state->base.pool, 0);
        return;
    }
    gp_pool_set_core_timeout(state->base.pool, false);
    gp_pool_set_core_timeout(state->base.pool, true);
}

/* Each time the worker is to sleep for twice as long. */
static void wake_for_nothing(struct state *state)
{
    for (int i = 0; i < WAKE_UPS; i++) {
        gp_future_get_timed(state->one_left, A_LOOK, NULL);
        wake(state);
    }
}

/* Two timers, one of them cancelled, and a worker whose time has long been up: there is no core, or
   it may time out. */
static bool set_up_staying(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    state->core_times_out = random % 2 != 0;
    config.core_size = state->core_times_out;
    config.keep_alive = A_MICROSECOND;
    config.time_tasks = false;
    config.factory = (gp_thread_factory){.create = create_telling, .context = state};
    if (new_signal(&state->one_left) != GP_OK ||
        gp_scheduled_new(&config, &state->scheduled) != GP_OK) {
        tear_down(state);
        return false;
    }
    state->base.pool = gp_scheduled_pool(state->scheduled);
    gp_pool_set_core_timeout(state->base.pool, state->core_times_out);
    if (!schedule_timers(state)) {
        close_scheduled(state);
        tear_down(state);
        return false;
    }
    gp_future_cancel(state->timers[0], false);
    wake_for_nothing(state);
    return true;
}

static void act_purge_and_await(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_purge(state->base.pool);
    for (int64_t look = A_LOOK; /* when nobody can run, somebody is to look at the time */
         gp_future_get_timed(state->one_left, look, NULL) == GP_ETIMEDOUT;)
        look *= 2;
}

static void act_remove(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[REMOVED] = gp_pool_remove(state->base.pool, state->timers[1]);
}

/* Woken, it waits for its keep-alive time once more, and then leaves. */
static bool worker_is_late(void *argument)
{
    struct state *state = argument;
    gp_pool_stats stats;

    gp_pool_statistics(state->base.pool, &stats);
    if (stats.queued > 0 || gp_future_is_done(state->one_left))
        return false;
    if (state->asleep_since == 0)
        state->asleep_since = gp_now();
    return gp_time_until(gp_now(), state->asleep_since) >= A_LOOK;
}

static void arbiter_of_timers(void *argument, struct outcome *outcome)
{
    outcome->slot[TIMERS_CLOSE] = !close_scheduled(argument);
}

/* ---- the family ---- */

const struct scenario pool_workers_settings_races[] = {
    {
        .name = "pool_workers/core_timeout_switched_on",
        .description = "core workers are allowed to time out while one becomes idle or busy: it "
                       "learns of it and leaves",
        .invariants = "[WORKER-7] [WORKER-3]",
        .attacks = {POOL, "if (changed && on)"},
        .broken_by = "pool-timeout-switch-wakes-nobody",
        .state_size = sizeof(struct state),
        .set_up = set_up_core,
        .actors = {{"submit, get", act_submit_and_get},
                   {"set_core_timeout", act_let_core_time_out}},
        .invariant = pool_invariant,
        .arbiter = arbiter_awaits_departures,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", WORKERS}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "it ran both and left",
                 MUST_OCCUR},
                {"closed, each task ran, workers two or more", ACCEPTABLE,
                 "it left between the two tasks", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_lowered",
        .like = "pool_workers/core_timeout_switched_on",
        .description = "the core is lowered to nothing while its worker becomes idle or busy: it "
                       "learns of it and leaves",
        .attacks = {POOL, "if (gp__worker_count(pool) > core_size)"},
        .broken_by = "pool-lowered-core-compares-maximum",
        .actors = {{"submit, get", act_submit_and_get}, {"set_core_size", act_lower_core}},
    },
    {
        .name = "pool_workers/core_raised",
        .description = "the core is raised before a worker beyond it finds that its time is up, or "
                       "while it does: it stays, or in the latter case another one takes its place",
        .invariants = "[WORKER-5]",
        .attacks = {"impl/pool/worker.c",
                    "int minimum = gp_pool_core_timeout(pool) ? 0 : gp_pool_core_size(pool);"},
        .broken_by = "leaver-forgets-core",
        .state_size = sizeof(struct state),
        .set_up = set_up_no_core,
        .actors = {{"set_core_size, prestart", act_raise_core}, {"wait", act_wait_for_idle}},
        .invariant = pool_invariant,
        .arbiter = arbiter_counts_workers,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"raised", {"late", "in time"}},
                  {"it", {"stayed", "left"}},
                  {"workers", WORKERS}},
        .outcomes =
            {
                {"closed, raised in time, it stayed, workers one", ACCEPTABLE,
                 "when its time was up it looked again", MAY_OCCUR},
                {"closed, raised late, it stayed, workers one", ACCEPTABLE,
                 "raised before it had looked", MAY_OCCUR},
                {"closed, raised late, it left, workers one", ACCEPTABLE, "another one has come",
                 MUST_OCCUR},
                {"workers none", FORBIDDEN, "one that had decided to leave was counted on",
                 MAY_OCCUR},
                {"raised in time, it left", FORBIDDEN, "by a core that was no more", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_raised_for_task",
        .description =
            "the core is raised and a task queued while a worker beyond the core leaves, "
            "and the other one waits for that task: somebody comes for it",
        .invariants = "[WORKER-5]",
        .attacks = {"impl/pool/worker.c", "if (minimum == 0 && !gp__pool_queue_is_empty(pool))"},
        .broken_by = "leaver-counts-one-as-enough",
        .state_size = sizeof(struct state),
        .set_up = set_up_moment_beyond_core,
        .actors = {{"submit, set_core_size, submit, get", act_raise_core_for_task},
                   {"wait", act_wait_for_idle}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_two_jobs,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"the tasks", FATES}},
        .outcomes =
            {
                {"closed, the tasks ran", ACCEPTABLE,
                 "the second by the one beyond, or by who came instead of it", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/keep_alive_lowered",
        .like = "pool_workers/core_timeout_switched_on",
        .description = "the keep-alive time, which was for ever, becomes a moment while a worker "
                       "becomes idle or busy: it learns of it and leaves",
        .attacks = {POOL, "if (nanos < before)"},
        .broken_by = "pool-shorter-keep-alive-untold",
        .set_up = set_up_patient_core,
        .actors = {{"submit, get", act_submit_and_get}, {"set_keep_alive", act_lower_keep_alive}},
    },
    {
        .name = "pool_workers/maximum_lowered",
        .description = "the maximum is lowered below the number of workers while they become idle "
                       "or busy: one learns of it and leaves",
        .invariants = "[WORKER-7] [WORKER-3]",
        .attacks = {POOL, "if (gp__worker_count(pool) > maximum_size)"},
        .broken_by = "pool-lowered-maximum-wakes-nobody",
        .state_size = sizeof(struct state),
        .set_up = set_up_one_beyond_core,
        .actors = {{"submit, get", act_submit_and_get}, {"set_maximum_size", act_lower_maximum}},
        .invariant = pool_invariant,
        .arbiter = arbiter_awaits_one_departure,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"lowered", {"meanwhile", "afterwards"}}},
        .outcomes =
            {
                {"closed, each task ran, lowered meanwhile", ACCEPTABLE,
                 "a worker that ran a task saw it, or was idle and told", MUST_OCCUR},
                {"closed, each task ran, lowered afterwards", ACCEPTABLE, "both were idle and told",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/purge_lets_worker_go",
        .description = "one timer is purged and the other removed, for which a worker has stayed "
                       "though its time was up: it is told, and leaves at once",
        .invariants = "[WORKER-7]",
        .attacks = {POOL, "if (timed && gp__pool_queue_is_empty(pool))"},
        .broken_by = "pool-purge-leaves-worker-waiting",
        .state_size = sizeof(struct state),
        .set_up = set_up_staying,
        .actors = {{"purge, await", act_purge_and_await}, {"remove", act_remove}},
        .invariant = pool_invariant,
        .late = worker_is_late,
        .arbiter = arbiter_of_timers,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"the other was", {"not found", "removed"}}},
        .outcomes =
            {
                {"closed, the other was removed", ACCEPTABLE, "the worker has left", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_workers/maximum_lowered", "pool_workers/maximum_lowered_on_conveyor",
                  pool_choose_conveyor),
    SCENARIO_TWIN("pool_workers/purge_lets_worker_go",
                  "pool_workers/purge_lets_worker_go_on_conveyor", pool_choose_conveyor),
    {.name = NULL},
};
