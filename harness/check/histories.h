/*
 * The histories of a run: what a runner does with them, whichever runner it is.
 *
 *     histories_begin(&histories, scenario);
 *     for each execution:
 *         set up, let the actors act, ask the arbiter
 *         histories_judge(&histories, state);
 *         tear down
 *     result_add_histories(result, histories.not_linearizable, histories.undecided,
 *                          histories.first);
 *
 * One such struct belongs to one thread at a time; a runner that judges on several has several.
 */
#ifndef HARNESS_CHECK_HISTORIES_H
#define HARNESS_CHECK_HISTORIES_H

#include <stdint.h> /* uint64_t */

#include "harness/check/linear.h"
#include "harness/scenario/scenario.h"

enum {
    HISTORIES_TEXT = 8 * 1024 /* bytes for a drawing */
};

struct histories {
    const struct scenario *scenario;
    uint64_t not_linearizable;  /* how many there were */
    uint64_t undecided;         /* how many could not be decided */
    char first[HISTORIES_TEXT]; /* the first of either, drawn; empty: there was none */
    struct linear_search search;
};

const char *histories_flaw(const struct scenario *); /* of its history: as scenario_flaw */
void histories_begin(struct histories *, const struct scenario *); /* of zeroed or used memory */
enum linear_verdict histories_judge(struct histories *, const void *state); /* LINEARIZABLE if the
                                                   scenario records no history */

#endif
