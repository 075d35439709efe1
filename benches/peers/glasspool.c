/*
 * Ours. The call that is measured is the one that does what the peer's does, no more and no less:
 *
 *     execute    gp_pool_execute, which gives no future, as Executor.execute
 *     submit     gp_pool_submit and gp_future_get
 *     schedule   gp_schedule, with the future kept: it is the handle
 *     cancel     gp_future_cancel, with remove_on_cancel, and the future released
 *     wheel-*    gp_timer_after, with the handle kept, and gp_timeout_drop
 *
 * No peer keeps histograms of waiting and running time, so time_tasks is off. It is on by default:
 * --figures measures what that costs. --tickless has the other wheel, --wheel-fast the fast kind of
 * the hashed one, --conveyor the other queue, --laned the scheduled pool with a lane.
 */
#include <stdlib.h>

#include <glasspool/glasspool.h>

#include "contender.h"

static bool figures;  /* set once, by main */
static bool conveyor; /* set once, by main */
static gp_kind kind;  /* of the scheduled pool; set once, by main */

/* The pool. */

static void *open_pool(long workers)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *pool;

    config.core_size = config.maximum_size = (int)workers;
    config.time_tasks = figures;
    if (conveyor && gp_conveyor_new(&config.queue) != GP_OK)
        return NULL;
    if (gp_pool_new(&config, &pool) != GP_OK) {
        gp_queue_free(config.queue);
        return NULL;
    }
    gp_pool_prestart_all_core(pool);
    return pool;
}

static void close_pool(void *pool)
{
    gp_pool_close(pool);
}

static bool produce(void *pool, long count)
{
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = gp_pool_execute(pool, count_run_of, NULL) == GP_OK;
    return ok;
}

static void execute(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

static bool submit_and_get(void *pool, long count)
{
    const gp_callable callable = gp_callable_of(count_run_of, NULL, NULL);
    gp_future *future;
    bool ok = true;

    for (long i = 0; i < count && ok; i++) {
        ok = gp_pool_submit(pool, &callable, &future) == GP_OK;
        if (ok) {
            ok = gp_future_get(future, NULL) == GP_OK;
            gp_future_release(future);
        }
    }
    return ok;
}

static void submit(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, submit_and_get, close_pool};

    execute_round(&executor, request, answer);
}

/* The scheduled pool. */

static void *open_scheduled(long workers)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;

    config.core_size = (int)workers;
    config.time_tasks = figures;
    config.remove_on_cancel = true;
    config.kind = kind;
    if (gp_scheduled_new(&config, &scheduled) != GP_OK)
        return NULL;
    gp_pool_prestart_all_core(gp_scheduled_pool(scheduled));
    return scheduled;
}

static void close_scheduled(void *scheduled)
{
    gp_scheduled_close(scheduled);
}

static bool schedule_after(void *scheduled, int64_t delay, void (*run)(void *), void *argument,
                           void **handle)
{
    const gp_callable callable = gp_callable_of(run, argument, NULL);
    gp_future *future;
    int status = gp_schedule(scheduled, &callable, delay, handle ? &future : NULL);

    if (handle && status == GP_OK)
        *handle = future;
    return status == GP_OK;
}

static bool cancel_scheduled(void *scheduled, void *handle)
{
    bool cancelled = gp_future_cancel(handle, false);

    (void)scheduled;
    gp_future_release(handle);
    return cancelled;
}

static long pending_scheduled(void *scheduled)
{
    gp_pool_stats stats;

    gp_pool_statistics(gp_scheduled_pool(scheduled), &stats);
    return (long)stats.queued;
}

static const struct scheduler scheduler = {.open = open_scheduled,
                                           .after = schedule_after,
                                           .cancel = cancel_scheduled,
                                           .pending = pending_scheduled,
                                           .close = close_scheduled};

static void schedule(const struct request *request, struct answer *answer)
{
    schedule_round(&scheduler, request, answer);
}

static void cancel(const struct request *request, struct answer *answer)
{
    cancel_round(&scheduler, request, answer);
}

static void bytes(const struct request *request, struct answer *answer)
{
    bytes_round(&scheduler, request, answer);
}

static void lateness(const struct request *request, struct answer *answer)
{
    lateness_round(&scheduler, request, answer);
}

static bool produce_at_once(void *scheduled, long count)
{
    const gp_callable callable = gp_callable_of(count_run_of, NULL, NULL);
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = gp_schedule(scheduled, &callable, 0, NULL) == GP_OK;
    return ok;
}

static void schedule_0(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_scheduled, produce_at_once, close_scheduled};

    execute_round(&executor, request, answer);
}

/* The wheels. */

static int call_counted(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    count_run();
    return 0;
}

static void *open_hashed(long workers)
{
    const gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    gp_timer *timer;

    (void)workers;
    return gp_wheel_new(&config, &timer) == GP_OK ? timer : NULL;
}

