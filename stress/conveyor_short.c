/*
 * Want of memory at a conveyor.
 *
 * Who takes a function takes it as a task, in a box. There may be no memory for one. Then the
 * function stays where it is, and the taker goes away with nothing; but it may have been woken for
 * that very function, in place of another one that sleeps, and has a box [CONVEYOR-5]:
 *
 *        take                      take                    place
 *        no memory for a box
 *        nothing there: sleeps
 *                                  has a box
 *                                  nothing there: sleeps
 *                                                          the function is there
 *                                                          wakes the first in line
 *        wakes, no memory again
 *        wakes the next
 *        GP_ENOMEM                 wakes, has it
 *
 *   Without the last wake-up the function lies there beside a taker that sleeps.
 *
 * A worker of a pool in the first one's place would try again until there is memory, and so needs
 * nobody's help; it takes a taker that gives up. That memory fails, and twice, is for the explorer
 * (FAULTS=memory=2). Here whoever gets the function puts it back for the next, so that nobody
 * sleeps for ever; while there is memory, all get it. There are four of them, since each but the
 * last may be the one that wakes in vain.
 */
#include <stdatomic.h>

#include <glasspool/status.h>

#include "queue/queue.h" /* place: a pool that calls it has workers, which never give up */
#include "stress/scenarios.h"
#include "stress/support.h"

struct short_state {
    gp_queue *queue;
    atomic_int served;
};

enum {
    TAKERS = 4
};

enum {
    SERVED,
    LEFT
};

static bool set_up(void *argument, uint64_t random)
{
    struct short_state *state = argument;

    (void)random;
    return gp_conveyor_new(&state->queue) == GP_OK;
}

static void insist_on_place(gp_queue *queue)
{
    const struct gp__work function = {.run = do_nothing};

    while (queue->class->place(queue, &function, NULL) != GP_OK)
        continue;
}

static void act_place(void *argument, struct outcome *outcome)
{
    struct short_state *state = argument;

    (void)outcome;
    insist_on_place(state->queue);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct short_state *state = argument;
    gp_task *task;

    (void)outcome;
    if (gp_queue_take(state->queue, &task) != GP_OK)
        return;
    gp_task_run(task);
    atomic_fetch_add_explicit(&state->served, 1, memory_order_relaxed); /* for the arbiter */
    insist_on_place(state->queue);
}

static int invariant(void *argument)
{
    struct short_state *state = argument;

    return gp_queue_check(state->queue);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct short_state *state = argument;

    outcome->slot[SERVED] = atomic_load(&state->served) == TAKERS;
    outcome->slot[LEFT] = (unsigned char)gp_queue_size(state->queue);
}

static void tear_down(void *argument)
{
    struct short_state *state = argument;

    gp_queue_free(state->queue);
}

/* ---- the family ---- */

const struct scenario conveyor_short_races[] = {
    {
        .name = "conveyor/woken_without_memory",
        .description = "a taker that has no memory for a function is woken for it in place of one "
                       "that has, and gives up: it wakes that one",
        .invariants = "[CONVEYOR-5] [CONVEYOR-3]",
        .attacks = {"impl/queue/conveyor.c",
                    "gp__belts_wake(&queue->belts, base); /* [CONVEYOR-5] */"},
        .broken_by = "conveyor-woken-in-vain-says-nothing",
        .state_size = sizeof(struct short_state),
        .set_up = set_up,
        .actors = {{"take", act_take},
                   {"take", act_take},
                   {"take", act_take},
                   {"take", act_take},
                   {"place", act_place}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{NULL, {"not all had it", "all had it"}}, {"left are", {NULL}}},
        .outcomes =
            {
                {"all had it, left are 1", ACCEPTABLE, "one after the other", MUST_OCCUR},
                {"not all had it, left are 1", ACCEPTABLE,
                 "who had no memory gave up, and woke another if need be", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
