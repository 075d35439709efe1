/*
 * The conveyor: an unbounded queue, first in, first out, for a flood of small tasks.
 *
 * It is the faster sibling of the linked queue (linked.c), which follows Java's. There each task is
 * a block of memory that one processor fills and another one frees, and both sides change one
 * count. Moving such a line between two processors costs more than everything else that happens to
 * a task which does nothing. Here what moves is an item of 24 bytes in an array:
 *
 *      place --> [ inbox ] === all at once, when the outbox is empty ===> [ outbox ] --> take
 *                put lock                                                 take lock
 *
 * A plain function and its argument need no task on the way. Only who takes an item out makes one
 * of it, in a box that its thread keeps and fills again and again: nobody else ever touches it,
 * unless somebody keeps a reference; then the box is that one's, and the thread gets another. The
 * belts are exchanged whole, so their memory goes round too. Each side counts for itself, and the
 * size is the difference.
 *
 *   [CONVEYOR-1] Order: everything in the outbox came before everything in the inbox.
 *   [CONVEYOR-2] Count: `placed` changes with the put lock held, `taken` with the take lock held,
 *                and their difference is what lies on the belts, whenever both locks are held.
 *   [CONVEYOR-3] No item waits while a taker sleeps: whoever adds looks at `sleepers` after raising
 *                `placed`; whoever is going to sleep looks at `placed` after raising `sleepers`.
 *                One of them sees the other: all four accesses are seq_cst. A taker that has been
 *                signalled is no sleeper any more, even if it has not woken up yet: it will look.
 *   [CONVEYOR-4] A placing that its caller does not confirm has never been: it leaves the inbox in
 *                the same holding of the put lock, so that nobody can have taken it.
 *   [CONVEYOR-5] A function is not taken out unless there is a box for it. Tasks need none, and who
 *                finds nothing may sleep without one. If it is then woken for a function in vain,
 *                it wakes the next, who may have one.
 *
 * Lock order: take lock before put lock. A signal is sent with only the take lock held.
 *
 * Difference from the others: an item has no identity before it is taken or looked at, so nobody
 * can take it back; who may want that offers a task. Want of memory: a drain leaves in the queue
 * what it has no task for, a snapshot ends there. Belts keep the room that the deepest backlog
 * needed.
 *
 * Rejected: handing empty tasks back to those who put, on a belt of their own. It saves malloc and
 * free, but each task is still a line that moves twice.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"
#include "sync/os.h"
#include "sync/probe.h"

#define FIRST_ROOM 64

struct item {
    gp_run_fn *run; /* NULL: the argument is a task */
    void *argument;
    int64_t time;
};

