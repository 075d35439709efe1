/*
 * The oracle for dpor: on drawn programs (drawn.h) all searches have to tell the same.
 *
 * An outcome is how an execution ended: what each operation saw, the verdict, and what is said of
 * it. For each program:
 *
 *   [ORACLE-1] What depth-first search, run to its end, finds is all there is. dpor, run to its
 *              end, finds the same set. The samplers find no outcome outside of it.
 *   [ORACLE-2] Where depth-first search does not come to its end, dpor, run to its end, finds what
 *              the samplers and the beginning of depth-first search have found.
 *   [ORACLE-3] Where dpor does not come to its end, or has met the end of an execution, a spin
 *              without an end or the step budget as a limit, nothing is expected of it. Such
 *              programs, and those of [ORACLE-2], are counted as not compared. The limits of the
 *              memory make no difference: they are those of all searches.
 *
 * A program that fails is made smaller as long as it fails in the same way (oracle_shrink.c), and
 * shown with the outcomes that are missing and an execution that has one (oracle_explain.c).
 *
 * Only programs that have no race, or are explored with races looked for, can be judged: what a
 * racing access sees is decided by orders that are not steps.
 */
#ifndef HARNESS_EXPLORE_TEST_ORACLE_H
#define HARNESS_EXPLORE_TEST_ORACLE_H

#include <stdint.h>

#include "harness/explore/test/drawn.h"

enum search {
    SEARCH_DFS,
    SEARCH_DPOR,
    SEARCH_RANDOM,
    SEARCH_PCT,
    SEARCH_POS,
    SEARCHES
};

enum judgement {
    AGREES_WITH_DFS,
    AGREES_WITH_SAMPLERS, /* dfs is too large */
    LEAVES_SOMETHING_OUT, /* by dpor's own word */
    IS_TOO_LARGE,         /* for dpor, or has more outcomes than can be told apart */
    DPOR_MISSES_OUTCOMES,
    DFS_MISSES_OUTCOMES,
    JUDGEMENTS
};

struct oracle_figures {
    unsigned programs[JUDGEMENTS];
    /* Of those that agree with dfs: */
    uint64_t executions[SEARCHES];
    uint64_t outcomes;
    unsigned several;               /* have more than one outcome */
    unsigned compared[DRAWN_KINDS]; /* have operations of each kind */
};

static inline bool is_failure(enum judgement judgement)
{
    return judgement >= DPOR_MISSES_OUTCOMES;
}

/* Runs all searches; figures may be NULL. */
enum judgement oracle_judge(const struct drawing *, struct oracle_figures *);
/* Makes a program that fails as small as it can be: it still fails in the same way. */
void oracle_shrink(struct drawing *, enum judgement);
/* Of a program that fails: itself, what is left of it, what is missing, and how it comes about. */
void oracle_explain(const struct drawing *, enum judgement, FILE *);
void oracle_print(const struct oracle_figures *, FILE *);
unsigned oracle_compared(
    const struct oracle_figures *); /* programs: those of [ORACLE-1], and all that failed */

#endif
