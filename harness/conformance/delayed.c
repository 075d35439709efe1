/*
 * The delayed queue as a heap: order, index and room after each operation, against a model.
 * Taking, waiting and the leader are in delayed_take.c, the lane in delayed_lane.c.
 */
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/delayed.h"

#include "delayed_support.h"
#include "fault.h"
#include "suite.h"
#include "support.h"

#define INITIAL_CAPACITY 16 /* as in impl/queue/heap.h */

static void walk_randomly(uint64_t seed, int64_t base, bool due)
{
    walk_on(new_queue(), false, seed, base, due);
}

static void random_operations_on_due_tasks_agree_with_a_model(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        walk_randomly(seed * 7919, long_ago(), true);
}

static void random_operations_on_tasks_not_due_agree_with_a_model(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        walk_randomly(seed * 104729, in_an_hour(), false);
}

static void random_operations_across_the_wrap_of_time_agree_with_a_model(void)
{
    walk_randomly(12345, INT64_MAX - 10, false); /* 292 years after the clock's start: not due */
}

/* Order. */

static void tasks_come_out_by_time(void)
{
    static const int64_t offsets[] = {5, 1, 4, 2, 3, 0};
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    int64_t base = long_ago();
    for (size_t i = 0; i < 6; i++)
        offer_new(queue, &subject, base + offsets[i], i);
    for (int64_t expected = 0; expected < 6; expected++) {
        gp_task *task = NULL;
        require_ok(gp_queue_poll(queue, &task));
        check_int(gp_task_time(task), base + expected);
        gp_task_run(task);
    }
    check_int(subject.runs, 6);
    check_status(gp_queue_free(queue), GP_OK);
}

