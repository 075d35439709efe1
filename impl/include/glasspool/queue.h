/*
 * Glasspool: queues of tasks.
 *
 * One interface, six queues. What goes in is owned by the queue, what comes out by the caller.
 *
 *     linked       first in, first out; bounded or not; producers and consumers have a lock each
 *     conveyor     likewise, unbounded; the faster one for a flood of small tasks without a future
 *     array        first in, first out; bounded, its memory taken at once
 *     synchronous  holds nothing: an offer succeeds if somebody is waiting to take
 *     priority     the least first, by your comparison; unbounded
 *     delayed      gives out a task when it is due, the earliest first; unbounded
 *
 * Waiting calls are interruptible. Waiters are woken one at a time, first come, first (takers of
 * the synchronous queue: last come, so that idle workers can age).
 */
#ifndef GLASSPOOL_QUEUE_H
#define GLASSPOOL_QUEUE_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#include "api.h"
#include "task.h" /* gp_task, gp_task_list */

GP_BEGIN_DECLS

typedef struct gp_queue gp_queue;
typedef int gp_compare_fn(const gp_task *left, const gp_task *right); /* <0, 0, >0; called with the
                                                  queue's lock held: must not use the queue */

#define GP_UNBOUNDED SIZE_MAX /* as a capacity: no limit */

/* Making one. GP_EINVAL, GP_ENOMEM. */

GP_API int gp_linked_new(size_t capacity, gp_queue **out);   /* 1 ... GP_UNBOUNDED */
GP_API int gp_array_new(size_t capacity, gp_queue **out);    /* at least 1 */
GP_API int gp_conveyor_new(gp_queue **out);                  /* unbounded */
GP_API int gp_synchronous_new(gp_queue **out);               /* without room */
GP_API int gp_priority_new(gp_compare_fn *, gp_queue **out); /* the least comes out first */
GP_API int gp_delayed_new(gp_queue **out);                   /* in a binary heap, as in Java */
/* The fast kind of it: tasks that are due on arrival bypass the heap and its lock, on a lane. */
GP_API int gp_delayed_lane_new(gp_queue **out);
GP_API int gp_queue_free(gp_queue *); /* discards what is in it; GP_EBUSY while somebody waits */

/* Into it. On GP_OK the task is the queue's, otherwise still yours. */

GP_API int gp_queue_offer(gp_queue *, gp_task *);                      /* or GP_EFULL, GP_ENOMEM;
                                          GP_EINVAL: a delayed queue takes delayed tasks only */
GP_API int gp_queue_offer_timed(gp_queue *, gp_task *, int64_t nanos); /* or GP_ETIMEDOUT */
GP_API int gp_queue_put(gp_queue *, gp_task *);                        /* waits for room */

/* Out of it. On GP_OK the task is yours. */

GP_API int gp_queue_poll(gp_queue *, gp_task **out);                      /* or GP_EEMPTY */
GP_API int gp_queue_poll_timed(gp_queue *, int64_t nanos, gp_task **out); /* or GP_ETIMEDOUT */
GP_API int gp_queue_take(gp_queue *, gp_task **out);                      /* waits for one */
GP_API int gp_queue_remove(gp_queue *, gp_task *); /* or GP_ENOTFOUND; hold a reference to it */
GP_API void gp_queue_drain(gp_queue *, gp_task_list *out); /* all of it, due or not, in order */
GP_API void gp_queue_clear(gp_queue *);                    /* all of it, discarded */

/* Looking. What peek and snapshot give is a reference to release, not to run. */

GP_API int gp_queue_peek(gp_queue *, gp_task **out); /* the head, due or not; or GP_EEMPTY */
GP_API size_t gp_queue_snapshot(gp_queue *, gp_task **out,
                                size_t room); /* how many are there; fills at most room of them */
GP_API size_t gp_queue_size(gp_queue *);      /* due or not */
GP_API size_t gp_queue_remaining(gp_queue *); /* room; GP_UNBOUNDED if it has no bound */
GP_API int gp_queue_check(gp_queue *);        /* walks its invariants: 0, or the number of the one
                                                 that does not hold */

GP_END_DECLS

#endif
