/*
 * The command line of the explorer. It has two front ends: one explores scenarios, the other the
 * program that it is linked to. Each offers what it honours, and so does each request: an option
 * that would change nothing is refused.
 */
#ifndef HARNESS_EXPLORE_OPTIONS_H
#define HARNESS_EXPLORE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h> /* uint64_t */
#include <stdio.h>  /* FILE */

#include "harness/explore/machine.h"
#include "harness/explore/memory.h"
#include "harness/explore/show.h"
#include "harness/report/command.h"

enum explore_front {
    EXPLORE_SCENARIOS,
    EXPLORE_PROGRAM
};

enum explore_request {
    EXPLORE_RUN,
    EXPLORE_REPLAY,
    EXPLORE_LIST,
    EXPLORE_BREAKS,
    EXPLORE_HELP
};

struct explore_options {
    const char *program; /* as it calls itself */
    enum explore_front front;
    enum explore_request request;
    double seconds;
    uint64_t executions;  /* per scenario and strategy at most; 0: any number */
    const char *scenario; /* a glob; NULL: all */
    const char *strategy; /* NULL: several, one after the other */
    uint64_t seed;
    unsigned depth;
    unsigned preemption_bound;
    struct memory_rules memory;
    bool memory_is_given; /* otherwise both models have their turn */
    struct machine_rules rules;
    bool faults_are_given; /* otherwise those who sample let a spin go round for nothing */
    bool keep_going;
    const char *wanted; /* an outcome to look for, as a glob; NULL: failures */
    const char *graph;  /* a file for all schedules; NULL: none */
    const char *replay; /* a token */
    uint32_t gdb_step;  /* of the replay, at which a debugger stops; 0: without one */
    bool as_found;      /* stories are not made shorter */
    bool full;          /* stories leave nothing out */
    int width;          /* of the terminal; 0: there is none */
    const char *marks;  /* lines whose steps stories mark; NULL: none */
    bool detailed;      /* a line for each strategy, not one for all */
    struct show_files files;
    struct command_files reports;
    char **arguments; /* what comes after "--", up to a NULL */
};

/* `program` is what the options call themselves. False: it has said why. */
bool explore_options_parse(struct explore_options *, enum explore_front, const char *program,
                           int count, char **words);
void explore_options_help(FILE *, const struct explore_options *);

#endif
