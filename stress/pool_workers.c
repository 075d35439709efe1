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
 * What workers are told while they sleep, and what their tasks must not see of it, is in
 * pool_workers_idle.c.
 */
#include <pthread.h> /* pthread_exit */

#include "stress/pool_workers_support.h"

#define POOL   "impl/pool/pool.c"
#define WORKER "impl/pool/worker.c"

/* ---- the last worker leaves ---- */

enum {
    CAME = FATE + 1
};

static bool set_up_leaving(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    config.keep_alive = GP_MICROSECONDS(random % 32);
    return workers_open(argument, &config, random);
}

static void act_submit_first(void *argument, struct outcome *outcome)
{
    (void)outcome;
    workers_submit_and_get(argument, 0, JOBS / 2);
}

static void act_submit_second(void *argument, struct outcome *outcome)
{
    (void)outcome;
    workers_submit_and_get(argument, JOBS / 2, JOBS);
}

static void arbiter_of_all(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = workers_common_fate(state, JOBS, RAN);
    outcome->slot[CAME] = workers_came(state);
}

/* ---- core workers that time out ---- */

static bool set_up_core_timeout(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_timeout = true;
    config.keep_alive = GP_MICROSECONDS(1 + random % 32);
    return workers_open(argument, &config, random);
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
    return workers_open(argument, &config, random);
}

static void act_set_core(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[SET_CORE] = gp_pool_set_core_size(state->pool, 2) == GP_OK;
}

static void act_set_maximum(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[SET_MAXIMUM] = gp_pool_set_maximum_size(state->pool, 1) == GP_OK;
}

static void arbiter_closes(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
}

/* ---- it leaves for good ---- */

static void arbiter_of_left(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[CAME] = workers_came(state);
}

/* ---- two submitters at the limit ---- */

enum {
    LARGEST = FATE + 1
};

static bool set_up_limit(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    return workers_open(argument, &config, random);
}

/* There may be another one, but only when the queue is full, and it has no end. */
static bool set_up_core(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.maximum_size = 2;
    return workers_open(argument, &config, random);
}

static void arbiter_of_limit(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
    gp_pool_stats stats;

    gp_pool_statistics(state->pool, &stats);
    outcome->slot[LARGEST] = (unsigned char)stats.largest;
    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[FATE] = workers_common_fate(state, 2, RAN);
}

/* ---- no threads to be had ---- */

enum {
    ONE = CLOSE + 1,
    OTHER,
    PRESTART
};

static int create_or_fail(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct pool_state *state = context;
    int number = atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);

    if (number < 8 && (state->random >> 2 * number & 3))
        return GP_EAGAIN;
    return workers_thread_new(run, argument, out);
}

static bool set_up_failing(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.factory.create = create_or_fail;
    return workers_open(argument, &config, random);
}

static void act_prestart(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[PRESTART] = gp_pool_prestart_core(state->pool) == GP_OK;
}

static void act_one_submits_and_gets(void *argument, struct outcome *outcome)
{
    (void)outcome;
    workers_submit_and_get(argument, 0, 1);
}

static void act_other_submits_and_gets(void *argument, struct outcome *outcome)
{
    (void)outcome;
    workers_submit_and_get(argument, 1, 2);
}

