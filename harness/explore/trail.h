/*
 * A trail: what an execution did, in a character per step, so that another one can be held against
 * it as it goes.
 *
 * A character is six bits made of the thread and the kind of its operation; the numbers of enum
 * op_kind are therefore part of what a token is. Nothing else goes in: compilers differ in
 * addresses, lines and plain accesses, and must be able to replay what the other one found.
 *
 * Of an execution of more than TRAIL_ROOM steps a character stands for 2, 4, 8, ... of them, as few
 * as are needed. Then a divergence is found at the end of such a block.
 */
#ifndef HARNESS_EXPLORE_TRAIL_H
#define HARNESS_EXPLORE_TRAIL_H

#include <stdint.h>

enum {
    TRAIL_ROOM = 2048
};

struct trail {
    uint32_t steps;
    uint8_t marks[TRAIL_ROOM]; /* 0 to 63 each; trail_length of them */
};

uint32_t trail_stride(uint32_t steps); /* how many of them share a mark */
uint32_t trail_length(uint32_t steps); /* how many marks they have */
void trail_of_machine(struct trail *); /* of the last execution */

/* The mark of one step; of a block: `mark` with one more step in it. */
static inline uint8_t trail_mark(unsigned thread, unsigned kind)
{
    return (thread * 29 + kind) & 63;
}
static inline uint8_t trail_add(uint8_t mark, unsigned thread, unsigned kind)
{
    return (mark * 37 + trail_mark(thread, kind)) & 63;
}

#endif
