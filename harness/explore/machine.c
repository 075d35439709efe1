/*
 * The machine: announcing, picking, stepping, ending. See machine.h for what it is.
 *
 * There is no thread of control for the scheduler. Whoever announces its next step also picks who
 * goes on, and switches straight to it; if it picks itself, there is no switch at all. The clock,
 * which is nobody's fiber, steps on the fiber of whoever picked it.
 *
 * Most steps change nothing about who can step. So the sets are kept, whatever may make them wrong
 * leaves a doubt, and pick_quickly has to look at that alone; pick_thread, which would find the
 * same, is for the rest. Who locks a mutex that is free enters no gate unless somebody else goes
 * first. The random walk, by which most executions are found, has its own way besides (walk_on).
 *
 * An execution goes through so much code, with the program and its hooks, that a first-level cache
 * hardly holds it. That is why the hooks hand their op over in registers instead of each writing it
 * by itself, and why a branch on what is random is worse than a look into a table. Rejected: to
 * leave the log and the deviations to a second execution. They cost little, and every strategy
 * would have to be able to go back.
 */
#include "harness/explore/machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* _exit */

#include "harness/explore/arena.h"
#include "harness/explore/clock.h"
#include "harness/explore/crash.h"
#include "harness/explore/gates.h"
#include "harness/explore/globals.h"
#include "harness/explore/leaks.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/objects.h"
#include "harness/explore/orders.h"
#include "harness/explore/record.h"
#include "harness/explore/runtime.h"
#include "harness/explore/walk.h"

/* The way of most steps is to be straight. */
#define RARELY(condition) __builtin_expect((condition), 0)
#define APART             __attribute__((noinline))

struct machine machine = {.aside = true};

static int *errno_place; /* there is one operating-system thread, and this is its errno */

/* ---- thread-local variables ---- */

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

/* ---- ending ---- */

/* Whatever the fibers are in the middle of: they are not returned to [MACHINE-2]. */
static _Noreturn void leave_execution(void)
{
    struct fiber nobody;

    fiber_switch(&nobody, &machine.home);
    __builtin_unreachable();
}

/* Code of the program, or of the harness, that runs while no execution does. */
static _Noreturn void give_up(void)
{
    fprintf(stderr, "outside of any execution: %s: %s\n", verdict_kind_name(machine.verdict),
            machine.message);
    _exit(EXIT_FAILURE);
}

void machine_finish(enum verdict_kind verdict, const char *format, ...)
{
    va_list arguments;

    machine.verdict = verdict;
    va_start(arguments, format);
    vsnprintf(machine.message, sizeof machine.message, format, arguments);
    va_end(arguments);
    if (!machine.running)
        give_up();
    leave_execution();
}

void machine_finish_well(void)
{
    leave_execution();
}

/* ---- the clock ---- */

static int64_t find_next_deadline(void)
{
    int64_t earliest = INT64_MAX;

    for (thread_set left = machine.timed & machine.gated; left != 0; left &= left - 1) {
        const struct op *op = &machine.threads[lowest(left)].op;
        if (op->deadline > machine.now && op->deadline < earliest)
            earliest = op->deadline;
    }
    return earliest;
}

/* [MACHINE-3] Mostly nobody has been held back, and the first comparison decides. */
static bool may_overtake(thread_set enabled)
{
    int64_t passes = machine.deadline - machine.now;

    if (machine.held_back + passes <= machine.rules.slack)
        return true;
    machine.held_back = 0;
    for (; enabled != 0; enabled &= enabled - 1) {
        int64_t held_back = machine.threads[lowest(enabled)].held_back;
        if (held_back > machine.held_back)
            machine.held_back = held_back;
    }
    bool may = machine.held_back + passes <= machine.rules.slack;
    machine.held_up |= !may && passes <= machine.rules.slack;
    return may;
}

/* As far as it can be told without asking how long each has been held back. */
static void look_at_clock(void)
{
    int64_t passes = machine.deadline - machine.now;
    bool wants = machine.deadline != INT64_MAX && machine.rules.early_time;
    bool can = wants && machine.held_back + passes <= machine.rules.slack;
    bool unsure = wants && !can && (machine.held_back > 0 || passes <= machine.rules.slack);

    machine.clock = can ? only(CLOCK_THREAD) : 0;
    machine.doubts = (uint8_t)((machine.doubts & ~DOUBT_CLOCK) | (unsure ? DOUBT_CLOCK : 0));
}

