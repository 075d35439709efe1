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

/* A queue that starts with one of these may start its class from a copy of this; `free` frees the
   whole of it. */
extern const struct gp__queue_class gp__linked_class;

int gp__linked_init(struct gp__linked *, const struct gp__queue_class *, size_t capacity);

#endif
