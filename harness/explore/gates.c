/*
 * Gates: one rule per kind of operation, the sets of those whose gate is open, and what to say when
 * all of them are closed.
 *
 * Who waits for what is nowhere kept in lists. A thread's announced op names its object, and the
 * object says whether it is free: with a handful of threads, asking is cheaper than keeping lists
 * right, and cannot be wrong.
 *
 * Only the answers are kept, a bit for each thread. A step that may have changed one leaves a doubt
 * (machine_doubt_gates), and before the next pick those in doubt are asked again. Whoever waits for
 * nothing but a mutex is found by that mutex (machine.wanted), so that an unlock puts no other gate
 * in doubt.
 */
#include "harness/explore/gates.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/explore/machine_parts.h"
#include "harness/explore/memory.h"

bool is_timed_out(const struct op *op)
{
    return (op->flags & OP_TIMED) && machine.now >= op->deadline;
}

bool is_cancelled_at(const struct thread *thread, const struct op *op)
{
    return (op->flags & OP_CANCEL_POINT) && thread->cancel_requested && !thread->cancel_disabled &&
           !thread->exiting;
}

/* ---- one rule each ---- */

/* Whoever has it and is not allowed to have it twice is told so, and does not wait. */
bool can_lock(const struct x_mutex *mutex, unsigned number)
{
    return mutex->owner == 0 || mutex->owner == DESTROYED ||
           (mutex->owner == number + 1 &&
            (mutex->kind == PTHREAD_MUTEX_RECURSIVE || mutex->kind == PTHREAD_MUTEX_ERRORCHECK));
}

static enum gate gate_of_wake(const struct thread *thread)
{
    if (thread->signalled || is_timed_out(&thread->op) || is_cancelled_at(thread, &thread->op))
        return GATE_OPEN;
    return machine.faults.spurious > 0 ? GATE_FAULTY : GATE_CLOSED;
}

/* Whoever has it for writing is told so. Whoever has it for reading and wants to write waits for
   itself. */
static bool is_told(const struct x_rwlock *lock, unsigned number)
{
    return lock->writer == number + 1 || lock->writer == DESTROYED;
}

static bool can_read_lock(const struct x_rwlock *lock, unsigned number)
{
    return lock->writer == 0 || is_told(lock, number);
}

static bool can_write_lock(const struct x_rwlock *lock, unsigned number)
{
    return (lock->writer == 0 && lock->readers == 0) || is_told(lock, number);
}

static bool can_spin_lock(const struct x_spin *lock)
{
    return lock->owner == 0 || lock->owner == DESTROYED;
}

static bool sees_something_else(const struct round *round)
{
    for (unsigned i = 0; i < round->watches; i++) {
        uint64_t value = 0;
        memcpy(&value, round->watched[i].address, round->watched[i].size);
        if (value != round->watched[i].value)
            return true;
    }
    return false;
}

/* A thread that spins goes round again when it will see something else than last time: of what it
   has looked at, if that is known; otherwise anything that has changed may be that. Under `c11` it
   can read the other value even when there is a third one by then. */
static bool can_yield(const struct thread *thread)
{
    if (!thread->op.object)
        return thread->changes != machine.changes;
    return thread->saw_change || sees_something_else(&thread->round);
}

static bool is_open(const struct thread *thread, unsigned number)
{
    const struct op *op = &thread->op;
    const struct x_once *once = op->object;
    const struct thread *joined = op->object;

    switch ((enum op_kind)op->kind) {
    case OP_SPIN_LOCK:
        return can_spin_lock(op->object);
    case OP_READ_LOCK:
        return can_read_lock(op->object, number) || is_timed_out(op);
    case OP_WRITE_LOCK:
        return can_write_lock(op->object, number) || is_timed_out(op);
    case OP_SEM_WAIT:
        return ((const struct x_semaphore *)op->object)->value > 0 || is_timed_out(op);
    case OP_BARRIER_LEAVE:
        return thread->signalled;
    case OP_ONCE:
        return once->state < ONCE_RUNNING;
    case OP_JOIN:
        return !joined->alive || joined->detached || is_timed_out(op);
    case OP_AWAKE:
        return is_timed_out(op);
    case OP_YIELD:
        return can_yield(thread);
    default:
        return true;
    }
}

