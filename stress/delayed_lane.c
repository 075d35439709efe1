/*
 * Tasks that pass by the heap: a delayed queue in two parts, seen as one.
 *
 * What is due when it comes goes to the lane, which has latches of its own, all else to the heap,
 * which has the queue's lock (impl/queue/lane.c). The histories here are explained by the same
 * model as those of a queue that is a heap alone: the earliest comes first, wherever it is.
 *
 *   The horizon [LANE-2]. Who takes from the lane does not hold the lock, and cannot look at the
 *   heap. It looks at a copy of the time of its head. A copy that is not kept, or that was read too
 *   early, lets a later task out before an earlier one that was offered, and done with, before it:
 *
 *        offer                      poll
 *                                   horizon? there is none
 *        the earlier one: heap
 *        the later one: lane
 *                                   the later one, from the lane
 *
 *   Holes [LANE-5]. A task is removed by the number of its place. Places that takers have passed
 *   still name what they held, and a belt that is exchanged counts on.
 *
 *   Closing up [LANE-8]. Who leaves more holes than tasks moves what is left, on both belts, while
 *   others add to one and take from the other, and want to remove what has just got a new number:
 *
 *        remove 1, remove 2         remove 3, offer 4           poll
 *        [- - 3]
 *        [3]: its number is new     whatever its number         1, 2 or 3
 *
 *   All of it [LANE-6]. A drain gives both parts, as if they were one, while others come and go.
 *
 * Who sleeps beside the lane is in delayed_lane_wait.c, what a pool does with it in
 * delayed_lane_pool.c.
 */
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"

#define LANE         "impl/queue/lane.c"
#define DELAYED_LANE "impl/queue/delayed_lane.c"

/* 4 is earlier than all others: if one of these came before, it goes to the heap. */
static const int ranks[TASKS] = {1, 1, 1, 0};

enum {
    LATE = 3,
    EARLY
};

/* ---- the horizon ---- */

/* Empty, but the lane has had one. */
static bool set_up_passed(void *argument, uint64_t random)
{
    (void)random;
    if (!queue_new_laned(argument, ranks, 1))
        return false;
    recorded_poll(argument, HISTORY_ALONE);
    return true;
}

static void act_offer_early_and_late(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, FIRST, EARLY);
    recorded_offer(argument, FIRST, LATE);
}

static void act_poll(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = task_or_none(recorded_poll(argument, SECOND));
}

/* ---- remove ---- */

struct target_state {
    struct queue_state queue;
    int target;
};

/* 1 is in the outbox, with the place of the one that was polled before it; 2 and 3 come to the
   inbox. */
static bool set_up_two(void *argument, uint64_t random)
{
    struct target_state *state = argument;

    state->target = 1 + (int)(random % 2);
    return queue_new_laned(&state->queue, ranks, 2);
}

static void act_remove_one(void *argument, struct outcome *outcome)
{
    struct target_state *state = argument;

    outcome->slot[0] = recorded_remove(&state->queue, FIRST, state->target) == GP_OK;
    recorded_size(&state->queue, FIRST);
}

static void act_poll_offer_poll(void *argument, struct outcome *outcome)
{
    struct target_state *state = argument;

    (void)outcome;
    recorded_poll(&state->queue, SECOND);
    recorded_offer(&state->queue, SECOND, LATE);
    recorded_poll(&state->queue, SECOND);
}

/* ---- closing up ---- */

static bool set_up_equal(void *argument, uint64_t random)
{
    static const int equal[TASKS] = {1, 1, 1, 1};

    (void)random;
    return queue_new_laned(argument, equal, LATE);
}

/* The second leaves more holes than tasks, unless what comes makes up for it. */
static void act_remove_two(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_remove(argument, FIRST, 1);
    recorded_remove(argument, FIRST, 2);
}

static void act_remove_and_offer(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = recorded_remove(argument, SECOND, LATE) == GP_OK;
    recorded_offer(argument, SECOND, EARLY);
}

static void act_poll_one(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_poll(argument, THIRD);
}

/* ---- drain ---- */

enum {
    DRAINED,
    POLLED
};

static bool set_up_three(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_laned(argument, ranks, 2);
}

