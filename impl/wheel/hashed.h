/* The hashed wheel, for what is built on it: fast.c. */
#ifndef GP_WHEEL_HASHED_H
#define GP_WHEEL_HASHED_H

#include "wheel/timer.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   W: touched by the worker only; by who stops the timer, when the worker is gone
 *   T: has letters of its own
 */
struct gp__hashed {
    gp_timer timer;          /* T */
    int64_t tick_length;     /* I nanoseconds */
    int64_t size;            /* I number of buckets, a power of two */
    int64_t tick;            /* W the hand: the tick whose bucket is next */
    struct gp__row *buckets; /* I; W what is in them */
};

/* In so many bytes; those behind the wheel are the intake's, and zero. GP_EINVAL, GP_ENOMEM */
int gp__hashed_new(const gp_wheel_config *config, const struct gp__intake_class *intake,
                   size_t bytes, gp_timer **out);
int gp__fast_new(const gp_wheel_config *config, gp_timer **out); /* fast.c: of the fast kind */

#endif
