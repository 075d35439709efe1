/*
 * Inboxes: how timeouts reach the worker of a timer.
 *
 * Java has two LinkedBlockingQueues here, Netty multi-producer queues. All that is needed is less:
 * many put things in, and one takes everything out at once. That is a stack of links: put pushes
 * with a CAS, take exchanges the whole stack for an empty one. Nothing is ever popped, so it does
 * not matter if an address comes back between a load and a CAS (the ABA problem). Who wants the
 * oldest first turns round what was taken. That goes once more through all of it, and through
 * memory that is in no cache, so who does not care should not.
 *
 *      last -> [ C ] -> [ B ] -> [ A ]          take gives  C, B, A; turned round: A, B, C
 *
 *   [INBOX-1] What was put in comes out, once, and in the order opposite to that in which it was
 *             put in.
 *   [INBOX-2] Closing is one exchange: what was put in before comes out of it, whatever comes after
 *             is refused. Nothing falls between.
 *
 * The second is what the queues of Java lack. There a timeout can be added after the worker has
 * drained its queue for the last time: it neither runs nor does stop hand it back. A flag beside
 * the queue does not help, since it is tested before and not in the step that adds; a lock would.
 *
 * Ordering. put releases and take acquires: who takes a thing out sees what was written before it
 * was put in. put and is_empty are seq_cst beside that: [SLEEP-1] needs them in one order with
 * another word.
 */
#include "wheel/inbox.h"

#include <stddef.h>

static struct gp__inbox_link closed; /* its address is the mark; never put in anywhere */

bool gp__inbox_put(struct gp__inbox *inbox, struct gp__inbox_link *link)
{
    struct gp__inbox_link *last =
        atomic_load_explicit(&inbox->last, memory_order_relaxed); /* the CAS confirms it */
    do {
        if (last == &closed) /* [INBOX-2] */
            return false;
        link->next = last;
        /* release, pairs with the acquire in empty; seq_cst: see Ordering */
    } while (!atomic_compare_exchange_weak_explicit(&inbox->last, &last, link, memory_order_seq_cst,
                                                    memory_order_relaxed));
    return true;
}

/* [INBOX-1] */
static struct gp__inbox_link *empty(struct gp__inbox *inbox, struct gp__inbox_link *next)
{
    /* acquire, pairs with the release in put */
    return atomic_exchange_explicit(&inbox->last, next, memory_order_acquire);
}

struct gp__inbox_link *gp__inbox_take(struct gp__inbox *inbox)
{
    /* relaxed: what is missed now is found the next time */
    if (atomic_load_explicit(&inbox->last, memory_order_relaxed) == NULL)
        return NULL;
    return empty(inbox, NULL);
}

struct gp__inbox_link *gp__inbox_close(struct gp__inbox *inbox)
{
    return empty(inbox, &closed);
}

struct gp__inbox_link *gp__inbox_turn_round(struct gp__inbox_link *taken)
{
    struct gp__inbox_link *first = NULL;
    while (taken != NULL) {
        struct gp__inbox_link *before = taken->next;
        taken->next = first;
        first = taken;
        taken = before;
    }
    return first;
}

bool gp__inbox_is_empty(struct gp__inbox *inbox)
{
    return atomic_load(&inbox->last) == NULL; /* seq_cst: see Ordering */
}

bool gp__inbox_is_closed(struct gp__inbox *inbox)
{
    return atomic_load_explicit(&inbox->last, memory_order_relaxed) == &closed; /* for checks */
}
