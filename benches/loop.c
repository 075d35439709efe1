/* The floor: what the timing loop itself costs. Subtract it in thought from every other figure. */

#include "gbench.h"

static void empty(gb_state *state)
{
    while (gb_keep_running(state))
        GB_KEEP(0);
}

static const gb_bench benches[] = {
    {.name = "loop/empty", .run = empty},
};
GB_REGISTER(benches);