/* Items from `first` up to `end`, in order. */
struct belt {
    struct item *items;
    size_t first;
    size_t end;
    size_t room;
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   Q: guarded by base.lock, the take lock
 *   P: guarded by put_lock
 */
struct conveyor {
    gp_queue base;                     /* I its fields have letters of their own */
    struct belt outbox;                /* Q */
    _Atomic size_t taken;              /* A changed with the take lock held */
    char apart[GP__FALSE_SHARING];     /* I nothing: the sides have lines of their own */
    pthread_mutex_t put_lock;          /* I */
    struct belt inbox;                 /* P */
    size_t known_taken;                /* P `taken`, when it was last looked at */
    _Atomic size_t placed;             /* A changed with put_lock held */
    char apart_too[GP__FALSE_SHARING]; /* I nothing, likewise */
    _Atomic size_t sleepers;           /* A takers that wait and are not signalled; likewise Q */
};

static struct conveyor *conveyor_of(gp_queue *base)
{
    return (struct conveyor *)base;
}

static size_t conveyor_backlog(gp_queue *base)
{
    struct conveyor *queue = conveyor_of(base);
    size_t taken = atomic_load(&queue->taken);  /* seq_cst, and first: never above placed */
    return atomic_load(&queue->placed) - taken; /* seq_cst: [CONVEYOR-3] */
}

static gp_task *fill(gp_task *box, const struct item *item)
{
    gp__fill_box(box, item->run, item->argument);
    gp__task_set_time(box, item->time);
    return box;
}

/* The task of an item, in the box if it is none [TASK-5]; then the box is used up. */
static gp_task *unpack(const struct item *item, gp_task **box)
{
    if (item->run == NULL)
        return item->argument;
    gp_task *task = fill(*box, item);
    *box = NULL;
    return task;
}

/* Into it. */

static bool make_room(struct belt *belt)
{
    if (belt->end < belt->room)
        return true;
    size_t room = belt->room == 0 ? FIRST_ROOM : 2 * belt->room;
    struct item *items = realloc(belt->items, room * sizeof *items);
    if (items == NULL)
        return false;
    belt->items = items;
    belt->room = room;
    return true;
}

/* With the put lock held: `placed`, changed by one [CONVEYOR-2]. */
static void move_placed(struct conveyor *queue, size_t by)
{
    size_t placed = atomic_load_explicit(&queue->placed, memory_order_relaxed); /* our lock's */
    atomic_store(&queue->placed, placed + by); /* seq_cst: [CONVEYOR-3] */
}

static void note_size(struct conveyor *queue)
{
    size_t placed = atomic_load_explicit(&queue->placed, memory_order_relaxed); /* our lock's */
    if (placed - queue->known_taken <= gp__queue_deepest(&queue->base))
        return;
    /* relaxed: a figure for people */
    queue->known_taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
    gp__queue_note_size(&queue->base, placed - queue->known_taken);
}

/* With the put lock held. */
static int append(struct conveyor *queue, const struct item *item,
                  const struct gp__placing *placing)
{
    if (!make_room(&queue->inbox))
        return GP_ENOMEM;
    queue->inbox.items[queue->inbox.end++] = *item;
    move_placed(queue, 1);
    if (placing != NULL && !placing->confirm(placing->context)) {
        queue->inbox.end--; /* [CONVEYOR-4] */
        move_placed(queue, (size_t)-1);
        return GP_EAGAIN;
    }
    note_size(queue);
    GP_PROBE(queue_offer, queue, item->argument);
    return GP_OK;
}

/* With the take lock held. */
static void wake_one(struct conveyor *queue)
{
    if (queue->base.available.first == NULL)
        return;
    gp__condition_signal(&queue->base.available);
    /* relaxed: too many are harmless */
    atomic_fetch_sub_explicit(&queue->sleepers, 1, memory_order_relaxed);
}

static void signal_sleeper(struct conveyor *queue)
{
    if (atomic_load(&queue->sleepers) == 0) /* seq_cst: [CONVEYOR-3] */
        return;
    pthread_mutex_lock(&queue->base.lock);
    wake_one(queue);
    pthread_mutex_unlock(&queue->base.lock);
}

static int add(struct conveyor *queue, const struct item *item, const struct gp__placing *placing)
{
    pthread_mutex_lock(&queue->put_lock);
    int status = append(queue, item, placing);
    pthread_mutex_unlock(&queue->put_lock);
    if (status == GP_OK)
        signal_sleeper(queue);
    return status;
}

static int conveyor_offer(gp_queue *base, gp_task *task)
{
    return add(conveyor_of(base), &(struct item){.argument = task}, NULL);
}

static int conveyor_place(gp_queue *base, const struct gp__placing *placing)
{
    struct item item = {placing->run, placing->argument, placing->time};
    return add(conveyor_of(base), &item, placing);
}

/* Out of it. */

static void exchange_belts(struct conveyor *queue)
{
    struct belt empty = queue->outbox;
    empty.first = empty.end = 0;
    pthread_mutex_lock(&queue->put_lock);
    queue->outbox = queue->inbox; /* [CONVEYOR-1] */
    queue->inbox = empty;
    pthread_mutex_unlock(&queue->put_lock);
}

/* With the take lock held: so many have left [CONVEYOR-2]. */
static void add_taken(struct conveyor *queue, size_t count)
{
    size_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed); /* our lock's */
    /* release: who reads it may think the items gone */
    atomic_store_explicit(&queue->taken, taken + count, memory_order_release);
}

/* With the take lock held: GP_OK, GP_EEMPTY, GP_ENOMEM. */
static int pop(struct conveyor *queue, gp_task **box, gp_task **out)
{
    struct belt *belt = &queue->outbox;
    if (belt->first == belt->end) {
        if (conveyor_backlog(&queue->base) == 0)
            return GP_EEMPTY;
        exchange_belts(queue);
        if (belt->first == belt->end)
            return GP_EEMPTY; /* it was not confirmed */
    }
    const struct item *item = &belt->items[belt->first];
    if (item->run != NULL && *box == NULL)
        return GP_ENOMEM; /* [CONVEYOR-5] */
    *out = unpack(item, box);
    belt->first++;
    add_taken(queue, 1);
    GP_PROBE(queue_take, queue, *out);
    return GP_OK;
}

static int conveyor_poll(gp_queue *base, gp_task **out)
{
    if (conveyor_backlog(base) == 0)
        return GP_EEMPTY;
    gp_task *box = gp__take_box();
    pthread_mutex_lock(&base->lock);
    int status = pop(conveyor_of(base), &box, out);
    pthread_mutex_unlock(&base->lock);
    if (box != NULL)
        gp__leave_box(box);
    return status;
}

static int await_item(struct conveyor *queue, int64_t deadline)
{
    int status = GP_OK;
    bool signalled = false;
    gp__queue_begin_wait(&queue->base);
    atomic_fetch_add(&queue->sleepers, 1); /* seq_cst: [CONVEYOR-3] */
    if (conveyor_backlog(&queue->base) == 0) {
        status = gp__condition_wait(&queue->base.available, &queue->base.lock, deadline);
        signalled = status == GP_OK;
    }
    if (!signalled) /* else who signalled has done it; relaxed: too many are harmless */
        atomic_fetch_sub_explicit(&queue->sleepers, 1, memory_order_relaxed);
    gp__queue_end_wait(&queue->base);
    return status;
}

