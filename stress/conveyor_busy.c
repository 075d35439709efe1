/*
 * A worker that is busy with a conveyor, and what it has to hear of meanwhile.
 *
 * Such a worker keeps its lock from function to function and does not come to the place where
 * others look at the state of the pool and at its settings [WORKER-7]. Who changes them finds the
 * worker busy and does not tell it. So it looks by itself before each function:
 *
 *        shutdown_now                       worker
 *                                           runs one; another lies behind it
 *        ctl = STOP, interrupts it
 *                                           sees that the pool is stopped, and returns
 *                                           may it go on? no: it leaves
 *        takes what is left off the belts
 *
 *   A worker that did not ask would run the other, in a pool that has been stopped, if it is faster
 *   than the one who takes it off.
 *
 *   Interrupts for the idle. Whoever changes a setting interrupts those who sleep, and knows them
 *   by their locks. A worker that gives up its lock after its first function is taken for idle
 *   while it runs the next, and that one is interrupted, for nothing [WORKER-3].
 *
 *   The maximum. One worker is held by its function, the other one lowers the maximum with its own,
 *   so that there is one worker too many. This one is the only one that can leave, and the function
 *   behind is not for it, though it is the first to see it.
 *
 *   The figures. Who adds up what has been run, what is running and what is queued must not find a
 *   function in two places. A worker that keeps its lock between two functions runs neither; so who
 *   took the lock for a sign would count the one that is over twice.
 */
#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"
#include "stress/support.h"

#define POOL_FUNCTIONS "impl/pool/functions.c"
#define STATS          "impl/pool/stats.c"
#define WORKER         "impl/pool/worker.c"

/* ---- stopped ---- */

static bool set_up_stop(void *argument, uint64_t random)
{
    struct looking_state *state = argument;

    looking_prepare(state);
    return conveyor_set_up_with_worker(state, random);
}

/* ---- figures ---- */

enum {
    LOOKS = 3,
    MOST = SECOND_TASK + 1
};

static void act_look_at_figures(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
    gp_pool_stats stats;

    for (int i = 0; i < LOOKS; i++) {
        gp_pool_statistics(state->pool, &stats);
        if (stats.total > outcome->slot[MOST])
            outcome->slot[MOST] = (unsigned char)stats.total;
    }
}

/* ---- interrupted ---- */

enum {
    LOOKERS = 3,
    FLAGS = CLOSE + 1
};

struct flag_state {
    struct pool_state base;
    bool seen; /* by a function: its thread's interrupt flag */
};

static void look_at_flag(void *context)
{
    struct flag_state *state = context;

    for (int i = 0; i < 4; i++)
        if (gp_interrupted())
            state->seen = true;
}

static bool set_up_flag(void *argument, uint64_t random)
{
    struct flag_state *state = argument;

    for (int i = 0; i < LOOKERS; i++) {
        state->base.jobs[i].body = look_at_flag;
        state->base.jobs[i].context = state;
    }
    return conveyor_set_up_with_worker(state, random);
}

static void act_execute_lookers(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = 0; i < LOOKERS; i++)
        conveyor_execute(&state->jobs[i], state->pool);
}

/* Each time the idle are interrupted, to wait with the new limit. */
static void act_lower_keep_alive(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_set_keep_alive(state->pool, AN_HOUR);
    for (int i = 1; i <= 4; i++)
        gp_pool_set_keep_alive(state->pool, AN_HOUR - i);
}

static void arbiter_of_flag(void *argument, struct outcome *outcome)
{
    struct flag_state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[FLAGS] = state->seen;
}

/* ---- one too many ---- */

enum {
    HOLDER, /* of one worker, until the other one has left, or runs the last */
    LOWERER,
    BEHIND,
    FUNCTIONS,
    WORKERS = 2
};

/* A thread that opens the gate when its worker has left. */
struct opener {
    gp_future *gate;
    gp_run_fn *run; /* the worker */
    void *argument;
};

