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
 *   [RACES-1] A record below the floor is of an earlier execution, and counts as none [EPOCHS-1].
 *   [RACES-2] A record that is known to the thread, and is no stronger than the new one (no other
 *             bytes; a write only by a write, a plain one only by a plain one) can be replaced by
 *             it: whatever conflicts with the old one in future will conflict with the new one.
 *   [RACES-3] No record is lost. Where a cell has no room left, its last record is a link to a list
 *             of further ones. It takes more unordered accesses to the same bytes than there are
 *             records, so the list is slow and short. If even the lists have no room, the record
 *             is dropped and the verdict says so (LIMIT_RECORDS).
 *
 *   [RACES-4] Allocating is a plain write of the whole block, which the block's header has a record
 *             of. Each cell begins with a weak copy of it, which any access replaces that knows it.
 *             So an access that knows a record in its cell knows of the allocation: only others
 *             have to ask the header.
 *
 * A block that was freed, and memory between blocks, must not be accessed at all. Blocks are known
 * by units of sixteen bytes: the few between the end of a block and the end of its unit are not
 * watched. Freeing counts as a plain write of the whole block, too. Locks, conditions and the like
 * count as atomic reads when they are used, so that a thread that destroys or frees one which
 * another may still use is found even where it went well.
 *
 * Stack frames come and go without notice. That does no harm: whoever accessed a variable of
 * another thread's frame without a race is known to that thread before its frame ends. Where the
 * frames of a thread that does not run end is known, though: whoever reaches beyond that uses a
 * variable whose function has returned, or whose thread is no more. Thread-local variables have no
 * cells; they are nobody else's.
 *
 * Rejected: one record of the last write and one clock of reads for each byte (FastTrack), which
 * needs memory for clocks as it goes; and four bytes of a record for the program
 * counter relative to the executable, which would save half of the memory and no time.
 */
#include <stdio.h> /* snprintf */
#include <sys/mman.h>

#include "harness/explore/arena.h"
#include "harness/explore/globals.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/memory_parts.h"

enum {
    STACKS = 1, /* of the regions */
    REGIONS = 2 + GLOBALS_REGIONS,
    LOCK_BYTES = 4,      /* of a lock: those that the smallest has */
    RUNTIME_WORDS = 128, /* of the stack, that its frames take at most */
    FURTHER = 1 << 20    /* records beside those in cells */
};

/* A record that found no room in its cell. */
struct further {
    uint64_t record;
    const void *pc;
    struct further *next;
};

static struct {
    struct further *records;
    uint32_t count;
    uint32_t floor;         /* of the execution that they belong to */
    struct further *unused; /* of those counted */
} further;

#define WHOLE_CELL cell_bytes(0, CELL_BYTES)

struct shadow shadow;

/* Blocks come first, then stacks. */
static struct region {
    uintptr_t start;
    size_t size;
    struct cell *cells;
} regions[REGIONS];

static size_t stack_stride; /* from one stack to the next */

/* ---- telling ---- */

static unsigned thread_of(uint64_t record)
{
    return (unsigned)(record >> CELL_THREAD_AT) & ((1u << CELL_THREAD_BITS) - 1);
}

static uint32_t epoch_of(uint64_t record)
{
    return (uint32_t)(record >> CELL_EPOCH_AT);
}

static inline bool is_of_this_execution(uint64_t record)
{
    return record >= shadow.floor; /* [RACES-1] */
}

static struct access access_of(uint64_t record, const void *pc)
{
    unsigned flags = (unsigned)(record >> CELL_KIND_AT) & (ACCESS_FREES * 2 - 1);

    return (struct access){.pc = pc,
                           .thread = thread_of(record),
                           .size = (unsigned)__builtin_popcountll(record & WHOLE_CELL),
                           .flags = flags | (record & CELL_WRITES ? ACCESS_WRITES : 0) |
                                    (record & CELL_PLAIN ? 0 : ACCESS_ATOMIC)};
}

enum {
    TOLD = 64 /* bytes of text about an access or a place */
};

static void tell_access(const struct access *access, char text[TOLD])
{
    const char *atomically = access->flags & ACCESS_ATOMIC ? "atomically " : "";

    if (access->flags & ACCESS_FREES)
        snprintf(text, TOLD, "thread %u frees it", access->thread);
    else if (access->flags & ACCESS_ALLOCATES)
        snprintf(text, TOLD, "thread %u allocates it", access->thread);
    else if (access->flags & ACCESS_LOCKS)
        snprintf(text, TOLD, "thread %u uses a lock or condition there", access->thread);
    else
        snprintf(text, TOLD, "thread %u %s%s %u bytes", access->thread, atomically,
                 access->flags & ACCESS_WRITES ? "writes" : "reads", access->size);
}

