/*
 * A latch: a lock for some ten instructions, on the way of every task.
 *
 * A mutex of the C library is two calls and two atomic exchanges; this is one exchange on the way
 * in and a plain store on the way out. The price: who waits is not woken. It looks again, a few
 * times at once and then after giving way (gp__os_linger). So a latch is only for what is held for
 * moments, and nobody waits for anything else while he holds one.
 */
#ifndef GP_SYNC_LATCH_H
#define GP_SYNC_LATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sync/os.h" /* gp__os_linger */

/*
 * Lock letters:
 *   A: atomic
 */
struct gp__latch {
    _Atomic bool held; /* A */
};

static inline bool gp__latch_try_lock(struct gp__latch *latch)
{
    /* acquire, pairs with the release of whoever held it before */
    return !atomic_exchange_explicit(&latch->held, true, memory_order_acquire);
}

static inline void gp__latch_lock(struct gp__latch *latch)
{
    unsigned rounds = 0;
    while (!gp__latch_try_lock(latch)) {
        do /* relaxed: only a look, which leaves the line with its holder */
            gp__os_linger(&rounds);
        while (atomic_load_explicit(&latch->held, memory_order_relaxed));
    }
}

static inline void gp__latch_unlock(struct gp__latch *latch)
{
    atomic_store_explicit(&latch->held, false, memory_order_release); /* see above */
}

#endif
