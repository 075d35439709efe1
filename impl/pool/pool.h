/* The pool inside the library: its fields, the ctl word, and what its files share. */
#ifndef GP_POOL_POOL_H
#define GP_POOL_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <glasspool/pool.h>

#include "pool/histogram.h"
#include "sync/condition.h"
#include "sync/thread.h" /* GP__THREAD_NAME_SIZE */

/*
 * The ctl word: run state in the three high bits, number of workers in the low 29.
 *
 *      31  29 28                            0
 *      [state][       worker count          ]      -1 RUNNING   0 SHUTDOWN   1 STOP
 *                                                   2 TIDYING   3 TERMINATED
 *
 * The states ascend with time, and since the count is non-negative, comparing whole words compares
 * states: RUNNING words are negative.
 */
#define GP__COUNT_BITS 29
#define GP__COUNT_MASK ((1 << GP__COUNT_BITS) - 1)

enum gp__run_state {
    GP__RUNNING = -1 * (1 << GP__COUNT_BITS),
    GP__SHUTDOWN = 0,
    GP__STOP = 1 << GP__COUNT_BITS,
    GP__TIDYING = 2 * (1 << GP__COUNT_BITS),
    GP__TERMINATED = 3 * (1 << GP__COUNT_BITS)
};

static inline int gp__worker_count_of(int ctl)
{
    return ctl & GP__COUNT_MASK;
}

static inline int gp__ctl_of(int run_state, int worker_count)
{
    return run_state | worker_count;
}

static inline bool gp__is_running(int ctl)
{
    return ctl < GP__SHUTDOWN;
}

static inline bool gp__at_least(int ctl, int run_state)
{
    return ctl >= run_state;
}

/* What is left of a thread's name for the pool's, before "-thread-M" with M up to 9 digits. */
#define GP__POOL_NAME_SIZE (GP__THREAD_NAME_SIZE - 17)

struct gp__worker;

