/*
 * atomics: what Helgrind and DRD have to be told about C11 atomics.
 *
 * Both tools know pthread_mutex_lock and its kin, because they replace those functions. An atomic
 * is an instruction like any other to them: they see two threads that touch one word without a
 * lock, and whatever the word publishes looks unprotected as well. Right code gets reports by the
 * page.
 *
 * The compiler can mark the atomics for us. With -fsanitize=thread each becomes a call of
 * __tsan_atomic<bits>_<operation>, with its memory order as an argument. In the valgrind flavour
 * everything is compiled so, but linked with this file in place of ThreadSanitizer's runtime. Each
 * function performs the operation and tells the tools, by client requests, what its order means.
 * The library itself stays free of annotations.
 *
 *      release    before the operation    happens-before: what I did so far goes with this word
 *      acquire    after the operation     happens-after: what came with this word is before me
 *      relaxed    -                       neither: it publishes nothing
 *      any        before the operation    the word itself is not to be watched
 *
 * Outside Valgrind a client request is a few instructions without effect, and the program is an
 * ordinary one, if a slow one.
 *
 * Precision. An edge too few would be a false alarm; an edge too many hides a race. This file errs
 * on the second side: a reader that comes between the request and the store gets the edge although
 * it reads the old value, and so does one that reads a relaxed store over an older release. The
 * tools run one thread at a time, which makes the first rare. ThreadSanitizer, which is exact in
 * both, remains the judge. A compare-and-swap that fails releases nothing, and is treated so.
 *
 * A fence belongs to no word. It sends to and receives from an object that all fences share, which
 * is more than C11 promises; the library has none.
 *
 * Three functions of pthreads are here too, by --wrap, where Helgrind would be wrong about them:
 *
 *      once             Helgrind does not know it, and takes whatever the routine has initialised
 *                       for unprotected.
 *      cond_timedwait   A wait that gives up although a signal was meant for it hands the signal
 *                       on. That is the C library's affair, and done without the mutex; Helgrind
 *                       takes it for a signal of the program's. During the call it therefore
 *                       reports nothing; what it has to say about the call, it is asked before.
 *      mutex_destroy    Helgrind has a look into the mutex. To its knowledge an unlock is over when
 *                       it begins, and whatever that still does to the mutex is not ordered; it
 *                       excuses the C library, but not its own look. (Later versions do.) Here the
 *                       words of the mutex are not to be watched from then on, like those of
 *                       atomics. Who destroys too early frees too early, and stress/valgrind has a
 *                       free count as a write to all the rest of the block.
 *
 * DRD knows the first, is not misled by the second, and does not look into a mutex.
 *
 * UNOBSERVED functions of the harness have no marks here either. Their words are known from other
 * functions (the meetings of race.c), or are only ever advanced by read-modify-writes (history.c),
 * which both tools take for reads. The bell of race.c is advanced by these alone, too; but a call
 * of futex that succeeds is a write of its word, in the eyes of DRD. So team.c makes it known.
 *
 * The marks at plain accesses and at the entry and exit of functions are of no use here, since both
 * tools watch the instructions themselves; those functions are empty. Atomics of 16 bytes are not
 * here, because nobody uses them: a program that does will not link, which says it early enough.
 *
 * This file is compiled without -fsanitize=thread: its own operations would call itself.
 * selftest/atomics.c proves that the tools then find what is wrong, and keep quiet otherwise.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint8_t ... uint64_t */
#include <string.h>
#include <time.h> /* struct timespec */

#include <valgrind/helgrind.h>
#include <valgrind/drd.h> /* after helgrind.h, as it expects */

/* ---- what the tools are told ---- */

static void send(const volatile void *word)
{
    VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_SEND_PRE, word, 0, 0, 0, 0);
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, word, 0, 0, 0, 0);
}

static void receive(const volatile void *word)
{
    VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_RECV_POST, word, 0, 0, 0, 0);
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, word, 0, 0, 0, 0);
}

