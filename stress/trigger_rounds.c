/*
 * Rounds: what takers of the delayed queue do beside taking, and who else must not do it.
 *
 * Whoever has to look on his round leaves the others with the head of the queue:
 *
 *        leader                              follower
 *        wakes for the round, leads no more
 *        signals                             wakes, leads: waits for the head        [DELAYED-7]
 *        goes and looks
 *
 *   Without the signal the follower waits without limit, and the head falls due while all who
 *   could take it are asleep or away. And whoever leads waits for what comes first: a head that
 *   falls due before the next round does not wait for that.
 *
 * Whoever finds that the clock was set, and must not take tasks out himself [WATCH-4], makes the
 * next round due, and wakes who waits for it. Who only took a note of it would have the tasks wait,
 * with times by another clock, until the round comes by itself, in half a second.
 *
 * On its round a worker may ask triggers, code of the user's, and yet it counts as idle: who shuts
 * the pool down interrupts it. A trigger that waits for something eats the interrupt:
 *
 *        worker                              another
 *        takes the tasks out, asks: waits
 *                                            shuts down: nothing is queued; interrupts
 *        the wait is over, the flag down
 *        does not put them back
 *        ends its take; leaves               waits for the end of the pool
 *
 * And what was taken out to be asked is nowhere. As long as a worker has it the pool does not end,
 * since that worker does not. Had somebody else taken it out, who has only scheduled a task and
 * found that the clock was set, the pool would end without [WATCH-4].
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#include "queue/delayed.h"
#include "stress/support.h"

#define WATCH   "impl/scheduled/watch.c"
#define DELAYED "impl/queue/delayed.c"

/* ---- a round against the head ---- */

enum {
    TAKERS = 2
};

enum {
    TAKEN,
    LOOKED,
    LATE
};

struct rounds_state {
    gp_queue *queue;
    gp_future *taken; /* the first task is */
    int64_t interval; /* of the rounds */
    atomic_int rounds;
    atomic_int tasks;
    atomic_bool late; /* a task was taken long after it was due */
};

/* The first who goes on a round stays away until somebody has taken a task. */
static bool go_and_look(void *argument)
{
    struct rounds_state *state = argument;

    if (atomic_fetch_add(&state->rounds, 1) == 0)
        insist_on_get(state->taken);
    return false;
}

static bool there_is_something(void *argument)
{
    (void)argument;
    return true;
}

static bool set_up_rounds(void *argument, uint64_t random)
{
    struct rounds_state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    state->interval = random % 4 == 0 ? AN_HOUR : GP_MICROSECONDS(1 + random % 200);
    if (gp_delayed_new(&state->queue) != GP_OK)
        return false;
    if (gp_future_new(&nothing, &state->taken) == GP_OK)
        return true;
    gp_queue_free(state->queue);
    return false;
}

static void insist_on_offer(gp_queue *queue, int64_t delay, uint64_t sequence)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_task *task;

    while (gp_task_new_delayed(&nothing, gp_time_after(gp_now(), delay), sequence, &task) != GP_OK)
        continue;
    while (gp_queue_offer(queue, task) != GP_OK)
        continue;
}

/* On real threads a wait takes longer than it should by the timer slack, 50 microseconds: the head
   is far enough away for some rounds to come before it. */
static void act_begin_rounds(void *argument, struct outcome *outcome)
{
    struct rounds_state *state = argument;
    const struct gp__rounds rounds = {.is_needed = there_is_something,
                                      .look = go_and_look,
                                      .context = state,
                                      .interval = state->interval};

    (void)outcome;
    gp__delayed_begin_rounds(state->queue, &rounds);
    for (uint64_t i = 0; i < TAKERS; i++)
        insist_on_offer(state->queue, GP_MICROSECONDS(400), i);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct rounds_state *state = argument;
    gp_task *task;

    (void)outcome;
    while (gp_queue_take(state->queue, &task) != GP_OK)
        continue;
    if (gp_time_until(gp_now(), gp_task_time(task)) > GP_SECONDS(5))
        atomic_store(&state->late, true);
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
    outcome->slot[LOOKED] = atomic_load(&state->rounds) > 0;
    outcome->slot[LATE] = atomic_load(&state->late);
}

static void tear_down_rounds(void *argument)
{
    struct rounds_state *state = argument;

    gp_future_release(state->taken);
    gp_queue_free(state->queue);
}

