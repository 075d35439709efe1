/* The library under the explorer: its delayed queue, a year of its scheduled pool, and a day of its
   wheel. */
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

/* A day of the wheel: timeouts at random, some that are added at the start and a chain of others,
   each added by the one before. */

enum {
    AT_START = 1000
};

struct life {
    struct day *day;
    gp_timer *timer;
    int64_t start;
    uint64_t random;
};

static const gp_wheel_config wheel = GP_WHEEL_CONFIG_DEFAULT;
static const int64_t a_day = GP_SECONDS(3600) * 24;

static int64_t draw(struct life *life, int64_t limit)
{
    life->random = life->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((life->random >> 1) % (uint64_t)limit);
}

/* It is the end of the tick in which it was due, to the nanosecond. */
static int note(gp_timeout *timeout, void *argument)
{
    struct life *life = argument;
    int64_t due = gp_timeout_deadline(timeout) - life->start;

    life->day->called++;
    life->day->wrong += gp_now() - life->start != (due / wheel.tick + 1) * wheel.tick;
    return 0;
}

static int note_and_add(gp_timeout *timeout, void *argument)
{
    struct life *life = argument;

    note(timeout, life);
    life->day->added++;
    return gp_timer_after(life->timer, draw(life, GP_SECONDS(600)), note_and_add, life, NULL, NULL);
}

void program_day(void *day)
{
    struct life life = {.day = day};

    if (gp_wheel_new(&wheel, &life.timer) != GP_OK || gp_timer_start(life.timer) != GP_OK)
        return;
    life.start = gp_now();
    for (int i = 0; i < AT_START; i++)
        gp_timer_after(life.timer, draw(&life, a_day), note, &life, NULL, NULL);
    gp_timer_after(life.timer, draw(&life, GP_SECONDS(600)), note_and_add, &life, NULL, NULL);
    life.day->added += AT_START + 1;
    gp_sleep(a_day + wheel.tick);
    life.day->pending = (int)gp_timer_pending(life.timer);
    gp_timer_close(life.timer);
}
