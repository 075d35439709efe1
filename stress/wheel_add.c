/*
 * Added while the timer stops, is full, or ticks.
 *
 * Upstream asks whether the timer runs, and then adds. Between the two it may stop, and its worker
 * drain the queue for the last time:
 *
 *        add                                 stop
 *        it is started
 *                                            no more: drain, hand back
 *        into the queue: lost
 *
 * Here adding and closing are steps on one word [INBOX-2]: what is refused is told so, and takes
 * its count back; what is not comes out [TIMER-1]. To be refused there, and not at the first look
 * at the state, an add has to be held up for as long as stop waits for the worker. One add seldom
 * is; but where two threads add as fast as they can, on two processors, and a third is woken to
 * stop the timer, its worker takes a processor away from one of them in the middle of it.
 *
 * The inbox is a stack that many push on, and that the worker takes as a whole, tick by tick
 * [INBOX-1]. What is pushed between its look and its taking must not be lost.
 *
 * The limit is kept by a CAS that has seen room. Upstream raises the count, looks, and lowers it
 * again (netty #5647 forgot that): meanwhile others are rejected for nothing.
 *
 * The fast kind has another way in, behind a latch [FAST-3]. The same is asked of it, and that the
 * memory of a timeout that comes back is given to one alone [FAST-1].
 */
#include "stress/wheel_support.h"

#include <glasspool/status.h>

#define INBOX "impl/wheel/inbox.c"
#define TIMER "impl/wheel/timer.c"
#define FAST  "impl/wheel/fast.c"

static bool set_up(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    return wheel_open_started(state, NO_TICK, 0);
}

static bool set_up_limited(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    return wheel_open_started(state, NO_TICK, 1);
}

static void act_add_first(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 0, AN_HOUR);
}

static void act_add_second(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 1, AN_HOUR);
}

static void act_add_third(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 2, AN_HOUR);
}

/* ---- one in, one out ---- */

enum {
    ONE_MORE = THIRD_FATE
};

static void add_and_cancel(struct wheel_state *state, int number)
{
    alarm_add(state, number, AN_HOUR);
    if (state->alarms[number].timeout)
        alarm_cancel(&state->alarms[number]);
}

static void act_add_and_cancel(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_and_cancel(argument, 0);
}

static void act_add_and_cancel_another(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_and_cancel(argument, 1);
}

/* Everybody has left: there is room. */
static void arbiter_of_room(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    alarm_add(state, 2, AN_HOUR);
    outcome->slot[ONE_MORE] = state->alarms[2].status != GP_OK;
    wheel_judge(state, outcome, 2);
    alarm_fate(&state->alarms[2]);
}

/* ---- refused by stop ---- */

struct crowd_state {
    struct wheel_state base;
    int crowd;       /* that one adds, if stop does not come before */
    int accepted[2]; /* of each who adds; one alarm is the argument of all of them */
};

/* What became of those that one wanted to add. */
enum crowd_fate {
    NONE_ADDED,
    SOME_ADDED,
    ALL_ADDED,
    NOT_ALL_BACK /* and not called either */
};

#define CROWD_FATES                                                    \
    {                                                                  \
        "none added", "some added", "all added", "not all handed back" \
    }

static bool set_up_crowd(void *argument, uint64_t random)
{
    struct crowd_state *state = argument;

    state->crowd = 32;
    return set_up(state, random) && wheel_announce_later(&state->base);
}

static void add_unowned(struct crowd_state *state, int number, int64_t delay)
{
    struct alarm *alarm = &state->base.alarms[number];

    while (state->accepted[number] < state->crowd &&
           gp_timer_after(state->base.timer, delay, alarm_rings, alarm, alarm_ends, NULL) == GP_OK)
        state->accepted[number]++;
}

static void add_until_refused(struct crowd_state *state, int number)
{
    add_unowned(state, number, AN_HOUR);
}

static void act_announce_and_add(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    gp_future_set(state->announcement, NULL);
    add_until_refused(argument, 0);
}

