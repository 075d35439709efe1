/*
 * The hashed wheel: HashedWheelTimer's buckets (Varghese and Lauck 1987, scheme 6).
 *
 * A row, or bucket, per tick of one revolution; a timeout is in the bucket of the tick in which it
 * is due, together with those of the same tick in other revolutions, and knows how many of these
 * lie between. Here 8 buckets, the hand at tick 10, and timeouts that are due in tick 12, 13 and
 * 20:
 *
 *      bucket    0     1     2     3     4     5     6     7
 *                            ^          [12]  [13]
 *                           hand        [20]              20 = 12 + one round
 *
 *   [WHEEL-1] A timeout that is due in tick t is in bucket t mod buckets. One that comes late, when
 *             tick t is over already, is in the bucket that is next: else it would wait for a whole
 *             revolution (netty #1953, NETTY-379).
 *   [WHEEL-2] The hand reaches the bucket of a timeout in tick t after as many visits as it has
 *             rounds left. So the timeout is due when it has none, and each other visit counts it
 *             down. A visit goes through the whole bucket, whatever the order of the timeouts there
 *             (netty #12888 stopped at the first of a later round).
 *   [WHEEL-3] Each row is linked in both directions, and each timeout in it knows that.
 *
 * When it is called. Tick t is from t to t + 1 times the tick's length after the start; its bucket
 * is visited when it is over. So no timeout is early, and none is later than the end of its tick,
 * if it reached the worker before that and the worker is not late.
 *
 * What it costs. Adding, cancelling: constant. Each tick: the timeouts in its bucket, of all
 * rounds. Ticks go on when there is nothing to do; tickless.c, behind the same interface, has none.
 */
#include <stdlib.h>

#include <glasspool/status.h>

#include "wheel/hashed.h"

#define MAX_TICKS_PER_WHEEL (INT64_C(1) << 30)

static struct gp__hashed *wheel_of(gp_timer *timer)
{
    return (struct gp__hashed *)timer;
}

static struct gp__row *bucket_of(struct gp__hashed *wheel, int64_t tick)
{
    return &wheel->buckets[tick & (wheel->size - 1)];
}

/* [WHEEL-1] */
static int64_t tick_of(const struct gp__hashed *wheel, const gp_timeout *timeout)
{
    int64_t calculated = timeout->deadline / wheel->tick_length;
    return calculated > wheel->tick ? calculated : wheel->tick;
}

static void hashed_insert(gp_timer *timer, gp_timeout *timeout)
{
    struct gp__hashed *wheel = wheel_of(timer);
    int64_t tick = tick_of(wheel, timeout);
    timeout->rounds = (tick - wheel->tick) / wheel->size;
    gp__row_append(bucket_of(wheel, tick), timeout);
}

static void hashed_remove(gp_timer *timer, gp_timeout *timeout)
{
    (void)timer;
    gp__row_remove(timeout);
}

static int64_t hashed_next(gp_timer *timer)
{
    const struct gp__hashed *wheel = wheel_of(timer);
    return (wheel->tick + 1) * wheel->tick_length;
}

/* [WHEEL-2] */
static void hashed_advance(gp_timer *timer, int64_t now, struct gp__row *due)
{
    struct gp__hashed *wheel = wheel_of(timer);
    gp_timeout *next;
    (void)now; /* one tick is over, whatever the clock says */
    for (gp_timeout *here = bucket_of(wheel, wheel->tick)->first; here != NULL; here = next) {
        next = here->next;
        if (here->rounds <= 0) {
            gp__row_remove(here);
            gp__row_append(due, here);
        } else {
            here->rounds--;
        }
    }
    wheel->tick++;
}

static void hashed_clear(gp_timer *timer, struct gp__row *cleared)
{
    struct gp__hashed *wheel = wheel_of(timer);
    for (int64_t i = 0; i < wheel->size; i++)
        gp__row_splice(cleared, &wheel->buckets[i]);
}

static bool hashed_is_empty(gp_timer *timer)
{
    const struct gp__hashed *wheel = wheel_of(timer);
    for (int64_t i = 0; i < wheel->size; i++)
        if (wheel->buckets[i].first != NULL)
            return false;
    return true;
}

/* The tick in which the hand finds it with no rounds left. */
static int64_t visited_in(const struct gp__hashed *wheel, int64_t bucket, const gp_timeout *timeout)
{
    int64_t distance = (bucket - wheel->tick) & (wheel->size - 1);
    return wheel->tick + distance + timeout->rounds * wheel->size;
}

static int check_bucket(const struct gp__hashed *wheel, int64_t bucket)
{
    const struct gp__row *row = &wheel->buckets[bucket];
    if (!gp__row_is_sound(row))
        return 3; /* [WHEEL-3] */
    for (const gp_timeout *here = row->first; here != NULL; here = here->next) {
        int64_t tick = tick_of(wheel, here);
        if ((tick & (wheel->size - 1)) != bucket)
            return 1; /* [WHEEL-1] */
        if (visited_in(wheel, bucket, here) != tick)
            return 2; /* [WHEEL-2] */
    }
    return 0;
}

static int hashed_check(gp_timer *timer)
{
    const struct gp__hashed *wheel = wheel_of(timer);
    int broken = 0;
    for (int64_t i = 0; i < wheel->size && broken == 0; i++)
        broken = check_bucket(wheel, i);
    return broken;
}

static const struct gp__timer_class hashed_class = {.ticks = true,
                                                    .insert = hashed_insert,
                                                    .remove = hashed_remove,
                                                    .next = hashed_next,
                                                    .advance = hashed_advance,
                                                    .clear = hashed_clear,
                                                    .is_empty = hashed_is_empty,
                                                    .check = hashed_check};

/* Construction. */

/* The least power of two that is not less. */
static int64_t round_up(int64_t ticks)
{
    int64_t power = 1;
    while (power < ticks)
        power *= 2;
    return power;
}

static bool is_valid(const gp_wheel_config *config)
{
    return config->tick >= 1 && config->ticks_per_wheel >= 1 &&
           config->ticks_per_wheel <= MAX_TICKS_PER_WHEEL &&
           config->tick < INT64_MAX / round_up(config->ticks_per_wheel);
}

static struct gp__hashed *create_wheel(size_t bytes, size_t size)
{
    if (size > (SIZE_MAX - bytes) / sizeof(struct gp__row))
        return NULL;
    struct gp__hashed *wheel = calloc(1, bytes + size * sizeof(struct gp__row));
    if (wheel != NULL)
        wheel->buckets = (struct gp__row *)((char *)wheel + bytes);
    return wheel;
}

int gp__hashed_new(const gp_wheel_config *config, const struct gp__intake_class *intake,
                   size_t bytes, gp_timer **out)
{
    if (!is_valid(config))
        return GP_EINVAL;
    int64_t size = round_up(config->ticks_per_wheel);
    struct gp__hashed *wheel = create_wheel(bytes, (size_t)size);
    if (wheel == NULL)
        return GP_ENOMEM;
    wheel->tick_length = config->tick;
    wheel->size = size;
    return gp__timer_finish(&wheel->timer, &hashed_class, intake, config, out);
}

int gp_wheel_new(const gp_wheel_config *config, gp_timer **out)
{
    if (config == NULL || out == NULL || (config->kind != GP_REFERENCE && config->kind != GP_FAST))
        return GP_EINVAL;
    return config->kind == GP_FAST && config->executor == NULL
               ? gp__fast_new(config, out)
               : gp__hashed_new(config, &gp__inbox_intake, sizeof(struct gp__hashed), out);
}
