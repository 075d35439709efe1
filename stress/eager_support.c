/* See eager_support.h. */
#include "stress/eager_support.h"

#include "stress/support.h"

bool eager_open(struct eager_state *state, gp_pool_config *config, int maximum, int capacity,
                uint64_t random)
{
    state->base.random = random;
    config->maximum_size = maximum;
    config->time_tasks = false;
    if (gp_task_queue_new(capacity, &config->queue) != GP_OK)
        return false;
    if (gp_eager_new(config, &state->base.pool) == GP_OK)
        return true;
    gp_queue_free(config->queue);
    return false;
}

bool eager_open_gate(struct eager_state *state)
{
    const gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);

    return gp_future_new(&callable, &state->gate) == GP_OK;
}

static void wait_at_gate(void *argument)
{
    struct eager_state *state = argument;

    gp_future_get(state->gate, NULL);
}

void eager_hold(struct eager_state *state, int job)
{
    state->base.jobs[job].body = wait_at_gate;
    state->base.jobs[job].context = state;
}

void eager_let_go(struct eager_state *state)
{
    gp_future_set(state->gate, NULL);
}

void eager_end(struct eager_state *state, struct outcome *outcome)
{
    gp_pool *pool = state->base.pool;

    gp_pool_shutdown(pool);
    outcome->slot[COUNT] =
        gp_pool_await_termination(pool, GP_FOREVER) == GP_OK && gp_eager_submitted(pool) != 0;
    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
}

void eager_judge_two(void *argument, struct outcome *outcome)
{
    struct eager_state *state = argument;

    eager_end(state, outcome);
    outcome->slot[ONE] = (unsigned char)job_fate(&state->base.jobs[0]);
    outcome->slot[OTHER] = (unsigned char)job_fate(&state->base.jobs[1]);
}

void eager_tear_down(void *argument)
{
    struct eager_state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->gate);
}

int eager_invariant(void *argument)
{
    struct eager_state *state = argument;

    return gp_eager_check(state->base.pool);
}
