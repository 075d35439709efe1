/*
 * The pool: java.util.concurrent.ThreadPoolExecutor in C. This file makes it, gives it tasks and
 * changes its settings; worker.c has its threads, lifecycle.c its end.
 *
 * execute, in three steps:
 *
 *      1. fewer than core_size workers: start one with this task as its first
 *      2. the queue takes it: look at the state again. Shut down meanwhile: take the task back and
 *         reject it. No worker left: start one
 *      3. the queue is full: start a worker up to maximum_size; if that is not allowed, reject
 *
 *   [POOL-1] A task that execute accepted (GP_OK) is run, or handed back or discarded by a shutdown
 *            that came after; it is never stranded. Why: after the offer ctl is read again
 *            (seq_cst; the queue's lock orders the offer before it). Either that reading shows the
 *            shutdown, and the task is taken back unless a worker already has it; or it came before
 *            the shutdown, and then each look at the queue that follows the change of state (by the
 *            workers in get_task, by try_terminate) finds the task. One exception, outside our
 *            power: when its last worker is gone and no thread can be created, it waits for the
 *            next submission or shutdown, which tries again [WORKER-5].
 *   [POOL-2] Nothing is half-done: a call that fails with GP_EINVAL, GP_ENOMEM or GP_EAGAIN has
 *            given the task back to its caller.
 *   [POOL-3] The word ctl moves through the states in order; its count is never negative, and zero
 *            from TIDYING on.
 *   [POOL-4] core_size <= maximum_size, and core_timeout only with a keep_alive above zero.
 *   [POOL-5] Each worker in the set is to be joined, and `largest` has seen it: size <= unjoined,
 *            size <= largest.
 *   [POOL-6] execute holds a reference to the task until it has looked again. Else a worker could
 *            run and free it, and the address could belong to another task by then, which would be
 *            taken back in its place.
 *
 * Threads that cannot be created. Java throws out of execute and leaves the task queued. Here the
 * pool makes do with fewer workers; only when there is none at all the task is taken back and the
 * caller told.
 *
 * Lock order: main_lock before a queue's lock before a thread's lock. No user code is called with
 * any of them held, except the comparison of a priority queue and the wall clock of a scheduled
 * pool, under the queue's lock.
 */
#include "pool/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/future.h"
#include "pool/functions.h"
#include "queue/queue.h"
#include "sync/globals.h"

bool gp__pool_queue_is_empty(gp_pool *pool)
{
    return gp_queue_size(pool->queue) == 0;
}

/* Construction. */

/* The default factory: pool-N-thread-M, or name-thread-M. */
static int create_thread(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    gp_pool *pool = context;
    char name[2 * sizeof pool->name];
    unsigned number = atomic_fetch_add_explicit(&pool->thread_number, 1, memory_order_relaxed) + 1;
    gp_thread_config config = pool->thread_config;
    snprintf(name, sizeof name, "%s-thread-%u", pool->name, number);
    config.name = name;
    return gp_thread_new(&config, run, argument, out);
}

static void set_factory(gp_pool *pool, const gp_thread_factory *factory)
{
    pool->factory = *factory;
    if (factory->create == NULL)
        pool->factory = (gp_thread_factory){.create = create_thread, .context = pool};
}

static void set_rejection(gp_pool *pool, const gp_rejection *rejection)
{
    pool->rejection = *rejection;
    if (rejection->reject == NULL)
        pool->rejection.reject = gp_reject_abort;
}

static bool is_valid(const gp_pool_config *config)
{
    return config->core_size >= 0 && config->maximum_size >= 1 &&
           config->maximum_size <= GP__COUNT_MASK && config->core_size <= config->maximum_size &&
           config->keep_alive >= 0 && (!config->core_timeout || config->keep_alive > 0);
}

static void do_nothing(void *argument)
{
    (void)argument;
}

/* A thread made and dropped again tells whether the default factory's settings are good. */
static int check_thread_config(const gp_thread_config *config)
{
    gp_thread *thread;
    int status = gp_thread_new(config, do_nothing, NULL, &thread);
    if (status == GP_OK)
        gp_thread_release(thread);
    return status;
}

static void set_name(gp_pool *pool, const char *name)
{
    if (name == NULL)
        snprintf(pool->name, sizeof pool->name, "pool-%u", gp__next_pool_number());
    else
        strncpy(pool->name, name, sizeof pool->name - 1);
}

/* [QUEUE-2] */
static void tasks_taken_away(void *argument, size_t count)
{
    gp_pool *pool = argument;
    gp__pool_left(pool, count);
    gp__pool_tasks_removed(pool);
}

