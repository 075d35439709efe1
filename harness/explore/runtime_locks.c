/* Mutexes, read-write locks, spin locks, once. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>

#include "harness/explore/clock.h"
#include "harness/explore/holds.h"
#include "harness/explore/runtime_calls.h"
#include "harness/explore/runtime_spins.h"

#define SELF (machine.current + 1)

/* ---- mutexes ---- */

int runtime_mutex_init(pthread_mutex_t *system, const pthread_mutexattr_t *attributes,
                       const void *pc)
{
    struct x_mutex *mutex = (struct x_mutex *)system;
    int kind = PTHREAD_MUTEX_DEFAULT;

    if (attributes)
        pthread_mutexattr_gettype(attributes, &kind);
    runtime_access(system, sizeof(pthread_mutex_t), ACCESS_WRITES, pc);
    memset(system, 0, sizeof(pthread_mutex_t));
    mutex->kind = kind;
    return 0;
}

int gpx_pthread_mutex_init(pthread_mutex_t *system, const pthread_mutexattr_t *attributes)
{
    return runtime_mutex_init(system, attributes, CALLER);
}

int runtime_mutex_destroy(pthread_mutex_t *system, const void *pc)
{
    struct x_mutex *mutex = (struct x_mutex *)system;

    if (mutex->owner == DESTROYED)
        runtime_misuse(pc, "thread %u destroys a mutex twice", machine.current);
    if (mutex->owner != 0)
        runtime_misuse(pc, "thread %u destroys a mutex while thread %u has it", machine.current,
                       mutex->owner - 1);
    runtime_access(system, sizeof(pthread_mutex_t), ACCESS_WRITES, pc);
    mutex->owner = DESTROYED;
    return 0;
}

int gpx_pthread_mutex_destroy(pthread_mutex_t *system)
{
    return runtime_mutex_destroy(system, CALLER);
}

static _Noreturn void finish_for_destroyed(const char *what)
{
    machine_finish(ENDED_MISUSE, "thread %u uses a %s that was destroyed", machine.current, what);
}

static int take_again(struct x_mutex *mutex)
{
    if (mutex->owner == DESTROYED)
        finish_for_destroyed("mutex");
    if (mutex->kind == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    mutex->depth++;
    return 0;
}

/* It can be locked: it is free, or the caller's own and of the kind that minds, or destroyed. */
static int take(struct x_mutex *mutex)
{
    if (mutex->owner != 0)
        return take_again(mutex);
    runtime_have_mutex(mutex);
    return 0;
}

int runtime_mutex_lock(pthread_mutex_t *system, const void *pc)
{
    announce(OP_LOCK, OP_GATED, system, pc);
    int error = take((struct x_mutex *)system);
    RECORD(0, error);
    return error;
}

int gpx_pthread_mutex_lock(pthread_mutex_t *system)
{
    return runtime_mutex_lock(system, CALLER);
}

/* That another thread has it. */
static void note_refusal(const struct x_mutex *mutex, int error)
{
    if (error != 0 && mutex->owner != SELF && memory_is_weak())
        memory_learn(mutex);
}

int runtime_mutex_trylock(pthread_mutex_t *system, const void *pc)
{
    struct x_mutex *mutex = (struct x_mutex *)system;

    announce(OP_TRYLOCK, 0, system, pc);
    bool own = mutex->owner == SELF && mutex->kind != PTHREAD_MUTEX_RECURSIVE;
    int error = !own && can_lock(mutex, machine.current) ? take(mutex) : EBUSY;
    RECORD(0, error);
    note_refusal(mutex, error);
    if (error == EBUSY)
        spin_looked(&mutex->owner, sizeof mutex->owner, mutex->owner);
    return error;
}

int gpx_pthread_mutex_trylock(pthread_mutex_t *system)
{
    return runtime_mutex_trylock(system, CALLER);
}

static int lock_until(pthread_mutex_t *system, clockid_t clock, const struct timespec *until,
                      const void *pc)
{
    struct x_mutex *mutex = (struct x_mutex *)system;
    bool valid = clock_is_valid(clock, until); /* matters only to those who would have to wait */

    runtime_access(until, sizeof *until, 0, pc);
    announce_until(OP_TIMEDLOCK, OP_GATED, system, valid ? clock_deadline(clock, until) : INT64_MIN,
                   pc);
    int error = can_lock(mutex, machine.current) ? take(mutex) : valid ? ETIMEDOUT : EINVAL;
    RECORD(0, error);
    note_refusal(mutex, error);
    return error;
}

int runtime_mutex_timedlock(pthread_mutex_t *system, const struct timespec *until, const void *pc)
{
    return lock_until(system, CLOCK_REALTIME, until, pc);
}

int gpx_pthread_mutex_timedlock(pthread_mutex_t *system, const struct timespec *until)
{
    return runtime_mutex_timedlock(system, until, CALLER);
}

int gpx_pthread_mutex_clocklock(pthread_mutex_t *system, clockid_t clock,
                                const struct timespec *until)
{
    return lock_until(system, clock, until, CALLER);
}

static int refuse_to_unlock(const struct x_mutex *mutex)
{
    if (mutex->owner == DESTROYED)
        finish_for_destroyed("mutex");
    if (mutex->kind == PTHREAD_MUTEX_RECURSIVE || mutex->kind == PTHREAD_MUTEX_ERRORCHECK)
        return EPERM;
    machine_finish(ENDED_MISUSE, "a mutex is unlocked by a thread that does not have it");
}

int runtime_mutex_unlock(pthread_mutex_t *system, const void *pc)
{
    struct x_mutex *mutex = (struct x_mutex *)system;

    announce(OP_UNLOCK, 0, system, pc);
    if (mutex->owner != SELF)
        return refuse_to_unlock(mutex);
    if (mutex->depth > 0)
        mutex->depth--;
    else
        runtime_free_mutex(mutex);
    RECORD(0, 0);
    return 0;
}

int gpx_pthread_mutex_unlock(pthread_mutex_t *system)
{
    return runtime_mutex_unlock(system, CALLER);
}

/* ---- read-write locks ---- */

int gpx_pthread_rwlock_init(pthread_rwlock_t *system, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    runtime_access(system, sizeof(pthread_rwlock_t), ACCESS_WRITES, CALLER);
    memset(system, 0, sizeof(pthread_rwlock_t));
    return 0;
}

int gpx_pthread_rwlock_destroy(pthread_rwlock_t *system)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    if (lock->writer == DESTROYED)
        runtime_misuse(CALLER, "thread %u destroys a read-write lock twice", machine.current);
    if (lock->readers > 0 || lock->writer != 0)
        runtime_misuse(CALLER, "thread %u destroys a read-write lock while somebody has it",
                       machine.current);
    runtime_access(system, sizeof(pthread_rwlock_t), ACCESS_WRITES, CALLER);
    lock->writer = DESTROYED;
    return 0;
}

