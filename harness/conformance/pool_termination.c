/*
 * The end of a pool: awaiting termination, freeing, closing; and tasks that are given to a pool
 * while it shuts down.
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"

#include "pool_support.h"
#include "suite.h"
#include "support.h"

/* await_termination. */

static void await_termination_gives_up_at_its_deadline_not_before(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    int64_t start = gp_now();
    check_status(gp_pool_await_termination(pool, GP_MILLISECONDS(10)), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(10));
    check_status(gp_pool_await_termination(pool, 0), GP_ETIMEDOUT);
    check_status(gp_pool_await_termination(pool, INT64_MIN), GP_ETIMEDOUT);
    pool_end(pool);
}

struct awaiting {
    gp_pool *pool;
    int (*await)(gp_pool *, int64_t);
    int status;
};

static void run_awaiting(void *argument)
{
    struct awaiting *awaiting = argument;
    awaiting->status = awaiting->await(awaiting->pool, GP_FOREVER);
}

static void await_termination_can_be_interrupted(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct awaiting awaiting = {.pool = pool, .await = gp_pool_await_termination};
    struct helper helper;
    helper_start(&helper, run_awaiting, &awaiting);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(awaiting.status, GP_EINTERRUPTED);
    check(!gp_pool_is_shutdown(pool));
    pool_end(pool);
}

/* More than are told of something on the way to the end: each worker's leaving, and the state. */
enum {
    MANY = 12
};

static void all_who_await_termination_learn_of_it(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    struct awaiting awaiting[MANY];
    struct helper helpers[MANY];
    gp_pool_prestart_all_core(pool);
    for (int i = 0; i < MANY; i++) {
        awaiting[i] = (struct awaiting){.pool = pool, .await = gp_pool_await_termination};
        helper_start(&helpers[i], run_awaiting, &awaiting[i]);
        helper_await_asleep(&helpers[i]);
    }
    check_status(gp_pool_free(pool), GP_EBUSY);
    gp_pool_shutdown(pool);
    for (int i = 0; i < MANY; i++) {
        helper_join(&helpers[i]);
        check_status(awaiting[i].status, GP_OK);
    }
    pool_end(pool);
}

static void await_own_end(struct job *job)
{
    int (*await)(gp_pool *, int64_t) = gp_pool_await_termination;
    job->status = await(job->pool, GP_FOREVER);
}

static void a_worker_cannot_await_the_end_of_its_own_pool(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, await_own_end, pool);
    job_run(pool, &job);
    check_status(job.status, GP_EDEADLK);
    pool_end(pool);
}

static void a_worker_may_await_the_end_of_another_pool(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    gp_pool *other = pool_with(1, 1, NULL);
    struct job job;
    gp_pool_prestart_core(other);
    gp_pool_shutdown(other);
    job_init_acting(&job, await_own_end, other);
    job_run(pool, &job);
    check_status(job.status, GP_OK);
    pool_end(other);
    pool_end(pool);
}

static void await_termination_joins_every_thread(void)
{
    for (unsigned round = 0; round < scaled(60); round++) {
        gp_pool *pool = pool_with(0, 4, synchronous());
        struct job jobs[4];
        for (int i = 0; i < 4; i++) {
            job_init_holding(&jobs[i]);
            job_execute(pool, &jobs[i]);
        }
        for (int i = 0; i < 4; i++)
            job_let_go(&jobs[i]);
        gp_pool_shutdown(pool);
        check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
        check_int(pool->unjoined, 0);
        check(pool->workers == NULL && pool->departed == NULL);
        check_status(gp_pool_free(pool), GP_OK);
    }
}

static void a_pool_is_not_freed_under_those_who_wait(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct awaiting awaiting[2] = {{.pool = pool, .await = gp_pool_await_quiescence},
                                   {.pool = pool, .await = gp_pool_await_termination}};
    struct helper helpers[2];
    struct job job;
    job_init_holding(&job);
    job_execute(pool, &job);
    latch_await(&job.begun);
    for (int i = 0; i < 2; i++) {
        helper_start(&helpers[i], run_awaiting, &awaiting[i]);
        helper_await_asleep(&helpers[i]);
    }
    check_status(gp_pool_free(pool), GP_EBUSY);
    gp_pool_shutdown(pool);
    job_let_go(&job);
    for (int i = 0; i < 2; i++) {
        helper_join(&helpers[i]);
        check_status(awaiting[i].status, GP_OK);
    }
    pool_end(pool);
}

/* Freeing and closing. */

