/*
 * Turns: a thread announces its next step, waits until it is picked, and takes it.
 *
 * There is no thread of control for the scheduler. Whoever announces its next step also picks who
 * goes on, and switches straight to it; if it picks itself, there is no switch at all. The clock,
 * which is nobody's fiber, steps on the fiber of whoever picked it.
 *
 * Most steps change nothing about who can step. So the sets are kept, whatever may make them wrong
 * leaves a doubt, and pick_quickly has to look at that alone; machine_pick, which would find the
 * same, is for the rest. Who locks a mutex that is free enters no gate unless somebody else goes
 * first. The random walk, by which most executions are found, has its own way besides (walk_on).
 *
 * An execution goes through so much code, with the program and its hooks, that a first-level cache
 * hardly holds it. That is why the hooks hand their op over in registers instead of each writing it
 * by itself, and why a branch on what is random is worse than a look into a table. What is done at
 * every step is in this file, or inline in a header, for the compiler to see at once. Rejected: to
 * leave the log and the deviations to a second execution. They cost little, and every strategy
 * would have to be able to go back.
 */
#include <errno.h>

#include "harness/explore/gates.h"
#include "harness/explore/globals.h"
#include "harness/explore/machine_parts.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/objects.h"
#include "harness/explore/orders.h"
#include "harness/explore/record.h"
#include "harness/explore/runtime.h"
#include "harness/explore/walk.h"

/* ---- what each thread has for itself ---- */

static int *errno_place; /* there is one operating-system thread, and this is its errno */

static void park(struct thread *thread)
{
    thread->errno_kept = *errno_place;
    globals_copy(thread->tls, globals_tls.start, globals_tls.size);
}

static void unpark(const struct thread *thread)
{
    *errno_place = thread->errno_kept;
    globals_copy(globals_tls.start, thread->tls, globals_tls.size);
}

/* ---- picking, where there is little to find out ---- */

static unsigned ask_strategy(thread_set enabled, unsigned by_default)
{
    struct turn turn = {.enabled = enabled, .current = machine.current, .by_default = by_default};

    return machine.strategy->pick(&turn);
}

/* As machine_pick, where nothing but gates has to be found out first: the way of most steps. */
static inline unsigned pick_quickly(unsigned number)
{
    if (RARELY(machine.doubts == DOUBT_GATES))
        gates_find_enabled();
    thread_set willing = set_or(machine.ready, machine.open);
    thread_set enabled = set_or(willing, machine.clock);
    if (RARELY(machine.doubts != 0 || set_is_empty(willing) ||
               machine.steps >= machine.rules.step_budget))
        return machine_pick();
    unsigned by_default = lowest(set_else(set_and(willing, only(number)), willing));
    if (!set_has_several(enabled))
        return by_default;
    unsigned chosen = ask_strategy(enabled, by_default);
    machine_note_turn(by_default, chosen);
    if (RARELY(chosen == CLOCK_THREAD)) {
        machine_advance_clock(willing);
        return machine_pick();
    }
    return chosen;
}

/* ---- stepping ---- */

void machine_tell_of_step(unsigned thread)
{
    if (machine.strategy->stepped)
        machine.strategy->stepped(thread);
    if (machine.counting)
        orders_step(thread);
}

APART static void step_heeded(unsigned number)
{
    machine_tell_of_step(number);
    machine_log_step(number, machine.threads[number].op.kind);
    if (machine.recording)
        record_step(number);
}

static inline void step(unsigned number)
{
    struct thread *self = &machine.threads[number];

    self->held_back = 0;
    if (RARELY(machine.heeded))
        step_heeded(number);
    else
        machine_log_step(number, self->op.kind);
    if (machine.ordering && memory_is_used_by(self->op.kind))
        memory_use_of(&self->op);
}

static inline void switch_to(unsigned next)
{
    struct thread *self = machine_self();

    park(self);
    machine.current = next;
    if (machine.ordering)
        memory_switch(next);
    unpark(&machine.threads[next]);
    fiber_switch(&self->fiber, &machine.threads[next].fiber);
}

/* ---- announcing ---- */

/* Atomics are carried out, there is nobody else; whatever could wait is refused. */
APART static void point_aside(enum op_kind kind, const void *pc)
{
    if (!machine.prepared && (kind < OP_LOAD || kind > OP_FENCE))
        runtime_refuse_constructor(op_name(kind), pc);
}

