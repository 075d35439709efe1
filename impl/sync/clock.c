/*
 * The clock: nanoseconds of CLOCK_MONOTONIC in an int64_t.
 *
 * Contract. gp_now() never goes backwards, apart from the wrap that an int64_t of nanoseconds has
 * after 292 years. All arithmetic on times is done modulo 2^64 and all comparison on differences,
 * so the wrap is harmless as long as two times that meet are less than 292 years apart. Java's
 * System.nanoTime() has the same contract, and the walkthroughs' `time - now()` relies on it.
 *
 *   [CLOCK-1] A wait is decided on one reading of the clock and carried out against an absolute
 *             deadline. Reading the clock a second time between the decision and the wait is how
 *             APR's pool loses one timer in a hundred thousand: the second reading is already past
 *             the deadline, and a negative wait is taken for "no limit".
 *
 * The wall clock is another one (CLOCK_REALTIME): it says what time of day it is, and is set to
 * what it should be whenever somebody knows better. Nothing here waits by it.
 *
 * A deadline may have wrapped into the negative numbers; read as unsigned it is still the number of
 * nanoseconds since the clock's start, which is what the system's absolute waits want.
 */
#include "sync/clock.h"

#define NANOSECONDS_PER_SECOND UINT64_C(1000000000)

int64_t gp_time_until(int64_t time, int64_t now)
{
    return (int64_t)((uint64_t)time - (uint64_t)now);
}

int64_t gp_time_after(int64_t now, int64_t delay)
{
    return (int64_t)((uint64_t)now + (uint64_t)delay);
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)((uint64_t)now.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)now.tv_nsec);
}

int64_t gp_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t gp_wall_now(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t gp__deadline(int64_t nanos)
{
    return nanos == GP_FOREVER ? GP__NO_DEADLINE : gp_time_after(gp_now(), nanos < 0 ? 0 : nanos);
}

bool gp__passed(int64_t deadline, int64_t now)
{
    return deadline != GP__NO_DEADLINE && gp_time_until(deadline, now) <= 0;
}

struct timespec gp__timespec(int64_t time)
{
    return (struct timespec){.tv_sec = (time_t)((uint64_t)time / NANOSECONDS_PER_SECOND),
                             .tv_nsec = (long)((uint64_t)time % NANOSECONDS_PER_SECOND)};
}
