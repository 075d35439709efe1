/*
 * The wheels, with two threads that add timeouts, cancel every other one, and let the rest expire;
 * and the threadless executor, whose tasks are run by who waits for them.
 */
#include "benches/regress/explored/programs.h"

#include <pthread.h>

#include <glasspool/glasspool.h>

enum {
    TIMEOUTS = 12, /* of each side */
    CALLS = 6
};

static int count_timeout(gp_timeout *timeout, void *unused)
{
    (void)timeout;
    count_task(unused);
    return 0;
}

static void *add_and_cancel(void *timer)
{
    gp_timeout *timeouts[TIMEOUTS] = {NULL};

    for (int i = 0; i < TIMEOUTS; i++)
        (void)gp_timer_after(timer, GP_MILLISECONDS(20 + i * 7 % TIMEOUTS), count_timeout, NULL,
                             NULL, &timeouts[i]);
    for (int i = 0; i < TIMEOUTS; i++) {
        if (i % 2 == 0)
            (void)gp_timeout_cancel(timeouts[i]);
        gp_timeout_release(timeouts[i]);
    }
    return NULL;
}

static void live(gp_timer *timer, void *done)
{
    side_by_side(add_and_cancel, timer);
    (void)gp_sleep(GP_MILLISECONDS(100));
    (void)gp_timer_close(timer);
    report_to(done);
}

static void program_wheel(void *done)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    gp_timer *timer;

    config.tick = GP_MILLISECONDS(1);
    config.ticks_per_wheel = 16;
    if (gp_wheel_new(&config, &timer) == GP_OK)
        live(timer, done);
}

static void program_tickless(void *done)
{
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;
    gp_timer *timer;

    if (gp_tickless_new(&config, &timer) == GP_OK)
        live(timer, done);
}

struct call {
    gp_threadless *threadless;
    gp_pool *shared;
};

static void *answer(void *argument)
{
    struct call *call = argument;

    (void)gp_threadless_execute(call->threadless, count_task, NULL);
    gp_threadless_release(call->threadless);
    return NULL;
}

static void make_call(struct call *call)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);
    gp_future *future = NULL;
    pthread_t network;

    if (gp_future_new(&callable, &future) == GP_OK &&
        gp_threadless_new(call->shared, future, &call->threadless) == GP_OK) {
        gp_threadless_retain(call->threadless);
        pthread_create(&network, NULL, answer, call);
        (void)gp_threadless_wait_and_drain(call->threadless);
        pthread_join(network, NULL);
        gp_threadless_release(call->threadless);
    }
    gp_task_discard(gp_future_task(future));
}

static void program_threadless(void *done)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    struct call call = {NULL, NULL};

    if (gp_pool_new(&config, &call.shared) != GP_OK)
        return;
    for (int i = 0; i < CALLS; i++)
        make_call(&call);
    (void)gp_pool_close(call.shared);
    report_to(done);
}

const struct program programs_timer[] = {
    {"wheel", program_wheel, SIDES *TIMEOUTS / 2},
    {"tickless", program_tickless, SIDES *TIMEOUTS / 2},
    {"threadless", program_threadless, CALLS},
    {NULL, NULL, 0},
};
