/*
 * Several who take tasks out of the middle of a heap.
 *
 * A remover holds a reference to its task and nothing else: the task may be anywhere, or gone, or
 * in another queue, whose lock is not ours. So `remove` takes the index that the task has of itself
 * (delayed_remove.c) as a guess and asks the heap: is it you? [DELAYED-2]
 *
 *        remove(x) from this queue               the other queue
 *        lock
 *        x says: slot 3                          that is x's slot here, for the moment
 *        heap[3] is y, not x: not found          (without the question y would be gone)
 *
 * Two who remove the same task ask under the lock, and what they were told holds until they have
 * acted on it: a question that is asked before, or a lock that is given up between, lets the second
 * take out whatever has come into the slot. And each removal moves a task from the last slot to the
 * one that has become free, which may be the very task that the next one is after.
 *
 * `..._on_lane`: as in delayed_remove.c.
 */
#include <glasspool/status.h>

#include "stress/delayed_remove_support.h"

#define DELAYED      "impl/queue/delayed.c"
#define HEAP         "impl/queue/heap.h"
#define LANE         "impl/queue/lane.c"
#define DELAYED_LANE "impl/queue/delayed_lane.c"

/* ---- the same task, by many ---- */

enum {
    REMOVERS = 3
};

static unsigned char only_remove(struct heap_state *state)
{
    return gp_queue_remove(state->queue, state->tasks[state->target]) == GP_OK;
}

static void act_remove_first(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = only_remove(argument);
}

static void act_remove_second(void *argument, struct outcome *outcome)
{
    outcome->slot[1] = only_remove(argument);
}

static void act_remove_third(void *argument, struct outcome *outcome)
{
    outcome->slot[2] = only_remove(argument);
}

static void arbiter_of_many(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    for (int i = 0; i < REMOVERS; i++)
        state->out[state->target] += outcome->slot[i];
    if (state->out[state->target] > 0)
        gp_task_discard(state->tasks[state->target]);
    outcome->slot[3] = heap_look_at_rest(state);
}

/* ---- head, middle and bottom ---- */

enum {
    HEAD,
    MIDDLE,
    BOTTOM = REST + 1,
    TURN
};

/* A snapshot shows the tasks slot by slot. */
static bool set_up_with_bottom(void *argument, uint64_t random)
{
    struct heap_state *state = argument;
    gp_task *slots[TASKS];

    if (!heap_set_up(state, random))
        return false;
    gp_queue_snapshot(state->queue, slots, TASKS);
    state->bottom = heap_place_of(state, slots[TASKS - 1]);
    state->target = heap_place_of(state, slots[1 + (random >> 60) % (TASKS - 2)]);
    for (int i = 0; i < TASKS; i++)
        gp_task_release(slots[i]);
    return true;
}

static void act_remove_head(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[HEAD] = heap_remove(state, state->head);
}

/* By the number of those that are left it sees how many came before it. */
static void act_remove_middle(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[MIDDLE] = heap_remove(state, state->target);
    outcome->slot[TURN] = (unsigned char)(TASKS - gp_queue_size(state->queue));
}

static void act_remove_bottom(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[BOTTOM] = heap_remove(state, state->bottom);
}

/* ---- two queues ---- */

/* The target is in the other queue. */
static bool set_up_two_queues(void *argument, uint64_t random)
{
    struct heap_state *state = argument;

    if (heap_new_queue(state, &state->other) != GP_OK || !heap_set_up(state, random))
        return false;
    state->target = state->target / 2 * 2 + 1;
    if (state->target >= TASKS)
        state->target = 1;
    return true;
}

static void act_move(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;
    gp_task *target = state->tasks[state->target];

    if (gp_queue_remove(state->other, target) != GP_OK)
        return;
    gp_queue_offer(state->queue, target);
    outcome->slot[OPPONENT] = heap_invariant(state) == 0 ? REMOVED : BROKEN;
}

/* ---- the family ---- */

