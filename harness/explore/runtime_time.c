/*
 * Clocks, sleeps, yields.
 *
 * Time stands still while threads step and moves only when the clock steps, to the next time that
 * somebody waits for. The wall clock shows the same time, from another beginning.
 *
 * A thread that waits by looking at the clock again and again would wait for ever. So whoever has
 * seen the same time often enough is made to wait, as if asleep, until some has passed: a
 * microsecond at first, then as much as it has been waiting already, a second at most. Such a wait
 * thereby takes a few steps for any time, and up to twice as long as it had to.
 */
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness/explore/clock.h"
#include "harness/explore/runtime_spins.h"
#include "harness/explore/runtime_calls.h"

enum {
    MOST_LOOKS = 32,     /* at the same time */
    SHORTEST_WAIT = 1000 /* nanoseconds */
};

static const int64_t second = 1000000000;

static bool is_wall_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

/* The time that a thread or the process has computed is shown as the time that has passed. */
static bool is_clock(clockid_t clock)
{
    return is_wall_clock(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

static int64_t offset_of(clockid_t clock)
{
    return is_wall_clock(clock) ? WALL_OFFSET : 0;
}

static int refuse_clock(void)
{
    errno = EINVAL;
    return -1;
}

static int64_t saturated_sum(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static int64_t nanoseconds(const struct timespec *time)
{
    int64_t nanos;

    if (__builtin_mul_overflow((int64_t)time->tv_sec, second, &nanos))
        return time->tv_sec > 0 ? INT64_MAX : INT64_MIN;
    return saturated_sum(nanos, time->tv_nsec);
}

static bool is_time(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < second;
}

bool clock_is_valid(clockid_t clock, const struct timespec *until)
{
    return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && is_time(until);
}

int64_t clock_deadline(clockid_t clock, const struct timespec *until)
{
    return saturated_sum(nanoseconds(until), -offset_of(clock));
}

int64_t clock_after(const struct timespec *duration)
{
    return saturated_sum(machine.now, nanoseconds(duration));
}

static void note_look(struct thread *self)
{
    if (self->time_seen != machine.now) {
        self->time_seen = self->watching_since = machine.now;
        self->looks = 0;
    }
    self->looks++;
}

/* Afterwards it may look twice before it has to wait again: at the end of its wait it has not. */
static void wait_for_time_to_pass(struct thread *self, const void *pc)
{
    int64_t passes = machine.now - self->watching_since;

    passes = passes < SHORTEST_WAIT ? SHORTEST_WAIT : passes > second ? second : passes;
    machine_point((struct op){.kind = OP_AWAKE,
                              .flags = OP_GATED | OP_TIMED,
                              .deadline = machine.now + passes,
                              .pc = pc});
    RECORD(0, 0);
    self->time_seen = machine.now;
    self->looks = MOST_LOOKS - 2;
}

static int64_t look_at_clock(const void *pc)
{
    struct thread *self = machine_self();

    note_look(self);
    if (self->looks > MOST_LOOKS && !machine.aside)
        wait_for_time_to_pass(self, pc);
    machine_point(
        (struct op){.kind = OP_NOW,
                    .flags = machine.faults.jumps > 0 ? OP_READS | OP_GATED | OP_TIMED : OP_READS,
                    .deadline = machine.now + machine.rules.slack,
                    .pc = pc});
    spin_looked_elsewhere();
    RECORD(0, machine.now);
    return machine.now;
}

int runtime_clock_gettime(clockid_t clock, struct timespec *time, const void *pc)
{
    if (!is_clock(clock))
        return refuse_clock();
    int64_t now = look_at_clock(pc) + offset_of(clock);
    runtime_access(time, sizeof *time, ACCESS_WRITES, pc);
    *time = (struct timespec){.tv_sec = now / second, .tv_nsec = now % second};
    return 0;
}

int gpx_clock_gettime(clockid_t clock, struct timespec *time)
{
    return runtime_clock_gettime(clock, time, CALLER);
}

int gpx_clock_getres(clockid_t clock, struct timespec *resolution)
{
    if (!is_clock(clock))
        return refuse_clock();
    if (resolution) {
        runtime_access(resolution, sizeof *resolution, ACCESS_WRITES, CALLER);
        *resolution = (struct timespec){.tv_nsec = 1};
    }
    return 0;
}

int gpx_gettimeofday(struct timeval *time, void *zone)
{
    int64_t now = look_at_clock(CALLER) + WALL_OFFSET;

    (void)zone;
    runtime_access(time, sizeof *time, ACCESS_WRITES, CALLER);
    *time = (struct timeval){.tv_sec = now / second, .tv_usec = now % second / 1000};
    return 0;
}

time_t gpx_time(time_t *place)
{
    time_t now = (look_at_clock(CALLER) + WALL_OFFSET) / second;

    if (place) {
        runtime_access(place, sizeof *place, ACCESS_WRITES, CALLER);
        *place = now;
    }
    return now;
}

/* ---- sleeping: first it finds out until when, then it waits for that ---- */

static void sleep_until(int64_t deadline, const void *pc)
{
    machine_point((struct op){.kind = OP_AWAKE,
                              .flags = OP_GATED | OP_TIMED | OP_CANCEL_POINT,
                              .deadline = deadline,
                              .pc = pc});
    runtime_act_on_cancel();
    RECORD(0, 0);
}

static void sleep_for(const struct timespec *duration, const void *pc)
{
    machine_point((struct op){.kind = OP_SLEEP, .flags = OP_READS | OP_CANCEL_POINT, .pc = pc});
    runtime_act_on_cancel();
    sleep_until(clock_after(duration), pc);
}

static void tell_nothing_left(struct timespec *left, const void *pc)
{
    if (!left)
        return;
    runtime_access(left, sizeof *left, ACCESS_WRITES, pc);
    *left = (struct timespec){0};
}

int runtime_nanosleep(const struct timespec *duration, struct timespec *left, const void *pc)
{
    runtime_access(duration, sizeof *duration, 0, pc);
    if (!is_time(duration) || duration->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    sleep_for(duration, pc);
    tell_nothing_left(left, pc);
    return 0;
}

int gpx_nanosleep(const struct timespec *duration, struct timespec *left)
{
    return runtime_nanosleep(duration, left, CALLER);
}

int gpx_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                        struct timespec *left)
{
    runtime_access(time, sizeof *time, 0, CALLER);
    if (!is_clock(clock) || !is_time(time) || time->tv_sec < 0)
        return EINVAL;
    if (flags & TIMER_ABSTIME)
        sleep_until(clock_deadline(clock, time), CALLER);
    else
        sleep_for(time, CALLER);
    tell_nothing_left(left, CALLER);
    return 0;
}

int gpx_usleep(useconds_t micros)
{
    sleep_for(&(struct timespec){.tv_sec = micros / 1000000, .tv_nsec = micros % 1000000 * 1000L},
              CALLER);
    return 0;
}

unsigned gpx_sleep(unsigned seconds)
{
    sleep_for(&(struct timespec){.tv_sec = seconds}, CALLER);
    return 0;
}
