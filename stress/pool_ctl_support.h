/* What the races around the end of a pool share: pools of a few workers, and a look at one task. */
#ifndef STRESS_POOL_CTL_SUPPORT_H
#define STRESS_POOL_CTL_SUPPORT_H

#include "stress/pool_support.h"

/* As many core workers as `core`, none of them started; at most one if that is none. */
bool ctl_open(struct pool_state *, int core, uint64_t random);

void act_shutdown_now(void *, struct outcome *); /* what it hands back is discarded */

/* The fate of the first job; whether the pool could be closed. */
enum {
    TASK,
    CLOSE
};

void arbiter_of_one(void *, struct outcome *);

#endif
