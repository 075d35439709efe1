/*
 * A handful of litmus tests as programs of their own, for the searches (test_search.c), and what is
 * around the memory model. The litmus tests of litmus_table.c are run by programs_litmus_table.c.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

enum {
    THREADS = 4
};

static atomic_int x, y;

/* What a thread read goes to `saw`, where nobody else writes. */
static int saw[THREADS];

static void perform(role_fn *const *roles, unsigned count)
{
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, roles[i], NULL);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        observed[i] = saw[i];
}

#define PROGRAM(name, ...)                             \
    void name(void)                                    \
    {                                                  \
        static role_fn *const roles[] = {__VA_ARGS__}; \
        perform(roles, sizeof roles / sizeof *roles);  \
    }

#define RELAXED memory_order_relaxed
#define SEQ_CST memory_order_seq_cst

#define STORE(place, value, order) atomic_store_explicit(&(place), value, order)
#define LOAD(place, order)         atomic_load_explicit(&(place), order)

/* ---- small programs for the searches ---- */

ROLE(sb_left, STORE(x, 1, RELAXED); saw[0] = LOAD(y, RELAXED))
ROLE(sb_right, STORE(y, 1, RELAXED); saw[1] = LOAD(x, RELAXED))
PROGRAM(litmus_sb_relaxed, sb_left, sb_right)

ROLE(fenced_left, STORE(x, 1, RELAXED); atomic_thread_fence(SEQ_CST); saw[0] = LOAD(y, RELAXED))
ROLE(fenced_right, STORE(y, 1, RELAXED); atomic_thread_fence(SEQ_CST); saw[1] = LOAD(x, RELAXED))
ROLE(seq_cst_right, STORE(y, 1, SEQ_CST); saw[1] = LOAD(x, SEQ_CST))
PROGRAM(litmus_sb_fenced, fenced_left, fenced_right)
PROGRAM(litmus_sb_fence_against_seq_cst, fenced_left, seq_cst_right)

ROLE(mp_left, STORE(x, 1, RELAXED); STORE(y, 1, RELAXED))
ROLE(mp_right, saw[0] = LOAD(y, RELAXED); saw[1] = LOAD(x, RELAXED))
PROGRAM(litmus_mp_relaxed, mp_left, mp_right)

ROLE(store_one, STORE(x, 1, RELAXED))
ROLE(store_two, STORE(x, 2, RELAXED))
ROLE(store_twice, STORE(x, 1, RELAXED); STORE(x, 2, RELAXED))
ROLE(load_twice, saw[0] = LOAD(x, RELAXED); saw[1] = LOAD(x, RELAXED))
ROLE(store_and_load, STORE(x, 1, RELAXED); saw[0] = LOAD(x, RELAXED))
PROGRAM(litmus_corr, store_twice, load_twice)

void litmus_cowr(void)
{
    static role_fn *const roles[] = {store_and_load, store_two};

    perform(roles, 2);
    observed[1] = LOAD(x, RELAXED);
}

/* ---- what is around it ---- */

/* Locks order like release and acquire. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ROLE(store_locked, STORE(x, 1, RELAXED); pthread_mutex_lock(&lock); STORE(y, 1, RELAXED);
     pthread_mutex_unlock(&lock))
ROLE(load_locked, pthread_mutex_lock(&lock); saw[0] = LOAD(y, RELAXED); pthread_mutex_unlock(&lock);
     saw[1] = LOAD(x, RELAXED))
PROGRAM(litmus_mp_locked, store_locked, load_locked)

/* Whoever waits for a store gets to see it. */
ROLE(wait_for_store, while (LOAD(x, RELAXED) == 0) sched_yield(); saw[0] = 1)
PROGRAM(litmus_waits, store_one, wait_for_store)

/* And no time passes for that, though somebody sleeps for an hour. */
static int64_t seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

ROLE(sleep_for_an_hour, nanosleep(&(struct timespec){.tv_sec = 3600}, NULL))
ROLE(wait_in_time, int64_t start = seconds(); while (LOAD(x, RELAXED) == 0) sched_yield();
     saw[0] = seconds() - start < 3600)
PROGRAM(litmus_waits_beside_a_sleeper, store_one, wait_in_time, sleep_for_an_hour)

/* A plain initialisation is what everybody reads; so is what memset leaves. */
struct pair {
    atomic_int first, second;
};

static void *load_pair(void *argument)
{
    struct pair *pair = argument;

    saw[0] = LOAD(pair->first, RELAXED);
    saw[1] = LOAD(pair->second, RELAXED);
    return NULL;
}

void litmus_plain_initialisation(void)
{
    struct pair *pair = malloc(sizeof *pair);
    pthread_t thread;

    atomic_init(&pair->first, 1);
    atomic_init(&pair->second, 1);
    STORE(pair->first, 2, RELAXED);
    memset(pair, 0, sizeof *pair);
    atomic_init(&pair->second, 3);
    pthread_create(&thread, NULL, load_pair, pair);
    pthread_join(thread, NULL);
    observed[0] = saw[0];
    observed[1] = saw[1];
    free(pair);
}
