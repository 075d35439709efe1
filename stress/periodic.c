/*
 * Tasks that are run again and again: never twice at a time, and at which times.
 *
 * A scheduled pool has one way for all its tasks: through the queue. A periodic task is taken out,
 * run, given its next time, and put back by the worker that ran it.
 *
 *   Runs of one task never overlap, however many workers there are and however late it is: being in
 *   the queue and being run exclude each other [PERIODIC-1]. A task that was put back first and run
 *   then would be two at once as soon as it is late:
 *
 *        worker A                      worker B
 *        put it back, due already
 *        run                           take it, run
 *
 *   A run that fails is the last one. The task ends alone, and gives up the slot of the queue that
 *   was kept for its return [PERIODIC-2].
 *
 *   The times. At a fixed rate the runs are due a period apart, not a period after the last one. A
 *   task that could not run in time makes up for what it has missed, or leaves it out and stays in
 *   step, as the policy says; in neither case do its times drift. This is arithmetic and no race: a
 *   wrong sum shows in whatever order the two actors come. They are there to make the task late,
 *   each time by another number of periods, which takes real threads or a clock moved by hand.
 *
 * What else may happen between a run and the next is in periodic_requeue.c.
 */
#include "stress/periodic_support.h"
#include "stress/support.h"

#define TASK   "impl/scheduled/scheduled_task.c"
#define WORKER "impl/pool/worker.c"

/* ---- many workers ---- */

static bool set_up_many_workers(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 2;
    state->chores[0].limit = 12;
    if (!periodic_open(state, &config, random))
        return false;
    gp_pool_prestart_core(periodic_pool(state));
    return true;
}

static void act_keep_them_awake(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    for (int i = 0; i < 4; i++)
        gp_pool_execute(periodic_pool(state), do_nothing, NULL);
}

/* ---- two schedulers ---- */

enum {
    OTHER_GET = CHORE + 1,
    OTHER
};

static bool set_up_two(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 0;
    config.keep_alive = GP_MICROSECONDS(random % 8);
    state->chores[0].limit = 3;
    state->chores[1].limit = 3;
    if (!periodic_open(state, &config, random))
        return false;
    bool ready = gp_scheduled_new(&config, &state->scheduled[1]) == GP_OK;
    if (!ready)
        periodic_undo(state);
    return ready;
}

static void act_chore_of_other(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;
    struct chore *chore = &state->chores[1];
    const gp_callable callable = chore_callable(chore);

    while (gp_schedule_at_fixed_rate(state->scheduled[1], &callable, 0, A_MICROSECOND,
                                     &chore->future) != GP_OK)
        continue; /* no memory, or no thread */
    outcome->slot[OTHER_GET] = chore_get(chore);
}

static void arbiter_of_two_schedulers(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    arbiter_of_chore(state, outcome);
    if (insist_on_close(state->scheduled[1]) != GP_OK)
        outcome->slot[CLOSE] = true;
    outcome->slot[OTHER] = chore_conduct(&state->chores[1]);
}

/* ---- a failing run ---- */

enum {
    SURVIVOR_GET = CHORE + 1,
    SURVIVOR
};

static bool set_up_failing(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 1 + (int)(random & 1);
    state->chores[0].limit = 2;
    state->chores[1].limit = 8;
    return periodic_open(state, &config, random);
}

static void act_fail_soon(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    act_chore_and_get(state, outcome);
    insist_on_quiet(periodic_pool(state));
}

static void act_fail_later(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    chore_start(state, 1, A_MICROSECOND);
    outcome->slot[SURVIVOR_GET] = chore_get(&state->chores[1]);
}

static void arbiter_of_two_chores(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    arbiter_of_chore(state, outcome);
    outcome->slot[SURVIVOR] = chore_conduct(&state->chores[1]);
}

/* ---- overrun ---- */

enum {
    TIMES = CHORE + 1
};

#define PERIOD GP_MICROSECONDS(5)

static void note_due_time(void *context, gp_task *task)
{
    struct periodic_state *state = context;
    struct chore *chore = &state->chores[0];

    if (gp_task_argument(task) == chore && chore->runs < RUNS)
        chore->due[chore->runs] = gp_task_time(task);
}

