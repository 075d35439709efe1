/*
 * The delayed queue with a lane: what is due when it comes passes by the heap, and comes out in the
 * same order as from it.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/delayed.h"
#include "queue/lane.h"

#include "delayed_support.h"
#include "fault.h"
#include "suite.h"
#include "support.h"

static void walk_randomly(uint64_t seed, int64_t base, bool due)
{
    walk_on(new_laned(), true, seed, base, due);
}

static void random_operations_on_due_tasks_agree_with_a_model(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        walk_randomly(seed * 7919, long_ago(), true);
}

static void random_operations_on_tasks_not_due_agree_with_a_model(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        walk_randomly(seed * 104729, in_an_hour(), false);
}

static void random_operations_across_the_wrap_of_time_agree_with_a_model(void)
{
    walk_randomly(12345, INT64_MAX - 10, false); /* 292 years after the clock's start: not due */
}

/* Which way. */

static void only_what_is_due_and_in_order_takes_the_lane(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    offer_new(queue, &subject, base + 5, 5);
    offer_new(queue, &subject, base + 5, 6);
    check_int(on_lane(queue), 2);
    offer_new(queue, &subject, base + 4, 7); /* before the last one, by its time ... */
    offer_new(queue, &subject, base + 5, 4); /* ... or by its number */
    offer_new(queue, &subject, in_an_hour(), 8);
    gp_task *periodic = delayed_task_of(&subject, base + 9, 9);
    periodic->keeps_slot = true;
    check_status(gp_queue_offer(queue, periodic), GP_OK);
    check_int(on_lane(queue), 2);
    check_int(gp_queue_size(queue), 6);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, 6);
}

static void check_order(gp_queue *queue, const uint64_t *sequences, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gp_task *task = NULL;
        gp_task *head = NULL;
        require_ok(gp_queue_peek(queue, &head));
        require_ok(gp_queue_poll(queue, &task));
        check(head == task);
        check_int(task->sequence, sequences[i]);
        gp_task_release(head);
        gp_task_discard(task);
        check_int(gp_queue_check(queue), 0);
    }
}

