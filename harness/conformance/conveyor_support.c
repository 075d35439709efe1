/* Support for the suites of the conveyor: see conveyor_support.h. */
#include "conveyor_support.h"

#include <glasspool/status.h>

#include "queue/queue.h"

#include "suite.h"

gp_queue *conveyor(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_conveyor_new(&queue));
    return queue;
}

void write_entry(void *entry)
{
    const struct entry *written = entry;
    struct diary *diary = written->diary;
    if (diary->count < DIARY_SIZE)
        diary->written[diary->count++] = written->number;
}

static struct entry *entry_of(struct diary *diary, int number)
{
    diary->entries[number] = (struct entry){.diary = diary, .number = number};
    return &diary->entries[number];
}

static void forget_entry(void *entry)
{
    (void)entry;
}

gp_callable entry_callable(struct diary *diary, int number)
{
    return (gp_callable){
        .run = write_entry, .argument = entry_of(diary, number), .destroy = forget_entry};
}

void execute_written(gp_pool *pool, gp_run_fn *run, struct diary *diary, int number)
{
    check_status(gp_pool_execute(pool, run, entry_of(diary, number)), GP_OK);
}

void execute_entry(gp_pool *pool, struct diary *diary, int number)
{
    execute_written(pool, write_entry, diary, number);
}

static bool accept(void *context)
{
    (void)context;
    return true;
}

int try_entry(gp_queue *queue, struct diary *diary, int number)
{
    struct gp__work function = {.run = write_entry, .argument = entry_of(diary, number)};
    struct gp__admission_check admission = {.may_enqueue = accept};
    return queue->class->functions->enqueue(queue, &function, &admission, NULL);
}

void place_entry(gp_queue *queue, struct diary *diary, int number)
{
    check_status(try_entry(queue, diary, number), GP_OK);
}

void check_diary(const struct diary *diary, int count)
{
    check_int(diary->count, count);
    for (int i = 0; i < count && i < diary->count; i++)
        if (diary->written[i] != i) {
            check_int(diary->written[i], i);
            break;
        }
}

static void see_nothing(void *context, gp_task *task)
{
    (void)context;
    (void)task;
}

static void hold(struct held *held, gp_pool_hooks hooks)
{
    held->queue = conveyor();
    gp_pool_config config = config_with(1, 1, held->queue);
    config.hooks = hooks;
    held->pool = pool_of(&config);
    job_init_holding(&held->job);
    held->future = job_submit(held->pool, &held->job);
    latch_await(&held->job.begun);
}

void hold_worker(struct held *held)
{
    hold(held, (gp_pool_hooks){0});
}

void hold_worker_with_hook(struct held *held)
{
    hold(held, (gp_pool_hooks){.before_execute = see_nothing});
}

void held_let_go(struct held *held)
{
    job_let_go(&held->job);
    future_end(held->future, GP_OK);
    held->future = NULL;
}

void held_end(struct held *held)
{
    if (held->future != NULL)
        held_let_go(held);
    pool_end(held->pool);
}
