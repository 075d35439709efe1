/*
 * Taking a task out of the middle of the heap.
 *
 * A cancelled timer should leave its queue at once, and finding it must not cost a search through a
 * million others. So each task knows where it is: heap_index. The price is that the index has to be
 * right after every step of every operation, for every task that the operation moved, not only for
 * the one that it was about (JDK-6602600, and the bugs on the way there).
 *
 * Who moves tasks:
 *
 *   offer    puts the new one last and sifts it up: each parent on the way goes down one level
 *   poll     takes slot 0, puts the last one there and sifts it down: children come up
 *   remove   takes slot i, puts the last one there, sifts it down, and if it did not move, up
 *
 *                 10                       remove(50): the last one, 25, goes to 50's slot. It is
 *             /        \                   not later than its children, it does not go down.
 *           40          20                 But it is earlier than its new parent, 40: it came from
 *          /  \        /  \                another branch. Without the sift up the heap is out of
 *        50    60    30    25              order from here on, and 25 comes out after 40.
 *
 * And who moves all of them: growth, when the 17th task needs a larger array and the old one goes;
 * and drain, which takes one head after the other until none is left.
 *
 * Here somebody removes a task while others do one of these. One lock guards the heap, and each
 * operation is one step for everybody else. One that gives up the lock on its way is not: a remover
 * that does so between finding its slot and using it puts the last one into the slot of another;
 * an offer that does so between reading the size and raising it brings back what was removed
 * meanwhile. Growth that gives up the lock while it allocates (as Java's PriorityBlockingQueue
 * does, which then needs a second lock and a second look) pulls the array from under a remover; a
 * drain that gives it up between two tasks can be seen half done.
 *
 * Several who remove at once, from one queue or two, are in delayed_remove_many.c. How a cancel
 * leads to a removal is a story of its own: delayed_cancel.c.
 *
 * The races called `..._on_lane` are the same on a queue with a lane. Tasks that come in order are
 * on the lane there, the others in the heap.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "stress/delayed_remove_support.h"

#define DELAYED "impl/queue/delayed.c"
#define HEAP    "impl/queue/heap.h"
#define LANE    "impl/queue/delayed_lane.c"

/* ---- before the race ---- */

/* Half of the time the target is the head, for which others compete. */
static bool set_up_with_head(void *argument, uint64_t random)
{
    struct heap_state *state = argument;
    bool ready = heap_set_up(state, random);

    if (random & 1)
        state->target = state->head;
    return ready;
}

/* The newcomer, not offered yet, is the earliest of all. */
static bool make_state_and_newcomer(struct heap_state *state, int count, uint64_t random)
{
    if (!heap_make(state, count, random))
        return false;
    bool ready = heap_make_task(state, state->newcomer, gp_now() - 100);
    if (!ready)
        heap_tear_down(state);
    return ready;
}

static bool set_up_with_newcomer(void *argument, uint64_t random)
{
    return make_state_and_newcomer(argument, TASKS, random);
}

static bool set_up_full(void *argument, uint64_t random)
{
    return make_state_and_newcomer(argument, ROOM, random);
}

/* ---- remove against poll, take and offer ---- */

/* What poll or take gave. */
enum gain {
    NO_TASK,
    THE_TARGET,
    ANOTHER,
    FROM_NO_HEAP
};

#define GAINS                                                                \
    {                                                                        \
        "nothing", "the same task", "another task", "one and broke the heap" \
    }

static unsigned char gain(struct heap_state *state, int status, gp_task *task)
{
    if (status != GP_OK)
        return NO_TASK;
    unsigned char gained = task == state->tasks[state->target] ? THE_TARGET : ANOTHER;
    heap_came_out(state, task);
    return gp_queue_check(state->queue) == 0 ? gained : FROM_NO_HEAP;
}

enum {
    WHICH = REST + 1
};

/* Of the head alone it can be said who came first. */
static void arbiter_knows_the_head(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    heap_arbiter(state, outcome);
    outcome->slot[WHICH] = state->target == state->head;
}

static void act_poll(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;
    gp_task *task = NULL;
    int status = gp_queue_poll(state->queue, &task);

    outcome->slot[OPPONENT] = gain(state, status, task);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;
    gp_task *task = NULL;
    int status = gp_queue_take(state->queue, &task);

    outcome->slot[OPPONENT] = gain(state, status, task);
}

static void act_remove_and_count(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[REMOVE] = heap_remove(state, state->target);
    outcome->slot[OPPONENT] = gp_queue_size(state->queue) == TASKS;
}

enum {
    OFFER = 3
};

