/* The lane of the fast delayed queue: tasks that were due when they came. */
#ifndef GP_QUEUE_LANE_H
#define GP_QUEUE_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue/belts.h"
#include "queue/delayed.h"
#include "queue/heap.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   P: guarded by belts.put_latch
 */
struct gp__lane {
    struct gp__belts belts;      /* I its fields have letters of their own */
    _Atomic int64_t horizon;     /* A items before it may be taken without the queue's lock; changed
                                 with that lock held; GP__NO_HORIZON: all items may */
    _Atomic size_t elsewhere;    /* A tasks of the queue that are not on the lane; changed with the
                                 queue's lock held */
    struct gp__task_maker maker; /* I */
    char apart[GP__FALSE_SHARING]; /* I padding: the put side has cache lines of its own */
    struct gp__key last;           /* P of the item put last; unset while `placed` is 0 */
};

#define GP__NO_HORIZON INT64_C(1) /* an actual horizon is even */

/*
 * The queue with a lane (delayed_lane.c).
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by base.lock
 */
struct gp__delayed_lane {
    gp_queue base;          /* I its fields have letters of their own */
    struct gp__lane lane;   /* I its fields have letters of their own */
    struct gp__heap heap;   /* Q tasks that were not due when they came */
    gp_thread *leader;      /* Q the taker that waits for the head of the heap, or NULL */
    struct gp__alarm alarm; /* Q */
    bool rang;              /* Q the alarm has ended a take since a task was taken with the lock */
};

void gp__lane_init(struct gp__lane *);
void gp__lane_set_maker(struct gp__lane *, const struct gp__task_maker *); /* before any use */

/* Put a task that is due, or a function. GP_OK; GP_ENOMEM; GP_EAGAIN: it would be out of order, and
   there is no new key, or that does not help; or the function may not be enqueued. */
int gp__lane_put(struct gp__lane *, gp_queue *, gp_task *, const struct gp__key_source *);
int gp__lane_enqueue_function(struct gp__lane *, gp_queue *, const struct gp__work *,
                              const struct gp__admission_check *, const struct gp__key_source *);

/* Without the queue's lock: take the first item, if it is before the horizon. GP_OK; GP_EEMPTY:
   there is none, or a task elsewhere may be earlier. */
int gp__lane_next(struct gp__lane *, struct gp__work *out);
int gp__lane_next_task(struct gp__lane *, gp_task **out); /* the same, as a task */

/* With the queue's lock held. */
int gp__lane_take(struct gp__lane *lane, const struct gp__entry *rival,
                  gp_task **out); /* take the first item, unless `rival`, the head of the heap, is
                                     before it; NULL: there is no rival */
void gp__lane_set_horizon(struct gp__lane *, int64_t horizon, size_t elsewhere);
bool gp__lane_remove(struct gp__lane *, gp_task *); /* false: it is not on the lane */
void gp__lane_sweep(struct gp__lane *, gp__match_fn *matches, void *context, gp_task_list *out);
int gp__lane_check(struct gp__lane *, gp_queue *); /* the invariant that is broken, or 0 */

/* With the queue's lock and both latches of `belts` held. */
bool gp__lane_comes_first(struct gp__lane *, const struct gp__entry *rival); /* as in _take */
gp_task *gp__lane_pop(struct gp__lane *);                            /* take the first item */
size_t gp__lane_show(struct gp__lane *, gp_task **out, size_t room); /* the number shown */

#endif
