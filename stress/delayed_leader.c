/*
 * Who waits for the head, and who wakes whom.
 *
 * Takers of a delayed queue that finds nothing due have to wait until the head is. If all of them
 * waited with the head's time as their limit, all would wake up for one task. So one of them, the
 * leader, waits that long, and the others, the followers, until somebody signals (the
 * leader-follower pattern; JDK-6609775 brought it to the queues). The danger is in the hand-overs:
 * followers have no limit of their own, so one signal too few is a thread that sleeps for ever,
 * with due work in the queue [DELAYED-6].
 *
 *   An earlier head arrives. The leader sleeps until the old head's time, an hour ahead, say. The
 *   new head is due now. offer takes the leader's title away and signals; whoever wakes, the old
 *   leader or a follower, looks again. A queue that signalled only when it had been empty, as
 *   ordinary queues may, would let both sleep for the hour:
 *
 *        taker A             taker B             producer
 *                                                offer(in an hour)      signal
 *        lead, 1 h
 *                            follow
 *                                                offer(now)             signal, or nobody wakes
 *                            wake, take it
 *                            leader? none, and the queue is not empty:  signal
 *        wake, lead, 1 h
 *                                                offer(now)             signal
 *        wake, take it
 *
 *   The leader leaves. It has taken its task, and another one is in the queue. Nobody has a limit
 *   any more. So on its way out a taker signals if there is no leader and still a task:
 *
 *        taker A             taker B             producer
 *                                                offer(in 20 us), offer(in 40 us)
 *        lead, 20 us
 *                            follow
 *        wake, take it
 *        leader? none:       signal
 *                            wake, lead, 20 us
 *                            wake, take it
 *
 *   The title goes astray. It belongs to whoever waits with the head's time as its limit. A leader
 *   that sleeps for an hour and keeps the title while an earlier head arrives makes followers of
 *   all others, and nobody is there when that head falls due. A leader whose limit is over gives it
 *   up before it looks again: the head may be gone (a poll outran it, somebody removed it), and
 *   then it must be able to lead once more, for the next one [DELAYED-5].
 *
 * A lost signal is a sleep of an hour or without end: a hang, and the watchdog's business. So that
 * nobody waits for ever with a library that is right, there is a task for each taker. What the
 * tables show is who got what: a task each, never one that is not due, never the same.
 *
 * How a wait ends before the head is due, or in that moment, is a story of its own:
 * delayed_leader_waits.c.
 *
 * The races called `..._on_lane` are the same on a queue with a lane. Tasks that are due when they
 * come are on the lane there, the others in the heap.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "stress/delayed_leader_support.h"
#include "stress/support.h"

#define DELAYED   "impl/queue/delayed.c"
#define CONDITION "impl/sync/condition.c"
#define LANE      "impl/queue/delayed_lane.c"

static void act_take_first(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = leader_take(argument, 0);
}

/* ---- an earlier head ---- */

static void act_offer_earlier_heads(void *argument, struct outcome *outcome)
{
    int64_t now = gp_now();

    (void)outcome;
    leader_offer(argument, FAR, gp_time_after(now, GP_SECONDS(3600)));
    leader_offer(argument, FIRST, now);
    leader_offer(argument, SECOND, now);
}

/* ---- the next leader ---- */

static void act_offer_a_sequence(void *argument, struct outcome *outcome)
{
    int64_t now = gp_now();

    (void)outcome;
    leader_offer(argument, FIRST, gp_time_after(now, GP_MICROSECONDS(20)));
    leader_offer(argument, SECOND, gp_time_after(now, GP_MICROSECONDS(40)));
}

/* ---- the title taken away ---- */

static void act_offer_far_and_soon(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_offer(state, FAR, gp_time_after(gp_now(), GP_SECONDS(3600)));
    if (!state->hurry)
        leader_pause(state, state->moment); /* one of them leads now, and comes after the other */
    int64_t now = gp_now();
    leader_offer(state, FIRST, gp_time_after(now, state->moment));
    leader_offer(state, SECOND, gp_time_after(now, 2 * state->moment));
}

/* ---- a plain poll ---- */

static void act_offer_and_poll(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t now = gp_now();

    leader_offer(state, FIRST, gp_time_after(now, state->moment));
    leader_offer(state, SECOND, gp_time_after(now, state->moment + GP_MICROSECONDS(200)));
    leader_pause(state, state->moment);
    int status = gp_queue_poll(state->queue, &state->taken[1]);
    outcome->slot[1] = leader_got(status, state->taken[1]);
}

/* ---- the head removed ---- */

enum {
    REMOVAL = 3
};

