/* Conditions: waiters in a line, woken one at a time, first come, first served. */
#ifndef GP_SYNC_CONDITION_H
#define GP_SYNC_CONDITION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A thread's place in the line, in its record.
 * Lock letters:
 *   C: guarded by the mutex of the condition that it waits for
 *   I: set once before publication
 */
struct gp__waiter {
    struct gp__waiter *next;     /* C */
    struct gp__waiter *previous; /* C */
    bool in_line;                /* C */
    struct gp_thread *thread;    /* I */
};

/*
 * A condition belongs to a mutex, the same one in every call.
 * Lock letters:
 *   C: guarded by the mutex that the condition belongs to
 */
struct gp__condition {
    struct gp__waiter *first; /* C waits longest */
    struct gp__waiter *last;  /* C */
};

/* With the mutex held: wait until signalled, interrupted (GP_EINTERRUPTED, the flag is cleared) or
   `deadline` (GP_ETIMEDOUT). GP_ENOMEM: the thread has no record and none could be made. */
int gp__condition_wait(struct gp__condition *, pthread_mutex_t *, int64_t deadline);
void gp__condition_signal(struct gp__condition *);     /* with the mutex held: wake the first */
void gp__condition_signal_all(struct gp__condition *); /* with the mutex held: wake all of them */

#endif
