/*
 * Who sleeps on a queue, and who wakes whom.
 *
 * A taker that finds nothing sleeps until a task comes, a putter that finds no room until there is
 * some. Whoever brings a task or makes room has to wake one of them; if it believes that nobody
 * sleeps, or that somebody else has seen to it, a thread sleeps for ever beside the task that it
 * waits for. The queue itself looks well: nothing is lost, nothing is out of order, every invariant
 * that can be read off the memory holds. So here it is the watchdog that judges: the scenarios are
 * written such that every sleeper has something to come, and a run that hangs has found a signal
 * that was not sent, or one that was sent to nobody.
 *
 *   Going to sleep [LINKED-3]. Those who add to the linked queue do not take the takers' lock to
 *   find out whether anybody sleeps; they look at a number. So a taker raises the number, and then
 *   looks once more whether a task has come; the other way round each can miss the other:
 *
 *        take                        offer
 *        the inbox is empty
 *                                    into the inbox, count = 1
 *                                    takers is 0: nobody to wake
 *        takers = 1
 *        count is 0?                 without this look it sleeps now, and the task with it
 *
 *   One signal for two [LINKED-4]. A full queue for two, and two putters asleep. Two takes make two
 *   rooms; but only the first took from a full queue and signals. The putter that it wakes finds
 *   room for one more behind itself, and passes the signal on:
 *
 *        take                        put 3           put 4
 *                                    sleeps          sleeps
 *        1, from a full queue: signal
 *        2, from one with room
 *                                    in, one room left: signal
 *                                                    in
 *
 *   With one lock, as in the array and the priority queue, each change signals once [ARRAY-2]. What
 *   is tempting there is to signal less: only when the queue was empty (the second of two tasks
 *   then wakes nobody), only for a new head (which is right in a delayed queue, where one taker
 *   waits for the head, and wrong here), not at all when a drain makes room for many.
 *
 * Those who stop waiting are in queue_waits_leave.c, the room that a purge makes in
 * queue_waits_purge.c.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"

#define LINKED "impl/queue/linked.c"
#define ARRAY  "impl/queue/array.c"

/* ---- before the race ---- */

static bool set_up_array_of_two(void *argument, uint64_t random)
{
    return queue_new_array(argument, 3, 2, random);
}

/* ---- going to sleep ---- */

static void act_take(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = task_or_none(recorded_take(argument, FIRST));
}

static void act_offer(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, SECOND, 1);
}

/* ---- a bounded queue, in and out ---- */

static void act_put_3_4(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_put(argument, FIRST, 3);
    recorded_put(argument, FIRST, 4);
}

static void act_put_2_3_4(void *argument, struct outcome *outcome)
{
    recorded_put(argument, FIRST, 2);
    act_put_3_4(argument, outcome);
}

static void act_take_all(void *argument, struct outcome *outcome)
{
    for (int i = 1; i <= TASKS; i++)
        if (recorded_take(argument, SECOND) == i)
            outcome->slot[0]++;
}

/* ---- room for two putters ---- */

enum way {
    TAKE,
    POLL,
    REMOVE,
    DRAIN
};

struct room_state {
    struct queue_state queue;
    enum way way;
};

static bool set_up_full(void *argument, uint64_t random)
{
    struct room_state *state = argument;

    state->way = (enum way)(random % 4);
    return queue_new_linked(&state->queue, 2, 2);
}

static bool set_up_full_array(void *argument, uint64_t random)
{
    struct room_state *state = argument;

    state->way = (enum way)(random % 4);
    return queue_new_array(&state->queue, 2, 2, random >> 2);
}

static void act_put_3(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_put(argument, FIRST, 3);
}

static void act_put_4(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_put(argument, SECOND, 4);
}

/* There are many ways to make room. */
static void act_make_room(void *argument, struct outcome *outcome)
{
    struct room_state *state = argument;

    (void)outcome;
    switch (state->way) {
    case TAKE:
        recorded_take(&state->queue, THIRD);
        recorded_take(&state->queue, THIRD);
        break;
    case POLL:
        recorded_poll(&state->queue, THIRD);
        recorded_poll(&state->queue, THIRD);
        break;
    case REMOVE:
        recorded_remove(&state->queue, THIRD, 2);
        recorded_remove(&state->queue, THIRD, 1);
        break;
    case DRAIN:
        recorded_drain(&state->queue, THIRD, NULL);
        break;
    }
}

/* What the two left. The first is 0 if they did not leave two. */
static void arbiter_of_putters(void *argument, struct outcome *outcome)
{
    int first;
    int count = recorded_drain(argument, HISTORY_ALONE, &first);

    outcome->slot[0] = count == 2 ? (unsigned char)first : 0;
}

/* ---- two takers ---- */

static bool set_up_priority(void *argument, uint64_t random)
{
    static const int ranks[TASKS] = {0, 1, 2, 3};

    (void)random;
    return queue_new_priority(argument, ranks, 0);
}

/* ---- the family ---- */

