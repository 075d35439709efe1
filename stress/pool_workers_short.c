/*
 * Workers that cannot be replaced at once, and those who count on them.
 *
 * A worker is killed by its task while another task is queued, and threads are short. Its slot in
 * the count is free now, and who comes first takes it: the leaving worker, for its replacement
 * [WORKER-5], or somebody who starts a worker for a reason of his own. The other one then finds the
 * slot taken and goes away: it relies on a reservation that may yet fail [WORKER-1]. So who fails
 * looks whether tasks were left to it, and tries once more for them:
 *
 *        prestart                      worker
 *                                      killed; count - 1
 *        count + 1
 *        the factory fails             a replacement? the slot is taken: no
 *        count - 1
 *        a task, and no worker:        gone
 *        once more
 *
 *   If that fails as well, the task waits for the next one who comes, and that is who awaits the
 *   end of the pool. It has seen the reservation, and sleeps; the decision has to wake it.
 *
 * That a thread cannot be started is known only when its worker has been entered [WORKER-2]. So
 * that one is taken out again, of the set and of those who are to be joined, while others enter
 * theirs, and while somebody goes through all of them [WORKER-1]. It takes a system that has no
 * thread (FAULTS=thread=1 of the explorer): a factory fails before.
 *
 * Who submits may have to wait for such a decision, in a call that knows of no interrupts. If one
 * comes it is not for this call: the flag is up again when it returns.
 *
 * An interrupt is no time-out either. It tells an idle worker to look at the settings; a worker
 * that may leave when its time is up must not leave for that.
 */
#include <pthread.h> /* pthread_exit */

#include "stress/pool_workers_support.h"
#include "stress/support.h"

#define WORKER "impl/pool/worker.c"

struct state {
    struct pool_state base;
    gp_future *gate; /* the killer waits for it */
    int gaps;        /* so many threads fail after the first */
};

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->gate);
}

/* ---- killed, and not replaced at once ---- */

enum {
    KILLER,
    BEHIND
};

static void wait_and_end_thread(void *context)
{
    struct state *state = context;

    insist_on_get(state->gate);
    pthread_exit(NULL);
}

static int create_with_gaps(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;
    int number = atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed);

    if (number >= 1 && number <= state->gaps)
        return GP_EAGAIN;
    return workers_thread_new(run, argument, out);
}

static bool open_with_killer(struct state *state, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->base.jobs[KILLER].body = wait_and_end_thread;
    state->base.jobs[KILLER].context = state;
    config.factory.create = create_with_gaps;
    return gp_future_new(&nothing, &state->gate) == GP_OK &&
           workers_open(&state->base, &config, random);
}

/* The only worker is about to leave, with a task behind it. */
static bool set_up_with_gaps(struct state *state, uint64_t random, int gaps)
{
    state->gaps = gaps;
    bool opened = open_with_killer(state, random);
    bool ready = opened && job_submit(&state->base.jobs[KILLER], state->base.pool) == GP_OK &&
                 job_submit(&state->base.jobs[BEHIND], state->base.pool) == GP_OK;

    if (state->gate)
        gp_future_set(state->gate, NULL);
    if (opened && !ready)
        pool_end(&state->base.pool);
    if (!ready)
        tear_down(state);
    return ready;
}

static bool set_up_with_one_gap(void *argument, uint64_t random)
{
    return set_up_with_gaps(argument, random, 1);
}

static bool set_up_with_two_gaps(void *argument, uint64_t random)
{
    return set_up_with_gaps(argument, random, 2);
}

static void act_prestart(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_prestart_core(state->pool);
}

static void act_get_behind(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    insist_on_get(state->jobs[BEHIND].future);
}

/* Who awaits the end tries to start a worker, and is told if that is in vain. */
static void act_shutdown_and_await(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
    while (insist_on_end(state->pool) == GP_EAGAIN)
        ;
}

static void arbiter_of_behind(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->jobs[BEHIND]);
}

/* ---- entered, and not started ---- */

enum {
    OTHER_FATE = FATE + 1,
    SIZE
};

static bool set_up_two(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = config.maximum_size = 2;
    return pool_open(argument, &config, random);
}

static void act_count_workers(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
    gp_pool_stats stats;

    gp_pool_statistics(state->pool, &stats);
    outcome->slot[SIZE] = stats.pool_size > 2;
}

static void arbiter_of_unstarted(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[OTHER_FATE] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- an interrupt while it submits ---- */

enum {
    FLAG = FATE + 1
};

static bool set_up_without_worker(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    return workers_open(argument, &config, random);
}

static void act_submit_interrupted(void *argument, struct outcome *outcome)
{
    gp_thread *self = gp_thread_self();

    if (self)
        gp_thread_interrupt(self);
    act_submit_other(argument, outcome);
    outcome->slot[FLAG] = self && !gp_interrupted();
}

static void arbiter_of_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = workers_common_fate(state, 2, RAN);
}

