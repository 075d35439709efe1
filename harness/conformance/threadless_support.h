/* Support for the tests of threadless executors: one call, with all that belongs to it. */
#ifndef CONFORMANCE_THREADLESS_SUPPORT_H
#define CONFORMANCE_THREADLESS_SUPPORT_H

#include <glasspool/threadless.h>

#include "pool_support.h"

/* The calling side of a call over the network. */
struct call {
    gp_pool *shared;
    gp_future *answer; /* the waiting future */
    gp_threadless *threadless;
    int drained; /* what call_drain got */
};

void call_init(struct call *);
void call_init_with(struct call *, gp_pool *shared); /* which call_end ends */
void call_end(struct call *);                /* checked; gives up the handles, ends the pool */
void call_give(struct call *, struct job *); /* one task without a future, which is taken */
gp_future *call_submit(struct call *, struct job *);
void call_drain(void *argument);          /* a call; in a helper: waits, for ever, into `drained` */
int failure_code_of(const struct call *); /* of the answer; 0: it has not failed */

#endif
