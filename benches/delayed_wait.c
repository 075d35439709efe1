/*
 * Waiting at the delayed queue: two questions that the second walkthrough leaves open.
 *
 * How often do workers wake up for one task? Is it worth it that only the leader waits timed?
 *
 *     delayed/wait/leader     gp_queue_take: one leader waits timed, followers until signalled
 *     delayed/wait/everybody  each worker waits timed for the head of a queue under one mutex
 *
 * In both, tasks fall due one after the other, far enough apart that all workers are asleep again.
 * The counter `sleeps` is the number of times per task that some worker gave up its processor to
 * wait, be it for the time, a signal or a lock, as the kernel counts it (voluntary context
 * switches). Each sleep is a wake-up too. `everybody` is built in its own favour: its queue is a
 * sorted array, no signal is ever needed, and the mutex is held for a few instructions.
 *
 * Whom does a signal wake, anybody or the one that has waited longest?
 *
 *     delayed/wait/order      workers line up before an empty queue, then tasks come one by one
 *
 * The counter `in_order` is the share of tasks that went to the worker at the head of the line.
 *
 * The times reported are no figures of merit: they are what the bench sleeps on purpose.
 */

#define _GNU_SOURCE /* RUSAGE_THREAD */

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h> /* getrusage */
#include <time.h>

#include <glasspool/glasspool.h>

#include "gbench.h"

enum {
    TASKS = 200, /* per iteration */
    MAX_WORKERS = 8
};

#define INTERVAL GP_MICROSECONDS(500) /* between two tasks */

static void nothing(void *argument)
{
    (void)argument;
}

static int offer_at(gp_queue *queue, int64_t time, int sequence)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    gp_task *task;
    int status = gp_task_new_delayed(&callable, time, (uint64_t)sequence, &task);

    if (status == GP_OK && (status = gp_queue_offer(queue, task)) != GP_OK)
        gp_task_discard(task);
    return status;
}

static int start(void (*worker)(void *), void *argument, gp_thread **out)
{
    int status = gp_thread_new(NULL, worker, argument, out);

    if (status == GP_OK && (status = gp_thread_start(*out)) != GP_OK)
        gp_thread_release(*out);
    return status;
}

/* Those that still wait are interrupted, and leave. */
static void end(gp_thread *threads[], int count)
{
    for (int i = 0; i < count; i++) {
        gp_thread_interrupt(threads[i]);
        gp_thread_join(threads[i]);
        gp_thread_release(threads[i]);
    }
}

/* How often: a crew of workers and the tasks that they wait for. */

struct crew {
    int64_t times[TASKS];   /* when the tasks are due, ascending */
    gp_queue *queue;        /* leader: the delayed queue */
    pthread_mutex_t lock;   /* everybody: guards `next` */
    pthread_cond_t changed; /* never signalled */
    int next;               /* the first task not taken */
    atomic_int left;        /* tasks not done */
    atomic_long sleeps;     /* of all workers, added up as each ends */
};

