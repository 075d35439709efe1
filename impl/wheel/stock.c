/*
 * The stock of a timer: the memory of its timeouts, kept, and their way in.
 *
 * It is the faster sibling of malloc and of the inbox of the added, and chosen in the configuration
 * (`keep`). An add is atomic steps, more than anything else: one to count the timeout, one to hand
 * it over, and malloc, whose memory comes back from another thread. Here an add has one such step,
 * a latch, and does behind it all that it has to:
 *
 *      add:    is it closed? is there room?  a timeout from the stock  into the list of the added
 *      worker: all of the list, as from an inbox
 *
 *      fresh ----> added ----> the wheel ----> returned, an inbox ----+
 *                    ^                                                |
 *                    +------- used, a list <---all at once, if empty--+
 *
 *   [STOCK-1] A place is in one of these: it was never used; it is in `used` or in `returned`; or
 *             it has a timeout, accepted and not freed. It changes hands with the latch held, or
 *             through the inbox; nothing is ever popped from that, so that an address that comes
 *             back confuses nobody.
 *   [STOCK-2] Who adds takes a reference to the timer for the timeout, and makes it pending
 *             [TIMER-2], without a step of its own: both were counted WHOLESALE at a time, and
 *             `reserved` is how many of these nobody has. So pending are as many as the timer
 *             counts, less the reserved, to be read with the latch held. Closing gives them back,
 *             else the timer would never be freed.
 *   [STOCK-3] Closing and accepting are done with the latch held. What was accepted before comes
 *             out of the close, whatever comes after is refused [TIMER-1].
 *   [STOCK-4] Blocks are freed with the timer, of which each timeout has a reference.
 *
 * What it costs. Memory is not given back before the timer is freed, and that waits for the last
 * handle. Who adds and is held up behind the latch holds up others who add, and the worker's next
 * turn. No tool sees that somebody uses a timeout whose last reference he gave up: its place has
 * another soon. So it is a choice, and not the default.
 *
 * Blocks grow, from a page's size, each twice as large as the one before, up to 2 MB.
 * They are allocated without the latch: two who find the stock empty allocate both, and one of the
 * two is freed again.
 *
 * Rejected: huge pages for the blocks, and the words of the timeouts of a block packed together at
 * its head, so that a cancel finds more of them in the caches: 5% of a cancel, and nothing
 * (benches/README.md). Kept memory for those with an executor: each has a task from malloc anyway,
 * and that is made for its timeout, so before the latch; for them `keep` means nothing.
 */
#include "wheel/stock.h"

#include <stdlib.h>

#include <glasspool/status.h>

#include "wheel/timer.h"

#define FIRST_BLOCK   ((size_t)4096)
#define LARGEST_BLOCK ((size_t)2 << 20)
#define WHOLESALE     4096

/* At the head of a block; the places come after it, so it ends where one may begin. */
struct gp__block {
    _Alignas(gp_timeout) struct gp__block *next;
};

/* Places. */

/* With the latch held: a block that somebody has allocated; false: there is no need any more. */
static bool install(struct gp__stock *stock, struct gp__block *block, size_t size)
{
    if (stock->fresh_left > 0)
        return false;
    block->next = stock->blocks;
    stock->blocks = block;
    stock->fresh = (gp_timeout *)(block + 1);
    stock->fresh_left = (size - sizeof *block) / sizeof(gp_timeout);
    stock->next_block = size < LARGEST_BLOCK ? 2 * size : size;
    return true;
}

static bool grow(struct gp__stock *stock)
{
    gp__latch_lock(&stock->latch);
    size_t size = stock->next_block;
    gp__latch_unlock(&stock->latch);
    struct gp__block *block = malloc(size);
    if (block == NULL)
        return false;
    gp__latch_lock(&stock->latch);
    bool installed = install(stock, block, size);
    gp__latch_unlock(&stock->latch);
    if (!installed)
        free(block);
    return true;
}

