/*
 * A reserve: one block with places for a number of tasks.
 *
 * A queue that holds plain functions makes tasks of them when they are taken or looked at, and
 * taking must not fail for want of memory. So the queue reserves a place for each function when it
 * enqueues it. A block of places costs one call of malloc, and a place that is never used is never
 * touched: the system provides memory only for what is written.
 *
 *   [RESERVE-1] The block lives as long as its owner or a task in it: `refs` counts both.
 *   [RESERVE-2] A place is taken once, until the reserve is whole again; then its owner may begin
 *               anew with the first one.
 *
 * Ordering guarantees. Giving a place back is a release; finding the reserve whole is an acquire,
 * and so is freeing it: what was done with a task happens before its memory is used again.
 */
#include "future/reserve.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "future/task.h"

/* The header before each task, with the alignment of a task. */
struct place {
    _Alignas(gp_task) struct gp__reserve *reserve;
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 */
struct gp__reserve {
    _Atomic size_t refs; /* A its owner, and each task in it */
    size_t stride;       /* I from place to place */
    struct place first;  /* I the others follow */
};

struct gp__reserve *gp__reserve_new(size_t count, size_t task_size)
{
    size_t stride = sizeof(struct place) + task_size;
    if (count > (SIZE_MAX - sizeof(struct gp__reserve)) / stride)
        return NULL;
    struct gp__reserve *reserve = malloc(sizeof *reserve + count * stride);
    if (reserve == NULL)
        return NULL;
    atomic_init(&reserve->refs, 1);
    reserve->stride = stride;
    return reserve;
}

static void release(struct gp__reserve *reserve)
{
    /* acq_rel: see Ordering guarantees */
    if (atomic_fetch_sub_explicit(&reserve->refs, 1, memory_order_acq_rel) == 1)
        free(reserve);
}

void gp__reserve_release(struct gp__reserve *reserve)
{
    if (reserve != NULL)
        release(reserve);
}

void *gp__reserve_take(struct gp__reserve *reserve, size_t i)
{
    struct place *place = (struct place *)((char *)&reserve->first + i * reserve->stride);
    atomic_fetch_add_explicit(&reserve->refs, 1, memory_order_relaxed); /* the owner has one */
    place->reserve = reserve;
    return place + 1;
}

bool gp__reserve_is_whole(struct gp__reserve *reserve)
{
    /* acquire, pairs with the release in release [RESERVE-2] */
    return atomic_load_explicit(&reserve->refs, memory_order_acquire) == 1;
}

void gp__reserve_give_back(void *task)
{
    release(((struct place *)task - 1)->reserve);
}
