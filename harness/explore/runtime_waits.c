/*
 * Conditions, semaphores, barriers.
 *
 * A wait is two steps. OP_WAIT gives up the mutex and makes the caller one of those who wait, at
 * once: nothing comes in between. OP_WAKE takes the mutex back; it can be done when the mutex is
 * free and the caller was signalled, or its time is up, or a wake-up for no reason is allowed. A
 * signal only marks whom it wakes, and that one then competes for the mutex like everybody.
 *
 * A waiter whose time is up, or that is cancelled, may have left the condition before a signal
 * comes, although it has not got the mutex yet: POSIX lets it take the signal or not. Both are
 * tried. So a wait may time out, or be cancelled, although a signal came before it had the mutex
 * again, and the signal goes to another waiter, or finds none.
 */
#include <errno.h>
#include <limits.h> /* SEM_VALUE_MAX */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "harness/explore/clock.h"
#include "harness/explore/objects.h"
#include "harness/explore/runtime_calls.h"
#include "harness/explore/runtime_spins.h"

#define SELF (machine.current + 1)

/* ---- conditions ---- */

int runtime_cond_init(pthread_cond_t *system, const pthread_condattr_t *attributes, const void *pc)
{
    clockid_t clock = CLOCK_REALTIME;

    if (attributes)
        pthread_condattr_getclock(attributes, &clock);
    runtime_access(system, sizeof(pthread_cond_t), ACCESS_WRITES, pc);
    memset(system, 0, sizeof(pthread_cond_t));
    ((struct x_cond *)system)->clock = (uint32_t)clock;
    return 0;
}

int gpx_pthread_cond_init(pthread_cond_t *system, const pthread_condattr_t *attributes)
{
    return runtime_cond_init(system, attributes, CALLER);
}

/* Unsignalled, and it has not left. */
static bool is_waiting(const struct thread *thread, const void *cond)
{
    return thread->op.kind == OP_WAKE && thread->op.object == cond && thread->alive &&
           !thread->signalled && !thread->left;
}

static bool may_have_left(const struct thread *thread)
{
    return is_timed_out(&thread->op) || is_cancelled_at(thread, &thread->op);
}

int runtime_cond_destroy(pthread_cond_t *system, const void *pc)
{
    struct x_cond *cond = (struct x_cond *)system;

    if (cond->clock == DESTROYED)
        runtime_misuse(pc, "thread %u destroys a condition twice", machine.current);
    for (unsigned i = 0; i < machine.count; i++)
        if (is_waiting(&machine.threads[i], system))
            runtime_misuse(pc, "thread %u destroys a condition while thread %u waits on it",
                           machine.current, i);
    runtime_access(system, sizeof(pthread_cond_t), ACCESS_WRITES, pc);
    cond->clock = DESTROYED;
    return 0;
}

int gpx_pthread_cond_destroy(pthread_cond_t *system)
{
    return runtime_cond_destroy(system, CALLER);
}

static void check_cond(const void *cond, const void *pc)
{
    if (((const struct x_cond *)cond)->clock == DESTROYED)
        runtime_misuse(pc, "thread %u uses a condition that was destroyed", machine.current);
}

/* All who wait on a condition at the same time must do so with the same mutex. */
static void check_mutex(const void *cond, const void *mutex)
{
    for (unsigned i = 0; i < machine.count; i++)
        if (is_waiting(&machine.threads[i], cond) && machine.threads[i].op.second != mutex)
            machine_finish(ENDED_MISUSE,
                           "thread %u waits on a condition with another mutex than thread %u",
                           machine.current, i);
}

/* Of a recursive mutex that it has locked more than once it gives up one level, as the system
   does: it keeps the mutex while it waits. */
static void give_up(struct x_mutex *mutex)
{
    if (mutex->owner != SELF)
        machine_finish(ENDED_MISUSE, "waits with a mutex that it does not have");
    if (mutex->depth > 0) {
        mutex->depth--;
        return;
    }
    runtime_free_mutex(mutex);
}

