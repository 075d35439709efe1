/*
 * In its round: timeouts of one bucket, of several revolutions, that come late or never.
 *
 * A worker that ticks counts its turns: it wakes up once for each, and says how often it did
 * (gp_timer_wakeups). The n-th turn comes when n ticks are over, or later. So a function that adds
 * a timeout which is due at once, and looks at the clock, knows by which turn that is called
 * [WHEEL-1] [WHEEL-2], however late the turns come:
 *
 *        actor                               worker
 *        before = now
 *        add the first: this starts it
 *                                            a turn: the first is called; it adds the next
 *                                            after = now
 *                                            a turn: the next is called. Which turn is it?
 *        not later than turn (after - before) / tick + 1
 *
 * (It is the worker that adds, since what others add it may find a turn later: it looks into its
 * inbox without waiting for what is on its way.) A timeout that slips into the next revolution is
 * 16 turns late, and is found out by that.
 *
 * A delay of the fast kind begins when the worker has looked at the clock [FAST-5], not when the
 * tick should have ended: a worker that is late, as behind a slow function, would call too early
 * what was added meanwhile.
 *
 *        worker
 *        a turn: the first is called. It takes a tick and a half, and adds the next
 *        a turn, late: the delay of the next begins
 *        a turn: the next is called. Is it due?
 *
 * Nor does it begin when the worker looked at the clock before it was added:
 *
 *        actor                               worker
 *                                            a turn: it looks at the clock
 *        half a tick later: add the next
 *                                            it collects what was added
 *                                            a turn: the next is called. Is it due?
 *
 * The bugs are those of Netty's first wheels, and need no race but that of the hand with who adds:
 * a comparison that lacks the equal sign (NETTY-379), a deadline in a tick that is over (#1953), a
 * walk that ends at the first timeout of a later round (#12888), a sum that overflows (#7760).
 */
#include "stress/wheel_support.h"

#include <time.h>

#include <glasspool/clock.h>

#define HASHED "impl/wheel/hashed.c"
#define TIMER  "impl/wheel/timer.c"
#define FAST   "impl/wheel/fast.c"

#define TICK    A_MOMENT
#define BUCKETS 16
#define ROUNDS  (INT64_C(1000000) * BUCKETS * TICK) /* many of them */

enum {
    FIRST_ONE,
    NEXT_ONE,
    FAR_ONE,
    OTHER_ONE, /* that of the other actor */
    ALL_OF_THEM,
    IN_TIME = FATES + ALL_OF_THEM
};

struct turn_state {
    struct wheel_state base;
    int64_t far;       /* delay of one that the first adds before the next; 0: none */
    int64_t delay;     /* of the next */
    int64_t before[2]; /* the clock, when each actor began: one of them has started the timer */
    int64_t after;     /* and when the next was there */
    uint64_t turn;     /* in which that rang */
    int64_t called;    /* the clock, when it did */
};

/* ---- what the first and the next do ---- */

static void add_next(struct alarm *alarm)
{
    struct turn_state *state = alarm->context;

    if (state->far != 0)
        alarm_add(&state->base, FAR_ONE, state->far);
    alarm_add(&state->base, NEXT_ONE, state->delay);
    state->after = gp_now();
}

static void note_turn(struct alarm *alarm)
{
    struct turn_state *state = alarm->context;

    state->turn = gp_timer_wakeups(state->base.timer);
    gp_future_set(state->base.announcement, NULL);
}

/* ---- set-ups ---- */

static bool set_up(struct turn_state *state, int64_t far, int64_t delay)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    struct alarm *alarms = state->base.alarms;

    state->far = far;
    state->delay = delay;
    alarms[FIRST_ONE].ring = add_next;
    alarms[FIRST_ONE].context = state;
    alarms[NEXT_ONE].ring = note_turn;
    alarms[NEXT_ONE].context = state;
    config.tick = TICK;
    config.ticks_per_wheel = BUCKETS;
    config.thread.timer_slack = 1;
    return wheel_open_with(&state->base, &config) && wheel_announce_later(&state->base);
}

static bool set_up_due(void *argument, uint64_t random)
{
    (void)random;
    return set_up(argument, 0, 0);
}

static bool set_up_late(void *argument, uint64_t random)
{
    (void)random;
    return set_up(argument, 0, -4 * TICK);
}

/* Both are in one bucket. */
static bool set_up_far(void *argument, uint64_t random)
{
    (void)random;
    return set_up(argument, ROUNDS, 0);
}

