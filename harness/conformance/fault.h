/*
 * Fault injection: make a chosen call of malloc, pthread_create and so on fail.
 *
 * The program is linked with --wrap for the six functions below, so the library's calls come by
 * here. Faults are for the thread that asked, or for all threads.
 *
 * To visit every fault point of an operation:
 *
 *     struct fault_walk walk = {.kinds = FAULT_ANY};
 *     while (fault_walk_next(&walk)) {
 *         int status = operation();
 *         if (fault_walk_hit(&walk)) {
 *             ... it failed cleanly ...
 *         } else {
 *             ... it succeeded; this was the last round ...
 *         }
 *     }
 */
#ifndef CONFORMANCE_FAULT_H
#define CONFORMANCE_FAULT_H

#include <stdbool.h>

enum {
    FAULT_MALLOC = 1,
    FAULT_CALLOC = 2,
    FAULT_REALLOC = 4,
    FAULT_MEMORY = FAULT_MALLOC | FAULT_CALLOC | FAULT_REALLOC,
    FAULT_THREAD = 8,     /* pthread_create */
    FAULT_MUTEX = 16,     /* pthread_mutex_init */
    FAULT_CONDITION = 32, /* pthread_cond_init */
    FAULT_ANY = 63
};

enum fault_scope {
    FAULT_THIS_THREAD,
    FAULT_ALL_THREADS
};

enum {
    FAULT_EVERY = 0
}; /* instead of a number: all calls fail */

/* From now on the nth call of these kinds fails (1: the next), once. One fault at a time. */
void fault_arm(unsigned kinds, unsigned nth, enum fault_scope);
unsigned fault_disarm(void); /* how many calls have failed */
unsigned fault_calls(void);  /* calls of these kinds since fault_arm, failed or not */

/* The next call of these kinds by this thread calls that first, and then goes on: what would happen
   if another came just there? */
void fault_meanwhile(unsigned kinds, void (*happens)(void *), void *argument);

struct fault_walk {
    unsigned kinds;
    unsigned point; /* the fault point of this round */
    bool over;      /* no fault was hit: there are no more points */
};

bool fault_walk_next(struct fault_walk *); /* arms the next fault; false: the walk is over */
bool fault_walk_hit(struct fault_walk *);  /* disarms it: was it hit? */

#endif
