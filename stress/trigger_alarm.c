/*
 * The alarm of the delayed queue: what a taker does when it rings, and what other threads must not
 * do.
 *
 * A taker that has to look at the clock leaves the head of the queue to another one:
 *
 *        leader                              follower
 *        wakes for the alarm, leads no more
 *        signals                             wakes, leads: waits for the head        [DELAYED-7]
 *        looks, without the lock
 *
 *   Without the signal the follower waits without limit, and the head falls due while every thread
 *   that could take it is asleep or away. And the leader waits for what comes first: a head that
 *   falls due before the alarm does not wait for the alarm.
 *
 * A thread that finds that the clock was set, and must not take tasks out itself [WATCH-4], sets
 * the alarm to ring now, which wakes a taker. If it only left a mark, the tasks would wait, with
 * times by another clock, until the alarm rings by itself, in half a second.
 *
 * In a look a worker may ask triggers, code of the user's, and yet it counts as idle: a thread that
 * shuts the pool down interrupts it. A trigger that waits for something eats the interrupt:
 *
 *        worker                              another thread
 *        takes the tasks out, asks: waits
 *                                            shuts down: nothing is queued; interrupts
 *        the wait is over, the flag down
 *        does not put them back
 *        reads the pool's state; leaves      waits for the end of the pool
 *
 * And what was taken out to be asked is in no list. As long as a worker has it the pool does not
 * end, since that worker does not. If another thread had taken it out, one that has only scheduled
 * a task and found that the clock was set, the pool would end without [WATCH-4].
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#include "queue/delayed.h"
#include "stress/support.h"

#define WATCH   "impl/scheduled/watch.c"
#define DELAYED "impl/queue/delayed.c"
#define WORKER  "impl/pool/worker.c"
#define LANE    "impl/queue/delayed_lane.c"

/* ---- the alarm against the head ---- */

enum {
    TAKERS = 2
};

enum {
    TAKEN,
    LOOKED,
    LATE
};

struct alarm_state {
    gp_queue *queue;
    bool laned;
    gp_future *taken; /* the first task is */
    int64_t interval; /* between two rings */
    atomic_int looks;
    atomic_int tasks;
    atomic_bool late; /* a task was taken long after it was due */
};

static bool ring(struct gp__alarm *alarm, int64_t now)
{
    const struct alarm_state *state = alarm->context;

    alarm->at = gp_time_after(now, state->interval);
    return true;
}

/* The first taker that looks stays away until a task has been taken. */
static void look(struct alarm_state *state)
{
    if (atomic_fetch_add(&state->looks, 1) == 0)
        insist_on_get(state->taken);
}

static void choose_lane(void *argument)
{
    struct alarm_state *state = argument;

    state->laned = true;
}

static bool set_up_alarm(void *argument, uint64_t random)
{
    struct alarm_state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    state->interval = random % 4 == 0 ? AN_HOUR : GP_MICROSECONDS(1 + random % 200);
    if ((state->laned ? gp_delayed_lane_new : gp_delayed_new)(&state->queue) != GP_OK)
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
   is far enough away for the alarm to ring a few times before it. */
static void act_set_alarm(void *argument, struct outcome *outcome)
{
    struct alarm_state *state = argument;
    const struct gp__alarm alarm = {
        .at = gp_time_after(gp_now(), state->interval), .ring = ring, .context = state};

    (void)outcome;
    gp__delayed_set_alarm(state->queue, &alarm);
    for (uint64_t i = 0; i < TAKERS; i++)
        insist_on_offer(state->queue, GP_MICROSECONDS(400), i);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct alarm_state *state = argument;
    gp_task *task;
    int status;

    (void)outcome;
    while ((status = gp_queue_take(state->queue, &task)) != GP_OK)
        if (status == GP_EAGAIN)
            look(state);
    if (gp_time_until(gp_now(), gp_task_time(task)) > GP_SECONDS(5))
        atomic_store(&state->late, true);
    gp_task_discard(task);
    atomic_fetch_add(&state->tasks, 1);
    gp_future_set(state->taken, NULL);
}

static int invariant_of_alarm(void *argument)
{
    struct alarm_state *state = argument;

    return gp_queue_check(state->queue);
}

static void arbiter_of_alarm(void *argument, struct outcome *outcome)
{
    struct alarm_state *state = argument;

    outcome->slot[TAKEN] = (unsigned char)atomic_load(&state->tasks);
    outcome->slot[LOOKED] = atomic_load(&state->looks) > 0;
    outcome->slot[LATE] = atomic_load(&state->late);
}

static void tear_down_alarm(void *argument)
{
    struct alarm_state *state = argument;

    gp_future_release(state->taken);
    gp_queue_free(state->queue);
}

/* ---- a look against shutdown ---- */

enum {
    ASKED = 0
};

/* As if a task had been put back with a time by another clock [WATCH-3]. */
static void ring_now(struct trigger_state *state)
{
    const struct gp__scheduled_task *task = gp__scheduled_task_of(state->errands[0].future);

    gp__watch_recheck(state->scheduled, task, INT64_MIN / 4);
}

/* It waits for the thread that shuts the pool down, and eats each interrupt until then. */
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

    state->watched = true;
    for (int i = 0; i < ERRANDS; i++)
        state->errands[i].thinks = eat_interrupt;
    return trigger_open_idle(state, &config, random, GP_MISSED_RUN_ONCE, AN_HOUR, AN_HOUR);
}

