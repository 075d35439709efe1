/*
 * The lane: the part of a delayed queue for tasks that are due when they come.
 *
 * A pool that can schedule also runs tasks at once, and for those the heap is a detour: the task
 * goes up to the root and comes down again, and all of that behind one mutex. But tasks that are
 * due when they come, come in order. So they need no heap, and a taker need not read the clock to
 * take them:
 *
 *      due      put latch   +-------- lane --------+  take latch
 *      ------>              | inbox ====== outbox  |               before the horizon: takers,
 *                           +----------------------+  ---------->  without the queue's lock
 *      later    base.lock   +-------- heap --------+  base.lock
 *      ------>              | head                 |  ---------->  else the earlier of the two
 *                           +----------------------+
 *                             its time, or the alarm's if earlier: the horizon
 *
 * The lane is made of belts (belts.h), like the conveyor: each side costs one atomic exchange.
 * [CONVEYOR-1] to [CONVEYOR-3] and [CONVEYOR-6] hold for them. The contract of the queue is kept
 * exactly: the earliest task comes first, and among equal times the one with the lower sequence
 * number, whether they are on the lane or in the heap.
 *
 *   [LANE-1] Order: the items on the lane are in order of time and sequence number, and each was
 *            due when it came. An item may come out of order, since another thread has read the
 *            clock later and was quicker. It then gets the present time and a new sequence number,
 *            with the put latch held: no thread has seen the old ones, and the moment lies within
 *            the same call. If it cannot be given another time, or that does not help, it goes to
 *            the heap.
 *   [LANE-2] Horizon: while base.lock is free the horizon is not later than the head of the heap,
 *            nor, if there is an alarm, than the alarm. A taker without that lock takes only what
 *            is before the horizon. It reads the horizon after it has found the first item on the
 *            lane, not before: an offer to the heap that was over when that item came is then seen.
 *            So the alarm rings in its turn, as if it were in the heap [DELAYED-7].
 *   [LANE-3] No task waits on the lane while a taker sleeps, leader or follower. That is
 *            [CONVEYOR-3]; so every thread that signals a taker, for whatever reason, counts it off
 *            `sleepers`. A taker that was signalled for a task on the lane may find the head of the
 *            heap due, and earlier: it takes that, and signals another taker on its way out.
 *   [LANE-4] A taker without base.lock was not asleep, has used up no signal, and leaves heap and
 *            leader as they are: [DELAYED-5] and [DELAYED-6] ask nothing of it. A taker that was
 *            asleep takes with the lock held, from lane or heap, and leaves like any other taker.
 *   [LANE-5] Number: places are numbered back from the last one, whose number is the count of all
 *            items that were put before it. The task in place n has heap_index n, modulo 2^31; so
 *            it is removed without a search, and leaves a hole. A place that a taker has passed
 *            still names its task: only the places from `first` on count.
 *   [LANE-6] A call that must see the whole queue holds base.lock and then both latches.
 *   [LANE-7] Function: a plain function without a handle needs no task. It has a key but no
 *            address: its admission check is called under the put latch, as on a conveyor
 *            [CONVEYOR-4], and a sweep for certain tasks passes it by. A taker that wants a task, a
 *            drain and a snapshot make one of it, in memory that the belt has reserved [BELTS-1].
 *            The pool supplies the kind of task: `maker`.
 *   [LANE-8] Holes: a removal leaves no more of them than there are items. If there would be more,
 *            it closes both belts up, and each task that is left gets a new number [LANE-5]. So a
 *            belt has at most twice as many places as the deepest backlog, however many tasks came
 *            and were cancelled while no taker passed. Each hole pays for itself and for less than
 *            one item that moves: the amortized cost of a removal is O(1). Now and then one removal
 *            takes as long as moving all items, and other threads wait for both latches meanwhile.
 *
 * No clock. A task on the lane was due when it came, and time does not go back. If the head of the
 * heap is before it, that head is due as well.
 *
 * Only tasks that run once are on the lane. Tasks that keep a slot go back to the heap, where the
 * slot is [DELAYED-4].
 *
 * Ordering guarantees. The latches order what is on the belts, and, with base.lock, which takers
 * sleep. Through the latches a taker has acquired all that happened before the task that it has
 * found came, including an earlier horizon. But an offer to the heap may come after that task, be
 * before it in the order, and be over when the taker begins. The two have shared no lock or latch;
 * so the horizon is seq_cst, and its reader sees what was written last. A horizon that is too early
 * costs a lock.
 *
 * Left simple: the deepest size is exact to 2%, as in the conveyor; an offer to the heap does not
 * count what is on the lane. A belt keeps the room that the deepest backlog needed.
 */
