/* Mutexes, read-write locks, spin locks, once. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "harness/explore/clock.h"
#include "harness/explore/objects.h"
#include "harness/explore/runtime.h"

#define SELF (machine.current + 1)

/* ---- mutexes ---- */

int gpx_pthread_mutex_init(pthread_mutex_t *system, const pthread_mutexattr_t *attributes)
{
    struct x_mutex *mutex = (struct x_mutex *)system;
    int kind = PTHREAD_MUTEX_DEFAULT;

    if (attributes)
        pthread_mutexattr_gettype(attributes, &kind);
    memset(system, 0, sizeof(pthread_mutex_t));
    mutex->kind = kind;
    return 0;
}

int gpx_pthread_mutex_destroy(pthread_mutex_t *system)
{
    const struct x_mutex *mutex = (const struct x_mutex *)system;

    if (mutex->owner != 0)
        machine_finish(ENDED_MISUSE, "a mutex is destroyed while thread %u has it",
                       mutex->owner - 1);
    if (machine.ordering)
        memory_access(system, sizeof(pthread_mutex_t), ACCESS_WRITES, CALLER);
    return 0;
}

/* The mutex is free, or the caller's own. */
static int take(struct x_mutex *mutex)
{
    if (mutex->owner == SELF) {
        if (mutex->kind == PTHREAD_MUTEX_ERRORCHECK)
            return EDEADLK;
        mutex->depth++;
        return 0;
    }
    mutex->owner = SELF;
    machine.locked++;
    machine_gates_changed();
    if (machine.ordering)
        memory_acquire(mutex);
    return 0;
}

int gpx_pthread_mutex_lock(pthread_mutex_t *system)
{
    announce(OP_LOCK, OP_GATED, system, CALLER);
    int error = take((struct x_mutex *)system);
    RECORD(0, error);
    return error;
}

int gpx_pthread_mutex_trylock(pthread_mutex_t *system)
{
    struct x_mutex *mutex = (struct x_mutex *)system;

    announce(OP_TRYLOCK, 0, system, CALLER);
    bool free =
        mutex->owner == 0 || (mutex->owner == SELF && mutex->kind == PTHREAD_MUTEX_RECURSIVE);
    int error = free ? take(mutex) : EBUSY;
    RECORD(0, error);
    return error;
}

static int lock_until(pthread_mutex_t *system, clockid_t clock, const struct timespec *until,
                      const void *pc)
{
    struct x_mutex *mutex = (struct x_mutex *)system;

    machine_point(&(struct op){.kind = OP_TIMEDLOCK,
                               .flags = OP_GATED | OP_TIMED,
                               .object = system,
                               .deadline = clock_deadline(clock, until),
                               .pc = pc});
    int error = mutex->owner != 0 && mutex->owner != SELF ? ETIMEDOUT : take(mutex);
    RECORD(0, error);
    return error;
}

int gpx_pthread_mutex_timedlock(pthread_mutex_t *system, const struct timespec *until)
{
    return lock_until(system, CLOCK_REALTIME, until, CALLER);
}

int gpx_pthread_mutex_clocklock(pthread_mutex_t *system, clockid_t clock,
                                const struct timespec *until)
{
    return lock_until(system, clock, until, CALLER);
}

int gpx_pthread_mutex_unlock(pthread_mutex_t *system)
{
    struct x_mutex *mutex = (struct x_mutex *)system;

    announce(OP_UNLOCK, 0, system, CALLER);
    if (mutex->owner != SELF) {
        if (mutex->kind != PTHREAD_MUTEX_TIMED_NP)
            return EPERM;
        machine_finish(ENDED_MISUSE, "a mutex is unlocked by a thread that does not have it");
    }
    if (mutex->depth > 0) {
        mutex->depth--;
    } else {
        mutex->owner = 0;
        machine.locked--;
        if (machine.ordering)
            memory_release(mutex);
        machine_gates_changed();
    }
    RECORD(0, 0);
    return 0;
}

/* ---- read-write locks ---- */

int gpx_pthread_rwlock_init(pthread_rwlock_t *system, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    memset(system, 0, sizeof(pthread_rwlock_t));
    return 0;
}

int gpx_pthread_rwlock_destroy(pthread_rwlock_t *system)
{
    const struct x_rwlock *lock = (const struct x_rwlock *)system;

    if (lock->readers > 0 || lock->writer != 0)
        machine_finish(ENDED_MISUSE, "a read-write lock is destroyed while somebody has it");
    return 0;
}

static int read_lock(struct x_rwlock *lock, int otherwise)
{
    if (lock->writer == SELF)
        return EDEADLK;
    if (lock->writer != 0)
        return otherwise;
    lock->readers++;
    machine.locked++;
    machine_gates_changed();
    if (machine.ordering)
        memory_acquire(lock);
    return 0;
}

static int write_lock(struct x_rwlock *lock, int otherwise)
{
    if (lock->writer == SELF)
        return EDEADLK;
    if (lock->writer != 0 || lock->readers > 0)
        return otherwise;
    lock->writer = SELF;
    machine.locked++;
    machine_gates_changed();
    if (machine.ordering)
        memory_acquire(lock);
    return 0;
}

