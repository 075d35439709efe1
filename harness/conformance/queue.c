/*
 * What all queues share, without waiting: order, looking, removing, and bad arguments. One table
 * (queue_kinds.c), each behaviour once.
 */
#include <string.h>

#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "fault.h"
#include "queue_kinds.h"
#include "suite.h"
#include "support.h"

static void fill(gp_queue *queue, const struct queue_kind *kind, struct subject *subjects)
{
    for (int i = 0; i < BOUND; i++)
        offer_task(queue, kind, &subjects[i]);
}

static void check_next(gp_queue *queue, const struct subject *expected)
{
    gp_task *task = NULL;
    check_status(gp_queue_poll(queue, &task), GP_OK);
    if (task == NULL)
        return;
    check(gp_task_argument(task) == expected);
    gp_task_discard(task);
}

static void first_in_is_first_out(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[BOUND] = {0};
        gp_queue *queue = queue_of(kind);
        for (int round = 0; round < 3; round++) {
            fill(queue, kind, subjects);
            for (int i = 0; i < BOUND; i++)
                check_next(queue, &subjects[i]);
        }
        check_int(subjects[0].destroyed, 3);
        queue_end(queue);
    }
}

static void an_empty_queue_has_nothing_to_give(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        gp_queue *queue = queue_of(kind);
        gp_task *task = NULL;
        gp_task_list list = {.count = 99};
        check_status(gp_queue_poll(queue, &task), GP_EEMPTY);
        check_status(gp_queue_peek(queue, &task), GP_EEMPTY);
        check_status(gp_queue_poll_timed(queue, 0, &task), GP_ETIMEDOUT);
        check_status(gp_queue_poll_timed(queue, INT64_MIN, &task), GP_ETIMEDOUT);
        check(task == NULL);
        gp_queue_drain(queue, &list);
        check(list.first == NULL && list.count == 0);
        check_int(gp_queue_size(queue), 0);
        check_int(gp_queue_remaining(queue), kind->capacity);
        check_int(gp_queue_snapshot(queue, &task, 1), 0);
        queue_end(queue);
    }
}

static void the_size_follows_what_goes_in_and_out(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        for (size_t i = 0; i < BOUND; i++) {
            offer_task(queue, kind, &subject);
            check_int(gp_queue_size(queue), i + 1);
            check_int(gp_queue_remaining(queue),
                      kind->capacity == GP_UNBOUNDED ? GP_UNBOUNDED : BOUND - i - 1);
        }
        check_next(queue, &subject);
        check_int(gp_queue_size(queue), BOUND - 1);
        offer_task(queue, kind, &subject);
        check_int(gp__queue_deepest(queue), BOUND);
        queue_end(queue);
    }
}

static void peek_shows_the_head_and_leaves_it(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[BOUND] = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *seen = NULL;
        fill(queue, kind, subjects);
        check_status(gp_queue_peek(queue, &seen), GP_OK);
        check(gp_task_argument(seen) == &subjects[0]);
        check_int(gp_queue_size(queue), BOUND);
        check_next(queue, &subjects[0]);
        check_int(subjects[0].destroyed, 1);
        check(gp_task_argument(seen) == &subjects[0]); /* the memory is still there */
        gp_task_release(seen);
        check_int(subjects[0].destroyed, 1);
        queue_end(queue);
    }
}

/* Some in each half of a linked queue. */
static void snapshot_shows_as_many_as_there_is_room_for(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[BOUND] = {0};
        struct subject extra = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *seen[BOUND + 1] = {NULL};
        fill(queue, kind, subjects);
        check_next(queue, &subjects[0]);
        offer_task(queue, kind, &extra);
        check_int(gp_queue_snapshot(queue, NULL, 0), BOUND);
        check_int(gp_queue_snapshot(queue, seen, 1), BOUND);
        check(seen[0] != NULL && gp_task_argument(seen[0]) == &subjects[1] && seen[1] == NULL);
        gp_task_release(seen[0]);
        check_int(gp_queue_snapshot(queue, seen, BOUND + 1), BOUND);
        check(seen[BOUND] == NULL);
        for (int i = 0; i < BOUND; i++)
            gp_task_release(seen[i]);
        check_int(gp_queue_size(queue), BOUND);
        queue_end(queue);
    }
}

static void a_task_can_be_removed_from_anywhere(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        for (int victim = 0; victim < BOUND; victim++) {
            struct subject subjects[BOUND] = {0};
            struct subject later = {0};
            gp_queue *queue = queue_of(kind);
            gp_task *tasks[BOUND];
            for (int i = 0; i < BOUND; i++)
                tasks[i] = offer_task(queue, kind, &subjects[i]);
            check_status(gp_queue_remove(queue, tasks[victim]), GP_OK);
            check_int(gp_queue_check(queue), 0);
            check_status(gp_queue_remove(queue, tasks[victim]), GP_ENOTFOUND);
            gp_task_discard(tasks[victim]);
            offer_task(queue, kind, &later);
            for (int i = 0; i < BOUND; i++)
                if (i != victim)
                    check_next(queue, &subjects[i]);
            check_next(queue, &later);
            queue_end(queue);
        }
    }
}

