/*
 * The scheduled task: ScheduledThreadPoolExecutor.ScheduledFutureTask in C; and its decoration.
 *
 * A scheduled task is a future with a time, a sequence number and a period. Its run, in the numbers
 * of document 000:
 *
 *      (8)   periodic?
 *      (9)   not to be run in the pool's present state: cancel
 *      (10)  once: gp_future_run
 *      (11)  periodic: gp_future_run_and_reset; if it may run again,
 *      (11.1)    next time: time + period (fixed rate), now + delay (fixed delay)
 *      (11.2)    back into the queue
 *
 * (9) binds only the pool's workers. A caller that got the task back from shutdown_now may run it:
 * in Java that would cancel it.
 *
 *   [PERIODIC-1] Runs of one task never overlap: it is put back only after a run has ended, and a
 *                run needs it out of the queue.
 *   [PERIODIC-2] A worker that puts it back needs no memory: the slot is reserved from the take on,
 *                while it runs [DELAYED-4], and given up when the task ends, whichever way.
 *
 * Decoration. Java's decorateTask may wrap the task in another; the wrapper, `outer`, is what the
 * queue holds, what is put back, and what is removed on cancel. (Java's cancel looks for the inner
 * task and does not find it.) Memory: the queue owns the wrapper, the wrapper's reference stands
 * for the owner's reference of the task, and the wrapper's memory goes with the task's, so that
 * each may point to the other:
 *
 *      queue --owns--> outer --counts as the owner of--> task <--refs-- handles
 *                        ^------------ memory ------------+
 */
#include <pthread.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/reserve.h"
#include "queue/delayed.h"
#include "scheduled/scheduled.h"
#include "scheduled/trigger.h"

typedef struct gp__scheduled_task scheduled_task;

/*
 * The decoration of a task.
 * Lock letters:
 *   I: set once before publication
 */
struct gp__decorated {
    gp_task task;           /* I its fields have letters of their own */
    scheduled_task *inner;  /* I the task; this one's owner counts as its owner */
    gp_decorator decorator; /* I */
};

static scheduled_task *task_of(gp_future *future)
{
    return (scheduled_task *)future;
}

static gp_task *element_of(scheduled_task *task)
{
    struct gp__decorated *outer = gp__scheduled_extra_of(task)->outer;
    return outer != NULL ? &outer->task : &task->future.task;
}

static struct gp__triggered *triggered_of(const scheduled_task *task)
{
    return gp__scheduled_extra_of(task)->triggered;
}

gp_task *gp__queued_as(gp_future *future)
{
    scheduled_task *task = gp__scheduled_task_of(future);
    return task != NULL ? element_of(task) : &future->task;
}

static bool is_periodic(const scheduled_task *task)
{
    return gp__scheduled_extra_of(task)->period != 0;
}

void gp__scheduled_task_set_time(scheduled_task *task, int64_t time)
{
    gp__task_set_time(&task->future.task, time);
    gp__task_set_time(element_of(task), time);
}

/* The owner's part of the task ends here. */
static void drop(void *argument)
{
    scheduled_task *task = argument;
    if (is_periodic(task))
        gp__delayed_give_up_slot(gp__scheduled_of(task)->pool.queue,
                                 element_of(task)); /* [PERIODIC-2] */
    gp__future_give_up_callable(&task->future);
    if (triggered_of(task) != NULL)
        gp__triggered_ends(triggered_of(task));
    gp_task_release(element_of(task));
}

/* Running. */

static int64_t after_overrun(int64_t time, int64_t period)
{
    int64_t behind = gp_time_until(gp_now(), time);
    int64_t missed = behind > 0 ? behind / period : 0;
    return gp_time_after(time, (missed + 1) * period);
}

/* (11.1). False: there is none, which only a trigger can say. */
static bool set_next_run_time(scheduled_task *task)
{
    if (triggered_of(task) != NULL)
        return gp__triggered_set_next_time(triggered_of(task));
    int64_t period = gp__scheduled_extra_of(task)->period;
    int64_t time = gp_task_time(&task->future.task);
    if (period < 0)
        time = gp__trigger_time(-period);
    else if (period >= INT64_MAX >> 1)
        time = gp__trigger_time(period); /* so far off that the phase is moot */
    else if (gp__scheduled_of(task)->overrun == GP_OVERRUN_SKIP)
        time = after_overrun(time, period);
    else
        time = gp_time_after(time, period);
    gp__scheduled_task_set_time(task, time); /* between two stays in the queue: [DELAYED-3] */
    return true;
}