/* ---- an interrupt while it sleeps ---- */

enum {
    CAME = FATE + 1
};

/* One worker, which need not be there, but for an hour. */
static bool set_up_beyond_core(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    config.keep_alive = AN_HOUR;
    if (!workers_open(argument, &config, random))
        return false;
    workers_submit_and_get(argument, 0, 1);
    return true;
}

static void act_lower_keep_alive(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_set_keep_alive(state->pool, AN_HOUR - 1);
}

static void act_submit_and_get(void *argument, struct outcome *outcome)
{
    (void)outcome;
    workers_submit_and_get(argument, 1, 2);
}

static void arbiter_of_one_worker(void *argument, struct outcome *outcome)
{
    arbiter_of_two(argument, outcome);
    outcome->slot[CAME] = workers_came(argument);
}

/* ---- the family ---- */

const struct scenario pool_workers_short_races[] = {
    {
        .name = "pool_workers/counted_on_reservation",
        .description = "a worker that was killed leaves its task to somebody who is starting one, "
                       "and that fails: it tries once more, for the task",
        .invariants = "[WORKER-1] [WORKER-5]",
        .attacks = {WORKER, "if (status == GP_OK || !gp__pool_is_unattended(pool))"},
        .broken_by = "pool-failed-reservation-forgets-task",
        .state_size = sizeof(struct state),
        .set_up = set_up_with_one_gap,
        .actors = {{"prestart", act_prestart}, {"get", act_get_behind}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_behind,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"the one behind", FATES}},
        .outcomes =
            {
                {"closed, the one behind ran", ACCEPTABLE, "whoever started its worker",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/end_awaits_reservation",
        .like = "pool_workers/counted_on_reservation",
        .description = "the end of a pool is awaited, with a task that was left to a reservation, "
                       "which fails: who waits is told, and starts a worker itself",
        .invariants = "[WORKER-1] [LIFE-2]",
        .attacks = {WORKER, "gp__condition_signal_all(&pool->termination); /* a caller there may"},
        .broken_by = "pool-end-untold-of-decision",
        .set_up = set_up_with_two_gaps,
        .actors = {{"prestart", act_prestart}, {"shutdown, await", act_shutdown_and_await}},
    },
    {
        .name = "pool_workers/unstarted_against_entered",
        .description = "a worker whose thread cannot be started is taken out again while another "
                       "one is entered and somebody counts them: no step of it goes astray",
        .invariants = "[WORKER-1] [POOL-5] [POOL-2]",
        .attacks = {WORKER, "int status = gp__thread_start(worker->thread);"},
        .broken_by = "pool-unstarted-taken-out-unlocked",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_two,
        .actors = {{"submit", act_submit_one},
                   {"submit too", act_submit_other},
                   {"count", act_count_workers}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_unstarted,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"workers", {"two at most", "too many"}}},
        .outcomes =
            {
                {"closed, one ran, the other ran, workers two at most", ACCEPTABLE,
                 "a thread was to be had, if not at once", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/interrupted_submitter",
        .description = "a thread that is interrupted submits while another one starts the worker: "
                       "it waits for that, and is interrupted afterwards",
        .invariants = "[WORKER-1] [THREAD-2]",
        .attacks = {WORKER, "interrupted = interrupted || status == GP_EINTERRUPTED;"},
        .broken_by = "pool-decision-eats-interrupt",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_without_worker,
        .actors = {{"submit", act_submit_one}, {"interrupted, submit", act_submit_interrupted}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_two,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"its flag was", {"up", "lost"}}},
        .outcomes =
            {
                {"its flag was lost", FORBIDDEN, "nobody has acted on the interrupt", MAY_OCCUR},
                {"closed, each task ran, its flag was up", ACCEPTABLE,
                 "submitting knows of no interrupts", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/interrupt_is_no_timeout",
        .description = "a worker that may stay idle for an hour is told of a setting while a task "
                       "is submitted: it looks, and stays",
        .invariants = "[WORKER-7]",
        .attacks = {WORKER, "timed_out = status == GP_ETIMEDOUT;"},
        .broken_by = "pool-interrupt-taken-for-timeout",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_beyond_core,
        .actors = {{"set_keep_alive", act_lower_keep_alive}, {"submit, get", act_submit_and_get}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_one_worker,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", WORKERS}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "its time was not up",
                 MUST_OCCUR},
                {"workers two or more", FORBIDDEN, "the first has left, an hour early", MAY_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_workers/interrupt_is_no_timeout",
                  "pool_workers/interrupt_is_no_timeout_on_conveyor", pool_choose_conveyor),
    {.name = NULL},
};