static void among_equal_times_the_lower_sequence_comes_first(void)
{
    enum {
        COUNT = 40
    };
    struct subject subjects[COUNT] = {0};
    gp_queue *queue = new_queue();
    int64_t time = long_ago();
    for (uint64_t i = 0; i < COUNT; i++) { /* offered in a scrambled order */
        uint64_t sequence = i * 7 % COUNT;
        offer_new(queue, &subjects[sequence], time, sequence);
    }
    for (int i = 0; i < COUNT; i++) {
        gp_task *task = NULL;
        require_ok(gp_queue_poll(queue, &task));
        check(gp_task_argument(task) == &subjects[i]);
        gp_task_discard(task);
    }
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_time_beyond_the_wrap_comes_after_one_before_it(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task_list list;
    gp_task *after = offer_new(queue, &subject, INT64_MIN + 5, 0);
    gp_task *before = offer_new(queue, &subject, INT64_MAX - 5, 1);
    check_int(index_of(before), 0);
    gp_queue_drain(queue, &list);
    check(list.first == before);
    check(list.last == after);
    gp_task_list_discard(&list);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_task_due_in_the_farthest_future_is_not_due_now(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    offer_new(queue, &subject, gp_time_after(gp_now(), INT64_MAX), 0);
    check_status(gp_queue_poll(queue, &out), GP_EEMPTY);
    check_status(gp_queue_poll_timed(queue, GP_MILLISECONDS(1), &out), GP_ETIMEDOUT);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, 1);
}

/* Looking. */

static void peek_and_snapshot_show_tasks_that_are_not_due(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *seen[3] = {NULL, NULL, NULL};
    gp_task *out = NULL;
    gp_task *late = offer_new(queue, &subject, in_an_hour(), 1);
    gp_task *early = offer_new(queue, &subject, in_an_hour() - GP_SECONDS(60), 2);
    check_status(gp_queue_peek(queue, &out), GP_OK);
    check(out == early);
    gp_task_release(out);
    check_int(gp_queue_snapshot(queue, seen, 1), 2); /* how many there are, not how many fit */
    check(seen[0] == early && seen[1] == NULL);
    gp_task_release(seen[0]);
    check_int(gp_queue_snapshot(queue, seen, 3), 2);
    check(seen[1] == late && seen[2] == NULL);
    gp_task_release(seen[0]);
    gp_task_release(seen[1]);
    check_int(gp_queue_snapshot(queue, NULL, 0), 2);
    check_int(gp_queue_remaining(queue), GP_UNBOUNDED);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_peeked_task_stays_valid_after_it_left_the_queue(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *seen = NULL;
    offer_new(queue, &subject, in_an_hour(), 1);
    require_ok(gp_queue_peek(queue, &seen));
    gp_queue_clear(queue);
    check_int(subject.destroyed, 1);
    check(gp_task_argument(seen) == &subject);
    gp_task_release(seen);
    check_status(gp_queue_free(queue), GP_OK);
}

static void the_deepest_size_is_remembered(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    check_int(gp__queue_deepest(queue), 0);
    for (uint64_t i = 0; i < 5; i++)
        offer_new(queue, &subject, in_an_hour(), i);
    gp_queue_clear(queue);
    offer_new(queue, &subject, in_an_hour(), 5);
    check_int(gp__queue_deepest(queue), 5);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Removal. */

static void check_removal_of(size_t position)
{
    enum {
        COUNT = 31
    };
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    uint64_t random = position + 1;
    for (uint64_t i = 0; i < COUNT; i++)
        model.tasks[model.size++] =
            offer_new(queue, &subject, in_an_hour() + (int64_t)random_below(&random, 1000), i);
    for (size_t i = 0; i < model.size; i++) {
        if (index_of(model.tasks[i]) == (ptrdiff_t)position) {
            gp_task *task = model_remove(&model, i);
            check_status(gp_queue_remove(queue, task), GP_OK);
            gp_task_discard(task);
            break;
        }
    }
    check_int(model.size, COUNT - 1);
    check_against_model(queue, &model);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, COUNT);
}

static void each_slot_can_be_removed_the_first_and_the_last_among_them(void)
{
    for (size_t position = 0; position < 31; position++)
        check_removal_of(position);
}

/*
 *                  0                      20 is removed: the last entry, 5, comes into its
 *             /         \                 place. It stood under 2 and is earlier than its new
 *           10           1                parents 11 and 10: it goes up, into the place of 10.
 *         /    \       /   \
 *       11      13    2     3
 *      /  \    /  \  / \
 *    20   21  22  23 4  5
 */
static void a_replacement_from_another_branch_may_have_to_go_up(void)
{
    static const int64_t times[] = {0, 10, 1, 11, 13, 2, 3, 20, 21, 22, 23, 4, 5};
    enum {
        COUNT = sizeof times / sizeof times[0],
        VICTIM = 7
    };
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    int64_t base = in_an_hour();
    for (uint64_t i = 0; i < COUNT; i++) {
        model.tasks[i] = offer_new(queue, &subject, base + times[i], i);
        check_int(index_of(model.tasks[i]), i); /* they are in heap order already */
    }
    model.size = COUNT;
    gp_task *replacement = model.tasks[COUNT - 1];
    gp_task *victim = model_remove(&model, VICTIM);
    check_status(gp_queue_remove(queue, victim), GP_OK);
    check_int(index_of(replacement), 1);
    check_against_model(queue, &model);
    gp_task_discard(victim);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_task_of_another_queue_is_not_found_and_stays_where_it_is(void)
{
    struct subject subject = {0};
    gp_queue *mine = new_queue();
    gp_queue *other = new_queue();
    offer_new(mine, &subject, in_an_hour(), 0);
    gp_task *foreign = offer_new(other, &subject, in_an_hour(), 1);
    check_status(gp_queue_remove(mine, foreign), GP_ENOTFOUND);
    check_int(gp_queue_size(mine), 1);
    check_int(gp_queue_size(other), 1);
    check_int(gp_queue_check(other), 0);
    check_status(gp_queue_free(mine), GP_OK);
    check_status(gp_queue_free(other), GP_OK);
}

static void a_task_that_is_queued_nowhere_is_not_found(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *loose = delayed_task_of(&subject, in_an_hour(), 0);
    gp_task *plain = task_of(&subject);
    check_status(gp_queue_remove(queue, loose), GP_ENOTFOUND);
    check_status(gp_queue_remove(queue, plain), GP_ENOTFOUND);
    gp_task_discard(loose);
    gp_task_discard(plain);
    check_status(gp_queue_free(queue), GP_OK);
}

/* The slot that it had here is free, and nobody has wiped it; there it has the same one. */
static void a_task_that_went_to_another_queue_is_not_found(void)
{
    struct subject subject = {0};
    gp_queue *queues[2] = {new_queue(), new_queue()};
    offer_new(queues[0], &subject, in_an_hour(), 0);
    offer_new(queues[1], &subject, in_an_hour(), 1);
    gp_task *task = offer_new(queues[0], &subject, in_an_hour() + 1, 2);
    check_status(gp_queue_remove(queues[0], task), GP_OK);
    check_status(gp_queue_offer(queues[1], task), GP_OK);
    check_int(index_of(task), 1);
    check_status(gp_queue_remove(queues[0], task), GP_ENOTFOUND);
    check_int(gp_queue_size(queues[0]), 1);
    for (int i = 0; i < 2; i++) {
        check_int(gp_queue_check(queues[i]), 0);
        check_status(gp_queue_free(queues[i]), GP_OK);
    }
    check_int(subject.destroyed, 3);
}

static bool is_odd(gp_task *task, void *context)
{
    ++*(int *)context;
    return task->sequence % 2 == 1;
}

static void those_that_match_can_be_removed_together(void)
{
    enum {
        COUNT = 50
    };
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    gp_task_list list = {0};
    uint64_t random = 99;
    int asked = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        gp_task *task =
            offer_new(queue, &subject, in_an_hour() + (int64_t)random_below(&random, 10), i);
        if (i % 2 == 0)
            model.tasks[model.size++] = task;
    }
    gp__queue_remove_if(queue, is_odd, &asked, &list);
    check_int(asked, COUNT);
    check_int(list.count, COUNT / 2);
    for (gp_task *task = list.first; task != NULL; task = task->next)
        check_int(index_of(task), -1);
    check_against_model(queue, &model);
    gp_task_list_discard(&list);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, COUNT);
}

static bool is_among(gp_task *task, void *numbers)
{
    return *(unsigned *)numbers >> task->sequence & 1;
}

/* What is left has to be put in order again. */
static void remove_together(unsigned size, unsigned step, unsigned numbers)
{
    gp_queue *queue = new_queue();
    struct subject subject = {0};
    gp_task_list list = {0};
    for (unsigned i = 0; i < size; i++)
        offer_new(queue, &subject, in_an_hour() + GP_SECONDS((i + 1) * step % 7), i);
    gp__queue_remove_if(queue, is_among, &numbers, &list);
    check_int(gp_queue_check(queue), 0);
    check_int(gp_queue_size(queue) + list.count, size);
    gp_task_list_discard(&list);
    check_status(gp_queue_free(queue), GP_OK);
}

static void any_of_a_few_can_be_removed_together(void)
{
    for (unsigned size = 1; size <= 6; size++)
        for (unsigned step = 1; step <= 6; step++)
            for (unsigned numbers = 0; numbers < 1U << size; numbers++)
                remove_together(size, step, numbers);
}

static void clear_and_free_discard_what_is_queued(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    offer_new(queue, &subject, in_an_hour(), 0);
    offer_new(queue, &subject, long_ago(), 1);
    gp_queue_clear(queue);
    check_int(subject.destroyed, 2);
    check_int(gp_queue_size(queue), 0);
    offer_new(queue, &subject, in_an_hour(), 2);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, 3);
    check_int(subject.runs, 0);
}

