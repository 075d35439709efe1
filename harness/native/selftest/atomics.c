/*
 * Does atomics.c tell Helgrind and DRD the truth?
 *
 *     atomics-selftest CASE       runs one case, to be watched by one of the tools
 *     atomics-selftest --list     names them, each with what is wanted of the tool
 *
 * Each case is two threads and a few words that both touch; stress/valgrind runs all of them before
 * it believes that a tool is silent for a good reason. A case that must be reported and a case that
 * must not differ in one memory order, wherever that is possible.
 *
 * `turn` decides who comes first, by relaxed operations: to a detector of races, which goes by
 * happens-before, that says nothing.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h> /* sched_yield */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h> /* syscall */

#include "harness/scenario/unobserved.h"

static int data;
static atomic_int flag;
static atomic_int turn;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static _Atomic(char *) block;

static void give_turn(void)
{
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
}

static void await_turn(void)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) == 0)
        sched_yield();
}

static void await_flag(memory_order order)
{
    while (atomic_load_explicit(&flag, order) == 0)
        sched_yield();
}

/* ---- what the threads do ---- */

static void write_data(void)
{
    data++;
    give_turn();
}

static void write_after(void)
{
    await_turn();
    data++;
}

static void publish_by_release(void)
{
    data++;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void publish_by_relaxed(void)
{
    data++;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void read_by_acquire(void)
{
    await_flag(memory_order_acquire);
    data++;
}

static void read_by_relaxed(void)
{
    await_flag(memory_order_relaxed);
    data++;
}

static void publish_by_exchange(void)
{
    data++;
    atomic_exchange_explicit(&flag, 1, memory_order_acq_rel);
}

/* The last one to leave sees what the others did, as with a count of references. */
static void leave(void)
{
    int mine = data; /* both read it, the last one writes */

    if (atomic_fetch_add_explicit(&flag, 1, memory_order_acq_rel) == 1)
        data = mine + 1;
}

static void leave_relaxed(void)
{
    int mine = data;

    if (atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed) == 1)
        data = mine + 1;
}

static void publish_by_swap(void)
{
    int expected = 0;

    data++;
    atomic_compare_exchange_strong(&flag, &expected, 1);
    give_turn();
}

static void publish_by_failed_swap(void)
{
    int expected = 7;

    data++;
    atomic_compare_exchange_strong(&flag, &expected, 1);
    give_turn();
}

static void look_after(void)
{
    await_turn();
    (void)atomic_load(&flag);
    data++;
}

static void count_relaxed(void)
{
    for (int i = 0; i < 100; i++)
        atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
}

/* Advanced, rung and read without marks, as the bell of race.c; one store has made it known. */
UNOBSERVED static void ring(void)
{
    atomic_fetch_add(&flag, 1);
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

UNOBSERVED static int rings(void)
{
    return atomic_load(&flag);
}

static void make_known_and_ring(void)
{
    atomic_store_explicit(&flag, 0, memory_order_relaxed);
    ring();
    give_turn();
}

static void read_rings(void)
{
    await_turn();
    if (rings() != 1)
        abort();
}

static void use_spin_lock(void)
{
    for (int i = 0; i < 100; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            sched_yield();
        data++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
}

static void initialise(void)
{
    data = 1;
}

static void read_what_once_wrote(void)
{
    pthread_once(&once, initialise);
    if (data != 1)
        give_turn();
}

static void wait_a_moment(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    pthread_cond_timedwait(&condition, &mutex, &now);
}

/* Signals come as the waits give up, and are handed on. */
static void wait_often(void)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        wait_a_moment();
        pthread_mutex_unlock(&mutex);
    }
    give_turn();
}

static void signal_often(void)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) {
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
}

static void signal_without_lock(void)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) {
        pthread_cond_signal(&condition);
        sched_yield();
    }
}

static void lock_and_unlock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    give_turn();
}

static void wait_without_lock(void)
{
    await_turn();
    wait_a_moment();
}

/* The store takes the thread a step further: Helgrind does not look twice in one. */
static void unlock_or_destroy(void)
{
    pthread_mutex_lock(&mutex);
    int left = ++data;
    pthread_mutex_unlock(&mutex);
    if (left == 2) {
        atomic_store(&flag, 1);
        pthread_mutex_destroy(&mutex);
    }
}

static void publish_block(void)
{
    char *mine = malloc(1);

    if (mine == NULL)
        abort();
    *mine = 1;
    atomic_store_explicit(&block, mine, memory_order_release);
}

static void free_block(memory_order order)
{
    char *mine;

    while ((mine = atomic_load_explicit(&block, order)) == NULL)
        sched_yield();
    free(mine);
}

static void free_by_acquire(void)
{
    free_block(memory_order_acquire);
}

static void free_by_relaxed(void)
{
    free_block(memory_order_relaxed);
}

static void *do_nothing(void *argument)
{
    return argument;
}

static void start_and_join(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0)
        pthread_join(thread, NULL);
    give_turn();
}

static void start_and_join_after(void)
{
    await_turn();
    start_and_join();
}

/* ---- the cases ---- */

struct test_case {
    const char *name;
    const char *wanted;
    void (*first)(void);
    void (*second)(void);
};

static const struct test_case cases[] = {
    {"plain_words", "report", write_data, write_after},
    {"release_to_acquire", "silent", publish_by_release, read_by_acquire},
    {"relaxed_to_acquire", "report", publish_by_relaxed, read_by_acquire},
    {"release_to_relaxed", "report", publish_by_release, read_by_relaxed},
    {"exchange_to_acquire", "silent", publish_by_exchange, read_by_acquire},
    {"last_to_leave", "silent", leave, leave},
    {"last_to_leave_relaxed", "report", leave_relaxed, leave_relaxed},
    {"swap_that_succeeds", "silent", publish_by_swap, look_after},
    {"swap_that_fails", "report", publish_by_failed_swap, look_after},
    {"relaxed_counter", "silent", count_relaxed, count_relaxed},
    {"bell", "silent", make_known_and_ring, read_rings},
    {"spin_lock", "silent", use_spin_lock, use_spin_lock},
    {"once", "silent", read_what_once_wrote, read_what_once_wrote},
    {"timed_wait", "silent", wait_often, signal_often},
    {"timed_wait_and_stray_signal", "report", wait_often, signal_without_lock},
    {"timed_wait_without_lock", "report", lock_and_unlock, wait_without_lock},
    {"last_unlock", "silent", unlock_or_destroy, unlock_or_destroy},
    {"free_by_acquire", "silent", publish_block, free_by_acquire},
    {"free_by_relaxed", "report", publish_block, free_by_relaxed},
    {"stack_of_another", "silent", start_and_join, start_and_join_after},
};

enum {
    CASES = sizeof cases / sizeof cases[0]
};

static void *run_first(void *argument)
{
    const struct test_case *test = argument;

    test->first();
    return NULL;
}

static int run(struct test_case test)
{
    pthread_t first;

    if (pthread_create(&first, NULL, run_first, &test) != 0)
        return 1;
    test.second();
    return pthread_join(first, NULL);
}

int main(int count, char **words)
{
    for (int i = 0; count == 2 && i < CASES; i++) {
        if (strcmp(words[1], "--list") == 0)
            printf("%s %s\n", cases[i].name, cases[i].wanted);
        else if (strcmp(words[1], cases[i].name) == 0)
            return run(cases[i]);
    }
    return count == 2 && strcmp(words[1], "--list") == 0 ? 0 : 2;
}
