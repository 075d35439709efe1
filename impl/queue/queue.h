/* Queues inside the library: what each kind provides, and what all of them share. */
#ifndef GP_QUEUE_QUEUE_H
#define GP_QUEUE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/queue.h>

#include "sync/clock.h"     /* GP__NO_DEADLINE */
#include "sync/condition.h" /* struct gp__condition */

typedef bool gp__match_fn(gp_task *, void *context); /* called with the queue's lock held */

/* A plain function without a task around it, or a task. */
struct gp__work {
    gp_run_fn *run; /* NULL: the argument is a task */
    void *argument;
    int64_t time; /* of a function: for the task that may be made of it */
};

/* Called before a function is enqueued, under the put latch, so no concurrent count can miss it. */
struct gp__admission_check {
    bool (*may_enqueue)(void *context);
    void *context;
};

struct gp__key; /* future/task.h */

/* The source of a queue's new keys: the present time, and a number above all earlier ones. next_key
   is called under a latch and must not wait. */
struct gp__key_source {
    struct gp__key (*next_key)(void *context);
    void *context;
};

/* How a queue makes a task of a function that is taken or looked at: in memory of task_size bytes,
   which the task gives back by gp__reserve_give_back. */
struct gp__task_maker {
    size_t task_size;
    gp_task *(*make)(void *context, void *memory, gp_run_fn *, void *argument, struct gp__key);
    void *context;
};

/* Functions that travel without a task around them; see pool/functions.c. */
struct gp__function_class {
    void (*set_maker)(gp_queue *, const struct gp__task_maker *); /* NULL: it makes plain tasks */

    /* GP_OK; GP_ENOMEM; GP_EAGAIN: it may not be enqueued, or would be out of order. A delayed
       queue needs the keys, any other one ignores them. */
    int (*enqueue)(gp_queue *, const struct gp__work *, const struct gp__admission_check *,
                   const struct gp__key_source *);
    bool (*next)(gp_queue *, struct gp__work *out); /* without waiting, and without making a task of
                                                       a function */
};

struct gp__delayed_class; /* queue/delayed.h */

/* What the kinds of queue do differently; arguments are checked before. */
struct gp__queue_class {
    int (*offer)(gp_queue *, gp_task *);                         /* GP_OK, GP_EFULL, GP_ENOMEM */
    int (*offer_until)(gp_queue *, gp_task *, int64_t deadline); /* NULL: never full */
    int (*poll)(gp_queue *, gp_task **out);                      /* GP_OK, GP_EEMPTY */
    int (*take_until)(gp_queue *, int64_t deadline, gp_task **out);
    int (*remove)(gp_queue *, gp_task *);
    void (*drain)(gp_queue *, gp_task_list *);
    void (*remove_if)(gp_queue *, gp__match_fn *, void *context, gp_task_list *out);
    size_t (*snapshot)(gp_queue *, gp_task **out, size_t room); /* the head first */
    size_t (*backlog)(gp_queue *); /* with `lock` held: how many tasks are in it, functions too */
    bool (*is_quiet)(gp_queue *, size_t (*workers)(void *),
                     void *context); /* with `lock` held [QUEUE-1]; NULL: that lock is enough */
    size_t (*remaining)(gp_queue *); /* NULL: unbounded */
    bool holds_nothing;              /* tasks only pass through it */
    bool announces;                  /* its pool is told of external offers [QUEUE-4]; without a
                                        pool it accepts nothing */
    int (*check)(gp_queue *);
    void (*free)(gp_queue *);                   /* it has no tasks, and no thread waits */
    const struct gp__delayed_class *delayed;    /* NULL: it is no delayed queue */
    const struct gp__function_class *functions; /* NULL: it takes tasks only */
};

/* An external caller took `count` tasks out of the queue; called without a lock. */
typedef void gp__taken_away_fn(void *keeper, size_t count);

/* True: an external caller is about to offer a task. False: the queue did not take it. */
typedef void gp__brought_fn(void *keeper, bool comes);

/* Bytes between what different processors write: two cache lines, which some fetch together. */
#define GP__FALSE_SHARING 128

/*
 * The beginning of every queue.
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   K: written before `keeper`, and read after `keeper` was seen
 *   Q: guarded by `lock`
 */
