/*
 * Those who wait for a future: FutureTask.awaitDone and finishCompletion without a collector.
 *
 * The waiters form a lock-free stack of nodes, each on the stack of the thread that waits. Only two
 * things are ever done to it: push one node, and grab the whole stack (exchange with NULL). With
 * nothing else there is no ABA, and a grabbed list belongs to one thread.
 *
 *      waiters -> [ C ] -> [ B ] -> [ A ]
 *
 * In Java a node that nobody needs is simply forgotten, and a thread that gives up walks the live
 * stack to unlink its node among others who do the same. Here the node vanishes with the waiter's
 * frame, so leaving is a protocol of its own:
 *
 *   [WAITERS-1] A thread leaves only when its node has been released (by a completer, which never
 *               touches it again) or when it has taken the node out itself.
 *   [WAITERS-2] To take a node out: grab all, drop the node if it is among them, push the rest
 *               back. If it is not among them, somebody else has it grabbed and will release it or
 *               push it back: try again.
 *   [WAITERS-3] While a list is grabbed a completer may find the stack empty and go on. Therefore
 *               whoever pushes nodes, a new one or the rest of a grabbed list, looks at the state
 *               afterwards; if the future is done, it releases the waiters in the completer's
 *               place. (The same pair of seq_cst accesses as for a single push.)
 *
 * A released node's thread is retained before the node is released, because the waiter may return
 * and end before it is unparked.
 *
 * Order among waiters does not matter: all are released together.
 */
#include "future/future.h"

#include <glasspool/status.h>

#include "sync/os.h"

/*
 * Lock letters:
 *   A: atomic
 *   G: belongs to whoever has grabbed or is pushing the node
 *   I: set once before the node is pushed
 */
struct gp__future_waiter {
    struct gp__future_waiter *next; /* G */
    gp_thread *thread;              /* I */
    _Atomic bool released;          /* A */
};

typedef struct gp__future_waiter waiter_node;

static void push(gp_future *future, waiter_node *first, waiter_node *last)
{
    waiter_node *head = atomic_load_explicit(&future->waiters, memory_order_relaxed); /* a guess */
    do {
        last->next = head;
    } while (!atomic_compare_exchange_weak(&future->waiters, &head, first)); /* seq_cst: the pair */
}

static waiter_node *grab(gp_future *future)
{
    return atomic_exchange(&future->waiters, NULL); /* seq_cst; acquires what pushers wrote */
}

void gp__future_release_waiters(gp_future *future)
{
    waiter_node *node = grab(future);
    while (node != NULL) {
        waiter_node *next = node->next;
        gp_thread *thread = gp_thread_retain(node->thread);
        /* release, pairs with the acquire in leave: our last access to the node */
        atomic_store_explicit(&node->released, true, memory_order_release);
        gp__unpark(thread);
        gp_thread_release(thread);
        node = next;
    }
}

static int settled_state(gp_future *future)
{
    unsigned rounds = 0;
    int state;
    while ((state = atomic_load(&future->task.state)) == GP_COMPLETING) /* seq_cst: the pair */
        gp__os_backoff(&rounds);
    return state;
}

/* [WAITERS-2]: true if the node was there and is out now. */
static bool take_out(gp_future *future, waiter_node *node)
{
    waiter_node *list = grab(future);
    waiter_node *last = NULL;
    bool found = false;
    for (waiter_node **link = &list; *link != NULL;) {
        if (*link == node) {
            *link = node->next;
            found = true;
        } else {
            last = *link;
            link = &last->next;
        }
    }
    if (last == NULL)
        return found;
    push(future, list, last);
    if (settled_state(future) != GP_NEW) /* [WAITERS-3] */
        gp__future_release_waiters(future);
    return found;
}

static void leave(gp_future *future, waiter_node *node)
{
    unsigned rounds = 0;
    /* acquire, pairs with the release above: the completer is done with the node */
    while (!atomic_load_explicit(&node->released, memory_order_acquire) && !take_out(future, node))
        gp__os_backoff(&rounds);
}

/*
 * What the wait has to achieve:
 *   - Done wins: a future that is done is never reported as interrupted or timed out, whatever else
 *     has happened meanwhile (JDK-8073704).
 *   - COMPLETING is as good as done: no park, no interrupt, just the moment until it has passed.
 *   - The node is pushed once, and the state looked at again after that, before the first park.
 *   - The deadline was fixed before we came here; the clock is not read again (JDK-8060052).
 *   - Nobody leaves with a node that others may still touch [WAITERS-1].
 */
int gp__future_await(gp_future *future, gp_thread *self, int64_t deadline)
{
    waiter_node node = {.thread = self};
    int status = GP_OK;
    atomic_init(&node.released, false);
    push(future, &node, &node);
    while (settled_state(future) == GP_NEW && status == GP_OK)
        status = gp__park(self, deadline);
    leave(future, &node);
    if (settled_state(future) != GP_NEW)
        return GP_OK;
    if (status == GP_EINTERRUPTED)
        gp__clear_interrupt(self);
    return status;
}
