/* The end of a timer, and of its worker: stop, interrupts, functions that end their thread. */
#include <sched.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"
#include "wheel_support.h"

#define HOUR GP_SECONDS(3600)

/* What stop hands back. */

static void stop_hands_back_what_is_pending_and_cancels_it(void)
{
    struct subject subjects[3] = {{0}};
    gp_timeout_list unrun;
    gp_timer *timer = quick_timer();
    gp_timeout *pending = timeout_after(timer, HOUR, &subjects[0]);
    gp_timeout *cancelled = timeout_after(timer, HOUR, &subjects[1]);
    gp_timeout *expired = timeout_after(timer, 0, &subjects[2]);
    check(gp_timeout_cancel(cancelled));
    check(await_destroyed(&subjects[2], 1));
    check_status(gp_timer_stop(timer, &unrun), GP_OK);
    check_int(unrun.count, 1);
    gp_timeout *back = gp_timeout_list_pop(&unrun);
    check(back == pending);
    check(gp_timeout_list_pop(&unrun) == NULL);
    check(gp_timeout_is_cancelled(pending)); /* netty #14081 */
    check(!gp_timeout_cancel(pending));
    check_int(subjects[0].destroyed, 0);
    check(gp_timeout_argument(back) == &subjects[0]); /* to be used elsewhere, say */
    gp_timeout_release(pending);
    check_int(subjects[0].destroyed, 0);
    gp_timeout_release(back);
    check_int(subjects[0].destroyed, 1);
    gp_timeout_release(cancelled);
    gp_timeout_release(expired);
    timer_end(timer);
    for (int i = 0; i < 3; i++) {
        check_int(subjects[i].destroyed, 1);
        check_int(subjects[i].runs, i == 2);
    }
}

static void a_second_stop_gives_an_empty_list(void)
{
    struct subject subject = {0};
    gp_timeout_list unrun = {.count = 77};
    gp_timer *timer = quick_timer();
    check_status(add_after(timer, HOUR, &subject), GP_OK);
    check_status(gp_timer_stop(timer, NULL), GP_OK);
    check_int(subject.destroyed, 1);
    check_status(gp_timer_stop(timer, &unrun), GP_OK);
    check_int(unrun.count, 0);
    check(unrun.first == NULL);
    timer_end(timer);
}

static void handles_outlive_the_timer(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    gp_timeout *timeout = timeout_after(timer, HOUR, &subject);
    check_status(gp_timer_close(timer), GP_OK);
    check_int(subject.destroyed, 0); /* ours is the last reference */
    check(!gp_timeout_cancel(timeout));
    check(gp_timeout_timer(timeout) == timer);
    check(gp_time_until(gp_timeout_deadline(timeout), gp_now()) > 0);
    gp_timeout *again = gp_timeout_retain(timeout);
    gp_timeout_release(timeout);
    gp_timeout_release(again);
    check_int(subject.destroyed, 1);
}

/* On the worker. */

struct attempt {
    int stop, close, free, start;
};

static int try_to_end(gp_timeout *timeout, void *argument)
{
    struct attempt *attempt = argument;
    gp_timer *timer = gp_timeout_timer(timeout);
    gp_timeout_list unrun = {.count = 77};
    attempt->start = gp_timer_start(timer);
    attempt->stop = gp_timer_stop(timer, &unrun);
    attempt->close = gp_timer_close(timer);
    attempt->free = gp_timer_free(timer);
    return unrun.count != 77;
}

static void the_worker_cannot_end_its_timer(void)
{
    struct attempt attempt = {1, 1, 1, 1};
    struct subject after = {0};
    gp_timer *timer = quick_timer();
    require_ok(gp_timer_after(timer, 0, try_to_end, &attempt, NULL, NULL));
    check_status(add_after(timer, GP_MILLISECONDS(1), &after), GP_OK);
    check(await_runs(&after, 1));
    check_int(gp_timer_failures(timer), 0);
    check(!gp_timer_is_stopped(timer));
    timer_end(timer);
    check_status(attempt.start, GP_OK);
    check_status(attempt.stop, GP_EDEADLK); /* NETTY-365 */
    check_status(attempt.close, GP_EDEADLK);
    check_status(attempt.free, GP_EDEADLK);
}

