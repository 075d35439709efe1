/* What the files of the drawn program share. */
#ifndef HARNESS_EXPLORE_TEST_PROGRAMS_DRAWN_PARTS_H
#define HARNESS_EXPLORE_TEST_PROGRAMS_DRAWN_PARTS_H

#include <pthread.h>
#include <stdbool.h>

#include "harness/explore/test/programs_drawn.h"

enum {
    REFUSED = 99 /* seen by an operation that did not get what it wanted */
};

struct held {
    uint8_t kind; /* of the operation that took it */
    uint8_t which;
    unsigned until; /* the last operation during which it is held */
    void *block;
};

/* What a thread knows of itself. */
struct self {
    unsigned number;
    unsigned at; /* the operation that it is in */
    int last;    /* what the one before saw */
    unsigned held_count;
    struct held held[DRAWN_LENGTH];
    unsigned gone; /* a bit for each thread that it has joined or detached */
};

extern pthread_mutex_t drawn_locks[DRAWN_LOCKS];
extern unsigned drawn_counts[DRAWN_LOCKS]; /* each guarded by its lock */

struct timespec drawn_until(const struct drawn_op *); /* on the wall clock */
/* What was taken is given back when its span is over. */
void drawn_hold(struct self *, const struct drawn_op *, void *block);
void drawn_hold_lock(struct self *, unsigned which, unsigned span);
void drawn_give_back(struct self *, const struct held *);

/* Each carries out one operation and returns what it saw. */
int drawn_use_atomic(const struct drawn_op *);
int drawn_use_memory(struct self *, const struct drawn_op *);
int drawn_use_lock(struct self *, const struct drawn_op *);
int drawn_wait(struct self *, const struct drawn_op *);
int drawn_use_thread(struct self *, const struct drawn_op *);
int drawn_end(struct self *, const struct drawn_op *); /* true: its thread returns */

int drawn_add_to_word(unsigned which, unsigned value); /* for handlers and destructors */
void drawn_prepare_threads(void);
void drawn_prepare_locks(void);
void drawn_prepare_waits(void);
void *drawn_run(void *number); /* what a thread does */

#endif
