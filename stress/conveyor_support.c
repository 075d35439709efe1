/* See conveyor_support.h. */
#include "stress/conveyor_support.h"

#include <glasspool/scheduled.h>
#include <glasspool/status.h>

bool conveyor_open(struct pool_state *state, gp_pool_config *config, uint64_t random)
{
    pool_choose_conveyor(state);
    return pool_open(state, config, random);
}

bool conveyor_set_up_with_worker(void *argument, uint64_t random)
{
    struct pool_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    if (!conveyor_open(state, &config, random))
        return false;
    gp_pool_prestart_core(state->pool);
    return true;
}

bool laned_set_up_with_worker(void *argument, uint64_t random)
{
    struct pool_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;

    state->random = random;
    config.time_tasks = false;
    config.kind = GP_FAST;
    if (gp_scheduled_new(&config, &scheduled) != GP_OK)
        return false;
    state->pool = gp_scheduled_pool(scheduled);
    gp_pool_prestart_core(state->pool);
    return true;
}

static void run_plainly(void *argument)
{
    struct job *job = argument;

    job->runner = gp_thread_self();
    job->runs++;
    if (job->body)
        job->body(job->context);
}

void conveyor_execute(struct job *job, gp_pool *pool)
{
    int status = gp_pool_execute(pool, run_plainly, job);

    job->rejected = status == GP_EREJECTED;
    job->kept = status != GP_OK && status != GP_EREJECTED;
    job->ends = !job->kept; /* it has no destructor, and so no end to get wrong */
}

void act_execute_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[0], state->pool);
    conveyor_execute(&state->jobs[1], state->pool);
}
