/*
 * Tasks that are put back after each run, and the end of the pool that runs them.
 *
 * A scheduled pool has one way for all its tasks: through the queue. A periodic task is taken out,
 * run, given its next time, and put back by the worker that ran it. While it runs it is in no
 * queue: whoever ends the pool, changes a policy or cancels the task in that moment does not find
 * it. So the one who puts it back has to look after them [SCHEDULED-3]:
 *
 *        worker                        shutdown, or a change of policy
 *        run
 *        may it run again? yes
 *                                      SHUTDOWN; out of the queue with periodic tasks: none there
 *        offer
 *        may it run again? no: take it back, cancel it
 *
 *   Without the second look the task stays in the queue and holds up the end of the pool until it
 *   is due; without the cancel it is dropped, and who waits for its future waits for ever
 *   (JDK-8176254, JDK-8177632). The same with cancel under remove_on_cancel, where upstream still
 *   leaves the task in the queue [SCHEDULED-2].
 *
 *   schedule has the same problem as execute, and a subtler form of it: the pool may go from
 *   SHUTDOWN, in which delayed tasks are run, to TIDYING between the look at the state and the
 *   worker that is to be started. In Java nobody listens when addWorker says no, and get hangs
 *   (JDK-8358601). Natively that window is a few instructions wide. A factory that fails gives
 *   the same answer in the same place, and far more often; so here threads are short as well.
 *
 *   Runs of one task never overlap, however many workers there are and however late it is: being in
 *   the queue and being run exclude each other [PERIODIC-1]. The counters of a chore are plain
 *   variables for that reason.
 *
 *   The pool itself has to outlive its tasks. The last one may be cancelled while close waits for
 *   it; then it is cancel that ends the pool, and close may free it before cancel returns
 *   [SCHEDULED-5].
 *
 * A chore that is to end fails at its last run. Some chores are hourly, so that one which is left
 * in the queue by mistake is noticed: somebody would have to wait for an hour. Where the worker
 * runs chores from the front and another thread cancels them from the back, the two meet once in
 * each iteration, wherever that is.
 */
#include <stdatomic.h>

#include <glasspool/scheduled.h>

#include "stress/pool_support.h"
#include "stress/support.h"

#define SCHEDULED "impl/scheduled/scheduled.c"
#define TASK      "impl/scheduled/task.c"
#define WORKER    "impl/pool/worker.c"

enum {
    CHORES = 6,
    RUNS = 8,    /* whose times are kept */
    FAILURE = 7, /* the code with which a chore ends itself */
    A_MICROSECOND = 1000
};

/* A periodic task that counts its runs, and fails at the last of them. */
struct chore {
    int limit; /* the run that fails; 0: none */
    int runs;
    int ends; /* calls of its destructor */
    bool busy;
    bool overlapped;
    int64_t due[RUNS];   /* when each run was due, if the scenario asks for it ... */
    int64_t began[RUNS]; /* ... and when it began */
    gp_future *future;   /* a reference */
    gp_future *ran;      /* set at the first run; NULL: nobody waits for that */
};

struct state {
    gp_scheduled *scheduled[2];
    struct chore chores[CHORES];
    gp_future *ran;  /* as in the chores, ours to release */
    gp_future *gate; /* what a task waits for */
    uint64_t random;
    atomic_int threads; /* that the factory was asked for */
};

/* ---- chores ---- */

static int run_chore(void *argument, void **result)
{
    struct chore *chore = argument;
    int run = chore->runs++;

    (void)result;
    chore->overlapped = chore->overlapped || chore->busy;
    chore->busy = true;
    if (run < RUNS)
        chore->began[run] = gp_now();
    chore->busy = false;
    if (chore->ran && run == 0)
        gp_future_set(chore->ran, NULL);
    return chore->runs == chore->limit ? FAILURE : 0;
}

static void end_chore(void *argument)
{
    struct chore *chore = argument;

    chore->ends++;
}

static gp_callable callable_of(struct chore *chore)
{
    return (gp_callable){.call = run_chore, .argument = chore, .destroy = end_chore};
}

