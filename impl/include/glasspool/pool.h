/*
 * Glasspool: the thread pool.
 *
 *     RUNNING     takes tasks and runs them
 *     SHUTDOWN    takes no more, runs what is queued            gp_pool_shutdown
 *     STOP        runs nothing more, interrupts what runs       gp_pool_shutdown_now
 *     TIDYING     no task, no worker; the terminated hook runs
 *     TERMINATED  the hook has run                              gp_pool_await_termination
 *
 * A task finds a worker in three steps: fewer than core_size workers, start one with it; otherwise
 * queue it; if the queue is full, start one more up to maximum_size; otherwise reject it.
 *
 * Lifetime. A pool has one handle. gp_pool_await_termination returning GP_OK means that every
 * worker has been joined, and that gp_pool_free succeeds, unless another still waits for the pool;
 * gp_pool_free tries the same without waiting. Freeing a pool that still runs, or that somebody
 * ends or waits for, is refused with GP_EBUSY, from inside one of its tasks with GP_EDEADLK;
 * nothing happens in either case. So those may be inside their calls when another frees the pool.
 * Any other call must have returned by then, above all a submission: its task may have run and told
 * the world before the call is over. C has no finalizer: a handle that is lost is a pool that runs
 * until the process ends. gp_pool_close does all of it: shut down, wait, free.
 *
 * Hooks, factories, rejection handlers and destructors must return: only a task may end its thread.
 * A factory must not use the pool.
 *
 * A task that leaves by pthread_exit, or is cancelled with pthread_cancel, fails its future with
 * GP_EABRUPT; its worker is replaced. If a thread cannot be created the pool makes do with the
 * workers it has; only when there is none the call fails with GP_EAGAIN.
 */
#ifndef GLASSPOOL_POOL_H
#define GLASSPOOL_POOL_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t, uint64_t */

#include "api.h"
#include "future.h" /* gp_callable, gp_future */
#include "queue.h"  /* gp_queue */
#include "thread.h" /* gp_thread, gp_thread_config */

GP_BEGIN_DECLS

typedef struct gp_pool gp_pool;

/* Making threads: hand out a thread that is not yet started and runs `run(argument)`. A factory
   that fails, hands out nothing or a thread already started costs the pool nothing: it rolls back.
   A thread already started has to call `run` all the same, at any time, even when the pool is gone:
   that frees what was made for it, and returns at once. If the factory fails, what it has left in
   *out is not looked at: it releases a thread that it has made, and must not have started it. */
typedef struct gp_thread_factory {
    int (*create)(void *context, gp_run_fn *run, void *argument, gp_thread **out);
    void *context;
} gp_thread_factory;

/* Rejecting: takes the task over. GP_OK tells the submitter that all is well, anything else becomes
   GP_EREJECTED. */
typedef int gp_reject_fn(void *context, gp_pool *, gp_task *);

GP_API gp_reject_fn gp_reject_abort;          /* GP_EREJECTED */
GP_API gp_reject_fn gp_reject_caller_runs;    /* run it here, unless the pool is shut down */
GP_API gp_reject_fn gp_reject_discard;        /* drop it, cancel its future, say GP_OK */
GP_API gp_reject_fn gp_reject_discard_oldest; /* drop the head of the queue, try again */

typedef struct gp_rejection {
    gp_reject_fn *reject;
    void *context;
} gp_rejection;

/* Called by the worker around each task, and once at the end. NULL: not wanted. */
typedef struct gp_pool_hooks {
    void (*before_execute)(void *context, gp_task *);
    void (*after_execute)(void *context, gp_task *, int status); /* GP_OK or GP_EABRUPT */
    void (*terminated)(void *context);
    void *context;
} gp_pool_hooks;

typedef struct gp_pool_config {
    int core_size;             /* 0 or more */
    int maximum_size;          /* at least 1, at least core_size */
    int64_t keep_alive;        /* how long an idle worker beyond core_size stays; nanoseconds */
    bool core_timeout;         /* core workers retire likewise; needs keep_alive > 0 */
    bool time_tasks;           /* keep histograms of waiting and running time */
    gp_queue *queue;           /* taken over by gp_pool_new if it succeeds; NULL: linked, unbounded;
                                gp_conveyor_new makes one for a flood of small tasks */
    gp_thread_config thread;   /* for the default factory; name NULL: pool-N-thread-M,
                                otherwise the first 14 characters of name, and -thread-M */
    gp_thread_factory factory; /* create NULL: the default factory */
    gp_rejection rejection;    /* reject NULL: gp_reject_abort */
    gp_pool_hooks hooks;
} gp_pool_config;

#define GP_POOL_CONFIG_DEFAULT                                                      \
    {                                                                               \
        1, 1, 0, false, true, NULL, {NULL, 0, 0, 0, 0}, {NULL, NULL}, {NULL, NULL}, \
        {                                                                           \
            NULL, NULL, NULL, NULL                                                  \
        }                                                                           \
    }

GP_API int gp_pool_new(const gp_pool_config *, gp_pool **out); /* GP_EINVAL, GP_ENOMEM */
GP_API int gp_pool_free(gp_pool *);  /* GP_EBUSY unless terminated, and while somebody waits for
                                        it; GP_EDEADLK; NULL is fine */
GP_API int gp_pool_close(gp_pool *); /* shut down, wait for all tasks, free. GP_EINTERRUPTED,
                                        GP_ENOMEM, GP_EAGAIN: shut down but not freed; call it
                                        again. GP_EBUSY: somebody else waits for its end; likewise.
                                        GP_EDEADLK: from inside one of its tasks */

/* Giving it work. GP_OK, GP_EREJECTED: the task, or the argument, is used up. GP_EINVAL, GP_ENOMEM,
   GP_EAGAIN: it is still yours. */

