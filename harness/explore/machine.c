/*
 * An execution, from its beginning to its end, and the places of its threads. See machine.h for
 * what the machine is, machine_parts.h for its other files.
 *
 * Beginning. Whatever the last execution has left is forgotten: sets, counters, the arena, global
 * and thread-local variables [MACHINE-1]. Thread 0 gets a place, and the turns begin
 * (machine_turns.c).
 *
 * Ending. Whoever finds a verdict switches back to the fiber from which machine_run was called, in
 * whatever state the others are: their fibers are not returned to, and their places and stacks are
 * given to the threads of the next execution [MACHINE-2].
 *
 * Looking. Invariants, and the question whether something is late, run code of the program between
 * two steps. That must leave no trace, or an execution would be another one when nobody looks: the
 * machine steps aside, where accesses are carried out and do not count, and steps back. An
 * execution may end aside, by a crash; then the next one steps back for it.
 */
#include "harness/explore/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* _exit */

#include "harness/explore/arena.h"
#include "harness/explore/clock.h"
#include "harness/explore/crash.h"
#include "harness/explore/globals.h"
#include "harness/explore/leaks.h"
#include "harness/explore/machine_parts.h"
#include "harness/explore/memory.h"
#include "harness/explore/runtime.h"

struct machine machine = {.aside = true};

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

static _Noreturn void finish(enum verdict_kind verdict)
{
    machine.verdict = verdict;
    if (!machine.running)
        give_up();
    leave_execution();
}

void machine_finish(enum verdict_kind verdict, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(machine.message, sizeof machine.message, format, arguments);
    va_end(arguments);
    finish(verdict);
}

void machine_stop_at(enum limit limit, const char *format, ...)
{
    va_list arguments;

    machine_leave_out(limit);
    va_start(arguments, format);
    vsnprintf(machine.message, sizeof machine.message, format, arguments);
    va_end(arguments);
    finish(ENDED_LIMIT);
}

void machine_finish_well(void)
{
    leave_execution();
}

/* ---- looking at the program's state ---- */

static struct machine_kept before_aside; /* an execution may end there, by a crash [MACHINE-2] */

struct machine_kept machine_step_aside(void)
{
    struct machine_kept kept = {.changes = machine.changes,
                                .doubts = machine.doubts,
                                .ordering = machine.ordering,
                                .recording = machine.recording,
                                .races = memory_rules.races};

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
    machine.doubts = kept->doubts;
    machine.ordering = kept->ordering;
    machine.recording = kept->recording;
    memory_rules.races = kept->races;
}

void machine_ask_for_invariant(void)
{
    struct machine_kept kept = machine_step_aside();
    int broken = machine.watch.invariant(machine.watch.state);
    machine_step_back(&kept);
    if (broken != 0)
        machine_finish(ENDED_BROKEN, "invariant %d", broken);
}

void machine_ask_whether_late(void)
{
    if (!machine.watch.late || machine.locked > 0)
        return;
    struct machine_kept kept = machine_step_aside();
    bool late = machine.watch.late(machine.watch.state);
    machine_step_back(&kept);
    if (late)
        machine_finish(ENDED_LATE, "something is due, and whoever waits for it sleeps on");
}

/* ---- threads ---- */

/* A place is free again when its thread has ended and no thread will ask for it any more: nor does
   any lock, which names the thread that has it by its number. */
static bool is_free(unsigned place)
{
    const struct thread *thread = &machine.threads[place];

    return !thread->alive && (thread->joined || thread->detached) && machine.locks[place] == 0;
}

/* What the new thread does must not be taken for what the last one there did: its creator has to
   know all of that. If there is no such place left, races between the two are not seen. */
static unsigned free_place(void)
{
    unsigned unknown = MACHINE_THREADS;

    for (unsigned place = 0; place < machine.count; place++) {
        if (!is_free(place))
            continue;
        if (!machine.ordering || memory_knows_end_of(place))
            return place;
        unknown = place;
    }
    return machine.count < MACHINE_THREADS ? machine.count : unknown;
}

bool machine_has_room(void)
{
    return machine.count < MACHINE_THREADS || free_place() < MACHINE_THREADS;
}

unsigned machine_start_thread(void *(*start)(void *), void *argument)
{
    unsigned number = free_place();
    struct thread *thread = &machine.threads[number];
    unsigned generation = number == machine.count ? 0 : thread->generation + 1;
    unsigned char *tls = thread->tls;

    if (generation > 0 && machine.ordering && !memory_knows_end_of(number))
        machine_leave_out(LIMIT_PLACES);

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
    machine.locks[number] = 0;
    set_add(&machine.ready, number);
    fiber_prepare(&thread->fiber, number, machine_first_turn);
    return number;
}

/* ---- an execution ---- */

static void (*main_program)(void *);

static void *main_thread(void *argument)
{
    main_program(argument);
    runtime_announce_end(NULL);
    runtime_program_ends(NULL);
    return NULL;
}

/* [MACHINE-1] */
static void forget_last_execution(void)
{
    memset(machine.wanted, 0, machine.count * sizeof machine.wanted[0]);
    machine.ready = machine.gated = machine.timed = set_none();
    machine.open = machine.spurious = machine.yielding = set_none();
    machine.clock = set_none();
    machine.doubts = 0;
    machine.current = machine.count = 0;
    machine.steps = machine.choices = machine.switches = machine.deviation_count = 0;
    machine.changes = machine.writes = machine.tickets = machine.allocations = 0;
    machine.keys = 0;
    machine.locked = 0;
    machine.aside = false;
    machine.watch = (struct machine_watch){0};
    machine.cancels = false;
    machine.exit_code = 0;
    machine.culprit = NULL;
    machine.access_count = 0;
    machine.now = START_OF_TIME;
    machine.deadline = INT64_MAX;
    machine.held_back = machine.credit = 0;
    machine.held_up = false;
    machine.faults = machine.rules.faults;
    machine.limits = 0;
    machine.stuck = false;
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
    machine.running = true;
    machine_take_turns();
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
    arena.reuses = rules->reuse;
    return true;
}

bool machine_prepare(void)
{
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
