/*
 * The delayed queue: ScheduledThreadPoolExecutor.DelayedWorkQueue in C.
 *
 * Contract. Gives out a task when it is due, the earliest first, and among equal times the one with
 * the lower sequence number first. Unbounded. A taker that finds nothing due waits, and waits no
 * longer than until the head is due.
 *
 * The heap. A binary heap in an array, ordered by (time, sequence); each entry carries the time
 * beside a pointer, so that sifting reads no task but among equal times. Each task knows its index,
 * so that removal costs O(log n) and not a search. The index is in every task at the same place: an
 * entry that moves is written to its task without a look at what kind of task that is.
 *
 *                  0                      parent of k: (k - 1) / 2
 *              /       \                  children:    2k + 1, 2k + 2
 *             1         2
 *           /   \     /   \               remove(3): the last entry (6) goes to slot 3, sifts
 *          3     4   5     6              down; if it did not move, it sifts up (its new parent
 *                                         may be later: 6 stood under 2, not under 1)
 *
 *   [DELAYED-1] Order: no entry is before its parent.
 *   [DELAYED-2] Index: the task in heap[i] has heap_index i; a task in no heap has -1, or -2 while
 *               its slot is reserved.
 *   [DELAYED-3] Key: a queued task keeps its time, unless a review changes it, under the lock and
 *               with its entry; the time in the heap is the task's.
 *   [DELAYED-4] Room: size + reserved <= capacity. A periodic task that is out to run keeps its
 *               slot reserved, so that putting it back needs no memory and cannot fail.
 *   [DELAYED-5] Leader: at most one taker waits with the head's time as its limit, the leader.
 *               `leader` names a taker that waits, or nobody.
 *   [DELAYED-6] No due task is left waiting: when the queue is not empty and takers wait, one of
 *               them wakes no later than the head is due, as its leader or because its own limit
 *               ends before; or a signal is on its way to one.
 *   [DELAYED-7] Rounds: while there are rounds to make, [DELAYED-6] holds for the time of the next
 *               one as for that of the head. Who has to go and look first lets another lead, and
 *               then sees to the head before the next: looks that take long keep nobody from
 *               taking what is due.
 *
 * Leader and followers. One timed wait is enough to be there when the head falls due; if everybody
 * waited that long, all but one would wake up for nothing. So one taker, the leader, waits until
 * the head's time, the others without limit. [DELAYED-6] rests on three lines:
 *
 *   - offer: a new head takes the leader's title away and signals. The taker that wakes, old leader
 *     or not, finds no leader and becomes one, with the new head's time.
 *   - take, after its wait: the title is given up only if it is still one's own.
 *   - take, on every way out (task taken, interrupted, timed out): if there is no leader and the
 *     queue is not empty, signal: somebody has to wait for the new head.
 *
 * [CLOCK-1] applies: each round reads the clock once, and decides with that reading both whether
 * the head is due and how to wait; the wait itself is against an absolute time.
 *
 * Rounds. The scheduled pool has to look at the wall clock now and then, if it has tasks that go by
 * it (scheduled/watch.c). Somebody has to wake up for that, and the queue has somebody who wakes up
 * in time anyway: the leader. So the looks cost no thread, no task in the queue that everybody who
 * counts tasks would have to know of, and no memory: they can be begun and ended at any time.
 * Nearly always there is nothing to look at. That is found out with the lock held: then nobody has
 * to be woken to lead meanwhile, and the leader goes on as such.
 *
 * All of it. What goes through the whole queue, to drain, sweep, show or check it, is in
 * delayed_all.c.
 *
 * Lane. A queue that was made with a lane (lane.c) has tasks that were due when they came there.
 * Then the head of the queue is the earlier of two, and takers may come and go without the lock, if
 * all that they want is on the lane. A queue without has no `lane`, and none of the lines about it
 * does anything.
 *
 * Ordering guarantees. All of it is under one lock, but for the lane. Only heap_index is atomic
 * (relaxed): `remove` may be asked about a task that is in another queue, or in none, and then
 * reads an index that this lock does not guard. What it reads is only a guess at where to look;
 * whether the heap names the task there decides.
 *
 * Difference from Java: the array there holds only references, and comparing follows them; the time
 * changes between two stays in the queue only, or with its entry, so the copy is always right.
 * The timed poll and take are one function. Waiting workers do not hold on to the head (jsr166 had
 * to null a local for that): nothing is read before the lock is held again.
 *
 * Rejected: waking the leader itself on a new head (signal is cheaper, any taker will do); a timer
 * thread that hands tasks over (one switch more per task).
 */
