/*
 * The future: java.util.concurrent.FutureTask in C.
 *
 * States and their only paths:
 *
 *      NEW --CAS--> COMPLETING --release--> NORMAL         set, or run whose callable returned 0
 *      NEW --CAS--> COMPLETING --release--> EXCEPTIONAL    fail, or run whose callable failed
 *      NEW --CAS--> CANCELLED                              cancel(false)
 *      NEW --CAS--> INTERRUPTING --release--> INTERRUPTED  cancel(true)
 *
 *   [FUTURE-1] Exactly one CAS leaves NEW. Who made it completes the future: outcome, final state,
 *              waiters, done hook, each once.
 *   [FUTURE-2] The outcome is written while the state is COMPLETING, by the one who set that, and
 *              is read only after a final state was seen. Nothing else is done in that state, which
 *              others wait out, and no function of the user's is called: it might be one of them.
 *              (In a cancelled future the outcome is free to name a thread: below.)
 *   [FUTURE-3] The callable runs in at most one thread at a time: the one whose CAS put it into
 *              `runner`. It starts only if the state is NEW after that (step 13 of document 000),
 *              and `runner` stays until the state is settled.
 *   [FUTURE-4] An interrupt meant for this task never reaches the next one: the runner does not
 *              leave while the state is INTERRUPTING.
 *   [FUTURE-5] The callable is given up (its argument destroyed) by the runner once the state has
 *              left NEW, else by the owner when it drops the task, else with the last reference. At
 *              each of these moments it cannot be running, and cannot start: a run that claims
 *              later finds the state settled.
 *   [FUTURE-6] Nobody waits on a future that is done (waiters.c).
 *   [FUTURE-7] One word has the function while the state is NEW, and the outcome after that. So a
 *              runner reads it before it looks at the state for the last time (13): if that is NEW
 *              still, what it has read is the function.
 *
 * Ordering guarantees. Java's volatiles are seq_cst, and two pairs here need exactly that, on all
 * four accesses (store on one side, load of the other's variable after it, on both sides):
 *
 *      completer: CAS state, load waiters         waiter:    push waiters, load state
 *      runner:    runner = NULL, load state       canceller: CAS INTERRUPTING, load runner
 *
 * With acquire and release both sides of a pair could read the old value: a waiter that nobody
 * wakes, an interrupt that hits the next task. The store of the final state needs release only (the
 * documents' putOrderedInt): it publishes the outcome to a reader that acquires, and nobody can
 * overlook it for long. A waiter that sees COMPLETING does not park, it waits for the moment to
 * pass; and whether there are waiters was decided by the CAS before it.
 *
 * In C there are two more things to say than in Java. Abrupt exit: a callable that leaves by
 * pthread_exit or cancellation ends its future as EXCEPTIONAL with GP_EABRUPT; the handler is the
 * `finally` of the documents. Signals: when the runner's interrupts come with repeated signals,
 * cancel hands the last step over to the runner: INTERRUPTED then comes when the task has ended and
 * no signal can follow. The state is HANDED_OVER until then, which to all others is INTERRUPTING.
 * The outcome names that runner, since another thread may claim in between, find that there is
 * nothing to run, and must not take the step in its place. Waiters are released
 * at once in either case; both states are "cancelled".
 *
 * Rejected: a mutex in the future (40 bytes, and a lock for each get of a finished one); freeing
 * the callable before completion is published (jsr166 had that bug in 2011); one flag for "someone
 * claimed it", because cancel(true) must know whom to interrupt.
 *
 * See also: D. Lea, FutureTask.java revision notes, jsr166.
 */
#include "future/future.h"

#include <pthread.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "sync/clock.h"
#include "sync/os.h"
#include "sync/probe.h"

static int load_state(const gp_future *future)
{
    return atomic_load(&future->task.state); /* seq_cst: right half of both pairs */
}

static bool leave_new(gp_future *future, unsigned char next)
{
    unsigned char expected = GP_NEW;
    bool won = atomic_compare_exchange_strong(&future->task.state, &expected, next); /* seq_cst */
    if (won)
        GP_PROBE(future_state, future, next);
    return won;
}

