/*
 * The conveyor's own, seen from a pool: plain functions go through its queue without a task around
 * them, and nobody can tell, but for the order of things and the memory they are in. What it shares
 * with the other queues is in queue.c and queue_wait.c, what it does without memory in
 * conveyor_faults.c.
 */
#include <pthread.h>

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "conveyor_support.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

enum {
    FEW = 6,
    MANY = 1000 /* the belts grow several times */
};

static gp_pool_stats stats_of(gp_pool *pool)
{
    gp_pool_stats stats;
    gp_pool_statistics(pool, &stats);
    return stats;
}

/* Order. */

static void functions_run_in_the_order_in_which_they_came(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    for (int i = 0; i < FEW; i++)
        execute_entry(held.pool, &diary, i);
    held_end(&held);
    check_diary(&diary, FEW);
}

static void functions_and_tasks_keep_one_order(void)
{
    struct held held;
    struct diary diary = {0};
    gp_future *futures[FEW];
    hold_worker(&held);
    for (int i = 0; i < 3 * FEW; i += 3) {
        gp_callable callable = entry_callable(&diary, i + 1);
        gp_task *task = NULL;
        execute_entry(held.pool, &diary, i);
        check_status(gp_task_new(&callable, &task), GP_OK);
        check_status(gp_pool_execute_task(held.pool, task), GP_OK);
        callable = entry_callable(&diary, i + 2);
        check_status(gp_pool_submit(held.pool, &callable, &futures[i / 3]), GP_OK);
    }
    held_let_go(&held);
    for (int i = 0; i < FEW; i++)
        future_end(futures[i], GP_OK);
    held_end(&held);
    check_diary(&diary, 3 * FEW);
}

static void a_large_backlog_keeps_its_order_while_more_comes(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    for (int i = 0; i < MANY; i++)
        execute_entry(held.pool, &diary, i);
    check_int(gp_queue_size(held.queue), MANY);
    check_int(gp_queue_check(held.queue), 0);
    held_let_go(&held);
    for (int i = MANY; i < DIARY_SIZE; i++)
        execute_entry(held.pool, &diary, i);
    held_end(&held);
    check_diary(&diary, DIARY_SIZE);
}

static void a_worker_that_sleeps_is_woken_for_a_function(void)
{
    gp_pool *pool = pool_with(1, 1, conveyor());
    struct diary diary = {0};
    check_status(gp_pool_prestart_core(pool), GP_OK);
    for (int i = 0; i < FEW; i++) {
        check(await_idle(pool, 1));
        execute_entry(pool, &diary, i);
        check(await_completed(pool, (uint64_t)i + 1));
    }
    check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
    check_int(pool_completed(pool), FEW);
    check_diary(&diary, FEW);
    pool_end(pool);
}

static void a_worker_leaves_when_its_time_is_up_and_another_one_comes(void)
{
    gp_pool_config config = config_with(0, 1, conveyor());
    config.keep_alive = GP_MICROSECONDS(100);
    gp_pool *pool = pool_of(&config);
    struct diary diary = {0};
    for (int i = 0; i < FEW; i++) {
        execute_entry(pool, &diary, i);
        check(await_pool_size(pool, 0));
    }
    pool_end(pool);
    check_diary(&diary, FEW);
}

/* Hooks. */

struct watcher {
    gp_task *seen[FEW]; /* by before_execute */
    int begun;
    int ended;
    int status; /* the last one of after_execute */
    void *argument;
    bool keeps; /* retain what was seen */
};

static void watch_begin(void *context, gp_task *task)
{
    struct watcher *watcher = context;
    if (watcher->begun < FEW)
        watcher->seen[watcher->begun] = watcher->keeps ? gp_task_retain(task) : task;
    watcher->begun++;
}

static void watch_end(void *context, gp_task *task, int status)
{
    struct watcher *watcher = context;
    watcher->ended++;
    watcher->status = status;
    watcher->argument = gp_task_argument(task);
}

