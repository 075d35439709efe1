/*
 * Glasspool: triggers: tasks that are due by the wall clock, at times that a function tells.
 *
 * A trigger is asked for the next time: once when the task is scheduled, and after each run. So the
 * runs of one task never overlap, and what the trigger learns of the last run is complete: when it
 * was due, when it began, when it ended.
 *
 * The wall clock. It is not the clock that a pool sleeps by: it is set by people, by NTP, and runs
 * on while a laptop sleeps. A gp_scheduled that has triggered tasks, and an idle worker, compares
 * the two clocks twice a second, and moves all of them when they have come apart by more than 50
 * ms. So, whatever the clock does:
 *
 *     - a run is due by the wall clock as it is now, a second after it was set at the latest;
 *     - nothing runs twice for the same time, though the clock passes it twice: what has run waits
 *       until the clock is past it again; except when it was put back by more than
 *       GP_CLOCK_CORRECTION at once: then the new time is taken for the true one;
 *     - a time that the clock jumped over is missed: it was yet to come, and is past by more than
 *       50 ms. GP_MISSED_RUN_ONCE makes up for all of them with one run at once, GP_MISSED_SKIP
 *       goes on with the next time to come. A run that is late because the pool is busy is not
 *       missed; it is run late. Nor is one that falls due by the old clock before anybody has
 *       looked: for half a second after the clock was set.
 *
 * A run that fails. A triggered task goes on, as in Spring: the failure is counted and told to
 * `failed`. With stop_on_failure it ends, as a periodic task of the scheduled pool does, and its
 * future tells how. A task that leaves by pthread_exit or pthread_cancel ends in either case; that
 * is counted as a failure, too, and told to nobody but its future.
 *
 * For all else a triggered task is a periodic one: it ends by its failure, when it is cancelled,
 * when its trigger has no next time (its future is then cancelled: nobody else will complete it),
 * or when the pool is shut down, unless continue_periodic.
 */
#ifndef GLASSPOOL_TRIGGER_H
#define GLASSPOOL_TRIGGER_H

#include <stdbool.h>
#include <stdint.h> /* int64_t, uint64_t */

#include "api.h"
#include "clock.h"     /* gp_wall_now, GP_NEVER */
#include "cron.h"      /* gp_cron */
#include "scheduled.h" /* gp_scheduled */

GP_BEGIN_DECLS

#define GP_CLOCK_CORRECTION (INT64_C(3) * 3600 * 1000000000) /* 3 hours, as in Unix's cron */

/* What a trigger knows of the last run; before the first all three are GP_NEVER. Wall time. */
typedef struct gp_trigger_context {
    int64_t scheduled;  /* when it was due */
    int64_t actual;     /* when it began */
    int64_t completion; /* when it ended */
} gp_trigger_context;

typedef struct gp_trigger {
    int64_t (*next)(void *self, const gp_trigger_context *, int64_t now); /* or GP_NEVER; one call
                                              at a time, never with a lock of ours held; it has to
                                              return, and soon; it may be interrupted */
    void *self;
    gp_destroy_fn *destroy; /* gets self when the task is freed; NULL: nothing to do */
} gp_trigger;

/* Made of a cron expression: next after the end of the last run, or after its due time if that is
   later, as it is when a timer is early. Keeps a reference of the expression. */
GP_API gp_trigger gp_trigger_of_cron(gp_cron *);

/* Periodic, from a time of day on. At a fixed rate: start, start + period, ..., without those that
   were over when the last run ended; with a fixed delay: start, then `delay` after the end of each
   run. start GP_NEVER: at once. GP_EINVAL: period <= 0. GP_ENOMEM. */
GP_API int gp_trigger_at_fixed_rate(int64_t start, int64_t period, gp_trigger *out);
GP_API int gp_trigger_with_fixed_delay(int64_t start, int64_t delay, gp_trigger *out);

GP_API void gp_trigger_discard(gp_trigger *); /* one that no task has taken over */

typedef enum gp_missed {
    GP_MISSED_RUN_ONCE, /* once, at once, for all that were missed */
    GP_MISSED_SKIP      /* not at all */
} gp_missed;

typedef struct gp_trigger_options {
    gp_missed missed;
    bool stop_on_failure;
    void (*failed)(void *context, gp_future *, const gp_failure *); /* NULL: not wanted; on the
                                       worker, after the run, while the future still is GP_NEW. Not
                                       called for pthread_exit and pthread_cancel */
    void *context;
} gp_trigger_options;

/* GP_OK, GP_EREJECTED: the trigger has been taken over with the callable, and is destroyed with the
   task. options NULL: all zero; out may be NULL. GP_ENOTFOUND: the trigger has no first time. */
GP_API int gp_schedule_trigger(gp_scheduled *, const gp_callable *, const gp_trigger *,
                               const gp_trigger_options *, gp_future **out);

/* How a triggered task is doing. */
typedef struct gp_triggered_status {
    gp_trigger_context last; /* the last run that has ended; by one clock, that of its beginning */
    int64_t next;            /* when the next is due, or the one that is running was; GP_NEVER: it
                                has ended */
    uint64_t runs;           /* that have ended */
    uint64_t failures;       /* of these */
    uint64_t missed;         /* how often the clock has jumped over its time */
} gp_triggered_status;

/* Of futures that gp_schedule_trigger has given; for others GP_EINVAL. */
GP_API int gp_triggered_status_of(const gp_future *, gp_triggered_status *out);

GP_END_DECLS

#endif