const struct scenario delayed_remove_many_races[] = {
    {
        .name = "delayed_remove/remove_by_many",
        .description = "three threads remove the same task: one of them takes it out, and nothing "
                       "else leaves the queue",
        .invariants = "[DELAYED-2] [TASK-1]",
        .attacks = {DELAYED, "bool found = gp__heap_remove("},
        .broken_by = "delayed-found-then-relocked",
        .state_size = sizeof(struct heap_state),
        .set_up = heap_set_up,
        .actors = {{"remove", act_remove_first},
                   {"remove", act_remove_second},
                   {"remove", act_remove_third}},
        .invariant = heap_invariant,
        .arbiter = arbiter_of_many,
        .tear_down = heap_tear_down,
        .slots = {{"one", {"lost", "won"}},
                  {"another", {"lost", "won"}},
                  {"the last", {"lost", "won"}},
                  {"the rest", REMAINDERS}},
        .outcomes =
            {
                {"the rest not once each", FORBIDDEN,
                 "two took it out, the second somebody else's, or nobody did", MAY_OCCUR},
                {"one won, another lost, the last lost, the rest in order", ACCEPTABLE,
                 "one of three", MUST_OCCUR},
                {"one lost, another won, the last lost, the rest in order", ACCEPTABLE,
                 "one of three", MUST_OCCUR},
                {"one lost, another lost, the last won, the rest in order", ACCEPTABLE,
                 "one of three", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/head_middle_bottom",
        .description = "three threads remove the head, one from the middle, and the one in the "
                       "last slot: each finds its own, and leaves a heap",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {HEAP, "if (heap->entries[i].task == replacement.task)"},
        .broken_by = "delayed-half-sifted",
        .state_size = sizeof(struct heap_state),
        .set_up = set_up_with_bottom,
        .actors = {{"remove the head", act_remove_head},
                   {"remove one from the middle", act_remove_middle},
                   {"remove the one at the bottom", act_remove_bottom}},
        .invariant = heap_invariant,
        .arbiter = heap_arbiter,
        .tear_down = heap_tear_down,
        .slots = {{"the head was", {"not found", "removed", "removed from no heap"}},
                  {"the middle", {"not found", "removed", "removed from no heap"}},
                  {"the rest", REMAINDERS},
                  {"the bottom", {"not found", "removed", "removed from no heap"}},
                  {"the middle came", {NULL, "first", "second", "third"}}},
        .outcomes =
            {
                {"the head was removed, the middle removed, the rest in order, the bottom removed, "
                 "the middle came first",
                 ACCEPTABLE, "the last slot was still the bottom's", MAY_OCCUR},
                {"the head was removed, the middle removed, the rest in order, the bottom removed, "
                 "the middle came second",
                 ACCEPTABLE, "one was gone, or was while it counted", MAY_OCCUR},
                {"the head was removed, the middle removed, the rest in order, the bottom removed, "
                 "the middle came third",
                 ACCEPTABLE, "both were gone, or were while it counted", MUST_OCCUR},
                {"the rest in order", FORBIDDEN, "one did not find its own, or left no heap",
                 MAY_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_of_another_queue",
        .description = "a task moves from one queue to another while somebody removes it from the "
                       "latter: its index may be the former's, and then says nothing",
        .invariants = "[DELAYED-2]",
        .attacks = {HEAP, "heap->entries[i].task == task;"},
        .broken_by = "delayed-index-taken-on-trust",
        .state_size = sizeof(struct heap_state),
        .set_up = set_up_two_queues,
        .actors = {{"remove", act_remove}, {"move", act_move}},
        .invariant = heap_invariant,
        .arbiter = heap_arbiter,
        .tear_down = heap_tear_down,
        .slots = {{"remove", {"did not find it", "took it", "broke the heap"}},
                  {"the mover", {"lost it", "moved it", "broke a heap"}},
                  {"the rest", REMAINDERS}},
        .outcomes =
            {
                {"the rest not once each", FORBIDDEN, "remove took another task for it", MAY_OCCUR},
                {"the mover lost it", FORBIDDEN, "it was in the first queue", MAY_OCCUR},
                {"remove did not find it, the mover moved it, the rest in order", ACCEPTABLE,
                 "it was in the other queue, or in none", MUST_OCCUR},
                {"remove took it, the mover moved it, the rest in order", ACCEPTABLE,
                 "it was there", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_by_many_on_lane",
        .like = "delayed_remove/remove_by_many",
        .invariants = "[DELAYED-2] [LANE-5] [TASK-1]",
        .attacks = {DELAYED_LANE,
                    "bool found = gp__heap_remove(&queue->heap, task, gp__is_due_before) ||"},
        .choose = heap_choose_lane,
    },
    {
        .name = "delayed_remove/head_middle_bottom_on_lane",
        .like = "delayed_remove/head_middle_bottom",
        .invariants = "[DELAYED-1] [DELAYED-2] [LANE-1] [LANE-5]",
        .attacks = {DELAYED_LANE, "gp__lane_remove(&queue->lane, task);"},
        .choose = heap_choose_lane,
    },
    {
        .name = "delayed_remove/remove_of_another_queue_on_lane",
        .like = "delayed_remove/remove_of_another_queue",
        .description = "the same of two queues with lanes: a number on the one lane may be that of "
                       "another task on the other",
        .invariants = "[DELAYED-2] [LANE-5]",
        .attacks = {LANE, "if (number < 0 || i < lane->belts.outbox.first || i >= places(lane))"},
        .choose = heap_choose_lane,
    },
    {.name = NULL},
};
