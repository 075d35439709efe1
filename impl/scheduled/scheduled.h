/* The scheduled pool inside the library. */
#ifndef GP_SCHEDULED_SCHEDULED_H
#define GP_SCHEDULED_SCHEDULED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <glasspool/scheduled.h>

#include "future/future.h"
#include "pool/pool.h"

/*
 * The comparison of the clocks (watch.c).
 * Lock letters:
 *   I: set once before publication
 *   W: guarded by `lock`
 *   V: atomic, written under `lock`; without it they are a hint
 */
struct gp__watch {
    pthread_mutex_t lock;   /* I one look at a time */
    size_t tasks;           /* W triggered tasks that have not ended */
    _Atomic int64_t offset; /* V between the clocks, when all their times were last re-computed */
    atomic_bool stale;      /* V one that is in the queue may not have been among them */
    bool has_alarm;         /* W the queue has its alarm */
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 */
struct gp_scheduled {
    gp_pool pool;                   /* I its fields have letters of their own */
    _Atomic uint64_t tasks;         /* A in the low half references: the handle, and each task; in
                                       the high half the sequencer, which numbers the tasks */
    struct gp__task_class once;     /* I of tasks without extra */
    struct gp__task_class extended; /* I of tasks with extra */
    struct gp__task_class reserved; /* I of tasks that are made of functions */
    _Atomic bool continue_periodic; /* A */
    _Atomic bool execute_delayed;   /* A */
    _Atomic bool remove_on_cancel;  /* A */
    gp_overrun overrun;             /* I */
    int (*decorate)(void *, gp_future *, gp_decorator *); /* I */
    void *decorate_context;                               /* I */
    gp_wall_clock wall_clock;                             /* I */
    struct gp__watch watch;                               /* I its fields have letters */
};

#define GP__NUMBER               (UINT64_C(1) << 32) /* of `tasks`: another number for a task */
#define GP__NUMBER_AND_REFERENCE (GP__NUMBER + 1)    /* of `tasks`: for a new task */

static inline uint32_t gp__draw_number(gp_scheduled *scheduled)
{
    /* relaxed: only the order of the numbers matters, and that is the order of these calls */
    return (
        uint32_t)(atomic_fetch_add_explicit(&scheduled->tasks, GP__NUMBER, memory_order_relaxed) >>
                  32);
}

struct gp__decorated;
struct gp__triggered;

/*
 * What a task has beyond a single run: period, decoration, trigger, destructor.
 * Lock letters:
 *   I: set once before publication
 */
struct gp__scheduled_extra {
    struct gp__callable_rest rest;   /* I */
    int64_t period;                  /* I 0 once, > 0 fixed rate, < 0 fixed delay */
    struct gp__decorated *outer;     /* I its decoration, or NULL; freed with the task */
    struct gp__triggered *triggered; /* I the task that begins with it; NULL: it has no trigger */
};

/*
 * A task: a future, with its time, sequence number and heap index. Its class is one of the pool's
 * three, and leads to the pool, to which the task has a reference.
 * Lock letters:
 *   I: set once before publication
 */
struct gp__scheduled_task {
    gp_future future; /* I its fields have letters of their own */
};

/*
 * Lock letters:
 *   I: set once before publication
 */
struct gp__extended_task {
    struct gp__scheduled_task task;   /* I its fields have letters of their own */
    struct gp__scheduled_extra extra; /* I its fields have letters of their own */
};

static inline gp_scheduled *gp__scheduled_of(const struct gp__scheduled_task *task)
{
    return task->future.task.class->context;
}

/* The extra of a task; empty if it has none. */
static inline const struct gp__scheduled_extra *gp__scheduled_extra_of(
    const struct gp__scheduled_task *task)
{
    static const struct gp__scheduled_extra nothing;
    return task->future.task.class->rest_offset == 0
               ? &nothing
               : &((const struct gp__extended_task *)task)->extra;
}

/* scheduled_task.c */
int gp__scheduled_task_new(gp_scheduled *, const gp_callable *, int64_t time, int64_t period,
                           struct gp__scheduled_task **out);
/* The same in the caller's memory, which is the task's from then on, unless it fails with anything
   but GP_EREJECTED. */
int gp__extended_task_init(struct gp__extended_task *, gp_scheduled *, const gp_callable *,
                           int64_t time, int64_t period, struct gp__triggered *);
void gp__scheduled_classes_init(gp_scheduled *);
struct gp__task_maker gp__scheduled_task_maker(gp_scheduled *);      /* of functions [LANE-7] */
void gp__scheduled_task_abandon(struct gp__scheduled_task *);        /* see gp__task_abandon */
struct gp__scheduled_task *gp__scheduled_task_of(const gp_future *); /* NULL: it is not one */
void gp__scheduled_task_set_time(struct gp__scheduled_task *, int64_t time);
void gp__scheduled_withdraw(gp_future *); /* cancel and dequeue it, whatever the policy */
gp_task *gp__queued_as(gp_future *);      /* the task, or its decoration: what the queue holds */
bool gp__scheduled_task_is_unwanted(gp_task *, void *scheduled); /* at shutdown */

/* scheduled.c */
int64_t gp__trigger_time(int64_t delay);                                       /* from now on */
int64_t gp__trigger_time_at(int64_t now, int64_t delay);                       /* from `now` on */
int gp__schedule_task(struct gp__scheduled_task *, bool due, gp_future **out); /* (3); uses the task
                                                      up; `due`: its time has come already */
bool gp__can_run_in_current_run_state(gp_scheduled *, struct gp__scheduled_task *);
void gp__re_execute_periodic(gp_scheduled *, struct gp__scheduled_task *);
void gp__scheduled_release(gp_scheduled *);

#endif
