/*
 * Timeouts: HashedWheelTimeout.
 *
 *      INIT --expire--> EXPIRED        by the worker, which then calls its function
 *      INIT --cancel--> CANCELLED      by any thread that has a handle
 *      INIT --stop----> HANDED_BACK    which is reported as cancelled, too
 *
 *   [TIMEOUT-1] The state leaves INIT once, by one CAS. The thread that does that decides what
 *               becomes of the timeout: a cancel that returns true means that the function is not
 *               called, now or later (NETTY-431 had plain stores here). The same CAS adds the
 *               references that this needs, since state and references are one word.
 *   [TIMEOUT-2] The argument belongs to the thread that has taken the state out of INIT, and is
 *               destroyed once: by the cancel; when the function has returned, or has left by
 *               pthread_exit or cancellation; when the executor drops it; and of a timeout that
 *               stop hands back, with the last reference.
 *   [TIMEOUT-3] A timeout is not freed while something refers to it. The wheel has one reference,
 *               which goes along from the inbox through the rows to the call; the inbox of the
 *               cancelled has another, since a timeout may be in both at once. Handles have one
 *               each. Destroying the argument may give up the handle with which cancel was called:
 *               so cancel takes the reference for the inbox before that, and touches the timeout no
 *               more once it is in. A drop makes the handle's reference that of the inbox. Each
 *               timeout that was accepted has a reference to its timer: a canceller that runs while
 *               the timer is stopped and freed finds the inbox still there, and closed. A canceller
 *               that has something to tell the timer once the timeout is in, as with a tickless
 *               one, has a reference of its own for that.
 *
 *      word    31 ... 2       1 0
 *              references    state
 *
 * Memory. Most timeouts are added, cancelled and forgotten, a million of them at a time, and what
 * that costs is cache lines rather than instructions. So a timeout is small: the link of the
 * cancelled shares the function's place, since a cancelled timeout is not called; the link of the
 * added shares the place of the next in the row; a task has a place only if there is an executor.
 * The memory comes from malloc and goes there; in fast.c the timer keeps it.
 *
 * Cancelled timeouts leave the wheel at the next turn: cancel hands them to the worker, which alone
 * touches rows. Without that they would stay until their bucket comes round (netty, 2014), days
 * later if need be. Cancel destroys the argument itself, at once, so only the timeout's own memory
 * waits for the turn: the next tick, or, without ticks, when enough of them wait [SLEEP-2].
 *
 * Where a function is called. On the worker, or as a task of the executor. Both have the same two
 * steps, gp__timeout_run and gp__timeout_end, and the second comes whatever becomes of the first:
 * it is a cleanup handler on the worker, and the task's destructor on the executor. `status` says
 * how far it has come; it is GP_EREJECTED until the function begins. The task is made together with
 * the timeout: when it is due nothing is left that could fail for want of memory, but in the
 * executor itself.
 */
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/task.h" /* gp__task_abandon */
#include "sync/probe.h"
#include "wheel/timer.h"

enum {
    REFERENCE = 4 /* in the word; below are the two bits of the state */
};

static enum gp__timeout_state state_in(unsigned word)
{
    return (enum gp__timeout_state)(word % REFERENCE);
}

static enum gp__timeout_state state_of(const gp_timeout *timeout)
{
    /* acquire, pairs with the CAS: what came before a cancel or an expiry is seen */
    return state_in(atomic_load_explicit(&timeout->word, memory_order_acquire));
}

/* Lifetime. */

static bool has_task(const gp_timeout *timeout)
{
    return timeout->timer->executor != NULL;
}

static int create_task(gp_timeout *timeout)
{
    gp_callable callable = {
        .run = gp__timeout_run, .argument = timeout, .destroy = gp__timeout_end};
    return has_task(timeout) ? gp_task_new(&callable, &timeout->task[0]) : GP_OK;
}

