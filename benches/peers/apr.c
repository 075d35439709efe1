/*
 * APR's thread pool. Scheduled tasks stand in a list that is searched from its head, so a million
 * of them is out of its reach. To cancel means to cancel all tasks of an owner: each has its own.
 */
#include <apr_general.h>
#include <apr_thread_pool.h>
#include <stdlib.h>

#include "contender.h"

struct pool {
    apr_pool_t *memory;
    apr_thread_pool_t *threads;
};

struct call {
    void (*run)(void *);
    void *argument;
};

static void *APR_THREAD_FUNC run_nothing(apr_thread_t *thread, void *argument)
{
    (void)thread;
    (void)argument;
    count_run();
    return NULL;
}

static void *open_pool(long workers)
{
    apr_pool_t *memory;
    struct pool *pool;

    if (apr_pool_create(&memory, NULL) != APR_SUCCESS)
        return NULL;
    pool = apr_palloc(memory, sizeof(*pool));
    pool->memory = memory;
    if (apr_thread_pool_create(&pool->threads, (apr_size_t)workers, (apr_size_t)workers, memory) !=
        APR_SUCCESS)
        return NULL;
    return pool;
}

static void close_pool(void *argument)
{
    struct pool *pool = argument;

    apr_thread_pool_destroy(pool->threads);
    apr_pool_destroy(pool->memory);
}

static bool produce(void *argument, long count)
{
    struct pool *pool = argument;
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = apr_thread_pool_push(pool->threads, run_nothing, NULL, APR_THREAD_TASK_PRIORITY_NORMAL,
                                  NULL) == APR_SUCCESS;
    return ok;
}

static void execute(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

static bool produce_at_once(void *argument, long count)
{
    struct pool *pool = argument;
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = apr_thread_pool_schedule(pool->threads, run_nothing, NULL, 0, NULL) == APR_SUCCESS;
    return ok;
}

static void schedule_0(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce_at_once, close_pool};

    execute_round(&executor, request, answer);
}

static void *APR_THREAD_FUNC call_once(apr_thread_t *thread, void *argument)
{
    struct call call = *(struct call *)argument;

    (void)thread;
    free(argument);
    call.run(call.argument);
    return NULL;
}

static bool time_after(void *argument, int64_t delay, void (*run)(void *), void *run_argument,
                       void **handle)
{
    struct pool *pool = argument;
    struct call *call = malloc(sizeof(*call));

    if (!call)
        return false;
    *call = (struct call){run, run_argument};
    if (handle)
        *handle = call;
    return apr_thread_pool_schedule(pool->threads, call_once, call, (delay + 999) / 1000, call) ==
           APR_SUCCESS;
}

static bool cancel_task(void *pool, void *handle)
{
    bool ok = apr_thread_pool_tasks_cancel(((struct pool *)pool)->threads, handle) == APR_SUCCESS;

    free(handle);
    return ok;
}

static long pending(void *pool)
{
    return (long)apr_thread_pool_scheduled_tasks_count(((struct pool *)pool)->threads);
}

static const struct scheduler scheduler = {.pending_most = 10000,
                                           .open = open_pool,
                                           .after = time_after,
                                           .cancel = cancel_task,
                                           .pending = pending,
                                           .close = close_pool};

static void schedule(const struct request *request, struct answer *answer)
{
    schedule_round(&scheduler, request, answer);
}

static void cancel(const struct request *request, struct answer *answer)
{
    cancel_round(&scheduler, request, answer);
}

static void lateness(const struct request *request, struct answer *answer)
{
    set_timer_slack(); /* the threads that are made now inherit it */
    lateness_round(&scheduler, request, answer);
}

int main(int argc, char **argv)
{
    static const struct work works[] = {{"execute", execute},
                                        {"schedule0", schedule_0},
                                        {"schedule", schedule},
                                        {"cancel", cancel},
                                        {"lateness", lateness}};

    apr_initialize();
    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
