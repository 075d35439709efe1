/* See programs_drawn.h. */
#include "harness/explore/test/programs_drawn.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

extern int observed[];

static _Atomic unsigned words[2];
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static unsigned counts[2];                             /* with the lock held */
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER; /* its mutex: the first lock */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned guarded;
static sem_t semaphore;
static struct timespec beginning;

static struct timespec in_nanoseconds(long nanos)
{
    struct timespec time = beginning;

    time.tv_nsec += nanos;
    return time;
}

/* ---- atomics ---- */

static unsigned claim(unsigned which, unsigned self, bool weak)
{
    unsigned found = 0;
    bool won = weak ? atomic_compare_exchange_weak(&words[which], &found, self)
                    : atomic_compare_exchange_strong(&words[which], &found, self);

    return won ? 7 : found;
}

static unsigned use_atomic(const struct drawn_op *op, unsigned self)
{
    switch (op->kind) {
    case DRAWN_LOAD:
        return words[op->which];
    case DRAWN_STORE:
        words[op->which] = self;
        return 0;
    case DRAWN_ADD:
        return atomic_fetch_add(&words[op->which], 1);
    case DRAWN_SWAP:
        return atomic_exchange(&words[op->which], self & 1);
    default:
        return claim(op->which, self, op->kind == DRAWN_WEAK_CLAIM);
    }
}

/* ---- locks ---- */

static int acquire(const struct drawn_op *op)
{
    struct timespec until = in_nanoseconds(2000);

    if (op->kind == DRAWN_TRY_LOCK)
        return pthread_mutex_trylock(&locks[op->which]);
    if (op->kind == DRAWN_TIMED_LOCK)
        return pthread_mutex_timedlock(&locks[op->which], &until);
    return pthread_mutex_lock(&locks[op->which]);
}

static unsigned use_lock(const struct drawn_op *op)
{
    if (acquire(op) != 0)
        return 9;
    unsigned count = counts[op->which]++;
    if (op->kind == DRAWN_LOCKED_SLEEP)
        usleep(1);
    if (op->kind == DRAWN_LOCKED_SIGNAL)
        pthread_cond_signal(&cond);
    pthread_mutex_unlock(&locks[op->which]);
    return count;
}

static unsigned use_rwlock(const struct drawn_op *op)
{
    unsigned value;

    if (op->kind == DRAWN_READ_LOCKED) {
        pthread_rwlock_rdlock(&rwlock);
        value = guarded;
    } else {
        pthread_rwlock_wrlock(&rwlock);
        value = guarded++;
    }
    pthread_rwlock_unlock(&rwlock);
    return value;
}

/* ---- waiting ---- */

static unsigned use_semaphore(const struct drawn_op *op)
{
    struct timespec until = in_nanoseconds(1000 + op->which * 2000);

    switch (op->kind) {
    case DRAWN_POST:
        return (unsigned)sem_post(&semaphore);
    case DRAWN_TAKE:
        return (unsigned)sem_wait(&semaphore);
    case DRAWN_TRY_TAKE:
        return sem_trywait(&semaphore) == 0;
    default:
        return sem_timedwait(&semaphore, &until) == 0;
    }
}

static unsigned wait_on_condition(const struct drawn_op *op)
{
    struct timespec until = in_nanoseconds(1000 + op->which * 2000);

    pthread_mutex_lock(&locks[0]);
    unsigned before = counts[0];
    int error = op->kind == DRAWN_WAIT ? pthread_cond_wait(&cond, &locks[0])
                                       : pthread_cond_timedwait(&cond, &locks[0], &until);
    unsigned after = counts[0]++;
    pthread_mutex_unlock(&locks[0]);
    return before * 16 + after * 2 + (error != 0);
}

static unsigned look_at_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned)(now.tv_nsec - beginning.tv_nsec) / 1000;
}

/* ---- a thread ---- */

static unsigned do_op(const struct drawn_op *op, unsigned self)
{
    if (op->kind <= DRAWN_SWAP)
        return use_atomic(op, self);
    if (op->kind <= DRAWN_LOCKED_SLEEP || op->kind == DRAWN_LOCKED_SIGNAL)
        return use_lock(op);
    if (op->kind <= DRAWN_TIMED_TAKE)
        return use_semaphore(op);
    if (op->kind <= DRAWN_TIMED_WAIT)
        return wait_on_condition(op);
    if (op->kind >= DRAWN_READ_LOCKED)
        return use_rwlock(op);
    if (op->kind == DRAWN_SIGNAL)
        pthread_cond_signal(&cond);
    else if (op->kind == DRAWN_BROADCAST)
        pthread_cond_broadcast(&cond);
    else if (op->kind == DRAWN_SLEEP)
        usleep(1 + op->which);
    else if (op->kind == DRAWN_YIELD)
        sched_yield();
    else
        return look_at_clock();
    return 0;
}

static void *run(void *argument)
{
    unsigned self = (unsigned)(uintptr_t)argument;

    for (unsigned i = 0; i < drawn.lengths[self]; i++) {
        unsigned result = do_op(&drawn.ops[self][i], self + 1);
        observed[self] = (int)((unsigned)observed[self] * 131u + result + 1);
    }
    return NULL;
}

void program_drawn(void)
{
    pthread_t threads[DRAWN_THREADS];

    clock_gettime(CLOCK_REALTIME, &beginning);
    sem_init(&semaphore, 0, 0);
    for (unsigned i = 0; i < drawn.threads; i++)
        pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < drawn.threads; i++)
        pthread_join(threads[i], NULL);
    observed[DRAWN_THREADS] = (int)(words[0] * 16 + words[1]);
}
