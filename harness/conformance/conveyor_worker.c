/*
 * What a worker does with functions that lie on a conveyor one behind the other: it runs them
 * without making tasks of them, keeping its lock and letting cancellation in all the time. Nothing
 * that one of them leaves behind may reach the next, and the pool's wishes come first all the same.
 *
 * In each test the worker is held while the functions are put, so that it finds them all.
 */
#include <pthread.h>

#include <glasspool/pool.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "conveyor_support.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

enum {
    FEW = 6
};

static void execute(gp_pool *pool, gp_run_fn *run, void *argument)
{
    check_status(gp_pool_execute(pool, run, argument), GP_OK);
}

/* Functions that do not return. */

static void leave_thread(void *entry)
{
    write_entry(entry);
    pthread_exit(NULL);
}

static void cancel_thread(void *entry)
{
    write_entry(entry);
    pthread_cancel(pthread_self());
}

static void cancel_thread_unnoticed(void *entry)
{
    write_entry(entry);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
}

static void check_abrupt(gp_run_fn *ends)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    for (int i = 0; i < FEW; i += 2) {
        execute_entry(held.pool, &diary, i);
        execute_written(held.pool, ends, &diary, i + 1);
    }
    execute_entry(held.pool, &diary, FEW); /* by who comes after the last that ended */
    held_let_go(&held);
    check_status(gp_pool_await_quiescence(held.pool, long_enough()), GP_OK);
    check_int(pool_completed(held.pool), FEW + 2);
    check_int(pool_size(held.pool), 1);
    held_end(&held);
    check_diary(&diary, FEW + 1);
}

static void a_function_that_ends_its_thread_ends_no_other(void)
{
    check_abrupt(leave_thread);
}

static void a_function_whose_thread_is_cancelled_ends_no_other(void)
{
    check_abrupt(cancel_thread);
}

static void a_cancellation_that_a_function_held_off_ends_no_other(void)
{
    check_abrupt(cancel_thread_unnoticed);
}

/* What a function leaves behind. */

struct traces {
    int state; /* of cancellation, as a function or destructor finds it */
    int type;  /* likewise */
    int destroyed;
    bool interrupted;
};

static int asynchronous = PTHREAD_CANCEL_ASYNCHRONOUS;

static void change_cancellation(void *argument)
{
    const int *type = argument;
    pthread_setcanceltype(*type, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static void look_at_cancellation(void *argument)
{
    struct traces *traces = argument;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &traces->state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &traces->type);
}

static void cancellation_is_as_it_was_for_the_next(void)
{
    struct held held;
    struct traces traces = {.state = -1, .type = -1};
    hold_worker(&held);
    execute(held.pool, change_cancellation, &asynchronous);
    execute(held.pool, look_at_cancellation, &traces);
    held_end(&held);
    check_int(traces.state, PTHREAD_CANCEL_ENABLE);
    check_int(traces.type, PTHREAD_CANCEL_DEFERRED);
}

static gp_future *submitted(gp_pool *pool, gp_run_fn *run, void *argument)
{
    gp_future *future = NULL;
    gp_callable callable = gp_callable_of(run, argument, NULL);
    require_ok(gp_pool_submit(pool, &callable, &future));
    return future;
}

/* What follows a task may be a function or a task. */
static void cancellation_is_as_it_was_after_a_task(void)
{
    struct held held;
    struct traces traces[2] = {{.state = -1, .type = -1}, {.state = -1, .type = -1}};
    gp_future *futures[3];
    hold_worker(&held);
    futures[0] = submitted(held.pool, change_cancellation, &asynchronous);
    execute(held.pool, look_at_cancellation, &traces[0]);
    futures[1] = submitted(held.pool, change_cancellation, &asynchronous);
    futures[2] = submitted(held.pool, look_at_cancellation, &traces[1]);
    held_let_go(&held);
    for (int i = 0; i < 3; i++)
        future_end(futures[i], GP_OK);
    held_end(&held);
    for (int i = 0; i < 2; i++) {
        check_int(traces[i].state, PTHREAD_CANCEL_ENABLE);
        check_int(traces[i].type, PTHREAD_CANCEL_DEFERRED);
    }
}

static void destroy(void *payload)
{
    struct traces *traces = payload;
    traces->destroyed++;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &traces->state);
}

static void fail(void *argument)
{
    (void)gp_fail(&(gp_failure){.code = 1, .payload = argument, .destroy_payload = destroy});
}

static void look_whether_destroyed(void *argument)
{
    struct traces *traces = argument;
    traces->type = traces->destroyed;
}

static void a_failure_is_forgotten_before_the_next_and_not_cut_short(void)
{
    struct held held;
    struct traces traces = {.state = -1};
    hold_worker(&held);
    execute(held.pool, fail, &traces);
    execute(held.pool, look_whether_destroyed, &traces);
    held_end(&held);
    check_int(traces.destroyed, 1);
    check_int(traces.type, 1);
    check_int(traces.state, PTHREAD_CANCEL_DISABLE);
}

