/*
 * One who waits, and waits again.
 *
 * The node of a waiter is in its frame. When the wait is over the frame is gone, and the next wait
 * of the same thread has its own node at the same place. Whoever released the first one must have
 * read all that it wanted of it before [WAITERS-1]:
 *
 *        completer                     waiter
 *        the state is final
 *                                      done: leave, once the node is released
 *        next, thread: read
 *        released = true
 *                                      leave; wait for another future: the node is written anew
 *        unpark(thread)
 *
 * Nothing but `released` orders the reading and the writing here: the waiter need not have slept,
 * and then no lock has passed from the one to the other. So the store releases and the load
 * acquires. A completer that took the node's word after that would read another wait's.
 */
#include <glasspool/future.h>
#include <glasspool/status.h>

#include "stress/answer.h"
#include "stress/scenarios.h"
#include "stress/support.h"

enum {
    WAITS = 2
};

struct state {
    gp_future *futures[WAITS];
    int results[WAITS];
};

static void tear_down(void *argument)
{
    struct state *state = argument;

    for (int i = 0; i < WAITS; i++)
        gp_future_release(state->futures[i]);
}

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    (void)random;
    for (int i = 0; i < WAITS; i++)
        if (gp_future_new(&nothing, &state->futures[i]) != GP_OK) {
            tear_down(state);
            return false;
        }
    return true;
}

static void act_get_one_after_the_other(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    for (int i = 0; i < WAITS; i++) {
        void *result = NULL;
        int status;

        do
            status = gp_future_get(state->futures[i], &result);
        while (status == GP_ENOMEM);
        outcome->slot[i] = answer_of(status, result == &state->results[i]);
    }
}

static void act_set_one_after_the_other(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    for (int i = 0; i < WAITS; i++)
        gp_future_set(state->futures[i], &state->results[i]);
}

/* ---- the family ---- */

const struct scenario future_wait_again_races[] = {
    {
        .name = "future_wait/waits_again",
        .description = "a thread waits for two futures, one after the other, which another one "
                       "sets: the second wait has its node where the first one's was",
        .invariants = "[WAITERS-1]",
        .attacks = {"impl/future/waiters.c",
                    "atomic_store_explicit(&node->released, true, memory_order_release);"},
        .broken_by = "node-released-relaxed",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"get, get", act_get_one_after_the_other},
                   {"set, set", act_set_one_after_the_other}},
        .tear_down = tear_down,
        .slots = {{"the first", ANSWERS}, {"the second", ANSWERS}},
        .outcomes =
            {
                {"the first the result, the second the result", ACCEPTABLE, "each its own",
                 MUST_OCCUR},
            },
    },
    {.name = NULL},
};
