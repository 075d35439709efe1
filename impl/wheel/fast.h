/* The fast kind of the hashed wheel; for its tests. */
#ifndef GP_WHEEL_FAST_H
#define GP_WHEEL_FAST_H

#include "sync/latch.h"
#include "wheel/hashed.h"

struct gp__block;

/*
 * Lock letters:
 *   A: atomic
 *   L: guarded by latch
 *   W: touched by the worker only; by who stops the timer, when the worker is gone
 *   T: has letters of its own
 */
struct gp__fast {
    struct gp__hashed wheel;     /* T */
    struct gp__latch latch;      /* A */
    bool closed;                 /* L */
    int reserved;                /* L counted by the timer, for timeouts to come: [FAST-2] */
    struct gp__inbox_link *last; /* L the added that the worker does not have, newest first */
    struct gp__inbox_link *used; /* L spares that were timeouts */
    char *fresh;                 /* L spares of the newest block that were none */
    size_t fresh_left;           /* L how many of these */
    size_t block_size;           /* L of the newest */
    struct gp__block *blocks;    /* L */
    struct gp__inbox returned;   /* A spares that were timeouts, on their way to `used` */
    struct gp__inbox_link *arrived_last; /* W of the timer's `arrived`, if there are any */
};

/* How a turn begins [FAST-5]: what was added, newest first; its delays begin `now`, read after. */
struct gp__inbox_link *gp__fast_collect(gp_timer *);
void gp__fast_settle(gp_timer *, struct gp__inbox_link *collected, int64_t now);

#endif
