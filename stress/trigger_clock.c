/*
 * The watch at work: a clock that was set, while tasks fall due, are cancelled, and are looked at
 * by two at once.
 *
 * A look moves tasks that are in the queue, under its lock; so there is little that can go wrong,
 * but at its edges. A task that was taken out to be asked for another time is nowhere, like one
 * that runs. A task that a worker has taken has seen the clock as it was. And a clock that is set
 * twice is set right again, more often than not: somebody has typed the wrong date. What the first
 * step did to a task the second must undo.
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#include "stress/support.h"

#define TRIGGER "impl/scheduled/trigger.c"
#define WATCH   "impl/scheduled/watch.c"

#define A_DAY (24 * AN_HOUR)

enum {
    COUNT = 0,
    QUEUE = 3
};

static size_t queued(struct trigger_state *state)
{
    gp_pool_stats stats;

    gp_pool_statistics(trigger_pool(state), &stats);
    return stats.queued;
}

/* ---- cancel against a look ---- */

static bool set_up_skipping(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    return trigger_open_idle(argument, &config, random, GP_MISSED_SKIP, AN_HOUR, 3 * AN_HOUR);
}

static void act_jump_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, 2 * AN_HOUR);
    gp__watch_look(state->scheduled);
}

static void act_cancel_all(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    for (int i = ERRANDS - 1; i >= 0; i--)
        gp_future_cancel(state->errands[i].future, state->random >> i & 1);
}

static void arbiter_of_asked(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    int asked = 0;

    for (int i = 0; i < ERRANDS; i++)
        asked += state->errands[i].asked > 1;
    outcome->slot[COUNT] = trigger_how_many(asked);
    outcome->slot[QUEUE] = queued(state) > 0;
    trigger_end(state, outcome);
}

/* ---- a step back against falling due ---- */

static bool set_up_due(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    return trigger_open_gated(argument, &config, random, GP_MISSED_SKIP, 0, 3 * AN_HOUR);
}

static void act_put_back_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, -2 * AN_HOUR);
    gp_future_set(state->stepped, NULL);
    gp__watch_look(state->scheduled);
}

static void act_go_after_the_step(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    insist_on_get(state->stepped);
    trigger_go(state);
}

static void arbiter_of_runs(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    outcome->slot[QUEUE] = trigger_on_time(state) != ERRANDS;
    outcome->slot[COUNT] = trigger_how_many(trigger_runs(state));
    trigger_end(state, outcome);
}

/* ---- a step forward against falling due ---- */

static void act_put_forward_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, AN_HOUR);
    gp__watch_look(state->scheduled);
}

/* ---- two looks ---- */

static bool set_up_waiting(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    return trigger_open_idle(argument, &config, random, GP_MISSED_SKIP, 10 * AN_HOUR, -1);
}

static void act_back_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, -AN_HOUR);
    gp__watch_look(state->scheduled);
}

/* ---- two steps against putting back ---- */

enum {
    DAY_AFTER = COUNT
};

static bool set_up_daily(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    struct errand *errand = &state->errands[0];
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    if (gp_trigger_at_fixed_rate(GP_NEVER, A_DAY, &errand->inner) != GP_OK)
        return false;
    if (trigger_open_held(state, &config, random)) {
        errand_start(state, 0, NULL);
        if (errand->status == GP_OK)
            return true;
        trigger_undo(state);
    }
    gp_trigger_discard(&errand->inner);
    return false;
}

static void act_wrong_date(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_await_first_run(state);
    trigger_step(state, 20 * AN_HOUR);
    gp__watch_look(state->scheduled);
    gp_future_set(state->stepped, NULL);
}

static void act_right_date(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    insist_on_get(state->stepped);
    trigger_step(state, -20 * AN_HOUR);
    gp__watch_look(state->scheduled);
}

/* Put right before anybody looks. */
static void act_unseen_date(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_await_first_run(state);
    trigger_step(state, 20 * AN_HOUR);
    gp_future_set(state->stepped, NULL);
    act_right_date(argument, outcome);
}

static void act_both_dates(void *argument, struct outcome *outcome)
{
    act_wrong_date(argument, outcome);
    act_right_date(argument, outcome);
}

static void arbiter_of_the_next_day(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    struct errand *errand = &state->errands[0];
    int64_t delay = 0;

    gp__watch_look(state->scheduled); /* as a worker does when the alarm rings at once */
    gp_scheduled_get_delay(errand->future, &delay);
    int64_t error = gp_now() + delay - errand->began - A_DAY;
    outcome->slot[DAY_AFTER] = error > GP_SECONDS(60) || error < -GP_SECONDS(60);
    trigger_end(state, outcome);
}

/* ---- the family ---- */

