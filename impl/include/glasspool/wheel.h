/*
 * Glasspool: timers, for many timeouts of which few are ever due.
 *
 * A timer calls a function some time from now, unless the timeout is cancelled first. It has one
 * thread for all of them, the worker. Adding and cancelling cost the same however many there are. A
 * timeout is never called before it is due.
 *
 *     INIT      its worker starts with the first timeout, or by gp_timer_start
 *     STARTED   takes timeouts and calls those that are due
 *     SHUTDOWN  takes no more                                   gp_timer_stop
 *
 * There are two kinds. The hashed wheel, gp_wheel_new, is a clock face with a bucket of timeouts
 * per tick: the hand goes on by one bucket each tick, whether there is something to do or not, and
 * a timeout is called at the end of the tick in which it is due. The tickless wheel,
 * gp_tickless_new, sleeps until the next deadline: timeouts are called when they are due, as soon
 * as the system wakes the worker, in the order of their nanoseconds, and those of the same one in
 * the order in which they were added. What was due before the worker last woke up, and reaches it
 * only now, is called in the order in which it was added. (timer_slack in gp_thread_config makes
 * the system quicker.)
 *
 * A timeout ends in exactly one way: it expires; it is cancelled; or stop hands it back. It is
 * pending until then. When it expires its function is called, unless there is an executor, and that
 * refuses or drops it; then it has failed. Its argument is destroyed exactly once: after the call
 * or in place of it, by the cancel, or, if stop has handed it back, with the last reference to it.
 *
 * Handles are counted. One may outlive the timer, which is then good for comparison only.
 *
 * Lifetime. gp_timer_stop returning GP_OK means that the worker has been joined; only then
 * gp_timer_free succeeds. Who has stopped the timer, the first of them, or cancels a timeout may
 * still be inside that call when another frees the timer. Any other call must have returned by
 * then; also a second stop, which may just have begun.
 *
 * Hooks, factories and destructors must return: only a timeout's function may end its thread. It
 * then fails with GP_EABRUPT, and the worker is replaced; if no thread is to be had, by the next
 * gp_timer_after or gp_timer_start. A factory must not use the timer. If it hands out a thread that
 * it has started itself, that is refused, and the timer's memory kept until the thread has called
 * the function that it was to run; one that fails must see to it that nobody calls it. A destructor
 * of thread-specific data that runs in a worker which was killed may use the timer, but not stop or
 * free it: GP_EDEADLK.
 */
#ifndef GLASSPOOL_WHEEL_H
#define GLASSPOOL_WHEEL_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t, uint64_t */

#include "api.h"
#include "pool.h"   /* gp_pool, gp_thread_factory */
#include "task.h"   /* gp_destroy_fn */
#include "thread.h" /* gp_thread_config */

GP_BEGIN_DECLS

typedef struct gp_timer gp_timer;
typedef struct gp_timeout gp_timeout;

/* What a timeout does: 0, or an error code. One that fails is counted, and the hook is told. The
   timeout is lent for the call; stop interrupts a call that is under way on the worker. */
typedef int gp_timeout_fn(gp_timeout *, void *argument);

/* NULL: not wanted. */
typedef struct gp_timer_hooks {
    /* by whoever has called the function, before the argument is destroyed: its error code, or
       GP_EABRUPT; or, not called, what the executor has said (GP_EREJECTED if it did not say) */
    void (*failed)(void *context, gp_timeout *, int status);
    void (*too_many)(void *context, unsigned instances); /* more than 64 timers; once a process */
    void *context; /* with an executor: to be there until that has done what it was given */
} gp_timer_hooks;

typedef struct gp_wheel_config {
    int64_t tick;              /* nanoseconds, at least 1; to be of use, 100 us or more: a worker
                                that needs longer for its turn falls behind, ever further, and calls
                                all of them late */
    int64_t ticks_per_wheel;   /* 1 to 2^30, rounded up to a power of two; a revolution, that many
                                ticks, must be less than INT64_MAX nanoseconds */
    int64_t max_pending;       /* 0 or less: no limit */
    gp_thread_config thread;   /* for the default factory; name NULL: timer-N */
    gp_thread_factory factory; /* create NULL: the default factory */
    gp_pool *executor; /* borrowed; its workers call the functions. It may be shut down before the
                          timer stops, and what it refuses then has failed; but not freed. NULL: the
                          timer's worker calls them */
    gp_timer_hooks hooks;
    gp_kind
        kind; /* GP_FAST: adding takes a third of the time. Delays count from the end of the tick
                     in which a timeout is added, so it is called up to a tick later, still never
                     before it is due. The memory of timeouts is kept for those to come, and given
                     back when the timer is freed and the last handle released; so no tool sees a
                     handle used after its release. Means nothing with an executor */
} gp_wheel_config;

#define GP_WHEEL_CONFIG_DEFAULT                                                                 \
    {                                                                                           \
        INT64_C(100000000), 512, 0, {NULL, 0, 0, 0, 0}, {NULL, NULL}, NULL, {NULL, NULL, NULL}, \
            GP_REFERENCE                                                                        \
    }

