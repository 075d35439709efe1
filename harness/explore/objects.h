/*
 * What the runtime keeps in the program's own mutexes, conditions and so on.
 *
 * Each overlays the type of the system, whose size it must not exceed. All zero is what the
 * system's static initialisers give, and is valid here: free, nobody waits, the usual kind. A mutex
 * has its kind where glibc has it, since PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP sets it.
 *
 * Who waits for what is not kept here: each thread says so itself, in the op that it has announced.
 *
 * What was destroyed is marked, so that its next use is found: by an owner, a value or a clock that
 * there cannot be. Whoever waits for it is let through by its gate, and told.
 */
#ifndef HARNESS_EXPLORE_OBJECTS_H
#define HARNESS_EXPLORE_OBJECTS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

#include "harness/explore/machine.h" /* MACHINE_THREADS */

#define DESTROYED UINT32_MAX

struct x_mutex {
    uint32_t owner; /* thread + 1; 0: free; or DESTROYED */
    uint32_t depth; /* of a recursive one: how often its owner has it besides */
    uint32_t robust, unused;
    int32_t kind; /* PTHREAD_MUTEX_... */
};

struct x_cond {
    uint32_t clock;    /* of its timed waits; 0: CLOCK_REALTIME; or DESTROYED */
    uint32_t unheeded; /* signals that found nobody, for the report of a lost wake-up */
};

struct x_rwlock {
    uint32_t readers;
    uint32_t writer; /* thread + 1; 0: none; or DESTROYED */
    /* For reading, how often by each thread: holds.h. */
#if SET_WORDS == 1
    uint8_t held[MACHINE_THREADS / 2];
#else
    uint32_t held;
#endif
};

struct x_semaphore {
    uint32_t value; /* or DESTROYED */
};

struct x_barrier {
    uint32_t wanted; /* 0: not initialised, or destroyed */
    uint32_t arrived;
};

struct x_spin {
    uint32_t owner; /* thread + 1; 0: free; or DESTROYED */
};

enum {
    ONCE_DONE = 1,
    ONCE_RUNNING = 2 /* + thread */
};

struct x_once {
    uint32_t state;
};

_Static_assert(sizeof(struct x_mutex) <= sizeof(pthread_mutex_t), "a mutex is too small");
_Static_assert(sizeof(struct x_cond) <= sizeof(pthread_cond_t), "a condition is too small");
_Static_assert(sizeof(struct x_rwlock) <= sizeof(pthread_rwlock_t),
               "a read-write lock is too small");
_Static_assert(sizeof(struct x_semaphore) <= sizeof(sem_t), "a semaphore is too small");
_Static_assert(sizeof(struct x_barrier) <= sizeof(pthread_barrier_t), "a barrier is too small");
_Static_assert(sizeof(struct x_spin) <= sizeof(pthread_spinlock_t), "a spin lock is too small");
_Static_assert(sizeof(struct x_once) <= sizeof(pthread_once_t), "a once control is too small");

#endif
