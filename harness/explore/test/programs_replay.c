/* Explored programs for the tests of replay and shrinking. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "harness/explore/test/programs.h"

extern int observed[];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int number;
static int items;

static void run(void *(*functions[])(void *), unsigned count)
{
    pthread_t threads[4];

    for (unsigned i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* ---- a little of everything: three threads, a timed wait, atomics, memory ---- */

static void *wait_a_while(void *unused)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000;
    pthread_mutex_lock(&mutex);
    while (items == 0 && pthread_cond_timedwait(&changed, &mutex, &until) == 0) {
    }
    observed[0] = items;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *add_item(void *unused)
{
    int *memory = malloc(sizeof *memory);

    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    free(memory);
    return unused;
}

static void *count_up(void *unused)
{
    int old = atomic_load(&number);

    while (!atomic_compare_exchange_strong(&number, &old, old + 1)) {
    }
    return unused;
}

void program_for_replay(void)
{
    run((void *(*[])(void *)){wait_a_while, add_item, count_up, count_up}, 4);
}

/* ---- a weak compare-exchange without a loop ---- */

static void *count_up_if_possible(void *unused)
{
    int old = atomic_load(&number);

    atomic_compare_exchange_weak(&number, &old, old + 1);
    return unused;
}

void program_weak_without_loop(void)
{
    run((void *(*[])(void *)){count_up_if_possible, count_up_if_possible}, 2);
    assert(atomic_load(&number) > 0);
}

/* ---- the same program, changed ---- */

static void *store_twice(void *unused)
{
    atomic_store(&number, 1);
    atomic_store(&number, 2);
    return unused;
}

static void *store_and_load(void *unused)
{
    atomic_store(&number, 1);
    observed[0] = atomic_load(&number);
    return unused;
}

static void *store_once(void *unused)
{
    atomic_store(&number, 1);
    return unused;
}

void program_two_stores(void)
{
    run((void *(*[])(void *)){store_twice}, 1);
}

void program_two_stores_changed(void)
{
    run((void *(*[])(void *)){store_and_load}, 1);
}

void program_one_store_less(void)
{
    run((void *(*[])(void *)){store_once}, 1);
}

/* ---- long ---- */

enum {
    ROUNDS = 5000
};

void program_long(void)
{
    for (int i = 0; i < ROUNDS; i++)
        atomic_fetch_add(&number, 1);
}

void program_long_changed(void)
{
    for (int i = 0; i < ROUNDS; i++)
        if (i == ROUNDS / 2)
            atomic_store(&number, i);
        else
            atomic_fetch_add(&number, 1);
}

/* ---- a bounded buffer that waits with `if` ---- */

enum {
    CAPACITY = 1
};

static void *put(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (items == CAPACITY)
        pthread_cond_wait(&changed, &mutex);
    items++;
    assert(items <= CAPACITY);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == 0)
        pthread_cond_wait(&changed, &mutex);
    items--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *put_twice(void *unused)
{
    put(NULL);
    return put(unused);
}

static void *take_thrice(void *unused)
{
    take(NULL);
    take(NULL);
    return take(unused);
}

void program_buffer_with_if(void)
{
    run((void *(*[])(void *)){put_twice, put, take_thrice}, 3);
}
