/*
 * A delayed queue with a leader, as small as it can be: what other tools for the same purpose are
 * measured with. One mutex, one condition, an array instead of a heap.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "benches/explore/programs.h"

enum {
    TAKERS = 3,
    ROOM = 4
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t available;
    int64_t due[ROOM];
    int size;
    pthread_t leader;
} queue;

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int head(void)
{
    int first = 0;

    for (int i = 1; i < queue.size; i++)
        if (queue.due[i] < queue.due[first])
            first = i;
    return first;
}

static void offer(int64_t due)
{
    pthread_mutex_lock(&queue.lock);
    queue.due[queue.size++] = due;
    if (queue.due[head()] == due) {
        queue.leader = 0;
        pthread_cond_signal(&queue.available);
    }
    pthread_mutex_unlock(&queue.lock);
}

static void wait_for_head(int64_t due)
{
    struct timespec until = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};

    queue.leader = pthread_self();
    pthread_cond_timedwait(&queue.available, &queue.lock, &until);
    if (pthread_equal(queue.leader, pthread_self()))
        queue.leader = 0;
}

static void *take(void *unused)
{
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        if (queue.size == 0 || (queue.leader != 0 && queue.due[head()] > now()))
            pthread_cond_wait(&queue.available, &queue.lock);
        else if (queue.due[head()] > now())
            wait_for_head(queue.due[head()]);
        else
            break;
    }
    queue.due[head()] = queue.due[--queue.size];
    if (queue.leader == 0 && queue.size > 0)
        pthread_cond_signal(&queue.available);
    pthread_mutex_unlock(&queue.lock);
    return unused;
}

void program_mini_queue(void *unused)
{
    pthread_condattr_t monotonic;
    pthread_t takers[TAKERS];

    (void)unused;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.available, &monotonic);
    for (int i = 0; i < TAKERS; i++)
        pthread_create(&takers[i], NULL, take, NULL);
    for (int i = TAKERS; i > 0; i--)
        offer(now() + i * INT64_C(1000));
    for (int i = 0; i < TAKERS; i++)
        pthread_join(takers[i], NULL);
}
