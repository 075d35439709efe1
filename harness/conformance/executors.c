/* Ready-made pools: fixed, single, cached, scheduled, single scheduled. */
#include <glasspool/clock.h>
#include <glasspool/executors.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

static void fixed_has_so_many_workers_and_no_more(void)
{
    gp_pool *pool = NULL;
    struct job jobs[3];
    require_ok(gp_executors_fixed(2, &pool));
    for (int i = 0; i < 3; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
    }
    latch_await(&jobs[0].begun);
    latch_await(&jobs[1].begun);
    check_int(pool_size(pool), 2);
    check_int(pool_queued(pool), 1);
    check_int(gp_pool_core_size(pool), 2);
    check_int(gp_pool_maximum_size(pool), 2);
    for (int i = 0; i < 3; i++)
        job_let_go(&jobs[i]);
    pool_end(pool);
}

static void fixed_can_be_reconfigured(void)
{
    gp_pool *pool = NULL;
    require_ok(gp_executors_fixed(1, &pool));
    check_status(gp_pool_set_maximum_size(pool, 3), GP_OK);
    check_status(gp_pool_set_core_size(pool, 2), GP_OK);
    pool_end(pool);
}

static void executors_of_no_size_are_refused(void)
{
    gp_pool *pool = NULL;
    gp_scheduled *scheduled = NULL;
    check_status(gp_executors_fixed(0, &pool), GP_EINVAL);
    check_status(gp_executors_fixed(-1, &pool), GP_EINVAL);
    check_status(gp_executors_scheduled(-1, &scheduled), GP_EINVAL);
    check_status(gp_executors_fixed(1, NULL), GP_EINVAL);
    check_status(gp_executors_single(NULL), GP_EINVAL);
    check_status(gp_executors_cached(NULL), GP_EINVAL);
    check_status(gp_executors_scheduled(1, NULL), GP_EINVAL);
    check_status(gp_executors_single_scheduled(NULL), GP_EINVAL);
    check(pool == NULL);
    check(scheduled == NULL);
}

/* Each setter, with values that would be fine elsewhere. */
static void check_fixed_configuration(gp_pool *pool)
{
    gp_rejection rejection = {.reject = gp_reject_discard};
    gp_thread_factory factory = {NULL, NULL};
    int64_t keep_alive = gp_pool_keep_alive(pool);
    int maximum_size = gp_pool_maximum_size(pool);
    check_status(gp_pool_set_core_size(pool, 1), GP_EPERM);
    check_status(gp_pool_set_maximum_size(pool, 1), GP_EPERM);
    check_status(gp_pool_set_keep_alive(pool, GP_SECONDS(1)), GP_EPERM);
    check_status(gp_pool_set_core_timeout(pool, false), GP_EPERM);
    check_status(gp_pool_set_rejection(pool, &rejection), GP_EPERM);
    check_status(gp_pool_set_factory(pool, &factory), GP_EPERM);
    check_int(gp_pool_core_size(pool), 1);
    check_int(gp_pool_maximum_size(pool), maximum_size);
    check_int(gp_pool_keep_alive(pool), keep_alive);
}

static void single_is_one_and_cannot_be_changed(void)
{
    gp_pool *pool = NULL;
    struct job first;
    struct job second;
    require_ok(gp_executors_single(&pool));
    check_fixed_configuration(pool);
    job_init_holding(&first);
    job_init(&second);
    job_execute(pool, &first);
    gp_future *future = job_submit(pool, &second);
    latch_await(&first.begun);
    check_int(pool_size(pool), 1);
    job_let_go(&first);
    future_end(future, GP_OK);
    check(first.record == second.record);
    pool_end(pool);
}

static void single_replaces_a_worker_that_its_task_has_ended(void)
{
    gp_pool *pool = NULL;
    struct job leaving;
    struct job next;
    require_ok(gp_executors_single(&pool));
    job_init_acting(&leaving, leave_by_exit, pool);
    job_init(&next);
    job_execute(pool, &leaving);
    job_run(pool, &next);
    pool_end(pool);
}