/* Without addresses: these may differ from one run of the explorer to the next. */
static void tell_place(const void *address, char text[TOLD])
{
    const struct arena_block *block = arena_block_of(address);

    if (block)
        snprintf(text, TOLD, "at %td of a block of %u bytes",
                 (const char *)address - (const char *)(block + 1), block->size);
    else if ((uintptr_t)address - shadow.start < ARENA_BYTES)
        snprintf(text, TOLD, "outside of any block");
    else
        snprintf(text, TOLD,
                 (uintptr_t)address - regions[STACKS].start < regions[STACKS].size
                     ? "on a stack"
                     : "in a global variable");
}

static void show(const void *address, struct access first, struct access second)
{
    machine.address = address;
    machine.access_count = 2;
    machine.accesses[0] = first;
    machine.accesses[1] = second;
    machine.culprit = second.pc;
}

/* These are rare, and must not make those who call them slower. */
#define RARE __attribute__((noinline, cold)) _Noreturn

static RARE void report_race(uint64_t record, const void *record_pc, uint64_t mine, const void *pc,
                             const void *address)
{
    struct access first = access_of(record, record_pc), second = access_of(mine, pc);
    char place[TOLD], one[TOLD], other[TOLD];

    tell_place(address, place);
    tell_access(&first, one);
    tell_access(&second, other);
    show(address, first, second);
    machine_finish(ENDED_RACE, "%s: %s, %s, and nothing orders the two", place, one, other);
}

/* By the record that it left; of whose thread nothing is known if races are not looked for. */
static struct access freeing_of(const struct cell *cell, const void *address)
{
    const uint64_t kind = (uint64_t)ACCESS_FREES << CELL_KIND_AT;

    for (unsigned i = 0; memory_rules.races && i < CELL_RECORDS; i++)
        if (is_of_this_execution(cell->records[i]) && (cell->records[i] & kind))
            return access_of(cell->records[i], cell->pcs[i]);
    return (struct access){
        .pc = arena_block_of(address)->pc, .thread = MACHINE_THREADS, .flags = ACCESS_FREES};
}

static struct cell *cell_of_block(const void *address)
{
    return &shadow.cells[((uintptr_t)address - shadow.start) / CELL_BYTES];
}

static RARE void report_not_allocated(const void *address, uint64_t mine, const void *pc)
{
    struct access use = access_of(mine, pc), freeing = use;
    bool freed = arena_state_of(address) == ARENA_FREED;
    char place[TOLD], text[TOLD];

    if (freed)
        freeing = freeing_of(cell_of_block(address), address);
    tell_place(address, place);
    tell_access(&use, text);
    show(address, freeing, use);
    if (freed)
        machine_finish(ENDED_USE_AFTER_FREE, "%s, which was freed: %s", place, text);
    machine.access_count = 1;
    machine.accesses[0] = use;
    machine_finish(ENDED_OUT_OF_BLOCK, "%s: %s", place, text);
}

static RARE void report_dead_frame(const void *address, uint64_t mine, const void *pc)
{
    size_t owner = ((uintptr_t)address - regions[STACKS].start) / stack_stride;
    struct access use = access_of(mine, pc);
    char text[TOLD];

    tell_access(&use, text);
    show(address, use, use);
    machine.access_count = 1;
    machine_finish(ENDED_USE_AFTER_RETURN, "a local variable of thread %zu, %s: %s", owner,
                   machine.threads[owner].alive ? "whose function has returned" : "which has ended",
                   text);
}

/* ---- records ---- */

/* All that `mine` says is said already: of the same thread, epoch and kind. */
static inline bool says(uint64_t record, uint64_t mine)
{
    return ((record ^ mine) & (mine | UINT64_MAX << CELL_KIND_AT)) == 0;
}

static inline bool conflicts(uint64_t record, uint64_t mine)
{
    return (record & mine & WHOLE_CELL) != 0 && ((record | mine) & CELL_WRITES) &&
           ((record | mine) & CELL_PLAIN);
}

/* [RACES-2], given that the record is known. A link never is. */
static inline bool is_replaced_by(uint64_t record, uint64_t mine)
{
    return ((record & ~mine) & (WHOLE_CELL | CELL_WRITES | CELL_PLAIN | CELL_LINK)) == 0;
}

