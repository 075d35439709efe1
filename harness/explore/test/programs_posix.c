/* Explored programs about what POSIX says of the finer points, and about what goes on without the
   machine: loops, stacks, the clock. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "harness/explore/test/programs.h"

extern int observed[];

static pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, function, argument) == 0 ? thread : 0;
}

static void run_both(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t first = start(one, NULL), second = start(other, NULL);

    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

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

/* ---- barriers ---- */

static pthread_barrier_t barrier;
static int between_rounds;

static void *write_between_rounds(void *unused)
{
    pthread_barrier_wait(&barrier);
    between_rounds = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *read_between_rounds(void *unused)
{
    pthread_barrier_wait(&barrier);
    observed[0] = between_rounds;
    pthread_barrier_wait(&barrier);
    return unused;
}

/* As schedules go by default, the writer is in the second round before the reader has left the
   first. */
void program_barrier_of_two_rounds(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(read_between_rounds, write_between_rounds);
    pthread_barrier_destroy(&barrier);
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
