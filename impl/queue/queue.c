/*
 * The queue interface: checks arguments, turns timeouts into deadlines, and calls the queue at
 * hand.
 *
 * Contract. A task that went in is the queue's until it comes out; a call that fails leaves it with
 * the caller. The waiting calls look at the caller's interrupt first, as Java's lockInterruptibly
 * does: an interrupted thread gets GP_EINTERRUPTED even if a task is there.
 *
 *   [QUEUE-1] `takers` counts the threads that wait for a task and have not been handed one;
 *             `strangers` counts those of them that do not wait as an idle worker of the pool, but
 *             on their own behalf. So, with the lock held, "the queue is empty and as many others
 *             wait as there are workers" means that no task is queued and none is running, unless a
 *             stranger has taken it: the pool is quiet. That answer costs nothing on the path of a
 *             task. (A taker that was signalled still counts; but then the task that it was
 *             signalled for is in the queue, or is being run by a thread that does not wait.) No
 *             task may leave the queue between the two looks: a worker that came after the first
 *             could have taken it before the second. If tasks leave without the lock, the queue
 *             itself keeps them in place meanwhile (`is_quiet`).
 *   [QUEUE-2] An external caller that takes tasks out of a pool's queue tells the pool, when they
 *             are out: a worker may have seen them before, and would wait for one for ever, though
 *             the pool has been shut down. In Java the pool's own remove tells it; the operations
 *             of its queue do not.
 *   [QUEUE-3] Only enqueuing needs memory: taking, draining and looking need none. A queue that
 *             holds functions has memory reserved for the tasks that are made of them.
 *   [QUEUE-4] An external caller that offers a task to a pool's queue tells the pool before, if the
 *             pool wants to know, and again if the queue did not take it: a worker may be done with
 *             the task before the offer returns. The queue of such a pool accepts nothing before it
 *             has its pool: a task that came uncounted would be counted off.
 */
#include "queue/queue.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "sync/globals.h"
#include "sync/os.h"
#include "sync/thread.h"

int gp__queue_init(gp_queue *queue, const struct gp__queue_class *class)
{
    *queue = (gp_queue){.class = class};
    return gp__os_init_brief_lock(&queue->lock);
}

void gp__queue_destroy(gp_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
}

bool gp__queue_begin_wait(gp_queue *queue)
{
    const gp_thread *self = gp__current_thread();
    bool stranger = self == NULL || !self->idle;
    atomic_fetch_add(&queue->takers, 1); /* seq_cst: [LINKED-3] */
    queue->strangers += stranger;
    gp__condition_signal_all(&queue->quiet);
    return stranger;
}

void gp__queue_end_wait(gp_queue *queue, bool stranger)
{
    queue->strangers -= stranger;
    atomic_fetch_sub_explicit(&queue->takers, 1, memory_order_relaxed); /* too many is harmless */
}

int gp__queue_await_task(gp_queue *queue, int64_t deadline)
{
    bool stranger = gp__queue_begin_wait(queue);
    int status = gp__condition_wait(&queue->available, &queue->lock, deadline);
    gp__queue_end_wait(queue, stranger);
    return status;
}

int gp__queue_poll_with(gp_queue *queue, gp__pop_fn *pop, gp_task **out)
{
    pthread_mutex_lock(&queue->lock);
    bool any = queue->class->backlog(queue) > 0;
    if (any)
        *out = pop(queue);
    pthread_mutex_unlock(&queue->lock);
    return any ? GP_OK : GP_EEMPTY;
}

int gp__queue_take_with(gp_queue *queue, gp__pop_fn *pop, int64_t deadline, gp_task **out)
{
    int status = GP_OK;
    pthread_mutex_lock(&queue->lock);
    while (queue->class->backlog(queue) == 0 && status == GP_OK)
        status = gp__queue_await_task(queue, deadline);
    if (status == GP_OK)
        *out = pop(queue);
    pthread_mutex_unlock(&queue->lock);
    return status;
}

size_t gp__queue_snapshot_with(gp_queue *queue, gp__at_fn *at, gp_task **out, size_t room)
{
    pthread_mutex_lock(&queue->lock);
    size_t size = queue->class->backlog(queue);
    for (size_t i = 0; i < size && i < room; i++)
        out[i] = gp_task_retain(at(queue, i));
    pthread_mutex_unlock(&queue->lock);
    return size;
}

