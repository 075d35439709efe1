/*
 * The wheels (impl/wheel/), beside the heap of a scheduled pool with remove-on-cancel.
 *
 *     wheel/add_cancel            a timeout added and cancelled, as nearly all are that guard a
 *     wheel/tickless_add_cancel   call over the network: on the hashed wheel, on the tickless one,
 *     wheel/fast_add_cancel       on the fast kind of the hashed one,
 *     wheel/schedule_cancel       and on the heap
 *     wheel/expire                a thousand timeouts that are due within a millisecond, from the
 *     wheel/tickless_expire       first that is added to the last that is called
 *     wheel/schedule_expire
 *
 * All with others pending: 10^3 ... 10^6 of them, by one thread or two, for the first four; 10^3
 * ... 10^5 for the rest. The wheels promise that these do not matter to who adds and cancels. What
 * is left to the worker, the removal, is not in the CPU time of the bench, but takes a core's time:
 * ticks are of a millisecond, and the worker runs beside. For those that expire it is the CPU time
 * of all threads: there the hashed wheel pays for its ticks, and for the others that it finds in
 * its buckets.
 */
#include <pthread.h>
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"
#include "random.h"

enum {
    AT_ONCE = 1000 /* that expire together */
};

struct pending {
    gp_timer *timer;         /* either this ... */
    gp_scheduled *scheduled; /* ... or this */
    pthread_mutex_t lock;
    pthread_cond_t all_called;
    int called; /* of AT_ONCE */
};

static int nothing(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    return 0;
}

static void run_nothing(void *argument)
{
    (void)argument;
}

static void run_counted(void *argument)
{
    struct pending *pending = argument;

    pthread_mutex_lock(&pending->lock);
    if (++pending->called == AT_ONCE)
        pthread_cond_signal(&pending->all_called);
    pthread_mutex_unlock(&pending->lock);
}

static int call_counted(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    run_counted(argument);
    return 0;
}

/* Between one hour ahead and two. */
static int64_t delay_of(uint64_t *seed)
{
    return GP_SECONDS(3600) + (int64_t)random_below(seed, (size_t)GP_SECONDS(3600));
}

static int add(struct pending *pending, int64_t delay, gp_timeout **out)
{
    return gp_timer_after(pending->timer, delay, nothing, NULL, NULL, out);
}

static int schedule(struct pending *pending, int64_t delay, gp_future **out)
{
    const gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);

    return gp_schedule(pending->scheduled, &callable, delay, out);
}

static void fill(gb_state *state, struct pending *pending)
{
    uint64_t seed = 1;
    int status = GP_OK;

    for (int64_t i = 0; i < gb_value(state, 0) && status == GP_OK; i++)
        status = pending->timer ? add(pending, delay_of(&seed), NULL)
                                : schedule(pending, delay_of(&seed), NULL);
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
}

static struct pending *create_pending(void)
{
    struct pending *pending = calloc(1, sizeof(*pending));

    if (pending) {
        pthread_mutex_init(&pending->lock, NULL);
        pthread_cond_init(&pending->all_called, NULL);
    }
    return pending;
}

static void *pending_on(gb_state *state, gp_kind kind)
{
    struct pending *pending = create_pending();
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    config.tick = GP_MILLISECONDS(1);
    config.kind = kind;
    if (!pending || gp_wheel_new(&config, &pending->timer) != GP_OK)
        gb_fail(state, gp_strerror(GP_ENOMEM));
    else
        fill(state, pending);
    return pending;
}

static void *pending_on_wheel(gb_state *state)
{
    return pending_on(state, GP_REFERENCE);
}

static void *pending_on_fast(gb_state *state)
{
    return pending_on(state, GP_FAST);
}

static void *pending_on_tickless(gb_state *state)
{
    struct pending *pending = create_pending();
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;

    if (!pending || gp_tickless_new(&config, &pending->timer) != GP_OK)
        gb_fail(state, gp_strerror(GP_ENOMEM));
    else
        fill(state, pending);
    return pending;
}

static void *pending_on_heap(gb_state *state)
{
    struct pending *pending = create_pending();
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    if (!pending || gp_scheduled_new(&config, &pending->scheduled) != GP_OK)
        gb_fail(state, gp_strerror(GP_ENOMEM));
    else
        fill(state, pending);
    return pending;
}

