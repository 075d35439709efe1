/*
 * The watch at work: a clock that was set, while tasks fall due, are cancelled, and are looked at
 * by two at once.
 *
 * A look moves tasks that are in the queue, under its lock; so there is little that can go wrong,
 * but at its edges. A task that was taken out to be asked for another time is nowhere, like one
 * that runs. A task that a worker has taken has seen the clock as it was. And whoever goes on a
 * round leaves the others with the head of the queue:
 *
 *        leader                              follower
 *        wakes for the round, leads no more
 *        signals                             wakes, leads: waits for the head        [DELAYED-7]
 *        goes and looks
 *
 *   Without the signal the follower waits without limit, and the head falls due while all who
 *   could take it are asleep or away.
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#include "queue/delayed.h"
#include "stress/support.h"

#define SCHEDULED "impl/scheduled/scheduled.c"
#define TRIGGER   "impl/scheduled/trigger.c"
#define WATCH     "impl/scheduled/watch.c"
#define DELAYED   "impl/queue/delayed.c"

enum {
    COUNT,
    CLOSE,
    BEHAVIOUR,
    QUEUE
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
    outcome->slot[CLOSE] = !trigger_close(state);
    outcome->slot[BEHAVIOUR] = trigger_behaviour(state);
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
    gp_future_get(state->stepped, NULL);
    trigger_go(state);
}

static void arbiter_of_runs(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    int runs = 0, right = 0;

    gp__watch_look(state->scheduled); /* as a worker does whose round is due at once */
    for (int i = 0; i < ERRANDS; i++) {
        runs += state->errands[i].runs;
        right += errand_is_on_time(state, i);
    }
    outcome->slot[COUNT] = trigger_how_many(runs);
    outcome->slot[QUEUE] = right != ERRANDS;
    outcome->slot[CLOSE] = !trigger_close(state);
    outcome->slot[BEHAVIOUR] = trigger_behaviour(state);
}

/* ---- a step forward against falling due ---- */

static void act_put_forward_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, AN_HOUR);
    gp__watch_look(state->scheduled);
}

static void act_go(void *argument, struct outcome *outcome)
{
    (void)outcome;
    trigger_go(argument);
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

/* ---- a round against the head ---- */

enum {
    TAKERS = 2,
    TAKEN = 0
};

struct rounds_state {
    gp_queue *queue;
    gp_future *taken; /* the first task is */
    atomic_int rounds;
    atomic_int tasks;
};

/* The first who goes on a round stays away until somebody has taken a task. */
static bool make_round(void *argument)
{
    struct rounds_state *state = argument;

    if (atomic_fetch_add(&state->rounds, 1) == 0)
        gp_future_get(state->taken, NULL);
    return false;
}

static bool fill(struct rounds_state *state)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    for (uint64_t i = 0; i < TAKERS; i++) {
        int64_t time = gp_time_after(gp_now(), GP_MICROSECONDS(50));
        gp_task *task;
        if (gp_task_new_delayed(&nothing, time, i, &task) != GP_OK)
            return false;
        if (gp_queue_offer(state->queue, task) != GP_OK) {
            gp_task_discard(task);
            return false;
        }
    }
    return true;
}

static bool set_up_rounds(void *argument, uint64_t random)
{
    struct rounds_state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    if (gp_delayed_new(&state->queue) != GP_OK)
        return false;
    if (gp_future_new(&nothing, &state->taken) == GP_OK) {
        gp__delayed_begin_rounds(state->queue, make_round, state, GP_MICROSECONDS(1 + random % 20));
        if (fill(state))
            return true;
        gp_future_release(state->taken);
    }
    gp_queue_free(state->queue);
    return false;
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct rounds_state *state = argument;
    gp_task *task;

    (void)outcome;
    if (gp_queue_take(state->queue, &task) != GP_OK)
        return;
    gp_task_discard(task);
    atomic_fetch_add(&state->tasks, 1);
    gp_future_set(state->taken, NULL);
}