static void a_task_that_is_not_there_is_not_found(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        gp_queue *other = queue_of(kind);
        gp_task *loose = kind->task(&subject);
        gp_task *foreign = offer_task(other, kind, &subject);
        check_status(gp_queue_remove(queue, loose), GP_ENOTFOUND);
        offer_task(queue, kind, &subject);
        check_status(gp_queue_remove(queue, loose), GP_ENOTFOUND);
        check_status(gp_queue_remove(queue, foreign), GP_ENOTFOUND);
        check_int(gp_queue_size(queue), 1);
        check_int(gp_queue_size(other), 1);
        gp_task_discard(loose);
        queue_end(queue);
        queue_end(other);
    }
}

static bool is_marked(gp_task *task, void *context)
{
    ++*(int *)context;
    return ((struct subject *)gp_task_argument(task))->code != 0;
}

static void those_that_match_are_removed_together(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[BOUND] = {{.code = 1}, {.code = 0}, {.code = 0}, {.code = 1}};
        struct subject later = {0};
        gp_queue *queue = queue_of(kind);
        gp_task_list list = {0};
        int asked = 0;
        fill(queue, kind, subjects);
        gp__queue_remove_if(queue, is_marked, &asked, &list);
        check_int(asked, BOUND);
        check_int(list.count, 2);
        gp_task_list_discard(&list);
        check_int(subjects[0].destroyed + subjects[3].destroyed, 2);
        check_int(gp_queue_check(queue), 0);
        offer_task(queue, kind, &later);
        check_next(queue, &subjects[1]);
        check_next(queue, &subjects[2]);
        check_next(queue, &later);
        queue_end(queue);
    }
}

static void drain_hands_back_everything_in_order(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[BOUND] = {0};
        struct subject extra = {0};
        gp_queue *queue = queue_of(kind);
        gp_task_list list;
        fill(queue, kind, subjects);
        check_next(queue, &subjects[0]);
        offer_task(queue, kind, &extra);
        gp_queue_drain(queue, &list);
        check_int(list.count, BOUND);
        check_int(gp_queue_size(queue), 0);
        for (int i = 1; i <= BOUND; i++) {
            gp_task *task = gp_task_list_pop(&list);
            check(gp_task_argument(task) == (i < BOUND ? &subjects[i] : &extra));
            gp_task_run(task);
        }
        check_int(extra.runs, 1);
        queue_end(queue);
    }
}

static void clear_and_free_discard_what_is_left(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[BOUND] = {0};
        gp_queue *queue = queue_of(kind);
        fill(queue, kind, subjects);
        gp_queue_clear(queue);
        check_int(gp_queue_size(queue), 0);
        fill(queue, kind, subjects);
        queue_end(queue);
        for (int i = 0; i < BOUND; i++) {
            check_int(subjects[i].destroyed, 2);
            check_int(subjects[i].runs, 0);
        }
    }
}

/* Random operations against a model: an array in the order of arrival. */

enum {
    MODEL_SIZE = 128
};

struct model {
    gp_queue *queue;
    const struct queue_kind *kind;
    gp_task *tasks[MODEL_SIZE];
    size_t size;
    uint64_t random;
    struct subject subject;
    int made;
};

static gp_task *model_remove(struct model *model, size_t i)
{
    gp_task *task = model->tasks[i];
    model->size--;
    memmove(&model->tasks[i], &model->tasks[i + 1], (model->size - i) * sizeof model->tasks[0]);
    return task;
}

static void model_offer(struct model *model)
{
    if (model->size == MODEL_SIZE)
        return;
    gp_task *task = model->kind->task(&model->subject);
    model->made++;
    bool full = model->size == model->kind->capacity;
    check_status(gp_queue_offer(model->queue, task), full ? GP_EFULL : GP_OK);
    if (full)
        gp_task_discard(task);
    else
        model->tasks[model->size++] = task;
}

static void model_poll(struct model *model)
{
    gp_task *task = NULL;
    int status = gp_queue_poll(model->queue, &task);
    check_status(status, model->size > 0 ? GP_OK : GP_EEMPTY);
    if (status != GP_OK)
        return;
    check(task == model_remove(model, 0));
    gp_task_run(task);
}

static void model_remove_any(struct model *model)
{
    if (model->size == 0)
        return;
    gp_task *task = model_remove(model, (size_t)random_below(&model->random, model->size));
    check_status(gp_queue_remove(model->queue, task), GP_OK);
    gp_task_discard(task);
}

