/*
 * The delayed queue with shelves: what delayed.c tests of heaps, and what only shelves have.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/delayed.h"

#include "delayed_support.h"
#include "suite.h"
#include "support.h"

static void walk_randomly(uint64_t seed, int64_t base, bool due)
{
    walk_on(new_shelved(2), true, seed, base, due);
    walk_on(new_shelved(7), true, seed, base, due);
    walk_on(new_shelved(40), true, seed, base, due);
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

/* Tasks that come in order, and tasks that nothing tells apart, which no shelf can be split by. */
static void shelves_hold_any_number_in_any_order(void)
{
    enum {
        COUNT = 200
    };
    struct subject subject = {0};
    for (int64_t step = -1; step <= 1; step++) {
        gp_queue *queue = new_shelved(4);
        int64_t base = long_ago();
        int64_t last = base - COUNT;
        for (int i = 0; i < COUNT; i++)
            offer_new(queue, &subject, base + step * i, 7);
        for (int i = 0; i < COUNT; i++) {
            gp_task *task = NULL;
            require_ok(gp_queue_poll(queue, &task));
            check(gp_time_until(gp_task_time(task), last) >= 0);
            last = gp_task_time(task);
            gp_task_discard(task);
            check_int(gp_queue_check(queue), 0);
        }
        check_status(gp_queue_free(queue), GP_OK);
    }
    check_int(subject.destroyed, 3 * COUNT);
}

/* Tasks that come in order, as those do that have the same delay: neither the heap nor a shelf has
   more of them than a shelf is meant to have, however often the queue has been empty. */
static void shelves_are_begun_anew_when_the_queue_was_empty(void)
{
    enum {
        ROUNDS = 6,
        COUNT = 100,
        SHELF = 4
    };
    struct subject subject = {0};
    gp_queue *queue = new_shelved(SHELF);
    int64_t base = in_an_hour();
    for (int i = 0; i < ROUNDS * COUNT; i++) {
        if (i % COUNT == 0)
            gp_queue_clear(queue);
        gp_task *task = offer_new(queue, &subject, base + i, (uint64_t)i);
        check(index_of(task) < SHELF);
    }
    check_status(gp_queue_free(queue), GP_OK);
    check_int(subject.destroyed, ROUNDS * COUNT);
}

/* Times further apart than 292 years have no order, nor have sequence numbers further apart than
   2^31. Which comes first is open then, but all come out, and the heap has room for them. */
static void walk_without_order(uint64_t random)
{
    enum {
        COUNT = 120
    };
    struct subject subject = {0};
    gp_queue *queue = new_shelved(3);
    gp_task_list list;
    for (int i = 0; i < COUNT; i++) {
        int64_t time = (int64_t)(random_below(&random, 16) << 60);
        gp_task *task = delayed_task_of(&subject, time, random_below(&random, 16) << 28);
        task->keeps_slot = random_below(&random, 4) == 0;
        check_status(gp_queue_offer(queue, task), GP_OK);
        if (random_below(&random, 4) == 0 && gp_queue_remove(queue, task) == GP_OK)
            gp_task_discard(task);
        if (random_below(&random, 4) == 0 && gp_queue_poll(queue, &task) == GP_OK) {
            gp__delayed_give_up_slot(queue, task);
            gp_task_discard(task);
        }
    }
    gp_queue_drain(queue, &list);
    gp_task_list_discard(&list);
    check_int(subject.destroyed, COUNT);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void times_that_have_no_order_do_no_harm(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++)
        walk_without_order(seed * 6700417);
}

/* Of as many on a shelf as there is room for only one is left: then there is no longer room for as
   many more. */
