/*
 * Many at once: AbstractExecutorService's invokeAll and invokeAny.
 *
 * invoke_all makes all the futures before it gives any to the pool: want of memory is found while
 * everything can still be handed back. invoke_any has its tasks report to a meeting point, which
 * the caller and each task share and the last of them frees: a task that was cancelled may report
 * after the caller has left.
 *
 *   [INVOKE-1] On return no task of the call is left unfinished and uncancelled.
 *   [INVOKE-2] The meeting point outlives every report.
 */
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/future.h"
#include "pool/pool.h"
#include "sync/clock.h"

static bool are_valid(const gp_callable *callables, size_t count)
{
    if (callables == NULL || count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!gp__callable_is_valid(&callables[i]))
            return false;
    return true;
}

/* The meeting point of invoke_any. */

/*
 * Lock letters:
 *   A: atomic
 *   I: set once before publication
 *   L: guarded by `lock`
 */
struct meeting {
    _Atomic size_t refs;          /* A the caller and each task that has not reported */
    pthread_mutex_t lock;         /* I */
    struct gp__condition changed; /* L */
    size_t unfinished;            /* L */
    gp_future *winner;            /* L a reference; the first that succeeded */
};

static void leave_meeting(struct meeting *meeting, size_t count)
{
    /* acq_rel: all reports happen before it is freed */
    if (atomic_fetch_sub_explicit(&meeting->refs, count, memory_order_acq_rel) != count)
        return;
    gp_future_release(meeting->winner);
    pthread_mutex_destroy(&meeting->lock);
    free(meeting);
}

static void report(gp_future *future, void *context)
{
    struct meeting *meeting = context;
    pthread_mutex_lock(&meeting->lock);
    meeting->unfinished--;
    if (meeting->winner == NULL && gp_future_state_of(future) == GP_NORMAL)
        meeting->winner = gp_future_retain(future);
    gp__condition_signal(&meeting->changed);
    pthread_mutex_unlock(&meeting->lock);
    leave_meeting(meeting, 1); /* [INVOKE-2] */
}

static struct meeting *create_meeting(size_t count)
{
    struct meeting *meeting = calloc(1, sizeof *meeting);
    if (meeting == NULL)
        return NULL;
    if (pthread_mutex_init(&meeting->lock, NULL) != 0) {
        free(meeting);
        return NULL;
    }
    atomic_init(&meeting->refs, count + 1);
    meeting->unfinished = count;
    return meeting;
}

/* What both share. */

/*
 * The futures of one call. Each counts twice at first: for the pool, to which it is given, and for
 * the caller. The caller's thread may end in the middle, in a task that a rejection handler runs
 * there; end_batch is the cleanup handler.
 */
struct batch {
    gp_future **futures;
    size_t count;
    size_t given; /* so many have been given to the pool */
    struct meeting *meeting;
};

/* Nobody else has any of it: the arguments stay the caller's. */
static void abandon(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        gp__task_abandon(&batch->futures[i]->task);
    free(batch->futures);
}

static int make_future(const gp_callable *callable, struct meeting *meeting, gp_future **out)
{
    return meeting == NULL ? gp_future_new(callable, out)
                           : gp_future_new_hooked(callable, report, meeting, out);
}

static int make_batch(const gp_callable *callables, size_t count, struct meeting *meeting,
                      struct batch *out)
{
    *out = (struct batch){.futures = calloc(count, sizeof *out->futures), .meeting = meeting};
    /* a record now rather than when waiting */
    if (out->futures == NULL || gp_thread_self() == NULL) {
        free(out->futures);
        return GP_ENOMEM;
    }
    for (; out->count < count; out->count++) {
        int status = make_future(&callables[out->count], meeting, &out->futures[out->count]);
        if (status != GP_OK) {
            abandon(out);
            return status;
        }
    }
    return GP_OK;
}

