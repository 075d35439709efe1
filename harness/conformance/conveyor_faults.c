/*
 * A conveyor without memory: to be made and to grow may fail, all else goes on [CONVEYOR-5].
 * Nothing gets lost, and nothing leaks (the leak checkers look).
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

/* With a hook they are tasks, which took memory when they were executed. */
static void a_worker_needs_no_memory(void)
{
    for (int hook = 0; hook < 2; hook++) {
        struct held held;
        struct diary diary = {0};
        if (hook == 0)
            hold_worker(&held);
        else
            hold_worker_with_hook(&held);
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

static void a_taker_without_memory_takes_functions(void)
{
    struct diary diary = {0};
    struct taker takers[2] = {{.queue = conveyor(), .starved = true, .polls = true},
                              {.starved = true}};
    takers[1].queue = takers[0].queue;
    for (int i = 0; i < 2; i++)
        place_entry(takers[0].queue, &diary, i);
    for (int i = 0; i < 2; i++) {
        run_in_helper(take, &takers[i]);
        require_ok(takers[i].status);
        gp_task_run(takers[i].task);
    }
    check_diary(&diary, 2);
    check_int(gp_queue_check(takers[0].queue), 0);
    check_status(gp_queue_free(takers[0].queue), GP_OK);
}

/* Places that are taken are not used again as long as there are tasks in them. */
static void functions_that_are_shown_use_up_the_reserve(void)
{
    struct diary diary = {0};
    gp_task *seen[FIRST_ROOM];
    gp_task *task = NULL;
    gp_queue *queue = conveyor();
    for (int i = 0; i < FIRST_ROOM; i++)
        place_entry(queue, &diary, i);
    check_int(gp_queue_snapshot(queue, seen, FIRST_ROOM), FIRST_ROOM);
    check_int(gp_queue_check(queue), 0);
    for (int i = 0; i < FIRST_ROOM; i++) {
        check_status(gp_queue_remove(queue, seen[i]), GP_OK);
        gp_task_run(seen[i]);
        check_int(gp_queue_check(queue), 0);
    }
    for (int i = 1; i < FIRST_ROOM; i++)
        gp_task_release(seen[i]);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    check_status(try_entry(queue, &diary, FIRST_ROOM), GP_ENOMEM);
    check_int(gp_queue_size(queue), 0);
    gp_task_release(seen[0]); /* the last one */
    place_entry(queue, &diary, FIRST_ROOM);
    fault_disarm();
    require_ok(gp_queue_poll(queue, &task));
    gp_task_run(task);
    check_diary(&diary, FIRST_ROOM + 1);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* It has twice the room then, and a reserve for as many tasks [BELTS-1]. */
static void a_belt_that_grows_has_a_place_for_each_function(void)
{
    struct diary diary = {0};
    gp_task_list list;
    gp_queue *queue = conveyor();
    for (int i = 0; i < 2 * FIRST_ROOM; i++)
        place_entry(queue, &diary, i);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    gp_queue_drain(queue, &list);
    check_int(fault_disarm(), 0);
    check_int(list.count, 2 * FIRST_ROOM);
    while (list.first != NULL)
        gp_task_run(gp_task_list_pop(&list));
    check_diary(&diary, 2 * FIRST_ROOM);
    check_status(gp_queue_free(queue), GP_OK);
}

/* On a belt that comes round, all of whose tasks have ended. */
static void a_reserve_that_is_whole_is_used_again(void)
{
    struct diary diary = {0};
    gp_queue *queue = conveyor();
    gp_task *task = NULL;
    for (int i = 0; i < 2; i++) { /* both belts */
        place_entry(queue, &diary, i);
        require_ok(gp_queue_poll(queue, &task));
        gp_task_run(task);
    }
    fault_arm(FAULT_MALLOC | FAULT_REALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    for (int i = 2; i < 2 * FIRST_ROOM; i++) {
        place_entry(queue, &diary, i);
        require_ok(gp_queue_poll(queue, &task));
        gp_task_run(task);
    }
    check_int(fault_disarm(), 0);
    check_diary(&diary, 2 * FIRST_ROOM);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_taker_without_memory_takes_tasks(void)
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

/* All of it. */

static void a_stop_hands_over_functions_without_memory(void)
{
    struct held held;
    struct diary diary = {0};
    struct job job;
    gp_task_list unrun;
    hold_worker(&held);
    execute_entry(held.pool, &diary, 0);
    job_init(&job);
    job_execute(held.pool, &job);
    execute_entry(held.pool, &diary, 1);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    gp_pool_shutdown_now(held.pool, &unrun);
    check_int(fault_disarm(), 0);
    check_int(unrun.count, 3);
    check_int(pool_queued(held.pool), 0);
    check_int(gp_pool_check(held.pool), 0);
    held_end(&held); /* the pool is gone, the tasks stay */
    while (unrun.first != NULL)
        gp_task_run(gp_task_list_pop(&unrun));
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
            gp_pool_shutdown_now(held.pool, NULL);
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

static void a_snapshot_needs_no_memory(void)
{
    struct diary diary = {0};
    struct job job;
    gp_task *seen[FEW] = {NULL};
    gp_queue *queue = conveyor();
    job_init(&job);
    check_status(gp_queue_offer(queue, job_task(&job)), GP_OK);
    for (int i = 0; i < FEW - 2; i++)
        place_entry(queue, &diary, i);
    check_status(gp_queue_offer(queue, job_task(&job)), GP_OK);
    fault_arm(FAULT_MALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    size_t count = gp_queue_snapshot(queue, seen, FEW);
    int peeked = gp_queue_peek(queue, &seen[0]);
    check_int(fault_disarm(), 0);
    check_int(count, FEW);
    check_status(peeked, GP_OK);
    gp_task_release(seen[0]); /* it was seen twice */
    check(gp_task_argument(seen[1]) == &diary.entries[0]);
    for (int i = 0; i < FEW; i++)
        gp_task_release(seen[i]);
    check_int(gp_queue_size(queue), FEW);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(job.subject.destroyed, 2);
}

static const struct test tests[] = {
    TEST(gp_conveyor_new_fails_cleanly_at_each_point),
    TEST(what_finds_no_room_stays_with_its_caller),
    TEST(a_worker_needs_no_memory),
    TEST(tasks_are_taken_without_memory),
    TEST(a_taker_without_memory_takes_functions),
    TEST(a_taker_without_memory_takes_tasks),
    TEST(functions_that_are_shown_use_up_the_reserve),
    TEST(a_belt_that_grows_has_a_place_for_each_function),
    TEST(a_reserve_that_is_whole_is_used_again),
    TEST(a_stop_hands_over_functions_without_memory),
    TEST(to_discard_takes_no_memory),
    TEST(functions_go_with_the_queue_and_take_no_memory),
    TEST(a_snapshot_needs_no_memory),
    END_OF_TESTS,
};

const struct suite conveyor_faults_suite = {.name = "conveyor_faults", .tests = tests};
