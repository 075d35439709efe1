/*
 * The workers of a pool: how many there are, when they are started and when they retire, with sizes
 * and times that change while it runs.
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

/* A pool whose workers have all run a task and are idle now; nothing is queued. */
static gp_pool *idle_pool(int core_size, int workers, int64_t keep_alive)
{
    gp_pool_config config = config_with(core_size, workers, synchronous());
    struct job jobs[4];
    config.keep_alive = keep_alive;
    gp_pool *pool = pool_of(&config);
    for (int i = 0; i < workers; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
    }
    for (int i = 0; i < workers; i++) {
        latch_await(&jobs[i].begun);
        job_let_go(&jobs[i]);
    }
    check(await_completed(pool, (uint64_t)workers));
    return pool;
}

/* Keep-alive. */

static void idle_workers_beyond_the_core_size_retire(void)
{
    gp_pool *pool = idle_pool(1, 3, GP_MILLISECONDS(2));
    check(await_pool_size(pool, 1));
    check(await_idle(pool, 1));
    check_int(gp_pool_check(pool), 0);
    pool_end(pool);
}

static void an_idle_worker_stays_for_its_keep_alive(void)
{
    gp_pool_config config = config_with(0, 1, NULL);
    struct job job;
    config.keep_alive = GP_MILLISECONDS(20);
    gp_pool *pool = pool_of(&config);
    job_init(&job);
    job_run(pool, &job);
    check(await_pool_size(pool, 0));
    check(gp_now() - job.ended_at >= GP_MILLISECONDS(20));
    pool_end(pool);
}

static void with_core_timeout_all_idle_workers_retire(void)
{
    gp_pool_config config = config_with(2, 2, NULL);
    struct job job;
    config.keep_alive = GP_MILLISECONDS(1);
    config.core_timeout = true;
    gp_pool *pool = pool_of(&config);
    check(gp_pool_core_timeout(pool));
    gp_pool_prestart_all_core(pool);
    check(await_pool_size(pool, 0));
    job_init(&job); /* and come back when there is work */
    job_run(pool, &job);
    pool_end(pool);
}

static void core_timeout_switched_on_reaches_workers_that_wait(void)
{
    gp_pool *pool = idle_pool(2, 2, GP_MILLISECONDS(1));
    check(await_idle(pool, 2));
    check_int(pool_size(pool), 2);
    check_status(gp_pool_set_core_timeout(pool, true), GP_OK);
    check_status(gp_pool_set_core_timeout(pool, true), GP_OK);
    check(await_pool_size(pool, 0));
    check_status(gp_pool_set_core_timeout(pool, false), GP_OK);
    check(!gp_pool_core_timeout(pool));
    pool_end(pool);
}

static void core_timeout_needs_a_keep_alive(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    check_status(gp_pool_set_core_timeout(pool, true), GP_EINVAL);
    check(!gp_pool_core_timeout(pool));
    check_status(gp_pool_set_core_timeout(pool, false), GP_OK);
    check_status(gp_pool_set_keep_alive(pool, 1), GP_OK);
    check_status(gp_pool_set_core_timeout(pool, true), GP_OK);
    check_status(gp_pool_set_keep_alive(pool, 0), GP_EINVAL);
    check_int(gp_pool_keep_alive(pool), 1);
    pool_end(pool);
}

static void a_shorter_keep_alive_reaches_workers_that_wait(void)
{
    gp_pool *pool = idle_pool(0, 2, HOUR);
    check(await_idle(pool, 2));
    check_status(gp_pool_set_keep_alive(pool, -1), GP_EINVAL);
    check_status(gp_pool_set_keep_alive(pool, HOUR + HOUR), GP_OK);
    check_int(pool_size(pool), 2);
    check_status(gp_pool_set_keep_alive(pool, GP_MILLISECONDS(1)), GP_OK);
    check_int(gp_pool_keep_alive(pool), GP_MILLISECONDS(1));
    check(await_pool_size(pool, 0));
    pool_end(pool);
}

/* Prestart. */

static void prestart_core_starts_one_idle_worker_at_a_time(void)
{
    gp_pool *pool = pool_with(2, 3, NULL);
    check_status(gp_pool_prestart_core(pool), GP_OK);
    check(await_idle(pool, 1));
    check_status(gp_pool_prestart_core(pool), GP_OK);
    check(await_idle(pool, 2));
    check_status(gp_pool_prestart_core(pool), GP_ESTATE);
    check_int(pool_size(pool), 2);
    pool_end(pool);
}

