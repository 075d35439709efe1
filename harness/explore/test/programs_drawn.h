/*
 * A program that is drawn by lot: what its threads do is in a table (drawn.h fills it), and what
 * each of their operations saw is left in another.
 *
 * Thread 0 is main. The others are created by operations of the program itself, and joined,
 * detached or left alone by others, so that creation and the end of threads are drawn like the
 * rest. Operations on the same kind of object share few objects: two words, two locks, two
 * conditions, one of everything else.
 */
#ifndef HARNESS_EXPLORE_TEST_PROGRAMS_DRAWN_H
#define HARNESS_EXPLORE_TEST_PROGRAMS_DRAWN_H

#include <stdint.h>
#include <time.h>

enum {
    DRAWN_THREADS = 4, /* main included */
    DRAWN_LENGTH = 12, /* operations of a thread */
    DRAWN_LOCKS = 2
};

enum drawn_kind {
#define KIND(name, words, steps, themes, uses) DRAWN_##name,
#include "harness/explore/test/drawn_kinds.def"
#undef KIND
    DRAWN_KINDS
};

enum drawn_order {
    DRAWN_SEQ_CST,
    DRAWN_ACQ_REL, /* acquire of a load, release of a store */
    DRAWN_RELAXED,
    DRAWN_ORDERS
};

enum drawn_lock {
    DRAWN_NORMAL,
    DRAWN_RECURSIVE,
    DRAWN_ERRORCHECK,
    DRAWN_LOCK_KINDS
};

struct drawn_op {
    uint8_t kind;
    uint8_t which; /* of two objects, or the number of a thread */
    uint8_t span;  /* of a lock or a block: it is held during so many operations after this one */
    uint8_t order; /* of an atomic */
    uint8_t value; /* stored, added, ..., or asserted */
    int64_t time;  /* nanoseconds since the beginning, or of sleep */
};

struct drawn_thread {
    unsigned length;
    struct drawn_op ops[DRAWN_LENGTH];
};

struct drawn_program {
    unsigned threads; /* places: those without a creation never run */
    struct drawn_thread thread[DRAWN_THREADS];
    uint8_t locks[DRAWN_LOCKS];
    unsigned permits;          /* of the semaphore, at first */
    unsigned parties;          /* of the barrier */
    struct timespec beginning; /* what the wall clock shows at first */
};

enum {
    NOT_REACHED = -1,
    FOR_THE_END = DRAWN_LENGTH, /* the place for what handlers and destructors saw */
    PLACES
};

/* Both are the harness's own: what the program does with them is not seen by the explorer. */
extern struct drawn_program drawn;
extern int drawn_seen[DRAWN_THREADS][PLACES]; /* NOT_REACHED, where an operation has not ended */

void program_drawn(void);

#endif
