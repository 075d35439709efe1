/*
 * What was done with which byte, and who could not have known.
 *
 * Every eight bytes of the program's memory (blocks, stacks, global variables) have a cell with a
 * few records of the accesses that they met:
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
#include "harness/explore/memory_parts.h"

enum {
    GRANULE = 8,
    RECORDS = 4,
    GLOBALS = 2, /* regions of them */
    REGIONS = 2 + GLOBALS,
    LOCK_BYTES = 4 /* of a lock: those that the smallest has */
};

enum how {
    HOW_WRITES = ACCESS_WRITES,
    HOW_PLAIN = ACCESS_ATOMIC /* the other way round, so that more bits are a stronger access */
};

enum place {
    EPOCH_AT = 32,
    THREAD_AT = 24,
    KIND_AT = 16,
    BYTES_AT = 8
};

#define BYTES      (UINT64_C(0xff) << BYTES_AT)
#define WHOLE_CELL BYTES

struct cell {
    uint64_t records[RECORDS];
    const void *pcs[RECORDS];
};

/* Blocks come first, then stacks. */
static struct region {
    uintptr_t start;
    size_t size;
    struct cell *cells;
} regions[REGIONS];

static struct region *const blocks = &regions[0];

/* ---- telling ---- */

static unsigned thread_of(uint64_t record)
{
    return (unsigned)(record >> THREAD_AT) & 0xff;
}

static uint32_t epoch_of(uint64_t record)
{
    return (uint32_t)(record >> EPOCH_AT);
}

static struct access access_of(uint64_t record, const void *pc)
{
    unsigned flags = (unsigned)(record >> KIND_AT) & 0xff;

    return (struct access){.pc = pc,
                           .thread = thread_of(record),
                           .size = (unsigned)__builtin_popcountll(record & BYTES),
                           .flags = flags | (record & HOW_WRITES ? ACCESS_WRITES : 0) |
                                    (record & HOW_PLAIN ? 0 : ACCESS_ATOMIC)};
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
    const uint64_t kind = (uint64_t)ACCESS_FREES << KIND_AT;

    for (unsigned i = 0; i < RECORDS; i++)
        if (epoch_of(cell->records[i]) >= ordering.floor && (cell->records[i] & kind))
            return access_of(cell->records[i], cell->pcs[i]);
    return (struct access){.pc = arena_block_of(address)->pc, .flags = ACCESS_FREES};
}

