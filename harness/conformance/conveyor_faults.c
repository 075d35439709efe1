/*
 * A conveyor without memory: to be made, to grow, to make a task of a function. Nothing gets lost,
 * nothing leaks (the leak checkers look), and what needs no memory goes on [CONVEYOR-5].
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "conveyor_support.h"
#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

enum {
    FIRST_ROOM = 64, /* as in impl/queue/conveyor.c */
    FEW = 6
};

static void gp_conveyor_new_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    check_status(gp_conveyor_new(NULL), GP_EINVAL);
    while (fault_walk_next(&walk)) {
        gp_queue *queue = NULL;
        int status = gp_conveyor_new(&queue);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check(hit == (queue == NULL));
        check_status(gp_queue_free(queue), GP_OK);
    }
    check_int(walk.point, 3); /* memory, a lock; the last round succeeds */
}

static void what_finds_no_room_stays_with_its_caller(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    for (int i = 0; i < FIRST_ROOM; i++)
        execute_entry(held.pool, &diary, i);
    gp_callable callable = entry_callable(&diary, FIRST_ROOM);
    gp_task *task = NULL;
    check_status(gp_task_new(&callable, &task), GP_OK);
    fault_arm(FAULT_REALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    int executed = gp_pool_execute(held.pool, write_entry, &diary.entries[FIRST_ROOM]);
    int offered = gp_queue_offer(held.queue, task);
    check_int(fault_disarm(), 2);
    check_status(executed, GP_ENOMEM);
    check_status(offered, GP_ENOMEM);
    check_int(gp_queue_size(held.queue), FIRST_ROOM);
    check_int(gp_queue_check(held.queue), 0);
    check_status(gp_queue_offer(held.queue, task), GP_OK);
    execute_entry(held.pool, &diary, FIRST_ROOM + 1);
    held_end(&held);
    check_diary(&diary, FIRST_ROOM + 2);
}

/* Taking. */

static bool fault_was_met_often(void *unused)
{
    (void)unused;
    return fault_calls() > 3;
}

static void a_worker_without_hooks_needs_no_memory(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker(&held);
    for (int i = 0; i < FEW; i++)
        execute_entry(held.pool, &diary, i);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_ALL_THREADS);
    job_let_go(&held.job);
    bool completed = await_completed(held.pool, FEW + 1);
    fault_disarm();
    check(completed);
    future_end(held.future, GP_OK);
    held.future = NULL;
    held_end(&held);
    check_diary(&diary, FEW);
}

static void a_worker_without_memory_tries_until_there_is_some(void)
{
    struct held held;
    struct diary diary = {0};
    hold_worker_with_hook(&held);
    for (int i = 0; i < FEW; i++)
        execute_entry(held.pool, &diary, i);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_ALL_THREADS);
    job_let_go(&held.job);
    check(eventually(fault_was_met_often, NULL));
    size_t left = gp_queue_size(held.queue);
    fault_disarm();
    check_int(left, FEW);
    future_end(held.future, GP_OK);
    held.future = NULL;
    held_end(&held);
    check_diary(&diary, FEW);
}

static void a_worker_without_memory_leaves_when_the_pool_stops(void)
{
    struct held held;
    struct diary diary = {0};
    gp_task_list unrun;
    hold_worker_with_hook(&held);
    execute_entry(held.pool, &diary, 0);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_ALL_THREADS);
    job_let_go(&held.job);
    check(eventually(fault_was_met_often, NULL));
    int stopped = gp_pool_shutdown_now(held.pool, &unrun);
    int status = gp_pool_await_termination(held.pool, long_enough());
    fault_disarm();
    check_status(stopped, GP_ENOMEM); /* there was no memory for that either */
    check_status(status, GP_OK);
    check_int(unrun.count, 0);
    check_status(gp_pool_shutdown_now(held.pool, &unrun), GP_OK); /* at its end */
    check_int(unrun.count, 1);
    gp_task_list_discard(&unrun);
    future_end(held.future, GP_OK);
    held.future = NULL;
    held_end(&held);
    check_diary(&diary, 0);
}

