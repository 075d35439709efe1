/*
 * The fast delayed queue: tasks that are due on arrival bypass the heap, on a lane.
 *
 * Contract. That of the delayed queue (delayed.c), to the letter: the same order by (time,
 * sequence), wherever the tasks are, and the same waiting. [DELAYED-1] to [DELAYED-7] hold.
 *
 * A pool that can schedule also runs tasks at once, and for those the heap is a detour. So this
 * queue has two parts. The lane (lane.c) holds tasks that were due when they came; takers and
 * offers meet there behind latches, not behind the queue's lock. The heap holds the rest, with a
 * leader, followers and an alarm as in delayed.c. The head of the queue is the earlier of the two
 * heads.
 *
 *                         +---- lane ----+   before the horizon: without the lock
 *      due on arrival --> |              | ----------------------------------------> takers
 *                         +---- heap ----+   otherwise: with the lock, the earlier head
 *      due later -------> |              | ---------------------------------------->
 *                         +--------------+
 *
 * Three things differ from delayed.c:
 *
 *   - A take tries the lane first, without the lock [LANE-4]. It needs neither clock nor heap: the
 *     horizon tells it that the lane's head comes before the heap's and before the alarm [LANE-2].
 *     Each call that may change one of these sets the horizon anew before it gives up the lock.
 *   - A signal may be for a task on the lane or for the heap, and the taker that it wakes may take
 *     from the other one. So a taker on its way out signals another one if it leaves anything that
 *     a sleeping taker could take [LANE-3].
 *   - An alarm that has ended a take waits until a task has been taken with the lock held, as long
 *     as anything is on the lane or the head of the heap is due [DELAYED-7].
 *
 * Calls that must see the whole queue hold the lock, and both latches of the lane if they need all
 * of it at one moment [LANE-6].
 *
 * Ordering guarantees. See lane.c.
 *
 * Left simple: a review looks at the heap only. Tasks that go by the wall clock keep their slots,
 * and such tasks are never on the lane.
 */
#include "queue/delayed.h"

#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "queue/lane.h"
#include "sync/probe.h"
#include "sync/thread.h"

static struct gp__delayed_lane *delayed_of(gp_queue *queue)
{
    return (struct gp__delayed_lane *)queue;
}

/* When the leader has to be awake. The heap is not empty. */
static int64_t wake_time(const struct gp__delayed_lane *queue)
{
    int64_t head = queue->heap.entries[0].time;
    bool alarm = queue->alarm.ring != NULL && gp__time_between(queue->alarm.at, head) < 0;
    return alarm ? queue->alarm.at : head;
}

/* [LANE-2]: the horizon is right when the lock is free. */
static void unlock(struct gp__delayed_lane *queue)
{
    bool empty = queue->heap.size == 0;
    gp__lane_set_horizon(&queue->lane, empty ? GP__NO_HORIZON : wake_time(queue) & ~INT64_C(1),
                         queue->heap.size);
    pthread_mutex_unlock(&queue->base.lock);
}

/* NULL: the heap is empty. */
static const struct gp__entry *heap_head(const struct gp__delayed_lane *queue)
{
    return queue->heap.size > 0 ? &queue->heap.entries[0] : NULL;
}

static void signal_taker(struct gp__delayed_lane *queue)
{
    gp__belts_wake_one(&queue->lane.belts, &queue->base); /* [LANE-3] */
}

static void call_for_leader(struct gp__delayed_lane *queue)
{
    queue->leader = NULL;
    signal_taker(queue);
}

/* Insertion. */

static int add_to_heap(struct gp__delayed_lane *queue, gp_task *task)
{
    pthread_mutex_lock(&queue->base.lock);
    int status = gp__heap_make_room(&queue->heap, task);
    if (status == GP_OK) {
        gp__heap_add(&queue->heap, task, gp_task_time(task), gp__is_due_before);
        gp__queue_note_size(&queue->base, queue->heap.size);
        GP_PROBE(queue_offer, queue, task);
        if (queue->heap.entries[0].task == task)
            call_for_leader(queue);
    }
    unlock(queue);
    return status;
}

static int delayed_offer_due(gp_queue *base, gp_task *task, const struct gp__key_source *keys)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    int status = task->keeps_slot ? GP_EAGAIN : gp__lane_put(&queue->lane, base, task, keys);
    return status == GP_EAGAIN ? add_to_heap(queue, task) : status;
}

static int delayed_offer(gp_queue *base, gp_task *task)
{
    if (!gp__task_is_delayed(task))
        return GP_EINVAL;
    bool due = gp_time_until(gp_task_time(task), gp_now()) <= 0;
    return due ? delayed_offer_due(base, task, NULL) : add_to_heap(delayed_of(base), task);
}

static int delayed_enqueue_function(gp_queue *base, const struct gp__work *function,
                                    const struct gp__admission_check *check,
                                    const struct gp__key_source *keys)
{
    return gp__lane_enqueue_function(&delayed_of(base)->lane, base, function, check, keys);
}

/* Removal. */

