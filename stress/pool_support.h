/*
 * What the scenarios of pools share: jobs, which know what became of them, words for it, and a pool
 * that runs them.
 *
 * A job is a task whose runs and whose destructor are counted, without atomics: who runs it, who
 * destroys it and who asks in the end are ordered by the pool alone, and ThreadSanitizer tells if
 * they are not. Its fate is read when the pool has been closed.
 *
 * Scenarios called `..._on_conveyor` are the same with a conveyor as the pool's queue.
 */
#ifndef STRESS_POOL_SUPPORT_H
#define STRESS_POOL_SUPPORT_H

#include <stdatomic.h>

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "stress/scenarios.h"

#define AN_HOUR GP_SECONDS(3600)

struct job {
    gp_run_fn *body;   /* what it does beside being counted; NULL: nothing */
    void *context;     /* of the body */
    gp_future *future; /* a reference, if the pool has taken it */
    gp_thread *runner; /* who ran it; to be compared, not to be used */
    int runs;
    int ends;        /* calls of its destructor */
    int handed_back; /* by shutdown_now */
    int rejected;
    int kept; /* the pool gave it back to its submitter */
};

enum fate {
    LOST, /* none of the others */
    RAN,
    CANCELLED,
    HANDED_BACK,
    REJECTED,
    KEPT,
    TWO_FATES,
    WRONGLY_ENDED /* destroyed not at all, or twice, or although it was kept */
};

#define FATES                                                                               \
    {                                                                                       \
        "lost", "ran", "cancelled", "handed back", "rejected", "stayed with its submitter", \
            "met two fates", "not destroyed once"                                           \
    }

gp_callable job_callable(struct job *);        /* its result is the job itself */
int job_submit(struct job *, gp_pool *);       /* as gp_pool_submit */
unsigned char job_get(const struct job *);     /* a gotten; waits */
enum fate job_fate(const struct job *);        /* the pool is closed */
void job_release(struct job *);                /* its future */
void jobs_hand_back(gp_task_list *, bool run); /* counts them, then runs them or discards them */

/* What get says. */
enum gotten {
    NOT_ASKED,
    ITS_RESULT,
    A_CANCELLATION,
    A_FAILURE,
    SOMETHING_ELSE
};

#define GOTTEN                                                           \
    {                                                                    \
        "nothing", "a result", "a cancellation", "a failure", "nonsense" \
    }

unsigned char got(int status); /* a gotten */

/* Shuts the pool down, waits and frees it; true: it was possible. */
bool pool_end(gp_pool **);

#define ENDS                   \
    {                          \
        "closed", "not closed" \
    }

enum {
    JOBS = 8
};

/* A pool with jobs. A scenario's state is this, or starts with it. */
struct pool_state {
    gp_pool *pool;
    bool conveyed; /* its queue is a conveyor */
    struct job jobs[JOBS];
    uint64_t random;
    atomic_int threads; /* that a factory of ours was asked for */
};

void pool_choose_conveyor(void *);
bool pool_open(struct pool_state *, gp_pool_config *, uint64_t random);
void pool_tear_down(void *); /* releases the jobs; the pool has been ended */
int pool_invariant(void *);

void act_submit_one(void *, struct outcome *);   /* the first job */
void act_submit_other(void *, struct outcome *); /* the second */
void act_shutdown_now(void *, struct outcome *); /* what it hands back is discarded */
/* Nobody ends the pool: it waits longer than any worker stays idle. */
void act_wait_for_idle(void *, struct outcome *);

#endif
