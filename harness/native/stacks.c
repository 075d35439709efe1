/*
 * Stacks of other threads, by asking each of them with a signal.
 *
 * The handler runs on the thread in question and leaves its return addresses in a capture that
 * came with the signal; names are looked up afterwards, by whoever asked. A thread that does not
 * answer within a second may still do so later, so captures are used in turn, and one comes up
 * again only after 63 others.
 *
 * Names come from addr2line (lines.h), which is asked once per stack. Without it there is the
 * offset into the program, and for libraries what they export.
 *
 * ThreadSanitizer replaces sigaction and holds signals back until a thread enters a blocking call
 * that it knows. A thread that is stuck in a mutex or a spin would never answer. glibc exports the
 * real function as __sigaction, which is not replaced; where it exists we use it. It is a
 * last resort for a process that is about to be judged anyway. (A thread of ThreadSanitizer's own,
 * which has the name of the program, never answers.)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1, syscall */
#endif
#include "harness/native/stacks.h"

#include <dirent.h>
#include <dlfcn.h> /* dladdr1 */
#include <errno.h>
#include <execinfo.h> /* backtrace */
#include <link.h>     /* struct link_map */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h> /* uintptr_t */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h> /* nanosleep */
#include <unistd.h>

#include "harness/report/lines.h"
#include "harness/scenario/unobserved.h"

enum {
    FRAMES = 48,
    CAPTURES = 64,
    ANSWER_MILLISECONDS = 1000
};

struct capture {
    void *frames[FRAMES];
    int count;
    int own; /* the first of them are the handler's and its trampoline's */
    atomic_bool done;
};

__attribute__((weak)) int __sigaction(int, const struct sigaction *, struct sigaction *);

static int ask_signal(void)
{
    return SIGRTMAX - 2;
}

/* ---- asking ---- */

/* Helgrind and DRD watch the handler in any case, and have to learn of its store (atomics.c). */
#ifdef HARNESS_VALGRIND
#define HANDLER
#else
#define HANDLER UNOBSERVED
#endif

/* Unobserved, and copied by hand: inside a blocking call that it knows ThreadSanitizer does not
   follow who synchronises with whom. The pointer is volatile so that no memcpy comes of it. */
HANDLER static void answer(int number, siginfo_t *info, void *context)
{
    struct capture *capture = info->si_value.sival_ptr;
    void *volatile *copy = capture->frames;
    void *frames[FRAMES];
    int error = errno;
    int count = backtrace(frames, FRAMES), own = 0;

    (void)number;
    (void)context;
    for (int i = 0; i < count; i++) {
        copy[i] = frames[i];
        if (frames[i] == __builtin_return_address(0))
            own = i + 1;
    }
    capture->own = own;
    capture->count = count;
    atomic_store_explicit(&capture->done, true, memory_order_release); /* pairs with wait below */
    errno = error;
}

void stacks_prepare(void)
{
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART};
    void *first[2];

    if (__sigaction)
        __sigaction(ask_signal(), &action, NULL);
    else
        sigaction(ask_signal(), &action, NULL);
    backtrace(first, 2); /* the first call loads a library, which a handler must not */
}

pid_t stacks_thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static bool send(pid_t thread, struct capture *capture)
{
    siginfo_t info = {.si_signo = ask_signal(), .si_code = SI_QUEUE};

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = capture;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, ask_signal(), &info) == 0;
}

static bool wait_for_answer(struct capture *capture)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};

    for (int i = 0; i < ANSWER_MILLISECONDS; i++) {
        if (atomic_load_explicit(&capture->done, memory_order_acquire))
            return true;
        nanosleep(&millisecond, NULL);
    }
    return false;
}

/* ---- names for addresses ---- */

struct place {
    struct link_map *object;
    Dl_info symbol;
    uintptr_t offset;
    bool is_ours; /* in the program itself */
};

/* False: it is in no object. An address but the first is where a call returns to: the call itself
   lies before it. */
static bool find(void *address, bool after_call, struct place *place)
{
    if (dladdr1(address, &place->symbol, (void **)&place->object, RTLD_DL_LINKMAP) == 0)
        return false;
    place->offset = (uintptr_t)address - place->object->l_addr - (after_call ? 1 : 0);
    place->is_ours = place->object->l_name[0] == '\0';
    return true;
}

/* addr2line is asked for all of a stack that is ours. */
static void open_lines(struct lines *lines, const struct capture *capture)
{
    uintptr_t offsets[FRAMES];
    size_t count = 0;

    for (int i = capture->own; i < capture->count; i++) {
        struct place place;
        if (find(capture->frames[i], i > capture->own, &place) && place.is_ours)
            offsets[count++] = place.offset;
    }
    lines_open(lines, LINES_NAMES, offsets, count);
}

static void write_offset(const struct place *place, void *address, stacks_line_fn *write,
                         void *context)
{
    char text[LINES_TEXT];
    const char *slash = strrchr(place->symbol.dli_fname, '/');
    const char *file = slash ? slash + 1 : place->symbol.dli_fname;

    if (place->symbol.dli_sname)
        snprintf(text, sizeof text, "%s(%s+%#jx)", file, place->symbol.dli_sname,
                 (uintmax_t)((uintptr_t)address - (uintptr_t)place->symbol.dli_saddr));
    else
        snprintf(text, sizeof text, "%s(+%#jx)", file, (uintmax_t)place->offset);
    write(context, text);
}

static void write_frame(struct lines *lines, void *address, bool after_call, stacks_line_fn *write,
                        void *context)
{
    struct place place;
    char text[32];

    if (!find(address, after_call, &place)) {
        snprintf(text, sizeof text, "%p", address);
        write(context, text);
    } else if (!place.is_ours || !lines_next(lines, write, context)) {
        write_offset(&place, address, write, context);
    }
}

/* ---- stacks ---- */

void stacks_of(pid_t thread, stacks_line_fn *write, void *context)
{
    static struct capture captures[CAPTURES];
    static unsigned turn;
    struct capture *capture = &captures[turn++ % CAPTURES];
    struct lines lines;

    atomic_store_explicit(&capture->done, false, memory_order_relaxed);
    if (!send(thread, capture) || !wait_for_answer(capture)) {
        write(context, "(no stack: the thread does not answer)");
        return;
    }
    open_lines(&lines, capture);
    for (int i = capture->own; i < capture->count; i++)
        write_frame(&lines, capture->frames[i], i > capture->own, write, context);
    lines_close(&lines);
}

static void write_heading(pid_t thread, stacks_line_fn *write, void *context)
{
    char path[64], name[32] = "", text[96];

    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread);
    FILE *file = fopen(path, "r");
    if (file && fgets(name, sizeof name, file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
    snprintf(text, sizeof text, "thread %d, %s:", (int)thread, name);
    write(context, text);
}

static bool is_known(pid_t thread, const pid_t *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (known[i] == thread)
            return true;
    return thread == stacks_thread_id();
}

void stacks_of_others(const pid_t *known, size_t count, stacks_line_fn *write, void *context)
{
    DIR *threads = opendir("/proc/self/task");

    if (!threads)
        return;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread == 0 || is_known(thread, known, count))
            continue;
        write_heading(thread, write, context);
        stacks_of(thread, write, context);
    }
    closedir(threads);
}