static void settle(gp_future *future, unsigned char final_state)
{
    /* release, pairs with the acquire in load_state: publishes the outcome [FUTURE-2] */
    atomic_store_explicit(&future->task.state, final_state, memory_order_release);
    GP_PROBE(future_state, future, final_state);
}

/* Outcomes: [FUTURE-2]. */

static void set_outcome(gp_future *future, uintptr_t outcome)
{
    /* release, pairs with the acquire in gp__task_callable: a runner that takes it for the function
       sees that the state has left NEW [FUTURE-7] */
    atomic_store_explicit(&future->task.word.outcome, outcome, memory_order_release);
}

static void *outcome_of(gp_future *future)
{
    return future->task.word.settled; /* the state was read before */
}

/* A failure that is no more than its code is told from one in memory by the lowest bit, which no
   address has. */
_Static_assert(sizeof(uintptr_t) > sizeof(int), "a code has room beside a bit");

static uintptr_t code_as_outcome(int code)
{
    return (uintptr_t)(unsigned)code << 1 | 1;
}

static bool is_code(const void *outcome)
{
    return ((uintptr_t)outcome & 1) != 0;
}

static int code_of(const void *outcome)
{
    return (int)(unsigned)((uintptr_t)outcome >> 1);
}

/* Making and giving up. */

void gp__future_init(gp_future *future, const struct gp__task_class *class,
                     const gp_callable *callable)
{
    gp__task_init(&future->task, class, callable);
    atomic_init(&future->task.state, GP_NEW);
    atomic_init(&future->task.dropped, false);
    atomic_init(&future->runner, NULL);
    atomic_init(&future->waiters, NULL);
}

void gp__future_destroy(gp_future *future)
{
    gp__task_retire(&future->task);
    if (load_state(future) != GP_EXCEPTIONAL || is_code(outcome_of(future)))
        return;
    gp_failure *failure = outcome_of(future);
    gp__destroy_failure(failure);
    free(failure);
}

gp_future *gp__future_of(gp_task *task)
{
    return (gp_future *)task;
}

/* If the owner has dropped it and nobody runs it: it never runs again [FUTURE-5]. */
static void end_if_dropped(gp_future *future)
{
    /* seq_cst: the owner sets dropped, then looks at runner; the runner the other way round */
    if (!atomic_load(&future->task.dropped) || atomic_load(&future->runner) != NULL)
        return;
    gp_future_cancel(future, false); /* if it is still NEW: nobody is to wait for it for ever */
    /* seq_cst: a run that claims sets runner, then looks at the state, which has left NEW */
    if (atomic_load(&future->runner) == NULL)
        gp__task_retire(&future->task);
}

void gp__future_give_up_callable(gp_future *future)
{
    if (load_state(future) != GP_NEW && !gp__task_has_destructor(&future->task))
        return;                                /* it is settled, and nothing is left to give up */
    atomic_store(&future->task.dropped, true); /* seq_cst: see above */
    end_if_dropped(future);
}

void gp__future_drop(gp_future *future)
{
    gp__future_give_up_callable(future);
    gp_future_release(future);
}

void gp__future_run_task(gp_task *task)
{
    gp_future *future = gp__future_of(task);
    pthread_cleanup_push((void (*)(void *))gp__future_drop, future);
    gp_future_run(future);
    pthread_cleanup_pop(1);
}

void gp__future_discard(gp_task *task)
{
    gp_future *future = gp__future_of(task);
    gp_future_cancel(future, false);
    gp__future_drop(future);
}

static void future_free(gp_task *task)
{
    gp__future_destroy(gp__future_of(task));
    free(task);
}

static const struct gp__task_class future_class = {.run = gp__future_run_task,
                                                   .discard = gp__future_discard,
                                                   .free = future_free,
                                                   .future = gp__future_of};

struct full_future {
    gp_future future;
    struct gp__callable_rest rest;
};

static const struct gp__task_class full_class = {.run = gp__future_run_task,
                                                 .discard = gp__future_discard,
                                                 .free = future_free,
                                                 .future = gp__future_of,
                                                 .rest_offset = offsetof(struct full_future, rest)};

