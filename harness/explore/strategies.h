/* The strategies by name, and what they need to know. */
#ifndef HARNESS_EXPLORE_STRATEGIES_H
#define HARNESS_EXPLORE_STRATEGIES_H

#include "harness/explore/machine.h"

struct strategy_options {
    uint64_t seed;
    unsigned depth;            /* of the bugs that pct looks for */
    unsigned preemption_bound; /* of dfs; UINT_MAX: none */
};

extern const struct strategy strategy_random, strategy_pct, strategy_pos; /* without end */
extern const struct strategy strategy_dfs, strategy_dpor;                 /* until all is seen */
extern const struct strategy strategy_replay; /* of what replay_prepare was given: replay.h */

const struct strategy *strategy_named(const char *name); /* NULL: there is none */

#endif