static void take_back(struct x_mutex *mutex)
{
    if (mutex->owner == DESTROYED)
        machine_finish(ENDED_MISUSE, "thread %u comes back from a wait, to a destroyed mutex",
                       machine.current);
    if (mutex->owner == SELF) {
        mutex->depth++;
        return;
    }
    runtime_have_mutex(mutex);
}

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline,
                      unsigned timed, const void *pc)
{
    struct thread *self = machine_self();

    runtime_check_lock(OP_WAIT, cond, pc);
    machine_point((struct op){.kind = OP_WAIT,
                              .flags = (uint8_t)(timed | OP_CANCEL_POINT),
                              .object = cond,
                              .second = mutex,
                              .deadline = deadline,
                              .pc = pc});
    runtime_act_on_cancel();
    check_cond(cond, pc);
    check_mutex(cond, mutex);
    give_up((struct x_mutex *)mutex);
    RECORD(0, 0);
    self->signalled = self->left = false;
    self->ticket = ++machine.tickets;
    machine_point((struct op){.kind = OP_WAKE,
                              .flags = (uint8_t)(timed | OP_GATED | OP_CANCEL_POINT),
                              .object = cond,
                              .second = mutex,
                              .deadline = deadline,
                              .pc = pc});
    take_back((struct x_mutex *)mutex);
    int error = !self->signalled && is_timed_out(&self->op) ? ETIMEDOUT : 0;
    if (!self->signalled && error == 0 && !is_cancelled_at(self, &self->op)) {
        machine.faults.spurious--;
        machine_gates_changed();
    }
    RECORD(self->signalled, error);
    if (!self->signalled) /* or the signal would be lost to those who still wait */
        runtime_act_on_cancel();
    return error;
}

int runtime_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *pc)
{
    return wait_until(cond, mutex, INT64_MAX, 0, pc);
}

int gpx_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return runtime_cond_wait(cond, mutex, CALLER);
}

static int wait_on_clock(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                         const struct timespec *until, const void *pc)
{
    check_cond(cond, pc);
    runtime_access(until, sizeof *until, 0, pc);
    if (!clock_is_valid(clock, until))
        return EINVAL;
    return wait_until(cond, mutex, clock_deadline(clock, until), OP_TIMED, pc);
}

int runtime_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *until, const void *pc)
{
    clockid_t clock = (clockid_t)((const struct x_cond *)cond)->clock;

    return wait_on_clock(cond, mutex, clock, until, pc);
}

int gpx_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                               const struct timespec *until)
{
    return runtime_cond_timedwait(cond, mutex, until, CALLER);
}

int gpx_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                               const struct timespec *until)
{
    return wait_on_clock(cond, mutex, clock, until, CALLER);
}

/* Those who wait on it unsignalled, the first to come first. */
static unsigned find_waiters(const void *cond, struct thread *waiters[MACHINE_THREADS])
{
    unsigned count = 0;

    for (unsigned i = 0; i < machine.count; i++) {
        struct thread *thread = &machine.threads[i];
        if (!is_waiting(thread, cond))
            continue;
        unsigned place = count++;
        for (; place > 0 && waiters[place - 1]->ticket > thread->ticket; place--)
            waiters[place] = waiters[place - 1];
        waiters[place] = thread;
    }
    return count;
}

static void wake(struct thread *thread)
{
    unsigned number = (unsigned)(thread - machine.threads);

    thread->signalled = true;
    if (memory_is_weak() && thread->op.kind == OP_WAKE)
        memory_signal(number);
    machine_changed();
    machine_doubt_gates(only(number));
    if (machine.recording)
        record_woken(number);
}

static bool may_all_have_left(struct thread *waiters[], unsigned count)
{
    unsigned left = 0;

    while (left < count && may_have_left(waiters[left]))
        left++;
    return left == count;
}

