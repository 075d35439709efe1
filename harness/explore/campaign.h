/*
 * A campaign: one program, executed again and again under one strategy, until something fails, all
 * has been seen, or the time is up.
 */
#ifndef HARNESS_EXPLORE_CAMPAIGN_H
#define HARNESS_EXPLORE_CAMPAIGN_H

#include "harness/explore/machine.h"
#include "harness/explore/memory.h"
#include "harness/explore/orders.h"
#include "harness/explore/strategies.h"

struct campaign {
    void (*program)(void *);
    void *argument;
    const struct strategy *strategy;
    struct strategy_options options;
    struct machine_rules rules;
    struct memory_rules memory;
    uint64_t executions;           /* at most; 0: any number */
    double seconds;                /* at most; 0: any time */
    bool keep_going;               /* after a failure */
    unsigned orders;               /* of so many executions one is told apart by order; 0: none */
    void (*ended)(void *argument); /* after each execution that was not cut; may be NULL */
    void (*show_progress)(void);   /* now and then, between executions; may be NULL */
    bool (*should_stop)(void);     /* asked now and then, by signal handlers too; may be NULL */
    double seconds_of_all;         /* that this and what follows may take together; 0: `seconds` */
};

/* An execution that failed, as much of it as is needed to have it again. */
struct failure {
    enum verdict_kind verdict;
    char message[sizeof machine.message];
    const void *culprit;
    uint64_t bug; /* what is wrong, in a number: failures of another bug have another */
    uint32_t steps, switches, choices;
    uint32_t deviation_count;
    struct deviation *deviations;
    bool as_found; /* is shown as it is, not the shortest that is like it */
};

struct campaign_result {
    bool complete;       /* the strategy has seen all there is, and nothing was left out */
    bool ended;          /* the strategy came to its end; it may have left something out */
    char covered[128];   /* in words */
    uint64_t executions; /* to their end */
    uint64_t cut;        /* given up half-way: equivalent to others */
    uint64_t steps;
    double seconds;
    uint64_t verdicts[VERDICT_KINDS];
    uint64_t limits[LIMITS]; /* executions in which each was met */
    struct orders orders;    /* if they were to be counted */
    struct failure first;    /* verdict ENDED_WELL: there was none */
    struct failure unjudged; /* the first that a limit ended; verdict ENDED_WELL: there was none */
};

extern double (*campaign_clock)(void); /* seconds; asked by signal handlers too */

bool campaign_set_rules(const struct machine_rules *, const struct memory_rules *); /* false: no
                                                                                     memory */
bool campaign_run(const struct campaign *, struct campaign_result *); /* false: no memory */
void campaign_result_free(struct campaign_result *);

bool failure_of_machine(struct failure *); /* of the last execution; false: no memory */
uint64_t failure_bug_of_machine(void);     /* of the last execution */
void failure_free(struct failure *);

#endif
