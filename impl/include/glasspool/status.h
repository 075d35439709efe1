/*
 * Glasspool: status codes.
 *
 * Every call that can fail returns an int: GP_OK (zero), or a count, or one of the negative codes
 * below. A call that fails has changed nothing, unless its own comment says otherwise. The library
 * never prints, never aborts and never touches errno on purpose.
 *
 * NULL. Calls that make something, take work or wait for a queue check their arguments: NULL where
 * something is needed is GP_EINVAL. Calls that end something (free, close, release) take NULL for
 * nothing to do. All others, like the C library's, need what they name: a pool, a future, a thread.
 *
 * The codes are negative, a task's own error codes usually positive (errno values); but a task may
 * return any code, and it is kept as it is.
 */
#ifndef GLASSPOOL_STATUS_H
#define GLASSPOOL_STATUS_H

#include "api.h"

GP_BEGIN_DECLS

enum gp_status {
    GP_OK = 0,
    GP_EINVAL = -1,       /* an argument is wrong */
    GP_ENOMEM = -2,       /* no memory; of a call that waits: none for the thread's record */
    GP_EAGAIN = -3,       /* no thread could be created, and none is there to do the work */
    GP_EREJECTED = -4,    /* a pool is shut down or saturated, a timer full; the task is used up */
    GP_ECANCELLED = -5,   /* the task was cancelled */
    GP_EFAILED = -6,      /* the task failed; gp_future_failure tells how */
    GP_ETIMEDOUT = -7,    /* the time is up */
    GP_EINTERRUPTED = -8, /* the calling thread was interrupted; its flag is cleared */
    GP_EDEADLK = -9,      /* waiting would never end: one's own future, one's own pool */
    GP_EBUSY = -10,       /* still in use: a pool that runs cannot be freed */
    GP_EFULL = -11,       /* the queue is full */
    GP_EEMPTY = -12,      /* the queue has nothing to give */
    GP_ENOTFOUND = -13,   /* there is no such thing: a task in a queue, a pool in a repository */
    GP_ESTATE = -14,      /* too late or too early: the state does not allow it */
    GP_EPERM = -15,       /* this executor cannot be reconfigured */
    GP_EABRUPT = -16,     /* a task left its thread by pthread_exit or cancellation */
    GP_ENOTSUP = -17      /* the platform does not offer it */
};

GP_API const char *gp_strerror(int status); /* a short sentence; never NULL */

GP_END_DECLS

#endif
