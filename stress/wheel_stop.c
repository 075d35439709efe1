/*
 * Who stops a timer, and what others do meanwhile.
 *
 * One thread ends the timer: it tells the worker, waits for it, and drains what is left. Others who
 * want the same wait until that is done [TIMER-3]: what stop promises, that the worker is gone and
 * the timer may be freed, it promises to each of them.
 *
 * Who drains is alone with the rows, but not with the timeouts: their handles are out there.
 *
 *        stop                                cancel
 *        take it out of its row
 *                                            INIT -> CANCELLED: it is mine
 *        INIT -> CANCELLED: no. Not mine
 *
 * A stop that only looks whether a timeout is cancelled (netty #14081) hands back what somebody
 * then cancels.
 *
 * Nobody waits for the worker on the worker itself: a function that stops its timer is refused,
 * whoever else stops it meanwhile and waits for that function (NETTY-365).
 */
#include "stress/wheel_support.h"

#include <glasspool/status.h>

#include "stress/victim.h"

#define TIMER  "impl/wheel/timer.c"
#define WORKER "impl/wheel/timer_worker.c"

static bool set_up_alarm(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    if (!wheel_open_started(state, NO_TICK, 0))
        return false;
    return wheel_add_in_set_up(state, 0, AN_HOUR);
}

/* ---- stop against stop ---- */

enum {
    ONE_STOP = SECOND_FATE,
    OTHER_STOP
};

/* What a stop gave. */
enum gift {
    NOTHING,
    THE_TIMEOUT,
    TOO_EARLY /* the worker may still be there */
};

#define GIFTS                                          \
    {                                                  \
        "got nothing", "got it", "came back too early" \
    }

static unsigned char stop(struct wheel_state *state, int number)
{
    wheel_stop(state, number);
    if (state->stops[number] != GP_OK || gp_timer_check(state->timer) != 0 ||
        gp_timer_pending(state->timer) != 0)
        return TOO_EARLY;
    return state->unrun[number].count == 0 ? NOTHING : THE_TIMEOUT;
}

static void act_stop(void *argument, struct outcome *outcome)
{
    outcome->slot[ONE_STOP] = stop(argument, 0);
}

static void act_stop_too(void *argument, struct outcome *outcome)
{
    outcome->slot[OTHER_STOP] = stop(argument, 1);
}

/* ---- stop against cancel ---- */

enum {
    CANCEL = SECOND_FATE
};

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    outcome->slot[CANCEL] = alarm_cancel(&state->alarms[0]);
}

/* ---- a function that adds ---- */

static void announce_and_add(struct alarm *alarm)
{
    struct wheel_state *state = alarm->context;

    gp_future_set(state->announcement, NULL);
    alarm_add(state, 1, AN_HOUR);
}

static bool set_up_adding(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    state->alarms[0].ring = announce_and_add;
    state->alarms[0].context = state;
    return wheel_open(state, A_MOMENT) && wheel_announce_later(state);
}

/* It stays until the timeout has rung: the other actor would have the race to itself for long. */
static void act_add(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    alarm_add(state, 0, 0);
    if (!state->alarms[0].timeout)
        gp_future_set(state->announcement, NULL);
    wheel_await_announcement(state);
}

/* ---- a function that stops its timer ---- */

enum {
    ITS_STOP = SECOND_FATE
};

static void announce_and_stop(struct alarm *alarm)
{
    struct wheel_state *state = alarm->context;

    gp_future_set(state->announcement, NULL);
    wheel_stop(state, 1);
}

static bool set_up_stopping(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    state->alarms[0].ring = announce_and_stop;
    state->alarms[0].context = state;
    return wheel_open(state, A_MOMENT) && wheel_announce_later(state);
}

static void arbiter_of_refusal(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    wheel_judge(state, outcome, 1);
    outcome->slot[ITS_STOP] = state->stops[1] == GP_EDEADLK;
}

/* ---- an interrupted stop ---- */

struct interrupted_state {
    struct wheel_state base;
    struct victim victim;
};

enum {
    FLAG = FATES
};

static bool set_up_interrupted(void *argument, uint64_t random)
{
    struct interrupted_state *state = argument;

    (void)random;
    return wheel_open_started(&state->base, NO_TICK, 0);
}

static void act_stop_as_victim(void *argument, struct outcome *outcome)
{
    struct interrupted_state *state = argument;

    while (gp_thread_self() == NULL)
        ; /* want of memory is no outcome: see wheel_support.h */
    victim_stand(&state->victim);
    wheel_stop(&state->base, 1);
    outcome->slot[FLAG] = victim_leave(&state->victim);
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    struct interrupted_state *state = argument;

    (void)outcome;
    victim_interrupt(&state->victim);
}

static void arbiter_of_end(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 0);
}

/* ---- the family ---- */