/* Room. */

static void the_heap_grows_as_far_as_needed(void)
{
    enum {
        COUNT = 2000
    };
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    uint64_t random = 4711;
    int64_t base = long_ago();
    int64_t last = gp_time_after(base, -GP_SECONDS(1));
    for (uint64_t i = 0; i < COUNT; i++)
        check_status(
            gp_queue_offer(
                queue, delayed_task_of(&subject, base - (int64_t)random_below(&random, 100000), i)),
            GP_OK);
    check_int(gp_queue_check(queue), 0);
    for (int i = 0; i < COUNT; i++) {
        gp_task *task = NULL;
        require_ok(gp_queue_poll(queue, &task));
        check(gp_time_until(gp_task_time(task), last) >= 0);
        last = gp_task_time(task);
        gp_task_discard(task);
    }
    check_status(gp_queue_free(queue), GP_OK);
}

static void fill(gp_queue *queue, struct subject *subject, struct model *model, bool periodic)
{
    for (uint64_t i = 0; i < INITIAL_CAPACITY; i++) {
        gp_task *task = delayed_task_of(subject, long_ago(), i);
        task->keeps_slot = periodic;
        check_status(gp_queue_offer(queue, task), GP_OK);
        model->tasks[model->size++] = task;
    }
}

static void an_offer_that_cannot_grow_fails_and_changes_nothing(void)
{
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    fill(queue, &subject, &model, false);
    gp_task *extra = delayed_task_of(&subject, long_ago(), 99);
    check_status(offer_without_memory(queue, extra), GP_ENOMEM);
    check_against_model(queue, &model);
    check_int(index_of(extra), -1);
    check_int(subject.destroyed, 0);
    check_status(gp_queue_offer(queue, extra), GP_OK); /* with memory it goes */
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, INITIAL_CAPACITY + 1);
}

