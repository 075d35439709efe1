/*
 * Workers: ThreadPoolExecutor's addWorker, runWorker, getTask and processWorkerExit.
 *
 * The life of a worker:
 *
 *      count raised in ctl (CAS)            the slot is taken before anything can fail
 *      thread made by the factory           not started
 *      entered in `workers`                 under main_lock, if the run state still allows
 *      thread started                       lock -1 -> 0: may be interrupted from now on
 *      loop: get a task, lock 1, run it and the queued functions, lock 0
 *      count lowered, out of `workers`, into `departed`
 *      joined                               by the next worker that leaves, or in await_termination
 *
 *   [WORKER-1] The count in ctl is the number of workers between the first and the last but one of
 *              these steps. A failure on the way up undoes all steps before it (add_worker_failed).
 *   [WORKER-2] A worker is never entered after STOP, nor with a task after SHUTDOWN: the state is
 *              read again under main_lock (JDK-6523756).
 *   [WORKER-3] An idle-interrupt never hits a running task, nor a worker that has not started: it
 *              needs the worker's lock, which is not reentrant (JDK-6576792) and starts at -1.
 *   [WORKER-4] A running task sees its thread's interrupt flag set only if the interrupt is meant
 *              for that task, or the pool is stopping: leftovers are cleared before each task.
 *   [WORKER-5] A worker that leaves while tasks are queued and no other worker is there is
 *              replaced; so is one that its task has killed, unless the pool stops; and one that
 *              the class of the pool needs (is_short).
 *   [WORKER-6] A worker joins only those that entered `departed` before it did, all of them taken
 *              in the step in which it enters itself: so no two ever wait for each other.
 *              `unjoined` reaches zero only when all threads have ended.
 *   [WORKER-7] A thread that changes the state or a setting and then finds a worker's lock taken
 *              need not interrupt that worker: the worker releases its lock and then reads state
 *              and settings again, before it waits. Both are seq_cst, or each could miss the other.
 *              So a worker may keep its lock from task to task, as long as it need not wait for
 *              one.
 *   [WORKER-8] A thread that the factory has started itself is refused in every state, and that
 *              thread then frees its worker: it may be in run_worker already, or come there,
 *              through a function of the factory's own, when the pool is gone.
 *
 * Joining. In Java the collector disposes of a thread that has ended; here the thread keeps its
 * stack until it is joined. Each worker that leaves joins those that left before it: at most one
 * thread at a time waits to be joined. A worker that is about to leave never waits for one that is
 * still working.
 *
 * If a replacement [WORKER-5] cannot be created for want of memory or threads, queued tasks wait
 * for the next submission, which tries again; so does a caller of await_termination, which gets an
 * error if that fails, too. To a thread that only looks at the count in ctl a reservation counts as
 * a worker; so the thread whose reservation comes to nothing tries again for the tasks that were
 * left to it.
 *
 * A worker whose keep-alive has passed but that has to stay, as the last one with tasks queued,
 * looks again after a while, and then after twice as long, and so on. Java waits for its keep-alive
 * again and again, which with keep-alive 0 burns a processor until the task is due (JDK-8065320,
 * JDK-8129861) and is why its default is now 10 ms.
 *
 * No lock but the worker's own is held while a task runs. Cancellation (pthread_cancel) is enabled
 * only while its callable runs (future/task.c), and acted on once more when the task has ended.
 */
#include "pool/worker.h"

#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"
#include "sync/clock.h"
#include "sync/globals.h"
#include "sync/os.h"
#include "sync/probe.h"
#include "sync/thread.h"

#define SHORTEST_STAY GP_MILLISECONDS(1) /* of a worker that has to stay after its keep-alive ... */
#define LONGEST_STAY  GP_SECONDS(86400)  /* ... and of one that has had to stay again and again */

/* The worker's own lock. */

static bool try_lock(struct gp__worker *worker)
{
    int idle = 0;
    return atomic_compare_exchange_strong(&worker->lock, &idle, 1); /* seq_cst: [WORKER-7] */
}

static void unlock(struct gp__worker *worker)
{
    atomic_store(&worker->lock, 0); /* seq_cst: [WORKER-7] */
}

static void lock(struct gp__worker *worker)
{
    unsigned rounds = 0;
    while (!try_lock(worker)) /* held for moments only, by an idle-interrupt */
        gp__os_backoff(&rounds);
}

/* The count in ctl. */

