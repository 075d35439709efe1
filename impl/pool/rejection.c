/*
 * The four rejection policies.
 *
 * A policy takes the task over and answers for the submitter. Java's discarding policies leave the
 * future of a dropped task incomplete for ever; here dropping a task cancels its future, so that
 * nobody waits for it.
 */
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"

int gp_reject_abort(void *context, gp_pool *pool, gp_task *task)
{
    (void)context;
    (void)pool;
    gp_task_discard(task);
    return GP_EREJECTED;
}

int gp_reject_caller_runs(void *context, gp_pool *pool, gp_task *task)
{
    if (gp_pool_is_shutdown(pool))
        return gp_reject_abort(context, pool, task);
    gp_task_run(task);
    return GP_OK;
}

int gp_reject_discard(void *context, gp_pool *pool, gp_task *task)
{
    (void)context;
    (void)pool;
    gp_task_discard(task);
    return GP_OK;
}

int gp_reject_discard_oldest(void *context, gp_pool *pool, gp_task *task)
{
    gp_task *oldest;
    if (gp_pool_is_shutdown(pool))
        return gp_reject_abort(context, pool, task);
    if (gp__queue_holds_nothing(pool->queue))
        return gp_reject_abort(context, pool, task); /* no use trying */
    if (gp__queue_poll(pool->queue, &oldest) == GP_OK) {
        gp__pool_left(pool, 1);
        gp__try_terminate(pool); /* [LIFE-2] */
        gp_task_discard(oldest);
    }
    int status = pool->class->execute(pool, task);
    if (status == GP_OK || status == GP_EREJECTED)
        return status;
    gp_task_discard(task); /* a policy cannot give it back */
    return GP_EREJECTED;
}
