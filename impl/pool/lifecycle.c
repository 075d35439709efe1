/*
 * The end of a pool: shutdown, shutdownNow, tryTerminate, awaitTermination; and freeing, which Java
 * leaves to the collector.
 *
 *      RUNNING --shutdown--> SHUTDOWN --queue and workers gone--> TIDYING --hook--> TERMINATED
 *         |                     |                                    ^
 *         +---shutdown_now------+------> STOP ----workers gone-------+
 *
 *   [LIFE-1] TIDYING is entered once, by one CAS, with no worker left, and with an empty queue
 *            unless the pool was stopped.
 *   [LIFE-2] Each event that could make that possible calls try_terminate: shutdown, a worker that
 *            leaves, a worker that could not be added, a task removed after shutdown.
 *   [LIFE-3] Each idle worker learns of the shutdown: it is interrupted, or, if try_terminate finds
 *            workers left, one of them is and passes it on when it leaves.
 *   [LIFE-4] await_termination returns GP_OK only when the state is TERMINATED, all workers are
 *            joined and no thread is inside shutdown any more. From then on freeing is safe, except
 *            for other threads that wait as well: they are counted, and freeing returns GP_EBUSY
 *            until they have left.
 *   [LIFE-5] What is queued when the pool is stopped is handed back or discarded.
 *
 * Differences from Java. The terminated hook and the cancelling of delayed tasks run without
 * main_lock, since it is not reentrant and they are the user's code. A worker that waits for its
 * own pool to end would wait for ever: GP_EDEADLK.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"
#include "sync/clock.h"
#include "sync/probe.h"

static void advance_run_state(gp_pool *pool, int target)
{
    int ctl = gp__pool_load_ctl(pool);
    /* seq_cst: [POOL-1] */
    while (!gp__at_least(ctl, target) &&
           !atomic_compare_exchange_weak(&pool->ctl, &ctl,
                                         gp__ctl_of(target, gp__worker_count_of(ctl))))
        continue;
    GP_PROBE(pool_ctl, pool, gp__pool_load_ctl(pool));
}

static bool may_terminate(gp_pool *pool, int ctl)
{
    if (gp__is_running(ctl) || gp__at_least(ctl, GP__TIDYING))
        return false;
    return gp__at_least(ctl, GP__STOP) || gp__pool_queue_is_empty(pool);
}

static void terminate(gp_pool *pool)
{
    GP_PROBE(pool_ctl, pool, GP__TIDYING);
    if (pool->hooks.terminated != NULL)
        pool->hooks.terminated(pool->hooks.context);
    pthread_mutex_lock(&pool->main_lock);
    atomic_store(&pool->ctl, gp__ctl_of(GP__TERMINATED, 0)); /* seq_cst like all of ctl */
    GP_PROBE(pool_ctl, pool, GP__TERMINATED);
    gp__condition_signal_all(&pool->termination);
    pthread_mutex_unlock(&pool->main_lock);
}

void gp__try_terminate(gp_pool *pool)
{
    for (;;) {
        int ctl = gp__pool_load_ctl(pool);
        if (!may_terminate(pool, ctl))
            return;
        if (gp__worker_count_of(ctl) != 0) {
            gp__interrupt_idle_workers(pool, true); /* [LIFE-3] */
            return;
        }
        /* [LIFE-1]; seq_cst like all of ctl */
        if (atomic_compare_exchange_strong(&pool->ctl, &ctl, gp__ctl_of(GP__TIDYING, 0))) {
            terminate(pool);
            return;
        }
    }
}

/* [LIFE-4]: the last worker may end the pool, and a caller free it, while shutdown is under way. */

static void begin_ending(gp_pool *pool)
{
    pthread_mutex_lock(&pool->main_lock);
    pool->enders++;
    pthread_mutex_unlock(&pool->main_lock);
}

static void finish_ending(gp_pool *pool)
{
    pthread_mutex_lock(&pool->main_lock);
    pool->enders--;
    gp__condition_signal_all(&pool->termination);
    pthread_mutex_unlock(&pool->main_lock);
}

void gp_pool_shutdown(gp_pool *pool)
{
    begin_ending(pool);
    advance_run_state(pool, GP__SHUTDOWN);
    gp__interrupt_idle_workers(pool, false);
    if (pool->class->on_shutdown != NULL)
        pool->class->on_shutdown(pool);
    if (gp__worker_count(pool) == 0)
        gp__add_worker(pool, NULL, false); /* for what is queued, if threads were short before */
    gp__try_terminate(pool);
    finish_ending(pool);
}