static size_t size_in(const gp_timer *timer)
{
    return sizeof(gp_timeout) + (timer->executor != NULL ? sizeof(gp_task *) : 0);
}

void gp__timeout_init(gp_timeout *timeout, gp_timer *timer, int64_t deadline, gp_timeout_fn *run,
                      void *argument, gp_destroy_fn *destroy)
{
    atomic_init(&timeout->word, GP__TIMEOUT_INIT + REFERENCE);
    timeout->status = GP_EREJECTED;
    timeout->timer = timer;
    timeout->run = run;
    timeout->destroy = destroy;
    timeout->argument = argument;
    timeout->deadline = deadline;
    timeout->row = NULL;
}

int gp__timeout_new(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                    gp_destroy_fn *destroy, gp_timeout **out)
{
    gp_timeout *timeout = malloc(size_in(timer));
    if (timeout == NULL)
        return GP_ENOMEM;
    gp__timeout_init(timeout, timer, deadline, run, argument, destroy);
    int status = create_task(timeout);
    if (status != GP_OK) {
        free(timeout);
        return status;
    }
    *out = timeout;
    return GP_OK;
}

/* [TIMEOUT-2] */
static void destroy_argument(gp_timeout *timeout)
{
    if (timeout->destroy != NULL)
        timeout->destroy(timeout->argument);
}

void gp__timeout_reclaim(gp_timeout *timeout, enum gp__timeout_state state)
{
    if (has_task(timeout) && state != GP__TIMEOUT_EXPIRED)
        gp__task_abandon(timeout->task[0]);
    free(timeout);
}

static void free_timeout(gp_timeout *timeout, enum gp__timeout_state state)
{
    gp_timer *timer = timeout->timer;
    if (state == GP__TIMEOUT_HANDED_BACK)
        destroy_argument(timeout);
    timer->intake->reclaim(timeout, state);
    gp__timer_release(timer);
}

void gp__timeout_share(gp_timeout *timeout)
{
    atomic_init(&timeout->word, GP__TIMEOUT_INIT + 2 * REFERENCE); /* no other thread has it */
}

gp_timeout *gp_timeout_retain(gp_timeout *timeout)
{
    /* relaxed: we hold one already */
    atomic_fetch_add_explicit(&timeout->word, REFERENCE, memory_order_relaxed);
    return timeout;
}

static void release(gp_timeout *timeout, unsigned references)
{
    /* acq_rel: what the others did with it happens before it is freed. */
    unsigned word = atomic_fetch_sub_explicit(&timeout->word, references, memory_order_acq_rel);
    if (word < references + REFERENCE)
        free_timeout(timeout, state_in(word));
}

void gp_timeout_release(gp_timeout *timeout)
{
    if (timeout != NULL)
        release(timeout, REFERENCE);
}

void gp__timeout_release_both(gp_timeout *timeout)
{
    release(timeout, 2 * REFERENCE);
}

/* The state. */

/* [TIMEOUT-1] */
static bool leave_init(gp_timeout *timeout, enum gp__timeout_state next, unsigned references)
{
    /* acquire, here and when the CAS fails: as in state_of */
    unsigned word = atomic_load_explicit(&timeout->word, memory_order_acquire);
    do {
        if (state_in(word) != GP__TIMEOUT_INIT)
            return false;
        /* acq_rel: pairs with state_of */
    } while (!atomic_compare_exchange_weak_explicit(&timeout->word, &word, word + next + references,
                                                    memory_order_acq_rel, memory_order_acquire));
    GP_PROBE(timeout_state, timeout, next);
    return true;
}

bool gp__timeout_leave_init(gp_timeout *timeout, enum gp__timeout_state next)
{
    bool left = leave_init(timeout, next, 0);
    if (left)
        gp__timer_unpend(timeout->timer); /* [TIMER-2] */
    return left;
}

/* Hand the cancelled timeout to the worker, with a reference that is the inbox's from then on.
   After that the timeout may be gone, and the timer, too; only a tickless timer has to be told. */