/* ---- a round against shutdown ---- */

enum {
    ASKED = 0
};

static void hurry_rounds(struct trigger_state *state)
{
    gp__delayed_hurry_rounds(state->scheduled->pool.queue);
}

/* It waits for who shuts the pool down, and eats each interrupt that comes meanwhile. */
static void eat_interrupt(struct errand *errand)
{
    if (errand->asked == 1)
        return;
    insist_on_get(errand->state->gate);
    gp_interrupted();
}

static bool set_up_eaters(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    state->rounds = true;
    for (int i = 0; i < ERRANDS; i++)
        state->errands[i].thinks = eat_interrupt;
    return trigger_open_idle(state, &config, random, GP_MISSED_RUN_ONCE, AN_HOUR, AN_HOUR);
}

static void act_step_and_hurry(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, -5 * AN_HOUR);
    hurry_rounds(state);
}

static void act_shutdown_and_await(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(trigger_pool(state));
    gp_future_set(state->gate, NULL);
    insist_on_end(trigger_pool(state));
}

static void arbiter_of_asked(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    int asked = 0;

    trigger_end(state, outcome);
    for (int i = 0; i < ERRANDS; i++)
        asked += state->errands[i].asked > 1;
    outcome->slot[ASKED] = trigger_how_many(asked);
}

/* ---- scheduling while the clock is set, against the end of the pool ---- */

enum {
    LAST = ERRANDS - 1, /* the errand that the actor schedules */
    TAKEN_OVER = 0
};

/* While it waits for the pool to end, which it must not, somebody may see to that. */
static void wait_for_the_end(struct errand *errand)
{
    if (errand->asked > 1)
        errand->orphaned =
            gp_future_get_timed(errand->state->gate, GP_MICROSECONDS(100), NULL) == GP_OK;
}

/* The clock is set once more after it was read for this time. */
static void set_the_clock(struct errand *errand)
{
    if (errand->asked == 1)
        trigger_step(errand->state, -5 * AN_HOUR);
    else
        wait_for_the_end(errand);
}

static bool set_up_last_but_one(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    state->rounds = true;
    if (!trigger_open(state, &config, random))
        return false;
    for (int i = 0; i < ERRANDS; i++) {
        struct errand *errand = &state->errands[i];
        errand->delays[0] = AN_HOUR;
        errand->delays[1] = -1;
        errand->ends = true;
        errand->thinks = i == LAST ? set_the_clock : wait_for_the_end;
        if (i == LAST)
            break;
        errand_start(state, i, NULL);
        if (errand->status != GP_OK)
            return trigger_undo(state);
    }
    return true;
}

/* By a clock that the watch has not seen. If it is rejected nobody else has noticed that; the pool
   would end when the next round is due by itself, in half a second. */
static void act_schedule(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_step(state, -5 * AN_HOUR);
    errand_start(state, LAST, NULL);
    outcome->slot[TAKEN_OVER] = state->errands[LAST].status == GP_OK;
    hurry_rounds(state);
}

static void act_end_the_pool(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(trigger_pool(state));
    insist_on_end(trigger_pool(state));
    gp_future_set(state->gate, NULL);
}

static void arbiter_of_the_end(void *argument, struct outcome *outcome)
{
    trigger_end(argument, outcome);
}

/* ---- scheduling while the clock is set, against who sleeps ---- */

enum {
    RUNS = 0
};

/* By the time that is computed it is due in an hour, by the clock that is set meanwhile at once. */
static void put_the_clock_forward(struct errand *errand)
{
    if (errand->asked == 1)
        trigger_step(errand->state, 2 * AN_HOUR);
}

static bool set_up_forward(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    state->rounds = true;
    state->errands[0].delays[0] = AN_HOUR;
    state->errands[0].delays[1] = -1;
    state->errands[0].ends = true;
    state->errands[0].thinks = put_the_clock_forward;
    return trigger_open(state, &config, random);
}

static void act_schedule_first(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    errand_start(state, 0, NULL);
    if (state->errands[0].status != GP_OK)
        trigger_no_runs(state);
}

static void act_await_first_run(void *argument, struct outcome *outcome)
{
    (void)outcome;
    trigger_await_first_run(argument);
}