static bool compare_and_change_count(gp_pool *pool, int ctl, int change)
{
    bool changed =
        atomic_compare_exchange_strong(&pool->ctl, &ctl, ctl + change); /* seq_cst: [POOL-1] */
    if (changed)
        GP_PROBE(pool_ctl, pool, ctl + change);
    return changed;
}

static void decrement_worker_count(gp_pool *pool)
{
    atomic_fetch_sub(&pool->ctl, 1); /* seq_cst: before looking again at the queue, and at the
                                        threads that wait for quiet */
    GP_PROBE(pool_ctl, pool, gp__pool_load_ctl(pool));
}

/* A reservation has become a worker, or come to nothing. */
static void decide(gp_pool *pool)
{
    pthread_mutex_lock(&pool->main_lock);
    atomic_fetch_sub(&pool->undecided, 1); /* seq_cst: last, see are_workers_there */
    gp__condition_signal_all(&pool->decided);
    gp__condition_signal_all(&pool->termination); /* a caller there may have to start one */
    pthread_mutex_unlock(&pool->main_lock);
}

/* Take a slot, if state and limit allow. */
static int reserve_worker(gp_pool *pool, const gp_task *first_task, bool core)
{
    for (;;) {
        int ctl = gp__pool_load_ctl(pool);
        if (gp__at_least(ctl, GP__SHUTDOWN) &&
            (gp__at_least(ctl, GP__STOP) || first_task != NULL || gp__pool_queue_is_empty(pool)))
            return GP_EREJECTED;
        int limit = core ? gp_pool_core_size(pool) : gp_pool_maximum_size(pool);
        if (gp__worker_count_of(ctl) >= (limit & GP__COUNT_MASK))
            return GP_EREJECTED;
        atomic_fetch_add(&pool->undecided, 1);      /* seq_cst: first, see are_workers_there */
        if (compare_and_change_count(pool, ctl, 1)) /* [POOL-3] */
            return GP_OK;
        decide(pool);
    }
}

/* The set of workers, under main_lock. */

static void enter_worker(gp_pool *pool, struct gp__worker *worker)
{
    worker->previous = NULL;
    worker->next = pool->workers;
    if (pool->workers != NULL)
        pool->workers->previous = worker;
    pool->workers = worker;
    pool->unjoined++; /* [POOL-5] */
    if (++pool->size > pool->largest)
        pool->largest = pool->size;
}

static void remove_worker(gp_pool *pool, struct gp__worker *worker)
{
    if (worker->previous != NULL)
        worker->previous->next = worker->next;
    else
        pool->workers = worker->next;
    if (worker->next != NULL)
        worker->next->previous = worker->previous;
    pool->size--;
}

static void free_worker(struct gp__worker *worker)
{
    gp_thread_release(worker->thread);
    free(worker);
}

/* Adding. */

static void run_worker(void *argument);

static int create_worker(gp_pool *pool, gp_task *first_task, struct gp__worker **out)
{
    struct gp__worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        return GP_ENOMEM;
    worker->pool = pool;
    worker->first_task = first_task;
    atomic_init(&worker->lock, -1); /* [WORKER-3] */
    pthread_mutex_lock(&pool->main_lock);
    gp_thread_factory factory = pool->factory;
    pthread_mutex_unlock(&pool->main_lock);
    int cancel_state = gp__begin_task_code();
    int status = factory.create(factory.context, run_worker, worker, &worker->thread);
    gp__end_task_code(cancel_state);
    if (status != GP_OK || worker->thread == NULL) {
        free(worker);
        return status == GP_ENOMEM ? GP_ENOMEM : GP_EAGAIN;
    }
    *out = worker;
    return GP_OK;
}

/* [WORKER-2] */
static int admit_worker(gp_pool *pool, struct gp__worker *worker)
{
    int status = GP_EREJECTED;
    pthread_mutex_lock(&pool->main_lock);
    int ctl = gp__pool_load_ctl(pool);
    if (!gp__thread_claim(worker->thread)) {
        status = GP_ESTATE; /* started already: whatever the state, it may be reading `worker` */
    } else if (gp__is_running(ctl) ||
               (!gp__at_least(ctl, GP__STOP) && worker->first_task == NULL)) {
        enter_worker(pool, worker);
        status = GP_OK;
    }
    pthread_mutex_unlock(&pool->main_lock);
    return status;
}