static unsigned char get_chore(const struct chore *chore)
{
    return chore->future ? got(gp_future_get(chore->future, NULL)) : (unsigned char)NOT_ASKED;
}

/* At a fixed rate or with a fixed delay: chance decides. */
static int start_chore(struct state *state, int number, int64_t period)
{
    struct chore *chore = &state->chores[number];
    const gp_callable callable = callable_of(chore);
    bool fixed_rate = state->random >> 32 & 1;

    return (fixed_rate ? gp_schedule_at_fixed_rate : gp_schedule_with_fixed_delay)(
        state->scheduled[0], &callable, 0, period, &chore->future);
}

/* ---- schedulers ---- */

static bool make_signal(gp_future **out)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    return gp_future_new(&nothing, out) == GP_OK;
}

/* With one worker, idle. */
static bool open_scheduler(struct state *state, gp_scheduled_config *config, uint64_t random)
{
    state->random = random;
    config->time_tasks = false;
    if (!make_signal(&state->ran))
        return false;
    if (gp_scheduled_new(config, &state->scheduled[0]) != GP_OK) {
        gp_future_release(state->ran);
        return false;
    }
    gp_pool_prestart_core(gp_scheduled_pool(state->scheduled[0]));
    state->chores[0].ran = state->ran;
    return true;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    for (int i = 0; i < CHORES; i++)
        gp_future_release(state->chores[i].future);
    gp_future_release(state->ran);
    gp_future_release(state->gate);
}

static gp_pool *pool_of(struct state *state)
{
    return gp_scheduled_pool(state->scheduled[0]);
}

static int invariant(void *argument)
{
    return gp_pool_check(pool_of(argument));
}

static bool end_scheduler(struct state *state)
{
    return gp_scheduled_close(state->scheduled[0]) == GP_OK;
}

/* What set_up has made. */
static void undo(struct state *state)
{
    if (state->gate)
        gp_future_set(state->gate, NULL);
    end_scheduler(state);
    tear_down(state);
}

/* ---- shared outcomes ---- */

enum {
    GET,
    CLOSE,
    CHORE
};

/* How a chore has behaved. */
enum conduct {
    IN_ORDER,
    OVERLAPPED,
    NOT_ENDED_ONCE,
    TOO_MANY_RUNS
};

#define CONDUCTS                                                              \
    {                                                                         \
        "all in order", "runs overlapped", "not ended once", "runs too often" \
    }

static unsigned char conduct_of(const struct chore *chore)
{
    if (chore->overlapped)
        return OVERLAPPED;
    if (chore->ends != 1)
        return NOT_ENDED_ONCE;
    return chore->limit && chore->runs > chore->limit ? TOO_MANY_RUNS : IN_ORDER;
}

static void arbiter_of_chore(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CLOSE] = !end_scheduler(state);
    outcome->slot[CHORE] = conduct_of(&state->chores[0]);
}

/* Nobody shall wait for its first run if there is none. */
static void start_awaited_chore(struct state *state, int64_t period)
{
    if (start_chore(state, 0, period) != GP_OK)
        gp_future_set(state->ran, NULL);
}

static void act_chore_and_get(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    start_awaited_chore(state, A_MICROSECOND);
    outcome->slot[GET] = get_chore(&state->chores[0]);
}

/* ---- re-queue against shutdown ---- */

static bool set_up_ending(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.execute_delayed = random & 1; /* that is for others */
    state->chores[0].limit = 1000;
    return open_scheduler(state, &config, random);
}

static void await_first_run(struct state *state)
{
    gp_future_get(state->ran, NULL);
}

static void act_shutdown_after_a_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    await_first_run(state);
    gp_pool_shutdown(pool_of(state));
    gp_pool_await_termination(pool_of(state), GP_FOREVER);
}

/* ---- going on after shutdown ---- */

static bool set_up_going_on(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    config.execute_delayed = random & 1; /* that is for others */
    state->chores[0].limit = 20;
    return open_scheduler(state, &config, random);
}

/* ---- schedule against shutdown ---- */

enum {
    ANSWER,
    LATER_CLOSE,
    LATER_GET
};