static bool is_head_due(const struct gp__delayed_lane *queue, int64_t now)
{
    return queue->heap.size > 0 && gp__time_between(queue->heap.entries[0].time, now) <= 0;
}

/* Without the lock. */
static int take_from_lane(struct gp__delayed_lane *queue, gp_task **out)
{
    int status = gp__lane_next_task(&queue->lane, out);
    if (status == GP_OK)
        GP_PROBE(queue_take, queue, *out);
    return status;
}

/* With the lock held: the head of the queue, if it is due. */
static int take_earlier(struct gp__delayed_lane *queue, int64_t now, gp_task **out)
{
    int status = gp__lane_take(&queue->lane, heap_head(queue), out);
    if (status == GP_EEMPTY && is_head_due(queue, now)) {
        *out = gp__heap_extract(&queue->heap, 0, gp__is_due_before);
        gp__heap_reserve(&queue->heap, *out);
        status = GP_OK;
    }
    if (status == GP_OK) {
        queue->rang = false;
        GP_PROBE(queue_take, queue, *out);
    }
    return status;
}

static int delayed_poll(gp_queue *base, gp_task **out)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    int status = take_from_lane(queue, out);
    if (status != GP_EEMPTY)
        return status;
    pthread_mutex_lock(&base->lock);
    status = take_earlier(queue, gp_now(), out);
    unlock(queue);
    return status;
}

static bool is_anything_due(struct gp__delayed_lane *queue, int64_t now)
{
    return is_head_due(queue, now) || gp__belts_size(&queue->lane.belts) > 0;
}

/* [DELAYED-7]: the alarm rings, and the taker has to do something. */
static bool is_alarmed(struct gp__delayed_lane *queue, int64_t now)
{
    struct gp__alarm *alarm = &queue->alarm;
    if (alarm->ring == NULL || queue->heap.size == 0 || gp__time_between(alarm->at, now) > 0 ||
        (queue->rang && is_anything_due(queue, now)))
        return false;
    queue->rang = alarm->ring(alarm, now);
    return queue->rang;
}

/* Nothing is due yet: wait as the leader until the head is, or as a follower until signalled. */
static int await_head(struct gp__delayed_lane *queue, int64_t deadline)
{
    gp_thread *self = gp_thread_self();
    if (queue->heap.size == 0 || queue->leader != NULL ||
        (deadline != GP__NO_DEADLINE && gp__time_between(deadline, wake_time(queue)) < 0))
        return gp__belts_await(&queue->lane.belts, &queue->base, deadline);
    queue->leader = self;
    GP_PROBE(delayed_leader, queue, self);
    int status = gp__belts_await(&queue->lane.belts, &queue->base, wake_time(queue));
    if (queue->leader == self) /* [DELAYED-5] */
        queue->leader = NULL;
    return status;
}

/* Is there anything that a sleeping taker could take, and perhaps no signal on its way? */
static bool leaves_work(struct gp__delayed_lane *queue)
{
    return (queue->leader == NULL && queue->heap.size > 0) || /* [DELAYED-6] */
           (queue->base.available.first != NULL && gp__belts_size(&queue->lane.belts) > 0);
}

static int delayed_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    int status = take_from_lane(queue, out);
    if (status == GP_OK)
        return GP_OK;
    pthread_mutex_lock(&base->lock);
    for (;;) {
        int64_t now = gp_now(); /* [CLOCK-1] */
        if (is_alarmed(queue, now)) {
            status = GP_EAGAIN;
            break;
        }
        status = take_earlier(queue, now, out);
        if (status != GP_EEMPTY)
            break;
        if (gp__passed(deadline, now)) {
            status = GP_ETIMEDOUT;
            break;
        }
        status = await_head(queue, deadline);
        if (status != GP_OK && status != GP_ETIMEDOUT)
            break;
    }
    if (leaves_work(queue))
        signal_taker(queue); /* [LANE-3] */
    unlock(queue);
    return status;
}

static bool delayed_next(gp_queue *base, struct gp__work *out)
{
    if (gp__lane_next(&delayed_of(base)->lane, out) != GP_OK) /* [LANE-4] */
        return false;
    GP_PROBE(queue_take, base, out->argument);
    return true;
}

static int delayed_remove(gp_queue *base, gp_task *task)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    bool found = gp__heap_remove(&queue->heap, task, gp__is_due_before) ||
                 gp__lane_remove(&queue->lane, task);
    unlock(queue);
    return found ? GP_OK : GP_ENOTFOUND;
}

static void delayed_drain(gp_queue *base, gp_task_list *out)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    gp__belts_lock(&queue->lane.belts); /* [LANE-6] */
    while (queue->heap.size + gp__belts_count(&queue->lane.belts) > 0)
        gp__task_list_append(out, gp__lane_comes_first(&queue->lane, heap_head(queue))
                                      ? gp__lane_pop(&queue->lane)
                                      : gp__heap_extract(&queue->heap, 0, gp__is_due_before));
    gp__belts_unlock(&queue->lane.belts);
    unlock(queue);
}

