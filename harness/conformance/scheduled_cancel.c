/*
 * Cancelling scheduled tasks: before, during and between runs, with and without remove_on_cancel,
 * and when the pool is long gone.
 */
#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

static gp_scheduled *scheduled_removing(bool remove_on_cancel)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.remove_on_cancel = remove_on_cancel;
    return scheduled_of(&config);
}

/* Before. */

static void a_cancelled_task_stays_in_the_queue_by_default(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    job_init(&job);
    check(!gp_scheduled_remove_on_cancel(scheduled));
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    check(gp_future_cancel(future, false));
    check(!gp_future_cancel(future, false));
    check_int(pool_queued(pool), 1);
    future_end(future, GP_ECANCELLED);
    gp_pool_shutdown(pool); /* which takes cancelled tasks away, however late they are due */
    check_int(pool_queued(pool), 0);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
}

static void a_cancelled_task_that_falls_due_is_not_run(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job holding;
    struct job jobs[2];
    job_init_holding(&holding);
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future_release(job_schedule(scheduled, &holding, 0));
    latch_await(&holding.begun); /* so that no worker can begin them before they are cancelled */
    gp_future *once = job_schedule(scheduled, &jobs[0], GP_MILLISECONDS(10));
    gp_future *periodic = job_at_fixed_rate(scheduled, &jobs[1], GP_MILLISECONDS(10), 1);
    check(gp_future_cancel(once, false));
    check(gp_future_cancel(periodic, false));
    job_let_go(&holding);
    check(await_queued(gp_scheduled_pool(scheduled), 0));
    gp_future_release(once);
    gp_future_release(periodic);
    scheduled_end(scheduled);
    for (int i = 0; i < 2; i++) {
        check_int(jobs[i].subject.runs, 0);
        check_int(jobs[i].subject.destroyed, 1);
    }
}

static void under_remove_on_cancel_it_leaves_the_queue_at_once(void)
{
    gp_scheduled *scheduled = scheduled_removing(true);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[3];
    gp_future *futures[3];
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i]);
        futures[i] = i == 1 ? job_at_fixed_rate(scheduled, &jobs[i], HOUR, HOUR)
                            : job_schedule(scheduled, &jobs[i], HOUR);
    }
    for (int i = 0; i < 3; i++) {
        check(gp_future_cancel(futures[i], i == 2));
        check_int(pool_queued(pool), 2 - i);
        check_int(jobs[i].subject.destroyed, 1);
        check_int(gp_pool_check(pool), 0);
        future_end(futures[i], GP_ECANCELLED);
    }
    scheduled_end(scheduled);
}

static void the_policy_can_be_switched_while_it_runs(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *first = job_schedule(scheduled, &jobs[0], HOUR);
    gp_future *second = job_schedule(scheduled, &jobs[1], HOUR);
    gp_scheduled_set_remove_on_cancel(scheduled, true);
    check(gp_scheduled_remove_on_cancel(scheduled));
    check(gp_future_cancel(first, false));
    check_int(pool_queued(pool), 1);
    gp_scheduled_set_remove_on_cancel(scheduled, false);
    check(!gp_scheduled_remove_on_cancel(scheduled));
    check(gp_future_cancel(second, false));
    check_int(pool_queued(pool), 1);
    gp_future_release(first);
    gp_future_release(second);
    scheduled_end(scheduled);
}

static void cancelling_the_head_lets_the_worker_wait_for_the_next(void)
{
    gp_scheduled *scheduled = scheduled_removing(true);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    int64_t start = gp_now();
    gp_future *head = job_schedule(scheduled, &jobs[0], GP_MILLISECONDS(15));
    gp_future *next = job_schedule(scheduled, &jobs[1], GP_MILLISECONDS(25));
    check(await_idle(gp_scheduled_pool(scheduled), 1));
    gp_future_cancel(head, false);
    future_end(next, GP_OK);
    check(jobs[1].began_at - start >= GP_MILLISECONDS(25));
    gp_future_release(head);
    scheduled_end(scheduled);
}

/* The last task goes, and with it the reason to go on. */
static void under_remove_on_cancel_the_last_cancel_ends_a_pool_that_shuts_down(void)
{
    gp_scheduled *scheduled = scheduled_removing(true);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    check(await_idle(pool, 1));
    gp_pool_shutdown(pool);
    check_status(gp_pool_await_termination(pool, GP_MILLISECONDS(1)), GP_ETIMEDOUT);
    check(gp_future_cancel(future, false));
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    gp_future_release(future);
    scheduled_end(scheduled);
}

/* A worker whose time was up stays for what is queued; when that is taken away, it goes. */
static void the_worker_goes_with_its_last_task(gp_scheduled_config config, bool purge)
{
    config.remove_on_cancel = !purge;
    gp_scheduled *scheduled = scheduled_of(&config);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    check(await_idle(pool, 1));
    check(gp_future_cancel(future, false));
    if (purge)
        gp_pool_purge(pool);
    check(await_pool_size(pool, 0));
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(job.subject.destroyed, 1);
}

