/*
 * Ready-made pools: java.util.concurrent.Executors.
 *
 *      fixed      core = maximum = n, unbounded queue
 *      single     the same with n = 1, and no setter may change that (hence Java's wrapper)
 *      cached     core 0, no maximum, synchronous queue: a task gets an idle worker or a new one;
 *                 idle ones leave after 60 seconds
 *      scheduled  a scheduled pool with n core workers; single scheduled: one, and it stays one
 */
#include <glasspool/clock.h>
#include <glasspool/executors.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#define CACHED_KEEP_ALIVE GP_SECONDS(60)

int gp_executors_fixed(int threads, gp_pool **out)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    config.core_size = threads;
    config.maximum_size = threads;
    return gp_pool_new(&config, out);
}

int gp_executors_single(gp_pool **out)
{
    int status = gp_executors_fixed(1, out);
    if (status == GP_OK)
        (*out)->fixed_configuration = true;
    return status;
}

int gp_executors_cached(gp_pool **out)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    config.core_size = 0;
    config.maximum_size = GP__COUNT_MASK;
    config.keep_alive = CACHED_KEEP_ALIVE;
    int status = gp_synchronous_new(&config.queue);
    if (status != GP_OK)
        return status;
    status = gp_pool_new(&config, out);
    if (status != GP_OK)
        gp_queue_free(config.queue);
    return status;
}

int gp_executors_scheduled(int threads, gp_scheduled **out)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.core_size = threads;
    return gp_scheduled_new(&config, out);
}

int gp_executors_single_scheduled(gp_scheduled **out)
{
    int status = gp_executors_scheduled(1, out);
    if (status == GP_OK)
        gp_scheduled_pool(*out)->fixed_configuration = true;
    return status;
}
