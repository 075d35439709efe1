/* Threadless executors: tasks before, during and after the wait, and notifications. */
#include <glasspool/threadless.h>

#include <string.h>

#include <glasspool/status.h>

#include "suite.h"
#include "support.h"
#include "threadless_support.h"

static void check_ran_here(const struct job *job)
{
    check_int(job->subject.runs, 1);
    check_int(job->subject.destroyed, 1);
    check(pthread_equal(job->thread, pthread_self()));
}

static void check_ran_elsewhere(struct job *job)
{
    job_await_end(job);
    check_int(job->subject.runs, 1);
    check_int(job->subject.destroyed, 1);
    check(strncmp(job->name, "pool-", 5) == 0);
}

static void arguments_are_checked(void)
{
    struct call call;
    gp_threadless *threadless = NULL;
    gp_future *future = NULL;
    gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    call_init(&call);
    check_status(gp_threadless_new(NULL, call.answer, &threadless), GP_EINVAL);
    check_status(gp_threadless_new(call.shared, NULL, &threadless), GP_EINVAL);
    check_status(gp_threadless_new(call.shared, call.answer, NULL), GP_EINVAL);
    check(threadless == NULL);
    check_status(gp_threadless_execute(NULL, run_nothing, NULL), GP_EINVAL);
    check_status(gp_threadless_execute(call.threadless, NULL, NULL), GP_EINVAL);
    check_status(gp_threadless_execute_task(NULL, NULL), GP_EINVAL);
    check_status(gp_threadless_execute_task(call.threadless, NULL), GP_EINVAL);
    check_status(gp_threadless_submit(NULL, &callable, &future), GP_EINVAL);
    check_status(gp_threadless_submit(call.threadless, NULL, &future), GP_EINVAL);
    check_status(gp_threadless_submit(call.threadless, &(gp_callable){0}, &future), GP_EINVAL);
    check(future == NULL);
    gp_threadless_release(NULL);
    call_end(&call);
}

/* Draining. */

struct order {
    int next;
    int seen[3];
};

static void note_order(struct job *job)
{
    struct order *order = job->context;
    order->seen[order->next++] = job->subject.code;
}

static void what_came_before_the_wait_is_run_here_in_order(void)
{
    struct call call;
    struct job jobs[3];
    struct order order = {0};
    call_init(&call);
    for (int i = 0; i < 3; i++) {
        job_init_acting(&jobs[i], note_order, NULL);
        jobs[i].context = &order;
        jobs[i].subject.code = i;
        call_give(&call, &jobs[i]);
    }
    check_int(order.next, 0);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    for (int i = 0; i < 3; i++) {
        check_int(order.seen[i], i);
        check_ran_here(&jobs[i]);
    }
    check_int(pool_size(call.shared), 0);
    call_end(&call);
}

static void who_waits_is_woken_by_a_task(void)
{
    struct call call;
    struct job job;
    struct helper helper;
    call_init(&call);
    job_init(&job);
    helper_start(&helper, call_drain, &call);
    helper_await_asleep(&helper);
    call_give(&call, &job);
    helper_join(&helper);
    check_status(call.drained, GP_OK);
    check_int(job.subject.destroyed, 1);
    check(job.id == helper.id);
    call_end(&call);
}

static void add_one(void *argument)
{
    ++*(int *)argument;
}

static void functions_and_futures_are_taken_too(void)
{
    int count = 0;
    struct call call;
    struct job job;
    call_init(&call);
    job_init(&job);
    job.subject.result = &count;
    check_status(gp_threadless_execute(call.threadless, add_one, &count), GP_OK);
    gp_future *future = call_submit(&call, &job);
    gp_callable callable = gp_callable_of(add_one, &count, NULL);
    check_status(gp_threadless_submit(call.threadless, &callable, NULL), GP_OK);
    check(!gp_future_is_done(future));
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_int(count, 2);
    void *result = NULL;
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &count);
    gp_future_release(future);
    call_end(&call);
}

static void what_comes_after_goes_to_the_shared_executor(void)
{
    int count = 0;
    struct call call;
    struct job first;
    struct job second;
    struct job third;
    call_init(&call);
    job_init(&first);
    job_init(&second);
    job_init(&third);
    call_give(&call, &first);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_ran_here(&first);
    call_give(&call, &second);
    check_ran_elsewhere(&second);
    future_end(call_submit(&call, &third), GP_OK);
    check_ran_elsewhere(&third);
    check_status(gp_threadless_execute(call.threadless, add_one, &count), GP_OK);
    call_end(&call);
    check_int(count, 1);
}