/* What is left to do with a periodic task when a run of it has ended. */
struct periodic_run {
    scheduled_task *task;
    bool again;
};

static void end_periodic_run(void *argument)
{
    struct periodic_run *run = argument;
    scheduled_task *task = run->task;
    if (triggered_of(task) != NULL)
        gp__triggered_end_run(triggered_of(task));
    if (run->again && set_next_run_time(task))                 /* [PERIODIC-1]: the run has ended */
        gp__re_execute_periodic(gp__scheduled_of(task), task); /* (11.2) */
    else
        drop(task);
}

static bool run_and_reset(scheduled_task *task)
{
    return triggered_of(task) != NULL ? gp__triggered_run(triggered_of(task))
                                      : gp_future_run_and_reset(&task->future);
}

static void run_periodic(scheduled_task *task)
{
    struct periodic_run run = {.task = task};
    pthread_cleanup_push(end_periodic_run, &run);
    run.again = run_and_reset(task);
    pthread_cleanup_pop(1);
}

static void run_once(scheduled_task *task)
{
    pthread_cleanup_push(drop, task);
    gp_future_run(&task->future);
    pthread_cleanup_pop(1);
}

static void run(scheduled_task *task)
{
    gp_scheduled *scheduled = gp__scheduled_of(task);
    bool ours =
        gp__is_worker_of(&scheduled->pool); /* else it was handed back, and is run elsewhere */
    if (ours && !gp__can_run_in_current_run_state(scheduled, task)) /* (8), (9); [SCHEDULED-3] */
        gp_task_discard(element_of(task));
    else if (!is_periodic(task))
        run_once(task); /* (10) */
    else
        run_periodic(task); /* (11) */
}

/* A worker has it too early [TRIGGER-5]: back into the queue, if it has a time at all. */
static bool put_off(scheduled_task *task)
{
    struct gp__moment now;
    if (triggered_of(task) == NULL || !gp__is_worker_of(&gp__scheduled_of(task)->pool) ||
        !gp__triggered_is_early(triggered_of(task), &now))
        return false;
    if (gp__triggered_reckon(triggered_of(task), &now))
        gp__re_execute_periodic(gp__scheduled_of(task), task);
    else
        drop(task);
    return true;
}

static void scheduled_run(gp_task *task)
{
    scheduled_task *self = task_of(gp__future_of(task));
    if (!put_off(self))
        run(self);
}

/* Of a task that was made of a function: (8) to (9) were its admission [POOL-7]. */
static void function_run(gp_task *task)
{
    run_once(task_of(gp__future_of(task)));
}

static void scheduled_discard(gp_task *task)
{
    gp_future *future = gp__future_of(task);
    gp_future_cancel(future, false);
    drop(task_of(future));
}

static void scheduled_task_free(gp_task *task)
{
    scheduled_task *self = task_of(gp__future_of(task));
    gp_scheduled *scheduled = gp__scheduled_of(self);
    const struct gp__scheduled_extra *extra = gp__scheduled_extra_of(self);
    gp__future_destroy(&self->future);
    if (extra->outer != NULL && extra->outer->decorator.destroy != NULL)
        extra->outer->decorator.destroy(extra->outer->decorator.context);
    free(extra->outer);
    if (extra->triggered != NULL)
        gp__triggered_free(extra->triggered);
    else if (task->class == &scheduled->reserved)
        gp__reserve_give_back(task);
    else
        free(self);
    gp__scheduled_release(scheduled);
}

/*
 * After a successful cancel: out of the queue, if that is the policy. The queue is asked in any
 * case, not only if heap_index says that the task is there: its lock is what orders this against a
 * periodic task being put back (see gp__re_execute_periodic).
 */
static void scheduled_cancelled(gp_future *future)
{
    scheduled_task *task = task_of(future);
    gp_scheduled *scheduled = gp__scheduled_of(task);
    if (triggered_of(task) != NULL)
        gp__triggered_ends(triggered_of(task)); /* it may stay in the queue for long */
    if (!gp_scheduled_remove_on_cancel(scheduled) ||
        !gp__pool_take_back(&scheduled->pool, element_of(task)))
        return;
    drop(task);
}

