/*
 * Escapes: addresses of thread-local variables in memory that all threads share.
 *
 * Here all threads have their thread-local variables at the same addresses (globals.c). A thread
 * that follows such an address finds its own variable, not that of the thread that has passed the
 * address on. So nothing can be said of an execution with an escape: it ends at a limit.
 */
#ifndef HARNESS_EXPLORE_ESCAPES_H
#define HARNESS_EXPLORE_ESCAPES_H

#include "harness/explore/arena.h"
#include "harness/explore/globals.h"
#include "harness/explore/machine.h"

/* Each of these ends the execution if it finds an escape. */
void escapes_check_all(void);                         /* when the program ends */
void escapes_check_block(const struct arena_block *); /* before it is freed */

/* False: there is no thread-local variable, or no second thread that could follow its address. A
   random walk, which claims nothing and is to be quick, leaves it to the other strategies. */
static inline bool escapes_are_possible(void)
{
    return globals_tls.size > 0 && machine.count > 1 && !machine.strategy->walks;
}

#endif