static void hand_in(gp_timeout *timeout)
{
    gp_timer *timer = timeout->timer;
    bool ticks = timer->class->ticks;
    ticks ? gp__timer_unpend(timer) : gp__timer_unpend_and_retain(timer); /* [TIMER-2] */
    destroy_argument(timeout);
    bool in = gp__inbox_put(&timer->cancelled, &timeout->cancelled);
    if (!in)
        gp_timeout_release(timeout); /* the timer has stopped, and given it up */
    if (ticks)
        return;
    if (in)
        gp__timer_tell_cancelled(timer);
    gp__timer_release(timer);
}

bool gp_timeout_cancel(gp_timeout *timeout)
{
    /* [TIMEOUT-3]: the inbox's reference; the argument may own the handle */
    if (!leave_init(timeout, GP__TIMEOUT_CANCELLED, REFERENCE))
        return false;
    hand_in(timeout);
    return true;
}

bool gp_timeout_drop(gp_timeout *timeout)
{
    if (timeout == NULL)
        return false;
    bool cancelled = leave_init(timeout, GP__TIMEOUT_CANCELLED, 0);
    if (cancelled)
        hand_in(timeout); /* [TIMEOUT-3]: the handle's reference is the inbox's now */
    else
        gp_timeout_release(timeout);
    return cancelled;
}

bool gp_timeout_is_expired(const gp_timeout *timeout)
{
    return state_of(timeout) == GP__TIMEOUT_EXPIRED;
}

bool gp_timeout_is_cancelled(const gp_timeout *timeout)
{
    enum gp__timeout_state state = state_of(timeout);
    return state == GP__TIMEOUT_CANCELLED || state == GP__TIMEOUT_HANDED_BACK;
}

gp_timer *gp_timeout_timer(const gp_timeout *timeout)
{
    return timeout->timer;
}

void *gp_timeout_argument(const gp_timeout *timeout)
{
    return timeout->argument;
}

/* Its function. */

void gp__timeout_run(void *argument)
{
    gp_timeout *timeout = argument;
    timeout->status = GP_EABRUPT; /* unless it returns */
    timeout->status = timeout->run(timeout, timeout->argument);
}

void gp__timeout_end(void *argument)
{
    gp_timeout *timeout = argument;
    gp_timer *timer = timeout->timer;
    if (timeout->status != GP_OK) {
        atomic_fetch_add_explicit(&timer->failures, 1, memory_order_relaxed); /* statistics only */
        if (timer->hooks.failed != NULL)
            timer->hooks.failed(timer->hooks.context, timeout, timeout->status);
    }
    destroy_argument(timeout);
    gp_timeout_release(timeout);
}

/* Links and lists. */

gp_timeout *gp__timeout_of_added(struct gp__inbox_link *link)
{
    return (gp_timeout *)((char *)link - offsetof(gp_timeout, added));
}

gp_timeout *gp__timeout_of_cancelled(struct gp__inbox_link *link)
{
    return (gp_timeout *)((char *)link - offsetof(gp_timeout, cancelled));
}

void gp__timeout_list_append(gp_timeout_list *list, gp_timeout *timeout)
{
    timeout->next = NULL;
    if (list->last != NULL)
        list->last->next = timeout;
    else
        list->first = timeout;
    list->last = timeout;
    list->count++;
}

gp_timeout *gp_timeout_list_pop(gp_timeout_list *list)
{
    gp_timeout *timeout = list->first;
    if (timeout == NULL)
        return NULL;
    list->first = timeout->next;
    if (list->first == NULL)
        list->last = NULL;
    list->count--;
    timeout->next = NULL;
    return timeout;
}

void gp_timeout_list_release(gp_timeout_list *list)
{
    for (gp_timeout *timeout; (timeout = gp_timeout_list_pop(list)) != NULL;)
        gp_timeout_release(timeout);
}