int gp_future_new(const gp_callable *callable, gp_future **out)
{
    if (!gp__callable_is_valid(callable) || out == NULL)
        return GP_EINVAL;
    bool full = gp__callable_has_rest(callable);
    gp_future *future = malloc(full ? sizeof(struct full_future) : sizeof *future);
    if (future == NULL)
        return GP_ENOMEM;
    gp__future_init(future, full ? &full_class : &future_class, callable);
    *out = future;
    return GP_OK;
}

gp_future *gp_future_retain(gp_future *future)
{
    gp_task_retain(&future->task);
    return future;
}

void gp_future_release(gp_future *future)
{
    if (future != NULL)
        gp_task_release(&future->task);
}

void gp__future_release_handle(void *future)
{
    gp_future_release(future);
}

int gp__future_hand_out(gp_future *handle, int status, gp_future **out)
{
    if (status == GP_OK && out != NULL) {
        *out = handle;
        return GP_OK;
    }
    if (status != GP_OK && status != GP_EREJECTED)
        gp__task_abandon(&handle->task);
    gp_future_release(handle);
    return status;
}

gp_task *gp_future_task(gp_future *future)
{
    return &future->task;
}

/* The done hook: Java's protected done(), as a future that carries it. */

struct hooked_future {
    gp_future future;
    struct gp__callable_rest rest;
    gp_done_fn *done;
    void *context;
};

static void call_hook(gp_future *future)
{
    struct hooked_future *hooked = (struct hooked_future *)future;
    hooked->done(future, hooked->context);
}

static const struct gp__task_class hooked_class = {.run = gp__future_run_task,
                                                   .discard = gp__future_discard,
                                                   .free = future_free,
                                                   .future = gp__future_of,
                                                   .done = call_hook,
                                                   .rest_offset =
                                                       offsetof(struct hooked_future, rest)};

int gp_future_new_hooked(const gp_callable *callable, gp_done_fn *done, void *context,
                         gp_future **out)
{
    if (!gp__callable_is_valid(callable) || done == NULL || out == NULL)
        return GP_EINVAL;
    struct hooked_future *hooked = malloc(sizeof *hooked);
    if (hooked == NULL)
        return GP_ENOMEM;
    gp__future_init(&hooked->future, &hooked_class, callable);
    hooked->done = done;
    hooked->context = context;
    *out = &hooked->future;
    return GP_OK;
}

/* Completing: [FUTURE-1]. */

static void finish_completion(gp_future *future)
{
    if (atomic_load(&future->waiters) != NULL) /* seq_cst: left half of the first pair */
        gp__future_release_waiters(future);
    if (future->task.class->done != NULL)
        future->task.class->done(future);
}

bool gp_future_set(gp_future *future, void *result)
{
    if (!leave_new(future, GP_COMPLETING))
        return false;
    set_outcome(future, (uintptr_t)result);
    settle(future, GP_NORMAL);
    finish_completion(future);
    return true;
}

static int code_told(const gp_failure *failure)
{
    return failure->code == 0 ? GP_EFAILED : failure->code;
}

/* The failure beyond its code, on the heap; NULL if there is none, or no memory for it. */
static gp_failure *copy_failure(const gp_failure *failure)
{
    if (failure->message == NULL && failure->payload == NULL)
        return NULL;
    gp_failure *copy = malloc(sizeof *copy);
    if (copy != NULL) {
        *copy = *failure;
        copy->code = code_told(failure);
    }
    return copy;
}

bool gp_future_fail(gp_future *future, const gp_failure *failure)
{
    gp_failure *copy = copy_failure(failure);
    gp_failure left = {0};
    if (copy == NULL)
        left = *failure; /* no memory: the code has to do */
    if (!leave_new(future, GP_COMPLETING)) {
        free(copy);
        return false;
    }
    set_outcome(future, copy != NULL ? (uintptr_t)copy : code_as_outcome(code_told(failure)));
    settle(future, GP_EXCEPTIONAL);
    pthread_cleanup_push(gp__destroy_failure, &left);
    finish_completion(future);
    pthread_cleanup_pop(1);
    return true;
}