/* Whoever is cancelled in a wait still has to have the mutex before its handlers run. */
static const struct x_mutex *mutex_of(const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_LOCK:
        return op->object;
    case OP_TIMEDLOCK:
        return is_timed_out(op) ? NULL : op->object;
    case OP_WAKE:
        return op->second;
    default:
        return NULL;
    }
}

enum gate gate_beside_mutex(const struct thread *thread, unsigned number,
                            const struct x_mutex **mutex)
{
    *mutex = mutex_of(&thread->op);
    if (*mutex && (*mutex)->owner != 0 && can_lock(*mutex, number))
        *mutex = NULL;
    if (thread->op.kind == OP_WAKE)
        return gate_of_wake(thread);
    if (is_cancelled_at(thread, &thread->op))
        return GATE_OPEN;
    return is_open(thread, number) ? GATE_OPEN : GATE_CLOSED;
}

enum gate gate_of(const struct thread *thread, unsigned number)
{
    const struct x_mutex *mutex;

    if (!(thread->op.flags & OP_GATED))
        return GATE_OPEN;
    enum gate gate = gate_beside_mutex(thread, number, &mutex);
    return mutex && mutex->owner != 0 ? GATE_CLOSED : gate;
}

/* ---- whose are open ---- */

static void look_for_oddities(void)
{
    bool odd = !set_is_empty(set_or(machine.spurious, machine.yielding));

    machine.doubts = (uint8_t)((machine.doubts & ~DOUBT_ODD) | (odd ? DOUBT_ODD : 0));
}

static inline void set_gate(unsigned number, enum gate gate, const struct x_mutex *mutex)
{
    thread_set bit = only(number);
    bool open = gate != GATE_CLOSED && (!mutex || mutex->owner == 0);

    machine.wanted[number] = gate != GATE_CLOSED ? mutex : NULL;
    machine.open = set_minus(machine.open, bit);
    set_add_if(open, &machine.open, number);
    if (RARELY(gate == GATE_FAULTY || !set_is_empty(machine.spurious))) {
        machine.spurious = set_minus(machine.spurious, bit);
        set_add_if(gate == GATE_FAULTY, &machine.spurious, number);
        look_for_oddities();
    }
}

/* Of one who is gated. */
static void look_at_gate(unsigned number)
{
    const struct thread *thread = &machine.threads[number];
    const struct x_mutex *mutex = thread->op.object;
    enum gate gate = GATE_OPEN;

    if (RARELY(thread->op.kind == OP_YIELD) && memory_rules.model == MEMORY_C11)
        machine.threads[number].saw_change |= sees_something_else(&thread->round);
    if (thread->op.kind != OP_LOCK ||
        RARELY(mutex->owner == number + 1 || mutex->owner == DESTROYED))
        gate = gate_beside_mutex(thread, number, &mutex);
    set_gate(number, gate, mutex);
}

thread_set gates_find_enabled(void)
{
    thread_set unsure = machine.yielding;

    if (machine.doubts & DOUBT_GATES)
        unsure = set_or(unsure, set_and(machine.unsure, machine.gated));
    for (struct set_walk each = set_walk(unsure); set_next(&each);)
        look_at_gate(each.at);
    machine.unsure = set_none();
    machine.doubts &= (uint8_t) ~(DOUBT_GATES | DOUBT_STAY);
    return set_or(machine.ready, machine.open);
}