static int lock_rw(pthread_rwlock_t *system, enum op_kind kind, int otherwise, const void *pc)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    announce(kind, otherwise == EBUSY ? 0 : OP_GATED, system, pc);
    int error = kind == OP_READ_LOCK ? read_lock(lock, otherwise) : write_lock(lock, otherwise);
    RECORD(0, error);
    return error;
}

static int lock_rw_until(pthread_rwlock_t *system, enum op_kind kind, int64_t deadline,
                         const void *pc)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    announce_until(kind, OP_GATED, system, deadline, pc);
    int error = kind == OP_READ_LOCK ? read_lock(lock, ETIMEDOUT) : write_lock(lock, ETIMEDOUT);
    RECORD(0, error);
    return error;
}

int gpx_pthread_rwlock_rdlock(pthread_rwlock_t *system)
{
    return lock_rw(system, OP_READ_LOCK, 0, CALLER);
}

int gpx_pthread_rwlock_tryrdlock(pthread_rwlock_t *system)
{
    return lock_rw(system, OP_READ_LOCK, EBUSY, CALLER);
}

int gpx_pthread_rwlock_timedrdlock(pthread_rwlock_t *system, const struct timespec *until)
{
    return lock_rw_until(system, OP_READ_LOCK, clock_deadline(CLOCK_REALTIME, until), CALLER);
}

int gpx_pthread_rwlock_clockrdlock(pthread_rwlock_t *system, clockid_t clock,
                                   const struct timespec *until)
{
    return lock_rw_until(system, OP_READ_LOCK, clock_deadline(clock, until), CALLER);
}

int gpx_pthread_rwlock_wrlock(pthread_rwlock_t *system)
{
    return lock_rw(system, OP_WRITE_LOCK, 0, CALLER);
}

int gpx_pthread_rwlock_trywrlock(pthread_rwlock_t *system)
{
    return lock_rw(system, OP_WRITE_LOCK, EBUSY, CALLER);
}

int gpx_pthread_rwlock_timedwrlock(pthread_rwlock_t *system, const struct timespec *until)
{
    return lock_rw_until(system, OP_WRITE_LOCK, clock_deadline(CLOCK_REALTIME, until), CALLER);
}

int gpx_pthread_rwlock_clockwrlock(pthread_rwlock_t *system, clockid_t clock,
                                   const struct timespec *until)
{
    return lock_rw_until(system, OP_WRITE_LOCK, clock_deadline(clock, until), CALLER);
}

int gpx_pthread_rwlock_unlock(pthread_rwlock_t *system)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    announce(OP_RW_UNLOCK, 0, system, CALLER);
    machine.locked--;
    if (lock->writer == SELF)
        lock->writer = 0;
    else if (lock->readers > 0)
        lock->readers--;
    else
        machine_finish(ENDED_MISUSE, "a read-write lock is unlocked, and nobody has it");
    if (machine.ordering)
        memory_release(lock);
    machine_gates_changed();
    RECORD(0, 0);
    return 0;
}

/* ---- spin locks ---- */

int gpx_pthread_spin_init(pthread_spinlock_t *system, int shared)
{
    (void)shared;
    memset((void *)system, 0, sizeof(pthread_spinlock_t));
    return 0;
}

int gpx_pthread_spin_destroy(const pthread_spinlock_t *system)
{
    (void)system;
    return 0;
}

static int take_spin(struct x_spin *lock)
{
    if (lock->owner != 0)
        return EBUSY;
    lock->owner = SELF;
    machine.locked++;
    machine_gates_changed();
    if (machine.ordering)
        memory_acquire(lock);
    return 0;
}

int gpx_pthread_spin_lock(pthread_spinlock_t *system)
{
    announce(OP_SPIN_LOCK, OP_GATED, (const void *)system, CALLER);
    return take_spin((struct x_spin *)system);
}

int gpx_pthread_spin_trylock(pthread_spinlock_t *system)
{
    announce(OP_SPIN_LOCK, 0, (const void *)system, CALLER);
    int error = take_spin((struct x_spin *)system);
    RECORD(0, error);
    return error;
}

int gpx_pthread_spin_unlock(pthread_spinlock_t *system)
{
    struct x_spin *lock = (struct x_spin *)system;

    announce(OP_SPIN_UNLOCK, 0, (const void *)system, CALLER);
    if (lock->owner != SELF)
        machine_finish(ENDED_MISUSE, "a spin lock is unlocked by a thread that does not have it");
    lock->owner = 0;
    machine.locked--;
    if (machine.ordering)
        memory_release(lock);
    machine_gates_changed();
    return 0;
}

/* ---- once ---- */

int gpx_pthread_once(pthread_once_t *system, void (*routine)(void))
{
    struct x_once *once = (struct x_once *)system;

    announce(OP_ONCE, OP_GATED, system, CALLER);
    if (once->state == 0) {
        once->state = ONCE_RUNNING + machine.current;
        machine_gates_changed();
        routine();
        announce(OP_ONCE, 0, system, CALLER);
        once->state = ONCE_DONE;
        if (machine.ordering)
            memory_release(once);
        machine_gates_changed();
    } else if (machine.ordering) {
        memory_acquire(once);
    }
    return 0;
}
