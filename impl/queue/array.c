/*
 * The array queue: ArrayBlockingQueue in C, first in, first out, bounded, one lock.
 *
 *      slots:   [   ][ A ][ B ][ C ][   ][   ]
 *                      ^ head, size 3: the next one goes to (head + size) mod capacity
 *
 *   [ARRAY-1] The tasks are in slots head ... head + size - 1 (mod capacity), oldest first.
 *   [ARRAY-2] Each task added signals one taker, each slot freed signals one putter: with one lock
 *             and a line of waiters no signal is wasted on somebody who has left, so one per change
 *             is enough.
 *
 * All memory is taken when the queue is made; no operation can fail for want of it.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"
#include "sync/probe.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct array {
    gp_queue base;                 /* I its fields have letters of their own */
    struct gp__condition not_full; /* Q */
    size_t capacity;               /* I */
    size_t head;                   /* Q slot of the oldest task */
    size_t size;                   /* Q */
    gp_task *slots[];              /* Q */
};

/* [ARRAY-1] */
static size_t slot(const struct array *queue, size_t i)
{
    return (queue->head + i) % queue->capacity;
}

static void append(struct array *queue, gp_task *task)
{
    queue->slots[slot(queue, queue->size++)] = task;
    gp__queue_note_size(&queue->base, queue->size);
    GP_PROBE(queue_offer, queue, task);
    gp__condition_signal(&queue->base.available); /* [ARRAY-2] */
}

static int array_offer(gp_queue *base, gp_task *task)
{
    struct array *queue = (struct array *)base;
    pthread_mutex_lock(&base->lock);
    bool full = queue->size == queue->capacity;
    if (!full)
        append(queue, task);
    pthread_mutex_unlock(&base->lock);
    return full ? GP_EFULL : GP_OK;
}

static int array_offer_until(gp_queue *base, gp_task *task, int64_t deadline)
{
    struct array *queue = (struct array *)base;
    int status = GP_OK;
    pthread_mutex_lock(&base->lock);
    while (queue->size == queue->capacity && status == GP_OK)
        status = gp__queue_await_room(base, &queue->not_full, &base->lock, deadline);
    if (status == GP_OK)
        append(queue, task);
    pthread_mutex_unlock(&base->lock);
    return status;
}

static gp_task *pop(gp_queue *base)
{
    struct array *queue = (struct array *)base;
    gp_task *task = queue->slots[queue->head];
    queue->head = slot(queue, 1);
    queue->size--;
    GP_PROBE(queue_take, queue, task);
    gp__condition_signal(&queue->not_full); /* [ARRAY-2] */
    return task;
}

static int array_poll(gp_queue *base, gp_task **out)
{
    return gp__queue_poll_with(base, pop, out);
}

static int array_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    return gp__queue_take_with(base, pop, deadline, out);
}

/* Close the gap that task i leaves. */
static void remove_at(struct array *queue, size_t i)
{
    for (; i + 1 < queue->size; i++)
        queue->slots[slot(queue, i)] = queue->slots[slot(queue, i + 1)];
    queue->size--;
    gp__condition_signal(&queue->not_full); /* [ARRAY-2] */
}

static int array_remove(gp_queue *base, gp_task *task)
{
    struct array *queue = (struct array *)base;
    size_t i = 0;
    pthread_mutex_lock(&base->lock);
    while (i < queue->size && queue->slots[slot(queue, i)] != task)
        i++;
    bool found = i < queue->size;
    if (found)
        remove_at(queue, i);
    pthread_mutex_unlock(&base->lock);
    return found ? GP_OK : GP_ENOTFOUND;
}

static void array_drain(gp_queue *base, gp_task_list *out)
{
    struct array *queue = (struct array *)base;
    pthread_mutex_lock(&base->lock);
    while (queue->size > 0)
        gp__task_list_append(out, pop(base));
    pthread_mutex_unlock(&base->lock);
}

static void array_remove_if(gp_queue *base, gp__match_fn *matches, void *context, gp_task_list *out)
{
    struct array *queue = (struct array *)base;
    size_t kept = 0;
    pthread_mutex_lock(&base->lock);
    for (size_t i = 0; i < queue->size; i++) {
        gp_task *task = queue->slots[slot(queue, i)];
        if (!matches(task, context)) {
            queue->slots[slot(queue, kept++)] = task;
            continue;
        }
        gp__task_list_append(out, task);
        gp__condition_signal(&queue->not_full); /* [ARRAY-2] */
    }
    queue->size = kept;
    pthread_mutex_unlock(&base->lock);
}

static gp_task *task_at(gp_queue *base, size_t i)
{
    struct array *queue = (struct array *)base;
    return queue->slots[slot(queue, i)];
}

static size_t array_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    return gp__queue_snapshot_with(base, task_at, out, room);
}

static size_t array_backlog(gp_queue *base)
{
    return ((struct array *)base)->size;
}

static size_t array_remaining(gp_queue *base)
{
    return ((struct array *)base)->capacity - gp_queue_size(base);
}

static int array_check(gp_queue *base)
{
    struct array *queue = (struct array *)base;
    int broken = 0;
    pthread_mutex_lock(&base->lock);
    if (queue->head >= queue->capacity || queue->size > queue->capacity)
        broken = 1;
    for (size_t i = 0; i < queue->size && broken == 0; i++)
        broken = queue->slots[slot(queue, i)] == NULL ? 1 : 0;
    pthread_mutex_unlock(&base->lock);
    return broken;
}

static void array_free(gp_queue *base)
{
    gp__queue_destroy(base);
    free(base);
}

static const struct gp__queue_class array_class = {
    .offer = array_offer,
    .offer_until = array_offer_until,
    .poll = array_poll,
    .take_until = array_take_until,
    .remove = array_remove,
    .drain = array_drain,
    .remove_if = array_remove_if,
    .snapshot = array_snapshot,
    .backlog = array_backlog,
    .remaining = array_remaining,
    .check = array_check,
    .free = array_free,
};

int gp_array_new(size_t capacity, gp_queue **out)
{
    if (capacity == 0 || out == NULL)
        return GP_EINVAL;
    if (capacity > (PTRDIFF_MAX - sizeof(struct array)) / sizeof(gp_task *))
        return GP_ENOMEM;
    struct array *queue = calloc(1, sizeof *queue + capacity * sizeof queue->slots[0]);
    if (queue == NULL)
        return GP_ENOMEM;
    if (gp__queue_init(&queue->base, &array_class) != GP_OK) {
        free(queue);
        return GP_ENOMEM;
    }
    queue->capacity = capacity;
    *out = &queue->base;
    return GP_OK;
}
