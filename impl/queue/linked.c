/*
 * The linked queue: LinkedBlockingQueue in C, first in, first out, bounded or not.
 *
 * Two locks, as in Java, so that the put side and the take side seldom meet. Java's version needs a
 * dummy node between head and tail; here the links are in the tasks, and a task that has been taken
 * belongs to its taker, so it cannot stay as a dummy. Instead there are two lists:
 *
 *      offer --> [ inbox ] ==== all at once, when the outbox is empty ====> [ outbox ] --> take
 *                put lock                                                   take lock
 *
 * A taker that finds the outbox empty moves the whole inbox over: one more lock per batch instead
 * of one per task.
 *
 *   [LINKED-1] Order: everything in the outbox came before everything in the inbox.
 *   [LINKED-2] Count: `count` is raised after the task is in the inbox, with the put lock held, and
 *              lowered after it has left. So count <= capacity, and a taker that sees it above zero
 *              finds a task.
 *   [LINKED-3] No task waits while a taker sleeps: a thread that adds looks at `takers` after
 *              raising `count`; a thread that is going to sleep looks at `count` after raising
 *              `takers`. One of them sees the other: all four accesses are seq_cst. Each task added
 *              while takers wait signals one of them.
 *   [LINKED-4] No room stays unused while a putter sleeps: a thread that takes from a full queue
 *              signals, and a putter that leaves room signals the next (as in Java).
 *   [LINKED-5] `last` of either list is its last task or NULL (jsr166 forgot that in 2005).
 *
 * Lock order: take lock before put lock. Signals to the other side are sent with only the other
 * side's lock held.
 *
 * Difference from Java: there, the put that makes an empty queue non-empty signals one taker, and
 * each taker that leaves something signals the next; so a burst of puts wakes the takers in a
 * chain. Here a put signals if, and only if, a taker waits; otherwise it never touches the take
 * lock.
 */
#include "queue/linked.h"

#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "sync/os.h"
#include "sync/probe.h"

/* Insertion. */

static void signal_not_empty(struct gp__linked *queue)
{
    if (atomic_load(&queue->base.takers) == 0) /* seq_cst: [LINKED-3] */
        return;
    pthread_mutex_lock(&queue->base.lock);
    gp__condition_signal(&queue->base.available);
    pthread_mutex_unlock(&queue->base.lock);
}

/* With the put lock held, and room there. */
static void append(struct gp__linked *queue, gp_task *task)
{
    gp__task_list_append(&queue->inbox, task);
    size_t size = atomic_fetch_add(&queue->count, 1) + 1; /* seq_cst: [LINKED-2], [LINKED-3] */
    gp__queue_note_size(&queue->base, size);
    GP_PROBE(queue_offer, queue, task);
    if (size < queue->capacity)
        gp__condition_signal(&queue->not_full); /* [LINKED-4] */
}

static bool is_full(struct gp__linked *queue)
{
    /* seq_cst like all of count; only we, with the put lock, raise it */
    return atomic_load(&queue->count) >= queue->capacity;
}

int gp__linked_offer(gp_queue *base, gp_task *task)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    pthread_mutex_lock(&queue->put_lock);
    bool full = is_full(queue);
    if (!full)
        append(queue, task);
    pthread_mutex_unlock(&queue->put_lock);
    if (full)
        return GP_EFULL;
    signal_not_empty(queue);
    return GP_OK;
}

static int linked_offer_until(gp_queue *base, gp_task *task, int64_t deadline)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    int status = GP_OK;
    pthread_mutex_lock(&queue->put_lock);
    while (is_full(queue) && status == GP_OK)
        status = gp__queue_await_room(base, &queue->not_full, &queue->put_lock, deadline);
    if (status == GP_OK)
        append(queue, task);
    pthread_mutex_unlock(&queue->put_lock);
    if (status == GP_OK)
        signal_not_empty(queue);
    return status;
}

/* Removal. */

