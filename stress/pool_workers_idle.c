/*
 * Interrupts for workers that sleep, and what their tasks must not see of them.
 *
 * Workers that sleep are told of new settings (pool_workers_settings.c) with an interrupt, and that
 * is dangerous: the flag belongs to the thread, and the next moment the thread may run a task that
 * looks at its flag. Two things keep them apart. The interrupt needs the worker's lock, which a
 * running worker holds [WORKER-3] (JDK-6576792); and what was raised while it was being woken is
 * cleared before the task begins [WORKER-4]. The stop of a pool is the opposite case: this
 * interrupt is for the tasks, also for one whose worker had not yet started when all workers were
 * interrupted.
 *
 *        setter                        worker
 *                                      idle, being woken with a task
 *        try_lock: idle
 *        interrupt                     takes the task, as it was woken for it
 *        unlock                        lock; clear the flag, look: is the pool stopping?
 *                                      run the task
 *
 * Two who wake at once. Whoever finds the flag up already leaves it at that: the worker is being
 * told, and will look at everything. So the worker takes the flag down first and reads the state
 * and the settings then, and who tells it changes these first and looks at the flag then [LIFE-3].
 * Else the second one's change falls between, and the worker goes back to sleep for ever.
 *
 * A thread that nobody has asked to start. A factory may hand out a thread that runs already. The
 * pool refuses it, and the thread, which may have come to its worker by then, waits to be told so
 * and frees the worker [WORKER-8]:
 *
 *        pool                          thread
 *                                      am I admitted? not decided
 *        thread = worker->thread
 *        abandoned
 *                                      abandoned: free the worker
 *        release the thread
 */
#include "stress/pool_workers_support.h"

#define WORKER "impl/pool/worker.c"

struct state {
    struct pool_state base;
    bool seen[JOBS];  /* by a task: its thread's interrupt flag */
    atomic_bool told; /* shutdown_now has returned */
    bool late[2];     /* a task began after that ... */
    bool up[2];       /* ... and found its flag up */
};

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
    if (!workers_open(&state->base, &config, random))
        return false;
    for (int i = 0; i < JOBS; i++) {
        state->base.jobs[i].body = look_at_flag;
        state->base.jobs[i].context = &state->seen[i];
    }
    gp_pool_prestart_core(state->base.pool);
    return true;
}

static void act_submit_all(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = 0; i < JOBS; i++)
        job_submit(&state->jobs[i], state->pool);
}

static void act_submit_one_by_one(void *argument, struct outcome *outcome)
{
    (void)outcome;
    workers_submit_and_get(argument, 0, JOBS);
}

/* Each call wakes the idle, so that they wait with the new limit. */
static void act_lower_keep_alive(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = 1; i <= 16; i++)
        gp_pool_set_keep_alive(state->pool, AN_HOUR - i);
}

static void arbiter_of_flags(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = workers_common_fate(&state->base, JOBS, RAN);
    for (int i = 0; i < JOBS; i++)
        if (state->seen[i])
            outcome->slot[FLAG] = true;
}

/* ---- told for two reasons ---- */

static void act_lower_keep_alive_once(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_set_keep_alive(state->pool, AN_HOUR - 1);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
}

/* Nobody else tells the worker: it knows, or it sleeps for ever. */
static void arbiter_of_end(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
    int status;

    do
        status = gp_pool_await_termination(state->pool, GP_FOREVER);
    while (status == GP_ENOMEM);
    outcome->slot[CLOSE] = gp_pool_free(state->pool) != GP_OK;
}

/* ---- threads that run already ---- */

struct eager_factory {
    struct pool_state base;
    gp_thread *threads[2]; /* references */
};

static int create_running(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct eager_factory *state = context;
    int number = atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed);

    if (number >= 2 || gp_thread_new(NULL, run, argument, out) != GP_OK)
        return GP_EAGAIN;
    if (gp_thread_start(*out) != GP_OK) {
        gp_thread_release(*out);
        *out = NULL;
        return GP_EAGAIN;
    }
    state->threads[number] = gp_thread_retain(*out);
    return GP_OK;
}

static bool set_up_running(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory.create = create_running;
    return workers_open(argument, &config, random);
}

/* The threads end by themselves. */
static void arbiter_of_refused(void *argument, struct outcome *outcome)
{
    struct eager_factory *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = workers_common_fate(&state->base, 2, KEPT);
    for (int i = 0; i < 2; i++)
        if (state->threads[i])
            gp_thread_join(state->threads[i]);
}

static void tear_down_running(void *argument)
{
    struct eager_factory *state = argument;

    pool_tear_down(&state->base);
    gp_thread_release(state->threads[0]);
    gp_thread_release(state->threads[1]);
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
    state->base.jobs[0].body = look_first;
    state->base.jobs[1].body = look_second;
    state->base.jobs[0].context = state;
    state->base.jobs[1].context = state;
    return workers_open(&state->base, &config, random);
}

