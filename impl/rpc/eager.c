/*
 * The eager pool: Dubbo's EagerThreadPoolExecutor and its TaskQueue (Tomcat has a pair like them).
 *
 * An ordinary pool whose queue reports "full" while more workers may be started; step 3 of execute
 * (pool.c) then starts one. The queue needs two numbers for that: the workers, which are in ctl,
 * and the tasks, `submitted`, which are counted here.
 *
 *      offer:   submitted < workers     take it: there are idle ones
 *               workers < maximum       "full": start one
 *               otherwise               take it, if there is room
 *
 * `submitted` includes the task that is being offered. So "less" asks for two workers without a
 * task, and an eager pool keeps one more than it needs. (Tomcat has "less or equal".)
 *
 *   [EAGER-1] Count. A task is counted before execute looks for a place for it, and until it is
 *             done with: run by a worker, returned or left abruptly; removed, purged, handed back
 *             by shutdown_now, dropped by discard_oldest, taken by an external caller [QUEUE-2]; or
 *             not accepted, and then before the rejection handler gets it. A task that an external
 *             caller offers to the queue [QUEUE-4] is counted, too: a worker will count it off like
 *             any other. The queue accepts none before it has its pool. A task is counted first and
 *             counted off last: `submitted` is never less than the tasks queued and running, and 0
 *             when no call is under way and no task is queued or running.
 *   [EAGER-2] Eager. The queue takes what it is offered only if there are more workers than tasks,
 *             or as many workers as there may be. A put that is ready to wait is not subject to
 *             that.
 *   [EAGER-3] Attended. A task in the queue does not wait for a busy worker while there may be
 *             another one. If submitted <= workers then, by [EAGER-1], there are as many workers
 *             without a task as tasks queued. A worker may leave meanwhile; so a thread that has
 *             queued a task, and a worker that leaves, look at the numbers again and start a worker
 *             if one is missing. Submitting is: raise `submitted`, queue, read ctl. Leaving is:
 *             lower ctl, read `submitted` and the queue. One of the two sees the other (see
 *             Ordering). A slot that execute has reserved is a worker to every thread that looks,
 *             and may be the last one that there may be. If it comes to nothing, since there is no
 *             thread or the pool was shut down meanwhile, that is leaving, too: the slot is given
 *             back, and the thread whose task it was looks again, even if that task is rejected.
 *             Threads that cannot be created cannot be started by this, either; and a maximum that
 *             is raised is of use only to the tasks that come then. Nor is anything promised to an
 *             external caller that offers a task to the queue: as with any pool, that starts no
 *             worker.
 *   [EAGER-4] Second try. The offer may see room for a worker that another caller then takes. The
 *             pool rejects the task; before its handler is called, the task is offered once more,
 *             to the queue without [EAGER-2]. The rules of execute apply: a task that comes after
 *             shutdown is refused, and a thread that has queued a task looks again at the state
 *             [POOL-1].
 *   [EAGER-5] The queue has room for one task at least, or [EAGER-4] would be in vain (dubbo
 *             #4723).
 *
 * Better than upstream, on purpose. [EAGER-1]: there a task that is removed, purged or handed back
 * stays in the count for ever, and each one makes the pool more eager than it should be (dubbo
 * #6496 is a count that drifted). [EAGER-3]: there a task waits for a busy worker if the idle ones
 * leave at the wrong moment. [EAGER-4]: there no thread looks again, and a task that is queued
 * after the last worker has left is lost; and the handler is told of the rejection (and has written
 * its report) before the second try. That is a timed offer there, which an interrupt ends: the task
 * of an interrupted submitter is rejected although there is room. Here the second try does not
 * wait.
 *
 * Ordering. (raise `submitted`, read ctl) and (lower ctl, read `submitted`) are a Dekker pair, and
 * need seq_cst on all four. The queue's lock does not order them: a worker that leaves reads
 * `submitted` before it looks into the queue, so that a pool which has all its workers does not
 * take that lock for each task. With `submitted` weaker on either side eager/leave_against_submit
 * ends in a deadlock, within a second, if it is explored with STRATEGY=pct MEMORY=c11. Lowering
 * `submitted` is seq_cst only to be like the rest.
 *
 * The plain pool knows nothing of this one. It tells its class when an external caller offers a
 * task (`brought`) and when tasks are done with (`left`), and asks it when a worker leaves
 * (`is_short`). Rejected: tasks wrapped in tasks that count, which would show in hooks, in lists
 * and in remove; and counting in the queue, which cannot tell a task that is dropped from one that
 * execute takes back.
 */
#include <glasspool/eager.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/linked.h"
#include "sync/probe.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 */
struct eager {
    gp_pool pool;                /* I its fields have letters of their own */
    struct gp__pool_class class; /* I that of a pool, with a few changes */
    _Atomic size_t submitted;    /* A [EAGER-1] */
};

static int eager_execute(gp_pool *pool, gp_task *task);

static struct eager *eager_of(gp_pool *pool)
{
    return (struct eager *)pool;
}

static bool is_eager(const gp_pool *pool)
{
    return pool->class->execute == eager_execute;
}

/* Counts. */

static size_t load_submitted(struct eager *eager)
{
    return atomic_load(&eager->submitted); /* seq_cst: see Ordering */
}

static size_t load_workers(struct eager *eager)
{
    return (size_t)gp__worker_count(&eager->pool); /* seq_cst: see Ordering */
}

static bool may_have_more(struct eager *eager, size_t workers)
{
    return workers < (size_t)gp_pool_maximum_size(&eager->pool);
}

