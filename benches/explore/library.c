/* The library under the explorer: its delayed queue, a year of its scheduled pool, a day of its
   hashed wheel, and a year of the tickless one. */
#include <pthread.h>
#include <stdatomic.h>

#include <glasspool/glasspool.h>

#include "benches/explore/programs.h"

enum {
    WORKERS = 3
};

static void do_nothing(void *unused)
{
    (void)unused;
}

static void *work(void *queue)
{
    gp_task *task;

    if (gp_queue_take(queue, &task) == GP_OK)
        gp_task_discard(task);
    return NULL;
}

static void produce(gp_queue *queue)
{
    for (int i = WORKERS; i > 0; i--) {
        gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);
        int64_t time = gp_time_after(gp_now(), GP_MICROSECONDS(i));
        gp_task *task;
        if (gp_task_new_delayed(&callable, time, (uint64_t)i, &task) == GP_OK &&
            gp_queue_offer(queue, task) != GP_OK)
            gp_task_discard(task);
    }
}

void program_delayed_queue(void *unused)
{
    pthread_t workers[WORKERS];
    gp_queue *queue;

    (void)unused;
    if (gp_delayed_new(&queue) != GP_OK)
        return;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, queue);
    produce(queue);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    gp_queue_free(queue);
}

static atomic_int hours;

static void count_hour(void *unused)
{
    (void)unused;
    atomic_fetch_add(&hours, 1);
}

void program_year(void *runs)
{
    gp_callable callable = gp_callable_of(count_hour, NULL, NULL);
    gp_scheduled *scheduled;

    if (gp_executors_scheduled(4, &scheduled) != GP_OK)
        return;
    gp_schedule_at_fixed_rate(scheduled, &callable, GP_SECONDS(3600), GP_SECONDS(3600), NULL);
    gp_sleep(GP_SECONDS(3600) * 24 * 365 + GP_SECONDS(1800));
    gp_scheduled_close(scheduled);
    *(int *)runs = atomic_load(&hours);
}

/* The life of a wheel: timeouts at random, some that are added at the start and a chain of others,
   each added by the one before. */

enum {
    AT_START = 1000
};

struct wheel {
    struct life *life;
    gp_timer *timer;
    int64_t tick;  /* 0: it has none */
    int64_t pause; /* in the chain, at most */
    int64_t start;
    uint64_t random;
};

static const gp_wheel_config hashed = GP_WHEEL_CONFIG_DEFAULT;
static const gp_tickless_config tickless = GP_TICKLESS_CONFIG_DEFAULT;
static const int64_t a_day = GP_SECONDS(3600) * 24;

static int64_t draw(struct wheel *wheel, int64_t limit)
{
    wheel->random = wheel->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((wheel->random >> 1) % (uint64_t)limit);
}

/* When it should be called: at the end of the tick in which it is due, if there are ticks. */
static int64_t proper_time(const struct wheel *wheel, int64_t due)
{
    return wheel->tick == 0 ? due : (due / wheel->tick + 1) * wheel->tick;
}

/* To the nanosecond. */
static int note(gp_timeout *timeout, void *argument)
{
    struct wheel *wheel = argument;
    int64_t due = gp_timeout_deadline(timeout) - wheel->start;

    wheel->life->called++;
    wheel->life->wrong += gp_now() - wheel->start != proper_time(wheel, due);
    return 0;
}

static int note_and_add(gp_timeout *timeout, void *argument)
{
    struct wheel *wheel = argument;

    note(timeout, wheel);
    wheel->life->added++;
    return gp_timer_after(wheel->timer, draw(wheel, wheel->pause), note_and_add, wheel, NULL, NULL);
}

static void live(struct wheel *wheel, int64_t length)
{
    if (gp_timer_start(wheel->timer) != GP_OK)
        return;
    wheel->start = gp_now();
    for (int i = 0; i < AT_START; i++)
        gp_timer_after(wheel->timer, draw(wheel, length), note, wheel, NULL, NULL);
    gp_timer_after(wheel->timer, draw(wheel, wheel->pause), note_and_add, wheel, NULL, NULL);
    wheel->life->added += AT_START + 1;
    gp_sleep(1); /* the worker has seen them all */
    uint64_t settled = gp_timer_wakeups(wheel->timer);
    gp_sleep(length + wheel->tick - 1);
    wheel->life->pending = (int)gp_timer_pending(wheel->timer);
    wheel->life->wakeups = (int)(gp_timer_wakeups(wheel->timer) - settled);
    gp_timer_close(wheel->timer);
}

void program_day(void *life)
{
    struct wheel wheel = {.life = life, .tick = hashed.tick, .pause = GP_SECONDS(600)};

    if (gp_wheel_new(&hashed, &wheel.timer) == GP_OK)
        live(&wheel, a_day);
}

void program_tickless_year(void *life)
{
    struct wheel wheel = {.life = life, .pause = GP_SECONDS(36000)};

    if (gp_tickless_new(&tickless, &wheel.timer) == GP_OK)
        live(&wheel, a_day * 365);
}
