/*
 * Support for the suites of the conveyor: plain functions that write down in which order they ran,
 * and a pool whose only worker is held while its queue fills.
 *
 * A diary is written by one thread at a time, and read when the pool has ended or is quiet.
 */
#ifndef CONFORMANCE_CONVEYOR_SUPPORT_H
#define CONFORMANCE_CONVEYOR_SUPPORT_H

#include <glasspool/pool.h>
#include <glasspool/queue.h>

#include "pool_support.h"

enum {
    DIARY_SIZE = 1500
};

struct diary;

struct entry {
    struct diary *diary;
    int number;
};

struct diary {
    struct entry entries[DIARY_SIZE];
    int written[DIARY_SIZE]; /* the numbers, in the order in which they ran */
    int count;
};

gp_queue *conveyor(void);
void write_entry(void *entry);                             /* a plain function */
gp_callable entry_callable(struct diary *, int number);    /* the same with a destructor: a task */
void execute_entry(gp_pool *, struct diary *, int number); /* must succeed */
void execute_written(gp_pool *pool, gp_run_fn *run, struct diary *diary,
                     int number);                         /* run calls write_entry */
int try_entry(gp_queue *, struct diary *, int number);    /* without a pool: enqueue it */
void place_entry(gp_queue *, struct diary *, int number); /* the same; must succeed */
void check_diary(const struct diary *, int count); /* 0, 1, ... have run, in this order, no more */

/* One worker, held by a job with a future. */
struct held {
    gp_pool *pool;
    gp_queue *queue; /* the pool's */
    struct job job;
    gp_future *future; /* NULL: let go */
};

void hold_worker(struct held *);
void hold_worker_with_hook(struct held *); /* it makes tasks of functions, for the hook */
void held_let_go(struct held *);
void held_end(struct held *); /* let go, if need be; the pool checked, closed */

#endif
