/*
 * The conveyor: an unbounded queue, first in, first out, for a flood of small tasks.
 *
 * It is the faster sibling of the linked queue (linked.c), which follows Java's. There each task is
 * a block of memory that one processor fills and another one frees, and both sides change one
 * count. Moving such a line between two processors costs more than everything else that happens to
 * a task which does nothing. Here what moves is an item of 24 bytes in an array:
 *
 *      place --> [ inbox ] === all at once, when the outbox is empty ===> [ outbox ] --> take
 *                put latch                                                take latch
 *
 * A plain function and its argument need no task on the way. Who only runs them, as a worker
 * without hooks, needs none at the end either (`next`). Who takes a task makes one of the item, in
 * a box that its thread keeps and fills again and again: nobody else ever touches it, unless
 * somebody keeps a reference; then the box is that one's, and the thread gets another. The belts
 * are exchanged whole, so their memory goes round too. They have files of their own (belts.h,
 * belts.c): the delayed queue has a use for them as well (lane.c).
 *
 * A latch (sync/latch.h) costs one atomic exchange, and that is all that an item costs on its way
 * in, and all that it costs on its way out. Everything that has to see both sides takes both
 * latches, and is rare.
 *
 *   [CONVEYOR-1] Order: everything in the outbox came before everything in the inbox.
 *   [CONVEYOR-2] Count: `placed` changes with the put latch held, `taken` with the take latch held,
 *                and their difference is what lies on the belts, whenever both are held.
 *   [CONVEYOR-3] No item waits while a taker sleeps: whoever adds looks at `sleepers` after it has
 *                held the put latch; whoever is going to sleep counts what lies on the belts, with
 *                the latches held, after raising `sleepers`. Who comes to the put latch second sees
 *                what the first did before. A taker that has been signalled is no sleeper any more,
 *                even if it has not woken up yet: it will look. So while nobody holds base.lock
 *                there are as many sleepers as takers in line.
 *   [CONVEYOR-4] Whether a function may stay is asked with the put latch held in which it is then
 *                put, and who counts holds that latch as well. So an answer holds until the
 *                function is there, and nobody counts one that was refused.
 *   [CONVEYOR-5] A function is not taken out as a task unless there is a box for it. Tasks need
 *                none, and who finds nothing may sleep without one. If it is then woken for a
 *                function in vain, it wakes the next, who may have one.
 *   [CONVEYOR-6] Quiet is judged with the latches held, from the look at the workers on. base.lock
 *                alone keeps no item where it is: a worker that was not there at that look, in a
 *                dead one's place say, could take the last one away before the belts are counted.
 *
 * Lock order: base.lock, with which takers sleep and are signalled, before the take latch before
 * the put latch.
 *
 * Difference from the others: an item has no identity before it is taken or looked at, so nobody
 * can take it back; who may want that offers a task. Want of memory: a drain leaves in the queue
 * what it has no task for, and says so; a snapshot ends there; to discard takes none. Belts keep
 * the room that the deepest backlog needed. The deepest size is exact up to 64; above, it may be
 * told 2% too small: to know it better, those who put would look at the takers' count each time
 * that a backlog grows.
 *
 * Rejected: handing empty tasks back to those who put, on a belt of their own. It saves malloc and
 * free, but each task is still a line that moves twice. Rejected: taking several items at a time. A
 * task may wait for a later one, which must not lie with the worker that waits.
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
    struct gp__belts belts; /* I likewise */
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

static gp_task *fill(gp_task *box, const struct gp__work *item)
{
    gp__fill_box(box, item->run, item->argument);
    gp__task_set_time(box, item->time);
    return box;
}

/* The task of an item, in the box if it is none [TASK-5]; then the box is used up. */
static gp_task *unpack(const struct gp__work *item, gp_task **box)
{
    if (item->run == NULL)
        return item->argument;
    gp_task *task = fill(*box, item);
    *box = NULL;
    return task;
}

/* Into it. */

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

static int conveyor_place(gp_queue *base, const struct gp__work *function,
                          const struct gp__admission_check *check)
{
    return add(conveyor_of(base), function, check);
}

/* Out of it. */

/* With the take latch held: GP_OK, GP_EEMPTY, GP_ENOMEM. */
static inline int pop(struct conveyor *queue, bool has_box, struct gp__work *out)
{
    struct gp__belt *belt = &queue->belts.outbox;
    if (belt->first == belt->end)
        gp__belts_exchange(&queue->belts);
    if (belt->first == belt->end)
        return GP_EEMPTY;
    *out = items_of(belt)[belt->first];
    if (out->run != NULL && !has_box)
        return GP_ENOMEM; /* [CONVEYOR-5] */
    belt->first++;
    gp__belts_add_taken(&queue->belts, 1);
    GP_PROBE(queue_take, queue, out->argument);
    return GP_OK;
}

static bool conveyor_next(gp_queue *base, struct gp__work *out)
{
    struct conveyor *queue = conveyor_of(base);
    gp__latch_lock(&queue->belts.take_latch);
    int status = pop(queue, true, out);
    gp__latch_unlock(&queue->belts.take_latch);
    return status == GP_OK;
}

/* One of them as a task; see pop. */
static int take(struct conveyor *queue, gp_task **box, gp_task **out)
{
    struct gp__work item;
    gp__latch_lock(&queue->belts.take_latch);
    int status = pop(queue, *box != NULL, &item);
    gp__latch_unlock(&queue->belts.take_latch);
    if (status == GP_OK)
        *out = unpack(&item, box);
    return status;
}