static void interrupt_oneself(void *argument)
{
    (void)argument;
    gp_thread_interrupt(gp_thread_self());
}

static void look_at_flag(void *argument)
{
    struct traces *traces = argument;
    traces->interrupted = gp_is_interrupted(gp_thread_self());
}

static void an_interrupt_of_one_does_not_reach_the_next(void)
{
    struct held held;
    struct traces traces = {.interrupted = true};
    hold_worker(&held);
    execute(held.pool, interrupt_oneself, NULL);
    execute(held.pool, look_at_flag, &traces);
    held_end(&held);
    check(!traces.interrupted);
}

/* What the pool wants in between. */

struct shown {
    gp_pool *pool;
    gp_pool_thread thread;
    gp_pool_stats stats;
};

static void look_at_figures(void *argument)
{
    struct shown *shown = argument;
    gp_pool_threads(shown->pool, &shown->thread, 1);
    gp_pool_statistics(shown->pool, &shown->stats);
}

static void figures_are_kept(void)
{
    struct held held;
    struct diary diary = {0};
    struct shown shown;
    hold_worker(&held);
    shown.pool = held.pool;
    execute_entry(held.pool, &diary, 0);
    execute(held.pool, look_at_figures, &shown);
    execute_entry(held.pool, &diary, 1);
    held_end(&held);
    check(shown.thread.runs == (void (*)(void))look_at_figures);
    check_int(shown.thread.completed, 2);
    check_int(shown.stats.active, 1);
    check_int(shown.stats.queued, 1);
    check_int(shown.stats.total, 4);
}

struct stopped {
    gp_pool *pool;
    gp_task_list unrun;
};

static void stop(void *argument)
{
    struct stopped *stopped = argument;
    gp_pool_shutdown_now(stopped->pool, &stopped->unrun);
}

static void nothing_is_run_after_a_stop(void)
{
    struct held held;
    struct diary diary = {0};
    struct stopped stopped;
    hold_worker(&held);
    stopped.pool = held.pool;
    execute_entry(held.pool, &diary, 0);
    execute(held.pool, stop, &stopped);
    for (int i = 1; i < FEW; i++)
        execute_entry(held.pool, &diary, i);
    held_end(&held);
    check_diary(&diary, 1);
    check_int(stopped.unrun.count, FEW - 1);
    gp_task_list_discard(&stopped.unrun);
}

/* Step 1 of execute: a function is placed when the core is there, not when there is anybody. */
static void functions_start_all_of_the_core(void)
{
    gp_pool *pool = pool_with(3, 3, conveyor());
    for (int i = 0; i < FEW; i++) {
        execute(pool, run_nothing, NULL);
        check_int(pool_size(pool), i < 3 ? i + 1 : 3);
    }
    pool_end(pool);
}

static void want_one_worker(void *pool)
{
    check_status(gp_pool_set_core_size(pool, 1), GP_OK);
    check_status(gp_pool_set_maximum_size(pool, 1), GP_OK);
}

static void a_worker_that_is_too_many_leaves_the_rest_to_others(void)
{
    gp_pool *pool = pool_with(2, 2, conveyor());
    struct job first;
    struct job second;
    struct diary diary = {0};
    job_init_holding(&first);
    job_init_holding(&second);
    gp_future *futures[] = {job_submit(pool, &first), job_submit(pool, &second)};
    latch_await(&first.begun);
    latch_await(&second.begun);
    execute(pool, want_one_worker, pool);
    for (int i = 0; i < FEW; i++)
        execute_entry(pool, &diary, i);
    job_let_go(&first);
    check(await_pool_size(pool, 1));
    check_int(pool_queued(pool), FEW);
    job_let_go(&second);
    future_end(futures[0], GP_OK);
    future_end(futures[1], GP_OK);
    pool_end(pool);
    check_diary(&diary, FEW);
}

static const struct test tests[] = {
    TEST(a_function_that_ends_its_thread_ends_no_other),
    TEST(a_function_whose_thread_is_cancelled_ends_no_other),
    TEST(a_cancellation_that_a_function_held_off_ends_no_other),
    TEST(cancellation_is_as_it_was_for_the_next),
    TEST(cancellation_is_as_it_was_after_a_task),
    TEST(a_failure_is_forgotten_before_the_next_and_not_cut_short),
    TEST(an_interrupt_of_one_does_not_reach_the_next),
    TEST(figures_are_kept),
    TEST(nothing_is_run_after_a_stop),
    TEST(functions_start_all_of_the_core),
    TEST(a_worker_that_is_too_many_leaves_the_rest_to_others),
    END_OF_TESTS,
};

const struct suite conveyor_worker_suite = {.name = "conveyor_worker", .tests = tests};
