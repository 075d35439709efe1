/* See pool_ctl_support.h. */
#include "stress/pool_ctl_support.h"

bool ctl_open(struct pool_state *state, int core, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = core;
    config.maximum_size = core ? core : 1;
    return pool_open(state, &config, random);
}

void act_shutdown_and_await(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
    gp_pool_await_termination(state->pool, GP_FOREVER);
}

void arbiter_of_one(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->pool);
    outcome->slot[TASK] = (unsigned char)job_fate(&state->jobs[0]);
}

void arbiter_of_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    arbiter_of_one(state, outcome);
    outcome->slot[SECOND_TASK] = (unsigned char)job_fate(&state->jobs[1]);
}

/* ---- a job that looks ---- */

static void look_for_stop(void *context)
{
    struct looking_state *state = context;

    state->saw_stop = gp_pool_is_shutdown(state->base.pool);
}

void looking_prepare(struct looking_state *state)
{
    state->base.jobs[0].body = look_for_stop;
    state->base.jobs[0].context = state;
}

void arbiter_of_looking(void *argument, struct outcome *outcome)
{
    struct looking_state *state = argument;

    arbiter_of_two(state, outcome);
    outcome->slot[SAW_STOP] = state->saw_stop;
}
