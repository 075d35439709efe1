/* Waiting until the last of a number of tasks has run. Each of them calls count_down, or is it; who
 * gave them waits in countdown_await, one thread for each countdown, which may then be started
 * again. */
#ifndef BENCHES_COUNTDOWN_H
#define BENCHES_COUNTDOWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct countdown {
    atomic_int left; /* tasks not yet run */
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
};

#define COUNTDOWN_INITIALIZER                                               \
    {                                                                       \
        .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER \
    }

static inline void countdown_start(struct countdown *countdown, int tasks)
{
    atomic_store(&countdown->left, tasks);
}

static inline void count_down(void *argument)
{
    struct countdown *countdown = argument;

    if (atomic_fetch_sub_explicit(&countdown->left, 1, memory_order_acq_rel) > 1)
        return;
    pthread_mutex_lock(&countdown->lock);
    countdown->is_done = true;
    pthread_cond_signal(&countdown->done);
    pthread_mutex_unlock(&countdown->lock);
}

static inline void countdown_await(struct countdown *countdown)
{
    pthread_mutex_lock(&countdown->lock);
    while (!countdown->is_done)
        pthread_cond_wait(&countdown->done, &countdown->lock);
    countdown->is_done = false;
    pthread_mutex_unlock(&countdown->lock);
}

#endif