int gp__queue_await_room(gp_queue *queue, struct gp__condition *room, pthread_mutex_t *lock,
                         int64_t deadline)
{
    /* relaxed: only gp_queue_free reads it, and no call may race that */
    atomic_fetch_add_explicit(&queue->putters, 1, memory_order_relaxed);
    int status = gp__condition_wait(room, lock, deadline);
    atomic_fetch_sub_explicit(&queue->putters, 1, memory_order_relaxed);
    return status;
}

/* seq_cst, with nudge: takers against the count of workers */
bool gp__queue_do_all_wait(const gp_queue *queue, size_t (*workers)(void *), void *context)
{
    return atomic_load(&queue->takers) - queue->strangers >= workers(context);
}

/* [QUEUE-1]. Workers first: meanwhile tasks may come but not go, so what a worker queued before it
   left is still seen. */
static bool is_quiet(gp_queue *queue, size_t (*workers)(void *), void *context)
{
    if (queue->class->is_quiet != NULL)
        return queue->class->is_quiet(queue, workers, context);
    return gp__queue_do_all_wait(queue, workers, context) && queue->class->backlog(queue) == 0;
}

int gp__queue_await_quiet(gp_queue *queue, size_t (*workers)(void *), void *context,
                          int64_t deadline)
{
    int status = GP_OK;
    pthread_mutex_lock(&queue->lock);
    atomic_fetch_add(&queue->watchers, 1); /* seq_cst: before looking */
    while (status == GP_OK && !is_quiet(queue, workers, context))
        status = gp__condition_wait(&queue->quiet, &queue->lock, deadline);
    atomic_fetch_sub_explicit(&queue->watchers, 1, memory_order_relaxed); /* too many: harmless */
    pthread_mutex_unlock(&queue->lock);
    return status;
}

void gp__queue_nudge(gp_queue *queue)
{
    if (atomic_load(&queue->watchers) == 0) /* seq_cst: after the change that we report */
        return;
    pthread_mutex_lock(&queue->lock);
    gp__condition_signal_all(&queue->quiet);
    pthread_mutex_unlock(&queue->lock);
}

void gp__queue_note_size(gp_queue *queue, size_t size)
{
    /* relaxed: statistics only; two threads that add under different locks may both have read it */
    size_t deepest = atomic_load_explicit(&queue->deepest, memory_order_relaxed);
    while (size > deepest &&
           !atomic_compare_exchange_strong_explicit(&queue->deepest, &deepest, size,
                                                    memory_order_relaxed, memory_order_relaxed))
        continue;
}

bool gp__queue_holds_nothing(const gp_queue *queue)
{
    return queue->class->holds_nothing;
}

/* Is the calling thread fit to wait? */
static int check_in(void)
{
    gp_thread *self = gp_thread_self();
    if (self == NULL)
        return GP_ENOMEM;
    return gp__clear_interrupt(self) ? GP_EINTERRUPTED : GP_OK;
}

int gp__queue_offer(gp_queue *queue, gp_task *task)
{
    return queue->class->offer(queue, task);
}

/* Wait for room no longer than `*nanos`; NULL: not at all. */
static int offer_within(gp_queue *queue, gp_task *task, const int64_t *nanos)
{
    return nanos == NULL || queue->class->offer_until == NULL
               ? queue->class->offer(queue, task)
               : queue->class->offer_until(queue, task, gp__deadline(*nanos));
}

/* [QUEUE-4] */
static int announce(gp_queue *queue, gp_task *task, const int64_t *nanos)
{
    void *keeper = gp__queue_keeper(queue);
    if (keeper == NULL)
        return GP_EREJECTED;
    if (queue->brought == NULL)
        return offer_within(queue, task, nanos);
    queue->brought(keeper, true);
    int status = offer_within(queue, task, nanos);
    if (status != GP_OK)
        queue->brought(keeper, false);
    return status;
}

int gp_queue_offer(gp_queue *queue, gp_task *task)
{
    if (queue == NULL || task == NULL)
        return GP_EINVAL;
    return queue->class->announces ? announce(queue, task, NULL) : queue->class->offer(queue, task);
}

static int offer_until(gp_queue *queue, gp_task *task, int64_t nanos)
{
    if (queue == NULL || task == NULL)
        return GP_EINVAL;
    int status = check_in();
    if (status != GP_OK)
        return status;
    return queue->class->announces ? announce(queue, task, &nanos)
                                   : offer_within(queue, task, &nanos);
}

int gp_queue_offer_timed(gp_queue *queue, gp_task *task, int64_t nanos)
{
    return offer_until(queue, task, nanos);
}

int gp_queue_put(gp_queue *queue, gp_task *task)
{
    return offer_until(queue, task, GP_FOREVER);
}

