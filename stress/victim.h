/*
 * A thread that is interrupted, once, at any time from victim_stand on.
 *
 * victim_interrupt waits until it stands; victim_leave waits until the interrupt has come, and
 * leaves no flag to those who come after. Both wait by looking again and again: a future would do,
 * but its waiters and references have races of their own, and there are so many orders of these
 * that the explorer does not come to an end with those of the subject.
 */
#ifndef STRESS_VICTIM_H
#define STRESS_VICTIM_H

#include <stdatomic.h>
#include <stdbool.h>

#include <glasspool/thread.h>

/* All zero at first. */
struct victim {
    gp_thread *thread; /* published by `stands` */
    atomic_bool stands, is_hit;
};

void victim_stand(struct victim *);
void victim_interrupt(struct victim *);
void victim_await(struct victim *); /* until it stands */
bool victim_leave(struct victim *); /* the flag was still up */

#endif
