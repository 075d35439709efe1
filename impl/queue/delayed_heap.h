/* The delayed queue's own fields: for the files that work on its heap, with its lock held. */
#ifndef GP_QUEUE_DELAYED_HEAP_H
#define GP_QUEUE_DELAYED_HEAP_H

#include "queue/delayed.h"
#include "queue/lane.h"
#include "queue/queue.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct gp__delayed {
    gp_queue base;                      /* I its fields have letters of their own */
    struct gp__entry *heap;             /* Q */
    const struct gp__heap_shape *shape; /* I */
    size_t capacity;                    /* Q slots in heap */
    size_t size;                        /* Q tasks in heap */
    size_t reserved;                    /* Q slots kept for periodic tasks that are out to run */
    gp_thread *leader; /* Q the taker that waits for the head, or NULL; compared, never followed */
    struct gp__rounds rounds; /* Q without functions: none are to be made */
    int64_t next_round;       /* Q when */
    struct gp__lane *lane;    /* I tasks that were due when they came; NULL: there is none */
};

/* Those on the lane are not counted. */
static inline size_t gp__delayed_size(const struct gp__delayed *queue)
{
    return queue->size;
}

/* When the leader has to be awake [DELAYED-7]. The heap is not empty. */
static inline int64_t gp__delayed_wake_time(const struct gp__delayed *queue)
{
    int64_t due = queue->heap[0].time;
    return queue->rounds.look != NULL && gp_time_until(queue->next_round, due) < 0
               ? queue->next_round
               : due;
}

/* The head of the heap, which may be before all on the lane; NULL: there is none. */
static inline const struct gp__entry *gp__heap_head(const struct gp__delayed *queue)
{
    return queue->size > 0 ? &queue->heap[0] : NULL;
}

static inline void gp__heap_up(struct gp__delayed *queue, size_t k, const struct gp__entry *key)
{
    queue->shape->sift_up(queue->heap, queue->size, k, key);
}

static inline void gp__heap_down(struct gp__delayed *queue, size_t k, const struct gp__entry *key)
{
    queue->shape->sift_down(queue->heap, queue->size, k, key);
}

/* delayed.c */
extern const struct gp__heap_shape gp__binary_heap; /* that of the documents */
int gp__heap_grow(struct gp__delayed *);            /* GP_ENOMEM */
void gp__heapify(struct gp__delayed *);
gp_task *gp__heap_leave(struct gp__delayed *, size_t i); /* the task in slot i, out of the heap */
void gp__heap_reserve(struct gp__delayed *, gp_task *);  /* its slot, if it keeps it [DELAYED-4] */
void gp__delayed_call_for_leader(struct gp__delayed *);  /* the time to wait for is another one:
                                                            whoever wakes will lead, and know */
void gp__delayed_tell_lane(struct gp__delayed *);        /* what is known of the heap */

/* [LANE-2]: that goes with the lock. */
static inline void gp__delayed_unlock(struct gp__delayed *queue)
{
    if (queue->lane != NULL)
        gp__delayed_tell_lane(queue);
    pthread_mutex_unlock(&queue->base.lock);
}

/* delayed_all.c: of the queue's class */
int gp__delayed_drain(gp_queue *, gp_task_list *out);
size_t gp__delayed_empty(gp_queue *, gp_task_list *out); /* of one with a lane */
void gp__delayed_remove_if(gp_queue *, gp__match_fn *matches, void *context, gp_task_list *out);
size_t gp__delayed_snapshot(gp_queue *, gp_task **out, size_t room);
int gp__delayed_check(gp_queue *);

#endif
