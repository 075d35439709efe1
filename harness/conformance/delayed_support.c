/* See delayed_support.h. */
#include "delayed_support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/delayed.h"
#include "queue/lane.h"

#include "fault.h"
#include "suite.h"

gp_queue *new_queue(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_delayed_new(&queue));
    return queue;
}

gp_queue *new_laned(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_delayed_lane_new(&queue));
    return queue;
}

struct gp__lane *lane_of(gp_queue *queue)
{
    return &((struct gp__delayed_lane *)queue)->lane;
}

size_t on_lane(gp_queue *queue)
{
    return gp__belts_size(&lane_of(queue)->belts);
}

struct gp__key draw_key(void *argument)
{
    struct draws *draws = argument;
    draws->asked++;
    return (struct gp__key){.time = gp_now(), .sequence = draws->sequence++};
}

ptrdiff_t index_of(gp_task *task)
{
    return atomic_load(&task->heap_index);
}

gp_task *offer_new(gp_queue *queue, struct subject *subject, int64_t time, uint64_t sequence)
{
    gp_task *task = delayed_task_of(subject, time, sequence);
    check_status(gp_queue_offer(queue, task), GP_OK);
    check_int(gp_queue_check(queue), 0);
    return task;
}

int64_t long_ago(void)
{
    return gp_time_after(gp_now(), -GP_SECONDS(1));
}

int64_t in_an_hour(void)
{
    return gp_time_after(gp_now(), GP_SECONDS(3600));
}

static bool comes_before(gp_task *left, gp_task *right)
{
    int64_t difference = gp_time_until(gp_task_time(left), gp_task_time(right));
    return difference < 0 || (difference == 0 && left->sequence < right->sequence);
}

size_t model_first(const struct model *model)
{
    size_t first = 0;
    for (size_t i = 1; i < model->size; i++)
        if (comes_before(model->tasks[i], model->tasks[first]))
            first = i;
    return first;
}

gp_task *model_remove(struct model *model, size_t i)
{
    gp_task *task = model->tasks[i];
    model->tasks[i] = model->tasks[--model->size];
    return task;
}

static void check_indices(gp_queue *queue, const struct model *model)
{
    gp_task *heap[MODEL_SIZE];
    size_t size = gp_queue_snapshot(queue, heap, MODEL_SIZE);
    check_int(size, model->size);
    for (size_t i = 0; i < size; i++) {
        if (!model->laned)
            check_int(index_of(heap[i]), i);
        gp_task_release(heap[i]);
    }
}

void check_against_model(gp_queue *queue, const struct model *model)
{
    gp_task *head = NULL;
    check_int(gp_queue_check(queue), 0);
    check_int(gp_queue_size(queue), model->size);
    check_indices(queue, model);
    if (model->size == 0) {
        check_status(gp_queue_peek(queue, &head), GP_EEMPTY);
        return;
    }
    check_status(gp_queue_peek(queue, &head), GP_OK);
    check(head == model->tasks[model_first(model)]);
    gp_task_release(head);
}

struct random_walk {
    gp_queue *queue;
    struct model model;
    uint64_t random;
    uint64_t sequence;
    int64_t base; /* times are this or a little later: many of them equal */
    bool due;     /* base is over */
    struct subject subject;
    int made;
};

static void walk_offer(struct random_walk *walk)
{
    if (walk->model.size == MODEL_SIZE)
        return;
    int64_t time = gp_time_after(walk->base, (int64_t)random_below(&walk->random, 20));
    gp_task *task = delayed_task_of(&walk->subject, time, walk->sequence++);
    task->keeps_slot = random_below(&walk->random, 4) == 0;
    walk->made++;
    check_int(index_of(task), -1);
    check_status(gp_queue_offer(walk->queue, task), GP_OK);
    walk->model.tasks[walk->model.size++] = task;
}

int offer_without_memory(gp_queue *queue, gp_task *task)
{
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_queue_offer(queue, task);
    fault_disarm();
    return status;
}

/* One that keeps its slot has run: it comes back, with a later time, or ends. True: the former. */
static bool walk_put_back(struct random_walk *walk, gp_task *task)
{
    check_int(index_of(task), -2);
    if (random_below(&walk->random, 2) == 0) {
        gp__delayed_give_up_slot(walk->queue, task);
        return false;
    }
    gp__task_set_time(task, gp_time_after(walk->base, (int64_t)random_below(&walk->random, 40)));
    check_status(offer_without_memory(walk->queue, task), GP_OK);
    walk->model.tasks[walk->model.size++] = task;
    return true;
}

static void walk_poll(struct random_walk *walk)
{
    gp_task *task = NULL;
    int status = gp_queue_poll(walk->queue, &task);
    check_status(status, walk->due && walk->model.size > 0 ? GP_OK : GP_EEMPTY);
    if (status != GP_OK)
        return;
    check(task == model_remove(&walk->model, model_first(&walk->model)));
    if (task->keeps_slot && walk_put_back(walk, task))
        return;
    check_int(index_of(task), -1);
    gp_task_run(task);
}

static void walk_remove(struct random_walk *walk)
{
    if (walk->model.size == 0)
        return;
    gp_task *task =
        model_remove(&walk->model, (size_t)random_below(&walk->random, walk->model.size));
    check_status(gp_queue_remove(walk->queue, task), GP_OK);
    check_int(index_of(task), -1);
    check_status(gp_queue_remove(walk->queue, task), GP_ENOTFOUND);
    gp_task_discard(task);
}

static bool is_drawn(gp_task *task, void *context)
{
    (void)task;
    return random_below(context, 2) == 0;
}

/* Half of them, whichever. */
static void walk_purge(struct random_walk *walk)
{
    gp_task_list list = {0};
    gp__queue_remove_if(walk->queue, is_drawn, &walk->random, &list);
    for (gp_task *task; (task = gp_task_list_pop(&list)) != NULL; gp_task_discard(task)) {
        size_t i = 0;
        while (i < walk->model.size && walk->model.tasks[i] != task)
            i++;
        check(i < walk->model.size);
        model_remove(&walk->model, i);
        check_int(index_of(task), -1);
    }
}

static void walk_step(struct random_walk *walk)
{
    uint64_t die = random_below(&walk->random, 200);
    if (die < 110)
        walk_offer(walk);
    else if (die < 150)
        walk_poll(walk);
    else if (die < 199)
        walk_remove(walk);
    else
        walk_purge(walk);
    check_against_model(walk->queue, &walk->model);
}

static void check_drained_in_order(struct random_walk *walk)
{
    gp_task_list list;
    gp_queue_drain(walk->queue, &list);
    check_int(list.count, walk->model.size);
    for (gp_task *task; (task = gp_task_list_pop(&list)) != NULL; gp_task_discard(task)) {
        check(walk->model.size > 0 &&
              task == model_remove(&walk->model, model_first(&walk->model)));
        check_int(index_of(task), -1);
    }
    check_against_model(walk->queue, &walk->model);
}

void walk_on(gp_queue *queue, bool laned, uint64_t seed, int64_t base, bool due)
{
    struct random_walk walk = {.queue = queue, .random = seed, .base = base, .due = due};
    walk.model.laned = laned;
    for (unsigned i = 0; i < scaled(600); i++)
        walk_step(&walk);
    check_drained_in_order(&walk);
    check_status(gp_queue_free(walk.queue), GP_OK);
    check_int(walk.subject.destroyed, walk.made);
}
