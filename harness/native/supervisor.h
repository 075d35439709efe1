/*
 * The supervisor: hands scenarios to teams, watches that they get on, and collects what they saw.
 */
#ifndef HARNESS_NATIVE_SUPERVISOR_H
#define HARNESS_NATIVE_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

#include "harness/scenario/result.h"

/* How far it has come, for a display. */
struct progress {
    const struct scenario *scenario; /* one that runs */
    uint64_t iterations;             /* of that one */
    size_t finished;
    size_t count;
    double seconds_left; /* of the whole run */
};

struct supervision {
    struct result *results; /* their scenarios are set; the rest is filled in */
    size_t count;
    double seconds;      /* for all of them together */
    double hang_seconds; /* without any progress, as in hang.h */
    unsigned jobs;       /* scenarios at the same time */
    uint64_t seed;
    int stagger;                                  /* or STAGGER_TUNED */
    bool until_failure;                           /* a scenario ends at its first failure */
    bool lenient;                                 /* as in struct result */
    void (*on_result)(const struct result *);     /* one is finished */
    void (*on_progress)(const struct progress *); /* some times a second */
    bool (*should_stop)(void);                    /* the user has had enough */
};

bool supervise(struct supervision *); /* false: no memory or no threads */

#endif
