/*
 * Tasks: the callable on its way from whoever wants it done to whoever does it.
 *
 * Contract. A task has one owner at a time and any number of references. The owner runs it,
 * discards it or hands it on; references only keep the memory. In Java the collector decides when a
 * Runnable and what it refers to may go; here the end of a task is an event, and the argument's
 * destructor hears of it.
 *
 *   [TASK-1] Exactly one place owns a task: its maker, a list, a queue, a worker, a rejection
 *            handler. `run` and `discard` end the ownership.
 *   [TASK-2] The argument is destroyed exactly once, by whoever sets `retired`, and only when the
 *            callable can no longer be running: after it has returned or left, or when it is
 *            certain that it never starts (future.c says how a future knows that).
 *   [TASK-3] The callable is read only by whoever has the right to run it.
 *   [TASK-4] A task that runs in a cleanup handler may end its thread a second time, and then the
 *            handler does not come back. So a handler that gives tasks to a pool marks its thread
 *            meanwhile, and a rejection policy that runs one there discards it thereby.
 *   [TASK-5] A callable that makes cancellation asynchronous does so for itself: when it has
 *            returned, a worker defers it again, before our own code or the next callable can be
 *            cut short in malloc or with a lock held. On a thread that is no worker's the type is
 *            its owner's, and stays; cancellation is held off around our own code.
 *
 * A task that leaves by pthread_exit or cancellation unwinds through us: the cleanup handler treats
 * it as ended, so that [TASK-2] holds.
 *
 * One allocation per task: links for every kind of queue are in the task itself.
 *
 * Small tasks. A million of them may wait for their time, and each is written once, when nothing of
 * it is in the cache, and read once, when it no longer is. So a task has what every task needs, in
 * 56 bytes, and a future 72, which malloc makes 80 of. A destructor, and a result that was given
 * with a plain function, are the `rest`: who has one is of a class that has room for it behind the
 * task.
 */
#include "future/task.h"

#include <pthread.h>
#include <stdlib.h>

#include <glasspool/future.h> /* GP_NEW */
#include <glasspool/status.h>

#include "future/reserve.h"
#include "sync/globals.h"
#include "sync/thread.h"

/* Callables. */

gp_callable gp_callable_of(gp_run_fn *run, void *argument, void *result)
{
    return (gp_callable){.run = run, .argument = argument, .result = result};
}

bool gp__callable_is_valid(const gp_callable *callable)
{
    return callable != NULL && (callable->call == NULL) != (callable->run == NULL);
}

/*
 * Cancellation. What the library does around a callable must not be cut short by pthread_cancel, so
 * it is held off there and let in only while the callable itself runs. A worker lets it in always,
 * a foreign thread if it has it enabled. Between two plain functions a worker does not hold it off:
 * it is deferred then, and nothing in between acts on it [WORKER-9].
 */

int gp__begin_task_code(void)
{
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    return cancel_state;
}

void gp__end_task_code(int cancel_state)
{
    pthread_setcancelstate(cancel_state, NULL);
}

void gp__act_on_cancellation(void)
{
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

/* A real change of the state costs as much as all the rest; the state as it is, a look at it. What
   a function has changed, it has changed for itself. */
void gp__call_function(gp_run_fn *run, void *argument)
{
    gp_thread *self = gp__current_thread();
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    run(argument);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL); /* [TASK-5] */
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    if (self->failure.code == 0)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    gp__forget_failure(self); /* there is nobody to ask for it */
}

struct gp__call gp__task_callable(const gp_task *task)
{
    struct gp__call call = {.plain = task->plain, .argument = task->argument};
    /* acquire, pairs with the release in set_outcome [FUTURE-7] */
    if (task->plain)
        call.run = atomic_load_explicit(&task->word.run, memory_order_acquire);
    else
        call.call = atomic_load_explicit(&task->word.call, memory_order_acquire);
    return call;
}

gp__any_fn *gp__task_function(gp_task *task)
{
    gp_future *future = gp_task_future(task);
    if (future != NULL)
        task = gp_future_task(future);
    struct gp__call call = gp__task_callable(task);
    /* relaxed: whoever has read an outcome sees this [FUTURE-7] */
    if (future != NULL && atomic_load_explicit(&task->state, memory_order_relaxed) != GP_NEW)
        return NULL;
    return task->plain ? (gp__any_fn *)call.run : (gp__any_fn *)call.call;
}

