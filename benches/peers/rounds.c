/* Time, counting and executing: the first half of contender.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "contender.h"

#define SECOND         INT64_C(1000000000)
#define POLL_NANOS     INT64_C(100000)
#define PATIENCE_NANOS (3 * SECOND)

/* Time. */

int64_t nanos_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

void sleep_nanos(int64_t nanos)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(nanos / SECOND), .tv_nsec = nanos % SECOND},
              NULL);
}

void set_timer_slack(void)
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

/* Counting. A tally is never freed: its thread may be gone, its runs have been. */

struct tally {
    _Alignas(64) _Atomic long runs; /* written by its thread alone */
    struct tally *next;
};

static struct tally *_Atomic tallies;
static _Thread_local struct tally *own_tally;

static struct tally *make_own_tally(void)
{
    struct tally *tally = aligned_alloc(64, sizeof(*tally));

    if (!tally)
        abort();
    atomic_init(&tally->runs, 0);
    tally->next = atomic_load(&tallies);
    while (!atomic_compare_exchange_weak(&tallies, &tally->next, tally))
        ;
    own_tally = tally;
    return tally;
}

void count_run(void)
{
    struct tally *tally = own_tally ? own_tally : make_own_tally();
    long runs = atomic_load_explicit(&tally->runs, memory_order_relaxed);

    atomic_store_explicit(&tally->runs, runs + 1, memory_order_release); /* with sum_of_tallies */
}

void count_run_of(void *unused)
{
    (void)unused;
    count_run();
}

long sum_of_tallies(void)
{
    long sum = 0;

    for (struct tally *tally = atomic_load(&tallies); tally; tally = tally->next)
        sum += atomic_load_explicit(&tally->runs, memory_order_acquire);
    return sum;
}

long await_runs(long from, long count)
{
    long seen = sum_of_tallies() - from;
    int64_t grown = nanos_now();

    while (seen < count && nanos_now() - grown < PATIENCE_NANOS) {
        sleep_nanos(POLL_NANOS);
        long now = sum_of_tallies() - from;
        if (now != seen)
            grown = nanos_now();
        seen = now;
    }
    return seen;
}

/* Executing. */

struct producer {
    const struct executor *executor;
    void *pool;
    pthread_barrier_t *start;
    long count;
    bool failed;
    pthread_t thread;
};

static void *produce(void *argument)
{
    struct producer *producer = argument;

    pthread_barrier_wait(producer->start);
    producer->failed = !producer->executor->produce(producer->pool, producer->count);
    return NULL;
}

static void start_producer(struct producer *producer)
{
    if (pthread_create(&producer->thread, NULL, produce, producer) != 0)
        abort();
}

static bool run_producers(const struct executor *executor, void *pool,
                          const struct request *request, int64_t *started)
{
    struct producer producers[THREADS_MAX];
    pthread_barrier_t start;
    long each = request->count / request->producers;
    long left = request->count % request->producers;
    bool failed = false;

    pthread_barrier_init(&start, NULL, (unsigned)request->producers + 1);
    for (long i = 0; i < request->producers; i++) {
        producers[i] = (struct producer){executor, pool, &start, each + (i < left), false, 0};
        start_producer(&producers[i]);
    }
    *started = nanos_now();
    pthread_barrier_wait(&start);
    for (long i = 0; i < request->producers; i++) {
        pthread_join(producers[i].thread, NULL);
        failed = failed || producers[i].failed;
    }
    pthread_barrier_destroy(&start);
    return !failed;
}

void execute_round(const struct executor *executor, const struct request *request,
                   struct answer *answer)
{
    void *pool = executor->open(request->workers);
    long from = sum_of_tallies();
    int64_t started;

    if (!pool) {
        answer->error = "cannot make the pool";
        return;
    }
    if (!run_producers(executor, pool, request, &started))
        answer->error = "a task was refused";
    answer->done = await_runs(from, request->count);
    add_figure(answer, "nanos", (double)(nanos_now() - started));
    executor->close(pool);
}
