/*
 * The priority queue: PriorityBlockingQueue in C. The least task first, by the user's comparison;
 * unbounded.
 *
 * The tasks are in an indexed binary heap (heap.h), without times: an entry has its place in the
 * order of arrival instead.
 *
 *   [PRIORITY-1] Order: no entry is before its parent. Equal tasks come out in the order in which
 *                they went in (Java leaves that open): the comparison's ties go by arrival.
 *   [PRIORITY-2] Each task added signals one taker; see [ARRAY-2].
 *
 * The comparison is called with the queue's lock held: it must not use the queue.
 *
 * Difference from Java: removal finds its task by the task's index, where Java searches.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "queue/heap.h"
#include "sync/probe.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct priority {
    gp_queue base;          /* I its fields have letters of their own */
    gp_compare_fn *compare; /* I */
    struct gp__heap heap;   /* Q */
    int64_t arrivals;       /* Q tasks that have come so far */
};

static struct priority *priority_of(gp_queue *queue)
{
    return (struct priority *)queue;
}

/* [PRIORITY-1] */
static bool is_less(const struct gp__heap *heap, const struct gp__entry *left,
                    const struct gp__entry *right)
{
    const char *queue = (const char *)heap - offsetof(struct priority, heap);
    int order = ((const struct priority *)queue)->compare(left->task, right->task);
    return order < 0 || (order == 0 && left->time < right->time);
}

static int priority_offer(gp_queue *base, gp_task *task)
{
    struct priority *queue = priority_of(base);
    pthread_mutex_lock(&base->lock);
    int status = gp__heap_make_room(&queue->heap, task);
    if (status == GP_OK) {
        gp__heap_add(&queue->heap, task, queue->arrivals++, is_less);
        gp__queue_note_size(base, queue->heap.size);
        GP_PROBE(queue_offer, queue, task);
        gp__condition_signal(&base->available); /* [PRIORITY-2] */
    }
    pthread_mutex_unlock(&base->lock);
    return status;
}

static gp_task *pop(gp_queue *base)
{
    gp_task *task = gp__heap_extract(&priority_of(base)->heap, 0, is_less);
    GP_PROBE(queue_take, base, task);
    return task;
}

static int priority_poll(gp_queue *base, gp_task **out)
{
    return gp__queue_poll_with(base, pop, out);
}

static int priority_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    return gp__queue_take_with(base, pop, deadline, out);
}

static int priority_remove(gp_queue *base, gp_task *task)
{
    pthread_mutex_lock(&base->lock);
    bool found = gp__heap_remove(&priority_of(base)->heap, task, is_less);
    pthread_mutex_unlock(&base->lock);
    return found ? GP_OK : GP_ENOTFOUND;
}

static void priority_drain(gp_queue *base, gp_task_list *out)
{
    struct gp__heap *heap = &priority_of(base)->heap;
    pthread_mutex_lock(&base->lock);
    while (heap->size > 0)
        gp__task_list_append(out, gp__heap_extract(heap, 0, is_less));
    pthread_mutex_unlock(&base->lock);
}

static void priority_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                               gp_task_list *out)
{
    pthread_mutex_lock(&base->lock);
    gp__heap_remove_if(&priority_of(base)->heap, matches, context, out, is_less);
    pthread_mutex_unlock(&base->lock);
}

static gp_task *task_at(gp_queue *base, size_t i)
{
    return priority_of(base)->heap.entries[i].task;
}

static size_t priority_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    return gp__queue_snapshot_with(base, task_at, out, room);
}

static size_t priority_backlog(gp_queue *base)
{
    return priority_of(base)->heap.size;
}

static int priority_check(gp_queue *base)
{
    pthread_mutex_lock(&base->lock);
    int broken = gp__heap_check(&priority_of(base)->heap, is_less);
    pthread_mutex_unlock(&base->lock);
    return broken;
}

static void priority_free(gp_queue *base)
{
    gp__queue_destroy(base);
    gp__heap_destroy(&priority_of(base)->heap);
    free(base);
}

static const struct gp__queue_class priority_class = {
    .offer = priority_offer,
    .poll = priority_poll,
    .take_until = priority_take_until,
    .remove = priority_remove,
    .drain = priority_drain,
    .remove_if = priority_remove_if,
    .snapshot = priority_snapshot,
    .backlog = priority_backlog,
    .check = priority_check,
    .free = priority_free,
};

int gp_priority_new(gp_compare_fn *compare, gp_queue **out)
{
    if (compare == NULL || out == NULL)
        return GP_EINVAL;
    struct priority *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    if (gp__heap_init(&queue->heap) != GP_OK ||
        gp__queue_init(&queue->base, &priority_class) != GP_OK) {
        gp__heap_destroy(&queue->heap);
        free(queue);
        return GP_ENOMEM;
    }
    queue->compare = compare;
    *out = &queue->base;
    return GP_OK;
}