/* No thread is to be had at first, if chance so decides. */
static int create_or_fail(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;
    int number = atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);

    if (number < 2 && (state->random >> number & 1))
        return GP_EAGAIN;
    return gp_thread_new(NULL, run, argument, out);
}

static bool set_up_short_of_threads(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 0;
    config.factory.create = create_or_fail;
    config.factory.context = argument;
    return open_scheduler(argument, &config, random);
}

static bool set_up_without_delayed(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 0;
    config.execute_delayed = false;
    return open_scheduler(argument, &config, random);
}

enum answer {
    ACCEPTED,
    REFUSED,
    GIVEN_BACK
};

static void schedule_and_get(struct state *state, int64_t delay, struct outcome *outcome)
{
    struct chore *chore = &state->chores[0];
    const gp_callable callable = callable_of(chore);
    int status = gp_schedule(state->scheduled[0], &callable, delay, &chore->future);

    outcome->slot[ANSWER] = status == GP_OK          ? ACCEPTED
                            : status == GP_EREJECTED ? REFUSED
                                                     : GIVEN_BACK;
    outcome->slot[LATER_GET] = get_chore(chore);
}

static void act_schedule_now(void *argument, struct outcome *outcome)
{
    schedule_and_get(argument, 0, outcome);
}

static void act_schedule_far(void *argument, struct outcome *outcome)
{
    schedule_and_get(argument, AN_HOUR, outcome);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    (void)outcome;
    gp_pool_shutdown(pool_of(argument));
}

static void arbiter_of_one_shot(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LATER_CLOSE] = !end_scheduler(state);
    if (state->chores[0].ends != (outcome->slot[ANSWER] == GIVEN_BACK ? 0 : 1))
        outcome->slot[LATER_CLOSE] = 2;
}

/* ---- cancel against re-queue ---- */

enum {
    HOURLY_RUNS,
    HOURLY_CLOSE,
    HOURLY_CHORES,
    QUIET
};

static void await_go(void *argument)
{
    struct state *state = argument;

    gp_future_get(state->gate, NULL);
}

/* The worker waits, hourly tasks are due behind it. */
static bool open_gated(struct state *state, gp_scheduled_config *config, uint64_t random)
{
    if (!make_signal(&state->gate))
        return false;
    if (!open_scheduler(state, config, random)) {
        gp_future_release(state->gate);
        return false;
    }
    bool ready = gp_pool_execute(pool_of(state), await_go, state) == GP_OK;
    for (int i = 0; i < CHORES; i++)
        ready = ready && start_chore(state, i, AN_HOUR) == GP_OK;
    if (!ready)
        undo(state);
    return ready;
}

static bool set_up_removing(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    return open_gated(argument, &config, random);
}

/* The worker goes through them from the front. If one were still queued afterwards, the pool would
   not be quiet for an hour. */
static void act_cancel_from_the_back(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    await_first_run(state);
    for (int i = CHORES - 1; i >= 0; i--)
        gp_future_cancel(state->chores[i].future, false);
    outcome->slot[QUIET] = gp_pool_await_quiescence(pool_of(state), GP_FOREVER) == GP_OK;
}

static void act_go_and_get_all(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_set(state->gate, NULL);
    for (int i = 0; i < CHORES; i++)
        get_chore(&state->chores[i]);
}

static void arbiter_of_hourly(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int runs = 0;

    outcome->slot[HOURLY_CLOSE] = !end_scheduler(state);
    for (int i = 0; i < CHORES; i++) {
        runs += state->chores[i].runs;
        if (conduct_of(&state->chores[i]) != IN_ORDER || state->chores[i].runs > 1)
            outcome->slot[HOURLY_CHORES] = true;
    }
    outcome->slot[HOURLY_RUNS] = runs == CHORES;
}

/* ---- a failing run ---- */

enum {
    SURVIVOR_GET = CHORE + 1,
    SURVIVOR
};

static bool set_up_failing(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 1 + (int)(random & 1);
    state->chores[0].limit = 2;
    state->chores[1].limit = 8;
    return open_scheduler(state, &config, random);
}

