/* What the files of the oracle share. */
#ifndef HARNESS_EXPLORE_TEST_ORACLE_PARTS_H
#define HARNESS_EXPLORE_TEST_ORACLE_PARTS_H

#include "harness/explore/campaign.h"
#include "harness/explore/test/oracle.h"

enum {
    MOST_OUTCOMES = 4096 /* of one program */
};

struct outcome {
    int seen[DRAWN_THREADS][PLACES];
    enum verdict_kind verdict;
    const void *culprit;
    char message[sizeof machine.message];
};

/* Of the program that was judged last. */
extern struct oracle_outcomes {
    unsigned count;
    unsigned found_by[MOST_OUTCOMES]; /* a bit for each search */
    struct outcome all[MOST_OUTCOMES];
} oracle_outcomes;

static inline bool oracle_was_found(unsigned outcome, enum search search)
{
    return oracle_outcomes.found_by[outcome] >> search & 1;
}

const char *oracle_search_name(enum search);
bool oracle_is_same(const struct outcome *, const struct outcome *);
struct outcome oracle_outcome_of_machine(void); /* of the execution that has just ended */
/* One search on the program; `ended` is called after each execution, with the search. */
struct campaign_result oracle_search(const struct drawing *, enum search, void (*ended)(void *));

#endif
