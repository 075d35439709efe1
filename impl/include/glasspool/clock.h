/*
 * Glasspool: time.
 *
 * Times and durations are nanoseconds in an int64_t. A point in time comes from gp_now(), which
 * reads CLOCK_MONOTONIC; it may wrap, so compare differences (gp_time_until), never the values.
 * A duration given as a timeout: zero or less means "do not wait", GP_FOREVER "without limit".
 *
 * Wall time is another matter: nanoseconds since 1970-01-01 00:00 UTC, as CLOCK_REALTIME has it. It
 * is what people mean by half past nine, and it jumps when somebody sets the clock. Nothing waits
 * by it; triggers (trigger.h) translate it.
 */
#ifndef GLASSPOOL_CLOCK_H
#define GLASSPOOL_CLOCK_H

#include <stdbool.h>
#include <stdint.h> /* int64_t */

#include "api.h"

GP_BEGIN_DECLS

#define GP_MICROSECONDS(n) ((int64_t)(n)*INT64_C(1000))
#define GP_MILLISECONDS(n) ((int64_t)(n)*INT64_C(1000000))
#define GP_SECONDS(n)      ((int64_t)(n)*INT64_C(1000000000))

#define GP_FOREVER INT64_MAX /* a timeout without limit */
#define GP_NEVER   INT64_MAX /* a wall time that does not come */

GP_API int64_t gp_now(void);                              /* nanoseconds since some start */
GP_API int64_t gp_time_until(int64_t time, int64_t now);  /* time - now, right across a wrap */
GP_API int64_t gp_time_after(int64_t now, int64_t delay); /* now + delay, wrapping */

GP_API int64_t gp_wall_now(void); /* wall time */

/* A wall clock of one's own, for who wants to move it by hand; now NULL: gp_wall_now. */
typedef struct gp_wall_clock {
    int64_t (*now)(void *context); /* tells the time and does nothing else; may be called by any
                                      thread, and with locks of ours held */
    void *context;
    bool steady; /* it is never set, nor stands still: nobody needs to watch it (trigger.h) */
} gp_wall_clock;

GP_END_DECLS

#endif