/* [QUEUE-4] */
static void task_brought(void *argument, bool comes)
{
    gp_pool *pool = argument;
    pool->class->brought(pool, comes);
}

int gp__pool_init(gp_pool *pool, const struct gp__pool_class *class, const gp_pool_config *config)
{
    memset(pool, 0, sizeof *pool);
    pool->queue = config->queue;
    int status = pool->queue == NULL ? gp_linked_new(GP_UNBOUNDED, &pool->queue) : GP_OK;
    if (status != GP_OK)
        return status;
    if (pthread_mutex_init(&pool->main_lock, NULL) != 0) {
        if (config->queue == NULL)
            gp_queue_free(pool->queue);
        return GP_ENOMEM;
    }
    pool->class = class;
    atomic_init(&pool->ctl, gp__ctl_of(GP__RUNNING, 0));
    atomic_init(&pool->undecided, 0);
    atomic_init(&pool->failed_reservations, 0);
    atomic_init(&pool->core_size, config->core_size);
    atomic_init(&pool->maximum_size, config->maximum_size);
    atomic_init(&pool->keep_alive, config->keep_alive);
    atomic_init(&pool->core_timeout, config->core_timeout);
    pool->time_tasks = config->time_tasks;
    pool->hooks = config->hooks;
    pool->thread_config = config->thread;
    set_name(pool, config->thread.name);
    set_factory(pool, &config->factory);
    set_rejection(pool, &config->rejection);
    gp__queue_set_keeper(pool->queue, tasks_taken_away,
                         class->brought == NULL ? NULL : task_brought, pool);
    return GP_OK;
}

void gp__pool_destroy(gp_pool *pool)
{
    gp_queue_free(pool->queue);
    pthread_mutex_destroy(&pool->main_lock);
}

int gp__pool_check_config(const gp_pool_config *config)
{
    if (config == NULL || !is_valid(config))
        return GP_EINVAL;
    return config->factory.create == NULL ? check_thread_config(&config->thread) : GP_OK;
}

/* execute. */

int gp__pool_reject(gp_pool *pool, gp_task *task)
{
    pthread_mutex_lock(&pool->main_lock);
    gp_rejection rejection = pool->rejection;
    pthread_mutex_unlock(&pool->main_lock);
    int status = rejection.reject(rejection.context, pool, task);
    return status == GP_OK ? GP_OK : GP_EREJECTED; /* the task is used up in either case */
}

static bool is_short_of_threads(int status)
{
    return status != GP_OK && status != GP_EREJECTED;
}

void gp__pool_tasks_removed(gp_pool *pool)
{
    gp__try_terminate(pool); /* [LIFE-2]: an earlier look saw the queue with these in it */
    bool timed = gp_pool_core_timeout(pool) || gp__worker_count(pool) > gp_pool_core_size(pool);
    if (timed && gp__pool_queue_is_empty(pool))
        gp__interrupt_idle_workers(pool, false); /* one may have stayed only for these */
}

bool gp__pool_take_back(gp_pool *pool, gp_task *task)
{
    bool taken = gp__queue_remove(pool->queue, task) == GP_OK;
    if (taken)
        gp__pool_tasks_removed(pool);
    return taken;
}

/* Step 2, after the offer. Anything but GP_OK: taken back, to be rejected or given back. */
static int recheck(gp_pool *pool, gp_task *task)
{
    if (!gp__is_running(gp__pool_load_ctl(pool)) && gp__pool_take_back(pool, task))
        return GP_EREJECTED;
    int status = gp__ensure_worker(pool);
    bool given_back = is_short_of_threads(status) && gp__pool_take_back(pool, task);
    return given_back ? status : GP_OK; /* [POOL-2] */
}

/* Step 2. GP_EFULL, GP_ENOMEM: the queue does not take it; otherwise as recheck. */
int gp__pool_enqueue(gp_pool *pool, gp_task *task, int (*offer)(gp_queue *, gp_task *))
{
    gp_task_retain(task); /* [POOL-6] */
    int status = offer(pool->queue, task);
    if (status == GP_OK)
        status = recheck(pool, task);
    gp_task_release(task);
    return status;
}

