/*
 * The scheduled pool as a pool: execute, submit, invoke, remove, purge, figures, quiescence.
 */
#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

static void execute_and_submit_run_at_once(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job submitted;
    struct job executed;
    job_init(&submitted);
    job_init(&executed);
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_OK);
    job_execute(pool, &executed);
    gp_future *future = job_submit(pool, &submitted);
    check(!gp_scheduled_is_periodic(future));
    check(delay_of(future) <= 0);
    future_end(future, GP_OK);
    scheduled_end(scheduled);
    check_int(executed.subject.runs, 1);
    check_int(executed.subject.destroyed, 1);
    check_int(submitted.subject.destroyed, 1);
}

static void count_run(void *runs)
{
    ++*(int *)runs;
}

static void what_a_stop_hands_back_has_a_future(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    gp_task_list unrun;
    int runs = 0;
    job_init_holding(&job);
    gp_future *future = job_submit(pool, &job);
    latch_await(&job.begun);
    for (int i = 0; i < 2; i++)
        check_status(gp_pool_execute(pool, count_run, &runs), GP_OK);
    gp_pool_shutdown_now(pool, &unrun);
    job_let_go(&job);
    future_end(future, GP_OK);
    scheduled_end(scheduled);
    check_int(unrun.count, 2);
    for (gp_task *task; (task = gp_task_list_pop(&unrun)) != NULL;) {
        gp_future *each = gp_task_future(task);
        require(each != NULL);
        gp_future_retain(each);
        gp_task_run(task);
        check(gp_future_state_of(each) == GP_NORMAL);
        gp_future_release(each);
    }
    check_int(runs, 2);
}

static void invoke_all_and_any_work_as_on_any_pool(void)
{
    gp_scheduled *scheduled = scheduled_with(2);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct subject subject = {.result = pool};
    gp_callable callables[3] = {callable_of(&subject), callable_of(&subject),
                                callable_of(&subject)};
    gp_future *futures[3];
    void *result = NULL;
    check_status(gp_pool_invoke_all(pool, callables, 3, GP_FOREVER, futures), GP_OK);
    for (int i = 0; i < 3; i++)
        future_end(futures[i], GP_OK);
    check_status(gp_pool_invoke_any(pool, callables, 3, GP_FOREVER, &result), GP_OK);
    check(result == pool);
    scheduled_end(scheduled);
    check_int(subject.destroyed, 6);
}

static void a_future_made_elsewhere_is_run_or_cancelled(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[3];
    gp_future *futures[3];
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i]);
        jobs[i].holds = i == 0;
        gp_callable callable = job_callable(&jobs[i]);
        require_ok(gp_future_new(&callable, &futures[i]));
        gp_future_retain(futures[i]);
        check_status(gp_pool_execute_task(pool, gp_future_task(futures[i])), GP_OK);
    }
    latch_await(&jobs[0].begun);
    check(!gp_pool_remove(pool, futures[1])); /* it travels inside another task */
    check(gp_future_cancel(futures[1], false));
    gp_pool_shutdown_now(pool, NULL);
    job_let_go(&jobs[0]);
    future_end(futures[0], GP_OK);
    future_end(futures[1], GP_ECANCELLED);
    future_end(futures[2], GP_ECANCELLED);
    scheduled_end(scheduled);
    for (int i = 0; i < 3; i++)
        check_int(jobs[i].subject.destroyed, 1);
}

static void a_task_made_elsewhere_may_leave_its_thread(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job leaving;
    struct job next;
    job_init_acting(&leaving, leave_by_exit, NULL);
    job_init(&next);
    job_execute(pool, &leaving);
    job_run(pool, &next);
    scheduled_end(scheduled);
    check_int(leaving.subject.destroyed, 1);
}

static void each_task_brings_a_core_worker_until_there_are_enough(void)
{
    gp_scheduled *scheduled = scheduled_with(2);
    gp_pool_stats stats;
    struct job jobs[3];
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i]);
        gp_future_release(job_schedule(scheduled, &jobs[i], HOUR));
        gp_pool_statistics(gp_scheduled_pool(scheduled), &stats);
        check_int(stats.pool_size, i < 2 ? i + 1 : 2);
    }
    scheduled_end_now(scheduled);
}

static void remove_and_purge_find_delayed_tasks(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[3];
    gp_future *futures[3];
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i]);
        futures[i] = job_schedule(scheduled, &jobs[i], HOUR);
    }
    check(gp_pool_remove(pool, futures[0]));
    check(!gp_pool_remove(pool, futures[0]));
    check(gp_future_cancel(futures[1], false));
    check_int(pool_queued(pool), 2);
    gp_pool_purge(pool);
    check_int(pool_queued(pool), 1);
    check(!gp_future_is_done(futures[2]));
    future_end(futures[0], GP_ECANCELLED);
    future_end(futures[1], GP_ECANCELLED);
    gp_future_release(futures[2]);
    scheduled_end_now(scheduled);
    for (int i = 0; i < 3; i++)
        check_int(jobs[i].subject.destroyed, 1);
}

static void lateness_is_what_a_scheduled_task_has_waited(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool_stats stats;
    struct job job;
    job_init(&job);
    future_end(job_schedule(scheduled, &job, GP_MILLISECONDS(20)), GP_OK);
    check(await_completed(gp_scheduled_pool(scheduled), 1));
    check(await_idle(gp_scheduled_pool(scheduled), 1)); /* counted before its time is noted */
    gp_pool_statistics(gp_scheduled_pool(scheduled), &stats);
    check_int(stats.waited.count, 1);
    check_int(stats.ran.count, 1);
    check_int(stats.deepest, 1);
    scheduled_end(scheduled);
}

static void await_quiescence_waits_for_delayed_tasks_too(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init(&job);
    gp_future_release(job_schedule(scheduled, &job, GP_MILLISECONDS(5)));
    check_status(gp_pool_await_quiescence(gp_scheduled_pool(scheduled), long_enough()), GP_OK);
    check_int(job.subject.destroyed, 1);
    scheduled_end(scheduled);
}

static const struct test tests[] = {
    TEST(execute_and_submit_run_at_once),
    TEST(what_a_stop_hands_back_has_a_future),
    TEST(invoke_all_and_any_work_as_on_any_pool),
    TEST(a_future_made_elsewhere_is_run_or_cancelled),
    TEST(a_task_made_elsewhere_may_leave_its_thread),
    TEST(each_task_brings_a_core_worker_until_there_are_enough),
    TEST(remove_and_purge_find_delayed_tasks),
    TEST(lateness_is_what_a_scheduled_task_has_waited),
    TEST(await_quiescence_waits_for_delayed_tasks_too),
    END_OF_TESTS,
};

const struct suite scheduled_pool_suite = {
    .name = "scheduled_pool", .tests = tests, .prepare = scheduled_on_heap};
const struct suite scheduled_pool_laned_suite = {
    .name = "scheduled_pool_laned", .tests = tests, .prepare = scheduled_on_lane};
