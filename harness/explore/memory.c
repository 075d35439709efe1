/*
 * What orders threads.
 *
 * Every object that threads synchronise on, an atomic or a lock, has a clock: what was released to
 * it. Whoever acquires it adds that to its own. A store to an atomic begins anew, since what was
 * released by the store before can no longer be read; a read-modify-write adds, since it continues
 * the release sequence of the store that it read; unlocking adds, for the sake of read-write locks
 * and semaphores, where several release before one acquires.
 *
 *                        release      acquire                   relaxed
 *      load                           adds to own clock         adds to `unclaimed`
 *      store             own clock                              `fenced`
 *      fence             fenced = own clock;   own clock += unclaimed
 *
 * Orders are honoured under `sc` as well: there a load reads the latest store, but a relaxed one
 * learns nothing by it, so that a program which relies on an order that it did not ask for is found
 * to have a data race.
 *
 * A release sequence is what C++20 calls by that name: the store and the read-modify-writes that
 * follow. C11 counts later stores of the same thread to it, too; we do not, as no compiler or
 * processor is known that needs it, and RC11's authors propose to drop it.
 *
 * Objects are found by their address in a hash table. Its entries carry the floor of their
 * execution, and those of another floor are free [EPOCHS-1]. Rejected: a pointer to the object in
 * the shadow of its memory. That would be faster by a few instructions, but objects can lie outside
 * of what has a shadow.
 */
#include "harness/explore/memory.h"

#include <sys/mman.h>

#include "harness/explore/arena.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/memory_parts.h"

struct memory_rules memory_rules;
struct ordering ordering;

struct object {
    uintptr_t address;
    struct clock released; /* of an atomic under `c11`: each store has its own instead */
    struct history history;
};

enum {
    OBJECTS = 1 << 16,
    SLOTS = 2 * OBJECTS
};

static struct {
    uint32_t count;
    struct object *objects;
    struct slot {
        uintptr_t address;
        uint32_t floor;
        uint32_t index;
    } * slots;
} table;

/* ---- objects ---- */

static uint32_t home_of(uintptr_t address)
{
    return (uint32_t)((address >> 3) ^ (address >> 20)) % SLOTS;
}

static struct object *new_object(struct slot *slot, uintptr_t address)
{
    if (table.count == OBJECTS)
        machine_finish(ENDED_UNCONTROLLED, "more than %d atomics and locks", OBJECTS);
    struct object *object = &table.objects[table.count];
    *slot = (struct slot){.address = address, .floor = ordering.floor, .index = table.count++};
    object->address = address;
    clock_clear(&object->released);
    if (memory_rules.model == MEMORY_C11) /* or nobody looks at it: it is far from the rest */
        object->history.count = 0;
    return object;
}

static struct object *object_at(const void *place)
{
    uintptr_t address = (uintptr_t)place;

    for (uint32_t i = home_of(address);; i = (i + 1) % SLOTS) {
        struct slot *slot = &table.slots[i];
        if (slot->floor != ordering.floor)
            return new_object(slot, address);
        if (slot->address == address)
            return &table.objects[slot->index];
    }
}

/* Memory is given out a second time. What was released there was released to others. */
void memory_forget_objects(const void *address, size_t size)
{
    for (uint32_t i = 0; i < table.count; i++)
        if (table.objects[i].address - (uintptr_t)address < size) {
            clock_clear(&table.objects[i].released);
            table.objects[i].history.count = 0;
        }
}

/* ---- threads ---- */

/* A thread's epoch is in its clock, and where records of its accesses get it from. */
static void begin_epoch(unsigned number)
{
    uint32_t epoch = ++ordering.epoch;

    ordering.threads[number].clock.at[CLOCK_FIRST + number] = epoch;
    shadow.accessors[number].stamp = (uint64_t)epoch << CELL_EPOCH_AT;
    shadow.accessors[number].stamp |= (uint64_t)number << CELL_THREAD_AT;
    if (number == machine.current)
        shadow.own.stamp = shadow.accessors[number].stamp;
}

static void tick(void)
{
    begin_epoch(machine.current);
}

/* Whoever had the place before has come to its end, and left its stack: that happens before. */
static void begin_thread(unsigned number, const struct clock *inherited)
{
    struct knowledge *own = &ordering.threads[number];

    if (own->clock.at[CLOCK_FIRST + number] < ordering.floor)
        memset(&own->clock, 0, sizeof own->clock); /* [EPOCHS-2] */
    clock_join(&own->clock, inherited);
    clock_widen(&own->clock, number);
    begin_epoch(number);
    clock_clear(&own->unclaimed);
    clock_clear(&own->fenced);
}

void memory_fork(unsigned child)
{
    begin_thread(child, &own_knowledge()->clock);
    tick();
    shadow.alone = false;
}

/* [CELLS-3] */
static bool is_alone(void)
{
    for (unsigned i = 0; i < machine.count; i++) {
        uint32_t last = ordering.threads[i].clock.at[CLOCK_FIRST + i];
        if (i != machine.current &&
            (machine.threads[i].alive || !clock_has(&own_knowledge()->clock, i, last)))
            return false;
    }
    return true;
}

