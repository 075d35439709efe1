/*
 * The threadless executor: Dubbo's ThreadlessExecutor, bound to one call over the network.
 *
 * Contract. A list of tasks, and one thread that waits for the first of them and then runs all that
 * are there. Whoever comes when that has begun is sent on to the shared executor.
 *
 *      OPEN --drain--> WAITING --a task is there--> DRAINING --all have run--> FINISHED
 *                         |                            +-------its thread ends----^
 *                         +----------interrupted, or the time is up---------------^
 *
 *   [THREADLESS-1] A task that was taken meets one fate. It enters the list in OPEN or WAITING,
 *                  under the lock; the list is taken as a whole in the step that leaves these two;
 *                  who has taken it runs each, or hands it on. What is in the list when the last
 *                  handle is given up nobody can run any more: it is discarded.
 *   [THREADLESS-2] From DRAINING on the list is empty, and stays so: execute goes elsewhere.
 *   [THREADLESS-3] One thread takes the state from OPEN, and it alone takes it on, to FINISHED on
 *                  every way out. Whoever else wants to drain comes back at once: nobody waits for
 *                  a task that is going to be sent elsewhere.
 *   [THREADLESS-4] Nobody sleeps while a task is there: who makes the list longer signals, in the
 *                  same step.
 *   [THREADLESS-5] Tasks run without the lock, and each under the handler that sees to the others.
 *                  Whatever the first does to its thread, the rest goes to the shared executor.
 *                  None of it runs in the handler: what the shared executor would have run by its
 *                  submitter (gp_reject_caller_runs) is discarded [TASK-4].
 *   [THREADLESS-6] A notification that was taken over fails the future in its turn, or finds it
 *                  done; its payload then belongs to the future, or is destroyed.
 *
 * Interrupted. In Java the exception leaves `waiting` true for ever: what comes later is queued,
 * and nobody runs it. Here who stops waiting ends the wait, in the step in which it sees that the
 * list is empty. So nothing is left behind, and what comes later is sent on. A list that is not
 * empty wins against interrupt and deadline, as a future that is done does.
 *
 * The notification. In Java it is one more task, which may find no memory, and which, the wait
 * being over, the shared executor may reject: then the future is never done. Here it is part of the
 * executor. One is enough: when it has had its turn the future is done, so a second has nothing to
 * say. When the wait is over the notifier fails the future itself.
 *
 * Better than upstream. Java runs the first task under the lock: who executes meanwhile waits for
 * it, on a thread of the network. It ran that task unguarded, so that its failure lost the rest
 * (dubbo #6193); it drained again and waited for ever (#5540); it had no deadline (#12484).
 *
 * Rejected: handing on, too, what is queued when the last handle is given up. The caller has shown
 * that it does not want the answer; its argument is to be destroyed, not decoded. Also rejected: a
 * queue of queue/. It would have a lock of its own, and the list and the state must change
 * together.
 *
 * Left simple: one lock. It is taken once by each side, for a few instructions; the wake-up costs
 * far more.
 */
#include <glasspool/threadless.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/future.h"
#include "sync/clock.h"
#include "sync/condition.h"
#include "sync/probe.h"
#include "sync/thread.h"

