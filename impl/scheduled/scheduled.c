/*
 * The scheduled pool: ScheduledThreadPoolExecutor in C.
 *
 * It is a pool with a delayed queue, whose tasks all go through the queue: none can be a worker's
 * first task, because none is due yet. So scheduling is: offer the task to the queue, and make sure
 * that a worker is there (delayed_execute, in the numbers of document 000):
 *
 *      (4)  shut down: reject
 *      (5)  into the queue
 *      (6)  shut down meanwhile, and the policy says no: take it back, unless a worker has it
 *      (7)  ensure_prestart: a worker, even with core size 0
 *
 *   [SCHEDULED-1] A task that was accepted is never stranded: it is run, cancelled, or handed back;
 *                 with the exception that [POOL-1] names.
 *   [SCHEDULED-2] A cancelled task does not stay in the queue under remove_on_cancel.
 *   [SCHEDULED-3] No run state, once left, lets a task run that its policy forbids: each task looks
 *                 again when it is taken.
 *   [SCHEDULED-4] A time lies less than half the range of the clock after every time in the queue,
 *                 so that comparing differences orders them (trigger_time, overflow_free).
 *   [SCHEDULED-5] The pool's memory outlives its tasks: a future may be cancelled, and look into
 *                 the queue, when the pool has been freed.
 *
 * Better than upstream, on purpose.
 *
 * [SCHEDULED-1] In Java (JDK-8358601) `schedule` passes (4); shutdown comes; try_terminate finds
 * the queue empty and is about to set TIDYING; the task goes into the queue (5); (6) sees SHUTDOWN,
 * under which delayed tasks are run; try_terminate sets TIDYING; (7) cannot add a worker any more,
 * and its result is ignored. The future never completes. Here (7) returns a status: GP_OK means
 * that a worker exists, and a worker that exists looks at the queue after our offer before it
 * leaves, or is replaced by one that does [WORKER-5]. Anything else means that there is none; then
 * the task is taken back and rejected, or, for want of threads, given back to the caller.
 *
 * [SCHEDULED-2] In Java a periodic task that is cancelled after its run and before it is put back
 * stays in the queue until it is due: cancel found no index, and the re-queue does not look at the
 * state. Here the re-queue looks after it has put the task back, and cancel asks the queue after it
 * has set the state. The queue's lock orders the two: whichever comes second finds the task.
 *
 * (6) rejects where Java cancels: the caller learns that the task will not run. For the same reason
 * Java's execute rejects.
 */
#include "scheduled/scheduled.h"

#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool/functions.h"
#include "queue/delayed.h"
#include "scheduled/trigger.h"

typedef struct gp__scheduled_task scheduled_task;

static gp_scheduled *scheduled_of(gp_pool *pool)
{
    return (gp_scheduled *)pool;
}

/* Times. */

/*
 * [SCHEDULED-4]: a delay whose end is in comparing range of every time in the queue, or yet to
 * come into it: half the range of the clock ahead, leaving the other half for overdue tasks
 * (JDK-6725789). Java looks at the head of the queue and cuts only as much as that needs; but a
 * periodic task that has overrun is not in the queue while it runs, and comes back overdue.
 */
static int64_t overflow_free(int64_t delay)
{
    return delay < INT64_MAX >> 1 ? delay : INT64_MAX >> 1;
}

int64_t gp__trigger_time_at(int64_t now, int64_t delay)
{
    return gp_time_after(now, delay < 0 ? 0 : overflow_free(delay));
}

int64_t gp__trigger_time(int64_t delay)
{
    return gp__trigger_time_at(gp_now(), delay);
}

/* Policies. */

bool gp__can_run_in_current_run_state(gp_scheduled *scheduled, scheduled_task *task)
{
    int ctl = gp__pool_load_ctl(&scheduled->pool);
    if (gp__is_running(ctl))
        return true;
    if (gp__at_least(ctl, GP__STOP))
        return false;
    if (gp__scheduled_extra_of(task)->period != 0)
        return gp_scheduled_continue_periodic(scheduled);
    if (gp_scheduled_execute_delayed(scheduled))
        return true;
    int64_t time = gp_task_time(&task->future.task);
    return gp_time_until(time, gp_now()) <= 0;
}

static void on_shutdown(gp_pool *pool)
{
    gp_task_list unwanted;
    gp__queue_remove_if(pool->queue, gp__scheduled_task_is_unwanted, pool, &unwanted);
    gp_task_list_discard(&unwanted);
}

void gp_scheduled_set_continue_periodic(gp_scheduled *scheduled, bool on)
{
    /* seq_cst: [SCHEDULED-3], the policy before the state and the queue */
    if (atomic_exchange(&scheduled->continue_periodic, on) && !on &&
        gp_pool_is_shutdown(&scheduled->pool))
        gp_pool_shutdown(&scheduled->pool); /* again: it checks the policies */
}