#include "queue/delayed.h"

#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/delayed_heap.h"
#include "sync/probe.h"
#include "sync/thread.h"

#define INITIAL_CAPACITY 16
#define MAXIMUM_CAPACITY INT32_MAX /* what heap_index can say */

/* The heap. */

static size_t parent_of(size_t k)
{
    return (k - 1) >> 1;
}

/* Up from slot k to where [DELAYED-1] holds. */
static void sift_up(struct gp__entry *heap, size_t size, size_t k, const struct gp__entry *key)
{
    (void)size;
    while (k > 0) {
        size_t parent = parent_of(k);
        if (!gp__entry_is_before(key, &heap[parent]))
            break;
        gp__place(heap, k, &heap[parent]);
        k = parent;
    }
    gp__place(heap, k, key);
}

/* Down likewise. */
static void sift_down(struct gp__entry *heap, size_t size, size_t k, const struct gp__entry *key)
{
    size_t half = size >> 1; /* from here on there are no children */
    while (k < half) {
        size_t child = (k << 1) + 1;
        size_t right = child + 1;
        if (right < size && gp__entry_is_before(&heap[right], &heap[child]))
            child = right;
        if (!gp__entry_is_before(&heap[child], key))
            break;
        gp__place(heap, k, &heap[child]);
        k = child;
    }
    gp__place(heap, k, key);
}

const struct gp__heap_shape gp__binary_heap = {sift_up, sift_down, parent_of};

void gp__heapify(struct gp__delayed *queue)
{
    size_t parents = queue->size < 2 ? 0 : queue->shape->parent(queue->size - 1) + 1;
    for (size_t k = parents; k-- > 0;) {
        struct gp__entry entry = queue->heap[k];
        gp__heap_down(queue, k, &entry);
    }
}

int gp__heap_grow(struct gp__delayed *queue)
{
    size_t capacity = queue->capacity + (queue->capacity >> 1); /* by 50% */
    if (capacity > MAXIMUM_CAPACITY)
        capacity = MAXIMUM_CAPACITY;
    if (capacity <= queue->capacity)
        return GP_ENOMEM;
    struct gp__entry *heap = realloc(queue->heap, capacity * sizeof *heap);
    if (heap == NULL)
        return GP_ENOMEM;
    queue->heap = heap;
    queue->capacity = capacity;
    return GP_OK;
}

/* Take the task at slot i out of the heap. */
static gp_task *extract(struct gp__delayed *queue, size_t i)
{
    gp_task *task = queue->heap[i].task;
    gp__set_heap_index(task, GP__IN_NO_HEAP);
    size_t last = --queue->size;
    if (last == i)
        return task;
    struct gp__entry replacement = queue->heap[last];
    gp__heap_down(queue, i, &replacement);
    if (queue->heap[i].task == replacement.task)
        gp__heap_up(queue, i, &replacement);
    return task;
}

void gp__heap_reserve(struct gp__delayed *queue, gp_task *task)
{
    if (!task->keeps_slot)
        return;
    gp__set_heap_index(task, GP__SLOT_RESERVED);
    queue->reserved++;
}

gp_task *gp__heap_leave(struct gp__delayed *queue, size_t i)
{
    return extract(queue, i);
}

/* Take the head out to be run. */
static gp_task *finish_poll(struct gp__delayed *queue)
{
    gp_task *task = gp__heap_leave(queue, 0);
    gp__heap_reserve(queue, task);
    GP_PROBE(queue_take, queue, task);
    return task;
}

/* The lane, if the queue has one. */

void gp__delayed_tell_lane(struct gp__delayed *queue)
{
    bool empty = queue->size == 0;
    gp__lane_set_horizon(queue->lane,
                         empty ? GP__NO_HORIZON : gp__delayed_wake_time(queue) & ~INT64_C(1),
                         gp__delayed_size(queue));
}

