/*
 * Glasspool: threads and their interrupts.
 *
 * Each thread that touches the library has a record, a gp_thread. Threads made here have it from
 * the start; a foreign thread gets one at its first call. The record outlives the thread while
 * somebody holds a reference to it.
 *
 * An interrupt is a request, as in Java: it sets a flag and ends whatever interruptible wait the
 * thread is in, or the next one, with GP_EINTERRUPTED (and the flag is then cleared). It does not
 * stop code that neither waits nor looks.
 *
 * A blocking system call knows nothing of flags. With `interrupt_signal` an interrupt also sends
 * that signal, so that read() returns EINTR. A signal that arrives just before the call would be
 * lost; therefore it is sent again every millisecond, until the flag is cleared or the task ends.
 * See gp_thread_config.
 *
 * After fork() only the calling thread exists in the child: its record stays valid, pools and
 * queues of the parent must not be touched there.
 */
#ifndef GLASSPOOL_THREAD_H
#define GLASSPOOL_THREAD_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#include "api.h"

GP_BEGIN_DECLS

typedef struct gp_thread gp_thread;
typedef void gp_run_fn(void *argument);

GP_API gp_thread *gp_thread_self(void);               /* my record, borrowed; NULL: no memory */
GP_API gp_thread *gp_thread_retain(gp_thread *);      /* keep it beyond the thread's life */
GP_API void gp_thread_release(gp_thread *);           /* NULL is fine */
GP_API const char *gp_thread_name(const gp_thread *); /* "" if it has none */

/* Interrupts. */

GP_API void gp_thread_interrupt(gp_thread *);     /* raise its flag and wake it */
GP_API bool gp_is_interrupted(const gp_thread *); /* is the flag up? */
GP_API bool gp_interrupted(void);                 /* was mine up? clears it */
GP_API int gp_sleep(int64_t nanos);               /* GP_OK, GP_EINTERRUPTED, GP_ENOMEM */

/* Making threads. A thread is made first and started later, so that it can be refused between. */

typedef struct gp_thread_config {
    const char *name;     /* copied, at most 31 characters; the system may show only 15 */
    size_t stack_size;    /* bytes; 0: the system's default */
    int nice;             /* niceness of the thread, -20 to 19; 0: as its creator */
    int64_t timer_slack;  /* how late the system may wake it, in nanoseconds; 0: as its creator */
    int interrupt_signal; /* sent with each interrupt; 0: none. Its handler becomes an empty one
                             unless the program has set its own (without SA_RESTART) */
} gp_thread_config;

GP_API int gp_thread_new(const gp_thread_config *, gp_run_fn *run, void *argument,
                         gp_thread **out);     /* a thread, not yet started; NULL config: plain */
GP_API int gp_thread_start(gp_thread *);       /* or GP_ESTATE: started before; _EAGAIN, _ENOMEM */
GP_API bool gp_thread_is_started(gp_thread *); /* true from start on, for ever */
GP_API int gp_thread_join(gp_thread *);        /* until it has ended; not interruptible.
                                                  GP_ESTATE: not started, foreign, or joined
                                                  before, or a pool's;
                                                  GP_EDEADLK: oneself */

GP_END_DECLS

#endif