const struct scenario wheel_stop_races[] = {
    {
        .name = "wheel_stop/stop_against_stop",
        .description = "two threads stop a timer: one of them gets what was pending, and neither "
                       "comes back before the worker is gone",
        .invariants = "[TIMER-3] [TIMER-4]",
        .attacks = {TIMER, "await_decision(timer, GP__TIMER_STARTING, GP__TIMER_STOPPING)"},
        .broken_by = "stop-does-not-await-stop",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_alarm,
        .actors = {{"stop", act_stop}, {"stop", act_stop_too}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_one,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the timeout", ALARM_FATES}, {"one", GIFTS}, {"the other", GIFTS}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, the timeout handed back, one got it, "
                 "the other got nothing",
                 ACCEPTABLE, "it came first", MUST_OCCUR},
                {"the timer ended well, the timeout handed back, one got nothing, "
                 "the other got it",
                 ACCEPTABLE, "the other came first", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_stop/stop_against_cancel",
        .description = "a timeout is cancelled while the timer stops: it is cancelled or handed "
                       "back, never both",
        .invariants = "[TIMEOUT-1] [TIMEOUT-3] [TIMER-1]",
        .attacks = {WORKER, "if (gp__timeout_leave_init(timeout, GP__TIMEOUT_HANDED_BACK))"},
        .broken_by = "stop-hands-back-uncancelled",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_alarm,
        .actors = {{"stop", wheel_act_stop}, {"cancel", act_cancel}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_one,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the timeout", ALARM_FATES}, {"cancel", {"lost", "won"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timeout ended in two ways", FORBIDDEN, "handed back, and cancelled as well",
                 MAY_OCCUR},
                {"the timer ended well, the timeout handed back, cancel lost", ACCEPTABLE,
                 "stop came first", MUST_OCCUR},
                {"the timer ended well, the timeout cancelled, cancel won", ACCEPTABLE,
                 "cancel came first", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_stop/stop_against_a_function_that_adds",
        .description = "a timer stops while the function of a timeout adds another one: stop waits "
                       "for it, and that one is refused or handed back",
        .invariants = "[TIMER-1] [TIMER-4] [TURN-3]",
        .attacks = {TIMER, "gp__thread_join(worker);"},
        .broken_by = "stop-without-join",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_adding,
        .actors = {{"add", act_add}, {"stop", wheel_act_stop_when_announced}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_two,
        .tear_down = wheel_tear_down,
        .slack = SLACK_OF_TICKS,
        .slots = {TIMER_SLOT, {"the timeout", ALARM_FATES}, {"the one that it adds", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, the timeout rang, the one that it adds handed back",
                 ACCEPTABLE, "add came first", MUST_OCCUR},
                {"the timer ended well, the timeout rang, the one that it adds not added",
                 ACCEPTABLE, "stop came first", MAY_OCCUR},
            },
    },
    {
        .name = "wheel_stop/stop_by_a_function",
        .description = "the function of a timeout stops its timer while another thread does: the "
                       "function is refused, and the other waits for it",
        .invariants = "[TIMER-3] [TIMER-4]",
        .attacks = {TIMER, "if (is_or_was_mine(timer)) /* it would wait for itself"},
        .broken_by = "stop-joins-itself",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_stopping,
        .actors = {{"add", act_add}, {"stop", wheel_act_stop_when_announced}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_refusal,
        .tear_down = wheel_tear_down,
        .slack = SLACK_OF_TICKS,
        .slots = {TIMER_SLOT,
                  {"the timeout", ALARM_FATES},
                  {"its stop", {"was done", "was refused"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"its stop was done", FORBIDDEN, "the worker cannot wait for itself", MAY_OCCUR},
                {"the timer ended well, the timeout rang, its stop was refused", ACCEPTABLE,
                 "before the other's, or meanwhile", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_stop/interrupted_stop",
        .description = "one who stops a timer is interrupted while another stops it, too: both "
                       "finish, and the flag is still up",
        .invariants = "[TIMER-3]",
        .attacks = {TIMER, "    if (interrupted)"},
        .broken_by = "stop-swallows-interrupt",
        .state_size = sizeof(struct interrupted_state),
        .set_up = set_up_interrupted,
        .actors = {{"stop", wheel_act_stop},
                   {"stop", act_stop_as_victim},
                   {"interrupt", act_interrupt}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_end,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the flag", {"was swallowed", "is up"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the flag was swallowed", FORBIDDEN, "an interrupt is lost", MAY_OCCUR},
                {"the timer ended well, the flag is up", ACCEPTABLE, "before, meanwhile or after",
                 MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("wheel_stop/stop_against_stop", "wheel_stop/stop_against_stop_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_stop/stop_against_cancel", "wheel_stop/stop_against_cancel_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_stop/stop_against_a_function_that_adds",
                  "wheel_stop/stop_against_a_function_that_adds_tickless", wheel_choose_tickless),
    SCENARIO_TWIN("wheel_stop/stop_by_a_function", "wheel_stop/stop_by_a_function_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_stop/interrupted_stop", "wheel_stop/interrupted_stop_tickless",
                  wheel_choose_tickless),
    {.name = NULL},
};