/* These two as gp__lane_next_task: the former with the lock held, the latter without [LANE-4]. */

static int take_from_lane(struct gp__delayed *queue, gp_task **out)
{
    if (queue->lane == NULL)
        return GP_EEMPTY;
    int status = gp__lane_take(queue->lane, gp__heap_head(queue), out);
    if (status == GP_OK)
        GP_PROBE(queue_take, queue, *out);
    return status;
}

static int take_next(struct gp__delayed *queue, gp_task **out)
{
    if (queue->lane == NULL)
        return GP_EEMPTY;
    int status = gp__lane_next_task(queue->lane, out);
    if (status == GP_OK)
        GP_PROBE(queue_take, queue, *out);
    return status;
}

static int await_signal(struct gp__delayed *queue, int64_t deadline)
{
    return queue->lane == NULL ? gp__queue_await_task(&queue->base, deadline)
                               : gp__belts_await(&queue->lane->belts, &queue->base, deadline);
}

static void signal_taker(struct gp__delayed *queue)
{
    if (queue->lane == NULL)
        gp__condition_signal(&queue->base.available);
    else
        gp__belts_wake_one(&queue->lane->belts, &queue->base); /* [LANE-3] */
}

/* Into it. */

/* Its slot is no longer reserved. True: it had one. */
static bool give_up_slot(struct gp__delayed *queue, gp_task *task)
{
    /* relaxed: written under the lock of the queue that has the slot */
    if (atomic_load_explicit(&task->heap_index, memory_order_relaxed) != GP__SLOT_RESERVED)
        return false;
    gp__set_heap_index(task, GP__IN_NO_HEAP);
    queue->reserved--;
    return true;
}

static int make_room(struct gp__delayed *queue, gp_task *task)
{
    if (give_up_slot(queue, task))
        return GP_OK;
    return queue->size + queue->reserved < queue->capacity ? GP_OK : gp__heap_grow(queue);
}

void gp__delayed_call_for_leader(struct gp__delayed *queue)
{
    queue->leader = NULL;
    signal_taker(queue);
}

static void insert(struct gp__delayed *queue, gp_task *task)
{
    struct gp__entry entry = {.time = gp_task_time(task), .task = task}; /* [DELAYED-3] */
    gp__heap_up(queue, queue->size++, &entry);
    gp__queue_note_size(&queue->base, gp__delayed_size(queue));
    GP_PROBE(queue_offer, queue, task);
    if (queue->heap[0].task == task)
        gp__delayed_call_for_leader(queue);
}

static int add(struct gp__delayed *queue, gp_task *task)
{
    pthread_mutex_lock(&queue->base.lock);
    int status = make_room(queue, task);
    if (status == GP_OK)
        insert(queue, task);
    gp__delayed_unlock(queue);
    return status;
}

int gp__delayed_offer(gp_queue *base, gp_task *task, bool due, const struct gp__drawer *drawer)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    if (!due || queue->lane == NULL || task->keeps_slot)
        return add(queue, task);
    int status = gp__lane_put(queue->lane, base, task, drawer);
    return status == GP_EAGAIN ? add(queue, task) : status;
}

int gp__delayed_place(gp_queue *base, gp_run_fn *run, void *argument,
                      const struct gp__drawer *drawer, const struct gp__question *question)
{
    struct gp__lane *lane = ((struct gp__delayed *)base)->lane;
    return lane == NULL ? GP_EAGAIN : gp__lane_place(lane, base, run, argument, drawer, question);
}

static int delayed_offer(gp_queue *base, gp_task *task)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    if (!gp__task_is_delayed(task))
        return GP_EINVAL;
    if (queue->lane == NULL)
        return add(queue, task);
    bool due = gp_time_until(gp_task_time(task), gp_now()) <= 0;
    return gp__delayed_offer(base, task, due, NULL);
}

/* Out of it. */

static bool is_due(const struct gp__delayed *queue, int64_t now)
{
    return queue->size > 0 && gp_time_until(queue->heap[0].time, now) <= 0;
}

