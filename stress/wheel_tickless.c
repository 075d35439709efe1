/*
 * A worker that sleeps until the next deadline, and those who have to wake it.
 *
 * Nothing makes a tickless worker look, but a deadline that it knows of and somebody who tells it
 * of an earlier one. So it says until when it sleeps, and then looks whether something has come;
 * who adds puts the timeout in, and then looks until when it sleeps [SLEEP-1]:
 *
 *        worker                              add
 *        the inbox is empty
 *                                            put it in
 *                                            it is awake: it will look
 *        asleep until the hour is over
 *
 * That is what happens if the worker looks first and says so afterwards; the timeout, due at once,
 * rings in an hour. In the right order one of the two sees the other. Those who cancel do the same
 * with the number of the cancelled [SLEEP-2]: what is cancelled does not stay in the wheel until
 * its slot is due, as it did in Netty before 2014 (2b401d45).
 *
 * Who waits for an alarm that nobody rings waits for ever: real threads hang, and the explorer says
 * so at once.
 */
#include "stress/wheel_support.h"

#include <sched.h> /* sched_yield */

#include <glasspool/status.h>

#define INBOX    "impl/wheel/inbox.c"
#define TIMEOUT  "impl/wheel/timeout.c"
#define TICKLESS "impl/wheel/tickless.c"
#define TIMER    "impl/wheel/timer.c"
#define WORKER   "impl/wheel/timer_worker.c"

enum {
    ANY_NUMBER = 1000 /* of cancelled timeouts, more than there are */
};

static void act_add_first(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 0, 0);
    wheel_await_announcement(argument);
}

static void act_add_second(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 1, 0);
    wheel_await_announcement(argument);
}

static void act_add_third(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 2, 0);
    wheel_await_announcement(argument);
}

static void act_add_later(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 1, 2 * AN_HOUR);
}

/* ---- all are due at once, and must ring ---- */

static void announce_last(struct alarm *alarm)
{
    struct wheel_state *state = alarm->context;

    if (state->alarms[0].rings + state->alarms[1].rings + state->alarms[2].rings == 3)
        gp_future_set(state->announcement, NULL);
}

static bool set_up_three(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    for (int i = 0; i < 3; i++) {
        state->alarms[i].ring = announce_last;
        state->alarms[i].context = state;
    }
    return wheel_open_tickless(state, ANY_NUMBER) && wheel_announce_later(state);
}

/* ---- one is due at once; the worker sleeps for an hour, with the first alarm ---- */

static void announce(struct alarm *alarm)
{
    struct wheel_state *state = alarm->context;

    gp_future_set(state->announcement, NULL);
}

static bool set_up_asleep(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    state->alarms[2].ring = announce;
    state->alarms[2].context = state;
    return wheel_open_tickless(state, ANY_NUMBER) && wheel_announce_later(state) &&
           wheel_add_in_set_up(state, 0, AN_HOUR);
}

/* ---- cancelled ones ---- */

static bool set_up_to_cancel(struct wheel_state *state, int64_t max_cancelled)
{
    return wheel_open_tickless(state, max_cancelled) && wheel_add_in_set_up(state, 0, AN_HOUR) &&
           wheel_add_in_set_up(state, 1, AN_HOUR);
}

/* Two in the same slot, in all likelihood. */
static bool set_up_neighbours(void *argument, uint64_t random)
{
    (void)random;
    return set_up_to_cancel(argument, 1);
}

/* Those two are as many as may wait. A third lets the worker, and who waits for it, go on. */
static bool set_up_full(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    state->alarms[2].ring = announce;
    state->alarms[2].context = state;
    return set_up_to_cancel(state, 2) && wheel_announce_later(state) &&
           wheel_add_in_set_up(state, 2, A_MOMENT);
}

static void act_cancel_first(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    alarm_cancel(&state->alarms[0]);
}

static void act_cancel_first_and_wait(void *argument, struct outcome *outcome)
{
    act_cancel_first(argument, outcome);
    wheel_await_announcement(argument);
}

static void act_cancel_second_and_wait(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    alarm_cancel(&state->alarms[1]);
    wheel_await_announcement(state);
}

/* The worker sleeps on. */
static bool is_full(void *argument)
{
    struct wheel_state *state = argument;

    return gp_timer_uncollected(state->timer) >= 2;
}

