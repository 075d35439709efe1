/* See victim.h. */
#include "stress/victim.h"

#include <sched.h> /* sched_yield */

static void await(atomic_bool *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

void victim_stand(struct victim *victim)
{
    victim->thread = gp_thread_self();
    atomic_store(&victim->stands, true);
}

void victim_await(struct victim *victim)
{
    await(&victim->stands);
}

void victim_interrupt(struct victim *victim)
{
    victim_await(victim);
    if (victim->thread)
        gp_thread_interrupt(victim->thread);
    atomic_store(&victim->is_hit, true);
}

bool victim_leave(struct victim *victim)
{
    await(&victim->is_hit);
    return gp_interrupted();
}