static void signal_not_full(struct gp__linked *queue)
{
    pthread_mutex_lock(&queue->put_lock);
    gp__condition_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->put_lock);
}

/* With the take lock held: the first task, or NULL. */
static gp_task *pop(struct gp__linked *queue)
{
    if (queue->outbox.first == NULL) {
        pthread_mutex_lock(&queue->put_lock);
        gp__task_list_splice(&queue->outbox, &queue->inbox); /* [LINKED-1] */
        pthread_mutex_unlock(&queue->put_lock);
    }
    gp_task *task = gp_task_list_pop(&queue->outbox);
    if (task != NULL)
        GP_PROBE(queue_take, queue, task);
    return task;
}

/* `taken` tasks have left: true if that made room in a full queue. */
static bool lower_count(struct gp__linked *queue, size_t taken)
{
    return atomic_fetch_sub(&queue->count, taken) == queue->capacity; /* seq_cst: [LINKED-2] */
}

static int linked_poll(gp_queue *base, gp_task **out)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    bool made_room = false;
    if (atomic_load(&queue->count) == 0) /* seq_cst: [LINKED-2] */
        return GP_EEMPTY;
    pthread_mutex_lock(&base->lock);
    gp_task *task = pop(queue);
    if (task != NULL)
        made_room = lower_count(queue, 1);
    pthread_mutex_unlock(&base->lock);
    if (task == NULL)
        return GP_EEMPTY;
    if (made_room)
        signal_not_full(queue); /* [LINKED-4] */
    *out = task;
    return GP_OK;
}

static int await_task(struct gp__linked *queue, int64_t deadline)
{
    int status = GP_OK;
    bool stranger = gp__queue_begin_wait(&queue->base);
    if (atomic_load(&queue->count) == 0) /* seq_cst: [LINKED-3] */
        status = gp__condition_wait(&queue->base.available, &queue->base.lock, deadline);
    gp__queue_end_wait(&queue->base, stranger);
    return status;
}

static int linked_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    int status = GP_OK;
    bool made_room = false;
    gp_task *task = NULL;
    pthread_mutex_lock(&base->lock);
    while (status == GP_OK && (task = pop(queue)) == NULL)
        status = await_task(queue, deadline);
    if (task != NULL)
        made_room = lower_count(queue, 1);
    pthread_mutex_unlock(&base->lock);
    if (made_room)
        signal_not_full(queue); /* [LINKED-4] */
    if (task == NULL)
        return status;
    *out = task;
    return GP_OK;
}

/* Access to both lists. */

static void lock_both(struct gp__linked *queue)
{
    pthread_mutex_lock(&queue->base.lock);
    pthread_mutex_lock(&queue->put_lock);
}

static void unlock_both(struct gp__linked *queue)
{
    pthread_mutex_unlock(&queue->put_lock);
    pthread_mutex_unlock(&queue->base.lock);
}

static int linked_remove(gp_queue *base, gp_task *task)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    lock_both(queue);
    bool found =
        gp__task_list_remove(&queue->outbox, task) || gp__task_list_remove(&queue->inbox, task);
    if (found && lower_count(queue, 1))
        gp__condition_signal(&queue->not_full);
    unlock_both(queue);
    return found ? GP_OK : GP_ENOTFOUND;
}

static void linked_drain(gp_queue *base, gp_task_list *out)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    lock_both(queue);
    gp__task_list_splice(out, &queue->outbox);
    gp__task_list_splice(out, &queue->inbox);
    lower_count(queue, out->count);
    gp__condition_signal_all(&queue->not_full);
    unlock_both(queue);
}

static void filter(gp_task_list *list, gp__match_fn *matches, void *context, gp_task_list *out)
{
    gp_task_list rest = *list;
    *list = (gp_task_list){0};
    for (gp_task *task; (task = gp_task_list_pop(&rest)) != NULL;)
        gp__task_list_append(matches(task, context) ? out : list, task);
}

