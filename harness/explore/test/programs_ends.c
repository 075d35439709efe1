/*
 * Programs about ends: of waits that time out or are cancelled, of loops, of threads. test_ends.c
 * says what must be found in them.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool waits, is_told;
static atomic_int flag, other;

/* ---- waits ---- */

enum {
    MILLISECOND = 1000000
};

static struct timespec soon(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += 50 * MILLISECOND;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void *tell_late(void *broadcasts)
{
    const struct timespec long_time = {.tv_nsec = 200 * MILLISECOND};

    pthread_mutex_lock(&mutex);
    if (waits)
        nanosleep(&long_time, NULL);
    is_told = true;
    if (broadcasts)
        pthread_cond_broadcast(&condition);
    else
        pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* A wait that timed out has to look at its predicate all the same. */
static void *wait_until_told(void *unused)
{
    const struct timespec deadline = soon();
    int error = 0;

    pthread_mutex_lock(&mutex);
    waits = true;
    if (!is_told)
        error = pthread_cond_timedwait(&condition, &mutex, &deadline);
    assert(error == 0 || !is_told);
    pthread_mutex_unlock(&mutex);
    return unused;
}

void program_times_out_before_a_signal(void)
{
    pthread_t teller = start(tell_late, NULL);

    wait_until_told(NULL);
    pthread_join(teller, NULL);
}

void program_times_out_before_a_broadcast(void)
{
    pthread_t teller = start(tell_late, &condition), second = start(wait_until_told, NULL);

    wait_until_told(NULL);
    pthread_join(second, NULL);
    pthread_join(teller, NULL);
}

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *wait_to_be_told(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    waits = true;
    while (!is_told)
        pthread_cond_wait(&condition, &mutex);
    observed[0] = 1;
    pthread_cleanup_pop(1);
    return unused;
}

/* The thread may be gone when the signal comes. */
void program_is_cancelled_before_a_signal(void)
{
    pthread_t waiter = start(wait_to_be_told, NULL);

    pthread_mutex_lock(&mutex);
    bool waited = waits;
    if (waited)
        pthread_cancel(waiter);
    is_told = true;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(waiter, NULL);
    assert(!waited || observed[0] == 1);
}

/* ---- loops that end by themselves ---- */

static pthread_key_t key, second_key;

__attribute__((noinline)) static bool may_go_on(void)
{
    intptr_t rounds = (intptr_t)pthread_getspecific(key);

    pthread_setspecific(key, (void *)(rounds + 1));
    return rounds < 5;
}

static void *count_at_a_key(void *unused)
{
    while (!atomic_load(&flag) && may_go_on()) {
    }
    assert(atomic_load(&flag));
    return unused;
}

void program_counts_at_a_key(void)
{
    pthread_key_create(&key, NULL);
    pthread_t counter = start(count_at_a_key, NULL);
    atomic_store(&flag, 1);
    pthread_join(counter, NULL);
}

static void *create_keys(void *unused)
{
    pthread_key_t created = 0;

    while (!atomic_load(&flag) && created < 20)
        pthread_key_create(&created, NULL);
    return unused;
}

void program_creates_keys(void)
{
    pthread_join(start(create_keys, NULL), NULL);
}

ROLE(stop_later, sleep(3); atomic_store(&flag, 1))

/* The time is further off than the slack. */
void program_works_until_stopped(void)
{
    pthread_t stopper = start(stop_later, NULL);

    while (!atomic_load(&flag))
        atomic_fetch_xor(&other, 1);
    pthread_join(stopper, NULL);
}

/* ---- threads ---- */

static void store_twice(void *unused)
{
    (void)unused;
    atomic_store(&flag, 1);
    atomic_store(&other, 1);
}

static void note_call(void *unused)
{
    (void)unused;
    observed[0] = 1;
}

ROLE(set_both_keys, pthread_setspecific(key, &flag); pthread_setspecific(second_key, &flag))
ROLE(delete_second, if (atomic_load(&flag)) observed[1] = pthread_key_delete(second_key) == 0)

/* Destructors take steps, and a key may be deleted between two of them. */
void program_deletes_a_key_between_destructors(void)
{
    pthread_key_create(&key, store_twice);
    pthread_key_create(&second_key, note_call);
    run_both(set_both_keys, delete_second);
}

__attribute__((noinline)) static void exit_early(void)
{
    observed[0] = 1;
    exit(1);
}

__attribute__((noinline)) static void exit_late(void)
{
    observed[0] = 2;
    exit(1);
}

static void *exit_twice(void *unused)
{
    int before = atomic_load(&flag), after = atomic_load(&flag);

    if (before == 1)
        exit_early();
    if (after == 1)
        exit_late();
    return unused;
}

ROLE(store_flag, atomic_store(&flag, 1))

void program_two_exits(void)
{
    run_both(store_flag, exit_twice);
}