static bool clock_can_step(thread_set enabled)
{
    if (machine.deadline == INT64_MAX)
        return false;
    if (enabled == 0)
        return true;
    bool can = machine.rules.early_time && may_overtake(enabled);
    look_at_clock();
    return can;
}

static void log_step(unsigned thread, enum op_kind kind)
{
    machine.log[machine.steps++] = (struct logged){(uint8_t)thread, (uint8_t)kind};
}

/* Before it is done. */
static void tell_of_step(unsigned thread)
{
    if (machine.strategy->stepped)
        machine.strategy->stepped(thread);
    if (machine.counting)
        orders_step(thread);
}

static void advance_clock(thread_set enabled)
{
    int64_t passed = machine.deadline - machine.now;

    if (RARELY(machine.heeded))
        tell_of_step(CLOCK_THREAD);
    for (; enabled != 0; enabled &= enabled - 1) {
        struct thread *thread = &machine.threads[lowest(enabled)];
        thread->held_back += passed;
        if (thread->held_back > machine.held_back)
            machine.held_back = thread->held_back;
    }
    machine.now = machine.deadline;
    machine.deadline = find_next_deadline();
    look_at_clock();
    machine.changes++;
    machine_doubt_gates(machine.timed);
    log_step(CLOCK_THREAD, OP_ADVANCE);
    if (machine.recording)
        record_step(CLOCK_THREAD);
}

/* ---- looking at the program's state ---- */

static struct machine_kept before_aside; /* an execution may end there, by a crash [MACHINE-2] */

struct machine_kept machine_step_aside(void)
{
    struct machine_kept kept = {.changes = machine.changes,
                                .doubts = machine.doubts,
                                .ordering = machine.ordering,
                                .recording = machine.recording,
                                .races = memory_rules.races,
                                .idle = machine_self()->idle};

    if (!machine.aside)
        before_aside = kept;
    machine.aside = true;
    machine.ordering = machine.recording = memory_rules.races = false;
    return kept;
}

void machine_step_back(const struct machine_kept *kept)
{
    machine.aside = false;
    machine.changes = kept->changes;
    machine_self()->idle = kept->idle;
    machine.doubts = kept->doubts;
    machine.ordering = kept->ordering;
    machine.recording = kept->recording;
    memory_rules.races = kept->races;
}

static void ask_for_invariant(void)
{
    struct machine_kept kept = machine_step_aside();
    int broken = machine.watch.invariant(machine.watch.state);
    machine_step_back(&kept);
    if (broken != 0)
        machine_finish(ENDED_BROKEN, "invariant %d", broken);
}

static void ask_whether_late(void)
{
    if (!machine.watch.late || machine.locked > 0)
        return;
    struct machine_kept kept = machine_step_aside();
    bool late = machine.watch.late(machine.watch.state);
    machine_step_back(&kept);
    if (late)
        machine_finish(ENDED_LATE, "something is due, and whoever waits for it sleeps on");
}

/* ---- picking ---- */

static void look_for_oddities(void)
{
    bool odd = (machine.spurious | machine.yielding) != 0;

    machine.doubts = (uint8_t)((machine.doubts & ~DOUBT_ODD) | (odd ? DOUBT_ODD : 0));
}

static inline void set_gate(unsigned number, enum gate gate, const struct x_mutex *mutex)
{
    thread_set bit = only(number);
    bool open = gate != GATE_CLOSED && (!mutex || mutex->owner == 0);

    machine.wanted[number] = gate != GATE_CLOSED ? mutex : NULL;
    machine.open = (machine.open & ~bit) | (thread_set)open << number;
    if (RARELY(gate == GATE_FAULTY || machine.spurious != 0)) {
        machine.spurious = (machine.spurious & ~bit) | (gate == GATE_FAULTY ? bit : 0);
        look_for_oddities();
    }
}

/* Of one who is gated. */
static void look_at_gate(unsigned number)
{
    const struct thread *thread = &machine.threads[number];
    const struct x_mutex *mutex = thread->op.object;
    enum gate gate = GATE_OPEN;

    if (thread->op.kind != OP_LOCK ||
        RARELY(mutex->owner == number + 1 || mutex->owner == DESTROYED))
        gate = gate_beside_mutex(thread, number, &mutex);
    set_gate(number, gate, mutex);
}