void gp_pool_shutdown_now(gp_pool *pool, gp_task_list *unrun)
{
    gp_task_list tasks;
    pthread_mutex_lock(&pool->main_lock);
    pool->enders++;
    advance_run_state(pool, GP__STOP);
    gp__interrupt_workers(pool);
    pthread_mutex_unlock(&pool->main_lock);
    gp__queue_drain(pool->queue, &tasks); /* [LIFE-5] */
    gp__pool_left(pool, tasks.count);
    gp__try_terminate(pool);
    if (unrun != NULL)
        *unrun = tasks;
    else
        gp_task_list_discard(&tasks);
    finish_ending(pool);
}

bool gp_pool_is_shutdown(gp_pool *pool)
{
    return gp__at_least(gp__pool_load_ctl(pool), GP__SHUTDOWN);
}

bool gp_pool_is_terminating(gp_pool *pool)
{
    return gp_pool_is_shutdown(pool) && !gp_pool_is_terminated(pool);
}

bool gp_pool_is_terminated(gp_pool *pool)
{
    return gp__at_least(gp__pool_load_ctl(pool), GP__TERMINATED);
}

/* Tasks are queued without a worker to run them, since no thread could be created: try again.
   main_lock is held, and released meanwhile. GP_OK: look again. */
static int attend(gp_pool *pool)
{
    pthread_mutex_unlock(&pool->main_lock);
    int status = gp__ensure_worker(pool);
    pthread_mutex_lock(&pool->main_lock);
    return status == GP_EREJECTED ? GP_OK : status;
}

int gp_pool_await_termination(gp_pool *pool, int64_t nanos)
{
    int64_t deadline = gp__deadline(nanos);
    int status = GP_OK;
    if (gp__is_worker_of(pool))
        return GP_EDEADLK;
    pthread_mutex_lock(&pool->main_lock);
    pool->watchers++;
    for (;;) {
        if (gp_pool_is_terminated(pool)) {
            gp__join_departed(pool);
            if (pool->unjoined == 0 && pool->enders == 0) { /* [LIFE-4] */
                status = GP_OK;
                break;
            }
        }
        if (status != GP_OK)
            break;
        if (gp_pool_is_shutdown(pool) && gp__pool_is_unattended(pool))
            status = attend(pool);
        else
            status = gp__condition_wait(&pool->termination, &pool->main_lock, deadline);
    }
    pool->watchers--;
    pthread_mutex_unlock(&pool->main_lock);
    return status;
}

static size_t count_workers(void *context)
{
    return (size_t)gp__worker_count(context);
}

static void count_watcher(gp_pool *pool, int change)
{
    pthread_mutex_lock(&pool->main_lock);
    pool->watchers += (size_t)change;
    pthread_mutex_unlock(&pool->main_lock);
}

int gp_pool_await_quiescence(gp_pool *pool, int64_t nanos)
{
    if (gp__is_worker_of(pool))
        return GP_EDEADLK;
    count_watcher(pool, 1);
    int status = gp__queue_await_quiet(pool->queue, count_workers, pool, gp__deadline(nanos));
    count_watcher(pool, -1);
    return status;
}

int gp_pool_free(gp_pool *pool)
{
    if (pool == NULL)
        return GP_OK;
    if (gp__is_worker_of(pool))
        return GP_EDEADLK;
    pthread_mutex_lock(&pool->main_lock);
    bool ended = gp_pool_is_terminated(pool);
    if (ended)
        gp__join_departed(pool);
    ended = ended && pool->unjoined == 0 && pool->enders == 0 && pool->watchers == 0;
    pthread_mutex_unlock(&pool->main_lock);
    if (!ended)
        return GP_EBUSY;
    pool->class->free(pool);
    return GP_OK;
}

int gp_pool_close(gp_pool *pool)
{
    if (pool == NULL)
        return GP_OK;
    if (gp__is_worker_of(pool))
        return GP_EDEADLK;
    gp_pool_shutdown(pool);
    int status = gp_pool_await_termination(pool, GP_FOREVER);
    return status == GP_OK ? gp_pool_free(pool) : status;
}
