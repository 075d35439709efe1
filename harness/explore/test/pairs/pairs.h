/*
 * Pairs of programs: one has a data race; its twin differs in what orders the two accesses, and has
 * none.
 *
 * Each row of pairs.def names a pair, NAME_racy and NAME_ordered, in one of the files threads.c,
 * locks.c, waits.c, atomics.c and memory.c. These are ordinary C11 with POSIX threads, compiled
 * twice: for the explorer (explored.c), which runs a program in all its orders, and with
 * ThreadSanitizer (native.c), which runs it once, in a process of its own. The script `try`
 * compares what the two report.
 *
 * Steering. ThreadSanitizer sees one execution, and the race must show in it, every time. So a
 * program calls step_done and after_step: natively the second waits for the first. Both are
 * relaxed and order nothing, so the vector clocks, which decide what is a race, are the same in
 * every run. On the explorer both do nothing, since it tries all orders; apart from its one race a
 * program must be correct in each of these.
 *
 * A read that is never reached proves nothing. Each program therefore passes what it has read to
 * use(), and a runner that has seen no call of it reports that as a failure.
 */
#ifndef HARNESS_EXPLORE_TEST_PAIRS_PAIRS_H
#define HARNESS_EXPLORE_TEST_PAIRS_PAIRS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "harness/explore/test/roles.h"

/* ---- defined by the runner ---- */

enum {
    STEPS = 8
};

void step_done(int step);  /* 0 <= step < STEPS */
void after_step(int step); /* waits for it */
void use(int read);

extern const struct timespec nap; /* on the explorer long enough for every other thread to end */

/* ---- defined in shared.c ---- */

/* They have external linkage: clang narrows a static variable that is only ever 0 or 1. */
extern int value, other_value;
extern atomic_int flag;
extern pthread_mutex_t mutex;
extern const struct timespec long_ago, far_off; /* deadlines */

/* Two threads; natively the second waits until the first has done its part. */
#define IN_TURN_WITH(name, prepare, first, second) \
    ROLE(name##_first, first; step_done(0))        \
    ROLE(name##_second, after_step(0); second)     \
    void name(void)                                \
    {                                              \
        prepare;                                   \
        run_both(name##_first, name##_second);     \
    }

#define IN_TURN(name, first, second) IN_TURN_WITH(name, NOTHING, first, second)
#define NOTHING                      ((void)0)

static inline void run_three(role_fn *one, role_fn *other, role_fn *third)
{
    pthread_t beside = start(one, NULL);

    run_both(other, third);
    pthread_join(beside, NULL);
}

/* ---- the table ---- */

typedef void program_fn(void);

/* In which executions of the racy twin the explorer finds the race. */
enum found {
    IN_SOME, /* it depends on the schedule whether two accesses meet that nothing orders */
    IN_EVERY
};

/* What ThreadSanitizer makes of a pair. */
enum agreement {
    AGREES,  /* it reports the racy twin, and not the ordered one */
    MISSES,  /* it reports neither */
    ALARMS,  /* it reports both */
    CRASHES, /* it does not survive either */
};

/* Why it does not agree: native.c has it in words. */
enum reason {
    NO_REASON,
    FENCES,
    CLOCK_CALLS,
    THREADS_H,
    SEM_GETVALUE,
    BARRIER,
    STORE_OF_OTHER,
    HALVES,
    LIBRARY_LOCK,
    LIBRARY_CALL,
    PLAIN_INIT,
    UNMARKED_EXPECTED,
    INLINED
};

#define GROUP(words)
#define PAIR(name, ...)     \
    program_fn name##_racy; \
    program_fn name##_ordered;
#include "harness/explore/test/pairs/pairs.def"
#undef PAIR
#undef GROUP

#endif
