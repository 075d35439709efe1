/* The command line of the explorer. */
#ifndef HARNESS_EXPLORE_OPTIONS_H
#define HARNESS_EXPLORE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h> /* uint64_t */
#include <stdio.h>  /* FILE */

#include "harness/explore/machine.h"
#include "harness/explore/memory.h"
#include "harness/explore/show.h"

enum explore_request {
    EXPLORE_RUN,
    EXPLORE_REPLAY,
    EXPLORE_LIST,
    EXPLORE_BREAKS,
    EXPLORE_HELP
};

struct explore_options {
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
    bool keep_going;
    const char *replay; /* a token */
    uint32_t gdb_step;  /* of the replay, at which a debugger stops; 0: without one */
    bool full;          /* stories leave nothing out */
    bool detailed;      /* a line for each strategy, not one for all */
    struct show_files files;
    const char *json, *junit, *html;
    int first_word; /* that is no option, and comes after them: its number */
};

bool explore_options_parse(struct explore_options *, int count, char **words); /* false: it has said
                                                                                  why */
void explore_options_help(FILE *);

#endif