/* It was scheduled, is due, and all sleep. */
static bool is_overlooked(void *argument)
{
    struct trigger_state *state = argument;

    return state->errands[0].future && state->errands[0].runs == 0;
}

static void arbiter_of_first_run(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_end(state, outcome);
    outcome->slot[RUNS] = state->errands[0].runs == 1;
}

/* ---- the family ---- */

const struct scenario trigger_rounds_races[] = {
    {
        .name = "trigger/round_against_head",
        .description = "two take from a delayed queue, and one of them is away on a round, or will "
                       "be: somebody is there when the head falls due",
        .invariants = "[DELAYED-6] [DELAYED-7]",
        .attacks = {DELAYED, "leave_to_others(queue); /* [DELAYED-7] */"},
        .broken_by = "round-leaves-no-leader",
        .state_size = sizeof(struct rounds_state),
        .set_up = set_up_rounds,
        .actors = {{"take", act_take}, {"take too", act_take}, {"begin", act_begin_rounds}},
        .invariant = invariant_of_rounds,
        .arbiter = arbiter_of_rounds,
        .tear_down = tear_down_rounds,
        .slots = {{"taken", {"none", "one", "both"}},
                  {"rounds", {"none", "some"}},
                  {NULL, {"in time", "too late"}}},
        .outcomes =
            {
                {"taken both, rounds some, in time", ACCEPTABLE,
                 "one of them leads when the other is away", MUST_OCCUR},
                {"taken both, rounds none, in time", ACCEPTABLE,
                 "the first is in an hour, or they came when both were due", MUST_OCCUR},
                {"too late", FORBIDDEN, "whoever led slept for the round", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/round_against_shutdown",
        .description = "triggers are asked on a round, and eat the interrupt of a shutdown that "
                       "comes meanwhile: the worker learns of it all the same, and leaves",
        .invariants = "[LIFE-3] [WATCH-4]",
        .attacks = {DELAYED, "return ends_take ? GP_EINTERRUPTED : GP_OK;"},
        .broken_by = "round-hides-interrupt",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_eaters,
        .actors = {{"step, hurry", act_step_and_hurry}, {"shutdown", act_shutdown_and_await}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_asked,
        .tear_down = trigger_tear_down,
        .slots = {{"asked anew were", HOW_MANY}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"asked anew were all, closed, all in order", ACCEPTABLE,
                 "the shutdown came while they were asked", MUST_OCCUR},
                {"asked anew were none, closed, all in order", ACCEPTABLE,
                 "the shutdown was first, and ended them in the queue", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/schedule_against_end",
        .description = "a task is scheduled while the clock is set, and the pool shuts down as "
                       "soon as it has none: it does not end before all triggers were asked",
        .invariants = "[WATCH-4] [LIFE-2]",
        .attacks = {WATCH, "gp__delayed_hurry_rounds(scheduled->pool.queue);"},
        .broken_by = "submitter-asks-triggers",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_last_but_one,
        .actors = {{"schedule", act_schedule}, {"shutdown", act_end_the_pool}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_the_end,
        .tear_down = trigger_tear_down,
        .slots = {{"the task was", {"rejected", "taken"}}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"the task was taken, closed, all in order", ACCEPTABLE,
                 "a worker has asked all of them, and then left", MUST_OCCUR},
                {"the task was rejected, closed, all in order", ACCEPTABLE,
                 "the shutdown was first; a worker has asked the others", MAY_OCCUR},
                {"asked after the end", FORBIDDEN, "who scheduled had taken the tasks out",
                 MAY_OCCUR},
            },
    },
    {
        .name = "trigger/schedule_against_sleep",
        .description = "the clock is put forward while a task is scheduled, which is due by it at "
                       "once: nobody sleeps until the next round",
        .invariants = "[TRIGGER-4] [WATCH-3] [WATCH-5]",
        .attacks = {WATCH, "gp__delayed_hurry_rounds(scheduled->pool.queue);"},
        .broken_by = "doubt-waits-for-its-round",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_forward,
        .actors = {{"schedule", act_schedule_first}, {"await", act_await_first_run}},
        .invariant = trigger_invariant,
        .late = is_overlooked,
        .arbiter = arbiter_of_first_run,
        .tear_down = trigger_tear_down,
        .slots = {{"the task", {"did not run", "ran"}}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"the task ran, closed, all in order", ACCEPTABLE,
                 "who slept was woken for a round", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