static void delayed_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                              gp_task_list *out)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    gp__heap_remove_if(&queue->heap, matches, context, out, gp__is_due_before);
    gp__lane_sweep(&queue->lane, matches, context, out);
    unlock(queue);
}

/* Scheduling. */

static void delayed_give_up_slot(gp_queue *base, gp_task *task)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    gp__heap_give_up_slot(&queue->heap, task);
    unlock(queue);
}

static void delayed_review(gp_queue *base, gp__match_fn *review, void *context, gp_task_list *out)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    gp__heap_review(&queue->heap, review, context, out);
    call_for_leader(queue);
    unlock(queue);
}

static void delayed_set_alarm(gp_queue *base, const struct gp__alarm *alarm)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    queue->alarm = *alarm;
    if (alarm->ring != NULL)
        call_for_leader(queue); /* [DELAYED-7] */
    unlock(queue);
}

/* Queries. */

static size_t show_heap(const struct gp__heap *heap, gp_task **out, size_t room)
{
    size_t shown = heap->size < room ? heap->size : room;
    for (size_t i = 0; i < shown; i++)
        out[i] = gp_task_retain(heap->entries[i].task);
    return shown;
}

/* The head first, wherever it is. */
static void show(struct gp__delayed_lane *queue, gp_task **out, size_t room)
{
    if (gp__lane_comes_first(&queue->lane, heap_head(queue))) {
        size_t shown = gp__lane_show(&queue->lane, out, room);
        show_heap(&queue->heap, out + shown, room - shown);
    } else {
        size_t shown = show_heap(&queue->heap, out, room);
        gp__lane_show(&queue->lane, out + shown, room - shown);
    }
}

static size_t delayed_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    gp__belts_lock(&queue->lane.belts); /* [LANE-6] */
    size_t size = queue->heap.size + gp__belts_count(&queue->lane.belts);
    show(queue, out, room);
    gp__belts_unlock(&queue->lane.belts);
    unlock(queue);
    return size;
}

static size_t delayed_backlog(gp_queue *base)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    return queue->heap.size + gp__belts_size(&queue->lane.belts);
}

/* Takers may take without the lock [LANE-4], so the lane has to stand still for the answer. */
static bool delayed_is_quiet(gp_queue *base, size_t (*workers)(void *), void *context)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    return gp__belts_are_quiet(&queue->lane.belts, base, queue->heap.size, workers, context);
}

/* [LANE-2] is number 22; gp__lane_check returns the other numbers above 20. */
static int check_lane(struct gp__delayed_lane *queue)
{
    /* relaxed: changed only with our lock held */
    int64_t horizon = atomic_load_explicit(&queue->lane.horizon, memory_order_relaxed);
    if (queue->heap.size > 0 &&
        (horizon == GP__NO_HORIZON || gp_time_until(horizon, wake_time(queue)) > 0))
        return 22;
    return gp__lane_check(&queue->lane, &queue->base);
}

static int delayed_check(gp_queue *base)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    pthread_mutex_lock(&base->lock);
    int broken = gp__delayed_heap_check(&queue->heap);
    if (broken == 0)
        broken = check_lane(queue);
    if (broken == 0 && queue->leader != NULL &&
        atomic_load_explicit(&base->takers, memory_order_relaxed) == 0) /* under its lock */
        broken = 5;
    unlock(queue);
    return broken;
}

/* Lifetime. */

static void delayed_free(gp_queue *base)
{
    struct gp__delayed_lane *queue = delayed_of(base);
    gp__queue_destroy(base);
    gp__belts_destroy(&queue->lane.belts);
    gp__heap_destroy(&queue->heap);
    free(queue);
}

static const struct gp__delayed_class scheduling = {.offer_due = delayed_offer_due,
                                                    .give_up_slot = delayed_give_up_slot,
                                                    .review = delayed_review,
                                                    .set_alarm = delayed_set_alarm};

static void delayed_set_maker(gp_queue *base, const struct gp__task_maker *maker)
{
    gp__lane_set_maker(&delayed_of(base)->lane, maker);
}

static const struct gp__function_class functions = {
    .set_maker = delayed_set_maker, .enqueue = delayed_enqueue_function, .next = delayed_next};

static const struct gp__queue_class delayed_lane_class = {
    .offer = delayed_offer,
    .poll = delayed_poll,
    .take_until = delayed_take_until,
    .remove = delayed_remove,
    .drain = delayed_drain,
    .remove_if = delayed_remove_if,
    .snapshot = delayed_snapshot,
    .backlog = delayed_backlog,
    .is_quiet = delayed_is_quiet,
    .check = delayed_check,
    .free = delayed_free,
    .delayed = &scheduling,
    .functions = &functions,
};

int gp_delayed_lane_new(gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct gp__delayed_lane *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    gp__lane_init(&queue->lane);
    if (gp__heap_init(&queue->heap) != GP_OK ||
        gp__queue_init(&queue->base, &delayed_lane_class) != GP_OK) {
        gp__heap_destroy(&queue->heap);
        free(queue);
        return GP_ENOMEM;
    }
    *out = &queue->base;
    return GP_OK;
}