const struct scenario trigger_clock_races[] = {
    {
        .name = "trigger/cancel_against_look",
        .description = "tasks whose time was jumped over are taken out of the queue, asked and put "
                       "back, while somebody cancels them: none is left in the queue",
        .invariants = "[SCHEDULED-2] [TRIGGER-1] [TRIGGER-6]",
        .attacks = {WATCH, "gp__re_execute_periodic(scheduled, task);"},
        .broken_by = "look-requeues-unchecked",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_skipping,
        .actors = {{"step, look", act_jump_and_look}, {"cancel", act_cancel_all}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_asked,
        .tear_down = trigger_tear_down,
        .slots = {{"asked anew were", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"the queue was", {"empty", "not empty"}}},
        .outcomes =
            {
                {"asked anew were some, closed, all in order, the queue was empty", ACCEPTABLE,
                 "they met half-way; who came second took the task out", MAY_OCCUR},
                {"asked anew were all, closed, all in order, the queue was empty", ACCEPTABLE,
                 "the look was first, or all tasks were cancelled while they were out", MUST_OCCUR},
                {"asked anew were none, closed, all in order, the queue was empty", ACCEPTABLE,
                 "the canceller was first", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/step_back_against_fire",
        .description = "the clock is put back while a worker takes tasks that were due: none runs "
                       "before its time, whether the watch or the worker is first",
        .invariants = "[TRIGGER-3] [TRIGGER-5]",
        .attacks = {TRIGGER, "minus(self->status.next, now->wall) > GP__STEP_TOLERANCE;"},
        .broken_by = "early-by-hours-tolerated",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_due,
        .actors = {{"step, look", act_put_back_and_look}, {"go", act_go_after_the_step}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_runs,
        .tear_down = trigger_tear_down,
        .slots = {{"runs of", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"their times are", {"right", "wrong"}}},
        .outcomes =
            {
                {"runs of none, closed, all in order, their times are right", ACCEPTABLE,
                 "the look moved them in the queue, or the worker put them back", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/step_forward_against_fire",
        .like = "trigger/step_back_against_fire",
        .description = "the clock is put forward while tasks that are due wait for a worker, with "
                       "the policy to skip what is missed: they are late, not missed, and run once",
        .invariants = "[TRIGGER-3] [WATCH-2]",
        .attacks = {TRIGGER, "return gp_time_until(due_time_of(self), now->monotonic) > 0 &&"},
        .broken_by = "late-taken-for-missed",
        .actors = {{"step, look", act_put_forward_and_look}, {"go", act_trigger_go}},
        .outcomes =
            {
                {"runs of all, closed, all in order, their times are right", ACCEPTABLE,
                 "one run each, and then the time after it", MUST_OCCUR},
                {"runs of some", FORBIDDEN, "a late run was taken for a missed one", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/look_against_look",
        .like = "trigger/step_back_against_fire",
        .description = "one puts the clock forward and looks, another puts it back and looks: in "
                       "the end all times are right by the clock as it is",
        .invariants = "[WATCH-2]",
        .attacks = {WATCH, "set_known_offset(watch, gp__moment_offset(&review.now));"},
        .broken_by = "look-forgets-its-clock",
        .set_up = set_up_waiting,
        .actors = {{"forward, look", act_put_forward_and_look}, {"back, look", act_back_and_look}},
        .outcomes =
            {
                {"runs of none, closed, all in order, their times are right", ACCEPTABLE,
                 "the last look was by the last clock", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/two_steps_against_requeue",
        .description = "the clock is put forward and back again, with a look after each, while a "
                       "daily task is put back after its run: the next is a day after that",
        .invariants = "[TRIGGER-3]",
        .attacks = {TRIGGER, "gp_time_until(gp__moment_offset(now), self->last_offset);"},
        .broken_by = "last-step-taken-for-all",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_daily,
        .actors = {{"step, look, twice", act_both_dates}, {"go", act_trigger_go}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_the_next_day,
        .tear_down = trigger_tear_down,
        .slots = {{"the next run is", {"a day after the first", "at another time"}},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"the next run is a day after the first, closed, all in order", ACCEPTABLE,
                 "all steps since the last run count, whether they were looked at or not",
                 MUST_OCCUR},
                {"the next run is at another time", FORBIDDEN,
                 "the last step was taken for all of them", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/wrong_date_against_requeue",
        .like = "trigger/two_steps_against_requeue",
        .description = "one puts the clock forward and looks, another puts it right again and "
                       "looks, while a daily task is put back after its run, by whichever clock: "
                       "what the first look did to it is undone",
        .invariants = "[WATCH-3] [TRIGGER-4]",
        .attacks = {WATCH, "mark_stale(watch); /* [WATCH-3] */"},
        .broken_by = "watch-told-stale-offset",
        .actors = {{"wrong date", act_wrong_date},
                   {"right date", act_right_date},
                   {"go", act_trigger_go}},
        .outcomes =
            {
                {"the next run is a day after the first, closed, all in order", ACCEPTABLE,
                 "the second look found that the clock was set, or was told to review the queue",
                 MUST_OCCUR},
                {"the next run is at another time", FORBIDDEN,
                 "the watch believed one whose task had been moved meanwhile", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/unseen_date_against_requeue",
        .like = "trigger/two_steps_against_requeue",
        .description = "the clock is put forward and right again, and only then somebody looks, "
                       "while a daily task is put back after its run, by whichever clock: the look "
                       "finds the clock that the watch knows, and still reviews the queue",
        .invariants = "[WATCH-3]",
        .attacks = {WATCH, "if (gp__is_step(offset, known_offset(watch))) {"},
        .broken_by = "compared-with-own-clock",
        .actors = {{"step, twice, look", act_unseen_date}, {"go", act_trigger_go}},
        .outcomes =
            {
                {"the next run is a day after the first, closed, all in order", ACCEPTABLE,
                 "who put the task back by another clock than the watch's has said so", MUST_OCCUR},
                {"the next run is at another time", FORBIDDEN,
                 "the wrong clock has come and gone between two looks, and the task stayed there",
                 MAY_OCCUR},
            },
    },
    SCENARIO_TWIN("trigger/look_against_look", "trigger/look_against_look_fast",
                  trigger_choose_fast),
    SCENARIO_TWIN("trigger/step_forward_against_fire", "trigger/step_forward_against_fire_fast",
                  trigger_choose_fast),
    {.name = NULL},
};
