/* A worker: one thread of a pool. */
#ifndef GP_POOL_WORKER_H
#define GP_POOL_WORKER_H

#include "future/task.h" /* gp__any_fn */
#include "pool/pool.h"
#include "queue/queue.h" /* struct gp__work */

enum gp__admission {
    GP__UNDECIDED,
    GP__ADMITTED,
    GP__ABANDONED /* its thread is to free it */
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   M: guarded by the pool's main_lock
 *   O: touched by the worker's own thread only
 */
struct gp__worker {
    gp_pool *pool;               /* I */
    gp_thread *thread;           /* I a reference */
    struct gp__worker *next;     /* M in workers or departed */
    struct gp__worker *previous; /* M in workers */
    _Atomic int lock;      /* A -1 not started, 0 idle, 1 running a task, or being interrupted */
    _Atomic int admission; /* A a gp__admission */
    struct gp__histogram waited; /* A written by its own thread only */
    _Atomic uint64_t completed;  /* A written by its own thread only; with what each task changes,
                                    far from what other threads write */
    _Atomic(gp__any_fn *) runs;  /* A written by its own thread only; NULL: no task */
    gp_task *first_task;         /* O handed over before the thread starts */
    gp_task *task;               /* O being run, retained for the after hook; else NULL */
    int64_t started_at;          /* O when the task was started */
    bool abrupt;                 /* O the thread is leaving from inside a task */
    struct gp__work work;        /* O taken from the queue, if the pool's class runs functions */
    struct gp__histogram ran;    /* A written by its own thread only */
};

/* worker.c: a run, as in Java's runWorker */
void gp__run_task(struct gp__worker *, gp_task *);
void gp__begin_run(struct gp__worker *, gp__any_fn *function); /* first ... */
void gp__start_run(struct gp__worker *, int64_t queued_at);    /* ... just before the call ... */
void gp__end_run(struct gp__worker *);                         /* ... and after it */

#endif