static int poll_with_lane(struct gp__delayed *queue, gp_task **out)
{
    int status = take_next(queue, out);
    if (status != GP_EEMPTY)
        return status;
    pthread_mutex_lock(&queue->base.lock);
    int64_t now = gp_now();
    status = take_from_lane(queue, out);
    if (status == GP_EEMPTY && is_due(queue, now)) {
        *out = finish_poll(queue);
        status = GP_OK;
    }
    gp__delayed_unlock(queue);
    return status;
}

static int delayed_poll(gp_queue *base, gp_task **out)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    if (queue->lane != NULL)
        return poll_with_lane(queue, out);
    pthread_mutex_lock(&base->lock);
    bool due = is_due(queue, gp_now());
    if (due)
        *out = finish_poll(queue);
    pthread_mutex_unlock(&base->lock);
    return due ? GP_OK : GP_EEMPTY;
}

static int lead(struct gp__delayed *queue)
{
    gp_thread *self = gp_thread_self();
    queue->leader = self;
    GP_PROBE(delayed_leader, queue, self);
    int status = await_signal(queue, gp__delayed_wake_time(queue));
    if (queue->leader == self) /* [DELAYED-5] */
        queue->leader = NULL;
    return status;
}

/* Nothing is due yet: wait as the leader until the head is, or as a follower until signalled. */
static int await_head(struct gp__delayed *queue, int64_t deadline)
{
    if (queue->size == 0 || queue->leader != NULL)
        return await_signal(queue, deadline);
    if (deadline != GP__NO_DEADLINE && gp_time_until(deadline, gp__delayed_wake_time(queue)) < 0)
        return await_signal(queue, deadline);
    return lead(queue);
}

/* Was a signal for a task on the lane perhaps used up by who takes from the heap [LANE-3]? */
static bool is_lane_left(struct gp__delayed *queue)
{
    return queue->lane != NULL && queue->base.available.first != NULL &&
           gp__belts_size(&queue->lane->belts) > 0;
}

/* By a taker that will not wait, or not now: somebody has to lead. */
static void leave_to_others(struct gp__delayed *queue)
{
    if (queue->leader == NULL && queue->size > 0)
        signal_taker(queue);
    else if (is_lane_left(queue))
        signal_taker(queue);
}

static bool is_round_due(const struct gp__delayed *queue, int64_t now)
{
    return queue->size > 0 && queue->rounds.look != NULL &&
           gp_time_until(queue->next_round, now) <= 0;
}

/* GP_EINTERRUPTED: whatever the taker knew before may be out of date. */
static int make_round(struct gp__delayed *queue, int64_t now)
{
    struct gp__rounds rounds = queue->rounds;
    queue->next_round = gp_time_after(now, rounds.interval);
    if (!rounds.is_needed(rounds.context))
        return GP_OK;
    leave_to_others(queue); /* [DELAYED-7] */
    gp__delayed_unlock(queue);
    bool ends_take = rounds.look(rounds.context);
    pthread_mutex_lock(&queue->base.lock);
    return ends_take ? GP_EINTERRUPTED : GP_OK;
}

/* take and the timed poll of the documents: the latter has a deadline. */
static int delayed_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    bool has_looked = false;
    int status = take_next(queue, out);
    if (status == GP_OK)
        return GP_OK;
    pthread_mutex_lock(&base->lock);
    do {
        int64_t now = gp_now(); /* [CLOCK-1]: for the whole turn */
        if (!has_looked && is_round_due(queue, now)) {
            status = make_round(queue, now);
            has_looked = true; /* [DELAYED-7] */
            continue;
        }
        status = take_from_lane(queue, out);
        if (status != GP_EEMPTY)
            break;
        if (is_due(queue, now)) {
            *out = finish_poll(queue);
            status = GP_OK;
            break;
        }
        if (gp__passed(deadline, now)) {
            status = GP_ETIMEDOUT;
            break;
        }
        status = await_head(queue, deadline);
        has_looked = false;
    } while (status == GP_OK || status == GP_ETIMEDOUT);
    leave_to_others(queue); /* [DELAYED-6] */
    gp__delayed_unlock(queue);
    return status;
}

void gp__delayed_begin_rounds(gp_queue *base, const struct gp__rounds *rounds)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    queue->rounds = *rounds;
    queue->next_round = gp_time_after(gp_now(), rounds->interval);
    gp__delayed_call_for_leader(queue); /* [DELAYED-7] */
    gp__delayed_unlock(queue);
}

