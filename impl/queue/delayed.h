/* The delayed queue inside the library: what the scheduled pool needs beyond the interface. */
#ifndef GP_QUEUE_DELAYED_H
#define GP_QUEUE_DELAYED_H

#include "future/task.h"
#include "queue/queue.h"
#include "sync/clock.h"

/* A heap: an array of these. */
struct gp__entry {
    int64_t time; /* the task's */
    gp_task *task;
};

static inline bool gp__entry_is_before(const struct gp__entry *left, const struct gp__entry *right)
{
    int64_t difference = gp__time_between(left->time, right->time);
    return difference < 0 || (difference == 0 && gp__task_comes_before(left->task, right->task));
}

static inline void gp__set_heap_index(gp_task *task, int32_t index)
{
    /* relaxed: a guess for remove, see Ordering guarantees in delayed.c */
    atomic_store_explicit(&task->heap_index, index, memory_order_relaxed);
}

static inline void gp__place(struct gp__entry *heap, size_t k, const struct gp__entry *entry)
{
    heap[k] = *entry;
    gp__set_heap_index(entry->task, (int32_t)k); /* [DELAYED-2] */
}

/* From slot k, which is free, to where [DELAYED-1] holds. */
typedef void gp__sift_fn(struct gp__entry *heap, size_t size, size_t k,
                         const struct gp__entry *key);

/* Who is whose parent: in delayed.c. */
struct gp__heap_shape {
    gp__sift_fn *sift_up;
    gp__sift_fn *sift_down;
    size_t (*parent)(size_t k); /* of k > 0 */
};

/* Where something stands in the order. */
struct gp__key {
    int64_t time;
    uint32_t sequence;
};

/* Who gives new keys: the present time, and a number higher than all before. It is asked with a
   latch held, and must not wait for anything. */
struct gp__drawer {
    struct gp__key (*draw)(void *context);
    void *context;
};

/* As gp_queue_offer, by who knows that it is due, or that it is not. Nobody else sees the task yet:
   if a drawer is given, its key may be drawn anew. */
int gp__delayed_offer(gp_queue *, gp_task *, bool due, const struct gp__drawer *);

/* A plain function that is due now, without a task around it. GP_OK; GP_ENOMEM; GP_EAGAIN: it may
   not stay, or the queue has no lane. */
int gp__delayed_place(gp_queue *, gp_run_fn *, void *argument, const struct gp__drawer *,
                      const struct gp__question *);

void gp__delayed_give_up_slot(gp_queue *, gp_task *); /* a periodic task will not come back */

/* Shows each task to `review`, which is called with the lock held and may give it a new time. Those
   of which it says true are taken out; their slots stay reserved, as if they were run. */
void gp__delayed_review(gp_queue *, gp__match_fn *review, void *context, gp_task_list *out);

/* From now on a taker makes a round whenever `interval` has passed since the last one and the queue
   is not empty: who waits does so on time, who was busy when he comes. */
struct gp__rounds {
    bool (*is_needed)(void *context); /* with the lock held: is there anything to look at? */
    bool (*look)(void *context);      /* then, without the lock; true: the take ends as if the taker
                                         had been interrupted */
    void *context;
    int64_t interval;
};

void gp__delayed_begin_rounds(gp_queue *, const struct gp__rounds *);
void gp__delayed_hurry_rounds(gp_queue *); /* the next one is due now, if there are any */
void gp__delayed_end_rounds(gp_queue *);   /* one may still be under way */
bool gp__delayed_has_rounds(gp_queue *);

#endif
