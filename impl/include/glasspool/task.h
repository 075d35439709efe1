/*
 * Glasspool: tasks and the callables in them.
 *
 * A callable is what to do: a function, its argument, and what becomes of the argument. A task is a
 * callable on its way through a queue to a worker; most tasks are also futures (future.h).
 *
 * Who owns what. Exactly one place owns a task: whoever made it, then the queue, then the worker.
 * Calls that take a task over say so; gp_task_run and gp_task_discard use it up. The argument's
 * destructor is called exactly once, whatever becomes of the task: when it has run, when it is
 * cancelled and leaves its queue, when it is rejected or discarded; it may be a moment after its
 * future is done. Only a call that fails with GP_EINVAL, GP_ENOMEM or GP_EAGAIN leaves the argument
 * with the caller, untouched.
 *
 * Beside the owner others may hold references (gp_task_retain): they keep the task's memory, never
 * its argument.
 */
#ifndef GLASSPOOL_TASK_H
#define GLASSPOOL_TASK_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t, uint64_t */

#include "api.h"
#include "thread.h" /* gp_run_fn */

GP_BEGIN_DECLS

typedef struct gp_task gp_task;
typedef struct gp_future gp_future;

typedef int gp_call_fn(void *argument, void **result);
typedef void gp_destroy_fn(void *argument);

typedef struct gp_callable {
    gp_call_fn *call;       /* returns 0 and may set *result; anything else is its error code */
    gp_run_fn *run;         /* or, instead of call, a plain function ... */
    void *result;           /* ... and the result that stands for its success */
    void *argument;         /* handed to call or run */
    gp_destroy_fn *destroy; /* gets the argument at the task's end; NULL: nothing to do */
} gp_callable;

GP_API gp_callable gp_callable_of(gp_run_fn *run, void *argument, void *result); /* the adapter */

/* What a failing callable hands to whoever asks. The message must be a literal or otherwise outlive
   the future; the payload is owned by the future from then on. */
typedef struct gp_failure {
    int code;                       /* never 0 */
    const char *message;            /* or NULL */
    void *payload;                  /* or NULL */
    gp_destroy_fn *destroy_payload; /* or NULL; not called without a payload */
} gp_failure;

/* In a gp_call_fn: `return gp_fail(&(gp_failure){...});`. In a gp_run_fn it has no effect. */
GP_API int gp_fail(const gp_failure *);

/* Tasks. */

GP_API int gp_task_new(const gp_callable *, gp_task **out); /* a task without a future */
GP_API void gp_task_run(gp_task *);                         /* run it here and now; uses it up */
GP_API void gp_task_discard(gp_task *);                     /* not to be run; cancels its future */
GP_API gp_task *gp_task_retain(gp_task *);                  /* keep its memory */
GP_API void gp_task_release(gp_task *);                     /* give back such a reference */
GP_API void *gp_task_argument(const gp_task *);             /* as given in the callable */
GP_API gp_future *gp_task_future(gp_task *);                /* borrowed; NULL if it has none */
GP_API int64_t gp_task_time(const gp_task *);               /* due (delayed), else when queued */

/* A task that a delayed queue takes: due at `time`; among equal times the lower sequence first. Of
   the sequence 32 bits count, and are compared by their difference. */
GP_API int gp_task_new_delayed(const gp_callable *, int64_t time, uint64_t sequence, gp_task **out);

/* Tasks handed back in bulk, first to last. */
typedef struct gp_task_list {
    gp_task *first;
    gp_task *last;
    size_t count;
} gp_task_list;

GP_API gp_task *gp_task_list_pop(gp_task_list *); /* the first, now owned by you; NULL: empty */
GP_API void gp_task_list_discard(gp_task_list *); /* discard all that are left */

GP_END_DECLS

#endif