static void interrupt_runner(gp_future *future)
{
    gp_thread *runner = atomic_load(&future->runner); /* seq_cst: left half of the second pair */
    if (runner == NULL || !gp__begin_task_interrupt(runner)) {
        settle(future, GP_INTERRUPTED);
        return;
    }
    set_outcome(future, (uintptr_t)runner); /* it, and no later claimant, is to end them */
    atomic_store(&future->task.state, GP__HANDED_OVER); /* seq_cst: the runner waits for it */
}

bool gp_future_cancel(gp_future *future, bool may_interrupt)
{
    if (load_state(future) != GP_NEW ||
        !leave_new(future, may_interrupt ? GP_INTERRUPTING : GP_CANCELLED))
        return false;
    if (may_interrupt)
        interrupt_runner(future);
    finish_completion(future);
    if (future->task.class->cancelled != NULL)
        future->task.class->cancelled(future);
    return true;
}

/* Running: [FUTURE-3], [FUTURE-4]. The numbers are the steps of document 000. */

struct run {
    gp_future *future;
    gp_thread *self;
    bool returned;  /* the callable came back, rather than ending its thread */
    bool succeeded; /* ... with 0 */
    bool completed; /* it was this run that completed the future */
    int cancel_state;
    int state; /* as read after the claim was given up */
    struct gp__run_watch watch;
};

static void handle_possible_cancellation_interrupt(gp_future *future, gp_thread *self)
{
    unsigned rounds = 0;
    int state;
    while ((state = load_state(future)) == GP_INTERRUPTING || state == GP__HANDED_OVER) {
        if (state == GP__HANDED_OVER && outcome_of(future) == self) {
            gp__end_task_interrupt(self);
            settle(future, GP_INTERRUPTED);
        } else {
            gp__os_backoff(&rounds);
        }
    }
}

/* The `finally` of run and run_and_reset. */
static void end_run(void *argument)
{
    static const gp_failure abrupt = {.code = GP_EABRUPT};
    struct run *run = argument;
    gp_future *future = run->future;
    if (!run->returned)
        gp_future_fail(future, &abrupt);
    gp__forget_failure(run->self);
    if (load_state(future) != GP_NEW)
        gp__task_retire(&future->task);
    atomic_store(&future->runner, NULL); /* seq_cst: left half of the second pair */
    run->state = load_state(future);
    if (run->state >= GP_INTERRUPTING)
        handle_possible_cancellation_interrupt(future, run->self);
    end_if_dropped(future);
}

/* (13.1): with what gp_fail said, if the callable returned that code. */
static void fail_with_code(struct run *run, int code)
{
    gp_thread *self = run->self;
    gp_failure failure = {.code = code};
    if (self->failure.code == code) {
        failure = self->failure;
        self->failure = (gp_failure){0}; /* before anybody's hook runs on this thread */
    }
    const struct gp__run_watch *watch = &run->watch;
    pthread_cleanup_push(gp__destroy_failure, &failure); /* who is told may end the thread */
    run->succeeded = watch->failed != NULL && watch->failed(watch->context, &failure);
    pthread_cleanup_pop(0);
    run->completed = !run->succeeded && gp_future_fail(run->future, &failure);
    if (!run->completed)
        gp__destroy_failure(&failure);
}

/* (12), (17): only one may pass, and only while the state is NEW. */
static bool claim(gp_future *future, gp_thread *self)
{
    gp_thread *nobody = NULL;
    return load_state(future) == GP_NEW &&
           atomic_compare_exchange_strong(&future->runner, &nobody, self); /* seq_cst */
}

/* (13.2): a plain function stands for the result that was given with it. */
static void *given_result(gp_future *future)
{
    const struct gp__callable_rest *rest = gp__task_rest(&future->task);
    return rest == NULL ? NULL : rest->result;
}