static int conveyor_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    struct conveyor *queue = conveyor_of(base);
    int status;
    gp_task *box = gp__take_box();
    pthread_mutex_lock(&base->lock);
    while ((status = pop(queue, &box, out)) == GP_EEMPTY &&
           (status = await_item(queue, deadline)) == GP_OK)
        if (box == NULL)
            box = gp__take_box(); /* there may be memory by now */
    if (status == GP_ENOMEM)
        wake_one(queue); /* [CONVEYOR-5] */
    pthread_mutex_unlock(&base->lock);
    if (box != NULL)
        gp__leave_box(box);
    return status;
}

/* All of it. */

static void lock_both(struct conveyor *queue)
{
    pthread_mutex_lock(&queue->base.lock);
    pthread_mutex_lock(&queue->put_lock);
}

static void unlock_both(struct conveyor *queue)
{
    pthread_mutex_unlock(&queue->put_lock);
    pthread_mutex_unlock(&queue->base.lock);
}

/* The task of an item that stays or is handed over in a list, not in a box of ours: it gets one of
   its own. NULL: no memory, and the item is as it was. */
static gp_task *task_in(struct item *item)
{
    if (item->run == NULL)
        return item->argument;
    gp_task *task = malloc(sizeof *task);
    if (task != NULL)
        *item = (struct item){.argument = fill(task, item)};
    return task;
}

/* Items that `matches` go to `out`, the others close the gaps. */
static void filter(struct belt *belt, gp__match_fn *matches, void *context, gp_task_list *out)
{
    size_t kept = belt->first;
    for (size_t i = belt->first; i < belt->end; i++) {
        struct item item = belt->items[i];
        gp_task view;
        gp_task *box = &view;
        gp_task *task = unpack(&item, &box);
        if (matches(task, context) && (task = task_in(&item)) != NULL)
            gp__task_list_append(out, task);
        else
            belt->items[kept++] = item;
    }
    belt->end = kept;
}

static void conveyor_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                               gp_task_list *out)
{
    struct conveyor *queue = conveyor_of(base);
    size_t before = out->count;
    lock_both(queue);
    filter(&queue->outbox, matches, context, out);
    filter(&queue->inbox, matches, context, out);
    add_taken(queue, out->count - before);
    unlock_both(queue);
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

static void conveyor_drain(gp_queue *base, gp_task_list *out)
{
    conveyor_remove_if(base, is_any, NULL, out);
}

/* Looking. */

static size_t copy(struct belt *belt, gp_task **out, size_t done, size_t room)
{
    for (size_t i = belt->first; i < belt->end && done < room; i++) {
        gp_task *task = task_in(&belt->items[i]);
        if (task == NULL)
            break;
        out[done++] = gp_task_retain(task);
    }
    return done;
}

static size_t conveyor_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    struct conveyor *queue = conveyor_of(base);
    lock_both(queue);
    size_t size = conveyor_backlog(base);
    size_t done = copy(&queue->outbox, out, 0, room);
    if (done == queue->outbox.end - queue->outbox.first)
        done = copy(&queue->inbox, out, done, room);
    unlock_both(queue);
    return done < room ? done : size;
}

static bool is_sound(const struct belt *belt)
{
    return belt->first <= belt->end && belt->end <= belt->room;
}

static int conveyor_check(gp_queue *base)
{
    struct conveyor *queue = conveyor_of(base);
    lock_both(queue);
    bool sound = is_sound(&queue->outbox) && is_sound(&queue->inbox) && queue->inbox.first == 0;
    size_t on_belts = queue->outbox.end - queue->outbox.first + queue->inbox.end;
    int broken = !sound ? 1 : conveyor_backlog(base) != on_belts ? 2 : 0;
    unlock_both(queue);
    return broken;
}

/* Functions that it could not clear for want of memory go without having been tasks. */
static void conveyor_free(gp_queue *base)
{
    struct conveyor *queue = conveyor_of(base);
    free(queue->outbox.items);
    free(queue->inbox.items);
    pthread_mutex_destroy(&queue->put_lock);
    gp__queue_destroy(base);
    free(queue);
}

static const struct gp__queue_class conveyor_class = {
    .offer = conveyor_offer,
    .place = conveyor_place,
    .poll = conveyor_poll,
    .take_until = conveyor_take_until,
    .remove = conveyor_remove,
    .drain = conveyor_drain,
    .remove_if = conveyor_remove_if,
    .snapshot = conveyor_snapshot,
    .backlog = conveyor_backlog,
    .check = conveyor_check,
    .free = conveyor_free,
};

static int init(struct conveyor *queue)
{
    *queue = (struct conveyor){0};
    int status = gp__os_init_brief_lock(&queue->put_lock);
    if (status != GP_OK)
        return status;
    status = gp__queue_init(&queue->base, &conveyor_class);
    if (status != GP_OK)
        pthread_mutex_destroy(&queue->put_lock);
    return status;
}

int gp_conveyor_new(gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct conveyor *queue = malloc(sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    int status = init(queue);
    if (status != GP_OK) {
        free(queue);
        return status;
    }
    *out = &queue->base;
    return GP_OK;
}