int gp__pool_accept(gp_pool *pool, gp_task *task)
{
    int ctl = gp__pool_load_ctl(pool);
    if (pool->time_tasks && !gp__task_is_delayed(task))
        gp__task_set_time(task, gp_now());
    if (gp__worker_count_of(ctl) < gp_pool_core_size(pool)) {
        if (gp__add_worker(pool, task, true) == GP_OK)
            return GP_OK;
        ctl = gp__pool_load_ctl(pool);
    }
    int status = gp__is_running(ctl) ? gp__pool_enqueue(pool, task, gp__queue_offer) : GP_EREJECTED;
    if (status == GP_EFULL || status == GP_ENOMEM) {
        int added = gp__add_worker(pool, task, false);
        if (added == GP_OK)
            return GP_OK;
        if (status == GP_EFULL)
            status =
                is_short_of_threads(added) && gp__worker_count(pool) == 0 ? added : GP_EREJECTED;
    }
    return status;
}

static int pool_execute(gp_pool *pool, gp_task *task)
{
    int status = gp__pool_accept(pool, task);
    return status == GP_EREJECTED ? gp__pool_reject(pool, task) : status;
}

int gp_pool_execute_task(gp_pool *pool, gp_task *task)
{
    if (pool == NULL || task == NULL)
        return GP_EINVAL;
    return pool->class->execute(pool, task);
}

int gp_pool_execute(gp_pool *pool, gp_run_fn *run, void *argument)
{
    gp_task *task;
    int status;
    if (pool == NULL || run == NULL)
        return GP_EINVAL;
    if (pool->class->start != NULL && pool->class->start(pool, run, argument, &status))
        return status;
    status = gp_task_new(&(gp_callable){.run = run, .argument = argument}, &task);
    if (status != GP_OK)
        return status;
    status = pool->class->execute(pool, task);
    if (status != GP_OK && status != GP_EREJECTED)
        gp__task_abandon(task);
    return status;
}

int gp_pool_submit(gp_pool *pool, const gp_callable *callable, gp_future **out)
{
    if (pool == NULL || !gp__callable_is_valid(callable))
        return GP_EINVAL;
    return pool->class->submit(pool, callable, out);
}

static int pool_submit(gp_pool *pool, const gp_callable *callable, gp_future **out)
{
    gp_future *future;
    int status = gp_future_new(callable, &future);
    if (status != GP_OK)
        return status;
    gp_future_retain(future); /* the handle, beside the pool's own */
    pthread_cleanup_push(gp__future_release_handle,
                         future); /* a task run here may end the thread */
    status = gp_pool_execute_task(pool, &future->task);
    pthread_cleanup_pop(0);
    return gp__future_hand_out(future, status, out);
}

bool gp_pool_remove(gp_pool *pool, gp_future *future)
{
    gp_task *task = pool->class->queued_as(future);
    if (gp__queue_remove(pool->queue, task) != GP_OK)
        return false;
    gp__pool_left(pool, 1);
    gp__pool_tasks_removed(pool);
    gp_task_discard(task);
    return true;
}

static bool is_cancelled(gp_task *task, void *context)
{
    (void)context;
    gp_future *future = gp_task_future(task);
    return future != NULL && gp_future_is_cancelled(future);
}

void gp_pool_purge(gp_pool *pool)
{
    gp_task_list cancelled;
    gp__queue_remove_if(pool->queue, is_cancelled, NULL, &cancelled);
    gp__pool_left(pool, cancelled.count);
    gp_task_list_discard(&cancelled);
    gp__pool_tasks_removed(pool);
}

/* Settings. */

int gp_pool_core_size(gp_pool *pool)
{
    return atomic_load(&pool->core_size); /* seq_cst: [WORKER-7] */
}

int gp_pool_maximum_size(gp_pool *pool)
{
    return atomic_load(&pool->maximum_size); /* seq_cst: [WORKER-7] */
}

int64_t gp_pool_keep_alive(gp_pool *pool)
{
    return atomic_load(&pool->keep_alive); /* seq_cst: [WORKER-7] */
}

bool gp_pool_core_timeout(gp_pool *pool)
{
    return atomic_load(&pool->core_timeout); /* seq_cst: [WORKER-7] */
}

/* As many new workers as there is queued work, no more than `wanted`. */
static void start_for_backlog(gp_pool *pool, int wanted)
{
    size_t queued = gp_queue_size(pool->queue);
    while (wanted-- > 0 && queued-- > 0 && gp__add_worker(pool, NULL, true) == GP_OK &&
           !gp__pool_queue_is_empty(pool))
        continue;
}

/* [POOL-4]: dependent settings are checked and changed together, under main_lock. The changes are
   seq_cst: [WORKER-7]. */

int gp_pool_set_core_size(gp_pool *pool, int core_size)
{
    if (pool->fixed_configuration)
        return GP_EPERM;
    pthread_mutex_lock(&pool->main_lock);
    bool valid = core_size >= 0 && core_size <= gp_pool_maximum_size(pool);
    int before = valid ? atomic_exchange(&pool->core_size, core_size) : 0;
    pthread_mutex_unlock(&pool->main_lock);
    if (!valid)
        return GP_EINVAL;
    if (gp__worker_count(pool) > core_size)
        gp__interrupt_idle_workers(pool, false);
    else
        start_for_backlog(pool, core_size - before);
    return GP_OK;
}

