/*
 * The fast kind of the hashed wheel: another intake, which keeps the memory of timeouts, and whose
 * delays count from the tick. The buckets and the worker are those of hashed.c and timer_worker.c.
 *
 * An add to the reference reads the clock and takes atomic steps: one to count the timeout, one to
 * hand it over, and those of malloc, whose memory comes back from another thread. The clock is a
 * good third of it, and a wheel with ticks of 100 ms does not need its nanoseconds; the worker
 * reads it anyway, once a turn. Here an add has one step, a latch, and does the rest behind it:
 *
 *      add:    is it closed? is there room? a spare becomes the timeout; into the list of the added
 *      worker: all of the list, as from an inbox
 *
 *      fresh ----> added ----> the wheel ----> returned, an inbox ----+
 *                    ^                                                |
 *                    +------- used, a list <---all at once, if empty--+
 *
 *   [FAST-1] A spare, the memory of a timeout, is in one of these: it was never used; it is in
 *            `used` or in `returned`; or it is a timeout, accepted and not freed. It changes hands
 *            with the latch held, or through the inbox; nothing is ever popped from that, so an
 *            address that comes back does no harm.
 *   [FAST-2] An add takes a reference to the timer for the timeout, and makes it pending [TIMER-2],
 *            without a step of its own: both are counted WHOLESALE at a time, and `reserved` is the
 *            number of these that no timeout has yet. So the number pending is the timer's count
 *            less `reserved`, read with the latch held. Closing gives the reserved ones back, else
 *            the timer would never be freed.
 *   [FAST-3] Closing and accepting are done with the latch held. What was accepted before comes out
 *            of the close; what comes after is refused [TIMER-1].
 *   [FAST-4] Blocks are freed with the timer, to which each timeout has a reference.
 *   [FAST-5] A delay begins in the turn that collects its timeout, at the time that this turn reads
 *            from the clock. The timeout was added before it was collected, and collected before
 *            the clock was read, so none is early, however late the turn. A turn collects all
 *            timeouts that were added until then, including those that exceed the limit of
 *            insertions [TURN-1].
 *
 * What it costs. A timeout is called up to a tick later. Memory stays until the timer is freed,
 * which waits for the last handle. A thread that is held up while it holds the latch holds up other
 * adding threads, and the worker's next turn. No tool sees a timeout used after its last reference
 * was given up: soon its memory is another timeout.
 *
 * Blocks grow from 4 KB to 2 MB, and are allocated without the latch: of two threads that find no
 * spare at once, one frees its block again.
 *
 * Rejected: the system's coarse clock (CLOCK_MONOTONIC_COARSE), with its resolution added to each
 * deadline. It is moved by a processor that may be busy or, in a guest, not there, and was seen
 * further behind than that in one reading of 24 on a loaded machine: a timeout would be early. Huge
 * pages for the blocks, and the words of the timeouts of a block packed together at its head, so
 * that a cancel finds more of them in the caches: 5% of a cancel, and nothing (benches/README.md).
 * An executor: each timeout has a task from malloc anyway.
 */
#include "wheel/fast.h"

#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#define FIRST_BLOCK   ((size_t)4096)
#define LARGEST_BLOCK ((size_t)2 << 20)
#define WHOLESALE     4096

/* At the head of a block; the spares come after it, so it ends where one may begin. */
struct gp__block {
    _Alignas(gp_timeout) struct gp__block *next;
};

static struct gp__fast *fast_of(gp_timer *timer)
{
    return (struct gp__fast *)timer;
}

#define SPARE_SIZE (sizeof(gp_timeout) + sizeof(_Atomic int64_t))

/* Behind each timeout: its deadline for all threads, which may read it while the worker settles it;
   less than 0: its delay has not begun. */
static _Atomic int64_t *due_of(gp_timeout *timeout)
{
    return (_Atomic int64_t *)(timeout + 1);
}

