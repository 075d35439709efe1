/* The priority queue: the least first, equals in their order of arrival, against a model. */
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

#define INITIAL_CAPACITY 16 /* as in impl/queue/heap.h */

static int rank(const gp_task *task)
{
    return ((struct subject *)gp_task_argument(task))->code;
}

static int by_rank(const gp_task *left, const gp_task *right)
{
    return rank(left) - rank(right);
}

static gp_queue *new_queue(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_priority_new(by_rank, &queue));
    return queue;
}

static gp_task *offer_new(gp_queue *queue, struct subject *subject)
{
    gp_task *task = task_of(subject);
    check_status(gp_queue_offer(queue, task), GP_OK);
    check_int(gp_queue_check(queue), 0);
    return task;
}

static void queue_end(gp_queue *queue)
{
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* The model: all tasks in their order of arrival; the first of the least is next. */

enum {
    MODEL_SIZE = 64,
    RANKS = 7
};

struct model {
    gp_queue *queue;
    gp_task *tasks[MODEL_SIZE];
    size_t size;
    struct subject ranks[RANKS];
    uint64_t random;
    int made;
};

static size_t model_first(const struct model *model)
{
    size_t first = 0;
    for (size_t i = 1; i < model->size; i++)
        if (rank(model->tasks[i]) < rank(model->tasks[first]))
            first = i;
    return first;
}

static gp_task *model_remove(struct model *model, size_t i)
{
    gp_task *task = model->tasks[i];
    for (model->size--; i < model->size; i++)
        model->tasks[i] = model->tasks[i + 1];
    return task;
}

static void model_offer(struct model *model)
{
    if (model->size == MODEL_SIZE)
        return;
    struct subject *subject = &model->ranks[random_below(&model->random, RANKS)];
    model->tasks[model->size++] = offer_new(model->queue, subject);
    model->made++;
}

static void model_poll(struct model *model)
{
    gp_task *task = NULL;
    int status = gp_queue_poll(model->queue, &task);
    check_status(status, model->size > 0 ? GP_OK : GP_EEMPTY);
    if (status != GP_OK)
        return;
    check(task == model_remove(model, model_first(model)));
    gp_task_run(task);
}

static void model_remove_any(struct model *model)
{
    if (model->size == 0)
        return;
    gp_task *task = model_remove(model, (size_t)random_below(&model->random, model->size));
    check_status(gp_queue_remove(model->queue, task), GP_OK);
    check_int(gp_queue_check(model->queue), 0);
    gp_task_discard(task);
}

static bool is_even(gp_task *task, void *unused)
{
    (void)unused;
    return rank(task) % 2 == 0;
}

static int destroyed_in(const struct model *model)
{
    int destroyed = 0;
    for (int i = 0; i < RANKS; i++)
        destroyed += model->ranks[i].destroyed;
    return destroyed;
}

static void random_operations_agree_with_a_model(void)
{
    struct model model = {.queue = new_queue(), .random = 77};
    for (int i = 0; i < RANKS; i++)
        model.ranks[i].code = i - 3;
    for (unsigned i = 0; i < scaled(4000); i++) {
        uint64_t die = random_below(&model.random, 4);
        if (die < 2)
            model_offer(&model);
        else if (die == 2)
            model_poll(&model);
        else
            model_remove_any(&model);
        check_int(gp_queue_size(model.queue), model.size);
    }
    while (model.size > 0)
        model_poll(&model);
    queue_end(model.queue);
    check_int(destroyed_in(&model), model.made);
}

static void the_least_comes_first_and_equals_in_order_of_arrival(void)
{
    struct subject subjects[] = {{.code = 2}, {.code = 1}, {.code = 2}, {.code = 1}, {.code = 0}};
    static const int expected[] = {4, 1, 3, 0, 2};
    gp_queue *queue = new_queue();
    for (int i = 0; i < 5; i++)
        offer_new(queue, &subjects[i]);
    for (int i = 0; i < 5; i++) {
        gp_task *task = NULL;
        require_ok(gp_queue_take(queue, &task));
        check(gp_task_argument(task) == &subjects[expected[i]]);
        gp_task_discard(task);
    }
    queue_end(queue);
}

/* Wherever the heap ends, and its memory. */
static void one_that_is_not_there_is_not_found(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *absent = task_of(&subject);
    for (int i = 0; i < 100; i++) {
        check_status(gp_queue_remove(queue, absent), GP_ENOTFOUND);
        offer_new(queue, &subject);
    }
    gp_task_discard(absent);
    queue_end(queue);
}

/* Each has the slot of the other. */
static void a_task_of_another_queue_is_not_found_and_stays_where_it_is(void)
{
    struct subject subjects[2] = {{0}};
    gp_queue *queues[] = {new_queue(), new_queue()};
    gp_task *tasks[2];
    for (int i = 0; i < 2; i++)
        tasks[i] = offer_new(queues[i], &subjects[i]);
    check_status(gp_queue_remove(queues[0], tasks[1]), GP_ENOTFOUND);
    check_int(gp_queue_size(queues[0]), 1);
    check_status(gp_queue_remove(queues[1], tasks[1]), GP_OK);
    gp_task_discard(tasks[1]);
    for (int i = 0; i < 2; i++)
        queue_end(queues[i]);
}

static void drain_is_in_order_and_remove_if_keeps_it(void)
{
    enum {
        COUNT = 30
    };
    struct subject subjects[COUNT] = {0};
    gp_queue *queue = new_queue();
    gp_task_list list = {0};
    uint64_t random = 5;
    for (int i = 0; i < COUNT; i++) {
        subjects[i].code = (int)random_below(&random, 10);
        offer_new(queue, &subjects[i]);
    }
    gp__queue_remove_if(queue, is_even, NULL, &list);
    gp_task_list_discard(&list);
    check_int(gp_queue_check(queue), 0);
    gp_queue_drain(queue, &list);
    int last = 0;
    for (gp_task *task; (task = gp_task_list_pop(&list)) != NULL; gp_task_discard(task)) {
        check(rank(task) >= last && rank(task) % 2 == 1);
        last = rank(task);
    }
    queue_end(queue);
    for (int i = 0; i < COUNT; i++)
        check_int(subjects[i].destroyed, 1);
}

static void an_offer_that_cannot_grow_fails_and_changes_nothing(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *extra = task_of(&subject);
    for (int i = 0; i < INITIAL_CAPACITY; i++)
        offer_new(queue, &subject);
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_queue_offer(queue, extra);
    int put_status = gp_queue_put(queue, extra);
    check_int(fault_disarm(), 2);
    check_status(status, GP_ENOMEM);
    check_status(put_status, GP_ENOMEM);
    check_int(gp_queue_size(queue), INITIAL_CAPACITY);
    check_int(subject.destroyed, 0);
    check_status(gp_queue_offer(queue, extra), GP_OK);
    queue_end(queue);
    check_int(subject.destroyed, INITIAL_CAPACITY + 1);
}

static void the_check_names_the_invariant_that_is_broken(void)
{
    struct subject first = {.code = 1};
    struct subject second = {.code = 2};
    gp_queue *queue = new_queue();
    offer_new(queue, &first);
    offer_new(queue, &second);
    second.code = 0; /* it should have been the head */
    check_int(gp_queue_check(queue), 1);
    second.code = 2;
    queue_end(queue);
}

static void a_queue_needs_a_comparison(void)
{
    gp_queue *queue = NULL;
    check_status(gp_priority_new(NULL, &queue), GP_EINVAL);
    check_status(gp_priority_new(by_rank, NULL), GP_EINVAL);
    check(queue == NULL);
}

static const struct test tests[] = {
    TEST(random_operations_agree_with_a_model),
    TEST(the_least_comes_first_and_equals_in_order_of_arrival),
    TEST(one_that_is_not_there_is_not_found),
    TEST(a_task_of_another_queue_is_not_found_and_stays_where_it_is),
    TEST(drain_is_in_order_and_remove_if_keeps_it),
    TEST(an_offer_that_cannot_grow_fails_and_changes_nothing),
    TEST(the_check_names_the_invariant_that_is_broken),
    TEST(a_queue_needs_a_comparison),
    END_OF_TESTS,
};

const struct suite priority_suite = {.name = "priority", .tests = tests};