static void a_task_that_a_hook_keeps_stays_as_it_is(void)
{
    struct watcher watcher = {.keeps = true};
    struct diary diary = {0};
    gp_pool_config config = config_with(1, 1, conveyor());
    config.hooks = (gp_pool_hooks){
        .before_execute = watch_begin, .after_execute = watch_end, .context = &watcher};
    gp_pool *pool = pool_of(&config);
    for (int i = 0; i < FEW; i++)
        execute_entry(pool, &diary, i);
    pool_end(pool);
    check_diary(&diary, FEW);
    check_int(watcher.ended, FEW);
    check(watcher.argument == &diary.entries[FEW - 1]);
    for (int i = 0; i < FEW; i++) {
        check(gp_task_argument(watcher.seen[i]) == &diary.entries[i]);
        gp_task_release(watcher.seen[i]);
    }
}

/* Ways out of the queue. */

static void shutdown_now_hands_functions_back_as_tasks(void)
{
    struct held held;
    struct diary diary = {0};
    gp_task_list unrun;
    hold_worker(&held);
    for (int i = 0; i < FEW; i++)
        execute_entry(held.pool, &diary, i);
    gp_pool_shutdown_now(held.pool, &unrun);
    check_int(unrun.count, FEW);
    for (int i = 0; i < FEW; i++) {
        gp_task *task = gp_task_list_pop(&unrun);
        check(gp_task_argument(task) == &diary.entries[i]);
        check(gp_task_future(task) == NULL);
        if (i < FEW / 2)
            gp_task_run(task);
        else
            gp_task_discard(task);
    }
    held_end(&held);
    check_diary(&diary, FEW / 2);
}

static void what_a_snapshot_shows_can_be_removed(void)
{
    struct held held;
    struct diary diary = {0};
    gp_task *seen[3] = {NULL};
    gp_task *head = NULL;
    hold_worker(&held);
    execute_entry(held.pool, &diary, 0);
    execute_entry(held.pool, &diary, DIARY_SIZE - 1);
    execute_entry(held.pool, &diary, 1);
    check_int(gp_queue_snapshot(held.queue, seen, 2), 3); /* there are more than it has room for */
    check(seen[2] == NULL);
    check_status(gp_queue_peek(held.queue, &head), GP_OK);
    check(head == seen[0]);
    check(gp_task_argument(seen[1]) == &diary.entries[DIARY_SIZE - 1]);
    check_status(gp_queue_remove(held.queue, seen[1]), GP_OK);
    check_status(gp_queue_remove(held.queue, seen[1]), GP_ENOTFOUND);
    gp_task_discard(seen[1]);
    check_int(gp_queue_check(held.queue), 0);
    gp_task_release(head);
    gp_task_release(seen[0]);
    gp_task_release(seen[1]);
    held_end(&held);
    check_diary(&diary, 2);
}

static void a_purge_takes_cancelled_futures_and_leaves_functions(void)
{
    struct held held;
    struct diary diary = {0};
    gp_future *futures[FEW];
    hold_worker(&held);
    for (int i = 0; i < FEW; i++) {
        gp_callable callable = entry_callable(&diary, DIARY_SIZE - 1 - i);
        execute_entry(held.pool, &diary, i);
        check_status(gp_pool_submit(held.pool, &callable, &futures[i]), GP_OK);
        check(gp_future_cancel(futures[i], false));
    }
    check_int(pool_queued(held.pool), 2 * FEW);
    gp_pool_purge(held.pool);
    check_int(pool_queued(held.pool), FEW);
    check_int(gp_pool_check(held.pool), 0);
    for (int i = 0; i < FEW; i++)
        gp_future_release(futures[i]);
    held_end(&held);
    check_diary(&diary, FEW);
}

/* Two belts: three functions and tasks each that were moved over by the poll of one before them,
   and as many that were not. */
static gp_queue *queue_on_two_belts(struct diary *diary, gp_task **tasks)
{
    gp_queue *queue = conveyor();
    place_entry(queue, diary, DIARY_SIZE - 1);
    for (int i = 0; i < FEW; i++) {
        gp_callable callable = entry_callable(diary, 2 * i + 1);
        place_entry(queue, diary, 2 * i);
        check_status(gp_task_new(&callable, &tasks[i]), GP_OK);
        check_status(gp_queue_offer(queue, tasks[i]), GP_OK);
        if (i == FEW / 2) {
            gp_task *out = NULL;
            check_status(gp_queue_poll(queue, &out), GP_OK);
            gp_task_discard(out);
        }
    }
    check_int(gp_queue_size(queue), 2 * FEW);
    check_int(gp_queue_check(queue), 0);
    return queue;
}

