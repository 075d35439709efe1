/*
 * The system beneath: names, niceness, timer slack, signals, and giving way.
 *
 * Everything that is neither C11 nor pthreads is in this file, one thin function each, so that the
 * rest of the library runs unchanged on a controlled scheduler. Where the system lacks a feature
 * the function does nothing, or says GP_ENOTSUP where a caller relies on it.
 *
 * Repeated signals. Each thread that wants its interrupts accompanied by a signal has a kernel
 * timer that is aimed at it. Armed, the timer sends the signal at once and then every millisecond:
 * a signal that arrives just before a blocking call is lost, the next one is not. The kernel does
 * the repeating, so no thread of ours has to, and the interrupter never waits for its victim. When
 * the target itself disarms the timer, a signal that was under way is delivered before the system
 * call returns; none can come later.
 *
 * Rejected: a helper thread (one more thread to fail and to join), and re-sending by the thread
 * that cancels (it would have to wait until the task reacts, and deadlock with a task that waits
 * for a lock which the canceller holds).
 *
 * Giving way. The library spins in a few places, each for the few instructions that another thread
 * needs to leave a transient state. gp__os_backoff yields at first and then sleeps for moments:
 * a yield alone never lets a thread of lower real-time priority run. gp__os_linger looks again a
 * few times before that: what it waits for is over sooner than a system call. Its first pause is
 * already longer than that takes. Who looked again at once would get it sooner, but then those who
 * come back for it again and again take turns, and its line in the caches goes from one to the
 * other each time; so they do some dozen things one after the other before they let the line go.
 *
 * Brief locks. A queue's lock is held for some tens of instructions, so whoever finds it taken had
 * better look again a few times than go to sleep: a sleep and a wake-up cost a thousand times as
 * much, and both sides pay. glibc has a kind of mutex that does so, if there is a second processor.
 */
#include "sync/os.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <glasspool/status.h>

#ifdef __linux__
#include <sys/prctl.h>    /* PR_SET_TIMERSLACK */
#include <sys/resource.h> /* setpriority */
#include <sys/syscall.h>  /* SYS_gettid */
#include <unistd.h>       /* syscall */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
#endif

#define FIRST_PAUSE            32U /* so that others get some things done meanwhile */
#define PAUSES_BEFORE_YIELDING 4   /* each twice as long as the one before */
#define YIELDS_BEFORE_SLEEPING 64
#define REPEAT_NANOSECONDS     1000000
#define SLEEP_NANOSECONDS      50000
#define NAME_SIZE              16 /* what Linux keeps of a thread's name, with its end */

int gp__os_init_brief_lock(pthread_mutex_t *lock)
{
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0)
        return GP_ENOMEM;
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    int error = pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
#else
    int error = pthread_mutex_init(lock, NULL);
#endif
    return error == 0 ? GP_OK : GP_ENOMEM;
}

void gp__os_backoff(unsigned *rounds)
{
    int cancel_state;
    if (++*rounds <= YIELDS_BEFORE_SLEEPING) {
        sched_yield();
        return;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); /* nanosleep would act on it */
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
    pthread_setcancelstate(cancel_state, NULL);
}

static void pause_for(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
}

void gp__os_linger(unsigned *rounds)
{
    if (*rounds < PAUSES_BEFORE_YIELDING) {
        pause_for(FIRST_PAUSE << (*rounds)++);
        return;
    }
    unsigned further = *rounds - PAUSES_BEFORE_YIELDING;
    gp__os_backoff(&further);
    *rounds = further + PAUSES_BEFORE_YIELDING;
}

#ifdef __linux__

void gp__os_name_thread(const char *name)
{
    char shown[NAME_SIZE] = {0};
    for (int i = 0; i < NAME_SIZE - 1 && name[i] != '\0'; i++)
        shown[i] = name[i];
    pthread_setname_np(pthread_self(), shown);
}

static pid_t thread_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

void gp__os_set_nice(int nice)
{
    setpriority(PRIO_PROCESS, (id_t)thread_id(), nice);
}

void gp__os_set_timer_slack(int64_t nanos)
{
    prctl(PR_SET_TIMERSLACK, (unsigned long)nanos, 0UL, 0UL, 0UL);
}

static void unblock(int signal_number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int gp__os_signal_open(struct gp__os_signal *source, int signal_number)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
    event.sigev_notify_thread_id = thread_id();
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return GP_EAGAIN;
    source->timer = timer;
    source->open = true;
    unblock(signal_number);
    return GP_OK;
}

static void set_timer(struct gp__os_signal *source, long first, long interval)
{
    if (source->open)
        timer_settime(
            source->timer, 0,
            &(struct itimerspec){.it_value.tv_nsec = first, .it_interval.tv_nsec = interval}, NULL);
}

void gp__os_signal_repeat(struct gp__os_signal *source)
{
    set_timer(source, 1, REPEAT_NANOSECONDS);
}

void gp__os_signal_stop(struct gp__os_signal *source)
{
    set_timer(source, 0, 0);
}

void gp__os_signal_close(struct gp__os_signal *source)
{
    if (source->open)
        timer_delete(source->timer);
    source->open = false;
}

static void wake_up_only(int signal_number)
{
    (void)signal_number;
}

int gp__os_prepare_signal(int signal_number)
{
    struct sigaction now;
    if (signal_number == SIGKILL || signal_number == SIGSTOP ||
        sigaction(signal_number, NULL, &now) != 0)
        return GP_EINVAL;
    if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
        return GP_OK;
    struct sigaction handler = {.sa_handler = wake_up_only};
    sigemptyset(&handler.sa_mask);
    return sigaction(signal_number, &handler, NULL) == 0 ? GP_OK : GP_EINVAL;
}

#else

void gp__os_name_thread(const char *name)
{
    (void)name;
}

void gp__os_set_nice(int nice)
{
    (void)nice;
}

void gp__os_set_timer_slack(int64_t nanos)
{
    (void)nanos;
}

int gp__os_prepare_signal(int signal_number)
{
    (void)signal_number;
    return GP_ENOTSUP;
}

int gp__os_signal_open(struct gp__os_signal *source, int signal_number)
{
    (void)source;
    (void)signal_number;
    return GP_ENOTSUP;
}

void gp__os_signal_repeat(struct gp__os_signal *source)
{
    (void)source;
}

void gp__os_signal_stop(struct gp__os_signal *source)
{
    (void)source;
}

void gp__os_signal_close(struct gp__os_signal *source)
{
    (void)source;
}

#endif
