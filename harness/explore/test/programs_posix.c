/* Explored programs about what POSIX says of the finer points, and about what goes on without the
   machine: loops, stacks, the clock. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
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
