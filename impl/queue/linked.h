/* The linked queue inside the library, for those that are built on it. */
#ifndef GP_QUEUE_LINKED_H
#define GP_QUEUE_LINKED_H

#include "queue/queue.h"

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   Q: guarded by base.lock, the take lock
 *   P: guarded by put_lock
 */
struct gp__linked {
    gp_queue base;                 /* I its fields have letters of their own */
    gp_task_list outbox;           /* Q */
    pthread_mutex_t put_lock;      /* I */
    gp_task_list inbox;            /* P */
    struct gp__condition not_full; /* P */
    size_t capacity;               /* I */
    _Atomic size_t count;          /* A tasks in both lists */
};

typedef int gp__offer_fn(gp_queue *, gp_task *);

gp__offer_fn gp__linked_offer; /* what the linked queue does */

/* A linked queue with another offer. Its pool is told of what other threads bring [QUEUE-4]. */
int gp__linked_variant_new(gp__offer_fn *offer, size_t capacity, gp_queue **out);

#endif