enum state {
    OPEN,     /* nobody has come to wait */
    WAITING,  /* somebody has, for the first task */
    DRAINING, /* and runs all that were there */
    FINISHED
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   L: guarded by lock
 *   N: written under lock by who sets `notified`; then read by who runs the notification
 */
struct gp_threadless {
    gp_pool *shared;              /* I borrowed */
    gp_future *waiting_future;    /* I a reference */
    _Atomic unsigned refs;        /* A */
    pthread_mutex_t lock;         /* I */
    enum state state;             /* L */
    bool notified;                /* L the notification is used up */
    gp_task_list tasks;           /* L not taken yet */
    struct gp__condition arrived; /* L the list is not empty any more */
    gp_task notification;         /* L its link; in the list, or nowhere */
    gp_failure failure;           /* N what it fails the future with */
};

/* The notification. */

/* [THREADLESS-6] */
static void notification_end(gp_task *task)
{
    gp_threadless *threadless =
        (gp_threadless *)((char *)task - offsetof(gp_threadless, notification));
    if (!gp_future_fail(threadless->waiting_future, &threadless->failure))
        gp__destroy_failure(&threadless->failure);
}

/* Run or discarded, it has to be said. It lives and dies with the executor, and is not freed. */
static const struct gp__task_class notification_class = {.run = notification_end,
                                                         .discard = notification_end};

/* Making and giving up. */

int gp_threadless_new(gp_pool *shared, gp_future *waiting_future, gp_threadless **out)
{
    if (shared == NULL || waiting_future == NULL || out == NULL)
        return GP_EINVAL;
    gp_threadless *threadless = calloc(1, sizeof *threadless);
    if (threadless == NULL)
        return GP_ENOMEM;
    if (pthread_mutex_init(&threadless->lock, NULL) != 0) {
        free(threadless);
        return GP_ENOMEM;
    }
    threadless->shared = shared;
    threadless->waiting_future = gp_future_retain(waiting_future);
    atomic_init(&threadless->refs, 1);
    gp__task_init(&threadless->notification, &notification_class, &(gp_callable){0});
    *out = threadless;
    return GP_OK;
}

gp_threadless *gp_threadless_retain(gp_threadless *threadless)
{
    atomic_fetch_add_explicit(&threadless->refs, 1, memory_order_relaxed); /* we hold one already */
    return threadless;
}

void gp_threadless_release(gp_threadless *threadless)
{
    /* acq_rel: what the others did with it happens before it is freed. */
    if (threadless == NULL ||
        atomic_fetch_sub_explicit(&threadless->refs, 1, memory_order_acq_rel) != 1)
        return;
    gp_task_list_discard(&threadless->tasks); /* [THREADLESS-1] */
    gp_future_release(threadless->waiting_future);
    pthread_mutex_destroy(&threadless->lock);
    free(threadless);
}

/* The list, with lock held. */

static void set_state(gp_threadless *threadless, enum state state)
{
    threadless->state = state;
    GP_PROBE(threadless_state, threadless, state);
}

static bool is_waited_for(const gp_threadless *threadless)
{
    return threadless->state <= WAITING; /* [THREADLESS-2] */
}

static void put(gp_threadless *threadless, gp_task *task)
{
    gp__task_list_append(&threadless->tasks, task);
    gp__condition_signal(&threadless->arrived); /* [THREADLESS-4] */
}

/* Giving it work. */

int gp_threadless_execute_task(gp_threadless *threadless, gp_task *task)
{
    if (threadless == NULL || task == NULL)
        return GP_EINVAL;
    pthread_mutex_lock(&threadless->lock);
    bool queued = is_waited_for(threadless);
    if (queued)
        put(threadless, task);
    pthread_mutex_unlock(&threadless->lock);
    return queued ? GP_OK : gp_pool_execute_task(threadless->shared, task);
}

int gp_threadless_execute(gp_threadless *threadless, gp_run_fn *run, void *argument)
{
    gp_callable callable = gp_callable_of(run, argument, NULL);
    gp_task *task;
    if (threadless == NULL)
        return GP_EINVAL;
    int status = gp_task_new(&callable, &task);
    if (status != GP_OK)
        return status;
    status = gp_threadless_execute_task(threadless, task);
    if (status != GP_OK && status != GP_EREJECTED)
        gp__task_abandon(task);
    return status;
}

int gp_threadless_submit(gp_threadless *threadless, const gp_callable *callable, gp_future **out)
{
    gp_future *future;
    if (threadless == NULL)
        return GP_EINVAL;
    int status = gp_future_new(callable, &future);
    if (status != GP_OK)
        return status;
    gp_future_retain(future); /* the handle, beside the owner's */
    pthread_cleanup_push(gp__future_release_handle,
                         future); /* the shared executor may run it here */
    status = gp_threadless_execute_task(threadless, gp_future_task(future));
    pthread_cleanup_pop(0);
    return gp__future_hand_out(future, status, out);
}

bool gp_threadless_notify_return(gp_threadless *threadless, const gp_failure *failure)
{
    pthread_mutex_lock(&threadless->lock);
    bool waited_for = is_waited_for(threadless);
    bool first = !threadless->notified;
    if (waited_for && first) {
        threadless->notified = true;
        threadless->failure = *failure;
        put(threadless, &threadless->notification);
    }
    pthread_mutex_unlock(&threadless->lock);
    return waited_for ? first : gp_future_fail(threadless->waiting_future, failure);
}

/* Waiting. */

struct drain {
    gp_threadless *threadless;
    gp_task_list tasks;
};

/* GP_OK: the list is the drain's. Anything else: there is nothing to run. */
static int wait_for_tasks(struct drain *drain, int64_t deadline)
{
    gp_threadless *threadless = drain->threadless;
    int status = GP_OK;
    set_state(threadless, WAITING);
    while (threadless->tasks.first == NULL && status == GP_OK)
        status = gp__condition_wait(&threadless->arrived, &threadless->lock, deadline);
    gp__task_list_splice(&drain->tasks, &threadless->tasks); /* [THREADLESS-1] */
    set_state(threadless, status == GP_OK ? DRAINING : FINISHED);
    return status;
}

/* False: *status says why not, or that there is nothing to do. */
static bool begin_drain(struct drain *drain, int64_t deadline, int *status)
{
    gp_threadless *threadless = drain->threadless;
    pthread_mutex_lock(&threadless->lock);
    bool first = threadless->state == OPEN; /* [THREADLESS-3] */
    if (first)
        *status = wait_for_tasks(drain, deadline);
    else
        *status = threadless->state == FINISHED ? GP_OK : GP_EBUSY;
    pthread_mutex_unlock(&threadless->lock);
    return first && *status == GP_OK;
}

static void hand_on(gp_threadless *threadless, gp_task *task)
{
    if (task == &threadless->notification) {
        gp_task_run(task);
        return;
    }
    gp_thread *self = gp_thread_self(); /* there is one: see drain_until */
    self->runs_no_tasks = true;         /* [TASK-4]: what the shared executor would run here */
    int status = gp_pool_execute_task(threadless->shared, task);
    self->runs_no_tasks = false;
    if (status != GP_OK && status != GP_EREJECTED)
        gp_task_discard(task);
}

/* The `finally` of a drain: if a task has ended the thread, some are left. */
static void end_drain(void *argument)
{
    struct drain *drain = argument;
    gp_threadless *threadless = drain->threadless;
    for (gp_task *task; (task = gp_task_list_pop(&drain->tasks)) != NULL;)
        hand_on(threadless, task);
    pthread_mutex_lock(&threadless->lock);
    set_state(threadless, FINISHED);
    pthread_mutex_unlock(&threadless->lock);
}

/* [THREADLESS-5] */
static void run_all(struct drain *drain)
{
    pthread_cleanup_push(end_drain, drain);
    for (gp_task *task; (task = gp_task_list_pop(&drain->tasks)) != NULL;)
        gp_task_run(task);
    pthread_cleanup_pop(1);
}

static int drain_until(gp_threadless *threadless, int64_t deadline)
{
    struct drain drain = {.threadless = threadless};
    int status;
    if (gp_thread_self() == NULL)
        return GP_ENOMEM;
    if (begin_drain(&drain, deadline, &status))
        run_all(&drain);
    return status;
}

int gp_threadless_wait_and_drain(gp_threadless *threadless)
{
    return drain_until(threadless, GP__NO_DEADLINE);
}

int gp_threadless_wait_and_drain_timed(gp_threadless *threadless, int64_t nanos)
{
    return drain_until(threadless, gp__deadline(nanos));
}

/* Watching. */

/* However broken it is, the walk ends. */
static bool holds_what_it_counts(const gp_task_list *list)
{
    size_t count = 0;
    for (const gp_task *task = list->first; task != NULL && count <= list->count; task = task->next)
        count++;
    return count == list->count;
}

int gp_threadless_check(gp_threadless *threadless)
{
    int broken = 0;
    pthread_mutex_lock(&threadless->lock);
    bool is_empty = threadless->tasks.first == NULL;
    if (!holds_what_it_counts(&threadless->tasks))
        broken = 1; /* [THREADLESS-1] */
    else if (!is_waited_for(threadless) && !is_empty)
        broken = 2; /* [THREADLESS-2] */
    else if (threadless->arrived.first != NULL && threadless->state != WAITING)
        broken = 3; /* [THREADLESS-3] */
    else if (threadless->arrived.first != NULL && !is_empty)
        broken = 4; /* [THREADLESS-4] */
    pthread_mutex_unlock(&threadless->lock);
    return broken;
}