static void act_offer_and_remove(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    gp_callable callable = gp_callable_of(do_nothing, &state->numbers[FIRST], NULL);
    int64_t time = gp_time_after(gp_now(), state->moment + GP_MICROSECONDS(60));
    int64_t later = gp_time_after(time, GP_MICROSECONDS(150));

    if (gp_task_new_delayed(&callable, time, FIRST, &state->removable) != GP_OK)
        return;
    gp_task_retain(state->removable);
    if (gp_queue_offer(state->queue, state->removable) != GP_OK)
        gp_task_discard(state->removable);
    leader_offer(state, SECOND, later);
    leader_offer(state, THIRD, later);
    if (!state->hurry)
        leader_pause(state, state->moment); /* the leader sleeps now */
    outcome->slot[REMOVAL] = gp_queue_remove(state->queue, state->removable) == GP_OK;
    if (outcome->slot[REMOVAL])
        gp_task_discard(state->removable);
}

/* ---- three takers ---- */

enum {
    ALL_THREE = 3
};

static void act_take_third(void *argument, struct outcome *outcome)
{
    outcome->slot[2] = leader_take(argument, 2);
}

static void act_offer_three_at_once(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t time = gp_time_after(gp_now(), state->moment);

    (void)outcome;
    for (int number = FIRST; number <= THIRD; number++)
        leader_offer(state, number, time);
}

static void act_offer_now(void *argument, struct outcome *outcome)
{
    (void)outcome;
    leader_offer(argument, FIRST, gp_now());
}

static void act_offer_soon(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_offer(state, SECOND, gp_time_after(gp_now(), state->moment / 4));
}

static void act_offer_later(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_offer(state, THIRD, gp_time_after(gp_now(), state->moment));
}

/* Did each of the three tasks come to somebody? */
static void arbiter_compares(void *argument, struct outcome *outcome)
{
    unsigned seen = 0;

    (void)argument;
    for (int i = 0; i < TAKERS; i++)
        if (outcome->slot[i] >= FIRST && outcome->slot[i] <= THIRD)
            seen |= 1U << outcome->slot[i];
    outcome->slot[ALL_THREE] = seen == (1U << FIRST | 1U << SECOND | 1U << THIRD);
}

/* ---- the family ---- */

/* Of the two scenarios with three takers. */
#define ONE_EACH                                                                                \
    {                                                                                           \
        {"among them they have not all three", FORBIDDEN, "a task was lost, or came out twice", \
         MAY_OCCUR},                                                                            \
            {"one got the first, ...", ACCEPTABLE, "any order will do", MUST_OCCUR},            \
            {"another the first, ...", ACCEPTABLE, "any order will do", MUST_OCCUR},            \
            {"the last the first, ...", ACCEPTABLE, "any order will do", MUST_OCCUR},           \
    }

