/*
 * The delayed queue: ScheduledThreadPoolExecutor.DelayedWorkQueue in C.
 *
 * Contract. The queue hands out a task when it is due, the earliest first, and among equal times
 * the one with the lower sequence number first. It is unbounded. A taker that finds nothing due
 * waits, and wakes no later than the head is due.
 *
 * The tasks are in an indexed binary heap (heap.h), ordered by (time, sequence).
 *
 *   [DELAYED-1] Order: no entry is before its parent.
 *   [DELAYED-2] Index: the task in entries[i] has heap_index i; a task in no heap has -1, or -2
 *               while its slot is reserved.
 *   [DELAYED-3] Key: a queued task keeps its time, unless a review changes it, under the lock and
 *               with its entry; the time in the heap is the task's.
 *   [DELAYED-4] Room: size + reserved <= capacity. A periodic task that is out to run keeps its
 *               slot reserved, so putting it back needs no memory and cannot fail.
 *   [DELAYED-5] Leader: at most one taker waits with the head's time as its limit, the leader.
 *               `leader` names a taker that waits, or is NULL.
 *   [DELAYED-6] No due task is left waiting: when the queue is not empty and takers wait, one of
 *               them wakes no later than the head is due, as its leader or because its own limit
 *               ends before; or a signal is on its way to one.
 *   [DELAYED-7] Alarm: while the queue has an alarm, [DELAYED-6] holds for the alarm's time as for
 *               the head's. An alarm that has ended a take does not end another one while the head
 *               is due, until a task has been taken. So what the taker then does, however long it
 *               lasts, delays no due task.
 *
 * Leader and followers. One timed wait is enough to be there when the head falls due. If all takers
 * waited that long, all but one would wake up for nothing. So one taker, the leader, waits until
 * the head's time, and the others, its followers, wait without limit. [DELAYED-6] rests on three
 * lines:
 *
 *   - offer: a new head takes the leader's title away and signals. The taker that wakes, old leader
 *     or not, finds no leader and becomes one, with the new head's time.
 *   - take, after its wait: the leader gives up the title only if it is still its own.
 *   - take, on every way out: if there is no leader and the queue is not empty, it signals, and the
 *     taker that wakes waits for the new head.
 *
 * [CLOCK-1] applies: each turn of the loop reads the clock once, and decides with that reading
 * whether the head is due and how to wait. The wait is against an absolute time.
 *
 * Alarm. The scheduled pool must look at the wall clock now and then, if it has tasks that go by it
 * (scheduled/watch.c). The leader waits for the earlier of head and alarm, so the alarm costs no
 * thread, no task and no memory. `ring` is quick and runs under the lock. Nearly always it finds
 * nothing to do, and the taker goes on. Otherwise the take ends with GP_EAGAIN, and the taker does
 * the work without the lock.
 *
 * Ordering guarantees. One lock guards all of it; heap.h says why the index is atomic.
 *
 * Differences from Java. Timed poll and take are one function. lockInterruptibly is in two: queue.c
 * looks at the interrupt before the lock is taken, and the wait ends with one. Entries carry times.
 * Waiting takers do not hold on to the head (jsr166 had to null a local for that).
 *
 * Rejected: waking the leader itself for a new head (signal is cheaper, and any taker will do); a
 * timer thread that hands tasks over (one more context switch per task).
 */
#include "queue/delayed.h"

#include <stdlib.h>

#include <glasspool/status.h>

#include "queue/heap.h"
#include "sync/probe.h"
#include "sync/thread.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct delayed {
    gp_queue base;          /* I its fields have letters of their own */
    struct gp__heap heap;   /* Q */
    gp_thread *leader;      /* Q the taker that waits for the head, or NULL; only compared */
    struct gp__alarm alarm; /* Q */
    bool rang;              /* Q the alarm has ended a take since a task was taken */
};

static struct delayed *delayed_of(gp_queue *queue)
{
    return (struct delayed *)queue;
}

/* Insertion. */

