/*
 * The tickless wheel: a hierarchy of wheels that turns from deadline to deadline (Varghese and
 * Lauck 1987, scheme 7, without its ticks).
 *
 * A time is a number of nanoseconds after the start, written in digits of 6 bits; a level per
 * digit, the last digit's being level 0. Each level has 64 slots, one for each value of its digit.
 * A timeout is at the level of the first digit in which its deadline differs from the wheel's time,
 * in the slot of the deadline's digit there. With digits of 2 bits instead, 4 slots to a level, the
 * wheel's time 1203 (base 4), and timeouts that are due at 1203, 1211, 1213 and 3000:
 *
 *      slot        0      1      2      3
 *      level 3           time         [3000]
 *      level 2                 time
 *      level 1    time  [1211]
 *                       [1213]
 *      level 0                        time
 *                                    [1203]      it is due now
 *
 * The first slot of the lowest level that has any holds what is due first: all others differ from
 * the wheel's time in a digit further to the left, or by more in the same. A word of bits for each
 * level finds it. When the time comes to a slot above level 0 the deadlines in it share one more
 * digit with it, and move down.
 *
 *   [TICKLESS-1] A timeout is in the slot that its deadline and the wheel's time say. One that is
 *                late counts as due at the wheel's time. So what is due at the same time is always
 *                in the same slot, and there in the order of its arrival, since both inserting and
 *                moving down append.
 *   [TICKLESS-2] The bit of a slot is set if and only if its row has a timeout.
 *   [TICKLESS-3] No timeout in a slot is due before its `earliest`, which is a deadline of one that
 *                is in it or was, and later than the wheel's time once that has advanced. That of
 *                the first slot is when the worker wakes up: for a deadline, never for a slot.
 *   [TICKLESS-4] Each row is linked in both directions, and each timeout in it knows that.
 *
 * Wake-ups. If the one that was due first has been cancelled its deadline may still wake the
 * worker, which then finds nothing due. That is once for a deadline at most: the time is past it
 * then. So the worker wakes up by itself no more often than timeouts were added, and not at all
 * while there are none. timer_worker.c says who else wakes it.
 *
 * What it costs. Adding, cancelling: constant, but for the search of the level, 11 at most.
 * Expiring: at most one move for each level below that at which it began. A timeout is called at
 * its deadline to the nanosecond, as far as the system wakes the worker in time.
 *
 * Rejected. The exact minimum of the first slot after a cancel: it has to be searched for in the
 * slot, which may have all timeouts; the wake-up that it saves comes once for each such search.
 * Waking up at the start of a slot, to move down what is in it: no search either, but up to ten
 * wake-ups for nothing for each timeout. A heap: it calls in the same order, but adding and
 * cancelling cost the logarithm of the number.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "wheel/timer.h"

enum {
    DIGIT = 6,  /* bits */
    SLOTS = 64, /* at each level */
    LEVELS = 11 /* 63 bits of time */
};

/*
 * Lock letters:
 *   W: touched by the worker only; by who stops the timer, when the worker is gone
 */
struct slot {
    struct gp__row row; /* W */
    int64_t earliest;   /* W if the row is not empty: [TICKLESS-3] */
};

/*
 * Lock letters:
 *   W: touched by the worker only; by who stops the timer, when the worker is gone
 *   T: has letters of its own
 */
struct tickless {
    gp_timer timer;                   /* T */
    int64_t now;                      /* W its time: all that was due until then is out of it */
    uint64_t occupied[LEVELS];        /* W a bit per slot: [TICKLESS-2] */
    struct slot slots[LEVELS][SLOTS]; /* W */
};

static struct tickless *wheel_of(gp_timer *timer)
{
    return (struct tickless *)timer;
}

/* Which slot. */

struct position {
    unsigned level;
    unsigned slot;
};

static int64_t due_time(const struct tickless *wheel, const gp_timeout *timeout)
{
    return timeout->deadline > wheel->now ? timeout->deadline : wheel->now;
}

/* [TICKLESS-1] */
static struct position position_of(const struct tickless *wheel, int64_t time)
{
    struct position position = {0, 0};
    for (uint64_t differs = (uint64_t)(time ^ wheel->now); differs >= SLOTS; differs >>= DIGIT)
        position.level++;
    position.slot = (unsigned)((uint64_t)time >> (position.level * DIGIT)) % SLOTS;
    return position;
}

static unsigned lowest_bit(uint64_t bits)
{
    unsigned number = 0;
    for (unsigned width = SLOTS / 2; width > 0; width /= 2)
        if ((bits & ((UINT64_C(1) << width) - 1)) == 0) {
            bits >>= width;
            number += width;
        }
    return number;
}

/* False: it is empty. */
static bool find_first(const struct tickless *wheel, struct position *first)
{
    for (unsigned level = 0; level < LEVELS; level++)
        if (wheel->occupied[level] != 0) {
            *first = (struct position){level, lowest_bit(wheel->occupied[level])};
            return true;
        }
    return false;
}

/* The first time that belongs there: the wheel's, with another digit, and zeros behind that. */
static int64_t start_of(const struct tickless *wheel, struct position position)
{
    unsigned shift = position.level * DIGIT;
    uint64_t behind = ((uint64_t)SLOTS << shift) - 1; /* the digit and all behind it */
    return (int64_t)(((uint64_t)wheel->now & ~behind) | (uint64_t)position.slot << shift);
}

