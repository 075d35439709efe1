/*
 * Who can know of what: happens-before, data races, and what a load may read.
 *
 * Only called while machine.ordering. Every thread has a vector clock, every object that threads
 * synchronise on has one; accesses that are not ordered by them, one of them a plain one and one a
 * write, are a data race. Under the memory model `c11` atomic locations have a history besides, and
 * a load may read any store that the clocks do not forbid (a choice of the strategy).
 *
 *      memory.c          what orders threads: atomics, fences, locks, creation
 *      memory_races.c    what they did with which byte, and who may not have
 *      memory_stores.c   what an atomic load may read
 */
#ifndef HARNESS_EXPLORE_MEMORY_H
#define HARNESS_EXPLORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h>

#include "harness/explore/machine.h"

enum memory_model {
    MEMORY_SC, /* a load reads the latest store */
    MEMORY_C11,
    MEMORY_MODELS
};

struct memory_rules {
    enum memory_model model;
    bool races; /* plain accesses are checked, and freed memory is found */
};

extern struct memory_rules memory_rules;

bool memory_prepare(void); /* once; false: no memory */
void memory_reset(void);   /* for a new execution */

/* Atomics, performed by the thread that steps. `old` is what memory holds now: the latest store.
   Of those that have more than eight bytes, only the latest store can be read. memory_store and
   memory_rmw return what memory holds afterwards: still `old`, if the store came before that. */
uint64_t memory_load(const void *address, size_t size, uint64_t old, int order);
uint64_t memory_store(const void *address, size_t size, uint64_t old, uint64_t new, int order);
/* What a read-modify-write reads; then it has to be done. */
uint64_t memory_find(const void *address, size_t size, uint64_t old, int order);
uint64_t memory_rmw(const void *address, size_t size, uint64_t old, uint64_t new, int order);
/* What it found; if that is `expected`, it has been replaced. `held`: by memory, now and then. */
uint64_t memory_cas(const void *address, size_t size, uint64_t *held, uint64_t expected,
                    uint64_t desired, int success, int failure);
void memory_fence(int order);

/* Everything else that orders threads: locks, conditions, creation and so on. */
void memory_acquire(const void *place);
void memory_release(const void *place);                   /* adds to what was released before */
void memory_meet(const void *object, thread_set threads); /* all of them acquire it, and it begins
                                                             anew: the round of a barrier */
/* Only where loads may read old stores. */
static inline bool memory_is_weak(void)
{
    return machine.ordering && memory_rules.model == MEMORY_C11;
}
/* Then, of what tells a thread of others and does not order it after them: it has seen what state
   the object is in, as when a lock is refused. NULL: of nothing that others acquire or release. */
void memory_learn(const void *place);
void memory_signal(unsigned woken); /* it wakes up that one, which waits on a condition */
void memory_fork(unsigned child);
bool memory_knows_end_of(unsigned ended); /* the running thread, of all that one did */
void memory_join(unsigned ended);

/* A plain access, by the running thread. */
void memory_access(const void *address, size_t size, unsigned flags, const void *pc);
_Noreturn void memory_refuse_thread_local(const void *pc); /* a lock that is */
/* Of a lock, a condition or the like. */
void memory_use(const void *object, const void *pc);
/* Of the objects of an op that is about to be done. Others than these are atomics, or about what is
   the machine's. */
static inline bool memory_is_used_by(enum op_kind kind)
{
    return kind > OP_FENCE && kind < OP_CREATE;
}
void memory_use_of(const struct op *op);
/* A block changes hands. */
void memory_allocated(const void *address, size_t size, const void *pc);
void memory_freed(const void *address, size_t size, const void *pc);
_Noreturn void memory_freed_twice(const void *address, const void *pc);

#endif