/* What the kinds of pool do differently; one may start from a copy of another's. */
struct gp__pool_class {
    /* GP_OK, GP_EREJECTED: the task is used up; otherwise it is still the caller's */
    int (*execute)(gp_pool *, gp_task *);
    /* Execute a function. True: done, with that status; false, or NULL: it has to become a task. */
    bool (*start)(gp_pool *, gp_run_fn *, void *argument, int *status);
    int (*submit)(gp_pool *, const gp_callable *, gp_future **out);
    gp_task *(*queued_as)(gp_future *); /* what stands for it in the queue */
    void (*on_shutdown)(gp_pool *);     /* NULL: nothing to do */
    void (*on_alarm)(gp_pool *);        /* the alarm of its queue has ended a worker's take */
    void (*run_functions)(struct gp__worker *); /* NULL: it has tasks only */
    void (*left)(gp_pool *, size_t count); /* `count` accepted tasks are done with: run by a worker,
                                              or out of the queue; NULL: not counted */
    void (*brought)(gp_pool *, bool comes); /* an external offer [QUEUE-4]; NULL: not counted */
    bool (*is_short)(gp_pool *); /* asked by a leaving worker: is one missing? NULL: as in Java */
    void (*free)(gp_pool *);     /* terminated, all workers joined */
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   M: guarded by main_lock
 */
struct gp_pool {
    const struct gp__pool_class *class;   /* I */
    _Atomic int ctl;                      /* A run state and worker count */
    _Atomic int undecided;                /* A reservations in the count that are not workers yet */
    _Atomic unsigned failed_reservations; /* A reservations that came to nothing */
    _Atomic int core_size;                /* A */
    _Atomic int maximum_size;             /* A */
    _Atomic int64_t keep_alive;           /* A */
    _Atomic bool core_timeout;            /* A */
    bool time_tasks;                      /* I */
    bool fixed_configuration;             /* I setters say GP_EPERM */
    gp_queue *queue;                      /* I */
    gp_pool_hooks hooks;                  /* I */
    gp_thread_config thread_config;       /* I for the default factory */
    char name[GP__POOL_NAME_SIZE];        /* I "pool-N", or the user's */
    _Atomic unsigned thread_number;       /* A of the default factory's latest thread */
    pthread_mutex_t main_lock;            /* I */
    gp_thread_factory factory;            /* M */
    gp_rejection rejection;               /* M */
    struct gp__worker *workers;           /* M workers that are started and have not left */
    struct gp__worker *departed;          /* M workers that have left and are to be joined */
    size_t unjoined;                      /* M threads started and not yet joined */
    size_t enders;                        /* M callers inside shutdown or shutdown_now */
    size_t watchers;                      /* M callers that wait for its end or for quiet */
    struct gp__condition termination;     /* M TERMINATED is set, or one of the above has changed */
    struct gp__condition decided;         /* M a worker was started, or could not be */
    int size;                             /* M length of workers */
    int largest;                          /* M its maximum */
    uint64_t completed;                   /* M tasks of workers that have left */
    struct gp__histogram waited;          /* M of workers that have left */
    struct gp__histogram ran;             /* M of workers that have left */
};

static inline int gp__pool_load_ctl(gp_pool *pool)
{
    return atomic_load(&pool->ctl); /* seq_cst: [POOL-1] */
}

/* Reservations included. */
static inline int gp__worker_count(gp_pool *pool)
{
    return gp__worker_count_of(gp__pool_load_ctl(pool));
}

/*
 * Are at least `wanted` workers there, with a thread? Some in the count may be reservations that
 * are going to fail, so the count has to be that much above `undecided`. Read after the count,
 * `undecided` may have lost a reservation that was in it; if that one has failed,
 * `failed_reservations` has moved meanwhile: it does so after the count is lowered and before
 * `undecided` is.
 */
static inline bool gp__are_workers_there(gp_pool *pool, int wanted)
{
    /* seq_cst, all of them: the order is the point */
    unsigned failed = atomic_load(&pool->failed_reservations);
    int count = gp__worker_count(pool);
    return count - atomic_load(&pool->undecided) >= wanted &&
           failed == atomic_load(&pool->failed_reservations);
}

int gp__pool_check_config(const gp_pool_config *);
int gp__pool_init(gp_pool *, const struct gp__pool_class *, const gp_pool_config *);
void gp__pool_destroy(gp_pool *); /* the queue too */

/* pool.c */
extern const struct gp__pool_class gp__pool_class; /* of a plain pool */
int gp__pool_accept(gp_pool *, gp_task *); /* GP_OK; GP_EREJECTED or other: still the caller's */
int gp__pool_enqueue(gp_pool *, gp_task *, int (*offer)(gp_queue *, gp_task *)); /* step 2 */
int gp__pool_reject(gp_pool *, gp_task *);
bool gp__pool_queue_is_empty(gp_pool *);
bool gp__pool_take_back(gp_pool *, gp_task *); /* out of the queue, unless a worker has it */
void gp__pool_tasks_removed(gp_pool *);        /* they are out of the queue, not by a worker */

/* Accepted tasks are done with: tells the class. */
static inline void gp__pool_left(gp_pool *pool, size_t count)
{
    if (pool->class->left != NULL && count > 0)
        pool->class->left(pool, count);
}

/* worker.c */
int gp__add_worker(gp_pool *, gp_task *first_task, bool core); /* GP_OK; GP_EREJECTED: state or
            limit forbid it; GP_ENOMEM, GP_EAGAIN: no thread */
bool gp__pool_is_unattended(gp_pool *); /* tasks are queued, to be run, without a worker */
int gp__ensure_worker(gp_pool *);       /* GP_OK: a worker is there that will look at the queue */
int gp__ensure_prestart(gp_pool *);     /* the same, and one more while there are fewer than core */
void gp__interrupt_idle_workers(gp_pool *, bool only_one); /* takes main_lock */
void gp__interrupt_workers(gp_pool *);                     /* main_lock is held */
void gp__join_departed(gp_pool *);      /* main_lock is held, released meanwhile */
bool gp__is_worker_of(const gp_pool *); /* is the calling thread one? */

/* lifecycle.c */
void gp__try_terminate(gp_pool *);

#endif