static void a_worker_that_stayed_for_a_cancelled_task_retires(void)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.core_size = 0;
    config.keep_alive = 0;
    the_worker_goes_with_its_last_task(config, false);
    the_worker_goes_with_its_last_task(config, true);
}

static void a_core_worker_that_stayed_for_a_cancelled_task_retires(void)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.core_timeout = true;
    config.keep_alive = 1;
    the_worker_goes_with_its_last_task(config, false);
    the_worker_goes_with_its_last_task(config, true);
}

/* While it runs. */

static void a_running_task_is_interrupted_or_left_alone(void)
{
    for (int may_interrupt = 0; may_interrupt < 2; may_interrupt++) {
        gp_scheduled *scheduled = scheduled_removing(may_interrupt);
        struct job job;
        job_init_holding(&job);
        gp_future *future = job_schedule(scheduled, &job, 0);
        latch_await(&job.begun);
        check(gp_future_cancel(future, may_interrupt));
        check_int(job.subject.destroyed, 0);
        job_let_go(&job);
        future_end(future, GP_ECANCELLED);
        scheduled_end(scheduled);
        check_int(job.interrupted, may_interrupt);
        check_int(job.subject.destroyed, 1);
    }
}

static void a_periodic_task_cancelled_while_it_runs_does_not_come_back(void)
{
    for (int remove_on_cancel = 0; remove_on_cancel < 2; remove_on_cancel++) {
        gp_scheduled *scheduled = scheduled_removing(remove_on_cancel);
        gp_pool *pool = gp_scheduled_pool(scheduled);
        struct job job;
        struct job next;
        job_init_holding(&job);
        job_init(&next);
        gp_future *future = job_at_fixed_rate(scheduled, &job, 0, HOUR);
        latch_await(&job.begun);
        check(gp_future_cancel(future, true));
        job_let_go(&job);
        job_run(pool, &next);
        check(!next.interrupted);
        check_int(pool_queued(pool), 0);
        check_int(job.subject.runs, 1);
        check_int(job.subject.destroyed, 1);
        gp_future_release(future);
        scheduled_end(scheduled);
    }
}

/* Between a run and the return to the queue: [SCHEDULED-2]. */

static void cancel_future(void *argument)
{
    gp_future_cancel(argument, false);
}

static bool job_sleeps(void *argument)
{
    const struct job *job = argument;
    return thread_is_asleep(job->id);
}

/* The run has ended and its worker cannot put the task back yet; nor can cancel take it out. */
static void cancel_between_run_and_return(void)
{
    gp_scheduled *scheduled = scheduled_removing(true);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    struct helper canceller;
    job_init_holding(&job);
    gp_future *future = job_with_fixed_delay(scheduled, &job, 0, HOUR);
    latch_await(&job.begun);
    pthread_mutex_lock(&pool->queue->lock);
    job_let_go(&job);
    check(eventually(job_sleeps, &job));
    helper_start(&canceller, cancel_future, future);
    helper_await_asleep(&canceller);
    pthread_mutex_unlock(&pool->queue->lock);
    helper_join(&canceller);
    check(await_queued(pool, 0)); /* whichever of the two came first */
    check(await_idle(pool, 1));
    check_int(pool_queued(pool), 0);
    check_int(gp_pool_check(pool), 0);
    check_int(job.subject.destroyed, 1);
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
}

static void a_task_cancelled_between_its_run_and_its_return_does_not_linger(void)
{
    for (unsigned round = 0; round < scaled(40); round++)
        cancel_between_run_and_return();
}

static void wherever_a_cancel_hits_a_periodic_task_nothing_lingers(void)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.core_size = 2;
    config.remove_on_cancel = true;
    gp_scheduled *scheduled = scheduled_of(&config);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    uint64_t random = 7;
    for (unsigned round = 0; round < scaled(1000); round++) {
        struct subject subject = {0};
        gp_callable callable = callable_of(&subject);
        gp_future *future = NULL;
        check_status(gp_schedule_with_fixed_delay(scheduled, &callable, 0, 1000, &future), GP_OK);
        for (volatile uint64_t i = random_below(&random, 20000); i > 0; i--)
            continue;
        check(gp_future_cancel(future, round % 2 == 0));
        check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
        check_int(subject.destroyed, 1);
        check_int(pool_queued(pool), 0);
        gp_future_release(future);
    }
    scheduled_end(scheduled);
}

/* After the pool. */

