/*
 * What the races of eager pools share: such a pool with jobs, and its end, at which it must not
 * count any task.
 */
#ifndef STRESS_EAGER_SUPPORT_H
#define STRESS_EAGER_SUPPORT_H

#include <glasspool/eager.h>

#include "stress/pool_support.h"

#define EAGER "impl/rpc/eager.c"

struct eager_state {
    struct pool_state base;
    gp_future *gate; /* jobs that hold wait for it */
};

/* Slots of all of the races, and the words for them. */
enum {
    CLOSE,
    COUNT,
    ONE, /* job, or what the scenario has of its own */
    OTHER
};

#define END_SLOTS                            \
    {NULL, ENDS},                            \
    {                                        \
        "counts",                            \
        {                                    \
            "nothing", "what it has no more" \
        }                                    \
    }
#define DRIFTED \
    "counts what it has no more", FORBIDDEN, "a task that was done with counts", MAY_OCCUR

/* No core, unless the configuration has one; so many workers at most. */
bool eager_open(struct eager_state *, gp_pool_config *, int maximum, int capacity, uint64_t random);
bool eager_open_gate(struct eager_state *);     /* makes the gate; closed at first */
void eager_hold(struct eager_state *, int job); /* it will wait at the gate */
void eager_let_go(struct eager_state *);

void eager_end(struct eager_state *, struct outcome *); /* fills CLOSE and COUNT */
void eager_judge_two(void *, struct outcome *);         /* that, and the fates of the first jobs */
void eager_tear_down(void *);
int eager_invariant(void *);

#endif
