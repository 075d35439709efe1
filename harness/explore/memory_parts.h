/* What the three files of the memory share. memory.h says what they are for. */
#ifndef HARNESS_EXPLORE_MEMORY_PARTS_H
#define HARNESS_EXPLORE_MEMORY_PARTS_H

#include "harness/explore/epochs.h"
#include "harness/explore/memory.h"

/* What a thread knows, and what it is about to make known. */
struct knowledge {
    struct clock clock;
    struct clock unclaimed; /* what its relaxed loads met: an acquire fence makes it known */
    struct clock fenced;    /* what it knew at its last release fence */
};

struct ordering {
    uint32_t epoch; /* the latest one [EPOCHS-1] */
    uint32_t floor; /* the first one of this execution */
    struct knowledge threads[MACHINE_THREADS];
};

extern struct ordering ordering;

static inline struct knowledge *own_knowledge(void)
{
    return &ordering.threads[machine.current];
}
static inline uint32_t own_epoch(void)
{
    return ordering.threads[machine.current].clock.at[CLOCK_FIRST + machine.current];
}

/* ---- memory.c ---- */

void *memory_reserve(size_t size); /* zeroes, which cost nothing until touched; NULL: none */
void memory_forget_objects(const void *address, size_t size);

/* ---- memory_races.c ---- */

/* Whoever gets a mutex uses it when it has it: by then it knows of those who had it before, and one
   record takes the place of theirs. */
static inline bool memory_uses_late(const struct op *op)
{
    return op->kind == OP_LOCK || op->kind == OP_WAKE;
}

bool races_prepare(void);
void races_forget_all(void); /* epochs start again */

/* ---- memory_stores.c ---- */

enum {
    HISTORY = 16 /* stores of a location that are remembered */
};

struct store;

/* The stores of one location. They are numbered; store n is at n % HISTORY. */
struct history {
    uint32_t count; /* so far */
    uint32_t size;  /* in bytes */
    struct store *stores[HISTORY];
};

bool stores_prepare(void);
void stores_reset(void);
/* The store that a load reads from, and counts as having seen. */
struct store *stores_pick(struct history *, size_t size, uint64_t old, int order);
/* As above, for a compare-and-exchange: the latest, or one that has another value. */
struct store *stores_pick_for_cas(struct history *, size_t size, uint64_t old, uint64_t expected,
                                  int failure);
struct store *stores_latest(struct history *, size_t size, uint64_t old);
/* A new one; what it releases is for the caller to say. */
struct store *stores_add(struct history *, size_t size, uint64_t old, uint64_t new, int order);
uint64_t store_value(const struct store *);
struct clock *store_released(struct store *);
void stores_fence(void); /* of seq_cst, by the running thread */

#endif