#include "queue/lane.h"

#include <stdlib.h>

#include <glasspool/status.h>
#include <glasspool/task.h>

#include "future/task.h"
#include "sync/probe.h"

struct item {
    gp_run_fn *run; /* NULL: the argument is a task, or NULL, and this a hole */
    void *argument;
    struct gp__key key;
};

static bool is_hole(const struct item *item)
{
    return item->run == NULL && item->argument == NULL;
}

/* Only such an item has an address; a function has none. */
static bool is_task(const struct item *item)
{
    return item->run == NULL && item->argument != NULL;
}

static struct item *items_of(const struct gp__belt *belt)
{
    return belt->items;
}

/* Insertion. */

/* [LANE-1] */
static bool is_in_order(const struct gp__lane *lane, const struct item *item)
{
    return lane->belts.placed == 0 || !gp__key_is_before(item->key, lane->last);
}

/* With the put latch held. */
static int append(struct gp__lane *lane, gp_queue *queue, const struct item *item)
{
    size_t number = lane->belts.placed;
    if (gp__belts_append(&lane->belts, item, sizeof *item) != GP_OK)
        return GP_ENOMEM;
    if (is_task(item))
        gp__set_heap_index(item->argument, (int32_t)(number & INT32_MAX)); /* [LANE-5] */
    lane->last = item->key;
    /* relaxed: statistics only */
    gp__belts_note_size(&lane->belts, queue,
                        atomic_load_explicit(&lane->elsewhere, memory_order_relaxed));
    GP_PROBE(queue_offer, queue, item->argument);
    return GP_OK;
}

/* With the put latch held: give it a new key [LANE-1]. */
static void renew(struct item *item, const struct gp__key_source *keys)
{
    item->key = keys->next_key(keys->context);
    if (!is_task(item))
        return;
    gp_task *task = item->argument;
    gp__task_set_time(task, item->key.time);
    task->sequence = item->key.sequence;
}

/* With the put latch held. The last task may be a user's own, with a sequence number from
   elsewhere: then the present time and a new number may not be enough. */
static int put_in_order(struct gp__lane *lane, gp_queue *queue, struct item *item,
                        const struct gp__key_source *keys)
{
    bool in_order = is_in_order(lane, item);
    if (!in_order && keys != NULL) {
        renew(item, keys);
        in_order = is_in_order(lane, item);
    }
    return in_order ? append(lane, queue, item) : GP_EAGAIN;
}

int gp__lane_put(struct gp__lane *lane, gp_queue *queue, gp_task *task,
                 const struct gp__key_source *keys)
{
    struct item item = {.argument = task, .key = {gp_task_time(task), task->sequence}};
    gp__latch_lock(&lane->belts.put_latch);
    int status = put_in_order(lane, queue, &item, keys);
    gp__latch_unlock(&lane->belts.put_latch);
    if (status == GP_OK)
        gp__belts_wake(&lane->belts, queue); /* [LANE-3] */
    return status;
}

int gp__lane_enqueue_function(struct gp__lane *lane, gp_queue *queue,
                              const struct gp__work *function,
                              const struct gp__admission_check *check,
                              const struct gp__key_source *keys)
{
    int status = GP_EAGAIN;
    struct item item = {
        .run = function->run, .argument = function->argument, .key = keys->next_key(keys->context)};
    gp__latch_lock(&lane->belts.put_latch); /* before asking */
    if (check->may_enqueue(check->context))
        status = put_in_order(lane, queue, &item, keys); /* [LANE-7] */
    gp__latch_unlock(&lane->belts.put_latch);
    if (status == GP_OK)
        gp__belts_wake(&lane->belts, queue); /* [LANE-3] */
    return status;
}