static int invariant_of_rounds(void *argument)
{
    struct rounds_state *state = argument;

    return gp_queue_check(state->queue);
}

static void arbiter_of_rounds(void *argument, struct outcome *outcome)
{
    struct rounds_state *state = argument;

    outcome->slot[TAKEN] = (unsigned char)atomic_load(&state->tasks);
    outcome->slot[1] = atomic_load(&state->rounds) > 0;
}

static void tear_down_rounds(void *argument)
{
    struct rounds_state *state = argument;

    gp_future_release(state->taken);
    gp_queue_free(state->queue);
}

/* ---- the family ---- */

const struct scenario trigger_clock_races[] = {
    {
        .name = "trigger/cancel_against_look",
        .description = "tasks whose time was jumped over are taken out of the queue, asked and put "
                       "back, while somebody cancels them: none is left in the queue",
        .invariants = "[SCHEDULED-2] [TRIGGER-1] [TRIGGER-6]",
        .attacks = {WATCH, "gp__re_execute_periodic(scheduled, task);"},
        .broken_by = {WATCH, "gp__re_execute_periodic(scheduled, task);",
                      "gp_queue_offer(scheduled->pool.queue, element);"},
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
        .broken_by = {TRIGGER, "minus(self->status.next, now->wall) > GP__STEP_TOLERANCE;",
                      "minus(self->status.next, now->wall) > GP_CLOCK_CORRECTION;"},
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
        .description = "the clock is put forward while tasks that are due wait for a worker, with "
                       "the policy to skip what is missed: they are late, not missed, and run once",
        .invariants = "[TRIGGER-3] [WATCH-2]",
        .attacks = {TRIGGER, "return gp_time_until(time_of(self), now->monotonic) > 0 &&"},
        .broken_by = {TRIGGER, "return gp_time_until(time_of(self), now->monotonic) > 0 &&",
                      "return"},
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_due,
        .actors = {{"step, look", act_put_forward_and_look}, {"go", act_go}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_runs,
        .tear_down = trigger_tear_down,
        .slots = {{"runs of", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"their times are", {"right", "wrong"}}},
        .outcomes =
            {
                {"runs of all, closed, all in order, their times are right", ACCEPTABLE,
                 "one run each, and then the time after it", MUST_OCCUR},
                {"runs of some", FORBIDDEN, "a late run was taken for a missed one", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/look_against_look",
        .description = "one puts the clock forward and looks, another puts it back and looks: in "
                       "the end all times are right by the clock as it is",
        .invariants = "[WATCH-2]",
        .attacks = {WATCH, "watch->offset = gp__moment_offset(&review.now);"},
        .broken_by = {WATCH, "watch->offset = gp__moment_offset(&review.now);",
                      "(void)watch->offset;"},
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_waiting,
        .actors = {{"forward, look", act_put_forward_and_look}, {"back, look", act_back_and_look}},
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
                 "the last look was by the last clock", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/round_against_head",
        .description = "two take from a delayed queue, and one of them is away on a round: the "
                       "other is there when the head falls due",
        .invariants = "[DELAYED-6] [DELAYED-7]",
        .attacks = {DELAYED, "leave_to_others(queue); /* [DELAYED-7] */"},
        .broken_by = {DELAYED, "leave_to_others(queue); /* [DELAYED-7] */",
                      "queue->rounds.look = rounds.look;"},
        .state_size = sizeof(struct rounds_state),
        .set_up = set_up_rounds,
        .actors = {{"take", act_take}, {"take too", act_take}},
        .invariant = invariant_of_rounds,
        .arbiter = arbiter_of_rounds,
        .tear_down = tear_down_rounds,
        .slots = {{"taken", {"none", "one", "both"}}, {"rounds", {"none", "some"}}},
        .outcomes =
            {
                {"taken both, rounds some", ACCEPTABLE, "one of them leads when the other is away",
                 MUST_OCCUR},
                {"taken both, rounds none", INTERESTING, "they came when both were due", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
