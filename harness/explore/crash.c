/*
 * Crashes, and loops without an end.
 *
 * The handlers run on a stack of their own, since an overflow of the fiber's stack is one of the
 * cases, and leave by switching to whoever called machine_run: the execution is over, and nothing
 * of it is needed any more [MACHINE-2]. The signal must not stay blocked after that, hence
 * SA_NODEFER. A crash outside of an execution is the harness's own, and ends the process as it
 * would have.
 *
 * A loop without a step in it (`while (!done)` on a plain variable, say) never comes back to the
 * machine. A timer looks at the number of steps every so often; if that has not changed for
 * rules.patience, the loop is called endless. It counts the time that the process has computed and
 * not the time on the wall, so that neither a busy computer nor a debugger can be the reason, and
 * it costs nothing at a step. Once a program is known for such a loop less patience will do, or
 * nobody could wait for the shrinking. A second will do, too, when the user's time is up.
 *
 * The same timer looks whether the campaign's time is up [MACHINE-4].
 *
 * Where it happened may be deep in the system's library, or in the machine: the program's own line
 * is found afterwards, among the frames that were on the stack.
 */
#include "harness/explore/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h> /* setitimer */
#include <ucontext.h>

#include "harness/explore/fault.h"
#include "harness/explore/fiber.h"
#include "harness/explore/machine.h"
#include "harness/explore/record.h"
#include "harness/explore/symbols.h"

enum {
    STACK_BYTES = 64 * 1024,
    TICK_MICROS = 50000,
    LESS_PATIENCE = 10 /* that part of it, after the first */
};

#define PATIENCE      INT64_C(10000000000)
#define LATE_PATIENCE INT64_C(1000000000) /* when the time is up */

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

static struct record_stack stack_of_crash; /* count 0: there was none */

/* ---- where ---- */

static const void *interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/* Frames are known by the address after a call; this one was interrupted before an instruction. */
static void keep_stack(const void *context)
{
    record_walk_stack(interrupted_at(context), &stack_of_crash);
    if (stack_of_crash.count > 0)
        stack_of_crash.frames[0] = (const char *)stack_of_crash.frames[0] + 1;
}

const void *crash_culprit(void)
{
    if (stack_of_crash.count > 0)
        symbols_load(stack_of_crash.frames, stack_of_crash.count);
    for (unsigned i = 0; i < stack_of_crash.count; i++) {
        size_t count;
        const struct frame *frames = symbols_at(stack_of_crash.frames[i], &count);
        if (frames && !symbols_is_ours(frames))
            return stack_of_crash.frames[i];
    }
    return NULL;
}

/* ---- crashes ---- */

static void on_crash(int number, siginfo_t *info, void *context)
{
    char text[160];

    if (!machine.running) {
        signal(number, SIG_DFL);
        return;
    }
    keep_stack(context);
    if (fiber_is_stack_guard(info->si_addr))
        machine_finish(ENDED_CRASH, "stack overflow: thread %u has used all of its %d KB",
                       machine.current, MACHINE_STACK / 1024);
    fault_describe(number, info, context, text, sizeof text);
    machine_finish(ENDED_CRASH, "%s", text);
}

/* ---- loops ---- */

static struct {
    uint32_t steps; /* that there had been when it looked last */
    int64_t idle;   /* nanoseconds since there were fewer */
    bool known;     /* the program has had such a loop */
} watchdog;

void crash_begin(void)
{
    stack_of_crash.count = 0;
    watchdog.idle = 0;
}

static int64_t patience(void)
{
    return machine.rules.patience > 0 ? machine.rules.patience : PATIENCE;
}

static bool is_patience_over(enum time_left left)
{
    int64_t most = patience() / (watchdog.known ? LESS_PATIENCE : 1);

    if (left == TIME_IS_UP_ALL && most > LATE_PATIENCE)
        most = LATE_PATIENCE;
    return watchdog.idle >= most;
}

/* [MACHINE-4] */
static enum time_left look_at_time(void)
{
    enum time_left left = machine.time_left ? machine.time_left() : TIME_IS_LEFT;

    if (left != TIME_IS_LEFT) {
        machine.time_is_up = true;
        machine.doubts |= DOUBT_TIME;
    }
    return left;
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    enum time_left left = look_at_time();

    (void)number;
    (void)info;
    watchdog.idle += TICK_MICROS * INT64_C(1000);
    if (!machine.running || machine.steps != watchdog.steps)
        watchdog.idle = 0;
    watchdog.steps = machine.steps;
    if (!is_patience_over(left))
        return;
    int64_t waited = watchdog.known || watchdog.idle > patience() ? patience() : watchdog.idle;
    watchdog.known = true;
    keep_stack(context);
    machine_stop_at(
        LIMIT_LOOPS,
        "thread %u has computed for %g s without a step (an atomic, a lock, a yield): a loop "
        "without an end, or one that waits for a plain variable",
        machine.current, (double)waited / 1e9);
}

static bool watch_loops(void)
{
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    struct timeval tick = {.tv_usec = TICK_MICROS};

    return sigaction(SIGVTALRM, &action, NULL) == 0 &&
           setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_interval = tick, .it_value = tick},
                     NULL) == 0;
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
    return watch_loops();
}
