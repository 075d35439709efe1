/*
 * Functions that travel without a task: the fast kind of execute and of runWorker.
 *
 * A plain function without a handle needs no task, unless a hook is to see one. A queue that takes
 * functions (the conveyor, and the delayed queue with a lane) keeps the function and its argument
 * in an array, and a worker calls it from there. So nothing is allocated on its way, and nothing of
 * it moves between processors but that entry.
 *
 * This goes beyond the documents. The steps of pool.c and worker.c know of it in two places only:
 * gp_pool_execute asks the pool's class first, and a worker that has run a task asks the class to
 * run the functions that are queued.
 *
 *   [POOL-7] A function is enqueued without the three steps only if they would have nothing to do
 *            but enqueue it: the pool runs, has its core workers, and one of them is there with a
 *            thread. The admission check asks that under the queue's put latch, and its answer
 *            holds until the function is in: a thread that changes the state, or leaves as the last
 *            worker, looks at the queue afterwards, under that latch. If it looks later, it finds
 *            the function; if it has looked before, the check sees the change. If the answer is no,
 *            the function becomes a task and takes the steps.
 *   [WORKER-9] Cancellation stays enabled from function to function, since nothing in between acts
 *              on it. Code that does more than that, or may call user code, disables it first.
 *
 * A worker that goes on from function to function does not call get_task in between. It checks what
 * may have changed there: the state and the maximum [WORKER-7]. Functions count, and show in the
 * statistics, like tasks.
 */
#include "pool/functions.h"

#include <pthread.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"

bool gp__may_take_functions(const gp_queue *queue, const gp_pool_hooks *hooks)
{
    return queue != NULL && queue->class->functions != NULL && hooks->before_execute == NULL &&
           hooks->after_execute == NULL;
}

/* Enqueuing. */

static bool has_core_workers(void *context)
{
    gp_pool *pool = context;
    int ctl = gp__pool_load_ctl(pool);
    return gp__is_running(ctl) &&
           gp__worker_count_of(ctl) >= atomic_load(&pool->core_size) && /* seq_cst: [WORKER-7] */
           gp__are_workers_there(pool, 1);
}

bool gp__enqueue_function(gp_pool *pool, gp_run_fn *run, void *argument,
                          const struct gp__key_source *keys, int *status)
{
    struct gp__work function = {run, argument, pool->time_tasks ? gp_now() : 0};
    struct gp__admission_check check = {has_core_workers, pool}; /* [POOL-7] */
    *status = pool->queue->class->functions->enqueue(pool->queue, &function, &check, keys);
    return *status != GP_EAGAIN;
}

bool gp__start_function(gp_pool *pool, gp_run_fn *run, void *argument, int *status)
{
    return gp__enqueue_function(pool, run, argument, NULL, status);
}

/* Running. */

/* May a worker go on without calling get_task? */
static bool may_go_on(gp_pool *pool)
{
    int ctl = gp__pool_load_ctl(pool);
    return !gp__at_least(ctl, GP__STOP) &&
           gp__worker_count_of(ctl) <= atomic_load(&pool->maximum_size); /* seq_cst: [WORKER-7] */
}

/* [WORKER-9] */
static void run_function(struct gp__worker *worker, const struct gp__work *function)
{
    gp__begin_run(worker, (gp__any_fn *)function->run);
    gp__start_run(worker, function->time);
    gp__call_function(function->run, function->argument);
    gp__end_run(worker);
}

void gp__run_functions(struct gp__worker *worker)
{
    gp_pool *pool = worker->pool;
    struct gp__work *work =
        &worker->work; /* a function may leave by pthread_exit, past this frame */
    while (may_go_on(pool) && pool->queue->class->functions->next(pool->queue, work)) {
        if (work->run != NULL) {
            run_function(worker, work);
            continue;
        }
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        gp__run_task(worker, work->argument);
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}
