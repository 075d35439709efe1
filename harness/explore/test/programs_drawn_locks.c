/* The drawn program's locks. Each guards a count, of which a holder tells whether it was alone. */
#include <pthread.h>
#include <stdlib.h>

#include "harness/explore/test/programs_drawn_parts.h"

pthread_mutex_t drawn_locks[DRAWN_LOCKS];
unsigned drawn_counts[DRAWN_LOCKS];

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned rw_count, spin_count;

void drawn_prepare_locks(void)
{
    static const int kinds[DRAWN_LOCK_KINDS] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                                PTHREAD_MUTEX_ERRORCHECK};

    for (unsigned i = 0; i < DRAWN_LOCKS; i++) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, kinds[drawn.locks[i]]);
        pthread_mutex_init(&drawn_locks[i], &attributes);
        pthread_mutexattr_destroy(&attributes);
    }
    pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
}

/* ---- taking ---- */

static int take(const struct drawn_op *op)
{
    pthread_mutex_t *lock = &drawn_locks[op->which];
    struct timespec until = drawn_until(op);

    switch (op->kind) {
    case DRAWN_LOCK:
        return pthread_mutex_lock(lock);
    case DRAWN_TRY_LOCK:
        return pthread_mutex_trylock(lock);
    case DRAWN_TIMED_LOCK:
        return pthread_mutex_timedlock(lock, &until);
    case DRAWN_SPIN_LOCK:
        return pthread_spin_lock(&spinlock);
    case DRAWN_TRY_SPIN_LOCK:
        return pthread_spin_trylock(&spinlock);
    case DRAWN_READ_LOCK:
        return pthread_rwlock_rdlock(&rwlock);
    case DRAWN_TRY_READ_LOCK:
        return pthread_rwlock_tryrdlock(&rwlock);
    case DRAWN_TIMED_READ_LOCK:
        return pthread_rwlock_timedrdlock(&rwlock, &until);
    case DRAWN_WRITE_LOCK:
        return pthread_rwlock_wrlock(&rwlock);
    case DRAWN_TRY_WRITE_LOCK:
        return pthread_rwlock_trywrlock(&rwlock);
    default:
        return pthread_rwlock_timedwrlock(&rwlock, &until);
    }
}

/* With the lock held. */
static unsigned count(const struct drawn_op *op)
{
    if (op->kind <= DRAWN_TIMED_LOCK)
        return drawn_counts[op->which]++;
    if (op->kind <= DRAWN_TRY_SPIN_LOCK)
        return spin_count++;
    return op->kind <= DRAWN_TIMED_READ_LOCK ? rw_count : rw_count++;
}

/* Two steps of its own. */
static void only_once(void)
{
    drawn_add_to_word(0, 1);
    drawn_add_to_word(0, 1);
}

int drawn_use_lock(struct self *self, const struct drawn_op *op)
{
    if (op->kind == DRAWN_ONCE)
        return pthread_once(&once, only_once);
    if (op->kind == DRAWN_UNLOCK)
        return pthread_mutex_unlock(&drawn_locks[op->which]);
    int error = take(op);
    if (error != 0)
        return REFUSED + error;
    drawn_hold(self, op, NULL);
    return (int)count(op);
}

/* ---- giving back ---- */

void drawn_give_back(struct self *self, const struct held *held)
{
    (void)self;
    if (held->kind == DRAWN_ALLOCATE)
        free(held->block);
    else if (held->kind <= DRAWN_TIMED_LOCK)
        pthread_mutex_unlock(&drawn_locks[held->which]);
    else if (held->kind <= DRAWN_TRY_SPIN_LOCK)
        pthread_spin_unlock(&spinlock);
    else
        pthread_rwlock_unlock(&rwlock);
}