const struct scenario queue_waits_races[] = {
    {
        .name = "queue_waits/linked_going_to_sleep",
        .description = "a task arrives as a taker of a linked queue goes to sleep: the one who "
                       "brings it or the one who goes to sleep sees the other",
        .invariants = "[LINKED-3]",
        .attacks = {LINKED, "if (atomic_load(&queue->count) == 0) /* seq_cst: [LINKED-3] */"},
        .broken_by = "linked-sleeps-without-look",
        .state_size = sizeof(struct queue_state),
        .set_up = queue_set_up_empty,
        .actors = {{"take", act_take}, {"offer", act_offer}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"take got", {"nothing", "the task"}}},
        .outcomes =
            {
                {"take got the task", ACCEPTABLE, "asleep or awake", MUST_OCCUR},
            },
    },
    {
        .name = "queue_waits/linked_put_take",
        .description = "tasks go through a linked queue for one: each taker makes room, and tells "
                       "the putter that waits for it",
        .invariants = "[LINKED-2] [LINKED-3] [LINKED-4]",
        .attacks = {LINKED, "return atomic_fetch_sub(&queue->count, taken) == queue->capacity;"},
        .broken_by = "linked-full-tested-late",
        .state_size = sizeof(struct queue_state),
        .set_up = queue_set_up_for_one,
        .actors = {{"put", act_put_2_3_4}, {"take", act_take_all}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 1, .offset = QUEUE_HISTORY},
        .slots = {{"taken in order:", {NULL}}},
        .outcomes =
            {
                {"taken in order: 4", ACCEPTABLE, "all of them, one by one", MUST_OCCUR},
            },
    },
    {
        .name = "queue_waits/array_put_take",
        .like = "queue_waits/linked_put_take",
        .description = "tasks go round in an array queue that is full or empty now and then: first "
                       "in, first out, across its end",
        .invariants = "[ARRAY-1] [ARRAY-2]",
        .attacks = {ARRAY, "return (queue->head + i) % queue->capacity;"},
        .broken_by = "array-mask-for-modulo",
        .set_up = set_up_array_of_two,
        .actors = {{"put", act_put_3_4}, {"take", act_take_all}},
        .history = {.model = &model_fifo, .parameter = 3, .offset = QUEUE_HISTORY},
    },
    {
        .name = "queue_waits/linked_room_for_two",
        .description = "room is made for two putters of a full linked queue, and only the first to "
                       "make it signals: the putter that wakes tells the other",
        .invariants = "[LINKED-4]",
        .attacks = {LINKED, "if (size < queue->capacity)"},
        .broken_by = "linked-room-not-passed-on",
        .state_size = sizeof(struct room_state),
        .set_up = set_up_full,
        .actors = {{"put 3", act_put_3}, {"put 4", act_put_4}, {"make room", act_make_room}},
        .invariant = queue_invariant,
        .arbiter = arbiter_of_putters,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 2, .offset = QUEUE_HISTORY},
        .slots = {{"first in", {"nobody", "1", "2", "3", "4"}}},
        .outcomes =
            {
                {"first in 3", ACCEPTABLE, "both got in, in any order", MUST_OCCUR},
                {"first in 4", ACCEPTABLE, "both got in, in any order", MUST_OCCUR},
            },
    },
    {
        .name = "queue_waits/array_room_for_two",
        .like = "queue_waits/linked_room_for_two",
        .description = "room is made for two putters of a full array queue, one by one or all at "
                       "once: both are told",
        .invariants = "[ARRAY-2]",
        .attacks = {ARRAY, "gp__task_list_append(out, pop(base));"},
        .broken_by = "array-drain-wakes-nobody",
        .set_up = set_up_full_array,
    },
    {
        .name = "queue_waits/array_two_takers",
        .description = "two tasks come to an array queue at which two takers sleep: each task "
                       "wakes one, not only the first",
        .invariants = "[ARRAY-2]",
        .attacks = {ARRAY, "gp__condition_signal(&queue->base.available); /* [ARRAY-2] */"},
        .broken_by = "array-signal-only-when-empty",
        .state_size = sizeof(struct queue_state),
        .set_up = queue_set_up_empty_array,
        .actors = {{"take", queue_act_take_one},
                   {"take", queue_act_take_other},
                   {"offer", queue_act_offer_two}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 2, .offset = QUEUE_HISTORY},
        .slots = {{"one got", {"nothing", "1", "2"}}, {"the other", {"nothing", "1", "2"}}},
        .outcomes =
            {
                {"one got 1, the other 2", ACCEPTABLE, "one each", MUST_OCCUR},
                {"one got 2, the other 1", ACCEPTABLE, "one each", MUST_OCCUR},
            },
    },
    {
        .name = "queue_waits/priority_two_takers",
        .like = "queue_waits/array_two_takers",
        .description = "two tasks come to a priority queue at which two takers sleep: each task "
                       "wakes one, not only a new head",
        .invariants = "[PRIORITY-1] [PRIORITY-2]",
        .attacks = {"impl/queue/priority.c", "gp__condition_signal(&base->available);"},
        .broken_by = "priority-signals-head-only",
        .set_up = set_up_priority,
        .history = {.model = &model_priority, .offset = QUEUE_HISTORY},
    },
    {.name = NULL},
};