/* ---- as many as may wait, while the worker falls asleep ---- */

enum {
    COLLECTED = THIRD_FATE + 1,
    PATIENCE = 1000000 /* yields: about a second */
};

static bool set_up_wakeful(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    state->alarms[2].ring = announce;
    state->alarms[2].context = state;
    return set_up_to_cancel(state, 2) && wheel_announce_later(state);
}

static void act_cancel_second(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    alarm_cancel(&state->alarms[1]);
}

/* Nobody wakes it any more. If somebody has, it needs a moment, and who yields lets it have that.
   Virtual time must not pass meanwhile: nobody looks at the clock. */
static void arbiter_of_collection(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    for (int i = 0; i < PATIENCE && is_full(state); i++)
        sched_yield();
    outcome->slot[COLLECTED] = !is_full(state);
    wheel_judge(state, outcome, 3);
}

#define COLLECTION_SLOTS                                                                       \
    {                                                                                          \
        TIMER_SLOT, {"one", ALARM_FATES}, {"another", ALARM_FATES}, {"the last", ALARM_FATES}, \
        {                                                                                      \
            "they",                                                                            \
            {                                                                                  \
                "stay in the wheel", "leave the wheel"                                         \
            }                                                                                  \
        }                                                                                      \
    }
#define NOT_COLLECTED \
    "they stay in the wheel", FORBIDDEN, "the worker sleeps for an hour", MAY_OCCUR
#define ALL_COLLECTED                                                             \
    {                                                                             \
        "the timer ended well, one cancelled, another cancelled, the last rang, " \
        "they leave the wheel",                                                   \
            ACCEPTABLE, "whenever the worker fell asleep", MUST_OCCUR             \
    }

static void act_add_another(void *argument, struct outcome *outcome)
{
    (void)outcome;
    alarm_add(argument, 2, AN_HOUR / 2);
}

/* ---- the family ---- */

#define THREE_SLOTS                                                 \
    {                                                               \
        TIMER_SLOT, {"one", ALARM_FATES}, {"another", ALARM_FATES}, \
        {                                                           \
            "the last", ALARM_FATES                                 \
        }                                                           \
    }

#define ALL_RANG                                                                             \
    {                                                                                        \
        "the timer ended well, one rang, another rang, the last rang", ACCEPTABLE,           \
            "whenever the worker fell asleep, it saw them or was woken for them", MUST_OCCUR \
    }

