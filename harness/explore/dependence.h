/*
 * Dependence: of which two steps does it matter which comes first?
 *
 * Everything that leaves out orders, or counts them, rests on this: dpor, pos and the hash of
 * orders. A wrong "does not matter" loses executions without a sign; a wrong "matters" costs time.
 * Rules, with their numbers, in dependence.c.
 */
#ifndef HARNESS_EXPLORE_DEPENDENCE_H
#define HARNESS_EXPLORE_DEPENDENCE_H

#include "harness/explore/machine.h"

enum trait {
    TRAIT_CHANGES = 1,  /* machine_changed was called: yielding threads may go on */
    TRAIT_SPURIOUS = 2, /* a wake-up for no reason */
    TRAIT_ALONE = 4,    /* matters to everybody */
    TRAIT_FREES = 8,    /* a new thread can have the number of one that has ended */
    TRAIT_ALLOCATES = 16,
    TRAIT_WAITED_FOR = 32 /* it is a signal, and finds a waiter [DEP-11] */
};

/* What a step does, as far as it can matter to others. */
struct effect {
    thread_number thread;
    uint8_t kind, flags, order, size;
    uint8_t traits;
    const void *object, *second;
    int64_t deadline;  /* of its own op, if OP_TIMED */
    int64_t announced; /* until when its thread waits next; NO_DEADLINE: for no time */
    int64_t from, to;  /* of the clock */
};

#define NO_DEADLINE INT64_MIN

extern bool delays_matter; /* [DEP-3] */
extern struct allocations {
    bool matter; /* [DEP-10] */
    bool met;    /* two that would be dependent then */
} allocations;

/* Of what the thread, or the clock, is about to do: what cannot be known yet is assumed to matter,
   except what it will announce next. */
struct effect effect_of_next(unsigned number);

bool effects_depend(const struct effect *, const struct effect *); /* of different threads */

/* Of the same step in two executions that differ only in choices of data: both at once. */
void effect_add(struct effect *, const struct effect *other);

#endif
