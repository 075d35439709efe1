/*
 * The synchronous queue: SynchronousQueue in C. It holds nothing; a task passes from hand to hand.
 *
 * An offer succeeds if somebody is waiting to take, a poll if somebody is waiting to put. Those who
 * wait stand with a node each, on their own stacks:
 *
 *      takers:   last come, first served. The worker that became idle last is the warmest, and
 *                those that have been idle longest grow old enough to retire (Java's unfair mode,
 *                which the cached pool uses)
 *      putters:  first come, first served
 *
 *   [SYNCHRONOUS-1] Takers and putters never wait both: whoever comes takes the partner that is
 *                   already there.
 *   [SYNCHRONOUS-2] A node is taken off its list and matched in one step, under the lock; it is
 *                   then its owner's to leave with. A node whose owner gave up is off the list
 *                   before the owner leaves (JDK-8332154 leaked them).
 *   [SYNCHRONOUS-3] A matched taker has a task: from that moment on it does not count as waiting
 *                   [QUEUE-1].
 *
 * Java's version is a lock-free dual stack. One lock held for a few instructions was chosen here:
 * every hand-off wakes a thread anyway, which costs a hundred times as much.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"
#include "sync/probe.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct node {
    struct node *next;            /* Q */
    gp_task *task;                /* Q a putter's, or what a taker has been handed */
    bool matched;                 /* Q */
    bool stranger;                /* Q a taker: no worker [QUEUE-1] */
    struct gp__condition partner; /* Q signalled when matched */
};

struct synchronous {
    gp_queue base;        /* I its fields have letters of their own */
    struct node *takers;  /* Q a stack */
    struct node *putters; /* Q a line, first to come at its head */
};

static void unlink_node(struct node **list, struct node *node)
{
    while (*list != node)
        list = &(*list)->next;
    *list = node->next;
}

/* Take the first node off its list: [SYNCHRONOUS-2]. */
static struct node *match(struct node **list)
{
    struct node *node = *list;
    if (node == NULL)
        return NULL;
    *list = node->next;
    node->matched = true;
    gp__condition_signal(&node->partner);
    return node;
}

static bool hand_over(struct synchronous *queue, gp_task *task)
{
    struct node *taker = match(&queue->takers);
    if (taker == NULL)
        return false;
    taker->task = task;
    gp__queue_end_wait(&queue->base, taker->stranger); /* [SYNCHRONOUS-3] */
    GP_PROBE(queue_offer, queue, task);
    GP_PROBE(queue_take, queue, task);
    return true;
}

static int synchronous_offer(gp_queue *base, gp_task *task)
{
    struct synchronous *queue = (struct synchronous *)base;
    pthread_mutex_lock(&base->lock);
    bool done = hand_over(queue, task);
    pthread_mutex_unlock(&base->lock);
    return done ? GP_OK : GP_EFULL;
}

static int await_taker(struct synchronous *queue, gp_task *task, int64_t deadline)
{
    struct node node = {.task = task};
    struct node **end = &queue->putters;
    while (*end != NULL)
        end = &(*end)->next;
    *end = &node;
    int status = gp__queue_await_room(&queue->base, &node.partner, &queue->base.lock, deadline);
    if (!node.matched)
        unlink_node(&queue->putters, &node);
    return node.matched ? GP_OK : status;
}

static int synchronous_offer_until(gp_queue *base, gp_task *task, int64_t deadline)
{
    struct synchronous *queue = (struct synchronous *)base;
    pthread_mutex_lock(&base->lock);
    int status = hand_over(queue, task) ? GP_OK : await_taker(queue, task, deadline);
    pthread_mutex_unlock(&base->lock);
    return status;
}

static gp_task *receive(struct synchronous *queue)
{
    struct node *putter = match(&queue->putters);
    if (putter == NULL)
        return NULL;
    GP_PROBE(queue_take, queue, putter->task);
    return putter->task;
}

static int synchronous_poll(gp_queue *base, gp_task **out)
{
    struct synchronous *queue = (struct synchronous *)base;
    pthread_mutex_lock(&base->lock);
    gp_task *task = receive(queue);
    pthread_mutex_unlock(&base->lock);
    if (task == NULL)
        return GP_EEMPTY;
    *out = task;
    return GP_OK;
}

static int await_putter(struct synchronous *queue, int64_t deadline, gp_task **out)
{
    struct node node = {.next = queue->takers};
    queue->takers = &node;
    node.stranger = gp__queue_begin_wait(&queue->base);
    int status = gp__condition_wait(&node.partner, &queue->base.lock, deadline);
    if (!node.matched) {
        unlink_node(&queue->takers, &node);
        gp__queue_end_wait(&queue->base, node.stranger);
        return status;
    }
    *out = node.task;
    return GP_OK;
}

static int synchronous_take_until(gp_queue *base, int64_t deadline, gp_task **out)
{
    struct synchronous *queue = (struct synchronous *)base;
    int status = GP_OK;
    pthread_mutex_lock(&base->lock);
    gp_task *task = receive(queue); /* [SYNCHRONOUS-1] */
    if (task != NULL)
        *out = task;
    else
        status = await_putter(queue, deadline, out);
    pthread_mutex_unlock(&base->lock);
    return status;
}

/* It holds nothing; what putters offer is still theirs. */

static int synchronous_remove(gp_queue *base, gp_task *task)
{
    (void)base;
    (void)task;
    return GP_ENOTFOUND;
}

static void synchronous_drain(gp_queue *base, gp_task_list *out)
{
    for (gp_task *task; synchronous_poll(base, &task) == GP_OK;)
        gp__task_list_append(out, task);
}

static void synchronous_remove_if(gp_queue *base, gp__match_fn *matches, void *context,
                                  gp_task_list *out)
{
    (void)base;
    (void)matches;
    (void)context;
    (void)out;
}

static size_t synchronous_snapshot(gp_queue *base, gp_task **out, size_t room)
{
    (void)base;
    (void)out;
    (void)room;
    return 0;
}

static size_t synchronous_backlog(gp_queue *base)
{
    (void)base;
    return 0;
}

static int synchronous_check(gp_queue *base)
{
    struct synchronous *queue = (struct synchronous *)base;
    pthread_mutex_lock(&base->lock);
    int broken = queue->takers != NULL && queue->putters != NULL ? 1 : 0;
    for (struct node *node = queue->takers; node != NULL && broken == 0; node = node->next)
        broken = node->matched ? 2 : 0;
    pthread_mutex_unlock(&base->lock);
    return broken;
}

static void synchronous_free(gp_queue *base)
{
    gp__queue_destroy(base);
    free(base);
}

static const struct gp__queue_class synchronous_class = {
    .offer = synchronous_offer,
    .offer_until = synchronous_offer_until,
    .poll = synchronous_poll,
    .take_until = synchronous_take_until,
    .remove = synchronous_remove,
    .drain = synchronous_drain,
    .remove_if = synchronous_remove_if,
    .snapshot = synchronous_snapshot,
    .backlog = synchronous_backlog,
    .remaining = synchronous_backlog,
    .holds_nothing = true,
    .check = synchronous_check,
    .free = synchronous_free,
};

int gp_synchronous_new(gp_queue **out)
{
    if (out == NULL)
        return GP_EINVAL;
    struct synchronous *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GP_ENOMEM;
    if (gp__queue_init(&queue->base, &synchronous_class) != GP_OK) {
        free(queue);
        return GP_ENOMEM;
    }
    *out = &queue->base;
    return GP_OK;
}
