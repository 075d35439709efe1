/*
 * The conveyor, seen as a queue of tasks: two belts, two latches, and a number of sleepers.
 *
 * It differs from the linked queue (queues.c, queue_waits.c) in four places, and each can be got
 * wrong in a way of its own.
 *
 *   Its latches are its own (sync/latch.h). One that is let go without a release keeps others out
 *   as before, but what was done behind it may not be seen by the next.
 *
 *   Each side counts for itself [CONVEYOR-2]. The size is a difference of two numbers, each changed
 *   under one latch. A removal holds both, and has to say how many have left; one who came too
 *   early has removed nothing. Counted nevertheless, the next task is there and cannot be seen.
 *
 *   Belts are exchanged whole [CONVEYOR-1]. Whoever wants all of it has to remember which belt came
 *   first.
 *
 *   Sleepers are counted off by who wakes them [CONVEYOR-3]. The linked queue signals whenever
 *   somebody waits; a taker on its way out of the wait still counts, and each further offer signals
 *   again, which costs a lock. Here a taker that has been signalled is none of the sleepers any
 *   more, and an offer that finds no sleeper leaves the takers' lock alone. So each sleeper has to
 *   be counted off once: by the one who signals it, or by itself when it leaves unsignalled.
 *   Counted off twice, it takes another one's place:
 *
 *        take        take        offer 1, offer 2
 *        sleeps      sleeps      sleepers is 2
 *                                1: signals the first, sleepers = 1
 *        wakes, sleepers = 0
 *                                2: nobody sleeps, it seems
 *        has 1       sleeps on, beside 2
 *
 *   The same happens if an offer saw a sleeper that has left in the meantime, its time being up,
 *   and counts it off without having found it in the line.
 *
 * What all of this rests on: who goes to sleep counts what is there with the latches held, and so
 * it sees the task, or who brings it sees the sleeper. What a pool does with a conveyor is in
 * conveyor_pool.c.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"

#define CONVEYOR     "impl/queue/conveyor.c"
#define BELTS        "impl/queue/belts.c"
#define BELTS_INLINE "impl/queue/belts.h"
#define LATCH        "impl/sync/latch.h"

enum {
    FOURTH = THIRD + 1 /* lane */
};

/* ---- before the race ---- */

static bool set_up_empty(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_conveyor(argument, 0);
}

static bool set_up_two_tasks(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_conveyor(argument, 2);
}

/* With 2 in the outbox, where the poll has moved it. */
static bool set_up_outbox(void *argument, uint64_t random)
{
    if (!set_up_two_tasks(argument, random))
        return false;
    recorded_poll(argument, HISTORY_ALONE);
    return true;
}

/* ---- two takers ---- */

enum {
    POLLER = OTHER_TAKER + 1
};

/* What it takes away from those who were woken it gives back: both are always served. */
static void act_poll_and_return(void *argument, struct outcome *outcome)
{
    int taken = recorded_poll(argument, FOURTH);

    outcome->slot[POLLER] = taken > 0;
    if (taken > 0)
        recorded_offer(argument, FOURTH, taken);
}

/* ---- time is up ---- */

struct timed_state {
    struct queue_state queue;
    int64_t patience;
};

enum {
    TIMED,
    PATIENT
};

static bool set_up_timed(void *argument, uint64_t random)
{
    struct timed_state *state = argument;

    state->patience = GP_MICROSECONDS(1 + random % 8);
    return queue_new_conveyor(&state->queue, 0);
}

/* What it gets, if it gets it, it hands on: the patient one is always served. */
static void act_take_timed(void *argument, struct outcome *outcome)
{
    struct timed_state *state = argument;
    int taken = recorded_poll_timed(&state->queue, FIRST, state->patience);

    outcome->slot[TIMED] = taken > 0;
    if (taken > 0)
        recorded_offer(&state->queue, FIRST, taken);
}

static void act_take_twice(void *argument, struct outcome *outcome)
{
    for (int i = 0; i < 2; i++)
        if (recorded_take(argument, SECOND) > 0)
            outcome->slot[PATIENT]++;
}

/* ---- the latch ---- */

static void act_offer_3(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, FIRST, 3);
}

static void act_poll_twice(void *argument, struct outcome *outcome)
{
    for (int i = 0; i < 2; i++)
        if (recorded_poll(argument, SECOND) > 0)
            outcome->slot[0]++;
}

static void act_offer_4(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, THIRD, 4);
}

/* ---- the family ---- */

