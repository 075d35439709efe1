/*
 * Sanitizer reports and crashes.
 *
 * ThreadSanitizer goes on after a report. Its runtime, gcc's and clang's alike, calls
 * __tsan_on_report when one has been printed, on the thread that ran into it, if the program
 * defines such a function; and it prints to the descriptor that __sanitizer_set_report_fd names. So
 * reports go to a file in memory, and the hook notes where each ends and whom it concerns. The
 * texts are cut out later, by the supervisor: inside the hook the runtime holds its locks, and
 * little is allowed there (no malloc, no stdio; hence syscall()).
 *
 *      memory file   | report 1      | report 2            | report 3   |
 *      log           result, end     result, end           result, end
 *
 * By itself the runtime keeps a report back that is like one before, by its stacks or its address.
 * Over several scenarios that would be unfair: the first to meet a race fails, the next passes. So
 * it is told not to; of the many that one thread may then have on one scenario a few are kept, the
 * others only counted.
 *
 * A thread that goes round in what was freed reports without end, and keeps the runtime's locks
 * from whoever could find out that its scenario hangs. Who runs until a failure has got one: then
 * the process ends after FLOOD reports.
 *
 * A report from a thread that belongs to no team, such as a worker of a pool under test, concerns
 * nobody in particular; it is charged to the scenario that finishes next.
 *
 * Some reports come too late for that: the runtime looks for threads that nobody has joined when
 * the process exits, and a team that was given up as hung may come back. It then ends the process
 * with its own exit code, 1. So that nobody has to guess why, what was not collected is shown then;
 * but for threads that were not joined if a team was given up, which has failed its scenario and
 * leaves the workers of its pools behind.
 *
 * AddressSanitizer and a crash end the process. All that can be done is to say which scenario it
 * was; the exit status says the rest.
 *
 * The sanitizer's functions are declared weak: in a build without it they are NULL.
 */
#include "harness/native/trouble.h"

#include <execinfo.h> /* backtrace */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h> /* memfd_create */
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/scenario/flavour.h"
#include "harness/scenario/unobserved.h"

#define RUNTIME __attribute__((visibility("default")))

enum {
    LOG_ROOM = 1024,
    KEPT = 4,  /* reports of one thread on one scenario */
    FLOOD = 64 /* reports in all */
};

struct log_entry {
    struct result *result; /* NULL: unclaimed */
    long start;            /* offsets in the memory file */
    long end;
    atomic_uint more;      /* reports that followed and were only counted */
    atomic_bool collected; /* by the supervisor, while a team may look */
};

static _Thread_local struct result *concerned;
static _Thread_local unsigned kept;            /* of what this thread has reported on it ... */
static _Thread_local struct log_entry *newest; /* ... and the last of these */
static struct log_entry log_entries[LOG_ROOM];
static atomic_uint log_count;
static long log_end;      /* of the last report; the hook's own ... */
static unsigned reported; /* ... as is this count of them */
static bool flood_is_the_end;
static atomic_uint unlogged; /* reports for which there was no room */
static int memory_file = -1;
static atomic_bool ended; /* TSan calls the death callback at a regular end, too */
static bool leaving_threads;

static void drown(void);

/* ---- what the runtimes call ---- */

__attribute__((weak)) void __sanitizer_set_report_fd(void *descriptor);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

RUNTIME void __tsan_on_report(void *report);
RUNTIME const char *__tsan_default_options(void);

/* Reports come one at a time: the runtime holds a lock around this call. */
RUNTIME UNOBSERVED void __tsan_on_report(void *report)
{
    unsigned index = atomic_load_explicit(&log_count, memory_order_relaxed);
    long start = log_end;

    (void)report;
    if (++reported == FLOOD && flood_is_the_end)
        drown();
    log_end = syscall(SYS_lseek, memory_file, 0L, SEEK_END);
    if (kept == KEPT || index == LOG_ROOM) {
        atomic_fetch_add_explicit(kept > 0 ? &newest->more : &unlogged, 1, memory_order_relaxed);
        return;
    }
    kept++;
    newest = &log_entries[index];
    newest->result = concerned;
    newest->start = start;
    newest->end = log_end;
    atomic_store_explicit(&log_count, index + 1, memory_order_release); /* pairs with collect */
}

/* The runtime's own exit code after a report would hide ours. */
RUNTIME const char *__tsan_default_options(void)
{
    return "exitcode=1:halt_on_error=0:second_deadlock_stack=1:"
           "suppress_equal_stacks=0:suppress_equal_addresses=0";
}

/* ---- collecting ---- */

static void note_text(struct result *result, long start, long end)
{
    char piece[512];

    while (start < end) {
        size_t wanted = (size_t)(end - start) < sizeof piece ? (size_t)(end - start) : sizeof piece;
        ssize_t got = pread(memory_file, piece, wanted, start);
        if (got <= 0)
            return;
        result_note(result, "%.*s", (int)got, piece);
        start += got;
    }
}