static void a_future_can_be_cancelled_when_its_pool_is_gone(void)
{
    for (int remove_on_cancel = 0; remove_on_cancel < 2; remove_on_cancel++) {
        gp_scheduled *scheduled = scheduled_removing(remove_on_cancel);
        gp_task_list unrun;
        struct job jobs[2];
        job_init(&jobs[0]);
        job_init(&jobs[1]);
        gp_future *once = job_schedule(scheduled, &jobs[0], HOUR);
        gp_future *periodic = job_at_fixed_rate(scheduled, &jobs[1], HOUR, HOUR);
        gp_pool_shutdown_now(gp_scheduled_pool(scheduled), &unrun);
        check_int(unrun.count, 2);
        scheduled_end(scheduled);
        check(!gp_future_is_done(once));
        check(gp_future_cancel(once, true));
        check(gp_future_cancel(periodic, true));
        check_int(jobs[0].subject.destroyed, 0); /* the list has them still */
        gp_task_list_discard(&unrun);
        future_end(once, GP_ECANCELLED);
        future_end(periodic, GP_ECANCELLED);
        check_int(jobs[0].subject.destroyed, 1);
        check_int(jobs[1].subject.destroyed, 1);
    }
}

static void a_future_of_a_pool_that_is_gone_still_tells(void)
{
    gp_scheduled *scheduled = scheduled_removing(true);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, 0);
    scheduled_end(scheduled);
    check(!gp_future_cancel(future, true));
    check(delay_of(future) <= 0);
    check(!gp_scheduled_is_periodic(future));
    future_end(future, GP_OK);
}

/* The only worker is busy all the time, and one task is always left. */
static void what_is_removed_again_and_again_needs_no_further_room(void)
{
    gp_scheduled *scheduled = scheduled_removing(true);
    struct job holding;
    struct job job;
    job_init_holding(&holding);
    job_init(&job);
    gp_future_release(job_schedule(scheduled, &holding, 0));
    latch_await(&holding.begun);
    gp_future *last = job_schedule(scheduled, &job, 0);
    fault_arm(FAULT_REALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    for (int i = 0; i < 1000; i++) {
        gp_future *next = job_schedule(scheduled, &job, 0);
        check(gp_future_cancel(last, false));
        gp_future_release(last);
        last = next;
    }
    check_int(fault_disarm(), 0);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 1);
    job_let_go(&holding);
    future_end(last, GP_OK);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1001);
}

/* Many tasks, cancelled in no order while workers take what is due. */
static void cancelling_in_no_order_keeps_the_heap_sound(void)
{
    enum {
        TASKS = 200
    };
    gp_scheduled *scheduled = scheduled_removing(true);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    gp_future *futures[TASKS];
    uint64_t random = 11;
    for (int i = 0; i < TASKS; i++)
        check_status(
            gp_schedule(scheduled, &callable, (int64_t)random_below(&random, 2000000), &futures[i]),
            GP_OK);
    for (int i = 0; i < TASKS; i += 2)
        gp_future_cancel(futures[(i * 7) % TASKS], false);
    check_int(gp_pool_check(pool), 0);
    check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
    for (int i = 0; i < TASKS; i++) {
        check(gp_future_is_done(futures[i]));
        gp_future_release(futures[i]);
    }
    scheduled_end(scheduled);
    check_int(subject.destroyed, TASKS);
}

static const struct test tests[] = {
    TEST(a_cancelled_task_stays_in_the_queue_by_default),
    TEST(a_cancelled_task_that_falls_due_is_not_run),
    TEST(under_remove_on_cancel_it_leaves_the_queue_at_once),
    TEST(the_policy_can_be_switched_while_it_runs),
    TEST(cancelling_the_head_lets_the_worker_wait_for_the_next),
    TEST(under_remove_on_cancel_the_last_cancel_ends_a_pool_that_shuts_down),
    TEST(a_worker_that_stayed_for_a_cancelled_task_retires),
    TEST(a_core_worker_that_stayed_for_a_cancelled_task_retires),
    TEST(a_running_task_is_interrupted_or_left_alone),
    TEST(a_periodic_task_cancelled_while_it_runs_does_not_come_back),
    TEST(a_task_cancelled_between_its_run_and_its_return_does_not_linger),
    TEST(wherever_a_cancel_hits_a_periodic_task_nothing_lingers),
    TEST(a_future_can_be_cancelled_when_its_pool_is_gone),
    TEST(a_future_of_a_pool_that_is_gone_still_tells),
    TEST(what_is_removed_again_and_again_needs_no_further_room),
    TEST(cancelling_in_no_order_keeps_the_heap_sound),
    END_OF_TESTS,
};

const struct suite scheduled_cancel_suite = {
    .name = "scheduled_cancel", .tests = tests, .prepare = scheduled_on_heap};
const struct suite scheduled_cancel_laned_suite = {
    .name = "scheduled_cancel_laned", .tests = tests, .prepare = scheduled_on_lane};