/* Interrupts. */

struct sleeper {
    struct latch asleep;
    int status;
};

static int sleep_long(gp_timeout *timeout, void *argument)
{
    struct sleeper *sleeper = argument;
    (void)timeout;
    latch_count_down(&sleeper->asleep);
    sleeper->status = gp_sleep(HOUR);
    return 0;
}

static void stop_interrupts_what_is_called_and_calls_nothing_more(void)
{
    struct sleeper sleeper;
    struct subject next = {0};
    gp_timer *timer = quick_timer();
    latch_init(&sleeper.asleep, 1);
    require_ok(gp_timer_after(timer, 0, sleep_long, &sleeper, NULL, NULL));
    check_status(add_after(timer, 0, &next), GP_OK);
    latch_await(&sleeper.asleep);
    int before = next.runs; /* 1 if it came a tick earlier, which no order forbids */
    timer_end(timer);
    check_status(sleeper.status, GP_EINTERRUPTED);
    check_int(next.runs, before);
    check_int(next.destroyed, 1);
}

static void stop_wakes_a_worker_that_has_nothing_to_do(void)
{
    gp_wheel_config config = quick_config();
    config.tick = HOUR;
    gp_timer *timer = timer_of(&config);
    int64_t before = gp_now();
    require_ok(gp_timer_start(timer));
    timer_end(timer);
    check(gp_time_until(gp_now(), before) < HOUR);
}

static void stop_finishes_although_its_caller_is_interrupted(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    check_status(add_after(timer, HOUR, &subject), GP_OK);
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_timer_stop(timer, NULL), GP_OK);
    check(gp_interrupted());
    check_int(subject.destroyed, 1);
    timer_end(timer);
}

static int interrupt_oneself(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    gp_thread_interrupt(gp_thread_self());
    return 0;
}

static int was_interrupted(gp_timeout *timeout, void *argument)
{
    _Atomic int *answer = argument;
    (void)timeout;
    atomic_store(answer, gp_interrupted() ? 2 : 1);
    return 0;
}

static bool is_answered(void *argument)
{
    _Atomic int *answer = argument;
    return atomic_load(answer) != 0;
}

static void check_left_over(const gp_wheel_config *config)
{
    _Atomic int answer = 0;
    gp_timer *timer = timer_of(config);
    require_ok(gp_timer_after(timer, 0, interrupt_oneself, NULL, NULL, NULL));
    require_ok(gp_timer_after(timer, 0, was_interrupted, &answer, NULL, NULL));
    check(eventually(is_answered, &answer));
    check_int(answer, 1);
    timer_end(timer);
}

static void an_interrupt_left_over_does_not_reach_the_next_and_ends_nothing(void)
{
    gp_wheel_config config = quick_config();
    check_left_over(&config);
}

/* An executor that has them called on the worker: it is busy, and has no room. [TURN-4] */
static gp_pool *busy_pool(struct job *job)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *pool = NULL;
    require_ok(gp_synchronous_new(&config.queue));
    config.rejection.reject = gp_reject_caller_runs;
    require_ok(gp_pool_new(&config, &pool));
    job_init_holding(job);
    job_execute(pool, job);
    latch_await(&job->begun);
    return pool;
}

static void busy_pool_end(gp_pool *pool, struct job *job)
{
    job_let_go(job);
    check_status(gp_pool_close(pool), GP_OK);
}

static void nor_if_the_executor_lets_its_submitters_run_them(void)
{
    struct job job;
    gp_wheel_config config = quick_config();
    config.executor = busy_pool(&job);
    check_left_over(&config);
    busy_pool_end(config.executor, &job);
}

/* Those who come second wait. */

struct stopping {
    gp_timer *timer;
    struct latch inside; /* a function is being called */
    struct gate gate;    /* that it waits at */
    int status;
    gp_timeout_list unrun;
    bool interrupted;
};