static int start_worker(gp_pool *pool, struct gp__worker *worker)
{
    atomic_store_explicit(&worker->admission, GP__ADMITTED, memory_order_relaxed); /* not started */
    int status = gp__thread_start(worker->thread);
    if (status == GP_OK) {
        decide(pool);
        return GP_OK;
    }
    pthread_mutex_lock(&pool->main_lock);
    remove_worker(pool, worker);
    pool->unjoined--;
    pthread_mutex_unlock(&pool->main_lock);
    return GP_EAGAIN;
}

/* [WORKER-8] */
static void refuse_worker(struct gp__worker *worker)
{
    gp_thread *thread = worker->thread;
    /* release, pairs with the acquire in await_admission; our last access */
    atomic_store_explicit(&worker->admission, GP__ABANDONED, memory_order_release);
    gp_thread_release(thread);
}

/* [WORKER-1] */
static void add_worker_failed(gp_pool *pool, struct gp__worker *worker, int status)
{
    if (status == GP_ESTATE)
        refuse_worker(worker);
    else if (worker != NULL)
        free_worker(worker);
    decrement_worker_count(pool);
    atomic_fetch_add(&pool->failed_reservations, 1); /* seq_cst: between, see are_workers_there */
    decide(pool);
    gp__try_terminate(pool);
    gp__queue_nudge(pool->queue);
}

static int add_worker(gp_pool *pool, gp_task *first_task, bool core)
{
    struct gp__worker *worker = NULL;
    int status = reserve_worker(pool, first_task, core);
    if (status != GP_OK)
        return status;
    status = create_worker(pool, first_task, &worker);
    if (status == GP_OK)
        status = admit_worker(pool, worker);
    if (status == GP_OK)
        status = start_worker(pool, worker);
    if (status != GP_OK)
        add_worker_failed(pool, worker, status);
    return status == GP_ESTATE ? GP_EAGAIN : status;
}

bool gp__pool_is_unattended(gp_pool *pool)
{
    int ctl = gp__pool_load_ctl(pool);
    return !gp__at_least(ctl, GP__STOP) && gp__worker_count_of(ctl) == 0 &&
           !gp__pool_queue_is_empty(pool);
}

/* Another thread may have counted on our reservation, and left tasks to it: try once more. */
int gp__add_worker(gp_pool *pool, gp_task *first_task, bool core)
{
    int status = add_worker(pool, first_task, core);
    if (status == GP_OK || !gp__pool_is_unattended(pool))
        return status;
    int second = add_worker(pool, NULL, false);
    return first_task == NULL ? second : status;
}

/* Wait until a worker is there (true), or none is and no thread is about to make one. */
static bool await_decision(gp_pool *pool)
{
    int status = GP_OK;
    bool interrupted = false;
    pthread_mutex_lock(&pool->main_lock);
    while (!gp__are_workers_there(pool, 1) && atomic_load(&pool->undecided) > 0 &&
           status != GP_ENOMEM) {
        status = gp__condition_wait(&pool->decided, &pool->main_lock, GP__NO_DEADLINE);
        interrupted = interrupted || status == GP_EINTERRUPTED;
    }
    bool there = gp__are_workers_there(pool, 1);
    pthread_mutex_unlock(&pool->main_lock);
    if (interrupted)
        gp_thread_interrupt(gp_thread_self());
    return there;
}

/* Does the state still allow a worker for what is queued? */
static bool may_have_workers(gp_pool *pool)
{
    int ctl = gp__pool_load_ctl(pool);
    return gp__is_running(ctl) || (!gp__at_least(ctl, GP__STOP) && !gp__pool_queue_is_empty(pool));
}

int gp__ensure_worker(gp_pool *pool)
{
    for (;;) {
        if (gp__are_workers_there(pool, 1) || await_decision(pool))
            return GP_OK;
        int status = gp__add_worker(pool, NULL, false);
        if (status != GP_EREJECTED || !may_have_workers(pool))
            return status; /* else it was the limit, perhaps by a reservation: look again */
    }
}

int gp__ensure_prestart(gp_pool *pool)
{
    int count = gp__worker_count(pool);
    if (count < gp_pool_core_size(pool) && gp__add_worker(pool, NULL, true) == GP_OK)
        return GP_OK;
    return gp__ensure_worker(pool);
}

/* Leaving. */

/* Join these; main_lock is held, and released meanwhile. */
static void join_workers(gp_pool *pool, struct gp__worker *list)
{
    while (list != NULL) {
        struct gp__worker *worker = list;
        list = worker->next;
        pthread_mutex_unlock(&pool->main_lock);
        gp__thread_join(worker->thread);
        free_worker(worker);
        pthread_mutex_lock(&pool->main_lock);
        pool->unjoined--;
    }
    gp__condition_signal_all(&pool->termination);
}

