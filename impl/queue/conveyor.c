/*
 * The conveyor: an unbounded queue, first in, first out, for a flood of small tasks.
 *
 * It is the fast sibling of the linked queue (linked.c), which follows Java's. There each task is a
 * block of memory that one processor fills and another one frees, and both sides change one count.
 * Moving such a line between two processors costs more than everything else that happens to a task
 * which does nothing. Here what moves is an item of 24 bytes in an array:
 *
 *      enqueue --> [ inbox ] === all at once, when the outbox is empty ===> [ outbox ] --> take
 *                  put latch                                                take latch
 *
 * A plain function and its argument need no task on the way. A worker that runs them needs none at
 * the end either (`next`; pool/functions.c). Any other taker gets a task, which is made in memory
 * that the belt has reserved for it. The belts are exchanged whole, so their memory goes round too.
 * They have files of their own (belts.h, belts.c): the fast delayed queue uses them as well
 * (lane.c).
 *
 * A latch (sync/latch.h) costs one atomic exchange, and that is all that an item costs on its way
 * in, and all that it costs on its way out. Everything that has to see both sides takes both
 * latches, and is rare.
 *
 *   [CONVEYOR-1] Order: everything in the outbox came before everything in the inbox.
 *   [CONVEYOR-2] Count: `placed` changes with the put latch held, `taken` with the take latch held,
 *                and their difference is what lies on the belts, whenever both are held.
 *   [CONVEYOR-3] No item waits while a taker sleeps: a thread that adds looks at `sleepers` after
 *                it has held the put latch; a thread that is going to sleep counts what lies on the
 *                belts, with the latches held, after raising `sleepers`. The second thread to take
 *                the put latch sees the first one's writes. A taker that has been signalled is no
 *                sleeper any more, even if it has not woken up yet: it will look. So while
 *                base.lock is free there are as many sleepers as takers in line.
 *   [CONVEYOR-4] Admission: whether a function may be enqueued is asked under the put latch, and
 *                the function is enqueued under the same one; a thread that counts holds that latch
 *                as well. So an answer holds until the function is there, and no count includes one
 *                that was refused.
 *   [CONVEYOR-5] Memory: for each function on a belt a place for its task is reserved, from its
 *                enqueuing on [BELTS-1]. So only enqueuing fails for want of memory.
 *   [CONVEYOR-6] Quiet is judged with the latches held, from the look at the workers on. base.lock
 *                alone keeps no item where it is: a worker that was not there at that look, such as
 *                the replacement of a dead one, could take the last item away before the belts are
 *                counted.
 *
 * Lock order: base.lock, with which takers sleep and are signalled, before the take latch before
 * the put latch.
 *
 * Difference from the other queues: an item has no identity before it is taken or looked at, so no
 * thread can take it back, and a sweep passes functions by; a caller that may need that offers a
 * task. Belts keep the room that the deepest backlog needed. The deepest size is exact up to 64;
 * above that it may be 2% too small: for an exact figure the put side would read the takers' count
 * each time that a backlog grows.
 *
 * Rejected: handing empty tasks back to the putting side, on a belt of their own. It saves malloc
 * and free, but each task is still a line that moves twice. Rejected: taking several items at a
 * time. A task may wait for a later one, which must not lie with the worker that waits.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/belts.h"
#include "sync/probe.h"

/*
 * Lock letters:
 *   I: set once before publication
 */
struct conveyor {
    gp_queue base;          /* I its fields have letters of their own */
    struct gp__belts belts; /* I its fields have letters of their own */
};

static struct gp__work *items_of(const struct gp__belt *belt)
{
    return belt->items;
}

static struct conveyor *conveyor_of(gp_queue *base)
{
    return (struct conveyor *)base;
}

static size_t conveyor_backlog(gp_queue *base)
{
    return gp__belts_size(&conveyor_of(base)->belts);
}

static bool conveyor_is_quiet(gp_queue *base, size_t (*workers)(void *), void *context)
{
    return gp__belts_are_quiet(&conveyor_of(base)->belts, base, 0, workers, context);
}