/* Removal. */

/* With the take latch held: the first item of the outbox, or NULL. */
static struct item *first_in_outbox(struct gp__lane *lane)
{
    struct gp__belt *belt = &lane->belts.outbox;
    for (; belt->first < belt->end; belt->first++, lane->belts.holes--)
        if (!is_hole(&items_of(belt)[belt->first]))
            return &items_of(belt)[belt->first];
    return NULL;
}

/* With the take latch held: the first item, or NULL. */
static struct item *first(struct gp__lane *lane)
{
    struct item *item;
    while ((item = first_in_outbox(lane)) == NULL) {
        gp__belts_exchange(&lane->belts);
        if (lane->belts.outbox.end == 0)
            return NULL;
    }
    return item;
}

/* [LANE-2] */
static bool is_before_horizon(struct gp__lane *lane, int64_t time)
{
    int64_t horizon = atomic_load(&lane->horizon); /* seq_cst: see Ordering guarantees */
    return horizon == GP__NO_HORIZON || gp__time_between(time, horizon) < 0;
}

static bool comes_before(const struct item *item, const struct gp__entry *rival)
{
    return rival == NULL || gp__key_is_before(item->key, gp__key_of(rival));
}

/* With the take latch held: the first of the outbox leaves. */
static void pop(struct gp__lane *lane)
{
    lane->belts.outbox.first++;
    gp__belts_add_taken(&lane->belts, 1);
}

int gp__lane_next(struct gp__lane *lane, struct gp__work *out)
{
    int status = GP_EEMPTY;
    gp__latch_lock(&lane->belts.take_latch);
    const struct item *item = first(lane);
    if (item != NULL && is_before_horizon(lane, item->key.time)) {
        *out = (struct gp__work){item->run, item->argument, item->key.time};
        pop(lane);
        status = GP_OK;
    }
    gp__latch_unlock(&lane->belts.take_latch);
    if (status == GP_OK && out->run == NULL)
        gp__set_heap_index(out->argument, GP__IN_NO_HEAP); /* [DELAYED-2]; it is ours */
    return status;
}

/* The task of an item of that belt; the caller sets its heap_index. */
static gp_task *task_of(struct gp__lane *lane, struct gp__belt *belt, const struct item *item)
{
    if (item->run == NULL)
        return item->argument;
    const struct gp__task_maker *maker = &lane->maker;
    return maker->make(maker->context, gp__belt_carve(belt), item->run, item->argument, item->key);
}

/* Does this item come before all that is not on the lane? With the queue's lock held the rival is
   known, otherwise only the horizon. */
static bool may_be_taken(struct gp__lane *lane, const struct item *item, bool locked,
                         const struct gp__entry *rival)
{
    return locked ? comes_before(item, rival) : is_before_horizon(lane, item->key.time);
}

static int take(struct gp__lane *lane, bool locked, const struct gp__entry *rival, gp_task **out)
{
    gp__latch_lock(&lane->belts.take_latch);
    const struct item *head = first(lane);
    bool found = head != NULL && may_be_taken(lane, head, locked, rival);
    if (found) {
        *out = task_of(lane, &lane->belts.outbox, head); /* [LANE-7] */
        pop(lane);
    }
    gp__latch_unlock(&lane->belts.take_latch);
    if (found)
        gp__set_heap_index(*out, GP__IN_NO_HEAP); /* [DELAYED-2]; it is ours */
    return found ? GP_OK : GP_EEMPTY;
}

int gp__lane_next_task(struct gp__lane *lane, gp_task **out)
{
    return take(lane, false, NULL, out);
}

int gp__lane_take(struct gp__lane *lane, const struct gp__entry *rival, gp_task **out)
{
    return take(lane, true, rival, out);
}

