/*
 * What was done with which byte, and who could not have known.
 *
 * Every eight bytes of the program's memory (blocks, stacks, global variables) have a cell with a
 * few records of the accesses that they met, latest last:
 *
 *      63      32 31   24 23   16 15    8 7     0
 *      |  epoch  | thread |  kind | bytes |  how  |    + where in the program
 *
 * An access is a data race with a record if they share a byte, one of them writes, one of them is
 * plain, and the record's epoch is not known to the thread. ThreadSanitizer does the same.
 *
 *   [RACES-1] A record below the floor is of an earlier execution, and counts as none [CLOCKS-1].
 *   [RACES-2] A record that is known to the thread, and is no stronger than the new one (no other
 *             bytes; a write only by a write, a plain one only by a plain one) can be replaced by
 *             it: whatever conflicts with the old one in future will conflict with the new one.
 *   [RACES-3] Where there is no room after that, a record is lost, and with it possibly a race with
 *             it. Which one is a matter of the step, and the same in each replay. It takes more
 *             unordered readers of the same bytes than there are records.
 *
 * A block that was freed, and memory between blocks, must not be accessed at all. Blocks are known
 * by units of sixteen bytes: the few between the end of a block and the end of its unit are not
 * watched. Allocating and freeing count as plain writes of the whole block. Locks, conditions and
 * the like count as atomic reads when they are used, so that whoever destroys or frees one that
 * somebody else may still use is found even where it went well.
 *
 * Stack frames come and go without notice. That does no harm: whoever accessed a variable of another
 * thread's frame without a race is known to that thread before its frame ends. Thread-local
 * variables have no cells; they are nobody else's.
 *
 * Rejected: one record of the last write and one clock of reads for each byte (FastTrack), which
 * loses nothing but needs memory for clocks as it goes; and four bytes of a record for the program
 * counter relative to the executable, which would save half of the memory and no time.
 */
#include <stdio.h> /* snprintf */
#include <sys/mman.h>

#include "harness/explore/arena.h"
#include "harness/explore/globals.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/memory_parts.h"

enum {
    GLOBALS = 2, /* regions of them */
    REGIONS = 2 + GLOBALS,
    LOCK_BYTES = 4 /* of a lock: those that the smallest has */
};

#define WHOLE_CELL cell_bytes(0, CELL_BYTES)

struct shadow shadow;

/* Blocks come first, then stacks. */
static struct region {
    uintptr_t start;
    size_t size;
    struct cell *cells;
} regions[REGIONS];

/* ---- telling ---- */

static unsigned thread_of(uint64_t record)
{
    return (unsigned)(record >> CELL_THREAD_AT) & 0xff;
}

static uint32_t epoch_of(uint64_t record)
{
    return (uint32_t)(record >> CELL_EPOCH_AT);
}

static inline bool is_of_this_execution(uint64_t record)
{
    return epoch_of(record) >= ordering.floor; /* [RACES-1] */
}

static struct access access_of(uint64_t record, const void *pc)
{
    unsigned flags = (unsigned)(record >> CELL_KIND_AT) & 0xff;

    return (struct access){.pc = pc,
                           .thread = thread_of(record),
                           .size = (unsigned)__builtin_popcountll(record & WHOLE_CELL),
                           .flags = flags | (record & CELL_WRITES ? ACCESS_WRITES : 0) |
                                    (record & CELL_PLAIN ? 0 : ACCESS_ATOMIC)};
}

static const char *verb_of(const struct access *access)
{
    if (access->flags & ACCESS_FREES)
        return "frees";
    if (access->flags & ACCESS_ALLOCATES)
        return "allocates";
    if (access->flags & ACCESS_LOCKS)
        return "uses a lock, condition or the like in";
    if (access->flags & ACCESS_ATOMIC)
        return access->flags & ACCESS_WRITES ? "atomically writes" : "atomically reads";
    return access->flags & ACCESS_WRITES ? "writes" : "reads";
}

/* Without addresses: these may differ from one run of the explorer to the next. */
static void tell_place(const void *address, char *text, size_t room)
{
    const struct arena_block *block = arena_block_of(address);

    if (block)
        snprintf(text, room, "at %td of a block of %u bytes",
                 (const char *)address - (const char *)(block + 1), block->size);
    else if (arena_has(address))
        snprintf(text, room, "between blocks");
    else
        snprintf(text, room,
                 (uintptr_t)address - regions[1].start < regions[1].size ? "on a stack"
                                                                         : "of a global variable");
}

