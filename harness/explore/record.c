/*
 * See record.h. Lists that grow. Their memory is the harness's own, and growing it is no
 * step: the program cannot notice.
 *
 * A stack is walked by the unwinder, on the fiber whose step it is; the frames of the machine are
 * left out by looking for the program counter that the op was announced with.
 */
#include "harness/explore/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "harness/explore/arena.h"
#include "harness/explore/probe.h"

struct list {
    void *items;
    size_t size; /* of an item */
    uint32_t count, room;
};

static struct list steps = {.size = sizeof(struct record)};
static struct list probes = {.size = sizeof(struct record_probe)};
static struct list accesses = {.size = sizeof(struct record_access)};
static struct list writes = {.size = sizeof(struct record_write)};
static uint32_t settled;                    /* so many of them have been read back */
static bool lean;                           /* no stacks, no accesses */
static uint32_t last_step[MACHINE_THREADS]; /* of each thread, counted from 1 */
static char thread_names[MACHINE_THREADS][RECORD_NAME];

/* All zero. NULL: no memory, and the item is lost. */
static void *add(struct list *list)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 1024;
        void *moved = realloc(list->items, room * list->size);
        if (!moved)
            return NULL;
        list->items = moved;
        list->room = room;
    }
    return memset((char *)list->items + list->size * list->count++, 0, list->size);
}

static void *item(const struct list *list, uint32_t index)
{
    return (char *)list->items + list->size * index;
}

void record_begin(void)
{
    steps.count = probes.count = accesses.count = writes.count = 0;
    settled = 0;
    lean = false;
    memset(last_step, 0, sizeof last_step);
    memset(thread_names, 0, sizeof thread_names);
    machine.recording = true;
}

void record_begin_lean(void)
{
    record_begin();
    lean = true;
}

/* ---- plain writes ---- */

/* A write is announced before it is done, and has been done when the next step comes. */
static void settle_writes(void)
{
    for (; settled < writes.count; settled++) {
        struct record_write *write = item(&writes, settled);
        memcpy(write->words, write->address, write->size);
    }
}

static void add_write(const void *address, size_t size, const void *pc)
{
    struct record_write *write;

    if (size > sizeof write->words || !arena_has(address) || !(write = add(&writes)))
        return;
    *write = (struct record_write){.step = last_step[machine.current],
                                   .thread = machine.current,
                                   .address = address,
                                   .size = (unsigned)size,
                                   .pc = pc};
}

uint32_t record_write_count(void)
{
    return writes.count;
}

const struct record_write *record_write_at(uint32_t index)
{
    return item(&writes, index);
}

void record_end(void)
{
    settle_writes();
    machine.recording = false;
}

/* ---- stacks ---- */

struct walk {
    const void *from;
    struct record_stack *stack;
};