static void a_task_is_removed_from_either_belt(void)
{
    for (int victim = 0; victim < FEW; victim++) {
        struct diary diary = {0};
        gp_task *tasks[FEW];
        gp_task_list rest;
        gp_queue *queue = queue_on_two_belts(&diary, tasks);
        check_status(gp_queue_remove(queue, tasks[victim]), GP_OK);
        gp_task_discard(tasks[victim]);
        check_int(gp_queue_size(queue), 2 * FEW - 1);
        check_int(gp_queue_check(queue), 0);
        gp_queue_drain(queue, &rest);
        for (int i = 0; i < 2 * FEW; i++)
            if (i != 2 * victim + 1) {
                gp_task *task = gp_task_list_pop(&rest);
                check(gp_task_argument(task) == &diary.entries[i]);
                gp_task_discard(task);
            }
        check_status(gp_queue_free(queue), GP_OK);
    }
}

static void a_snapshot_goes_over_both_belts(void)
{
    struct diary diary = {0};
    gp_task *tasks[FEW];
    gp_task *seen[2 * FEW] = {NULL};
    gp_queue *queue = queue_on_two_belts(&diary, tasks);
    check_int(gp_queue_snapshot(queue, seen, 2 * FEW), 2 * FEW);
    for (int i = 0; i < 2 * FEW; i++) {
        check(gp_task_argument(seen[i]) == &diary.entries[i]);
        gp_task_release(seen[i]);
    }
    check_status(gp_queue_free(queue), GP_OK);
}

/* A function that may not stay. */

static bool refuse(void *context)
{
    (void)context;
    return false;
}

static int place(gp_queue *queue, struct diary *diary, int entry, bool (*may_stay)(void *),
                 void *context)
{
    struct gp__work function = {.run = write_entry, .argument = &diary->entries[entry]};
    struct gp__admission_check admission = {may_stay, context};
    return queue->class->functions->enqueue(queue, &function, &admission, NULL);
}

