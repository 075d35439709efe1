/*
 * The count of an eager pool, under every fate of a task [EAGER-1] (dubbo #6496). Each test ends
 * with a pool that counts nothing.
 */
#include <glasspool/clock.h>
#include <glasspool/eager.h>
#include <glasspool/status.h>

#include "eager_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

static int fail(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return 7;
}

/* Run. */

static void a_task_counts_until_it_has_run(void)
{
    gp_pool *pool = eager_with(1, 2, 1);
    struct job job;
    job_init_holding(&job);
    job_execute(pool, &job);
    check_int(gp_eager_submitted(pool), 1);
    latch_await(&job.begun);
    check_int(gp_eager_submitted(pool), 1);
    job_let_go(&job);
    check(await_submitted(pool, 0));
    eager_end(pool);
}

static void a_task_that_fails_counts_no_longer(void)
{
    gp_pool *pool = eager_with(1, 2, 1);
    gp_callable callable = {.call = fail};
    gp_future *future = NULL;
    require_ok(gp_pool_submit(pool, &callable, &future));
    future_end(future, GP_EFAILED);
    check(await_submitted(pool, 0));
    eager_end(pool);
}

static void a_task_that_leaves_abruptly_counts_no_longer(void)
{
    gp_pool *pool = eager_with(1, 2, 1);
    struct job jobs[2];
    job_init_acting(&jobs[0], leave_by_exit, pool);
    job_init(&jobs[1]);
    job_execute(pool, &jobs[0]);
    job_await_end(&jobs[0]);
    check(await_submitted(pool, 0));
    job_run(pool, &jobs[1]);
    check(await_submitted(pool, 0));
    eager_end(pool);
}

struct witness {
    gp_pool *pool;
    size_t before;
    size_t after;
    size_t terminated;
};

static void see_before(void *context, gp_task *task)
{
    struct witness *witness = context;
    (void)task;
    witness->before = gp_eager_submitted(witness->pool);
}

static void see_after(void *context, gp_task *task, int status)
{
    struct witness *witness = context;
    (void)task;
    (void)status;
    witness->after = gp_eager_submitted(witness->pool);
}

static void see_terminated(void *context)
{
    struct witness *witness = context;
    witness->terminated = gp_eager_submitted(witness->pool);
}

static void hooks_see_their_task_counted(void)
{
    struct witness witness = {.terminated = 77};
    gp_pool_config config = config_with(1, 1, NULL);
    struct job job;
    config.hooks = (gp_pool_hooks){.before_execute = see_before,
                                   .after_execute = see_after,
                                   .terminated = see_terminated,
                                   .context = &witness};
    gp_pool *pool = eager_of(&config);
    witness.pool = pool;
    job_init(&job);
    job_execute(pool, &job);
    eager_end(pool);
    check_int(witness.before, 1);
    check_int(witness.after, 1);
    check_int(witness.terminated, 0);
}

/* Out of the queue. */

static void a_task_that_is_cancelled_counts_until_its_turn(void)
{
    struct saturated saturated;
    saturate_eager(&saturated, (gp_rejection){0});
    check(gp_future_cancel(saturated.queued_future, true));
    check_int(gp_eager_submitted(saturated.pool), 2);
    saturated_eager_end(&saturated);
}

static void a_task_that_is_removed_counts_no_longer(void)
{
    struct saturated saturated;
    saturate_eager(&saturated, (gp_rejection){0});
    check(gp_pool_remove(saturated.pool, saturated.queued_future));
    check_int(gp_eager_submitted(saturated.pool), 1);
    check(!gp_pool_remove(saturated.pool, saturated.queued_future));
    check(!gp_pool_remove(saturated.pool, saturated.running_future));
    check_int(gp_eager_submitted(saturated.pool), 1);
    saturated_eager_end(&saturated);
}

static void a_task_that_is_purged_counts_no_longer(void)
{
    struct saturated saturated;
    saturate_eager(&saturated, (gp_rejection){0});
    gp_pool_purge(saturated.pool);
    check_int(gp_eager_submitted(saturated.pool), 2); /* nothing was cancelled */
    gp_future_cancel(saturated.queued_future, false);
    gp_pool_purge(saturated.pool);
    check_int(gp_eager_submitted(saturated.pool), 1);
    saturated_eager_end(&saturated);
}

static void a_task_that_shutdown_now_hands_back_counts_no_longer(void)
{
    struct saturated saturated;
    gp_task_list unrun;
    saturate_eager(&saturated, (gp_rejection){0});
    gp_pool_shutdown_now(saturated.pool, &unrun);
    check_int(unrun.count, 1);
    check_int(gp_eager_submitted(saturated.pool), 1);
    gp_task_run(gp_task_list_pop(&unrun)); /* it is no business of the pool any more */
    check_int(gp_eager_submitted(saturated.pool), 1);
    saturated_eager_end(&saturated);
}

static gp_task *new_task(struct job *job)
{
    job_init(job);
    return job_task(job);
}

