/*
 * Factory and rejection handler that are changed while the pool asks them, and a thread that two
 * want to start.
 *
 * A factory is a function and its context, and so is a handler. Who asks one copies both under the
 * pool's lock and calls the copy without it: it is the user's code. Who changes it writes both
 * under the lock. Without the lock, on either side, the function of one may be called with the
 * context of the other:
 *
 *        submit                        set_factory
 *                                      function = second
 *        function: second
 *        context: that of the first
 *                                      context = that of the second
 *
 * Two settings exclude each other: core workers that may time out, and no time to wait [POOL-4].
 * Who sets one looks at the other, and does both in one hold of the lock, or each finds that the
 * other is not there yet.
 *
 * A factory hands the pool a thread that is not started. If it has shown it to somebody else, that
 * one may start it at the same moment. One of the two starts it [WORKER-8]: the pool claims it
 * under the thread's own lock before it enters the worker, and makes do without it if it comes too
 * late.
 */
#include <glasspool/thread.h>

#include "stress/pool_workers_support.h"
#include "stress/support.h"

#define POOL   "impl/pool/pool.c"
#define THREAD "impl/sync/thread.c"

enum {
    FIRST,
    SECOND
};

struct state;

/* The context of a factory, or of a handler. */
struct role {
    struct state *state;
    int number;
};

struct state {
    struct pool_state base;
    struct role roles[2];
    atomic_int asked; /* bits of `asked_of`: who was asked */
    gp_thread *thread;
    gp_future *shown; /* set when `thread` is there */
};

/* ---- who was asked ---- */

enum {
    ASKED = FATE + 1
};

enum asked {
    NOBODY,
    THE_FIRST,
    THE_SECOND,
    BOTH,
    A_MIXTURE
};

#define ASKED_WORDS                                              \
    {                                                            \
        "nobody", "the first", "the second", "both", "a mixture" \
    }

/* By the one with this number, which is to have its own context. */
static void note_asked(const struct role *role, int number)
{
    int whom = role->number != number ? A_MIXTURE : number == FIRST ? THE_FIRST : THE_SECOND;

    atomic_fetch_or_explicit(&role->state->asked, whom, memory_order_relaxed); /* read in the end */
}

static unsigned char who_was_asked(struct state *state)
{
    int asked = atomic_load_explicit(&state->asked, memory_order_relaxed);

    return (unsigned char)(asked & A_MIXTURE ? A_MIXTURE : asked);
}

static void give_roles(struct state *state)
{
    state->roles[FIRST] = (struct role){state, FIRST};
    state->roles[SECOND] = (struct role){state, SECOND};
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->base.jobs[0]);
    outcome->slot[ASKED] = who_was_asked(state);
}

/* ---- factories ---- */

static int create_first(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    note_asked(context, FIRST);
    return workers_thread_new(run, argument, out);
}

static int create_second(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    note_asked(context, SECOND);
    return workers_thread_new(run, argument, out);
}

static bool set_up_factory(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    give_roles(state);
    config.factory = (gp_thread_factory){create_first, &state->roles[FIRST]};
    return pool_open(&state->base, &config, random);
}

static void act_change_factory(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    const gp_thread_factory second = {create_second, &state->roles[SECOND]};

    (void)outcome;
    gp_pool_set_factory(state->base.pool, &second);
}

/* ---- handlers ---- */

static int reject_first(void *context, gp_pool *pool, gp_task *task)
{
    note_asked(context, FIRST);
    return gp_reject_abort(NULL, pool, task);
}

static int reject_second(void *context, gp_pool *pool, gp_task *task)
{
    note_asked(context, SECOND);
    return gp_reject_abort(NULL, pool, task);
}

/* It rejects everything. */
static bool set_up_rejection(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    give_roles(state);
    config.rejection = (gp_rejection){reject_first, &state->roles[FIRST]};
    if (!pool_open(&state->base, &config, random))
        return false;
    gp_pool_shutdown(state->base.pool);
    return true;
}

static void act_change_rejection(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    const gp_rejection second = {reject_second, &state->roles[SECOND]};

    (void)outcome;
    gp_pool_set_rejection(state->base.pool, &second);
}

/* ---- a thread that two want to start ---- */

enum {
    STARTED = FATE + 1,
    JOINED
};

/* The first of them is shown to another actor. */
static int create_and_show(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;
    int status = workers_thread_new(run, argument, out);

    if (status == GP_OK && state->thread == NULL) {
        state->thread = gp_thread_retain(*out);
        gp_future_set(state->shown, NULL);
    }
    return status;
}

static bool set_up_shown(void *argument, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    if (gp_future_new(&nothing, &state->shown) != GP_OK)
        return false;
    config.factory = (gp_thread_factory){create_and_show, state};
    if (pool_open(&state->base, &config, random))
        return true;
    gp_future_release(state->shown);
    return false;
}

