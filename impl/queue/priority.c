/*
 * The priority queue: PriorityBlockingQueue in C. The least task first, by the user's comparison;
 * unbounded.
 *
 * The same binary heap as in the delayed queue, without time, without leader and without an index
 * in the tasks: removal searches.
 *
 *   [PRIORITY-1] Order: no entry is before its parent. Equal tasks come out in the order in which
 *                they went in (Java leaves that open): each entry has a sequence number.
 *   [PRIORITY-2] Each task added signals one taker; see [ARRAY-2].
 *
 * The comparison is called with the queue's lock held: it must not use the queue.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"
#include "sync/probe.h"

#define INITIAL_CAPACITY 11
#define MAXIMUM_CAPACITY (PTRDIFF_MAX / sizeof(struct entry))

struct entry { /* belongs to the heap that holds it */
    gp_task *task;
    uint64_t sequence;
};

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct priority {
    gp_queue base;          /* I its fields have letters of their own */
    gp_compare_fn *compare; /* I */
    struct entry *heap;     /* Q */
    size_t capacity;        /* Q */
    size_t size;            /* Q */
    uint64_t sequence;      /* Q of the next entry */
};

/* [PRIORITY-1] */
static bool before(const struct priority *queue, const struct entry *left,
                   const struct entry *right)
{
    int order = queue->compare(left->task, right->task);
    return order < 0 || (order == 0 && left->sequence < right->sequence);
}

static void sift_up(struct priority *queue, size_t k, struct entry key)
{
    for (size_t parent; k > 0 && before(queue, &key, &queue->heap[parent = (k - 1) >> 1]);
         k = parent)
        queue->heap[k] = queue->heap[parent];
    queue->heap[k] = key;
}

static void sift_down(struct priority *queue, size_t k, struct entry key)
{
    size_t half = queue->size >> 1;
    while (k < half) {
        size_t child = (k << 1) + 1;
        if (child + 1 < queue->size && before(queue, &queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (!before(queue, &queue->heap[child], &key))
            break;
        queue->heap[k] = queue->heap[child];
        k = child;
    }
    queue->heap[k] = key;
}

static int grow(struct priority *queue)
{
    size_t capacity = queue->capacity + (queue->capacity >> 1);
    if (capacity > MAXIMUM_CAPACITY)
        return GP_ENOMEM;
    struct entry *heap = realloc(queue->heap, capacity * sizeof *heap);
    if (heap == NULL)
        return GP_ENOMEM;
    queue->heap = heap;
    queue->capacity = capacity;
    return GP_OK;
}

static gp_task *extract(struct priority *queue, size_t i)
{
    gp_task *task = queue->heap[i].task;
    size_t last = --queue->size;
    if (last == i)
        return task;
    struct entry replacement = queue->heap[last];
    sift_down(queue, i, replacement);
    if (queue->heap[i].task == replacement.task)
        sift_up(queue, i, replacement);
    return task;
}

static int priority_offer(gp_queue *base, gp_task *task)
{
    struct priority *queue = (struct priority *)base;
    pthread_mutex_lock(&base->lock);
    int status = queue->size < queue->capacity ? GP_OK : grow(queue);
    if (status == GP_OK) {
        size_t k = queue->size++;
        sift_up(queue, k, (struct entry){.task = task, .sequence = queue->sequence++});
        gp__queue_note_size(base, queue->size);
        GP_PROBE(queue_offer, queue, task);
        gp__condition_signal(&base->available); /* [PRIORITY-2] */
    }
    pthread_mutex_unlock(&base->lock);
    return status;
}

static gp_task *pop(gp_queue *base)
{
    gp_task *task = extract((struct priority *)base, 0);
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
    struct priority *queue = (struct priority *)base;
    size_t i = 0;
    pthread_mutex_lock(&base->lock);
    while (i < queue->size && queue->heap[i].task != task)
        i++;
    bool found = i < queue->size;
    if (found)
        extract(queue, i);
    pthread_mutex_unlock(&base->lock);
    return found ? GP_OK : GP_ENOTFOUND;
}

static int priority_drain(gp_queue *base, gp_task_list *out)
{
    struct priority *queue = (struct priority *)base;
    pthread_mutex_lock(&base->lock);
    while (queue->size > 0)
        gp__task_list_append(out, extract(queue, 0));
    pthread_mutex_unlock(&base->lock);
    return GP_OK;
}

static void priority_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                               gp_task_list *out)
{
    struct priority *queue = (struct priority *)base;
    size_t size;
    pthread_mutex_lock(&base->lock);
    size = queue->size;
    queue->size = 0;
    for (size_t i = 0; i < size; i++) {
        struct entry entry = queue->heap[i];
        if (matches(entry.task, context))
            gp__task_list_append(out, entry.task);
        else
            sift_up(queue, queue->size++, entry);
    }
    pthread_mutex_unlock(&base->lock);
}

static gp_task *task_at(gp_queue *base, size_t i)
{
    return ((struct priority *)base)->heap[i].task;
}

static size_t priority_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    return gp__queue_snapshot_with(base, task_at, out, room);
}

static size_t priority_backlog(gp_queue *base)
{
    return ((struct priority *)base)->size;
}

static int priority_check(gp_queue *base)
{
    struct priority *queue = (struct priority *)base;
    int broken = 0;
    pthread_mutex_lock(&base->lock);
    for (size_t i = 1; i < queue->size && broken == 0; i++)
        broken = before(queue, &queue->heap[i], &queue->heap[(i - 1) >> 1]) ? 1 : 0;
    pthread_mutex_unlock(&base->lock);
    return broken;
}

static void priority_free(gp_queue *base)
{
    gp__queue_destroy(base);
    free(((struct priority *)base)->heap);
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
    queue->heap = malloc(INITIAL_CAPACITY * sizeof *queue->heap);
    if (queue->heap == NULL || gp__queue_init(&queue->base, &priority_class) != GP_OK) {
        free(queue->heap);
        free(queue);
        return GP_ENOMEM;
    }
    queue->compare = compare;
    queue->capacity = INITIAL_CAPACITY;
    *out = &queue->base;
    return GP_OK;
}
