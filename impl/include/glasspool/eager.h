/*
 * Glasspool: the eager pool. Threads first, the queue later.
 *
 * A pool (pool.h) queues a task once it has core_size workers, and starts more of them only when
 * the queue is full. Tasks that wait for somebody else, as calls over a network do, are served
 * better the other way round:
 *
 *     fewer than core_size workers        start one with it
 *     more workers than tasks, it         queue it: somebody is idle
 *     included
 *     fewer than maximum_size workers     start one with it
 *     otherwise                           queue it; if the queue is full, reject it
 *
 * It is a gp_pool, and all gp_pool_* functions are for it, too. What makes it eager is its queue,
 * the task queue, which knows how many tasks and workers the pool has and says that it is full
 * while there may be more workers.
 */
#ifndef GLASSPOOL_EAGER_H
#define GLASSPOOL_EAGER_H

#include <stddef.h> /* size_t */

#include "api.h"
#include "pool.h"  /* gp_pool, gp_pool_config */
#include "queue.h" /* gp_queue */

GP_BEGIN_DECLS

/* First in, first out, with a bound; 0 or less becomes 1. It is made for one eager pool. Until it
   has that, it takes nothing: offer and put say GP_EREJECTED. */
GP_API int gp_task_queue_new(int capacity, gp_queue **out);

/* As gp_pool_new. The queue has to be a task queue that no pool has; NULL: a new one, for 1. */
GP_API int gp_eager_new(const gp_pool_config *, gp_pool **out);

/* Tasks that the pool has now: on their way in, by a submission or by gp_queue_offer, offer_timed
   and put; queued; or run by a worker, after hook included. A task that is rejected, removed,
   purged, dropped or handed back is not counted any more when that is known. 0: it is not an eager
   pool. */
GP_API size_t gp_eager_submitted(gp_pool *);

/* As gp_pool_check, or the number of the eager pool's own plus GP_EAGER_INVARIANT. */
#define GP_EAGER_INVARIANT 200
GP_API int gp_eager_check(gp_pool *);

GP_END_DECLS

#endif
