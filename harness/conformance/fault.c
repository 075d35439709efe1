/*
 * The wrappers. One armed fault for the whole program; the calls are counted down atomically, so
 * that with FAULT_ALL_THREADS exactly one call fails, whichever thread comes first.
 */
#include "fault.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __real_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __wrap_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);

/*
 * Lock letters:
 *   A: atomic
 */
static struct {
    _Atomic unsigned kinds;   /* A 0: nothing is armed */
    _Atomic unsigned nth;     /* A */
    _Atomic unsigned calls;   /* A */
    _Atomic unsigned hits;    /* A */
    _Atomic bool all_threads; /* A */
} armed;

static _Thread_local bool asked; /* this thread has armed the fault */

void fault_arm(unsigned kinds, unsigned nth, enum fault_scope scope)
{
    asked = true;
    atomic_store(&armed.kinds, 0);
    atomic_store(&armed.calls, 0);
    atomic_store(&armed.hits, 0);
    atomic_store(&armed.nth, nth);
    atomic_store(&armed.all_threads, scope == FAULT_ALL_THREADS);
    atomic_store(&armed.kinds, kinds);
}

unsigned fault_disarm(void)
{
    asked = false;
    atomic_store(&armed.kinds, 0);
    return atomic_load(&armed.hits);
}

unsigned fault_calls(void)
{
    return atomic_load(&armed.calls);
}

static _Thread_local struct {
    unsigned kinds; /* 0: nothing is to happen */
    void (*happens)(void *);
    void *argument;
} meanwhile;

void fault_meanwhile(unsigned kinds, void (*happens)(void *), void *argument)
{
    meanwhile.happens = happens;
    meanwhile.argument = argument;
    meanwhile.kinds = kinds;
}

static bool fails(unsigned kind)
{
    if ((meanwhile.kinds & kind) != 0) {
        meanwhile.kinds = 0;
        meanwhile.happens(meanwhile.argument);
    }
    if ((atomic_load(&armed.kinds) & kind) == 0 || !(asked || atomic_load(&armed.all_threads)))
        return false;
    unsigned call = atomic_fetch_add(&armed.calls, 1) + 1;
    unsigned nth = atomic_load(&armed.nth);
    bool hit = nth == FAULT_EVERY || call == nth;
    if (hit)
        atomic_fetch_add(&armed.hits, 1);
    return hit;
}

bool fault_walk_next(struct fault_walk *walk)
{
    if (walk->over)
        return false;
    fault_arm(walk->kinds, ++walk->point, FAULT_THIS_THREAD);
    return true;
}

bool fault_walk_hit(struct fault_walk *walk)
{
    walk->over = fault_disarm() == 0;
    return !walk->over;
}

/* The calls themselves. */

void *__wrap_malloc(size_t size)
{
    if (!fails(FAULT_MALLOC))
        return __real_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (!fails(FAULT_CALLOC))
        return __real_calloc(count, size);
    errno = ENOMEM;
    return NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (!fails(FAULT_REALLOC))
        return __real_realloc(memory, size);
    errno = ENOMEM;
    return NULL;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    return fails(FAULT_THREAD) ? EAGAIN
                               : __real_pthread_create(thread, attributes, start, argument);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    return fails(FAULT_MUTEX) ? ENOMEM : __real_pthread_mutex_init(mutex, attributes);
}

int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    return fails(FAULT_CONDITION) ? ENOMEM : __real_pthread_cond_init(condition, attributes);
}
