/*
 * libuv. There is one thread pool in a process, of a size that is read once from the environment;
 * and only the thread of a loop may queue work, which must run the loop to hear that it is done. So
 * each producer has a loop of its own, and a process has one number of workers.
 *
 * Timers belong to the thread of the loop as well: no lock, no other thread to wake, and a
 * resolution of milliseconds. They are here for comparison, not as an equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "contender.h"

/* The pool. */

static void run_nothing(uv_work_t *work)
{
    (void)work;
    count_run();
}

static void after_work(uv_work_t *work, int status)
{
    (void)status;
    free(work);
}

static void *open_pool(long workers)
{
    static long workers_now;
    static char size[16];

    if (workers_now != 0 && workers_now != workers)
        return NULL;
    workers_now = workers;
    snprintf(size, sizeof(size), "%ld", workers);
    setenv("UV_THREADPOOL_SIZE", size, 1);
    return size;
}

static void close_pool(void *pool)
{
    (void)pool;
}

static bool queue_work(uv_loop_t *loop)
{
    uv_work_t *work = malloc(sizeof(*work));

    return work && uv_queue_work(loop, work, run_nothing, after_work) == 0;
}

static bool produce(void *pool, long count)
{
    uv_loop_t loop;
    bool ok = uv_loop_init(&loop) == 0;

    (void)pool;
    for (long i = 0; i < count && ok; i++)
        ok = queue_work(&loop);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) == 0 && ok;
}

static void execute(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

static bool queue_and_wait(void *pool, long count)
{
    uv_loop_t loop;
    bool ok = uv_loop_init(&loop) == 0;

    (void)pool;
    for (long i = 0; i < count && ok; i++)
        ok = queue_work(&loop) && uv_run(&loop, UV_RUN_DEFAULT) == 0;
    return uv_loop_close(&loop) == 0 && ok;
}

static void submit(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, queue_and_wait, close_pool};

    execute_round(&executor, request, answer);
}

/* Timers. */

struct timer {
    uv_timer_t handle; /* first: libuv gives it back as this */
    void (*run)(void *);
    void *argument;
};

static void free_timer(uv_handle_t *handle)
{
    free(handle);
}

static void call_once(uv_timer_t *handle)
{
    struct timer *timer = (struct timer *)handle;

    timer->run(timer->argument);
    uv_close((uv_handle_t *)handle, free_timer);
}

static void *open_loop(long workers)
{
    uv_loop_t *loop = malloc(sizeof(*loop));

    (void)workers;
    set_timer_slack();
    if (loop && uv_loop_init(loop) == 0)
        return loop;
    free(loop);
    return NULL;
}

static void drive(void *loop)
{
    uv_run(loop, UV_RUN_DEFAULT);
}

static void close_loop(void *loop)
{
    uv_run(loop, UV_RUN_NOWAIT); /* what was closed goes only now */
    uv_loop_close(loop);
    free(loop);
}

static bool time_after(void *loop, int64_t delay, void (*run)(void *), void *argument,
                       void **handle)
{
    struct timer *timer = malloc(sizeof(*timer));

    if (!timer || uv_timer_init(loop, &timer->handle) != 0)
        return false;
    timer->run = run;
    timer->argument = argument;
    uv_update_time(loop);
    if (handle)
        *handle = timer;
    return uv_timer_start(&timer->handle, call_once, (uint64_t)((delay + 999999) / 1000000), 0) ==
           0;
}

static bool cancel_timer(void *loop, void *handle)
{
    (void)loop;
    uv_close(handle, free_timer);
    return true;
}

static long pending(void *loop)
{
    uv_run(loop, UV_RUN_NOWAIT); /* what was closed goes only now */
    return (long)((uv_loop_t *)loop)->active_handles;
}

static const struct scheduler scheduler = {.open = open_loop,
                                           .after = time_after,
                                           .cancel = cancel_timer,
                                           .pending = pending,
                                           .drive = drive,
                                           .close = close_loop};

static void schedule(const struct request *request, struct answer *answer)
{
    schedule_round(&scheduler, request, answer);
}

static void cancel(const struct request *request, struct answer *answer)
{
    cancel_round(&scheduler, request, answer);
}

static void bytes(const struct request *request, struct answer *answer)
{
    bytes_round(&scheduler, request, answer);
}

static void lateness(const struct request *request, struct answer *answer)
{
    lateness_round(&scheduler, request, answer);
}

int main(int argc, char **argv)
{
    static const struct work works[] = {{"execute", execute},   {"submit", submit},
                                        {"schedule", schedule}, {"cancel", cancel},
                                        {"bytes", bytes},       {"lateness", lateness}};

    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