/* The worker of this task is entered before the stop; it has hardly begun. */
static void act_submit_and_stop(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    act_submit_other(state, outcome);
    gp_pool_shutdown_now(state->base.pool, NULL);
    atomic_store(&state->told, true);
}

static void arbiter_of_stop(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[STOPPED_ONE] = (unsigned char)job_fate(&state->base.jobs[0]);
    outcome->slot[STOPPED_OTHER] = (unsigned char)job_fate(&state->base.jobs[1]);
    for (int i = 0; i < 2; i++) {
        outcome->slot[BEGAN] |= state->late[i];
        outcome->slot[LATE_FLAGS] |= state->late[i] && !state->up[i];
    }
}

/* ---- the family ---- */

const struct scenario pool_workers_idle_races[] = {
    {
        .name = "pool_workers/idle_interrupt_against_task",
        .description = "settings change, which interrupts idle workers, while one runs tasks that "
                       "look at their flag: they see nothing of it",
        .invariants = "[WORKER-3]",
        .attacks = {WORKER, "if (!gp_is_interrupted(worker->thread) && try_lock(worker)) {"},
        .broken_by = "pool-idle-interrupt-without-lock",
        .state_size = sizeof(struct state),
        .set_up = set_up_looking,
        .actors = {{"submit", act_submit_all}, {"set_keep_alive", act_lower_keep_alive}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_flags,
        .tear_down = pool_tear_down,
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
        .like = "pool_workers/idle_interrupt_against_task",
        .description = "settings change while an idle worker is being woken by a task: the "
                       "interrupt is cleared before the task begins",
        .invariants = "[WORKER-4]",
        .attacks = {WORKER, "(gp__clear_interrupt(self) && gp__at_least"},
        .broken_by = "pool-leftover-interrupt-kept",
        .actors = {{"submit, get", act_submit_one_by_one},
                   {"set_keep_alive", act_lower_keep_alive}},
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
        .broken_by = "pool-stop-misses-new-worker",
        .state_size = sizeof(struct state),
        .set_up = set_up_stopped,
        .actors = {{"submit", act_submit_one}, {"submit, shutdown_now", act_submit_and_stop}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_stop,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"begun after the stop", {"none", "some"}},
                  {"their flags", {"up", "down"}}},
        .outcomes =
            {
                {"their flags down", FORBIDDEN,
                 "a task runs in a pool that is stopped, and nobody has told it", MAY_OCCUR},
                {"closed, one rejected, the other ran, their flags up, ...", ACCEPTABLE,
                 "the stop came first", MUST_OCCUR},
                {"closed, one ran, the other ran, begun after the stop some, their flags up",
                 ACCEPTABLE, "their workers had been entered before the stop", MUST_OCCUR},
                {"closed, one ran, the other ran, begun after the stop none, their flags up",
                 ACCEPTABLE, "they were there in time, or while the pool was being stopped",
                 MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/told_for_two_reasons",
        .description = "an idle worker is told of a new setting while the pool is shut down: "
                       "whichever interrupt it takes down, it knows of both",
        .invariants = "[LIFE-3] [THREAD-2]",
        .attacks = {WORKER, "if (!gp_is_interrupted(worker->thread) && try_lock(worker)) {"},
        .broken_by = "check-in-eats-interrupt",
        .state_size = sizeof(struct state),
        .set_up = set_up_looking,
        .actors = {{"set_keep_alive", act_lower_keep_alive_once}, {"shutdown", act_shutdown}},
        .arbiter = arbiter_of_end,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}},
        .outcomes =
            {
                {"closed", ACCEPTABLE, "it has looked at the state after each interrupt",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/thread_that_runs_already",
        .description = "a factory hands out threads that it has started itself: the pool refuses "
                       "them, and each frees the worker that it was made for",
        .invariants = "[WORKER-8] [POOL-2]",
        .attacks = {WORKER, "atomic_store_explicit(&worker->admission, GP__ABANDONED"},
        .broken_by = "refused-worker-relaxed",
        .state_size = sizeof(struct eager_factory),
        .set_up = set_up_running,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_refused,
        .tear_down = tear_down_running,
        .slots = {{NULL, ENDS}, {"each task", FATES}},
        .outcomes =
            {
                {"closed, each task stayed with its submitter", ACCEPTABLE, "there is no thread",
                 MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_workers/idle_interrupt_against_task",
                  "pool_workers/idle_interrupt_against_task_on_conveyor", pool_choose_conveyor),
    SCENARIO_TWIN("pool_workers/stop_against_new_worker",
                  "pool_workers/stop_against_new_worker_on_conveyor", pool_choose_conveyor),
    {.name = NULL},
};
