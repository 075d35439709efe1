/* Support for tests: see support.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall(), pthread_cond_clockwait */
#endif
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h> /* SYS_gettid */
#include <time.h>
#include <unistd.h>

#include <glasspool/clock.h>

#include "queue/queue.h"
#include "suite.h"

#define PATIENCE_SECONDS      20
#define PATIENCE_SECONDS_SLOW 200
#define PAUSE_NANOSECONDS     200000

static int64_t patience(void)
{
    return GP_SECONDS(is_slow() ? PATIENCE_SECONDS_SLOW : PATIENCE_SECONDS);
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
}

bool eventually(bool (*holds)(void *), void *context)
{
    int64_t start = gp_now();
    while (!holds(context)) {
        if (gp_now() - start > patience())
            return false;
        pause_briefly();
    }
    return true;
}

/* Latches and gates. */

void latch_init(struct latch *latch, unsigned count)
{
    *latch = (struct latch){
        .lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER, .count = count};
}

void latch_count_down(struct latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    if (latch->count > 0 && --latch->count == 0)
        pthread_cond_broadcast(&latch->opened);
    pthread_mutex_unlock(&latch->lock);
}

void latch_await(struct latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    while (latch->count > 0)
        pthread_cond_wait(&latch->opened, &latch->lock);
    pthread_mutex_unlock(&latch->lock);
}

bool latch_await_for(struct latch *latch, int64_t nanos)
{
    struct timespec until;
    int error = 0;
    clock_gettime(CLOCK_MONOTONIC, &until); /* somebody may set the other one */
    int64_t fraction = until.tv_nsec + nanos % GP_SECONDS(1);
    until.tv_sec += (time_t)(nanos / GP_SECONDS(1) + fraction / GP_SECONDS(1));
    until.tv_nsec = (long)(fraction % GP_SECONDS(1));
    pthread_mutex_lock(&latch->lock);
    while (latch->count > 0 && error == 0)
        error = pthread_cond_clockwait(&latch->opened, &latch->lock, CLOCK_MONOTONIC, &until);
    bool open = latch->count == 0;
    pthread_mutex_unlock(&latch->lock);
    return open;
}

void gate_init(struct gate *gate)
{
    *gate = (struct gate){.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
}

void gate_open(struct gate *gate, unsigned permits)
{
    pthread_mutex_lock(&gate->lock);
    gate->permits += permits;
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->lock);
}

void gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->permits == 0)
        pthread_cond_wait(&gate->opened, &gate->lock);
    gate->permits--;
    pthread_mutex_unlock(&gate->lock);
}

/* Helpers. */

long thread_id(void)
{
    return syscall(SYS_gettid);
}

static void count_down_ended(void *argument)
{
    struct helper *helper = argument;
    latch_count_down(&helper->ended);
}

static void *helper_main(void *argument)
{
    struct helper *helper = argument;
    helper->id = thread_id();
    if (!helper->bare)
        helper->record = gp_thread_retain(gp_thread_self());
    latch_count_down(&helper->begun);
    pthread_cleanup_push(count_down_ended, helper);
    helper->run(helper->argument);
    pthread_cleanup_pop(1);
    return NULL;
}

static void start(struct helper *helper, void (*run)(void *), void *argument, bool bare)
{
    *helper = (struct helper){.run = run, .argument = argument, .bare = bare};
    latch_init(&helper->begun, 1);
    latch_init(&helper->ended, 1);
    require(pthread_create(&helper->thread, NULL, helper_main, helper) == 0);
    latch_await(&helper->begun);
}

void helper_start(struct helper *helper, void (*run)(void *), void *argument)
{
    start(helper, run, argument, false);
}

void helper_start_bare(struct helper *helper, void (*run)(void *), void *argument)
{
    start(helper, run, argument, true);
}

bool thread_is_asleep(long id)
{
    char path[64];
    char line[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", id);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true; /* it has ended */
    const char *state = fgets(line, sizeof line, file) == NULL ? NULL : strrchr(line, ')');
    fclose(file);
    return state != NULL && strncmp(state, ") S", 3) == 0;
}

static bool is_asleep(void *argument)
{
    const struct helper *helper = argument;
    return thread_is_asleep(helper->id);
}

void helper_await_asleep(struct helper *helper)
{
    check(eventually(is_asleep, helper));
}

void helper_interrupt(struct helper *helper)
{
    gp_thread_interrupt(helper->record);
}

void helper_join(struct helper *helper)
{
    helper->joined_in_time = latch_await_for(&helper->ended, patience());
    check(helper->joined_in_time);
    while (!helper->joined_in_time && helper->record != NULL &&
           !latch_await_for(&helper->ended, GP_MILLISECONDS(10)))
        helper_interrupt(helper);
    pthread_join(helper->thread, NULL);
    gp_thread_release(helper->record);
    helper->record = NULL;
}

void run_in_helper(void (*run)(void *), void *argument)
{
    struct helper helper;
    helper_start(&helper, run, argument);
    helper_join(&helper);
}

/* Subjects. */

static int call_subject(void *argument, void **result)
{
    struct subject *subject = argument;
    atomic_fetch_add(&subject->runs, 1);
    if (subject->inside != NULL)
        subject->inside(subject);
    if (subject->code == 0)
        *result = subject->result;
    return subject->code;
}

static void destroy_subject(void *argument)
{
    struct subject *subject = argument;
    atomic_fetch_add(&subject->destroyed, 1);
}

gp_callable callable_of(struct subject *subject)
{
    return (gp_callable){.call = call_subject, .argument = subject, .destroy = destroy_subject};
}

gp_task *task_of(struct subject *subject)
{
    gp_callable callable = callable_of(subject);
    gp_task *task = NULL;
    require_ok(gp_task_new(&callable, &task));
    return task;
}

gp_task *delayed_task_of(struct subject *subject, int64_t time, uint64_t sequence)
{
    gp_callable callable = callable_of(subject);
    gp_task *task = NULL;
    require_ok(gp_task_new_delayed(&callable, time, sequence, &task));
    return task;
}

/* Queues, from within. */

struct expectation {
    gp_queue *queue;
    size_t count;
};

size_t waiting_takers(gp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    size_t count = atomic_load(&queue->takers);
    pthread_mutex_unlock(&queue->lock);
    return count;
}

static bool has_takers(void *argument)
{
    const struct expectation *expected = argument;
    return waiting_takers(expected->queue) == expected->count;
}

bool await_takers(gp_queue *queue, size_t count)
{
    return eventually(has_takers, &(struct expectation){queue, count});
}

static bool has_putters(void *argument)
{
    const struct expectation *expected = argument;
    return atomic_load(&expected->queue->putters) == expected->count;
}

bool await_putters(gp_queue *queue, size_t count)
{
    return eventually(has_putters, &(struct expectation){queue, count});
}

/* Randomness that repeats. */

uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint64_t random_below(uint64_t *state, uint64_t limit)
{
    return random_next(state) % limit;
}