void gp__join_departed(gp_pool *pool)
{
    while (pool->departed != NULL) { /* more may come while the lock is released */
        struct gp__worker *list = pool->departed;
        pool->departed = NULL;
        join_workers(pool, list);
    }
}

static void depart(gp_pool *pool, struct gp__worker *worker)
{
    pthread_mutex_lock(&pool->main_lock);
    pool->completed += atomic_load_explicit(&worker->completed, memory_order_relaxed); /* our own */
    gp__histogram_add(&pool->waited, &worker->waited);
    gp__histogram_add(&pool->ran, &worker->ran);
    remove_worker(pool, worker);
    pthread_mutex_unlock(&pool->main_lock);
}

/* [WORKER-5] */
static bool is_replacement_needed(gp_pool *pool, bool abrupt)
{
    int ctl = gp__pool_load_ctl(pool);
    if (gp__at_least(ctl, GP__STOP))
        return false;
    if (abrupt || (pool->class->is_short != NULL && pool->class->is_short(pool)))
        return true;
    int minimum = gp_pool_core_timeout(pool) ? 0 : gp_pool_core_size(pool);
    if (minimum == 0 && !gp__pool_queue_is_empty(pool))
        minimum = 1;
    return gp__worker_count_of(ctl) < minimum;
}

static void process_worker_exit(gp_pool *pool, struct gp__worker *worker)
{
    if (worker->abrupt)
        decrement_worker_count(pool); /* otherwise get_task has done it */
    depart(pool, worker);
    gp__try_terminate(pool);
    if (is_replacement_needed(pool, worker->abrupt))
        gp__add_worker(pool, NULL, false);
    gp__queue_nudge(pool->queue);
    pthread_mutex_lock(&pool->main_lock);
    struct gp__worker *predecessors = pool->departed;
    worker->next = NULL;
    pool->departed = worker;
    join_workers(pool, predecessors); /* [WORKER-6] */
    pthread_mutex_unlock(&pool->main_lock);
}

/* Working. */

/* May a worker leave that exceeds the maximum, or whose keep-alive has passed? Not the last one
   with tasks queued. */
static bool may_leave(gp_pool *pool)
{
    return gp__pool_queue_is_empty(pool) || gp__are_workers_there(pool, 2);
}

/* The next task, or NULL: then the worker is to leave, and the count is already lowered. */
static gp_task *get_task(gp_pool *pool)
{
    bool timed_out = false;
    int64_t patience = SHORTEST_STAY;
    for (;;) {
        int ctl = gp__pool_load_ctl(pool);
        if (gp__at_least(ctl, GP__SHUTDOWN) &&
            (gp__at_least(ctl, GP__STOP) || gp__pool_queue_is_empty(pool))) {
            decrement_worker_count(pool);
            return NULL;
        }
        int count = gp__worker_count_of(ctl);
        bool timed = gp_pool_core_timeout(pool) || count > gp_pool_core_size(pool);
        if ((count > gp_pool_maximum_size(pool) || (timed && timed_out)) && may_leave(pool)) {
            if (compare_and_change_count(pool, ctl, -1))
                return NULL;
            continue;
        }
        gp_task *task;
        int64_t nanos = !timed ? GP_FOREVER : timed_out ? patience : gp_pool_keep_alive(pool);
        int status = gp__queue_next_task(pool->queue, nanos, &task);
        if (status == GP_OK)
            return task;
        if (status == GP_EAGAIN)
            pool->class->on_alarm(pool);
        if (timed_out && patience < LONGEST_STAY)
            patience *= 2;                  /* it had to stay, and still has nothing to do */
        timed_out = status == GP_ETIMEDOUT; /* an interrupt means: look at the state again */
    }
}

/* [WORKER-4]: afterwards the interrupt flag is set if, and only if, the pool is stopping. */
static void adjust_interrupt(gp_pool *pool, gp_thread *self)
{
    if ((gp__at_least(gp__pool_load_ctl(pool), GP__STOP) ||
         (gp__clear_interrupt(self) && gp__at_least(gp__pool_load_ctl(pool), GP__STOP))) &&
        !gp_is_interrupted(self))
        gp_thread_interrupt(self);
}

static void show(struct gp__worker *worker, gp__any_fn *function)
{
    atomic_store_explicit(&worker->runs, function, memory_order_relaxed); /* statistics only */
}

