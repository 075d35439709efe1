/*
 * A history: who called what when, and what it gave.
 *
 * An outcome says what came out of a race; a history also says in which order things were asked for
 * and answered. Actors record their calls into one that lies in the state, each actor in a lane of
 * its own:
 *
 *     struct history_open call = history_begin(&state->history, LANE, QUEUE_OFFER, number);
 *     int status = gp_queue_offer(state->queue, task);
 *
 *     history_end(call, status);
 *
 * (Two statements, not history_end(history_begin(...), gp_queue_offer(...)): C evaluates arguments
 * in any order.) Afterwards harness/check/ looks for an explanation of the history in terms of a
 * model that does one call after the other; struct scenario says which model.
 *
 * set_up and the arbiter may record, too. They have a lane of their own, HISTORY_ALONE: what was in
 * the queue before the race, and what is left after it, are calls like all others.
 *
 * A zeroed history is an empty one. An actor that never comes back from a call leaves it pending.
 */
#ifndef HARNESS_SCENARIO_HISTORY_H
#define HARNESS_SCENARIO_HISTORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h> /* int64_t, uint8_t */

#include "harness/scenario/scenario.h" /* SCENARIO_ACTORS */
#include "harness/scenario/unobserved.h"

enum {
    HISTORY_CALLS = 6,               /* in a lane */
    HISTORY_ALONE = SCENARIO_ACTORS, /* the lane of set_up and arbiter */
    HISTORY_LANES = SCENARIO_ACTORS + 1,
    HISTORY_NEVER = UINT8_MAX /* later than every stamp */
};

/* A call. Stamps count from 1 and are those of one counter: no two in a history are the same. */
struct history_call {
    uint8_t operation; /* a number that means something to the model */
    uint8_t began;     /* stamp */
    uint8_t ended;     /* stamp; 0: it has not returned */
    int32_t argument;
    int64_t result; /* if it has returned */
};

struct history_lane {
    struct history_call calls[HISTORY_CALLS]; /* one after the other */
    uint8_t count;                            /* more than HISTORY_CALLS: some are missing */
};

struct history {
    atomic_uint stamps; /* how many were given out */
    struct history_lane lanes[HISTORY_LANES];
};

/* A call under way. */
struct history_open {
    struct history *history;
    struct history_call *call; /* NULL: the lane is full */
};

struct history_open history_begin(struct history *, unsigned lane, unsigned operation,
                                  int32_t argument);
void history_end(struct history_open, int64_t result);

/* For models. */

UNOBSERVED static inline bool history_is_pending(const struct history_call *call)
{
    return call->ended == 0;
}

/* When it returned, for comparisons. */
UNOBSERVED static inline unsigned history_end_of(const struct history_call *call)
{
    return call->ended == 0 ? HISTORY_NEVER : call->ended;
}

/* Is that what it gave? Of a call that has not returned nobody knows. */
UNOBSERVED static inline bool history_gave(const struct history_call *call, int64_t result)
{
    return call->ended == 0 || call->result == result;
}

#endif
