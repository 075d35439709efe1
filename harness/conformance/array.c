/*
 * The array queue's own: a ring, whose memory is taken at once. What it shares with the others is
 * in queue.c, queue_wait.c and queue_bounded.c.
 */
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"

enum {
    CAPACITY = 5
};

/* Full, with its head at slot `head`: the ring wraps somewhere in the middle. */
static gp_queue *full_queue(size_t head, struct subject *subjects, gp_task **tasks)
{
    struct subject passing = {0};
    gp_queue *queue = NULL;
    gp_task *out = NULL;
    require_ok(gp_array_new(CAPACITY, &queue));
    for (size_t i = 0; i < head; i++) {
        check_status(gp_queue_offer(queue, task_of(&passing)), GP_OK);
        check_status(gp_queue_poll(queue, &out), GP_OK);
        gp_task_discard(out);
    }
    for (int i = 0; i < CAPACITY; i++) {
        tasks[i] = task_of(&subjects[i]);
        check_status(gp_queue_offer(queue, tasks[i]), GP_OK);
    }
    check_int(gp_queue_check(queue), 0);
    return queue;
}

static void check_order(gp_queue *queue, gp_task **tasks, int skipped)
{
    for (int i = 0; i < CAPACITY; i++) {
        gp_task *out = NULL;
        if (i == skipped)
            continue;
        check_status(gp_queue_poll(queue, &out), GP_OK);
        check(out == tasks[i]);
        gp_task_discard(out);
    }
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void the_order_survives_the_wrap_of_the_ring(void)
{
    for (size_t head = 0; head < CAPACITY; head++) {
        struct subject subjects[CAPACITY] = {0};
        gp_task *tasks[CAPACITY];
        check_order(full_queue(head, subjects, tasks), tasks, -1);
    }
}

static void a_removal_closes_the_gap_across_the_wrap(void)
{
    for (size_t head = 0; head < CAPACITY; head++) {
        for (int victim = 0; victim < CAPACITY; victim++) {
            struct subject subjects[CAPACITY] = {0};
            gp_task *tasks[CAPACITY];
            gp_queue *queue = full_queue(head, subjects, tasks);
            check_status(gp_queue_remove(queue, tasks[victim]), GP_OK);
            gp_task_discard(tasks[victim]);
            check_int(gp_queue_check(queue), 0);
            check_int(gp_queue_remaining(queue), 1);
            check_order(queue, tasks, victim);
        }
    }
}

static void all_memory_is_taken_when_the_queue_is_made(void)
{
    struct subject subjects[CAPACITY] = {0};
    gp_task *tasks[CAPACITY];
    gp_queue *queue = full_queue(2, subjects, tasks);
    gp_task *out = NULL;
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    int polled = gp_queue_poll(queue, &out);
    int offered = gp_queue_offer(queue, out);
    check_int(fault_disarm(), 0);
    check_status(polled, GP_OK);
    check_status(offered, GP_OK);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_capacity_of_nothing_or_too_much_is_refused(void)
{
    gp_queue *queue = NULL;
    check_status(gp_array_new(0, &queue), GP_EINVAL);
    check_status(gp_array_new(GP_UNBOUNDED, &queue), GP_ENOMEM);
    check_status(gp_array_new(GP_UNBOUNDED / sizeof(void *), &queue), GP_ENOMEM);
    check_status(gp_array_new(PTRDIFF_MAX / sizeof(void *), &queue), GP_ENOMEM);
    check(queue == NULL);
}

static const struct test tests[] = {
    TEST(the_order_survives_the_wrap_of_the_ring),
    TEST(a_removal_closes_the_gap_across_the_wrap),
    TEST(all_memory_is_taken_when_the_queue_is_made),
    TEST(a_capacity_of_nothing_or_too_much_is_refused),
    END_OF_TESTS,
};

const struct suite array_suite = {.name = "array", .tests = tests};
