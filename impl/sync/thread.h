/* Thread records inside the library: parking, and the interrupt that goes with a cancel. */
#ifndef GP_SYNC_THREAD_H
#define GP_SYNC_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <glasspool/task.h>   /* gp_failure */
#include <glasspool/thread.h> /* gp_thread */

#include "sync/condition.h" /* struct gp__waiter */
#include "sync/os.h"        /* struct gp__os_signal */

#define GP__THREAD_NAME_SIZE 32

enum gp__thread_phase {
    GP__THREAD_NEW,     /* made, not started */
    GP__THREAD_STARTED, /* started, or found running (a foreign thread) */
    GP__THREAD_JOINED   /* ended, and somebody has waited for that */
};

/*
 * Lock letters:
 *   I: set once before the record is published
 *   A: atomic
 *   T: guarded by the record's own lock
 *   O: touched by the thread itself only
 */
struct gp_thread {
    _Atomic unsigned refs;           /* A one of them is the running thread's own */
    _Atomic bool interrupted;        /* A the flag */
    bool permit;                     /* T an unpark that no park has used up */
    bool foreign;                    /* I not made by gp_thread_new */
    enum gp__thread_phase phase;     /* T */
    pthread_mutex_t lock;            /* I itself a lock: guards the fields marked T */
    pthread_cond_t unparked;         /* I permit or interrupted has become true */
    struct gp__waiter waiter;        /* I its fields have letters of their own */
    pthread_t handle;                /* T valid unless phase is NEW */
    unsigned task_interrupts;        /* T begun and not ended */
    bool plain_interrupt;            /* T gp_thread_interrupt came since the flag was down */
    bool claimed;                    /* T only who claimed it starts and joins it */
    struct gp__os_signal signal;     /* T repeats the signal while the flag is up */
    gp_thread_config config;         /* I */
    char name[GP__THREAD_NAME_SIZE]; /* I */
    gp_run_fn *run;                  /* I */
    void *argument;                  /* I */
    const void *owner;               /* O whom it works for, a pool; NULL: nobody */
    gp_failure failure;              /* O what the callable said before it returned its code */
    bool idle;                       /* O a worker, and it takes its next task */
    bool runs_no_tasks;              /* O it is being ended: gp_task_run discards */
};

/* Wait until unparked, interrupted (the flag stays up) or `deadline`. May return GP_OK early. */
int gp__park(gp_thread *self, int64_t deadline);
void gp__unpark(gp_thread *); /* let its current or its next park return */

bool gp__clear_raised_interrupt(gp_thread *self); /* the same, when it seems to be up */

/* Was the flag up? It is down now. */
static inline bool gp__clear_interrupt(gp_thread *self)
{
    return atomic_load(&self->interrupted) && /* seq_cst: see Ordering */
           gp__clear_raised_interrupt(self);
}

/* A thread that its pool alone starts and joins; for others both are GP_ESTATE from then on. */
bool gp__thread_claim(gp_thread *); /* false: it is started already, or somebody else's */
int gp__thread_start(gp_thread *);
int gp__thread_join(gp_thread *);

/* Interrupt what it runs. True: signals are being repeated, until the target has called
   gp__end_task_interrupt as often. The flag stays as it is. */
bool gp__begin_task_interrupt(gp_thread *);
void gp__end_task_interrupt(gp_thread *self);
void gp__stop_signals(gp_thread *self); /* whoever sent them; the flag stays as it is */

void gp__forget_failure(gp_thread *); /* what gp_fail left and nobody collects */
void gp__destroy_failure(void *);     /* what a gp_failure carries; as a handler of cleanup */

#endif
