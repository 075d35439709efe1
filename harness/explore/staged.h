/* A scenario on the machine's stage: set up, its actors as threads, then judged. */
#ifndef HARNESS_EXPLORE_STAGED_H
#define HARNESS_EXPLORE_STAGED_H

#include "harness/check/histories.h"
#include "harness/scenario/scenario.h"

enum {
    STAGED_KNOWN = 61
};

struct staged {
    const struct scenario *scenario;
    const char *wanted; /* an outcome, as a glob; ends the execution as ENDED_FOUND; NULL: none */
    struct histories histories;
    unsigned watch_every; /* of so many executions one has its invariant asked between steps, too */
    unsigned turn;
    bool has_outcome;               /* the last execution came as far as that */
    uint64_t allowed[STAGED_KNOWN]; /* keys of outcomes that were judged before; 0: none */
    struct outcome outcome;
};

void staged_begin(struct staged *, const struct scenario *);
void staged_run(void *argument); /* a program for machine_run; the argument is a struct staged */

#endif