int gp_pool_set_maximum_size(gp_pool *pool, int maximum_size)
{
    if (pool->fixed_configuration)
        return GP_EPERM;
    pthread_mutex_lock(&pool->main_lock);
    bool valid = maximum_size >= 1 && maximum_size <= GP__COUNT_MASK &&
                 maximum_size >= gp_pool_core_size(pool);
    if (valid)
        atomic_store(&pool->maximum_size, maximum_size);
    pthread_mutex_unlock(&pool->main_lock);
    if (!valid)
        return GP_EINVAL;
    if (gp__worker_count(pool) > maximum_size)
        gp__interrupt_idle_workers(pool, false);
    return GP_OK;
}

int gp_pool_set_keep_alive(gp_pool *pool, int64_t nanos)
{
    if (pool->fixed_configuration)
        return GP_EPERM;
    pthread_mutex_lock(&pool->main_lock);
    bool valid = nanos > 0 || (nanos == 0 && !gp_pool_core_timeout(pool));
    int64_t before = valid ? atomic_exchange(&pool->keep_alive, nanos) : 0;
    pthread_mutex_unlock(&pool->main_lock);
    if (!valid)
        return GP_EINVAL;
    if (nanos < before)
        gp__interrupt_idle_workers(pool, false);
    return GP_OK;
}

int gp_pool_set_core_timeout(gp_pool *pool, bool on)
{
    if (pool->fixed_configuration)
        return GP_EPERM;
    pthread_mutex_lock(&pool->main_lock);
    bool valid = !on || gp_pool_keep_alive(pool) > 0;
    bool changed = valid && atomic_exchange(&pool->core_timeout, on) != on;
    pthread_mutex_unlock(&pool->main_lock);
    if (!valid)
        return GP_EINVAL;
    if (changed && on)
        gp__interrupt_idle_workers(pool, false);
    return GP_OK;
}

int gp_pool_set_rejection(gp_pool *pool, const gp_rejection *rejection)
{
    if (pool->fixed_configuration)
        return GP_EPERM;
    if (rejection == NULL)
        return GP_EINVAL;
    pthread_mutex_lock(&pool->main_lock);
    set_rejection(pool, rejection);
    pthread_mutex_unlock(&pool->main_lock);
    return GP_OK;
}

int gp_pool_set_factory(gp_pool *pool, const gp_thread_factory *factory)
{
    if (pool->fixed_configuration)
        return GP_EPERM;
    if (factory == NULL)
        return GP_EINVAL;
    pthread_mutex_lock(&pool->main_lock);
    set_factory(pool, factory);
    pthread_mutex_unlock(&pool->main_lock);
    return GP_OK;
}

int gp_pool_prestart_core(gp_pool *pool)
{
    if (gp__worker_count(pool) >= gp_pool_core_size(pool))
        return GP_ESTATE;
    return gp__add_worker(pool, NULL, true);
}

int gp_pool_prestart_all_core(gp_pool *pool)
{
    int started = 0;
    while (gp__add_worker(pool, NULL, true) == GP_OK)
        started++;
    return started;
}

/* The plain pool. */

static void pool_free(gp_pool *pool)
{
    gp__pool_destroy(pool);
    free(pool);
}

#define POOL_CLASS \
    .execute = pool_execute, .queued_as = gp_future_task, .submit = pool_submit, .free = pool_free

const struct gp__pool_class gp__pool_class = {POOL_CLASS};

/* The fast kind: its queue takes functions (functions.c). */
static const struct gp__pool_class fast_pool_class = {POOL_CLASS, .start = gp__start_function,
                                                      .run_functions = gp__run_functions};

int gp_pool_new(const gp_pool_config *config, gp_pool **out)
{
    if (out == NULL)
        return GP_EINVAL;
    int status = gp__pool_check_config(config);
    if (status != GP_OK)
        return status;
    gp_pool *pool = malloc(sizeof *pool);
    if (pool == NULL)
        return GP_ENOMEM;
    bool fast = gp__may_take_functions(config->queue, &config->hooks) &&
                config->queue->class->delayed == NULL; /* else functions need keys */
    status = gp__pool_init(pool, fast ? &fast_pool_class : &gp__pool_class, config);
    if (status != GP_OK) {
        free(pool);
        return status;
    }
    *out = pool;
    return GP_OK;
}
