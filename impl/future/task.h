/* Tasks inside the library: what queues hold and workers run. */
#ifndef GP_FUTURE_TASK_H
#define GP_FUTURE_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/task.h>

#include "sync/clock.h" /* gp__time_between */

/* What the kinds of task do differently. run and discard use the owner's reference up. */
struct gp__task_class {
    void (*run)(gp_task *);
    void (*discard)(gp_task *);      /* complete what waits for it, give up the callable */
    void (*free)(gp_task *);         /* the last reference is gone */
    gp_future *(*future)(gp_task *); /* NULL: it has none */
    void (*done)(gp_future *);       /* futures: once, on completion; NULL: nothing to do */
    void (*cancelled)(gp_future *);  /* futures: after a successful cancel; NULL likewise */
    size_t rest_offset;              /* of its gp__callable_rest; 0: it has none */
    bool delayed;                    /* a delayed queue takes it */
    void *context;                   /* whatever all tasks of the class belong to; or NULL */
};

/*
 * Lock letters:
 *   I: set once before the task is published
 *   A: atomic
 *   Q: belongs to the queue or list that holds the task, under its lock
 *   S: read by those who have seen a final state; nobody writes it after that
 */
struct gp_task {
    const struct gp__task_class *class; /* I */
    struct gp_task *next;               /* Q */
    _Atomic int64_t time;               /* A when due (delayed) or queued */
    _Atomic unsigned refs;              /* A one of them is the owner's */
    _Atomic bool retired;               /* A the callable is given up */
    bool plain : 1;                     /* I `run` rather than `call` */
    bool keeps_slot : 1;                /* I delayed, periodic: its slot waits while it runs */
    _Atomic unsigned char state;        /* A of a future: a gp_future_state */
    _Atomic bool dropped;               /* A of a future: the owner has given it up */
    uint32_t sequence;                  /* I delayed: breaks ties between equal times */
    _Atomic int32_t heap_index;         /* A where in a heap, or why in none */
    union {
        _Atomic(gp_call_fn *) call; /* A what to do ... */
        _Atomic(gp_run_fn *) run;   /* A ... or a plain function; and of a future that is done: */
        _Atomic uintptr_t outcome;  /* A what has come of it [FUTURE-7] */
        void *settled;              /* S the same */
    } word;                         /* A */
    void *argument;                 /* I destroyed by whoever sets `retired` */
};

/* heap_index of a task that is in none: and it may be that a slot is kept for it in one. */
enum {
    GP__IN_NO_HEAP = -1,
    GP__SLOT_RESERVED = -2
};

/* What of a callable few tasks have. */
struct gp__callable_rest {
    gp_destroy_fn *destroy;
    void *result;
};

/* What is called: the callable, as its runner has read it. */
struct gp__call {
    bool plain; /* `run` rather than `call` */
    gp_call_fn *call;
    gp_run_fn *run;
    void *argument;
};

typedef void gp__any_fn(void);            /* any function, to be shown, not to be called */
gp__any_fn *gp__task_function(gp_task *); /* what it calls, or what is decorated by it; NULL:
                                             it is done already */

bool gp__callable_is_valid(const gp_callable *);
void gp__task_init(gp_task *, const struct gp__task_class *, const gp_callable *);
bool gp__callable_has_rest(
    const gp_callable *); /* then a task needs a class that has room for it */
void gp__task_set_delayed(gp_task *, int64_t time, uint32_t sequence); /* for a delayed queue */
struct gp__call gp__task_callable(const gp_task *); /* of a future: look at the state after that */
int gp__call(const struct gp__call *, void **result,
             int cancel_state);           /* call it, whichever form it has; with cancellation as
                                             the task may expect it */
int gp__begin_task_code(void);            /* hold off cancellation around a task; returns ... */
void gp__end_task_code(int cancel_state); /* ... what is to be restored */
void gp__act_on_cancellation(void);       /* a request that a task did not notice ends the worker
                                             now, rather than the next task */
void gp__call_function(gp_run_fn *,
                       void *argument); /* all of that, on a worker, for a function that is no task;
                                           afterwards cancellation is let in, and deferred */
bool gp__task_has_destructor(gp_task *);
void gp__task_retire(gp_task *);  /* give up the callable: destroys the argument, once */
void gp__task_abandon(gp_task *); /* refused: memory only, the argument is the caller's */

static inline void gp__task_set_time(gp_task *task, int64_t time)
{
    atomic_store_explicit(&task->time, time, memory_order_relaxed); /* a value, guards nothing */
}

static inline bool gp__task_is_delayed(const gp_task *task)
{
    return task->class->delayed;
}

/* Where a delayed task stands in the order: by time, among equal times by number. */
struct gp__key {
    int64_t time;
    uint32_t sequence;
};

/* Times and numbers wrap, so differences are compared. */
static inline bool gp__key_is_before(struct gp__key left, struct gp__key right)
{
    int64_t difference = gp__time_between(left.time, right.time);
    return difference < 0 || (difference == 0 && (int32_t)(left.sequence - right.sequence) < 0);
}

/* NULL: it has none */
static inline struct gp__callable_rest *gp__task_rest(gp_task *task)
{
    size_t offset = task->class->rest_offset;
    return offset == 0 ? NULL : (struct gp__callable_rest *)((char *)task + offset);
}

void gp__task_list_append(gp_task_list *, gp_task *);
bool gp__task_list_remove(gp_task_list *, gp_task *);          /* true: it was in it */
void gp__task_list_splice(gp_task_list *, gp_task_list *rest); /* append all of rest */

#endif