static void act_offer(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    gp_queue_offer(state->queue, state->tasks[state->newcomer]);
    outcome->slot[OFFER] = gp_queue_check(state->queue) != 0;
}

/* ---- remove against growth ---- */

static void act_remove_and_see_growth(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[REMOVE] = heap_remove(state, state->target);
    outcome->slot[OPPONENT] = gp_queue_size(state->queue) == ROOM;
}

/* ---- remove against drain ---- */

enum {
    HEAD,
    TAIL,
    DRAIN = 3
};

static void act_remove_head_and_tail(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[HEAD] = heap_remove(state, state->head);
    outcome->slot[TAIL] = heap_remove(state, state->tail);
}

static void act_drain(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[DRAIN] = heap_drain_is_ordered(state, state->queue) ? IN_ORDER : OUT_OF_ORDER;
}

/* ---- the family ---- */

const struct scenario delayed_remove_races[] = {
    {
        .name = "delayed_remove/remove_against_poll",
        .description = "a task is removed, head or not, while the head is polled: each comes out "
                       "once, and the heap stays a heap",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {HEAP, "size_t last = --heap->size;"},
        .broken_by = "delayed-slot-goes-stale",
        .state_size = sizeof(struct heap_state),
        .set_up = set_up_with_head,
        .actors = {{"remove", act_remove}, {"poll", act_poll}},
        .invariant = heap_invariant,
        .arbiter = arbiter_knows_the_head,
        .tear_down = heap_tear_down,
        .slots = {{"remove", {"came too late", "took it", "broke the heap"}},
                  {"poll got", GAINS},
                  {"the rest", REMAINDERS},
                  {"it was", {"not the head", "the head"}}},
        .outcomes =
            {
                {"the rest not once each", FORBIDDEN, "a task was lost, or came out twice",
                 MAY_OCCUR},
                {"the rest out of order", FORBIDDEN, "the heap was not a heap any more", MAY_OCCUR},
                {"remove took it, poll got another task, the rest in order, it was not the head",
                 ACCEPTABLE, "they were after different tasks", MUST_OCCUR},
                {"remove took it, poll got another task, the rest in order, it was the head",
                 ACCEPTABLE, "remove came first", MUST_OCCUR},
                {"remove came too late, poll got the same task, the rest in order, it was the head",
                 ACCEPTABLE, "poll came first: its index was -1 by then", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_take",
        .description = "a task is removed, head or not, while the head is taken and others come "
                       "up in its place: each of them knows its new slot",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {HEAP, "struct gp__entry replacement = heap->entries[last];"},
        .broken_by = "delayed-replacement-in-limbo",
        .state_size = sizeof(struct heap_state),
        .set_up = set_up_with_head,
        .actors = {{"remove", act_remove}, {"take", act_take}},
        .invariant = heap_invariant,
        .arbiter = arbiter_knows_the_head,
        .tear_down = heap_tear_down,
        .slots = {{"remove", {"came too late", "took it", "broke the heap"}},
                  {"take got", GAINS},
                  {"the rest", REMAINDERS},
                  {"it was", {"not the head", "the head"}}},
        .outcomes =
            {
                {"remove came too late, take got another task", FORBIDDEN,
                 "it was there, but not in the slot that its index says", MAY_OCCUR},
                {"take got nothing", FORBIDDEN, "there was always a due task", MAY_OCCUR},
                {"remove took it, take got another task, the rest in order, it was not the head",
                 ACCEPTABLE, "they were after different tasks", MUST_OCCUR},
                {"remove took it, take got another task, the rest in order, it was the head",
                 ACCEPTABLE, "remove came first", MUST_OCCUR},
                {"remove came too late, take got the same task, the rest in order, it was the head",
                 ACCEPTABLE, "take came first", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_offer",
        .description = "a task is removed while a new head sifts up past its ancestors: it is "
                       "found wherever it has moved",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {HEAP, "gp__sift_up(heap, heap->size++, &entry, is_before);"},
        .broken_by = "delayed-offer-stale-size",
        .state_size = sizeof(struct heap_state),
        .set_up = set_up_with_newcomer,
        .actors = {{"remove", act_remove_and_count}, {"offer", act_offer}},
        .invariant = heap_invariant,
        .arbiter = heap_arbiter,
        .tear_down = heap_tear_down,
        .slots = {{"remove", {"did not find it", "took it", "broke the heap"}},
                  {"the newcomer", {"was not there yet", "was there"}},
                  {"all came out", REMAINDERS},
                  {"offer left", {"a heap", "no heap"}}},
        .outcomes =
            {
                {"offer left no heap", FORBIDDEN, "a task does not know its slot", MAY_OCCUR},
                {"remove did not find it", FORBIDDEN, "its index was not that of its slot",
                 MAY_OCCUR},
                {"remove took it, the newcomer was not there yet, all came out in order, "
                 "offer left a heap",
                 ACCEPTABLE, "remove came first", MUST_OCCUR},
                {"remove took it, the newcomer was there, all came out in order, offer left a heap",
                 ACCEPTABLE, "offer came first, or before remove had looked at the size",
                 MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_growth",
        .like = "delayed_remove/remove_against_offer",
        .description = "a task is removed from a full heap while one more is offered: the heap "
                       "grows if it has to, and never under the hands of the remover",
        .invariants = "[DELAYED-1] [DELAYED-2] [DELAYED-4]",
        .attacks = {DELAYED, "int status = gp__heap_make_room(&queue->heap, task);"},
        .broken_by = "delayed-growth-unlocked",
        .set_up = set_up_full,
        .actors = {{"remove", act_remove_and_see_growth}, {"offer", act_offer}},
        .outcomes =
            {
                {"offer left no heap", FORBIDDEN, "it has more tasks than room, or lost its order",
                 MAY_OCCUR},
                {"remove did not find it", FORBIDDEN, "it was there all the time", MAY_OCCUR},
                {"remove took it, the newcomer was not there yet, all came out in order, "
                 "offer left a heap",
                 ACCEPTABLE, "remove made room, and the heap could stay as it was", MUST_OCCUR},
                {"remove took it, the newcomer was there, all came out in order, offer left a heap",
                 ACCEPTABLE,
                 "offer came first, and the heap grew; or before remove had looked at the size",
                 MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_drain",
        .description = "the head and then the tail are removed while the queue is drained: the "
                       "drain takes all or nothing, nobody sees it half done",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "gp__heap_extract(heap, 0, gp__is_due_before));"},
        .broken_by = "delayed-drain-in-pieces",
        .state_size = sizeof(struct heap_state),
        .set_up = heap_set_up,
        .actors = {{"remove two", act_remove_head_and_tail}, {"drain", act_drain}},
        .invariant = heap_invariant,
        .arbiter = heap_arbiter,
        .tear_down = heap_tear_down,
        .slots = {{"the head was", {"gone", "removed", "removed from no heap"}},
                  {"the tail", {"gone", "removed", "removed from no heap"}},
                  {"the rest", REMAINDERS},
                  {"drain came", {"in order", "out of order"}}},
        .outcomes =
            {
                {"the head was gone, the tail removed", FORBIDDEN,
                 "the drain had begun, and the tail was still there", MAY_OCCUR},
                {"drain came out of order", FORBIDDEN, "the heap was not one", MAY_OCCUR},
                {"the head was removed, the tail removed, the rest in order, drain came in order",
                 ACCEPTABLE, "the drain came last, and took the others", MUST_OCCUR},
                {"the head was gone, the tail gone, the rest in order, drain came in order",
                 ACCEPTABLE, "the drain came first", MUST_OCCUR},
                {"the head was removed, the tail gone, the rest in order, drain came in order",
                 INTERESTING, "the drain came between", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_poll_on_lane",
        .like = "delayed_remove/remove_against_poll",
        .invariants = "[DELAYED-1] [DELAYED-2] [LANE-1] [LANE-5]",
        .attacks = {LANE, "bool found = gp__heap_remove(&queue->heap, task, gp__is_due_before) ||"},
        .choose = heap_choose_lane,
    },
    {
        .name = "delayed_remove/remove_against_take_on_lane",
        .like = "delayed_remove/remove_against_take",
        .invariants = "[DELAYED-1] [DELAYED-2] [LANE-1] [LANE-5]",
        .attacks = {LANE, "gp__lane_remove(&queue->lane, task);"},
        .choose = heap_choose_lane,
    },
    {
        .name = "delayed_remove/remove_against_offer_on_lane",
        .like = "delayed_remove/remove_against_offer",
        .invariants = "[DELAYED-1] [DELAYED-2] [LANE-1] [LANE-5]",
        .attacks = {LANE, "int status = task->keeps_slot ? GP_EAGAIN : gp__lane_put(&queue->lane, "
                          "base, task, keys);"},
        .choose = heap_choose_lane,
    },
    {
        .name = "delayed_remove/remove_against_drain_on_lane",
        .like = "delayed_remove/remove_against_drain",
        .invariants = "[DELAYED-1] [DELAYED-2] [LANE-1] [LANE-5] [LANE-6]",
        .attacks = {LANE, "while (queue->heap.size + gp__belts_count(&queue->lane.belts) > 0)"},
        .choose = heap_choose_lane,
    },
    {.name = NULL},
};
