/* Timers inside the library: what each kind of wheel provides, and what all of them share. */
#ifndef GP_WHEEL_TIMER_H
#define GP_WHEEL_TIMER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/wheel.h>

#include "sync/condition.h"
#include "sync/thread.h" /* GP__THREAD_NAME_SIZE */
#include "wheel/inbox.h"

enum gp__timeout_state {
    GP__TIMEOUT_INIT,
    GP__TIMEOUT_CANCELLED,
    GP__TIMEOUT_EXPIRED,
    GP__TIMEOUT_HANDED_BACK /* cancelled by stop */
};

/*
 * Timeouts in a row, as in a bucket; in order, and any of them can be taken out.
 * Lock letters:
 *   W: touched by the worker only; by the stopping thread, when the worker is gone
 */
struct gp__row {
    gp_timeout *first; /* W */
    gp_timeout *last;  /* W */
};

/*
 * What a cancel needs comes first, so that it mostly finds it in one cache line; what is never
 * needed at the same time shares its place.
 *
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   F: touched only by the thread that took the state out of INIT, and by the one that frees it
 *   W: touched by the worker only; by the stopping thread, when the worker is gone; then by the
 *      holder of the list that stop returned
 */
struct gp_timeout {
    _Atomic unsigned word; /* A its state and the references to it: timeout.c */
    int status;            /* F what its function returned, or why it was not called */
    gp_timer *timer;       /* I a reference */
    union {
        gp_timeout_fn *run;              /* I not called any more if it is cancelled */
        struct gp__inbox_link cancelled; /* F written by the canceller; then W */
    };
    gp_destroy_fn *destroy; /* I */
    void *argument;         /* I */
    int64_t deadline;       /* W when due, in nanoseconds after the timer's start */
    union {
        struct gp__inbox_link added; /* W written by the adding thread, before */
        gp_timeout *next;            /* W in the row, or in a list; it has arrived */
    };
    gp_timeout *previous; /* W in the row */
    struct gp__row *row;  /* W that it is in; NULL: none */
    int64_t rounds;       /* W how often the hand goes by before it is due */
    gp_task *task[];      /* I one if there is an executor, and the executor's once expired */
};

/* What the wheels do differently, on the worker or when there is none. Times since the start. */
struct gp__timer_class {
    bool ticks;                               /* new timeouts wait for the next tick */
    void (*insert)(gp_timer *, gp_timeout *); /* into one of its rows */
    void (*remove)(gp_timer *, gp_timeout *); /* out of its row, or out of the row `due` */
    int64_t (*next)(gp_timer *);              /* when to advance; GP__NEVER: need not */
    void (*advance)(gp_timer *, int64_t now, struct gp__row *due); /* append what is due */
    void (*clear)(gp_timer *, struct gp__row *cleared);            /* append all that is in it */
    bool (*is_empty)(gp_timer *);
    int (*check)(gp_timer *);
};

/* The intake of timeouts: where their memory is from, when their delays begin, and how they reach
   the worker. */
struct gp__intake_class {
    int (*add)(gp_timer *timer, int64_t delay, gp_timeout_fn *run, void *argument,
               gp_destroy_fn *destroy, gp_timeout **out); /* a failure leaves the argument alone */
    int64_t (*deadline)(const gp_timeout *);              /* of gp_now() */
    int64_t (*begin_turn)(gp_timer *);                    /* by the worker: the time of the turn */
    struct gp__inbox_link *(*take)(gp_timer *);  /* by the worker: what has come, oldest first */
    struct gp__inbox_link *(*close)(gp_timer *); /* all that is left, in any order */
    bool (*is_closed)(gp_timer *);               /* and empty; of a timer that has stopped */
    size_t (*pending)(gp_timer *);
    size_t (*glance)(gp_timer *); /* as pending; 0, rather than wait for another thread */
    void (*reclaim)(gp_timeout *, enum gp__timeout_state); /* its last reference is given up */
    void (*free)(gp_timer *);
};

#define GP__NEVER INT64_MAX /* of times after the start */
#define GP__AWAKE INT64_MIN /* earlier than all of them */