/* By an offer, by a put, in vain, and too early. */
static void a_task_that_a_stranger_brings_counts_until_it_has_run(void)
{
    struct job jobs[4];
    struct job holding;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    config.core_size = config.maximum_size = 1;
    config.queue = task_queue_of(3);
    gp_task *early = new_task(&jobs[0]);
    check_status(gp_queue_offer(config.queue, early), GP_EREJECTED);
    check_status(gp_queue_put(config.queue, early), GP_EREJECTED);
    gp_pool *pool = eager_of(&config);
    check_int(gp_eager_submitted(pool), 0);
    job_init_holding(&holding);
    job_execute(pool, &holding);
    latch_await(&holding.begun);
    check_status(gp_queue_offer(config.queue, early), GP_OK);
    check_status(gp_queue_offer(config.queue, new_task(&jobs[1])), GP_OK);
    check_status(gp_queue_put(config.queue, new_task(&jobs[2])), GP_OK);
    check_int(gp_eager_submitted(pool), 4);
    gp_task *refused = new_task(&jobs[3]);
    check_status(gp_queue_offer(config.queue, refused), GP_EFULL);
    check_status(gp_queue_offer_timed(config.queue, refused, 1), GP_ETIMEDOUT);
    check_int(gp_eager_submitted(pool), 4);
    gp_task_discard(refused);
    job_let_go(&holding);
    check(await_submitted(pool, 0));
    eager_end(pool);
    for (int i = 0; i < 3; i++)
        check_int(jobs[i].subject.runs, 1);
}

struct last_look {
    gp_pool *pool;
    size_t submitted;
};

static void look_for_the_last_time(void *argument)
{
    struct last_look *look = argument;
    look->submitted = gp_eager_submitted(look->pool);
}

static void do_nothing(void *argument)
{
    (void)argument;
}

/* Who is told of its end does not find it counted. */
static void a_task_that_is_cleared_is_counted_off_before_it_ends(void)
{
    gp_queue *queue = task_queue_of(3);
    gp_pool_config config = config_with(1, 1, queue);
    gp_pool *pool = eager_of(&config);
    struct last_look look = {.pool = pool};
    gp_callable callable = {
        .run = do_nothing, .argument = &look, .destroy = look_for_the_last_time};
    struct job holding;
    job_init_holding(&holding);
    job_execute(pool, &holding);
    latch_await(&holding.begun);
    gp_task *task = NULL;
    check_status(gp_task_new(&callable, &task), GP_OK);
    check_status(gp_pool_execute_task(pool, task), GP_OK);
    check_int(gp_eager_submitted(pool), 2);
    gp_queue_clear(queue);
    check_int(look.submitted, 1);
    job_let_go(&holding);
    eager_end(pool);
}

/* [QUEUE-2] */
static void a_task_that_a_stranger_takes_counts_no_longer(void)
{
    gp_queue *queue = task_queue_of(3);
    gp_pool_config config = config_with(1, 1, queue);
    struct job jobs[4];
    gp_task *task = NULL;
    gp_task_list rest;
    gp_pool *pool = eager_of(&config);
    job_init_holding(&jobs[0]);
    job_execute(pool, &jobs[0]);
    for (int i = 1; i < 4; i++) {
        job_init(&jobs[i]);
        job_execute(pool, &jobs[i]);
    }
    check_status(gp_queue_poll(queue, &task), GP_OK);
    gp_task_discard(task);
    check_int(gp_eager_submitted(pool), 3);
    check_status(gp_queue_take(queue, &task), GP_OK);
    gp_task_discard(task);
    check_int(gp_eager_submitted(pool), 2);
    gp_queue_drain(queue, &rest);
    gp_task_list_discard(&rest);
    check_int(gp_eager_submitted(pool), 1);
    check_status(gp_queue_poll(queue, &task), GP_EEMPTY);
    check_int(gp_eager_submitted(pool), 1);
    job_let_go(&jobs[0]);
    eager_end(pool);
}

static void removing_the_last_task_is_seen_by_the_terminated_hook(void)
{
    struct witness witness = {.terminated = 77};
    gp_pool_config config = config_with(1, 1, task_queue_of(1));
    struct job jobs[2];
    config.hooks = (gp_pool_hooks){.terminated = see_terminated, .context = &witness};
    gp_pool *pool = eager_of(&config);
    witness.pool = pool;
    job_init_holding(&jobs[0]);
    job_init(&jobs[1]);
    job_execute(pool, &jobs[0]);
    gp_future *future = job_submit(pool, &jobs[1]);
    gp_pool_shutdown(pool);
    check(gp_pool_remove(pool, future));
    gp_future_release(future);
    job_let_go(&jobs[0]);
    eager_end(pool);
    check_int(witness.terminated, 0);
}

/* Rejected. */

