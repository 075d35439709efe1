/*
 * Glasspool: the future, a task whose outcome can be waited for.
 *
 *     NEW -> COMPLETING -> NORMAL            it returned
 *     NEW -> COMPLETING -> EXCEPTIONAL       it failed
 *     NEW -> CANCELLED                       cancelled
 *     NEW -> INTERRUPTING -> INTERRUPTED     cancelled, and its thread interrupted
 *
 * A future is counted: each handle that a call gives you is one reference, given back with
 * gp_future_release. Releasing never cancels. Any number of threads may wait. A future may outlive
 * its pool.
 *
 * Waiting for one's own future from inside its task is GP_EDEADLK. Waiting, on the only worker, for
 * a task that is queued behind oneself cannot be detected in general: it waits for ever.
 */
#ifndef GLASSPOOL_FUTURE_H
#define GLASSPOOL_FUTURE_H

#include <stdbool.h>
#include <stdint.h> /* int64_t */

#include "api.h"
#include "task.h" /* gp_callable, gp_failure, gp_future */

GP_BEGIN_DECLS

typedef enum gp_future_state {
    GP_NEW,
    GP_COMPLETING,
    GP_NORMAL,
    GP_EXCEPTIONAL,
    GP_CANCELLED,
    GP_INTERRUPTING,
    GP_INTERRUPTED
} gp_future_state;

typedef void gp_done_fn(gp_future *, void *context); /* told that it is done */

GP_API int gp_future_new(const gp_callable *, gp_future **out); /* GP_EINVAL, GP_ENOMEM */
GP_API int gp_future_new_hooked(const gp_callable *, gp_done_fn *done, void *context,
                                gp_future **out); /* done: called once, by the completer */
GP_API gp_future *gp_future_retain(gp_future *);  /* one more handle */
GP_API void gp_future_release(gp_future *);       /* NULL is fine */
GP_API gp_task *gp_future_task(gp_future *);      /* the same object as a task, borrowed */

/* Running and completing. Each returns whether it was this call that did it. */

GP_API bool gp_future_run(gp_future *);           /* call the callable, complete with its outcome */
GP_API bool gp_future_run_and_reset(gp_future *); /* call it, complete only on failure; may run
                                                     again if true */
GP_API bool gp_future_set(gp_future *, void *result); /* NORMAL, with that result */
GP_API bool gp_future_fail(gp_future *,
                           const gp_failure *); /* EXCEPTIONAL; false: the payload stays yours */

/* CANCELLED; with may_interrupt INTERRUPTED, and the thread that runs it, if there is one, is
   interrupted. */
GP_API bool gp_future_cancel(gp_future *, bool may_interrupt);

/* Asking. */

/* Waits until it is done: GP_OK, GP_ECANCELLED, GP_EFAILED. It may not get there: GP_EINTERRUPTED,
   GP_EDEADLK, GP_ENOMEM. result may be NULL. */
GP_API int gp_future_get(gp_future *, void **result);
GP_API int gp_future_get_timed(gp_future *, int64_t nanos, void **result); /* or GP_ETIMEDOUT */

/* How it failed. GP_ESTATE unless EXCEPTIONAL; the payload stays the future's. */
GP_API int gp_future_failure(gp_future *, gp_failure *out);

GP_API gp_future_state gp_future_state_of(const gp_future *); /* a moment ago */
GP_API bool gp_future_is_done(const gp_future *);             /* anything but NEW */
GP_API bool gp_future_is_cancelled(const gp_future *);        /* CANCELLED or later */
GP_API const char *gp_future_state_name(gp_future_state);     /* "NEW" and so on; "?": no state */

GP_END_DECLS

#endif
