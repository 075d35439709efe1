/* See eager_support.h. */
#include "eager_support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"

gp_queue *task_queue_of(int capacity)
{
    gp_queue *queue = NULL;
    require_ok(gp_task_queue_new(capacity, &queue));
    return queue;
}

gp_pool *eager_of(const gp_pool_config *config)
{
    gp_pool *pool = NULL;
    require_ok(gp_eager_new(config, &pool));
    return pool;
}

/* Its workers stay until the end. */
gp_pool *eager_with(int core_size, int maximum_size, int capacity)
{
    gp_pool_config config = config_with(core_size, maximum_size, task_queue_of(capacity));
    config.keep_alive = GP_SECONDS(3600);
    return eager_of(&config);
}

struct expected {
    gp_pool *pool;
    size_t count;
};

static bool has_submitted(void *argument)
{
    const struct expected *expected = argument;
    return gp_eager_submitted(expected->pool) == expected->count;
}

bool await_submitted(gp_pool *pool, size_t count)
{
    return eventually(has_submitted, &(struct expected){pool, count});
}

void eager_end(gp_pool *pool)
{
    check_int(gp_eager_check(pool), 0);
    gp_pool_shutdown(pool);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    check_int(gp_eager_submitted(pool), 0);
    check_int(gp_eager_check(pool), 0);
    pool_end(pool);
}

void saturate_eager(struct saturated *saturated, gp_rejection rejection)
{
    gp_pool_config config = config_with(0, 1, task_queue_of(1));
    config.rejection = rejection;
    config.keep_alive = GP_SECONDS(3600);
    saturated->pool = eager_of(&config);
    job_init_holding(&saturated->running);
    job_init(&saturated->queued);
    saturated->running_future = job_submit(saturated->pool, &saturated->running);
    latch_await(&saturated->running.begun);
    saturated->queued_future = job_submit(saturated->pool, &saturated->queued);
    check_int(gp_eager_submitted(saturated->pool), 2);
}

void saturated_eager_end(struct saturated *saturated)
{
    check_int(gp_eager_check(saturated->pool), 0);
    gate_open(&saturated->running.go_on, 1);
    check(await_submitted(saturated->pool, 0));
    saturated_end(saturated);
}

int create_after_failures(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    int *failures = context;
    if (*failures > 0) {
        --*failures;
        return GP_ENOMEM;
    }
    return gp_thread_new(NULL, run, argument, out);
}
