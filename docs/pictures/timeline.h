/* A task and when it ran: what docs/pictures/timeline.c does and timeline_main.c prints. */
#ifndef DOCS_PICTURES_TIMELINE_H
#define DOCS_PICTURES_TIMELINE_H

#include <stdint.h>

enum {
    MOST_RUNS = 100
};

struct timeline {
    /* What is to be done; milliseconds. */
    const char *kind; /* once, rate, skip, delay */
    int64_t initial;
    int64_t period;
    int64_t until;              /* when to stop */
    int64_t lengths[MOST_RUNS]; /* of the first run, the second...; the last is for all others */
    int length_count;
    /* What came of it. */
    struct {
        int64_t begins, ends;
    } runs[MOST_RUNS];
    int run_count;
};

void timeline_run(void *argument); /* a program for the explorer's machine; a struct timeline */

#endif