/* A thread that it has started it also joins: the pool has nothing to do with it. */
static void act_start_what_is_shown(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_get(state->shown, NULL);
    outcome->slot[STARTED] = gp_thread_start(state->thread) == GP_OK;
    outcome->slot[JOINED] = gp_thread_join(state->thread) == GP_OK;
}

static void arbiter_of_shown(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->base.jobs[0]);
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_thread_release(state->thread);
    gp_future_release(state->shown);
}

/* ---- two settings that exclude each other ---- */

enum {
    NO_TIME = CLOSE + 1,
    TIMEOUT
};

static bool set_up_without_timeout(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.keep_alive = GP_MILLISECONDS(1);
    return pool_open(argument, &config, random);
}

static void act_take_time_away(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[NO_TIME] = gp_pool_set_keep_alive(state->pool, 0) == GP_OK;
}

static void act_let_core_time_out(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[TIMEOUT] = gp_pool_set_core_timeout(state->pool, true) == GP_OK;
}

static void arbiter_closes(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
}

/* ---- the family ---- */

const struct scenario pool_workers_changed_races[] = {
    {
        .name = "pool_workers/factory_changed",
        .description = "the factory is replaced while a task asks for a thread: the one or the "
                       "other is called, each with its own context",
        .invariants = "[WORKER-1]",
        .attacks = {POOL, "set_factory(pool, factory);"},
        .broken_by = "factory-set-unlocked",
        .state_size = sizeof(struct state),
        .set_up = set_up_factory,
        .actors = {{"submit", act_submit_one}, {"set_factory", act_change_factory}},
        .invariant = pool_invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS}, {"the task", FATES}, {"asked", ASKED_WORDS}},
        .outcomes =
            {
                {"asked a mixture", FORBIDDEN, "a function was called with another's context",
                 MAY_OCCUR},
                {"closed, the task ran, asked the first", ACCEPTABLE, "the task came first",
                 MUST_OCCUR},
                {"closed, the task ran, asked the second", ACCEPTABLE, "the change came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/rejection_changed",
        .like = "pool_workers/factory_changed",
        .description = "the rejection handler is replaced while a task is rejected: the one or the "
                       "other hears of it, each with its own context",
        .invariants = "[TASK-1]",
        .attacks = {POOL, "gp_rejection rejection = pool->rejection;"},
        .broken_by = "rejection-read-unlocked",
        .set_up = set_up_rejection,
        .actors = {{"submit", act_submit_one}, {"set_rejection", act_change_rejection}},
        .outcomes =
            {
                {"asked a mixture", FORBIDDEN, "a function was called with another's context",
                 MAY_OCCUR},
                {"closed, the task rejected, asked the first", ACCEPTABLE, "the task came first",
                 MUST_OCCUR},
                {"closed, the task rejected, asked the second", ACCEPTABLE, "the change came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/keep_alive_against_core_timeout",
        .description = "the keep-alive time is taken away while core workers are allowed to time "
                       "out: one of the two is refused",
        .invariants = "[POOL-4]",
        .attacks = {POOL, "bool valid = nanos > 0 || (nanos == 0 && !gp_pool_core_timeout(pool));"},
        .broken_by = "keep-alive-checked-unlocked",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_without_timeout,
        .actors = {{"set_keep_alive", act_take_time_away},
                   {"set_core_timeout", act_let_core_time_out}},
        .invariant = pool_invariant,
        .arbiter = arbiter_closes,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS},
                  {"no time", {"refused", "accepted"}},
                  {"timeout", {"refused", "accepted"}}},
        .outcomes =
            {
                {"no time accepted, timeout accepted", FORBIDDEN,
                 "core workers that leave as soon as they are idle", MAY_OCCUR},
                {"closed, no time accepted, timeout refused", ACCEPTABLE, "the time went first",
                 MUST_OCCUR},
                {"closed, no time refused, timeout accepted", ACCEPTABLE, "the timeout came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/start_against_claim",
        .description = "somebody starts the thread that a factory is about to hand to the pool: "
                       "one of the two starts it, and the task is run",
        .invariants = "[WORKER-8]",
        .attacks = {THREAD, "bool ours = thread->phase == GP__THREAD_NEW && !thread->claimed;"},
        .broken_by = "thread-claim-unlocked",
        .state_size = sizeof(struct state),
        .set_up = set_up_shown,
        .actors = {{"submit", act_submit_one}, {"start", act_start_what_is_shown}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_shown,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"the task", FATES},
                  {"the other", {"came too late", "started it"}},
                  {"and", {"did not join it", "joined it"}}},
        .outcomes =
            {
                {"closed, the task ran, the other came too late, and did not join it", ACCEPTABLE,
                 "it is the pool's, to start and to join", MUST_OCCUR},
                {"closed, the task ran, the other started it, and joined it", ACCEPTABLE,
                 "the pool has refused it, and asked for another", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
