/*
 * Belts: two arrays of items between the put side and the take side, with a latch for each. The
 * conveyor (conveyor.c) and the lane of a delayed queue (lane.c) are made of them. conveyor.c gives
 * the reasons and the invariants.
 *
 *      put --> [ inbox ] === all at once, when the outbox is empty ===> [ outbox ] --> take
 *              put latch                                                take latch
 *
 *   [BELTS-1] Reserve: on each belt, the functions on it, the items that it may still get (limit -
 *             end) and the carved places are no more than `room`, and the reserve has `room`
 *             places. So each function that is taken or looked at finds a place for its task.
 */
#ifndef GP_QUEUE_BELTS_H
#define GP_QUEUE_BELTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <glasspool/status.h>

#include "future/reserve.h"
#include "queue/queue.h"
#include "sync/latch.h"

/* Items from `first` up to `end`, in order. Of the places in the reserve `carved` are used up. */
struct gp__belt {
    void *items;
    size_t first;
    size_t end;
    size_t limit; /* of `end`, until the belt grows [BELTS-1] */
    size_t room;
    struct gp__reserve *reserve; /* for `room` tasks */
    size_t carved;
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   T: guarded by take_latch
 *   P: guarded by put_latch
 */
struct gp__belts {
    struct gp__latch take_latch;       /* A */
    struct gp__belt outbox;            /* T */
    _Atomic size_t taken;              /* A changed with take_latch held */
    size_t holes;                      /* T places whose items were removed */
    char apart[GP__FALSE_SHARING];     /* I padding: each side has cache lines of its own */
    struct gp__latch put_latch;        /* A */
    struct gp__belt inbox;             /* P */
    size_t placed;                     /* P */
    size_t known_taken;                /* P the value of `taken` last read */
    size_t item_size;                  /* I */
    size_t task_size;                  /* I of the task that is made of a function */
    char apart_too[GP__FALSE_SHARING]; /* I padding */
    _Atomic size_t sleepers;           /* A takers that wait and are not signalled; changed with the
                                          queue's lock held */
};

static inline void gp__belts_lock(struct gp__belts *belts)
{
    gp__latch_lock(&belts->take_latch);
    gp__latch_lock(&belts->put_latch);
}

static inline void gp__belts_unlock(struct gp__belts *belts)
{
    gp__latch_unlock(&belts->put_latch);
    gp__latch_unlock(&belts->take_latch);
}

/* With both latches held [CONVEYOR-2]. */
static inline size_t gp__belts_count(const struct gp__belts *belts)
{
    return belts->placed - atomic_load_explicit(&belts->taken, memory_order_relaxed); /* latched */
}

bool gp__belts_grow(struct gp__belts *); /* the inbox; false: no memory */

/* With the put latch held: GP_OK, GP_ENOMEM. `size` is item_size, as a compile-time constant. */
static inline int gp__belts_append(struct gp__belts *belts, const void *item, size_t size)
{
    struct gp__belt *belt = &belts->inbox;
    if (belt->end == belt->limit && !gp__belts_grow(belts))
        return GP_ENOMEM;
    memcpy((char *)belt->items + belt->end++ * size, item, size);
    belts->placed++;
    return GP_OK;
}

#define GP__FINE 64 /* the deepest size is exact to one part in 64 */

/* With the put latch held, after an item was put: update `deepest`, which also counts what the
   queue has elsewhere. */
static inline void gp__belts_note_size(struct gp__belts *belts, gp_queue *queue, size_t elsewhere)
{
    size_t deepest = gp__queue_deepest(queue);
    if (belts->placed - belts->known_taken + elsewhere <= deepest + deepest / GP__FINE)
        return;
    /* relaxed: statistics only */
    belts->known_taken = atomic_load_explicit(&belts->taken, memory_order_relaxed);
    gp__queue_note_size(queue, belts->placed - belts->known_taken + elsewhere);
}

void gp__belt_recover(struct gp__belt *); /* the belt is empty: recompute its limit */

/* With both latches held, when the outbox is empty [CONVEYOR-1]. */
static inline void gp__belts_swap(struct gp__belts *belts)
{
    struct gp__belt empty = belts->outbox;
    empty.first = empty.end = 0;
    if (empty.carved > 0)
        gp__belt_recover(&empty);
    belts->outbox = belts->inbox;
    belts->inbox = empty;
}

/* The same with the take latch held. */
static inline void gp__belts_exchange(struct gp__belts *belts)
{
    gp__latch_lock(&belts->put_latch);
    gp__belts_swap(belts);
    gp__latch_unlock(&belts->put_latch);
}

/* With the take latch held: `more` items have left [CONVEYOR-2]. */
static inline void gp__belts_add_taken(struct gp__belts *belts, size_t more)
{
    size_t taken = atomic_load_explicit(&belts->taken, memory_order_relaxed); /* under our latch */
    /* relaxed: a reader that needs it exactly holds the latch */
    atomic_store_explicit(&belts->taken, taken + more, memory_order_relaxed);
}

/* With the take latch held, for an item of the outbox; with both, for any: memory for the task of a
   function that is on the belt, and leaves it or becomes that task [BELTS-1]. */
void *gp__belt_carve(struct gp__belt *);

/* With both latches held: items have moved up, and the belt now ends at `end`. */
void gp__belt_close(struct gp__belt *, size_t end);

/* With the queue's lock held. */
void gp__belts_wake_one(struct gp__belts *, gp_queue *);               /* if one sleeps */
int gp__belts_await(struct gp__belts *, gp_queue *, int64_t deadline); /* for an item or a signal */

/* After an item was put. */
static inline void gp__belts_wake(struct gp__belts *belts, gp_queue *queue)
{
    /* relaxed: the latch orders it [CONVEYOR-3] */
    if (atomic_load_explicit(&belts->sleepers, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&queue->lock);
    gp__belts_wake_one(belts, queue);
    pthread_mutex_unlock(&queue->lock);
}

/* With the queue's lock held: are the belts and `elsewhere` empty, and do all workers wait? */
bool gp__belts_are_quiet(struct gp__belts *belts, const gp_queue *queue, size_t elsewhere,
                         size_t (*workers)(void *), void *context);

size_t gp__belts_size(struct gp__belts *);     /* takes the latches */
int gp__belts_check(const struct gp__belts *); /* with both held: from [CONVEYOR-1] on, or 0 */
bool gp__belts_sleepers_are_in_line(struct gp__belts *, const gp_queue *); /* [CONVEYOR-3]; with the
                                                                              lock held */
void gp__belts_init(struct gp__belts *, size_t item_size, size_t task_size);
void gp__belts_destroy(struct gp__belts *);

#endif
