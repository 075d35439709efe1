/*
 * Glasspool: time.
 *
 * Times and durations are nanoseconds in an int64_t. A point in time comes from gp_now(), which
 * reads CLOCK_MONOTONIC; it may wrap, so compare differences (gp_time_until), never the values.
 * A duration given as a timeout: zero or less means "do not wait", GP_FOREVER "without limit".
 */
#ifndef GLASSPOOL_CLOCK_H
#define GLASSPOOL_CLOCK_H

#include <stdint.h> /* int64_t */

#include "api.h"

GP_BEGIN_DECLS

#define GP_MICROSECONDS(n) ((int64_t)(n)*INT64_C(1000))
#define GP_MILLISECONDS(n) ((int64_t)(n)*INT64_C(1000000))
#define GP_SECONDS(n)      ((int64_t)(n)*INT64_C(1000000000))

#define GP_FOREVER INT64_MAX /* a timeout without limit */

GP_API int64_t gp_now(void);                              /* nanoseconds since some start */
GP_API int64_t gp_time_until(int64_t time, int64_t now);  /* time - now, right across a wrap */
GP_API int64_t gp_time_after(int64_t now, int64_t delay); /* now + delay, wrapping */

GP_END_DECLS

#endif
