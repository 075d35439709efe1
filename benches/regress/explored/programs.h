/*
 * The threaded workloads of the regression gate; all are explored, and run as thread 0. Each says
 * in *done how many tasks it has seen through to their end.
 */
#ifndef BENCHES_REGRESS_EXPLORED_PROGRAMS_H
#define BENCHES_REGRESS_EXPLORED_PROGRAMS_H

#include <stdatomic.h>

struct program {
    const char *name;
    void (*run)(void *done);
    int expected; /* of *done */
};

extern const struct program programs_pool[], programs_queue[], programs_timer[]; /* up to no name */

/* For the programs. */

enum {
    SIDES = 2 /* threads on either side: producers and takers, callers and workers */
};

extern atomic_int tasks_done;

void count_task(void *unused);                             /* a task: it is done */
void side_by_side(void *(*start)(void *), void *argument); /* SIDES threads, to their end */
void report_to(void *done);                                /* at a program's end */

#endif