/* [INVOKE-1] */
static void end_batch(void *argument)
{
    struct batch *batch = argument;
    for (size_t i = batch->given; i < batch->count; i++)
        gp_task_discard(&batch->futures[i]->task);
    for (size_t i = 0; i < batch->count; i++) {
        gp_future_cancel(batch->futures[i], true);
        gp_future_release(batch->futures[i]);
    }
    free(batch->futures);
    if (batch->meeting != NULL)
        leave_meeting(batch->meeting, 1);
}

/* Up to the first refusal; then all are used up, since some are. */
static int execute_all(gp_pool *pool, struct batch *batch)
{
    int status = GP_OK;
    for (size_t i = 0; i < batch->count; i++)
        gp_future_retain(batch->futures[i]);
    while (status == GP_OK && batch->given < batch->count) {
        gp_task *task = &batch->futures[batch->given++]->task;
        status = gp_pool_execute_task(pool, task);
        if (status != GP_OK && status != GP_EREJECTED)
            gp_task_discard(task);
    }
    return status == GP_OK ? GP_OK : GP_EREJECTED;
}

/* invoke_all. */

static int await_all(gp_future **futures, size_t count, int64_t deadline)
{
    for (size_t i = 0; i < count; i++) {
        int status = gp__future_get_until(futures[i], deadline, NULL);
        if (status == GP_ETIMEDOUT || status == GP_EINTERRUPTED || status == GP_ENOMEM)
            return status;
    }
    return GP_OK;
}

static int run_all(gp_pool *pool, struct batch *batch, int64_t deadline, gp_future **out)
{
    int status = execute_all(pool, batch);
    if (status == GP_OK)
        status = await_all(batch->futures, batch->count, deadline);
    if (status != GP_OK && status != GP_ETIMEDOUT)
        return status;
    for (size_t i = 0; i < batch->count; i++)
        out[i] = gp_future_retain(batch->futures[i]); /* end_batch cancels what is not done */
    return status;
}

int gp_pool_invoke_all(gp_pool *pool, const gp_callable *callables, size_t count, int64_t nanos,
                       gp_future **out)
{
    int64_t deadline = gp__deadline(nanos);
    struct batch batch;
    if (pool == NULL || out == NULL || !are_valid(callables, count))
        return GP_EINVAL;
    int status = make_batch(callables, count, NULL, &batch);
    if (status != GP_OK)
        return status;
    pthread_cleanup_push(end_batch, &batch);
    status = run_all(pool, &batch, deadline, out);
    pthread_cleanup_pop(1);
    return status;
}

/* invoke_any. */

static int await_winner(struct meeting *meeting, int64_t deadline)
{
    int status = GP_OK;
    pthread_mutex_lock(&meeting->lock);
    while (meeting->winner == NULL && meeting->unfinished > 0 && status == GP_OK)
        status = gp__condition_wait(&meeting->changed, &meeting->lock, deadline);
    if (meeting->winner != NULL)
        status = GP_OK;
    else if (status == GP_OK)
        status = GP_EFAILED;
    pthread_mutex_unlock(&meeting->lock);
    return status;
}

static int run_any(gp_pool *pool, struct batch *batch, int64_t deadline, void **result)
{
    int status = execute_all(pool, batch);
    if (status == GP_OK)
        status = await_winner(batch->meeting, deadline);
    return status == GP_OK ? gp_future_get(batch->meeting->winner, result) : status;
}

int gp_pool_invoke_any(gp_pool *pool, const gp_callable *callables, size_t count, int64_t nanos,
                       void **result)
{
    int64_t deadline = gp__deadline(nanos);
    struct batch batch;
    if (pool == NULL || !are_valid(callables, count))
        return GP_EINVAL;
    struct meeting *meeting = create_meeting(count);
    if (meeting == NULL)
        return GP_ENOMEM;
    int status = make_batch(callables, count, meeting, &batch);
    if (status != GP_OK) {
        leave_meeting(meeting, count + 1);
        return status;
    }
    pthread_cleanup_push(end_batch, &batch);
    status = run_any(pool, &batch, deadline, result);
    pthread_cleanup_pop(1);
    return status;
}
