/*
 * Triggered tasks that are put back after a run, while somebody cancels them or sets the clock.
 *
 * Between its run and its next stay in the queue a task is nowhere: cancel does not find it, and
 * neither does the watch. In Spring each run is another task, and a cancel that came while the next
 * was being made hit the one before (SPR-9821). Here it is the same task, and who comes second
 * looks:
 *
 *        worker                                  another
 *        run, ask the trigger, compute the time
 *                                                cancel: not in the queue
 *        put it back
 *        cancelled? take it out                  [SCHEDULED-2]
 *
 *        read the clocks, compute the time
 *                                                set the clock, look, review the queue: not there
 *        put it back
 *        another offset? a look, now              [TRIGGER-4]
 *
 * The other half is about times: a run that ends before the time it was due at, since the timer was
 * early or the clock slewed, must not be given the same time again (SPR-7004), and one that takes
 * too long none that is over.
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#include "stress/support.h"

#define SCHEDULED "impl/scheduled/scheduled.c"
#define TRIGGER   "impl/scheduled/trigger.c"
#define KINDS     "impl/scheduled/trigger_kinds.c"
#define FUTURE    "impl/future/future.c"

#define A_MOMENT GP_MICROSECONDS(10)
#define A_SLEW   GP_MICROSECONDS(100) /* no step, and yet longer than a run */

/* ---- cancel against re-scheduling ---- */

enum {
    RUNS = 0,
    QUIET = 3
};

static bool set_up_removing(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    return trigger_open_gated(argument, &config, random, GP_MISSED_RUN_ONCE, 0, AN_HOUR);
}

/* One that stays in the queue keeps the pool from being quiet, for an hour. */
static void act_cancel_from_the_back(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_await_first_run(state);
    for (int i = ERRANDS - 1; i >= 0; i--)
        gp_future_cancel(state->errands[i].future, state->random >> i & 1);
    int64_t began = gp_now();
    insist_on_quiet(trigger_pool(state));
    outcome->slot[QUIET] = gp_time_until(gp_now(), began) < AN_HOUR / 2;
}

static void arbiter_of_runs(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_end(state, outcome);
    outcome->slot[RUNS] = trigger_how_many(trigger_runs(state));
}

/* ---- a step of the clock against putting back ---- */

static bool set_up_due(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    return trigger_open_gated(argument, &config, random, GP_MISSED_RUN_ONCE, 0, 3 * AN_HOUR);
}

static void act_step_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_await_first_run(state);
    trigger_step(state, state->random & 1 ? AN_HOUR : -AN_HOUR);
    gp__watch_look(state->scheduled);
}

static void arbiter_of_times(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    outcome->slot[RUNS] = trigger_how_many(trigger_on_time(state));
    trigger_end(state, outcome);
}

/* ---- two steps, one look, and putting back ---- */

static bool set_up_far_off(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    return trigger_open_gated(argument, &config, random, GP_MISSED_RUN_ONCE, 0, -1);
}

static void act_step_by_little_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_await_first_run(state);
    trigger_step(state, AN_HOUR);
    gp__watch_look(state->scheduled);
}

static void act_step_by_much(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_await_first_run(state);
    trigger_step(state, 5 * AN_HOUR);
}

static void arbiter_of_asked(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    int anew = 0;

    outcome->slot[RUNS] = trigger_how_many(trigger_on_time(state));
    for (int i = 0; i < ERRANDS; i++)
        anew += state->errands[i].asked > 2;
    outcome->slot[QUIET] = anew > 0;
    trigger_end(state, outcome);
}

/* ---- slewing against runs, and runs that take too long ---- */

static bool open_periodic(struct trigger_state *state, uint64_t random, int workers)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = workers;
    state->errands[0].limit = AWAITED_RUNS;
    return trigger_open(state, &config, random);
}

static bool set_up_slewed(void *argument, uint64_t random)
{
    return trigger_await_runs(argument, AWAITED_RUNS) && open_periodic(argument, random, 1);
}

static bool set_up_slow(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;

    state->errands[0].takes = 3 * A_MOMENT + (int64_t)(random % 8);
    return open_periodic(state, random, 2);
}

/* It ends with the failure of its last run. */
static void act_schedule_and_get(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    struct errand *errand = &state->errands[0];
    gp_trigger_options options = errand_options(state, 0);

    options.stop_on_failure = true;
    if (gp_trigger_at_fixed_rate(GP_NEVER, A_MOMENT, &errand->inner) == GP_OK)
        errand_start(state, 0, &options);
    if (!errand->future) { /* for want of memory */
        trigger_no_runs(state);
        gp_trigger_discard(&errand->inner);
        return;
    }
    outcome->slot[RUNS] = got(insist_on_get(errand->future));
}

static void act_slew(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    for (int i = 0; i < AWAITED_RUNS; i++) {
        insist_on_get(state->ran[i]);
        trigger_step(state, -A_SLEW);
    }
}

static void act_look_on(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_await_first_run(state);
    for (int i = 0; i < 4; i++)
        gp__watch_look(state->scheduled);
}

static void arbiter_of_one(void *argument, struct outcome *outcome)
{
    trigger_end(argument, outcome);
}

/* ---- a failing run against cancel ---- */

enum {
    TOLD = QUIET
};

static bool set_up_failing(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    const gp_trigger_options options = errand_options(state, 0);

    config.remove_on_cancel = random & 2;
    state->errands[0].fails = true;
    if (!trigger_open_held(state, &config, random))
        return false;
    errand_start(state, 0, &options);
    return state->errands[0].status == GP_OK || trigger_undo(state);
}

