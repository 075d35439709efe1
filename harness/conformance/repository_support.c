#include "repository_support.h"

#include <glasspool/status.h>

#include "suite.h"

gp_repository *repository_of(void)
{
    gp_repository *repository = NULL;
    require_ok(gp_repository_new(NULL, &repository));
    return repository;
}

gp_preset limited_to(int core_threads, int threads)
{
    gp_preset preset = GP_PRESET_LIMITED_DEFAULT;
    preset.core_threads = core_threads;
    preset.threads = threads;
    preset.queues = -1;
    return preset;
}

gp_pool *lease_common(gp_repository *repository)
{
    gp_preset preset = limited_to(1, 2);
    gp_pool *pool = NULL;
    require_ok(gp_repository_create_if_absent(repository, NULL, PORT, &preset, &pool));
    return pool;
}

void repository_end(gp_repository *repository)
{
    check_int(gp_repository_check(repository), 0);
    check_status(gp_repository_close(repository), GP_OK);
}
