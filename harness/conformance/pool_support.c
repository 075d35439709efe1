/* Support for the suites of the pools: see pool_support.h. */
#include "pool_support.h"

#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "pool/worker.h"
#include "suite.h"

#define LONG_SECONDS      20
#define LONG_SECONDS_SLOW 200

/* Jobs. */

static void note_thread(struct job *job)
{
    if (job->subject.runs > 1)
        return;
    job->thread = pthread_self();
    job->id = thread_id();
    job->record = gp_thread_self();
    strncpy(job->name, gp_thread_name(job->record), sizeof job->name - 1);
}

static void inside_job(struct subject *subject)
{
    struct job *job = subject->context;
    job->began_at = gp_now();
    note_thread(job);
    latch_count_down(&job->begun);
    if (job->holds)
        gate_pass(&job->go_on);
    job->interrupted = gp_is_interrupted(gp_thread_self());
    if (job->action != NULL)
        job->action(job);
    job->ended_at = gp_now();
}

void job_init(struct job *job)
{
    *job = (struct job){.subject = {.inside = inside_job, .context = job}};
    latch_init(&job->begun, 1);
    gate_init(&job->go_on);
}

void job_init_holding(struct job *job)
{
    job_init(job);
    job->holds = true;
}

void job_init_acting(struct job *job, void (*action)(struct job *), gp_pool *pool)
{
    job_init(job);
    job->action = action;
    job->pool = pool;
}

void job_let_go(struct job *job)
{
    gate_open(&job->go_on, 1);
}

gp_callable job_callable(struct job *job)
{
    return callable_of(&job->subject);
}

gp_task *job_task(struct job *job)
{
    return task_of(&job->subject);
}

gp_future *job_submit(gp_pool *pool, struct job *job)
{
    gp_callable callable = job_callable(job);
    gp_future *future = NULL;
    require_ok(gp_pool_submit(pool, &callable, &future));
    return future;
}

void job_execute(gp_pool *pool, struct job *job)
{
    require_ok(gp_pool_execute_task(pool, job_task(job)));
}

static bool is_destroyed(void *argument)
{
    const struct job *job = argument;
    return job->subject.destroyed > 0;
}

void job_await_end(struct job *job)
{
    check(eventually(is_destroyed, job));
}

void job_run(gp_pool *pool, struct job *job)
{
    future_end(job_submit(pool, job), GP_OK);
    job_await_end(job);
}

void future_end(gp_future *future, int expected)
{
    check_status(gp_future_get_timed(future, long_enough(), NULL), expected);
    gp_future_release(future);
}

int future_failure_code(gp_future *future)
{
    gp_failure failure = {0};
    gp_future_failure(future, &failure);
    return failure.code;
}

void leave_by_exit(struct job *job)
{
    (void)job;
    pthread_exit(NULL);
}

void sleep_until_interrupted(struct job *job)
{
    job->status = gp_sleep(GP_SECONDS(3600));
}

void run_nothing(void *unused)
{
    (void)unused;
}

int64_t long_enough(void)
{
    return GP_SECONDS(is_slow() ? LONG_SECONDS_SLOW : LONG_SECONDS);
}

bool future_is_done_soon(gp_future *future)
{
    return gp_future_get_timed(future, long_enough(), NULL) != GP_ETIMEDOUT;
}

/* Pools. */

gp_pool *pool_of(const gp_pool_config *config)
{
    gp_pool *pool = NULL;
    require_ok(gp_pool_new(config, &pool));
    return pool;
}

gp_pool_config config_with(int core_size, int maximum_size, gp_queue *queue)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    config.core_size = core_size;
    config.maximum_size = maximum_size;
    config.queue = queue;
    return config;
}

gp_pool *pool_with(int core_size, int maximum_size, gp_queue *queue)
{
    gp_pool_config config = config_with(core_size, maximum_size, queue);
    return pool_of(&config);
}

gp_queue *linked_of(size_t capacity)
{
    gp_queue *queue = NULL;
    require_ok(gp_linked_new(capacity, &queue));
    return queue;
}

gp_queue *synchronous(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_synchronous_new(&queue));
    return queue;
}

void pool_end(gp_pool *pool)
{
    check_int(gp_pool_check(pool), 0);
    gp_pool_shutdown(pool);
    int status = gp_pool_await_termination(pool, long_enough());
    check_status(status, GP_OK);
    if (status != GP_OK)
        gp_pool_shutdown_now(pool, NULL);
    check_status(gp_pool_close(pool), GP_OK);
}

void pool_end_now(gp_pool *pool)
{
    gp_pool_shutdown_now(pool, NULL);
    pool_end(pool);
}

int pool_size(gp_pool *pool)
{
    gp_pool_stats stats;
    gp_pool_statistics(pool, &stats);
    return stats.pool_size;
}