static inline void set_record(struct cell *cell, unsigned place, uint64_t mine, const void *pc)
{
    cell->records[place] = mine;
    cell->pcs[place] = pc;
}

/* The new one comes among the first two, where its thread finds it next time [CELLS-1]. */
static inline void set_near(struct cell *cell, unsigned place, uint64_t mine, const void *pc)
{
    if (place > 1) {
        set_record(cell, place, cell->records[1], cell->pcs[1]);
        place = 1;
    }
    set_record(cell, place, mine, pc);
}

static inline bool is_known(uint64_t record, const uint32_t *known)
{
    return epoch_of(record) <= known[thread_of(record)];
}

/* What is seldom called must not lend its stack frame to what is called all the time. */
#define APART __attribute__((noinline))

/* [RACES-4] */
APART static void check_allocation(const void *address, uint64_t mine, const void *pc)
{
    const struct arena_block *block = arena_block_of(address);
    const struct cell *cell = block ? cell_of_block(block) : NULL;

    if (cell && is_of_this_execution(cell->records[0]) &&
        !is_known(cell->records[0], shadow.own.known))
        report_race(cell->records[0], cell->pcs[0], mine, pc, address);
}

/* ---- lists of further records [RACES-3] ---- */

/* A link is of this execution, shares no byte with any access, and is known to no thread: so the
   quick ways leave it to sort_in_record. */
enum {
    LAST = CELL_RECORDS - 1 /* where a link may be */
};

static bool is_link(uint64_t record)
{
    return is_of_this_execution(record) && (record & CELL_LINK);
}

static struct further *new_further(uint64_t record, const void *pc, struct further *next)
{
    if (further.floor != ordering.floor) {
        further.floor = ordering.floor;
        further.count = 0;
        further.unused = NULL;
    }
    struct further *fresh = further.unused;
    if (fresh)
        further.unused = fresh->next;
    else if (further.count < FURTHER)
        fresh = &further.records[further.count++];
    else
        return NULL;
    *fresh = (struct further){.record = record, .pc = pc, .next = next};
    return fresh;
}

/* False: there is no room. */
static bool move_to_list(struct cell *cell, unsigned place)
{
    struct further *next = is_link(cell->records[LAST]) ? cell->list : NULL;
    struct further *first = new_further(cell->records[place], cell->pcs[place], next);

    if (!first)
        return false;
    cell->records[LAST] = shadow.floor | CELL_LINK | (uint64_t)MACHINE_THREADS << CELL_THREAD_AT;
    cell->list = first;
    return true;
}

/* To a full cell. The new record comes first, where its thread finds it next time [CELLS-1]. */
APART static void add_further(struct cell *cell, uint64_t mine, const void *pc)
{
    if ((!is_link(cell->records[LAST]) && !move_to_list(cell, LAST)) || !move_to_list(cell, 0)) {
        machine_leave_out(LIMIT_RECORDS);
        return;
    }
    set_record(cell, 0, mine, pc);
}

static void remove_first(struct further **list)
{
    struct further *removed = *list;

    *list = removed->next;
    removed->next = further.unused;
    further.unused = removed;
}

/* Takes out those that the new record replaces. True: one of the others says all that it says. */
APART static bool compare_list(struct further **list, uint64_t mine, const void *address,
                               const void *pc)
{
    const uint32_t *known = shadow.own.known;
    bool said = false;

    while (*list) {
        uint64_t record = (*list)->record;
        bool is_old = is_known(record, known);
        if (!is_old && conflicts(record, mine))
            report_race(record, (*list)->pc, mine, pc, address);
        if (is_old && is_replaced_by(record, mine)) {
            remove_first(list);
            continue;
        }
        said |= is_old && says(record, mine);
        list = &(*list)->next;
    }
    return said;
}

static void take_from_list(struct cell *cell, unsigned place)
{
    set_record(cell, place, cell->list->record, cell->list->pc);
    remove_first(&cell->list);
    if (!cell->list)
        cell->records[LAST] = 0;
}

/* Closes the gaps, so that those of this execution come first again. A link stays the last. */
APART static void close_up(struct cell *cell)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < CELL_RECORDS; i++) {
        if (!is_of_this_execution(cell->records[i]) && is_link(cell->records[LAST]))
            take_from_list(cell, i);
        uint64_t record = cell->records[i];
        if (!is_of_this_execution(record))
            continue;
        cell->records[i] = 0;
        cell->records[kept] = record;
        cell->pcs[kept++] = cell->pcs[i];
    }
}