/* What readers release is acquired by the next writer, and not by other readers: it is kept apart
   from what writers release, under an address of its own. */
static const void *released_by_readers(const struct x_rwlock *lock)
{
    return &lock->held;
}

static int refuse_rw(const struct x_rwlock *lock, int otherwise)
{
    if (lock->writer == DESTROYED)
        finish_for_destroyed("read-write lock");
    if (memory_is_weak() && lock->writer != SELF) {
        memory_learn(lock);
        memory_learn(released_by_readers(lock));
    }
    return lock->writer == SELF && otherwise != EBUSY ? EDEADLK : otherwise;
}

static int read_lock(struct x_rwlock *lock, int otherwise)
{
    if (lock->writer != 0)
        return refuse_rw(lock, otherwise);
    if (holds_of(lock, machine.current) == MOST_HOLDS)
        machine_stop_at(LIMIT_TABLES, "more than %d read locks of one thread", MOST_HOLDS);
    holds_add(lock, machine.current, 1);
    runtime_count_lock();
    machine_gates_changed();
    if (machine.ordering)
        memory_acquire(lock);
    return 0;
}

static int write_lock(struct x_rwlock *lock, int otherwise)
{
    if (lock->writer != 0 || lock->readers > 0)
        return refuse_rw(lock, otherwise);
    lock->writer = SELF;
    runtime_count_lock();
    machine_gates_changed();
    if (machine.ordering) {
        memory_acquire(lock);
        memory_acquire(released_by_readers(lock));
    }
    return 0;
}

/* One that prefers writers lets no reader in while a writer waits. When that one began to wait is
   no step. */
static void check_kind(const pthread_rwlock_t *system, const void *pc)
{
    if (system->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return;
    machine.culprit = pc;
    machine_stop_at(LIMIT_CALLS, "a read-write lock that prefers writers");
}

static int lock_rw(pthread_rwlock_t *system, enum op_kind kind, int otherwise, const void *pc)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    check_kind(system, pc);
    announce(kind, otherwise == EBUSY ? 0 : OP_GATED, system, pc);
    int error = kind == OP_READ_LOCK ? read_lock(lock, otherwise) : write_lock(lock, otherwise);
    RECORD(0, error);
    if (error == EBUSY)
        spin_looked(lock, sizeof(uint64_t), *(const uint64_t *)(const void *)lock);
    return error;
}

static int lock_rw_until(pthread_rwlock_t *system, enum op_kind kind, clockid_t clock,
                         const struct timespec *until, const void *pc)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    check_kind(system, pc);
    runtime_access(until, sizeof *until, 0, pc);
    if (!clock_is_valid(clock, until))
        return EINVAL;
    announce_until(kind, OP_GATED, system, clock_deadline(clock, until), pc);
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
    return lock_rw_until(system, OP_READ_LOCK, CLOCK_REALTIME, until, CALLER);
}