/* Mostly a mutex is free: then there is no gate to enter, unless somebody else goes first. */
static inline bool has_to_wait(const struct op *op)
{
    return (op->flags & OP_GATED) &&
           (op->kind != OP_LOCK || ((const struct x_mutex *)op->object)->owner != 0);
}

/* Its turn comes after that of `next`, unless that is itself; then it does what it announced. */
APART static void let_go_first(unsigned number, unsigned next, bool waits)
{
    if (next != number) {
        machine.switches +=
            set_has(set_or(machine.ready, set_minus(machine.open, machine.spurious)), number);
        if (!waits && (machine.threads[number].op.flags & OP_GATED))
            gates_enter(number);
        switch_to(next);
    }
    step(number);
    if (set_meets(machine.gated, only(number)))
        gates_leave(number);
}

APART static void await_turn(unsigned number)
{
    bool waits = has_to_wait(&machine.threads[number].op);

    if (RARELY(machine.watch.invariant != NULL) && machine.locked == 0)
        machine_ask_for_invariant();
    if (waits)
        gates_enter(number);
    let_go_first(number, pick_quickly(number), waits);
}

/* The same in turns. Its caller has given up its own frame, and it saves the program's registers
   before it does anything else. */
APART static void await_turn_in_turns(unsigned number)
{
    __builtin_unwind_init();
    machine_note_registers(number, __builtin_frame_address(0));
    await_turn(number);
}

APART static void let_clock_go_first(unsigned number)
{
    machine_advance_clock(set_or(machine.ready, machine.open));
    let_go_first(number, machine_pick(), false);
}

/* Something has to be found out, told or made room for, or the strategy is another. */
static inline bool needs_care(void)
{
    return machine.doubts != 0 || machine.heeded || machine.strides ||
           machine.steps >= machine.rules.step_budget ||
           machine.deviation_count == machine.deviation_room;
}

/* What await_turn does, for most steps of a random walk. That whoever goes on needs no register
   besides those that a call may change, and no stack, is worth having it a second time. */
static inline void walk_on(unsigned number, const struct op *op)
{
    thread_set willing = set_or(machine.ready, machine.open);
    thread_set enabled = set_or(willing, machine.clock);

    if (RARELY(needs_care() || machine.watch.invariant != NULL || !walk_is_of_few(enabled)) ||
        has_to_wait(op)) {
        if (RARELY(machine.steps >= machine.rules.step_budget))
            await_turn_in_turns(number);
        else
            await_turn(number);
        return;
    }
    if (set_has_several(enabled)) {
        unsigned chosen = walk_pick(enabled);
        machine_note_quickly(set_noted(number), set_noted(chosen));
        if (chosen == CLOCK_THREAD) {
            let_clock_go_first(number);
            return;
        }
        if (chosen != number) {
            let_go_first(number, chosen, false);
            return;
        }
    }
    step(number);
}

void machine_announce(uint32_t what, const void *object, const void *second, int64_t deadline,
                      const void *pc, const void *edge)
{
    unsigned number = machine.current;
    struct thread *self = &machine.threads[number];

    if (RARELY(machine.aside)) {
        point_aside((enum op_kind)(what & 0xff), pc);
        return;
    }
    self->did = self->op.flags;
    self->op = (struct op){.kind = (uint8_t)what,
                           .flags = (uint8_t)(what >> 8),
                           .order = (uint8_t)(what >> 16),
                           .size = (uint8_t)(what >> 24),
                           .object = object,
                           .second = second,
                           .deadline = deadline,
                           .pc = pc};
    self->edge = edge;
    walk_on(number, &self->op);
}

/* ---- the first turn, and the last ---- */

void machine_take_turns(void)
{
    errno_place = &errno;
    unpark(&machine.threads[0]);
    fiber_switch(&machine.home, &machine.threads[0].fiber);
}

void machine_first_turn(void)
{
    struct thread *self = machine_self();

    step(machine.current);
    self->result = self->start(self->argument);
    runtime_thread_exits();
}

void machine_end_thread(void)
{
    machine_self()->alive = false;
    set_remove(&machine.ready, machine.current);
    machine_gates_changed();
    if (set_is_empty(set_or(machine.ready, machine.gated)))
        runtime_program_ends(NULL); /* main has left by pthread_exit, and this was the last */
    switch_to(pick_quickly(machine.current));
    __builtin_unreachable();
}
