/*
 * See leaks.h. Marks what can be reached, then looks for blocks without a mark.
 *
 * Whatever looks like a pointer is taken for one, as in a conservative garbage collector: a number
 * that happens to be the address of a block hides that block's leak. Addresses are the same in each
 * execution, so it does so always or never.
 *
 * Programs keep tags and counters in the upper 16 bits of a word whose other bits are an address:
 * the upper bits are ignored. LeakSanitizer reports a block whose only pointer has such a tag, and
 * so asks such programs for an exception; here, to miss a leak is the lesser evil. A pointer that
 * was shifted to make room for a tag is not recognised.
 *
 * Blocks that are marked but whose contents have not been looked at are in a list of their own: a
 * function that called itself would need as much stack as the longest chain of blocks. The list has
 * room for all blocks that the arena has room for.
 *
 * A thread that does not run has its registers on its stack (fiber.c).
 */
#include "harness/explore/leaks.h"

#include <string.h>

#include "harness/explore/fiber.h"
#include "harness/explore/globals.h"
#include "harness/explore/machine.h"
#include "harness/explore/memory_parts.h"

/* Of a block's size; the execution is over, and nobody else will look at it. */
#define MARK UINT32_C(0x80000000)

static struct {
    struct arena_block **blocks;
    size_t count;
} pending;

/* ---- marking ---- */

static void mark_block_at(const void *pointer)
{
    struct arena_block *block = arena_block_of(pointer);

    if (!block || arena_state_of(pointer) != ARENA_ALLOCATED || (block->size & MARK))
        return;
    block->size |= MARK;
    pending.blocks[pending.count++] = block;
}

static inline void mark(const void *pointer)
{
    const void *address = arena_untagged(pointer);

    if (arena_has(address))
        mark_block_at(address);
}

static void mark_words(const void *start, size_t size)
{
    const unsigned char *bytes = start;

    for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
        void *pointer;
        memcpy(&pointer, bytes + at, sizeof pointer);
        mark(pointer);
    }
}

static void mark_contents(const struct arena_block *block)
{
    mark_words(block + 1, block->size & ~MARK);
}

static void mark_reachable(void)
{
    while (pending.count > 0)
        mark_contents(pending.blocks[--pending.count]);
}

/* ---- roots ---- */

static void mark_globals(void)
{
    void *start;
    size_t size;

    for (unsigned i = 0; globals_region(i, &start, &size); i++)
        mark_words(start, size);
}

static void mark_living(unsigned number, const void *frame)
{
    const struct thread *thread = &machine.threads[number];
    const char *end = fiber_stack_end(number);
    bool runs = number == machine.current;

    mark(thread->argument);
    mark_words(thread->specific, machine.keys * sizeof thread->specific[0]);
    mark_words(runs ? globals_tls.start : thread->tls, globals_tls.size);
    if (!runs)
        frame = thread->fiber.stack_pointer;
    if (frame)
        mark_words(frame, (size_t)(end - (const char *)frame));
}

static void mark_threads(const void *frame)
{
    for (unsigned i = 0; i < machine.count; i++) {
        if (machine.threads[i].alive)
            mark_living(i, frame);
        else if (!machine.threads[i].joined)
            mark(machine.threads[i].result);
    }
}

/* ---- what is left ---- */

/* The first of them. */
static struct arena_block *count_lost(struct leaks *leaks)
{
    struct arena_block *block, *first = NULL;

    for (size_t unit = 0; (block = arena_next_block(&unit));)
        if (!(block->size & MARK)) {
            if (!first)
                first = block;
            leaks->blocks++;
            leaks->bytes += block->size;
        }
    return first;
}

/* What was lost with another block is found where that was lost. In a ring, the first must do. */
static const struct arena_block *first_by_itself(struct arena_block *first)
{
    struct arena_block *block;

    for (size_t unit = 0; (block = arena_next_block(&unit));)
        if (!(block->size & MARK)) {
            mark_contents(block);
            mark_reachable();
        }
    for (size_t unit = 0; (block = arena_next_block(&unit));)
        if (!(block->size & MARK))
            return block;
    first->size &= ~MARK;
    return first;
}

struct leaks leaks_find(const void *frame)
{
    struct leaks leaks = {0};

    if (arena.used == 0)
        return leaks;
    mark_globals();
    mark_threads(frame);
    mark_reachable();
    struct arena_block *first = count_lost(&leaks);
    leaks.first = first ? first_by_itself(first) : NULL;
    return leaks;
}

bool leaks_prepare(void)
{
    pending.blocks = memory_reserve(ARENA_BYTES / (2 * ARENA_UNIT) * sizeof *pending.blocks);
    return pending.blocks != NULL;
}
