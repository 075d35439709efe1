/*
 * What one task must not do to the next: tasks that end their thread, cancels and interrupts that
 * were meant for others.
 */
#include <sched.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"

/* Abrupt exit. */

static void cancel_own_thread(struct job *job)
{
    (void)job;
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static void check_abrupt_exit(void (*action)(struct job *))
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job leaving;
    struct job next;
    job_init_acting(&leaving, action, pool);
    job_init(&next);
    gp_future *future = job_submit(pool, &leaving);
    check_status(gp_future_get(future, NULL), GP_EFAILED);
    check_int(future_failure_code(future), GP_EABRUPT);
    gp_future_release(future);
    check(await_idle(pool, 1)); /* its replacement */
    check_int(pool_size(pool), 1);
    check_int(pool_completed(pool), 1);
    job_run(pool, &next);
    check(strcmp(next.name, leaving.name) != 0);
    pool_end(pool);
    check_int(leaving.subject.destroyed, 1);
}

static void a_task_that_exits_its_thread_fails_and_its_worker_is_replaced(void)
{
    check_abrupt_exit(leave_by_exit);
}

static void a_task_that_is_cancelled_by_pthread_cancel_fails_likewise(void)
{
    check_abrupt_exit(cancel_own_thread);
}

static void wait_to_be_cancelled(struct job *job)
{
    (void)job;
    for (;;) {
        pthread_testcancel();
        sched_yield();
    }
}

static void a_cancel_from_outside_ends_the_task_at_its_cancellation_point(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, wait_to_be_cancelled, pool);
    gp_future *future = job_submit(pool, &job);
    latch_await(&job.begun);
    check_int(pthread_cancel(job.thread), 0);
    check_status(gp_future_get(future, NULL), GP_EFAILED);
    check_int(future_failure_code(future), GP_EABRUPT);
    gp_future_release(future);
    pool_end(pool);
}

static void tasks_queued_behind_an_abrupt_exit_are_run(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job leaving[5];
    struct subject subject = {0};
    for (int i = 0; i < 5; i++) {
        job_init_acting(&leaving[i], leave_by_exit, pool);
        job_execute(pool, &leaving[i]); /* without a future */
        check_status(gp_pool_execute_task(pool, task_of(&subject)), GP_OK);
    }
    check(await_completed(pool, 10));
    pool_end(pool);
    check_int(subject.runs, 5);
    for (int i = 0; i < 5; i++)
        check_int(leaving[i].subject.destroyed, 1);
}

/* [WORKER-5] Beyond the core, too: what is queued would otherwise wait for the one that is busy. */
static void a_worker_beyond_the_core_is_replaced_after_an_abrupt_exit(void)
{
    gp_pool *pool = pool_with(1, 2, linked_of(1));
    struct job holding;
    struct job queued;
    struct job leaving;
    job_init_holding(&holding);
    job_init(&queued);
    job_init_acting(&leaving, leave_by_exit, pool);
    job_execute(pool, &holding);
    gp_future *future = job_submit(pool, &queued);
    job_execute(pool, &leaving); /* there is no more room: the first task of a second worker */
    check(future_is_done_soon(future));
    job_let_go(&holding);
    future_end(future, GP_OK);
    pool_end(pool);
}

static void a_pool_ends_although_its_last_task_exits_abruptly(void)
{
    for (int stop = 0; stop < 2; stop++) {
        gp_pool *pool = pool_with(1, 1, NULL);
        struct job job;
        job_init_holding(&job);
        job.action = leave_by_exit;
        job_execute(pool, &job);
        latch_await(&job.begun);
        if (stop)
            gp_pool_shutdown_now(pool, NULL);
        else
            gp_pool_shutdown(pool);
        job_let_go(&job);
        pool_end(pool);
        check_int(job.subject.destroyed, 1);
    }
}

static void a_failing_task_leaves_its_worker_alive_and_is_counted(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job failing;
    struct job next;
    job_init(&failing);
    job_init(&next);
    failing.subject.code = 7;
    gp_future *future = job_submit(pool, &failing);
    check_status(gp_future_get(future, NULL), GP_EFAILED);
    check_int(future_failure_code(future), 7);
    gp_future_release(future);
    job_run(pool, &next);
    check(next.record == failing.record);
    check(await_completed(pool, 2));
    pool_end(pool);
}

/* What must not leak from one task into the next. */