void gp_scheduled_set_execute_delayed(gp_scheduled *scheduled, bool on)
{
    if (atomic_exchange(&scheduled->execute_delayed, on) && !on && /* seq_cst: as above */
        gp_pool_is_shutdown(&scheduled->pool))
        gp_pool_shutdown(&scheduled->pool); /* again: it checks the policies */
}

void gp_scheduled_set_remove_on_cancel(gp_scheduled *scheduled, bool on)
{
    atomic_store(&scheduled->remove_on_cancel, on); /* seq_cst like the other policies */
}

bool gp_scheduled_continue_periodic(gp_scheduled *scheduled)
{
    return atomic_load(&scheduled->continue_periodic); /* seq_cst: [SCHEDULED-3] */
}

bool gp_scheduled_execute_delayed(gp_scheduled *scheduled)
{
    return atomic_load(&scheduled->execute_delayed); /* seq_cst: [SCHEDULED-3] */
}

bool gp_scheduled_remove_on_cancel(gp_scheduled *scheduled)
{
    return atomic_load(&scheduled->remove_on_cancel); /* seq_cst like the other policies */
}

/* Insertion. */

/* [SCHEDULED-2], asked when the task is in the queue */
static bool is_to_be_removed(gp_scheduled *scheduled, const scheduled_task *task)
{
    return gp_scheduled_remove_on_cancel(scheduled) && gp_future_is_cancelled(&task->future);
}

/* A key that is due now, and after all keys before it. */
static struct gp__key next_key(void *scheduled)
{
    return (struct gp__key){.time = gp_now(), .sequence = gp__draw_number(scheduled)};
}

/* (5). A decorated task keeps its key: the hook may have shown the task to others, and the
   decoration has the same key. */
static int offer(gp_scheduled *scheduled, gp_task *element, bool due)
{
    struct gp__key_source keys = {next_key, scheduled};
    return due && scheduled->decorate == NULL
               ? gp__delayed_offer_due(scheduled->pool.queue, element, &keys)
               : gp__queue_offer(scheduled->pool.queue, element);
}

/* A handler may run the task here, and the task may end this thread: then no caller gets the
   handle. */
static int reject(gp_scheduled *scheduled, scheduled_task *task)
{
    int status;
    pthread_cleanup_push(gp__future_release_handle, &task->future);
    status = gp__pool_reject(&scheduled->pool, gp__queued_as(&task->future));
    pthread_cleanup_pop(0);
    return status;
}

/* (6), (7). If it fails, the task is out of the queue again, and ours. */
static int recheck_and_prestart(gp_scheduled *scheduled, scheduled_task *task, gp_task *element)
{
    gp_pool *pool = &scheduled->pool;
    int status = gp__can_run_in_current_run_state(scheduled, task) ? gp__ensure_prestart(pool)
                                                                   : GP_EREJECTED;
    bool unwanted = status == GP_OK && is_to_be_removed(scheduled, task);
    if ((status == GP_OK && !unwanted) || !gp__pool_take_back(pool, element))
        return GP_OK; /* [SCHEDULED-1]: a worker is there, or has it already */
    if (unwanted)
        gp_task_discard(element); /* the decorate hook has cancelled it, or caused that */
    return status;
}

/* A failure other than GP_EREJECTED gives the task back. */
static int delayed_execute(gp_scheduled *scheduled, scheduled_task *task, bool due)
{
    gp_pool *pool = &scheduled->pool;
    gp_task *element = gp__queued_as(&task->future);
    if (gp_pool_is_shutdown(pool))
        return reject(scheduled, task);          /* (4) */
    int status = offer(scheduled, element, due); /* (5) */
    if (status == GP_OK)
        status = recheck_and_prestart(scheduled, task, element); /* (6), (7) */
    return status == GP_EREJECTED ? reject(scheduled, task) : status;
}

/*
 * True: it is in the queue, or another thread has it. False: it is ours, and not to be run again.
 * When a worker calls, offering needs no memory [PERIODIC-2] and a worker is there, namely itself.
 * Neither is certain when a rejection handler has run the task: then it may have to end here.
 */
static bool put_back(gp_scheduled *scheduled, scheduled_task *task, gp_task *element)
{
    gp_pool *pool = &scheduled->pool;
    if (!gp__can_run_in_current_run_state(scheduled, task) ||
        gp__queue_offer(pool->queue, element) != GP_OK)
        return false;
    bool wanted = gp__can_run_in_current_run_state(scheduled, task) &&
                  !is_to_be_removed(scheduled, task) && gp__ensure_prestart(pool) == GP_OK;
    return wanted || !gp__pool_take_back(pool, element);
}

