/*
 * C11's <threads.h>: what POSIX has, by other names and with other answers.
 *
 * As in glibc, a mtx_t is a pthread_mutex_t, a cnd_t a pthread_cond_t, and so on, and a program may
 * use both. Times are those of TIME_UTC, the wall clock. A thread's function returns an int, where
 * POSIX has a pointer; it is called as if it returned one, of which the lower half counts.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "harness/explore/runtime.h"
#include "harness/explore/runtime_calls.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mtx_t is no pthread_mutex_t");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a cnd_t is no pthread_cond_t");
_Static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "a once_flag is no pthread_once_t");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "a thrd_t is no pthread_t");
_Static_assert(sizeof(tss_t) == sizeof(pthread_key_t), "a tss_t is no pthread_key_t");

static int answer(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

/* ---- mutexes ---- */

int gpx_mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attributes;

    if ((type & ~(mtx_recursive | mtx_timed)) != 0)
        return thrd_error;
    pthread_mutexattr_init(&attributes);
    if (type & mtx_recursive)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    return answer(runtime_mutex_init((pthread_mutex_t *)mutex, &attributes, CALLER));
}

void gpx_mtx_destroy(mtx_t *mutex)
{
    runtime_mutex_destroy((pthread_mutex_t *)mutex, CALLER);
}

int gpx_mtx_lock(mtx_t *mutex)
{
    return answer(runtime_mutex_lock((pthread_mutex_t *)mutex, CALLER));
}

int gpx_mtx_trylock(mtx_t *mutex)
{
    return answer(runtime_mutex_trylock((pthread_mutex_t *)mutex, CALLER));
}

int gpx_mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return answer(runtime_mutex_timedlock((pthread_mutex_t *)mutex, until, CALLER));
}

int gpx_mtx_unlock(mtx_t *mutex)
{
    return answer(runtime_mutex_unlock((pthread_mutex_t *)mutex, CALLER));
}

/* ---- conditions ---- */

int gpx_cnd_init(cnd_t *condition)
{
    return answer(runtime_cond_init((pthread_cond_t *)condition, NULL, CALLER));
}

void gpx_cnd_destroy(cnd_t *condition)
{
    runtime_cond_destroy((pthread_cond_t *)condition, CALLER);
}

int gpx_cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return answer(runtime_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, CALLER));
}

int gpx_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    return answer(runtime_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex,
                                         until, CALLER));
}

int gpx_cnd_signal(cnd_t *condition)
{
    return answer(runtime_cond_signal((pthread_cond_t *)condition, CALLER));
}

int gpx_cnd_broadcast(cnd_t *condition)
{
    return answer(runtime_cond_broadcast((pthread_cond_t *)condition, CALLER));
}

/* ---- threads ---- */

int gpx_thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    void *(*function)(void *) = (void *(*)(void *))(void (*)(void))start;

    return answer(runtime_create(thread, NULL, function, argument, CALLER));
}

int gpx_thrd_join(thrd_t thread, int *result)
{
    void *value;
    int error = runtime_join(thread, &value, CALLER);

    if (error == 0 && result) {
        runtime_access(result, sizeof *result, ACCESS_WRITES, CALLER);
        *result = (int)(intptr_t)value;
    }
    return answer(error);
}

int gpx_thrd_detach(thrd_t thread)
{
    return answer(runtime_detach(thread, CALLER));
}

_Noreturn void gpx_thrd_exit(int result)
{
    gpx_pthread_exit((void *)(intptr_t)result);
}

thrd_t gpx_thrd_current(void)
{
    return gpx_pthread_self();
}

/* -1 would be that a signal came. */
int gpx_thrd_sleep(const struct timespec *duration, struct timespec *left)
{
    return runtime_nanosleep(duration, left, CALLER) == 0 ? 0 : -2;
}

void gpx_call_once(once_flag *flag, void (*routine)(void))
{
    runtime_once((pthread_once_t *)flag, routine, CALLER);
}

/* ---- thread-specific data ---- */

int gpx_tss_create(tss_t *key, tss_dtor_t destroy)
{
    return answer(runtime_key_create(key, destroy, CALLER));
}

void gpx_tss_delete(tss_t key)
{
    runtime_key_delete(key, CALLER);
}

void *gpx_tss_get(tss_t key)
{
    return gpx_pthread_getspecific(key);
}

int gpx_tss_set(tss_t key, void *value)
{
    return answer(runtime_set_specific(key, value, CALLER));
}

/* ---- time ---- */

int gpx_timespec_get(struct timespec *time, int base)
{
    if (base != TIME_UTC)
        return 0;
    runtime_clock_gettime(CLOCK_REALTIME, time, CALLER);
    return base;
}
