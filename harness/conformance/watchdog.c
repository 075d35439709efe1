/*
 * The watchdog runs in the main thread, the tests in a thread of their own.
 *
 * A test has a minute, or as long as --hang says; ten times that when GP_SLOW is set. If it takes
 * longer, the watchdog prints the stack of every other thread, counts the test as failed, prints
 * the closing line and ends the process: a thread that hangs cannot be ended otherwise.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_cond_clockwait */
#endif
#include "watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "harness/native/stacks.h"
#include "suite.h"

#define SLOWER_BY 10

/*
 * Lock letters:
 *   I: set before the first test
 *   L: guarded by lock
 */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int seconds_per_test;   /* I */
    const char *suite;      /* L the test under way, */
    const char *test;       /* L NULL between tests */
    struct timespec expiry; /* L when it has hung */
    struct tally tally;     /* L */
    bool ended;             /* L */
} run = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .seconds_per_test = 60};

void watchdog_set_patience(int seconds)
{
    run.seconds_per_test = seconds;
}

static int seconds_per_test(void)
{
    return is_slow() ? run.seconds_per_test * SLOWER_BY : run.seconds_per_test;
}

void watchdog_test_begins(const char *suite, const char *test)
{
    pthread_mutex_lock(&run.lock);
    run.suite = suite;
    run.test = test;
    clock_gettime(CLOCK_MONOTONIC, &run.expiry); /* somebody may set the other one */
    run.expiry.tv_sec += seconds_per_test();
    pthread_cond_signal(&run.changed);
    pthread_mutex_unlock(&run.lock);
}

void watchdog_test_ends(int failures)
{
    pthread_mutex_lock(&run.lock);
    run.test = NULL;
    if (failures == 0)
        run.tally.passed++;
    else
        run.tally.failed++;
    pthread_mutex_unlock(&run.lock);
}

void watchdog_run_ends(void)
{
    pthread_mutex_lock(&run.lock);
    run.ended = true;
    pthread_cond_signal(&run.changed);
    pthread_mutex_unlock(&run.lock);
}

void watchdog_close(struct tally tally)
{
    printf("conformance: %u passed, %u failed\n", tally.passed, tally.failed);
    fflush(stdout);
}

static void print_line(void *context, const char *line)
{
    (void)context;
    printf("    %s\n", line);
    fflush(stdout);
}

static void give_up(void)
{
    printf("%s.%s: hangs, for %d seconds\n", run.suite, run.test, seconds_per_test());
    stacks_of_others(NULL, 0, print_line, NULL);
    run.tally.failed++;
    watchdog_close(run.tally);
    _exit(EXIT_FAILURE);
}

struct tally watchdog_watch(void)
{
    stacks_prepare();
    pthread_mutex_lock(&run.lock);
    while (!run.ended) {
        struct timespec expiry = run.expiry;
        const char *test = run.test;
        if (test == NULL)
            pthread_cond_wait(&run.changed, &run.lock);
        else if (pthread_cond_clockwait(&run.changed, &run.lock, CLOCK_MONOTONIC, &expiry) ==
                     ETIMEDOUT &&
                 run.test == test && !run.ended)
            give_up();
    }
    struct tally tally = run.tally;
    pthread_mutex_unlock(&run.lock);
    return tally;
}