static void lane_and_heap_give_one_order(void)
{
    static const uint64_t expected[] = {7, 4, 5, 6, 8, 9};
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    offer_new(queue, &subject, base + 5, 5);
    offer_new(queue, &subject, base + 5, 6);
    offer_new(queue, &subject, base + 4, 7);
    offer_new(queue, &subject, base + 5, 4);
    offer_new(queue, &subject, base + 6, 8);
    offer_new(queue, &subject, base + 7, 9);
    check_order(queue, expected, 6);
    check_int(gp_queue_size(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* A worker that goes on without a lock takes from the lane alone. */
static void who_goes_on_does_not_pass_the_heap_by(void)
{
    struct subject subject = {0};
    struct gp__work work;
    gp_task *first = NULL;
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    offer_new(queue, &subject, base + 5, 5);
    offer_new(queue, &subject, base + 4, 6); /* in the heap, and before it */
    check(!queue->class->functions->next(queue, &work));
    require_ok(gp_queue_poll(queue, &first));
    check_int(first->sequence, 6);
    gp_task_discard(first);
    require(queue->class->functions->next(queue, &work));
    check(work.run == NULL);
    gp_task_discard(work.argument);
    check(!queue->class->functions->next(queue, &work));
    check_int(subject.destroyed, 2);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_drain_is_in_one_order_too(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    gp_task_list list;
    int64_t last = base;
    for (uint64_t i = 0; i < 20; i++)
        offer_new(queue, &subject, base + (int64_t)(i * 7 % 20), i);
    offer_new(queue, &subject, in_an_hour(), 20);
    check(on_lane(queue) > 0 && on_lane(queue) < 20);
    gp_queue_drain(queue, &list);
    check_int(list.count, 21);
    for (gp_task *task; (task = gp_task_list_pop(&list)) != NULL; gp_task_discard(task)) {
        check(gp_time_until(gp_task_time(task), last) >= 0);
        check_int(index_of(task), -1);
        last = gp_task_time(task);
    }
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_snapshot_without_room_tells_how_many_there_are(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_task *seen[4];
    offer_new(queue, &subject, in_an_hour(), 0);
    for (uint64_t i = 1; i < 4; i++)
        offer_new(queue, &subject, long_ago() + (int64_t)i, i);
    check_int(on_lane(queue), 3);
    for (size_t room = 0; room <= 4; room++) {
        check_int(gp_queue_snapshot(queue, seen, room), 4);
        for (size_t i = 0; i < room; i++)
            gp_task_release(seen[i]);
    }
    check_status(gp_queue_free(queue), GP_OK);
}

/* Out of the middle. */

static void a_task_can_be_removed_from_either_belt_and_leaves_a_hole(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_task *tasks[8];
    gp_task *out = NULL;
    int64_t base = long_ago();
    for (uint64_t i = 0; i < 8; i++) {
        if (i == 4) { /* the first four are in the outbox then */
            require_ok(gp_queue_poll(queue, &out));
            check(out == tasks[0]);
        }
        tasks[i] = offer_new(queue, &subject, base + (int64_t)i, i);
    }
    check_int(on_lane(queue), 7);
    check_status(gp_queue_remove(queue, tasks[0]), GP_ENOTFOUND); /* its place still names it */
    for (int i = 1; i < 8; i += 2) {
        check_status(gp_queue_remove(queue, tasks[i]), GP_OK);
        check_status(gp_queue_remove(queue, tasks[i]), GP_ENOTFOUND);
        check_int(index_of(tasks[i]), -1);
        check_int(gp_queue_check(queue), 0);
        gp_task_discard(tasks[i]);
    }
    static const uint64_t expected[] = {2, 4, 6};
    check_int(gp_queue_size(queue), 3);
    check_order(queue, expected, 3);
    check_status(gp_queue_poll(queue, &tasks[0]), GP_EEMPTY);
    gp_task_discard(out);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, 8);
}

/* It has the same place on another lane. */
static void a_task_of_another_queue_is_not_found(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_queue *other = new_laned();
    int64_t base = long_ago();
    gp_task *task = delayed_task_of(&subject, base, 1);
    offer_new(queue, &subject, base, 1);
    check_status(gp_queue_offer(other, task), GP_OK);
    check_status(gp_queue_remove(queue, task), GP_ENOTFOUND);
    check_int(on_lane(queue), 1);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
    check_status(gp_queue_free(other), GP_OK);
    check_int(subject.destroyed, 2);
}

/* Its place would be beyond the end of this lane, and that of its room. */
static void a_task_from_the_end_of_a_longer_lane_is_not_found(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_queue *longer = new_laned();
    gp_task *tasks[100];
    for (uint32_t i = 0; i < 100; i++)
        tasks[i] = offer_new(longer, &subject, long_ago(), i);
    for (uint32_t i = 0; i < 100; i++) {
        check_status(gp_queue_remove(queue, tasks[99]), GP_ENOTFOUND);
        check_status(gp_queue_remove(queue, tasks[i]), GP_ENOTFOUND); /* just behind the end */
        offer_new(queue, &subject, long_ago(), i);
    }
    check_int(on_lane(queue), 100);
    check_status(gp_queue_free(queue), GP_OK);
    check_status(gp_queue_free(longer), GP_OK);
    check_int(subject.destroyed, 200);
}

static void a_lane_of_holes_is_an_empty_queue(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_task *task = offer_new(queue, &subject, long_ago(), 0);
    gp_task *out = NULL;
    check_status(gp_queue_remove(queue, task), GP_OK);
    gp_task_discard(task);
    check_int(gp_queue_size(queue), 0);
    check_status(gp_queue_peek(queue, &out), GP_EEMPTY);
    check_status(gp_queue_poll(queue, &out), GP_EEMPTY);
    check_status(gp_queue_poll_timed(queue, 0, &out), GP_ETIMEDOUT);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Holes are given back. */

enum {
    MANY = 200,
    OFTEN = 10000
};

/* Every third stays, in either belt. */
static void what_is_left_moves_up_in_order(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_task *tasks[MANY];
    gp_task *out = NULL;
    int64_t base = long_ago();
    for (uint64_t i = 0; i < MANY; i++) {
        if (i == MANY / 2) {
            require_ok(gp_queue_poll(queue, &out));
            gp_task_discard(out);
        }
        tasks[i] = offer_new(queue, &subject, base, i);
    }
    for (size_t i = 1; i < MANY; i++) {
        size_t each = i * 77 % MANY; /* in any order */
        if (each % 3 == 0)
            continue;
        check_status(gp_queue_remove(queue, tasks[each]), GP_OK);
        check_int(gp_queue_check(queue), 0);
        gp_task_discard(tasks[each]);
    }
    check(lane_of(queue)->belts.holes <= on_lane(queue));
    for (size_t i = 3; i < MANY; i += 3) {
        require_ok(gp_queue_poll(queue, &out));
        check(out == tasks[i]);
        gp_task_discard(out);
    }
    check_int(gp_queue_size(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, MANY);
}

static void remove_from(gp_queue *queue, gp_task *task)
{
    check_status(gp_queue_remove(queue, task), GP_OK);
    gp_task_discard(task);
}

/* Nobody takes, and there are never more than two. */
static void what_comes_and_is_removed_needs_no_further_room(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    gp_task *last = offer_new(queue, &subject, base, 0);
    fault_arm(FAULT_REALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    for (uint64_t i = 1; i < OFTEN; i++) {
        gp_task *next = offer_new(queue, &subject, base, i);
        remove_from(queue, last);
        last = next;
    }
    check_int(fault_disarm(), 0);
    remove_from(queue, last);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, OFTEN);
}

static bool is_even(gp_task *task, void *context)
{
    (void)context;
    return task->sequence % 2 == 0;
}

/* By a purge, that is. */
static void what_comes_and_is_purged_needs_no_further_room(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_task_list list = {0};
    int64_t base = long_ago();
    offer_new(queue, &subject, base, 1);
    fault_arm(FAULT_REALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    for (uint64_t i = 0; i < MANY; i++) {
        offer_new(queue, &subject, base, 2 * i + 2);
        gp__queue_remove_if(queue, is_even, NULL, &list);
        check_int(list.count, 1);
        gp_task_list_discard(&list);
    }
    check_int(fault_disarm(), 0);
    check_int(gp_queue_size(queue), 1);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Keys drawn anew. */

static void one_that_comes_late_gets_another_key_if_it_may(void)
{
    struct subject subject = {0};
    struct draws draws = {.sequence = 10};
    struct gp__key_source keys = {draw_key, &draws};
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    offer_new(queue, &subject, base + 5, 5);
    gp_task *late = delayed_task_of(&subject, base, 4);
    check_status(gp__delayed_offer_due(queue, late, &keys), GP_OK);
    check_int(draws.asked, 1);
    check_int(on_lane(queue), 2);
    check_int(late->sequence, 10);
    check(gp_time_until(gp_task_time(late), base + 5) > 0);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Somebody's own task may have the same time, and a number that is higher than any drawn. */
static struct gp__key draw_the_same(void *key)
{
    return *(struct gp__key *)key;
}

static void one_that_no_other_key_helps_goes_to_the_heap(void)
{
    struct subject subject = {0};
    struct gp__key key = {.time = long_ago(), .sequence = 4};
    struct gp__key_source keys = {draw_the_same, &key};
    gp_queue *queue = new_laned();
    gp_task *out = NULL;
    offer_new(queue, &subject, key.time, 1000);
    gp_task *late = delayed_task_of(&subject, key.time, 3);
    check_status(gp__delayed_offer_due(queue, late, &keys), GP_OK);
    check_int(on_lane(queue), 1);
    check_int(gp_queue_check(queue), 0);
    require_ok(gp_queue_poll(queue, &out));
    check(out == late);
    gp_task_discard(out);
    check_status(gp_queue_free(queue), GP_OK);
}

/* The alarm. */

static bool count_ring(struct gp__alarm *alarm, int64_t now)
{
    ++*(int *)alarm->context;
    alarm->at = gp_time_after(now, GP_MILLISECONDS(1));
    return true;
}

/* The first task was due before the alarm was, the second one after it. */
static void the_alarm_rings_in_its_turn(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    gp_task *task = NULL;
    int rings = 0;
    int64_t before = gp_now();
    struct gp__alarm alarm = {
        .at = gp_time_after(before, GP_MILLISECONDS(1)), .ring = count_ring, .context = &rings};
    offer_new(queue, &subject, in_an_hour(), 0);
    gp__delayed_set_alarm(queue, &alarm);
    check_int(gp_queue_check(queue), 0);
    offer_new(queue, &subject, before, 1);
    require_ok(gp_queue_poll_timed(queue, 0, &task));
    check_int(rings, 0);
    gp_task_discard(task);
    check_status(gp_queue_poll_timed(queue, GP_SECONDS(5), &task), GP_EAGAIN);
    check_int(rings, 1);
    alarm.at = gp_now();
    gp__delayed_set_alarm(queue, &alarm);
    check_int(gp_queue_check(queue), 0);
    offer_new(queue, &subject, gp_now(), 2);
    require_ok(gp_queue_take(queue, &task)); /* [DELAYED-7]: it rang before */
    check_int(rings, 1);
    gp_task_discard(task);
    offer_new(queue, &subject, gp_now(), 3);
    check_status(gp_queue_take(queue, &task), GP_EAGAIN);
    require_ok(gp_queue_take(queue, &task));
    check_int(rings, 2);
    gp_task_discard(task);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Figures, and faults. */

static void the_deepest_size_counts_lane_and_heap(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    for (uint64_t i = 0; i < 3; i++)
        offer_new(queue, &subject, in_an_hour(), i);
    for (uint64_t i = 0; i < 5; i++)
        offer_new(queue, &subject, long_ago() + (int64_t)i, i);
    check_int(gp__queue_deepest(queue), 8);
    gp_queue_clear(queue);
    check_int(gp__queue_deepest(queue), 8);
    check_status(gp_queue_free(queue), GP_OK);
}

static void the_check_looks_at_the_lane(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_laned();
    int64_t base = long_ago();
    gp_task *first = offer_new(queue, &subject, base, 0);
    offer_new(queue, &subject, base + 2, 1);
    offer_new(queue, &subject, base + 1, 2); /* in the heap */
    gp__task_set_time(first, base + 3);
    check_int(gp_queue_check(queue), 21); /* [LANE-1] */
    gp__task_set_time(first, base);
    atomic_store(&first->heap_index, 1);
    check_int(gp_queue_check(queue), 25); /* [LANE-5] */
    atomic_store(&first->heap_index, 0);
    int64_t horizon = atomic_load(&lane_of(queue)->horizon);
    atomic_store(&lane_of(queue)->horizon, GP__NO_HORIZON);
    check_int(gp_queue_check(queue), 22); /* [LANE-2] */
    atomic_store(&lane_of(queue)->horizon, horizon);
    atomic_store(&lane_of(queue)->belts.sleepers, 1);
    check_int(gp_queue_check(queue), 23); /* [LANE-3] */
    atomic_store(&lane_of(queue)->belts.sleepers, 0);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void without_memory_or_locks_no_queue_is_made(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_queue *queue = NULL;
        int status = gp_delayed_lane_new(&queue);
        check_status(status, fault_walk_hit(&walk) ? GP_ENOMEM : GP_OK);
        check_status(gp_queue_free(queue), GP_OK);
    }
    check(walk.point > 3);
    check_status(gp_delayed_lane_new(NULL), GP_EINVAL);
}

static const struct test tests[] = {
    TEST(random_operations_on_due_tasks_agree_with_a_model),
    TEST(random_operations_on_tasks_not_due_agree_with_a_model),
    TEST(random_operations_across_the_wrap_of_time_agree_with_a_model),
    TEST(only_what_is_due_and_in_order_takes_the_lane),
    TEST(lane_and_heap_give_one_order),
    TEST(who_goes_on_does_not_pass_the_heap_by),
    TEST(a_drain_is_in_one_order_too),
    TEST(a_snapshot_without_room_tells_how_many_there_are),
    TEST(a_task_can_be_removed_from_either_belt_and_leaves_a_hole),
    TEST(a_task_of_another_queue_is_not_found),
    TEST(a_task_from_the_end_of_a_longer_lane_is_not_found),
    TEST(a_lane_of_holes_is_an_empty_queue),
    TEST(what_is_left_moves_up_in_order),
    TEST(what_comes_and_is_removed_needs_no_further_room),
    TEST(what_comes_and_is_purged_needs_no_further_room),
    TEST(one_that_comes_late_gets_another_key_if_it_may),
    TEST(one_that_no_other_key_helps_goes_to_the_heap),
    TEST(the_alarm_rings_in_its_turn),
    TEST(the_deepest_size_counts_lane_and_heap),
    TEST(the_check_looks_at_the_lane),
    TEST(without_memory_or_locks_no_queue_is_made),
    END_OF_TESTS,
};

const struct suite delayed_lane_suite = {.name = "delayed_lane", .tests = tests};
