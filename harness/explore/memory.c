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
 * A release sequence is C11's: the release store, the read-modify-writes that follow it, and later
 * stores of the same thread, up to the first plain store of another thread. (C++20 dropped these
 * later stores.) So a location has to know what each thread has released to it: a store by thread t
 * ends the sequences of all threads but t. Mostly one thread has, and `by` names it; after a
 * releasing read-modify-write of another thread there is a part for each.
 *
 *   [ORDER-1] What the latest store has released is the union of its parts. `by` is the only thread
 *             that has one, or NO_THREAD if there is none, or SEVERAL: then `parts` has them.
 *
 * Sizes. A program may access one word by atomics of several sizes, such as the halves of a ticket
 * lock. Such objects are `mixed`: an operation then acquires from, and releases to, every object
 * that shares a byte with it, and what was released to one is never replaced, only added to. Under
 * `c11` they have no history: a load reads the latest store, and the verdict says so.
 *
 * Places. A new thread may get the number of one that has ended. Its clock starts as its creator's,
 * and whatever the creator knows of the dead thread. Epochs of the two could not be told apart
 * otherwise: see memory_knows_end_of.
 *
 *   [ORDER-2] What the dead thread has released is not the new one's: its stores do not continue
 *             those release sequences. Where the dead thread was named, A_DEAD_ONE is.
 *   [ORDER-3] The new thread has the stack and the thread-local storage of the dead one. Mostly its
 *             creator knows of all that was done there. If there was no such place left, it does
 *             not (LIMIT_PLACES): records and objects of that stack are forgotten, since what is
 *             there now is not what they are about.
 *
 *   [ORDER-4] What a thread sees of a lock without being ordered by it, as when it is refused, is
 *             noted with the object. That had to come before the next step that changes the object
 *             and after the last, though neither happens before the other: both threads learn
 *             (memory_learn) what no clock tells, the second one unless it knows of the first. A
 *             signal does the same to the thread that it wakes up.
 *
 * Objects are found by their address in a hash table. Its entries carry the floor of their
 * execution, and those of another floor are free [EPOCHS-1]. Rejected: a pointer to the object in
 * the shadow of its memory. That would be faster by a few instructions, but objects can lie outside
 * of what has a shadow.
 */
#include "harness/explore/memory.h"

#include <sys/mman.h>

#include "harness/explore/arena.h"
#include "harness/explore/globals.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/memory_parts.h"
#include "harness/explore/objects.h"

struct memory_rules memory_rules;
struct ordering ordering;

struct object {
    uintptr_t address;
    uint8_t size; /* of an atomic: of the largest access to it; 0: a lock, or not accessed yet */
    bool mixed;   /* atomics of several sizes have met here */
    thread_number by;      /* [ORDER-1] */
    thread_number seen_by; /* [ORDER-4]; NO_THREAD: none; or SEVERAL */
    uint32_t seen_at;      /* at which epoch of that thread */
    struct part *parts;
    struct clock released; /* of an atomic under `c11`: each store has its own instead */
    struct history history;
};

/* What a thread has released to an object. */
struct part {
    unsigned thread;
    bool counts; /* no plain store of another thread has come since */
    struct part *next;
    struct clock clock;
};

enum {
    OBJECTS = 1 << 16,
    SLOTS = 2 * OBJECTS,
    PARTS = 1 << 16,
    WIDEST = 16 /* bytes of an atomic that is not left to a library */
};

static struct {
    uint32_t count;
    struct object *objects;
    struct slot {
        uintptr_t address;
        uint32_t floor;
        uint32_t index;
    } * slots;
    struct part *parts; /* of releases, in the order in which they were needed */
    uint32_t part_count;
    bool has_wide;       /* some atomic had bytes of two words */
    struct store *found; /* by memory_find, for the memory_rmw that follows it */
} table;

/* ---- objects ---- */

