/* Mutexes, read-write locks, spin locks, once. */
#include <errno.h>
#include <threads.h>

#include "harness/explore/test/pairs/pairs.h"

/* The first thread has a lock; the second cannot have it, and reads anyway. In the twin it reads
   if it has the lock. */
#define ATTEMPT_WITH(name, prepare, lock, unlock, fails, succeeds)                                \
    ROLE(name##_holds, lock; value = 1; step_done(0); after_step(1); unlock)                      \
    ROLE(name##_reads_anyway, after_step(0); bool taken = (fails) == 0; use(value); step_done(1); \
         if (taken) unlock)                                                                       \
    void name##_racy(void)                                                                        \
    {                                                                                             \
        prepare;                                                                                  \
        run_both(name##_holds, name##_reads_anyway);                                              \
    }                                                                                             \
    IN_TURN_WITH(                                                                                 \
        name##_ordered, prepare, lock; value = 1; unlock, if ((succeeds) == 0) {                  \
            use(value);                                                                           \
            unlock;                                                                               \
        })

#define ATTEMPT(name, lock, unlock, fails, succeeds) \
    ATTEMPT_WITH(name, NOTHING, lock, unlock, fails, succeeds)

/* ---- mutexes ---- */

static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;

#define LOCK   pthread_mutex_lock(&mutex)
#define UNLOCK pthread_mutex_unlock(&mutex)

IN_TURN(mutex_lock_racy, LOCK; value = 1; UNLOCK, use(value))
IN_TURN(mutex_lock_ordered, LOCK; value = 1; UNLOCK, LOCK; use(value); UNLOCK)

IN_TURN(mutex_other_racy, LOCK; value = 1; UNLOCK, pthread_mutex_lock(&other_mutex); use(value);
        pthread_mutex_unlock(&other_mutex))
IN_TURN(mutex_other_ordered, pthread_mutex_lock(&other_mutex); value = 1;
        pthread_mutex_unlock(&other_mutex), pthread_mutex_lock(&other_mutex); use(value);
        pthread_mutex_unlock(&other_mutex))

ATTEMPT(mutex_trylock, LOCK, UNLOCK, pthread_mutex_trylock(&mutex), pthread_mutex_trylock(&mutex))
ATTEMPT(mutex_timedlock, LOCK, UNLOCK, pthread_mutex_timedlock(&mutex, &long_ago),
        pthread_mutex_timedlock(&mutex, &far_off))
ATTEMPT(mutex_clocklock, LOCK, UNLOCK, pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &long_ago),
        pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &far_off))

static void make_mutex(int type)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* To make it is a write of it, which nothing orders but what the program does. */
IN_TURN(mutex_init_racy, make_mutex(PTHREAD_MUTEX_NORMAL), LOCK; use(1); UNLOCK)
IN_TURN_WITH(mutex_init_ordered, make_mutex(PTHREAD_MUTEX_NORMAL), LOCK; UNLOCK, LOCK; use(1);
             UNLOCK)

/* The last of the unlocks gives it up. */
IN_TURN_WITH(mutex_recursive_racy, make_mutex(PTHREAD_MUTEX_RECURSIVE), LOCK; LOCK; UNLOCK; UNLOCK;
             value = 1, LOCK; use(value); UNLOCK)
IN_TURN_WITH(mutex_recursive_ordered, make_mutex(PTHREAD_MUTEX_RECURSIVE), LOCK; LOCK; UNLOCK;
             value = 1; UNLOCK, LOCK; use(value); UNLOCK)

/* To lock it again is refused, and so the first unlock gives it up. */
IN_TURN_WITH(mutex_relock_racy, make_mutex(PTHREAD_MUTEX_ERRORCHECK), LOCK; LOCK; UNLOCK;
             value = 1, LOCK; use(value); UNLOCK)
IN_TURN_WITH(mutex_relock_ordered, make_mutex(PTHREAD_MUTEX_ERRORCHECK), LOCK; LOCK; value = 1;
             UNLOCK, LOCK; use(value); UNLOCK)

/* To unlock what it does not have is refused, and releases nothing. */
IN_TURN_WITH(mutex_not_owner_racy, make_mutex(PTHREAD_MUTEX_ERRORCHECK), value = 1; UNLOCK, LOCK;
             use(value); UNLOCK)
IN_TURN_WITH(mutex_not_owner_ordered, make_mutex(PTHREAD_MUTEX_ERRORCHECK), LOCK; value = 1;
             UNLOCK, LOCK; use(value); UNLOCK)

/* ---- read-write locks ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

#define READ_LOCK  pthread_rwlock_rdlock(&rwlock)
#define WRITE_LOCK pthread_rwlock_wrlock(&rwlock)
#define RW_UNLOCK  pthread_rwlock_unlock(&rwlock)

IN_TURN(rwlock_write_write_racy, WRITE_LOCK; value = 1; RW_UNLOCK, value = 2; use(value))
IN_TURN(rwlock_write_write_ordered, WRITE_LOCK; value = 1; RW_UNLOCK, WRITE_LOCK; value = 2;
        use(value); RW_UNLOCK)

IN_TURN(rwlock_write_read_racy, READ_LOCK; value = 1; RW_UNLOCK, READ_LOCK; use(value); RW_UNLOCK)
IN_TURN(rwlock_write_read_ordered, WRITE_LOCK; value = 1; RW_UNLOCK, READ_LOCK; use(value);
        RW_UNLOCK)

IN_TURN(rwlock_read_write_racy, READ_LOCK; RW_UNLOCK; use(value), WRITE_LOCK; value = 1; RW_UNLOCK)
IN_TURN(rwlock_read_write_ordered, READ_LOCK; use(value); RW_UNLOCK, WRITE_LOCK; value = 1;
        RW_UNLOCK)

/* A read-unlock orders the next writer, and not the readers that come after it. */
#define HEARD atomic_load_explicit(&flag, memory_order_relaxed)
#define TELL  atomic_store_explicit(&flag, 1, memory_order_relaxed)
#define READ_IF_HEARD \
    if (HEARD) {      \
        READ_LOCK;    \
        use(value);   \
        RW_UNLOCK;    \
    }

