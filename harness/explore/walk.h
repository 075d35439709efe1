/*
 * The quick half of the random walk (strategy_random.c), for the machine to be inlined: with it, a
 * thread that goes on takes its step without a call, and so without a register to save.
 */
#ifndef HARNESS_EXPLORE_WALK_H
#define HARNESS_EXPLORE_WALK_H

#include "harness/explore/machine.h"
#include "harness/explore/random.h"

enum {
    WALK_FEW = 6 /* threads, that the table is for; the clock besides */
};

#define WALK_FIRST ((UINT64_C(1) << WALK_FEW) - 1) /* their bits */

/* The next number is drawn ahead: whoever waits for it, to know who steps, need not wait long. */
struct walk {
    struct random random;
    uint64_t ahead;
    /* Of each set of a few: how many there are, and which. A look costs less than to count and to
       go from one to the next, and has no branches on what is random, which would be
       mispredicted. */
    struct {
        uint8_t count;
        thread_number members[WALK_FEW + 1];
    } sets[1 << (WALK_FEW + 1)];
};

extern struct walk walk;

static inline unsigned walk_below(unsigned limit)
{
    unsigned number = (unsigned)((walk.ahead >> 32) * limit >> 32);

    walk.ahead = random_next(&walk.random);
    return number;
}

static inline bool walk_is_of_few(thread_set set)
{
    SET_WORD(set, 0) &= ~WALK_FIRST;
    SET_WORD(set, SET_WORDS - 1) &= ~set_bit_of(CLOCK_THREAD);
    return set_is_empty(set);
}

/* One of a few. */
static inline unsigned walk_pick(thread_set set)
{
    uint64_t clock = SET_WORD(set, SET_WORDS - 1) >> CLOCK_THREAD % SET_BITS;
    unsigned index = (unsigned)((SET_WORD(set, 0) & WALK_FIRST) | clock << WALK_FEW);

    return walk.sets[index].members[walk_below(walk.sets[index].count)];
}

#endif
