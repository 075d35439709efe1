/* Spins: what a thread has looked at, should it be waiting for that to change. */
#ifndef HARNESS_EXPLORE_RUNTIME_SPINS_H
#define HARNESS_EXPLORE_RUNTIME_SPINS_H

#include "harness/explore/runtime.h"

/* The rest of spin_looked, for a second look while no step has changed anything. */
void spin_look_again(const volatile void *address, size_t size, uint64_t value);

/* The running thread has seen this value there, and has changed nothing by that. */
static inline void spin_looked(const volatile void *address, size_t size, uint64_t value)
{
    struct thread *self = machine_self();

    if (machine.aside)
        return;
    if (self->round.changes == machine.changes) {
        spin_look_again(runtime_key_to_watch(address, size), size, value);
        return;
    }
    self->round.changes = machine.changes;
    self->round.pc = self->op.pc;
    self->round.state = 0;
    self->round.looks = 1;
}

/* It has looked at what may change by itself, such as the time. */
static inline void spin_looked_elsewhere(void)
{
    machine_self()->round.state = 0;
}

#endif