static void a_function_that_may_not_stay_has_never_been_there(void)
{
    struct diary diary = {0};
    gp_task_list list;
    gp_queue *queue = conveyor();
    place_entry(queue, &diary, 0);
    check_status(place(queue, &diary, 1, refuse, NULL), GP_EAGAIN);
    check_int(gp_queue_size(queue), 1);
    check_int(gp__queue_deepest(queue), 1);
    check_int(gp_queue_check(queue), 0);
    gp_queue_drain(queue, &list);
    check_int(list.count, 1);
    check(gp_task_argument(list.first) == &diary.entries[0]);
    gp_task_list_discard(&list);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Who comes while it is being asked. */
struct latecomer {
    gp_queue *queue;
    struct helper helper;
    bool answer;
    int status;
    size_t size;
};

static void count_and_poll(void *argument)
{
    struct latecomer *latecomer = argument;
    gp_task *task = NULL;
    latecomer->size = gp_queue_size(latecomer->queue);
    latecomer->status = gp_queue_poll(latecomer->queue, &task);
    if (task != NULL)
        gp_task_discard(task);
}

static bool answer_when_awaited(void *context)
{
    struct latecomer *latecomer = context;
    helper_start(&latecomer->helper, count_and_poll, latecomer);
    helper_await_asleep(&latecomer->helper);
    return latecomer->answer;
}

static void check_latecomer(bool answer, int placed, int polled)
{
    struct diary diary = {0};
    struct latecomer latecomer = {.queue = conveyor(), .answer = answer};
    check_status(place(latecomer.queue, &diary, 0, answer_when_awaited, &latecomer), placed);
    helper_join(&latecomer.helper);
    check_status(latecomer.status, polled);
    check_int(latecomer.size, answer ? 1 : 0);
    check_int(gp_queue_check(latecomer.queue), 0);
    check_status(gp_queue_free(latecomer.queue), GP_OK);
}

static void who_comes_during_the_question_waits_for_the_answer(void)
{
    check_latecomer(false, GP_EAGAIN, GP_EEMPTY);
    check_latecomer(true, GP_OK, GP_OK);
}

static void a_pool_that_is_shut_down_rejects_a_function(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    execute_entry(held.pool, &diary, 0);
    gp_pool_shutdown(held.pool);
    check_status(gp_pool_execute(held.pool, write_entry, &diary.entries[1]), GP_EREJECTED);
    held_end(&held);
    check_diary(&diary, 1);
}

/* Figures. */

static void figures_are_exact(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    for (int i = 0; i < FEW; i++) {
        execute_entry(held.pool, &diary, i);
        check_int(stats_of(held.pool).queued, i + 1);
        check_int(stats_of(held.pool).deepest, i + 1);
    }
    check_int(stats_of(held.pool).total, FEW + 1);
    held_let_go(&held);
    check_status(gp_pool_await_quiescence(held.pool, long_enough()), GP_OK);
    execute_entry(held.pool, &diary, FEW);
    check_status(gp_pool_await_quiescence(held.pool, long_enough()), GP_OK);
    gp_pool_stats stats = stats_of(held.pool);
    check_int(stats.queued, 0);
    check_int(stats.deepest, FEW);
    check_int(stats.completed, FEW + 2);
    held_end(&held);
}

static void functions_are_timed(void)
{
    struct diary diary = {0};
    gp_pool_config config = config_with(1, 1, conveyor());
    config.time_tasks = true;
    gp_pool *pool = pool_of(&config);
    int64_t began = gp_now();
    for (int i = 0; i < FEW; i++)
        execute_entry(pool, &diary, i);
    check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
    int64_t took = gp_time_until(gp_now(), began);
    gp_pool_stats stats = stats_of(pool);
    check_int(stats.waited.count, FEW);
    check_int(stats.ran.count, FEW);
    check(stats.waited.maximum <= took); /* the time of each is its own */
    check(stats.waited.maximum > 0);
    pool_end(pool);
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

/* The request stays, and must not hit the next one. */
static void cancel_thread_unnoticed(void *entry)
{
    write_entry(entry);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
}

static void check_abrupt(gp_run_fn *ends)
{
    struct watcher watcher = {.keeps = false};
    struct diary diary = {0};
    gp_pool_config config = config_with(1, 1, conveyor());
    config.hooks = (gp_pool_hooks){.after_execute = watch_end, .context = &watcher};
    gp_pool *pool = pool_of(&config);
    execute_entry(pool, &diary, 0);
    execute_written(pool, ends, &diary, 1);
    check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK); /* hooks have been called */
    check_int(watcher.status, GP_EABRUPT);
    execute_entry(pool, &diary, 2);
    pool_end(pool);
    check_int(watcher.status, GP_OK);
    check_int(watcher.ended, 3);
    check_diary(&diary, 3);
}

static void a_function_that_ends_its_thread_has_ended(void)
{
    check_abrupt(leave_thread);
}

static void a_function_whose_thread_is_cancelled_has_ended(void)
{
    check_abrupt(cancel_thread);
}

static void a_cancellation_that_a_function_held_off_ends_no_other(void)
{
    check_abrupt(cancel_thread_unnoticed);
}

static const struct test tests[] = {
    TEST(functions_run_in_the_order_in_which_they_came),
    TEST(functions_and_tasks_keep_one_order),
    TEST(a_large_backlog_keeps_its_order_while_more_comes),
    TEST(a_worker_that_sleeps_is_woken_for_a_function),
    TEST(a_worker_leaves_when_its_time_is_up_and_another_one_comes),
    TEST(a_task_that_a_hook_keeps_stays_as_it_is),
    TEST(shutdown_now_hands_functions_back_as_tasks),
    TEST(what_a_snapshot_shows_can_be_removed),
    TEST(a_purge_takes_cancelled_futures_and_leaves_functions),
    TEST(a_task_is_removed_from_either_belt),
    TEST(a_snapshot_goes_over_both_belts),
    TEST(a_function_that_may_not_stay_has_never_been_there),
    TEST(who_comes_during_the_question_waits_for_the_answer),
    TEST(a_pool_that_is_shut_down_rejects_a_function),
    TEST(figures_are_exact),
    TEST(functions_are_timed),
    TEST(a_function_that_ends_its_thread_has_ended),
    TEST(a_function_whose_thread_is_cancelled_has_ended),
    TEST(a_cancellation_that_a_function_held_off_ends_no_other),
    END_OF_TESTS,
};

const struct suite conveyor_suite = {.name = "conveyor", .tests = tests};
