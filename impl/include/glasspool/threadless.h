/*
 * Glasspool: the threadless executor, for one call over the network and the thread that waits for
 * its answer.
 *
 *     caller                                   whoever receives
 *     gp_threadless_new
 *     sends the call
 *     gp_threadless_wait_and_drain             gp_threadless_execute: decode, complete the future
 *       runs that here, comes back
 *     gp_future_get
 *
 * It has no threads. Tasks are queued until the caller comes, waits for the first of them, and runs
 * what is there. Then the wait is over, for ever, and tasks go to the shared executor instead. So
 * the answer is decoded by the one thread that wants it, which had nothing else to do.
 *
 * Lifetime. Both sides have it, neither knows who is last: it is counted. The shared executor is
 * borrowed, and must outlive the last handle; the waiting future is retained.
 *
 * What is queued meets one of three fates: the waiting thread runs it; the shared executor gets it,
 * because that thread was ended by an earlier task; or nobody ever waited, and it is discarded with
 * the last handle. A thread that was ended runs nothing more: what the shared executor refuses then
 * is discarded, even if its policy is gp_reject_caller_runs; a future of it is cancelled.
 */
#ifndef GLASSPOOL_THREADLESS_H
#define GLASSPOOL_THREADLESS_H

#include <stdbool.h>
#include <stdint.h> /* int64_t */

#include "api.h"
#include "future.h" /* gp_future, gp_failure, gp_callable */
#include "pool.h"   /* gp_pool */

GP_BEGIN_DECLS

typedef struct gp_threadless gp_threadless;

/* All are needed: GP_EINVAL, GP_ENOMEM. The future is one that nobody runs, made with gp_future_new
   of any callable, for whoever decodes the answer to set. */
GP_API int gp_threadless_new(gp_pool *shared, gp_future *waiting_future, gp_threadless **out);
GP_API gp_threadless *gp_threadless_retain(gp_threadless *); /* one more handle */
GP_API void gp_threadless_release(gp_threadless *);          /* NULL is fine */

/* Giving it work. GP_OK, GP_EINVAL, GP_ENOMEM; when the wait is over, as the shared executor. */

/* A plain function without a future; and a task: GP_OK, GP_EREJECTED: used up; else yours. */
GP_API int gp_threadless_execute(gp_threadless *, gp_run_fn *run, void *argument);
GP_API int gp_threadless_execute_task(gp_threadless *, gp_task *);

/* With a future, *out. out may be NULL; it must not lie in the argument, which may be destroyed
   before it is written. */
GP_API int gp_threadless_submit(gp_threadless *, const gp_callable *, gp_future **out);

/* Waiting: until the first task is there, and then until all that are there have been run, here.
   GP_OK: they have, now or before. GP_EBUSY: somebody, perhaps the caller, is at it. These come at
   once. GP_EINTERRUPTED, GP_ETIMEDOUT: there was none, and the wait is over all the same.
   GP_ENOMEM: no record for the calling thread; nothing has happened. The time limits the waiting,
   not the running; tasks that are there are run whether or not it is up, or the thread interrupted.
 */
GP_API int gp_threadless_wait_and_drain(gp_threadless *);
GP_API int gp_threadless_wait_and_drain_timed(gp_threadless *, int64_t nanos);

/* No answer will come: fail the waiting future, behind what is queued, on the waiting thread, which
   thereby returns; when the wait is over, here and now. It needs no memory, and no executor can
   reject it. True: the payload is taken over; it is destroyed if the future turns out to be done
   when its turn comes. False: it stays yours, for another has notified before, or the wait is over
   and the future done. */
GP_API bool gp_threadless_notify_return(gp_threadless *, const gp_failure *);

GP_API int gp_threadless_check(gp_threadless *); /* walks its invariants: 0, or the broken one's
                                                    number */

GP_END_DECLS

#endif