static void a_periodic_task_that_runs_keeps_its_slot(void)
{
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    gp_task *running = NULL;
    fill(queue, &subject, &model, true);
    require_ok(gp_queue_poll(queue, &running));
    gp_task *extra = delayed_task_of(&subject, long_ago(), 99);
    check_status(offer_without_memory(queue, extra), GP_ENOMEM);
    check_int(gp_queue_check(queue), 0);
    check_status(offer_without_memory(queue, running), GP_OK);
    check_against_model(queue, &model);
    gp_task_discard(extra);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_slot_that_is_given_up_can_be_used_by_others(void)
{
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    gp_task *running = NULL;
    fill(queue, &subject, &model, true);
    require_ok(gp_queue_poll(queue, &running));
    gp__delayed_give_up_slot(queue, running);
    gp__delayed_give_up_slot(queue, running); /* a second time: nothing to give up */
    gp_task *extra = delayed_task_of(&subject, long_ago(), 99);
    check_status(offer_without_memory(queue, extra), GP_OK);
    check_status(offer_without_memory(queue, running), GP_ENOMEM);
    check_int(gp_queue_check(queue), 0);
    gp_task_discard(running);
    check_status(gp_queue_free(queue), GP_OK);
}

/* It has its slot in a heap that it does not come back to. */
static void a_slot_of_another_queue_is_not_given_up_here(void)
{
    struct subject subject = {0};
    gp_queue *theirs = new_queue();
    gp_queue *ours = new_queue();
    gp_task *task = delayed_task_of(&subject, long_ago(), 0);
    task->keeps_slot = true;
    check_status(gp_queue_offer(theirs, task), GP_OK);
    require_ok(gp_queue_poll(theirs, &task));
    check_status(gp_queue_offer(ours, task), GP_OK);
    for (uint64_t i = 1; i <= INITIAL_CAPACITY; i++)
        offer_new(ours, &subject, long_ago(), i);
    check_int(gp_queue_check(ours), 0);
    check_int(gp_queue_check(theirs), 0);
    check_status(gp_queue_free(ours), GP_OK);
    check_status(gp_queue_free(theirs), GP_OK);
    check_int(subject.destroyed, INITIAL_CAPACITY + 1);
}

static void a_removed_or_drained_periodic_task_keeps_no_slot(void)
{
    struct subject subject = {0};
    struct model model = {.size = 0};
    gp_queue *queue = new_queue();
    gp_task_list list;
    fill(queue, &subject, &model, true);
    check_status(gp_queue_remove(queue, model.tasks[3]), GP_OK);
    gp_task_discard(model.tasks[3]);
    gp_queue_drain(queue, &list);
    gp_task_list_discard(&list);
    model.size = 0;
    fill(queue, &subject, &model, false);
    check_int(gp_queue_check(queue), 0);
    gp_task *extra = delayed_task_of(&subject, long_ago(), 99);
    check_status(offer_without_memory(queue, extra), GP_ENOMEM); /* 16 of 16 are in use, not more */
    gp_task_discard(extra);
    check_status(gp_queue_free(queue), GP_OK);
}

static void the_check_names_the_invariant_that_is_broken(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    int64_t time = in_an_hour();
    offer_new(queue, &subject, time, 0);
    gp_task *task = offer_new(queue, &subject, time + 1, 1);
    atomic_store(&task->heap_index, 0);
    check_int(gp_queue_check(queue), 2); /* index */
    atomic_store(&task->heap_index, 1);
    gp__task_set_time(task, time - 1);
    check_int(gp_queue_check(queue), 3); /* key */
    gp__task_set_time(task, time + 1);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Bad input and faults. */

static void only_delayed_tasks_are_taken(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *plain = task_of(&subject);
    check_status(gp_queue_offer(queue, plain), GP_EINVAL);
    check_status(gp_queue_offer_timed(queue, plain, GP_SECONDS(1)), GP_EINVAL);
    check_status(gp_queue_put(queue, plain), GP_EINVAL);
    check_int(subject.destroyed, 0);
    gp_task_discard(plain);
    check_status(gp_delayed_new(NULL), GP_EINVAL);
    check_status(gp_queue_free(queue), GP_OK);
}

static void without_memory_or_locks_no_queue_is_made(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_queue *queue = NULL;
        int status = gp_delayed_new(&queue);
        check_status(status, fault_walk_hit(&walk) ? GP_ENOMEM : GP_OK);
        check_status(gp_queue_free(queue), GP_OK);
    }
    check(walk.point > 2);
}

static const struct test tests[] = {
    TEST(random_operations_on_due_tasks_agree_with_a_model),
    TEST(random_operations_on_tasks_not_due_agree_with_a_model),
    TEST(random_operations_across_the_wrap_of_time_agree_with_a_model),
    TEST(tasks_come_out_by_time),
    TEST(among_equal_times_the_lower_sequence_comes_first),
    TEST(a_time_beyond_the_wrap_comes_after_one_before_it),
    TEST(a_task_due_in_the_farthest_future_is_not_due_now),
    TEST(peek_and_snapshot_show_tasks_that_are_not_due),
    TEST(a_peeked_task_stays_valid_after_it_left_the_queue),
    TEST(the_deepest_size_is_remembered),
    TEST(each_slot_can_be_removed_the_first_and_the_last_among_them),
    TEST(a_replacement_from_another_branch_may_have_to_go_up),
    TEST(a_task_of_another_queue_is_not_found_and_stays_where_it_is),
    TEST(a_task_that_is_queued_nowhere_is_not_found),
    TEST(a_task_that_went_to_another_queue_is_not_found),
    TEST(those_that_match_can_be_removed_together),
    TEST(any_of_a_few_can_be_removed_together),
    TEST(clear_and_free_discard_what_is_queued),
    TEST(the_heap_grows_as_far_as_needed),
    TEST(an_offer_that_cannot_grow_fails_and_changes_nothing),
    TEST(a_periodic_task_that_runs_keeps_its_slot),
    TEST(a_slot_that_is_given_up_can_be_used_by_others),
    TEST(a_slot_of_another_queue_is_not_given_up_here),
    TEST(a_removed_or_drained_periodic_task_keeps_no_slot),
    TEST(the_check_names_the_invariant_that_is_broken),
    TEST(only_delayed_tasks_are_taken),
    TEST(without_memory_or_locks_no_queue_is_made),
    END_OF_TESTS,
};

const struct suite delayed_suite = {.name = "delayed", .tests = tests};