static void act_add_until_refused(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_until_refused(argument, 1);
}

/* ---- against the worker ---- */

static bool open_for_crowd(struct crowd_state *state, int crowd, int64_t tick)
{
    state->crowd = crowd;
    return wheel_open_started(&state->base, tick, 0);
}

static bool set_up_ticking(void *argument, uint64_t random)
{
    (void)random;
    return open_for_crowd(argument, 8, A_MOMENT / 5);
}

static void act_add_crowd(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_until_refused(argument, 0);
}

/* Each is due at once, and without a handle: only the worker has it then. */

static bool set_up_ticking_for_few(void *argument, uint64_t random)
{
    (void)random;
    return open_for_crowd(argument, 2, A_MOMENT / 5);
}

static void act_add_due(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_unowned(argument, 0, 0);
}

static void act_add_due_too(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_unowned(argument, 1, 0);
}

/* ---- of the fast kind ---- */

/* Each one's memory goes to the worker, comes back, and goes to one of the two again. */

static bool set_up_slow_for_few(void *argument, uint64_t random)
{
    (void)random;
    return open_for_crowd(argument, 2, A_MOMENT);
}

static void add_one_by_one(struct crowd_state *state, int number)
{
    struct alarm *alarm = &state->base.alarms[number];
    gp_timeout *timeout;

    while (state->accepted[number] < state->crowd &&
           gp_timer_after(state->base.timer, AN_HOUR, alarm_rings, alarm, alarm_ends, &timeout) ==
               GP_OK) {
        state->accepted[number]++;
        if (gp_timeout_argument(timeout) == alarm && gp_timeout_cancel(timeout))
            alarm->cancels++;
        gp_timeout_release(timeout);
    }
}

static void act_add_one_by_one(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_one_by_one(argument, 0);
}

static void act_add_one_by_one_too(void *argument, struct outcome *outcome)
{
    (void)outcome;
    add_one_by_one(argument, 1);
}

/* ---- what became of crowds ---- */

static unsigned char crowd_fate(const struct crowd_state *state, int number)
{
    const struct alarm *alarm = &state->base.alarms[number];
    int accepted = state->accepted[number];

    if (alarm->rings + alarm->cancels + alarm->handbacks != accepted || alarm->ends != accepted)
        return NOT_ALL_BACK;
    if (accepted == 0)
        return NONE_ADDED;
    return accepted < state->crowd ? SOME_ADDED : ALL_ADDED;
}

static void arbiter_of_crowds(void *argument, struct outcome *outcome)
{
    struct crowd_state *state = argument;

    wheel_judge(&state->base, outcome, 0);
    outcome->slot[FATES] = crowd_fate(state, 0);
    outcome->slot[SECOND_FATE] = crowd_fate(state, 1);
}

/* ---- what is asked of both kinds ---- */

/* ---- the family ---- */