static int count_at_rejection(void *context, gp_pool *pool, gp_task *task)
{
    size_t *submitted = context;
    *submitted = gp_eager_submitted(pool);
    gp_task_discard(task);
    return GP_EREJECTED;
}

static void a_task_that_is_rejected_is_not_counted(void)
{
    struct saturated saturated;
    struct job job;
    size_t submitted = 77;
    saturate_eager(&saturated, (gp_rejection){.reject = count_at_rejection, .context = &submitted});
    job_init(&job);
    check_status(gp_pool_execute_task(saturated.pool, job_task(&job)), GP_EREJECTED);
    check_int(submitted, 2); /* the handler has it, the pool has not */
    check_int(gp_eager_submitted(saturated.pool), 2);
    saturated_eager_end(&saturated);
}

static void check_policy(gp_reject_fn *reject, int expected, int runs)
{
    struct saturated saturated;
    struct job job;
    saturate_eager(&saturated, (gp_rejection){.reject = reject});
    job_init(&job);
    check_status(gp_pool_execute_task(saturated.pool, job_task(&job)), expected);
    check_int(gp_eager_submitted(saturated.pool), 2);
    saturated_eager_end(&saturated);
    check_int(job.subject.runs, runs);
    check_int(job.subject.destroyed, 1);
}

static void no_policy_makes_it_drift(void)
{
    check_policy(gp_reject_abort, GP_EREJECTED, 0);
    check_policy(gp_reject_discard, GP_OK, 0);
    check_policy(gp_reject_caller_runs, GP_OK, 1);
    check_policy(gp_reject_discard_oldest, GP_OK, 1); /* one out, one in */
}

static void submit_and_leave(void *argument)
{
    struct job *job = argument;
    gp_callable callable = job_callable(job);
    gp_pool_submit(job->pool, &callable, NULL);
    check(false); /* the task has ended this thread */
}

static void a_task_that_ends_its_callers_thread_is_not_counted(void)
{
    struct saturated saturated;
    struct job job;
    saturate_eager(&saturated, (gp_rejection){.reject = gp_reject_caller_runs});
    job_init_acting(&job, leave_by_exit, saturated.pool);
    run_in_helper(submit_and_leave, &job);
    check_int(gp_eager_submitted(saturated.pool), 2);
    check_int(job.subject.destroyed, 1);
    saturated_eager_end(&saturated);
}

static void a_task_that_comes_after_shutdown_is_not_counted(void)
{
    for (int stopped = 0; stopped < 2; stopped++) {
        gp_pool *pool = eager_with(1, 2, 1);
        struct job job;
        job_init(&job);
        if (stopped)
            gp_pool_shutdown_now(pool, NULL);
        else
            gp_pool_shutdown(pool);
        check_status(gp_pool_execute_task(pool, job_task(&job)), GP_EREJECTED);
        check_int(gp_eager_submitted(pool), 0);
        check_int(job.subject.destroyed, 1);
        eager_end(pool);
    }
}

static void a_task_that_is_given_back_is_not_counted(void)
{
    int failures = 100;
    gp_pool_config config = config_with(0, 2, NULL);
    struct job job;
    config.keep_alive = HOUR;
    config.factory = (gp_thread_factory){.create = create_after_failures, .context = &failures};
    gp_pool *pool = eager_of(&config);
    job_init(&job);
    gp_task *task = job_task(&job);
    check_status(gp_pool_execute_task(pool, task), GP_ENOMEM);
    check_int(gp_eager_submitted(pool), 0);
    check_int(job.subject.destroyed, 0);
    failures = 0;
    check_status(gp_pool_execute_task(pool, task), GP_OK);
    check(await_submitted(pool, 0));
    eager_end(pool);
    check_int(job.subject.runs, 1);
}

static const struct test tests[] = {
    TEST(a_task_counts_until_it_has_run),
    TEST(a_task_that_fails_counts_no_longer),
    TEST(a_task_that_leaves_abruptly_counts_no_longer),
    TEST(hooks_see_their_task_counted),
    TEST(a_task_that_is_cancelled_counts_until_its_turn),
    TEST(a_task_that_is_removed_counts_no_longer),
    TEST(a_task_that_is_purged_counts_no_longer),
    TEST(a_task_that_shutdown_now_hands_back_counts_no_longer),
    TEST(a_task_that_a_stranger_brings_counts_until_it_has_run),
    TEST(a_task_that_is_cleared_is_counted_off_before_it_ends),
    TEST(a_task_that_a_stranger_takes_counts_no_longer),
    TEST(removing_the_last_task_is_seen_by_the_terminated_hook),
    TEST(a_task_that_is_rejected_is_not_counted),
    TEST(no_policy_makes_it_drift),
    TEST(a_task_that_ends_its_callers_thread_is_not_counted),
    TEST(a_task_that_comes_after_shutdown_is_not_counted),
    TEST(a_task_that_is_given_back_is_not_counted),
    END_OF_TESTS,
};

const struct suite eager_count_suite = {.name = "eager_count", .tests = tests};