static void prestart_all_core_tells_how_many_it_started(void)
{
    gp_pool *pool = pool_with(3, 4, NULL);
    check_status(gp_pool_prestart_core(pool), GP_OK);
    check_int(gp_pool_prestart_all_core(pool), 2);
    check_int(gp_pool_prestart_all_core(pool), 0);
    check(await_idle(pool, 3));
    pool_end(pool);
    pool = pool_with(0, 1, NULL);
    check_status(gp_pool_prestart_core(pool), GP_ESTATE);
    check_int(gp_pool_prestart_all_core(pool), 0);
    pool_end(pool);
}

/* Sizes changed while it runs. */

static void a_larger_core_size_starts_workers_for_the_backlog(void)
{
    gp_pool *pool = pool_with(1, 8, NULL);
    struct job jobs[3];
    for (int i = 0; i < 3; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
    }
    latch_await(&jobs[0].begun);
    check_int(pool_queued(pool), 2);
    check_status(gp_pool_set_core_size(pool, 6), GP_OK);
    check_int(gp_pool_core_size(pool), 6);
    latch_await(&jobs[1].begun);
    latch_await(&jobs[2].begun);
    check(pool_size(pool) <= 3); /* no more than there was work for */
    for (int i = 0; i < 3; i++)
        job_let_go(&jobs[i]);
    pool_end(pool);
}

/* There is room in the core and work for two, since no thread was to be had before. */
static void a_larger_core_size_starts_no_more_than_it_is_larger_by(void)
{
    gp_pool *pool = pool_with(3, 4, NULL);
    struct job jobs[3];
    for (int i = 0; i < 3; i++)
        job_init_holding(&jobs[i]);
    job_execute(pool, &jobs[0]);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_THIS_THREAD);
    job_execute(pool, &jobs[1]);
    job_execute(pool, &jobs[2]);
    check_int(fault_disarm(), 2);
    check_int(pool_size(pool), 1);
    check_status(gp_pool_set_core_size(pool, 4), GP_OK);
    check_int(pool_size(pool), 2);
    for (int i = 0; i < 3; i++)
        job_let_go(&jobs[i]);
    pool_end(pool);
}

static void a_larger_core_size_without_backlog_starts_nobody(void)
{
    gp_pool *pool = pool_with(1, 4, NULL);
    struct job job;
    check_status(gp_pool_set_core_size(pool, 4), GP_OK);
    check_int(pool_size(pool), 0);
    job_init(&job);
    job_run(pool, &job);
    check_int(pool_size(pool), 1);
    pool_end(pool);
}

static void a_smaller_core_size_releases_idle_workers(void)
{
    gp_pool *pool = pool_with(3, 3, NULL);
    gp_pool_prestart_all_core(pool);
    check(await_idle(pool, 3));
    check_status(gp_pool_set_core_size(pool, 1), GP_OK); /* keep-alive 0 */
    check(await_pool_size(pool, 1));
    check_status(gp_pool_set_core_size(pool, 0), GP_OK);
    check(await_pool_size(pool, 0));
    pool_end(pool);
}

static void a_smaller_core_size_with_a_backlog_loses_no_task(void)
{
    gp_pool *pool = pool_with(3, 3, NULL);
    struct job holding[3];
    struct subject subject = {0};
    for (int i = 0; i < 3; i++) {
        job_init_holding(&holding[i]);
        job_execute(pool, &holding[i]);
        latch_await(&holding[i].begun);
    }
    for (int i = 0; i < 20; i++)
        check_status(gp_pool_execute_task(pool, task_of(&subject)), GP_OK);
    check_status(gp_pool_set_core_size(pool, 0), GP_OK);
    check_int(pool_size(pool), 3);
    for (int i = 0; i < 3; i++)
        job_let_go(&holding[i]);
    check(await_completed(pool, 23));
    check(await_pool_size(pool, 0));
    check_int(subject.runs, 20);
    pool_end(pool);
}

static void a_smaller_maximum_sends_idle_workers_home_at_once(void)
{
    gp_pool *pool = idle_pool(1, 3, HOUR);
    check(await_idle(pool, 3));
    check_status(gp_pool_set_maximum_size(pool, 2), GP_OK);
    check_int(gp_pool_maximum_size(pool), 2);
    check(await_pool_size(pool, 2));
    check_status(gp_pool_set_maximum_size(pool, 5), GP_OK);
    check_int(pool_size(pool), 2);
    pool_end(pool);
}

static void a_smaller_maximum_sends_busy_workers_home_after_their_task(void)
{
    gp_pool_config config = config_with(1, 2, synchronous());
    struct job jobs[2];
    config.keep_alive = HOUR;
    gp_pool *pool = pool_of(&config);
    for (int i = 0; i < 2; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
        latch_await(&jobs[i].begun);
    }
    check_status(gp_pool_set_maximum_size(pool, 1), GP_OK);
    check_int(pool_size(pool), 2);
    job_let_go(&jobs[0]);
    job_let_go(&jobs[1]);
    check(await_pool_size(pool, 1));
    pool_end(pool);
    check(!jobs[0].interrupted && !jobs[1].interrupted);
}