enum gp__timer_state {
    GP__TIMER_INIT,     /* there is no worker */
    GP__TIMER_STARTING, /* a thread is making one */
    GP__TIMER_STARTED,
    GP__TIMER_STOPPING, /* a thread is ending the timer */
    GP__TIMER_STOPPED
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   M: guarded by lock
 *   S: set once by the first worker, before the state becomes STARTED
 *   W: touched by the worker only; by the stopping thread, when the worker is gone
 */
struct gp_timer {
    const struct gp__timer_class *class;   /* I */
    const struct gp__intake_class *intake; /* I */
    int64_t max_pending;                   /* I 0: no limit */
    int64_t max_cancelled;                 /* I that many wake the worker; 0: it ticks */
    gp_thread_config thread_config;        /* I for the default factory */
    gp_thread_factory factory;             /* I */
    gp_pool *executor;                     /* I or NULL */
    gp_timer_hooks hooks;                  /* I */
    char name[GP__THREAD_NAME_SIZE];       /* I */
    _Atomic uint64_t counts;               /* A references to it, and timeouts in INIT: timer.c */
    struct gp__inbox added;                /* A of gp__inbox_intake */
    struct gp__inbox cancelled;            /* A */
    _Atomic int64_t asleep_until;          /* A after the start; GP__AWAKE: it looks anyway */
    _Atomic int64_t uncollected;           /* A put into `cancelled`, not taken out; approximate */
    _Atomic int state;                     /* A a gp__timer_state; changed with lock held */
    _Atomic uint64_t failures;             /* A */
    _Atomic uint64_t wakeups;              /* A */
    pthread_mutex_t lock;                  /* I */
    struct gp__condition decided;          /* M the state is no longer STARTING or STOPPING */
    gp_thread *worker;                     /* M a reference; the latest that was started, or NULL */
    gp_thread *predecessor;                /* M a reference; the worker is to join it; or NULL */
    bool has_begun;                        /* M start_time is set */
    int64_t start_time;                    /* S of gp_now() */
    struct gp__inbox_link *arrived;        /* W taken in, and in no row yet; oldest first */
    struct gp__row due;                    /* W to be called, in this order */
};

extern const struct gp__intake_class gp__inbox_intake; /* timer.c: malloc and an inbox */

/* timer.c */
/* The timer is all zeros before, and freed if this fails; the settings are as for the hashed
   wheel. */
int gp__timer_finish(gp_timer *timer, const struct gp__timer_class *class,
                     const struct gp__intake_class *intake, const gp_wheel_config *config,
                     gp_timer **out);
enum gp__timer_state gp__timer_state_of(gp_timer *);
void gp__timer_set_state(gp_timer *, enum gp__timer_state); /* lock is held */
gp_timer *gp__timer_retain(gp_timer *);
void gp__timer_release(gp_timer *);
void gp__timer_unpend(gp_timer *);                /* a timeout has left INIT */
void gp__timer_unpend_and_retain(gp_timer *);     /* the same, and one reference in the same step */
bool gp__timer_is_mine(const gp_timer *);         /* is the calling thread its worker? */
size_t gp__timer_counted(gp_timer *);             /* pending, and reserved */
void gp__timer_reserve(gp_timer *, int timeouts); /* one reference each, and pending; or back */
int64_t gp__timer_elapsed(gp_timer *);            /* since its start */
int64_t gp__deadline_after(int64_t elapsed, int64_t delay);
/* By gp__inbox_intake: a timeout due at a time after the start. */
int gp__timer_add(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                  gp_destroy_fn *destroy, gp_timeout **out);
void gp__timer_tell(gp_timer *, int64_t deadline); /* after the put: wake the worker, if need be */
void gp__timer_tell_cancelled(gp_timer *); /* the same, for one more; tickless timers only */

/* timer_worker.c */
int gp__timer_launch(gp_timer *); /* by the thread that set STARTING; ends that, if it fails */
void gp__timer_turn(gp_timer *, int64_t now); /* once the intake has begun it: steps 1 to 4 */
void gp__timer_drain(gp_timer *, gp_timeout_list *unrun); /* the worker is gone: close it */

/* timeout.c */
int gp__timeout_new(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                    gp_destroy_fn *destroy, gp_timeout **out); /* one reference */
void gp__timeout_init(gp_timeout *timeout, gp_timer *timer, int64_t deadline, gp_timeout_fn *run,
                      void *argument, gp_destroy_fn *destroy);  /* the same, without a task */
void gp__timeout_reclaim(gp_timeout *, enum gp__timeout_state); /* its memory; INIT: refused */
gp_run_fn gp__timeout_run;                                      /* call its function; ... */
gp_destroy_fn gp__timeout_end; /* ... it has returned or left, or never will be called */
bool gp__timeout_leave_init(gp_timeout *, enum gp__timeout_state next); /* true: this call did it */
void gp__timeout_share(gp_timeout *);        /* two references; not shared before */
void gp__timeout_release_both(gp_timeout *); /* the wheel's reference, and the inbox's */
gp_timeout *gp__timeout_of_added(struct gp__inbox_link *);
gp_timeout *gp__timeout_of_cancelled(struct gp__inbox_link *);
void gp__timeout_list_append(gp_timeout_list *, gp_timeout *);

/* row.c */
void gp__row_append(struct gp__row *, gp_timeout *);         /* it is in none */
void gp__row_remove(gp_timeout *);                           /* out of the one that it is in */
gp_timeout *gp__row_pop(struct gp__row *);                   /* the first; NULL: it is empty */
void gp__row_splice(struct gp__row *, struct gp__row *rest); /* append all of rest, one by one */
bool gp__row_is_sound(const struct gp__row *);               /* links and owners agree */

#endif