const struct scenario wheel_add_races[] = {
    {
        .name = "wheel_add/add_against_stop",
        .description = "a timeout is added while the timer stops: it is refused or handed back, "
                       "never lost",
        .invariants = "[TIMER-1] [INBOX-2]",
        .attacks = {INBOX, "if (last == &closed)"},
        .broken_by = "inbox-accepts-after-close",
        .set_up = set_up,
        .state_size = sizeof(struct wheel_state),
        .actors = {{"add", act_add_first}, {"stop", wheel_act_stop}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_one,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the timeout", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, the timeout handed back", ACCEPTABLE, "add came first",
                 MUST_OCCUR},
                {"the timer ended well, the timeout not added", ACCEPTABLE, "stop came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "wheel_add/refused_by_stop",
        .description = "two threads go on adding while the timer stops: what is refused is not "
                       "counted as pending",
        .invariants = "[TIMER-2] [TIMER-1]",
        .attacks = {TIMER, "    gp__timer_unpend(timer);"},
        .broken_by = "refused-stays-pending",
        .state_size = sizeof(struct crowd_state),
        .set_up = set_up_crowd,
        .actors = {{"add", act_announce_and_add},
                   {"add", act_add_until_refused},
                   {"stop", wheel_act_stop_when_announced}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_crowds,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"of the one's", CROWD_FATES}, {"of the other's", CROWD_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"of the one's not all handed back", FORBIDDEN, "one was lost, or came twice",
                 MAY_OCCUR},
                {"of the other's not all handed back", FORBIDDEN, "likewise", MAY_OCCUR},
                {"the timer ended well, of the one's some added, ...", ACCEPTABLE,
                 "stop came between", MUST_OCCUR},
                {"the timer ended well, of the other's some added, ...", ACCEPTABLE,
                 "stop came between", MUST_OCCUR},
                {"the timer ended well, ...", ACCEPTABLE,
                 "stop came before one of them began, or when it was done", MAY_OCCUR},
            },
    },
    {
        .name = "wheel_add/add_against_tick",
        .description = "two threads go on adding while the worker, tick by tick, empties the "
                       "inbox: all of them are handed back in the end",
        .invariants = "[INBOX-1] [TIMER-1]",
        .attacks = {INBOX, "return atomic_exchange_explicit("},
        .broken_by = "inbox-emptied-in-two-steps",
        .set_up = set_up_ticking,
        .state_size = sizeof(struct crowd_state),
        .actors = {{"add", act_add_crowd}, {"add", act_add_until_refused}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_crowds,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"of the one's", CROWD_FATES}, {"of the other's", CROWD_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"of the one's not all handed back", FORBIDDEN, "one was lost, or came twice",
                 MAY_OCCUR},
                {"of the other's not all handed back", FORBIDDEN, "likewise", MAY_OCCUR},
                {"the timer ended well, of the one's all added, of the other's all added",
                 ACCEPTABLE, "whatever arrived in whichever tick", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_add/unowned_against_expire",
        .description = "two threads go on adding timeouts that are due at once, and keep no "
                       "handle: a worker that is quick frees them, and nobody looks at them then",
        .invariants = "[TIMEOUT-3] [TIMER-1]",
        .attacks = {TIMER, "gp__timer_tell(timer, deadline);"},
        .broken_by = "timeout-read-after-hand-over",
        .state_size = sizeof(struct crowd_state),
        .set_up = set_up_ticking_for_few,
        .actors = {{"add", act_add_due}, {"add", act_add_due_too}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_crowds,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"of the one's", CROWD_FATES}, {"of the other's", CROWD_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"of the one's not all handed back", FORBIDDEN, "one was lost, or called twice",
                 MAY_OCCUR},
                {"of the other's not all handed back", FORBIDDEN, "likewise", MAY_OCCUR},
                {"the timer ended well, of the one's all added, of the other's all added",
                 ACCEPTABLE, "whichever were called before the timer stopped", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_add/limit_under_contention",
        .description = "three threads add a timeout each to a timer that takes one: one is taken, "
                       "and two are rejected",
        .invariants = "[TIMER-2]",
        .attacks = {TIMER, "} while (!atomic_compare_exchange_weak_explicit("},
        .broken_by = "wheel-limit-check-then-add",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_limited,
        .actors = {{"add", act_add_first}, {"add", act_add_second}, {"add", act_add_third}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_three,
        .tear_down = wheel_tear_down,
        .slots =
            {TIMER_SLOT, {"one", ALARM_FATES}, {"another", ALARM_FATES}, {"the last", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, one handed back, another rejected, the last rejected",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
                {"the timer ended well, one rejected, another handed back, the last rejected",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
                {"the timer ended well, one rejected, another rejected, the last handed back",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_add/rejected_leaves_room",
        .description = "two threads add to a timer that takes one, and cancel what was taken: in "
                       "the end there is room, whoever was rejected",
        .invariants = "[TIMER-2]",
        .attacks = {TIMER, "if (!pend(timer))"},
        .broken_by = "rejected-stays-pending",
        .set_up = set_up_limited,
        .state_size = sizeof(struct wheel_state),
        .actors = {{"add and cancel", act_add_and_cancel},
                   {"add and cancel", act_add_and_cancel_another}},
        .arbiter = arbiter_of_room,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT,
                  {"the one", ALARM_FATES},
                  {"the other", ALARM_FATES},
                  {"one more", {"accepted", "rejected"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"one more rejected", FORBIDDEN, "a count of what is not pending is in its way",
                 MAY_OCCUR},
                {"the timer ended well, the one cancelled, the other cancelled, one more accepted",
                 ACCEPTABLE, "one after the other", MUST_OCCUR},
                {"the timer ended well, the one rejected, the other cancelled, one more accepted",
                 ACCEPTABLE, "it came while the other was pending", MAY_OCCUR},
                {"the timer ended well, the one cancelled, the other rejected, one more accepted",
                 ACCEPTABLE, "it came while the other was pending", MAY_OCCUR},
            },
    },
    {
        .name = "wheel_add/fast_against_stop",
        .like = "wheel_add/add_against_stop",
        .description =
            "a timeout is added to a timer of the fast kind, while that stops: it is refused "
            "or handed back, and nothing stays reserved",
        .invariants = "[FAST-3] [FAST-2] [TIMER-1]",
        .attacks = {FAST, "if (fast->closed)"},
        .broken_by = "wheel-fast-open-after-close",
        .choose = wheel_choose_fast,
    },
    {
        .name = "wheel_add/fast_against_tick",
        .like = "wheel_add/add_against_tick",
        .description =
            "two threads go on adding to a timer of the fast kind while the worker, tick by "
            "tick, collects what was added: all of them are handed back in the end",
        .invariants = "[FAST-1] [TIMER-1]",
        .attacks = {FAST, "struct gp__inbox_link *gp__fast_collect("},
        .broken_by = "wheel-fast-collects-without-latch",
        .choose = wheel_choose_fast,
    },
    {
        .name = "wheel_add/fast_memory_comes_back",
        .description = "two threads add, cancel and release, one timeout after the other, while "
                       "the worker gives their memory back: no two have the same at once",
        .invariants = "[FAST-1] [TIMEOUT-3]",
        .attacks = {FAST, "gp__inbox_put(&fast_of(timeout->timer)->returned, &timeout->added);"},
        .broken_by = "wheel-spare-returned-without-latch",
        .state_size = sizeof(struct crowd_state),
        .choose = wheel_choose_fast,
        .set_up = set_up_slow_for_few,
        .actors = {{"add and cancel", act_add_one_by_one},
                   {"add and cancel", act_add_one_by_one_too}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_crowds,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"of the one's", CROWD_FATES}, {"of the other's", CROWD_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"of the one's not all handed back", FORBIDDEN, "one had another's memory",
                 MAY_OCCUR},
                {"of the other's not all handed back", FORBIDDEN, "likewise", MAY_OCCUR},
                {"the timer ended well, of the one's all added, of the other's all added",
                 ACCEPTABLE, "each was cancelled by who had added it", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_add/fast_leaves_room",
        .like = "wheel_add/rejected_leaves_room",
        .description =
            "two threads add to a timer of the fast kind that takes one, and cancel what was "
            "taken: in the end there is room, whatever is reserved",
        .invariants = "[FAST-2] [TIMER-2]",
        .attacks = {FAST, "return gp__timer_counted(&fast->wheel.timer) - (size_t)fast->reserved;"},
        .broken_by = "wheel-reserved-counts-as-pending",
        .choose = wheel_choose_fast,
    },
    SCENARIO_TWIN("wheel_add/refused_by_stop", "wheel_add/refused_by_stop_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_add/unowned_against_expire", "wheel_add/unowned_against_expire_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_add/limit_under_contention", "wheel_add/limit_under_contention_tickless",
                  wheel_choose_tickless),
    {.name = NULL},
};
