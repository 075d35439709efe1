/*
 * The machine: announcing, picking, stepping, ending. See machine.h for what it is.
 *
 * There is no thread of control for the scheduler. Whoever announces its next step also picks who
 * goes on, and switches straight to it; if it picks itself, there is no switch at all. The clock,
 * which is nobody's fiber, steps on the fiber of whoever picked it.
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
#include "harness/explore/memory.h"
#include "harness/explore/objects.h"
#include "harness/explore/orders.h"
#include "harness/explore/record.h"
#include "harness/explore/runtime.h"

/* The way of most steps is to be straight. */
#define RARELY(condition) __builtin_expect((condition), 0)

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

static bool clock_can_step(thread_set enabled)
{
    if (machine.deadline == INT64_MAX)
        return false;
    return enabled == 0 || (machine.rules.early_time && may_overtake(enabled));
}

static void log_step(unsigned thread, enum op_kind kind)
{
    machine.log[machine.steps] = (uint8_t)thread;
    machine.kinds[machine.steps] = (uint8_t)kind;
    machine.steps++;
}

/* Before it is done. */
static void tell_of_step(unsigned thread)
{
    if (RARELY(machine.strategy->stepped != NULL))
        machine.strategy->stepped(thread);
    if (RARELY(machine.counting))
        orders_step(thread);
}

static void advance_clock(thread_set enabled)
{
    int64_t passed = machine.deadline - machine.now;

    tell_of_step(CLOCK_THREAD);
    for (; enabled != 0; enabled &= enabled - 1) {
        struct thread *thread = &machine.threads[lowest(enabled)];
        thread->held_back += passed;
        if (thread->held_back > machine.held_back)
            machine.held_back = thread->held_back;
    }
    machine.now = machine.deadline;
    machine.deadline = find_next_deadline();
    machine.changes++;
    machine.stale = true;
    log_step(CLOCK_THREAD, OP_ADVANCE);
    if (machine.recording)
        record_step(CLOCK_THREAD);
}

/* ---- looking at the program's state ---- */

static struct machine_kept before_aside; /* an execution may end there, by a crash [MACHINE-2] */

struct machine_kept machine_step_aside(void)
{
    struct machine_kept kept = {.changes = machine.changes,
                                .stale = machine.stale,
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
    machine.stale = kept->stale;
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

static inline void set_gate(unsigned number, enum gate gate, const struct x_mutex *mutex)
{
    thread_set bit = only(number);
    bool open = gate != GATE_CLOSED && (!mutex || mutex->owner == 0);

    machine.wanted[number] = gate != GATE_CLOSED ? mutex : NULL;
    machine.open = (machine.open & ~bit) | (thread_set)open << number;
    machine.spurious = (machine.spurious & ~bit) | (thread_set)(gate == GATE_FAULTY) << number;
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
    thread_set unsure = machine.stale ? machine.gated : machine.yielding;

    for (; RARELY(unsure != 0); unsure &= unsure - 1)
        look_at_gate(lowest(unsure));
    machine.stale = false;
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

/* Whether it is one is as good as random: no branch. */
static inline void note_choice(unsigned by_default, unsigned chosen)
{
    if (RARELY(machine.deviation_count == machine.deviation_room))
        make_room_for_deviation();
    machine.deviations[machine.deviation_count] =
        (struct deviation){.number = machine.choices, .chosen = chosen};
    machine.deviation_count += chosen != by_default;
    machine.choices++;
}

/* An execution that is far too long is continued in turns, the clock among them, so that only a
   true livelock has no end. */
static unsigned pick_in_turn(thread_set enabled, thread_set spurious)
{
    unsigned next = next_in_turn(enabled & ~spurious, machine.log[machine.steps - 1]);

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

/* ---- stepping ---- */

static void step(unsigned number)
{
    struct thread *self = &machine.threads[number];

    self->held_back = 0;
    tell_of_step(number);
    log_step(number, self->op.kind);
    if (RARELY(machine.recording))
        record_step(number);
    if (machine.ordering)
        memory_use_of(&self->op);
}

static void switch_to(unsigned next)
{
    struct thread *self = machine_self();

    park(self);
    machine.current = next;
    unpark(&machine.threads[next]);
    fiber_switch(&self->fiber, &machine.threads[next].fiber);
}

/* While it does what it had announced, and until it announces something else, it is ready. */
static void leave_gate(unsigned number)
{
    thread_set bit = only(number);

    machine.wanted[number] = NULL;
    machine.gated &= ~bit;
    machine.open &= ~bit;
    machine.spurious &= ~bit;
    machine.yielding &= ~bit;
    machine.ready |= bit;
    if (RARELY((machine.timed & bit) != 0)) {
        machine.timed &= ~bit;
        machine.deadline = find_next_deadline();
    }
}

/* Atomics are carried out, there is nobody else; whatever could wait is refused. */
void machine_point_aside(enum op_kind kind, const void *pc)
{
    if (!machine.prepared && (kind < OP_LOAD || kind > OP_FENCE))
        runtime_refuse_constructor(op_name(kind), pc);
}

/* What a spin may consist of. */
static const uint64_t spinning_kinds = UINT64_C(1) << OP_LOAD | UINT64_C(1) << OP_STORE |
                                       UINT64_C(1) << OP_RMW | UINT64_C(1) << OP_CAS |
                                       UINT64_C(1) << OP_YIELD;

static inline void enter_gate(unsigned number)
{
    const struct op *op = &machine.threads[number].op;
    thread_set bit = only(number);

    machine.ready &= ~bit;
    machine.gated |= bit;
    machine.yielding |= op->kind == OP_YIELD ? bit : 0;
    look_at_gate(number);
    if (op->flags & OP_TIMED) {
        machine.timed |= bit;
        if (op->deadline > machine.now && op->deadline < machine.deadline)
            machine.deadline = op->deadline;
    }
}

void machine_await_turn(void)
{
    struct thread *self = machine_self();
    unsigned number = machine.current;

    if (RARELY(machine.watch.invariant != NULL) && machine.locked == 0)
        ask_for_invariant();
    self->watching &= spinning_kinds >> self->op.kind & 1;
    if (self->op.flags & OP_GATED)
        enter_gate(number);
    unsigned next = pick_thread();
    if (next != number) {
        machine.switches +=
            ((machine.ready | (machine.open & ~machine.spurious)) & only(number)) != 0;
        switch_to(next);
    }
    step(number);
    leave_gate(number);
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
    unsigned char *tls = thread->tls;

    *thread = (struct thread){.alive = true,
                              .generation = number == machine.count ? 0 : thread->generation + 1,
                              .start = start,
                              .argument = argument,
                              .tls = tls,
                              .edge = fiber_stack_end(number)};
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
    switch_to(pick_thread());
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
    machine.ready = machine.gated = machine.timed = 0;
    machine.open = machine.spurious = machine.yielding = 0;
    machine.stale = false;
    machine.current = machine.count = 0;
    machine.steps = machine.choices = machine.switches = machine.deviation_count = 0;
    machine.changes = machine.tickets = 0;
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
    uint8_t *log = malloc(steps), *kinds = malloc(steps);

    if (!log || !kinds) {
        free(log);
        free(kinds);
        return false;
    }
    free(machine.log);
    free(machine.kinds);
    machine.log = log;
    machine.kinds = kinds;
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
    for (unsigned i = 0; i < MACHINE_THREADS; i++)
        if (!(machine.threads[i].tls = malloc(globals_tls.size + 1)))
            return false;
    return machine.prepared = memory_prepare();
}
