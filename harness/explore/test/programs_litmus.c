/*
 * Litmus tests: a handful of atomic accesses, whose results tell one memory model from another. The
 * names are those of the literature (J. Alglave, L. Maranget, "Herding cats", 2014). Each comes
 * with several orders; test_litmus.c says which results are which model's.
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
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define BOTH    memory_order_acq_rel
#define SEQ_CST memory_order_seq_cst

#define STORE(place, value, order) atomic_store_explicit(&(place), value, order)
#define LOAD(place, order)         atomic_load_explicit(&(place), order)
#define ADD(place, value, order)   atomic_fetch_add_explicit(&(place), value, order)
#define FENCE(order)               atomic_thread_fence(order)
#define NO_FENCE                   ((void)0)

/* ---- store buffering: is a store overtaken by the load that follows it? ---- */

#define SB(name, store, fence, load)                                      \
    ROLE(name##_left, STORE(x, 1, store); fence; saw[0] = LOAD(y, load))  \
    ROLE(name##_right, STORE(y, 1, store); fence; saw[1] = LOAD(x, load)) \
    PROGRAM(name, name##_left, name##_right)

SB(litmus_sb_relaxed, RELAXED, NO_FENCE, RELAXED)
SB(litmus_sb_release_acquire, RELEASE, NO_FENCE, ACQUIRE)
SB(litmus_sb_seq_cst, SEQ_CST, NO_FENCE, SEQ_CST)
SB(litmus_sb_fenced, RELAXED, FENCE(SEQ_CST), RELAXED)
SB(litmus_sb_weakly_fenced, RELAXED, FENCE(BOTH), RELAXED)

/* One side has a fence, the other has seq_cst accesses; or only one such access. */
ROLE(fenced_left, STORE(x, 1, RELAXED); FENCE(SEQ_CST); saw[0] = LOAD(y, RELAXED))
ROLE(seq_cst_right, STORE(y, 1, SEQ_CST); saw[1] = LOAD(x, SEQ_CST))
ROLE(half_seq_cst_right, STORE(y, 1, SEQ_CST); saw[1] = LOAD(x, RELAXED))
ROLE(other_half_seq_cst_right, STORE(y, 1, RELAXED); saw[1] = LOAD(x, SEQ_CST))
PROGRAM(litmus_sb_fence_against_seq_cst, fenced_left, seq_cst_right)
PROGRAM(litmus_sb_fence_against_seq_cst_store, fenced_left, half_seq_cst_right)
PROGRAM(litmus_sb_fence_against_seq_cst_load, fenced_left, other_half_seq_cst_right)

/* With read-modify-writes instead of the loads: these read the latest. */
ROLE(rmw_left, STORE(x, 1, RELAXED); saw[0] = ADD(y, 2, RELAXED))
ROLE(rmw_right, STORE(y, 1, RELAXED); saw[1] = ADD(x, 2, RELAXED))
PROGRAM(litmus_sb_rmw, rmw_left, rmw_right)

/* ---- message passing: who sees the flag, does it see the data? ---- */

#define MP(name, left_fence, store, load, right_fence)                                 \
    ROLE(name##_left, STORE(x, 1, RELAXED); left_fence; STORE(y, 1, store))            \
    ROLE(name##_right, saw[0] = LOAD(y, load); right_fence; saw[1] = LOAD(x, RELAXED)) \
    PROGRAM(name, name##_left, name##_right)

MP(litmus_mp_relaxed, NO_FENCE, RELAXED, RELAXED, NO_FENCE)
MP(litmus_mp_release_only, NO_FENCE, RELEASE, RELAXED, NO_FENCE)
MP(litmus_mp_acquire_only, NO_FENCE, RELAXED, ACQUIRE, NO_FENCE)
MP(litmus_mp_release_acquire, NO_FENCE, RELEASE, ACQUIRE, NO_FENCE)
MP(litmus_mp_fenced, FENCE(RELEASE), RELAXED, RELAXED, FENCE(ACQUIRE))
MP(litmus_mp_fence_to_acquire, FENCE(RELEASE), RELAXED, ACQUIRE, NO_FENCE)
MP(litmus_mp_release_to_fence, NO_FENCE, RELEASE, RELAXED, FENCE(ACQUIRE))

/* A release sequence goes on through a read-modify-write, and not through a store. */
ROLE(begin_sequence, STORE(x, 1, RELAXED); STORE(y, 1, RELEASE))
ROLE(go_on, int one = 1; atomic_compare_exchange_strong_explicit(&y, &one, 2, RELAXED, RELAXED))
ROLE(replace, if (LOAD(y, RELAXED) == 1) STORE(y, 2, RELAXED))
ROLE(end_sequence, saw[0] = LOAD(y, ACQUIRE); saw[1] = LOAD(x, RELAXED))
PROGRAM(litmus_release_sequence, begin_sequence, go_on, end_sequence)
PROGRAM(litmus_no_release_sequence, begin_sequence, replace, end_sequence)

ROLE(store_one, STORE(x, 1, RELAXED))

/* A compare-and-exchange that fails is a load, and may be late. */
ROLE(store_both, STORE(x, 1, RELAXED); STORE(y, 1, RELAXED))
ROLE(exchange_late, int one = 1; saw[0] = LOAD(y, RELAXED);
     saw[1] = atomic_compare_exchange_strong_explicit(&x, &one, 2, RELAXED, RELAXED); saw[2] = one)
PROGRAM(litmus_late_exchange, store_both, exchange_late)

/* One that succeeds has read the latest. */
ROLE(exchange_latest, int zero = 0;
     saw[0] = atomic_compare_exchange_strong_explicit(&x, &zero, 2, RELAXED, RELAXED))
void litmus_latest_exchange(void)
{
    static role_fn *const roles[] = {store_one, exchange_latest};

    perform(roles, 2);
    observed[1] = LOAD(x, RELAXED);
}

/* ---- load buffering: is a load overtaken by the store that follows it? ---- */

ROLE(lb_left, saw[0] = LOAD(x, RELAXED); STORE(y, 1, RELAXED))
ROLE(lb_right, saw[1] = LOAD(y, RELAXED); STORE(x, 1, RELAXED))
PROGRAM(litmus_lb_relaxed, lb_left, lb_right)

/* ---- coherence: one location has one order ---- */

ROLE(store_twice, STORE(x, 1, RELAXED); STORE(x, 2, RELAXED))
ROLE(load_twice, saw[0] = LOAD(x, RELAXED); saw[1] = LOAD(x, RELAXED))
ROLE(load_twice_too, saw[2] = LOAD(x, RELAXED); saw[3] = LOAD(x, RELAXED))
PROGRAM(litmus_corr, store_twice, load_twice)

ROLE(store_two, STORE(x, 2, RELAXED))
PROGRAM(litmus_corr_of_two, store_one, store_two, load_twice, load_twice_too)

ROLE(store_and_load, STORE(x, 1, RELAXED); saw[0] = LOAD(x, RELAXED))
void litmus_cowr(void)
{
    static role_fn *const roles[] = {store_and_load, store_two};

    perform(roles, 2);
    observed[1] = LOAD(x, RELAXED);
}

/* Write to read causality: coherence across three threads. */
#define WRC(name, store, load)                                            \
    ROLE(name##_middle, saw[0] = LOAD(x, RELAXED); STORE(y, 1, store))    \
    ROLE(name##_right, saw[1] = LOAD(y, load); saw[2] = LOAD(x, RELAXED)) \
    PROGRAM(name, store_one, name##_middle, name##_right)

WRC(litmus_wrc_relaxed, RELAXED, RELAXED)
WRC(litmus_wrc_release_acquire, RELEASE, ACQUIRE)

/* ---- independent reads of independent writes: do all agree on which was first? ---- */

#define IRIW(name, store, load, fence)                                     \
    ROLE(name##_x, STORE(x, 1, store))                                     \
    ROLE(name##_y, STORE(y, 1, store))                                     \
    ROLE(name##_xy, saw[0] = LOAD(x, load); fence; saw[1] = LOAD(y, load)) \
    ROLE(name##_yx, saw[2] = LOAD(y, load); fence; saw[3] = LOAD(x, load)) \
    PROGRAM(name, name##_x, name##_y, name##_xy, name##_yx)

IRIW(litmus_iriw_relaxed, RELAXED, RELAXED, NO_FENCE)
IRIW(litmus_iriw_release_acquire, RELEASE, ACQUIRE, NO_FENCE)
IRIW(litmus_iriw_seq_cst, SEQ_CST, SEQ_CST, NO_FENCE)
IRIW(litmus_iriw_fenced, RELAXED, RELAXED, FENCE(SEQ_CST))

/* Read to write causality: a fence makes others' stores that it has seen come before it. */
#define RWC(name, fence)                                                             \
    ROLE(name##_middle, saw[0] = LOAD(x, ACQUIRE); fence; saw[1] = LOAD(y, ACQUIRE)) \
    ROLE(name##_right, STORE(y, 1, RELEASE); fence; saw[2] = LOAD(x, ACQUIRE))       \
    PROGRAM(name, store_one, name##_middle, name##_right)

RWC(litmus_rwc_release_acquire, NO_FENCE)
RWC(litmus_rwc_fenced, FENCE(SEQ_CST))

/* ---- two stores by each: does the modification order follow the execution? ---- */

#define TWO_PLUS_TWO_W(name, order)                                  \
    ROLE(name##_left, STORE(x, 1, order); STORE(y, 2, order))        \
    ROLE(name##_right, STORE(y, 1, order); STORE(x, 2, order))       \
    void name(void)                                                  \
    {                                                                \
        static role_fn *const roles[] = {name##_left, name##_right}; \
        perform(roles, 2);                                           \
        observed[0] = LOAD(x, RELAXED);                              \
        observed[1] = LOAD(y, RELAXED);                              \
    }

TWO_PLUS_TWO_W(litmus_2_2w_relaxed, RELAXED)
TWO_PLUS_TWO_W(litmus_2_2w_seq_cst, SEQ_CST)

#define R(name, order, fence)                                              \
    ROLE(name##_left, STORE(x, 1, order); fence; STORE(y, 1, order))       \
    ROLE(name##_right, STORE(y, 2, order); fence; saw[0] = LOAD(x, order)) \
    void name(void)                                                        \
    {                                                                      \
        static role_fn *const roles[] = {name##_left, name##_right};       \
        perform(roles, 2);                                                 \
        observed[1] = LOAD(y, RELAXED);                                    \
    }

R(litmus_r_relaxed, RELAXED, NO_FENCE)
R(litmus_r_seq_cst, SEQ_CST, NO_FENCE)
R(litmus_r_fenced, RELAXED, FENCE(SEQ_CST))

ROLE(s_left, STORE(x, 2, RELAXED); STORE(y, 1, RELAXED))
ROLE(s_right, saw[0] = LOAD(y, RELAXED); STORE(x, 1, RELAXED))
void litmus_s_relaxed(void)
{
    static role_fn *const roles[] = {s_left, s_right};

    perform(roles, 2);
    observed[1] = LOAD(x, RELAXED);
}

ROLE(z6u_left, STORE(x, 1, SEQ_CST); STORE(y, 1, RELEASE))
ROLE(z6u_middle, saw[0] = atomic_fetch_add_explicit(&y, 1, SEQ_CST); saw[1] = LOAD(y, RELAXED))
ROLE(z6u_right, STORE(y, 3, SEQ_CST); saw[2] = LOAD(x, SEQ_CST))
PROGRAM(litmus_z6u, z6u_left, z6u_middle, z6u_right)

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