void gp__delayed_hurry_rounds(gp_queue *base)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    if (queue->rounds.look != NULL) {
        queue->next_round = gp_now();
        gp__delayed_call_for_leader(queue); /* [DELAYED-7] */
    }
    gp__delayed_unlock(queue);
}

void gp__delayed_end_rounds(gp_queue *base)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    queue->rounds.look = NULL;
    gp__delayed_unlock(queue);
}

bool gp__delayed_has_rounds(gp_queue *base)
{
    pthread_mutex_lock(&base->lock);
    bool has_rounds = ((struct gp__delayed *)base)->rounds.look != NULL;
    pthread_mutex_unlock(&base->lock);
    return has_rounds;
}

static int delayed_remove(gp_queue *base, gp_task *task)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    if (!gp__task_is_delayed(task))
        return GP_ENOTFOUND;
    pthread_mutex_lock(&base->lock);
    /* relaxed: a guess, checked against the heap */
    int32_t i = atomic_load_explicit(&task->heap_index, memory_order_relaxed);
    bool found = i >= 0 && (size_t)i < queue->size && queue->heap[i].task == task;
    if (found)
        gp__heap_leave(queue, (size_t)i);
    else
        found = queue->lane != NULL && gp__lane_remove(queue->lane, task);
    gp__delayed_unlock(queue);
    return found ? GP_OK : GP_ENOTFOUND;
}

void gp__delayed_give_up_slot(gp_queue *base, gp_task *task)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    pthread_mutex_lock(&base->lock);
    give_up_slot(queue, task);
    gp__delayed_unlock(queue);
}

/* Looking. */

static size_t delayed_backlog(gp_queue *base)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    size_t size = gp__delayed_size(queue);
    return queue->lane == NULL ? size : size + gp__belts_size(&queue->lane->belts);
}

static bool laned_is_quiet(gp_queue *base, size_t (*workers)(void *), void *context)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    return gp__belts_are_quiet(&queue->lane->belts, base, gp__delayed_size(queue), workers,
                               context); /* [LANE-4]: some take without the lock */
}

static void delayed_free(gp_queue *base)
{
    struct gp__delayed *queue = (struct gp__delayed *)base;
    gp__queue_destroy(base);
    gp__lane_free(queue->lane);
    free(queue->heap);
    free(queue);
}

static bool delayed_next(gp_queue *base, struct gp__work *out)
{
    if (gp__lane_next(((struct gp__delayed *)base)->lane, out) != GP_OK) /* [LANE-4] */
        return false;
    GP_PROBE(queue_take, base, out->argument);
    return true;
}

#define DELAYED_CLASS                                                                         \
    .offer = delayed_offer, .poll = delayed_poll, .take_until = delayed_take_until,           \
    .remove = delayed_remove, .drain = gp__delayed_drain, .remove_if = gp__delayed_remove_if, \
    .snapshot = gp__delayed_snapshot, .backlog = delayed_backlog, .check = gp__delayed_check, \
    .free = delayed_free

static const struct gp__queue_class delayed_class = {DELAYED_CLASS};
static const struct gp__queue_class laned_class = {
    DELAYED_CLASS, .empty = gp__delayed_empty, .next = delayed_next, .is_quiet = laned_is_quiet};

/* False: no memory. */
static bool init(struct gp__delayed *queue, bool laned)
{
    queue->heap = malloc(INITIAL_CAPACITY * sizeof *queue->heap);
    if (queue->heap == NULL || (laned && gp__lane_new(&queue->lane) != GP_OK))
        return false;
    return gp__queue_init(&queue->base, laned ? &laned_class : &delayed_class) == GP_OK;
}

static int make_queue(bool laned, gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct gp__delayed *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    if (!init(queue, laned)) {
        gp__lane_free(queue->lane);
        free(queue->heap);
        free(queue);
        return GP_ENOMEM;
    }
    queue->shape = &gp__binary_heap;
    queue->capacity = INITIAL_CAPACITY;
    *out = &queue->base;
    return GP_OK;
}

int gp_delayed_new(gp_queue **out)
{
    return make_queue(false, out);
}

int gp_delayed_lane_new(gp_queue **out)
{
    return make_queue(true, out);
}
