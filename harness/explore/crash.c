/*
 * Crashes. The handler runs on a stack of its own, since an overflow of the fiber's stack is one of
 * the cases, and leaves by switching to whoever called machine_run: the execution is over, and
 * nothing of it is needed any more [MACHINE-2]. The signal must not stay blocked after that, hence
 * SA_NODEFER.
 *
 * A crash outside of an execution is the harness's own, and ends the process as it would have.
 */
#include "harness/explore/crash.h"

#include <signal.h>
#include <stdlib.h>

#include "harness/explore/fault.h"
#include "harness/explore/fiber.h"
#include "harness/explore/machine.h"

enum {
    STACK_BYTES = 64 * 1024
};

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

static void on_crash(int number, siginfo_t *info, void *context)
{
    char text[160];

    if (!machine.running) {
        signal(number, SIG_DFL);
        return;
    }
    if (fiber_is_stack_guard(info->si_addr))
        machine_finish(ENDED_CRASH, "the stack of thread %u overflowed", machine.current);
    fault_describe(number, info, context, text, sizeof text);
    machine_finish(ENDED_CRASH, "%s", text);
}

bool crash_watch(void)
{
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};

    if (!stack.ss_sp || sigaltstack(&stack, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        if (sigaction(fatal[i], &action, NULL) != 0)
            return false;
    return true;
}