static void a_shelf_of_which_few_are_left_gives_memory_back(void)
{
    enum {
        SHELF = 200,
        FEW = 50
    };
    struct subject subject = {0};
    gp_queue *queue = new_shelved(SHELF);
    gp_task *far[SHELF];
    int64_t base = in_an_hour();
    int offered = 0;
    for (int i = 0; i < SHELF; i++)
        offer_new(queue, &subject, base + i, (uint64_t)i);
    for (int i = 0; i < SHELF; i++)
        far[i] = offer_new(queue, &subject, base + SHELF + i, (uint64_t)i);
    for (int i = 1; i < SHELF; i++) {
        check_status(gp_queue_remove(queue, far[i]), GP_OK);
        gp_task_discard(far[i]);
        check_int(gp_queue_check(queue), 0);
    }
    gp_task *next = delayed_task_of(&subject, base + 2 * SHELF, 0);
    while (offer_without_memory(queue, next) == GP_OK)
        next = delayed_task_of(&subject, base + 2 * SHELF, (uint64_t)++offered);
    check(offered < FEW);
    gp_task_discard(next);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* Each task of a queue with many is asked for in one with few: their numbers are those of others
   there, or beyond the end of a shelf, or of what it has memory for. */
static void a_task_of_another_queue_is_not_found(void)
{
    enum {
        MANY = 200,
        FEW = 20
    };
    struct subject subject = {0};
    gp_queue *many = new_shelved(64);
    gp_queue *few = new_shelved(4);
    gp_task *tasks[MANY];
    int64_t base = in_an_hour();
    for (int i = 0; i < FEW; i++)
        offer_new(few, &subject, base + 10 * i, (uint64_t)i);
    for (int i = 0; i < MANY; i++)
        tasks[i] = offer_new(many, &subject, base + i, (uint64_t)i);
    for (int i = 0; i < MANY; i++)
        check_status(gp_queue_remove(few, tasks[i]), GP_ENOTFOUND);
    check_int(gp_queue_size(few), FEW);
    check_int(gp_queue_check(few), 0);
    check_int(gp_queue_check(many), 0);
    check_status(gp_queue_free(few), GP_OK);
    check_status(gp_queue_free(many), GP_OK);
    check_int(subject.destroyed, MANY + FEW);
}

static void an_offer_without_memory_leaves_the_shelves_as_they_are(void)
{
    enum {
        COUNT = 300
    };
    struct subject subject = {0};
    struct model model = {.shelved = true};
    gp_queue *queue = new_shelved(8);
    uint64_t random = 5;
    int64_t base = in_an_hour();
    int refused = 0;
    for (uint64_t i = 0; i < COUNT && model.size < MODEL_SIZE; i++) {
        int64_t time = base + (int64_t)random_below(&random, 1000);
        gp_task *task = delayed_task_of(&subject, time, i);
        int status = offer_without_memory(queue, task);
        if (status == GP_ENOMEM) {
            refused++;
            check_int(index_of(task), -1);
            check_against_model(queue, &model);
            status = gp_queue_offer(queue, task);
        }
        check_status(status, GP_OK);
        model.tasks[model.size++] = task;
        check_against_model(queue, &model);
    }
    check(refused > 10);
    check_status(gp_queue_free(queue), GP_OK);
}

static void the_check_looks_at_shelves(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_shelved(2);
    int64_t time = in_an_hour();
    for (uint64_t i = 0; i < 3; i++)
        offer_new(queue, &subject, time + (int64_t)i, i);
    gp_task *far = offer_new(queue, &subject, time + 3, 3);
    atomic_store(&far->heap_index, 0);
    check_int(gp_queue_check(queue), 13); /* [SHELVES-3] */
    atomic_store(&far->heap_index, 1);
    far->keeps_slot = true;
    check_int(gp_queue_check(queue), 14); /* [SHELVES-4] */
    far->keeps_slot = false;
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_shelf_holds_two_tasks_at_least(void)
{
    gp_queue *queue = NULL;
    check_status(gp_delayed_shelved_new(0, NULL), GP_EINVAL);
    check_status(gp_delayed_shelved_new(1, &queue), GP_EINVAL);
    check_status(gp_delayed_shelved_new(SIZE_MAX, &queue), GP_EINVAL);
    check_status(gp_delayed_shelved_new(INT32_MAX / 2 + 1, &queue), GP_EINVAL);
    check(queue == NULL);
    require_ok(gp_delayed_shelved_new(INT32_MAX / 2, &queue));
    check_status(gp_queue_free(queue), GP_OK);
}

static const struct test tests[] = {
    TEST(random_operations_on_due_tasks_agree_with_a_model),
    TEST(random_operations_on_tasks_not_due_agree_with_a_model),
    TEST(random_operations_across_the_wrap_of_time_agree_with_a_model),
    TEST(shelves_hold_any_number_in_any_order),
    TEST(shelves_are_begun_anew_when_the_queue_was_empty),
    TEST(times_that_have_no_order_do_no_harm),
    TEST(a_shelf_of_which_few_are_left_gives_memory_back),
    TEST(a_task_of_another_queue_is_not_found),
    TEST(an_offer_without_memory_leaves_the_shelves_as_they_are),
    TEST(the_check_looks_at_shelves),
    TEST(a_shelf_holds_two_tasks_at_least),
    END_OF_TESTS,
};

const struct suite delayed_shelves_suite = {.name = "delayed_shelves", .tests = tests};