/* What the timer asks of it. */

static void tickless_insert(gp_timer *timer, gp_timeout *timeout)
{
    struct tickless *wheel = wheel_of(timer);
    int64_t time = due_time(wheel, timeout);
    struct position position = position_of(wheel, time);
    struct slot *slot = &wheel->slots[position.level][position.slot];
    if (slot->row.first == NULL || time < slot->earliest)
        slot->earliest = time; /* [TICKLESS-3] */
    gp__row_append(&slot->row, timeout);
    wheel->occupied[position.level] |= UINT64_C(1) << position.slot; /* [TICKLESS-2] */
}

static void note_if_empty(struct tickless *wheel, struct position position)
{
    if (wheel->slots[position.level][position.slot].row.first == NULL)
        wheel->occupied[position.level] &= ~(UINT64_C(1) << position.slot); /* [TICKLESS-2] */
}

static void tickless_remove(gp_timer *timer, gp_timeout *timeout)
{
    struct tickless *wheel = wheel_of(timer);
    gp__row_remove(timeout);
    note_if_empty(wheel, position_of(wheel, due_time(wheel, timeout)));
}

static int64_t tickless_next(gp_timer *timer)
{
    const struct tickless *wheel = wheel_of(timer);
    struct position first;
    return find_first(wheel, &first) ? wheel->slots[first.level][first.slot].earliest : GP__NEVER;
}

/* The wheel's time has come to this slot: what is not due moves down. */
static void empty_slot(struct tickless *wheel, struct position position, struct gp__row *due)
{
    struct gp__row *row = &wheel->slots[position.level][position.slot].row;
    for (gp_timeout *timeout; (timeout = gp__row_pop(row)) != NULL;)
        if (timeout->deadline <= wheel->now)
            gp__row_append(due, timeout);
        else
            tickless_insert(&wheel->timer, timeout);
    note_if_empty(wheel, position);
}

static void tickless_advance(gp_timer *timer, int64_t now, struct gp__row *due)
{
    struct tickless *wheel = wheel_of(timer);
    struct position first;
    while (find_first(wheel, &first) && start_of(wheel, first) <= now) {
        wheel->now = start_of(wheel, first);
        empty_slot(wheel, first, due);
    }
    wheel->now = now; /* still before the start of each slot that has one: [TICKLESS-1] */
}

static void tickless_clear(gp_timer *timer, struct gp__row *cleared)
{
    struct tickless *wheel = wheel_of(timer);
    struct position first;
    while (find_first(wheel, &first)) {
        gp__row_splice(cleared, &wheel->slots[first.level][first.slot].row);
        note_if_empty(wheel, first);
    }
}

static bool tickless_is_empty(gp_timer *timer)
{
    struct position first;
    return !find_first(wheel_of(timer), &first);
}

/* Watching. */

static int check_timeout(const struct tickless *wheel, struct position position,
                         const gp_timeout *timeout)
{
    int64_t time = due_time(wheel, timeout);
    struct position right = position_of(wheel, time);
    if (right.level != position.level || right.slot != position.slot)
        return 1; /* [TICKLESS-1] */
    if (time < wheel->slots[position.level][position.slot].earliest)
        return 3; /* [TICKLESS-3] */
    return 0;
}

static int check_slot(const struct tickless *wheel, struct position position)
{
    const struct slot *slot = &wheel->slots[position.level][position.slot];
    bool occupied = (wheel->occupied[position.level] >> position.slot) % 2 != 0;
    if (!gp__row_is_sound(&slot->row))
        return 4; /* [TICKLESS-4] */
    if (occupied != (slot->row.first != NULL))
        return 2; /* [TICKLESS-2] */
    int broken = 0;
    for (const gp_timeout *here = slot->row.first; here != NULL && broken == 0; here = here->next)
        broken = check_timeout(wheel, position, here);
    return broken;
}

static int tickless_check(gp_timer *timer)
{
    const struct tickless *wheel = wheel_of(timer);
    int broken = 0;
    for (unsigned level = 0; level < LEVELS; level++)
        for (unsigned slot = 0; slot < SLOTS && broken == 0; slot++)
            broken = check_slot(wheel, (struct position){level, slot});
    return broken;
}

static const struct gp__timer_class tickless_class = {.insert = tickless_insert,
                                                      .remove = tickless_remove,
                                                      .next = tickless_next,
                                                      .advance = tickless_advance,
                                                      .clear = tickless_clear,
                                                      .is_empty = tickless_is_empty,
                                                      .check = tickless_check};

int gp_tickless_new(const gp_tickless_config *config, gp_timer **out)
{
    if (config == NULL || out == NULL || config->max_cancelled < 1)
        return GP_EINVAL;
    struct tickless *wheel = calloc(1, sizeof *wheel);
    if (wheel == NULL)
        return GP_ENOMEM;
    wheel->timer.max_cancelled = config->max_cancelled;
    return gp__timer_finish(&wheel->timer, &tickless_class, &gp__inbox_intake,
                            &(gp_wheel_config){.max_pending = config->max_pending,
                                               .thread = config->thread,
                                               .factory = config->factory,
                                               .executor = config->executor,
                                               .hooks = config->hooks},
                            out);
}
