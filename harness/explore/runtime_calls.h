/*
 * The stand-ins that others stand on: those for C11's threads are the ones for POSIX, with other
 * answers (runtime_c11.c). What happens is told with the place `pc`, in the program.
 */
#ifndef HARNESS_EXPLORE_RUNTIME_CALLS_H
#define HARNESS_EXPLORE_RUNTIME_CALLS_H

#include <pthread.h>
#include <time.h>

int runtime_mutex_init(pthread_mutex_t *system, const pthread_mutexattr_t *attributes,
                       const void *pc);
int runtime_mutex_destroy(pthread_mutex_t *system, const void *pc);
int runtime_mutex_lock(pthread_mutex_t *system, const void *pc);
int runtime_mutex_trylock(pthread_mutex_t *system, const void *pc);
int runtime_mutex_timedlock(pthread_mutex_t *system, const struct timespec *until, const void *pc);
int runtime_mutex_unlock(pthread_mutex_t *system, const void *pc);
int runtime_once(pthread_once_t *system, void (*routine)(void), const void *pc);
int runtime_cond_init(pthread_cond_t *system, const pthread_condattr_t *attributes, const void *pc);
int runtime_cond_destroy(pthread_cond_t *system, const void *pc);
int runtime_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *pc);
int runtime_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *until, const void *pc);
int runtime_cond_signal(pthread_cond_t *cond, const void *pc);
int runtime_cond_broadcast(pthread_cond_t *cond, const void *pc);
int runtime_create(pthread_t *name, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument, const void *pc);
int runtime_join(pthread_t name, void **result, const void *pc);
int runtime_detach(pthread_t name, const void *pc);
int runtime_key_create(pthread_key_t *key, void (*destroy)(void *), const void *pc);
int runtime_key_delete(pthread_key_t key, const void *pc);
int runtime_set_specific(pthread_key_t key, const void *value, const void *pc);
int runtime_clock_gettime(clockid_t clock, struct timespec *time, const void *pc);
int runtime_nanosleep(const struct timespec *duration, struct timespec *left, const void *pc);

/* As they are: these are no steps, or tell no place of their own. */
pthread_t gpx_pthread_self(void);
_Noreturn void gpx_pthread_exit(void *result);
void *gpx_pthread_getspecific(pthread_key_t key);

#endif
