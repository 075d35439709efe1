/*
 * Who can know of what: happens-before, data races, and what a load may read.
 *
 * Only called while machine.ordering. Every thread has a vector clock, every object that threads
 * synchronise on has one; accesses that are not ordered by them, one of them a plain one and one a
 * write, are a data race. Under the memory model `c11` atomic locations have a history besides, and
 * a load may read any store that the clocks do not forbid (a choice of the strategy).
 */
#ifndef HARNESS_EXPLORE_MEMORY_H
#define HARNESS_EXPLORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h>

enum memory_model {
    MEMORY_SC, /* a load reads the latest store */
    MEMORY_C11
};

enum {
    ACCESS_WRITES = 1,
    ACCESS_ATOMIC = 2
};

struct memory_rules {
    enum memory_model model;
    bool races; /* plain accesses are checked, and freed memory is found */
};

extern struct memory_rules memory_rules;

void memory_reset(void); /* for a new execution */

/* Atomics, performed by the thread that steps. `old` is what memory holds now: the latest store. */
uint64_t memory_load(const void *address, size_t size, uint64_t old, int order);
void memory_store(const void *address, size_t size, uint64_t old, uint64_t new, int order);
void memory_rmw(const void *address, size_t size, uint64_t old, uint64_t new, int order);
uint64_t memory_failed_cas(const void *address, size_t size, uint64_t old, uint64_t expected,
                           int order); /* what it found */
void memory_fence(int order);

/* Everything else that orders threads: locks, conditions, creation and so on. */
void memory_acquire(const void *object);
void memory_release(const void *object); /* adds to what was released before */
void memory_fork(unsigned child);
void memory_join(unsigned ended);

/* A plain access, by the running thread. */
void memory_access(const void *address, size_t size, unsigned flags, const void *pc);
/* A block changes hands: what was known of it is forgotten. */
void memory_forget(const void *address, size_t size);

#endif