void gp__re_execute_periodic(gp_scheduled *scheduled, scheduled_task *task)
{
    gp_task *element = gp__queued_as(&task->future);
    gp_future_retain(&task->future); /* once put back it may end at any moment */
    int64_t offset = gp__triggered_offset(gp__scheduled_extra_of(task)->triggered);
    if (!put_back(scheduled, task, element))
        gp_task_discard(element);
    else
        gp__watch_recheck(scheduled, task, offset); /* [TRIGGER-4] */
    gp_future_release(&task->future);
}

/* The second reference, of a task that only a decorate hook can have seen yet. */
static gp_future *take_handle(scheduled_task *task)
{
    if (gp__scheduled_of(task)->decorate != NULL)
        return gp_future_retain(&task->future);
    atomic_store_explicit(&task->future.task.refs, 2, memory_order_relaxed); /* not published */
    return &task->future;
}

int gp__schedule_task(scheduled_task *task, bool due, gp_future **out)
{
    gp_scheduled *scheduled = gp__scheduled_of(task);
    gp_future *handle = take_handle(task);
    int64_t offset = gp__triggered_offset(gp__scheduled_extra_of(task)->triggered);
    int status = delayed_execute(scheduled, task, due); /* (3) */
    if (status == GP_OK)
        gp__watch_recheck(scheduled, task, offset); /* [TRIGGER-4] */
    if (status == GP_OK && out != NULL) {
        *out = handle;
        return GP_OK;
    }
    if (status != GP_OK && status != GP_EREJECTED)
        gp__scheduled_task_abandon(task);
    gp_future_release(handle);
    return status;
}

/* The fast kind: a function that is due now, without a handle (pool/functions.c). */
static bool enqueue_function(gp_scheduled *scheduled, const gp_callable *callable, int *status)
{
    gp_pool *pool = &scheduled->pool;
    struct gp__key_source keys = {next_key, scheduled};
    return pool->class->run_functions != NULL && callable->run != NULL &&
           callable->destroy == NULL &&
           gp__enqueue_function(pool, callable->run, callable->argument, &keys, status);
}

static int schedule(gp_scheduled *scheduled, const gp_callable *callable, int64_t delay,
                    int64_t period, gp_future **out)
{
    scheduled_task *task;
    int status;
    if (scheduled == NULL || !gp__callable_is_valid(callable))
        return GP_EINVAL;
    if (out == NULL && delay <= 0 && period == 0 && enqueue_function(scheduled, callable, &status))
        return status;
    status = gp__scheduled_task_new(scheduled, callable, gp__trigger_time(delay), period,
                                    &task); /* (2) */
    return status == GP_OK ? gp__schedule_task(task, delay <= 0, out) : status;
}

int gp_schedule(gp_scheduled *scheduled, const gp_callable *callable, int64_t delay,
                gp_future **out)
{
    return schedule(scheduled, callable, delay, 0, out);
}

int gp_schedule_at_fixed_rate(gp_scheduled *scheduled, const gp_callable *callable,
                              int64_t initial_delay, int64_t period, gp_future **out)
{
    return period <= 0 ? GP_EINVAL : schedule(scheduled, callable, initial_delay, period, out);
}

int gp_schedule_with_fixed_delay(gp_scheduled *scheduled, const gp_callable *callable,
                                 int64_t initial_delay, int64_t delay, gp_future **out)
{
    return delay <= 0 ? GP_EINVAL : schedule(scheduled, callable, initial_delay, -delay, out);
}

/* The operations of a pool, by scheduling without delay. */

static bool scheduled_start(gp_pool *pool, gp_run_fn *run, void *argument, int *status)
{
    gp_callable callable = {.run = run, .argument = argument};
    *status = schedule(scheduled_of(pool), &callable, 0, 0, NULL);
    return true;
}

static int scheduled_submit(gp_pool *pool, const gp_callable *callable, gp_future **out)
{
    return schedule(scheduled_of(pool), callable, 0, 0, out);
}

/* A task made elsewhere travels as the argument of one of ours. */

struct passenger {
    gp_task *task;
    bool ran;
};

static void run_passenger(void *argument)
{
    struct passenger *passenger = argument;
    passenger->ran = true;
    gp_task_run(passenger->task);
}

static void destroy_passenger(void *argument)
{
    struct passenger *passenger = argument;
    if (!passenger->ran)
        gp_task_discard(passenger->task);
    free(passenger);
}

