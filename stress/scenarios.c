/* The list of all families. A new one is added here and in scenarios.h, nowhere else. */
#include "stress/scenarios.h"

const struct scenario *const scenario_families[] = {
    future_state_races,   future_failure_races,  future_run_races,
    future_wait_races,    delayed_remove_races,  delayed_cancel_races,
    delayed_leader_races, queues_races,          queue_waits_races,
    queue_quiet_races,    synchronous_races,     pool_ctl_races,
    pool_workers_races,   periodic_races,        ownership_races,
    ownership_pool_races, ownership_reuse_races, NULL,
};