static void pending_free(void *fixture)
{
    struct pending *pending = fixture;

    if (!pending)
        return;
    (void)gp_timer_close(pending->timer);
    if (pending->scheduled)
        gp_pool_shutdown_now(gp_scheduled_pool(pending->scheduled), NULL);
    (void)gp_scheduled_close(pending->scheduled);
    pthread_cond_destroy(&pending->all_called);
    pthread_mutex_destroy(&pending->lock);
    free(pending);
}

static uint64_t seed_of(const gb_state *state)
{
    return (uint64_t)state->thread + 2;
}

static void add_cancel(gb_state *state)
{
    uint64_t seed = seed_of(state);
    gp_timeout *timeout;

    while (gb_keep_running(state)) {
        if (add(state->fixture, delay_of(&seed), &timeout) != GP_OK) {
            gb_fail(state, "cannot add");
            continue;
        }
        gp_timeout_cancel(timeout);
        gp_timeout_release(timeout);
    }
    gb_items(state, gb_iterations(state));
}

static void schedule_cancel(gb_state *state)
{
    uint64_t seed = seed_of(state);
    gp_future *future;

    while (gb_keep_running(state)) {
        if (schedule(state->fixture, delay_of(&seed), &future) != GP_OK) {
            gb_fail(state, "cannot schedule");
            continue;
        }
        gp_future_cancel(future, false);
        gp_future_release(future);
    }
    gb_items(state, gb_iterations(state));
}

static int add_soon(struct pending *pending, int64_t delay)
{
    const gp_callable callable = gp_callable_of(run_counted, pending, NULL);

    return pending->timer ? gp_timer_after(pending->timer, delay, call_counted, pending, NULL, NULL)
                          : gp_schedule(pending->scheduled, &callable, delay, NULL);
}

static void await_all(struct pending *pending)
{
    pthread_mutex_lock(&pending->lock);
    while (pending->called < AT_ONCE)
        pthread_cond_wait(&pending->all_called, &pending->lock);
    pending->called = 0;
    pthread_mutex_unlock(&pending->lock);
}

static void expire(gb_state *state)
{
    uint64_t seed = seed_of(state);
    struct pending *pending = state->fixture;

    while (gb_keep_running(state)) {
        int status = GP_OK;
        for (int i = 0; i < AT_ONCE && status == GP_OK; i++)
            status = add_soon(pending, (int64_t)random_below(&seed, (size_t)GP_MILLISECONDS(1)));
        if (status == GP_OK)
            await_all(pending);
        else
            gb_fail(state, gp_strerror(status));
    }
    gb_items(state, gb_iterations(state) * AT_ONCE);
}

#define CANCELLING(its_name, its_run, its_set_up)                                                  \
    {                                                                                              \
        .name = (its_name), .run = (its_run), .set_up = (its_set_up), .tear_down = pending_free,   \
        .keep = true,                                                                              \
        .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}}, .threads = { \
            1,                                                                                     \
            2                                                                                      \
        }                                                                                          \
    }
#define EXPIRING(its_name, its_set_up)                                                             \
    {                                                                                              \
        .name = (its_name), .run = expire, .set_up = (its_set_up), .tear_down = pending_free,      \
        .keep = true, .arguments = {{.name = "pending", .from = 1000, .to = 100000, .times = 10}}, \
        .clock = GB_PROCESS_TIME, .unit = GB_MICROSECONDS                                          \
    }

static const gb_bench benches[] = {
    CANCELLING("wheel/add_cancel", add_cancel, pending_on_wheel),
    CANCELLING("wheel/tickless_add_cancel", add_cancel, pending_on_tickless),
    CANCELLING("wheel/fast_add_cancel", add_cancel, pending_on_fast),
    CANCELLING("wheel/schedule_cancel", schedule_cancel, pending_on_heap),
    EXPIRING("wheel/expire", pending_on_wheel),
    EXPIRING("wheel/tickless_expire", pending_on_tickless),
    EXPIRING("wheel/schedule_expire", pending_on_heap),
};
GB_REGISTER(benches);