void gp__lane_set_horizon(struct gp__lane *lane, int64_t horizon, size_t elsewhere)
{
    /* relaxed: only the holder of the lock changes them. Written only if they change: takers and
       offerers have them in their caches */
    if (atomic_load_explicit(&lane->horizon, memory_order_relaxed) != horizon)
        atomic_store(&lane->horizon, horizon); /* seq_cst: see Ordering guarantees */
    /* relaxed, both: statistics only */
    if (atomic_load_explicit(&lane->elsewhere, memory_order_relaxed) != elsewhere)
        atomic_store_explicit(&lane->elsewhere, elsewhere, memory_order_relaxed);
}

/* Access to the whole lane [LANE-6]. */

/* The i-th place of both belts, including those that takers have passed. */
static struct item *place(struct gp__lane *lane, size_t i)
{
    size_t in_outbox = lane->belts.outbox.end;
    return i < in_outbox ? &items_of(&lane->belts.outbox)[i]
                         : &items_of(&lane->belts.inbox)[i - in_outbox];
}

static size_t places(const struct gp__lane *lane)
{
    return lane->belts.outbox.end + lane->belts.inbox.end;
}

/* The number of the i-th place, modulo 2^31, as a heap_index [LANE-5]. */
static int32_t number_of(const struct gp__lane *lane, size_t i)
{
    return (int32_t)((lane->belts.placed - places(lane) + i) & INT32_MAX);
}

/* The task leaves its place, which becomes a hole. */
static gp_task *leave(struct gp__lane *lane, struct item *item)
{
    gp_task *task = item->argument;
    item->argument = NULL;
    lane->belts.holes++;
    gp__belts_add_taken(&lane->belts, 1);
    gp__set_heap_index(task, GP__IN_NO_HEAP); /* [DELAYED-2] */
    return task;
}

/* The items that are left on a belt move up. */
static void close_gaps(struct gp__lane *lane, struct gp__belt *belt)
{
    size_t kept = belt->first;
    for (size_t i = belt->first; i < belt->end; i++)
        if (!is_hole(&items_of(belt)[i]))
            items_of(belt)[kept++] = items_of(belt)[i];
    lane->belts.holes -= belt->end - kept;
    gp__belt_close(belt, kept);
}

static void renumber(struct gp__lane *lane)
{
    for (size_t i = lane->belts.outbox.first; i < places(lane); i++)
        if (is_task(place(lane, i)))
            gp__set_heap_index(place(lane, i)->argument, number_of(lane, i)); /* [LANE-5] */
}

/* [LANE-8]: called after a removal or a sweep. */
static void close_up(struct gp__lane *lane)
{
    if (lane->belts.holes == 0 || lane->belts.holes <= gp__belts_count(&lane->belts))
        return;
    close_gaps(lane, &lane->belts.outbox);
    close_gaps(lane, &lane->belts.inbox);
    renumber(lane);
}

/* The item of the task, if it is on the lane [LANE-5]; else NULL. */
static struct item *find(struct gp__lane *lane, const gp_task *task)
{
    /* relaxed: a guess, checked against the lane */
    int32_t number = atomic_load_explicit(&task->heap_index, memory_order_relaxed);
    size_t i = ((size_t)number - (size_t)number_of(lane, 0)) & INT32_MAX;
    if (number < 0 || i < lane->belts.outbox.first || i >= places(lane))
        return NULL;
    struct item *item = place(lane, i);
    return is_task(item) && item->argument == task ? item : NULL;
}

bool gp__lane_remove(struct gp__lane *lane, gp_task *task)
{
    gp__belts_lock(&lane->belts);
    struct item *item = find(lane, task);
    if (item != NULL) {
        leave(lane, item);
        close_up(lane);
    }
    gp__belts_unlock(&lane->belts);
    return item != NULL;
}

void gp__lane_sweep(struct gp__lane *lane, gp__match_fn *matches, void *context, gp_task_list *out)
{
    gp__belts_lock(&lane->belts);
    for (size_t i = lane->belts.outbox.first; i < places(lane); i++) {
        struct item *item = place(lane, i);
        if (is_task(item) && matches(item->argument, context)) /* [LANE-7] */
            gp__task_list_append(out, leave(lane, item));
    }
    close_up(lane);
    gp__belts_unlock(&lane->belts);
}

