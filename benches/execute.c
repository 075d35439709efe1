/*
 * The pool (impl/pool/): tasks given to it, from first to done.
 *
 *     execute/throughput  each producer gives a thousand tasks, waits until all have been run, and
 *                         begins anew: 1 to 8 producers, 1 to 8 workers
 *     execute/conveyor    the same on a conveyor
 *     execute/submit_get  each caller submits a task and gets its result: a round trip
 *
 * A task takes one off the count of its producer, and the last wakes it: so nothing is called done
 * that was only queued. The pools are as gp_executors_fixed makes them, but without histograms.
 */
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "countdown.h"
#include "gbench.h"

enum {
    BATCH = 1000,
    PRODUCERS = 8
};

/* Each on lines of the cache of its own. */
struct producer {
    _Alignas(128) struct countdown countdown;
};

struct subject {
    gp_pool *pool;
    struct producer producers[PRODUCERS];
};

/* Takes the queue over. */
static void *subject_on(gp_queue *queue, gb_state *state)
{
    struct subject *subject = aligned_alloc(128, sizeof(*subject));
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    int status = GP_ENOMEM;

    config.queue = queue;
    config.core_size = config.maximum_size = (int)gb_value(state, 0);
    config.time_tasks = false;
    if (subject) {
        subject->pool = NULL;
        status = gp_pool_new(&config, &subject->pool);
    }
    for (int i = 0; i < PRODUCERS && status == GP_OK; i++)
        subject->producers[i].countdown = (struct countdown)COUNTDOWN_INITIALIZER;
    if (status == GP_OK && gp_pool_prestart_all_core(subject->pool) < config.core_size)
        status = GP_EAGAIN;
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return subject;
}

static void *subject_new(gb_state *state)
{
    return subject_on(NULL, state);
}

static void *subject_on_conveyor(gb_state *state)
{
    gp_queue *queue;

    if (gp_conveyor_new(&queue) == GP_OK)
        return subject_on(queue, state);
    gb_fail(state, gp_strerror(GP_ENOMEM));
    return NULL;
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (subject)
        (void)gp_pool_close(subject->pool);
    free(subject);
}

static void throughput(gb_state *state)
{
    struct subject *subject = state->fixture;
    struct countdown *countdown = &subject->producers[state->thread].countdown;

    while (gb_keep_running(state)) {
        int status = GP_OK;
        countdown_start(countdown, BATCH);
        for (int i = 0; i < BATCH && status == GP_OK; i++)
            status = gp_pool_execute(subject->pool, count_down, countdown);
        if (status == GP_OK)
            countdown_await(countdown);
        else
            gb_fail(state, gp_strerror(status));
    }
    gb_items(state, gb_iterations(state) * BATCH);
}

static void nothing(void *argument)
{
    (void)argument;
}

static void submit_get(gb_state *state)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    struct subject *subject = state->fixture;

    while (gb_keep_running(state)) {
        gp_future *future = NULL;
        int status = gp_pool_submit(subject->pool, &callable, &future);
        if (status == GP_OK)
            status = gp_future_get(future, NULL);
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
        gp_future_release(future);
    }
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "execute/throughput",
     .run = throughput,
     .set_up = subject_new,
     .tear_down = subject_drop,
     .arguments = {{.name = "workers", .from = 1, .to = 8, .times = 2}},
     .threads = {1, 2, 4, PRODUCERS},
     .clock = GB_REAL_TIME,
     .unit = GB_MICROSECONDS},
    {.name = "execute/conveyor",
     .run = throughput,
     .set_up = subject_on_conveyor,
     .tear_down = subject_drop,
     .arguments = {{.name = "workers", .from = 1, .to = 8, .times = 2}},
     .threads = {1, 2, 4, PRODUCERS},
     .clock = GB_REAL_TIME,
     .unit = GB_MICROSECONDS},
    {.name = "execute/submit_get",
     .run = submit_get,
     .set_up = subject_new,
     .tear_down = subject_drop,
     .arguments = {{.name = "workers", .from = 1, .to = 4, .times = 2}},
     .threads = {1, 2, 4},
     .clock = GB_REAL_TIME},
};
GB_REGISTER(benches);
