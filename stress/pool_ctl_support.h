/* What the races around the end of a pool share: pools of a few workers, and a look at one task
   or two. */
#ifndef STRESS_POOL_CTL_SUPPORT_H
#define STRESS_POOL_CTL_SUPPORT_H

#include "stress/pool_support.h"

/* As many core workers as `core`, none of them started; at most one if that is none. */
bool ctl_open(struct pool_state *, int core, uint64_t random);

void act_shutdown_and_await(void *, struct outcome *);

/* The fate of the first job; whether the pool could be closed; the fate of the second job. */
enum {
    TASK,
    CLOSE,
    SECOND_TASK
};

void arbiter_of_one(void *, struct outcome *); /* the first two of these */
void arbiter_of_two(void *, struct outcome *);

/* A pool whose first job looks whether it is stopped. */
struct looking_state {
    struct pool_state base;
    bool saw_stop;
};

enum {
    SAW_STOP = SECOND_TASK + 1
};

void looking_prepare(struct looking_state *);      /* before the pool is opened */
void arbiter_of_looking(void *, struct outcome *); /* of two jobs, and what the first has seen */

#endif