IN_TURN(rwlock_readers_racy, READ_LOCK; value = 1; RW_UNLOCK; TELL, READ_IF_HEARD)
IN_TURN(rwlock_readers_ordered, WRITE_LOCK; value = 1; RW_UNLOCK; TELL, READ_IF_HEARD)

/* A writer comes after all readers, not after the last alone. */
ROLE(read_locked, READ_LOCK; use(value); RW_UNLOCK; step_done(0))
ROLE(read_unlocked, READ_LOCK; RW_UNLOCK; use(value); step_done(0))
ROLE(read_as_well, after_step(0); READ_LOCK; use(value); RW_UNLOCK; step_done(1))
ROLE(write_after_both, after_step(1); WRITE_LOCK; value = 1; RW_UNLOCK)

void rwlock_all_readers_racy(void)
{
    run_three(read_unlocked, read_as_well, write_after_both);
}

void rwlock_all_readers_ordered(void)
{
    run_three(read_locked, read_as_well, write_after_both);
}

ATTEMPT(rwlock_tryrdlock, WRITE_LOCK, RW_UNLOCK, pthread_rwlock_tryrdlock(&rwlock),
        pthread_rwlock_tryrdlock(&rwlock))
ATTEMPT(rwlock_trywrlock, WRITE_LOCK, RW_UNLOCK, pthread_rwlock_trywrlock(&rwlock),
        pthread_rwlock_trywrlock(&rwlock))
ATTEMPT(rwlock_timedrdlock, WRITE_LOCK, RW_UNLOCK, pthread_rwlock_timedrdlock(&rwlock, &long_ago),
        pthread_rwlock_timedrdlock(&rwlock, &far_off))
ATTEMPT(rwlock_timedwrlock, WRITE_LOCK, RW_UNLOCK, pthread_rwlock_timedwrlock(&rwlock, &long_ago),
        pthread_rwlock_timedwrlock(&rwlock, &far_off))
ATTEMPT(rwlock_clockrdlock, WRITE_LOCK, RW_UNLOCK,
        pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &long_ago),
        pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &far_off))
ATTEMPT(rwlock_clockwrlock, WRITE_LOCK, RW_UNLOCK,
        pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &long_ago),
        pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &far_off))

/* ---- spin locks ---- */

static pthread_spinlock_t spin;

#define MAKE_SPIN   pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE)
#define SPIN_LOCK   pthread_spin_lock(&spin)
#define SPIN_UNLOCK pthread_spin_unlock(&spin)

IN_TURN_WITH(spin_lock_racy, MAKE_SPIN, SPIN_LOCK; SPIN_UNLOCK; value = 1, SPIN_LOCK; use(value);
             SPIN_UNLOCK)
IN_TURN_WITH(spin_lock_ordered, MAKE_SPIN, SPIN_LOCK; value = 1; SPIN_UNLOCK, SPIN_LOCK; use(value);
             SPIN_UNLOCK)

ATTEMPT_WITH(spin_trylock, MAKE_SPIN, SPIN_LOCK, SPIN_UNLOCK, pthread_spin_trylock(&spin),
             pthread_spin_trylock(&spin))

/* ---- once ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;

static void initialise(void)
{
    value = 1;
    TELL;
}

/* To know that it was done is not enough: the caller of pthread_once comes after it. */
#define READ_IF_DONE \
    if (HEARD)       \
    use(value)

IN_TURN(once_racy, pthread_once(&once, initialise), READ_IF_DONE)
IN_TURN(once_ordered, pthread_once(&once, initialise), pthread_once(&once, initialise); use(value))

IN_TURN(call_once_racy, call_once(&c11_once, initialise), READ_IF_DONE)
IN_TURN(call_once_ordered, call_once(&c11_once, initialise), call_once(&c11_once, initialise);
        use(value))

/* ---- mutexes of <threads.h> ---- */

static mtx_t mtx;

#define MAKE_MTX   mtx_init(&mtx, mtx_timed)
#define MTX_LOCK   mtx_lock(&mtx)
#define MTX_UNLOCK mtx_unlock(&mtx)

IN_TURN_WITH(mtx_lock_racy, MAKE_MTX, MTX_LOCK; MTX_UNLOCK; value = 1, MTX_LOCK; use(value);
             MTX_UNLOCK)
IN_TURN_WITH(mtx_lock_ordered, MAKE_MTX, MTX_LOCK; value = 1; MTX_UNLOCK, MTX_LOCK; use(value);
             MTX_UNLOCK)

ATTEMPT_WITH(mtx_trylock, MAKE_MTX, MTX_LOCK, MTX_UNLOCK, mtx_trylock(&mtx), mtx_trylock(&mtx))
ATTEMPT_WITH(mtx_timedlock, MAKE_MTX, MTX_LOCK, MTX_UNLOCK, mtx_timedlock(&mtx, &long_ago),
             mtx_timedlock(&mtx, &far_off))
