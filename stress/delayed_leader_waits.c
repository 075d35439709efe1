/*
 * How a wait for the head ends, other than with the head.
 *
 * One taker of a delayed queue, the leader, waits until the head is due; the others wait for a
 * signal (delayed_leader.c). But a wait may end otherwise: by an interrupt, or because the taker
 * has a limit of its own. Whoever leaves then may be the leader, or may just have been signalled,
 * and must not take with it what the others rely on [DELAYED-6].
 *
 *   The leader is interrupted. It leaves without a task, and nobody has a limit any more. On its
 *   way out it does what every taker does: there is no leader and still a task, so it signals.
 *
 *   A leader with a limit of its own. A taker whose patience ends before the head is due does not
 *   lead: with the head's time as its limit it would oversleep its own [DELAYED-5]. But if the head
 *   comes first it leads like any other; else those who all have limits sleep until these are over.
 *
 *   A signal meets the end of a wait. The signal for a new head takes the first taker out of the
 *   line, and at that moment the taker's patience ends, or it is interrupted. It was signalled, so
 *   the wait says so [CONDITION-2]; and if it leaves without a task all the same, because its limit
 *   is over or the flag is up by the time it waits again, it passes the signal on:
 *
 *        timed taker         follower            producer
 *        wait, 20 us         wait
 *                                                offer(in 60 us)        signal to the first
 *        wake after 25 us: not due, and too late to wait
 *        leader? none:       signal
 *        leave               wake, lead, 35 us
 *
 *   The moment itself. A head that falls due between two looks at the clock is "not due" for the
 *   first and "no time left to wait" for the second; who takes the latter for "no limit" sleeps
 *   for ever. APR's thread pool loses about one timer in 100,000 so. Each round looks once, and
 *   waits until a time, not for a while [CLOCK-1].
 *
 * As there, a signal that is lost is a hang, and there is a task for everybody who waits without a
 * limit.
 *
 * `..._on_lane`: as there.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "stress/delayed_leader_support.h"

#define DELAYED   "impl/queue/delayed.c"
#define CONDITION "impl/sync/condition.c"
#define LANE      "impl/queue/delayed_lane.c"

/* ---- interrupts ---- */

enum {
    FLAG = 3
};

static void act_take_as_victim(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    victim_stand(&state->victim);
    outcome->slot[0] = leader_take(state, 0);
    outcome->slot[FLAG] = victim_leave(&state->victim);
}

static void act_offer_and_interrupt(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t now = gp_now();

    (void)outcome;
    leader_offer(state, FIRST, gp_time_after(now, 2 * state->moment));
    leader_offer(state, SECOND, gp_time_after(now, 3 * state->moment));
    if (!state->hurry)
        leader_pause(state, state->moment);
    victim_interrupt(&state->victim);
}

static void act_offer_to_victim(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    victim_await(&state->victim);
    leader_offer(state, FIRST, gp_now());
    leader_offer(state, SECOND, gp_now());
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    victim_interrupt(&state->victim);
}

/* ---- a timed poll ---- */

enum {
    FOUND = 3
};

static unsigned char poll_timed(struct leader_state *state, int taker, int64_t nanos)
{
    state->taking[taker] = true;
    int status = gp_queue_poll_timed(state->queue, nanos, &state->taken[taker]);
    state->taking[taker] = false;

    return leader_got(status, state->taken[taker]);
}

static void act_poll_for_a_moment(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    outcome->slot[0] = poll_timed(state, 0, state->moment);
}

static void act_offer_a_bit_later(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t now = gp_now();

    (void)outcome;
    leader_offer(state, FIRST, gp_time_after(now, state->moment + GP_MICROSECONDS(40)));
    leader_offer(state, SECOND, gp_time_after(now, state->moment + GP_MICROSECONDS(60)));
}

static void act_poll_then_offer(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    outcome->slot[FOUND] = gp_queue_size(state->queue) > 0;
    outcome->slot[0] = poll_timed(state, 0, state->moment);
    leader_offer(state, FIRST, gp_now());
}

static void act_offer_far(void *argument, struct outcome *outcome)
{
    (void)outcome;
    leader_offer(argument, FAR, gp_time_after(gp_now(), GP_SECONDS(3600)));
}

/* ---- timed polls alone ---- */

static void act_poll_for_an_hour(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = poll_timed(argument, 0, GP_SECONDS(3600));
}

static void act_poll_second_for_an_hour(void *argument, struct outcome *outcome)
{
    outcome->slot[1] = poll_timed(argument, 1, GP_SECONDS(3600));
}