static void act_step_and_ring(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, -5 * AN_HOUR);
    ring_now(state);
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
    state->watched = true;
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

/* By a clock that the watch has not seen. If it is rejected no other thread has noticed that; the
   pool would end when the alarm rings by itself, in half a second. */
static void act_schedule(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    trigger_step(state, -5 * AN_HOUR);
    errand_start(state, LAST, NULL);
    outcome->slot[TAKEN_OVER] = state->errands[LAST].status == GP_OK;
    ring_now(state);
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

    state->watched = true;
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

const struct scenario trigger_alarm_races[] = {
    {
        .name = "trigger/alarm_against_head",
        .description = "two take from a delayed queue, and one of them is away to look, or will "
                       "be: the other one is there when the head falls due",
        .invariants = "[DELAYED-6] [DELAYED-7]",
        .attacks = {DELAYED, "gp__condition_signal(&base->available); /* [DELAYED-6] */"},
        .broken_by = "alarm-leaves-no-leader",
        .state_size = sizeof(struct alarm_state),
        .set_up = set_up_alarm,
        .actors = {{"take", act_take}, {"take too", act_take}, {"set alarm", act_set_alarm}},
        .invariant = invariant_of_alarm,
        .arbiter = arbiter_of_alarm,
        .tear_down = tear_down_alarm,
        .slots = {{"taken", {"none", "one", "both"}},
                  {"looks", {"none", "some"}},
                  {NULL, {"in time", "too late"}}},
        .outcomes =
            {
                {"taken both, looks some, in time", ACCEPTABLE,
                 "one of them leads when the other is away", MUST_OCCUR},
                {"taken both, looks none, in time", ACCEPTABLE,
                 "the first is in an hour, or they came when both were due", MUST_OCCUR},
                {"too late", FORBIDDEN, "the leader slept until the alarm", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/eaten_interrupt",
        .description = "triggers are asked in a look, and eat the interrupt of a shutdown that "
                       "comes meanwhile: the worker learns of it all the same, and leaves",
        .invariants = "[LIFE-3] [WATCH-4]",
        .attacks = {WORKER, "pool->class->on_alarm(pool);"},
        .broken_by = "look-hides-interrupt",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_eaters,
        .actors = {{"step, ring", act_step_and_ring}, {"shutdown", act_shutdown_and_await}},
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
        .attacks = {WATCH, "set_alarm(scheduled, gp_now(), ring);"},
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
                {"asked after the end", FORBIDDEN, "the scheduling thread had taken the tasks out",
                 MAY_OCCUR},
            },
    },
    {
        .name = "trigger/schedule_against_sleep",
        .description = "the clock is put forward while a task is scheduled, which is due by it at "
                       "once: no worker sleeps until the next alarm",
        .invariants = "[TRIGGER-4] [WATCH-3] [WATCH-5]",
        .attacks = {WATCH, "set_alarm(scheduled, gp_now(), ring);"},
        .broken_by = "stale-waits-for-its-alarm",
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
                 "the sleeping worker was woken by the alarm", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/alarm_against_head_on_lane",
        .like = "trigger/alarm_against_head",
        .invariants = "[DELAYED-6] [DELAYED-7] [LANE-3]",
        .attacks = {LANE, "signal_taker(queue); /* [LANE-3] */"},
        .choose = choose_lane,
    },
    SCENARIO_TWIN("trigger/schedule_against_sleep", "trigger/schedule_against_sleep_fast",
                  trigger_choose_fast),
    SCENARIO_TWIN("trigger/schedule_against_end", "trigger/schedule_against_end_fast",
                  trigger_choose_fast),
    {.name = NULL},
};