/* With the latch held: a block that was allocated without it; false: it is not needed any more. */
static bool install_block(struct gp__fast *fast, struct gp__block *block, size_t size)
{
    if (fast->fresh_left > 0)
        return false;
    block->next = fast->blocks;
    fast->blocks = block;
    fast->fresh = (char *)(block + 1);
    fast->fresh_left = (size - sizeof *block) / SPARE_SIZE;
    fast->block_size = size;
    return true;
}

static bool grow(struct gp__fast *fast)
{
    gp__latch_lock(&fast->latch);
    size_t last = fast->block_size;
    gp__latch_unlock(&fast->latch);
    size_t size = last == 0 ? FIRST_BLOCK : last < LARGEST_BLOCK ? 2 * last : last;
    struct gp__block *block = malloc(size);
    if (block == NULL)
        return false;
    gp__latch_lock(&fast->latch);
    bool installed = install_block(fast, block, size);
    gp__latch_unlock(&fast->latch);
    if (!installed)
        free(block);
    return true;
}

/* [FAST-1]: with the latch held. NULL: there is none. */
static gp_timeout *acquire_spare(struct gp__fast *fast)
{
    if (fast->used == NULL)
        fast->used = gp__inbox_take(&fast->returned);
    if (fast->used != NULL) {
        gp_timeout *spare = gp__timeout_of_added(fast->used);
        fast->used = fast->used->next;
        return spare;
    }
    if (fast->fresh_left == 0)
        return NULL;
    fast->fresh_left--;
    fast->fresh += SPARE_SIZE;
    return (gp_timeout *)(fast->fresh - SPARE_SIZE);
}

static void return_spare(gp_timeout *timeout, enum gp__timeout_state state)
{
    (void)state;
    gp__inbox_put(&fast_of(timeout->timer)->returned, &timeout->added);
}

/* Adding. */

/* [FAST-2]: with the latch held. */
static size_t pending(struct gp__fast *fast)
{
    return gp__timer_counted(&fast->wheel.timer) - (size_t)fast->reserved;
}

/* With the latch held: may one more come, and where? */
static int admit(struct gp__fast *fast, gp_timeout **spare)
{
    gp_timer *timer = &fast->wheel.timer;
    if (fast->closed) /* [FAST-3] */
        return GP_ESTATE;
    if (timer->max_pending > 0 && pending(fast) >= (size_t)timer->max_pending)
        return gp_timer_is_stopped(timer) ? GP_ESTATE : GP_EREJECTED;
    *spare = acquire_spare(fast);
    return *spare != NULL ? GP_OK : GP_ENOMEM;
}

/* With the latch held. */
static void accept(struct gp__fast *fast, gp_timeout *timeout)
{
    if (fast->reserved == 0) {
        gp__timer_reserve(&fast->wheel.timer, WHOLESALE);
        fast->reserved = WHOLESALE;
    }
    fast->reserved--; /* [FAST-2] */
    timeout->added.next = fast->last;
    fast->last = &timeout->added;
}

/* A delay that has not begun, in place of a deadline: less than 0. Its own inverse. */
static int64_t unsettled(int64_t delay)
{
    return -1 - delay;
}

static int fast_add(gp_timer *timer, int64_t delay, gp_timeout_fn *run, void *argument,
                    gp_destroy_fn *destroy, gp_timeout **out)
{
    struct gp__fast *fast = fast_of(timer);
    gp_timeout *timeout;
    int status;
    do {
        gp__latch_lock(&fast->latch);
        status = admit(fast, &timeout);
        if (status == GP_OK) {
            gp__timeout_init(timeout, timer, 0, run, argument, destroy);
            atomic_init(due_of(timeout), unsettled(delay < 0 ? 0 : delay));
            if (out != NULL)
                gp__timeout_share(timeout);
            accept(fast, timeout);
        }
        gp__latch_unlock(&fast->latch);
    } while (status == GP_ENOMEM && grow(fast));
    if (status == GP_OK && out != NULL)
        *out = timeout;
    return status;
}