static void act_fail_soon(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    act_chore_and_get(state, outcome);
    gp_pool_await_quiescence(pool_of(state), GP_FOREVER);
}

static void act_fail_later(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    start_chore(state, 1, A_MICROSECOND);
    outcome->slot[SURVIVOR_GET] = get_chore(&state->chores[1]);
}

static void arbiter_of_two_chores(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_chore(state, outcome);
    outcome->slot[SURVIVOR] = conduct_of(&state->chores[1]);
}

/* ---- overrun ---- */

enum {
    TIMES = CHORE + 1
};

#define PERIOD GP_MICROSECONDS(5)

static void note_due_time(void *context, gp_task *task)
{
    struct state *state = context;
    struct chore *chore = &state->chores[0];

    if (gp_task_argument(task) == chore && chore->runs < RUNS)
        chore->due[chore->runs] = gp_task_time(task);
}

static bool open_overrunning(struct state *state, gp_overrun overrun, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.overrun = overrun;
    config.hooks.before_execute = note_due_time;
    config.hooks.context = state;
    state->chores[0].limit = RUNS;
    if (!make_signal(&state->gate))
        return false;
    if (open_scheduler(state, &config, random))
        return true;
    gp_future_release(state->gate);
    return false;
}

static bool set_up_catching_up(void *argument, uint64_t random)
{
    return open_overrunning(argument, GP_OVERRUN_CATCH_UP, random);
}

static bool set_up_skipping(void *argument, uint64_t random)
{
    return open_overrunning(argument, GP_OVERRUN_SKIP, random);
}

static void act_regularly(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    struct chore *chore = &state->chores[0];
    const gp_callable callable = callable_of(chore);

    gp_schedule_at_fixed_rate(state->scheduled[0], &callable, 0, PERIOD, &chore->future);
    outcome->slot[GET] = get_chore(chore);
}

/* Keeps the only worker for some periods. */
static void be_in_the_way(void *argument)
{
    struct state *state = argument;

    gp_future_get_timed(state->gate, 3 * PERIOD, NULL);
}

static void act_be_in_the_way(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_execute(pool_of(state), be_in_the_way, state);
}

enum times {
    EACH_PERIOD,
    WITH_GAPS,
    ODD_TIMES,
    TOO_EARLY
};

#define DUE_TIMES                                                     \
    {                                                                 \
        "at each period", "with gaps", "at odd times", "after it ran" \
    }

/* When the runs were due, all of which there have been. */
static unsigned char look_at_times(const struct chore *chore, bool skipping)
{
    enum times times = EACH_PERIOD;

    for (int i = 0; i < RUNS; i++) {
        int64_t step = i ? gp_time_until(chore->due[i], chore->due[i - 1]) : PERIOD;
        if (gp_time_until(chore->due[i], chore->began[i]) > 0)
            return TOO_EARLY;
        if (step <= 0 || step % PERIOD != 0)
            return ODD_TIMES;
        if (skipping && i && gp_time_until(chore->due[i], chore->began[i - 1]) <= 0)
            return ODD_TIMES; /* it had been missed already */
        if (step > PERIOD)
            times = WITH_GAPS;
    }
    return (unsigned char)times;
}

static void arbiter_of_catching_up(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_chore(state, outcome);
    outcome->slot[TIMES] = look_at_times(&state->chores[0], false);
}

static void arbiter_of_skipping(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_chore(state, outcome);
    outcome->slot[TIMES] = look_at_times(&state->chores[0], true);
}

/* ---- the policy changes after shutdown ---- */

/* Shut down, and going on. */
static bool set_up_shut_down(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    if (!open_gated(argument, &config, random))
        return false;
    gp_pool_shutdown(pool_of(argument));
    return true;
}

/* Each look takes the queue's lock for a while, so that the others have to wait for it. */
static void act_go_and_watch(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_set(state->gate, NULL);
    for (int i = 0; i < 8; i++)
        gp_pool_check(pool_of(state));
    act_go_and_get_all(state, outcome);
}

