/* Explored programs for the tests of what is shown. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setname_np */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/explore/probe.h"
#include "harness/explore/test/programs.h"

extern int observed[];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    atomic_int state;
    int total;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static void run_both(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t first, second;

    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, other, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

/* ---- a lost wake-up: looks without the lock, then waits ---- */

static void *wait_for_signal(void *unused)
{
    if (atomic_load(&shared.state) == 0) {
        pthread_mutex_lock(&shared.lock);
        pthread_cond_wait(&shared.ready, &shared.lock);
        pthread_mutex_unlock(&shared.lock);
    }
    return unused;
}

static void *signal_once(void *unused)
{
    atomic_store_explicit(&shared.state, 1, memory_order_release);
    pthread_cond_signal(&shared.ready);
    return unused;
}

void program_late_signal(void)
{
    run_both(wait_for_signal, signal_once);
}

/* ---- a data race ---- */

static void *add_plainly(void *unused)
{
    shared.total = shared.total + 1;
    return unused;
}

void program_races_on_a_member(void)
{
    run_both(add_plainly, add_plainly);
}

/* ---- probes ---- */

void program_passes_probes(void)
{
    atomic_store(&shared.state, 7);
    GP_PROBE(state_changed, &shared, atomic_load(&shared.state));
    atomic_store(&shared.state, 8);
    GP_PROBE(done, true);
}

/* ---- crashes ---- */

struct link {
    int value;
    struct link *volatile next;
};

static struct link *volatile nobody;

void program_follows_a_null_pointer(void)
{
    nobody->next = NULL;
}

void program_follows_what_was_never_written(void)
{
    static struct link *volatile link;

    link = malloc(sizeof *link);
    observed[0] = link->next->value;
}

void program_writes_to_its_code(void)
{
    *(volatile int *)(uintptr_t)program_writes_to_its_code = 2;
}

void program_writes_where_there_is_nothing(void)
{
    *(volatile int *)(uintptr_t)0x10000 = 2;
}

void program_divides_by_zero(void)
{
    static volatile int zero;

    observed[0] = 7 / zero;
}

/* ---- not the same twice ---- */

extern int times_run; /* the harness's, and not set back */

void program_fails_once(void)
{
    if (times_run++ == 0)
        abort();
}

/* ---- names ---- */

struct pair {
    atomic_int left, right;
};

static void tell_apart_by_what_is_done(struct pair *pair)
{
    if (atomic_load(&pair->left) == 0 || atomic_exchange(&pair->right, 1) == 0)
        return;
    atomic_store(&pair->left, atomic_exchange(&pair->right, 2));
}

static int cannot_tell_apart(struct pair *pair)
{
    return atomic_load(&pair->left) + atomic_load(&pair->right);
}

static int read_by_an_operator(struct pair *pair)
{
    int seen = pair->left;

    return seen;
}

static void signal_behind_a_pointer(pthread_cond_t *condition)
{
    pthread_cond_signal(condition);
}

void program_uses_names(void)
{
    static atomic_int counter;
    static struct pair first;
    struct pair *pairs = calloc(3, sizeof *pairs);

    if (!pairs)
        return;
    atomic_init(&pairs[0].left, 1);
    tell_apart_by_what_is_done(&pairs[0]);
    cannot_tell_apart(&pairs[1]);
    read_by_an_operator(&pairs[2]);
    read_by_an_operator(&first);
    signal_behind_a_pointer(&shared.ready);
    int before = counter;
    counter = before + 1;
    free(pairs);
}

/* ---- a deadlock with main ---- */

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *lock_right_first(void *unused)
{
    lock_both(&right, &left);
    return unused;
}

void program_deadlock_with_main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, lock_right_first, NULL);
    lock_both(&left, &right);
    pthread_join(thread, NULL);
}

/* ---- lines ---- */

void program_tells_its_line(void)
{
    observed[0] = __LINE__ + 1;
    atomic_store(&shared.state, 1);
}

/* ---- rounds, and what a thread is called ---- */

static void *count_to_twenty(void *unused)
{
    pthread_setname_np(pthread_self(), "counter");
    for (int i = 0; i < 20; i++)
        atomic_fetch_add(&shared.state, 1);
    observed[0] = __LINE__ + 1;
    shared.total = atomic_load(&shared.state);
    atomic_store(&shared.state, 0);
    abort();
    return unused;
}

static void *look_once(void *unused)
{
    atomic_load(&shared.state);
    return unused;
}

void program_goes_round(void)
{
    run_both(look_once, count_to_twenty);
}
