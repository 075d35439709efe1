/*
 * The linked queue's own: an inbox for those who put, an outbox for those who take, and one order
 * over both. What it shares with the others is in queue.c, queue_wait.c and queue_bounded.c.
 */
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

enum {
    OUTBOX = 3,
    INBOX = 3,
    ALL = OUTBOX + INBOX
};

/* ALL tasks in order, the first OUTBOX of them moved over already by a poll before them. */
static gp_queue *queue_in_two_halves(struct subject *subjects, gp_task **tasks)
{
    struct subject first = {0};
    gp_queue *queue = NULL;
    gp_task *out = NULL;
    require_ok(gp_linked_new(ALL + 1, &queue));
    check_status(gp_queue_offer(queue, task_of(&first)), GP_OK);
    for (int i = 0; i < ALL; i++) {
        if (i == OUTBOX) {
            check_status(gp_queue_poll(queue, &out), GP_OK);
            gp_task_discard(out);
        }
        tasks[i] = task_of(&subjects[i]);
        check_status(gp_queue_offer(queue, tasks[i]), GP_OK);
    }
    check_int(gp_queue_check(queue), 0);
    return queue;
}

static void queue_end(gp_queue *queue)
{
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void the_order_is_one_over_both_halves(void)
{
    struct subject subjects[ALL] = {0};
    gp_task *tasks[ALL];
    gp_queue *queue = queue_in_two_halves(subjects, tasks);
    for (int i = 0; i < ALL; i++) {
        gp_task *out = NULL;
        check_status(gp_queue_take(queue, &out), GP_OK);
        check(out == tasks[i]);
        gp_task_discard(out);
    }
    queue_end(queue);
}

static void looking_and_draining_go_over_both_halves(void)
{
    struct subject subjects[ALL] = {0};
    gp_task *tasks[ALL];
    gp_task *seen[ALL] = {NULL};
    gp_task_list list;
    gp_queue *queue = queue_in_two_halves(subjects, tasks);
    check_int(gp_queue_snapshot(queue, seen, ALL), ALL);
    for (int i = 0; i < ALL; i++) {
        check(seen[i] == tasks[i]);
        gp_task_release(seen[i]);
    }
    gp_queue_drain(queue, &list);
    for (int i = 0; i < ALL; i++) {
        gp_task *task = gp_task_list_pop(&list);
        check(task == tasks[i]);
        gp_task_discard(task);
    }
    check_int(gp_queue_remaining(queue), ALL + 1);
    queue_end(queue);
}

static void a_task_is_removed_from_either_half(void)
{
    for (int victim = 0; victim < ALL; victim++) {
        struct subject subjects[ALL] = {0};
        struct subject later = {0};
        gp_task *tasks[ALL];
        gp_queue *queue = queue_in_two_halves(subjects, tasks);
        check_status(gp_queue_remove(queue, tasks[victim]), GP_OK);
        gp_task_discard(tasks[victim]);
        check_int(gp_queue_check(queue), 0);
        check_status(gp_queue_offer(queue, task_of(&later)), GP_OK);
        check_int(gp_queue_size(queue), ALL);
        gp_queue_clear(queue);
        check_int(later.destroyed, 1); /* it was not lost behind a stale end */
        for (int i = 0; i < ALL; i++)
            check_int(subjects[i].destroyed, 1);
        queue_end(queue);
    }
}

static bool is_marked(gp_task *task, void *context)
{
    (void)context;
    return ((struct subject *)gp_task_argument(task))->code != 0;
}

static void those_that_match_leave_either_half(void)
{
    struct subject subjects[ALL] = {{.code = 1}, {0}, {.code = 1}, {0}, {0}, {.code = 1}};
    gp_task *tasks[ALL];
    gp_task_list list = {0};
    gp_queue *queue = queue_in_two_halves(subjects, tasks);
    gp__queue_remove_if(queue, is_marked, NULL, &list);
    check_int(list.count, 3);
    check_int(gp_queue_size(queue), ALL - 3);
    gp_task_list_discard(&list);
    queue_end(queue);
}

static void no_operation_needs_memory(void)
{
    struct subject subject = {0};
    gp_queue *queue = NULL;
    gp_task *task = task_of(&subject);
    require_ok(gp_linked_new(GP_UNBOUNDED, &queue));
    require(gp_thread_self() != NULL); /* put asks for it */
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    int offered = gp_queue_offer(queue, task);
    int taken = gp_queue_poll(queue, &task);
    int again = gp_queue_put(queue, task);
    check_int(fault_disarm(), 0);
    check_status(offered, GP_OK);
    check_status(taken, GP_OK);
    check_status(again, GP_OK);
    queue_end(queue);
}

static void the_check_names_the_invariant_that_is_broken(void)
{
    struct subject subjects[ALL] = {0};
    struct subject other = {0};
    gp_task *tasks[ALL];
    gp_task *stray = task_of(&other);
    gp_queue *queue = queue_in_two_halves(subjects, tasks);
    tasks[ALL - 1]->next = stray; /* the last has a successor */
    check_int(gp_queue_check(queue), 5);
    tasks[ALL - 1]->next = NULL;
    gp_task_discard(stray);
    queue_end(queue);
}

static const struct test tests[] = {
    TEST(the_order_is_one_over_both_halves),
    TEST(looking_and_draining_go_over_both_halves),
    TEST(a_task_is_removed_from_either_half),
    TEST(those_that_match_leave_either_half),
    TEST(no_operation_needs_memory),
    TEST(the_check_names_the_invariant_that_is_broken),
    END_OF_TESTS,
};

const struct suite linked_suite = {.name = "linked", .tests = tests};