static void tasks_are_taken_without_memory(void)
{
    struct held held;
    gp_future *futures[FEW];
    struct job jobs[FEW];
    hold_worker(&held);
    for (int i = 0; i < FEW; i++) {
        job_init(&jobs[i]);
        futures[i] = job_submit(held.pool, &jobs[i]);
    }
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_ALL_THREADS);
    job_let_go(&held.job);
    bool done = future_is_done_soon(futures[FEW - 1]);
    int quiet = gp_pool_await_quiescence(held.pool, long_enough()); /* a worker may sleep so, too */
    fault_disarm();
    check(done);
    check_status(quiet, GP_OK);
    for (int i = 0; i < FEW; i++)
        future_end(futures[i], GP_OK);
    held_end(&held);
}

struct taker {
    gp_queue *queue;
    bool starved; /* it has no memory */
    bool polls;   /* it does not wait */
    int status;
    gp_task *task;
};

static void take(void *argument)
{
    struct taker *taker = argument;
    if (taker->starved)
        fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    taker->status = taker->polls ? gp_queue_poll(taker->queue, &taker->task)
                                 : gp_queue_take(taker->queue, &taker->task);
    if (taker->starved)
        fault_disarm();
}

static void who_has_no_memory_takes_nothing(void)
{
    struct diary diary = {0};
    struct taker poller = {.queue = conveyor(), .starved = true, .polls = true};
    struct taker taker = {.queue = poller.queue, .starved = true};
    place_entry(poller.queue, &diary, 0);
    run_in_helper(take, &poller);
    run_in_helper(take, &taker);
    check_status(poller.status, GP_ENOMEM);
    check_status(taker.status, GP_ENOMEM);
    check_int(gp_queue_size(poller.queue), 1);
    poller.starved = false;
    run_in_helper(take, &poller);
    check_status(poller.status, GP_OK);
    gp_task_run(poller.task);
    check_diary(&diary, 1);
    run_in_helper(take, &poller);
    check_status(poller.status, GP_EEMPTY);
    check_status(gp_queue_free(poller.queue), GP_OK);
}

static void who_has_no_memory_takes_a_task(void)
{
    struct job jobs[2];
    struct taker poller = {.queue = conveyor(), .starved = true, .polls = true};
    struct taker taker = {.queue = poller.queue, .starved = true};
    for (int i = 0; i < 2; i++) {
        job_init(&jobs[i]);
        check_status(gp_queue_offer(poller.queue, job_task(&jobs[i])), GP_OK);
    }
    run_in_helper(take, &poller);
    run_in_helper(take, &taker);
    require_ok(poller.status);
    require_ok(taker.status);
    gp_task_discard(poller.task);
    gp_task_discard(taker.task);
    check_int(jobs[0].subject.destroyed + jobs[1].subject.destroyed, 2);
    check_status(gp_queue_free(poller.queue), GP_OK);
}

/* Two sleep, and the first in line is the one without memory. */
static void who_is_woken_in_vain_wakes_the_next(void)
{
    struct diary diary = {0};
    struct taker starved = {.queue = conveyor(), .starved = true};
    struct taker fed = {.queue = starved.queue};
    struct helper helpers[2];
    helper_start(&helpers[0], take, &starved);
    check(await_takers(starved.queue, 1));
    helper_start(&helpers[1], take, &fed);
    check(await_takers(starved.queue, 2));
    place_entry(starved.queue, &diary, 0);
    helper_join(&helpers[0]);
    helper_join(&helpers[1]);
    check_status(starved.status, GP_ENOMEM);
    require_ok(fed.status);
    gp_task_run(fed.task);
    check_diary(&diary, 1);
    check_status(gp_queue_free(fed.queue), GP_OK);
}

/* All of it. */

static void what_a_drain_has_no_memory_for_stays_in_the_queue(void)
{
    struct held held;
    struct diary diary = {0};
    struct job job;
    gp_task_list first;
    gp_task_list second;
    hold_worker(&held);
    execute_entry(held.pool, &diary, 0);
    job_init(&job);
    job_execute(held.pool, &job);
    execute_entry(held.pool, &diary, 1);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    int stopped = gp_pool_shutdown_now(held.pool, &first);
    check_int(fault_disarm(), 2);
    check_status(stopped, GP_ENOMEM);
    check_int(first.count, 1); /* a task needs no memory */
    check_int(pool_queued(held.pool), 2);
    check_int(gp_pool_check(held.pool), 0);
    check_status(gp_pool_shutdown_now(held.pool, &second), GP_OK);
    check_int(second.count, 2);
    while (second.first != NULL)
        gp_task_run(gp_task_list_pop(&second));
    gp_task_list_discard(&first);
    held_end(&held);
    check_diary(&diary, 2);
    check_int(job.subject.destroyed, 1);
}

