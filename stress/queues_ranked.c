/*
 * Queues that have an order of their own, seen from outside (queues.c says how).
 *
 * Equals. Tasks of equal rank come out of the priority queue in the order in which they went in
 * [PRIORITY-1]. A heap alone does not do that: the last one goes to the top whenever the head
 * leaves, and if nothing is before it, it stays there.
 *
 * Found, then removed. The index in a task of the delayed queue is right only while the lock is
 * held. A stale one can do less harm than a stale place in an array, since the heap is asked
 * whether it is still right; but `remove` then says that the task is not in the queue, while it is
 * there for all to see, before and after.
 *
 * Looked at. A snapshot is a walk over the heap, during which entries are moved and tasks are taken
 * away: without the lock it meets one task twice, or retains one that its taker has freed
 * (JDK-6355327).
 */
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"

#define DELAYED  "impl/queue/delayed.c"
#define PRIORITY "impl/queue/priority.c"

/* ---- ranks ---- */

static const int ranks[TASKS] = {1, 1, 1, 0};

enum {
    EQUAL = 3, /* 1, 2 and 3 are */
    URGENT
};

static bool set_up_priority(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_priority(argument, ranks, 2);
}

static void act_offer_equal_and_urgent(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, FIRST, EQUAL);
    recorded_offer(argument, FIRST, URGENT);
}

static void act_poll_by_rank(void *argument, struct outcome *outcome)
{
    for (unsigned char i = 1; i <= 3; i++)
        if (recorded_poll(argument, SECOND) == URGENT)
            outcome->slot[0] = i;
}

/* ---- due tasks of a delayed queue ---- */

struct due_state {
    struct queue_state queue;
    int target;
};

static bool set_up_due(void *argument, uint64_t random)
{
    struct due_state *state = argument;

    state->target = 1 + (int)(random % 3);
    return queue_new_delayed(&state->queue, ranks, 3);
}

static bool set_up_ranked(void *argument, uint64_t random)
{
    struct due_state *state = argument;

    (void)random;
    return queue_new_priority(&state->queue, ranks, 3);
}

static void act_remove_due(void *argument, struct outcome *outcome)
{
    struct due_state *state = argument;

    outcome->slot[0] = recorded_remove(&state->queue, FIRST, state->target) == GP_OK;
}

static void act_take_offer_poll(void *argument, struct outcome *outcome)
{
    struct due_state *state = argument;

    (void)outcome;
    recorded_take(&state->queue, SECOND);
    recorded_offer(&state->queue, SECOND, URGENT);
    recorded_poll(&state->queue, SECOND);
}

/* ---- a snapshot ---- */

enum {
    SEEN,
    AGAIN
};

static void act_look(void *argument, struct outcome *outcome)
{
    struct due_state *state = argument;
    gp_task *seen[TASKS];
    size_t count = gp_queue_snapshot(state->queue.queue, seen, TASKS);

    outcome->slot[SEEN] = (unsigned char)count;
    for (size_t i = 0; i < count; i++) {
        for (size_t other = 0; other < i; other++)
            outcome->slot[AGAIN] |= seen[i] == seen[other];
        gp_task_release(seen[i]);
    }
}

/* With act_take_offer_poll, of three at first. */
#define SEEN_IN_ONE_MOMENT                                                                      \
    .slots = {{"tasks seen", {NULL}}, {"each", {"once", "more than once"}}},                    \
    .outcomes = {                                                                               \
        {"each more than once", FORBIDDEN, "it was moved during the walk", MAY_OCCUR},          \
        {"tasks seen 3, each once", ACCEPTABLE, "before the take, or after the offer",          \
         MUST_OCCUR},                                                                           \
        {"tasks seen 2, each once", ACCEPTABLE, "between them, or after the poll", MUST_OCCUR}, \
    }

/* ---- the family ---- */

const struct scenario queues_ranked_races[] = {
    {
        .name = "queues/priority_equals",
        .description = "tasks are offered to a priority queue and polled: the least rank first, "
                       "and among equals the one that was offered first",
        .invariants = "[PRIORITY-1]",
        .attacks = {PRIORITY, "return order < 0 || (order == 0 &&"},
        .broken_by = "priority-equals-unordered",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_priority,
        .actors = {{"offer", act_offer_equal_and_urgent}, {"poll", act_poll_by_rank}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_priority, .offset = QUEUE_HISTORY},
        .slots = {{"the urgent one came", {"later", "first", "second", "third"}}},
        .outcomes =
            {
                {"the urgent one came later", ACCEPTABLE, "it was offered after the last poll",
                 MUST_OCCUR},
                {"the urgent one came first", ACCEPTABLE, "it was offered before the first poll",
                 MUST_OCCUR},
                {"the urgent one came second", ACCEPTABLE, "it was offered between the polls",
                 MAY_OCCUR},
                {"the urgent one came third", ACCEPTABLE, "it was offered between the polls",
                 MAY_OCCUR},
            },
    },
    {
        .name = "queues/delayed_due",
        .description = "one of several due tasks is removed from a delayed queue while others are "
                       "taken and offered: remove finds it if it is there",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "bool found = gp__heap_remove("},
        .broken_by = "delayed-remove-stale-index",
        .state_size = sizeof(struct due_state),
        .set_up = set_up_due,
        .actors = {{"remove", act_remove_due}, {"take, offer, poll", act_take_offer_poll}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_delayed, .offset = QUEUE_HISTORY},
        .slots = {{"remove", {"came too late", "took it"}}},
        .outcomes =
            {
                {"remove took it", ACCEPTABLE, "whatever place it had got to", MUST_OCCUR},
                {"remove came too late", ACCEPTABLE, "it was the first, and taken", MUST_OCCUR},
            },
    },
    {
        .name = "queues/delayed_snapshot",
        .description = "a snapshot of a delayed queue is taken while tasks are taken and offered: "
                       "it has those of one moment",
        .invariants = "[DELAYED-1]",
        .attacks = {DELAYED, "return gp__queue_snapshot_with(base, task_at, out, room);"},
        .broken_by = "snapshot-without-lock",
        .state_size = sizeof(struct due_state),
        .set_up = set_up_due,
        .actors = {{"snapshot", act_look}, {"take, offer, poll", act_take_offer_poll}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_delayed, .offset = QUEUE_HISTORY},
        SEEN_IN_ONE_MOMENT,
    },
    {
        .name = "queues/priority_snapshot",
        .description = "a snapshot of a priority queue is taken while tasks are taken and offered: "
                       "it has those of one moment",
        .invariants = "[PRIORITY-1]",
        .attacks = {"impl/queue/queue.c", "out[i] = gp_task_retain(at(queue, i));"},
        .broken_by = "snapshot-of-ranks-without-lock",
        .state_size = sizeof(struct due_state),
        .set_up = set_up_ranked,
        .actors = {{"snapshot", act_look}, {"take, offer, poll", act_take_offer_poll}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_priority, .offset = QUEUE_HISTORY},
        SEEN_IN_ONE_MOMENT,
    },
    {.name = NULL},
};