static uint32_t home_of(uintptr_t address)
{
    return (uint32_t)((address >> 3) ^ (address >> 20)) % SLOTS;
}

static void forget_object(struct object *object)
{
    object->size = 0;
    object->mixed = false;
    clock_clear(&object->released);
    object->by = object->seen_by = NO_THREAD;
    object->parts = NULL;
    object->history.latest = NULL;
}

void memory_refuse_thread_local(const void *pc)
{
    machine.culprit = pc;
    machine_stop_at(LIMIT_CALLS,
                    "thread %u uses a lock, condition or semaphore that is thread-local; here all "
                    "threads have theirs at the same address, so use another kind",
                    machine.current);
}

/* Atomics that are thread-local have other addresses here: runtime_key_of. */
static struct object *new_object(struct slot *slot, uintptr_t address)
{
    if (globals_is_thread_local(address))
        memory_refuse_thread_local(machine_self()->op.pc);
    if (table.count == OBJECTS)
        machine_stop_at(LIMIT_TABLES, "more than %d atomics and locks", OBJECTS);
    struct object *object = &table.objects[table.count];
    *slot = (struct slot){.address = address, .floor = ordering.floor, .index = table.count++};
    object->address = address;
    forget_object(object);
    return object;
}

static inline struct slot *slot_of(uintptr_t address)
{
    for (uint32_t i = home_of(address);; i = (i + 1) % SLOTS) {
        struct slot *slot = &table.slots[i];
        if (slot->floor != ordering.floor || slot->address == address)
            return slot;
    }
}

static inline struct object *object_at(const void *place)
{
    struct slot *slot = slot_of((uintptr_t)place);

    if (slot->floor != ordering.floor)
        return new_object(slot, (uintptr_t)place);
    return &table.objects[slot->index];
}