static void arrive(struct eager *eager)
{
    atomic_fetch_add(&eager->submitted, 1); /* seq_cst: see Ordering */
    GP_PROBE(eager_submitted, eager, load_submitted(eager));
}

/* [EAGER-1] */
static void eager_left(gp_pool *pool, size_t count)
{
    struct eager *eager = eager_of(pool);
    atomic_fetch_sub(&eager->submitted, count); /* seq_cst like all of it */
    GP_PROBE(eager_submitted, eager, load_submitted(eager));
}

/* [EAGER-1]: by the queue [QUEUE-4]. */
static void eager_brought(gp_pool *pool, bool comes)
{
    if (comes)
        arrive(eager_of(pool));
    else
        eager_left(pool, 1);
}

/* [EAGER-3]: is there a task that no worker will come for, and may another worker be added? */
static bool eager_is_short(gp_pool *pool)
{
    struct eager *eager = eager_of(pool);
    size_t workers = load_workers(eager);
    return load_submitted(eager) > workers && may_have_more(eager, workers) &&
           !gp__pool_queue_is_empty(pool);
}

/* The queue. */

/* [EAGER-2]; without an eager pool, or before it has one, the queue accepts nothing. */
static int task_queue_offer(gp_queue *queue, gp_task *task)
{
    gp_pool *pool = gp__queue_keeper(queue);
    if (pool == NULL || !is_eager(pool))
        return GP_EREJECTED;
    size_t workers = load_workers(eager_of(pool));
    bool is_attended = load_submitted(eager_of(pool)) < workers;
    if (!is_attended && may_have_more(eager_of(pool), workers))
        return GP_EFULL;
    return gp__linked_offer(queue, task);
}

int gp_task_queue_new(int capacity, gp_queue **out)
{
    size_t room = capacity <= 0 ? 1 : (size_t)capacity; /* [EAGER-5] */
    return out == NULL ? GP_EINVAL : gp__linked_variant_new(task_queue_offer, room, out);
}

/* A queue of another kind, or of another pool, is refused. A caller that gives one queue to two
   pools at once is not detected. */
static bool is_free_task_queue(gp_queue *queue)
{
    return queue->class->offer == task_queue_offer && gp__queue_keeper(queue) == NULL;
}

/* execute. */

/* [EAGER-4] */
static int retry_offer(gp_pool *pool, gp_task *task)
{
    if (gp_pool_is_shutdown(pool))
        return GP_EREJECTED;
    int status = gp__pool_enqueue(pool, task, gp__linked_offer);
    return status == GP_EFULL ? GP_EREJECTED : status;
}

static int eager_execute(gp_pool *pool, gp_task *task)
{
    arrive(eager_of(pool));
    int status = gp__pool_accept(pool, task);
    if (status == GP_EREJECTED)
        status = retry_offer(pool, task);
    if (status != GP_OK)
        eager_left(pool, 1);
    if (eager_is_short(pool)) /* [EAGER-3]: for our task, or for one that relied on our worker */
        gp__add_worker(pool, NULL, false); /* if it fails the pool makes do with those it has */
    return status == GP_EREJECTED ? gp__pool_reject(pool, task) : status;
}

/* The pool. */

/* The queue is the pool's if, and only if, it succeeds. */
static int init(struct eager *eager, const gp_pool_config *config)
{
    if (!is_free_task_queue(config->queue))
        return GP_EINVAL;
    eager->class = gp__pool_class;
    eager->class.execute = eager_execute;
    eager->class.left = eager_left;
    eager->class.brought = eager_brought;
    eager->class.is_short = eager_is_short;
    atomic_init(&eager->submitted, 0);
    return gp__pool_init(&eager->pool, &eager->class, config);
}

/* The configuration is complete. */
static int create(const gp_pool_config *config, gp_pool **out)
{
    struct eager *eager = malloc(sizeof *eager);
    if (eager == NULL)
        return GP_ENOMEM;
    int status = init(eager, config);
    if (status != GP_OK) {
        free(eager);
        return status;
    }
    *out = &eager->pool;
    return GP_OK;
}

int gp_eager_new(const gp_pool_config *config, gp_pool **out)
{
    if (out == NULL)
        return GP_EINVAL;
    int status = gp__pool_check_config(config);
    if (status != GP_OK)
        return status;
    if (config->queue != NULL)
        return create(config, out);
    gp_pool_config complete = *config;
    status = gp_task_queue_new(1, &complete.queue);
    if (status != GP_OK)
        return status;
    status = create(&complete, out);
    if (status != GP_OK)
        gp_queue_free(complete.queue);
    return status;
}

/* Queries. */

size_t gp_eager_submitted(gp_pool *pool)
{
    return is_eager(pool) ? load_submitted(eager_of(pool)) : 0;
}

/* With the queue's lock held tasks may come, counted before, but not go. */
static bool is_count_too_low(gp_pool *pool)
{
    gp_queue *queue = pool->queue;
    pthread_mutex_lock(&queue->lock);
    size_t queued = queue->class->backlog(queue);
    size_t submitted = load_submitted(eager_of(pool));
    bool too_low = submitted < queued || submitted > SIZE_MAX / 2; /* below zero */
    pthread_mutex_unlock(&queue->lock);
    return too_low;
}

int gp_eager_check(gp_pool *pool)
{
    int broken = gp_pool_check(pool);
    if (broken != 0 || !is_eager(pool))
        return broken;
    return is_count_too_low(pool) ? GP_EAGER_INVARIANT + 1 : 0; /* [EAGER-1] */
}
