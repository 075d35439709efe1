/*
 * Shrinking: from an execution that fails, one that fails in the same way with fewer context
 * switches; of as many, with fewer choices of other kinds than of turns; of as many, with fewer
 * steps.
 */
#ifndef HARNESS_EXPLORE_SHRINK_H
#define HARNESS_EXPLORE_SHRINK_H

#include "harness/explore/campaign.h"

/* What a reader has to follow. Less is better, the first member first. */
struct shrink_size {
    uint32_t switches; /* from thread to thread; the clock's steps are none */
    uint32_t oddities; /* faults, and data that are not the default */
    uint32_t steps;    /* the clock's among them */
};

struct shrink_result {
    struct shrink_size before, after;
    uint32_t executions; /* that it took */
    uint64_t work;       /* the same, in steps: [SHRINK-1] */
};

/* Shrinks a failure of the program under the machine's present rules. The failure then is the
   smallest that was found, which may be the same. False: it does not fail again as it did, or there
   is no memory, and the failure is as it was. */
bool shrink(void (*program)(void *), void *argument, struct failure *, struct shrink_result *);

struct shrink_size shrink_size_of_machine(void); /* of the last execution */

#endif
