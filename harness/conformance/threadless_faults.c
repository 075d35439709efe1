/*
 * Threadless executors when the wait does not end well: by time, by an interrupt, by a task that
 * ends the thread; and when memory or threads are short.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"
#include "threadless_support.h"

/* Time. */

static void a_timed_wait_ends_and_is_not_early(void)
{
    struct call call;
    struct job late;
    call_init(&call);
    job_init(&late);
    int64_t before = gp_now();
    check_status(gp_threadless_wait_and_drain_timed(call.threadless, GP_MILLISECONDS(3)),
                 GP_ETIMEDOUT);
    check(gp_time_until(gp_now(), before) >= GP_MILLISECONDS(3));
    call_give(&call, &late);
    job_await_end(&late);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK); /* it is over */
    call_end(&call);
    check_int(late.subject.runs, 1);
}

static void without_time_what_is_there_is_run(void)
{
    struct call call;
    struct job job;
    call_init(&call);
    job_init(&job);
    call_give(&call, &job);
    check_status(gp_threadless_wait_and_drain_timed(call.threadless, -1), GP_OK);
    check_int(job.subject.destroyed, 1);
    check(pthread_equal(job.thread, pthread_self()));
    call_end(&call);
}

/* Interrupts. */

static void an_interrupted_wait_leaves_nothing_behind(void)
{
    struct call call;
    struct job late;
    struct helper helper;
    call_init(&call);
    job_init(&late);
    helper_start(&helper, call_drain, &call);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(call.drained, GP_EINTERRUPTED);
    call_give(&call, &late);
    job_await_end(&late);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    call_end(&call);
    check_int(late.subject.runs, 1);
}

static void a_flag_that_is_up_ends_the_wait_and_is_cleared(void)
{
    struct call call;
    call_init(&call);
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_EINTERRUPTED);
    check(!gp_interrupted());
    call_end(&call);
}

static void a_task_that_is_there_wins_against_an_interrupt(void)
{
    struct call call;
    struct job job;
    call_init(&call);
    job_init(&job);
    call_give(&call, &job);
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check(gp_interrupted());
    check_int(job.subject.runs, 1);
    check(job.interrupted);
    call_end(&call);
}

/* A task that ends the thread. */

static void cancel_oneself(struct job *job)
{
    (void)job;
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static void check_ending(void (*action)(struct job *), bool shut_down)
{
    struct call call;
    struct job ending;
    struct job rest[2];
    gp_future *futures[2];
    struct helper helper;
    call_init(&call);
    job_init_acting(&ending, action, NULL);
    call_give(&call, &ending);
    for (int i = 0; i < 2; i++) {
        job_init(&rest[i]);
        futures[i] = call_submit(&call, &rest[i]);
    }
    check(gp_threadless_notify_return(call.threadless, &(gp_failure){.code = 7}));
    if (shut_down)
        gp_pool_shutdown(call.shared);
    call.drained = 77; /* it does not come back */
    helper_start(&helper, call_drain, &call);
    helper_join(&helper);
    check_int(call.drained, 77);
    check_int(failure_code_of(&call), 7);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    for (int i = 0; i < 2; i++)
        future_end(futures[i], shut_down ? GP_ECANCELLED : GP_OK);
    call_end(&call);
    check_int(ending.subject.destroyed, 1);
    for (int i = 0; i < 2; i++) {
        check_int(rest[i].subject.runs, shut_down ? 0 : 1);
        check_int(rest[i].subject.destroyed, 1);
    }
}

static void the_rest_of_one_that_ends_its_thread_goes_to_the_shared_executor(void)
{
    check_ending(leave_by_exit, false);
    check_ending(cancel_oneself, false);
}

static void what_is_refused_there_is_used_up(void)
{
    check_ending(leave_by_exit, true);
}

/* The calling thread's shared executor is busy: it queues, or has its submitters run what it has no
   worker for. */
static void call_init_busy(struct call *call, struct job *busy, gp_queue *queue)
{
    gp_pool_config config = config_with(1, 1, queue);
    config.rejection.reject = gp_reject_caller_runs;
    call_init_with(call, pool_of(&config));
    job_init_holding(busy);
    job_execute(call->shared, busy);
    latch_await(&busy->begun);
}

struct ending_thread {
    struct call *call;
    struct job *last; /* run when the rest has been seen to */
};

static void run_last(void *argument)
{
    gp_task_run(job_task(argument));
}

static void drain_and_run_last(void *argument)
{
    struct ending_thread *ending = argument;
    pthread_cleanup_push(run_last, ending->last);
    call_drain(ending->call);
    pthread_cleanup_pop(0);
}

/* Each of the rest would end the thread, too. */
static void a_thread_that_was_ended_runs_nothing_for_the_shared_executor(void)
{
    struct call call;
    struct job busy;
    struct job ending[3];
    struct job last;
    struct helper helper;
    gp_future *futures[3];
    call_init_busy(&call, &busy, synchronous());
    for (int i = 0; i < 3; i++) {
        job_init_acting(&ending[i], leave_by_exit, NULL);
        futures[i] = call_submit(&call, &ending[i]);
    }
    job_init(&last);
    helper_start(&helper, drain_and_run_last, &(struct ending_thread){&call, &last});
    helper_join(&helper);
    future_end(futures[0], GP_EFAILED);
    for (int i = 1; i < 3; i++) {
        future_end(futures[i], GP_ECANCELLED);
        check_int(ending[i].subject.runs, 0);
        check_int(ending[i].subject.destroyed, 1);
    }
    check_int(last.subject.runs, 1); /* [TASK-4] is for the handing on alone */
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    job_let_go(&busy);
    call_end(&call);
}

static void a_notification_does_not_wait_for_the_shared_executor(void)
{
    struct call call;
    struct job busy;
    struct job ending;
    struct helper helper;
    call_init_busy(&call, &busy, linked_of(2));
    job_init_acting(&ending, leave_by_exit, NULL);
    call_give(&call, &ending);
    check(gp_threadless_notify_return(call.threadless, &(gp_failure){.code = 7}));
    helper_start(&helper, call_drain, &call);
    helper_join(&helper);
    check_int(pool_queued(call.shared), 0);
    check(gp_future_is_done(call.answer));
    job_let_go(&busy);
    check_int(failure_code_of(&call), 7);
    call_end(&call);
}

static void what_cannot_be_handed_on_is_discarded(void)
{
    struct call call;
    struct job ending;
    struct job next;
    struct helper helper;
    call_init(&call);
    job_init_acting(&ending, leave_by_exit, NULL);
    ending.holds = true;
    job_init(&next);
    call_give(&call, &ending);
    gp_future *future = call_submit(&call, &next);
    helper_start(&helper, call_drain, &call);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    job_let_go(&ending);
    helper_join(&helper);
    fault_disarm();
    future_end(future, GP_ECANCELLED);
    check_int(next.subject.destroyed, 1);
    call_end(&call);
}

/* Memory and threads. */

static void gp_threadless_new_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    struct call call;
    call_init(&call);
    while (fault_walk_next(&walk)) {
        gp_threadless *threadless = NULL;
        int status = gp_threadless_new(call.shared, call.answer, &threadless);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((threadless == NULL) == hit);
        gp_threadless_release(threadless);
    }
    check(walk.point > 2);
    call_end(&call);
}

