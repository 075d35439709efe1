/*
 * Limits: what a search leaves out, and how its verdict says so.
 *
 * A search is complete only if nothing was left out. Where the explorer bounds something, it notes
 * a limit for the execution, and the campaign counts the executions in which it did. There are two
 * kinds:
 *
 *      the execution goes on, but others like it will not be seen     machine_leave_out
 *      the execution cannot go on, and nothing can be said of it      machine_stop_at
 *
 * An execution of the second kind has the verdict ENDED_LIMIT. It is no failure of the program.
 */
#ifndef HARNESS_EXPLORE_LIMITS_H
#define HARNESS_EXPLORE_LIMITS_H

#include <stdint.h>

enum limit {
    LIMIT_OLD_STORES,         /* one thread has come to the same one too often */
    LIMIT_MODIFICATION_ORDER, /* one that takes apart a release sequence */
    LIMIT_SEQ_CST_ORDER,      /* of seq_cst operations: another than the order of execution */
    LIMIT_MIXED_SIZES,        /* atomics of several sizes on one word, under `c11` */
    LIMIT_WIDE,               /* atomics of more than eight bytes, under `c11` */
    LIMIT_RECORDS,            /* of accesses: one was dropped */
    LIMIT_PLACES,      /* a thread took the number of one that its creator knows nothing of */
    LIMIT_PLAIN,       /* plain accesses, which were not looked at */
    LIMIT_SPINS,       /* rounds of a spin that may have an end of its own */
    LIMIT_CHOICES,     /* after the step budget, which are made in turn */
    LIMIT_PREEMPTIONS, /* more of them than dfs was allowed */
    LIMIT_SEARCH,      /* the strategy has no memory for all choices */
    LIMIT_ASSEMBLY,    /* of the program: its accesses are no steps */

    LIMIT_STEPS,   /* of an execution: this one and those below end it */
    LIMIT_THREADS, /* at the same time */
    LIMIT_MEMORY,  /* that the program can allocate */
    LIMIT_TABLES,  /* atomics, locks, stores and so on that can be kept apart */
    LIMIT_CALLS,   /* that the machine does not control */
    LIMIT_LOOPS,   /* without a step */
    LIMITS,
    LIMIT_FIRST_TO_END = LIMIT_STEPS
};

typedef uint32_t limit_set; /* a bit for each */

static inline limit_set limit_bit(enum limit limit)
{
    return (limit_set)1 << limit;
}

const char *limit_text(enum limit);   /* what was left out, as in "left out: TEXT" */
const char *limit_option(enum limit); /* which option changes it; NULL: none does */

#endif
