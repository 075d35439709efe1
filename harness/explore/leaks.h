/*
 * Leaks: blocks that nobody can reach any more when the program ends.
 *
 * A block is reachable if something that the program still has points into it: a global variable; a
 * thread-local variable, a frame, a register or a specific value of a thread that lives; what a
 * thread was started with, or has left for whoever joins it; or another block that is reachable. So
 * a program that ends by exit, or while threads run, has leaked only what it has lost.
 */
#ifndef HARNESS_EXPLORE_LEAKS_H
#define HARNESS_EXPLORE_LEAKS_H

#include <stdbool.h>
#include <stddef.h> /* size_t */

#include "harness/explore/arena.h"

struct leaks {
    const struct arena_block *first; /* that no other of them points to; NULL: there are none */
    unsigned blocks;
    size_t bytes;
};

bool leaks_prepare(void); /* once; false: no memory */
/* At the end of an execution. Of the thread that calls it the stack counts from `frame` on; NULL:
   it has left its functions. */
struct leaks leaks_find(const void *frame);

#endif