GP_API int gp_pool_execute(gp_pool *, gp_run_fn *run, void *argument); /* without a future */
GP_API int gp_pool_execute_task(gp_pool *, gp_task *);                 /* as gp_task_new makes it */

/* With a future, *out. out may be NULL; it must not lie in the argument, which may be destroyed
   before it is written. */
GP_API int gp_pool_submit(gp_pool *, const gp_callable *, gp_future **out);

/* nanos is a timeout, GP_FOREVER for none.
   All of them: out[i] is done for each i. GP_ETIMEDOUT: likewise, some were cancelled. With any
   other failure out is not written; GP_EINVAL and GP_ENOMEM leave all arguments with the caller,
   other failures use all of them up. */
GP_API int gp_pool_invoke_all(gp_pool *, const gp_callable *, size_t count, int64_t nanos,
                              gp_future **out);

/* Any of them: the result of one that succeeded; the rest is cancelled. GP_EFAILED: none did. */
GP_API int gp_pool_invoke_any(gp_pool *, const gp_callable *, size_t count, int64_t nanos,
                              void **result);

GP_API bool gp_pool_remove(gp_pool *,
                           gp_future *); /* out of the queue, and cancelled; false: not there */
GP_API void gp_pool_purge(gp_pool *);    /* cancelled futures out of the queue */

/* Ending it. */

GP_API void gp_pool_shutdown(gp_pool *); /* no more tasks; does not wait; twice is fine */

/* The same; also empties the queue, and interrupts what runs. *unrun is overwritten: its tasks are
   yours to run or discard, and their futures wait for that. NULL: discard them. */
GP_API void gp_pool_shutdown_now(gp_pool *, gp_task_list *unrun);

/* These two: GP_OK, GP_ETIMEDOUT, GP_EINTERRUPTED, GP_ENOMEM, or GP_EDEADLK from inside a task.
   Awaiting termination may also give GP_EAGAIN: tasks are left, and no thread is to be had. */
GP_API int gp_pool_await_termination(gp_pool *, int64_t nanos);
GP_API int gp_pool_await_quiescence(gp_pool *, int64_t nanos); /* nothing queued, nothing running;
                                                                  the pool goes on */

GP_API bool gp_pool_is_shutdown(gp_pool *);    /* SHUTDOWN or later */
GP_API bool gp_pool_is_terminating(gp_pool *); /* shut down, and not yet TERMINATED */
GP_API bool gp_pool_is_terminated(gp_pool *);  /* TERMINATED */

/* Changing it while it runs. Workers that are too many end when they are idle, not before.
   GP_EINVAL: it does not go with the rest of the configuration. GP_EPERM: this executor cannot be
   reconfigured. */

GP_API int gp_pool_set_core_size(gp_pool *, int); /* more: they start if there are queued tasks */
GP_API int gp_pool_set_maximum_size(gp_pool *, int);                  /* at least 1 */
GP_API int gp_pool_set_keep_alive(gp_pool *, int64_t nanos);          /* 0 or more */
GP_API int gp_pool_set_core_timeout(gp_pool *, bool);                 /* needs keep_alive > 0 */
GP_API int gp_pool_set_rejection(gp_pool *, const gp_rejection *);    /* of tasks from now on */
GP_API int gp_pool_set_factory(gp_pool *, const gp_thread_factory *); /* of threads from now on */
GP_API int gp_pool_prestart_core(gp_pool *);     /* one idle core worker; GP_ESTATE: all are there;
                                                GP_EREJECTED: shut down; GP_EAGAIN, GP_ENOMEM */
GP_API int gp_pool_prestart_all_core(gp_pool *); /* how many were started */

/* As set last. */
GP_API int gp_pool_core_size(gp_pool *);
GP_API int gp_pool_maximum_size(gp_pool *);
GP_API int64_t gp_pool_keep_alive(gp_pool *);
GP_API bool gp_pool_core_timeout(gp_pool *);

/* Watching it. */

#define GP_HISTOGRAM_BUCKETS 64

typedef struct gp_histogram { /* durations in nanoseconds */
    uint64_t count;
    int64_t total;
    int64_t maximum;
    uint64_t buckets[GP_HISTOGRAM_BUCKETS]; /* [i]: at least 2^(i-1), less than 2^i; [0]: zero */
} gp_histogram;

typedef struct gp_pool_stats {
    int pool_size;       /* workers now */
    int active;          /* of them running a task */
    int largest;         /* workers at most */
    uint64_t completed;  /* runs that workers have ended: also failed, also of cancelled tasks */
    uint64_t total;      /* completed + running + queued */
    size_t queued;       /* tasks in the queue now */
    size_t deepest;      /* most ever queued */
    gp_histogram waited; /* from being queued, or due, to being run; if time_tasks */
    gp_histogram ran;    /* from start to end; if time_tasks */
} gp_pool_stats;

GP_API void gp_pool_statistics(gp_pool *, gp_pool_stats *out); /* tasks go on meanwhile */
GP_API int64_t gp_histogram_quantile(const gp_histogram *, double share); /* an upper bound */

typedef struct gp_pool_thread { /* a worker, seen in passing */
    char name[32];
    void (*runs)(void); /* its task's function, to be shown and not to be called; NULL: idle */
    uint64_t completed; /* runs that it has ended */
} gp_pool_thread;

GP_API size_t gp_pool_threads(gp_pool *, gp_pool_thread *out,
                              size_t capacity); /* how many there are; so many at most into out */

/* Walks its invariants: 0, the number of the queue's that does not hold (gp_queue_check), or that
   of the pool's plus GP_POOL_INVARIANT. */
#define GP_POOL_INVARIANT 100
GP_API int gp_pool_check(gp_pool *);

GP_END_DECLS

#endif