/* Who can step, the clock left aside; machine.spurious tells who only by a fault. */
static thread_set find_enabled(void)
{
    thread_set unsure = machine.yielding;

    if (machine.doubts & DOUBT_GATES)
        unsure |= machine.unsure & machine.gated;
    for (; unsure != 0; unsure &= unsure - 1)
        look_at_gate(lowest(unsure));
    machine.unsure = 0;
    machine.doubts &= (uint8_t) ~(DOUBT_GATES | DOUBT_STAY);
    return machine.ready | machine.open;
}

static unsigned next_in_turn(thread_set enabled, unsigned last)
{
    thread_set later = enabled & ~(only(last) * 2 - 1);

    return lowest(later != 0 ? later : enabled);
}

/* Whoever is at it goes on; then the first who can. No time passes and nothing fails without
   need. */
static unsigned default_pick(thread_set enabled, thread_set spurious)
{
    thread_set willing = enabled & ~spurious & ~only(CLOCK_THREAD);
    thread_set staying = willing & only(machine.current);

    if (RARELY(willing == 0))
        return CLOCK_THREAD;
    if (RARELY(staying != 0 && machine_self()->op.kind == OP_YIELD))
        return next_in_turn(willing, machine.current);
    return lowest(staying != 0 ? staying : willing);
}

static void make_room_for_deviation(void)
{
    uint32_t room = machine.deviation_room ? 2 * machine.deviation_room : 1024;
    struct deviation *moved = realloc(machine.deviations, room * sizeof *moved);

    if (!moved)
        machine_finish(ENDED_CUT, "no memory for %u choices", room);
    machine.deviations = moved;
    machine.deviation_room = room;
}

/* Where there is room for one. Whether it is one is as good as random: no branch. */
static inline void note_quickly(unsigned by_default, unsigned chosen)
{
    struct deviation *deviation = &machine.deviations[machine.deviation_count];

    deviation->number = machine.choices;
    deviation->chosen = chosen;
    machine.deviation_count += chosen != by_default;
    machine.choices++;
}

static inline void note_choice(unsigned by_default, unsigned chosen)
{
    if (RARELY(machine.deviation_count == machine.deviation_room))
        make_room_for_deviation();
    note_quickly(by_default, chosen);
}

/* An execution that is far too long is continued in turns, the clock among them, so that only a
   true livelock has no end. */
static unsigned pick_in_turn(thread_set enabled, thread_set spurious)
{
    unsigned next = next_in_turn(enabled & ~spurious, machine.log[machine.steps - 1].thread);

    if (machine.steps >= 2 * machine.rules.step_budget)
        machine_finish(ENDED_LIVELOCK, "no end after %u steps, the second half of them in turns",
                       machine.steps);
    if ((enabled & (enabled - 1)) != 0)
        note_choice(next, next);
    return next;
}

static unsigned pick(thread_set enabled, thread_set spurious)
{
    if (RARELY(machine.steps >= machine.rules.step_budget))
        return pick_in_turn(enabled, spurious);
    unsigned by_default = default_pick(enabled, spurious);
    if ((enabled & (enabled - 1)) == 0)
        return by_default;
    struct turn turn = {.enabled = enabled,
                        .spurious = spurious,
                        .current = machine.current,
                        .by_default = by_default};
    unsigned chosen = machine.strategy->pick(&turn);
    note_choice(by_default, chosen);
    return chosen;
}

unsigned machine_choose(enum datum_kind kind, unsigned count)
{
    unsigned chosen =
        machine.steps < machine.rules.step_budget ? machine.strategy->pick_datum(kind, count) : 0;

    note_choice(0, chosen);
    return chosen;
}

/* The thread that steps next. The clock's steps are done here. */
static unsigned pick_thread(void)
{
    for (;;) {
        thread_set enabled = find_enabled(), spurious = enabled & machine.spurious;
        bool timely = clock_can_step(enabled & ~spurious);
        if ((enabled & ~spurious) == 0 && !timely) {
            enabled = machine.yielding; /* they may as well go round once more */
            if (enabled == 0)
                gates_report_deadlock();
            spurious = 0;
        }
        unsigned chosen = pick(timely ? enabled | only(CLOCK_THREAD) : enabled, spurious);
        if (chosen != CLOCK_THREAD)
            return chosen;
        if ((enabled & ~spurious) == 0)
            ask_whether_late();
        advance_clock(enabled & ~spurious);
    }
}

static unsigned ask_strategy(thread_set enabled, unsigned by_default)
{
    struct turn turn = {.enabled = enabled, .current = machine.current, .by_default = by_default};

    return machine.strategy->pick(&turn);
}

