/*
 * The arena: blocks one after the other, each behind a header of one unit.
 *
 * Resetting forgets all of them at once; only the states of the units that were used have to be
 * cleared. Memory is filled with a pattern when it is given out: a program that reads what it has
 * not written does the same thing in each execution [MACHINE-1].
 */
#include "harness/explore/arena.h"

#include <string.h>

#include "harness/explore/place.h"

enum {
    CLASSES = 64 /* lists of freed blocks, by their number of units; larger ones are not reused */
};

struct arena arena;

static struct arena_block *freed[CLASSES]; /* newest first; the link is in the block */

_Static_assert(sizeof(struct arena_block) == ARENA_UNIT, "a header takes one unit");

bool arena_prepare(void)
{
    void *memory = place_reserve(PLACE_OF_BLOCKS, ARENA_BYTES);
    void *states = place_reserve(NULL, ARENA_BYTES / ARENA_UNIT);

    arena.start = memory;
    arena.states = states;
    return memory != MAP_FAILED && states != MAP_FAILED;
}

void arena_reset(void)
{
    memset(arena.states, ARENA_NOBODYS, arena.used / ARENA_UNIT);
    arena.used = 0;
    if (arena.reuses)
        memset(freed, 0, sizeof freed);
}

static void *contents(struct arena_block *block)
{
    return block + 1;
}

static void set_state(struct arena_block *block, enum arena_state state)
{
    size_t first = ((size_t)((unsigned char *)block - arena.start)) / ARENA_UNIT + 1;

    memset(arena.states + first, (int)state, block->units - 1);
}

static struct arena_block *take_freed(uint32_t units)
{
    struct arena_block *block = units < CLASSES && arena.reuses ? freed[units] : NULL;

    if (block)
        memcpy(&freed[units], contents(block), sizeof freed[units]);
    return block;
}

static struct arena_block *take_new(uint32_t units, size_t alignment)
{
    uintptr_t start = (uintptr_t)arena.start + arena.used + sizeof(struct arena_block);
    size_t skipped = (alignment - start % alignment) % alignment;

    if (arena.used + skipped + (size_t)units * ARENA_UNIT > ARENA_BYTES)
        return NULL;
    struct arena_block *block = (struct arena_block *)(arena.start + arena.used + skipped);
    arena.used += skipped + (size_t)units * ARENA_UNIT;
    block->units = units;
    return block;
}

void *arena_allocate(size_t size, size_t alignment, const void *pc)
{
    if (size > ARENA_BYTES)
        return NULL;
    size_t rounded = size < ARENA_UNIT ? ARENA_UNIT : (size + ARENA_UNIT - 1) & ~(size_t)15;
    uint32_t units = (uint32_t)(rounded / ARENA_UNIT + 1);
    struct arena_block *block = alignment <= ARENA_UNIT ? take_freed(units) : NULL;
    if (!block)
        block = take_new(units, alignment < ARENA_UNIT ? ARENA_UNIT : alignment);
    if (!block)
        return NULL;
    block->size = (uint32_t)size;
    block->pc = pc;
    set_state(block, ARENA_ALLOCATED);
    memset(contents(block), ARENA_FILL, rounded);
    return contents(block);
}

/* ---- which block? ---- */

/* Blocks have a header, whose unit is nobody's: the block begins after the last such unit. Mostly
   its first unit is asked for. */
struct arena_block *arena_block_of(const void *address)
{
    if (!arena_has(address) || arena_state_of(address) == ARENA_NOBODYS)
        return NULL;
    size_t unit = ((uintptr_t)address - (uintptr_t)arena.start) / ARENA_UNIT;
    const uint8_t *header = &arena.states[unit - 1];
    if (*header != ARENA_NOBODYS)
        header = memrchr(arena.states, ARENA_NOBODYS, unit);
    return (struct arena_block *)(arena.start + (header - arena.states) * ARENA_UNIT);
}

struct arena_block *arena_next_block(size_t *unit)
{
    size_t end = arena.used / ARENA_UNIT;
    const uint8_t *found = memchr(arena.states + *unit, ARENA_ALLOCATED, end - *unit);

    if (!found)
        return NULL;
    size_t first = (size_t)(found - arena.states);
    struct arena_block *block = (struct arena_block *)(arena.start + (first - 1) * ARENA_UNIT);
    *unit = first + block->units - 1;
    return block;
}

void arena_free(struct arena_block *block, const void *pc)
{
    block->pc = pc;
    set_state(block, ARENA_FREED);
    if (arena.reuses && block->units < CLASSES) {
        memcpy(contents(block), &freed[block->units], sizeof freed[0]);
        freed[block->units] = block;
    }
}
