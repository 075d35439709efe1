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
 *   W: touched by the worker only; by the stopping thread, when the worker is gone
 *   T: has letters of its own
 */
struct gp__fast {
    struct gp__hashed wheel;     /* T */
    struct gp__latch latch;      /* A */
    bool closed;                 /* L */
    int reserved;                /* L counted by the timer, for timeouts to come: [FAST-2] */
    struct gp__inbox_link *last; /* L added and not yet collected by the worker, newest first */
    struct gp__inbox_link *used; /* L spares that were timeouts */
    char *fresh;                 /* L spares of the newest block, never used */
    size_t fresh_left;           /* L how many of these */
    size_t block_size;           /* L of the newest */
    struct gp__block *blocks;    /* L */
    struct gp__inbox returned;   /* A spares that were timeouts, on their way to `used` */
    struct gp__inbox_link *arrived_last; /* W the last of the timer's `arrived`, if there are any */
};

/* The beginning of a turn [FAST-5]: collect what was added, newest first; settle it, with its
   delays beginning at `now`, which was read after collecting. */
struct gp__inbox_link *gp__fast_collect(gp_timer *);
void gp__fast_settle(gp_timer *, struct gp__inbox_link *collected, int64_t now);

#endif
