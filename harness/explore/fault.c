/*
 * See fault.h. For an address that is none (on x86-64, one whose upper bits differ) the processor
 * does not tell the system which it was, and the signal has 0: that is no null pointer. A pointer
 * read from memory that the program has never written is of this kind, and then most likely still
 * in a register.
 */
#include "harness/explore/fault.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "harness/explore/arena.h"

enum {
    FIRST_PAGE = 4096
};

/* What the instruction did with the address. */
static const char *attempt(const void *context)
{
#if defined(__x86_64__)
    enum {
        WRITES = 1 << 1,
        FETCHES = 1 << 4
    };
    long long error = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR];

    return error & FETCHES ? "jump" : error & WRITES ? "write" : "read";
#else
    (void)context;
    return "access";
#endif
}

#if defined(__x86_64__)
static bool is_unwritten(uint64_t value)
{
    return value >> 16 == UINT64_C(0x010101010101) * ARENA_FILL; /* and a member's offset */
}

static bool follows_unwritten(const void *context)
{
    const ucontext_t *at = context;

    for (int i = REG_R8; i <= REG_RSP; i++)
        if (is_unwritten((uint64_t)at->uc_mcontext.gregs[i]))
            return true;
    return false;
}
#else
static bool follows_unwritten(const void *context)
{
    (void)context;
    return false;
}
#endif

static void describe_address(const siginfo_t *info, const void *context, char *text, size_t room)
{
    const char *tried = attempt(context);

    if (info->si_code == SI_KERNEL)
        snprintf(text, room, "%s",
                 follows_unwritten(context) ? "a pointer is followed that was never written"
                                            : "a pointer is followed that is no address");
    else if ((uintptr_t)info->si_addr < FIRST_PAGE)
        snprintf(text, room, "a null pointer is followed (%s at address %#jx)", tried,
                 (uintmax_t)(uintptr_t)info->si_addr);
    else if (info->si_code == SEGV_ACCERR)
        snprintf(text, room, "%s at address %p, which does not allow that", tried, info->si_addr);
    else
        snprintf(text, room, "%s at address %p, where there is nothing", tried, info->si_addr);
}

void fault_describe(int number, const siginfo_t *info, const void *context, char *text, size_t room)
{
    char details[128] = "";

    if (number == SIGSEGV)
        describe_address(info, context, details, sizeof details);
    else if (number == SIGFPE && info->si_code == FPE_INTDIV)
        snprintf(details, sizeof details, "division by zero");
    snprintf(text, room, "%s%s%s", strsignal(number), details[0] ? ": " : "", details);
}
