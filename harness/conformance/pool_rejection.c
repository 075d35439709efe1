/*
 * Rejection: the four policies and one's own, of a saturated pool and of one that is shut down. In
 * each case the argument is destroyed once, and nobody waits for a future that was dropped.
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"

/* A future that its maker gives to a pool, keeping a handle whatever becomes of it. */
static int execute_future(gp_pool *pool, struct job *job, gp_future **handle)
{
    gp_callable callable = job_callable(job);
    require_ok(gp_future_new(&callable, handle));
    gp_future_retain(*handle);
    return gp_pool_execute_task(pool, gp_future_task(*handle));
}

/* Gives one more job to a saturated pool; its future, done or not, is the caller's. */
static gp_future *give(struct saturated *saturated, struct job *job, int expected)
{
    gp_future *future = NULL;
    job_init(job);
    check_status(execute_future(saturated->pool, job, &future), expected);
    return future;
}

static void abort_refuses_and_cancels(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_abort});
    future_end(give(&saturated, &job, GP_EREJECTED), GP_ECANCELLED);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
    saturated_end(&saturated);
    check_int(saturated.queued.subject.runs, 1);
}

static void caller_runs_runs_it_in_the_calling_thread(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_caller_runs});
    gp_future *future = give(&saturated, &job, GP_OK);
    check(gp_future_is_done(future));
    check(pthread_equal(job.thread, pthread_self()));
    future_end(future, GP_OK);
    check_int(job.subject.destroyed, 1);
    saturated_end(&saturated);
}

struct last_words {
    gp_pool *pool;
    struct job job;
};

static void submit_and_leave(void *argument)
{
    struct last_words *words = argument;
    gp_callable callable = job_callable(&words->job);
    gp_pool_submit(words->pool, &callable, NULL);
    check(false); /* the task has ended this thread */
}

static void a_task_that_ends_its_callers_thread_leaves_nothing_behind(void)
{
    struct saturated saturated;
    struct last_words words;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_caller_runs});
    words.pool = saturated.pool;
    job_init_acting(&words.job, leave_by_exit, saturated.pool);
    run_in_helper(submit_and_leave, &words);
    check_int(words.job.subject.destroyed, 1);
    saturated_end(&saturated);
}

static void discard_drops_it_and_cancels_its_future(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_discard});
    future_end(give(&saturated, &job, GP_OK), GP_ECANCELLED);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
    saturated_end(&saturated);
    check_int(saturated.queued.subject.runs, 1);
}

static void discard_oldest_drops_the_head_of_the_queue_and_takes_its_place(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_discard_oldest});
    gp_future *future = give(&saturated, &job, GP_OK);
    check_status(gp_future_get(saturated.queued_future, NULL), GP_ECANCELLED);
    check_int(saturated.queued.subject.destroyed, 1);
    check_int(pool_queued(saturated.pool), 1);
    saturated_end(&saturated);
    check_int(saturated.queued.subject.runs, 0);
    future_end(future, GP_OK);
    check_int(job.subject.runs, 1);
}

struct depth {
    int calls;
    int limit;
};

/* Discard the oldest, but not for ever. */
static int discard_oldest_so_often(void *context, gp_pool *pool, gp_task *task)
{
    struct depth *depth = context;
    if (++depth->calls > depth->limit)
        return gp_reject_abort(NULL, pool, task);
    return gp_reject_discard_oldest(NULL, pool, task);
}

/* A synchronous queue has no oldest: dropping nothing makes no room, however often it is tried. */
static void discard_oldest_with_nothing_to_drop_comes_to_an_end(void)
{
    struct depth depth = {.limit = 100};
    gp_pool_config config = config_with(1, 1, synchronous());
    struct job running;
    struct job refused;
    config.rejection = (gp_rejection){.reject = discard_oldest_so_often, .context = &depth};
    gp_pool *pool = pool_of(&config);
    job_init_holding(&running);
    job_init(&refused);
    job_execute(pool, &running);
    latch_await(&running.begun);
    check_status(gp_pool_execute_task(pool, job_task(&refused)), GP_EREJECTED);
    check(depth.calls <= depth.limit);
    check_int(refused.subject.destroyed, 1);
    job_let_go(&running);
    pool_end(pool);
}

/* A policy of one's own. */
struct policy {
    gp_pool *pool;
    gp_task *task;
    int calls;
    int status;
};

static int keep_task(void *context, gp_pool *pool, gp_task *task)
{
    struct policy *policy = context;
    policy->calls++;
    policy->pool = pool;
    policy->task = task;
    return policy->status;
}

static void an_own_policy_takes_the_task_over_and_answers(void)
{
    struct policy policy = {.status = 99}; /* whatever it is, to the submitter it is a rejection */
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = keep_task, .context = &policy});
    job_init(&job);
    check_status(gp_pool_execute_task(saturated.pool, job_task(&job)), GP_EREJECTED);
    check_int(policy.calls, 1);
    check(policy.pool == saturated.pool);
    check(gp_task_argument(policy.task) == &job.subject);
    check_int(job.subject.destroyed, 0);
    gp_task_run(policy.task);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
    saturated_end(&saturated);
}

