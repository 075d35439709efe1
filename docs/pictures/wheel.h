/* A hashed wheel, tick by tick: what docs/pictures/wheel.c does and wheel_main.c prints. */
#ifndef DOCS_PICTURES_WHEEL_H
#define DOCS_PICTURES_WHEEL_H

#include <stdint.h>

enum {
    MOST_TIMEOUTS = 32,
    MOST_TURNS = 64
};

/* The wheel when a tick is over: all are in their buckets, and the hand has not moved yet. */
struct turn_seen {
    int64_t tick;
    struct {
        int64_t bucket, delay, rounds;
    } timeouts[MOST_TIMEOUTS]; /* by buckets; in one of them as they stand there */
    int timeout_count;
    int64_t due[MOST_TIMEOUTS]; /* what the hand takes out then, by their delays */
    int due_count;
};

struct turning {
    /* What is to be done; milliseconds. */
    int64_t tick_length;
    int64_t bucket_count;
    int most_turns; /* when to stop */
    int64_t delays[MOST_TIMEOUTS];
    int delay_count;
    /* What came of it. */
    struct turn_seen turns[MOST_TURNS];
    int turn_count;
};

void turning_run(void *argument); /* a program for the explorer's machine; a struct turning */

#endif
