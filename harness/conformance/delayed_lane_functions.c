/*
 * Functions on a lane: they are tasks only when they are taken or looked at.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/delayed.h"

#include "delayed_support.h"
#include "fault.h"
#include "suite.h"
#include "support.h"

static bool yes(void *context)
{
    (void)context;
    return true;
}

static bool no(void *context)
{
    (void)context;
    return false;
}

static void count(void *argument)
{
    ++*(int *)argument;
}

static int enqueue(gp_queue *queue, gp_run_fn *run, void *argument, struct draws *draws,
                   bool (*may_enqueue)(void *))
{
    struct gp__work function = {.run = run, .argument = argument};
    struct gp__key_source keys = {draw_key, draws};
    struct gp__admission_check admission = {may_enqueue, NULL};
    return queue->class->functions->enqueue(queue, &function, &admission, &keys);
}

static int enqueue_count(gp_queue *queue, struct draws *draws, int *runs,
                         bool (*may_enqueue)(void *))
{
    return enqueue(queue, count, runs, draws, may_enqueue);
}

static void a_function_is_a_task_when_it_is_taken(void)
{
    struct draws draws = {0};
    gp_queue *queue = new_laned();
    gp_task *task = NULL;
    int runs = 0;
    check_status(enqueue_count(queue, &draws, &runs, no), GP_EAGAIN);
    check_int(gp_queue_size(queue), 0);
    check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
    check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
    check_int(gp_queue_size(queue), 2);
    require_ok(gp_queue_poll(queue, &task));
    gp_task_run(task);
    require_ok(gp_queue_take(queue, &task));
    gp_task_run(task);
    check_int(runs, 2);
    check_status(gp_queue_free(queue), GP_OK);
}

static void forget(void *argument)
{
    (void)argument;
}

/* Both have the first place, each on its own lane. */
static void a_function_is_not_taken_for_the_task_that_it_is_given(void)
{
    struct subject subject = {0};
    struct draws draws = {0};
    gp_queue *queue = new_laned();
    gp_queue *other = new_laned();
    gp_task *task = offer_new(other, &subject, long_ago(), 0);
    check_status(enqueue(queue, forget, task, &draws, yes), GP_OK);
    check_status(gp_queue_remove(queue, task), GP_ENOTFOUND);
    check_int(on_lane(queue), 1);
    check_status(gp_queue_remove(other, task), GP_OK);
    gp_task_discard(task);
    check_status(gp_queue_free(queue), GP_OK);
    check_status(gp_queue_free(other), GP_OK);
}

static void a_function_that_is_looked_at_is_a_task_from_then_on(void)
{
    struct draws draws = {.sequence = 3};
    gp_queue *queue = new_laned();
    gp_task *seen[2] = {NULL, NULL};
    gp_task_list list;
    int runs = 0;
    check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
    check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
    check_int(gp_queue_snapshot(queue, seen, 2), 2);
    check_int(gp_queue_check(queue), 0);
    check_int(seen[0]->sequence, 3);
    check_status(gp_queue_remove(queue, seen[1]), GP_OK);
    gp_task_discard(seen[1]);
    gp_queue_drain(queue, &list);
    check(list.first == seen[0]);
    check_int(list.count, 1);
    gp_task_run(gp_task_list_pop(&list));
    check_int(runs, 1);
    gp_task_release(seen[0]);
    gp_task_release(seen[1]);
    check_status(gp_queue_free(queue), GP_OK);
}

static bool is_any(gp_task *task, void *context)
{
    (void)task;
    (void)context;
    return true;
}

static void a_sweep_passes_functions_by(void)
{
    struct subject subject = {0};
    struct draws draws = {.sequence = 3};
    gp_queue *queue = new_laned();
    gp_task_list list;
    int runs = 0;
    offer_new(queue, &subject, long_ago(), 1);
    check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
    gp__queue_remove_if(queue, is_any, NULL, &list);
    check_int(list.count, 1);
    check_int(gp_queue_size(queue), 1);
    gp_task_list_discard(&list);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void only_enqueuing_needs_memory(void)
{
    struct subject subject = {0};
    struct draws draws = {.sequence = 3};
    gp_queue *queue = new_laned();
    gp_task *seen[3] = {NULL};
    gp_task *task = NULL;
    gp_task_list list;
    int runs = 0;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    check_status(enqueue_count(queue, &draws, &runs, yes), GP_ENOMEM);
    fault_disarm();
    offer_new(queue, &subject, in_an_hour(), 1);
    for (int i = 0; i < 4; i++)
        check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    check_status(gp_queue_poll(queue, &task), GP_OK);
    gp_task_run(task);
    check_status(gp_queue_poll_timed(queue, 0, &task), GP_OK);
    gp_task_run(task);
    check_int(gp_queue_snapshot(queue, seen, 3), 3);
    gp_queue_drain(queue, &list);
    fault_disarm();
    check_int(list.count, 3);
    for (int i = 0; i < 3; i++) {
        check(gp_task_list_pop(&list) == seen[i]);
        gp_task_run(seen[i]);
        gp_task_release(seen[i]);
    }
    check_int(runs, 4);
    check_int(subject.runs, 1);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* The task behind it, too. */
static void a_queue_is_cleared_and_freed_without_memory(void)
{
    struct subject subject = {0};
    struct draws draws = {.sequence = 3};
    int runs = 0;
    for (int i = 0; i < 2; i++) {
        gp_queue *queue = new_laned();
        check_status(enqueue_count(queue, &draws, &runs, yes), GP_OK);
        offer_new(queue, &subject, gp_now(), 100);
        check_int(on_lane(queue), 2);
        fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
        if (i == 0)
            gp_queue_clear(queue);
        check_int(gp_queue_size(queue), i == 0 ? 0 : 2);
        int status = gp_queue_free(queue);
        check_int(fault_disarm(), 0);
        check_status(status, GP_OK);
        check_int(subject.destroyed, i + 1);
    }
    check_int(runs, 0);
}

static const struct test tests[] = {
    TEST(a_function_is_a_task_when_it_is_taken),
    TEST(a_function_is_not_taken_for_the_task_that_it_is_given),
    TEST(a_function_that_is_looked_at_is_a_task_from_then_on),
    TEST(a_sweep_passes_functions_by),
    TEST(only_enqueuing_needs_memory),
    TEST(a_queue_is_cleared_and_freed_without_memory),
    END_OF_TESTS,
};

const struct suite delayed_lane_functions_suite = {.name = "delayed_lane_functions",
                                                   .tests = tests};
