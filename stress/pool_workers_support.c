/* See pool_workers_support.h. */
#include "stress/pool_workers_support.h"

int workers_thread_new(gp_run_fn *run, void *argument, gp_thread **out)
{
    const gp_thread_config punctual = {.timer_slack = 1};

    return gp_thread_new(&punctual, run, argument, out);
}

static int create_counted(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct pool_state *state = context;

    atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);
    return workers_thread_new(run, argument, out);
}

bool workers_open(struct pool_state *state, gp_pool_config *config, uint64_t random)
{
    config->factory.context = state;
    if (!config->factory.create)
        config->factory.create = create_counted;
    return pool_open(state, config, random);
}

void workers_submit_and_get(struct pool_state *state, int first, int end)
{
    for (int i = first; i < end; i++) {
        job_submit(&state->jobs[i], state->pool);
        job_get(&state->jobs[i]);
    }
}

unsigned char workers_common_fate(struct pool_state *state, int end, enum fate expected)
{
    enum fate common = expected;

    for (int i = 0; i < end; i++) {
        enum fate fate = job_fate(&state->jobs[i]);
        if (fate != expected)
            common = fate;
    }
    return (unsigned char)common;
}

unsigned char workers_came(struct pool_state *state)
{
    int came = atomic_load(&state->threads);

    return (unsigned char)(came > 2 ? 2 : came);
}
