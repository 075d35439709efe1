/*
 * See orders.h.
 *
 * Each step gets a number that stands for itself and everything that happened before it: mixed from
 * the number of its thread's last step and from those of the steps on its objects that it depends
 * on. For that an object knows the number of the last step that changed it, and the sum of those
 * that have looked at it since: a sum, since their order does not matter. The clock is an object
 * like others. Which object it is does not enter, nor do addresses, which differ between equal
 * executions: a thread that has met the same things is at the same place of its program. The
 * execution's number is the sum of its threads' last ones.
 *
 * A step is worked in when the next one comes, since only then it is known whether it has changed
 * anything. The table of objects and the set of numbers are open hash tables, the former emptied by
 * counting executions. What depends on what is a little simpler here than in dependence.c: what the
 * machine adds to a program (that yields wait for changes, that spurious wake-ups have a budget)
 * does not count; times do, however far off, and so does a try that failed.
 */
#include "harness/explore/orders.h"

#include <stdlib.h>
#include <string.h>

#include "harness/explore/machine.h"

enum {
    OBJECTS = 1024,          /* of an execution; those beyond share the last */
    SEEN_AT_FIRST = 1 << 12, /* a power of two, like all sizes of the set */
    SEEN_AT_MOST = 1 << 22,  /* numbers: 32 MB */
};

struct orders orders_seen;

struct object {
    const void *name;
    uint64_t changed; /* number of the last step that changed it */
    uint64_t looks;   /* sum of those that have looked since */
    uint32_t execution;
};

static struct {
    struct object objects[OBJECTS];
    uint64_t threads[CLOCK_THREAD + 1]; /* of each its last step */
    uint32_t execution;
    unsigned last; /* thread of the step that is not worked in yet */
    struct op op;  /* its op, as it was announced */
    bool any;
} now;

static struct {
    uint64_t *numbers; /* 0: none */
    uint32_t room;
} seen;

static const char the_clock; /* a name */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- an execution ---- */

static struct object *object_of(const void *name)
{
    uint32_t place = (uint32_t)((uintptr_t)name * UINT64_C(0x9E3779B97F4A7C15) >> 54) % OBJECTS;

    for (unsigned tries = 0; tries < OBJECTS; tries++, place = (place + 1) % OBJECTS) {
        struct object *object = &now.objects[place];
        if (object->execution != now.execution) {
            *object = (struct object){.name = name, .execution = now.execution};
            return object;
        }
        if (object->name == name)
            return object;
    }
    return &now.objects[OBJECTS - 1];
}

/* What a step touches: a few objects, each changed or looked at. */
struct touch {
    const void *name;
    bool changes;
};

static unsigned touches_of_step(bool announced, struct touch *touches)
{
    const struct thread *thread = &machine.threads[now.last];
    uint8_t flags = now.op.flags;
    unsigned count = 0;

    if (now.op.kind == OP_YIELD)
        return 0;
    if (thread->alive)
        flags |= (announced ? thread->did : thread->op.flags) & OP_READS;
    if (now.op.object)
        touches[count++] = (struct touch){now.op.object, !(flags & OP_READS)};
    if (now.op.second)
        touches[count++] = (struct touch){now.op.second, !(flags & OP_READS)};
    if ((flags & OP_TIMED) || now.op.kind == OP_NOW || now.op.kind == OP_SLEEP)
        touches[count++] = (struct touch){&the_clock, false};
    return count;
}

static unsigned find_touches(bool announced, struct touch *touches)
{
    if (now.last != CLOCK_THREAD)
        return touches_of_step(announced, touches);
    touches[0] = (struct touch){&the_clock, true};
    return 1;
}

/* Announced: the step's thread has come to its next one, or to its end. */
static void work_in(bool announced)
{
    struct touch touches[3];
    struct object *objects[3];
    unsigned count = find_touches(announced, touches);
    uint64_t number = (now.threads[now.last] ^ now.op.kind) + now.last + 1;

    for (unsigned i = 0; i < count; i++) {
        objects[i] = object_of(touches[i].name);
        number =
            mix(3 * number + objects[i]->changed + (touches[i].changes ? objects[i]->looks : 0));
    }
    number = count > 0 ? number : mix(number);
    for (unsigned i = 0; i < count; i++) {
        if (touches[i].changes)
            objects[i]->changed = number;
        objects[i]->looks = touches[i].changes ? 0 : objects[i]->looks + number;
    }
    now.threads[now.last] = number;
}

void orders_begin(void)
{
    now.execution++;
    now.any = false;
    memset(now.threads, 0, sizeof now.threads);
}

void orders_step(unsigned thread)
{
    if (now.any)
        work_in(true);
    now.any = machine.count > 1; /* before that there is but one order */
    if (!now.any)
        return;
    now.last = thread;
    if (thread == CLOCK_THREAD)
        now.op = (struct op){.kind = OP_ADVANCE};
    else
        now.op = machine.threads[thread].op;
}

/* ---- the set ---- */

/* True: it was not there. There is room for one more. */
static bool add(uint64_t number)
{
    uint32_t place = (uint32_t)number & (seen.room - 1);

    while (seen.numbers[place] != 0 && seen.numbers[place] != number)
        place = (place + 1) & (seen.room - 1);
    if (seen.numbers[place] == number)
        return false;
    seen.numbers[place] = number;
    return true;
}

static bool make_room(void)
{
    uint64_t *old = seen.numbers;
    uint32_t old_room = seen.room, room = old_room ? 2 * old_room : SEEN_AT_FIRST;

    if (orders_seen.distinct * 2 < old_room)
        return true;
    uint64_t *numbers = room <= SEEN_AT_MOST ? calloc(room, sizeof *numbers) : NULL;
    if (!numbers)
        return false;
    seen.numbers = numbers;
    seen.room = room;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i] != 0)
            add(old[i]);
    free(old);
    return true;
}

void orders_forget(void)
{
    free(seen.numbers);
    memset(&seen, 0, sizeof seen);
    orders_seen = (struct orders){0};
}

static uint64_t number_of_order(bool announced)
{
    uint64_t number = 0;

    if (now.any)
        work_in(announced);
    now.any = false;
    for (unsigned i = 0; i <= CLOCK_THREAD; i++)
        number += now.threads[i];
    return number + (number == 0);
}

uint64_t orders_so_far(void)
{
    return number_of_order(true);
}

bool orders_end(void)
{
    uint64_t number = number_of_order(machine.stuck);

    if (orders_seen.full || !make_room()) {
        orders_seen.full = true;
        return false;
    }
    bool is_new = add(number);
    orders_seen.counted++;
    orders_seen.distinct += is_new;
    return is_new;
}