/* [TASK-3] */
static int call(const struct gp__call *callable, void **result)
{
    if (!callable->plain)
        return callable->call(callable->argument, result);
    callable->run(callable->argument);
    return 0;
}

int gp__call(const struct gp__call *callable, void **result, int cancel_state)
{
    const gp_thread *self = gp__current_thread();
    bool is_worker = self != NULL && self->owner != NULL;
    pthread_setcancelstate(is_worker ? PTHREAD_CANCEL_ENABLE : cancel_state, NULL);
    int code = call(callable, result);
    if (is_worker)
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL); /* [TASK-5] */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return code;
}

int gp_fail(const gp_failure *failure)
{
    int code = failure->code == 0 ? GP_EFAILED : failure->code;
    gp_thread *self = gp_thread_self();
    if (self != NULL) {
        gp__forget_failure(self);
        self->failure = *failure;
        self->failure.code = code;
    } else {
        gp_failure lost = *failure;
        gp__destroy_failure(&lost);
    }
    return code;
}

/* What all kinds share. */

bool gp__callable_has_rest(const gp_callable *callable)
{
    return callable->destroy != NULL || callable->result != NULL;
}

void gp__task_init(gp_task *task, const struct gp__task_class *class, const gp_callable *callable)
{
    task->class = class;
    task->next = NULL;
    atomic_init(&task->time, 0);
    atomic_init(&task->refs, 1);
    atomic_init(&task->retired, false);
    task->plain = callable->call == NULL;
    task->keeps_slot = false;
    atomic_init(&task->heap_index, GP__IN_NO_HEAP);
    if (task->plain)
        atomic_init(&task->word.run, callable->run);
    else
        atomic_init(&task->word.call, callable->call);
    task->argument = callable->argument;
    struct gp__callable_rest *rest = gp__task_rest(task);
    if (rest != NULL)
        *rest =
            (struct gp__callable_rest){.destroy = callable->destroy, .result = callable->result};
}

void gp__task_set_delayed(gp_task *task, int64_t time, uint32_t sequence)
{
    gp__task_set_time(task, time);
    task->sequence = sequence;
}

static gp_destroy_fn *destructor_of(gp_task *task)
{
    const struct gp__callable_rest *rest = gp__task_rest(task);
    return rest == NULL ? NULL : rest->destroy;
}

bool gp__task_has_destructor(gp_task *task)
{
    return destructor_of(task) != NULL;
}

void gp__task_retire(gp_task *task)
{
    gp_destroy_fn *destroy = destructor_of(task);
    /* [TASK-2]; acq_rel: the callable's last use happens before the argument is destroyed */
    if (destroy != NULL && !atomic_exchange_explicit(&task->retired, true, memory_order_acq_rel))
        destroy(task->argument);
}

void gp__task_abandon(gp_task *task)
{
    atomic_store_explicit(&task->retired, true, memory_order_relaxed); /* nobody else has it */
    gp_task_release(task);
}

/* [TASK-1]: these two end the ownership. */

void gp_task_run(gp_task *task)
{
    const gp_thread *self = gp__current_thread();
    if (self != NULL && self->runs_no_tasks)
        task->class->discard(task); /* [TASK-4] */
    else
        task->class->run(task);
}

void gp_task_discard(gp_task *task)
{
    task->class->discard(task);
}

gp_task *gp_task_retain(gp_task *task)
{
    atomic_fetch_add_explicit(&task->refs, 1, memory_order_relaxed); /* we hold one already */
    return task;
}

void gp_task_release(gp_task *task)
{
    /* acquire, acq_rel: what the others did with the task happens before it is freed. Only who has
       a reference can make another: if ours is the only one, it stays so */
    if (atomic_load_explicit(&task->refs, memory_order_acquire) == 1 ||
        atomic_fetch_sub_explicit(&task->refs, 1, memory_order_acq_rel) == 1)
        task->class->free(task);
}

void *gp_task_argument(const gp_task *task)
{
    return task->argument;
}

gp_future *gp_task_future(gp_task *task)
{
    return task->class->future == NULL ? NULL : task->class->future(task);
}

int64_t gp_task_time(const gp_task *task)
{
    return atomic_load_explicit(&task->time, memory_order_relaxed); /* a value, guards nothing */
}

/* Lists. */

void gp__task_list_append(gp_task_list *list, gp_task *task)
{
    task->next = NULL;
    if (list->last != NULL)
        list->last->next = task;
    else
        list->first = task;
    list->last = task;
    list->count++;
}

