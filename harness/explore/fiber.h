/*
 * Fibers: stacks that take turns on one thread of the system.
 *
 * A fiber runs until it switches to another one. Nothing is preempted, so between two switches the
 * program is as good as alone; a switch costs a few nanoseconds, since it saves only what the
 * calling convention says that a call keeps.
 *
 * Stacks lie side by side at addresses that do not change (place.h). Each has a wide guard below it
 * that cannot be touched: an overflow is a fault, and never a neighbour's variable, unless a single
 * frame is wider than the guard. Only what is touched of them costs memory.
 */
#ifndef HARNESS_EXPLORE_FIBER_H
#define HARNESS_EXPLORE_FIBER_H

#include <stdbool.h>
#include <stddef.h> /* size_t */

struct fiber {
    void *stack_pointer; /* while it does not run */
};

typedef void fiber_fn(void); /* must not return */

bool fiber_stacks_reserve(unsigned count, size_t bytes_each); /* once; false: no memory */
void *fiber_stacks_start(void);
size_t fiber_stacks_size(void);
size_t fiber_stack_stride(void);                /* from one to the next */
void *fiber_stack_end(unsigned stack);          /* behind its last byte, where it begins to grow */
bool fiber_is_stack_guard(const void *address); /* an overflow has hit what is below a stack */

void fiber_prepare(struct fiber *, unsigned stack, fiber_fn *);
void fiber_switch(struct fiber *from, const struct fiber *to); /* returns when somebody switches
                                                                  back to `from` */

#endif