static void show(const void *address, struct access first, struct access second)
{
    machine.address = address;
    machine.access_count = 2;
    machine.accesses[0] = first;
    machine.accesses[1] = second;
    machine.culprit = second.pc;
}

static _Noreturn void report_race(struct access first, struct access second, const void *address)
{
    char place[64];

    tell_place(address, place, sizeof place);
    show(address, first, second);
    machine_finish(ENDED_RACE,
                   "thread %u %s %u bytes, thread %u %s %u bytes %s, and nothing orders "
                   "the two",
                   first.thread, verb_of(&first), first.size, second.thread, verb_of(&second),
                   second.size, place);
}

static struct access freeing_of(const struct cell *cell, const void *address)
{
    const uint64_t kind = (uint64_t)ACCESS_FREES << CELL_KIND_AT;

    for (unsigned i = 0; i < CELL_RECORDS; i++)
        if (is_of_this_execution(cell->records[i]) && (cell->records[i] & kind))
            return access_of(cell->records[i], cell->pcs[i]);
    return (struct access){.pc = arena_block_of(address)->pc, .flags = ACCESS_FREES};
}

static struct cell *cell_of_block(const void *address)
{
    return &shadow.cells[((uintptr_t)address - shadow.start) / CELL_BYTES];
}

static _Noreturn void report_not_allocated(const void *address, struct access use)
{
    struct access freeing = use;
    bool freed = arena_state_of(address) == ARENA_FREED;
    char place[64];

    if (freed)
        freeing = freeing_of(cell_of_block(address), address);
    tell_place(address, place, sizeof place);
    show(address, freeing, use);
    if (freed)
        machine_finish(ENDED_USE_AFTER_FREE, "thread %u %s %u bytes %s that thread %u has freed",
                       use.thread, verb_of(&use), use.size, place, freeing.thread);
    machine.access_count = 1;
    machine_finish(ENDED_OUT_OF_BLOCK, "thread %u %s %u bytes %s", use.thread, verb_of(&use),
                   use.size, place);
}

/* ---- records ---- */

/* All that `mine` says is said already. */
static inline bool says(uint64_t record, uint64_t mine)
{
    return (mine & ~record) == 0 && (record ^ mine) >> CELL_KIND_AT == 0;
}

static inline bool conflicts(uint64_t record, uint64_t mine)
{
    return (record & mine & WHOLE_CELL) != 0 && ((record | mine) & CELL_WRITES) &&
           ((record | mine) & CELL_PLAIN);
}

/* [RACES-2], given that the record is known. */
static inline bool is_replaced_by(uint64_t record, uint64_t mine)
{
    return ((record & ~mine) & (WHOLE_CELL | CELL_WRITES | CELL_PLAIN)) == 0;
}

/* Puts it behind those that stay, unless one of them says it already. */
static inline void add_record(struct cell *cell, uint64_t mine, const void *address, const void *pc)
{
    const uint32_t *known = &own_knowledge()->clock.at[CLOCK_FIRST];
    unsigned kept = 0, i = 0;
    bool said = false;

    for (; i < CELL_RECORDS && is_of_this_execution(cell->records[i]); i++) {
        uint64_t record = cell->records[i];
        if (epoch_of(record) <= known[thread_of(record)]) {
            if (is_replaced_by(record, mine))
                continue;
            said |= says(record, mine);
        } else if (conflicts(record, mine)) {
            report_race(access_of(record, cell->pcs[i]), access_of(mine, pc), address);
        }
        if (kept != i) {
            cell->records[kept] = record;
            cell->pcs[kept] = cell->pcs[i];
        }
        kept++;
    }
    if (!said) {
        kept = kept < CELL_RECORDS ? kept : machine.steps % CELL_RECORDS; /* [RACES-3] */
        cell->records[kept] = mine;
        cell->pcs[kept++] = pc;
    }
    for (; kept < i; kept++)
        cell->records[kept] = 0;
}

/* ---- accesses ---- */

void memory_access_cell(struct cell *cell, uint64_t mine, const void *address, const void *pc)
{
    if (arena_state_of(address) != ARENA_ALLOCATED)
        report_not_allocated(address, access_of(mine, pc));
    add_record(cell, mine, address, pc);
}

static struct cell *cell_elsewhere(uintptr_t address)
{
    for (unsigned i = 1; i < REGIONS; i++)
        if (address - regions[i].start < regions[i].size)
            return &regions[i].cells[(address - regions[i].start) / CELL_BYTES];
    return NULL;
}

