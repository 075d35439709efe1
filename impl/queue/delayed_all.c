/*
 * All of a delayed queue at once: drained, swept, reviewed, shown, checked.
 *
 * Offering and taking (delayed.c) look at the head, and at one task at most besides. What is here
 * goes through all tasks, in the heap and on the lane, and takes as long as that takes, with the
 * queue's lock held. So each is seen once: nothing goes from the lane to the heap. Who drains or
 * shows the queue has those on the lane wait as well [LANE-6], and sees none that comes meanwhile;
 * who sweeps may. A review needs the heap only: those that go by the wall clock keep their slots,
 * and so are on no lane.
 */
#include <glasspool/status.h>

#include "queue/delayed_heap.h"

/* As long as there is anything on the lane. A function that there is no memory for stays there. */
static int drain_with_lane(struct gp__delayed *queue, gp_task_list *out)
{
    int status = GP_OK;
    gp_task *task = NULL;
    while (gp__belts_count(&queue->lane->belts) > 0) {
        task = gp__lane_comes_first(queue->lane, gp__heap_head(queue)) ? gp__lane_pop(queue->lane)
                                                                       : gp__heap_leave(queue, 0);
        if (task == NULL) {
            status = GP_ENOMEM;
            break;
        }
        gp__task_list_append(out, task);
    }
    return status;
}

static void drain_heap(struct gp__delayed *queue, gp_task_list *out)
{
    while (queue->size > 0)
        gp__task_list_append(out, gp__heap_leave(queue, 0));
}

int gp__delayed_drain(gp_queue *base, gp_task_list *out)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    int status = GP_OK;
    pthread_mutex_lock(&base->lock);
    if (queue->lane != NULL) {
        gp__belts_lock(&queue->lane->belts); /* [LANE-6] */
        status = drain_with_lane(queue, out);
        gp__belts_unlock(&queue->lane->belts);
    }
    drain_heap(queue, out);
    gp__delayed_unlock(queue);
    return status;
}

size_t gp__delayed_empty(gp_queue *base, gp_task_list *out)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    gp__belts_lock(&queue->lane->belts); /* [LANE-6] */
    size_t functions = gp__lane_drop_functions(queue->lane);
    drain_with_lane(queue, out); /* needs no memory now */
    gp__belts_unlock(&queue->lane->belts);
    drain_heap(queue, out);
    gp__delayed_unlock(queue);
    return functions;
}

/* Those that match go to `out`, with their slots or without; the others get their place anew. */
static void sweep(struct gp__delayed *queue, gp__match_fn *matches, void *context, bool keep_slots,
                  gp_task_list *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < queue->size; i++) {
        struct gp__entry entry = queue->heap[i];
        gp_task *task = entry.task;
        if (!matches(task, context)) {
            entry.time = gp_task_time(task); /* [DELAYED-3] */
            gp__place(queue->heap, kept++, &entry);
            continue;
        }
        gp__set_heap_index(task, GP__IN_NO_HEAP);
        gp__task_list_append(out, task);
        if (keep_slots)
            gp__heap_reserve(queue, task);
    }
    queue->size = kept;
    gp__heapify(queue);
}

void gp__delayed_remove_if(gp_queue *base, gp__match_fn *matches, void *context, gp_task_list *out)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    sweep(queue, matches, context, false, out);
    if (queue->lane != NULL)
        gp__lane_sweep(queue->lane, matches, context, out);
    gp__delayed_unlock(queue);
}

void gp__delayed_review(gp_queue *base, gp__match_fn *review, void *context, gp_task_list *out)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    *out = (gp_task_list){0};
    pthread_mutex_lock(&base->lock);
    sweep(queue, review, context, true, out);
    gp__delayed_call_for_leader(queue);
    gp__delayed_unlock(queue);
}

/* The heap. How many fit. */
static size_t show(const struct gp__delayed *queue, gp_task **out, size_t room)
{
    size_t shown = queue->size < room ? queue->size : room;
    for (size_t i = 0; i < shown; i++)
        out[i] = gp_task_retain(queue->heap[i].task);
    return shown;
}

/* The head first, wherever it is. How many there are, or before a function that there is no memory
   for; nothing is shown in place of that. */
static size_t show_with_lane(struct gp__delayed *queue, gp_task **out, size_t room)
{
    size_t shown = 0;
    gp__belts_lock(&queue->lane->belts); /* [LANE-6] */
    size_t on_lane = gp__belts_count(&queue->lane->belts);
    bool lane_first = gp__lane_comes_first(queue->lane, gp__heap_head(queue));
    if (lane_first)
        shown = gp__lane_show(queue->lane, out, room);
    if (!lane_first || shown == on_lane)
        shown += show(queue, out + shown, room - shown);
    if (!lane_first)
        shown += gp__lane_show(queue->lane, out + shown, room - shown);
    gp__belts_unlock(&queue->lane->belts);
    return shown < room ? shown : gp__delayed_size(queue) + on_lane;
}

size_t gp__delayed_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    size_t size = gp__delayed_size(queue);
    if (queue->lane != NULL)
        size = show_with_lane(queue, out, room);
    else
        show(queue, out, room);
    gp__delayed_unlock(queue);
    return size;
}

/* The number of the first invariant that slot i breaks, or 0. */
static int check_slot(const struct gp__delayed *queue, size_t i)
{
    const struct gp__entry *entry = &queue->heap[i];
    const gp_task *task = entry->task;
    if (i > 0 && gp__entry_is_before(entry, &queue->heap[queue->shape->parent(i)]))
        return 1;
    if (atomic_load_explicit(&task->heap_index, memory_order_relaxed) != (int32_t)i)
        return 2;
    if (entry->time != gp_task_time(task))
        return 3;
    return 0;
}

/* [LANE-1] is twenty-one, and so on. */
static int check_lane(struct gp__delayed *queue)
{
    /* relaxed: changed with our lock */
    int64_t horizon = atomic_load_explicit(&queue->lane->horizon, memory_order_relaxed);
    if (queue->size > 0 &&
        (horizon == GP__NO_HORIZON || gp_time_until(horizon, gp__delayed_wake_time(queue)) > 0))
        return 22;
    return gp__lane_check(queue->lane, &queue->base);
}

int gp__delayed_check(gp_queue *base)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    int broken = 0;
    pthread_mutex_lock(&base->lock);
    for (size_t i = 0; i < queue->size && broken == 0; i++)
        broken = check_slot(queue, i);
    if (broken == 0 && queue->size + queue->reserved > queue->capacity)
        broken = 4;
    if (broken == 0 && queue->lane != NULL)
        broken = check_lane(queue);
    if (broken == 0 && queue->leader != NULL &&
        atomic_load_explicit(&base->takers, memory_order_relaxed) == 0) /* under its lock */
        broken = 5;
    gp__delayed_unlock(queue);
    return broken;
}