const struct scenario delayed_leader_races[] = {
    {
        .name = "delayed_leader/earlier_head",
        .description = "a due task arrives while the leader waits for one in an hour: each of two "
                       "takers gets a due one, neither sleeps for the hour",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "if (queue->heap.entries[0].task == task)"},
        .broken_by = "leader-signal-only-when-empty",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_earlier_heads}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"one got", GOT}, {"the other", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"one got the first, the other the second, left 1", ACCEPTABLE,
                 "the far one stays; who comes first is anybody's", MUST_OCCUR},
                {"one got the second, the other the first, left 1", ACCEPTABLE,
                 "the far one stays; who comes first is anybody's", MUST_OCCUR},
                {"one got one too early", FORBIDDEN, "the far one, an hour early", MAY_OCCUR},
                {"the other one too early", FORBIDDEN, "the far one, an hour early", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/next_leader",
        .like = "delayed_leader/earlier_head",
        .description = "the leader leaves with its task while another is in the queue: the "
                       "follower has to be told, since it has no limit of its own",
        .attacks = {DELAYED, "if (queue->leader == NULL && queue->heap.size > 0)"},
        .broken_by = "leader-forgets-last-task",
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_a_sequence}},
        .outcomes =
            {
                {"one got the first, the other the second, left 0", ACCEPTABLE,
                 "both were served, in the order of time", MUST_OCCUR},
                {"one got the second, the other the first, left 0", ACCEPTABLE,
                 "both were served, in the order of time", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/title_taken_away",
        .like = "delayed_leader/earlier_head",
        .description = "a head that is due in a moment arrives while the leader waits for one in "
                       "an hour: the title is free, and whoever wakes leads for the new head",
        .attacks = {DELAYED, "if (queue->heap.entries[0].task == task)"},
        .broken_by = "leader-not-cleared",
        .set_up = leader_set_up_to_pause,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_far_and_soon}},
        .outcomes =
            {
                {"one got the first, the other the second, left 1", ACCEPTABLE,
                 "the far one stays; who leads for the new head is anybody's", MUST_OCCUR},
                {"one got the second, the other the first, left 1", ACCEPTABLE,
                 "the far one stays; who leads for the new head is anybody's", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/leader_outrun",
        .description = "a plain poll takes the head as it falls due and the leader wakes up for "
                       "it: the leader gets it, or leads again for the next one",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "if (queue->leader == self) /* [DELAYED-5] */"},
        .broken_by = "leader-title-outlives-timeout",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up_to_pause,
        .actors = {{"take", act_take_first}, {"offer and poll", act_offer_and_poll}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"take got", GOT}, {"poll", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"take got the first, poll nothing, left 1", ACCEPTABLE,
                 "the leader was there when the head fell due", MAY_OCCUR},
                {"take got the second, poll the first, left 0", ACCEPTABLE,
                 "the poll outran the leader, which went on to wait for the next", MUST_OCCUR},
                {"take got the first, poll the second, left 0", INTERESTING,
                 "the poll came so late that both had fallen due", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/head_removed",
        .description = "the head is removed while the leader sleeps until its time: the leader "
                       "looks again, and takes the next one when that is due, not before",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "bool due = is_due(queue, now);"},
        .broken_by = "leader-trusts-its-timeout",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up_to_pause,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer and remove", act_offer_and_remove}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"one got", GOT},
                  {"the other", GOT},
                  {"left", {NULL}},
                  {"remove", {"came too late", "took the first"}}},
        .outcomes =
            {
                {"one got one too early", FORBIDDEN, "the leader believed its time-out", MAY_OCCUR},
                {"the other one too early", FORBIDDEN, "the leader believed its time-out",
                 MAY_OCCUR},
                {"one got the second, the other the third, left 0, remove took the first",
                 ACCEPTABLE, "the leader woke up for nothing, and led again", MUST_OCCUR},
                {"one got the third, the other the second, left 0, remove took the first",
                 ACCEPTABLE, "the leader woke up for nothing, and led again", MUST_OCCUR},
                {"one got the first, the other the second, left 1, remove came too late",
                 ACCEPTABLE, "the leader had it already", MAY_OCCUR},
                {"one got the second, the other the first, left 1, remove came too late",
                 ACCEPTABLE, "the leader had it already", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/last_follower",
        .description = "three tasks fall due at once, and three takers wait: each that leaves "
                       "tells the next, down to the last one",
        .invariants = "[DELAYED-6] [QUEUE-1]",
        .attacks = {DELAYED, "if (queue->leader == NULL && queue->heap.size > 0)"},
        .broken_by = "leader-forgets-last-follower",
        .state_size = sizeof(struct leader_state),
        .set_up = leader_set_up,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"take", act_take_third},
                   {"offer three", act_offer_three_at_once}},
        .invariant = leader_invariant,
        .late = leader_late,
        .arbiter = arbiter_compares,
        .tear_down = leader_tear_down,
        .slots = {{"one got", GOT},
                  {"another", GOT},
                  {"the last", GOT},
                  {"among them", {"they have not all three", "they have all three"}}},
        .outcomes = ONE_EACH,
    },
    {
        .name = "delayed_leader/many_offers",
        .like = "delayed_leader/last_follower",
        .description = "three producers offer, three takers take, all at once: new heads, leaders "
                       "and followers in any order, and everybody gets one",
        .invariants = "[DELAYED-5] [DELAYED-6] [CONDITION-1]",
        .attacks = {CONDITION, "condition->last = waiter->previous;"},
        .broken_by = "condition-tail-forgotten",
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"take", act_take_third},
                   {"offer now", act_offer_now},
                   {"offer soon", act_offer_soon},
                   {"offer later", act_offer_later}},
    },
    {
        .name = "delayed_leader/next_leader_on_lane",
        .like = "delayed_leader/next_leader",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3]",
        .attacks = {LANE,
                    "return (queue->leader == NULL && queue->heap.size > 0) || /* [DELAYED-6] */"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/title_taken_away_on_lane",
        .like = "delayed_leader/title_taken_away",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3]",
        .attacks = {LANE, "if (queue->heap.entries[0].task == task)"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/leader_outrun_on_lane",
        .like = "delayed_leader/leader_outrun",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3]",
        .attacks = {LANE, "if (queue->leader == self) /* [DELAYED-5] */"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/head_removed_on_lane",
        .like = "delayed_leader/head_removed",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3]",
        .attacks = {LANE, "status = take_earlier(queue, now, out);"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/last_follower_on_lane",
        .like = "delayed_leader/last_follower",
        .invariants = "[DELAYED-6] [LANE-3]",
        .attacks = {LANE,
                    "return (queue->leader == NULL && queue->heap.size > 0) || /* [DELAYED-6] */"},
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_leader/many_offers_on_lane",
        .like = "delayed_leader/many_offers",
        .description = "the same on a queue with a lane: what is due now comes to the lane, the "
                       "others to the heap",
        .invariants = "[DELAYED-5] [DELAYED-6] [LANE-3] [LANE-4]",
        .attacks = {LANE, "bool due = gp_time_until(gp_task_time(task), gp_now()) <= 0;"},
        .choose = leader_choose_lane,
    },
    {.name = NULL},
};