static void act_discontinue(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    await_first_run(state);
    gp_scheduled_set_continue_periodic(state->scheduled[0], false);
    gp_pool_await_termination(pool_of(state), GP_FOREVER);
}

/* ---- many workers ---- */

static bool set_up_many_workers(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 2;
    state->chores[0].limit = 12;
    if (!open_scheduler(state, &config, random))
        return false;
    gp_pool_prestart_core(pool_of(state));
    return true;
}

static void act_keep_them_awake(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    for (int i = 0; i < 4; i++)
        gp_pool_execute(pool_of(state), do_nothing, NULL);
}

/* ---- shutdown_now ---- */

static bool set_up_stopping(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = random & 1; /* that is for shutdown */
    state->chores[0].limit = 1000;
    return open_scheduler(state, &config, random);
}

static void act_stop_after_a_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task_list unrun;

    (void)outcome;
    await_first_run(state);
    gp_pool_shutdown_now(pool_of(state), &unrun);
    for (gp_task *task; (task = gp_task_list_pop(&unrun)) != NULL;) {
        if (state->random & 2)
            gp_task_run(task);
        else
            gp_task_discard(task);
    }
}

/* ---- two schedulers ---- */

enum {
    OTHER_GET = CHORE + 1,
    OTHER
};

static bool set_up_two(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 0;
    config.keep_alive = GP_MICROSECONDS(random % 8);
    state->chores[0].limit = 3;
    state->chores[1].limit = 3;
    if (!open_scheduler(state, &config, random))
        return false;
    bool ready = gp_scheduled_new(&config, &state->scheduled[1]) == GP_OK;
    if (!ready)
        undo(state);
    return ready;
}

static void act_chore_of_other(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    struct chore *chore = &state->chores[1];
    const gp_callable callable = callable_of(chore);

    gp_schedule_at_fixed_rate(state->scheduled[1], &callable, 0, A_MICROSECOND, &chore->future);
    outcome->slot[OTHER_GET] = get_chore(chore);
}

static void arbiter_of_two_schedulers(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_chore(state, outcome);
    if (gp_scheduled_close(state->scheduled[1]) != GP_OK)
        outcome->slot[CLOSE] = true;
    outcome->slot[OTHER] = conduct_of(&state->chores[1]);
}

/* ---- cancel against close ---- */

enum {
    LAST_CANCEL,
    LAST_CLOSE,
    LAST_CHORE
};

/* An hourly task that is due in an hour; after shutdown it is waited for. */
static bool set_up_far(void *argument, uint64_t random)
{
    struct state *state = argument;
    struct chore *chore = &state->chores[0];
    const gp_callable callable = callable_of(chore);
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    if (!open_scheduler(state, &config, random))
        return false;
    bool ready = gp_schedule(state->scheduled[0], &callable, AN_HOUR, &chore->future) == GP_OK;
    if (!ready)
        undo(state);
    return ready;
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LAST_CANCEL] = gp_future_cancel(state->chores[0].future, false);
}

static void act_close(void *argument, struct outcome *outcome)
{
    outcome->slot[LAST_CLOSE] = !end_scheduler(argument);
}

static void arbiter_of_last(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LAST_CHORE] = conduct_of(&state->chores[0]);
}

/* ---- the family ---- */

