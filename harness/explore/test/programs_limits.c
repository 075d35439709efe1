/* Explored programs about what the machine does not see by itself: loops without steps, waits by
   looking at the clock, stacks, constructors, questions to the system. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h> /* sysconf */

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

/* ---- loops without a step ---- */

static volatile bool flag;

static void *wait_for_flag(void *unused)
{
    while (!flag) {
    }
    return unused;
}

static void *set_flag(void *unused)
{
    flag = true;
    return unused;
}

/* Whoever waits goes first in some executions, and then nobody else ever goes. */
void program_loops_without_a_step(void)
{
    run_both(wait_for_flag, set_flag);
}

/* For a clock that looks at what has been observed: from then on the time is up. */
enum {
    TIME_IS_UP = 50,
    TICKS = 40 /* two seconds */
};

static atomic_int additions;

void program_steps_when_the_time_is_up(void)
{
    for (int i = 1; i <= 2 * TIME_IS_UP; i++) {
        observed[0] = i;
        if (i == TIME_IS_UP)
            let_timer_tick();
        atomic_fetch_add(&additions, 1);
    }
}

void program_computes_when_the_time_is_up(void)
{
    observed[0] = TIME_IS_UP;
    for (int i = 0; i < TICKS; i++)
        let_timer_tick();
    observed[1] = 1;
}

ROLE(add, atomic_fetch_add(&additions, 1))

void program_adds_twice_at_one_place(void)
{
    run_both(add, add);
}

/* Each has its own place for many steps, then both have one. Only the place tells these steps from
   the others. */
static atomic_int apart[2], met;

static void add_apart(int thread)
{
    for (int i = 0; i < 100; i++)
        atomic_fetch_add(&apart[thread], 1);
}

ROLE(add_first, add_apart(0); atomic_fetch_add(&met, 1); add_apart(0))
ROLE(add_second, add_apart(1); observed[0] = atomic_fetch_add(&met, 1); add_apart(1))

void program_meets_after_many_steps(void)
{
    run_both(add_first, add_second);
}

/* The system's library is where it crashes, and this is where it was called from. */
void program_crashes_in_the_library(void)
{
    const char *volatile nowhere = NULL;

    observed[0] = (int)strtol(nowhere, NULL, 10);
}

void program_computes_for_a_moment(void)
{
    for (volatile int64_t i = 0; i < 100 * 1000 * 1000; i++) {
    }
    observed[0] = 1;
}

/* ---- waiting by looking at the clock ---- */

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Nobody sleeps, so nobody else makes the clock move. */
void program_waits_by_the_clock(void)
{
    int64_t begin = now();

    while (now() < begin + INT64_C(10000000000)) {
    }
    observed[0] = now() <= begin + INT64_C(20000000000);
}

static atomic_bool stop;

static void *poll_for_a_while(void *unused)
{
    int64_t end = now() + 1000000;

    while (!atomic_load(&stop) && now() < end) {
    }
    observed[0] = atomic_load(&stop);
    return unused;
}

static void *stop_it(void *unused)
{
    atomic_store(&stop, true);
    return unused;
}

void program_waits_by_clock_and_flag(void)
{
    run_both(poll_for_a_while, stop_it);
}

/* A few looks are no wait: time need not pass between them. */
void program_looks_at_the_clock(void)
{
    int64_t begin = now();

    for (int i = 0; i < 20; i++)
        observed[0] |= now() != begin;
}

/* ---- stacks ---- */

static void *do_nothing(void *unused)
{
    return unused;
}

enum {
    MEGABYTE = 1024 * 1024
};

static void *use_much_stack(void *unused)
{
    volatile char many[6 * MEGABYTE];

    for (size_t i = 0; i < sizeof many; i += 4096)
        many[i] = 1;
    observed[0] += many[sizeof many - 4096];
    return unused;
}

static void run_with_stack(void *(*function)(void *), size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    if (pthread_create(&thread, &attributes, function, NULL) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

void program_uses_much_stack(void)
{
    use_much_stack(NULL);
    run_with_stack(use_much_stack, 7 * MEGABYTE);
}

void program_asks_for_too_much_stack(void)
{
    run_with_stack(do_nothing, 1024 * MEGABYTE);
}

/* It touches no more than the far end of each frame. */
static int descend(const volatile char *above, int depth)
{
    volatile char large[MEGABYTE];

    large[0] = *above;
    return depth == 0 ? 0 : descend(large, depth - 1) + large[0];
}

static void *descend_far(void *unused)
{
    observed[0] = descend("", 100);
    return unused;
}

void program_overflows_by_large_frames(void)
{
    run_both(descend_far, do_nothing);
}

/* ---- what a constructor may do, and what not ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void program_locks_and_unlocks(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

void program_makes_a_key(void)
{
    pthread_key_t key;

    pthread_key_create(&key, NULL);
}

void program_makes_too_many_keys(void)
{
    for (int i = 0; i < 33; i++)
        program_makes_a_key();
}

void program_asks_the_system(void)
{
    observed[0] = sysconf(_SC_NPROCESSORS_ONLN) == 4 && sysconf(_SC_PAGESIZE) == 4096 &&
                  getenv("NO_SUCH_VARIABLE") == NULL;
}

void program_asks_the_system_too_much(void)
{
    observed[0] = sysconf(_SC_OPEN_MAX) > 0;
}

static int drawn[2];

static void *draw(void *place)
{
    *(int *)place = rand();
    return NULL;
}

/* The same two numbers each time, one for each thread, in either order. */
void program_draws_numbers(void)
{
    pthread_t first, second;

    srand(7);
    int one = rand(), two = rand();
    srand(7);
    pthread_create(&first, NULL, draw, &drawn[0]);
    pthread_create(&second, NULL, draw, &drawn[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    observed[0] = drawn[0] == one && drawn[1] == two;
    observed[1] = drawn[0] == two && drawn[1] == one;
}

void program_draws_without_a_seed(void)
{
    observed[0] = rand();
    srand(7);
}

void program_allocates(void)
{
    void *volatile block = malloc(10);

    observed[0] = block != NULL;
    free(block);
}

void program_adds_atomically(void)
{
    static atomic_int counter;

    atomic_fetch_add(&counter, 1);
    observed[0] = atomic_load(&counter);
}

void program_fails_an_assertion(void)
{
    assert(observed[0] == 1);
}