/* With both latches held: the first item, or NULL. */
static struct item *first_of_both(struct gp__lane *lane)
{
    struct item *item;
    while ((item = first_in_outbox(lane)) == NULL) {
        gp__belts_swap(&lane->belts);
        if (lane->belts.outbox.end == 0)
            return NULL;
    }
    return item;
}

bool gp__lane_comes_first(struct gp__lane *lane, const struct gp__entry *rival)
{
    const struct item *item = first_of_both(lane);
    return item != NULL && comes_before(item, rival);
}

gp_task *gp__lane_pop(struct gp__lane *lane)
{
    gp_task *task = task_of(lane, &lane->belts.outbox, first_of_both(lane));
    gp__set_heap_index(task, GP__IN_NO_HEAP); /* [DELAYED-2] */
    pop(lane);
    return task;
}

/* A function becomes a task, and stays one. */
size_t gp__lane_show(struct gp__lane *lane, gp_task **out, size_t room)
{
    size_t shown = 0;
    for (size_t i = lane->belts.outbox.first; i < places(lane) && shown < room; i++) {
        struct item *item = place(lane, i);
        if (is_hole(item))
            continue;
        struct gp__belt *belt =
            i < lane->belts.outbox.end ? &lane->belts.outbox : &lane->belts.inbox;
        item->argument = task_of(lane, belt, item);
        item->run = NULL;
        gp__set_heap_index(item->argument, number_of(lane, i)); /* it may be new */
        out[shown++] = gp_task_retain(item->argument);
    }
    return shown;
}

/* The numbers of [LANE-1] and the following begin above 20. */
enum {
    BROKEN_BELTS = 20,
    BROKEN_ORDER = 21,
    BROKEN_SLEEPERS = 23,
    BROKEN_NUMBER = 25
};

static int check_task(struct gp__lane *lane, struct item *item)
{
    const gp_task *task = item->argument;
    if (item->key.time != gp_task_time(task) || item->key.sequence != task->sequence)
        return BROKEN_ORDER;
    return find(lane, task) != item || task->keeps_slot ? BROKEN_NUMBER : 0;
}

/* With both latches held. */
static int check(struct gp__lane *lane)
{
    const struct item *last = NULL;
    int broken = gp__belts_check(&lane->belts) == 0 ? 0 : BROKEN_BELTS;
    for (size_t i = lane->belts.outbox.first; i < places(lane) && broken == 0; i++) {
        struct item *item = place(lane, i);
        if (is_hole(item))
            continue;
        if (last != NULL && gp__key_is_before(item->key, last->key))
            broken = BROKEN_ORDER;
        else if (is_task(item))
            broken = check_task(lane, item);
        last = item;
    }
    return broken;
}

/* Skips the belts while another thread holds a latch: the caller may have stopped that thread. */
int gp__lane_check(struct gp__lane *lane, gp_queue *queue)
{
    int broken = gp__belts_sleepers_are_in_line(&lane->belts, queue) ? 0 : BROKEN_SLEEPERS;
    if (broken != 0 || !gp__latch_try_lock(&lane->belts.take_latch))
        return broken;
    if (gp__latch_try_lock(&lane->belts.put_latch)) {
        broken = check(lane);
        gp__latch_unlock(&lane->belts.put_latch);
    }
    gp__latch_unlock(&lane->belts.take_latch);
    return broken;
}

/* The default maker: plain delayed tasks. */
static gp_task *make_delayed(void *context, void *memory, gp_run_fn *run, void *argument,
                             struct gp__key key)
{
    (void)context;
    gp_task *task = gp__reserved_task_init(memory, run, argument, true);
    gp__task_set_delayed(task, key.time, key.sequence);
    return task;
}

void gp__lane_init(struct gp__lane *lane)
{
    atomic_init(&lane->horizon, GP__NO_HORIZON);
    atomic_init(&lane->elsewhere, 0);
    gp__lane_set_maker(lane, &(struct gp__task_maker){sizeof(gp_task), make_delayed, NULL});
}

void gp__lane_set_maker(struct gp__lane *lane, const struct gp__task_maker *maker)
{
    gp__belts_init(&lane->belts, sizeof(struct item), maker->task_size);
    lane->maker = *maker;
}
