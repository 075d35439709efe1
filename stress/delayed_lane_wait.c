/*
 * Who waits beside the lane, who wakes whom, and who does not wait.
 *
 * A taker that sleeps is in line for whatever comes, to heap or lane. Who puts a task on the lane
 * does not hold the lock with which takers sleep, and takes it only if somebody does: so each looks
 * at the other after it has done its own part, and the put latch orders the two [LANE-3]. Whether
 * somebody sleeps is a number, and all who signal have to keep it: those who bring a new head, and
 * those who leave and want another to lead.
 *
 * The leader waits for the head of the heap, perhaps for an hour. It has to wake up for a task on
 * the lane like any other, and when it leaves with that, to see to it that somebody leads
 * [LANE-4] [DELAYED-6].
 *
 * A taker that was signalled for a task on the lane may not take that one. If the head of the heap
 * has fallen due meanwhile, and is earlier, it takes the head, and the signal is used up. So it
 * signals another on its way out, as long as there is something on the lane [LANE-3]:
 *
 *        taker A             taker B             producer
 *        lead, 20 us         follow
 *                                                the head falls due; to the lane; signal
 *        wake, take the head
 *        the lane is not empty:       signal
 *                            wake, take from the lane
 *
 * Who does not wait looks twice: without the lock, at the lane, and with it at both. What comes to
 * the lane in between is taken then; that the head of the heap has fallen due, too, is no reason to
 * take a second one.
 *
 * Nobody asks here whether a task is late whenever all threads sleep, as the races of the leader
 * do: who waits for a latch may sleep for a moment, too. A lost signal is a sleep without end, or
 * of an hour, and then a task that comes too late.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "stress/delayed_leader_support.h"

#define LANE         "impl/queue/lane.c"
#define DELAYED_LANE "impl/queue/delayed_lane.c"

static void act_take_first(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = leader_take(argument, 0);
}

/* ---- going to sleep ---- */

static void act_offer_two(void *argument, struct outcome *outcome)
{
    (void)outcome;
    leader_offer(argument, FIRST, gp_now());
    leader_offer(argument, SECOND, gp_now());
}

/* ---- the next leader ---- */

static void act_offer_soon_and_now(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_offer(state, SECOND, gp_time_after(gp_now(), state->moment));
    leader_offer(state, FIRST, gp_now());
}

/* ---- the heap first ---- */

/* The one in the heap falls due as the other comes to the lane, which is later. */
static void act_offer_soon_and_then(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    (void)outcome;
    leader_offer(state, FIRST, gp_time_after(gp_now(), state->moment));
    leader_pause(state, state->moment);
    leader_offer(state, SECOND, gp_now());
}

/* ---- a poll that looks twice ---- */

static void act_poll(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int status = gp_queue_poll(state->queue, &state->taken[0]);

    outcome->slot[0] = leader_got(status, state->taken[0]);
}

/* One to the heap, one to the lane, until that in the heap has fallen due as well. */
static void act_offer_and_wait(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;
    int64_t now = gp_now();

    (void)outcome;
    leader_offer(state, SECOND, gp_time_after(now, state->moment));
    leader_offer(state, FIRST, now);
    leader_pause(state, state->moment);
}

static void arbiter_of_poll(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    outcome->slot[1] = (unsigned char)gp_queue_size(state->queue);
}

#define EACH_GOT_ONE(why)                                                                  \
    {                                                                                      \
        {"one got the first, the other the second, left 0", ACCEPTABLE, why, MUST_OCCUR},  \
        {                                                                                  \
            "one got the second, the other the first, left 0", ACCEPTABLE, why, MUST_OCCUR \
        }                                                                                  \
    }

const struct scenario delayed_lane_wait_races[] = {
    {
        .name = "delayed_lane/going_to_sleep",
        .description = "tasks come to the lane as takers go to sleep beside it: the one who brings "
                       "a task or the one who goes to sleep sees the other",
        .invariants = "[LANE-3]",
        .attacks = {LANE, "gp__belts_wake(&lane->belts, queue); /* [LANE-3] */"},
        .broken_by = "lane-put-wakes-nobody",
        .state_size = sizeof(struct leader_state),
        .choose = leader_choose_lane,
        .set_up = leader_set_up_to_pause,
        .actors = {{"take", act_take_first}, {"take", act_take_second}, {"offer", act_offer_two}},
        .invariant = leader_invariant,
        .arbiter = arbiter_counts,
        .tear_down = leader_tear_down,
        .slots = {{"one got", GOT}, {"the other", GOT}, {"left", {NULL}}},
        .outcomes = EACH_GOT_ONE("one for each"),
    },
    {
        .name = "delayed_lane/leader",
        .like = "delayed_leader/earlier_head",
        .description = "tasks come to the lane while takers wait for one in an hour, one of them "
                       "as the leader: each gets one, whoever is signalled",
        .invariants = "[LANE-3] [LANE-4] [DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED_LANE, "gp__belts_wake_one(&queue->lane.belts, &queue->base);"},
        .broken_by = "lane-signal-not-counted-off",
        .choose = leader_choose_lane,
    },
    {
        .name = "delayed_lane/next_leader",
        .like = "delayed_lane/going_to_sleep",
        .description = "the leader is woken for a task on the lane and leaves with it: somebody "
                       "else waits for the head then",
        .invariants = "[LANE-4] [DELAYED-6]",
        .attacks = {DELAYED_LANE, "signal_taker(queue); /* [LANE-3] */"},
        .broken_by = "lane-taker-leaves-no-leader",
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_soon_and_now}},
        .outcomes = EACH_GOT_ONE("one from the lane, one from the heap, when it was due"),
    },
    {
        .name = "delayed_lane/heap_first",
        .like = "delayed_lane/going_to_sleep",
        .description = "a task comes to the lane as the head of the heap falls due: the taker that "
                       "is signalled for the one may take the other, and tells the next",
        .invariants = "[LANE-3] [DELAYED-6]",
        .attacks = {DELAYED_LANE, "(queue->base.available.first != NULL &&"},
        .broken_by = "lane-signal-used-up",
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_soon_and_then}},
        .outcomes = EACH_GOT_ONE("one from the heap, one from the lane"),
    },
    {
        .name = "delayed_lane/poll_looks_twice",
        .description = "a task comes to the lane between two looks of a poll, and then the head of "
                       "the heap falls due: the poll takes one of them",
        .invariants = "[LANE-1] [LANE-4]",
        .attacks = {DELAYED_LANE, "if (status == GP_EEMPTY && is_head_due(queue, now)) {"},
        .broken_by = "lane-poll-takes-two",
        .state_size = sizeof(struct leader_state),
        .choose = leader_choose_lane,
        .set_up = leader_set_up_to_pause,
        .actors = {{"poll", act_poll}, {"offer, wait", act_offer_and_wait}},
        .invariant = leader_invariant,
        .arbiter = arbiter_of_poll,
        .tear_down = leader_tear_down,
        .slots = {{"poll got", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"poll got nothing, left 2", ACCEPTABLE, "it came before all", MUST_OCCUR},
                {"poll got the first, left 1", ACCEPTABLE, "from the lane", MUST_OCCUR},
                {"poll got the second, left 1", ACCEPTABLE, "the other had not come", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