/* The task of an item of that belt. */
static gp_task *task_of(struct gp__belt *belt, const struct gp__work *item)
{
    if (item->run == NULL)
        return item->argument;
    gp_task *task = gp__reserved_task_init(gp__belt_carve(belt), item->run, item->argument, false);
    gp__task_set_time(task, item->time);
    return task;
}

/* Insertion. */

/* With the put latch held. */
static int append(struct conveyor *queue, const struct gp__work *item)
{
    if (gp__belts_append(&queue->belts, item, sizeof *item) != GP_OK)
        return GP_ENOMEM;
    gp__belts_note_size(&queue->belts, &queue->base, 0);
    GP_PROBE(queue_offer, queue, item->argument);
    return GP_OK;
}

static int add(struct conveyor *queue, const struct gp__work *item,
               const struct gp__admission_check *check)
{
    gp__latch_lock(&queue->belts.put_latch); /* before asking */
    bool may_stay = check == NULL || check->may_enqueue(check->context);
    int status = may_stay ? append(queue, item) : GP_EAGAIN; /* [CONVEYOR-4] */
    gp__latch_unlock(&queue->belts.put_latch);
    if (status == GP_OK)
        gp__belts_wake(&queue->belts, &queue->base); /* [CONVEYOR-3] */
    return status;
}

static int conveyor_offer(gp_queue *base, gp_task *task)
{
    return add(conveyor_of(base), &(struct gp__work){.argument = task}, NULL);
}

static int conveyor_enqueue_function(gp_queue *base, const struct gp__work *function,
                                     const struct gp__admission_check *check,
                                     const struct gp__key_source *keys)
{
    (void)keys; /* first in, first out */
    return add(conveyor_of(base), function, check);
}

/* Removal. */

/* With the take latch held: the first item, or NULL. */
static inline const struct gp__work *pop(struct conveyor *queue)
{
    struct gp__belt *belt = &queue->belts.outbox;
    if (belt->first == belt->end)
        gp__belts_exchange(&queue->belts);
    if (belt->first == belt->end)
        return NULL;
    const struct gp__work *item = &items_of(belt)[belt->first++];
    gp__belts_add_taken(&queue->belts, 1);
    GP_PROBE(queue_take, queue, item->argument);
    return item;
}

static bool conveyor_next(gp_queue *base, struct gp__work *out)
{
    struct conveyor *queue = conveyor_of(base);
    gp__latch_lock(&queue->belts.take_latch);
    const struct gp__work *item = pop(queue);
    if (item != NULL)
        *out = *item;
    gp__latch_unlock(&queue->belts.take_latch);
    return item != NULL;
}

static int conveyor_poll(gp_queue *base, gp_task **out)
{
    struct conveyor *queue = conveyor_of(base);
    gp__latch_lock(&queue->belts.take_latch);
    const struct gp__work *item = pop(queue);
    if (item != NULL)
        *out = task_of(&queue->belts.outbox, item); /* [CONVEYOR-5] */
    gp__latch_unlock(&queue->belts.take_latch);
    return item != NULL ? GP_OK : GP_EEMPTY;
}

static int sleep_until(struct conveyor *queue, int64_t deadline)
{
    pthread_mutex_lock(&queue->base.lock);
    int status = gp__belts_await(&queue->belts, &queue->base, deadline);
    pthread_mutex_unlock(&queue->base.lock);
    return status;
}

static int conveyor_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    int status;
    while ((status = conveyor_poll(base, out)) == GP_EEMPTY &&
           (status = sleep_until(conveyor_of(base), deadline)) == GP_OK)
        continue;
    return status;
}

/* With both latches held: tasks that match go to `out`, the other items close the gaps. */
static void filter(struct gp__belt *belt, gp__match_fn *matches, void *context, gp_task_list *out)
{
    size_t kept = belt->first;
    for (size_t i = belt->first; i < belt->end; i++) {
        struct gp__work item = items_of(belt)[i];
        if (item.run == NULL && matches(item.argument, context))
            gp__task_list_append(out, item.argument);
        else
            items_of(belt)[kept++] = item;
    }
    gp__belt_close(belt, kept);
}

