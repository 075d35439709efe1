/*
 * Periodic triggers: Spring's PeriodicTrigger, by the wall clock.
 *
 * At a fixed rate the times are start + n period, a grid. Next is the first of them that is later
 * than the last run, which has two times: the one it was due at and the one at which it ended. The
 * later counts. So times that pass while a run takes too long are left out, as cron leaves them
 * out: a time of day that is over does not come back. (Who wants a number of runs rather than times
 * of day has gp_schedule_at_fixed_rate, which catches up.)
 *
 * Without a start the grid begins at once and has no beginning: when the clock is put back, far
 * enough to be believed, it goes on in the past.
 */
#include <stdlib.h>

#include <glasspool/status.h>
#include <glasspool/trigger.h>

#define LATEST (GP_NEVER - 1)

/* Asked by one thread at a time: no lock. */
struct periodic {
    int64_t start; /* or GP_NEVER */
    int64_t anchor;
    int64_t period;
};

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

static int64_t plus(int64_t time, int64_t delay)
{
    return time > LATEST - delay ? LATEST : time + delay;
}

/* The first time of the grid that is later than that; the differences in unsigned numbers, since
   two times may be further apart than an int64_t is wide. */
static int64_t next_on_grid(const struct periodic *self, int64_t after)
{
    uint64_t period = (uint64_t)self->period;
    if (after >= self->anchor)
        return plus(after, (int64_t)(period - ((uint64_t)after - (uint64_t)self->anchor) % period));
    if (self->start != GP_NEVER)
        return self->start;
    uint64_t ahead = ((uint64_t)self->anchor - (uint64_t)after) % period;
    return plus(after, ahead == 0 ? self->period : (int64_t)ahead);
}

static int64_t next_at_fixed_rate(void *argument, const gp_trigger_context *last, int64_t now)
{
    struct periodic *self = argument;
    if (last->completion != GP_NEVER)
        return next_on_grid(self, later(last->scheduled, last->completion));
    if (self->start != GP_NEVER)
        return next_on_grid(self, now - 1);
    self->anchor = now;
    return now;
}

static int64_t next_with_fixed_delay(void *argument, const gp_trigger_context *last, int64_t now)
{
    const struct periodic *self = argument;
    if (last->completion != GP_NEVER)
        return plus(last->completion, self->period);
    return self->start == GP_NEVER ? now : later(self->start, now);
}

static int make_periodic(int64_t (*next)(void *, const gp_trigger_context *, int64_t),
                         int64_t start, int64_t period, gp_trigger *out)
{
    if (period <= 0 || out == NULL)
        return GP_EINVAL;
    struct periodic *self = malloc(sizeof *self);
    if (self == NULL)
        return GP_ENOMEM;
    *self = (struct periodic){.start = start, .anchor = start, .period = period};
    *out = (gp_trigger){.next = next, .self = self, .destroy = free};
    return GP_OK;
}

int gp_trigger_at_fixed_rate(int64_t start, int64_t period, gp_trigger *out)
{
    return make_periodic(next_at_fixed_rate, start, period, out);
}

int gp_trigger_with_fixed_delay(int64_t start, int64_t delay, gp_trigger *out)
{
    return make_periodic(next_with_fixed_delay, start, delay, out);
}