/* A tick is over at least, so that the sum of that and the delay overflows. The next is due when
   the one without end has been called, if it is called at all. */
static bool set_up_without_end(void *argument, uint64_t random)
{
    (void)random;
    return set_up(argument, INT64_MAX, TICK);
}

/* ---- from the tick ---- */

/* Longer ticks: a worker that is late makes up for it, and those of many timers would leave nothing
   for the actors. */
#define LONG_TICK (TICK > INT64_C(1000000) ? TICK : INT64_C(1000000))

enum {
    NOT_EARLY = THIRD_FATE
};

static void add_next_after_a_while(struct alarm *alarm)
{
    struct turn_state *state = alarm->context;

    nanosleep(&(struct timespec){.tv_nsec = LONG_TICK * 3 / 2}, NULL);
    state->after = gp_now();
    alarm_add(&state->base, NEXT_ONE, state->delay);
}

static void note_time(struct alarm *alarm)
{
    struct turn_state *state = alarm->context;

    state->called = gp_now();
    gp_future_set(state->base.announcement, NULL);
}

static bool open_from_tick(struct turn_state *state)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    state->delay = LONG_TICK * 3 / 4;
    state->base.alarms[NEXT_ONE].ring = note_time;
    state->base.alarms[NEXT_ONE].context = state;
    config.tick = LONG_TICK;
    config.ticks_per_wheel = BUCKETS;
    config.thread.timer_slack = 1;
    config.kind = GP_FAST;
    return wheel_open_with(&state->base, &config) && wheel_announce_later(&state->base);
}

static bool set_up_from_tick(void *argument, uint64_t random)
{
    struct turn_state *state = argument;

    (void)random;
    state->base.alarms[FIRST_ONE].ring = add_next_after_a_while;
    state->base.alarms[FIRST_ONE].context = state;
    return open_from_tick(state);
}

static bool set_up_within_tick(void *argument, uint64_t random)
{
    (void)random;
    return open_from_tick(argument);
}

/* The first starts the timer; what becomes of it does not matter. */
static void act_add_within_tick(void *argument, struct outcome *outcome)
{
    struct turn_state *state = argument;

    (void)outcome;
    alarm_add(&state->base, FIRST_ONE, 0);
    nanosleep(&(struct timespec){.tv_nsec = LONG_TICK * 3 / 2}, NULL);
    state->after = gp_now();
    alarm_add(&state->base, NEXT_ONE, state->delay);
    wheel_await_announcement(&state->base);
}

static void arbiter_of_time(void *argument, struct outcome *outcome)
{
    struct turn_state *state = argument;

    wheel_judge(&state->base, outcome, 2);
    outcome->slot[NOT_EARLY] = gp_time_until(state->called, state->after) >= state->delay;
}

/* ---- actors and arbiter ---- */

static void act_add(void *argument, struct outcome *outcome)
{
    struct turn_state *state = argument;

    (void)outcome;
    state->before[0] = gp_now();
    alarm_add(&state->base, FIRST_ONE, 0);
    wheel_await_announcement(&state->base);
}

static void act_add_another(void *argument, struct outcome *outcome)
{
    struct turn_state *state = argument;

    (void)outcome;
    state->before[1] = gp_now();
    alarm_add(&state->base, OTHER_ONE, 0);
}

static bool is_in_time(const struct turn_state *state)
{
    int64_t one = gp_time_until(state->after, state->before[0]);
    int64_t other = gp_time_until(state->after, state->before[1]);
    int64_t elapsed = one > other ? one : other;
    int64_t delay = state->delay > 0 ? state->delay : 0;

    return state->turn <= (uint64_t)((elapsed + delay) / TICK) + 1;
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct turn_state *state = argument;

    wheel_judge(&state->base, outcome, ALL_OF_THEM);
    outcome->slot[IN_TIME] = is_in_time(state);
}

/* ---- the family ---- */

#define SLOTS                                                              \
    {                                                                      \
        TIMER_SLOT, {"the first", ALARM_FATES}, {"the next", ALARM_FATES}, \
            {"the far one", ALARM_FATES}, {"another", ALARM_FATES},        \
        {                                                                  \
            "it was",                                                      \
            {                                                              \
                "a round later", "in time"                                 \
            }                                                              \
        }                                                                  \
    }
#define A_ROUND_LATER "it was a round later", FORBIDDEN, "the hand has gone by it", MAY_OCCUR
#define FAR_ONE_RANG  "the far one rang", FORBIDDEN, "it was not due", MAY_OCCUR