static void freeing_a_pool_that_runs_is_refused(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    check_status(gp_pool_free(pool), GP_EBUSY);
    job_init_holding(&job);
    job_execute(pool, &job);
    latch_await(&job.begun);
    check_status(gp_pool_free(pool), GP_EBUSY);
    gp_pool_shutdown(pool);
    check_status(gp_pool_free(pool), GP_EBUSY);
    job_let_go(&job);
    pool_end(pool);
    check_status(gp_pool_free(NULL), GP_OK);
}

static void free_own_pool(struct job *job)
{
    job->status = gp_pool_free(job->pool);
}

static void close_own_pool(struct job *job)
{
    job->status = gp_pool_close(job->pool);
}

static void a_task_cannot_free_or_close_its_own_pool(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, free_own_pool, pool);
    job_run(pool, &job);
    check_status(job.status, GP_EDEADLK);
    job_init_acting(&job, close_own_pool, pool);
    job_run(pool, &job);
    check_status(job.status, GP_EDEADLK);
    check(!gp_pool_is_shutdown(pool));
    pool_end(pool);
}

static bool is_watched(void *argument)
{
    gp_pool *pool = argument;
    pthread_mutex_lock(&pool->main_lock);
    bool watched = pool->watchers > 0;
    pthread_mutex_unlock(&pool->main_lock);
    return watched;
}

/* [LIFE-4] It was asked before, and is kept waiting by the queue's lock. */
static void freeing_a_pool_is_refused_while_another_asks_something_of_it(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct awaiting awaiting = {.pool = pool, .await = gp_pool_await_quiescence};
    struct helper helper;
    gp_pool_shutdown(pool);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    pthread_mutex_lock(&pool->queue->lock);
    helper_start(&helper, run_awaiting, &awaiting);
    check(eventually(is_watched, pool));
    check_status(gp_pool_free(pool), GP_EBUSY);
    pthread_mutex_unlock(&pool->queue->lock);
    helper_join(&helper);
    check_status(awaiting.status, GP_OK);
    check_status(gp_pool_free(pool), GP_OK);
}

static bool is_terminated(void *argument)
{
    return gp_pool_is_terminated(argument);
}

static void a_terminated_pool_is_freed_without_being_awaited(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    job_run(pool, &job);
    gp_pool_shutdown(pool);
    check(eventually(is_terminated, pool));
    int status = GP_EBUSY; /* the last worker may still be on its way into `departed` */
    for (int64_t start = gp_now(); status == GP_EBUSY && gp_now() - start < long_enough();)
        status = gp_pool_free(pool);
    check_status(status, GP_OK);
}

static void close_waits_for_all_tasks(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    struct subject subject = {0};
    for (int i = 0; i < 50; i++)
        check_status(gp_pool_execute_task(pool, task_of(&subject)), GP_OK);
    check_status(gp_pool_close(pool), GP_OK);
    check_int(subject.runs, 50);
    check_int(subject.destroyed, 50);
    check_status(gp_pool_close(NULL), GP_OK);
}

static int close_for(gp_pool *pool, int64_t nanos)
{
    (void)nanos;
    return gp_pool_close(pool);
}

static void an_interrupted_close_leaves_a_pool_that_is_shut_down(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct awaiting awaiting = {.pool = pool, .await = close_for};
    struct helper helper;
    struct job job;
    job_init_holding(&job);
    job_execute(pool, &job);
    latch_await(&job.begun);
    helper_start(&helper, run_awaiting, &awaiting);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(awaiting.status, GP_EINTERRUPTED);
    check(gp_pool_is_shutdown(pool));
    check(!gp_pool_is_terminated(pool));
    job_let_go(&job);
    pool_end(pool);
    check(!job.interrupted);
}

/* [POOL-1]: tasks given to a pool while it shuts down. */

#define TASKS_PER_RACE 6

struct race {
    gp_pool *pool;
    struct gate start;
    struct subject subject;
    int given;
    int accepted;
    gp_future *futures[TASKS_PER_RACE];
};

static void submit_until_refused(void *argument)
{
    struct race *race = argument;
    gp_callable callable = callable_of(&race->subject);
    int status = GP_OK;
    gate_pass(&race->start);
    while (status == GP_OK && race->given < TASKS_PER_RACE) {
        status = gp_pool_submit(race->pool, &callable, &race->futures[race->given]);
        race->given++;
        if (status == GP_OK)
            race->accepted++;
    }
}

static void spin(uint64_t rounds)
{
    for (volatile uint64_t i = 0; i < rounds; i++)
        continue;
}