struct limit_state {
    struct pool_state base;
    gp_future *gate;
    struct opener openers[WORKERS];
    atomic_bool holds;
    bool held; /* when the maximum was lowered, the other worker could not leave */
};

static void hold(void *context)
{
    struct limit_state *state = context;

    atomic_store(&state->holds, true);
    insist_on_get(state->gate);
}

static void lower_maximum(void *context)
{
    struct limit_state *state = context;

    state->held = atomic_load(&state->holds);
    gp_pool_set_maximum_size(state->base.pool, 1);
}

static void open_gate(void *context)
{
    struct limit_state *state = context;

    gp_future_set(state->gate, NULL);
}

static void run_and_open(void *argument)
{
    struct opener *opener = argument;

    opener->run(opener->argument);
    gp_future_set(opener->gate, NULL);
}

static int create_opener(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct limit_state *state = context;
    int number = atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed);

    if (number >= WORKERS)
        return GP_EAGAIN;
    state->openers[number] = (struct opener){state->gate, run, argument};
    return gp_thread_new(NULL, run_and_open, &state->openers[number], out);
}

static void tear_down_limit(void *argument)
{
    struct limit_state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->gate);
}

static bool open_limit(struct limit_state *state, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = WORKERS;
    config.maximum_size = WORKERS;
    config.keep_alive = GP_FOREVER;
    config.factory = (gp_thread_factory){.create = create_opener, .context = state};
    if (gp_future_new(&nothing, &state->gate) != GP_OK ||
        !conveyor_open(&state->base, &config, random))
        return false;
    if (gp_pool_prestart_all_core(state->base.pool) == WORKERS)
        return gp_pool_set_core_size(state->base.pool, 1) == GP_OK;
    pool_end(&state->base.pool);
    return false;
}

/* Two workers, one of them beyond the core. */
static bool set_up_limit(void *argument, uint64_t random)
{
    struct limit_state *state = argument;
    gp_run_fn *const bodies[FUNCTIONS] = {hold, lower_maximum, open_gate};

    for (int i = 0; i < FUNCTIONS; i++) {
        state->base.jobs[i].body = bodies[i];
        state->base.jobs[i].context = state;
    }
    bool ready = open_limit(state, random);
    if (!ready)
        tear_down_limit(state);
    return ready;
}

static void act_execute_holder(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[HOLDER], state->pool);
}

static void act_execute_lowerer(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[LOWERER], state->pool);
    conveyor_execute(&state->jobs[BEHIND], state->pool);
}

enum {
    LAST = CLOSE + 1,
    BY_WHOM
};

static void arbiter_of_limit(void *argument, struct outcome *outcome)
{
    struct limit_state *state = argument;
    const struct job *jobs = state->base.jobs;

    arbiter_of_one(state, outcome);
    outcome->slot[LAST] = (unsigned char)job_fate(&jobs[BEHIND]);
    if (state->held)
        outcome->slot[BY_WHOM] = jobs[BEHIND].runner == jobs[LOWERER].runner ? 2 : 1;
}

/* ---- the family ---- */

