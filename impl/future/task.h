/* Tasks inside the library: what queues hold and workers run. */
#ifndef GP_FUTURE_TASK_H
#define GP_FUTURE_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/task.h>

/* What the kinds of task do differently. run and discard use the owner's reference up. */
struct gp__task_class {
    void (*run)(gp_task *);
    void (*discard)(gp_task *);      /* complete what waits for it, give up the callable */
    void (*free)(gp_task *);         /* the last reference is gone */
    gp_future *(*future)(gp_task *); /* NULL: it has none */
    void (*done)(gp_future *);       /* futures: once, on completion; NULL: nothing to do */
    void (*cancelled)(gp_future *);  /* futures: after a successful cancel; NULL likewise */
    size_t delayed_offset;           /* of its gp__delayed_links; 0: not a delayed task */
};

/*
 * Lock letters:
 *   I: set once before the task is published
 *   A: atomic
 *   Q: belongs to the queue or list that holds the task, under its lock
 */
struct gp_task {
    const struct gp__task_class *class; /* I */
    struct gp_task *next;               /* Q */
    _Atomic int64_t time;               /* A when due (delayed) or queued */
    _Atomic unsigned refs;              /* A one of them is the owner's */
    _Atomic bool retired;               /* A the callable is given up */
    bool plain;                         /* I `run` rather than `call` */
    union {
        gp_call_fn *call;   /* I */
        gp_run_fn *run;     /* I */
    } function;             /* I */
    void *argument;         /* I destroyed by whoever sets `retired` */
    gp_destroy_fn *destroy; /* I */
};

/* What a delayed queue keeps in a task; the time is copied into its heap.
 * Lock letters:
 *   I: set once before the task is published
 *   A: atomic, since `remove` looks at tasks that another queue may hold
 *   Q: guarded by the lock of the queue that holds the task, or last held it
 */
struct gp__delayed_links {
    uint64_t sequence;            /* I breaks ties between equal times */
    _Atomic ptrdiff_t heap_index; /* A where in the heap, -1 if in none */
    unsigned short offset;        /* I of these links in their task */
    bool keeps_slot;              /* I periodic: its slot stays reserved while it runs */
    bool slot_reserved;           /* Q */
};

typedef void gp__any_fn(void);                  /* any function, to be shown, not to be called */
gp__any_fn *gp__task_function(const gp_task *); /* what it calls */

bool gp__callable_is_valid(const gp_callable *);
void gp__task_init(gp_task *, const struct gp__task_class *, const gp_callable *);
void gp__delayed_links_init(gp_task *, uint64_t sequence); /* its class says where they are */
int gp__task_call(gp_task *, void **result,
                  int cancel_state);      /* call the callable, whichever form it has; with
                                                cancellation as the task may expect it */
int gp__begin_task_code(void);            /* hold off cancellation around a task; returns ... */
void gp__end_task_code(int cancel_state); /* ... what is to be restored */
void gp__act_on_cancellation(void);       /* a request that a task did not notice ends the worker
                                             now, rather than the next task */
void gp__call_function(gp_run_fn *,
                       void *argument); /* all of that, on a worker, for a function that is no task;
                                           afterwards cancellation is let in, and deferred */
void gp__task_retire(gp_task *);        /* give up the callable: destroys the argument, once */
void gp__task_abandon(gp_task *);       /* refused: memory only, the argument is the caller's */

static inline void gp__task_set_time(gp_task *task, int64_t time)
{
    atomic_store_explicit(&task->time, time, memory_order_relaxed); /* a value, guards nothing */
}

/* A box: the memory of a task without a future, kept by a thread. */
gp_task *gp__take_box(void);   /* the calling thread's, or a new one; NULL: no memory */
void gp__leave_box(gp_task *); /* one that was not filled */
void gp__fill_box(gp_task *, gp_run_fn *run, void *argument); /* makes a task of it */

static inline struct gp__delayed_links *gp__delayed_links_of(gp_task *task)
{
    return task->class->delayed_offset == 0
               ? NULL
               : (struct gp__delayed_links *)((char *)task + task->class->delayed_offset);
}

static inline gp_task *gp__delayed_task_of(struct gp__delayed_links *links)
{
    return (gp_task *)((char *)links - links->offset);
}

void gp__task_list_append(gp_task_list *, gp_task *);
bool gp__task_list_remove(gp_task_list *, gp_task *);          /* true: it was in it */
void gp__task_list_splice(gp_task_list *, gp_task_list *rest); /* append all of rest */

#endif