/* Any of the waiters, or none if all of them may have left. */
static bool wake_one(struct thread *waiters[], unsigned count)
{
    unsigned options = count + may_all_have_left(waiters, count);
    unsigned chosen = options > 1 ? machine_choose(DATUM_WAITER, options) : 0;

    if (chosen < count) {
        wake(waiters[chosen]);
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        waiters[i]->left = true;
    return false;
}

int runtime_cond_signal(pthread_cond_t *cond, const void *pc)
{
    struct thread *waiters[MACHINE_THREADS];

    announce(OP_SIGNAL, 0, cond, pc);
    check_cond(cond, pc);
    unsigned count = find_waiters(cond, waiters);
    bool woken = count > 0 && wake_one(waiters, count);
    if (!woken)
        ((struct x_cond *)cond)->unheeded++;
    RECORD(count, woken);
    return 0;
}

int gpx_pthread_cond_signal(pthread_cond_t *cond)
{
    return runtime_cond_signal(cond, CALLER);
}

int runtime_cond_broadcast(pthread_cond_t *cond, const void *pc)
{
    struct thread *waiters[MACHINE_THREADS];

    announce(OP_BROADCAST, 0, cond, pc);
    check_cond(cond, pc);
    unsigned count = find_waiters(cond, waiters);
    ((struct x_cond *)cond)->unheeded += count == 0;
    for (unsigned i = 0; i < count; i++)
        if (may_have_left(waiters[i]) && machine_choose(DATUM_WAITER, 2) == 1)
            waiters[i]->left = true;
        else
            wake(waiters[i]);
    RECORD(count, count);
    return 0;
}

int gpx_pthread_cond_broadcast(pthread_cond_t *cond)
{
    return runtime_cond_broadcast(cond, CALLER);
}

/* ---- semaphores ---- */

int gpx_sem_init(sem_t *system, int shared, unsigned value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX) {
        errno = EINVAL;
        return -1;
    }
    runtime_access(system, sizeof(sem_t), ACCESS_WRITES, CALLER);
    memset(system, 0, sizeof(sem_t));
    ((struct x_semaphore *)system)->value = value;
    return 0;
}

static bool is_waiting_for_post(const struct thread *thread, const sem_t *system)
{
    return thread->op.kind == OP_SEM_WAIT && (thread->op.flags & OP_GATED) &&
           thread->op.object == system && thread->alive;
}

int gpx_sem_destroy(sem_t *system)
{
    struct x_semaphore *semaphore = (struct x_semaphore *)system;

    if (semaphore->value == DESTROYED)
        runtime_misuse(CALLER, "thread %u destroys a semaphore twice", machine.current);
    for (unsigned i = 0; i < machine.count && semaphore->value == 0; i++)
        if (i != machine.current && is_waiting_for_post(&machine.threads[i], system))
            runtime_misuse(CALLER, "thread %u destroys a semaphore while thread %u waits on it",
                           machine.current, i);
    runtime_access(system, sizeof(sem_t), ACCESS_WRITES, CALLER);
    semaphore->value = DESTROYED;
    return 0;
}

static void check_semaphore(const sem_t *system)
{
    if (((const struct x_semaphore *)system)->value == DESTROYED)
        machine_finish(ENDED_MISUSE, "thread %u uses a semaphore that was destroyed",
                       machine.current);
}

static int take_one(sem_t *system, int otherwise)
{
    struct x_semaphore *semaphore = (struct x_semaphore *)system;
    int error = semaphore->value > 0 ? 0 : otherwise;

    check_semaphore(system);
    if (error == 0) {
        semaphore->value--;
        machine_gates_changed();
        if (machine.ordering)
            memory_acquire(semaphore);
    } else {
        errno = error;
        if (memory_is_weak())
            memory_learn(semaphore);
    }
    RECORD(0, error);
    return error == 0 ? 0 : -1;
}

int gpx_sem_wait(sem_t *system)
{
    announce(OP_SEM_WAIT, OP_GATED | OP_CANCEL_POINT, system, CALLER);
    runtime_act_on_cancel();
    return take_one(system, EAGAIN);
}

int gpx_sem_trywait(sem_t *system)
{
    const struct x_semaphore *semaphore = (const struct x_semaphore *)system;

    announce(OP_SEM_WAIT, 0, system, CALLER);
    int error = take_one(system, EAGAIN);
    if (error != 0)
        spin_looked(&semaphore->value, sizeof semaphore->value, semaphore->value);
    return error;
}

