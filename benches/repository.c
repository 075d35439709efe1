/*
 * The repository (impl/rpc/repository.c): a pool asked for and given back, as each call of an RPC
 * framework does.
 *
 *     repository/get     of one port, with so many ports in the repository, by so many threads
 *     repository/create  a pool that was shut down is replaced: the dead one freed, a new one made
 */
#include <glasspool/glasspool.h>

#include "gbench.h"

static const gp_preset preset = GP_PRESET_CACHED_DEFAULT;

static void add_ports(gb_state *state, gp_repository *repository, int64_t ports)
{
    for (int port = 0; port < ports; port++) {
        gp_pool *pool = NULL;
        int status = gp_repository_create_if_absent(repository, NULL, port, &preset, &pool);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        gp_repository_release(repository, pool);
    }
}

static void *with_ports(gb_state *state)
{
    gp_repository *repository = NULL;
    int status = gp_repository_new(NULL, &repository);

    if (status == GP_OK)
        add_ports(state, repository, gb_value(state, 0));
    else
        gb_fail(state, gp_strerror(status));
    return repository;
}

static void drop(void *fixture)
{
    (void)gp_repository_close(fixture);
}

/* The first port is found last. */
static void get(gb_state *state)
{
    gp_repository *repository = state->fixture;

    while (gb_keep_running(state)) {
        gp_pool *pool = NULL;
        int status = gp_repository_get(repository, NULL, 0, &preset, &pool);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        gp_repository_release(repository, pool);
    }
    gb_items(state, gb_iterations(state));
}

static void create(gb_state *state)
{
    gp_repository *repository = state->fixture;

    while (gb_keep_running(state)) {
        gp_pool *pool = NULL;
        int status = gp_repository_create_if_absent(repository, NULL, 0, &preset, &pool);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        else
            gp_pool_shutdown(pool);
        gp_repository_release(repository, pool);
    }
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "repository/get",
     .run = get,
     .set_up = with_ports,
     .tear_down = drop,
     .arguments = {{.name = "ports", .from = 1, .to = 64, .times = 8}},
     .threads = {1, 2},
     .clock = GB_REAL_TIME},
    {.name = "repository/create",
     .run = create,
     .set_up = with_ports,
     .tear_down = drop,
     .arguments = {{.name = "ports", .from = 1, .to = 1}},
     .clock = GB_REAL_TIME},
};
GB_REGISTER(benches);