gp_task *gp_task_list_pop(gp_task_list *list)
{
    gp_task *task = list->first;
    if (task == NULL)
        return NULL;
    list->first = task->next;
    if (list->first == NULL)
        list->last = NULL;
    list->count--;
    task->next = NULL;
    return task;
}

bool gp__task_list_remove(gp_task_list *list, gp_task *task)
{
    gp_task *previous = NULL;
    gp_task *here = list->first;
    while (here != NULL && here != task) {
        previous = here;
        here = here->next;
    }
    if (here == NULL)
        return false;
    if (previous != NULL)
        previous->next = task->next;
    else
        list->first = task->next;
    if (list->last == task)
        list->last = previous;
    list->count--;
    task->next = NULL;
    return true;
}

void gp__task_list_splice(gp_task_list *list, gp_task_list *rest)
{
    if (rest->first == NULL)
        return;
    if (list->last != NULL)
        list->last->next = rest->first;
    else
        list->first = rest->first;
    list->last = rest->last;
    list->count += rest->count;
    *rest = (gp_task_list){0};
}

void gp_task_list_discard(gp_task_list *list)
{
    for (gp_task *task; (task = gp_task_list_pop(list)) != NULL;)
        gp_task_discard(task);
}

/* Tasks without a future. */

static void simple_end(void *argument)
{
    gp_task *task = argument;
    gp_thread *self = gp__current_thread();
    if (self != NULL)
        gp__forget_failure(self); /* there is nobody to ask for it */
    gp__task_retire(task);
    gp_task_release(task);
}

static void simple_run(gp_task *task)
{
    void *result;
    struct gp__call callable = gp__task_callable(task);
    int cancel_state = gp__begin_task_code();
    pthread_cleanup_push(simple_end, task);
    gp__call(&callable, &result, cancel_state);
    pthread_cleanup_pop(1);
    gp__end_task_code(cancel_state);
}

static void simple_discard(gp_task *task)
{
    gp__task_retire(task);
    gp_task_release(task);
}

static void simple_free(gp_task *task)
{
    gp__task_retire(task);
    free(task);
}

static const struct gp__task_class simple_class = {
    .run = simple_run, .discard = simple_discard, .free = simple_free};

struct full_task {
    gp_task task;
    struct gp__callable_rest rest;
};

static const struct gp__task_class full_class = {.run = simple_run,
                                                 .discard = simple_discard,
                                                 .free = simple_free,
                                                 .rest_offset = offsetof(struct full_task, rest)};

int gp_task_new(const gp_callable *callable, gp_task **out)
{
    if (!gp__callable_is_valid(callable) || out == NULL)
        return GP_EINVAL;
    bool full = gp__callable_has_rest(callable);
    gp_task *task = malloc(full ? sizeof(struct full_task) : sizeof *task);
    if (task == NULL)
        return GP_ENOMEM;
    gp__task_init(task, full ? &full_class : &simple_class, callable);
    *out = task;
    return GP_OK;
}

/* The same for a delayed queue. */

static const struct gp__task_class delayed_class = {.run = simple_run,
                                                    .discard = simple_discard,
                                                    .free = simple_free,
                                                    .rest_offset = offsetof(struct full_task, rest),
                                                    .delayed = true};

int gp_task_new_delayed(const gp_callable *callable, int64_t time, uint64_t sequence, gp_task **out)
{
    if (!gp__callable_is_valid(callable) || out == NULL)
        return GP_EINVAL;
    struct full_task *delayed = malloc(sizeof *delayed);
    if (delayed == NULL)
        return GP_ENOMEM;
    gp__task_init(&delayed->task, &delayed_class, callable);
    gp__task_set_delayed(&delayed->task, time, (uint32_t)sequence);
    *out = &delayed->task;
    return GP_OK;
}

/* The same in a reserve. */

static void reserved_free(gp_task *task)
{
    gp__reserve_give_back(task);
}

static const struct gp__task_class reserved_class = {
    .run = simple_run, .discard = simple_discard, .free = reserved_free};

static const struct gp__task_class reserved_delayed_class = {
    .run = simple_run, .discard = simple_discard, .free = reserved_free, .delayed = true};

gp_task *gp__reserved_task_init(void *memory, gp_run_fn *run, void *argument, bool delayed)
{
    gp_callable callable = {.run = run, .argument = argument};
    gp__task_init(memory, delayed ? &reserved_delayed_class : &reserved_class, &callable);
    return memory;
}