void gates_enter(unsigned number)
{
    const struct op *op = &machine.threads[number].op;
    thread_set bit = only(number);

    machine.ready = set_minus(machine.ready, bit);
    machine.gated = set_or(machine.gated, bit);
    if (RARELY(op->kind == OP_YIELD)) {
        machine.yielding = set_or(machine.yielding, bit);
        machine.doubts |= DOUBT_ODD;
    }
    look_at_gate(number);
    if (op->flags & OP_TIMED) {
        machine.timed = set_or(machine.timed, bit);
        if (op->deadline > machine.now && op->deadline < machine.deadline) {
            machine.deadline = op->deadline;
            machine_look_at_clock();
        }
    }
}

void gates_leave(unsigned number)
{
    thread_set bit = only(number);

    machine.wanted[number] = NULL;
    machine.gated = set_minus(machine.gated, bit);
    machine.open = set_minus(machine.open, bit);
    machine.ready = set_or(machine.ready, bit);
    if (RARELY(set_meets(set_or(machine.spurious, machine.yielding), bit))) {
        machine.spurious = set_minus(machine.spurious, bit);
        machine.yielding = set_minus(machine.yielding, bit);
        look_for_oddities();
    }
    if (set_meets(machine.timed, bit)) {
        machine.timed = set_minus(machine.timed, bit);
        machine_find_deadline();
    }
}

thread_set gates_find_inexact(unsigned rounds)
{
    thread_set inexact = set_none();

    for (struct set_walk each = set_walk(machine.yielding); set_next(&each);) {
        const struct thread *thread = &machine.threads[each.at];
        if (!thread->exact && thread->vain_rounds < rounds)
            set_add(&inexact, each.at);
    }
    return inexact;
}

/* ---- a deadlock ---- */

enum {
    MOST_TOLD = 192 /* bytes about a thread, and about how many others there are */
};

static void append(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t room, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
}

/* Where a mutex was, something else may be by now: then the number is that of no thread. */
static void tell_who_has(const struct x_mutex *mutex, char *text, size_t room)
{
    if (mutex->owner > machine.count)
        append(text, room, "that no thread has: its memory holds something else");
    else
        append(text, room, "that thread %u has", mutex->owner - 1);
}

static void tell_what_it_waits_for(unsigned number, char *text, size_t room)
{
    const struct op *op = &machine.threads[number].op;

    append(text, room, "%sthread %u waits ", *text ? "; " : "", number);
    switch ((enum op_kind)op->kind) {
    case OP_LOCK:
        append(text, room, "for a mutex ");
        tell_who_has(op->object, text, room);
        break;
    case OP_WAKE:
        if (machine.threads[number].signalled) {
            append(text, room, "after a signal, for the mutex ");
            tell_who_has(op->second, text, room);
        } else {
            append(text, room, "on a condition (signals that found nobody: %u)%s",
                   ((const struct x_cond *)op->object)->unheeded,
                   ((const struct x_mutex *)op->second)->owner == number + 1
                       ? ", and still has its mutex, which it had locked more than once"
                       : "");
        }
        break;
    case OP_JOIN:
        append(text, room, "for the end of thread %u",
               (unsigned)((const struct thread *)op->object - machine.threads));
        break;
    case OP_YIELD:
        append(text, room, "in a loop that no thread can end");
        break;
    default:
        append(text, room, "(%s)", op_name(op->kind));
    }
}

/* As far as there is room, and then how many others there are. */
void gates_report_deadlock(void)
{
    char text[sizeof machine.message] = "";
    unsigned others = 0;

    for (unsigned i = 0; i < machine.count; i++)
        if (machine.threads[i].alive && strlen(text) + MOST_TOLD < sizeof text)
            tell_what_it_waits_for(i, text, sizeof text);
        else
            others += machine.threads[i].alive;
    if (others > 0)
        append(text, sizeof text, "; and %u other%s", others, others == 1 ? " waits" : "s wait");
    machine.stuck = true;
    machine_finish(!set_is_empty(machine.yielding) ? ENDED_LIVELOCK : ENDED_DEADLOCK, "%s", text);
}