static void collect(struct result *result, const struct result *claimant)
{
    unsigned count = atomic_load_explicit(&log_count, memory_order_acquire); /* pairs with hook */

    for (unsigned i = 0; i < count; i++) {
        struct log_entry *entry = &log_entries[i];
        if (entry->collected || entry->result != claimant)
            continue;
        entry->collected = true;
        result->sanitizer_reports += 1 + atomic_load_explicit(&entry->more, memory_order_relaxed);
        note_text(result, entry->start, entry->end);
    }
}

void trouble_collect(struct result *result)
{
    collect(result, result);
}

void trouble_collect_unclaimed(struct result *result)
{
    unsigned lost = atomic_exchange_explicit(&unlogged, 0, memory_order_relaxed);

    collect(result, NULL);
    result->sanitizer_reports += lost;
    if (lost > 0)
        result_note(result, "%u reports more, of this scenario or another: too many to keep\n",
                    lost);
}

bool trouble_was_reported(const struct result *result)
{
    unsigned count = atomic_load_explicit(&log_count, memory_order_acquire); /* pairs with hook */

    for (unsigned i = 0; i < count; i++)
        if (!log_entries[i].collected &&
            (log_entries[i].result == result || log_entries[i].result == NULL))
            return true;
    return false;
}

void trouble_concerns(struct result *result)
{
    concerned = result;
    kept = 0;
}

/* ---- the end of the process ---- */

/* Some of this is called inside the hook, where the library's functions may be the runtime's. */

UNOBSERVED static bool say_bytes(const char *bytes, size_t count)
{
    return syscall(SYS_write, STDERR_FILENO, bytes, count) >= 0;
}

UNOBSERVED static void say(const char *text)
{
    say_bytes(text, strlen(text));
}

UNOBSERVED static void say_who(void)
{
    say("stress: the process ends while running ");
    say(concerned ? concerned->scenario->name : "no scenario in particular");
    say("\n");
}

UNOBSERVED static void show_memory_file(long start, long end)
{
    char piece[512];

    while (start < end) {
        size_t wanted = (size_t)(end - start) < sizeof piece ? (size_t)(end - start) : sizeof piece;
        long got = syscall(SYS_pread64, memory_file, piece, wanted, start);
        if (got <= 0 || !say_bytes(piece, (size_t)got))
            return;
        start += got;
    }
}

UNOBSERVED static void drown(void)
{
    say_who();
    show_memory_file(0, log_end);
    syscall(SYS_exit_group, 1);
}

/* Does what lies at `start` begin with these words, or its second line? */
static bool begins_with(long start, const char *words)
{
    char found[96];
    ssize_t length = pread(memory_file, found, sizeof found - 1, start);

    found[length > 0 ? length : 0] = '\0';
    const char *line = strchr(found, '\n');
    return strncmp(found, words, strlen(words)) == 0 ||
           (line && strncmp(line + 1, words, strlen(words)) == 0);
}

static bool is_expected(const struct log_entry *entry)
{
    return leaving_threads && begins_with(entry->start, "WARNING: ThreadSanitizer: thread leak");
}

static void show_late(long start, long end)
{
    static bool shown;

    if (!shown)
        say("stress: the exit code is 1, since the sanitizer has reported this when the last "
            "scenario had ended:\n");
    shown = true;
    show_memory_file(start, end);
}

/* Behind the last report the runtime says how many there were; anything else is why it died. */
static void show_late_reports(long size)
{
    unsigned count = atomic_load_explicit(&log_count, memory_order_acquire); /* pairs with hook */

    for (unsigned i = 0; i < count; i++)
        if (!log_entries[i].collected && !is_expected(&log_entries[i]))
            show_late(log_entries[i].start, log_entries[i].end);
    if (log_end < size && !begins_with(log_end, "ThreadSanitizer: reported "))
        show_late(log_end, size);
}

/* The text of a deadly report is in the memory file, together with all others. */
static void on_death(void)
{
    long size = memory_file < 0 ? 0 : lseek(memory_file, 0, SEEK_END);

    if (atomic_load(&ended)) {
        show_late_reports(size);
        return;
    }
    say_who();
    show_memory_file(0, size);
}

static void on_crash(int number)
{
    void *frames[64];

    say_who();
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    raise(number); /* SA_RESETHAND: this time for good */
}

static void catch_crashes(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};

    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        sigaction(deadly[i], &action, NULL);
}

static void redirect_reports(void)
{
#ifdef HARNESS_TSAN
    memory_file = memfd_create("sanitizer reports", MFD_CLOEXEC);
    if (memory_file >= 0 && __sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)memory_file);
#endif
}

void trouble_watch(bool until_failure)
{
    flood_is_the_end = until_failure;
    redirect_reports();
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(on_death);
    else
        catch_crashes();
}

void trouble_leaves_threads(void)
{
    leaving_threads = true;
}

void trouble_end(void)
{
    atomic_store(&ended, true);
}