/* As pick_thread, where nothing but gates has to be found out first: the way of most steps. */
static inline unsigned pick_quickly(unsigned number)
{
    if (RARELY(machine.doubts == DOUBT_GATES))
        find_enabled();
    thread_set willing = machine.ready | machine.open, staying = willing & only(number);
    thread_set enabled = willing | machine.clock;
    if (RARELY(machine.doubts != 0 || willing == 0 || machine.steps >= machine.rules.step_budget))
        return pick_thread();
    unsigned by_default = lowest(staying != 0 ? staying : willing);
    if ((enabled & (enabled - 1)) == 0)
        return by_default;
    unsigned chosen = ask_strategy(enabled, by_default);
    note_choice(by_default, chosen);
    if (RARELY(chosen == CLOCK_THREAD)) {
        advance_clock(willing);
        return pick_thread();
    }
    return chosen;
}

/* ---- stepping ---- */

APART static void step_heeded(unsigned number)
{
    tell_of_step(number);
    log_step(number, machine.threads[number].op.kind);
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
        log_step(number, self->op.kind);
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

static void enter_gate(unsigned number)
{
    const struct op *op = &machine.threads[number].op;
    thread_set bit = only(number);

    machine.ready &= ~bit;
    machine.gated |= bit;
    if (RARELY(op->kind == OP_YIELD)) {
        machine.yielding |= bit;
        machine.doubts |= DOUBT_ODD;
    }
    look_at_gate(number);
    if (op->flags & OP_TIMED) {
        machine.timed |= bit;
        if (op->deadline > machine.now && op->deadline < machine.deadline) {
            machine.deadline = op->deadline;
            look_at_clock();
        }
    }
}

/* While it does what it had announced, and until it announces something else, it is ready. */
static void leave_gate(unsigned number)
{
    thread_set bit = only(number);

    machine.wanted[number] = NULL;
    machine.gated &= ~bit;
    machine.open &= ~bit;
    machine.ready |= bit;
    if (RARELY(((machine.spurious | machine.yielding) & bit) != 0)) {
        machine.spurious &= ~bit;
        machine.yielding &= ~bit;
        look_for_oddities();
    }
    if ((machine.timed & bit) != 0) {
        machine.timed &= ~bit;
        machine.deadline = find_next_deadline();
        look_at_clock();
    }
}

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

/* What a spin may consist of. */
static const uint64_t spinning_kinds = UINT64_C(1) << OP_LOAD | UINT64_C(1) << OP_STORE |
                                       UINT64_C(1) << OP_RMW | UINT64_C(1) << OP_CAS |
                                       UINT64_C(1) << OP_YIELD;

/* Its turn comes after that of `next`, unless that is itself; then it does what it announced. */
APART static void let_go_first(unsigned number, unsigned next, bool waits)
{
    if (next != number) {
        machine.switches +=
            (uint32_t)((machine.ready | (machine.open & ~machine.spurious)) >> number & 1);
        if (!waits && (machine.threads[number].op.flags & OP_GATED))
            enter_gate(number);
        switch_to(next);
    }
    step(number);
    if ((machine.gated & only(number)) != 0)
        leave_gate(number);
}

APART static void await_turn(unsigned number)
{
    bool waits = has_to_wait(&machine.threads[number].op);

    if (RARELY(machine.watch.invariant != NULL) && machine.locked == 0)
        ask_for_invariant();
    if (waits)
        enter_gate(number);
    let_go_first(number, pick_quickly(number), waits);
}

APART static void let_clock_go_first(unsigned number)
{
    advance_clock(machine.ready | machine.open);
    let_go_first(number, pick_thread(), false);
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
    thread_set willing = machine.ready | machine.open, enabled = willing | machine.clock;

    if (RARELY(needs_care() || machine.watch.invariant != NULL || !walk_is_of_few(enabled)) ||
        has_to_wait(op)) {
        await_turn(number);
        return;
    }
    if ((enabled & (enabled - 1)) != 0) {
        unsigned chosen = walk_pick(enabled);
        note_quickly(number, chosen);
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
    if (self->watching)
        self->watching = spinning_kinds >> (what & 0xff) & 1;
    walk_on(number, &self->op);
}

/* ---- threads ---- */

static void thread_main(void)
{
    struct thread *self = machine_self();

    step(machine.current);
    self->result = self->start(self->argument);
    runtime_thread_exits();
}

/* A place is free again when its thread has ended and nobody will ask for it any more. */
static unsigned free_place(void)
{
    unsigned place = 0;

    while (place < machine.count &&
           (machine.threads[place].alive ||
            !(machine.threads[place].joined || machine.threads[place].detached)))
        place++;
    return place;
}

bool machine_has_room(void)
{
    return free_place() < MACHINE_THREADS;
}

unsigned machine_start_thread(void *(*start)(void *), void *argument)
{
    unsigned number = free_place();
    struct thread *thread = &machine.threads[number];
    unsigned generation = number == machine.count ? 0 : thread->generation + 1;
    unsigned char *tls = thread->tls;

    memset(thread, 0, offsetof(struct thread, specific));
    memset(thread->specific, 0, machine.keys * sizeof thread->specific[0]);
    thread->alive = true;
    thread->generation = generation;
    thread->start = start;
    thread->argument = argument;
    thread->tls = tls;
    thread->edge = fiber_stack_end(number);
    thread->op = (struct op){.kind = OP_BEGIN,
                             .flags = OP_READS,
                             .object = thread,
                             .pc = (const void *)(uintptr_t)start};
    globals_copy(tls, globals_tls.fresh, globals_tls.size);
    if (number == machine.count)
        machine.count++;
    machine.wanted[number] = NULL;
    machine.ready |= only(number);
    fiber_prepare(&thread->fiber, number, thread_main);
    return number;
}

void machine_end_thread(void)
{
    machine_self()->alive = false;
    machine.ready &= ~only(machine.current);
    machine_gates_changed();
    if (machine.ready == 0 && machine.gated == 0)
        runtime_program_ends(NULL); /* main has left by pthread_exit, and this was the last */
    switch_to(pick_quickly(machine.current));
    __builtin_unreachable();
}

/* ---- an execution ---- */

static void (*main_program)(void *);

static void *main_thread(void *argument)
{
    main_program(argument);
    runtime_program_ends(NULL);
    return NULL;
}

/* [MACHINE-1] */
static void forget_last_execution(void)
{
    memset(machine.wanted, 0, machine.count * sizeof machine.wanted[0]);
    machine.ready = machine.gated = machine.timed = 0;
    machine.open = machine.spurious = machine.yielding = 0;
    machine.clock = 0;
    machine.doubts = 0;
    machine.current = machine.count = 0;
    machine.steps = machine.choices = machine.switches = machine.deviation_count = 0;
    machine.changes = machine.tickets = 0;
    machine.keys = 0;
    machine.locked = 0;
    machine.aside = false;
    machine.watch = (struct machine_watch){0};
    machine.cancels = false;
    machine.culprit = NULL;
    machine.access_count = 0;
    machine.now = START_OF_TIME;
    machine.deadline = INT64_MAX;
    machine.held_back = 0;
    machine.held_up = false;
    machine.faults = machine.rules.faults;
    machine.verdict = ENDED_WELL;
    machine.message[0] = '\0';
    arena_reset();
    globals_restore();
    runtime_forget();
    crash_begin();
}

void machine_run(void (*program)(void *), void *argument, const struct strategy *strategy)
{
    forget_last_execution();
    main_program = program;
    machine.strategy = strategy;
    machine.strides = !strategy->walks;
    machine.heeded = strategy->stepped || machine.counting || machine.recording;
    machine_start_thread(main_thread, argument);
    unpark(&machine.threads[0]);
    machine.running = true;
    fiber_switch(&machine.home, &machine.threads[0].fiber);
    machine.running = false;
    if (machine.aside)
        machine_step_back(&before_aside);
    machine.aside = true;
    if (!machine.culprit && machine.verdict != ENDED_WELL)
        machine.culprit = crash_culprit();
}

bool machine_set_rules(const struct machine_rules *rules)
{
    size_t steps = 2 * (size_t)rules->step_budget + 2;
    struct logged *log = malloc(steps * sizeof *log);

    if (!log)
        return false;
    free(machine.log);
    machine.log = log;
    machine.rules = *rules;
    machine.spun = false;
    arena.reuses = rules->reuse;
    return true;
}

bool machine_prepare(void)
{
    errno_place = &errno;
    if (!globals_prepare() || !arena_prepare() || !leaks_prepare() || !crash_watch() ||
        !fiber_stacks_reserve(MACHINE_THREADS, MACHINE_STACK))
        return false;
    for (unsigned i = 0; i < MACHINE_THREADS; i++) {
        struct thread *thread = &machine.threads[i];
        thread->tls =
            globals_tls.size <= THREAD_LOCAL ? thread->short_tls : malloc(globals_tls.size);
        if (!thread->tls)
            return false;
    }
    return machine.prepared = memory_prepare();
}