static void model_drain(struct model *model)
{
    gp_task_list list;
    gp_queue_drain(model->queue, &list);
    check_int(list.count, model->size);
    for (gp_task *task; (task = gp_task_list_pop(&list)) != NULL; gp_task_discard(task))
        check(task == model_remove(model, 0));
}

static void model_step(struct model *model)
{
    uint64_t die = random_below(&model->random, 100);
    if (die < 50)
        model_offer(model);
    else if (die < 75)
        model_poll(model);
    else if (die < 99)
        model_remove_any(model);
    else
        model_drain(model);
    check_int(gp_queue_check(model->queue), 0);
    check_int(gp_queue_size(model->queue), model->size);
}

static void random_operations_agree_with_a_model(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct model model = {.queue = queue_of(kind), .kind = kind, .random = 20};
        for (unsigned i = 0; i < scaled(3000); i++)
            model_step(&model);
        model_drain(&model);
        queue_end(model.queue);
        check_int(model.subject.destroyed, model.made);
    }
}

/* Bad input and faults. */

static void bad_arguments_are_refused(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *task = kind->task(&subject);
        check_status(gp_queue_offer(NULL, task), GP_EINVAL);
        check_status(gp_queue_offer(queue, NULL), GP_EINVAL);
        check_status(gp_queue_offer_timed(NULL, task, 1), GP_EINVAL);
        check_status(gp_queue_offer_timed(queue, NULL, 1), GP_EINVAL);
        check_status(gp_queue_put(NULL, task), GP_EINVAL);
        check_status(gp_queue_put(queue, NULL), GP_EINVAL);
        check_status(gp_queue_poll(NULL, &task), GP_EINVAL);
        check_status(gp_queue_poll(queue, NULL), GP_EINVAL);
        check_status(gp_queue_poll_timed(NULL, 1, &task), GP_EINVAL);
        check_status(gp_queue_poll_timed(queue, 1, NULL), GP_EINVAL);
        check_status(gp_queue_take(NULL, &task), GP_EINVAL);
        check_status(gp_queue_take(queue, NULL), GP_EINVAL);
        check_status(gp_queue_remove(NULL, task), GP_EINVAL);
        check_status(gp_queue_remove(queue, NULL), GP_EINVAL);
        check_status(gp_queue_peek(NULL, &task), GP_EINVAL);
        check_status(gp_queue_peek(queue, NULL), GP_EINVAL);
        check_status(kind->make(NULL), GP_EINVAL);
        gp_task_discard(task);
        queue_end(queue);
    }
    gp_queue *queue = NULL;
    check_status(gp_linked_new(0, &queue), GP_EINVAL);
    check(queue == NULL);
    check_status(gp_queue_free(NULL), GP_OK);
}

static void without_memory_or_locks_no_queue_is_made(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct fault_walk walk = {.kinds = FAULT_ANY};
        while (fault_walk_next(&walk)) {
            gp_queue *queue = NULL;
            int status = kind->make(&queue);
            check_status(status, fault_walk_hit(&walk) ? GP_ENOMEM : GP_OK);
            check_int(queue != NULL, status == GP_OK);
            check_status(gp_queue_free(queue), GP_OK);
        }
        check(walk.point > 2);
    }
}

static void a_capacity_of_one_is_enough(void)
{
    for (int i = 0; i < 2; i++) {
        struct subject subject = {0};
        gp_queue *queue = NULL;
        require_ok(i == 0 ? gp_linked_new(1, &queue) : gp_array_new(1, &queue));
        for (int round = 0; round < 3; round++) {
            gp_task *refused = task_of(&subject);
            check_status(gp_queue_offer(queue, task_of(&subject)), GP_OK);
            check_status(gp_queue_offer(queue, refused), GP_EFULL);
            check_int(gp_queue_remaining(queue), 0);
            check_next(queue, &subject);
            gp_task_discard(refused);
        }
        queue_end(queue);
    }
}

static const struct test tests[] = {
    TEST(first_in_is_first_out),
    TEST(an_empty_queue_has_nothing_to_give),
    TEST(the_size_follows_what_goes_in_and_out),
    TEST(peek_shows_the_head_and_leaves_it),
    TEST(snapshot_shows_as_many_as_there_is_room_for),
    TEST(a_task_can_be_removed_from_anywhere),
    TEST(a_task_that_is_not_there_is_not_found),
    TEST(those_that_match_are_removed_together),
    TEST(drain_hands_back_everything_in_order),
    TEST(clear_and_free_discard_what_is_left),
    TEST(random_operations_agree_with_a_model),
    TEST(bad_arguments_are_refused),
    TEST(without_memory_or_locks_no_queue_is_made),
    TEST(a_capacity_of_one_is_enough),
    END_OF_TESTS,
};

const struct suite queue_suite = {.name = "queue", .tests = tests};
