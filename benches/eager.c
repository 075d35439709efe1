/*
 * The eager pool (impl/rpc/eager.c) beside a plain one of the same size.
 *
 *     eager/burst         tasks that wait for somebody else come all at once, to a pool with one
 *     eager/burst_plain   core worker and room for one each: the time until the last has begun
 *     eager/submit        tasks that do nothing, to a pool with all its workers: what the count and
 *     eager/submit_plain  the second look cost
 *
 * The tasks of a burst wait for 200 microseconds. All workers are there from the first burst on; a
 * plain pool does not start them, since its queue has room.
 */
#include <limits.h>    /* INT_MAX */
#include <stdatomic.h> /* atomic_int */
#include <stdlib.h>    /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"

enum {
    WORKERS = 8,
    BATCH = 1024 /* tasks between two looks at whether all have been run */
};

struct subject {
    gp_pool *pool;
    atomic_int waiting; /* tasks of a burst that have not begun */
    gp_future *begun;   /* set by the last that begins */
};

static void nothing(void *argument)
{
    (void)argument;
}

static void *subject_of(gb_state *state, int core, bool is_eager)
{
    struct subject *subject = calloc(1, sizeof(*subject));
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    int status = GP_ENOMEM;

    config.core_size = core;
    config.maximum_size = WORKERS;
    config.keep_alive = GP_SECONDS(3600);
    config.time_tasks = false;
    if (subject)
        status = is_eager ? gp_task_queue_new(INT_MAX, &config.queue)
                          : gp_linked_new(INT_MAX, &config.queue);
    if (status == GP_OK) {
        status =
            is_eager ? gp_eager_new(&config, &subject->pool) : gp_pool_new(&config, &subject->pool);
        if (status != GP_OK)
            gp_queue_free(config.queue);
    }
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return subject;
}

static void *one_core_eager(gb_state *state)
{
    return subject_of(state, 1, true);
}

static void *one_core_plain(gb_state *state)
{
    return subject_of(state, 1, false);
}

static void *all_core_eager(gb_state *state)
{
    return subject_of(state, WORKERS, true);
}

static void *all_core_plain(gb_state *state)
{
    return subject_of(state, WORKERS, false);
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (subject)
        (void)gp_pool_close(subject->pool);
    free(subject);
}

/* ---- a burst ---- */

static void begin_and_wait(void *argument)
{
    struct subject *subject = argument;

    if (atomic_fetch_sub(&subject->waiting, 1) == 1)
        gp_future_set(subject->begun, NULL);
    gp_sleep(GP_MICROSECONDS(200));
}

static int come_at_once(struct subject *subject)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    int status = gp_future_new(&callable, &subject->begun);

    if (status != GP_OK)
        return status;
    atomic_store(&subject->waiting, WORKERS);
    for (int i = 0; i < WORKERS && status == GP_OK; i++)
        status = gp_pool_execute(subject->pool, begin_and_wait, subject);
    if (status == GP_OK)
        status = gp_future_get(subject->begun, NULL);
    return status;
}

static void burst(gb_state *state)
{
    struct subject *subject = state->fixture;

    while (gb_keep_running(state)) {
        const int64_t start = gp_now();
        const int status = come_at_once(subject);

        gb_iteration_time(state, (double)gp_time_until(gp_now(), start) / 1e9);
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        gp_pool_await_quiescence(subject->pool, GP_FOREVER);
        gp_future_release(subject->begun);
        subject->begun = NULL;
    }
}

/* ---- one after the other ---- */

static void submit(gb_state *state)
{
    struct subject *subject = state->fixture;
    int64_t count = 0;

    while (gb_keep_running(state)) {
        const int status = gp_pool_execute(subject->pool, nothing, NULL);

        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        if (++count % BATCH == 0)
            gp_pool_await_quiescence(subject->pool, GP_FOREVER);
    }
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "eager/burst",
     .run = burst,
     .set_up = one_core_eager,
     .tear_down = subject_drop,
     .clock = GB_MANUAL_TIME,
     .unit = GB_MICROSECONDS},
    {.name = "eager/burst_plain",
     .run = burst,
     .set_up = one_core_plain,
     .tear_down = subject_drop,
     .clock = GB_MANUAL_TIME,
     .unit = GB_MICROSECONDS},
    {.name = "eager/submit",
     .run = submit,
     .set_up = all_core_eager,
     .tear_down = subject_drop,
     .clock = GB_REAL_TIME},
    {.name = "eager/submit_plain",
     .run = submit,
     .set_up = all_core_plain,
     .tear_down = subject_drop,
     .clock = GB_REAL_TIME},
};
GB_REGISTER(benches);