const struct scenario wheel_tickless_races[] = {
    {
        .name = "wheel_tickless/add_against_sleep",
        .description = "three threads add a timeout each that is due at once, while the worker "
                       "falls asleep again and again: all of them ring",
        .invariants = "[SLEEP-1]",
        .attacks = {WORKER, "    set_asleep_until(timer, next);"},
        .broken_by = "tickless-looks-then-sleeps",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_three,
        .actors = {{"add", act_add_first}, {"add", act_add_second}, {"add", act_add_third}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_three,
        .tear_down = wheel_tear_down,
        .slots = THREE_SLOTS,
        .outcomes = {{DID_NOT_END_WELL}, ALL_RANG},
    },
    {
        .name = "wheel_tickless/looks_before_it_sleeps",
        .like = "wheel_tickless/add_against_sleep",
        .description = "the same: what came before the worker had said how long it sleeps was not "
                       "told to it, and it looks for that",
        .attacks = {WORKER,
                    "return timer->arrived != NULL || !gp__inbox_is_empty(&timer->added) ||"},
        .broken_by = "wheel-sleeps-unlooked",
    },
    {
        .name = "wheel_tickless/earlier_wakes",
        .description = "the worker sleeps for an hour, and a timeout is added that is due at once: "
                       "it rings, whoever adds a later one",
        .invariants = "[SLEEP-1] [TICKLESS-1]",
        .attacks = {TIMER, "if (deadline < atomic_load(&timer->asleep_until))"},
        .broken_by = "wheel-wakes-for-later",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_asleep,
        .actors = {{"add a later one", act_add_later}, {"add one that is due", act_add_third}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_three,
        .tear_down = wheel_tear_down,
        .slots = THREE_SLOTS,
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, one handed back, another handed back, the last rang",
                 ACCEPTABLE, "it alone was due", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_tickless/later_hides_nothing",
        .like = "wheel_tickless/earlier_wakes",
        .description = "the worker sleeps for an hour; one who adds a later timeout looks at that, "
                       "and one who adds an earlier one still finds it asleep",
        .invariants = "[SLEEP-1] [SLEEP-3]",
        .attacks = {TIMER, "if (deadline < atomic_load(&timer->asleep_until))"},
        .broken_by = "wheel-onlooker-marks-awake",
    },
    {
        .name = "wheel_tickless/each_wakes_for_itself",
        .like = "wheel_tickless/add_against_sleep",
        .description = "three threads add to a worker that has nothing to wake up for: none relies "
                       "on another to tell it",
        .attacks = {TIMER, "gp__unpark(timer->worker);"},
        .broken_by = "wheel-no-unpark",
    },
    {
        .name = "wheel_tickless/cancel_wakes",
        .description = "two timeouts are cancelled, as many as may wait for the worker while it "
                       "sleeps, and it falls asleep just then: the second cancel wakes it, or it "
                       "sees them itself",
        .invariants = "[SLEEP-2]",
        .attacks = {TIMER, "if (atomic_fetch_add(&timer->uncollected, 1) + 1 >= "
                           "timer->max_cancelled &&"},
        .broken_by = "wheel-cancel-looks-first",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_wakeful,
        .actors = {{"cancel", act_cancel_first},
                   {"cancel", act_cancel_second},
                   {"add one that is due", act_add_third}},
        .invariant = wheel_invariant,
        .late = is_full,
        .arbiter = arbiter_of_collection,
        .tear_down = wheel_tear_down,
        .slots = COLLECTION_SLOTS,
        .outcomes = {{DID_NOT_END_WELL}, {NOT_COLLECTED}, ALL_COLLECTED},
    },
    {
        .name = "wheel_tickless/cancelled_leave",
        .like = "wheel_tickless/cancel_wakes",
        .description = "the same: what is cancelled is handed to the worker, which takes it out of "
                       "the wheel long before its slot is due",
        .invariants = "[TIMEOUT-3] [SLEEP-2]",
        .attacks = {TIMEOUT, "bool in = gp__inbox_put(&timer->cancelled, &timeout->cancelled);"},
        .broken_by = "wheel-cancelled-stay",
    },
    {
        .name = "wheel_tickless/collected_are_counted_off",
        .description =
            "two timeouts are cancelled, and the worker takes them out together or one by "
            "one: in the end none of them counts as one that waits for it",
        .invariants = "[SLEEP-2]",
        .attacks = {WORKER, "note_collected(timer, removed);"},
        .broken_by = "wheel-collected-still-counted",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_full,
        .actors = {{"cancel", act_cancel_first_and_wait}, {"cancel", act_cancel_second_and_wait}},
        .invariant = wheel_invariant,
        .late = is_full,
        .arbiter = wheel_arbiter_of_three,
        .tear_down = wheel_tear_down,
        .slots = THREE_SLOTS,
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, one cancelled, another cancelled, the last rang",
                 ACCEPTABLE, "before it rang, or after", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_tickless/cancel_of_the_first",
        .description = "the timeout that is due first is cancelled while another is added: its "
                       "neighbour in the slot and the new one stay in the wheel",
        .invariants = "[TICKLESS-2] [SLEEP-2]",
        .attacks = {TICKLESS, "if (wheel->slots[position.level][position.slot].row.first == NULL)"},
        .broken_by = "wheel-bit-of-full-slot",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_neighbours,
        .actors = {{"cancel", act_cancel_first}, {"add", act_add_another}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_three,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT,
                  {"the first", ALARM_FATES},
                  {"its neighbour", ALARM_FATES},
                  {"the new one", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"its neighbour lost sight of", FORBIDDEN, "its slot was taken for empty",
                 MAY_OCCUR},
                {"the timer ended well, the first cancelled, its neighbour handed back, "
                 "the new one handed back",
                 ACCEPTABLE, "in whichever order", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_tickless/add_against_stop",
        .like = "wheel_add/add_against_stop",
        .description = "a timeout that is to wake the worker is added while the timer stops: it is "
                       "refused or handed back, never lost",
        .invariants = "[TIMER-1] [INBOX-2] [SLEEP-1]",
        .attacks = {INBOX, "if (last == &closed)"},
        .broken_by = "inbox-accepts-after-close",
        .choose = wheel_choose_tickless,
    },
    {.name = NULL},
};
