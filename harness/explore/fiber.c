/*
 * Fibers, by an assembly switch for x86-64 and aarch64, and by ucontext elsewhere, which is slower:
 * it asks the system for the signal mask at each switch.
 *
 * fiber_switch keeps the registers that a callee has to keep, leaves the stack pointer in `from`,
 * takes that of `to`, and goes on where that one had left off. For x86-64 it is in the header, to
 * be inlined: whoever switches has saved most registers for its own caller already, and the
 * compiler knows which. A fresh fiber looks as if it had been switched away from at the start of
 * its function, called from address 0: that is where debuggers and unwinders stop.
 *
 * make explore-ports runs all three, aarch64 under an emulator.
 *
 * The rounding mode and the like of the floating-point unit are not saved. A program that changes
 * them in one thread changes them for all.
 */
#include "harness/explore/fiber.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/explore/place.h"

static unsigned char *stacks; /* guard, stack, guard, stack, ... */
static size_t stride;         /* from guard to guard */
static unsigned stack_count;

enum {
    GUARD_BYTES = 2 * 1024 * 1024,
    STAGGER_BYTES = 17 * 64,
    STAGGERED = 15
};

#if defined(FIBERS_INLINE)

/* On top lies the function's own return address, 0, where a call would have left it: eight bytes
   below a multiple of sixteen. */
static struct fiber first_state(uintptr_t *top, fiber_fn *function)
{
    top[-1] = 0;
    return (struct fiber){.stack_pointer = top - 1,
                          .resumes_at = (const void *)(uintptr_t)function};
}

#elif defined(__aarch64__) && !defined(FIBERS_UCONTEXT)

enum {
    SAVED_WORDS = 20,  /* x19 to x30, d8 to d15 */
    FUNCTION_WORD = 0, /* x19 */
    RETURN_WORD = 11   /* x30 */
};

void fiber_begin(void); /* calls the function in x19, as if from address 0 */

__asm__(".text\n"
        ".globl fiber_switch\n"
        ".type fiber_switch, %function\n"
        "fiber_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    ldr x9, [x1]\n"
        "    mov sp, x9\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size fiber_switch, .-fiber_switch\n"
        ".type fiber_begin, %function\n"
        "fiber_begin:\n"
        "    mov x30, xzr\n"
        "    br x19\n"
        ".size fiber_begin, .-fiber_begin\n");

static struct fiber first_state(uintptr_t *top, fiber_fn *function)
{
    uintptr_t *frame = top - SAVED_WORDS;

    memset(frame, 0, SAVED_WORDS * sizeof *frame);
    frame[FUNCTION_WORD] = (uintptr_t)function;
    frame[RETURN_WORD] = (uintptr_t)fiber_begin;
    return (struct fiber){.stack_pointer = frame};
}

#else

#include <ucontext.h>

void fiber_switch(struct fiber *from, const struct fiber *to)
{
    ucontext_t here;

    from->stack_pointer = &here;
    swapcontext(&here, to->stack_pointer);
}

static struct fiber first_state(uintptr_t *top, fiber_fn *function)
{
    uintptr_t start = ((uintptr_t)top - sizeof(ucontext_t)) & ~(uintptr_t)63;
    ucontext_t *context = (ucontext_t *)start;

    getcontext(context);
    context->uc_stack.ss_size = stride - GUARD_BYTES - (size_t)((uintptr_t)top - start);
    context->uc_stack.ss_sp = (unsigned char *)context - context->uc_stack.ss_size;
    context->uc_link = NULL;
    makecontext(context, function, 0);
    return (struct fiber){.stack_pointer = context};
}

#endif

/* ---- stacks ---- */

/* The odd page, and the odd lines at the end, keep the same place of each stack out of the same
   lines of the caches. */
bool fiber_stacks_reserve(unsigned count, size_t bytes_each)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    stride = GUARD_BYTES + (bytes_each + page - 1) / page * page + page;
    stack_count = count;
    void *memory = place_reserve(PLACE_OF_STACKS, stride * count);
    if (memory == MAP_FAILED)
        return false;
    stacks = memory;
    for (unsigned i = 0; i < count; i++)
        if (mprotect(stacks + i * stride, GUARD_BYTES, PROT_NONE) != 0)
            return false;
    return true;
}

void *fiber_stacks_start(void)
{
    return stacks;
}

size_t fiber_stacks_size(void)
{
    return stride * stack_count;
}

size_t fiber_stack_stride(void)
{
    return stride;
}

void *fiber_stack_end(unsigned stack)
{
    return stacks + (stack + 1) * stride - stack % STAGGERED * STAGGER_BYTES;
}

bool fiber_is_stack_guard(const void *address)
{
    size_t offset = (size_t)((uintptr_t)address - (uintptr_t)stacks);

    return offset < fiber_stacks_size() && offset % stride < GUARD_BYTES;
}

void fiber_prepare(struct fiber *fiber, unsigned stack, fiber_fn *function)
{
    uintptr_t top = (uintptr_t)fiber_stack_end(stack);

    *fiber = first_state((uintptr_t *)(top & ~(uintptr_t)15), function);
}
