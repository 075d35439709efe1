#include "stress/repository_support.h"

#include <glasspool/status.h>

#include "stress/support.h"

static gp_preset one_worker(void)
{
    gp_preset preset = GP_PRESET_LIMITED_DEFAULT;

    preset.threads = 1;
    preset.queues = -1;
    return preset;
}

gp_pool *repository_create(struct repository_state *state)
{
    gp_preset preset = one_worker();
    gp_pool *pool = NULL;

    gp_repository_create_if_absent(state->repository, NULL, PORT, &preset, &pool);
    return pool;
}

gp_pool *repository_get(struct repository_state *state)
{
    gp_preset preset = one_worker();
    gp_pool *pool = NULL;

    gp_repository_get(state->repository, NULL, PORT, &preset, &pool);
    return pool;
}

bool repository_set_up_empty(void *argument, uint64_t random)
{
    struct repository_state *state = argument;

    (void)random;
    return gp_repository_new(NULL, &state->repository) == GP_OK;
}

bool repository_set_up_one(void *argument, uint64_t random)
{
    struct repository_state *state = argument;

    return repository_set_up_empty(state, random) &&
           (state->old = repository_create(state)) != NULL;
}

bool repository_set_up_dead(void *argument, uint64_t random)
{
    struct repository_state *state = argument;

    if (!repository_set_up_one(state, random))
        return false;
    gp_pool_shutdown(state->old);
    return true;
}

int repository_invariant(void *argument)
{
    struct repository_state *state = argument;

    return gp_repository_check(state->repository);
}

bool repository_give_back(struct repository_state *state, gp_pool **pool)
{
    bool well = gp_repository_release(state->repository, *pool) == GP_OK;

    *pool = NULL;
    return well;
}

/* All leases are given back, and it is closed. */
void repository_judge_end(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;
    bool well =
        gp_repository_check(state->repository) == 0 && repository_give_back(state, &state->old);

    for (int i = 0; i < LEASES; i++)
        well = repository_give_back(state, &state->pools[i]) && well;
    well = well && gp_repository_close(state->repository) == GP_OK;
    if (well)
        state->repository = NULL;
    outcome->slot[END] = !well;
}

void repository_tear_down(void *argument)
{
    struct repository_state *state = argument;

    gp_repository_close(state->repository);
}

void repository_act_create(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    (void)outcome;
    state->pools[0] = repository_create(state);
}

void repository_act_create_and_use(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    state->pools[1] = repository_create(state);
    if (state->pools[1])
        outcome->slot[OTHER] = gp_pool_execute(state->pools[1], do_nothing, NULL) == GP_OK;
}