static void an_own_policy_may_accept_a_submitted_future_and_run_it_later(void)
{
    struct policy policy = {.status = GP_OK};
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = keep_task, .context = &policy});
    job_init(&job);
    gp_future *future = job_submit(saturated.pool, &job);
    check(!gp_future_is_done(future));
    gp_task_run(policy.task);
    future_end(future, GP_OK);
    check_int(job.subject.destroyed, 1);
    saturated_end(&saturated);
}

static void the_policy_can_be_changed_while_the_pool_runs(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){0});
    future_end(give(&saturated, &job, GP_EREJECTED), GP_ECANCELLED);
    check_status(gp_pool_set_rejection(saturated.pool, NULL), GP_EINVAL);
    check_status(
        gp_pool_set_rejection(saturated.pool, &(gp_rejection){.reject = gp_reject_caller_runs}),
        GP_OK);
    future_end(give(&saturated, &job, GP_OK), GP_OK);
    check_status(gp_pool_set_rejection(saturated.pool, &(gp_rejection){0}), GP_OK);
    future_end(give(&saturated, &job, GP_EREJECTED), GP_ECANCELLED);
    saturated_end(&saturated);
}

/* After shutdown. */

static void check_after_shutdown(gp_reject_fn *reject, int expected, bool stopped)
{
    gp_pool_config config = config_with(1, 1, NULL);
    gp_future *future = NULL;
    struct job job;
    config.rejection.reject = reject;
    gp_pool *pool = pool_of(&config);
    if (stopped)
        gp_pool_shutdown_now(pool, NULL);
    else
        gp_pool_shutdown(pool);
    job_init(&job);
    check_status(execute_future(pool, &job, &future), expected);
    future_end(future, GP_ECANCELLED);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
    pool_end(pool);
}

static void after_shutdown_no_policy_runs_the_task(void)
{
    for (int stopped = 0; stopped < 2; stopped++) {
        check_after_shutdown(NULL, GP_EREJECTED, stopped);
        check_after_shutdown(gp_reject_abort, GP_EREJECTED, stopped);
        check_after_shutdown(gp_reject_caller_runs, GP_EREJECTED, stopped);
        check_after_shutdown(gp_reject_discard, GP_OK, stopped);
        check_after_shutdown(gp_reject_discard_oldest, GP_EREJECTED, stopped);
    }
}

static void after_shutdown_discard_oldest_leaves_the_queue_alone(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_discard_oldest});
    gp_pool_shutdown(saturated.pool);
    future_end(give(&saturated, &job, GP_EREJECTED), GP_ECANCELLED);
    check_int(pool_queued(saturated.pool), 1);
    saturated_end(&saturated);
    check_int(saturated.queued.subject.runs, 1);
}

static void a_submission_that_is_discarded_hands_out_a_cancelled_future(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){.reject = gp_reject_discard});
    job_init(&job);
    future_end(job_submit(saturated.pool, &job), GP_ECANCELLED);
    saturated_end(&saturated);
}

static int fail_from_now_on(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    int *left = context;
    if ((*left)-- <= 0)
        return GP_ENOMEM;
    return gp_thread_new(NULL, run, argument, out);
}

static int drop_worker_then_discard_oldest(void *context, gp_pool *pool, gp_task *task)
{
    struct job *running = context;
    gp_pool_set_core_size(pool, 0);
    job_let_go(running);
    check(await_pool_size(pool, 0));
    return gp_reject_discard_oldest(NULL, pool, task);
}

/* The policy cannot give the task back as execute could: it says rejected. */
static void discard_oldest_without_threads_uses_the_task_up(void)
{
    int threads = 1;
    struct job running;
    struct job refused;
    gp_pool_config config = config_with(1, 1, synchronous());
    config.factory = (gp_thread_factory){.create = fail_from_now_on, .context = &threads};
    config.rejection =
        (gp_rejection){.reject = drop_worker_then_discard_oldest, .context = &running};
    gp_pool *pool = pool_of(&config);
    job_init_holding(&running);
    job_init(&refused);
    job_execute(pool, &running);
    latch_await(&running.begun);
    check_status(gp_pool_execute_task(pool, job_task(&refused)), GP_EREJECTED);
    check_int(refused.subject.destroyed, 1);
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(abort_refuses_and_cancels),
    TEST(caller_runs_runs_it_in_the_calling_thread),
    TEST(a_task_that_ends_its_callers_thread_leaves_nothing_behind),
    TEST(discard_drops_it_and_cancels_its_future),
    TEST(discard_oldest_drops_the_head_of_the_queue_and_takes_its_place),
    TEST(discard_oldest_with_nothing_to_drop_comes_to_an_end),
    TEST(an_own_policy_takes_the_task_over_and_answers),
    TEST(an_own_policy_may_accept_a_submitted_future_and_run_it_later),
    TEST(the_policy_can_be_changed_while_the_pool_runs),
    TEST(after_shutdown_no_policy_runs_the_task),
    TEST(after_shutdown_discard_oldest_leaves_the_queue_alone),
    TEST(a_submission_that_is_discarded_hands_out_a_cancelled_future),
    TEST(discard_oldest_without_threads_uses_the_task_up),
    END_OF_TESTS,
};

const struct suite pool_rejection_suite = {.name = "pool_rejection", .tests = tests};