int gpx_pthread_rwlock_clockrdlock(pthread_rwlock_t *system, clockid_t clock,
                                   const struct timespec *until)
{
    return lock_rw_until(system, OP_READ_LOCK, clock, until, CALLER);
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
    return lock_rw_until(system, OP_WRITE_LOCK, CLOCK_REALTIME, until, CALLER);
}

int gpx_pthread_rwlock_clockwrlock(pthread_rwlock_t *system, clockid_t clock,
                                   const struct timespec *until)
{
    return lock_rw_until(system, OP_WRITE_LOCK, clock, until, CALLER);
}

int gpx_pthread_rwlock_unlock(pthread_rwlock_t *system)
{
    struct x_rwlock *lock = (struct x_rwlock *)system;

    announce(OP_RW_UNLOCK, 0, system, CALLER);
    if (lock->writer == DESTROYED)
        finish_for_destroyed("read-write lock");
    bool writes = lock->writer == SELF;
    if (writes)
        lock->writer = 0;
    else if (holds_of(lock, machine.current) > 0)
        holds_add(lock, machine.current, -1);
    else
        machine_finish(ENDED_MISUSE,
                       "a read-write lock is unlocked by a thread that does not have it");
    runtime_discount_lock();
    if (machine.ordering)
        memory_release(writes ? lock : released_by_readers(lock));
    machine_gates_changed();
    RECORD(0, 0);
    return 0;
}

/* ---- spin locks ---- */

int gpx_pthread_spin_init(pthread_spinlock_t *system, int shared)
{
    (void)shared;
    runtime_access((const void *)system, sizeof(pthread_spinlock_t), ACCESS_WRITES, CALLER);
    memset((void *)system, 0, sizeof(pthread_spinlock_t));
    return 0;
}

int gpx_pthread_spin_destroy(pthread_spinlock_t *system)
{
    struct x_spin *lock = (struct x_spin *)system;

    if (lock->owner != 0)
        runtime_misuse(CALLER, "thread %u destroys a spin lock that is %s", machine.current,
                       lock->owner == DESTROYED ? "destroyed already" : "locked");
    runtime_access((const void *)system, sizeof(pthread_spinlock_t), ACCESS_WRITES, CALLER);
    lock->owner = DESTROYED;
    return 0;
}

static int take_spin(struct x_spin *lock)
{
    if (lock->owner == DESTROYED)
        finish_for_destroyed("spin lock");
    if (lock->owner != 0) {
        if (memory_is_weak() && lock->owner != SELF)
            memory_learn(lock);
        return EBUSY;
    }
    lock->owner = SELF;
    runtime_count_lock();
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
    struct x_spin *lock = (struct x_spin *)system;
    int error = take_spin(lock);
    RECORD(0, error);
    if (error == EBUSY)
        spin_looked(&lock->owner, sizeof lock->owner, lock->owner);
    return error;
}

int gpx_pthread_spin_unlock(pthread_spinlock_t *system)
{
    struct x_spin *lock = (struct x_spin *)system;

    announce(OP_SPIN_UNLOCK, 0, (const void *)system, CALLER);
    if (lock->owner != SELF)
        machine_finish(ENDED_MISUSE, "a spin lock is unlocked by a thread that does not have it");
    lock->owner = 0;
    runtime_discount_lock();
    if (machine.ordering)
        memory_release(lock);
    machine_gates_changed();
    return 0;
}

/* ---- once ---- */

static void set_once(struct x_once *once, uint32_t state)
{
    once->state = state;
    machine_gates_changed();
}

/* A routine that is left by cancellation or pthread_exit has not been called: the next caller does
   so. It is left by way of a cleanup handler, of the kind that the system's header makes. */
static void call_once(struct x_once *once, void (*routine)(void))
{
    __pthread_unwind_buf_t buffer;
    void *whole = buffer.__cancel_jmp_buf;

    if (sigsetjmp(whole, 0) != 0) {
        set_once(once, 0);
        gpx___pthread_unwind_next(&buffer);
    }
    gpx___pthread_register_cancel(&buffer);
    routine();
    gpx___pthread_unregister_cancel(&buffer);
}

int runtime_once(pthread_once_t *system, void (*routine)(void), const void *pc)
{
    struct x_once *once = (struct x_once *)system;

    announce(OP_ONCE, OP_GATED, system, pc);
    if (once->state == 0) {
        set_once(once, ONCE_RUNNING + machine.current);
        call_once(once, routine);
        announce(OP_ONCE, 0, system, pc);
        if (machine.ordering)
            memory_release(once);
        set_once(once, ONCE_DONE);
    } else if (machine.ordering) {
        memory_acquire(once);
    }
    return 0;
}

int gpx_pthread_once(pthread_once_t *system, void (*routine)(void))
{
    return runtime_once(system, routine, CALLER);
}
