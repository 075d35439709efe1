/* Virtual time, in the units of the system's calls. */
#ifndef HARNESS_EXPLORE_CLOCK_H
#define HARNESS_EXPLORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define START_OF_TIME INT64_C(1000000000000)       /* what the monotonic clock shows at first */
#define WALL_OFFSET   INT64_C(1700000000000000000) /* what the wall clock shows besides */

/* Of a time that somebody wants to wait for; false: EINVAL. */
bool clock_is_valid(clockid_t clock, const struct timespec *until);
int64_t clock_deadline(clockid_t clock, const struct timespec *until); /* on the machine's clock */
int64_t clock_after(const struct timespec *duration);

#endif