/* While it is waited for, and when that is over; the shared executor, which has no worker, tries
   again where it can. */
static void check_giving(bool over)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        struct call call;
        struct job job;
        fault_disarm();
        call_init(&call);
        job_init(&job);
        gp_callable callable = job_callable(&job);
        gp_future *future = NULL;
        if (over)
            check_status(gp_threadless_wait_and_drain_timed(call.threadless, 0), GP_ETIMEDOUT);
        fault_arm(walk.kinds, walk.point, FAULT_THIS_THREAD);
        int status = gp_threadless_submit(call.threadless, &callable, &future);
        bool hit = fault_walk_hit(&walk);
        bool taken = status == GP_OK;
        check(taken || (hit && (status == GP_ENOMEM || status == GP_EAGAIN)));
        check((future != NULL) == taken);
        call_end(&call);
        check_int(job.subject.destroyed, taken ? 1 : 0); /* else it stayed ours */
        check_int(job.subject.runs, taken && over ? 1 : 0);
        gp_future_release(future);
    }
}

static void giving_fails_cleanly_at_each_point(void)
{
    check_giving(false);
    check_giving(true);
}

static void a_function_without_memory_or_thread_is_not_taken(void)
{
    struct call call;
    call_init(&call);
    fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
    int without_memory = gp_threadless_execute(call.threadless, run_nothing, NULL);
    fault_disarm();
    check_status(without_memory, GP_ENOMEM);
    check_status(gp_threadless_wait_and_drain_timed(call.threadless, 0), GP_ETIMEDOUT);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    int without_thread = gp_threadless_execute(call.threadless, run_nothing, NULL);
    fault_disarm();
    check_status(without_thread, GP_EAGAIN);
    call_end(&call);
}

static void wait_without_memory(void *argument)
{
    struct call *call = argument;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    call_drain(call);
    fault_disarm();
}

static void without_memory_for_a_record_nothing_has_happened(void)
{
    struct call call;
    struct job job;
    struct helper helper;
    call_init(&call);
    job_init(&job);
    call_give(&call, &job);
    helper_start_bare(&helper, wait_without_memory, &call);
    helper_join(&helper);
    check_status(call.drained, GP_ENOMEM);
    check_int(job.subject.runs, 0);
    check_status(gp_threadless_wait_and_drain(call.threadless), GP_OK);
    check_int(job.subject.runs, 1);
    call_end(&call);
}

static const struct test tests[] = {
    TEST(a_timed_wait_ends_and_is_not_early),
    TEST(without_time_what_is_there_is_run),
    TEST(an_interrupted_wait_leaves_nothing_behind),
    TEST(a_flag_that_is_up_ends_the_wait_and_is_cleared),
    TEST(a_task_that_is_there_wins_against_an_interrupt),
    TEST(the_rest_of_one_that_ends_its_thread_goes_to_the_shared_executor),
    TEST(what_is_refused_there_is_used_up),
    TEST(a_thread_that_was_ended_runs_nothing_for_the_shared_executor),
    TEST(a_notification_does_not_wait_for_the_shared_executor),
    TEST(what_cannot_be_handed_on_is_discarded),
    TEST(gp_threadless_new_fails_cleanly_at_each_point),
    TEST(giving_fails_cleanly_at_each_point),
    TEST(a_function_without_memory_or_thread_is_not_taken),
    TEST(without_memory_for_a_record_nothing_has_happened),
    END_OF_TESTS,
};

const struct suite threadless_faults_suite = {.name = "threadless_faults", .tests = tests};
