/* The strategies by name. */
#include "harness/explore/strategies.h"

#include <string.h>

static const struct strategy *const all[] = {&strategy_random, &strategy_pct, &strategy_pos,
                                             &strategy_dfs, &strategy_dpor};

const struct strategy *strategy_named(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}