/* In place of the first that it replaces, or behind all others; nowhere if one of them says it. */
APART static void sort_in_record(struct cell *cell, uint64_t mine, const void *address,
                                 const void *pc)
{
    const uint32_t *known = shadow.own.known;
    unsigned place = CELL_RECORDS, gap = CELL_RECORDS, i = 0;
    bool said = false, knows = false;

    for (; i < CELL_RECORDS && is_of_this_execution(cell->records[i]); i++) {
        uint64_t record = cell->records[i];
        if (!is_known(record, known)) {
            if (conflicts(record, mine)) /* a link does not: it stands for no bytes */
                report_race(record, cell->pcs[i], mine, pc, address);
            continue;
        }
        knows = true;
        if (!is_replaced_by(record, mine)) {
            said |= says(record, mine);
        } else if (place == CELL_RECORDS) {
            place = i;
        } else {
            cell->records[i] = 0;
            gap = gap < i ? gap : i;
        }
    }
    if (!knows)
        check_allocation(address, mine, pc);
    if (i == CELL_RECORDS && is_link(cell->records[LAST])) {
        said |= compare_list(&cell->list, mine, address, pc);
        if (!cell->list)
            cell->records[i = LAST] = 0;
    }
    if (place == CELL_RECORDS)
        place = i;
    if (!said && place == CELL_RECORDS)
        add_further(cell, mine, pc);
    else if (!said)
        set_near(cell, place, mine, pc);
    if (gap + 1 < i)
        close_up(cell);
}

/* What sort_in_record would do with two records that are known: mostly a write under a lock, and
   the read that came after it. */
static void join_two(struct cell *cell, uint64_t mine, const void *pc)
{
    bool over_first = is_replaced_by(cell->records[0], mine),
         over_second = is_replaced_by(cell->records[1], mine);

    if ((!over_first && says(cell->records[0], mine)) ||
        (!over_second && says(cell->records[1], mine)))
        return;
    if (over_first && over_second)
        cell->records[1] = 0;
    set_near(cell, over_first ? 0 : over_second ? 1 : 2, mine, pc);
}

APART static void add_to_several(struct cell *cell, uint64_t mine, const void *address,
                                 const void *pc)
{
    const uint32_t *known = shadow.own.known;

    if (!is_of_this_execution(cell->records[2]) && is_known(cell->records[0], known) &&
        is_known(cell->records[1], known))
        join_two(cell, mine, pc);
    else
        sort_in_record(cell, mine, address, pc);
}

/* Most memory has one owner at a time, and one record: what sort_in_record would do with that is
   done at once. */
static inline void add_knowing(struct cell *cell, uint64_t mine, const void *address,
                               const void *pc, const uint32_t *known, uint64_t floor)
{
    uint64_t first = cell->records[0];

    if (cell->records[1] >= floor)
        add_to_several(cell, mine, address, pc);
    else if (first < floor)
        set_record(cell, 0, mine, pc);
    else if (!is_known(first, known))
        sort_in_record(cell, mine, address, pc);
    else if (is_replaced_by(first, mine))
        set_record(cell, 0, mine, pc);
    else if (!says(first, mine))
        set_record(cell, 1, mine, pc);
}

static inline void add_record(struct cell *cell, uint64_t mine, const void *address, const void *pc)
{
    add_knowing(cell, mine, address, pc, shadow.own.known, shadow.floor);
}

/* The only record is the thread's own, of no freeing, and of nothing that the new one does not say:
   the new one takes its place, and there is no need to ask the clock, or whether the memory is
   allocated [CELLS-2]. That is most of what is done with a block between its first write and its
   last. */
static inline bool renew(struct cell *cell, uint64_t mine, const void *pc, uint64_t floor)
{
    const uint64_t thread = ((UINT64_C(1) << CELL_THREAD_BITS) - 1) << CELL_THREAD_AT,
                   freeing = (uint64_t)ACCESS_FREES << CELL_KIND_AT,
                   said = WHOLE_CELL | CELL_WRITES | CELL_PLAIN | CELL_LINK;
    uint64_t first = cell->records[0];
    bool is_plain_repetition = (first & (thread | freeing | (said & ~mine))) == (mine & thread);

    if (!is_plain_repetition || first < floor || cell->records[1] >= floor)
        return false;
    set_record(cell, 0, mine, pc);
    return true;
}

