/* A program that is drawn by lot: what its threads do is in a table. */
#ifndef HARNESS_EXPLORE_TEST_PROGRAMS_DRAWN_H
#define HARNESS_EXPLORE_TEST_PROGRAMS_DRAWN_H

enum {
    DRAWN_THREADS = 3,
    DRAWN_LENGTH = 4
};

enum drawn_kind {
    DRAWN_LOAD,
    DRAWN_STORE,
    DRAWN_ADD,
    DRAWN_CLAIM, /* by compare and exchange */
    DRAWN_WEAK_CLAIM,
    DRAWN_SWAP,
    DRAWN_LOCKED, /* counts, with a lock held */
    DRAWN_TRY_LOCK,
    DRAWN_TIMED_LOCK,
    DRAWN_LOCKED_SLEEP,
    DRAWN_POST,
    DRAWN_TAKE, /* from a semaphore */
    DRAWN_TRY_TAKE,
    DRAWN_TIMED_TAKE,
    DRAWN_WAIT, /* on a condition */
    DRAWN_TIMED_WAIT,
    DRAWN_SIGNAL,
    DRAWN_LOCKED_SIGNAL,
    DRAWN_BROADCAST,
    DRAWN_SLEEP,
    DRAWN_LOOK_AT_CLOCK,
    DRAWN_YIELD,
    DRAWN_READ_LOCKED,
    DRAWN_WRITE_LOCKED,
    DRAWN_KINDS
};

struct drawn_op {
    enum drawn_kind kind;
    unsigned which; /* of two objects */
};

struct drawn_program {
    unsigned threads;
    unsigned lengths[DRAWN_THREADS];
    struct drawn_op ops[DRAWN_THREADS][DRAWN_LENGTH];
};

extern struct drawn_program drawn; /* the harness's own */

/* Each thread leaves in `observed` a number that stands for all that it has seen so far. */
void program_drawn(void);

#endif