/* Memory is given out a second time. What was released there was released to others. */
void memory_forget_objects(const void *address, size_t size)
{
    for (uint32_t i = 0; i < table.count; i++)
        if (table.objects[i].address - (uintptr_t)address < size)
            forget_object(&table.objects[i]);
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

static void begin_thread(unsigned number, const struct clock *inherited)
{
    struct knowledge *own = &ordering.threads[number];

    memset(&own->clock, 0, sizeof own->clock); /* [EPOCHS-2] */
    clock_join(&own->clock, inherited);
    clock_widen(&own->clock, number);
    begin_epoch(number);
    clock_clear(&own->unclaimed);
    clock_clear(&own->fenced);
    own->released_to = NULL;
    own->released_step = 0;
    own->first_part = table.part_count;
    own->first_store = stores_count();
}

/* [ORDER-2] */
static void retire_thread(unsigned number)
{
    const struct knowledge *dead = &ordering.threads[number];

    for (uint32_t i = 0; i < table.count; i++)
        if (table.objects[i].by == number)
            table.objects[i].by = A_DEAD_ONE;
    for (uint32_t i = dead->first_part; i < table.part_count; i++)
        if (table.parts[i].thread == number)
            table.parts[i].thread = A_DEAD_ONE;
    stores_retire_thread(number, dead->first_store);
}

/* [ORDER-3] What the new thread has where the dead one had its own is not what that was. */
static void begin_place_anew(unsigned number)
{
    retire_thread(number);
    memory_forget_objects(machine.threads[number].tls, globals_tls.size);
    if (memory_knows_end_of(number))
        return;
    races_forget_stack(number);
    memory_forget_objects((void *)shadow.accessors[number].stack, fiber_stack_stride());
}

void memory_fork(unsigned child)
{
    if (machine.threads[child].generation > 0)
        begin_place_anew(child);
    begin_thread(child, &own_knowledge()->clock);
    tick();
    shadow.alone = false;
}

bool memory_knows_end_of(unsigned ended)
{
    uint32_t last = ordering.threads[ended].clock.at[CLOCK_FIRST + ended];

    return clock_has(&own_knowledge()->clock, ended, last);
}

/* [CELLS-3] */
static bool is_alone(void)
{
    for (unsigned i = 0; i < machine.count; i++)
        if (i != machine.current && (machine.threads[i].alive || !memory_knows_end_of(i)))
            return false;
    return true;
}

void memory_join(unsigned ended)
{
    clock_join(&own_knowledge()->clock, &ordering.threads[ended].clock);
    shadow.alone = is_alone();
}

/* ---- what is learnt without an order [ORDER-4] ---- */

static inline bool is_known(unsigned thread, uint32_t epoch)
{
    return clock_has(&own_knowledge()->clock, thread, epoch);
}

static void note_observer(struct object *object)
{
    bool is_only_one = object->seen_by == NO_THREAD ||
                       (object->seen_by != SEVERAL && is_known(object->seen_by, object->seen_at));

    object->seen_by = is_only_one ? (thread_number)machine.current : SEVERAL;
    object->seen_at = own_epoch();
}

void memory_learn(const void *place)
{
    stores_learn();
    if (place)
        note_observer(object_at(place));
}

/* The running thread changes what another one has seen as it was. */
static void learn_of_looks(const struct object *object)
{
    if (object->seen_by == SEVERAL || !is_known(object->seen_by, object->seen_at))
        memory_learn(NULL);
}

/* What it has released to this is all that it knows: it has taken no step since. */
static bool has_just_released(const struct object *object)
{
    const struct knowledge *own = own_knowledge();

    for (uint32_t step = own->released_step; step + 1 < machine.steps; step++)
        if (machine.log[step].thread == machine.current)
            return false;
    return own->released_to == object;
}

/* As far as its mutex tells, which is the last that it has released. */
static bool is_wait_known(unsigned waiting, const struct object *mutex)
{
    return CLOCK_FIRST + waiting < mutex->released.width &&
           is_known(waiting, mutex->released.at[CLOCK_FIRST + waiting]);
}

/* The other one will take back the mutex, and by that know of a thread that has it, or had it a
   moment ago; of any other thread it learns then. And the signal would wake up no thread if the
   other one had not given up the mutex before. */
void memory_signal(unsigned woken)
{
    const struct x_mutex *mutex = machine.threads[woken].op.second;
    struct object *object = object_at(mutex);

    if (mutex->owner != machine.current + 1 && !has_just_released(object))
        note_observer(object);
    if (!is_wait_known(woken, object))
        memory_learn(NULL);
}

/* ---- locks, and all that is like them ---- */

/* What is rare is apart, and called last: so what is not needs no stack. */
#define APART __attribute__((noinline))

static inline bool is_looked_at(const struct object *object)
{
    return __builtin_expect(object->seen_by != NO_THREAD, 0);
}

static inline void use_late(const void *place)
{
    const struct op *op = &machine_self()->op;

    if (memory_uses_late(op))
        memory_use(place, op->pc);
}

static APART void end_acquire(const struct object *object)
{
    learn_of_looks(object);
    use_late((const void *)object->address);
}

void memory_acquire(const void *place)
{
    const struct object *object = object_at(place);

    clock_join(&own_knowledge()->clock, &object->released);
    if (is_looked_at(object))
        end_acquire(object);
    else
        use_late(place);
}

static inline void release(struct object *object)
{
    struct knowledge *own = own_knowledge();

    clock_join(&object->released, &own->clock);
    own->released_to = object;
    own->released_step = machine.steps;
    tick();
}

static APART void learn_and_release(struct object *object)
{
    learn_of_looks(object);
    release(object);
}

void memory_release(const void *place)
{
    struct object *object = object_at(place);

    if (is_looked_at(object))
        learn_and_release(object);
    else
        release(object);
}

/* Those who wait do nothing between this and their leaving, so they may know of it already. Were it
   left to them, a thread that enters the next round before they have left would be in it. */
void memory_meet(const void *object, thread_set threads)
{
    struct clock *released = &object_at(object)->released;

    for (struct set_walk each = set_walk(threads); set_next(&each);)
        clock_join(&ordering.threads[each.at].clock, released);
    clock_clear(released);
}

/* ---- what stores release [ORDER-1] ---- */

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

/* NULL: it has released nothing to it. */
static struct part *find_part(const struct object *object, unsigned thread)
{
    struct part *part = object->parts;

    while (part && part->thread != thread)
        part = part->next;
    return part;
}

static struct part *add_part(struct object *object, unsigned thread)
{
    if (table.part_count == PARTS)
        machine_stop_at(LIMIT_TABLES, "more than %d parts of release sequences", PARTS);
    struct part *part = &table.parts[table.part_count++];
    part->thread = thread;
    part->counts = false;
    part->next = object->parts;
    return object->parts = part;
}

static void set_part(struct object *object, unsigned thread, const struct clock *clock)
{
    struct part *part = find_part(object, thread);

    if (!part)
        part = add_part(object, thread);
    if (part->counts)
        clock_join(&part->clock, clock);
    else
        clock_copy(&part->clock, clock);
    part->counts = true;
}

static void end_parts(struct object *object)
{
    for (struct part *part = object->parts; part; part = part->next)
        part->counts = false;
}

/* A relaxed store carries on what its own thread has released before, and nothing else. Whether
   there is such. */
static bool keep_own_part(struct object *object, struct clock *after, const struct clock *before)
{
    const struct part *part =
        object->by == SEVERAL ? find_part(object, machine.current) : (const struct part *)NULL;

    if (part && part->counts)
        clock_copy(after, &part->clock);
    else if (object->by != machine.current)
        clock_clear(after);
    else if (after != before)
        clock_copy(after, before);
    return after->width > 0;
}

/* What a store releases, given what the one before it did: that may be the same clock. Whether it
   continues a release sequence. */
static bool release_by_store(struct object *object, struct clock *after, const struct clock *before,
                             int order)
{
    bool continues = false;

    if (releases(order)) {
        clock_copy(after, &own_knowledge()->clock);
    } else {
        continues = keep_own_part(object, after, before);
        clock_join(after, &own_knowledge()->fenced);
    }
    if (object->by == SEVERAL)
        end_parts(object);
    object->by = (thread_number)machine.current;
    return continues;
}

/* A read-modify-write goes on with all of it. */
static void release_by_rmw(struct object *object, struct clock *after, const struct clock *before,
                           int order)
{
    const struct clock *added = made_known_by(order);

    if (added->width > 0 && object->by != machine.current) {
        if (object->by != SEVERAL && object->by != NO_THREAD)
            set_part(object, object->by, before);
        if (object->by != NO_THREAD)
            set_part(object, machine.current, added);
        object->by = object->by == NO_THREAD ? (thread_number)machine.current : SEVERAL;
    }
    if (after != before)
        clock_copy(after, before);
    clock_join(after, added);
}

/* ---- sizes ---- */

static inline bool is_overlapping(const struct object *a, const struct object *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* Mostly an atomic has its bytes for itself. Objects of one word have one home. */
static bool is_alone_in_bytes(const struct object *object)
{
    const struct slot *slot;

    if (table.has_wide)
        return false;
    for (uint32_t i = home_of(object->address);
         slot = &table.slots[i], slot->floor == ordering.floor; i = (i + 1) % SLOTS)
        if (slot->address != object->address && is_overlapping(&table.objects[slot->index], object))
            return false;
    return true;
}

/* The objects that share a byte with these. */
static unsigned find_overlapping(const void *place, size_t size, struct object *found[])
{
    uintptr_t address = (uintptr_t)place;
    uintptr_t at = address - (table.has_wide ? WIDEST - 1 : address % sizeof(uint64_t));
    unsigned count = 0;

    for (; at < address + size; at++) {
        const struct slot *slot = slot_of(at);
        struct object *object = &table.objects[slot->index];
        if (slot->floor == ordering.floor && at + object->size > address)
            found[count++] = object;
    }
    return count;
}

/* What its stores have released is the object's own from now on. */
static void mix(struct object *object)
{
    if (object->mixed)
        return;
    if (object->history.latest) {
        clock_join(&object->released, &object->history.latest->released);
        object->history.latest = NULL;
    }
    object->mixed = true;
    if (memory_rules.model == MEMORY_C11)
        machine_leave_out(LIMIT_MIXED_SIZES);
}

/* An access has another size than those before it, or is the first. */
static __attribute__((noinline)) void note_size(struct object *object, size_t size)
{
    struct object *found[2 * WIDEST];
    bool is_first = object->size == 0;

    table.has_wide |= object->address % sizeof(uint64_t) + size > sizeof(uint64_t);
    if (size > object->size)
        object->size = (uint8_t)size;
    if (size > sizeof(uint64_t) && memory_rules.model == MEMORY_C11)
        machine_leave_out(LIMIT_WIDE);
    if (is_first && is_alone_in_bytes(object))
        return;
    unsigned count = find_overlapping((const void *)object->address, object->size, found);
    if (is_first && count == 1)
        return;
    for (unsigned i = 0; i < count; i++)
        mix(found[i]);
}

/* Of those larger than WIDEST only the first bytes count: a library locks them as a whole. */
static inline struct object *atomic_at(const void *address, size_t size)
{
    struct object *object = object_at(address);

    size = size < WIDEST ? size : WIDEST;
    if (__builtin_expect(object->size != size, 0) && !object->mixed)
        note_size(object, size);
    return object;
}

static void claim_mixed(const void *address, size_t size, int order)
{
    struct object *found[2 * WIDEST];
    unsigned count = find_overlapping(address, size < WIDEST ? size : WIDEST, found);

    for (unsigned i = 0; i < count; i++)
        claim(&found[i]->released, order);
}

static void release_mixed(const void *address, size_t size, int order)
{
    struct object *found[2 * WIDEST];
    unsigned count = find_overlapping(address, size < WIDEST ? size : WIDEST, found);

    for (unsigned i = 0; i < count; i++)
        clock_join(&found[i]->released, made_known_by(order));
    end_epoch(order);
}

/* ---- atomics ---- */

static bool has_history(size_t size)
{
    return memory_rules.model == MEMORY_C11 && size <= sizeof(uint64_t);
}

static void use(const void *address, size_t size, unsigned flags)
{
    if (memory_rules.races)
        memory_quick_access(address, size, flags | ACCESS_ATOMIC, machine_self()->op.pc);
}

/* If all that it hands on is its writer's own [ORDER-1], and the store is known, that is known,
   too: the release by which its epoch became known came no earlier. */
static void read_from(struct store *store, int order)
{
    if (store->by == store->writer && store_is_known(store))
        return;
    if (order != __ATOMIC_SEQ_CST || !store->seq_cst)
        store_note_read(store, CLOCK_MIXED); /* [STORES-5] */
    claim(&store->released, order);
    store_note_read(store, CLOCK_CROSSED); /* [STORES-4] */
}

/* Where memory was written by other means, nothing was released before. */
static void begin_sequences(struct object *object, struct store *before)
{
    if (!before->older)
        object->by = NO_THREAD;
}

/* What a store releases that does not come last. [ORDER-1] is about others then: of the one before
   it is known whether it was released by one thread. */
static void release_in_between(struct store *before, struct store *after, int order, bool updates)
{
    const struct clock *added = made_known_by(order);
    thread_number self = (thread_number)machine.current, by = before->by;
    thread_number released_by = self;

    clock_copy(&after->released, added);
    if (updates || (by == self && !releases(order)))
        clock_join(&after->released, &before->released);
    if (!updates && by == self && !releases(order))
        after->continues = true;
    if (updates && by != NO_THREAD && by != self)
        released_by = added->width > 0 ? SEVERAL : by;
    else if (updates && added->width == 0)
        released_by = by;
    after->by = released_by;
}

static void release_at_end(struct object *object, struct store *before, struct store *after,
                           int order, bool updates)
{
    struct clock *released = &after->released;

    if (updates)
        release_by_rmw(object, released, &before->released, order);
    else if (release_by_store(object, released, &before->released, order))
        after->continues = true;
    after->by = object->by;
}

/* A store that follows this one. What memory holds is the last one. */
static uint64_t add_store(struct object *object, struct store *before, uint64_t old, uint64_t new,
                          int order, bool updates)
{
    bool is_last = before == object->history.latest;
    struct store *after = stores_add(&object->history, before, new, order, updates);

    if (is_last)
        release_at_end(object, before, after, order, updates);
    else
        release_in_between(before, after, order, updates);
    end_epoch(order);
    return is_last ? new : old;
}

uint64_t memory_load(const void *address, size_t size, uint64_t old, int order)
{
    struct object *object = atomic_at(address, size);

    use(address, size, 0);
    if (__builtin_expect(object->mixed, 0)) {
        claim_mixed(address, size, order);
        return old;
    }
    if (!has_history(size)) {
        claim(&object->released, order);
        return old;
    }
    struct store *store = stores_pick(&object->history, old, order);
    read_from(store, order);
    return store->value;
}

uint64_t memory_store(const void *address, size_t size, uint64_t old, uint64_t new, int order)
{
    struct object *object = atomic_at(address, size);

    use(address, size, ACCESS_WRITES);
    if (__builtin_expect(object->mixed, 0)) {
        release_mixed(address, size, order);
        return new;
    }
    if (!has_history(size)) {
        release_by_store(object, &object->released, &object->released, order);
        end_epoch(order);
        return new;
    }
    struct store *before = stores_place(&object->history, old, order, false);
    begin_sequences(object, before);
    return add_store(object, before, old, new, order, false);
}

uint64_t memory_find(const void *address, size_t size, uint64_t old, int order)
{
    struct object *object = has_history(size) ? atomic_at(address, size) : NULL;

    if (!object || object->mixed)
        return old;
    table.found = stores_place(&object->history, old, order, true);
    return table.found->value;
}

uint64_t memory_rmw(const void *address, size_t size, uint64_t old, uint64_t new, int order)
{
    struct object *object = atomic_at(address, size);

    use(address, size, ACCESS_WRITES);
    if (__builtin_expect(object->mixed, 0)) {
        claim_mixed(address, size, order);
        release_mixed(address, size, order);
        return new;
    }
    if (!has_history(size)) {
        claim(&object->released, order);
        release_by_rmw(object, &object->released, &object->released, order);
        end_epoch(order);
        return new;
    }
    begin_sequences(object, table.found);
    read_from(table.found, order);
    return add_store(object, table.found, old, new, order, true);
}

/* One that fails is a load, and may fail because of a value that is there no longer. */
uint64_t memory_cas(const void *address, size_t size, uint64_t *held, uint64_t expected,
                    uint64_t desired, int success, int failure)
{
    struct object *object = has_history(size) ? atomic_at(address, size) : NULL;
    uint64_t old = *held;

    if (!object || object->mixed) {
        if (old == expected)
            *held = memory_rmw(address, size, old, desired, success);
        else
            memory_load(address, size, old, failure);
        return old;
    }
    struct store *store = stores_pick_for_cas(&object->history, old, expected, success, failure);
    if (store->value == expected) {
        table.found = store;
        *held = memory_rmw(address, size, old, desired, success);
        return expected;
    }
    use(address, size, 0);
    read_from(store, failure);
    return store->value;
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
    table.count = table.part_count = 0;
    table.has_wide = false;
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
    table.parts = memory_reserve(PARTS * sizeof *table.parts);
    return table.objects && table.slots && table.parts && races_prepare() && stores_prepare();
}