static void what_the_shared_executor_refuses_is_used_up(void)
{
    struct call call;
    struct job first;
    struct job second;
    struct job third;
    call_init(&call);
    job_init(&first);
    job_init(&second);
    job_init(&third);
    call_give(&call, &first);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    gp_pool_shutdown(call.shared);
    check_status(gp_threadless_execute_task(call.threadless, job_task(&second)), GP_EREJECTED);
    check_int(second.subject.destroyed, 1);
    gp_callable callable = job_callable(&third);
    gp_future *future = NULL;
    check_status(gp_threadless_submit(call.threadless, &callable, &future), GP_EREJECTED);
    check(future == NULL);
    check_int(third.subject.destroyed, 1);
    check_status(gp_threadless_execute(call.threadless, run_nothing, NULL), GP_EREJECTED);
    call_end(&call);
    check_int(second.subject.runs + third.subject.runs, 0);
}

static void one_that_fails_does_not_lose_the_rest(void)
{
    struct call call;
    struct job failing;
    struct job next;
    call_init(&call);
    job_init(&failing);
    job_init(&next);
    failing.subject.code = 7;
    gp_future *future = call_submit(&call, &failing);
    call_give(&call, &next);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_status(gp_future_get(future, NULL), GP_EFAILED);
    check_int(future_failure_code(future), 7);
    check_ran_here(&next);
    gp_future_release(future);
    call_end(&call);
}

static void give_another(struct job *job)
{
    struct call *call = job->context;
    gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    gp_future *future = NULL;
    job->status = gp_threadless_submit(call->threadless, &callable, &future);
    future_end(future, GP_OK); /* the shared executor runs it meanwhile */
}

static void a_task_may_give_another_to_the_shared_executor(void)
{
    struct call call;
    struct job job;
    call_init(&call);
    job_init_acting(&job, give_another, NULL);
    job.context = &call;
    call_give(&call, &job);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_status(job.status, GP_OK);
    check_int(pool_size(call.shared), 1);
    call_end(&call);
}

/* Draining again. */

static void a_second_drain_comes_back_at_once(void)
{
    struct call call;
    struct job job;
    call_init(&call);
    job_init(&job);
    call_give(&call, &job);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_status(gp_threadless_wait_and_drain_timed(call.threadless, GP_FOREVER), GP_OK);
    check_ran_here(&job);
    call_end(&call);
}

static void drain_inside(struct job *job)
{
    struct call *call = job->context;
    job->status = gp_threadless_wait_and_drain(call->threadless);
}

static void a_task_that_drains_finds_it_busy(void)
{
    struct call call;
    struct job job;
    struct job next;
    call_init(&call);
    job_init_acting(&job, drain_inside, NULL);
    job_init(&next);
    job.context = &call;
    call_give(&call, &job);
    call_give(&call, &next);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_status(job.status, GP_EBUSY);
    check_ran_here(&next);
    call_end(&call);
}

static void a_drain_beside_another_finds_it_busy(void)
{
    struct call call;
    struct helper helper;
    struct job job;
    call_init(&call);
    job_init(&job);
    helper_start(&helper, call_drain, &call);
    helper_await_asleep(&helper);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_EBUSY);
    check_int(gp_threadless_check(call.threadless), 0);
    call_give(&call, &job);
    helper_join(&helper);
    check_status(call.drained, GP_OK);
    check_int(job.subject.runs, 1);
    call_end(&call);
}

/* Handles. */

static void what_nobody_waited_for_is_discarded_with_the_last_handle(void)
{
    struct call call;
    struct job job;
    call_init(&call);
    job_init(&job);
    gp_future *future = call_submit(&call, &job);
    check(gp_threadless_retain(call.threadless) == call.threadless);
    gp_threadless_release(call.threadless);
    check_int(job.subject.destroyed, 0);
    call_end(&call);
    future_end(future, GP_ECANCELLED);
    check_int(job.subject.destroyed, 1);
    check_int(job.subject.runs, 0);
}

/* Notifying. */

static void destroy_counted(void *payload)
{
    ++*(int *)payload;
}

static gp_failure failure_with(int code, int *destroyed)
{
    return (gp_failure){.code = code,
                        .message = "no answer",
                        .payload = destroyed,
                        .destroy_payload = destroy_counted};
}