static void act_drain(void *argument, struct outcome *outcome)
{
    outcome->slot[DRAINED] = (unsigned char)recorded_drain(argument, FIRST, NULL);
}

static void act_offer_both(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, SECOND, LATE);
    recorded_offer(argument, SECOND, EARLY);
}

static void act_poll_once(void *argument, struct outcome *outcome)
{
    outcome->slot[POLLED] = recorded_poll(argument, THIRD) > 0;
}

/* ---- the family ---- */

const struct scenario delayed_lane_races[] = {
    {
        .name = "delayed_lane/horizon",
        .description = "an earlier task is offered to the heap and then a later one to the lane, "
                       "while another thread polls: the later one never comes first",
        .invariants = "[LANE-1] [LANE-2] [LANE-4]",
        .attacks = {LANE, "int64_t horizon = atomic_load(&lane->horizon);"},
        .broken_by = "lane-horizon-read-early",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_passed,
        .actors = {{"offer", act_offer_early_and_late}, {"poll", act_poll}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_delayed, .offset = QUEUE_HISTORY},
        .slots = {{"poll got", {"nothing", "1", "2", "the late one", "the early one"}}},
        .outcomes =
            {
                {"poll got the late one", FORBIDDEN, "the early one had come before", MAY_OCCUR},
                {"poll got nothing", ACCEPTABLE, "it came first", MUST_OCCUR},
                {"poll got the early one", ACCEPTABLE, "from the heap", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_lane/remove",
        .description = "a task is removed from the lane while others are taken from it and come "
                       "to it: it is removed or taken, one of them",
        .invariants = "[LANE-1] [LANE-5] [LANE-6]",
        .attacks = {LANE, "if (number < 0 || i < lane->belts.outbox.first || i >= places(lane))"},
        .broken_by = "lane-removes-what-was-taken",
        .state_size = sizeof(struct target_state),
        .set_up = set_up_two,
        .actors = {{"remove, size", act_remove_one}, {"poll, offer, poll", act_poll_offer_poll}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_delayed, .offset = QUEUE_HISTORY},
        .slots = {{"remove", {"came too late", "took it"}}},
        .outcomes =
            {
                {"remove took it", ACCEPTABLE, "from whichever belt", MUST_OCCUR},
                {"remove came too late", ACCEPTABLE, "it was taken before", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_lane/close_up",
        .description = "so many tasks are removed from the lane that the others move up, while one "
                       "comes, one is taken, and one that moves is removed: each leaves once",
        .invariants = "[LANE-5] [LANE-6] [LANE-8]",
        .attacks = {LANE, "lane->belts.holes <= gp__belts_count(&lane->belts)"},
        .broken_by = "lane-closes-up-with-one-latch",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_equal,
        .actors = {{"remove two", act_remove_two},
                   {"remove the third, offer", act_remove_and_offer},
                   {"poll", act_poll_one}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_delayed, .offset = QUEUE_HISTORY},
        .slots = {{"remove", {"came too late", "took it"}}},
        .outcomes =
            {
                {"remove took it", ACCEPTABLE, "from wherever it was", MUST_OCCUR},
                {"remove came too late", ACCEPTABLE, "it was the first, and polled", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_lane/drain",
        .description = "a queue with a lane is drained while tasks come to lane and heap and "
                       "another thread polls: what comes out is in one order",
        .invariants = "[LANE-1] [LANE-2] [LANE-6]",
        .attacks = {DELAYED_LANE,
                    "gp__task_list_append(out, gp__lane_comes_first(&queue->lane, heap_head("},
        .broken_by = "lane-drained-after-heap",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_three,
        .actors = {{"drain", act_drain}, {"offer", act_offer_both}, {"poll", act_poll_once}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_delayed, .offset = QUEUE_HISTORY},
        .slots = {{"drain got", {"nothing", "one", "two", "three", "all"}},
                  {"poll", {"found nothing", "got one"}}},
        .outcomes =
            {
                {"drain got one, ...", ACCEPTABLE, "the poll came before it", MAY_OCCUR},
                {"drain got two, ...", ACCEPTABLE, "what was there at first", MUST_OCCUR},
                {"drain got three, ...", ACCEPTABLE, "one came, or one was polled", MAY_OCCUR},
                {"drain got all, poll found nothing", ACCEPTABLE, "it came last", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