static void to_discard_takes_no_memory(void)
{
    struct held held;
    struct diary diary = {0};
    struct job jobs[2];
    hold_worker(&held);
    for (int i = 0; i < 2; i++) {
        job_init(&jobs[i]);
        execute_entry(held.pool, &diary, i);
        job_execute(held.pool, &jobs[i]);
        fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
        if (i == 0)
            gp_queue_clear(held.queue);
        else
            check_status(gp_pool_shutdown_now(held.pool, NULL), GP_OK);
        check_int(fault_disarm(), 0);
        check_int(pool_queued(held.pool), 0);
        check_int(jobs[i].subject.destroyed, 1);
    }
    held_end(&held);
    check_diary(&diary, 0);
}

static void functions_go_with_the_queue_and_take_no_memory(void)
{
    struct diary diary = {0};
    struct job job;
    gp_task *task = NULL;
    gp_queue *queue = conveyor();
    job_init(&job);
    for (int i = 0; i < FEW; i++)
        place_entry(queue, &diary, i);
    check_status(gp_queue_poll(queue, &task), GP_OK);
    gp_task_discard(task);
    check_status(gp_queue_offer(queue, job_task(&job)), GP_OK);
    place_entry(queue, &diary, FEW);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_queue_free(queue);
    check_int(fault_disarm(), 0);
    check_status(status, GP_OK);
    check_int(job.subject.destroyed, 1);
    check_diary(&diary, 0);
}

static void a_snapshot_ends_where_it_has_no_memory(void)
{
    struct diary diary = {0};
    struct job job;
    gp_task *out = NULL;
    gp_task *seen[FEW] = {NULL};
    gp_queue *queue = conveyor();
    job_init(&job);
    check_status(gp_queue_offer(queue, job_task(&job)), GP_OK);
    for (int i = 0; i < FEW - 2; i++)
        place_entry(queue, &diary, i);
    check_status(gp_queue_offer(queue, job_task(&job)), GP_OK);
    fault_arm(FAULT_MALLOC, 2, FAULT_THIS_THREAD);
    size_t count = gp_queue_snapshot(queue, seen, FEW);
    check_int(fault_disarm(), 1);
    check_int(count, 2);
    check(gp_task_argument(seen[1]) == &diary.entries[0]);
    check(seen[2] == NULL);
    gp_task_release(seen[0]);
    gp_task_release(seen[1]);
    check_int(gp_queue_size(queue), FEW);
    check_status(gp_queue_poll(queue, &out), GP_OK);
    gp_task_discard(out);
    check_status(gp_queue_poll(queue, &out), GP_OK);
    gp_task_discard(out);
    check_status(gp_queue_offer(queue, job_task(&job)), GP_OK); /* in the inbox */
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    int peeked = gp_queue_peek(queue, &out);
    count = gp_queue_snapshot(queue, seen, FEW);
    fault_disarm();
    check_status(peeked, GP_EEMPTY); /* it does not show another than the head */
    check_int(count, 0);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(job.subject.destroyed, 3);
}

static const struct test tests[] = {
    TEST(gp_conveyor_new_fails_cleanly_at_each_point),
    TEST(what_finds_no_room_stays_with_its_caller),
    TEST(a_worker_without_hooks_needs_no_memory),
    TEST(a_worker_without_memory_tries_until_there_is_some),
    TEST(a_worker_without_memory_leaves_when_the_pool_stops),
    TEST(tasks_are_taken_without_memory),
    TEST(who_has_no_memory_takes_nothing),
    TEST(who_has_no_memory_takes_a_task),
    TEST(who_is_woken_in_vain_wakes_the_next),
    TEST(what_a_drain_has_no_memory_for_stays_in_the_queue),
    TEST(to_discard_takes_no_memory),
    TEST(functions_go_with_the_queue_and_take_no_memory),
    TEST(a_snapshot_ends_where_it_has_no_memory),
    END_OF_TESTS,
};

const struct suite conveyor_faults_suite = {.name = "conveyor_faults", .tests = tests};
