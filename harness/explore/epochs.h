/*
 * Vector clocks: what somebody knows of everybody.
 *
 * A thread's time is an epoch, which grows when it releases something: whatever it did until then
 * is known to those who acquire that, whatever it does afterwards is not. A clock says of each
 * thread up to which epoch its doings are known. An event of thread t at epoch e has happened
 * before whoever has a clock with at least e for t.
 *
 *   [EPOCHS-1] Epochs are taken from one counter that never goes back, not even from execution to
 *              execution. So what an earlier execution left in any table is told by its epoch, and
 *              nothing has to be cleared between executions.
 *   [EPOCHS-2] Entries from `width` on count as 0: known of nobody. In the clock of a thread they
 *              are 0 indeed, so that whoever only asks need not compare.
 *   [EPOCHS-3] A width is a multiple of CLOCK_BLOCK. Blocks are copied and joined as a whole, which
 *              takes no branches: which of two entries is the larger cannot be predicted.
 *
 * The first entries are not threads'. They say what memory_stores.c has to know of a thread's past,
 * and travel as everything else does: the number of the latest seq_cst fence that is known, and the
 * times of the latest stores that reached this past in certain ways.
 */
#ifndef HARNESS_EXPLORE_EPOCHS_H
#define HARNESS_EXPLORE_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "harness/explore/machine.h" /* MACHINE_THREADS */

enum {
    CLOCK_FENCE = 0,
    CLOCK_CROSSED = 1, /* [STORES-4] */
    CLOCK_MIXED = 2,   /* [STORES-5] */
    CLOCK_FIRST = 3,   /* entry of thread 0 */
    CLOCK_BLOCK = 8,
    /* One more than there are threads: of that one nothing is ever known. */
    CLOCK_ENTRIES = (CLOCK_FIRST + MACHINE_THREADS + CLOCK_BLOCK) / CLOCK_BLOCK * CLOCK_BLOCK
};

struct clock {
    uint32_t width;
    uint32_t at[CLOCK_ENTRIES];
};

static inline void clock_clear(struct clock *clock)
{
    clock->width = 0;
}

/* Wide enough for this thread, whose entry was 0. */
static inline void clock_widen(struct clock *clock, unsigned thread)
{
    /* [EPOCHS-3] */
    uint32_t width = (CLOCK_FIRST + thread) / CLOCK_BLOCK * CLOCK_BLOCK + CLOCK_BLOCK;

    if (clock->width < width)
        clock->width = width;
}

static inline void clock_copy(struct clock *to, const struct clock *from)
{
    to->width = from->width;
    for (uint32_t i = 0; i < from->width; i += CLOCK_BLOCK)
        memcpy(to->at + i, from->at + i, CLOCK_BLOCK * sizeof to->at[0]);
}

static inline void clock_join_block(uint32_t *restrict into, const uint32_t *restrict from)
{
    for (unsigned i = 0; i < CLOCK_BLOCK; i++)
        into[i] = into[i] < from[i] ? from[i] : into[i];
}

static inline void clock_join(struct clock *into, const struct clock *from)
{
    for (uint32_t i = 0; i < from->width; i += CLOCK_BLOCK)
        if (i < into->width) {
            clock_join_block(into->at + i, from->at + i);
        } else {
            memcpy(into->at + i, from->at + i, CLOCK_BLOCK * sizeof into->at[0]);
            into->width = i + CLOCK_BLOCK;
        }
}

static inline bool clock_has(const struct clock *clock, unsigned thread, uint32_t epoch)
{
    return CLOCK_FIRST + thread < clock->width && clock->at[CLOCK_FIRST + thread] >= epoch;
}

#endif