/* [STOCK-1]: with the latch held. NULL: there is none. */
static gp_timeout *take_place(struct gp__stock *stock)
{
    if (stock->used == NULL)
        stock->used = gp__inbox_take(&stock->returned);
    if (stock->used != NULL) {
        gp_timeout *place = gp__timeout_of_added(stock->used);
        stock->used = stock->used->next;
        return place;
    }
    if (stock->fresh_left == 0)
        return NULL;
    stock->fresh_left--;
    return stock->fresh++;
}

void gp__stock_return(struct gp__stock *stock, gp_timeout *timeout)
{
    gp__inbox_put(&stock->returned, &timeout->added);
}

/* The way in. */

/* [STOCK-2]: with the latch held. */
static size_t pending(gp_timer *timer)
{
    return gp__timer_counted(timer) - timer->stock.reserved;
}

/* With the latch held: may one more come? */
static int admit(gp_timer *timer)
{
    if (timer->stock.closed) /* [STOCK-3] */
        return GP_ESTATE;
    if (timer->max_pending > 0 && pending(timer) >= (size_t)timer->max_pending)
        return gp_timer_is_stopped(timer) ? GP_ESTATE : GP_EREJECTED;
    return GP_OK;
}

/* With the latch held. */
static void accept(gp_timer *timer, gp_timeout *timeout)
{
    struct gp__stock *stock = &timer->stock;
    if (stock->reserved == 0) {
        gp__timer_reserve(timer, WHOLESALE);
        stock->reserved = WHOLESALE;
    }
    stock->reserved--; /* [STOCK-2] */
    timeout->added.next = stock->last;
    stock->last = &timeout->added;
}

int gp__stock_add(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                  gp_destroy_fn *destroy, gp_timeout **out)
{
    struct gp__stock *stock = &timer->stock;
    gp_timeout *timeout;
    int status;
    do {
        gp__latch_lock(&stock->latch);
        status = admit(timer);
        timeout = status == GP_OK ? take_place(stock) : NULL;
        if (timeout != NULL) {
            gp__timeout_init(timeout, timer, deadline, run, argument, destroy);
            if (out != NULL)
                gp__timeout_share(timeout);
            accept(timer, timeout);
        }
        gp__latch_unlock(&stock->latch);
    } while (status == GP_OK && timeout == NULL && grow(stock));
    if (status == GP_OK && timeout == NULL)
        return GP_ENOMEM;
    if (status == GP_OK && out != NULL)
        *out = timeout;
    return status;
}

struct gp__inbox_link *gp__stock_take(gp_timer *timer)
{
    struct gp__stock *stock = &timer->stock;
    gp__latch_lock(&stock->latch);
    struct gp__inbox_link *added = stock->last;
    stock->last = NULL;
    gp__latch_unlock(&stock->latch);
    return added;
}

struct gp__inbox_link *gp__stock_close(gp_timer *timer)
{
    struct gp__stock *stock = &timer->stock;
    gp__latch_lock(&stock->latch);
    struct gp__inbox_link *added = stock->last;
    stock->last = NULL;
    stock->closed = true; /* [STOCK-3] */
    gp__timer_give_back(timer, stock->reserved);
    stock->reserved = 0; /* [STOCK-2] */
    gp__latch_unlock(&stock->latch);
    return added;
}

size_t gp__stock_pending(gp_timer *timer)
{
    gp__latch_lock(&timer->stock.latch);
    size_t count = pending(timer);
    gp__latch_unlock(&timer->stock.latch);
    return count;
}

size_t gp__stock_glance(gp_timer *timer)
{
    if (!gp__latch_try_lock(&timer->stock.latch))
        return 0;
    size_t count = pending(timer);
    gp__latch_unlock(&timer->stock.latch);
    return count;
}

bool gp__stock_seems_closed(struct gp__stock *stock)
{
    if (!gp__latch_try_lock(&stock->latch))
        return true;
    bool closed = stock->closed && stock->last == NULL;
    gp__latch_unlock(&stock->latch);
    return closed;
}

/* Making and freeing. */

void gp__stock_init(struct gp__stock *stock)
{
    stock->next_block = FIRST_BLOCK;
}

void gp__stock_free(struct gp__stock *stock)
{
    for (struct gp__block *block = stock->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
}
