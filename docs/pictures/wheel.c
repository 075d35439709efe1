/*
 * A hashed wheel with some timeouts, for some ticks: the explored half of the wheels in the book.
 * Time is virtual: all timeouts are added at the moment in which the wheel starts, and no tick is
 * late. It is the library that runs. Its worker takes the picture, each time that it is about to
 * move the hand.
 */
#include "docs/pictures/wheel.h"

#include <glasspool/glasspool.h>

#include "docs/pictures/hand.h"

static struct turning *turning;
static const struct gp__timer_class *hashed; /* the library's */
static struct gp__row *buckets;              /* NULL: nothing has been put into one yet */

void append_aloud(struct gp__row *all, struct gp__row *row, gp_timeout *timeout)
{
    buckets = all;
    gp__row_append(row, timeout);
}

static int64_t delay_of(const gp_timeout *timeout)
{
    return *(const int64_t *)timeout->argument;
}

static void see_bucket(struct turn_seen *seen, int64_t bucket)
{
    for (const gp_timeout *here = buckets[bucket].first; here != NULL; here = here->next) {
        int i = seen->timeout_count++;
        seen->timeouts[i].bucket = bucket;
        seen->timeouts[i].delay = delay_of(here);
        seen->timeouts[i].rounds = here->rounds;
    }
}

static void advance_aloud(gp_timer *timer, int64_t now, struct gp__row *due)
{
    if (turning->turn_count == turning->most_turns) {
        hashed->advance(timer, now, due);
        return;
    }
    struct turn_seen *seen = &turning->turns[turning->turn_count++];
    seen->tick = hashed->next(timer) / GP_MILLISECONDS(turning->tick_length) - 1;
    for (int64_t i = 0; buckets != NULL && i < turning->bucket_count; i++)
        see_bucket(seen, i);
    hashed->advance(timer, now, due);
    for (const gp_timeout *here = due->first; here != NULL; here = here->next)
        seen->due[seen->due_count++] = delay_of(here);
}

static int do_nothing(gp_timeout *timeout, void *unused)
{
    (void)timeout;
    (void)unused;
    return GP_OK;
}

static void add_all(gp_timer *timer)
{
    for (int i = 0; i < turning->delay_count; i++)
        gp_timer_after(timer, GP_MILLISECONDS(turning->delays[i]), do_nothing, &turning->delays[i],
                       NULL, NULL);
}

void turning_run(void *argument)
{
    static struct gp__timer_class aloud;
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    gp_timer *timer;
    turning = argument;
    config.tick = GP_MILLISECONDS(turning->tick_length);
    config.ticks_per_wheel = turning->bucket_count;
    if (gp_wheel_new(&config, &timer) != GP_OK)
        return;
    hashed = timer->class;
    aloud = *hashed;
    aloud.advance = advance_aloud;
    timer->class = &aloud; /* it has no worker yet */
    add_all(timer);
    gp_sleep(config.tick * (turning->most_turns + 1));
    gp_timer_close(timer);
}
