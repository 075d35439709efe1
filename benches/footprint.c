/*
 * Bytes per pending task, as malloc has given them out: its own headers and what it rounds up are
 * in it, and the place in the queue or the wheel.
 *
 *     footprint/execute    a task in the queue of a pool whose worker is busy
 *     footprint/submit     the same with a future, the handle kept
 *     footprint/scheduled  a task due in an hour, the handle kept
 *     footprint/hashed     a timeout due in an hour, the handle kept
 *     footprint/tickless   likewise
 *
 * The counter `bytes` is what all of them take, with what the executor grows by, divided by their
 * number: 10^4, 10^5, 10^6. The array in which the bench keeps the handles does not count, but a
 * handle that is an object of its own would. The heap grows by half at a time, so its share depends
 * on the number.
 */
#define _GNU_SOURCE /* mallinfo2 */

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"
#include "random.h"

struct subject {
    gp_pool *pool; /* one of these */
    gp_scheduled *scheduled;
    gp_timer *timer;
    gp_future *gate; /* what the busy worker waits for */
    uint64_t seed;
    size_t count;
    void **handles;
};

static void nothing(void *argument)
{
    (void)argument;
}

static int call_nothing(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    return 0;
}

static void be_busy(void *argument)
{
    (void)gp_future_get(argument, NULL);
}

static size_t bytes_given_out(void)
{
    const struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Between one hour ahead and two. */
static int64_t draw_delay(struct subject *subject)
{
    return GP_SECONDS(3600) + (int64_t)random_below(&subject->seed, (size_t)GP_SECONDS(3600));
}

/* ---- one more of each ---- */

static int add_executed(struct subject *subject, void **handle)
{
    (void)handle;
    return gp_pool_execute(subject->pool, nothing, NULL);
}

static int add_submitted(struct subject *subject, void **handle)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);

    return gp_pool_submit(subject->pool, &callable, (gp_future **)handle);
}

static int add_scheduled(struct subject *subject, void **handle)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);

    return gp_schedule(subject->scheduled, &callable, draw_delay(subject), (gp_future **)handle);
}

static int add_timeout(struct subject *subject, void **handle)
{
    return gp_timer_after(subject->timer, draw_delay(subject), call_nothing, NULL, NULL,
                          (gp_timeout **)handle);
}

/* ---- the executors ---- */

static struct subject *subject_new(gb_state *state)
{
    struct subject *subject = calloc(1, sizeof(*subject));

    if (subject) {
        subject->count = (size_t)gb_value(state, 0);
        subject->handles = calloc(subject->count, sizeof(subject->handles[0]));
    }
    if (!subject || !subject->handles)
        gb_fail(state, gp_strerror(GP_ENOMEM));
    return subject;
}

static void check(gb_state *state, int status)
{
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
}

static void *busy_pool(gb_state *state)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    const gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    struct subject *subject = subject_new(state);
    int status = subject ? gp_future_new(&callable, &subject->gate) : GP_ENOMEM;

    if (status == GP_OK)
        status = gp_pool_new(&config, &subject->pool);
    if (status == GP_OK)
        status = gp_pool_execute(subject->pool, be_busy, subject->gate);
    check(state, status);
    return subject;
}

static void *scheduled_pool(gb_state *state)
{
    const gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    struct subject *subject = subject_new(state);

    check(state, subject ? gp_scheduled_new(&config, &subject->scheduled) : GP_ENOMEM);
    return subject;
}

static void *hashed_wheel(gb_state *state)
{
    const gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    struct subject *subject = subject_new(state);

    check(state, subject ? gp_wheel_new(&config, &subject->timer) : GP_ENOMEM);
    return subject;
}

static void *tickless_wheel(gb_state *state)
{
    const gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;
    struct subject *subject = subject_new(state);

    check(state, subject ? gp_tickless_new(&config, &subject->timer) : GP_ENOMEM);
    return subject;
}

static void release(struct subject *subject, void *handle)
{
    if (subject->timer)
        gp_timeout_release(handle);
    else
        gp_future_release(handle);
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (!subject)
        return;
    if (subject->gate)
        gp_future_set(subject->gate, NULL);
    if (subject->pool)
        (void)gp_pool_close(subject->pool);
    gp_future_release(subject->gate);
    if (subject->scheduled) {
        gp_pool_shutdown_now(gp_scheduled_pool(subject->scheduled), NULL);
        (void)gp_scheduled_close(subject->scheduled);
    }
    if (subject->timer)
        (void)gp_timer_close(subject->timer);
    for (size_t i = 0; subject->handles && i < subject->count; i++)
        release(subject, subject->handles[i]);
    free(subject->handles);
    free(subject);
}

/* ---- measuring ---- */

static void fill(gb_state *state, int (*add)(struct subject *, void **))
{
    struct subject *subject = state->fixture;
    const size_t before = bytes_given_out();

    while (gb_keep_running(state)) {
        int status = GP_OK;
        for (size_t i = 0; i < subject->count && status == GP_OK; i++)
            status = add(subject, &subject->handles[i]);
        check(state, status);
    }
    const double bytes = (double)bytes_given_out() - (double)before;
    gb_counter(state, "bytes", bytes / (double)subject->count, GB_PLAIN);
}

static void execute(gb_state *state)
{
    fill(state, add_executed);
}

static void submit(gb_state *state)
{
    fill(state, add_submitted);
}

static void schedule(gb_state *state)
{
    fill(state, add_scheduled);
}

static void timeout(gb_state *state)
{
    fill(state, add_timeout);
}

#define BENCH(its_name, its_run, its_set_up)                                                     \
    {                                                                                            \
        .name = (its_name), .run = (its_run), .set_up = (its_set_up), .tear_down = subject_drop, \
        .arguments = {{.name = "pending", .from = 10000, .to = 1000000, .times = 10}},           \
        .unit = GB_MILLISECONDS, .iterations = 1                                                 \
    }

static const gb_bench benches[] = {
    BENCH("footprint/execute", execute, busy_pool),
    BENCH("footprint/submit", submit, busy_pool),
    BENCH("footprint/scheduled", schedule, scheduled_pool),
    BENCH("footprint/hashed", timeout, hashed_wheel),
    BENCH("footprint/tickless", timeout, tickless_wheel),
};
GB_REGISTER(benches);
