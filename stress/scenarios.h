/* The race scenarios, in arrays that end with a nameless one: one per file, one file or more per
   family. Those of a family follow one another. */
#ifndef STRESS_SCENARIOS_H
#define STRESS_SCENARIOS_H

#include "harness/scenario/scenario.h"

extern const struct scenario future_state_races[];   /* who completes a future */
extern const struct scenario future_failure_races[]; /* who owns what comes with a failure */
extern const struct scenario future_run_races[]; /* who calls the callable, and when it is over */
extern const struct scenario future_run_interrupt_races[]; /* and who interrupts it */
extern const struct scenario
    future_wait_races[]; /* those who wait, and those who give up waiting */
extern const struct scenario future_wait_again_races[]; /* whose node comes back */
extern const struct scenario
    delayed_remove_races[]; /* taking a task out of the middle of the heap */
extern const struct scenario delayed_remove_many_races[]; /* several who do */
extern const struct scenario delayed_cancel_races[];      /* cancelled, and out of the queue */
extern const struct scenario
    delayed_leader_races[]; /* who waits for the head, and who wakes whom */
extern const struct scenario delayed_leader_waits_races[]; /* how such a wait ends otherwise */
extern const struct scenario delayed_lane_races[];         /* tasks that pass by the heap */
extern const struct scenario delayed_lane_wait_races[];    /* those who wait beside it, or not */
extern const struct scenario delayed_lane_pool_races[];    /* functions that a pool puts on it */
extern const struct scenario queues_races[];        /* histories of calls, explained by a model */
extern const struct scenario queues_ranked_races[]; /* likewise, of queues with ranks */
extern const struct scenario queue_waits_races[];   /* who sleeps on a queue, and who wakes whom */
extern const struct scenario queue_waits_leave_races[];     /* who stops waiting on a queue */
extern const struct scenario queue_waits_purge_races[];     /* room that a purge makes */
extern const struct scenario queue_quiet_races[];           /* is a pool quiet? its queue says so */
extern const struct scenario queue_quiet_away_races[];      /* it is, since a task was taken away */
extern const struct scenario queue_quiet_strangers_races[]; /* and others take from it, too */
extern const struct scenario conveyor_races[];              /* belts, and who sleeps beside them */
extern const struct scenario conveyor_pool_races[];         /* functions that a pool puts on them */
extern const struct scenario conveyor_busy_races[];         /* workers that are busy with them */
extern const struct scenario conveyor_quiet_races[];        /* is a pool with them quiet? */
extern const struct scenario conveyor_idle_races[];         /* and may its workers leave? */
extern const struct scenario conveyor_cancel_races[];       /* or be cancelled? */
extern const struct scenario conveyor_reserve_races[];      /* memory of its tasks, used again */
extern const struct scenario synchronous_races[];           /* from hand to hand */
extern const struct scenario pool_ctl_races[];         /* what becomes of tasks when a pool ends */
extern const struct scenario pool_ctl_end_races[];     /* who ends a pool, and who may free it */
extern const struct scenario pool_ctl_callers_races[]; /* who waits for a pool, or is turned away */
extern const struct scenario pool_ctl_invoke_races[];  /* who waits for several tasks at once */
extern const struct scenario pool_workers_races[]; /* workers that come, leave and fail to come */
extern const struct scenario pool_workers_idle_races[]; /* workers that sleep and are interrupted */
extern const struct scenario pool_workers_settings_races[]; /* told of new settings, asleep */
extern const struct scenario pool_workers_short_races[];    /* no thread at once, or interrupted */
extern const struct scenario pool_workers_changed_races[];  /* factories and handlers replaced */
extern const struct scenario periodic_races[];              /* tasks that are run again and again */
extern const struct scenario periodic_requeue_races[];      /* ended while they are put back */
extern const struct scenario periodic_shutdown_races[]; /* scheduled while the pool shuts down */
extern const struct scenario trigger_requeue_races[];   /* put back while the clock is set */
extern const struct scenario trigger_clock_races[];     /* looked at while they fall due */
extern const struct scenario trigger_alarm_races[];     /* and where the alarm rings */
extern const struct scenario trigger_end_races[];       /* looked at while they end */
extern const struct scenario trigger_status_races[];    /* asked how they are doing */
extern const struct scenario ownership_races[]; /* when an argument is destroyed, a task freed */
extern const struct scenario ownership_pool_races[]; /* what becomes of a task that a pool has */
extern const struct scenario ownership_pool_periodic_races[]; /* likewise, again and again */
extern const struct scenario ownership_pool_leader_races[];   /* and while a worker waits for it */
extern const struct scenario ownership_reuse_races[];         /* a second look at an address */
extern const struct scenario wheel_cancel_races[];            /* cancelled timeouts of a timer */
extern const struct scenario wheel_add_races[];               /* added while it stops, or is full */
extern const struct scenario wheel_turn_races[];      /* called in their round, not in the next */
extern const struct scenario wheel_stop_races[];      /* who stops it, and who gets what is left */
extern const struct scenario wheel_start_races[];     /* its worker, started and replaced */
extern const struct scenario wheel_tickless_races[];  /* a worker asleep, and who wakes it */
extern const struct scenario threadless_wait_races[]; /* tasks, and who waits for them */
extern const struct scenario threadless_notify_races[]; /* who waits for an answer in vain */
extern const struct scenario threadless_end_races[];    /* how such a wait ends otherwise */
extern const struct scenario report_dump_races[];       /* rejections, and what they write */
extern const struct scenario eager_grow_races[];        /* when an eager pool starts a worker */
extern const struct scenario eager_retry_races[];       /* its second try, while it ends */
extern const struct scenario eager_count_races[];       /* how many tasks it has */
extern const struct scenario eager_new_races[];         /* its queue, while it is made */
extern const struct scenario repository_races[];        /* who makes a pool, and replaces it */
extern const struct scenario repository_end_races[];    /* destroyed while others ask */
extern const struct scenario registrar_races[];         /* a table started, and closed, in races */
extern const struct scenario handles_races[];           /* handles of what is counted */

#endif