static struct cell *cell_of_block(const void *address)
{
    return &blocks->cells[((uintptr_t)address - blocks->start) / GRANULE];
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

static inline uint64_t record_of(uint64_t bytes, unsigned flags)
{
    return (uint64_t)own_epoch() << EPOCH_AT | (uint64_t)machine.current << THREAD_AT |
           (uint64_t)(flags & ~3U) << KIND_AT | bytes | ((flags & 3) ^ ACCESS_ATOMIC);
}

/* All that `mine` says is said already. */
static inline bool says(uint64_t record, uint64_t mine)
{
    return (mine & ~record) == 0 && (record ^ mine) >> KIND_AT == 0;
}

static inline bool conflicts(uint64_t record, uint64_t mine)
{
    return (record & mine & BYTES) != 0 && ((record | mine) & HOW_WRITES) &&
           ((record | mine) & HOW_PLAIN);
}

/* [RACES-2], given that the record is known. */
static inline bool is_replaced_by(uint64_t record, uint64_t mine)
{
    return ((record & ~mine) & (BYTES | HOW_WRITES | HOW_PLAIN)) == 0;
}

static __attribute__((noinline)) void add_record(struct cell *cell, uint64_t mine,
                                                 const void *address, const void *pc)
{
    const struct clock *own = &own_knowledge()->clock;
    unsigned place = RECORDS;

    for (unsigned i = 0; i < RECORDS; i++) {
        uint64_t record = cell->records[i];
        if (epoch_of(record) < ordering.floor) { /* [RACES-1] */
            place = i;
        } else if (epoch_of(record) <= own->at[CLOCK_FIRST + thread_of(record)]) {
            if (is_replaced_by(record, mine)) {
                cell->records[i] = 0;
                place = i;
            }
        } else if (conflicts(record, mine)) {
            report_race(access_of(record, cell->pcs[i]), access_of(mine, pc), address);
        }
    }
    if (place == RECORDS)
        place = machine.steps % RECORDS; /* [RACES-3] */
    cell->records[place] = mine;
    cell->pcs[place] = pc;
}

/* ---- accesses ---- */

static inline bool is_allocated(uintptr_t address)
{
    return arena.states[(address - blocks->start) / ARENA_UNIT] == ARENA_ALLOCATED;
}

static struct cell *cell_elsewhere(uintptr_t address)
{
    for (unsigned i = 1; i < REGIONS; i++)
        if (address - regions[i].start < regions[i].size)
            return &regions[i].cells[(address - regions[i].start) / GRANULE];
    return NULL;
}

static inline void access_cell(uintptr_t address, uint64_t bytes, unsigned flags, const void *pc)
{
    uint64_t mine = record_of(bytes, flags);
    struct cell *cell;

    if (address - blocks->start < ARENA_BYTES) {
        if (!is_allocated(address))
            report_not_allocated((const void *)address, access_of(mine, pc));
        cell = &blocks->cells[(address - blocks->start) / GRANULE];
    } else if (!(cell = cell_elsewhere(address))) {
        return;
    }
    for (unsigned i = 0; i < RECORDS; i++)
        if (says(cell->records[i], mine))
            return;
    add_record(cell, mine, (const void *)address, pc);
}

/* So many bytes of a cell, beginning with number `first`. */
static inline uint64_t bytes_from(size_t first, size_t count)
{
    return ((UINT64_C(1) << count) - 1) << (BYTES_AT + first);
}

static void access_cells(uintptr_t address, size_t size, unsigned flags, const void *pc)
{
    while (size > 0) {
        size_t first = address % GRANULE;
        size_t count = size < GRANULE - first ? size : GRANULE - first;
        access_cell(address, bytes_from(first, count), flags, pc);
        address += count;
        size -= count;
    }
}

void memory_access(const void *address, size_t size, unsigned flags, const void *pc)
{
    size_t first = (uintptr_t)address % GRANULE;

    if (!memory_rules.races)
        return;
    if (first + size <= GRANULE)
        access_cell((uintptr_t)address, bytes_from(first, size), flags, pc);
    else
        access_cells((uintptr_t)address, size, flags, pc);
}

/* Who wakes up, or is let through, comes back from an object that may be gone by then. */
void memory_use(const struct op *op)
{
    const unsigned flags = ACCESS_ATOMIC | ACCESS_LOCKS;

    if (op->kind <= OP_FENCE || !op->object)
        return;
    if (op->kind != OP_WAKE && op->kind != OP_BARRIER_LEAVE)
        memory_access(op->object, LOCK_BYTES, flags, op->pc);
    if (op->second)
        memory_access(op->second, LOCK_BYTES, flags, op->pc);
}

/* ---- blocks ---- */

void memory_allocated(const void *address, size_t size, const void *pc)
{
    uint64_t mine = record_of(WHOLE_CELL, ACCESS_WRITES | ACCESS_ALLOCATES);
    struct cell *cell = cell_of_block(address);

    if (arena.reuses)
        memory_forget_objects(address, size);
    if (!memory_rules.races)
        return;
    for (const struct cell *end = cell + (size + GRANULE - 1) / GRANULE; cell < end; cell++) {
        if (arena.reuses)
            *cell = (struct cell){0};
        cell->records[0] = mine;
        cell->pcs[0] = pc;
    }
}

void memory_freed(const void *address, size_t size, const void *pc)
{
    memory_access(address, (size + GRANULE - 1) / GRANULE * GRANULE, ACCESS_WRITES | ACCESS_FREES,
                  pc);
}

void memory_freed_twice(const void *address, const void *pc)
{
    struct access again = access_of(record_of(0, ACCESS_WRITES | ACCESS_FREES), pc);
    struct access first = freeing_of(cell_of_block(address), address);

    show(address, first, again);
    machine_finish(ENDED_DOUBLE_FREE,
                   "thread %u frees a block of %u bytes that thread %u has freed", again.thread,
                   arena_block_of(address)->size, first.thread);
}

/* ---- shadows ---- */

static bool cover(struct region *region, const void *start, size_t size)
{
    region->start = (uintptr_t)start / GRANULE * GRANULE;
    region->size = size == 0 ? 0 : (uintptr_t)start + size - region->start;
    if (size == 0)
        return true;
    region->cells = memory_reserve((region->size / GRANULE + 1) * sizeof *region->cells);
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
    return done;
}

/* The system gives zeroes for what it takes back. */
void races_forget_all(void)
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (regions[i].cells)
            madvise(regions[i].cells, (regions[i].size / GRANULE + 1) * sizeof(struct cell),
                    MADV_DONTNEED);
}
