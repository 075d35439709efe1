/* The library under the explorer: its delayed queue, and a year of its scheduled pool. */
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