static long my_sleeps(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static void leader_worker(void *argument)
{
    struct crew *crew = argument;
    gp_task *task;

    while (gp_queue_take(crew->queue, &task) == GP_OK) {
        gp_task_run(task);
        atomic_fetch_sub(&crew->left, 1);
    }
    atomic_fetch_add(&crew->sleeps, my_sleeps());
}

static bool everybody_take(struct crew *crew)
{
    bool taken = false;

    pthread_mutex_lock(&crew->lock);
    while (!taken && crew->next < TASKS) {
        const int64_t time = crew->times[crew->next];
        if (gp_time_until(time, gp_now()) <= 0) {
            crew->next++;
            taken = true;
        } else {
            const struct timespec until = {.tv_sec = time / GP_SECONDS(1),
                                           .tv_nsec = time % GP_SECONDS(1)};
            pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
        }
    }
    pthread_mutex_unlock(&crew->lock);
    return taken;
}

static void everybody_worker(void *argument)
{
    struct crew *crew = argument;

    while (everybody_take(crew))
        atomic_fetch_sub(&crew->left, 1);
    atomic_fetch_add(&crew->sleeps, my_sleeps());
}

static int crew_init(struct crew *crew)
{
    pthread_condattr_t monotonic;

    *crew = (struct crew){.lock = PTHREAD_MUTEX_INITIALIZER, .left = TASKS};
    if (pthread_condattr_init(&monotonic) != 0)
        return GP_ENOMEM;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(&crew->changed, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return made ? gp_delayed_new(&crew->queue) : GP_ENOMEM;
}

static int crew_fill(struct crew *crew)
{
    const int64_t first = gp_time_after(gp_now(), 10 * INTERVAL);
    int status = GP_OK;

    for (int i = 0; i < TASKS && status == GP_OK; i++) {
        crew->times[i] = gp_time_after(first, i * INTERVAL);
        status = offer_at(crew->queue, crew->times[i], i);
    }
    return status;
}

static int crew_work(struct crew *crew, void (*worker)(void *), int workers)
{
    gp_thread *threads[MAX_WORKERS];
    int started = 0;
    int status = GP_OK;

    while (started < workers && status == GP_OK) {
        status = start(worker, crew, &threads[started]);
        started += status == GP_OK;
    }
    while (status == GP_OK && atomic_load(&crew->left) > 0)
        status = gp_sleep(INTERVAL);
    end(threads, started);
    return status;
}

static void count_sleeps(gb_state *state, void (*worker)(void *))
{
    long sleeps = 0;

    while (gb_keep_running(state)) {
        struct crew crew;
        int status = crew_init(&crew);
        status = status == GP_OK ? crew_fill(&crew) : status;
        status = status == GP_OK ? crew_work(&crew, worker, (int)gb_value(state, 0)) : status;
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        (void)gp_queue_free(crew.queue);
        pthread_cond_destroy(&crew.changed);
        sleeps += atomic_load(&crew.sleeps);
    }
    gb_counter(state, "sleeps", (double)sleeps / TASKS, GB_PER_ITERATION);
}

static void leader(gb_state *state)
{
    count_sleeps(state, leader_worker);
}

static void everybody(gb_state *state)
{
    count_sleeps(state, everybody_worker);
}

/* In which order: a line of workers, each of which takes one task. */

struct line {
    gp_queue *queue;
    atomic_int arrived;       /* numbers the workers */
    atomic_int served;        /* how many have their task */
    int numbers[MAX_WORKERS]; /* who they were, in order; written by one at a time */
};

static void line_worker(void *argument)
{
    struct line *line = argument;
    const int number = atomic_fetch_add(&line->arrived, 1);
    gp_task *task;

    if (gp_queue_take(line->queue, &task) == GP_OK) {
        gp_task_run(task);
        line->numbers[atomic_load(&line->served)] = number;
        atomic_fetch_add(&line->served, 1);
    }
}

/* The next task comes when the one before has been taken. */
static int line_serve(struct line *line, int workers)
{
    int status = GP_OK;

    for (int i = 0; i < workers && status == GP_OK; i++) {
        status = offer_at(line->queue, gp_now(), i);
        while (status == GP_OK && atomic_load(&line->served) == i)
            status = gp_sleep(GP_MICROSECONDS(100));
    }
    return status;
}

static int line_work(struct line *line, int workers)
{
    gp_thread *threads[MAX_WORKERS];
    int started = 0;
    int status = gp_delayed_new(&line->queue);

    while (started < workers && status == GP_OK) {
        status = start(line_worker, line, &threads[started]);
        started += status == GP_OK;
        status = status == GP_OK ? gp_sleep(GP_MILLISECONDS(2)) : status; /* it waits by now */
    }
    status = status == GP_OK ? line_serve(line, workers) : status;
    end(threads, started);
    (void)gp_queue_free(line->queue);
    return status;
}

static void order(gb_state *state)
{
    const int workers = (int)gb_value(state, 0);
    int in_order = 0;

    while (gb_keep_running(state)) {
        struct line line = {0};
        const int status = line_work(&line, workers);
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        for (int i = 0; i < workers; i++)
            in_order += line.numbers[i] == i;
    }
    gb_counter(state, "in_order", (double)in_order / workers, GB_PER_ITERATION);
}

static const gb_bench benches[] = {
    {.name = "delayed/wait/leader",
     .run = leader,
     .arguments = {{.name = "workers", .from = 1, .to = MAX_WORKERS, .times = 2}},
     .clock = GB_REAL_TIME,
     .unit = GB_MILLISECONDS,
     .iterations = 2},
    {.name = "delayed/wait/everybody",
     .run = everybody,
     .arguments = {{.name = "workers", .from = 1, .to = MAX_WORKERS, .times = 2}},
     .clock = GB_REAL_TIME,
     .unit = GB_MILLISECONDS,
     .iterations = 2},
    {.name = "delayed/wait/order",
     .run = order,
     .arguments = {{.name = "workers", .from = MAX_WORKERS}},
     .clock = GB_REAL_TIME,
     .unit = GB_MILLISECONDS,
     .iterations = 10},
};
GB_REGISTER(benches);