const struct scenario wheel_turn_races[] = {
    {
        .name = "wheel_turn/due_in_this_round",
        .description = "a function adds a timeout that is due at once, and so does another thread, "
                       "while the hand goes round: the next visit of its bucket calls it",
        .invariants = "[WHEEL-2]",
        .attacks = {HASHED, "if (here->rounds <= 0) {"},
        .broken_by = "wheel-round-off-by-one",
        .state_size = sizeof(struct turn_state),
        .set_up = set_up_due,
        .actors = {{"add", act_add}, {"add", act_add_another}},
        .invariant = wheel_invariant,
        .arbiter = arbiter,
        .tear_down = wheel_tear_down,
        .slack = SLACK_OF_TICKS,
        .slots = SLOTS,
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {A_ROUND_LATER},
                {FAR_ONE_RANG},
                {"the timer ended well, the first rang, the next rang, the far one not added, "
                 "it was in time, ...",
                 ACCEPTABLE, "whatever became of the other's", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_turn/late_when_added",
        .like = "wheel_turn/due_in_this_round",
        .description =
            "a function adds a timeout whose tick is over already, and another thread one "
            "that is due: the next turn calls it, not the next round",
        .invariants = "[WHEEL-1]",
        .attacks = {HASHED, "return calculated > wheel->tick ? calculated : wheel->tick;"},
        .broken_by = "wheel-late-goes-a-round",
        .set_up = set_up_late,
    },
    {
        .name = "wheel_turn/behind_a_later_round",
        .like = "wheel_turn/due_in_this_round",
        .description =
            "a timeout of a later round stands in the bucket before one that is due, while "
            "another thread adds as well: that is called all the same",
        .attacks = {HASHED, "here->rounds--;"},
        .broken_by = "wheel-bucket-walk-broken-off",
        .set_up = set_up_far,
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {A_ROUND_LATER},
                {FAR_ONE_RANG},
                {"the timer ended well, the first rang, the next rang, the far one handed back, "
                 "it was in time, ...",
                 ACCEPTABLE, "whatever became of the other's", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_turn/without_end",
        .like = "wheel_turn/behind_a_later_round",
        .description =
            "a timeout is added with a delay that has no end, while another thread adds as "
            "well: it is not called",
        .invariants = "[WHEEL-1]",
        .attacks = {TIMER, "return delay > INT64_MAX - elapsed ? INT64_MAX : elapsed + delay;"},
        .broken_by = "wheel-deadline-overflow",
        .set_up = set_up_without_end,
    },
    {
        .name = "wheel_turn/delay_from_a_late_tick",
        .description =
            "a function takes longer than a tick, and adds a timeout whose delay counts from the "
            "tick, while another thread adds as well: it is not called before it is due",
        .invariants = "[FAST-5]",
        .attacks = {FAST, "gp__fast_settle(timer, collected, now);"},
        .broken_by = "wheel-delay-from-the-hand",
        .state_size = sizeof(struct turn_state),
        .set_up = set_up_from_tick,
        .actors = {{"add", act_add}, {"add", act_add_another}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_time,
        .tear_down = wheel_tear_down,
        .slack = SLACK_OF_TICKS,
        .slots = {TIMER_SLOT,
                  {"the first", ALARM_FATES},
                  {"the next", ALARM_FATES},
                  {"it was", {"early", "not early"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"it was early", FORBIDDEN, "its delay began before it was added", MAY_OCCUR},
                {"the timer ended well, the first rang, the next rang, it was not early",
                 ACCEPTABLE, "however late the worker was", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_turn/added_after_the_look",
        .description =
            "a timeout whose delay counts from the tick is added when the worker has looked at the "
            "clock, before it collects what was added: it is not called before it is due",
        .invariants = "[FAST-5]",
        .attacks = {FAST, "int64_t now = gp__timer_elapsed(timer);"},
        .broken_by = "wheel-looks-before-collecting",
        .state_size = sizeof(struct turn_state),
        .set_up = set_up_within_tick,
        .actors = {{"add", act_add_within_tick}, {"add", act_add_another}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_time,
        .tear_down = wheel_tear_down,
        .slack = SLACK_OF_TICKS,
        .slots = {TIMER_SLOT,
                  {"the first", ALARM_FATES},
                  {"the next", ALARM_FATES},
                  {"it was", {"early", "not early"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"it was early", FORBIDDEN, "its delay began before it was added", MAY_OCCUR},
                {"the timer ended well, the first rang, the next rang, it was not early",
                 ACCEPTABLE, "whenever the worker looked at the clock", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