/* False: something was stranded. */
static bool race_end(struct race *race, bool stopped)
{
    bool all_done = true;
    for (int i = 0; i < race->accepted; i++) {
        int status = gp_future_get_timed(race->futures[i], long_enough(), NULL);
        all_done = all_done && (status == GP_OK || (stopped && status == GP_ECANCELLED));
        gp_future_release(race->futures[i]);
    }
    check(all_done);
    int status = gp_pool_await_termination(race->pool, long_enough());
    check_status(status, GP_OK);
    check_int(pool_queued(race->pool), 0);
    check_int(gp_pool_check(race->pool), 0);
    pool_end_now(race->pool);
    check_int(race->subject.destroyed, race->given);
    return all_done && status == GP_OK;
}

static bool race_shutdown(gp_pool *pool, uint64_t delay, bool stop)
{
    struct race race = {.pool = pool};
    struct helper submitter;
    gate_init(&race.start);
    helper_start(&submitter, submit_until_refused, &race);
    gate_open(&race.start, 1);
    spin(delay);
    if (stop)
        gp_pool_shutdown_now(pool, NULL);
    else
        gp_pool_shutdown(pool);
    helper_join(&submitter);
    return race_end(&race, stop);
}

static void a_task_accepted_while_the_pool_shuts_down_is_never_stranded(void)
{
    uint64_t random = 97;
    bool sound = true;
    for (unsigned round = 0; round < scaled(2000) && sound; round++) {
        int core_size = (int)(round % 3);
        gp_pool *pool = pool_with(core_size, 2, NULL);
        if (round % 2 == 0)
            gp_pool_prestart_all_core(pool);
        sound = race_shutdown(pool, random_below(&random, 30000), round % 5 == 4);
    }
}

/*
 * A task that is offered while the pool is shut down is taken back by its submitter. A worker may
 * have seen it in the queue meanwhile, and may have gone to wait for more: it has to be told.
 */

static gp_pool *pool_with_array(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_array_new(4, &queue));
    gp_pool *pool = pool_with(1, 1, queue);
    check_status(gp_pool_prestart_core(pool), GP_OK);
    check(await_idle(pool, 1));
    return pool;
}

static bool submit_past_shutdown(void)
{
    gp_pool *pool = pool_with_array();
    struct race race = {.pool = pool, .given = TASKS_PER_RACE - 1};
    struct helper submitter;
    gate_init(&race.start);
    gate_open(&race.start, 1);
    gp_thread *worker = only_worker(pool);
    pthread_mutex_lock(&pool->queue->lock);
    gp_thread_interrupt(worker);
    helper_start(&submitter, submit_until_refused, &race);
    helper_await_asleep(&submitter); /* it has seen a pool that runs */
    shutdown_takes_effect(pool);
    pthread_mutex_unlock(&pool->queue->lock);
    helper_join(&submitter);
    int status = gp_pool_await_termination(pool, long_enough());
    check_status(status, GP_OK);
    gp_future_release(race.futures[TASKS_PER_RACE - 1]);
    pool_end_now(pool);
    check_int(race.subject.destroyed, 1);
    return status == GP_OK;
}

static void a_task_taken_back_at_shutdown_leaves_no_worker_waiting(void)
{
    bool sound = true;
    for (unsigned round = 0; round < scaled(400) && sound; round++)
        sound = submit_past_shutdown();
}

static const struct test tests[] = {
    TEST(await_termination_gives_up_at_its_deadline_not_before),
    TEST(await_termination_can_be_interrupted),
    TEST(all_who_await_termination_learn_of_it),
    TEST(a_worker_cannot_await_the_end_of_its_own_pool),
    TEST(a_worker_may_await_the_end_of_another_pool),
    TEST(await_termination_joins_every_thread),
    TEST(a_pool_is_not_freed_under_those_who_wait),
    TEST(freeing_a_pool_that_runs_is_refused),
    TEST(a_task_cannot_free_or_close_its_own_pool),
    TEST(freeing_a_pool_is_refused_while_another_asks_something_of_it),
    TEST(a_terminated_pool_is_freed_without_being_awaited),
    TEST(close_waits_for_all_tasks),
    TEST(an_interrupted_close_leaves_a_pool_that_is_shut_down),
    TEST(a_task_accepted_while_the_pool_shuts_down_is_never_stranded),
    TEST(a_task_taken_back_at_shutdown_leaves_no_worker_waiting),
    END_OF_TESTS,
};

const struct suite pool_termination_suite = {.name = "pool_termination", .tests = tests};