static int hold(gp_timeout *timeout, void *argument)
{
    struct stopping *stopping = argument;
    (void)timeout;
    latch_count_down(&stopping->inside);
    gate_pass(&stopping->gate);
    return 0;
}

static void stop_it(void *argument)
{
    struct stopping *stopping = argument;
    stopping->status = gp_timer_stop(stopping->timer, &stopping->unrun);
    stopping->interrupted = gp_interrupted();
}

static bool is_stopped(void *timer)
{
    return gp_timer_is_stopped(timer);
}

static void a_second_stop_waits_for_the_first_and_is_not_interruptible(void)
{
    struct subject subject = {0};
    struct stopping first = {.timer = quick_timer()};
    struct stopping second = {.timer = first.timer};
    struct helper helpers[2];
    latch_init(&first.inside, 1);
    gate_init(&first.gate);
    require_ok(gp_timer_after(first.timer, 0, hold, &first, NULL, NULL));
    check_status(add_after(first.timer, HOUR, &subject), GP_OK);
    latch_await(&first.inside);
    helper_start(&helpers[0], stop_it, &first);
    check(eventually(is_stopped, first.timer));
    check_status(gp_timer_free(first.timer), GP_EBUSY);
    helper_start(&helpers[1], stop_it, &second);
    helper_await_asleep(&helpers[1]);
    helper_interrupt(&helpers[1]);
    helper_await_asleep(&helpers[1]);
    check(!latch_await_for(&helpers[1].ended, GP_MILLISECONDS(5)));
    gate_open(&first.gate, 1);
    helper_join(&helpers[0]);
    helper_join(&helpers[1]);
    check_status(first.status, GP_OK);
    check_status(second.status, GP_OK);
    check_int(first.unrun.count, 1);
    check_int(second.unrun.count, 0);
    check(second.interrupted);
    gp_timeout_list_release(&first.unrun);
    timer_end(first.timer);
    check_int(subject.destroyed, 1);
}

/* Functions that end their thread. */

struct failures {
    _Atomic int abrupt;
};

static void note_failure(void *context, gp_timeout *timeout, int status)
{
    struct failures *failures = context;
    (void)timeout;
    if (status == GP_EABRUPT)
        atomic_fetch_add(&failures->abrupt, 1);
}

static void exit_thread(struct subject *subject)
{
    (void)subject;
    pthread_exit(NULL);
}

