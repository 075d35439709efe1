/* What the three files of the memory share. memory.h says what they are for. */
#ifndef HARNESS_EXPLORE_MEMORY_PARTS_H
#define HARNESS_EXPLORE_MEMORY_PARTS_H

#include "harness/explore/epochs.h"
#include "harness/explore/memory.h"

/* Instead of a thread's number, where it is asked who has released something [ORDER-1]. */
enum {
    NO_THREAD = (thread_number)-1,
    SEVERAL = NO_THREAD - 1,
    A_DEAD_ONE = NO_THREAD - 2 /* whose number another thread has by now */
};

_Static_assert((int)MACHINE_THREADS < (int)A_DEAD_ONE, "a number stands for something else");

struct object;

/* What a thread knows, and what it is about to make known. */
struct knowledge {
    _Alignas(64) struct clock clock;
    struct clock unclaimed; /* what its relaxed loads met: an acquire fence makes it known */
    struct clock fenced;    /* what it knew at its last release fence */
    const struct object *released_to; /* the last lock or the like that it has released, and */
    uint32_t released_step;           /* how many steps there were by then */
    uint32_t first_part;              /* of releases, and */
    uint32_t first_store;             /* that can be its own */
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
void races_forget_stack(unsigned thread);

/* ---- memory_stores.c ---- */

struct store {
    struct store *older; /* of the same location; NULL: this is the first */
    uint64_t value;
    thread_number writer;
    thread_number by; /* [ORDER-1] */
    bool seq_cst;
    bool updates;          /* it is a read-modify-write's, which read the one before */
    bool continues;        /* the release sequence of the one before */
    uint32_t time;         /* when it was executed */
    uint32_t fences;       /* of seq_cst, executed before it */
    uint32_t epoch;        /* of its writer */
    thread_set seen_by;    /* its writer included */
    struct clock released; /* with it */
    uint32_t seen_at[MACHINE_THREADS];
    bool visited;
    uint8_t visits[MACHINE_THREADS]; /* to it, or to those before it, to go there; if any */
};

/* The stores of one location, in modification order. */
struct history {
    struct store *latest; /* NULL: none so far */
};

bool stores_prepare(void);
void stores_reset(void);
uint32_t stores_count(void);                                /* in this execution */
void stores_retire_thread(unsigned number, uint32_t first); /* from this store on */
/* The latest store is what memory holds. Otherwise the history begins anew with that value. */
struct store *stores_latest(struct history *, uint64_t old);
/* The store that a load reads from, and counts as having seen. */
struct store *stores_pick(struct history *, uint64_t old, int order);
/* The store that a new one is to follow; one that `reads`, a read-modify-write, reads it, too. */
struct store *stores_place(struct history *, uint64_t old, int order, bool reads);
/* The store that a compare-and-exchange reads. If it has the expected value, the new one is to
   follow it; otherwise it counts as seen. */
struct store *stores_pick_for_cas(struct history *, uint64_t old, uint64_t expected, int success,
                                  int failure);
/* A new one, which follows `before`; what it releases is for the caller to say. */
struct store *stores_add(struct history *, struct store *before, uint64_t new, int order,
                         bool updates);
void stores_fence(void); /* of seq_cst, by the running thread */
void stores_learn(void); /* the running thread, of all so far, without an order */

static inline void note_time(unsigned entry, uint32_t time)
{
    uint32_t *at = &own_knowledge()->clock.at[entry];

    if (*at < time)
        *at = time;
}

/* By its writer, whom the running thread knows of. */
static inline bool store_is_known(const struct store *store)
{
    return clock_has(&own_knowledge()->clock, store->writer, store->epoch);
}

/* The running thread has come to it by reading it. */
static inline void store_note_read(const struct store *store, unsigned entry)
{
    if (!store_is_known(store))
        note_time(entry, store->time);
}

#endif
