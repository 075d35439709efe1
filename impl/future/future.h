/* The future inside the library, for the kinds of task that are built on it. */
#ifndef GP_FUTURE_FUTURE_H
#define GP_FUTURE_FUTURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <glasspool/future.h>

#include "future/task.h"
#include "sync/thread.h" /* gp_thread */

struct gp__future_waiter;

/* A state for ourselves: INTERRUPTING, and the runner is to make it INTERRUPTED. */
enum {
    GP__HANDED_OVER = GP_INTERRUPTED + 1
};

/*
 * Lock letters:
 *   A: atomic
 */
struct gp_future {
    gp_task task;                                /* A its fields have letters of their own; `state`
                                                    and `word.outcome` are among them */
    _Atomic(gp_thread *) runner;                 /* A who runs the callable: the claim */
    _Atomic(struct gp__future_waiter *) waiters; /* A stack of those who wait */
};

void gp__future_init(gp_future *, const struct gp__task_class *, const gp_callable *);
void gp__future_destroy(gp_future *); /* the last reference is gone: give up outcome and callable */
void gp__future_run_task(gp_task *);  /* class->run: run, then give up the ownership */
void gp__future_discard(gp_task *);   /* class->discard: cancel, then give up the ownership */
void gp__future_give_up_callable(gp_future *); /* the owner will not have it run any more */
void gp__future_drop(gp_future *);   /* the owner is done with it: callable and reference */
gp_future *gp__future_of(gp_task *); /* class->future */
void gp__future_release_handle(void *future); /* gp_future_release as a cleanup handler */
int gp__future_hand_out(gp_future *handle, int status,
                        gp_future **out); /* what an executor has said of its task: give up what is
                                             not used up; the handle to who wants it */

/* gp_future_get_timed against a deadline that was fixed before [CLOCK-1] */
int gp__future_get_until(gp_future *, int64_t deadline, void **result);

/* Who wants to know of a run from inside; NULL: he does not. */
struct gp__run_watch {
    void (*begins)(void *context);                     /* the callable is about to be called */
    bool (*failed)(void *context, const gp_failure *); /* true: the future is not to learn of it,
                                                          and what it carries is destroyed */
    void *context;
};

/* gp_future_run_and_reset, watched */
bool gp__future_run_watched(gp_future *, const struct gp__run_watch *);

/* waiters.c */
int gp__future_await(gp_future *, gp_thread *self, int64_t deadline); /* until done; GP_OK,
                                                          GP_ETIMEDOUT, GP_EINTERRUPTED */
void gp__future_release_waiters(gp_future *);

#endif
