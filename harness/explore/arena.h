/*
 * The arena: where explored programs get their memory from, at the same addresses every time, in
 * each execution and in each process.
 *
 * It knows of every byte whether it is allocated, freed, or nobody's. Freed memory is not given out
 * again in the same execution, so that whoever still uses it is found; or, on request, it is given
 * out again at once, so that an address can be met a second time under another name (rules.reuse).
 */
#ifndef HARNESS_EXPLORE_ARENA_H
#define HARNESS_EXPLORE_ARENA_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h>

enum arena_state {
    ARENA_NOBODYS,
    ARENA_ALLOCATED,
    ARENA_FREED
};

enum {
    ARENA_BYTES = 256 * 1024 * 1024,
    ARENA_UNIT = 16,  /* what is allocated is a multiple of this, and known by this */
    ARENA_FILL = 0xA5 /* each byte, before the program writes it */
};

struct arena_block {
    uint32_t size;  /* asked for */
    uint32_t units; /* taken, this header included */
    const void *pc; /* who allocated it; once freed, who freed it */
};

struct arena {
    unsigned char *start;
    size_t used;
    uint8_t *states; /* one for each unit */
    bool reuses;
};

extern struct arena arena;

bool arena_prepare(void); /* once; false: no memory */
void arena_reset(void);
void *arena_allocate(size_t size, size_t alignment, const void *pc); /* NULL: none left */
void arena_free(struct arena_block *, const void *pc);               /* which is allocated */
struct arena_block *arena_block_of(const void *address); /* NULL: of none, living or freed */
/* The first block that is allocated from `unit` on, which becomes the one behind it; NULL: none. */
struct arena_block *arena_next_block(size_t *unit);

/* Without a tag in its upper 16 bits; no address of a program needs these. */
static inline const void *arena_untagged(const void *pointer)
{
    return (const void *)((uintptr_t)pointer & UINT64_C(0xFFFFFFFFFFFF));
}
static inline bool arena_has(const void *address)
{
    return (uintptr_t)address - (uintptr_t)arena.start < arena.used;
}
static inline enum arena_state arena_state_of(const void *address)
{
    return (enum arena_state)
        arena.states[((uintptr_t)address - (uintptr_t)arena.start) / ARENA_UNIT];
}

#endif