static void *open_fast(long workers)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    gp_timer *timer;

    (void)workers;
    config.kind = GP_FAST;
    return gp_wheel_new(&config, &timer) == GP_OK ? timer : NULL;
}

static void *open_tickless(long workers)
{
    const gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;
    gp_timer *timer;

    (void)workers;
    return gp_tickless_new(&config, &timer) == GP_OK ? timer : NULL;
}

static void close_timer(void *timer)
{
    gp_timer_close(timer);
}

static bool time_after(void *timer, int64_t delay, void (*run)(void *), void *argument,
                       void **handle)
{
    gp_timeout *timeout;
    int status = gp_timer_after(timer, delay, call_counted, argument, NULL, &timeout);

    (void)run;
    if (status == GP_OK)
        *handle = timeout;
    return status == GP_OK;
}

static bool cancel_timeout(void *timer, void *handle)
{
    (void)timer;
    return gp_timeout_drop(handle);
}

static long pending_timeouts(void *timer)
{
    return (long)gp_timer_pending(timer);
}

/* The worker frees what was cancelled: at its next tick, or when it next wakes up. */
static void settle_timer(void *timer)
{
    (void)timer;
    sleep_nanos(GP_MILLISECONDS(250));
}

static struct scheduler wheel = {.open = open_hashed,
                                 .after = time_after,
                                 .cancel = cancel_timeout,
                                 .pending = pending_timeouts,
                                 .settle = settle_timer,
                                 .close = close_timer};

static void wheel_add(const struct request *request, struct answer *answer)
{
    schedule_round(&wheel, request, answer);
}

static void wheel_cancel(const struct request *request, struct answer *answer)
{
    cancel_round(&wheel, request, answer);
}

static void wheel_bytes(const struct request *request, struct answer *answer)
{
    bytes_round(&wheel, request, answer);
}

/* The race of JDK-8358601. */

struct raced {
    gp_scheduled *scheduled;
    gp_future *future; /* NULL: it was rejected */
};

static void *open_raced(void)
{
    const gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    struct raced *raced = calloc(1, sizeof(*raced));

    if (raced && gp_scheduled_new(&config, &raced->scheduled) == GP_OK)
        return raced;
    free(raced);
    return NULL;
}

static void schedule_raced(void *argument)
{
    struct raced *raced = argument;
    const gp_callable callable = gp_callable_of(count_run_of, NULL, NULL);

    if (gp_schedule(raced->scheduled, &callable, 0, &raced->future) != GP_OK)
        raced->future = NULL;
}

static void shut_down_raced(void *argument)
{
    gp_pool_shutdown(gp_scheduled_pool(((struct raced *)argument)->scheduled));
}

static bool close_raced(void *argument)
{
    struct raced *raced = argument;
    bool done =
        !raced->future || gp_future_get_timed(raced->future, GP_SECONDS(5), NULL) != GP_ETIMEDOUT;

    gp_future_release(raced->future);
    if (done) /* otherwise it would not end */
        gp_scheduled_close(raced->scheduled);
    free(raced);
    return done;
}

static void race(const struct request *request, struct answer *answer)
{
    static const struct race own = {open_raced, schedule_raced, shut_down_raced, close_raced};

    race_round(&own, request, answer);
}

int main(int argc, char **argv)
{
    static const struct work wheels[] = {
        {"wheel-add", wheel_add}, {"wheel-cancel", wheel_cancel}, {"wheel-bytes", wheel_bytes}};
    static const struct work works[] = {{"execute", execute},
                                        {"submit", submit},
                                        {"schedule", schedule},
                                        {"cancel", cancel},
                                        {"bytes", bytes},
                                        {"lateness", lateness},
                                        {"schedule0", schedule_0},
                                        {"race", race},
                                        {"wheel-add", wheel_add},
                                        {"wheel-cancel", wheel_cancel},
                                        {"wheel-bytes", wheel_bytes}};

    static const struct work timed[] = {
        {"execute", execute}, {"schedule0", schedule_0}, {"lateness", lateness}};

    static const struct work laned[] = {{"schedule", schedule},
                                        {"cancel", cancel},
                                        {"bytes", bytes},
                                        {"lateness", lateness},
                                        {"schedule0", schedule_0}};

    figures = has_argument(argc, argv, "--figures");
    if (figures)
        return contend(argc, argv, timed, sizeof(timed) / sizeof(*timed));
    conveyor = has_argument(argc, argv, "--conveyor");
    if (conveyor)
        return contend(argc, argv, timed, 1); /* execute */
    if (has_argument(argc, argv, "--laned"))
        kind = GP_FAST;
    if (kind == GP_FAST)
        return contend(argc, argv, laned, sizeof(laned) / sizeof(*laned));
    if (has_argument(argc, argv, "--tickless"))
        wheel.open = open_tickless;
    if (has_argument(argc, argv, "--wheel-fast"))
        wheel.open = open_fast;
    if (wheel.open != open_hashed)
        return contend(argc, argv, wheels, sizeof(wheels) / sizeof(*wheels));
    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
