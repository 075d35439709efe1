/*
 * Glasspool: the scheduled pool: run it later, or again and again.
 *
 * A gp_scheduled is a gp_pool whose queue gives out tasks when they are due; gp_scheduled_pool
 * gives the pool, to execute, submit, shut down, wait and watch as with any other.
 *
 * Periodic tasks. At a fixed rate runs are due at initial_delay, + period, + 2 period, ...; with a
 * fixed delay each is due `delay` after the end of the one before. Runs of one task never overlap.
 * A task ends when it fails (its future tells how), is cancelled, or the pool is shut down (unless
 * continue_periodic). The future of a periodic task never completes normally.
 *
 * Scheduling a periodic task that is due at once while the pool is shut down may answer
 * GP_EREJECTED although the task has had a first run: the pool took it in, a worker was quick, and
 * the shutdown came before the answer. Rejected means that it will not run again, and that its
 * argument is destroyed, once.
 *
 * Delays below zero count as zero; absurdly long ones are cut to some 146 years.
 */
#ifndef GLASSPOOL_SCHEDULED_H
#define GLASSPOOL_SCHEDULED_H

#include <stdbool.h>
#include <stdint.h> /* int64_t */

#include "api.h"
#include "clock.h" /* GP_MILLISECONDS, gp_wall_clock */
#include "future.h"
#include "pool.h"

GP_BEGIN_DECLS

typedef struct gp_scheduled gp_scheduled;

/* What happens to the runs that a fixed-rate task has missed because one took too long. */
typedef enum gp_overrun {
    GP_OVERRUN_CATCH_UP, /* they follow at once, one after the other, as in Java */
    GP_OVERRUN_SKIP      /* they are left out; the next is at a multiple of the period again */
} gp_overrun;

/* A decorator is run in place of the task; it calls gp_proceed, once, to run the task itself. One
   that does not ends the task: it is cancelled. */
typedef struct gp_proceeding gp_proceeding;

typedef struct gp_decorator {
    void (*run)(void *context, gp_proceeding *);
    void *context;
    gp_destroy_fn *destroy; /* gets the context when the task is freed; NULL: nothing to do */
} gp_decorator;

GP_API void gp_proceed(gp_proceeding *); /* runs the task; a second call does nothing */

typedef struct gp_scheduled_config {
    int core_size;             /* 0 or more; 0: a worker comes when one is needed */
    int64_t keep_alive;        /* of workers beyond core_size; nanoseconds */
    bool core_timeout;         /* core workers retire likewise; needs keep_alive > 0 */
    bool time_tasks;           /* keep histograms: lateness and running time */
    bool continue_periodic;    /* after shutdown: periodic tasks go on */
    bool execute_delayed;      /* after shutdown: delayed tasks are run when due */
    bool remove_on_cancel;     /* a cancelled task leaves the queue at once, not when it is due */
    gp_overrun overrun;        /* of fixed-rate tasks */
    gp_thread_config thread;   /* as in gp_pool_config */
    gp_thread_factory factory; /* as in gp_pool_config */
    gp_rejection rejection;    /* as in gp_pool_config */
    gp_pool_hooks hooks;       /* as in gp_pool_config */
    int (*decorate)(void *context, gp_future *task, gp_decorator *out); /* leave *out: no decorator;
                                anything but GP_OK: schedule fails so. The future may be retained,
                                or cancelled right here; others may use it when schedule returns */
    void *decorate_context;
    gp_wall_clock wall_clock; /* by which triggered tasks are due (trigger.h) */
    /* Of its queue: gp_delayed_new; or gp_delayed_lane_new, for many tasks that are due at once. */
    gp_kind kind;
} gp_scheduled_config;

/* One core worker, keep-alive 10 ms, histograms, delayed tasks but not periodic ones after
   shutdown, no removal on cancel, catching up, timer slack 1 ns; the rest zero. */
#define GP_SCHEDULED_CONFIG_DEFAULT                                                               \
    {                                                                                             \
        1, GP_MILLISECONDS(10), false, true, false, true, false, GP_OVERRUN_CATCH_UP,             \
            {NULL, 0, 0, 1, 0}, {NULL, NULL}, {NULL, NULL}, {NULL, NULL, NULL, NULL}, NULL, NULL, \
            {NULL, NULL, false}, GP_REFERENCE                                                     \
    }

GP_API int gp_scheduled_new(const gp_scheduled_config *, gp_scheduled **out); /* as gp_pool_new */
GP_API gp_pool *gp_scheduled_pool(gp_scheduled *); /* the same thing as a pool, borrowed */
GP_API int gp_scheduled_close(gp_scheduled *);     /* gp_pool_close of the pool */

/* Scheduling. out may be NULL; it must not lie in the argument, which may be destroyed before it is
   written. GP_OK, GP_EREJECTED: the argument is used up. GP_EINVAL, GP_ENOMEM, GP_EAGAIN, and what
   else decorate says: it is still yours. */

/* Once, after that delay. */
GP_API int gp_schedule(gp_scheduled *, const gp_callable *, int64_t delay, gp_future **out);

GP_API int gp_schedule_at_fixed_rate(gp_scheduled *, const gp_callable *, int64_t initial_delay,
                                     int64_t period, gp_future **out); /* GP_EINVAL: period <= 0 */
GP_API int gp_schedule_with_fixed_delay(gp_scheduled *, const gp_callable *, int64_t initial_delay,
                                        int64_t delay, gp_future **out); /* likewise */

/* Futures that these calls have given. For others: false, GP_EINVAL. */

GP_API bool gp_scheduled_is_periodic(const gp_future *); /* fixed rate, fixed delay, triggered */
GP_API int gp_scheduled_get_delay(const gp_future *, int64_t *nanos);  /* until due; < 0: overdue */
GP_API int gp_scheduled_compare(const gp_future *, const gp_future *); /* who runs first: <0, 0, >0;
                                                                          others count as equal */

/* Policies, also while it runs. Each as in gp_scheduled_config. */

/* Switched off after shutdown, these two cancel what is queued: all periodic tasks; delayed ones
   that are not due yet. */
GP_API void gp_scheduled_set_continue_periodic(gp_scheduled *, bool);
GP_API void gp_scheduled_set_execute_delayed(gp_scheduled *, bool);

GP_API void gp_scheduled_set_remove_on_cancel(gp_scheduled *, bool); /* from now on */

/* As set last. */
GP_API bool gp_scheduled_continue_periodic(gp_scheduled *);
GP_API bool gp_scheduled_execute_delayed(gp_scheduled *);
GP_API bool gp_scheduled_remove_on_cancel(gp_scheduled *);

GP_END_DECLS

#endif
