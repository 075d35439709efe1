/*
 * Submitting: futures for tasks, and taking tasks out of the queue again (remove, purge).
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "pool_support.h"
#include "suite.h"
#include "support.h"

/* submit. */

static void submit_gives_a_future_with_the_result(void)
{
    static int answer;
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    void *result = NULL;
    job_init(&job);
    job.subject.result = &answer;
    gp_future *future = job_submit(pool, &job);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    gp_future_release(future);
    pool_end(pool);
    check_int(job.subject.destroyed, 1);
}

static void submit_of_a_plain_function_gives_the_result_that_came_with_it(void)
{
    static int answer;
    gp_pool *pool = pool_with(1, 1, NULL);
    gp_callable callable = gp_callable_of(run_nothing, NULL, &answer);
    gp_future *future = NULL;
    void *result = NULL;
    check_status(gp_pool_submit(pool, &callable, &future), GP_OK);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    gp_future_release(future);
    pool_end(pool);
}

static void submit_without_a_handle_runs_the_task(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    check_status(gp_pool_submit(pool, &callable, NULL), GP_OK);
    pool_end(pool);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
}

static void submit_refuses_what_makes_no_sense_and_keeps_its_hands_off(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    gp_callable good = job_callable(&job);
    gp_callable neither = {.argument = &job.subject, .destroy = good.destroy};
    gp_callable both = good;
    gp_future *future = NULL;
    both.run = run_nothing;
    check_status(gp_pool_submit(NULL, &good, &future), GP_EINVAL);
    check_status(gp_pool_submit(pool, NULL, &future), GP_EINVAL);
    check_status(gp_pool_submit(pool, &neither, &future), GP_EINVAL);
    check_status(gp_pool_submit(pool, &both, &future), GP_EINVAL);
    check(future == NULL);
    check_int(job.subject.destroyed, 0);
    pool_end(pool);
}

static void a_future_outlives_its_pool(void)
{
    static int answer;
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    void *result = NULL;
    job_init(&job);
    job.subject.result = &answer;
    gp_future *future = job_submit(pool, &job);
    pool_end(pool);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    check(!gp_future_cancel(future, true));
    gp_future_release(future);
}

static void get_own_future(struct job *job)
{
    job->status = gp_future_get(*(gp_future **)job->context, NULL);
}

static void a_task_that_waits_for_itself_is_told(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    gp_future *future = NULL;
    struct job job;
    job_init_holding(&job);
    job.action = get_own_future;
    job.context = &future;
    future = job_submit(pool, &job);
    job_let_go(&job);
    future_end(future, GP_OK);
    check_status(job.status, GP_EDEADLK);
    pool_end(pool);
}

static void a_task_cancelled_in_the_queue_is_not_run(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    check(gp_future_cancel(saturated.queued_future, true));
    check_int(pool_queued(saturated.pool), 1); /* until a worker comes to it */
    saturated_end(&saturated);
    check_int(saturated.queued.subject.runs, 0);
}

static void cancelling_a_running_task_interrupts_it(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, sleep_until_interrupted, pool);
    gp_future *future = job_submit(pool, &job);
    latch_await(&job.begun);
    check(gp_future_cancel(future, true));
    future_end(future, GP_ECANCELLED);
    pool_end(pool);
    check_status(job.status, GP_EINTERRUPTED);
    check_int(job.subject.destroyed, 1);
}

/* remove. */

static void remove_takes_a_task_out_of_the_queue_and_cancels_it(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    check(gp_pool_remove(saturated.pool, saturated.queued_future));
    check_int(pool_queued(saturated.pool), 0);
    check_status(gp_future_get(saturated.queued_future, NULL), GP_ECANCELLED);
    check_int(saturated.queued.subject.destroyed, 1);
    check(!gp_pool_remove(saturated.pool, saturated.queued_future));
    saturated_end(&saturated);
    check_int(saturated.queued.subject.runs, 0);
}

static void remove_leaves_alone_what_is_running_or_done(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    check(!gp_pool_remove(saturated.pool, saturated.running_future));
    check(!gp_future_is_done(saturated.running_future));
    job_let_go(&saturated.running);
    check(future_is_done_soon(saturated.queued_future));
    check(!gp_pool_remove(saturated.pool, saturated.queued_future));
    saturated_end(&saturated);
}

/* The last worker has left the queue to one task; without it there is nothing to wait for. */
static void remove_of_the_last_task_lets_a_pool_that_shuts_down_terminate(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    gp_pool_shutdown(saturated.pool);
    check(gp_pool_remove(saturated.pool, saturated.queued_future));
    job_let_go(&saturated.running);
    check_status(gp_pool_await_termination(saturated.pool, long_enough()), GP_OK);
    saturated_end(&saturated);
}

/* purge. */

static void purge_takes_out_cancelled_futures_and_nothing_else(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job running;
    struct job jobs[4];
    gp_future *futures[4];
    job_init_holding(&running);
    job_execute(pool, &running);
    latch_await(&running.begun);
    for (int i = 0; i < 4; i++) {
        job_init(&jobs[i]);
        futures[i] = job_submit(pool, &jobs[i]);
    }
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_OK); /* no future at all */
    check(gp_future_cancel(futures[1], false));
    check(gp_future_cancel(futures[3], true));
    gp_pool_purge(pool);
    check_int(pool_queued(pool), 3);
    check_int(jobs[1].subject.destroyed, 1);
    check_int(jobs[3].subject.destroyed, 1);
    gp_pool_purge(pool);
    check_int(pool_queued(pool), 3);
    job_let_go(&running);
    pool_end(pool);
    for (int i = 0; i < 4; i++) {
        future_end(futures[i], i % 2 == 0 ? GP_OK : GP_ECANCELLED);
        check_int(jobs[i].subject.runs, i % 2 == 0 ? 1 : 0);
        check_int(jobs[i].subject.destroyed, 1);
    }
}

/* A task that was submitted, cancelled and purged, whichever came first, is destroyed once. */
static void cancel_and_purge_race_the_worker(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    int count = (int)scaled(2000);
    for (int i = 0; i < count; i++) {
        gp_future *future = NULL;
        check_status(gp_pool_submit(pool, &callable, &future), GP_OK);
        gp_future_cancel(future, false);
        if (i % 3 == 0)
            gp_pool_purge(pool);
        else if (i % 3 == 1)
            gp_pool_remove(pool, future);
        gp_future_release(future);
    }
    pool_end(pool);
    check_int(subject.destroyed, count);
}

static const struct test tests[] = {
    TEST(submit_gives_a_future_with_the_result),
    TEST(submit_of_a_plain_function_gives_the_result_that_came_with_it),
    TEST(submit_without_a_handle_runs_the_task),
    TEST(submit_refuses_what_makes_no_sense_and_keeps_its_hands_off),
    TEST(a_future_outlives_its_pool),
    TEST(a_task_that_waits_for_itself_is_told),
    TEST(a_task_cancelled_in_the_queue_is_not_run),
    TEST(cancelling_a_running_task_interrupts_it),
    TEST(remove_takes_a_task_out_of_the_queue_and_cancels_it),
    TEST(remove_leaves_alone_what_is_running_or_done),
    TEST(remove_of_the_last_task_lets_a_pool_that_shuts_down_terminate),
    TEST(purge_takes_out_cancelled_futures_and_nothing_else),
    TEST(cancel_and_purge_race_the_worker),
    END_OF_TESTS,
};

const struct suite pool_submit_suite = {.name = "pool_submit", .tests = tests};