const struct scenario periodic_races[] = {
    {
        .name = "periodic/requeue_against_shutdown",
        .description = "a periodic task runs and is put back while the pool shuts down: it ends, "
                       "and who waits for it is told",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, "if (!put_back(scheduled, task, element))"},
        .broken_by = {SCHEDULED, "if (!put_back(scheduled, task, element))",
                      "if (!put_back(scheduled, task, element) && "
                      "gp_future_is_cancelled(&task->future))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_ending,
        .actors = {{"schedule, get", act_chore_and_get}, {"shutdown", act_shutdown_after_a_run}},
        .invariant = invariant,
        .arbiter = arbiter_of_chore,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"get gave a cancellation, closed, all in order", ACCEPTABLE,
                 "the shutdown has ended it, in the queue or after a run", MUST_OCCUR},
                {"get gave a failure, closed, all in order", INTERESTING,
                 "it had all its runs before the shutdown came", MAY_OCCUR},
                {"get gave nothing, closed, all in order", INTERESTING,
                 "rejected, although a quick worker had already run it", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/continue_against_shutdown",
        .description = "a periodic task runs and is put back while the pool shuts down, with the "
                       "policy to go on: it has all its runs",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3] [LIFE-1]",
        .attacks = {TASK, "return !gp_scheduled_continue_periodic(scheduled);"},
        .broken_by = {TASK, "return !gp_scheduled_continue_periodic(scheduled);",
                      "return !gp_scheduled_execute_delayed(scheduled);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_going_on,
        .actors = {{"schedule, get", act_chore_and_get}, {"shutdown", act_shutdown_after_a_run}},
        .invariant = invariant,
        .arbiter = arbiter_of_chore,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "it went on until its last run failed", MUST_OCCUR},
                {"get gave a cancellation", FORBIDDEN, "the policy says that it goes on",
                 MAY_OCCUR},
            },
    },
    {
        .name = "periodic/schedule_against_shutdown",
        .description = "a task is scheduled while a pool without workers shuts down, and threads "
                       "are short: it is run, rejected or given back; get does not hang "
                       "(JDK-8358601)",
        .invariants = "[SCHEDULED-1] [POOL-2] [LIFE-1]",
        .attacks = {SCHEDULED, "gp__can_run_in_current_run_state(scheduled, task) ? gp__ensure"},
        .broken_by = {SCHEDULED, "? gp__ensure_prestart(pool)",
                      "? (gp__ensure_prestart(pool), GP_OK)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_short_of_threads,
        .actors = {{"schedule, get", act_schedule_now}, {"shutdown", act_shutdown}},
        .invariant = invariant,
        .arbiter = arbiter_of_one_shot,
        .tear_down = tear_down,
        .slots = {{NULL, {"accepted", "rejected", "given back"}},
                  {NULL, {"closed", "not closed", "not destroyed once"}},
                  {"get gave", GOTTEN}},
        .outcomes =
            {
                {"accepted, closed, get gave a result", ACCEPTABLE, "it was queued in time",
                 MUST_OCCUR},
                {"rejected, closed, get gave nothing", ACCEPTABLE, "the shutdown came first",
                 MUST_OCCUR},
                {"given back, closed, get gave nothing", ACCEPTABLE, "nobody would have run it",
                 MUST_OCCUR},
            },
    },
    {
        .name = "periodic/delayed_against_shutdown",
        .description = "a task for later is scheduled while the pool shuts down, with the policy "
                       "to drop such tasks: it is rejected or cancelled, it does not stay",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, ": GP_EREJECTED; /* (6), (7) */"},
        .broken_by = {SCHEDULED, "status = gp__can_run_in_current_run_state(scheduled, task) ?",
                      "status = true ?"},
        .state_size = sizeof(struct state),
        .set_up = set_up_without_delayed,
        .actors = {{"schedule, get", act_schedule_far}, {"shutdown", act_shutdown}},
        .invariant = invariant,
        .arbiter = arbiter_of_one_shot,
        .tear_down = tear_down,
        .slots = {{NULL, {"accepted", "rejected", "given back"}},
                  {NULL, {"closed", "not closed", "not destroyed once"}},
                  {"get gave", GOTTEN}},
        .outcomes =
            {
                {"accepted, closed, get gave a cancellation", ACCEPTABLE,
                 "it was in the queue, and shutdown has dropped it", MUST_OCCUR},
                {"rejected, closed, get gave nothing", ACCEPTABLE, "the shutdown came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "periodic/cancel_against_requeue",
        .description = "hourly tasks are run from the front and cancelled from the back: one that "
                       "is cancelled as its run ends does not stay in the queue for the hour",
        .invariants = "[SCHEDULED-2]",
        .attacks = {SCHEDULED, "!is_to_be_removed(scheduled, task) && gp__ensure_prestart"},
        .broken_by = {SCHEDULED, "!is_to_be_removed(scheduled, task) && gp__ensure_prestart",
                      "gp__ensure_prestart"},
        .state_size = sizeof(struct state),
        .set_up = set_up_removing,
        .actors = {{"cancel", act_cancel_from_the_back}, {"get", act_go_and_get_all}},
        .invariant = invariant,
        .arbiter = arbiter_of_hourly,
        .tear_down = tear_down,
        .slots = {{"runs", {"some", "all"}},
                  {NULL, ENDS},
                  {"tasks", {"ended once each", "not ended once each"}},
                  {"then", {"there was trouble", "all was quiet"}}},
        .outcomes =
            {
                {"runs some, closed, tasks ended once each, then all was quiet", ACCEPTABLE,
                 "they met half-way; who came second took the task out", MUST_OCCUR},
                {"runs all, closed, tasks ended once each, then all was quiet", ACCEPTABLE,
                 "the canceller was slow", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/failing_run",
        .description = "one of two periodic tasks fails: it ends, alone, and leaves nothing behind",
        .invariants = "[PERIODIC-1] [PERIODIC-2]",
        .attacks = {TASK, "if (!run->again) {"},
        .broken_by = {TASK, "if (!run->again) {",
                      "if (gp_future_is_cancelled(&run->task->future)) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up_failing,
        .actors = {{"schedule, get", act_fail_soon}, {"schedule, get", act_fail_later}},
        .invariant = invariant,
        .arbiter = arbiter_of_two_chores,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN},
                  {NULL, ENDS},
                  {NULL, CONDUCTS},
                  {"the other gave", GOTTEN},
                  {"of the other", CONDUCTS}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order, the other gave a failure, of the "
                 "other all in order",
                 ACCEPTABLE, "each had as many runs as it wanted", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/overrun_catch_up",
        .description = "a fixed-rate task shares its worker with one that is in the way: it makes "
                       "up for what it has missed, each run due a period after the last",
        .invariants = "[PERIODIC-1] [DELAYED-3]",
        .attacks = {TASK, "time = gp_time_after(time, period);"},
        .broken_by = {TASK, "time = gp_time_after(time, period);",
                      "time = gp_time_after(gp_now(), period);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_catching_up,
        .actors = {{"schedule, get", act_regularly}, {"be in the way", act_be_in_the_way}},
        .invariant = invariant,
        .arbiter = arbiter_of_catching_up,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}, {"due", DUE_TIMES}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order, due at each period", ACCEPTABLE,
                 "its times do not depend on when it could run", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/overrun_skip",
        .description = "a fixed-rate task shares its worker with one that is in the way: it leaves "
                       "out what it has missed, and stays in step",
        .invariants = "[PERIODIC-1] [DELAYED-3]",
        .attacks = {TASK, "int64_t missed = behind > 0 ? behind / period : 0;"},
        .broken_by = {TASK, "int64_t missed = behind > 0 ? behind / period : 0;",
                      "int64_t missed = behind > period ? 1 : 0;"},
        .state_size = sizeof(struct state),
        .set_up = set_up_skipping,
        .actors = {{"schedule, get", act_regularly}, {"be in the way", act_be_in_the_way}},
        .invariant = invariant,
        .arbiter = arbiter_of_skipping,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}, {"due", DUE_TIMES}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order, due at each period", ACCEPTABLE,
                 "nothing was missed", MAY_OCCUR},
                {"get gave a failure, closed, all in order, due with gaps", ACCEPTABLE,
                 "what was missed was left out", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/discontinue_against_requeue",
        .description = "the policy to go on after shutdown is withdrawn while hourly tasks run and "
                       "are put back: none holds up the end of the pool for the hour",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, "bool wanted = gp__can_run_in_current_run_state(scheduled, task)"},
        .broken_by = {SCHEDULED,
                      "bool wanted = gp__can_run_in_current_run_state(scheduled, task) &&",
                      "bool wanted = true &&"},
        .state_size = sizeof(struct state),
        .set_up = set_up_shut_down,
        .actors = {{"withdraw the policy", act_discontinue}, {"watch, get", act_go_and_watch}},
        .invariant = invariant,
        .arbiter = arbiter_of_hourly,
        .tear_down = tear_down,
        .slots = {{"runs", {"some", "all"}},
                  {NULL, ENDS},
                  {"tasks", {"ended once each", "not ended once each"}}},
        .outcomes =
            {
                {"runs some, closed, tasks ended once each", ACCEPTABLE,
                 "one was being run, the others were found in the queue", MUST_OCCUR},
                {"runs all, closed, tasks ended once each", ACCEPTABLE,
                 "the policy was withdrawn late", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/runs_never_overlap",
        .description = "two workers and a task that is due again before its run has ended: its "
                       "runs follow one another",
        .invariants = "[PERIODIC-1] [FUTURE-3]",
        .attacks = {TASK, "run.again = gp_future_run_and_reset(&task->future);"},
        .broken_by = {TASK, "run.again = gp_future_run_and_reset(&task->future);",
                      "gp__re_execute_periodic(task->scheduled, task); "
                      "run.again = gp_future_run_and_reset(&task->future);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_many_workers,
        .actors = {{"schedule, get", act_chore_and_get}, {"execute", act_keep_them_awake}},
        .invariant = invariant,
        .arbiter = arbiter_of_chore,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "it is in the queue or running, never both", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/shutdown_now_against_run",
        .description = "a pool is stopped while its periodic task runs, is put back or waits: the "
                       "task is not put back, or is handed back, and who waits for it is told",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, "if (gp__at_least(ctl, GP__STOP))"},
        .broken_by = {SCHEDULED, "if (gp__at_least(ctl, GP__STOP))",
                      "if (gp__at_least(ctl, GP__TERMINATED))"},
        .state_size = sizeof(struct state),
        .set_up = set_up_stopping,
        .actors = {{"schedule, get", act_chore_and_get}, {"shutdown_now", act_stop_after_a_run}},
        .invariant = invariant,
        .arbiter = arbiter_of_chore,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"get gave a cancellation, closed, all in order", ACCEPTABLE,
                 "the stop has ended it", MUST_OCCUR},
                {"get gave a failure, closed, all in order", INTERESTING,
                 "it had all its runs before the stop came", MAY_OCCUR},
                {"get gave nothing, closed, all in order", INTERESTING,
                 "rejected, although a quick worker had already run it", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/two_schedulers",
        .description = "two schedulers without core workers run a task each: each finds itself a "
                       "worker, and they do not meet",
        .invariants = "[SCHEDULED-1] [WORKER-5]",
        .attacks = {WORKER, "return gp__ensure_worker(pool);"},
        .broken_by = {WORKER, "return gp__ensure_worker(pool);", "return GP_OK;"},
        .state_size = sizeof(struct state),
        .set_up = set_up_two,
        .actors = {{"schedule, get", act_chore_and_get}, {"schedule, get", act_chore_of_other}},
        .invariant = invariant,
        .arbiter = arbiter_of_two_schedulers,
        .tear_down = tear_down,
        .slots = {{"get gave", GOTTEN},
                  {NULL, ENDS},
                  {NULL, CONDUCTS},
                  {"the other gave", GOTTEN},
                  {"of the other", CONDUCTS}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order, the other gave a failure, of the "
                 "other all in order",
                 ACCEPTABLE, "both had their runs", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/cancel_against_close",
        .description = "the last task of a pool is cancelled while the pool is closed and waits "
                       "for it: cancel ends the pool, which may be freed before cancel returns",
        .invariants = "[SCHEDULED-5] [SCHEDULED-2] [LIFE-2]",
        .attacks = {TASK, "atomic_fetch_add_explicit(&scheduled->refs, 1, memory_order_relaxed)"},
        .broken_by = {TASK,
                      "atomic_fetch_add_explicit(&scheduled->refs, 1, memory_order_relaxed); /* "
                      "the caller has one */",
                      ""},
        .state_size = sizeof(struct state),
        .set_up = set_up_far,
        .actors = {{"cancel", act_cancel}, {"close", act_close}},
        .arbiter = arbiter_of_last,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"cancel won, closed, all in order", ACCEPTABLE,
                 "the task keeps the pool's memory for as long as it is referred to", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
