/*
 * Conditions: java.util.concurrent.locks.Condition for C.
 *
 * Contract. Waiters form a line. A signal takes the first out of the line and wakes it; it is not
 * remembered when nobody waits. (Document 002 asks whether a signal picks at random or in order.
 * In Java it is in order, since AQS keeps its condition queue so; pthread_cond_signal promises
 * nothing. Hence this file.)
 *
 *      first                last
 *        |                    |
 *      [ A ] <-> [ B ] <-> [ C ]       each node in the record of its thread
 *
 *   [CONDITION-1] A waiter is in the line from the moment it gives up the mutex until it is
 *                 signalled or, with the mutex held again, takes itself out. So a signal is never
 *                 spent on somebody who has already given up.
 *   [CONDITION-2] A wait that was signalled returns GP_OK, even if the deadline or an interrupt
 *                 came at the same time: the signal must not get lost. The interrupt's flag stays
 *                 up.
 *   [CONDITION-3] A thread waits in one line at a time; its node is in its record and is touched
 *                 only with the mutex of that line held.
 *
 * A signal unparks while the mutex is held: the woken thread may have to wait for it a moment, but
 * its record cannot go away in between (it needs the mutex to leave).
 */
#include "sync/condition.h"

#include <stddef.h>

#include <glasspool/status.h>

#include "sync/thread.h"

static void append(struct gp__condition *condition, struct gp__waiter *waiter)
{
    waiter->previous = condition->last;
    waiter->next = NULL;
    if (condition->last != NULL)
        condition->last->next = waiter;
    else
        condition->first = waiter;
    condition->last = waiter;
    waiter->in_line = true;
}

static void unlink_waiter(struct gp__condition *condition, struct gp__waiter *waiter)
{
    if (waiter->previous != NULL)
        waiter->previous->next = waiter->next;
    else
        condition->first = waiter->next;
    if (waiter->next != NULL)
        waiter->next->previous = waiter->previous;
    else
        condition->last = waiter->previous;
    waiter->in_line = false;
}

int gp__condition_wait(struct gp__condition *condition, pthread_mutex_t *mutex, int64_t deadline)
{
    gp_thread *self = gp_thread_self();
    if (self == NULL)
        return GP_ENOMEM;
    if (gp__clear_interrupt(self))
        return GP_EINTERRUPTED;
    struct gp__waiter *waiter = &self->waiter;
    append(condition, waiter); /* [CONDITION-3] */
    int status = GP_OK;
    while (waiter->in_line && status == GP_OK) {
        pthread_mutex_unlock(mutex);
        status = gp__park(self, deadline);
        pthread_mutex_lock(mutex);
    }
    if (!waiter->in_line)
        return GP_OK;                 /* [CONDITION-2] */
    unlink_waiter(condition, waiter); /* [CONDITION-1] */
    if (status == GP_EINTERRUPTED)
        gp__clear_interrupt(self);
    return status;
}

void gp__condition_signal(struct gp__condition *condition)
{
    struct gp__waiter *waiter = condition->first;
    if (waiter == NULL)
        return;
    unlink_waiter(condition, waiter);
    gp__unpark(waiter->thread);
}

void gp__condition_signal_all(struct gp__condition *condition)
{
    while (condition->first != NULL)
        gp__condition_signal(condition);
}