static int take_one_until(sem_t *system, clockid_t clock, const struct timespec *until,
                          const void *pc)
{
    runtime_access(until, sizeof *until, 0, pc);
    if (!clock_is_valid(clock, until)) {
        errno = EINVAL;
        return -1;
    }
    announce_until(OP_SEM_WAIT, OP_GATED | OP_CANCEL_POINT, system, clock_deadline(clock, until),
                   pc);
    runtime_act_on_cancel();
    return take_one(system, ETIMEDOUT);
}

int gpx_sem_timedwait(sem_t *system, const struct timespec *until)
{
    return take_one_until(system, CLOCK_REALTIME, until, CALLER);
}

int gpx_sem_clockwait(sem_t *system, clockid_t clock, const struct timespec *until)
{
    return take_one_until(system, clock, until, CALLER);
}

int gpx_sem_post(sem_t *system)
{
    struct x_semaphore *semaphore = (struct x_semaphore *)system;

    announce(OP_SEM_POST, 0, system, CALLER);
    check_semaphore(system);
    if (semaphore->value == SEM_VALUE_MAX) {
        if (memory_is_weak())
            memory_learn(semaphore);
        errno = EOVERFLOW;
        return -1;
    }
    semaphore->value++;
    if (machine.ordering)
        memory_release(system);
    machine_gates_changed();
    RECORD(0, semaphore->value);
    return 0;
}

int gpx_sem_getvalue(sem_t *system, int *value)
{
    announce(OP_SEM_WAIT, OP_READS, system, CALLER);
    check_semaphore(system);
    runtime_access(value, sizeof *value, ACCESS_WRITES, CALLER);
    *value = (int)((struct x_semaphore *)system)->value;
    if (memory_is_weak())
        memory_learn(system);
    return 0;
}

/* ---- barriers ---- */

int gpx_pthread_barrier_init(pthread_barrier_t *system, const pthread_barrierattr_t *attributes,
                             unsigned count)
{
    (void)attributes;
    if (count == 0)
        return EINVAL;
    runtime_access(system, sizeof(pthread_barrier_t), ACCESS_WRITES, CALLER);
    memset(system, 0, sizeof(pthread_barrier_t));
    ((struct x_barrier *)system)->wanted = count;
    return 0;
}

/* Not yet let through. */
static bool is_at_barrier(const struct thread *thread, const struct x_barrier *barrier)
{
    return thread->alive && thread->op.kind == OP_BARRIER_LEAVE && thread->op.object == barrier &&
           !thread->signalled;
}

int gpx_pthread_barrier_destroy(pthread_barrier_t *system)
{
    struct x_barrier *barrier = (struct x_barrier *)system;

    if (barrier->wanted == 0)
        runtime_misuse(CALLER, "thread %u destroys a barrier that was never initialised, or twice",
                       machine.current);
    for (unsigned i = 0; i < machine.count; i++)
        if (is_at_barrier(&machine.threads[i], barrier))
            runtime_misuse(CALLER, "thread %u destroys a barrier while thread %u waits at it",
                           machine.current, i);
    runtime_access(system, sizeof(pthread_barrier_t), ACCESS_WRITES, CALLER);
    barrier->wanted = 0;
    return 0;
}

static void let_all_through(struct x_barrier *barrier)
{
    thread_set met = only(machine.current);

    barrier->arrived = 0;
    for (unsigned i = 0; i < machine.count; i++)
        if (is_at_barrier(&machine.threads[i], barrier)) {
            set_add(&met, i);
            wake(&machine.threads[i]);
        }
    if (machine.ordering)
        memory_meet(barrier, met);
}

int gpx_pthread_barrier_wait(pthread_barrier_t *system)
{
    struct x_barrier *barrier = (struct x_barrier *)system;

    announce(OP_BARRIER_ENTER, 0, system, CALLER);
    if (barrier->wanted == 0)
        machine_finish(ENDED_MISUSE,
                       "thread %u waits at a barrier that was never initialised, or was destroyed",
                       machine.current);
    if (machine.ordering)
        memory_release(barrier);
    machine_self()->signalled = false;
    bool last = ++barrier->arrived == barrier->wanted;
    if (last)
        let_all_through(barrier);
    else
        announce(OP_BARRIER_LEAVE, OP_GATED, system, CALLER);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