static int conveyor_poll(gp_queue *base, gp_task **out)
{
    gp_task *box = gp__take_box();
    int status = take(conveyor_of(base), &box, out);
    if (box != NULL)
        gp__leave_box(box);
    return status;
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
    struct conveyor *queue = conveyor_of(base);
    int status;
    gp_task *box = gp__take_box();
    while ((status = take(queue, &box, out)) == GP_EEMPTY &&
           (status = sleep_until(queue, deadline)) == GP_OK)
        if (box == NULL)
            box = gp__take_box(); /* there may be memory by now */
    if (status == GP_ENOMEM)
        gp__belts_wake(&queue->belts, base); /* [CONVEYOR-5] */
    if (box != NULL)
        gp__leave_box(box);
    return status;
}

/* All of it. */

/* The task of an item that stays or is handed over in a list, not in a box of ours: it gets one of
   its own. NULL: no memory, and the item is as it was. */
static gp_task *task_in(struct gp__work *item)
{
    if (item->run == NULL)
        return item->argument;
    gp_task *task = malloc(sizeof *task);
    if (task != NULL)
        *item = (struct gp__work){.argument = fill(task, item)};
    return task;
}

/* Items that `matches` go to `out`, the others close the gaps. */
static void filter(struct gp__belt *belt, gp__match_fn *matches, void *context, gp_task_list *out)
{
    size_t kept = belt->first;
    for (size_t i = belt->first; i < belt->end; i++) {
        struct gp__work item = items_of(belt)[i];
        gp_task view;
        gp_task *box = &view;
        gp_task *task = unpack(&item, &box);
        if (matches(task, context) && (task = task_in(&item)) != NULL)
            gp__task_list_append(out, task);
        else
            items_of(belt)[kept++] = item;
    }
    belt->end = kept;
}

/* Only tasks are left of it. */
static void drop_functions(struct gp__belt *belt)
{
    size_t kept = belt->first;
    for (size_t i = belt->first; i < belt->end; i++)
        if (items_of(belt)[i].run == NULL)
            items_of(belt)[kept++] = items_of(belt)[i];
    belt->end = kept;
}

/* True: nothing is left. */
static bool filter_all(struct conveyor *queue, gp__match_fn *matches, void *context,
                       gp_task_list *out)
{
    struct gp__belts *belts = &queue->belts;
    size_t before = out->count;
    gp__belts_lock(belts);
    filter(&belts->outbox, matches, context, out);
    filter(&belts->inbox, matches, context, out);
    gp__belts_add_taken(belts, out->count - before);
    bool empty = belts->outbox.first == belts->outbox.end && belts->inbox.end == 0;
    gp__belts_unlock(belts);
    return empty;
}

static void conveyor_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                               gp_task_list *out)
{
    filter_all(conveyor_of(base), matches, context, out);
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

static bool is_any(gp_task *task, void *context)
{
    (void)task;
    (void)context;
    return true;
}

static int conveyor_drain(gp_queue *base, gp_task_list *out)
{
    return filter_all(conveyor_of(base), is_any, NULL, out) ? GP_OK : GP_ENOMEM;
}

static size_t conveyor_empty(gp_queue *base, gp_task_list *out)
{
    struct gp__belts *belts = &conveyor_of(base)->belts;
    gp__belts_lock(belts);
    size_t count = gp__belts_count(belts);
    drop_functions(&belts->outbox);
    drop_functions(&belts->inbox);
    filter(&belts->outbox, is_any, NULL, out);
    filter(&belts->inbox, is_any, NULL, out);
    if (count > 0)
        gp__belts_add_taken(belts, count);
    gp__belts_unlock(belts);
    return count - out->count;
}

/* Looking. */

static size_t copy(struct gp__belt *belt, gp_task **out, size_t done, size_t room)
{
    for (size_t i = belt->first; i < belt->end && done < room; i++) {
        gp_task *task = task_in(&items_of(belt)[i]);
        if (task == NULL)
            break;
        out[done++] = gp_task_retain(task);
    }
    return done;
}

static size_t conveyor_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    struct conveyor *queue = conveyor_of(base);
    gp__belts_lock(&queue->belts);
    size_t size = gp__belts_count(&queue->belts);
    size_t done = copy(&queue->belts.outbox, out, 0, room);
    if (done == queue->belts.outbox.end - queue->belts.outbox.first)
        done = copy(&queue->belts.inbox, out, done, room);
    gp__belts_unlock(&queue->belts);
    return done < room ? done : size;
}

/* Of the belts not while somebody is at work behind a latch, whom the caller may have stopped. */
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

static const struct gp__queue_class conveyor_class = {
    .offer = conveyor_offer,
    .place = conveyor_place,
    .next = conveyor_next,
    .poll = conveyor_poll,
    .take_until = conveyor_take_until,
    .remove = conveyor_remove,
    .drain = conveyor_drain,
    .empty = conveyor_empty,
    .remove_if = conveyor_remove_if,
    .snapshot = conveyor_snapshot,
    .backlog = conveyor_backlog,
    .is_quiet = conveyor_is_quiet,
    .check = conveyor_check,
    .free = conveyor_free,
};

int gp_conveyor_new(gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct conveyor *queue = malloc(sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    *queue = (struct conveyor){0};
    int status = gp__queue_init(&queue->base, &conveyor_class);
    if (status != GP_OK) {
        free(queue);
        return status;
    }
    *out = &queue->base;
    return GP_OK;
}