void memory_join(unsigned ended)
{
    clock_join(&own_knowledge()->clock, &ordering.threads[ended].clock);
    shadow.alone = is_alone();
}

void memory_acquire(const void *object)
{
    const struct op *op = &machine_self()->op;

    clock_join(&own_knowledge()->clock, &object_at(object)->released);
    if (memory_uses_late(op))
        memory_use(object, op->pc);
}

void memory_release(const void *object)
{
    clock_join(&object_at(object)->released, &own_knowledge()->clock);
    tick();
}

/* Those who wait do nothing between this and their leaving, so they may know of it already. Were it
   left to them, whoever enters the next round before they have left would be in it. */
void memory_meet(const void *object, thread_set threads)
{
    struct clock *released = &object_at(object)->released;

    for (; threads != 0; threads &= threads - 1)
        clock_join(&ordering.threads[lowest(threads)].clock, released);
    clock_clear(released);
}

/* ---- atomics ---- */

static bool acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order >= __ATOMIC_ACQ_REL;
}

static void claim(const struct clock *released, int order)
{
    struct knowledge *own = own_knowledge();

    clock_join(acquires(order) ? &own->clock : &own->unclaimed, released);
}

static const struct clock *made_known_by(int order)
{
    return releases(order) ? &own_knowledge()->clock : &own_knowledge()->fenced;
}

/* Nothing that the caller does from now on is part of what it has released. */
static void end_epoch(int order)
{
    if (releases(order))
        tick();
}

static bool has_history(size_t size)
{
    return memory_rules.model == MEMORY_C11 && size <= sizeof(uint64_t);
}

static void use(const void *address, size_t size, unsigned flags)
{
    if (memory_rules.races)
        memory_quick_access(address, size, flags | ACCESS_ATOMIC, machine_self()->op.pc);
}

uint64_t memory_load(const void *address, size_t size, uint64_t old, int order)
{
    struct object *object = object_at(address);

    use(address, size, 0);
    if (!has_history(size)) {
        claim(&object->released, order);
        return old;
    }
    struct store *store = stores_pick(&object->history, size, old, order);
    claim(store_released(store), order);
    return store_value(store);
}

void memory_store(const void *address, size_t size, uint64_t old, uint64_t new, int order)
{
    struct object *object = object_at(address);
    struct clock *released = &object->released;

    use(address, size, ACCESS_WRITES);
    if (has_history(size))
        released = store_released(stores_add(&object->history, size, old, new, order));
    clock_copy(released, made_known_by(order));
    end_epoch(order);
}

void memory_rmw(const void *address, size_t size, uint64_t old, uint64_t new, int order)
{
    struct object *object = object_at(address);
    struct clock *released = &object->released;

    use(address, size, ACCESS_WRITES);
    if (has_history(size)) {
        const struct clock *read = store_released(stores_latest(&object->history, size, old));
        released = store_released(stores_add(&object->history, size, old, new, order));
        clock_copy(released, read);
    }
    claim(released, order);
    clock_join(released, made_known_by(order));
    end_epoch(order);
}

/* One that fails is a load, and may fail because of a value that is there no longer. */
uint64_t memory_cas(const void *address, size_t size, uint64_t old, uint64_t expected,
                    uint64_t desired, int success, int failure)
{
    struct object *object = object_at(address);

    if (!has_history(size)) {
        if (old == expected)
            memory_rmw(address, size, old, desired, success);
        else
            memory_load(address, size, old, failure);
        return old;
    }
    struct store *store = stores_pick_for_cas(&object->history, size, old, expected, failure);
    if (store_value(store) == expected) {
        memory_rmw(address, size, old, desired, success);
        return expected;
    }
    use(address, size, 0);
    claim(store_released(store), failure);
    return store_value(store);
}

void memory_fence(int order)
{
    struct knowledge *own = own_knowledge();

    if (acquires(order))
        clock_join(&own->clock, &own->unclaimed);
    if (order == __ATOMIC_SEQ_CST && memory_rules.model == MEMORY_C11)
        stores_fence();
    if (releases(order)) {
        clock_copy(&own->fenced, &own->clock);
        tick();
    }
}

/* ---- executions ---- */

static const uint32_t last_floor = UINT32_MAX / 2;

static void begin_epochs_anew(void)
{
    ordering.epoch = 0;
    memset(table.slots, 0, SLOTS * sizeof *table.slots);
    races_forget_all();
}

void memory_reset(void)
{
    if (ordering.epoch >= last_floor)
        begin_epochs_anew();
    ordering.floor = ordering.epoch + 1;
    shadow.floor = (uint64_t)ordering.floor << CELL_EPOCH_AT;
    table.count = 0;
    stores_reset();
    begin_thread(0, &(struct clock){0});
    memory_switch(0);
    shadow.alone = true;
}

void *memory_reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

bool memory_prepare(void)
{
    table.objects = memory_reserve(OBJECTS * sizeof *table.objects);
    table.slots = memory_reserve(SLOTS * sizeof *table.slots);
    return table.objects && table.slots && races_prepare() && stores_prepare();
}
