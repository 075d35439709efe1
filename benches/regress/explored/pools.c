/*
 * Pools and scheduled pools, with two threads that give them work.
 *
 *     execute     tasks that nobody waits for
 *     conveyor    the same, on a conveyor
 *     submit      each waits for its answer before it submits the next
 *     schedule    tasks that are due at once
 *     lane        the same, on a lane
 *     apart       tasks that fall due one after the other: what idle workers do meanwhile
 *     cancel      tasks due in an hour, every other one cancelled, and removed from the queue
 *     periodic    a quick task at a fixed rate, and a slow one with a fixed delay
 *     shutdown    a pool shut down while tasks are queued: it runs them
 *     now         the same at once: it hands them back
 */
#include "benches/regress/explored/programs.h"

#include <glasspool/glasspool.h>

enum {
    TASKS = 12, /* of each side */
    RUNS = 8    /* of a periodic task */
};

/* Takes the queue over. */
static gp_pool *pool_on(gp_queue *queue, int workers)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *pool = NULL;

    config.queue = queue;
    config.core_size = config.maximum_size = workers;
    config.time_tasks = false;
    (void)gp_pool_new(&config, &pool);
    return pool;
}

static gp_pool *pool_of(int workers)
{
    return pool_on(NULL, workers);
}

static gp_scheduled *scheduled_on(gp_kind kind, int workers)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled = NULL;

    config.kind = kind;
    config.core_size = workers;
    config.time_tasks = false;
    config.remove_on_cancel = true;
    (void)gp_scheduled_new(&config, &scheduled);
    return scheduled;
}

static gp_scheduled *scheduled_of(int workers)
{
    return scheduled_on(GP_REFERENCE, workers);
}

static void *execute(void *pool)
{
    for (int i = 0; i < TASKS; i++)
        (void)gp_pool_execute(pool, count_task, NULL);
    return NULL;
}

static void execute_on(gp_queue *queue, void *done)
{
    gp_pool *pool = pool_on(queue, SIDES);

    side_by_side(execute, pool);
    (void)gp_pool_close(pool);
    report_to(done);
}

static void program_execute(void *done)
{
    execute_on(NULL, done);
}

static void program_conveyor(void *done)
{
    gp_queue *queue = NULL;

    (void)gp_conveyor_new(&queue);
    execute_on(queue, done);
}

static void *submit(void *pool)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);

    for (int i = 0; i < TASKS; i++) {
        gp_future *future = NULL;
        if (gp_pool_submit(pool, &callable, &future) == GP_OK)
            (void)gp_future_get(future, NULL);
        gp_future_release(future);
    }
    return NULL;
}

static void program_submit(void *done)
{
    gp_pool *pool = pool_of(SIDES);

    side_by_side(submit, pool);
    (void)gp_pool_close(pool);
    report_to(done);
}

static void *schedule(void *scheduled)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);

    for (int i = 0; i < TASKS; i++)
        (void)gp_schedule(scheduled, &callable, 0, NULL);
    return NULL;
}

static void schedule_on(gp_kind kind, void *done)
{
    gp_scheduled *scheduled = scheduled_on(kind, SIDES);

    side_by_side(schedule, scheduled);
    (void)gp_scheduled_close(scheduled);
    report_to(done);
}

static void program_schedule(void *done)
{
    schedule_on(GP_REFERENCE, done);
}

static void program_lane(void *done)
{
    schedule_on(GP_FAST, done);
}

static void *schedule_apart(void *scheduled)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);

    for (int i = 0; i < TASKS; i++)
        (void)gp_schedule(scheduled, &callable, GP_MILLISECONDS(1 + i), NULL);
    return NULL;
}

static void program_apart(void *done)
{
    gp_scheduled *scheduled = scheduled_of(2 * SIDES);

    side_by_side(schedule_apart, scheduled);
    (void)gp_scheduled_close(scheduled);
    report_to(done);
}

static void *cancel_half(void *scheduled)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);
    gp_future *futures[TASKS] = {NULL};

    for (int i = 0; i < TASKS; i++)
        (void)gp_schedule(scheduled, &callable, GP_SECONDS(3600 - i * 7 % TASKS), &futures[i]);
    for (int i = 0; i < TASKS; i++) {
        if (i % 2 == 0)
            (void)gp_future_cancel(futures[i], false);
        gp_future_release(futures[i]);
    }
    return NULL;
}

static void program_cancel(void *done)
{
    gp_scheduled *scheduled = scheduled_of(SIDES);

    side_by_side(cancel_half, scheduled);
    (void)gp_scheduled_close(scheduled);
    report_to(done);
}

static void count_slowly(void *unused)
{
    count_task(unused);
    (void)gp_sleep(GP_MILLISECONDS(12));
}

/* The slow one is run after 10, 32, 54 and 76 milliseconds; it ends while the pool does. */
static void program_periodic(void *done)
{
    const gp_callable quick = gp_callable_of(count_task, NULL, NULL);
    const gp_callable slow = gp_callable_of(count_slowly, NULL, NULL);
    gp_scheduled *scheduled = scheduled_of(SIDES);
    const int64_t period = GP_MILLISECONDS(10);

    (void)gp_schedule_at_fixed_rate(scheduled, &quick, period, period, NULL);
    (void)gp_schedule_with_fixed_delay(scheduled, &slow, period, period, NULL);
    (void)gp_sleep(period * RUNS + period / 2);
    (void)gp_scheduled_close(scheduled);
    report_to(done);
}

static void program_shutdown(void *done)
{
    gp_pool *pool = pool_of(SIDES);

    (void)execute(pool);
    gp_pool_shutdown(pool);
    (void)gp_pool_await_termination(pool, GP_FOREVER);
    (void)gp_pool_free(pool);
    report_to(done);
}

/* What it has run and what it hands back are all of them. */
static void program_now(void *done)
{
    gp_pool *pool = pool_of(SIDES);
    gp_task_list unrun;

    (void)execute(pool);
    gp_pool_shutdown_now(pool, &unrun);
    (void)gp_pool_await_termination(pool, GP_FOREVER);
    (void)gp_pool_free(pool);
    atomic_fetch_add(&tasks_done, (int)unrun.count);
    gp_task_list_discard(&unrun);
    report_to(done);
}

const struct program programs_pool[] = {
    {"execute", program_execute, SIDES *TASKS},
    {"conveyor", program_conveyor, SIDES *TASKS},
    {"submit", program_submit, SIDES *TASKS},
    {"schedule", program_schedule, SIDES *TASKS},
    {"lane", program_lane, SIDES *TASKS},
    {"apart", program_apart, SIDES *TASKS},
    {"cancel", program_cancel, SIDES *TASKS / 2},
    {"periodic", program_periodic, RUNS + 4},
    {"shutdown", program_shutdown, TASKS},
    {"now", program_now, TASKS},
    {NULL, NULL, 0},
};