/* Before its delay has begun: what it would be if that began now. */
static int64_t fast_deadline(const gp_timeout *timeout)
{
    const _Atomic int64_t *settled = (const _Atomic int64_t *)(timeout + 1);
    int64_t due = atomic_load_explicit(settled, memory_order_relaxed); /* it orders nothing */
    return due < 0 ? gp_time_after(gp_now(), unsettled(due))
                   : gp_time_after(timeout->timer->start_time, due);
}

/* The worker's side. */

struct gp__inbox_link *gp__fast_collect(gp_timer *timer)
{
    struct gp__fast *fast = fast_of(timer);
    gp__latch_lock(&fast->latch);
    struct gp__inbox_link *added = fast->last;
    fast->last = NULL;
    gp__latch_unlock(&fast->latch);
    return added;
}

void gp__fast_settle(gp_timer *timer, struct gp__inbox_link *collected, int64_t now)
{
    struct gp__fast *fast = fast_of(timer);
    struct gp__inbox_link *first = gp__inbox_turn_round(collected);
    for (struct gp__inbox_link *link = first; link != NULL; link = link->next) {
        gp_timeout *timeout = gp__timeout_of_added(link);
        /* relaxed, both: a thread that reads meanwhile may see either */
        int64_t delay = unsettled(atomic_load_explicit(due_of(timeout), memory_order_relaxed));
        timeout->deadline = gp__deadline_after(now, delay);
        atomic_store_explicit(due_of(timeout), timeout->deadline, memory_order_relaxed);
    }
    if (timer->arrived == NULL)
        timer->arrived = first;
    else
        fast->arrived_last->next = first; /* behind those that have waited for several turns */
    if (collected != NULL)
        fast->arrived_last = collected;
}

/* [FAST-5] */
static int64_t fast_begin_turn(gp_timer *timer)
{
    struct gp__inbox_link *collected = gp__fast_collect(timer); /* before the look at the clock */
    int64_t now = gp__timer_elapsed(timer);
    gp__fast_settle(timer, collected, now);
    return now;
}

/* What has come since the turn began waits for the next [FAST-5]. */
static struct gp__inbox_link *take_nothing(gp_timer *timer)
{
    (void)timer;
    return NULL;
}

static struct gp__inbox_link *fast_close(gp_timer *timer)
{
    struct gp__fast *fast = fast_of(timer);
    gp__latch_lock(&fast->latch);
    fast->closed = true; /* [FAST-3] */
    gp__timer_reserve(timer, -fast->reserved);
    fast->reserved = 0; /* [FAST-2] */
    gp__latch_unlock(&fast->latch);
    return gp__fast_collect(timer);
}

static size_t unlock_counted(struct gp__fast *fast)
{
    size_t count = pending(fast);
    gp__latch_unlock(&fast->latch);
    return count;
}

static size_t fast_pending(gp_timer *timer)
{
    gp__latch_lock(&fast_of(timer)->latch);
    return unlock_counted(fast_of(timer));
}

/* The thread that holds the latch may have been stopped by the one that checks. */
static size_t fast_glance(gp_timer *timer)
{
    struct gp__fast *fast = fast_of(timer);
    return gp__latch_try_lock(&fast->latch) ? unlock_counted(fast) : 0;
}

static bool fast_is_closed(gp_timer *timer)
{
    const struct gp__fast *fast = fast_of(timer);
    return fast->closed && fast->last == NULL; /* without the latch: they change no more */
}

/* Lifetime. */

static void fast_free(gp_timer *timer) /* [FAST-4] */
{
    for (struct gp__block *block = fast_of(timer)->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(timer);
}

static const struct gp__intake_class fast_intake = {.add = fast_add,
                                                    .deadline = fast_deadline,
                                                    .begin_turn = fast_begin_turn,
                                                    .take = take_nothing,
                                                    .close = fast_close,
                                                    .is_closed = fast_is_closed,
                                                    .pending = fast_pending,
                                                    .glance = fast_glance,
                                                    .reclaim = return_spare,
                                                    .free = fast_free};

int gp__fast_new(const gp_wheel_config *config, gp_timer **out)
{
    return gp__hashed_new(config, &fast_intake, sizeof(struct gp__fast), out);
}