/* ---- accesses ---- */

void memory_access_cell(struct cell *cell, uint64_t mine, const void *address, const void *pc)
{
    if (arena_state_of(address) != ARENA_ALLOCATED)
        report_not_allocated(address, mine, pc);
    add_record(cell, mine, address, pc);
}

/* The runtime's frames come after the program's, and the first of them has the address to which the
   program's call returns: on x86-64 at its end. On aarch64 it is at its start, and where that frame
   ends cannot be told without the unwinder: what lies in the rest of it counts as the program's. */
static bool is_in_runtime(const struct thread *owner, uintptr_t address)
{
    const void *const *at = owner->edge;
    const void *const *end = fiber_stack_end((unsigned)(owner - machine.threads));

    end = end - at > RUNTIME_WORDS ? at + RUNTIME_WORDS : end;
    while (at < end && *at != owner->op.pc)
        at++;
    return at < end && address < (uintptr_t)at;
}

/* Of one's own stack nothing could be told: one may have called further functions. */
static bool is_in_dead_frame(const void *address)
{
    uintptr_t offset = (uintptr_t)address - regions[STACKS].start;

    if (offset >= regions[STACKS].size)
        return false;
    const struct thread *owner = &machine.threads[offset / stack_stride];
    return !owner->alive || (uintptr_t)address < (uintptr_t)owner->edge ||
           is_in_runtime(owner, (uintptr_t)address);
}

static struct cell *cell_in_region(uintptr_t address)
{
    for (unsigned i = 1; i < REGIONS; i++)
        if (address - regions[i].start < regions[i].size)
            return &regions[i].cells[(address - regions[i].start) / CELL_BYTES];
    return NULL;
}

APART static void access_region(uint64_t mine, const void *address, const void *pc)
{
    if (is_in_dead_frame(address))
        report_dead_frame(address, mine, pc);
    struct cell *cell = shadow.alone ? NULL : cell_in_region((uintptr_t)address);
    if (cell && cell->records[0] != mine) /* [CELLS-1] */
        add_record(cell, mine, address, pc);
}

/* Mostly that is the thread's own stack. */
void memory_access_elsewhere(uint64_t mine, const void *address, const void *pc)
{
    const struct accessor *own = &shadow.own;
    uintptr_t offset = (uintptr_t)address - own->stack;

    if (offset >= stack_stride) {
        machine.writes += (mine & (CELL_WRITES | CELL_PLAIN)) == (CELL_WRITES | CELL_PLAIN);
        access_region(mine, address, pc);
        return;
    }
    struct cell *cell = &own->cells[offset / CELL_BYTES];
    if (!shadow.alone && cell->records[0] != mine) /* [CELLS-1] */
        add_record(cell, mine, address, pc);
}

static void access_one(const char *at, uint64_t mine, const void *pc)
{
    uintptr_t offset = (uintptr_t)at - shadow.start;

    if (offset >= ARENA_BYTES) {
        memory_access_elsewhere(mine, at, pc);
        return;
    }
    if (shadow.alone && arena.states[offset / ARENA_UNIT] == ARENA_ALLOCATED)
        return;
    struct cell *cell = &shadow.cells[offset / CELL_BYTES];
    if (cell->records[0] != mine) /* [CELLS-1] [CELLS-2] */
        memory_access_cell(cell, mine, at, pc);
}

/* Of whole cells, as many as there are. What is left is returned. */
static size_t access_cells(const char *at, size_t size, uint64_t mine, const void *pc)
{
    const struct accessor *own = &shadow.own;
    uintptr_t offset = (uintptr_t)at - shadow.start, on_stack = (uintptr_t)at - own->stack;
    bool in_arena = offset < ARENA_BYTES;
    struct cell *cell =
        in_arena ? &shadow.cells[offset / CELL_BYTES] : &own->cells[on_stack / CELL_BYTES];

    uint64_t floor = shadow.floor;

    if (shadow.alone || (!in_arena && on_stack >= stack_stride))
        return size;
    mine |= WHOLE_CELL;
    for (; size >= CELL_BYTES; size -= CELL_BYTES, at += CELL_BYTES, cell++) {
        if (renew(cell, mine, pc, floor))
            continue;
        if (in_arena && arena_state_of(at) != ARENA_ALLOCATED)
            report_not_allocated(at, mine, pc);
        if (cell->records[0] != mine) /* [CELLS-1] */
            add_knowing(cell, mine, at, pc, own->known, floor);
    }
    return size;
}