static void access_elsewhere(uintptr_t address, uint64_t bytes, unsigned flags, const void *pc)
{
    struct cell *cell = shadow.alone ? NULL : cell_elsewhere(address);
    uint64_t mine = cell_record(bytes, flags);

    if (cell && cell->records[0] != mine) /* [CELLS-1] */
        add_record(cell, mine, (const void *)address, pc);
}

void memory_access(const void *address, size_t size, unsigned flags, const void *pc)
{
    uintptr_t at = (uintptr_t)address;

    if (!memory_rules.races)
        return;
    for (size_t count; size > 0; at += count, size -= count) {
        size_t first = at % CELL_BYTES;
        count = size < CELL_BYTES - first ? size : CELL_BYTES - first;
        if (at - shadow.start < ARENA_BYTES)
            memory_quick_access((const void *)at, count, flags, pc);
        else
            access_elsewhere(at, cell_bytes(first, count), flags, pc);
    }
}

/* Who wakes up, or is let through, comes back from an object that may be gone by then. */
void memory_use(const struct op *op)
{
    const unsigned flags = ACCESS_ATOMIC | ACCESS_LOCKS;

    if (!memory_rules.races || op->kind <= OP_FENCE || !op->object)
        return;
    if (op->kind != OP_WAKE && op->kind != OP_BARRIER_LEAVE)
        memory_access(op->object, LOCK_BYTES, flags, op->pc);
    if (op->second)
        memory_access(op->second, LOCK_BYTES, flags, op->pc);
}

/* ---- blocks ---- */

static size_t cells_for(size_t size)
{
    return (size + CELL_BYTES - 1) / CELL_BYTES;
}

void memory_allocated(const void *address, size_t size, const void *pc)
{
    uint64_t mine = cell_record(WHOLE_CELL, ACCESS_WRITES | ACCESS_ALLOCATES);
    struct cell *cell = cell_of_block(address);

    if (arena.reuses)
        memory_forget_objects(address, size);
    if (!memory_rules.races || (shadow.alone && !arena.reuses))
        return;
    for (const struct cell *end = cell + cells_for(size); cell < end; cell++) {
        if (arena.reuses)
            *cell = (struct cell){0};
        cell->records[0] = mine;
        cell->pcs[0] = pc;
    }
}

/* Records it even if it is alone: somebody may ask who freed the block. */
void memory_freed(const void *address, size_t size, const void *pc)
{
    uint64_t mine = cell_record(WHOLE_CELL, ACCESS_WRITES | ACCESS_FREES);
    struct cell *cell = cell_of_block(address);

    if (!memory_rules.races)
        return;
    for (size_t i = 0; i < cells_for(size); i++)
        add_record(&cell[i], mine, (const char *)address + i * CELL_BYTES, pc);
}

void memory_freed_twice(const void *address, const void *pc)
{
    struct access again = access_of(cell_record(0, ACCESS_WRITES | ACCESS_FREES), pc);
    struct access first = freeing_of(cell_of_block(address), address);

    show(address, first, again);
    machine_finish(ENDED_DOUBLE_FREE,
                   "thread %u frees a block of %u bytes that thread %u has freed", again.thread,
                   arena_block_of(address)->size, first.thread);
}

/* ---- shadows ---- */

static bool cover(struct region *region, const void *start, size_t size)
{
    region->start = (uintptr_t)start / CELL_BYTES * CELL_BYTES;
    region->size = size == 0 ? 0 : (uintptr_t)start + size - region->start;
    if (size == 0)
        return true;
    region->cells = memory_reserve((region->size / CELL_BYTES + 1) * sizeof *region->cells);
    return region->cells != NULL;
}

bool races_prepare(void)
{
    bool done = cover(&regions[0], arena.start, ARENA_BYTES) &&
                cover(&regions[1], fiber_stacks_start(), fiber_stacks_size());

    for (unsigned i = 0; done && i < GLOBALS; i++) {
        void *start;
        size_t size;
        done = globals_region(i, &start, &size) && cover(&regions[2 + i], start, size);
    }
    shadow.start = regions[0].start;
    shadow.cells = regions[0].cells;
    return done;
}

/* The system gives zeroes for what it takes back. */
void races_forget_all(void)
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (regions[i].cells)
            madvise(regions[i].cells, (regions[i].size / CELL_BYTES + 1) * sizeof(struct cell),
                    MADV_DONTNEED);
}