void gp__scheduled_withdraw(gp_future *future)
{
    scheduled_task *task = task_of(future);
    gp_future_cancel(future, false);
    if (gp__pool_take_back(&gp__scheduled_of(task)->pool, element_of(task)))
        drop(task);
}

/* In Java ScheduledFutureTask is an inner class: each task has a hidden reference to its pool. Here
   each pool has classes of its own, and they have the reference. */
void gp__scheduled_classes_init(gp_scheduled *scheduled)
{
    scheduled->once = (struct gp__task_class){.run = scheduled_run,
                                              .discard = scheduled_discard,
                                              .free = scheduled_task_free,
                                              .future = gp__future_of,
                                              .cancelled = scheduled_cancelled,
                                              .delayed = true,
                                              .context = scheduled};
    scheduled->reserved = scheduled->once;
    scheduled->reserved.run = function_run;
    scheduled->extended = scheduled->once;
    scheduled->extended.rest_offset = offsetof(struct gp__extended_task, extra.rest);
}

struct gp__scheduled_task *gp__scheduled_task_of(const gp_future *future)
{
    return future->task.class->free == scheduled_task_free ? (scheduled_task *)future : NULL;
}

/* Decoration. */

struct gp_proceeding {
    struct gp__decorated *decorated;
    bool proceeded;
};

void gp_proceed(gp_proceeding *proceeding)
{
    if (proceeding->proceeded)
        return;
    proceeding->proceeded = true;
    run(proceeding->decorated->inner);
}

static void end_decorated_run(void *argument)
{
    gp_proceeding *proceeding = argument;
    gp_task *task = &proceeding->decorated->task;
    if (!proceeding->proceeded)
        gp_task_discard(task);
    gp_task_release(task);
}

static void decorated_run(gp_task *task)
{
    struct gp__decorated *decorated = (struct gp__decorated *)task;
    gp_proceeding proceeding = {.decorated = decorated};
    if (put_off(decorated->inner))
        return;
    gp_task_retain(task); /* it may be put back, and run again, before the decorator returns */
    pthread_cleanup_push(end_decorated_run, &proceeding);
    decorated->decorator.run(decorated->decorator.context, &proceeding);
    pthread_cleanup_pop(1);
}

static void decorated_discard(gp_task *task)
{
    scheduled_discard(&((struct gp__decorated *)task)->inner->future.task);
}

static void decorated_free(gp_task *task)
{
    gp_future_release(&((struct gp__decorated *)task)->inner->future);
}

static gp_future *decorated_future(gp_task *task)
{
    return &((struct gp__decorated *)task)->inner->future;
}

static const struct gp__task_class decorated_class = {.run = decorated_run,
                                                      .discard = decorated_discard,
                                                      .free = decorated_free,
                                                      .future = decorated_future,
                                                      .delayed = true};

static int decorate(struct gp__extended_task *extended)
{
    scheduled_task *task = &extended->task;
    gp_scheduled *scheduled = gp__scheduled_of(task);
    gp_decorator decorator = {0};
    if (scheduled->decorate == NULL)
        return GP_OK;
    struct gp__decorated *outer = calloc(1, sizeof *outer);
    if (outer == NULL)
        return GP_ENOMEM;
    int status = scheduled->decorate(scheduled->decorate_context, &task->future, &decorator);
    if (status != GP_OK || decorator.run == NULL) {
        free(outer);
        return status;
    }
    gp__task_init(&outer->task, &decorated_class, &(gp_callable){0});
    gp__task_set_delayed(&outer->task, gp_task_time(&task->future.task),
                         task->future.task.sequence);
    outer->task.keeps_slot = task->future.task.keeps_slot;
    outer->inner = task;
    outer->decorator = decorator;
    extended->extra.outer = outer;
    return GP_OK;
}

/* Construction. */

static void init_task(scheduled_task *task, gp_scheduled *scheduled,
                      const struct gp__task_class *class, const gp_callable *callable, int64_t time)
{
    gp__future_init(&task->future, class, callable);
    /* relaxed: only the order of the numbers matters, and that is the order of these calls; the
       caller has a reference */
    uint64_t tasks = atomic_fetch_add_explicit(&scheduled->tasks, GP__NUMBER_AND_REFERENCE,
                                               memory_order_relaxed);
    gp__task_set_delayed(&task->future.task, time, (uint32_t)(tasks >> 32));
}

