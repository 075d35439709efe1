/* The command line of the native runner. */
#ifndef HARNESS_NATIVE_OPTIONS_H
#define HARNESS_NATIVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h> /* uint64_t */
#include <stdio.h>  /* FILE */

#include "harness/report/command.h"

enum request {
    REQUEST_RUN,
    REQUEST_LIST,
    REQUEST_BREAKS,
    REQUEST_HELP
};

struct options {
    enum request request;
    double seconds;
    double hang_seconds;
    const char *scenario; /* a glob; NULL: all */
    uint64_t seed;
    int stagger;
    unsigned jobs;
    bool until_failure;
    bool lenient;
    struct command_files files;
};

bool options_parse(struct options *, int count, char **words); /* false: it has said why */
void options_help(FILE *);

#endif