/* Each time anew: the memory may have been freed, and been given to somebody else, since. */
static void leave_alone(const volatile void *word, size_t size)
{
    VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_ARANGE_MAKE_UNTRACKED, word, size, 0, 0, 0);
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, word, size, 0, 0, 0);
}

static void before(const volatile void *word, int order)
{
    if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
        send(word);
}

static void after(const volatile void *word, int order)
{
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
        receive(word);
}

/* ---- the operations ---- */

#define TYPE            uint8_t
#define NAME(operation) __tsan_atomic8_##operation
#include "harness/native/atomics_width.h"

#define TYPE            uint16_t
#define NAME(operation) __tsan_atomic16_##operation
#include "harness/native/atomics_width.h"

#define TYPE            uint32_t
#define NAME(operation) __tsan_atomic32_##operation
#include "harness/native/atomics_width.h"

#define TYPE            uint64_t
#define NAME(operation) __tsan_atomic64_##operation
#include "harness/native/atomics_width.h"

void __tsan_atomic_thread_fence(int order)
{
    static const char all_fences;

    before(&all_fences, order);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    after(&all_fences, order);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- pthread_once ---- */

int __real_pthread_once(pthread_once_t *control, void (*routine)(void));
int __wrap_pthread_once(pthread_once_t *control, void (*routine)(void));

/* What this thread is about to run, if it is the one that does: a routine has no argument. */
static _Thread_local void (*once_routine)(void);
static _Thread_local pthread_once_t *once_control;

static void run_once(void)
{
    pthread_once_t *control = once_control; /* the routine may contain a pthread_once of its own */

    once_routine();
    send(control);
}

int __wrap_pthread_once(pthread_once_t *control, void (*routine)(void))
{
    once_routine = routine;
    once_control = control;
    int status = __real_pthread_once(control, run_once);
    receive(control);
    return status;
}

/* ---- pthread_cond_timedwait ---- */

int __real_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *deadline);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *deadline);

/* A wait that begins and times out, as far as Helgrind is concerned: is the mutex held, and is it
   always the same? */
static void check_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_PTHREAD_COND_WAIT_PRE, condition, mutex, 0, 0,
                                    0);
    VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_PTHREAD_COND_WAIT_POST, condition, mutex, true,
                                    true, 0);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *deadline)
{
    if (DRD_GET_VALGRIND_THREADID != 0) /* DRD needs no help */
        return __real_pthread_cond_timedwait(condition, mutex, deadline);
    check_wait(condition, mutex);
    VALGRIND_DISABLE_ERROR_REPORTING;
    int status = __real_pthread_cond_timedwait(condition, mutex, deadline);
    VALGRIND_ENABLE_ERROR_REPORTING;
    return status;
}

/* ---- pthread_mutex_destroy ---- */

int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    VALGRIND_HG_DISABLE_CHECKING(mutex, sizeof(pthread_mutex_t));
    return __real_pthread_mutex_destroy(mutex);
}

/* ---- marks of no use here ---- */

#define MARK(name)                    \
    void __tsan_##name(void *address) \
    {                                 \
        (void)address;                \
    }

#define MARK_OF_TWO(name, type)                    \
    void __tsan_##name(void *address, type second) \
    {                                              \
        (void)address;                             \
        (void)second;                              \
    }

#define MARKS_OF_WIDTH(bytes)    \
    MARK(read##bytes)            \
    MARK(write##bytes)           \
    MARK(read_write##bytes)      \
    MARK(unaligned_read##bytes)  \
    MARK(unaligned_write##bytes) \
    MARK(unaligned_read_write##bytes)

MARKS_OF_WIDTH(1)
MARKS_OF_WIDTH(2)
MARKS_OF_WIDTH(4)
MARKS_OF_WIDTH(8)
MARKS_OF_WIDTH(16)
MARK_OF_TWO(read_range, size_t)
MARK_OF_TWO(write_range, size_t)
MARK_OF_TWO(vptr_update, void *)
MARK(vptr_read)
MARK(func_entry)

void __tsan_func_exit(void) {}

void __tsan_init(void) {}

/* Later compilers call these where they used to call the functions themselves. */

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
    return memset(to, byte, size);
}