static void cancel_thread(struct subject *subject)
{
    (void)subject;
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static gp_timer *timer_noting(struct failures *failures, gp_pool *executor)
{
    gp_wheel_config config = quick_config();
    config.executor = executor;
    config.hooks = (gp_timer_hooks){.failed = note_failure, .context = failures};
    return timer_of(&config);
}

static void check_killed(void (*kill)(struct subject *), gp_pool *executor)
{
    struct failures failures = {0};
    struct subject leaving = {.inside = kill};
    struct subject others = {0};
    struct subject idle = {0};
    gp_timer *timer = timer_noting(&failures, executor);
    for (int i = 0; i < 20; i++) { /* several rounds ahead: none may be counted down twice */
        check_status(add_after(timer, i % 2 == 0 ? 0 : GP_MILLISECONDS(i), &leaving), GP_OK);
        check_status(add_after(timer, i % 2 == 0 ? 0 : GP_MILLISECONDS(i), &others), GP_OK);
        check_status(add_after(timer, HOUR + GP_MILLISECONDS(i), &idle), GP_OK);
    }
    check(await_destroyed(&leaving, 20));
    check(await_destroyed(&others, 20));
    check_int(failures.abrupt, 20);
    check_int(gp_timer_failures(timer), 20);
    check_int(gp_timer_pending(timer), 20);
    timer_end(timer);
    check_int(leaving.runs, 20);
    check_int(others.runs, 20);
    check_int(idle.destroyed, 20);
    check_int(idle.runs, 0);
}

static void a_worker_that_a_function_has_killed_is_replaced(void)
{
    check_killed(exit_thread, NULL);
    check_killed(cancel_thread, NULL);
}

static void leave_cancel_pending(struct subject *subject)
{
    (void)subject;
    pthread_cancel(pthread_self());
}

static void test_cancel(struct subject *subject)
{
    pthread_testcancel();
    atomic_fetch_add((_Atomic int *)subject->context, 1);
}

static void check_pending_cancel(gp_pool *executor)
{
    _Atomic int survivors = 0;
    struct failures failures = {0};
    struct subject first = {.inside = leave_cancel_pending};
    struct subject next = {.inside = test_cancel, .context = &survivors};
    gp_timer *timer = timer_noting(&failures, executor);
    check_status(add_after(timer, 0, &first), GP_OK);
    check_status(add_after(timer, 0, &next), GP_OK);
    check(await_destroyed(&next, 1));
    check_int(survivors, 1);
    check_int(failures.abrupt, 0); /* it had done its work */
    timer_end(timer);
}

static void a_pending_cancel_does_not_reach_the_next(void)
{
    check_pending_cancel(NULL);
}

/* They are called on the worker, if in another way; what they do to it is the same. */
static void all_of_this_if_the_executor_lets_its_submitters_run_them(void)
{
    struct job job;
    gp_pool *executor = busy_pool(&job);
    check_killed(exit_thread, executor);
    check_killed(cancel_thread, executor);
    check_pending_cancel(executor);
    busy_pool_end(executor, &job);
}

struct killing {
    struct latch inside;
    struct gate gate;
};

static int hold_and_exit(gp_timeout *timeout, void *argument)
{
    struct killing *killing = argument;
    (void)timeout;
    latch_count_down(&killing->inside);
    gate_pass(&killing->gate);
    pthread_exit(NULL);
}

static void a_worker_that_is_killed_while_the_timer_stops_has_no_successor(void)
{
    struct killing killing;
    struct subject subject = {0};
    struct stopping stopping = {.timer = quick_timer()};
    struct helper helper;
    latch_init(&killing.inside, 1);
    gate_init(&killing.gate);
    require_ok(gp_timer_after(stopping.timer, 0, hold_and_exit, &killing, NULL, NULL));
    check_status(add_after(stopping.timer, HOUR, &subject), GP_OK);
    latch_await(&killing.inside);
    helper_start(&helper, stop_it, &stopping);
    check(eventually(is_stopped, stopping.timer));
    gate_open(&killing.gate, 1);
    helper_join(&helper);
    check_int(stopping.unrun.count, 1);
    gp_timeout_list_release(&stopping.unrun);
    timer_end(stopping.timer);
    check_int(subject.destroyed, 1);
}

static const struct test tests[] = {
    TEST(stop_hands_back_what_is_pending_and_cancels_it),
    TEST(a_second_stop_gives_an_empty_list),
    TEST(handles_outlive_the_timer),
    TEST(the_worker_cannot_end_its_timer),
    TEST(stop_interrupts_what_is_called_and_calls_nothing_more),
    TEST(stop_wakes_a_worker_that_has_nothing_to_do),
    TEST(stop_finishes_although_its_caller_is_interrupted),
    TEST(an_interrupt_left_over_does_not_reach_the_next_and_ends_nothing),
    TEST(nor_if_the_executor_lets_its_submitters_run_them),
    TEST(a_second_stop_waits_for_the_first_and_is_not_interruptible),
    TEST(a_worker_that_a_function_has_killed_is_replaced),
    TEST(a_pending_cancel_does_not_reach_the_next),
    TEST(all_of_this_if_the_executor_lets_its_submitters_run_them),
    TEST(a_worker_that_is_killed_while_the_timer_stops_has_no_successor),
    END_OF_TESTS,
};

const struct suite wheel_stop_suite = {
    .name = "wheel_stop", .tests = tests, .prepare = choose_hashed};
const struct suite tickless_stop_suite = {
    .name = "tickless_stop", .tests = tests, .prepare = choose_tickless};
const struct suite wheel_fast_stop_suite = {
    .name = "wheel_fast_stop", .tests = tests, .prepare = choose_fast};