static void arbiter_of_failing(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[ONE] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[OTHER] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- a task that ends its thread ---- */

enum {
    KILLER = CLOSE + 1,
    BEHIND,
    GET,
    GET_KILLER
};

static void end_thread(void *context)
{
    (void)context;
    pthread_exit(NULL);
}

static bool set_up_killer(void *argument, uint64_t random)
{
    struct pool_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->jobs[0].body = end_thread;
    return workers_open(state, &config, random);
}

static void act_submit_killer(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    job_submit(&state->jobs[0], state->pool);
    job_submit(&state->jobs[1], state->pool);
    outcome->slot[GET] = job_get(&state->jobs[1]);
    outcome->slot[GET_KILLER] = job_get(&state->jobs[0]);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
}

static void arbiter_of_killer(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[KILLER] = (unsigned char)job_fate(&state->jobs[0]);
    outcome->slot[BEHIND] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- the family ---- */

const struct scenario pool_workers_races[] = {
    {
        .name = "pool_workers/last_worker_leaves",
        .description = "two threads submit and wait while the only worker, without a core, keeps "
                       "leaving: no task stays behind",
        .invariants = "[POOL-1] [WORKER-1] [WORKER-5]",
        .attacks = {WORKER, "gp__condition_signal_all(&pool->decided);"},
        .broken_by = "pool-decision-not-signalled",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_leaving,
        .actors = {{"submit, get", act_submit_first}, {"submit, get", act_submit_second}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_all,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", WORKERS}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "it stayed", MAY_OCCUR},
                {"closed, each task ran, workers two or more", ACCEPTABLE,
                 "one left, and the next task brought another", MUST_OCCUR},
            },
    },
    {
        .name = "pool_workers/leaves_for_good",
        .description = "the only worker leaves, its time being up, while somebody looks on: "
                       "nothing is queued, and nobody comes in its place",
        .invariants = "[WORKER-5]",
        .attacks = {WORKER, "if (minimum == 0 && !gp__pool_queue_is_empty(pool))"},
        .broken_by = "pool-last-worker-always-replaced",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_leaving,
        .actors = {{"submit", act_submit_one}, {"wait", act_wait_for_idle}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_left,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {"the task", FATES}, {"workers", WORKERS}},
        .outcomes =
            {
                {"closed, the task ran, workers one", ACCEPTABLE, "there was work for one",
                 MUST_OCCUR},
                {"workers two or more", FORBIDDEN, "one came for nothing", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/core_timeout",
        .like = "pool_workers/last_worker_leaves",
        .description = "two threads submit and wait while the only core worker keeps timing out: "
                       "who finds it gone starts another",
        .invariants = "[POOL-1] [WORKER-5]",
        .attacks = {POOL, "int status = gp__ensure_worker(pool);"},
        .broken_by = "pool-recheck-starts-no-worker",
        .set_up = set_up_core_timeout,
    },
    {
        .name = "pool_workers/core_against_maximum",
        .description = "the core is raised above the maximum that another thread lowers: one of "
                       "the two is refused",
        .invariants = "[POOL-4]",
        .attacks = {POOL, "bool valid = core_size >= 0 && core_size <= gp_pool_maximum_size"},
        .broken_by = "pool-settings-check-unlocked",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_resizable,
        .actors = {{"set core", act_set_core}, {"set maximum", act_set_maximum}},
        .invariant = pool_invariant,
        .arbiter = arbiter_closes,
        .tear_down = pool_tear_down,
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
        .broken_by = "pool-worker-limit-exceeded",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_limit,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_limit,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {"none", "one", "two"}}},
        .outcomes =
            {
                {"closed, each task ran, workers one", ACCEPTABLE, "no more are allowed",
                 MUST_OCCUR},
                {"workers two", FORBIDDEN, "more than the maximum", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/two_submitters_at_core",
        .description = "two submit to a pool with room for one core worker, and for one more in "
                       "need: who comes second waits for the first one's worker, and starts none",
        .invariants = "[WORKER-1] [POOL-1]",
        .attacks = {WORKER, "if (gp__are_workers_there(pool, 1) || await_decision(pool))"},
        .broken_by = "pool-waits-for-no-decision",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_core,
        .actors = {{"submit", act_submit_one}, {"submit too", act_submit_other}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_limit,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS}, {"each task", FATES}, {"workers", {NULL}}},
        .outcomes =
            {
                {"closed, each task ran, workers 1", ACCEPTABLE, "the queue is never full",
                 MUST_OCCUR},
                {"workers 2", FORBIDDEN, "one more than there is need of", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/failing_reservation",
        .description = "threads fail to be created while tasks are submitted that count on them: "
                       "a task is run or given back, nobody waits for nothing",
        .invariants = "[WORKER-1] [POOL-2]",
        .attacks = {"impl/pool/pool.h",
                    "return count - atomic_load(&pool->undecided) >= wanted &&"},
        .broken_by = "pool-trusts-reservation",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_failing,
        .actors = {{"submit, get", act_one_submits_and_gets},
                   {"submit, get", act_other_submits_and_gets},
                   {"prestart", act_prestart}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_failing,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"prestart", {"in vain", "started one"}}},
        .outcomes =
            {
                {"closed, one ran, the other ran, ...", ACCEPTABLE, "a thread was to be had",
                 MUST_OCCUR},
                {"closed, one ran, the other stayed with its submitter, ...", ACCEPTABLE,
                 "there was none for the other, and none to wait for", MAY_OCCUR},
                {"closed, one stayed with its submitter, the other ran, ...", ACCEPTABLE,
                 "there was none for the one, and none to wait for", MAY_OCCUR},
                {"closed, one stayed with its submitter, the other stayed with its submitter, ...",
                 ACCEPTABLE, "no thread was to be had", MAY_OCCUR},
            },
    },
    {
        .name = "pool_workers/killed_by_its_task",
        .description = "a task ends its thread while another is queued behind it and the pool is "
                       "shut down: a new worker runs the other",
        .invariants = "[WORKER-5] [LIFE-2]",
        .attacks = {WORKER, "    if (gp__at_least(ctl, GP__STOP))"},
        .broken_by = "pool-killed-worker-unreplaced",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_killer,
        .actors = {{"submit, get", act_submit_killer}, {"shutdown", act_shutdown}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_killer,
        .tear_down = pool_tear_down,
        .slots = {{NULL, ENDS},
                  {"the killer", FATES},
                  {"the one behind", FATES},
                  {"get gave", GOTTEN},
                  {"of the killer", GOTTEN}},
        .outcomes =
            {
                {"closed, the killer ran, the one behind ran, get gave a result, "
                 "of the killer a failure",
                 ACCEPTABLE, "a worker that its task has killed is replaced, and the task told of",
                 MUST_OCCUR},
                {"closed, the killer ran, the one behind rejected, get gave nothing, "
                 "of the killer a failure",
                 ACCEPTABLE, "shut down between the two", MAY_OCCUR},
                {"closed, the killer rejected, the one behind rejected, get gave nothing, "
                 "of the killer nothing",
                 ACCEPTABLE, "shut down before", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("pool_workers/last_worker_leaves", "pool_workers/last_worker_leaves_on_conveyor",
                  pool_choose_conveyor),
    SCENARIO_TWIN("pool_workers/leaves_for_good", "pool_workers/leaves_for_good_on_conveyor",
                  pool_choose_conveyor),
    {.name = NULL},
};
