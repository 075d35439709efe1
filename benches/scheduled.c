/*
 * The scheduled pool (impl/scheduled/): one-shot tasks.
 *
 *     scheduled/schedule  a task scheduled, with 10^3 ... 10^6 others pending
 *     scheduled/cancel    one of them cancelled at random, and removed at once
 *     scheduled/run       a thousand tasks that are due at once: from the first that is scheduled
 *                         to the last that has been run, by 1, 2 or 4 workers
 *     scheduled/lane/run  the same, in a lane beside the heap (GP_FAST)
 *
 * The tasks of the first two are due between one hour ahead and two; they are cancelled, or
 * scheduled again, while the clock stands still, a batch at a time: the number of pending tasks
 * stays about the same. The worker sleeps. Costs grow with log n, by the fit; beyond the caches
 * each level of the heap is a miss more. Handles are kept: what is cancelled has one.
 */
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "countdown.h"
#include "gbench.h"
#include "random.h"

enum {
    BATCH = 1000
};

struct subject {
    gp_scheduled *scheduled;
    size_t count;
    gp_future **futures; /* of those that are pending, by number */
    uint64_t seed;
    int status; /* GP_OK, or the first thing that went wrong */
    struct countdown countdown;
};

static void nothing(void *argument)
{
    (void)argument;
}

static void note(struct subject *subject, int status)
{
    if (subject->status == GP_OK)
        subject->status = status;
}

static gp_future *schedule(struct subject *subject)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    const int64_t spread = (int64_t)random_below(&subject->seed, (size_t)GP_SECONDS(3600));
    gp_future *future = NULL;

    note(subject, gp_schedule(subject->scheduled, &callable, GP_SECONDS(3600) + spread, &future));
    return future;
}

static void cancel(struct subject *subject, gp_future *future)
{
    if (!future || !gp_future_cancel(future, false))
        note(subject, GP_ESTATE);
    gp_future_release(future);
}

static struct subject *subject_of(gb_state *state, size_t count, int workers, gp_kind kind)
{
    struct subject *subject = calloc(1, sizeof(*subject));
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    if (!subject) {
        gb_fail(state, gp_strerror(GP_ENOMEM));
        return NULL;
    }
    config.core_size = workers;
    config.kind = kind;
    config.remove_on_cancel = true;
    config.time_tasks = false;
    subject->count = count;
    subject->futures = calloc(count + BATCH, sizeof(subject->futures[0]));
    subject->countdown = (struct countdown)COUNTDOWN_INITIALIZER;
    note(subject, subject->futures ? gp_scheduled_new(&config, &subject->scheduled) : GP_ENOMEM);
    for (size_t i = 0; i < count && subject->status == GP_OK; i++)
        subject->futures[i] = schedule(subject);
    if (subject->status != GP_OK)
        gb_fail(state, gp_strerror(subject->status));
    return subject;
}

static void *pending(gb_state *state)
{
    return subject_of(state, (size_t)gb_value(state, 0), 1, GP_REFERENCE);
}

static void *none_pending(gb_state *state)
{
    return subject_of(state, 0, (int)gb_value(state, 0), GP_REFERENCE);
}

static void *none_on_lane(gb_state *state)
{
    return subject_of(state, 0, (int)gb_value(state, 0), GP_FAST);
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (!subject)
        return;
    for (size_t i = 0; subject->futures && i < subject->count; i++)
        gp_future_release(subject->futures[i]);
    free(subject->futures);
    if (subject->scheduled) {
        gp_pool_shutdown_now(gp_scheduled_pool(subject->scheduled), NULL);
        (void)gp_scheduled_close(subject->scheduled);
    }
    free(subject);
}

static void finish(gb_state *state, struct subject *subject, int64_t items)
{
    if (subject->status != GP_OK)
        gb_fail(state, gp_strerror(subject->status));
    gb_items(state, items);
}

static void schedule_one(gb_state *state)
{
    struct subject *subject = state->fixture;
    gp_future **fresh = subject->futures + subject->count;
    size_t made = 0;

    while (gb_keep_running(state)) {
        if (made == BATCH) {
            gb_pause(state);
            while (made > 0)
                cancel(subject, fresh[--made]);
            gb_resume(state);
        }
        fresh[made++] = schedule(subject);
    }
    while (made > 0)
        cancel(subject, fresh[--made]);
    finish(state, subject, gb_iterations(state));
}

/* Their places, so that the clock has nothing to do with drawing them: no two alike. */
static void draw_places(struct subject *subject, size_t places[BATCH])
{
    const size_t stride = subject->count / BATCH;

    for (size_t i = 0; i < BATCH; i++)
        places[i] = i * stride + random_below(&subject->seed, stride);
    for (size_t i = BATCH - 1; i > 0; i--) {
        const size_t other = random_below(&subject->seed, i + 1);
        const size_t place = places[i];
        places[i] = places[other];
        places[other] = place;
    }
}

static void cancel_one(gb_state *state)
{
    struct subject *subject = state->fixture;
    size_t places[BATCH];
    size_t gone = 0;

    draw_places(subject, places);
    while (gb_keep_running(state)) {
        if (gone == BATCH) {
            gb_pause(state);
            while (gone > 0)
                subject->futures[places[--gone]] = schedule(subject);
            draw_places(subject, places);
            gb_resume(state);
        }
        cancel(subject, subject->futures[places[gone++]]);
    }
    while (gone > 0)
        subject->futures[places[--gone]] = schedule(subject);
    finish(state, subject, gb_iterations(state));
}

static void run_all(gb_state *state)
{
    struct subject *subject = state->fixture;
    const gp_callable callable = gp_callable_of(count_down, &subject->countdown, NULL);

    while (gb_keep_running(state)) {
        countdown_start(&subject->countdown, BATCH);
        for (int i = 0; i < BATCH; i++)
            note(subject, gp_schedule(subject->scheduled, &callable, 0, NULL));
        if (subject->status == GP_OK)
            countdown_await(&subject->countdown);
        else
            gb_fail(state, gp_strerror(subject->status));
    }
    finish(state, subject, gb_iterations(state) * BATCH);
}

static const gb_bench benches[] = {
    {.name = "scheduled/schedule",
     .run = schedule_one,
     .set_up = pending,
     .tear_down = subject_drop,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .fit = GB_O_LOG_N},
    {.name = "scheduled/cancel",
     .run = cancel_one,
     .set_up = pending,
     .tear_down = subject_drop,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .fit = GB_O_LOG_N},
    {.name = "scheduled/run",
     .run = run_all,
     .set_up = none_pending,
     .tear_down = subject_drop,
     .arguments = {{.name = "workers", .from = 1, .to = 4, .times = 2}},
     .clock = GB_REAL_TIME,
     .unit = GB_MICROSECONDS},
    {.name = "scheduled/lane/run",
     .run = run_all,
     .set_up = none_on_lane,
     .tear_down = subject_drop,
     .arguments = {{.name = "workers", .from = 1, .to = 4, .times = 2}},
     .clock = GB_REAL_TIME,
     .unit = GB_MICROSECONDS},
};
GB_REGISTER(benches);
