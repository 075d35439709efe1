/*
 * How often each thread has a read-write lock for reading.
 *
 * In the narrow build that is in the lock itself, four bits for each thread. A pthread_rwlock_t is
 * too small for those of the wide one. There a lock that has readers has a row in a table, and
 * names it; when its last reader leaves, the row is free for another lock.
 */
#ifndef HARNESS_EXPLORE_HOLDS_H
#define HARNESS_EXPLORE_HOLDS_H

#include "harness/explore/objects.h"

enum {
    HOLD_BITS = 4,
    MOST_HOLDS = (1 << HOLD_BITS) - 1
};

#if SET_WORDS == 1

static inline unsigned holds_of(const struct x_rwlock *lock, unsigned thread)
{
    return lock->held[thread / 2] >> thread % 2 * HOLD_BITS & MOST_HOLDS;
}

static inline void holds_add(struct x_rwlock *lock, unsigned thread, int count)
{
    uint8_t *held = &lock->held[thread / 2];

    *held = (uint8_t)(*held + count * (1 << thread % 2 * HOLD_BITS));
    lock->readers += (uint32_t)count;
}

static inline void holds_forget(void) {}

static inline const void *holds_table(size_t *size)
{
    *size = 0;
    return NULL;
}

#else

unsigned holds_of(const struct x_rwlock *, unsigned thread);
void holds_add(struct x_rwlock *, unsigned thread, int count); /* 1 or -1 */
void holds_forget(void);                                       /* for a new execution */
const void *holds_table(size_t *size);                         /* what it has used of the table */

#endif

#endif
