/* What the races of workers share: a pool whose factory counts, and the fate of many jobs. */
#ifndef STRESS_POOL_WORKERS_SUPPORT_H
#define STRESS_POOL_WORKERS_SUPPORT_H

#include "stress/pool_support.h"

/* Slots of most of the races. */
enum {
    CLOSE,
    FATE
};

/* A thread that wakes up when its time is up, not 50 us later. */
int workers_thread_new(gp_run_fn *run, void *argument, gp_thread **out);

/* The factory counts such threads, unless the configuration has one. Its context is the state. */
bool workers_open(struct pool_state *, gp_pool_config *, uint64_t random);

void workers_submit_and_get(struct pool_state *, int first, int end); /* one after the other */

/* What became of the jobs up to `end`: the fate of all of them, or of one that met another one. */
unsigned char workers_common_fate(struct pool_state *, int end, enum fate expected);

/* How many threads the factory was asked for, for a slot. */
#define WORKERS                      \
    {                                \
        "none", "one", "two or more" \
    }

unsigned char workers_came(struct pool_state *);

#endif