static void linked_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                             gp_task_list *out)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    lock_both(queue);
    filter(&queue->outbox, matches, context, out);
    filter(&queue->inbox, matches, context, out);
    lower_count(queue, out->count);
    gp__condition_signal_all(&queue->not_full);
    unlock_both(queue);
}

/* Queries. */

static size_t copy(const gp_task_list *list, gp_task **out, size_t done, size_t room)
{
    for (gp_task *task = list->first; task != NULL && done < room; task = task->next)
        out[done++] = gp_task_retain(task);
    return done;
}

static size_t linked_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    lock_both(queue);
    size_t size = queue->outbox.count + queue->inbox.count;
    size_t done = copy(&queue->outbox, out, 0, room);
    copy(&queue->inbox, out, done, room);
    unlock_both(queue);
    return size;
}

static size_t linked_backlog(gp_queue *base)
{
    return atomic_load(&((struct gp__linked *)base)->count); /* seq_cst: [QUEUE-1] */
}

static size_t linked_remaining(gp_queue *base)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    return queue->capacity == GP_UNBOUNDED ? GP_UNBOUNDED : queue->capacity - linked_backlog(base);
}

/* [LINKED-5] */
static bool is_sound(const gp_task_list *list)
{
    size_t count = 0;
    const gp_task *last = NULL;
    for (const gp_task *task = list->first; task != NULL; task = task->next) {
        last = task;
        count++;
    }
    return last == list->last && count == list->count;
}

static int linked_check(gp_queue *base)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    int broken = 0;
    lock_both(queue);
    size_t count = atomic_load(&queue->count); /* seq_cst like all of it; both locks are held */
    if (!is_sound(&queue->outbox) || !is_sound(&queue->inbox))
        broken = 5;
    else if (count != queue->outbox.count + queue->inbox.count || count > queue->capacity)
        broken = 2;
    unlock_both(queue);
    return broken;
}

static void linked_free(gp_queue *base)
{
    struct gp__linked *queue = (struct gp__linked *)base;
    pthread_mutex_destroy(&queue->put_lock);
    gp__queue_destroy(base);
    free(queue);
}

static const struct gp__queue_class linked_class = {
    .offer = gp__linked_offer,
    .offer_until = linked_offer_until,
    .poll = linked_poll,
    .take_until = linked_take_until,
    .remove = linked_remove,
    .drain = linked_drain,
    .remove_if = linked_remove_if,
    .snapshot = linked_snapshot,
    .backlog = linked_backlog,
    .remaining = linked_remaining,
    .check = linked_check,
    .free = linked_free,
};

static int init(struct gp__linked *queue, const struct gp__queue_class *class, size_t capacity)
{
    *queue = (struct gp__linked){.capacity = capacity};
    int status = gp__os_init_brief_lock(&queue->put_lock);
    if (status != GP_OK)
        return status;
    status = gp__queue_init(&queue->base, class);
    if (status != GP_OK)
        pthread_mutex_destroy(&queue->put_lock);
    return status;
}

int gp_linked_new(size_t capacity, gp_queue **out)
{
    if (capacity == 0 || out == NULL)
        return GP_EINVAL;
    struct gp__linked *queue = malloc(sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    int status = init(queue, &linked_class, capacity);
    if (status != GP_OK) {
        free(queue);
        return status;
    }
    *out = &queue->base;
    return GP_OK;
}

/*
 * Lock letters:
 *   I: set once before publication
 */
struct variant {
    struct gp__linked linked;     /* I its fields have letters of their own */
    struct gp__queue_class class; /* I */
};

int gp__linked_variant_new(gp__offer_fn *offer, size_t capacity, gp_queue **out)
{
    struct variant *variant = malloc(sizeof *variant);
    if (variant == NULL)
        return GP_ENOMEM;
    variant->class = linked_class;
    variant->class.offer = offer;
    variant->class.announces = true;
    int status = init(&variant->linked, &variant->class, capacity);
    if (status != GP_OK) {
        free(variant);
        return status;
    }
    *out = &variant->linked.base;
    return GP_OK;
}