static void absurd_sizes_are_refused_and_change_nothing(void)
{
    gp_pool *pool = pool_with(2, 4, NULL);
    check_status(gp_pool_set_core_size(pool, -1), GP_EINVAL);
    check_status(gp_pool_set_core_size(pool, 5), GP_EINVAL);
    check_status(gp_pool_set_maximum_size(pool, 0), GP_EINVAL);
    check_status(gp_pool_set_maximum_size(pool, 1), GP_EINVAL); /* below the core size */
    check_status(gp_pool_set_maximum_size(pool, GP__COUNT_MASK + 1), GP_EINVAL);
    check_int(gp_pool_core_size(pool), 2);
    check_int(gp_pool_maximum_size(pool), 4);
    check_int(gp_pool_keep_alive(pool), 0);
    check_status(gp_pool_set_core_size(pool, 0), GP_OK);
    check_status(gp_pool_set_maximum_size(pool, 0), GP_EINVAL); /* nobody would ever come */
    check_int(gp_pool_maximum_size(pool), 4);
    check_status(gp_pool_set_maximum_size(pool, GP__COUNT_MASK), GP_OK); /* nothing absurd */
    pool_end(pool);
}

static void a_keep_alive_of_nothing_is_one(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    check_status(gp_pool_set_keep_alive(pool, GP_MILLISECONDS(1)), GP_OK);
    check_status(gp_pool_set_keep_alive(pool, 0), GP_OK);
    check_int(gp_pool_keep_alive(pool), 0);
    pool_end(pool);
}

static void resize_own_pool(struct job *job)
{
    gp_pool_set_core_size(job->pool, 0);
    gp_pool_set_keep_alive(job->pool, GP_MILLISECONDS(2));
    gp_pool_set_keep_alive(job->pool, GP_MILLISECONDS(1));
    gp_pool_set_core_timeout(job->pool, true);
    gp_pool_set_maximum_size(job->pool, 1);
    job->interrupted = gp_is_interrupted(gp_thread_self());
}

static void a_task_that_resizes_its_own_pool_does_not_interrupt_itself(void)
{
    gp_pool *pool = pool_with(2, 4, NULL);
    struct job job;
    gp_pool_prestart_all_core(pool);
    check(await_idle(pool, 2));
    job_init_acting(&job, resize_own_pool, pool);
    job_run(pool, &job);
    check(!job.interrupted);
    pool_end(pool);
}

static bool has_heard(void *worker)
{
    return !gp_is_interrupted(worker);
}

/* Each time that it is told it looks around, and stays for twice as long, until that is enough. */
static void a_worker_that_has_to_stay_may_be_told_so_again_and_again(void)
{
    gp_scheduled *scheduled = scheduled_with(0);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    check_status(gp_pool_set_keep_alive(pool, GP_MICROSECONDS(1)), GP_OK);
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    check(await_idle(pool, 1));
    gp_thread *worker = only_worker(pool);
    for (int i = 0; i < 300; i++) {
        check(await_idle(pool, 1));
        check_status(gp_pool_set_core_size(pool, 0), GP_OK);
        check(eventually(has_heard, worker));
    }
    gp_future_cancel(future, false);
    gp_future_release(future);
    scheduled_end_now(scheduled);
}

static const struct test tests[] = {
    TEST(idle_workers_beyond_the_core_size_retire),
    TEST(an_idle_worker_stays_for_its_keep_alive),
    TEST(with_core_timeout_all_idle_workers_retire),
    TEST(core_timeout_switched_on_reaches_workers_that_wait),
    TEST(core_timeout_needs_a_keep_alive),
    TEST(a_shorter_keep_alive_reaches_workers_that_wait),
    TEST(prestart_core_starts_one_idle_worker_at_a_time),
    TEST(prestart_all_core_tells_how_many_it_started),
    TEST(a_larger_core_size_starts_workers_for_the_backlog),
    TEST(a_larger_core_size_starts_no_more_than_it_is_larger_by),
    TEST(a_larger_core_size_without_backlog_starts_nobody),
    TEST(a_smaller_core_size_releases_idle_workers),
    TEST(a_smaller_core_size_with_a_backlog_loses_no_task),
    TEST(a_smaller_maximum_sends_idle_workers_home_at_once),
    TEST(a_smaller_maximum_sends_busy_workers_home_after_their_task),
    TEST(absurd_sizes_are_refused_and_change_nothing),
    TEST(a_keep_alive_of_nothing_is_one),
    TEST(a_task_that_resizes_its_own_pool_does_not_interrupt_itself),
    TEST(a_worker_that_has_to_stay_may_be_told_so_again_and_again),
    END_OF_TESTS,
};

const struct suite pool_workers_suite = {.name = "pool_workers", .tests = tests};