static int scheduled_execute(gp_pool *pool, gp_task *task)
{
    struct passenger *passenger = malloc(sizeof *passenger);
    if (passenger == NULL)
        return GP_ENOMEM;
    *passenger = (struct passenger){.task = task};
    gp_callable callable = {
        .run = run_passenger, .argument = passenger, .destroy = destroy_passenger};
    int status = schedule(scheduled_of(pool), &callable, 0, 0, NULL);
    if (status != GP_OK && status != GP_EREJECTED)
        free(passenger);
    return status;
}

/* The pool. */

void gp__scheduled_release(gp_scheduled *scheduled)
{
    /* acq_rel: what the tasks did happens before it is freed */
    if ((uint32_t)atomic_fetch_sub_explicit(&scheduled->tasks, 1, memory_order_acq_rel) != 1)
        return;
    gp__watch_destroy(scheduled);
    gp__pool_destroy(&scheduled->pool);
    free(scheduled);
}

static void scheduled_free(gp_pool *pool)
{
    gp__scheduled_release(scheduled_of(pool)); /* [SCHEDULED-5] */
}

static void on_alarm(gp_pool *pool)
{
    gp__watch_look(scheduled_of(pool));
}

#define SCHEDULED_CLASS                                                                 \
    .execute = scheduled_execute, .start = scheduled_start, .queued_as = gp__queued_as, \
    .submit = scheduled_submit, .on_shutdown = on_shutdown, .on_alarm = on_alarm,       \
    .free = scheduled_free

static const struct gp__pool_class scheduled_class = {SCHEDULED_CLASS};
static const struct gp__pool_class fast_class = {SCHEDULED_CLASS,
                                                 .run_functions = gp__run_functions};

static gp_pool_config pool_config(const gp_scheduled_config *config)
{
    return (gp_pool_config){.core_size = config->core_size,
                            .maximum_size = GP__COUNT_MASK,
                            .keep_alive = config->keep_alive,
                            .core_timeout = config->core_timeout,
                            .time_tasks = config->time_tasks,
                            .thread = config->thread,
                            .factory = config->factory,
                            .rejection = config->rejection,
                            .hooks = config->hooks};
}

static int make_queue(gp_kind kind, gp_queue **out)
{
    switch (kind) {
    case GP_REFERENCE:
        return gp_delayed_new(out);
    case GP_FAST:
        return gp_delayed_lane_new(out);
    }
    return GP_EINVAL;
}

static int init_scheduled(gp_scheduled *scheduled, const gp_scheduled_config *config)
{
    gp_pool_config pool = pool_config(config);
    int status = make_queue(config->kind, &pool.queue);
    if (status != GP_OK)
        return status;
    bool fast = config->decorate == NULL && gp__may_take_functions(pool.queue, &pool.hooks);
    status = gp__pool_init(&scheduled->pool, fast ? &fast_class : &scheduled_class, &pool);
    if (status == GP_OK && gp__watch_init(scheduled) != GP_OK) {
        gp__pool_destroy(&scheduled->pool);
        return GP_ENOMEM;
    }
    if (status != GP_OK) {
        gp_queue_free(pool.queue);
        return status;
    }
    atomic_init(&scheduled->tasks, 1); /* the handle */
    gp__scheduled_classes_init(scheduled);
    if (fast) {
        struct gp__task_maker maker = gp__scheduled_task_maker(scheduled);
        pool.queue->class->functions->set_maker(pool.queue, &maker);
    }
    atomic_init(&scheduled->continue_periodic, config->continue_periodic);
    atomic_init(&scheduled->execute_delayed, config->execute_delayed);
    atomic_init(&scheduled->remove_on_cancel, config->remove_on_cancel);
    scheduled->overrun = config->overrun;
    scheduled->decorate = config->decorate;
    scheduled->decorate_context = config->decorate_context;
    scheduled->wall_clock = config->wall_clock;
    return GP_OK;
}

int gp_scheduled_new(const gp_scheduled_config *config, gp_scheduled **out)
{
    if (config == NULL || out == NULL)
        return GP_EINVAL;
    gp_pool_config pool = pool_config(config);
    int status = gp__pool_check_config(&pool);
    if (status != GP_OK)
        return status;
    gp_scheduled *scheduled = calloc(1, sizeof *scheduled);
    if (scheduled == NULL)
        return GP_ENOMEM;
    status = init_scheduled(scheduled, config);
    if (status != GP_OK) {
        free(scheduled);
        return status;
    }
    *out = scheduled;
    return GP_OK;
}

gp_pool *gp_scheduled_pool(gp_scheduled *scheduled)
{
    return &scheduled->pool;
}

int gp_scheduled_close(gp_scheduled *scheduled)
{
    return scheduled == NULL ? GP_OK : gp_pool_close(&scheduled->pool);
}