/* The time to wait for has changed: the taker that wakes will lead, with the new one. */
static void call_for_leader(struct delayed *queue)
{
    queue->leader = NULL;
    gp__condition_signal(&queue->base.available);
}

static int delayed_offer(gp_queue *base, gp_task *task)
{
    struct delayed *queue = delayed_of(base);
    if (!gp__task_is_delayed(task))
        return GP_EINVAL;
    pthread_mutex_lock(&base->lock);
    int status = gp__heap_make_room(&queue->heap, task);
    if (status == GP_OK) {
        gp__heap_add(&queue->heap, task, gp_task_time(task), gp__is_due_before); /* [DELAYED-3] */
        gp__queue_note_size(base, queue->heap.size);
        GP_PROBE(queue_offer, queue, task);
        if (queue->heap.entries[0].task == task)
            call_for_leader(queue);
    }
    pthread_mutex_unlock(&base->lock);
    return status;
}

/* Removal. */

static bool is_due(const struct delayed *queue, int64_t now)
{
    return queue->heap.size > 0 && gp__time_between(queue->heap.entries[0].time, now) <= 0;
}

/* Take the head out to be run. */
static gp_task *finish_poll(struct delayed *queue)
{
    gp_task *task = gp__heap_extract(&queue->heap, 0, gp__is_due_before);
    gp__heap_reserve(&queue->heap, task);
    queue->rang = false;
    GP_PROBE(queue_take, queue, task);
    return task;
}

static int delayed_poll(gp_queue *base, gp_task **out)
{
    struct delayed *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    bool due = is_due(queue, gp_now());
    if (due)
        *out = finish_poll(queue);
    pthread_mutex_unlock(&base->lock);
    return due ? GP_OK : GP_EEMPTY;
}

/* When the leader has to be awake. The heap is not empty. */
static int64_t wake_time(const struct delayed *queue)
{
    int64_t head = queue->heap.entries[0].time;
    bool alarm = queue->alarm.ring != NULL && gp__time_between(queue->alarm.at, head) < 0;
    return alarm ? queue->alarm.at : head;
}

/* [DELAYED-7]: the alarm rings, and the taker has to do something. */
static bool is_alarmed(struct delayed *queue, bool head_due, int64_t now)
{
    struct gp__alarm *alarm = &queue->alarm;
    if (alarm->ring == NULL || queue->heap.size == 0 || gp__time_between(alarm->at, now) > 0 ||
        (queue->rang && head_due))
        return false;
    queue->rang = alarm->ring(alarm, now);
    return queue->rang;
}

/* False where Java awaits as a follower: no head, a leader, or an earlier limit of its own. */
static bool may_lead(const struct delayed *queue, int64_t deadline)
{
    return queue->heap.size > 0 && queue->leader == NULL &&
           (deadline == GP__NO_DEADLINE || gp__time_between(deadline, wake_time(queue)) >= 0);
}

/* Java's take, and its timed poll, which has a deadline. */
static int delayed_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    struct delayed *queue = delayed_of(base);
    gp_thread *self = gp_thread_self();
    int status;
    pthread_mutex_lock(&base->lock);
    for (;;) {
        int64_t now = gp_now(); /* [CLOCK-1]: for the whole turn */
        bool due = is_due(queue, now);
        if (is_alarmed(queue, due, now)) {
            status = GP_EAGAIN;
            break;
        }
        if (due) {
            *out = finish_poll(queue);
            status = GP_OK;
            break;
        }
        if (gp__passed(deadline, now)) {
            status = GP_ETIMEDOUT;
            break;
        }
        if (!may_lead(queue, deadline)) {
            status = gp__queue_await_task(base, deadline);
        } else {
            queue->leader = self;
            GP_PROBE(delayed_leader, queue, self);
            status = gp__queue_await_task(base, wake_time(queue));
            if (queue->leader == self) /* [DELAYED-5] */
                queue->leader = NULL;
        }
        if (status != GP_OK && status != GP_ETIMEDOUT)
            break; /* interrupted: Java throws */
    }
    if (queue->leader == NULL && queue->heap.size > 0)
        gp__condition_signal(&base->available); /* [DELAYED-6] */
    pthread_mutex_unlock(&base->lock);
    return status;
}

