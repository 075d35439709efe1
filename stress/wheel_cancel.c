/*
 * Cancelled, and out of the wheel.
 *
 * A cancel has two steps: the state, INIT -> CANCELLED by one CAS [TIMEOUT-1], and then word to the
 * worker, which alone may touch the rows. The worker meanwhile does with the timeout what it does
 * with all: takes it out of the inbox, places it, finds it due, expires it.
 *
 *        canceller                           worker
 *        INIT -> CANCELLED
 *                                            out of the inbox: it is cancelled, give it up
 *        put it into the inbox of the
 *        cancelled
 *        release the handle
 *                                            out of that inbox: which timeout?
 *
 * Upstream the collector answers that question. Here each inbox has a reference of its own
 * [TIMEOUT-3]. So has a cancel one of the timer: who closes it may free it before the cancel has
 * come to its inbox, and then the cancel is the one that frees.
 *
 * Who finds a timeout cancelled may rely on what was done before it was: the CAS publishes, and who
 * looks at the state acquires [TIMEOUT-1].
 */
#include "stress/wheel_support.h"

#include <glasspool/status.h>

#define TIMEOUT "impl/wheel/timeout.c"

/* ---- against the tick in which it is due ---- */

enum {
    CANCEL = SECOND_FATE
};

static bool set_up_due(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    return wheel_open(state, A_MOMENT) && wheel_announce_later(state);
}

static void act_add_due(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    alarm_add(state, 0, 0);
    gp_future_set(state->announcement, NULL);
}

static void act_cancel_due(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    wheel_await_announcement(state);
    if (state->alarms[0].timeout)
        outcome->slot[CANCEL] = alarm_cancel(&state->alarms[0]);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 1);
}

/* ---- by many ---- */

enum {
    FIRST = SECOND_FATE,
    SECOND,
    THIRD
};

static bool set_up_waiting(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    if (!wheel_open(state, NO_TICK))
        return false;
    return wheel_add_in_set_up(state, 0, AN_HOUR);
}

static void act_cancel_first(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    outcome->slot[FIRST] = gp_timeout_cancel(state->alarms[0].timeout);
}

static void act_cancel_second(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    outcome->slot[SECOND] = gp_timeout_cancel(state->alarms[0].timeout);
}

static void act_cancel_third(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    outcome->slot[THIRD] = gp_timeout_cancel(state->alarms[0].timeout);
}

static void arbiter_of_many(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    state->alarms[0].cancels = outcome->slot[FIRST] + outcome->slot[SECOND] + outcome->slot[THIRD];
    wheel_judge(state, outcome, 1);
}

/* ---- and why ---- */

enum {
    REASON = 5
};

struct reasoned {
    struct wheel_state base;
    int reason; /* written by who cancels, before */
};

enum {
    SEEN = SECOND_FATE
};

static void act_cancel_with_reason(void *argument, struct outcome *outcome)
{
    struct reasoned *state = argument;

    (void)outcome;
    state->reason = REASON;
    alarm_cancel(&state->base.alarms[0]);
}

static void act_ask_for_reason(void *argument, struct outcome *outcome)
{
    struct reasoned *state = argument;

    if (gp_timeout_is_cancelled(state->base.alarms[0].timeout))
        outcome->slot[SEEN] = state->reason == REASON ? 1 : 2;
}

/* ---- against close ---- */

enum {
    CLOSED,
    CANCEL_WON,
    DESTROYED
};

static void act_cancel_and_release(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;
    gp_timeout *timeout = state->alarms[0].timeout;

    state->alarms[0].timeout = NULL;
    outcome->slot[CANCEL_WON] = gp_timeout_cancel(timeout);
    gp_timeout_release(timeout);
}

static void act_drop(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;
    gp_timeout *timeout = state->alarms[0].timeout;

    state->alarms[0].timeout = NULL;
    outcome->slot[CANCEL_WON] = gp_timeout_drop(timeout);
}

static void act_close(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    outcome->slot[CLOSED] = gp_timer_close(state->timer) != GP_OK;
    state->timer = NULL;
}

static void arbiter_of_close(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    outcome->slot[DESTROYED] = state->alarms[0].ends == 1;
}

/* ---- against its arrival ---- */

static bool set_up_ticking(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    return wheel_open_started(state, A_MOMENT, 0);
}

/* Added, cancelled, and the handle given up, all at once: who has it then? */
static void add_and_cancel(struct wheel_state *state, int number, struct outcome *outcome)
{
    struct alarm *alarm = &state->alarms[number];

    alarm_add(state, number, AN_HOUR);
    if (alarm->timeout)
        alarm_cancel(alarm);
    outcome->slot[FATES + number] = alarm_fate(alarm);
}

static void act_add_and_cancel(void *argument, struct outcome *outcome)
{
    add_and_cancel(argument, 0, outcome);
}

static void act_add_and_cancel_another(void *argument, struct outcome *outcome)
{
    add_and_cancel(argument, 1, outcome);
}

static void arbiter_of_end(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 0);
}

/* ---- the family ---- */