size_t pool_queued(gp_pool *pool)
{
    return gp_queue_size(pool->queue);
}

uint64_t pool_completed(gp_pool *pool)
{
    gp_pool_stats stats;
    gp_pool_statistics(pool, &stats);
    return stats.completed;
}

struct expected {
    gp_pool *pool;
    uint64_t count;
};

static bool has_size(void *argument)
{
    const struct expected *expected = argument;
    return (uint64_t)pool_size(expected->pool) == expected->count;
}

static bool has_queued(void *argument)
{
    const struct expected *expected = argument;
    return pool_queued(expected->pool) == expected->count;
}

static bool has_completed(void *argument)
{
    const struct expected *expected = argument;
    return pool_completed(expected->pool) == expected->count;
}

bool await_pool_size(gp_pool *pool, int count)
{
    return eventually(has_size, &(struct expected){pool, (uint64_t)count});
}

bool await_idle(gp_pool *pool, size_t count)
{
    return await_takers(pool->queue, count);
}

bool await_queued(gp_pool *pool, size_t count)
{
    return eventually(has_queued, &(struct expected){pool, count});
}

bool await_completed(gp_pool *pool, uint64_t count)
{
    return eventually(has_completed, &(struct expected){pool, count});
}

gp_thread *only_worker(gp_pool *pool)
{
    pthread_mutex_lock(&pool->main_lock);
    gp_thread *thread = pool->workers->thread;
    pthread_mutex_unlock(&pool->main_lock);
    return thread;
}

void shutdown_takes_effect(gp_pool *pool)
{
    int count = gp__worker_count_of(gp__pool_load_ctl(pool));
    atomic_store(&pool->ctl, gp__ctl_of(GP__SHUTDOWN, count));
}

/* Saturation. */

void saturate(struct saturated *saturated, gp_rejection rejection)
{
    gp_pool_config config = config_with(1, 1, linked_of(1));
    config.rejection = rejection;
    saturated->pool = pool_of(&config);
    job_init_holding(&saturated->running);
    job_init(&saturated->queued);
    saturated->running_future = job_submit(saturated->pool, &saturated->running);
    latch_await(&saturated->running.begun);
    saturated->queued_future = job_submit(saturated->pool, &saturated->queued);
}

void saturated_end(struct saturated *saturated)
{
    job_let_go(&saturated->running);
    pool_end(saturated->pool);
    check(gp_future_is_done(saturated->running_future));
    check(gp_future_is_done(saturated->queued_future));
    gp_future_release(saturated->running_future);
    gp_future_release(saturated->queued_future);
    check_int(saturated->running.subject.destroyed, 1);
    check_int(saturated->queued.subject.destroyed, 1);
}

/* Scheduled pools. */

static gp_kind kind; /* set before each test of a suite that cares */

void scheduled_on_heap(void)
{
    kind = GP_REFERENCE;
}

void scheduled_on_lane(void)
{
    kind = GP_FAST;
}

gp_scheduled *scheduled_of(const gp_scheduled_config *config)
{
    gp_scheduled *scheduled = NULL;
    gp_scheduled_config own = *config;
    if (own.kind == GP_REFERENCE)
        own.kind = kind;
    require_ok(gp_scheduled_new(&own, &scheduled));
    return scheduled;
}

gp_scheduled *scheduled_with(int core_size)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.core_size = core_size;
    return scheduled_of(&config);
}

gp_future *job_schedule(gp_scheduled *scheduled, struct job *job, int64_t delay)
{
    gp_callable callable = job_callable(job);
    gp_future *future = NULL;
    require_ok(gp_schedule(scheduled, &callable, delay, &future));
    return future;
}

gp_future *job_at_fixed_rate(gp_scheduled *scheduled, struct job *job, int64_t initial_delay,
                             int64_t period)
{
    gp_callable callable = job_callable(job);
    gp_future *future = NULL;
    require_ok(gp_schedule_at_fixed_rate(scheduled, &callable, initial_delay, period, &future));
    return future;
}

gp_future *job_with_fixed_delay(gp_scheduled *scheduled, struct job *job, int64_t initial_delay,
                                int64_t delay)
{
    gp_callable callable = job_callable(job);
    gp_future *future = NULL;
    require_ok(gp_schedule_with_fixed_delay(scheduled, &callable, initial_delay, delay, &future));
    return future;
}

int64_t delay_of(gp_future *future)
{
    int64_t nanos = 0;
    check_status(gp_scheduled_get_delay(future, &nanos), GP_OK);
    return nanos;
}

void scheduled_end(gp_scheduled *scheduled)
{
    pool_end(gp_scheduled_pool(scheduled));
}

void scheduled_end_now(gp_scheduled *scheduled)
{
    pool_end_now(gp_scheduled_pool(scheduled));
}