void memory_access(const void *address, size_t size, unsigned flags, const void *pc)
{
    const char *at = address, *end = at + size;
    uint64_t mine = cell_record(0, flags);

    if (!memory_rules.races)
        return;
    machine.writes += (flags & ACCESS_WRITES) && (uintptr_t)at - shadow.own.stack >= stack_stride;
    if ((uintptr_t)at % CELL_BYTES == 0)
        at = end - access_cells(at, size, mine, pc);
    for (size_t count; at < end; at += count) {
        size_t first = (uintptr_t)at % CELL_BYTES, room = CELL_BYTES - first;
        count = (size_t)(end - at) < room ? (size_t)(end - at) : room;
        access_one(at, mine | cell_bytes(first, count), pc);
    }
}

void memory_use(const void *object, const void *pc)
{
    if (object && memory_rules.races)
        memory_quick_access(object, LOCK_BYTES, ACCESS_ATOMIC | ACCESS_LOCKS, pc);
}

/* Who is let through a barrier comes back from something that may be gone by then. */
void memory_use_of(const struct op *op)
{
    if (op->kind == OP_BARRIER_LEAVE || memory_uses_late(op))
        return;
    memory_use(op->object, op->pc);
    memory_use(op->second, op->pc);
}

/* ---- blocks ---- */

static size_t cells_for(size_t size)
{
    return (size + CELL_BYTES - 1) / CELL_BYTES;
}

/* [RACES-4] */
void memory_allocated(const void *address, size_t size, const void *pc)
{
    uint64_t mine = cell_record(WHOLE_CELL, ACCESS_WRITES | ACCESS_ALLOCATES),
             weak = cell_record(0, ACCESS_ATOMIC | ACCESS_ALLOCATES);
    struct cell *cell = cell_of_block(address);

    if (arena.reuses)
        memory_forget_objects(address, size);
    if (!memory_rules.races || (shadow.alone && !arena.reuses))
        return;
    set_record(cell_of_block((const struct arena_block *)address - 1), 0, mine, pc);
    for (const struct cell *end = cell + cells_for(size); cell < end; cell++) {
        if (arena.reuses)
            *cell = (struct cell){0};
        set_record(cell, 0, weak, pc);
    }
}

/* Records it even if it is alone: somebody may ask who freed the block. */
void memory_freed(const void *address, size_t size, const void *pc)
{
    uint64_t mine = cell_record(WHOLE_CELL, ACCESS_WRITES | ACCESS_FREES);
    struct cell *cell = cell_of_block(address);

    if (!memory_rules.races)
        return;
    const uint32_t *known = shadow.own.known;
    const uint64_t floor = shadow.floor;
    const bool alone = shadow.alone;
    const char *at = address;
    for (const struct cell *end = cell + cells_for(size); cell < end; cell++, at += CELL_BYTES)
        if (alone)
            set_record(cell, 0, mine, pc);
        else if (!renew(cell, mine, pc, floor))
            add_knowing(cell, mine, at, pc, known, floor);
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
                cover(&regions[STACKS], fiber_stacks_start(), fiber_stacks_size());

    for (unsigned i = 0; done && i < GLOBALS_REGIONS; i++) {
        void *start;
        size_t size;
        done = globals_region(i, &start, &size) && cover(&regions[2 + i], start, size);
    }
    further.records = memory_reserve(FURTHER * sizeof *further.records);
    done = done && further.records;
    stack_stride = fiber_stack_stride();
    shadow.start = regions[0].start;
    shadow.cells = regions[0].cells;
    for (unsigned i = 0; i < MACHINE_THREADS; i++)
        shadow.accessors[i] =
            (struct accessor){.known = &ordering.threads[i].clock.at[CLOCK_FIRST],
                              .stack = regions[STACKS].start + i * stack_stride,
                              .cells = regions[STACKS].cells + i * stack_stride / CELL_BYTES};
    return done;
}

/* The system gives zeroes for what it takes back. */
static void forget_cells(struct cell *cells, size_t count)
{
    madvise(cells, count * sizeof *cells, MADV_DONTNEED);
}

void races_forget_all(void)
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (regions[i].cells)
            forget_cells(regions[i].cells, regions[i].size / CELL_BYTES + 1);
}

void races_forget_stack(unsigned thread)
{
    forget_cells(shadow.accessors[thread].cells, stack_stride / CELL_BYTES);
}