int gp__extended_task_init(struct gp__extended_task *extended, gp_scheduled *scheduled,
                           const gp_callable *callable, int64_t time, int64_t period,
                           struct gp__triggered *triggered)
{
    scheduled_task *task = &extended->task;
    init_task(task, scheduled, &scheduled->extended, callable, time);
    task->future.task.keeps_slot = period != 0;
    extended->extra.period = period;
    extended->extra.outer = NULL;
    extended->extra.triggered = triggered;
    int status = decorate(extended);
    if (status == GP_EREJECTED)
        gp_task_discard(&task->future.task); /* as after any other rejection */
    else if (status != GP_OK)
        gp__scheduled_task_abandon(task);
    return status;
}

static int new_extended(gp_scheduled *scheduled, const gp_callable *callable, int64_t time,
                        int64_t period, scheduled_task **out)
{
    struct gp__extended_task *task = malloc(sizeof *task);
    if (task == NULL)
        return GP_ENOMEM;
    int status = gp__extended_task_init(task, scheduled, callable, time, period, NULL);
    if (status == GP_OK)
        *out = &task->task;
    return status;
}

int gp__scheduled_task_new(gp_scheduled *scheduled, const gp_callable *callable, int64_t time,
                           int64_t period, struct gp__scheduled_task **out)
{
    if (period != 0 || scheduled->decorate != NULL || gp__callable_has_rest(callable))
        return new_extended(scheduled, callable, time, period, out);
    scheduled_task *task = malloc(sizeof *task);
    if (task == NULL)
        return GP_ENOMEM;
    init_task(task, scheduled, &scheduled->once, callable, time);
    *out = task;
    return GP_OK;
}

/* The caller or the pool's queue has a reference to the pool meanwhile. */
static gp_task *make(void *context, void *memory, gp_run_fn *function, void *argument,
                     struct gp__key key)
{
    gp_scheduled *scheduled = context;
    scheduled_task *task = memory;
    gp_callable callable = {.run = function, .argument = argument};
    gp__future_init(&task->future, &scheduled->reserved, &callable);
    atomic_fetch_add_explicit(&scheduled->tasks, 1, memory_order_relaxed);
    gp__task_set_delayed(&task->future.task, key.time, key.sequence);
    return &task->future.task;
}

struct gp__task_maker gp__scheduled_task_maker(gp_scheduled *scheduled)
{
    return (struct gp__task_maker){sizeof(scheduled_task), make, scheduled};
}

void gp__scheduled_task_abandon(struct gp__scheduled_task *task)
{
    atomic_store_explicit(&task->future.task.retired, true, memory_order_relaxed); /* all ours */
    if (triggered_of(task) != NULL)
        gp__triggered_abandon(triggered_of(task));
    gp_task_release(element_of(task));
}

/* Queries. */

bool gp__scheduled_task_is_unwanted(gp_task *element, void *context)
{
    gp_scheduled *scheduled = context;
    gp_future *future = gp_task_future(element);
    scheduled_task *task = task_of(future);
    if (gp_future_is_cancelled(future))
        return true;
    if (is_periodic(task))
        return !gp_scheduled_continue_periodic(scheduled);
    if (gp_scheduled_execute_delayed(scheduled))
        return false;
    int64_t time = gp_task_time(element);
    return gp_time_until(time, gp_now()) > 0;
}

bool gp_scheduled_is_periodic(const gp_future *future)
{
    const scheduled_task *task = gp__scheduled_task_of(future);
    return task != NULL && is_periodic(task);
}

int gp_scheduled_get_delay(const gp_future *future, int64_t *nanos)
{
    if (gp__scheduled_task_of(future) == NULL || nanos == NULL)
        return GP_EINVAL;
    int64_t time = gp_task_time(&future->task);
    *nanos = gp_time_until(time, gp_now());
    return GP_OK;
}

int gp_scheduled_compare(const gp_future *left, const gp_future *right)
{
    const scheduled_task *first = gp__scheduled_task_of(left);
    const scheduled_task *second = gp__scheduled_task_of(right);
    if (first == NULL || second == NULL || first == second)
        return 0;
    struct gp__key key = {gp_task_time(&left->task), left->task.sequence};
    struct gp__key other = {gp_task_time(&right->task), right->task.sequence};
    return gp__key_is_before(key, other) ? -1 : 1;
}
