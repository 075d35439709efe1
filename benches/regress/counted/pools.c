/*
 * Futures and pools: what the caller does.
 *
 *     future    10,000 futures made, run, asked and released; 10,000 made, cancelled and released
 *     execute   10,000 tasks given to a pool whose worker is busy
 *     conveyor  the same, on a conveyor
 *     submit    the same with futures, every other one cancelled
 *     run       10,000 tasks run by who gave them, since there is neither room nor worker
 *     schedule  10,000 tasks scheduled between one hour ahead and two; all of them cancelled and
 *               removed, in another order
 *     trigger   the same with 2,000 tasks, each of which has a trigger
 */
#include <pthread.h>
#include <stdlib.h> /* calloc */

#include "benches/regress/counted/counted.h"

enum {
    TASKS = 10000,
    TRIGGERED = 2000
};

static void nothing(void *argument)
{
    (void)argument;
}

/* ---- futures ---- */

MEASURED measured_future(const gp_callable *callable);

MEASURED measured_future(const gp_callable *callable)
{
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++) {
        gp_future *future = NULL;
        failures += gp_future_new(callable, &future) != GP_OK || !gp_future_run(future) ||
                    gp_future_get(future, NULL) != GP_OK;
        gp_future_release(future);
        failures += gp_future_new(callable, &future) != GP_OK || !gp_future_cancel(future, false);
        gp_future_release(future);
    }
    return failures;
}

static bool future(void)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);

    return gp_thread_self() && measured_future(&callable) == 0;
}

/* ---- a pool whose worker is busy ---- */

struct busy {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_busy, may_end; /* the worker */
    gp_pool *pool;
    gp_future *futures[TASKS];
};

static void be_busy(void *argument)
{
    struct busy *busy = argument;

    pthread_mutex_lock(&busy->lock);
    busy->is_busy = true;
    pthread_cond_signal(&busy->changed);
    while (!busy->may_end)
        pthread_cond_wait(&busy->changed, &busy->lock);
    pthread_mutex_unlock(&busy->lock);
}

static void await_busy(struct busy *busy)
{
    pthread_mutex_lock(&busy->lock);
    while (!busy->is_busy)
        pthread_cond_wait(&busy->changed, &busy->lock);
    pthread_mutex_unlock(&busy->lock);
}

static void end_busy(struct busy *busy)
{
    pthread_mutex_lock(&busy->lock);
    busy->may_end = true;
    pthread_cond_signal(&busy->changed);
    pthread_mutex_unlock(&busy->lock);
}

MEASURED measured_execute(struct busy *busy);

MEASURED measured_execute(struct busy *busy)
{
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++)
        failures += gp_pool_execute(busy->pool, nothing, NULL) != GP_OK;
    return failures;
}

MEASURED measured_submit(struct busy *busy);

MEASURED measured_submit(struct busy *busy)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++)
        failures += gp_pool_submit(busy->pool, &callable, &busy->futures[i]) != GP_OK;
    for (size_t i = 0; i < TASKS; i += 2)
        failures += !gp_future_cancel(busy->futures[i], false);
    return failures;
}

/* The one worker gets the first task, and has it until the end. */
static bool run_busy(gp_pool_config *config, int (*measured)(struct busy *))
{
    struct busy *busy = calloc(1, sizeof(*busy));
    bool done = busy && pthread_mutex_init(&busy->lock, NULL) == 0 &&
                pthread_cond_init(&busy->changed, NULL) == 0 &&
                gp_pool_new(config, &busy->pool) == GP_OK &&
                gp_pool_execute(busy->pool, be_busy, busy) == GP_OK;

    if (done) {
        await_busy(busy);
        done = measured(busy) == 0;
        end_busy(busy);
        done = gp_pool_close(busy->pool) == GP_OK && done;
        for (size_t i = 0; i < TASKS; i++)
            gp_future_release(busy->futures[i]);
    }
    free(busy);
    return done;
}

static bool execute(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    return run_busy(&config, measured_execute);
}

static bool conveyor(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    return gp_conveyor_new(&config.queue) == GP_OK && run_busy(&config, measured_execute);
}

static bool submit(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    return run_busy(&config, measured_submit);
}

static bool run(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.rejection.reject = gp_reject_caller_runs;
    return gp_synchronous_new(&config.queue) == GP_OK && run_busy(&config, measured_execute);
}

/* ---- a scheduled pool whose worker waits for a task that stays the first ---- */

struct later {
    gp_scheduled *scheduled;
    int (*schedule)(gp_scheduled *, int64_t delay, gp_future **out);
    size_t count;
    int64_t delays[TASKS];
    size_t order[TASKS]; /* in which they are cancelled */
    gp_future *futures[TASKS];
};

MEASURED measured_later(struct later *work);

MEASURED measured_later(struct later *work)
{
    int failures = 0;

    for (size_t i = 0; i < work->count; i++)
        failures += work->schedule(work->scheduled, work->delays[i], &work->futures[i]) != GP_OK;
    for (size_t i = 0; i < work->count; i++)
        failures += !gp_future_cancel(work->futures[work->order[i]], false);
    return failures;
}

static int schedule_once(gp_scheduled *scheduled, int64_t delay, gp_future **out)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);

    return gp_schedule(scheduled, &callable, delay, out);
}

/* The delay is the trigger itself. */
static int64_t next_after(void *delay, const gp_trigger_context *last, int64_t now)
{
    (void)last;
    return now + (int64_t)(intptr_t)delay;
}

static int schedule_trigger(gp_scheduled *scheduled, int64_t delay, gp_future **out)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    const gp_trigger trigger = {.next = next_after, .self = (void *)(intptr_t)delay};

    return gp_schedule_trigger(scheduled, &callable, &trigger, NULL, out);
}

static int64_t wall_now(void *unused)
{
    (void)unused;
    return gp_now();
}

static void make_later(struct later *work)
{
    uint64_t seed = 1;

    for (size_t i = 0; i < work->count; i++) {
        const size_t other = random_below(&seed, i + 1);
        work->delays[i] = GP_SECONDS(3600) + (int64_t)random_below(&seed, (size_t)GP_SECONDS(3600));
        work->order[i] = work->order[other];
        work->order[other] = i;
    }
}

/* The clock is steady: nobody watches it. The sleep is for the worker to be at rest. */
static bool run_later(size_t count, int (*schedule)(gp_scheduled *, int64_t, gp_future **))
{
    struct later *work = calloc(1, sizeof(*work));
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_future *first = NULL;

    config.remove_on_cancel = true;
    config.wall_clock = (gp_wall_clock){wall_now, NULL, true};
    bool done = work && gp_scheduled_new(&config, &work->scheduled) == GP_OK &&
                schedule_once(work->scheduled, GP_SECONDS(600), &first) == GP_OK;
    if (done) {
        work->count = count;
        work->schedule = schedule;
        make_later(work);
        (void)gp_sleep(GP_MILLISECONDS(50));
        done = measured_later(work) == 0 && gp_future_cancel(first, false);
        for (size_t i = 0; i < count; i++)
            gp_future_release(work->futures[i]);
        gp_future_release(first);
        done = gp_scheduled_close(work->scheduled) == GP_OK && done;
    }
    free(work);
    return done;
}

static bool schedule(void)
{
    return run_later(TASKS, schedule_once);
}

static bool trigger(void)
{
    return run_later(TRIGGERED, schedule_trigger);
}

const struct workload workloads_pool[] = {
    {"future", future}, {"execute", execute},   {"conveyor", conveyor}, {"submit", submit},
    {"run", run},       {"schedule", schedule}, {"trigger", trigger},   {NULL, NULL}};
