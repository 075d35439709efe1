/*
 * The quick half of memory_races.c, for the hooks at plain accesses: most of them repeat what their
 * thread did a moment ago, and are done after a handful of instructions.
 *
 *   [CELLS-1] A record that says of a thread what it would say again needs no second look: it was
 *             compared with all others when it was made, and these were compared with it when they
 *             were.
 *   [CELLS-2] Memory that is freed has one record, of its freeing: that was a plain write, which no
 *             other record survives. So where a record of an access is, it is not freed.
 *   [CELLS-3] While all other threads have ended, and all that they did is known to the one that is
 *             left, nothing it does can race: not with them, and not with threads to come, before
 *             which it happens. It leaves no records.
 */
#ifndef HARNESS_EXPLORE_MEMORY_CELLS_H
#define HARNESS_EXPLORE_MEMORY_CELLS_H

#include "harness/explore/arena.h"
#include "harness/explore/memory.h"

enum {
    CELL_BYTES = 8, /* of the program's memory */
    CELL_RECORDS = 4
};

/* A record, from the lowest bit:  how 8, bytes 8, kind 8, thread 8, epoch 32. In the wide build the
   thread has 10 of these bits, and the kind 6. */
enum cell_bit {
    CELL_WRITES = ACCESS_WRITES,
    CELL_PLAIN = ACCESS_ATOMIC, /* the other way round, so that more bits are a stronger access */
    CELL_HOW = CELL_WRITES | CELL_PLAIN,
    CELL_LINK = 4, /* no record, but a link to further ones: memory_races.c */
    CELL_BYTES_AT = 8,
    CELL_KIND_AT = 16,
    CELL_EPOCH_AT = 32,
    CELL_THREAD_BITS = SET_WORDS == 1 ? 8 : 10,
    CELL_THREAD_AT = CELL_EPOCH_AT - CELL_THREAD_BITS
};

/* Those of this execution come first, the others count as none. */
struct cell {
    uint64_t records[CELL_RECORDS];
    union {
        const void *pcs[CELL_RECORDS];
        struct {
            const void *before[CELL_RECORDS - 1];
            struct further *list; /* if the last record is a link */
        };
    };
};

/* What the accesses of a thread need. */
struct accessor {
    uint64_t stamp;        /* its number and its epoch, as in a record */
    const uint32_t *known; /* up to which epoch it knows of each thread */
    uintptr_t stack;       /* where its stack and its guard begin */
    struct cell *cells;    /* of these */
};

struct shadow {
    uintptr_t start;     /* of the arena */
    struct cell *cells;  /* its cells */
    uint64_t floor;      /* records below it are of an earlier execution */
    bool alone;          /* [CELLS-3] */
    struct accessor own; /* of the running thread: a copy, at an address that is known */
    struct accessor accessors[MACHINE_THREADS];
};

extern struct shadow shadow;

/* From now on this thread runs. */
static inline void memory_switch(unsigned number)
{
    shadow.own = shadow.accessors[number];
}

/* So many bytes of a cell, beginning with number `first`. */
static inline uint64_t cell_bytes(size_t first, size_t count)
{
    return ((UINT64_C(1) << count) - 1) << (CELL_BYTES_AT + first);
}

static inline uint64_t cell_record(uint64_t bytes, unsigned flags)
{
    return shadow.own.stamp | (uint64_t)(flags & ~(unsigned)CELL_HOW) << CELL_KIND_AT | bytes |
           ((flags & CELL_HOW) ^ CELL_PLAIN);
}

/* The rest of it, where nothing quicker helps: in the arena, and in other memory. */
void memory_access_cell(struct cell *, uint64_t mine, const void *address, const void *pc);
void memory_access_elsewhere(uint64_t mine, const void *address, const void *pc);

/* memory_access, if memory_rules.races; to be inlined where size and flags are known. */
static inline void memory_quick_access(const void *address, size_t size, unsigned flags,
                                       const void *pc)
{
    uintptr_t offset = (uintptr_t)address - shadow.start;
    size_t first = (uintptr_t)address % CELL_BYTES;

    if (first + size > CELL_BYTES) {
        memory_access(address, size, flags, pc);
        return;
    }
    uint64_t mine = cell_record(cell_bytes(first, size), flags);
    if (offset >= ARENA_BYTES) {
        memory_access_elsewhere(mine, address, pc);
        return;
    }
    machine.writes += (flags & (ACCESS_WRITES | ACCESS_ATOMIC)) == ACCESS_WRITES;
    struct cell *cell = &shadow.cells[offset / CELL_BYTES];
    uint64_t written = flags & ACCESS_WRITES ? 0 : CELL_WRITES; /* a read may have been */
    if (shadow.alone) {
        if (arena.states[offset / ARENA_UNIT] == ARENA_ALLOCATED)
            return;
    } else if ((cell->records[0] | written) == (mine | written) ||
               (cell->records[1] | written) == (mine | written)) {
        return; /* [CELLS-1] [CELLS-2] */
    }
    memory_access_cell(cell, mine, address, pc);
}

#endif
