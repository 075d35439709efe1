/* The families of race scenarios, each an array that ends with a nameless one. */
#ifndef STRESS_SCENARIOS_H
#define STRESS_SCENARIOS_H

#include "harness/scenario/scenario.h"

extern const struct scenario future_state_races[];   /* who completes a future */
extern const struct scenario future_failure_races[]; /* who owns what comes with a failure */
extern const struct scenario future_run_races[]; /* who calls the callable, and when it is over */
extern const struct scenario
    future_wait_races[]; /* those who wait, and those who give up waiting */
extern const struct scenario
    delayed_remove_races[]; /* taking a task out of the middle of the heap */
extern const struct scenario delayed_cancel_races[]; /* cancelled, and out of the queue */
extern const struct scenario
    delayed_leader_races[];                       /* who waits for the head, and who wakes whom */
extern const struct scenario queues_races[];      /* histories of calls, explained by a model */
extern const struct scenario queue_waits_races[]; /* who sleeps on a queue, and who wakes whom */
extern const struct scenario queue_quiet_races[]; /* is a pool quiet? its queue says so */
extern const struct scenario synchronous_races[]; /* from hand to hand */
extern const struct scenario pool_ctl_races[]; /* how a pool ends, and what becomes of its tasks */
extern const struct scenario
    pool_workers_races[];                       /* workers that come, leave and are interrupted */
extern const struct scenario periodic_races[];  /* tasks that are put back after each run */
extern const struct scenario ownership_races[]; /* when an argument is destroyed, a task freed */
extern const struct scenario ownership_pool_races[];  /* what becomes of a task that a pool has */
extern const struct scenario ownership_reuse_races[]; /* a second look at an address */

#endif
