/*
 * Figures of a pool, and its self-check: [POOL-3], [POOL-4], [POOL-5], and the queue's own.
 *
 * The counters of those who have left are in the pool, those of the living in the workers: a reader
 * adds them up under main_lock, so a worker is counted in one place or the other, never in both.
 * What runs meanwhile may be missed; nothing is counted twice: a worker shows no task any more when
 * it counts it, and the count is read before what is shown. That a worker's lock is taken says
 * less: it keeps the lock from task to task.
 *
 * A list of threads is a copy, made under main_lock: whoever wants to write it somewhere can take
 * his time.
 */
#include "pool/pool.h"

#include <string.h>

#include "pool/worker.h"
#include "queue/queue.h"

void gp_pool_statistics(gp_pool *pool, gp_pool_stats *out)
{
    *out = (gp_pool_stats){0};
    pthread_mutex_lock(&pool->main_lock);
    out->largest = pool->largest;
    /* a worker lowers the count, and so lets the pool end, before it leaves the set */
    out->pool_size = gp__at_least(gp__pool_load_ctl(pool), GP__TIDYING) ? 0 : pool->size;
    out->completed = pool->completed;
    gp__histogram_read(&pool->waited, &out->waited);
    gp__histogram_read(&pool->ran, &out->ran);
    for (struct gp__worker *worker = pool->workers; worker != NULL; worker = worker->next) {
        /* acquire, pairs with the release in after_task */
        out->completed += atomic_load_explicit(&worker->completed, memory_order_acquire);
        /* relaxed: what is shown after that, or later */
        out->active += atomic_load_explicit(&worker->runs, memory_order_relaxed) != NULL;
        gp__histogram_read(&worker->waited, &out->waited);
        gp__histogram_read(&worker->ran, &out->ran);
    }
    pthread_mutex_unlock(&pool->main_lock);
    out->queued = gp_queue_size(pool->queue);
    out->deepest = gp__queue_deepest(pool->queue);
    out->total = out->completed + (uint64_t)out->active + out->queued;
}

/* relaxed: what a worker does may have changed before anybody reads it */
static void describe(struct gp__worker *worker, gp_pool_thread *out)
{
    *out = (gp_pool_thread){.runs = atomic_load_explicit(&worker->runs, memory_order_relaxed),
                            .completed =
                                atomic_load_explicit(&worker->completed, memory_order_relaxed)};
    strncpy(out->name, gp_thread_name(worker->thread), sizeof out->name - 1);
}

size_t gp_pool_threads(gp_pool *pool, gp_pool_thread *out, size_t capacity)
{
    size_t count = 0;
    pthread_mutex_lock(&pool->main_lock);
    for (struct gp__worker *worker = pool->workers; worker != NULL; worker = worker->next) {
        if (count < capacity)
            describe(worker, &out[count]);
        count++;
    }
    pthread_mutex_unlock(&pool->main_lock);
    return count;
}

int gp_pool_check(gp_pool *pool)
{
    int broken = gp_queue_check(pool->queue);
    pthread_mutex_lock(&pool->main_lock);
    int ctl = gp__pool_load_ctl(pool);
    if (broken == 0 && gp__at_least(ctl, GP__TIDYING) && gp__worker_count_of(ctl) != 0)
        broken = GP_POOL_INVARIANT + 3;
    if (broken == 0 && gp_pool_core_size(pool) > gp_pool_maximum_size(pool))
        broken = GP_POOL_INVARIANT + 4;
    if (broken == 0 && (pool->unjoined < (size_t)pool->size || pool->largest < pool->size))
        broken = GP_POOL_INVARIANT + 5;
    pthread_mutex_unlock(&pool->main_lock);
    return broken;
}