static bool open_overrunning(struct periodic_state *state, gp_overrun overrun, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.overrun = overrun;
    config.hooks.before_execute = note_due_time;
    config.hooks.context = state;
    state->chores[0].limit = RUNS;
    if (!periodic_new_signal(&state->gate))
        return false;
    if (periodic_open(state, &config, random))
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
    struct periodic_state *state = argument;
    struct chore *chore = &state->chores[0];
    const gp_callable callable = chore_callable(chore);

    while (gp_schedule_at_fixed_rate(state->scheduled[0], &callable, 0, PERIOD, &chore->future) !=
           GP_OK)
        continue;
    outcome->slot[GET] = chore_get(chore);
}

/* Keeps the only worker for some periods. */
static void be_in_the_way(void *argument)
{
    struct periodic_state *state = argument;

    gp_future_get_timed(state->gate, 3 * PERIOD, NULL);
}

static void act_be_in_the_way(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    gp_pool_execute(periodic_pool(state), be_in_the_way, state);
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
    struct periodic_state *state = argument;

    arbiter_of_chore(state, outcome);
    outcome->slot[TIMES] = look_at_times(&state->chores[0], false);
}

static void arbiter_of_skipping(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    arbiter_of_chore(state, outcome);
    outcome->slot[TIMES] = look_at_times(&state->chores[0], true);
}

/* ---- the family ---- */

const struct scenario periodic_races[] = {
    {
        .name = "periodic/runs_never_overlap",
        .description = "two workers and a task that is due again before its run has ended: its "
                       "runs follow one another",
        .invariants = "[PERIODIC-1] [FUTURE-3]",
        .attacks = {TASK, "run.again = run_and_reset(task);"},
        .broken_by = "periodic-requeued-before-run",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_many_workers,
        .actors = {{"schedule, get", act_chore_and_get}, {"execute", act_keep_them_awake}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_chore,
        .tear_down = periodic_tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "it is in the queue or running, never both", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/two_schedulers",
        .description = "two schedulers without core workers run a task each: each finds itself a "
                       "worker, and they do not meet",
        .invariants = "[SCHEDULED-1] [WORKER-5]",
        .attacks = {WORKER, "return gp__ensure_worker(pool);"},
        .broken_by = "prestart-ignores-empty-core",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_two,
        .actors = {{"schedule, get", act_chore_and_get}, {"schedule, get", act_chore_of_other}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_two_schedulers,
        .tear_down = periodic_tear_down,
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
        .name = "periodic/failing_run",
        .like = "periodic/two_schedulers",
        .description = "one of two periodic tasks fails: it ends, alone, and leaves nothing behind",
        .invariants = "[PERIODIC-1] [PERIODIC-2]",
        .attacks = {TASK, "if (run->again && set_next_run_time(task))"},
        .broken_by = "periodic-failed-run-requeued",
        .set_up = set_up_failing,
        .actors = {{"schedule, get", act_fail_soon}, {"schedule, get", act_fail_later}},
        .arbiter = arbiter_of_two_chores,
        .outcomes =
            {
                {"get gave a failure, closed, all in order, the other gave a failure, of the "
                 "other all in order",
                 ACCEPTABLE, "each had as many runs as it wanted", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/overrun_catch_up",
        .description = "a fixed-rate task is late, as its worker is kept by another, in whatever "
                       "order: it makes up for what it has missed, each run due a period after "
                       "the last",
        .invariants = "[PERIODIC-1] [DELAYED-3]",
        .attacks = {TASK, "time = gp_time_after(time, period);"},
        .broken_by = "periodic-fixed-rate-from-now",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_catching_up,
        .actors = {{"schedule, get", act_regularly}, {"be in the way", act_be_in_the_way}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_catching_up,
        .tear_down = periodic_tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}, {"due", DUE_TIMES}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order, due at each period", ACCEPTABLE,
                 "its times do not depend on when it could run", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/overrun_skip",
        .like = "periodic/overrun_catch_up",
        .description = "a fixed-rate task is late, as its worker is kept by another, in whatever "
                       "order: it leaves out what it has missed, and stays in step",
        .attacks = {TASK, "int64_t missed = behind > 0 ? behind / period : 0;"},
        .broken_by = "periodic-skips-one-period-only",
        .set_up = set_up_skipping,
        .arbiter = arbiter_of_skipping,
        .outcomes =
            {
                {"get gave a failure, closed, all in order, due at each period", ACCEPTABLE,
                 "nothing was missed", MAY_OCCUR},
                {"get gave a failure, closed, all in order, due with gaps", ACCEPTABLE,
                 "what was missed was left out", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("periodic/runs_never_overlap", "periodic/runs_never_overlap_fast",
                  periodic_choose_fast),
    {.name = NULL},
};