static int delayed_remove(gp_queue *base, gp_task *task)
{
    pthread_mutex_lock(&base->lock);
    bool found = gp__heap_remove(&delayed_of(base)->heap, task, gp__is_due_before);
    pthread_mutex_unlock(&base->lock);
    return found ? GP_OK : GP_ENOTFOUND;
}

static void delayed_drain(gp_queue *base, gp_task_list *out)
{
    struct gp__heap *heap = &delayed_of(base)->heap;
    pthread_mutex_lock(&base->lock);
    while (heap->size > 0)
        gp__task_list_append(out, gp__heap_extract(heap, 0, gp__is_due_before));
    pthread_mutex_unlock(&base->lock);
}

static void delayed_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                              gp_task_list *out)
{
    pthread_mutex_lock(&base->lock);
    gp__heap_remove_if(&delayed_of(base)->heap, matches, context, out, gp__is_due_before);
    pthread_mutex_unlock(&base->lock);
}

/* Scheduling. */

static void delayed_give_up_slot(gp_queue *base, gp_task *task)
{
    pthread_mutex_lock(&base->lock);
    gp__heap_give_up_slot(&delayed_of(base)->heap, task);
    pthread_mutex_unlock(&base->lock);
}

static void delayed_review(gp_queue *base, gp__match_fn *review, void *context, gp_task_list *out)
{
    struct delayed *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    gp__heap_review(&queue->heap, review, context, out);
    call_for_leader(queue);
    pthread_mutex_unlock(&base->lock);
}

static void delayed_set_alarm(gp_queue *base, const struct gp__alarm *alarm)
{
    struct delayed *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    queue->alarm = *alarm;
    if (alarm->ring != NULL)
        call_for_leader(queue); /* [DELAYED-7] */
    pthread_mutex_unlock(&base->lock);
}

/* Queries. */

static gp_task *task_at(gp_queue *base, size_t i)
{
    return delayed_of(base)->heap.entries[i].task;
}

static size_t delayed_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    return gp__queue_snapshot_with(base, task_at, out, room);
}

static size_t delayed_backlog(gp_queue *base)
{
    return delayed_of(base)->heap.size;
}

/* The number of an invariant that does not hold, or 0. */
static int delayed_check(gp_queue *base)
{
    const struct delayed *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    int broken = gp__delayed_heap_check(&queue->heap);
    if (broken == 0 && queue->leader != NULL &&
        atomic_load_explicit(&base->takers, memory_order_relaxed) == 0) /* under its lock */
        broken = 5;
    pthread_mutex_unlock(&base->lock);
    return broken;
}

/* Lifetime. */

static void delayed_free(gp_queue *base)
{
    gp__queue_destroy(base);
    gp__heap_destroy(&delayed_of(base)->heap);
    free(base);
}

static const struct gp__delayed_class scheduling = {
    .give_up_slot = delayed_give_up_slot, .review = delayed_review, .set_alarm = delayed_set_alarm};

static const struct gp__queue_class delayed_class = {
    .offer = delayed_offer,
    .poll = delayed_poll,
    .take_until = delayed_take_until,
    .remove = delayed_remove,
    .drain = delayed_drain,
    .remove_if = delayed_remove_if,
    .snapshot = delayed_snapshot,
    .backlog = delayed_backlog,
    .check = delayed_check,
    .free = delayed_free,
    .delayed = &scheduling,
};

int gp_delayed_new(gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct delayed *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    if (gp__heap_init(&queue->heap) != GP_OK ||
        gp__queue_init(&queue->base, &delayed_class) != GP_OK) {
        gp__heap_destroy(&queue->heap);
        free(queue);
        return GP_ENOMEM;
    }
    *out = &queue->base;
    return GP_OK;
}