static void act_offer_soon(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t now = gp_now();

    (void)outcome;
    leader_offer(state, FIRST, gp_time_after(now, state->moment));
    leader_offer(state, SECOND, gp_time_after(now, 2 * state->moment));
}

/* ---- the moment itself ---- */

static void act_take_at_the_moment(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t called = gp_now();

    outcome->slot[0] = leader_take(state, 0);
    if (state->taken[0])
        outcome->slot[1] = gp_time_until(gp_task_time(state->taken[0]), called) > 0;
}

static void act_offer_at_the_moment(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_offer(state, FIRST, gp_time_after(gp_now(), state->moment / 16));
}

/* The explorer's clock moves only to a time that somebody waits for: here somebody does. */
static void act_wait_for_the_moment(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_pause(state, state->moment / 16);
}

/* ---- the family ---- */

const struct scenario delayed_leader_waits_races[] = {
    {
        .name = "delayed_leader/leader_interrupted",
        .description = "the leader is interrupted while a follower waits: the task that it waited "
                       "for is not lost, the follower leads",
        .invariants = "[DELAYED-6] [THREAD-2]",
        .attacks = {DELAYED, "gp__condition_signal(&base->available); /* [DELAYED-6] */"},
        .broken_by = "leader-interrupted-says-nothing",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up_to_pause,
        .actors = {{"take", act_take_as_victim},
                   {"take", act_take_second},
                   {"offer and interrupt", act_offer_and_interrupt}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"the victim got", GOT},
                  {"the other", GOT},
                  {"left", {NULL}},
                  {"the flag is", {"down", "up"}}},
        .outcomes =
            {
                {"the victim got an interrupt, the other the first, left 1, the flag is down",
                 ACCEPTABLE, "it left without a task, and the other did not sleep on", MUST_OCCUR},
                {"the victim got an interrupt, the flag is up", FORBIDDEN,
                 "one interrupt, reported twice", MAY_OCCUR},
                {"the victim got the first, the other the second, left 0, the flag is up",
                 ACCEPTABLE, "the interrupt came when it had its task, or was about to", MAY_OCCUR},
                {"the victim got the second, the other the first, left 0, the flag is up",
                 ACCEPTABLE, "the interrupt came when it had its task, or was about to", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/interrupt_meets_signal",
        .like = "delayed_leader/leader_interrupted",
        .description = "a waiting taker is signalled and interrupted at the same moment: neither "
                       "gets lost, and the interrupt is reported once",
        .invariants = "[CONDITION-2] [THREAD-2] [DELAYED-6]",
        .attacks = {CONDITION, "/* [CONDITION-2] */"},
        .broken_by = "condition-signal-swallowed",
        .actors = {{"take", act_take_as_victim},
                   {"take", act_take_second},
                   {"offer", act_offer_to_victim},
                   {"interrupt", act_interrupt}},
        .outcomes =
            {
                {"the victim got an interrupt, the other the first, left 1, the flag is down",
                 ACCEPTABLE, "the interrupt came first", MUST_OCCUR},
                {"the victim got an interrupt, the flag is up", FORBIDDEN,
                 "it was signalled, said that it was interrupted, and kept the flag", MAY_OCCUR},
                {"the victim got the first, the other the second, left 0, the flag is up",
                 ACCEPTABLE, "the signal came first, or with it; the flag waits for the next wait",
                 MUST_OCCUR},
                {"the victim got the second, the other the first, left 0, the flag is up",
                 ACCEPTABLE, "likewise, and the other was quicker", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/timeout_meets_signal",
        .description = "the signal for a new head goes to a timed poll whose patience ends before "
                       "the head is due: it passes the signal on to one who waits without limit",
        .invariants = "[DELAYED-6] [CONDITION-2]",
        .attacks = {DELAYED, "status = GP_ETIMEDOUT;"},
        .broken_by = "delayed-timeout-keeps-signal",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up,
        .actors = {{"poll for a moment", act_poll_for_a_moment},
                   {"take", act_take_second},
                   {"offer", act_offer_a_bit_later}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"poll got", GOT}, {"take", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"poll got nothing, take the first, left 1", ACCEPTABLE,
                 "its patience was over, and whoever waits for ever learned of the head",
                 MUST_OCCUR},
                {"poll got the first, take the second, left 0", ACCEPTABLE,
                 "it woke up late, and a due head counts for more than a limit that is over",
                 MAY_OCCUR},
                {"poll got the second, take the first, left 0", ACCEPTABLE,
                 "likewise, and the other was quicker", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/timed_poll_against_leader",
        .description = "a poll with a limit of microseconds and a take without one wait for a head "
                       "in an hour: the poll must not lead, or it would sleep for the hour",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "gp__time_between(deadline, wake_time(queue)) >= 0);"},
        .broken_by = "leader-oversleeps-own-limit",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up,
        .actors = {{"poll for a moment, then offer", act_poll_then_offer},
                   {"take", act_take_second},
                   {"offer", act_offer_far}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"poll got", GOT},
                  {"take", GOT},
                  {"left", {NULL}},
                  {"poll found", {"no task", "the far one"}}},
        .outcomes =
            {
                {"poll got one too early", FORBIDDEN, "the far one, an hour early", MAY_OCCUR},
                {"poll got nothing, take the first, left 1, poll found no task", ACCEPTABLE,
                 "the far one came while it waited, or after", MUST_OCCUR},
                {"poll got nothing, take the first, left 1, poll found the far one", ACCEPTABLE,
                 "the far one was the head from the start, and was left to somebody else",
                 MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/timed_polls",
        .description = "two polls with a limit of an hour wait for tasks that fall due long before "
                       "it: one of them leads, as a take would",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "gp__time_between(deadline, wake_time(queue)) >= 0);"},
        .broken_by = "leader-must-have-no-limit",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up,
        .actors = {{"poll for an hour", act_poll_for_an_hour},
                   {"poll for an hour", act_poll_second_for_an_hour},
                   {"offer", act_offer_soon}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"one got", GOT}, {"the other", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"one got the first, the other the second, left 0", ACCEPTABLE,
                 "each when it was due", MUST_OCCUR},
                {"one got the second, the other the first, left 0", ACCEPTABLE,
                 "each when it was due", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/due_while_looking",
        .description = "the head falls due while a taker decides how long to wait for it: the "
                       "taker does not go to sleep on a task that is due",
        .invariants = "[CLOCK-1] [DELAYED-6]",
        .attacks = {DELAYED, "status = gp__queue_await_task(base, wake_time(queue));"},
        .broken_by = "leader-reads-clock-twice",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up_to_pause,
        .actors = {{"take", act_take_at_the_moment},
                   {"offer", act_offer_at_the_moment},
                   {"wait", act_wait_for_the_moment}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"take got", GOT},
                  {"it came when the task was", {"due", "not due"}},
                  {"left", {NULL}}},
        .outcomes =
            {
                {"take got the first, it came when the task was not due, left 0", ACCEPTABLE,
                 "it waited, or the task fell due before it could", MUST_OCCUR},
                {"take got the first, it came when the task was due, left 0", ACCEPTABLE,
                 "the offer was over long before", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/leader_interrupted_on_lane",
        .like = "delayed_leader/leader_interrupted",
        .invariants = "[DELAYED-6] [LANE-3] [THREAD-2]",
        .attacks = {LANE, "if (status != GP_OK && status != GP_ETIMEDOUT)"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/interrupt_meets_signal_on_lane",
        .like = "delayed_leader/interrupt_meets_signal",
        .invariants = "[CONDITION-2] [THREAD-2] [LANE-3]",
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/timeout_meets_signal_on_lane",
        .like = "delayed_leader/timeout_meets_signal",
        .invariants = "[DELAYED-6] [LANE-3] [CONDITION-2]",
        .attacks = {LANE, "status = GP_ETIMEDOUT;"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/timed_poll_against_leader_on_lane",
        .like = "delayed_leader/timed_poll_against_leader",
        .description = "the same on a queue with a lane: the poll then offers to the lane",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3]",
        .attacks =
            {LANE,
             "(deadline != GP__NO_DEADLINE && gp__time_between(deadline, wake_time(queue)) < 0))"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/timed_polls_on_lane",
        .like = "delayed_leader/timed_polls",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3]",
        .attacks =
            {LANE,
             "(deadline != GP__NO_DEADLINE && gp__time_between(deadline, wake_time(queue)) < 0))"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/due_while_looking_on_lane",
        .like = "delayed_leader/due_while_looking",
        .invariants = "[CLOCK-1] [DELAYED-6] [LANE-3]",
        .attacks = {LANE, "int64_t now = gp_now(); /* [CLOCK-1] */"},
        .choose = leader_choose_lane,
    },
    {.name = NULL},
};
