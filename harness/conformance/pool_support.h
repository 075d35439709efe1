/*
 * Support for the suites of the pools: jobs that can be held, and pools to give them to.
 *
 * A job is a subject (support.h) that says when it has begun, waits at a gate if it is told to, and
 * notes where it ran. What a job has noted may be read when its latch is open (thread, name) or
 * when its future is done or its pool closed (the rest). A future is done a moment before the
 * argument is destroyed: a job that is to be used again, or to be forgotten while its pool lives
 * on, is waited for with job_await_end.
 */
#ifndef CONFORMANCE_POOL_SUPPORT_H
#define CONFORMANCE_POOL_SUPPORT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <glasspool/future.h>
#include <glasspool/pool.h>
#include <glasspool/scheduled.h>

#include "support.h"

struct job {
    struct subject subject;       /* what becomes of it */
    struct latch begun;           /* opened by its first run */
    struct gate go_on;            /* passed by a job that holds */
    bool holds;                   /* it waits at the gate */
    void (*action)(struct job *); /* done behind the gate; NULL: nothing to do */
    void *context;                /* for the action */
    gp_pool *pool;                /* for the action */
    int status;                   /* what the action got */
    bool interrupted;             /* was the flag up behind the gate? */
    int64_t began_at;             /* when its last run began */
    int64_t ended_at;             /* when the action was done */
    pthread_t thread;             /* of the first run */
    long id;                      /* likewise, the system's */
    gp_thread *record;            /* likewise, borrowed */
    char name[48];                /* likewise, of the thread */
};

void job_init(struct job *);
void job_init_holding(struct job *);
void job_init_acting(struct job *, void (*action)(struct job *), gp_pool *);
void job_let_go(struct job *); /* opens its gate once */
gp_callable job_callable(struct job *);
gp_task *job_task(struct job *);                /* a task without a future */
gp_future *job_submit(gp_pool *, struct job *); /* with a future, to be released */
void job_execute(gp_pool *, struct job *);      /* without a future */
void job_await_end(struct job *);      /* until its argument is destroyed, which may be after get */
void job_run(gp_pool *, struct job *); /* with a future, and waits for its end */
void future_end(gp_future *, int expected); /* get gives that, release */
int future_failure_code(gp_future *);       /* 0 if it has not failed */
void leave_by_exit(struct job *);           /* an action: pthread_exit */
void sleep_until_interrupted(struct job *); /* an action: status of a long gp_sleep */
void run_nothing(void *unused);             /* a plain function */
int64_t long_enough(void);                  /* a timeout that only a bug exceeds */
bool future_is_done_soon(gp_future *);      /* within that time */

/* Pools. The configurations are the defaults but for what the name says. */

gp_pool *pool_of(const gp_pool_config *); /* must succeed */
gp_pool *pool_with(int core_size, int maximum_size, gp_queue *);
gp_pool_config config_with(int core_size, int maximum_size, gp_queue *);
gp_queue *linked_of(size_t capacity);
gp_queue *synchronous(void);
void pool_end(gp_pool *);     /* checked, closed */
void pool_end_now(gp_pool *); /* stopped, checked, closed */
int pool_size(gp_pool *);
size_t pool_queued(gp_pool *);
uint64_t pool_completed(gp_pool *);
bool await_pool_size(gp_pool *, int count);      /* until it has so many workers */
bool await_idle(gp_pool *, size_t count);        /* until so many wait for a task */
bool await_queued(gp_pool *, size_t count);      /* until so many are queued */
bool await_completed(gp_pool *, uint64_t count); /* until so many were counted */

/* For tests that hold the lock of the pool's queue, which must be empty, so that others come to
   wait for it. A shutdown in two halves: the only worker is interrupted, and comes; then the pool
   is shut down for all who look. Who came between the two has seen a pool that runs. */
gp_thread *only_worker(gp_pool *); /* borrowed; to be asked before, to be interrupted after */
void shutdown_takes_effect(gp_pool *);

/* One worker that is busy, one task in a queue for one. */
struct saturated {
    gp_pool *pool;
    struct job running;
    struct job queued;
    gp_future *running_future;
    gp_future *queued_future;
};

void saturate(struct saturated *, gp_rejection);
void saturated_end(struct saturated *); /* lets go, closes */

/* What to `prepare` with: pools that name no heap get this one from then on. */
void scheduled_on_heap(void);
void scheduled_on_lane(void);
gp_scheduled *scheduled_of(const gp_scheduled_config *); /* must succeed */
gp_scheduled *scheduled_with(int core_size);
gp_future *job_schedule(gp_scheduled *, struct job *, int64_t delay);
gp_future *job_at_fixed_rate(gp_scheduled *, struct job *, int64_t initial_delay, int64_t period);
gp_future *job_with_fixed_delay(gp_scheduled *, struct job *, int64_t initial_delay, int64_t delay);
int64_t delay_of(gp_future *);          /* what get_delay says, which must succeed */
void scheduled_end(gp_scheduled *);     /* checked, closed */
void scheduled_end_now(gp_scheduled *); /* stopped, checked, closed */

#endif