const struct scenario wheel_cancel_races[] = {
    {
        .name = "wheel_cancel/cancel_against_expire",
        .description = "a timeout is cancelled while the worker finds that it is due: it is called "
                       "or cancelled, never both, and its argument destroyed once",
        .invariants = "[TIMEOUT-1] [TIMEOUT-2]",
        .attacks = {TIMEOUT, "} while (!atomic_compare_exchange_weak_explicit(&timeout->word"},
        .broken_by = "timeout-cancelled-and-called",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_due,
        .actors = {{"add", act_add_due}, {"cancel", act_cancel_due}},
        .invariant = wheel_invariant,
        .arbiter = arbiter,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the timeout", ALARM_FATES}, {"cancel", {"lost", "won"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timeout ended in two ways", FORBIDDEN, "called although it was cancelled",
                 MAY_OCCUR},
                {"the timer ended well, the timeout cancelled, cancel won", ACCEPTABLE,
                 "the CAS of cancel came first", MUST_OCCUR},
                {"the timer ended well, the timeout rang, cancel lost", ACCEPTABLE,
                 "the CAS of the worker came first", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_cancel/cancel_by_many",
        .description = "three threads cancel the same timeout: one of them wins, and destroys the "
                       "argument",
        .invariants = "[TIMEOUT-1] [TIMEOUT-2] [TIMER-2]",
        .attacks = {TIMEOUT, "if (!leave_init(timeout, GP__TIMEOUT_CANCELLED, REFERENCE))"},
        .broken_by = "every-cancel-wins",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_waiting,
        .actors = {{"cancel", act_cancel_first},
                   {"cancel", act_cancel_second},
                   {"cancel", act_cancel_third}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_many,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT,
                  {"the timeout", ALARM_FATES},
                  {"one", {"lost", "won"}},
                  {"another", {"lost", "won"}},
                  {"the last", {"lost", "won"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timeout not destroyed once", FORBIDDEN, "two have won", MAY_OCCUR},
                {"the timer ended well, the timeout cancelled, one won, another lost, "
                 "the last lost",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
                {"the timer ended well, the timeout cancelled, one lost, another won, "
                 "the last lost",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
                {"the timer ended well, the timeout cancelled, one lost, another lost, "
                 "the last won",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_cancel/cancel_against_arrival",
        .description = "two threads add a timeout each, cancel it and give up the handle while the "
                       "worker takes the timeouts out of both inboxes: none is freed too early",
        .invariants = "[TIMEOUT-3] [INBOX-1]",
        .attacks = {TIMEOUT, "if (!leave_init(timeout, GP__TIMEOUT_CANCELLED, REFERENCE))"},
        .broken_by = "cancelled-inbox-uncounted",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_ticking,
        .actors = {{"add and cancel", act_add_and_cancel},
                   {"add and cancel", act_add_and_cancel_another}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_end,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the one", ALARM_FATES}, {"the other", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, the one cancelled, the other cancelled", ACCEPTABLE,
                 "before they arrived, or after", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_cancel/cancel_publishes",
        .description = "a timeout is cancelled, for a reason that was written before: who finds it "
                       "cancelled finds the reason",
        .invariants = "[TIMEOUT-1]",
        .attacks = {TIMEOUT, "return state_in(atomic_load_explicit(&timeout->word"},
        .broken_by = "timeout-state-relaxed",
        .state_size = sizeof(struct reasoned),
        .set_up = set_up_waiting,
        .actors = {{"cancel", act_cancel_with_reason}, {"is it cancelled?", act_ask_for_reason}},
        .invariant = wheel_invariant,
        .arbiter = arbiter,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT,
                  {"the timeout", ALARM_FATES},
                  {"found", {"pending", "cancelled", "cancelled for nothing"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"found cancelled for nothing", FORBIDDEN, "the state came before the reason",
                 MAY_OCCUR},
                {"the timer ended well, the timeout cancelled, found pending", ACCEPTABLE,
                 "the question came first", MUST_OCCUR},
                {"the timer ended well, the timeout cancelled, found cancelled", ACCEPTABLE,
                 "with its reason", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_cancel/cancel_against_close",
        .description =
            "a timeout is cancelled, and its handle given up, while the timer is closed: "
            "whoever comes last frees what both have used",
        .invariants = "[TIMEOUT-3] [TIMEOUT-2]",
        .attacks = {"impl/wheel/timer.c",
                    "if (atomic_fetch_sub_explicit(&timer->counts, REFERENCE"},
        .broken_by = "timer-release-release-only",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_waiting,
        .actors = {{"cancel, release", act_cancel_and_release}, {"close", act_close}},
        .arbiter = arbiter_of_close,
        .tear_down = wheel_tear_down,
        .slots = {{NULL, {"closed", "not closed"}},
                  {"cancel", {"lost", "won"}},
                  {"its argument", {"not destroyed once", "destroyed"}}},
        .outcomes =
            {
                {"closed, cancel won, its argument destroyed", ACCEPTABLE,
                 "the cancel came first, or while the timer stopped", MUST_OCCUR},
                {"closed, cancel lost, its argument destroyed", ACCEPTABLE, "stop had given it up",
                 MUST_OCCUR},
            },
    },
    {
        .name = "wheel_cancel/drop_against_close",
        .like = "wheel_cancel/cancel_against_close",
        .description =
            "a timeout is cancelled and its handle given up in one step, while the timer is "
            "closed: when it is handed in nobody looks at either any more",
        .attacks = {TIMEOUT, "bool ticks = timer->class->ticks;"},
        .broken_by = "wheel-timer-asked-when-handed-in",
        .actors = {{"drop", act_drop}, {"close", act_close}},
        .outcomes =
            {
                {"closed, cancel won, its argument destroyed", ACCEPTABLE,
                 "the drop came first, or while the timer stopped", MUST_OCCUR},
                {"closed, cancel lost, its argument destroyed", ACCEPTABLE, "stop had given it up",
                 MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("wheel_cancel/cancel_against_expire",
                  "wheel_cancel/cancel_against_expire_tickless", wheel_choose_tickless),
    SCENARIO_TWIN("wheel_cancel/cancel_by_many", "wheel_cancel/cancel_by_many_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_cancel/cancel_against_close", "wheel_cancel/cancel_against_close_tickless",
                  wheel_choose_tickless),
    {.name = NULL},
};