const struct scenario conveyor_busy_races[] = {
    {
        .name = "conveyor/stop_against_busy_worker",
        .like = "pool_ctl/stop_against_next_task",
        .description = "a pool is stopped while its worker runs a function, with another one "
                       "behind it: when the first sees the stop, the other is not run",
        .invariants = "[WORKER-7] [LIFE-2]",
        .attacks = {POOL_FUNCTIONS, "return !gp__at_least(ctl, GP__STOP) &&"},
        .broken_by = "conveyor-worker-goes-on-after-stop",
        .set_up = set_up_stop,
        .actors = {{"execute", act_execute_two}, {"shutdown_now", act_shutdown_now}},
        .outcomes =
            {
                {"one ran, closed, the other ran, the one saw the stop", FORBIDDEN,
                 "begun in a pool that its worker could know to be stopped", MAY_OCCUR},
                {"one ran, closed, the other ran, the one saw no stop", ACCEPTABLE,
                 "the worker was quick", MAY_OCCUR},
                {"one ran, closed, the other handed back, ...", ACCEPTABLE,
                 "stopped while the first ran, or before the worker came back", MAY_OCCUR},
                {"one ran, closed, the other rejected, ...", ACCEPTABLE, "stopped between the two",
                 MAY_OCCUR},
                {"one handed back, closed, the other handed back, ...", ACCEPTABLE,
                 "stopped before the worker came", MAY_OCCUR},
                {"one handed back, closed, the other rejected, ...", ACCEPTABLE,
                 "stopped between the two", MAY_OCCUR},
                {"one rejected, closed, the other rejected, ...", ACCEPTABLE, "the stop came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/figures_against_busy_worker",
        .description = "functions are executed while somebody adds up those that have run, run "
                       "and are queued: none is counted twice",
        .invariants = "[WORKER-7]",
        .attacks = {STATS, "memory_order_relaxed) != NULL;"},
        .broken_by = "figures-count-before-showing",
        .state_size = sizeof(struct pool_state),
        .set_up = conveyor_set_up_with_worker,
        .actors = {{"execute", act_execute_two}, {"look", act_look_at_figures}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_two,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES},
                  {NULL, ENDS},
                  {"the other", FATES},
                  {"there were", {"none", "one", "two", "three"}}},
        .outcomes =
            {
                {"there were three", FORBIDDEN, "there have never been so many", MAY_OCCUR},
                {"one ran, closed, the other ran, there were none", ACCEPTABLE,
                 "looked before, or while it was on its way", MUST_OCCUR},
                {"one ran, closed, the other ran, there were one", ACCEPTABLE,
                 "looked in between, or while one was on its way", MUST_OCCUR},
                {"one ran, closed, the other ran, there were two", ACCEPTABLE, "both were seen",
                 MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/idle_interrupt_against_functions",
        .description = "settings change, which interrupts idle workers, while one runs function "
                       "after function: none of them sees anything of it",
        .invariants = "[WORKER-3] [WORKER-7]",
        .attacks = {WORKER, "pool->class->run_functions(worker); /* [WORKER-7] */"},
        .broken_by = "worker-lock-given-up-early",
        .state_size = sizeof(struct flag_state),
        .set_up = set_up_flag,
        .actors = {{"execute", act_execute_lookers}, {"set_keep_alive", act_lower_keep_alive}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_flag,
        .tear_down = pool_tear_down,
        .slots = {{"the first", FATES}, {NULL, ENDS}, {"flags", {"down", "up"}}},
        .outcomes =
            {
                {"flags up", FORBIDDEN, "an interrupt for the idle has hit a function", MAY_OCCUR},
                {"the first ran, closed, flags down", ACCEPTABLE,
                 "the worker keeps its lock until there is nothing left", MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/maximum_against_busy_worker",
        .description = "a function lowers the maximum while another holds the other worker: who "
                       "ran it leaves, and does not go on with the function behind",
        .invariants = "[WORKER-7]",
        .attacks = {POOL_FUNCTIONS,
                    "gp__worker_count_of(ctl) <= atomic_load(&pool->maximum_size);"},
        .broken_by = "conveyor-worker-goes-on-beyond-maximum",
        .state_size = sizeof(struct limit_state),
        .set_up = set_up_limit,
        .actors = {{"execute", act_execute_holder}, {"execute two", act_execute_lowerer}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_limit,
        .tear_down = tear_down_limit,
        .slots = {{"the holder", FATES},
                  {NULL, ENDS},
                  {"the last", FATES},
                  {"run by", {"anybody", "the other worker", "the one too many"}}},
        .outcomes =
            {
                {"run by the one too many", FORBIDDEN, "it had to leave, and nobody else could",
                 MAY_OCCUR},
                {"the holder ran, closed, the last ran, run by the other worker", ACCEPTABLE,
                 "it was held until the first had left", MUST_OCCUR},
                {"the holder ran, closed, the last ran, run by anybody", ACCEPTABLE,
                 "lowered before the other was held: either may have left", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