static void call(struct run *run, bool reset)
{
    gp_future *future = run->future;
    void *result = NULL;
    struct gp__call callable = gp__task_callable(&future->task); /* [FUTURE-7] */
    bool is_new = load_state(future) == GP_NEW; /* (13): it may have been cancelled since (12) */
    if (!is_new)
        return;
    if (run->watch.begins != NULL)
        run->watch.begins(run->watch.context);
    int code = gp__call(&callable, &result, run->cancel_state);
    run->succeeded = code == 0;
    if (code != 0)
        fail_with_code(run, code);
    else if (!reset)
        run->completed = gp_future_set(future, future->task.plain ? given_result(future) : result);
}

/* Claim, call, give back. */
static void call_claimed(struct run *run, bool reset)
{
    static const gp_failure no_record = {.code = GP_ENOMEM};
    gp_future *future = run->future;
    run->self = gp_thread_self();
    if (run->self == NULL && atomic_load(&future->runner) == NULL) /* seq_cst like all of it */
        run->completed = gp_future_fail(future, &no_record);
    if (run->self == NULL || !claim(future, run->self))
        return;
    run->cancel_state = gp__begin_task_code();
    pthread_cleanup_push(end_run, run);
    call(run, reset);
    run->returned = true;
    pthread_cleanup_pop(1);
    gp__end_task_code(run->cancel_state);
}

bool gp_future_run(gp_future *future)
{
    struct run run = {.future = future};
    call_claimed(&run, false);
    return run.completed;
}

bool gp__future_run_watched(gp_future *future, const struct gp__run_watch *watch)
{
    struct run run = {.future = future, .watch = *watch};
    call_claimed(&run, true);
    return run.succeeded && run.state == GP_NEW; /* (19) */
}

bool gp_future_run_and_reset(gp_future *future)
{
    static const struct gp__run_watch nobody = {0};
    return gp__future_run_watched(future, &nobody);
}

/* Asking. */

static int report(gp_future *future, int state, void **result)
{
    if (state == GP_NORMAL) {
        if (result != NULL)
            *result = outcome_of(future);
        return GP_OK;
    }
    return state == GP_EXCEPTIONAL ? GP_EFAILED : GP_ECANCELLED;
}

int gp__future_get_until(gp_future *future, int64_t deadline, void **result)
{
    int state = load_state(future);
    if (state <= GP_COMPLETING) {
        gp_thread *self = gp_thread_self();
        if (self == NULL)
            return GP_ENOMEM;
        /* seq_cst like all of runner; only we ourselves put our name there */
        if (state == GP_NEW && atomic_load(&future->runner) == self)
            return GP_EDEADLK;
        int status = gp__future_await(future, self, deadline); /* [FUTURE-6] */
        if (status != GP_OK)
            return status;
        state = load_state(future);
    }
    return report(future, state, result);
}

int gp_future_get(gp_future *future, void **result)
{
    return gp__future_get_until(future, GP__NO_DEADLINE, result);
}

int gp_future_get_timed(gp_future *future, int64_t nanos, void **result)
{
    return gp__future_get_until(future, gp__deadline(nanos), result);
}

int gp_future_failure(gp_future *future, gp_failure *out)
{
    if (out == NULL)
        return GP_EINVAL;
    if (load_state(future) != GP_EXCEPTIONAL)
        return GP_ESTATE;
    const void *outcome = outcome_of(future);
    if (is_code(outcome))
        *out = (gp_failure){.code = code_of(outcome)};
    else
        *out = *(const gp_failure *)outcome;
    return GP_OK;
}

gp_future_state gp_future_state_of(const gp_future *future)
{
    int state = load_state(future);
    return state == GP__HANDED_OVER ? GP_INTERRUPTING : (gp_future_state)state;
}

bool gp_future_is_done(const gp_future *future)
{
    return load_state(future) != GP_NEW;
}

bool gp_future_is_cancelled(const gp_future *future)
{
    return load_state(future) >= GP_CANCELLED;
}

const char *gp_future_state_name(gp_future_state state)
{
    static const char *const names[] = {"NEW",       "COMPLETING",   "NORMAL",     "EXCEPTIONAL",
                                        "CANCELLED", "INTERRUPTING", "INTERRUPTED"};
    return (unsigned)state < sizeof names / sizeof names[0] ? names[state] : "?";
}