const struct scenario conveyor_races[] = {
    {
        .name = "conveyor/going_to_sleep",
        .like = "queue_waits/linked_going_to_sleep",
        .description = "a task arrives as a taker of a conveyor goes to sleep: the one who brings "
                       "it or the one who goes to sleep sees the other",
        .invariants = "[CONVEYOR-3]",
        .attacks = {BELTS, "if (gp__belts_size(belts) == 0) {"},
        .broken_by = "conveyor-sleeps-without-look",
        .set_up = set_up_empty,
    },
    {
        .name = "conveyor/two_takers",
        .description = "two tasks come to a conveyor at which two takers sleep, and a third takes "
                       "one away and brings it back: each taker is counted off once, and woken",
        .invariants = "[CONVEYOR-3]",
        .attacks = {BELTS, "if (!signalled)"},
        .broken_by = "conveyor-sleeper-counted-off-twice",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_empty,
        .actors = {{"take", queue_act_take_one},
                   {"take", queue_act_take_other},
                   {"offer", queue_act_offer_two},
                   {"poll, offer", act_poll_and_return}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"one got", {"nothing", "1", "2"}},
                  {"the other", {"nothing", "1", "2"}},
                  {"poll", {"found nothing", "gave it back"}}},
        .outcomes =
            {
                {"one got nothing", FORBIDDEN, "there is one for each", MAY_OCCUR},
                {"the other nothing", FORBIDDEN, "there is one for each", MAY_OCCUR},
                {"one got 1, the other 2, poll found nothing", ACCEPTABLE, "one each", MUST_OCCUR},
                {"one got 2, the other 1, poll found nothing", ACCEPTABLE, "one each", MUST_OCCUR},
                {"one got 1, the other 2, poll gave it back", ACCEPTABLE, "one each", MAY_OCCUR},
                {"one got 2, the other 1, poll gave it back", ACCEPTABLE, "one each", MAY_OCCUR},
            },
    },
    {
        .name = "conveyor/timed_take",
        .description = "a taker's time is up as it is about to be signalled: the signal is its "
                       "own, or the other taker's",
        .invariants = "[CONVEYOR-3] [CONDITION-1] [CONDITION-2]",
        .attacks = {BELTS, "if (queue->available.first == NULL)"},
        .broken_by = "conveyor-absent-sleeper-counted-off",
        .state_size = sizeof(struct timed_state),
        .set_up = set_up_timed,
        .actors = {{"take, timed", act_take_timed},
                   {"take twice", act_take_twice},
                   {"offer", queue_act_offer_two}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"the timed one", {"gave up", "handed it on"}}, {"the patient one got", {NULL}}},
        .outcomes =
            {
                {"the timed one gave up, the patient one got 2", ACCEPTABLE,
                 "all went to the patient one", MUST_OCCUR},
                {"the timed one handed it on, the patient one got 2", ACCEPTABLE,
                 "the task was quicker than the time", MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/offer_poll_remove",
        .like = "queues/linked_offer_poll_remove",
        .description = "tasks are offered, polled and removed while the belts are exchanged: the "
                       "conveyor gives what a queue without locks and belts would have given",
        .invariants = "[CONVEYOR-1] [CONVEYOR-2]",
        .attacks = {BELTS_INLINE, "atomic_store_explicit(&belts->taken, taken + more"},
        .broken_by = "conveyor-counts-absent-removal",
        .set_up = set_up_two_tasks,
    },
    {
        .name = "conveyor/latch",
        .description =
            "two offer and one polls: what was done behind a latch is seen by who has it "
            "next",
        .invariants = "[CONVEYOR-1] [CONVEYOR-2]",
        .attacks = {LATCH, "atomic_store_explicit(&latch->held, false, memory_order_release)"},
        .broken_by = "latch-opened-relaxed",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_empty,
        .actors = {{"offer", act_offer_3}, {"poll", act_poll_twice}, {"offer", act_offer_4}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"the polls got", {"nothing", "one", "two"}}},
        .outcomes =
            {
                {"the polls got nothing", ACCEPTABLE, "they came first", MUST_OCCUR},
                {"the polls got one", ACCEPTABLE, "one of them was early", MAY_OCCUR},
                {"the polls got two", ACCEPTABLE, "they came last", MUST_OCCUR},
            },
    },
    {
        .name = "conveyor/drain",
        .like = "queues/linked_drain",
        .description = "a conveyor is drained, both its belts, while tasks are offered and polled: "
                       "what came first is first",
        .invariants = "[CONVEYOR-1] [CONVEYOR-2]",
        .attacks = {CONVEYOR, "filter(&belts->outbox, matches, context, out);"},
        .broken_by = "conveyor-drains-inbox-first",
        .set_up = set_up_outbox,
    },
    {
        .name = "conveyor/two_offerers",
        .like = "queues/linked_two_offerers",
        .description =
            "two offer to an empty conveyor while a third takes: those who put and those "
            "who take never meet on one belt",
        .invariants = "[CONVEYOR-1] [CONVEYOR-2]",
        .attacks = {BELTS_INLINE, "    belts->outbox = belts->inbox;"},
        .set_up = set_up_empty,
    },
    {
        .name = "conveyor/remove_last",
        .like = "queues/linked_remove_last",
        .description = "the last task of a belt is removed while others are taken, and one more is "
                       "added behind it: none gets lost",
        .invariants = "[CONVEYOR-1] [CONVEYOR-2]",
        .attacks = {CONVEYOR, "conveyor_remove_if(base, is_same, task, &removed);"},
        .set_up = set_up_two_tasks,
    },
    {.name = NULL},
};