GP_API int gp_wheel_new(const gp_wheel_config *, gp_timer **out); /* GP_EINVAL, GP_ENOMEM */

typedef struct gp_tickless_config {
    int64_t max_pending;       /* 0 or less: no limit */
    int64_t max_cancelled;     /* at least 1: while the worker sleeps no more cancelled timeouts
                                  wait for it to free their memory; that many wake it up */
    gp_thread_config thread;   /* for the default factory; name NULL: timer-N */
    gp_thread_factory factory; /* these, and those below, as for the hashed wheel */
    gp_pool *executor;
    gp_timer_hooks hooks;
} gp_tickless_config;

#define GP_TICKLESS_CONFIG_DEFAULT                       \
    {                                                    \
        0, 1024, {NULL, 0, 0, 0, 0}, {NULL, NULL}, NULL, \
        {                                                \
            NULL, NULL, NULL                             \
        }                                                \
    }

GP_API int gp_tickless_new(const gp_tickless_config *, gp_timer **out); /* GP_EINVAL, GP_ENOMEM */
GP_API int gp_timer_free(gp_timer *);  /* GP_EBUSY unless stopped; GP_EDEADLK; NULL is fine */
GP_API int gp_timer_close(gp_timer *); /* stop, give up what was not called, free; or as stop */

/* Using it. */

GP_API int gp_timer_start(gp_timer *); /* GP_OK: the worker is there, and its clock runs.
                                          GP_ESTATE: stopped. GP_EAGAIN, GP_ENOMEM: no thread, or
                                          none that was not started already; try again later */

/* Call it `delay` from now; less than 0: it is late already. *out is a handle, out may be NULL; it
   must not lie in the argument, which may be destroyed before it is written. GP_EREJECTED: the
   limit is reached; the argument is destroyed. Any other failure leaves it with the caller:
   GP_EINVAL, GP_ESTATE (stopped), GP_EAGAIN, GP_ENOMEM. */
GP_API int gp_timer_after(gp_timer *timer, int64_t delay, gp_timeout_fn *run, void *argument,
                          gp_destroy_fn *destroy, gp_timeout **out);

/* Stopping it. */

typedef struct gp_timeout_list { /* references handed over in bulk */
    gp_timeout *first;
    gp_timeout *last;
    size_t count;
} gp_timeout_list;

GP_API gp_timeout *gp_timeout_list_pop(gp_timeout_list *); /* the first, now yours; or NULL */
GP_API void gp_timeout_list_release(gp_timeout_list *);    /* gives up all that are left */

/* Ends the worker, interrupting what it calls, and waits for that; not for the executor. *unrun is
   overwritten: all timeouts that were pending, in no order, and cancelled by this. NULL: they are
   given up. Who comes second gets an empty list when the first has done it. An interrupt does not
   end the wait; the flag is up afterwards. GP_EDEADLK: on the worker, see above. GP_ENOMEM: no
   record for the calling thread. Then nothing has happened, *unrun included. */
GP_API int gp_timer_stop(gp_timer *, gp_timeout_list *unrun);
GP_API bool gp_timer_is_stopped(gp_timer *); /* true from the first stop on, for ever */

/* Timeouts. */

GP_API bool gp_timeout_cancel(gp_timeout *); /* true: this call did it; destroys the argument */
GP_API bool gp_timeout_drop(
    gp_timeout *); /* cancels it, and gives up the handle: one step less than
                                              both calls. True: this call did it; NULL is fine */
GP_API bool gp_timeout_is_expired(const gp_timeout *);   /* called or about to be, or handed to the
                                                            executor */
GP_API bool gp_timeout_is_cancelled(const gp_timeout *); /* by cancel or by stop */
GP_API gp_timer *gp_timeout_timer(const gp_timeout *);   /* the one it was added to */
GP_API void *gp_timeout_argument(const gp_timeout *);    /* as given; see above for its end */
GP_API int64_t gp_timeout_deadline(const gp_timeout *);  /* when due, comparable with gp_now(); of a
                                                            GP_FAST wheel, before the tick in which
                                                            it was added has ended: when, if that
                                                            ended now */
GP_API gp_timeout *gp_timeout_retain(gp_timeout *);      /* one more handle */
GP_API void gp_timeout_release(gp_timeout *);            /* never cancels; NULL is fine */

/* Watching it. */

GP_API size_t gp_timer_pending(gp_timer *);    /* neither expired nor cancelled; never more than
                                                  the limit */
GP_API uint64_t gp_timer_failures(gp_timer *); /* timeouts that failed */
GP_API uint64_t gp_timer_wakeups(gp_timer *);  /* how often the worker woke up from its waiting */
GP_API size_t
gp_timer_uncollected(gp_timer *); /* tickless: cancelled, and their memory not freed */

/* Walks its invariants: 0, the number of the wheel's that does not hold, or that of the timer's
   plus GP_TIMER_INVARIANT. Buckets are the worker's: they are looked at only on the worker, and
   while there is none. */
#define GP_TIMER_INVARIANT 100
GP_API int gp_timer_check(gp_timer *);

GP_END_DECLS

#endif
