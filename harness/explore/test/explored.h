/*
 * How the explorer is tested.
 *
 * The files programs_*.c are explored programs: compiled as such, with their calls renamed. A
 * program is a function without arguments, run as thread 0; it leaves what it saw in `observed`,
 * which belongs to the harness. The files test_*.c run them:
 *
 *     struct campaign campaign = explored(program_lost_wakeup, &strategy_random);
 *     check_finds(&campaign, ENDED_DEADLOCK);
 */
#ifndef HARNESS_EXPLORE_TEST_EXPLORED_H
#define HARNESS_EXPLORE_TEST_EXPLORED_H

#include <stdint.h>

#include "harness/conformance/suite.h"
#include "harness/explore/campaign.h"

enum {
    OBSERVATIONS = 8,
    OUTCOMES = 64 /* different ones that a campaign can tell apart */
};

extern int observed[OBSERVATIONS]; /* zero at the start of each execution */

/* The different values of `observed` at the end of the executions of a campaign. */
struct outcomes {
    unsigned count;
    int seen[OUTCOMES][OBSERVATIONS];
};

typedef void explored_fn(void);

/* Up to 20,000 executions, sc, with races looked for, nothing failing, time early. */
struct campaign explored(explored_fn *, const struct strategy *);
/* Runs it; the result is good until the next call. */
const struct campaign_result *campaign_outcomes(const struct campaign *, struct outcomes *);
void check_finds(const struct campaign *, enum verdict_kind);
void check_finds_nothing(const struct campaign *);

/* A thousand executions of it are well, and observe this first. */
void check_always(explored_fn *program, int first);
/* To be shrunk; failure_free releases it. */
struct failure copy_of_failure(const struct failure *);

#endif