struct gp_queue {
    const struct gp__queue_class *class; /* I */
    gp__taken_away_fn *taken_away;       /* K */
    gp__brought_fn *brought;             /* K NULL: the pool need not know */
    _Atomic(void *) keeper;              /* A the pool to tell of it; NULL: none yet */
    _Atomic size_t takers;          /* A threads that wait for a task; changed with `lock` held */
    _Atomic size_t putters;         /* A threads that wait for room, or for a taker */
    _Atomic size_t watchers;        /* A threads that wait on `quiet` */
    _Atomic size_t deepest;         /* A the largest size so far */
    char apart[GP__FALSE_SHARING];  /* I padding: the above is read without the lock */
    pthread_mutex_t lock;           /* I guards the side that takes, or all of the queue */
    size_t strangers;               /* Q the waiting takers that are not idle workers */
    struct gp__condition available; /* Q takers wait here for a task */
    struct gp__condition quiet;     /* Q threads wait here until all takers wait */
};

int gp__queue_init(gp_queue *, const struct gp__queue_class *);
void gp__queue_destroy(gp_queue *);

/* With `lock` held: count the caller as a waiting taker, or stop counting it. */
bool gp__queue_begin_wait(gp_queue *); /* true: it is not an idle worker */
void gp__queue_end_wait(gp_queue *, bool stranger);

/* With `lock` held: wait for a signal on `available`, counted among the takers. */
int gp__queue_await_task(gp_queue *, int64_t deadline);

/* For queues with one lock: poll, take and snapshot in terms of two small functions, which are
   called with `lock` held: take the head out of a queue that is not empty; name the i-th task. */
typedef gp_task *gp__pop_fn(gp_queue *);
typedef gp_task *gp__at_fn(gp_queue *, size_t i);

int gp__queue_poll_with(gp_queue *queue, gp__pop_fn *pop, gp_task **out);
int gp__queue_take_with(gp_queue *queue, gp__pop_fn *pop, int64_t deadline, gp_task **out);
size_t gp__queue_snapshot_with(gp_queue *queue, gp__at_fn *at, gp_task **out, size_t room);

/* With the lock of `room` held: wait for a signal on it, counted among the putters. */
int gp__queue_await_room(gp_queue *, struct gp__condition *room, pthread_mutex_t *,
                         int64_t deadline);

/* The pool that has the queue. The queue tells it of tasks that external callers take out, and, if
   it asks for that, of tasks that they offer. The pool itself uses the calls below: they do not
   check their arguments, and tell it nothing. */
void gp__queue_set_keeper(gp_queue *, gp__taken_away_fn *, gp__brought_fn *, void *keeper);

static inline void *gp__queue_keeper(gp_queue *queue) /* NULL: there is none yet */
{
    /* acquire, pairs with the release in set_keeper */
    return atomic_load_explicit(&queue->keeper, memory_order_acquire);
}

int gp__queue_offer(gp_queue *, gp_task *);
int gp__queue_next_task(gp_queue *, int64_t nanos, gp_task **out); /* as poll_timed, by a worker */
int gp__queue_poll(gp_queue *, gp_task **out);
int gp__queue_remove(gp_queue *, gp_task *);
void gp__queue_drain(gp_queue *, gp_task_list *out);

/* Wait until the queue is empty and all workers wait; `workers` counts them, under `lock`. */
int gp__queue_await_quiet(gp_queue *, size_t (*workers)(void *), void *context, int64_t deadline);
bool gp__queue_do_all_wait(const gp_queue *, size_t (*workers)(void *), void *context);
void gp__queue_nudge(
    gp_queue *); /* fewer tasks, or fewer workers: check again whether it is quiet */

void gp__queue_remove_if(gp_queue *queue, gp__match_fn *matches, void *context, gp_task_list *out);
void gp__queue_note_size(gp_queue *, size_t size); /* after an offer: updates `deepest` */

static inline size_t gp__queue_deepest(const gp_queue *queue)
{
    return atomic_load_explicit(&queue->deepest, memory_order_relaxed); /* statistics only */
}

bool gp__queue_holds_nothing(const gp_queue *); /* there is never a head to make room with */

#endif
