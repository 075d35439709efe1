/*
 * What the threads of a test's program do, and how they are started. To be included by programs
 * only: what is in here is explored with them.
 */
#ifndef HARNESS_EXPLORE_TEST_ROLES_H
#define HARNESS_EXPLORE_TEST_ROLES_H

#include <pthread.h>
#include <stddef.h> /* NULL */

typedef void *role_fn(void *);

#define ROLE(name, ...)             \
    static void *name(void *unused) \
    {                               \
        (void)unused;               \
        __VA_ARGS__;                \
        return NULL;                \
    }

static inline pthread_t start(role_fn *role, void *argument)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, role, argument) == 0 ? thread : 0;
}

static inline void run_both(role_fn *one, role_fn *other)
{
    pthread_t first = start(one, NULL), second = start(other, NULL);

    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

#endif