static void a_notification_fails_the_future_and_ends_the_wait(void)
{
    int destroyed = 0;
    gp_failure failure = failure_with(7, &destroyed);
    gp_failure got = {0};
    struct call call;
    struct helper helper;
    call_init(&call);
    helper_start(&helper, call_drain, &call);
    helper_await_asleep(&helper);
    check(gp_threadless_notify_return(call.threadless, &failure));
    helper_join(&helper);
    check_status(call.drained, GP_OK);
    check_status(gp_future_get(call.answer, NULL), GP_EFAILED);
    check_status(gp_future_failure(call.answer, &got), GP_OK);
    check_int(got.code, 7);
    check_text(got.message, "no answer");
    check(got.payload == &destroyed);
    check_int(destroyed, 0);
    call_end(&call);
    check_int(destroyed, 1);
}

static void set_answer(struct job *job)
{
    struct call *call = job->context;
    gp_future_set(call->answer, NULL);
}

static void a_notification_has_its_turn_behind_the_answer(void)
{
    int destroyed = 0;
    gp_failure failure = failure_with(7, &destroyed);
    struct call call;
    struct job answer;
    struct job next;
    call_init(&call);
    job_init_acting(&answer, set_answer, NULL);
    job_init(&next);
    answer.context = &call;
    call_give(&call, &answer);
    check(gp_threadless_notify_return(call.threadless, &failure));
    call_give(&call, &next);
    check(!gp_future_is_done(call.answer));
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_status(gp_future_get(call.answer, NULL), GP_OK);
    check_int(destroyed, 1);
    check_ran_here(&next);
    call_end(&call);
}

static void one_notification_is_enough(void)
{
    int destroyed[2] = {0};
    gp_failure first = failure_with(7, &destroyed[0]);
    gp_failure second = failure_with(8, &destroyed[1]);
    struct call call;
    call_init(&call);
    check(gp_threadless_notify_return(call.threadless, &first));
    check(!gp_threadless_notify_return(call.threadless, &second));
    check_int(gp_threadless_check(call.threadless), 0);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check(!gp_threadless_notify_return(call.threadless, &second));
    check_int(failure_code_of(&call), 7);
    call_end(&call);
    check_int(destroyed[0], 1);
    check_int(destroyed[1], 0); /* it stayed ours */
}

static void when_the_wait_is_over_the_notifier_fails_the_future(void)
{
    struct call call;
    call_init(&call);
    check_status(gp_threadless_wait_and_drain_timed(call.threadless, 0), GP_ETIMEDOUT);
    check(gp_threadless_notify_return(call.threadless, &(gp_failure){.code = 7}));
    check_int(failure_code_of(&call), 7);
    check_int(pool_size(call.shared), 0);
    call_end(&call);
}

static void a_notification_that_nobody_waited_for_fails_the_future_at_the_end(void)
{
    struct call call;
    call_init(&call);
    gp_future *answer = gp_future_retain(call.answer);
    check(gp_threadless_notify_return(call.threadless, &(gp_failure){.code = 7}));
    check(!gp_future_is_done(answer));
    call_end(&call);
    check_int(future_failure_code(answer), 7);
    gp_future_release(answer);
}

static const struct test tests[] = {
    TEST(arguments_are_checked),
    TEST(what_came_before_the_wait_is_run_here_in_order),
    TEST(who_waits_is_woken_by_a_task),
    TEST(functions_and_futures_are_taken_too),
    TEST(what_comes_after_goes_to_the_shared_executor),
    TEST(what_the_shared_executor_refuses_is_used_up),
    TEST(one_that_fails_does_not_lose_the_rest),
    TEST(a_task_may_give_another_to_the_shared_executor),
    TEST(a_second_drain_comes_back_at_once),
    TEST(a_task_that_drains_finds_it_busy),
    TEST(a_drain_beside_another_finds_it_busy),
    TEST(what_nobody_waited_for_is_discarded_with_the_last_handle),
    TEST(a_notification_fails_the_future_and_ends_the_wait),
    TEST(a_notification_has_its_turn_behind_the_answer),
    TEST(one_notification_is_enough),
    TEST(when_the_wait_is_over_the_notifier_fails_the_future),
    TEST(a_notification_that_nobody_waited_for_fails_the_future_at_the_end),
    END_OF_TESTS,
};

const struct suite threadless_suite = {.name = "threadless", .tests = tests};
