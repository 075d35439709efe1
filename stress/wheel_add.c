/*
 * Added while the timer stops, or is full.
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
 * its count back; what is not comes out [TIMER-1].
 *
 * The limit is kept by a CAS that has seen room. Upstream raises the count, looks, and lowers it
 * again (netty #5647 forgot that): meanwhile others are rejected for nothing.
 */
#include "stress/wheel_support.h"

#include <glasspool/status.h>

#define INBOX "impl/wheel/inbox.c"
#define TIMER "impl/wheel/timer.c"

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

static void act_stop(void *argument, struct outcome *outcome)
{
    (void)outcome;
    wheel_stop(argument, 0);
}

static void arbiter_of_one(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 1);
}

static void arbiter_of_three(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 3);
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

/* ---- the family ---- */

const struct scenario wheel_add_races[] = {
    {
        .name = "wheel_add/add_against_stop",
        .description = "a timeout is added while the timer stops: it is refused or handed back, "
                       "never lost",
        .invariants = "[TIMER-1] [INBOX-2]",
        .attacks = {INBOX, "if (last == &closed)"},
        .broken_by = {INBOX, "if (last == &closed)", "if (false)"},
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up,
        .actors = {{"add", act_add_first}, {"stop", act_stop}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_one,
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
        .description = "two timeouts are added while the timer stops: those that are refused are "
                       "not counted as pending",
        .invariants = "[TIMER-2]",
        .attacks = {TIMER, "    gp__timer_unpend(timer);"},
        .broken_by = {TIMER, "    gp__timer_unpend(timer);", "    ;"},
        .unstressable = "an add has to be held up for as long as stop waits for the worker",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up,
        .actors = {{"add", act_add_first}, {"add", act_add_second}, {"stop", act_stop}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_two,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the one", ALARM_FATES}, {"the other", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, the one handed back, the other handed back", ACCEPTABLE,
                 "stop came last", MUST_OCCUR},
                {"the timer ended well, the one not added, the other handed back", ACCEPTABLE,
                 "stop came between", MAY_OCCUR},
                {"the timer ended well, the one handed back, the other not added", ACCEPTABLE,
                 "stop came between", MAY_OCCUR},
                {"the timer ended well, the one not added, the other not added", ACCEPTABLE,
                 "stop came first", MAY_OCCUR},
            },
    },
    {
        .name = "wheel_add/limit_under_contention",
        .description = "three threads add a timeout each to a timer that takes one: one is taken, "
                       "and two are rejected",
        .invariants = "[TIMER-2]",
        .attacks = {TIMER, "} while (!atomic_compare_exchange_weak_explicit("},
        .broken_by = {TIMER, "} while (!atomic_compare_exchange_weak_explicit(",
                      "} while ((atomic_fetch_add(&timer->pending, 1), false) && "
                      "!atomic_compare_exchange_weak_explicit("},
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_limited,
        .actors = {{"add", act_add_first}, {"add", act_add_second}, {"add", act_add_third}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_three,
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
        .broken_by = {TIMER, "if (!pend(timer))",
                      "if (atomic_fetch_add(&timer->pending, 1) >= timer->max_pending)"},
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_limited,
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
                {"one more rejected", FORBIDDEN, "who was rejected has left its count", MAY_OCCUR},
                {"the timer ended well, the one cancelled, the other cancelled, one more accepted",
                 ACCEPTABLE, "one after the other", MUST_OCCUR},
                {"the timer ended well, the one rejected, the other cancelled, one more accepted",
                 ACCEPTABLE, "it came while the other was pending", MAY_OCCUR},
                {"the timer ended well, the one cancelled, the other rejected, one more accepted",
                 ACCEPTABLE, "it came while the other was pending", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
