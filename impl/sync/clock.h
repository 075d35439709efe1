/* The clock inside the library: deadlines, made once from a timeout and then only compared. */
#ifndef GP_SYNC_CLOCK_H
#define GP_SYNC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h> /* struct timespec */

#include <glasspool/clock.h>

#define GP__NO_DEADLINE INT64_MIN /* a deadline that never comes */

/* gp_time_until, where a call would cost more than the difference does. */
static inline int64_t gp__time_between(int64_t time, int64_t now)
{
    return (int64_t)((uint64_t)time - (uint64_t)now);
}

int64_t gp__deadline(int64_t nanos);            /* now + nanos; GP__NO_DEADLINE for GP_FOREVER */
bool gp__passed(int64_t deadline, int64_t now); /* is it now or over? */
struct timespec gp__timespec(int64_t time);     /* for the system's absolute waits */

#endif
