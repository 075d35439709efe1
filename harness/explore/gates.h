/* Gates: can a thread do what it has announced, or must it wait for others, or for the time? */
#ifndef HARNESS_EXPLORE_GATES_H
#define HARNESS_EXPLORE_GATES_H

#include "harness/explore/machine.h"
#include "harness/explore/objects.h"

enum gate {
    GATE_CLOSED,
    GATE_OPEN,
    GATE_FAULTY /* only by a fault that is allowed: a wake-up for no reason */
};

enum gate gate_of(const struct thread *, unsigned number);
/* Of one who is gated: without regard to the mutex that it has to wait for besides, or NULL. */
enum gate gate_beside_mutex(const struct thread *, unsigned number, const struct x_mutex **);
bool can_lock(const struct x_mutex *, unsigned number); /* now, or be told that it has it */
bool is_timed_out(const struct op *);
bool is_cancelled_at(const struct thread *, const struct op *);

void gates_enter(unsigned number); /* it has announced what may have to wait */
/* While it does what it had announced, and until it announces something else, it is ready. */
void gates_leave(unsigned number);
/* Who can step, the clock left aside; machine.spurious tells who only by a fault. */
thread_set gates_find_enabled(void);
/* Of those who yield: in spins that may have an end of their own [SPIN-1], and have gone round in
   vain less often than this. */
thread_set gates_find_inexact(unsigned rounds);
_Noreturn void gates_report_deadlock(void); /* or that only spins are left: a livelock */

#endif
