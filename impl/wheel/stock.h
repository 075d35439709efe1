/* The stock of a timer: the memory of its timeouts, kept, and their way in. */
#ifndef GP_WHEEL_STOCK_H
#define GP_WHEEL_STOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/wheel.h>

#include "sync/latch.h"
#include "wheel/inbox.h"

struct gp__block;

/*
 * All zero but for what gp__stock_init sets: open and empty.
 * Lock letters:
 *   A: atomic
 *   L: guarded by latch
 */
struct gp__stock {
    struct gp__latch latch;      /* A */
    bool closed;                 /* L */
    unsigned reserved;           /* L counted by the timer, and nobody's: [STOCK-2] */
    struct gp__inbox_link *last; /* L the added that the worker does not have, newest first */
    struct gp__inbox_link *used; /* L places that had timeouts */
    gp_timeout *fresh;           /* L places of the newest block that had none */
    size_t fresh_left;           /* L how many of these */
    size_t next_block;           /* L bytes */
    struct gp__block *blocks;    /* L */
    struct gp__inbox returned;   /* A places that had timeouts, on their way to `used` */
};

void gp__stock_init(struct gp__stock *);
void gp__stock_free(struct gp__stock *);
/* gp__timer_add, but for the argument of one that is rejected. */
int gp__stock_add(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                  gp_destroy_fn *destroy, gp_timeout **out);
struct gp__inbox_link *gp__stock_take(gp_timer *); /* as from an inbox: newest first */
struct gp__inbox_link *gp__stock_close(gp_timer *);
void gp__stock_return(struct gp__stock *, gp_timeout *); /* its last reference is given up */
size_t gp__stock_pending(gp_timer *);
/* For checks, which do not wait for who is at work behind the latch: they may have stopped him. */
size_t gp__stock_glance(gp_timer *);             /* as pending; else 0 */
bool gp__stock_seems_closed(struct gp__stock *); /* and empty; else true */

#endif
