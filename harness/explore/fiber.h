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

/* FIBERS_UCONTEXT does without assembly language where there is some (make FIBERS=ucontext). */
#if defined(__x86_64__) && !defined(FIBERS_UCONTEXT)
#define FIBERS_INLINE
#endif

/* While it does not run. */
struct fiber {
    void *stack_pointer;
#if defined(FIBERS_INLINE)
    const void *resumes_at;
    void *frame_pointer;
#endif
};

/* Bytes below the address of a frame in which a function that calls __builtin_unwind_init has saved
   registers; elsewhere than on x86-64 they are above it. */
enum {
#if defined(__x86_64__)
    FIBER_SAVED = 40
#else
    FIBER_SAVED = 0
#endif
};

typedef void fiber_fn(void); /* must not return */

bool fiber_stacks_reserve(unsigned count, size_t bytes_each); /* once; false: no memory */
void *fiber_stacks_start(void);
size_t fiber_stacks_size(void);
size_t fiber_stack_stride(void);                /* from one to the next */
void *fiber_stack_end(unsigned stack);          /* behind its last byte, where it begins to grow */
bool fiber_is_stack_guard(const void *address); /* an overflow has hit what is below a stack */

void fiber_prepare(struct fiber *, unsigned stack, fiber_fn *);

/* Returns when somebody switches back to `from`. */
#if defined(FIBERS_INLINE)
static inline void fiber_switch(struct fiber *from, const struct fiber *to)
{
    /* Whoever resumes us has us in %rsi. */
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "movq %%rsp, 0(%%rdi)\n\t"
                     "movq %%rax, 8(%%rdi)\n\t"
                     "movq %%rbp, 16(%%rdi)\n\t"
                     "movq 0(%%rsi), %%rsp\n\t"
                     "movq 16(%%rsi), %%rbp\n\t"
                     "jmpq *8(%%rsi)\n"
                     "1:"
                     : "+D"(from), "+S"(to)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
                       "memory", "cc");
}
#else
void fiber_switch(struct fiber *from, const struct fiber *to);
#endif

#endif
