/*
 * The places of a conveyor's reserve, used again.
 *
 * A function that is taken as a task is made in a place that the belt has reserved for it. The
 * taker may hand a reference to another thread, and then the place is not free when the taker has
 * run the task:
 *
 *        take                                       look
 *        makes a task in the first place
 *        shows it, runs it, releases it
 *                                                   reads its argument
 *                                                   releases it: the reserve is whole
 *        the belt comes round: is the reserve
 *        whole? makes the next task in the same
 *        place
 *
 *   The last reading must see the release, and all that was read before it [RESERVE-2]. And as long
 *   as the other thread has its reference the belt goes on with the places behind.
 */
#include <stdatomic.h>

#include <glasspool/status.h>

#include "queue/queue.h" /* enqueue: a worker would run the function, and make no task of it */
#include "stress/scenarios.h"
#include "stress/support.h"

enum {
    FUNCTIONS = 4
};

struct reserve_state {
    gp_queue *queue;
    _Atomic(gp_task *) shown; /* a reference, for the thread that comes first */
    char marks[FUNCTIONS];    /* their arguments */
};

enum {
    RUN,
    SEEN
};

static bool set_up(void *argument, uint64_t random)
{
    struct reserve_state *state = argument;

    (void)random;
    return gp_conveyor_new(&state->queue) == GP_OK;
}

/* In place of what was shown before, unless that has been taken. */
static void show(struct reserve_state *state, gp_task *task)
{
    gp_task *before = atomic_exchange_explicit(&state->shown, task, memory_order_acq_rel);

    if (before)
        gp_task_release(before);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct reserve_state *state = argument;

    for (int i = 0; i < FUNCTIONS; i++) {
        const struct gp__work function = {.run = do_nothing, .argument = &state->marks[i]};
        gp_task *task;
        while (state->queue->class->functions->enqueue(state->queue, &function, NULL, NULL) !=
               GP_OK)
            continue;
        if (gp_queue_poll(state->queue, &task) != GP_OK)
            return;
        show(state, gp_task_retain(task));
        gp_task_run(task);
        outcome->slot[RUN]++;
    }
}

static void act_look(void *argument, struct outcome *outcome)
{
    struct reserve_state *state = argument;

    for (int i = 0; i < FUNCTIONS; i++) {
        gp_task *task = atomic_exchange_explicit(&state->shown, NULL, memory_order_acq_rel);
        if (!task)
            continue;
        const char *mark = gp_task_argument(task);
        bool is_ours = mark >= state->marks && mark < state->marks + FUNCTIONS;
        if (outcome->slot[SEEN] != 2)
            outcome->slot[SEEN] = is_ours ? 1 : 2;
        gp_task_release(task);
    }
}

static int invariant(void *argument)
{
    struct reserve_state *state = argument;

    return gp_queue_check(state->queue);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    (void)outcome;
    show(argument, NULL);
}

static void tear_down(void *argument)
{
    struct reserve_state *state = argument;

    gp_queue_free(state->queue);
}

/* ---- the family ---- */

const struct scenario conveyor_reserve_races[] = {
    {
        .name = "conveyor/place_used_again",
        .description = "a taker shows its tasks to another thread, which reads and releases them "
                       "while the taker goes on: their memory is used again only after that",
        .invariants = "[RESERVE-1] [RESERVE-2] [CONVEYOR-5]",
        .attacks = {"impl/future/reserve.c",
                    "return atomic_load_explicit(&reserve->refs, memory_order_acquire) == 1;"},
        .broken_by = "place-used-again-without-acquire",
        .state_size = sizeof(struct reserve_state),
        .set_up = set_up,
        .actors = {{"take", act_take}, {"look", act_look}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"run were", {NULL}}, {"seen was", {"nothing", "one of them", "something else"}}},
        .outcomes =
            {
                {"seen was something else", FORBIDDEN, "the place was used in between", MAY_OCCUR},
                {"run were 4, seen was one of them", ACCEPTABLE, "with what it was made of",
                 MUST_OCCUR},
                {"run were 4, seen was nothing", ACCEPTABLE, "too early or too late", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