static void leave_cancel_pending(struct job *job)
{
    (void)job;
    pthread_cancel(pthread_self());
}

static void test_cancel(struct job *job)
{
    pthread_testcancel();
    job->status = 1;
}

static void a_pending_cancel_does_not_reach_the_next_task(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job victim;
    struct job next;
    job_init_acting(&victim, leave_cancel_pending, pool);
    job_init_acting(&next, test_cancel, pool);
    gp_future *first = job_submit(pool, &victim);
    gp_future *second = job_submit(pool, &next);
    future_end(first, GP_OK); /* it had done its work */
    future_end(second, GP_OK);
    check_int(next.status, 1);
    pool_end(pool);
}

static void interrupt_oneself(struct job *job)
{
    (void)job;
    gp_thread_interrupt(gp_thread_self());
}

static void an_interrupt_left_over_does_not_reach_the_next_task(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job first;
    struct job second;
    job_init_acting(&first, interrupt_oneself, pool);
    job_init(&second);
    gp_future *future = job_submit(pool, &first);
    job_run(pool, &second);
    check(!second.interrupted);
    check(second.record == first.record);
    future_end(future, GP_OK);
    pool_end(pool);
}

static void an_interrupt_of_an_idle_worker_is_harmless(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    job_run(pool, &job);
    check(await_idle(pool, 1));
    gp_thread_interrupt(job.record);
    struct job next;
    job_init(&next);
    job_run(pool, &next);
    check(!next.interrupted);
    check(next.record == job.record);
    pool_end(pool);
}

static void an_idle_interrupt_does_not_hit_a_running_task(void)
{
    gp_pool_config config = config_with(1, 2, NULL);
    struct job job;
    config.keep_alive = GP_SECONDS(3600);
    gp_pool *pool = pool_of(&config);
    job_init_holding(&job);
    gp_future *future = job_submit(pool, &job);
    latch_await(&job.begun);
    check_status(gp_pool_set_keep_alive(pool, 1), GP_OK);
    check_status(gp_pool_set_core_size(pool, 0), GP_OK);
    check_status(gp_pool_set_core_timeout(pool, true), GP_OK);
    gp_pool_shutdown(pool);
    check(!gp_is_interrupted(job.record));
    job_let_go(&job);
    future_end(future, GP_OK);
    check(!job.interrupted);
    pool_end(pool);
}

/* To its own pool it is busy, too (JDK-6576792). */
static void resize_own_pool(struct job *job)
{
    job->status = gp_pool_set_core_size(job->pool, 0);
    job->interrupted = gp_interrupted();
}

static void a_task_that_resizes_its_own_pool_is_not_interrupted(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, resize_own_pool, pool);
    job_run(pool, &job);
    check_status(job.status, GP_OK);
    check(!job.interrupted);
    pool_end(pool);
}

static void a_cancelled_task_leaves_its_worker_fit_for_the_next(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    for (unsigned round = 0; round < scaled(200); round++) {
        struct job victim;
        struct job next;
        job_init(&victim);
        job_init(&next);
        gp_future *future = job_submit(pool, &victim);
        gp_future_cancel(future, true);
        gp_future_release(future);
        job_run(pool, &next);
        check(!next.interrupted);
    }
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(a_task_that_exits_its_thread_fails_and_its_worker_is_replaced),
    TEST(a_task_that_is_cancelled_by_pthread_cancel_fails_likewise),
    TEST(a_cancel_from_outside_ends_the_task_at_its_cancellation_point),
    TEST(tasks_queued_behind_an_abrupt_exit_are_run),
    TEST(a_worker_beyond_the_core_is_replaced_after_an_abrupt_exit),
    TEST(a_pool_ends_although_its_last_task_exits_abruptly),
    TEST(a_failing_task_leaves_its_worker_alive_and_is_counted),
    TEST(a_pending_cancel_does_not_reach_the_next_task),
    TEST(an_interrupt_left_over_does_not_reach_the_next_task),
    TEST(an_interrupt_of_an_idle_worker_is_harmless),
    TEST(an_idle_interrupt_does_not_hit_a_running_task),
    TEST(a_task_that_resizes_its_own_pool_is_not_interrupted),
    TEST(a_cancelled_task_leaves_its_worker_fit_for_the_next),
    END_OF_TESTS,
};

const struct suite pool_isolation_suite = {.name = "pool_isolation", .tests = tests};