void gp__begin_run(struct gp__worker *worker, gp__any_fn *function)
{
    adjust_interrupt(worker->pool, worker->thread);
    show(worker, function);
}

void gp__start_run(struct gp__worker *worker, int64_t queued_at)
{
    if (worker->pool->time_tasks) {
        worker->started_at = gp_now();
        gp__histogram_record(&worker->waited, gp_time_until(worker->started_at, queued_at));
    }
    worker->abrupt = true;
}

static void after_task(struct gp__worker *worker, int status)
{
    gp_pool *pool = worker->pool;
    uint64_t completed = atomic_load_explicit(&worker->completed, memory_order_relaxed); /* own */
    if (pool->time_tasks)
        gp__histogram_record(&worker->ran, gp_time_until(gp_now(), worker->started_at));
    if (worker->task != NULL) {
        pool->hooks.after_execute(pool->hooks.context, worker->task, status);
        gp_task_release(worker->task);
        worker->task = NULL;
    }
    show(worker, NULL);
    /* release, pairs with the acquire in gp_pool_statistics: a counted task is not seen running */
    atomic_store_explicit(&worker->completed, completed + 1, memory_order_release);
    gp__pool_left(pool, 1);
}

void gp__end_run(struct gp__worker *worker)
{
    worker->abrupt = false;
    if (atomic_load(&worker->thread->interrupted)) /* seq_cst like all of it */
        gp__stop_signals(worker->thread);          /* the task has ended */
    after_task(worker, GP_OK);
}

void gp__run_task(struct gp__worker *worker, gp_task *task)
{
    const gp_pool_hooks *hooks = &worker->pool->hooks;
    if (hooks->after_execute != NULL)
        worker->task = gp_task_retain(task);
    gp__begin_run(worker, gp__task_function(task));
    if (hooks->before_execute != NULL)
        hooks->before_execute(hooks->context, task);
    gp__start_run(worker, gp_task_time(task));
    gp_task_run(task);
    gp__act_on_cancellation();
    gp__end_run(worker);
}

/* The `finally` of run_worker. */
static void leave(void *argument)
{
    struct gp__worker *worker = argument;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (worker->abrupt) {
        after_task(worker, GP_EABRUPT);
        unlock(worker);
    }
    process_worker_exit(worker->pool, worker);
}

/* False: the factory has started the thread on its own, and the pool has refused it. */
static bool await_admission(struct gp__worker *worker)
{
    unsigned rounds = 0;
    int admission;
    /* acquire, pairs with the release in refuse_worker */
    while ((admission = atomic_load_explicit(&worker->admission, memory_order_acquire)) ==
           GP__UNDECIDED)
        gp__os_backoff(&rounds);
    if (admission == GP__ABANDONED)
        free(worker);
    return admission == GP__ADMITTED;
}

static void run_worker(void *argument)
{
    struct gp__worker *worker = argument;
    if (!await_admission(worker))
        return;
    gp_pool *pool = worker->pool;
    gp_task *task = worker->first_task;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    worker->first_task = NULL;
    worker->thread->owner = pool;
    unlock(worker); /* -1 -> 0: may be interrupted from now on */
    pthread_cleanup_push(leave, worker);
    if (task == NULL)
        task = get_task(pool);
    while (task != NULL) {
        lock(worker);
        gp__run_task(worker, task);
        if (pool->class->run_functions != NULL)
            pool->class->run_functions(worker); /* [WORKER-7] */
        unlock(worker);
        task = get_task(pool);
    }
    pthread_cleanup_pop(1);
}

bool gp__is_worker_of(const gp_pool *pool)
{
    const gp_thread *self = gp__current_thread();
    return self != NULL && self->owner == pool;
}

/* Interruption. */

void gp__interrupt_idle_workers(gp_pool *pool, bool only_one)
{
    pthread_mutex_lock(&pool->main_lock);
    for (struct gp__worker *worker = pool->workers; worker != NULL; worker = worker->next) {
        if (!gp_is_interrupted(worker->thread) && try_lock(worker)) {
            gp_thread_interrupt(worker->thread);
            unlock(worker);
        }
        if (only_one)
            break;
    }
    pthread_mutex_unlock(&pool->main_lock);
}

void gp__interrupt_workers(gp_pool *pool)
{
    for (struct gp__worker *worker = pool->workers; worker != NULL; worker = worker->next)
        if (atomic_load(&worker->lock) >=
            0) /* seq_cst like all of it; [WORKER-3]: it has started */
            gp_thread_interrupt(worker->thread);
}