void gp__queue_set_keeper(gp_queue *queue, gp__taken_away_fn *taken_away, gp__brought_fn *brought,
                          void *keeper)
{
    queue->taken_away = taken_away;
    queue->brought = brought;
    /* release, pairs with the acquire in tell_keeper and announce */
    atomic_store_explicit(&queue->keeper, keeper, memory_order_release);
}

/* [QUEUE-2] */
static void tell_keeper(gp_queue *queue, size_t count)
{
    void *keeper = gp__queue_keeper(queue);
    if (keeper != NULL && count > 0)
        queue->taken_away(keeper, count);
}

int gp__queue_poll(gp_queue *queue, gp_task **out)
{
    int status = queue->class->poll(queue, out);
    gp__queue_nudge(queue);
    return status;
}

int gp_queue_poll(gp_queue *queue, gp_task **out)
{
    if (queue == NULL || out == NULL)
        return GP_EINVAL;
    int status = gp__queue_poll(queue, out);
    tell_keeper(queue, status == GP_OK);
    return status;
}

static int take_until(gp_queue *queue, int64_t nanos, gp_task **out)
{
    if (queue == NULL || out == NULL)
        return GP_EINVAL;
    int status = check_in();
    return status != GP_OK ? status : queue->class->take_until(queue, gp__deadline(nanos), out);
}

int gp__queue_next_task(gp_queue *queue, int64_t nanos, gp_task **out)
{
    gp_thread *self = gp__current_thread();
    self->idle = true;
    int status = take_until(queue, nanos, out);
    self->idle = false;
    return status;
}

int gp_queue_poll_timed(gp_queue *queue, int64_t nanos, gp_task **out)
{
    int status = take_until(queue, nanos, out);
    if (status == GP_OK) {
        gp__queue_nudge(queue); /* no worker will run it */
        tell_keeper(queue, 1);
    }
    return status;
}

int gp_queue_take(gp_queue *queue, gp_task **out)
{
    return gp_queue_poll_timed(queue, GP_FOREVER, out);
}

int gp__queue_remove(gp_queue *queue, gp_task *task)
{
    int status = queue->class->remove(queue, task);
    gp__queue_nudge(queue);
    return status;
}

int gp_queue_remove(gp_queue *queue, gp_task *task)
{
    if (queue == NULL || task == NULL)
        return GP_EINVAL;
    int status = gp__queue_remove(queue, task);
    tell_keeper(queue, status == GP_OK);
    return status;
}

void gp__queue_drain(gp_queue *queue, gp_task_list *out)
{
    *out = (gp_task_list){0};
    queue->class->drain(queue, out); /* [QUEUE-3] */
    gp__queue_nudge(queue);
}

void gp_queue_drain(gp_queue *queue, gp_task_list *out)
{
    gp__queue_drain(queue, out);
    tell_keeper(queue, out->count);
}

void gp__queue_remove_if(gp_queue *queue, gp__match_fn *matches, void *context, gp_task_list *out)
{
    *out = (gp_task_list){0};
    queue->class->remove_if(queue, matches, context, out);
    gp__queue_nudge(queue);
}

void gp_queue_clear(gp_queue *queue)
{
    gp_task_list list;
    gp_queue_drain(queue, &list);
    gp_task_list_discard(&list);
}

int gp_queue_peek(gp_queue *queue, gp_task **out)
{
    if (queue == NULL || out == NULL)
        return GP_EINVAL;
    return queue->class->snapshot(queue, out, 1) > 0 ? GP_OK : GP_EEMPTY;
}

size_t gp_queue_snapshot(gp_queue *queue, gp_task **out, size_t room)
{
    return queue->class->snapshot(queue, out, room);
}

size_t gp_queue_size(gp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    size_t size = queue->class->backlog(queue);
    pthread_mutex_unlock(&queue->lock);
    return size;
}

size_t gp_queue_remaining(gp_queue *queue)
{
    return queue->class->remaining == NULL ? GP_UNBOUNDED : queue->class->remaining(queue);
}

int gp_queue_check(gp_queue *queue)
{
    return queue->class->check(queue);
}

int gp_queue_free(gp_queue *queue)
{
    if (queue == NULL)
        return GP_OK;
    /* acquire: no call may race this one, but the threads that have left came before it */
    if (atomic_load_explicit(&queue->takers, memory_order_acquire) > 0 ||
        atomic_load_explicit(&queue->putters, memory_order_acquire) > 0)
        return GP_EBUSY;
    gp_task_list rest;
    gp__queue_drain(queue, &rest); /* no notification: the pool no longer exists */
    gp_task_list_discard(&rest);
    queue->class->free(queue);
    return GP_OK;
}