static void cached_gives_each_task_a_worker_at_once(void)
{
    gp_pool *pool = NULL;
    struct job jobs[5];
    require_ok(gp_executors_cached(&pool));
    check_int(gp_pool_keep_alive(pool), GP_SECONDS(60));
    check_int(gp_pool_core_size(pool), 0);
    for (int i = 0; i < 5; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
    }
    for (int i = 0; i < 5; i++)
        latch_await(&jobs[i].begun);
    check_int(pool_size(pool), 5);
    for (int i = 0; i < 5; i++)
        job_let_go(&jobs[i]);
    pool_end(pool);
}

static void cached_uses_an_idle_worker_again(void)
{
    gp_pool *pool = NULL;
    struct job first;
    struct job second;
    require_ok(gp_executors_cached(&pool));
    job_init(&first);
    job_init(&second);
    job_run(pool, &first);
    check(await_idle(pool, 1));
    job_run(pool, &second);
    check(first.record == second.record);
    check_int(pool_size(pool), 1);
    pool_end(pool);
}

static void cached_lets_idle_workers_go(void)
{
    gp_pool *pool = NULL;
    struct job job;
    require_ok(gp_executors_cached(&pool));
    job_init(&job);
    job_run(pool, &job);
    check_status(gp_pool_set_keep_alive(pool, GP_MILLISECONDS(1)), GP_OK);
    check(await_pool_size(pool, 0));
    pool_end(pool);
}

static void scheduled_runs_tasks_later(void)
{
    gp_scheduled *scheduled = NULL;
    gp_future *future = NULL;
    struct job job;
    require_ok(gp_executors_scheduled(2, &scheduled));
    check_int(gp_pool_core_size(gp_scheduled_pool(scheduled)), 2);
    job_init(&job);
    gp_callable callable = job_callable(&job);
    check_status(gp_schedule(scheduled, &callable, GP_MILLISECONDS(1), &future), GP_OK);
    future_end(future, GP_OK);
    check_status(gp_pool_set_core_size(gp_scheduled_pool(scheduled), 1), GP_OK);
    scheduled_end(scheduled);
}

static void single_scheduled_is_one_and_cannot_be_changed(void)
{
    gp_scheduled *scheduled = NULL;
    struct job job;
    require_ok(gp_executors_single_scheduled(&scheduled));
    check_fixed_configuration(gp_scheduled_pool(scheduled));
    job_init(&job);
    job_run(gp_scheduled_pool(scheduled), &job);
    gp_scheduled_set_remove_on_cancel(scheduled, true); /* the policies are another matter */
    check(gp_scheduled_remove_on_cancel(scheduled));
    scheduled_end(scheduled);
}

static int make_fixed(gp_pool **out)
{
    return gp_executors_fixed(2, out);
}

static int make_scheduled(gp_pool **out)
{
    gp_scheduled *scheduled = NULL;
    int status = gp_executors_scheduled(1, &scheduled);
    if (status == GP_OK)
        *out = gp_scheduled_pool(scheduled);
    return status;
}

static int make_single_scheduled(gp_pool **out)
{
    gp_scheduled *scheduled = NULL;
    int status = gp_executors_single_scheduled(&scheduled);
    if (status == GP_OK)
        *out = gp_scheduled_pool(scheduled);
    return status;
}

static void check_faults(int (*make)(gp_pool **))
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_pool *pool = NULL;
        int status = make(&pool);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check(hit == (pool == NULL));
        if (pool != NULL)
            pool_end(pool);
    }
    check(walk.point > 4);
}

static void making_an_executor_fails_cleanly_at_each_point(void)
{
    check_faults(make_fixed);
    check_faults(gp_executors_single);
    check_faults(gp_executors_cached);
    check_faults(make_scheduled);
    check_faults(make_single_scheduled);
}

static const struct test tests[] = {
    TEST(fixed_has_so_many_workers_and_no_more),
    TEST(fixed_can_be_reconfigured),
    TEST(executors_of_no_size_are_refused),
    TEST(single_is_one_and_cannot_be_changed),
    TEST(single_replaces_a_worker_that_its_task_has_ended),
    TEST(cached_gives_each_task_a_worker_at_once),
    TEST(cached_uses_an_idle_worker_again),
    TEST(cached_lets_idle_workers_go),
    TEST(scheduled_runs_tasks_later),
    TEST(single_scheduled_is_one_and_cannot_be_changed),
    TEST(making_an_executor_fails_cleanly_at_each_point),
    END_OF_TESTS,
};

const struct suite executors_suite = {.name = "executors", .tests = tests};