static void act_go_and_get(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_go(state);
    outcome->slot[RUNS] = got(insist_on_get(state->errands[0].future));
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_await_first_run(state);
    gp_future_cancel(state->errands[0].future, state->random & 1);
}

static void arbiter_of_failures(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    const struct errand *errand = &state->errands[0];

    arbiter_of_one(state, outcome);
    outcome->slot[TOLD] = errand->told != errand->runs || errand->payloads != errand->runs;
}

/* ---- the family ---- */

const struct scenario trigger_requeue_races[] = {
    {
        .name = "trigger/cancel_against_reschedule",
        .description = "tasks are run from the front, each then due in an hour, and cancelled from "
                       "the back: one that is cancelled as its next run is scheduled ends",
        .invariants = "[SCHEDULED-2] [TRIGGER-6]",
        .attacks = {SCHEDULED, "!is_to_be_removed(scheduled, task) && gp__ensure_prestart"},
        .broken_by = "periodic-cancelled-task-requeued",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_removing,
        .actors = {{"cancel", act_cancel_from_the_back}, {"go", act_trigger_go}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_runs,
        .tear_down = trigger_tear_down,
        .slots = {{"runs of", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"then", {"there was trouble", "all was quiet"}}},
        .outcomes =
            {
                {"runs of some, closed, all in order, then all was quiet", ACCEPTABLE,
                 "they met half-way; who came second took the task out", MUST_OCCUR},
                {"runs of all, closed, all in order, then all was quiet", ACCEPTABLE,
                 "the canceller was slow", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/step_against_requeue",
        .description = "the clock is set and somebody looks, while tasks run and are put back: "
                       "none stays in the queue with a time by the old clock",
        .invariants = "[TRIGGER-4]",
        .attacks = {SCHEDULED, "gp__watch_recheck(scheduled, task, offset); /* [TRIGGER-4] */"},
        .broken_by = "stale-time-not-reported",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_due,
        .actors = {{"step, look", act_step_and_look}, {"go", act_trigger_go}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_times,
        .tear_down = trigger_tear_down,
        .slots = {{"on time are", HOW_MANY}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"on time are all, closed, all in order", ACCEPTABLE,
                 "the watch found it in the queue, or who put it there looked again", MUST_OCCUR},
                {"on time are some", FORBIDDEN,
                 "one waits for a time that nobody's clock will show", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/step_against_look_and_requeue",
        .description = "the clock is put forward once more while somebody looks, and tasks are put "
                       "back by the new clock: to the look that is no clock that was put back",
        .invariants = "[WATCH-2] [TRIGGER-3]",
        .attacks = {TRIGGER, "if (!review->begun)"},
        .broken_by = "review-by-early-reading",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_far_off,
        .actors = {{"step, look", act_step_by_little_and_look},
                   {"step", act_step_by_much},
                   {"go", act_trigger_go}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_asked,
        .tear_down = trigger_tear_down,
        .slots = {{"on time are", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"asked anew", {"was none", "was one of them"}}},
        .outcomes =
            {
                {"on time are all, closed, all in order, asked anew was none", ACCEPTABLE,
                 "each was judged by a clock no older than its own", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/slew_against_run",
        .description = "the clock is slewed back while a task runs at a fixed rate, so that runs "
                       "end before the time they were due at: no time is run twice",
        .invariants = "[TRIGGER-3]",
        .attacks = {KINDS, "next_on_grid(self, later(last->scheduled, last->completion))"},
        .broken_by = "next-from-completion-alone",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_slewed,
        .actors = {{"schedule, get", act_schedule_and_get}, {"slew", act_slew}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = trigger_tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "it had all its runs, each with a later time", MUST_OCCUR},
                {"get gave nothing, closed, all in order", INTERESTING,
                 "there was no memory to schedule it", MAY_OCCUR},
                {"a time was run twice", FORBIDDEN, "the next time came from the end of the run",
                 MAY_OCCUR},
            },
    },
    {
        .name = "trigger/overrun",
        .like = "trigger/slew_against_run",
        .description = "a task's runs take three periods each, on two workers: they do not "
                       "overlap, and times that are over are left out",
        .invariants = "[PERIODIC-1] [TRIGGER-1]",
        .attacks = {KINDS, "next_on_grid(self, later(last->scheduled, last->completion))"},
        .broken_by = "next-from-due-time-alone",
        .set_up = set_up_slow,
        .actors = {{"schedule, get", act_schedule_and_get}, {"look", act_look_on}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "one run after the other, each for a time yet to come", MUST_OCCUR},
                {"get gave nothing, closed, all in order", INTERESTING,
                 "there was no memory to schedule it", MAY_OCCUR},
                {"runs overlapped", FORBIDDEN, "it was put back while it ran", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/failure_against_cancel",
        .description =
            "a task whose runs fail goes on until it is cancelled, in a run or after it: "
            "each failure is told once, and what it carries destroyed once",
        .invariants = "[FUTURE-1] [TRIGGER-6]",
        .attacks = {FUTURE, "if (!run->completed)"},
        .broken_by = "failure-leaked-when-cancelled",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_failing,
        .actors = {{"go, get", act_go_and_get}, {"cancel", act_cancel}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_failures,
        .tear_down = trigger_tear_down,
        .slots = {{"get gave", GOTTEN},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"failures", {"told and destroyed once", "lost or told twice"}}},
        .outcomes =
            {
                {"get gave a cancellation, closed, all in order, failures told and destroyed once",
                 ACCEPTABLE, "it went on until it was cancelled", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("trigger/step_against_requeue", "trigger/step_against_requeue_fast",
                  trigger_choose_fast),
    {.name = NULL},
};