static void conveyor_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                               gp_task_list *out)
{
    struct gp__belts *belts = &conveyor_of(base)->belts;
    size_t before = out->count;
    gp__belts_lock(belts);
    filter(&belts->outbox, matches, context, out);
    filter(&belts->inbox, matches, context, out);
    gp__belts_add_taken(belts, out->count - before);
    gp__belts_unlock(belts);
}

static bool is_same(gp_task *task, void *wanted)
{
    return task == wanted;
}

static int conveyor_remove(gp_queue *base, gp_task *task)
{
    gp_task_list removed = {0};
    conveyor_remove_if(base, is_same, task, &removed);
    return removed.count > 0 ? GP_OK : GP_ENOTFOUND;
}

static void empty(struct gp__belt *belt, gp_task_list *out)
{
    for (size_t i = belt->first; i < belt->end; i++)
        gp__task_list_append(out, task_of(belt, &items_of(belt)[i]));
    gp__belt_close(belt, belt->first);
}

static void conveyor_drain(gp_queue *base, gp_task_list *out)
{
    struct gp__belts *belts = &conveyor_of(base)->belts;
    gp__belts_lock(belts);
    gp__belts_add_taken(belts, gp__belts_count(belts));
    empty(&belts->outbox, out);
    empty(&belts->inbox, out);
    gp__belts_unlock(belts);
}

/* Queries. */

/* A function becomes a task, and stays one. */
static size_t show(struct gp__belt *belt, gp_task **out, size_t room)
{
    size_t shown = 0;
    for (size_t i = belt->first; i < belt->end && shown < room; i++) {
        struct gp__work *item = &items_of(belt)[i];
        *item = (struct gp__work){.argument = task_of(belt, item)};
        out[shown++] = gp_task_retain(item->argument);
    }
    return shown;
}

static size_t conveyor_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    struct gp__belts *belts = &conveyor_of(base)->belts;
    gp__belts_lock(belts);
    size_t size = gp__belts_count(belts);
    size_t shown = show(&belts->outbox, out, room);
    show(&belts->inbox, out + shown, room - shown);
    gp__belts_unlock(belts);
    return size;
}

/* Skips the belts while another thread holds a latch: the caller may have stopped that thread. */
static int conveyor_check(gp_queue *base)
{
    struct conveyor *queue = conveyor_of(base);
    pthread_mutex_lock(&base->lock);
    int broken = gp__belts_sleepers_are_in_line(&queue->belts, base) ? 0 : 3;
    pthread_mutex_unlock(&base->lock);
    if (broken != 0 || !gp__latch_try_lock(&queue->belts.take_latch))
        return broken;
    if (gp__latch_try_lock(&queue->belts.put_latch)) {
        broken = gp__belts_check(&queue->belts);
        gp__latch_unlock(&queue->belts.put_latch);
    }
    gp__latch_unlock(&queue->belts.take_latch);
    return broken;
}

static void conveyor_free(gp_queue *base)
{
    struct conveyor *queue = conveyor_of(base);
    gp__belts_destroy(&queue->belts);
    gp__queue_destroy(base);
    free(queue);
}

static const struct gp__function_class functions = {.enqueue = conveyor_enqueue_function,
                                                    .next = conveyor_next};

static const struct gp__queue_class conveyor_class = {
    .offer = conveyor_offer,
    .poll = conveyor_poll,
    .take_until = conveyor_take_until,
    .remove = conveyor_remove,
    .drain = conveyor_drain,
    .remove_if = conveyor_remove_if,
    .snapshot = conveyor_snapshot,
    .backlog = conveyor_backlog,
    .is_quiet = conveyor_is_quiet,
    .check = conveyor_check,
    .free = conveyor_free,
    .functions = &functions,
};

int gp_conveyor_new(gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct conveyor *queue = malloc(sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    gp__belts_init(&queue->belts, sizeof(struct gp__work), sizeof(gp_task));
    int status = gp__queue_init(&queue->base, &conveyor_class);
    if (status != GP_OK) {
        free(queue);
        return status;
    }
    *out = &queue->base;
    return GP_OK;
}
