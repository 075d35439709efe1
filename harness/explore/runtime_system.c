/*
 * The rest of the system, as far as explored programs may ask for it: names and priorities, which
 * have no effect here; text, which is shown only while an execution is replayed; and the ways to
 * give up.
 *
 * There are no signals. A program that asks for a timer that sends them is refused, as a system may
 * refuse it; whoever installs a handler is told that all is well, and none will ever be called.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h> /* _exit */

#include "harness/explore/runtime.h"
#include "harness/explore/symbols.h"

enum {
    PROCESSORS = 4,
    PAGE_BYTES = 4096
};

/* ---- no effect ---- */

int gpx_setpriority(int which, unsigned who, int priority)
{
    (void)which;
    (void)who;
    (void)priority;
    return 0;
}

int gpx_prctl(int option, ...)
{
    (void)option;
    return 0;
}

long gpx_syscall(long number, ...)
{
    if (number != SYS_gettid)
        machine_stop_at(LIMIT_CALLS, "system call %ld", number);
    return (long)machine.current + 1;
}

/* The same answers on each machine, so that a token means the same. */
long gpx_sysconf(int name)
{
    switch (name) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF:
        return PROCESSORS;
    case _SC_PAGESIZE:
        return PAGE_BYTES;
    default:
        machine.culprit = CALLER;
        machine_stop_at(
            LIMIT_CALLS,
            "sysconf(%d) is asked for; only processors and the size of a page are known", name);
    }
}

/* ---- signals ---- */

int gpx_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how;
    (void)set;
    if (old)
        sigemptyset(old);
    return 0;
}

int gpx_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    (void)number;
    (void)action;
    if (old)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return 0;
}

int gpx_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    (void)clock;
    (void)event;
    (void)timer;
    errno = EAGAIN;
    return -1;
}

int gpx_timer_settime(timer_t timer, int flags, const struct itimerspec *value,
                      struct itimerspec *old)
{
    (void)timer;
    (void)flags;
    (void)value;
    (void)old;
    errno = EINVAL;
    return -1;
}

int gpx_timer_delete(timer_t timer)
{
    (void)timer;
    return 0;
}

/* ---- text ---- */

static int show(FILE *file, const char *format, va_list arguments)
{
    return machine.showing ? vfprintf(file, format, arguments)
                           : vsnprintf(NULL, 0, format, arguments);
}

#define SHOW(file)                                     \
    va_list arguments;                                 \
    va_start(arguments, format);                       \
    runtime_read_arguments(format, arguments, CALLER); \
    int length = show(file, format, arguments);        \
    va_end(arguments);                                 \
    return length

__attribute__((format(printf, 1, 2))) int gpx_printf(const char *format, ...)
{
    SHOW(stdout);
}

__attribute__((format(printf, 2, 3))) int gpx_fprintf(FILE *file, const char *format, ...)
{
    SHOW(file);
}

__attribute__((format(printf, 2, 3))) int gpx___printf_chk(int flag, const char *format, ...)
{
    (void)flag;
    SHOW(stdout);
}

__attribute__((format(printf, 3, 4))) int gpx___fprintf_chk(FILE *file, int flag,
                                                            const char *format, ...)
{
    (void)flag;
    SHOW(file);
}

int gpx_puts(const char *text)
{
    runtime_access(text, strlen(text) + 1, 0, CALLER);
    return machine.showing ? puts(text) : 0;
}

int gpx_putchar(int letter)
{
    return machine.showing ? putchar(letter) : letter;
}

int gpx_fputs(const char *text, FILE *file)
{
    runtime_access(text, strlen(text) + 1, 0, CALLER);
    return machine.showing ? fputs(text, file) : 0;
}

int gpx_fputc(int letter, FILE *file)
{
    return machine.showing ? fputc(letter, file) : letter;
}

size_t gpx_fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
    runtime_access(bytes, size * count, 0, CALLER);
    return machine.showing ? fwrite(bytes, size, count, file) : count;
}

void gpx_perror(const char *text)
{
    if (text)
        runtime_access(text, strlen(text) + 1, 0, CALLER);
    if (machine.showing)
        perror(text);
}

int gpx_fflush(FILE *file)
{
    return machine.showing ? fflush(file) : 0;
}

/* ---- giving up ---- */

void runtime_misuse(const void *pc, const char *format, ...)
{
    char text[sizeof machine.message];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    machine.culprit = pc;
    machine_finish(ENDED_MISUSE, "%s", text);
}

void runtime_refuse_constructor(const char *what, const void *pc)
{
    size_t count;

    symbols_load(&pc, 1);
    const struct frame *frames = symbols_at(pc, &count);
    fprintf(stderr,
            "%s:%u: %s, in a constructor, which runs before main: the explorer has only main and "
            "its threads under control; do it there\n",
            frames ? symbols_file(frames) : "?", frames ? frames->line : 0, what);
    _exit(EXIT_FAILURE);
}

_Noreturn void gpx_abort(void)
{
    machine.culprit = CALLER;
    machine_finish(ENDED_ASSERTION, "abort");
}

/* What the caller has in registers is still reachable. */
_Noreturn void gpx_exit(int code)
{
    jmp_buf registers;
    const int status = code & 0xff; /* as the system has it */

    runtime_announce_end(CALLER);
    memset(&registers, 0, sizeof registers); /* or what its stack had before would count, too */
    if (status == 0 && _setjmp(registers) == 0)
        runtime_program_ends(registers);
    machine.culprit = CALLER;
    machine.exit_code = status;
    machine_finish(ENDED_FAILED, "exit(%d)", status);
}

_Noreturn void gpx___assert_fail(const char *assertion, const char *file, unsigned line,
                                 const char *function)
{
    machine.culprit = CALLER;
    machine_finish(ENDED_ASSERTION, "%s:%u: %s: assertion failed: %s", file, line, function,
                   assertion);
}
