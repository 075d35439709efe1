/*
 * Those who stop waiting on a queue, and the signal that may have been theirs.
 *
 * A signal to somebody who leaves [CONDITION-2]. A waiter whose time is up, or who is
 * interrupted, needs the lock before it can leave, and until it has it the signal may come. Then
 * it was the one that was woken, and nobody else will be: it must behave as if it had not given
 * up. Turned round [CONDITION-1]: one that has left must not stand in the line any more, or the
 * next signal is spent on it.
 *
 *        offer, 3 us                 put 3           take
 *        sleeps                      sleeps
 *        the time is up                              1: signal to the first in line
 *        has the lock: gives up?                     takes again, and sleeps
 *                                    sleeps on: room for one, and everybody asleep
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"
#include "stress/victim.h"

#define CONDITION "impl/sync/condition.c"

/* ---- time is up ---- */

struct timed_state {
    struct queue_state queue;
    int64_t patience;
};

enum {
    TIMED,
    TAKES
};

static bool set_up_timed(void *argument, uint64_t random)
{
    struct timed_state *state = argument;

    state->patience = GP_MICROSECONDS(1 + random % 8);
    return queue_new_linked(&state->queue, 1, 1);
}

static void act_offer_timed(void *argument, struct outcome *outcome)
{
    struct timed_state *state = argument;

    outcome->slot[TIMED] = recorded_offer_timed(&state->queue, FIRST, 2, state->patience) == GP_OK;
}

static void act_put_patiently(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_put(argument, SECOND, 3);
}

/* Until the patient one is served. */
static void act_take_until_3(void *argument, struct outcome *outcome)
{
    int taken;

    do {
        taken = recorded_take(argument, THIRD);
        outcome->slot[TAKES]++;
    } while (taken > 0 && taken != 3);
}

/* ---- interrupted ---- */

struct interrupted_state {
    struct queue_state queue;
    struct victim victim;
    bool offer_first;
};

enum {
    VICTIM,
    FLAG,
    SLEEPER
};

static bool set_up_interrupted(void *argument, uint64_t random)
{
    struct interrupted_state *state = argument;

    state->offer_first = random % 2;
    return queue_new_linked(&state->queue, GP_UNBOUNDED, 0);
}

/* What it gets, if it gets it, it hands on: the sleeper is always served. */
static void act_take_interrupted(void *argument, struct outcome *outcome)
{
    struct interrupted_state *state = argument;

    victim_stand(&state->victim);
    int taken = recorded_take(&state->queue, FIRST);
    outcome->slot[VICTIM] = taken > 0 ? 1 : taken == GP_EINTERRUPTED ? 2 : 0;
    outcome->slot[FLAG] = taken < 0 && gp_interrupted();
    if (taken > 0)
        recorded_offer(&state->queue, FIRST, taken);
    victim_leave(&state->victim);
}

static void act_sleep(void *argument, struct outcome *outcome)
{
    outcome->slot[SLEEPER] = recorded_take(argument, SECOND) == 1;
}

static void act_offer_and_interrupt(void *argument, struct outcome *outcome)
{
    struct interrupted_state *state = argument;

    (void)outcome;
    if (state->offer_first)
        recorded_offer(&state->queue, THIRD, 1);
    victim_interrupt(&state->victim);
    if (!state->offer_first)
        recorded_offer(&state->queue, THIRD, 1);
}

/* ---- the family ---- */

const struct scenario queue_waits_leave_races[] = {
    {
        .name = "queue_waits/linked_timed_offer",
        .description = "room is made as the first putter's time runs out: it takes the room, or "
                       "the one behind it is told",
        .invariants = "[LINKED-4] [CONDITION-2]",
        .attacks = {CONDITION, "/* [CONDITION-2] */"},
        .broken_by = "condition-signal-swallowed",
        .state_size = sizeof(struct timed_state),
        .set_up = set_up_timed,
        .actors = {{"offer, timed", act_offer_timed},
                   {"put", act_put_patiently},
                   {"take", act_take_until_3}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 1, .offset = QUEUE_HISTORY},
        .slots = {{"the timed one", {"gave up", "got in"}}, {"takes until 3:", {NULL}}},
        .outcomes =
            {
                {"the timed one gave up, takes until 3: 2", ACCEPTABLE,
                 "the room went to the patient one", MUST_OCCUR},
                {"the timed one got in, takes until 3: 3", ACCEPTABLE,
                 "it was first, and made room for the other when it was taken", MUST_OCCUR},
                {"the timed one got in, takes until 3: 2", ACCEPTABLE,
                 "the patient one was first, and made room when it was taken", MAY_OCCUR},
            },
    },
    {
        .name = "queue_waits/linked_interrupted_take",
        .description = "one of two takers is interrupted as a task arrives: the task is not lost, "
                       "and the other taker is not forgotten",
        .invariants = "[LINKED-3] [CONDITION-1] [CONDITION-2]",
        .attacks = {CONDITION, "/* [CONDITION-1] */"},
        .broken_by = "condition-leaver-stays-in-line",
        .state_size = sizeof(struct interrupted_state),
        .set_up = set_up_interrupted,
        .actors = {{"take, interrupted", act_take_interrupted},
                   {"take", act_sleep},
                   {"offer, interrupt", act_offer_and_interrupt}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"the first", {"got nothing", "handed it on", "was interrupted"}},
                  {"its flag", {"down", "up"}},
                  {"the other", {"got nothing", "got it"}}},
        .outcomes =
            {
                {"the first was interrupted, its flag up", FORBIDDEN,
                 "the interrupt was reported, and is still there", MAY_OCCUR},
                {"the first was interrupted, its flag down, the other got it", ACCEPTABLE,
                 "the task went to the one who was not interrupted", MUST_OCCUR},
                {"the first handed it on, the other got it, ...", ACCEPTABLE,
                 "the task was quicker than the interrupt", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