static _Unwind_Reason_Code keep_frame(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    struct record_stack *stack = walk->stack;
    const void *address = (const void *)_Unwind_GetIP(context);

    if (stack->count > 0 || address == walk->from)
        stack->frames[stack->count++] = address;
    return stack->count < RECORD_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void record_walk_stack(const void *pc, struct record_stack *stack)
{
    struct walk walk = {.from = pc, .stack = stack};

    stack->count = 0;
    _Unwind_Backtrace(keep_frame, &walk);
    while (stack->count > 0 && !stack->frames[stack->count - 1])
        stack->count--;
    if (stack->count == 0 && pc)
        stack->frames[stack->count++] = pc;
}

/* ---- steps ---- */

void record_step(unsigned thread)
{
    const struct op *op = &machine.threads[thread % MACHINE_THREADS].op;
    struct record *record = add(&steps);

    settle_writes();
    if (!record)
        return;
    record->thread = (thread_number)thread;
    record->kind = OP_ADVANCE;
    record->now = machine.now;
    if (thread == CLOCK_THREAD)
        return;
    last_step[thread] = machine.steps;
    record->kind = op->kind;
    record->flags = op->flags;
    record->order = op->order;
    record->size = op->size;
    record->object = op->object;
    record->second = op->second;
    record->deadline = op->deadline;
    /* A thread begins where its function does; other addresses are those that calls return to. */
    if (lean)
        record->stack = (struct record_stack){.count = op->pc != NULL, .frames = {op->pc}};
    else
        record_walk_stack((const char *)op->pc + (op->kind == OP_BEGIN), &record->stack);
    if (op->object)
        record_access(op->object, op->size ? op->size : 1, ACCESS_ATOMIC, op->pc);
}

void record_overtaken(void)
{
    if (steps.count == 0)
        return;
    struct record *record = item(&steps, steps.count - 1);
    record->overtaken = true;
}

void record_order(int order)
{
    if (steps.count == 0)
        return;
    struct record *record = item(&steps, steps.count - 1);
    record->order = (uint8_t)order;
}

void record_values(uint64_t before, uint64_t after)
{
    if (steps.count == 0)
        return;
    struct record *record = item(&steps, steps.count - 1);
    record->has_values = true;
    record->before = before;
    record->after = after;
}

void record_woken(unsigned thread)
{
    if (steps.count > 0)
        set_add(&((struct record *)item(&steps, steps.count - 1))->woken, thread);
}

void record_held_back(thread_set threads)
{
    if (steps.count > 0)
        ((struct record *)item(&steps, steps.count - 1))->held_back = threads;
}

uint32_t record_count(void)
{
    return steps.count;
}

const struct record *record_at(uint32_t index)
{
    return item(&steps, index);
}

/* ---- accesses ---- */

void record_access(const void *address, size_t size, unsigned flags, const void *pc)
{
    struct record_access *access = lean ? NULL : add(&accesses);

    if (!access)
        return;
    if (flags == ACCESS_WRITES)
        add_write(address, size, pc);
    *access = (struct record_access){.step = last_step[machine.current],
                                     .thread = machine.current,
                                     .flags = flags,
                                     .address = address,
                                     .size = size};
    record_walk_stack(pc, &access->stack);
}

uint32_t record_access_count(void)
{
    return accesses.count;
}

const struct record_access *record_access_at(uint32_t index)
{
    return item(&accesses, index);
}

/* ---- names ---- */

void record_name(unsigned thread, const char *name)
{
    snprintf(thread_names[thread], RECORD_NAME, "%s", name);
}

const char *record_name_of(unsigned thread)
{
    return thread_names[thread];
}

/* ---- what a detector has reported ---- */

/* The latest that fits what the detector says; one that was not noted has no step. */
bool record_conflict(unsigned index, struct record_access *found)
{
    const struct access *wanted = &machine.accesses[index];

    if (index >= machine.access_count)
        return false;
    for (uint32_t i = accesses.count; i-- > 0;) {
        *found = *(struct record_access *)item(&accesses, i);
        uintptr_t offset = (uintptr_t)machine.address - (uintptr_t)found->address;
        bool whose = wanted->thread == MACHINE_THREADS || found->thread == wanted->thread;
        if (whose && found->stack.count > 0 && found->stack.frames[0] == wanted->pc &&
            offset < found->size) {
            found->flags = wanted->flags;
            found->size = wanted->size;
            return true;
        }
    }
    *found = (struct record_access){.thread = wanted->thread,
                                    .flags = wanted->flags,
                                    .address = machine.address,
                                    .size = wanted->size,
                                    .stack = {.count = 1, .frames = {wanted->pc}}};
    return true;
}

/* ---- probes ---- */

static struct machine_kept kept; /* while a probe's arguments are worked out */

bool explore_probe_begin(void)
{
    if (!machine.recording)
        return false;
    kept = machine_step_aside();
    return true;
}

void explore_probe_end(const char *name, const char *names, unsigned count,
                       const struct explore_argument *arguments)
{
    struct record_probe *probe = add(&probes);

    machine_step_back(&kept);
    if (!probe)
        return;
    *probe = (struct record_probe){.step = last_step[machine.current],
                                   .thread = machine.current,
                                   .name = name,
                                   .names = names};
    for (; probe->count < count && probe->count < RECORD_ARGUMENTS; probe->count++) {
        probe->arguments[probe->count] = arguments[probe->count].value;
        probe->is_pointer[probe->count] = arguments[probe->count].is_pointer;
    }
}

uint32_t record_probe_count(void)
{
    return probes.count;
}

const struct record_probe *record_probe_at(uint32_t index)
{
    return item(&probes, index);
}
