/*
 * Programs with many threads at the same time. All of a crowd are created before the first of them
 * is joined, so that they have the numbers from 1 on.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

enum {
    LARGEST_CROWD = 1100
};

static pthread_t members[LARGEST_CROWD];
static pthread_mutex_t *locks; /* allocated: all programs here pay for large variables */
static int slots[LARGEST_CROWD];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static unsigned count, shared;
static _Atomic unsigned arrived;
static _Atomic int message, flag;

/* ---- a crowd ---- */

static uintptr_t index_of(const void *member)
{
    return (uintptr_t)member;
}

static void start_crowd(role_fn *role)
{
    for (uintptr_t i = 0; i < crowd; i++)
        members[i] = start(role, (void *)i);
}

static void join_crowd(void)
{
    for (unsigned i = 0; i < crowd; i++)
        pthread_join(members[i], NULL);
}

static void run_crowd(role_fn *role)
{
    start_crowd(role);
    join_crowd();
}

static bool is_first(const void *member)
{
    return index_of(member) == 0;
}

static bool is_last(const void *member)
{
    return index_of(member) == crowd - 1;
}

/* ---- beginnings and ends ---- */

static void *write_own_slot(void *member)
{
    slots[index_of(member)] = 1;
    return NULL;
}

void program_crowd_is_apart(void)
{
    run_crowd(write_own_slot);
    for (unsigned i = 0; i < crowd; i++)
        observed[0] += slots[i];
}

static void *count_oneself(void *member)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return member;
}

void program_crowd_is_joined(void)
{
    start_crowd(count_oneself);
    for (uintptr_t i = 0; i < crowd; i++) {
        void *result;
        pthread_join(members[i], &result);
        assert(index_of(result) == i);
    }
    observed[0] = (int)count;
}

static void *meet(void *unused)
{
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    pthread_barrier_wait(&barrier);
    assert(atomic_load_explicit(&arrived, memory_order_relaxed) == crowd);
    return unused;
}

void program_crowd_meets(void)
{
    pthread_barrier_init(&barrier, NULL, crowd);
    run_crowd(meet);
    observed[0] = (int)arrived;
}

static void *post(void *unused)
{
    pthread_detach(pthread_self());
    count_oneself(NULL);
    sem_post(&semaphore);
    return unused;
}

void program_crowd_is_detached(void)
{
    start_crowd(post);
    for (unsigned i = 0; i < crowd; i++)
        sem_wait(&semaphore);
    pthread_mutex_lock(&lock);
    observed[0] = (int)count;
    pthread_mutex_unlock(&lock);
}

/* ---- races ---- */

static void *first_and_last_write(void *member)
{
    if (is_first(member) || is_last(member))
        shared++;
    return NULL;
}

void program_crowd_with_a_race(void)
{
    run_crowd(first_and_last_write);
}

static void *meet_and_write(void *member)
{
    pthread_barrier_wait(&barrier);
    return first_and_last_write(member);
}

void program_crowd_meets_and_races(void)
{
    pthread_barrier_init(&barrier, NULL, crowd);
    run_crowd(meet_and_write);
}

static void *first_and_last_write_locked(void *member)
{
    pthread_mutex_lock(&lock);
    first_and_last_write(member);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void program_crowd_without_a_race(void)
{
    run_crowd(first_and_last_write_locked);
    observed[0] = (int)shared;
}

/* ---- deadlocks ---- */

static void lock_own_and_next(uintptr_t own, bool also_next)
{
    pthread_mutex_lock(&locks[own]);
    pthread_barrier_wait(&barrier);
    if (also_next) {
        pthread_mutex_lock(&locks[(own + 1) % crowd]);
        pthread_mutex_unlock(&locks[(own + 1) % crowd]);
    }
    pthread_mutex_unlock(&locks[own]);
}

static void run_crowd_with_locks(role_fn *role)
{
    locks = malloc(crowd * sizeof *locks);
    for (unsigned i = 0; i < crowd; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_barrier_init(&barrier, NULL, crowd);
    run_crowd(role);
    free(locks);
}

static void *wait_in_a_circle(void *member)
{
    lock_own_and_next(index_of(member), true);
    return NULL;
}

void program_crowd_in_a_circle(void)
{
    run_crowd_with_locks(wait_in_a_circle);
}

static void *wait_in_a_line(void *member)
{
    lock_own_and_next(index_of(member), !is_last(member));
    return NULL;
}

void program_crowd_in_a_line(void)
{
    run_crowd_with_locks(wait_in_a_line);
}

/* ---- readers ---- */

/* All have it twice at the barrier, where the first finds that nobody can write. */
static void *read_twice(void *member)
{
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
    pthread_barrier_wait(&barrier);
    if (is_first(member))
        assert(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    pthread_rwlock_unlock(&rwlock);
    pthread_barrier_wait(&barrier);
    if (is_last(member))
        assert(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

void program_crowd_reads(void)
{
    pthread_barrier_init(&barrier, NULL, crowd);
    run_crowd(read_twice);
    observed[0] = pthread_rwlock_trywrlock(&rwlock);
}

/* The last one unlocks what it does not have. */
static void *read_or_unlock(void *member)
{
    if (!is_last(member))
        pthread_rwlock_rdlock(&rwlock);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

void program_crowd_reads_and_one_does_not(void)
{
    pthread_barrier_init(&barrier, NULL, crowd);
    run_crowd(read_or_unlock);
}

/* ---- signals ---- */

static void *wait_for_signal(void *member)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_wait(&condition, &lock);
    if (shared++ == 0)
        observed[0] = (int)index_of(member);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Whether all of them wait; then the first to be woken is by the signal's choice. */
static bool try_to_signal(void)
{
    pthread_mutex_lock(&lock);
    bool all = count == crowd;
    if (all)
        pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    return all;
}

void program_crowd_is_signalled(void)
{
    start_crowd(wait_for_signal);
    while (!try_to_signal())
        sched_yield();
    for (bool woken = false; !woken; sched_yield()) {
        pthread_mutex_lock(&lock);
        woken = shared > 0;
        pthread_mutex_unlock(&lock);
    }
    pthread_cond_broadcast(&condition);
    join_crowd();
}

/* ---- old stores ---- */

static void *first_sends_and_last_receives(void *member)
{
    if (is_first(member)) {
        atomic_store_explicit(&message, 1, memory_order_relaxed);
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    } else if (is_last(member)) {
        observed[0] = atomic_load_explicit(&flag, memory_order_relaxed);
        observed[1] = atomic_load_explicit(&message, memory_order_relaxed);
    }
    return NULL;
}

void program_crowd_passes_a_message(void)
{
    run_crowd(first_sends_and_last_receives);
}
