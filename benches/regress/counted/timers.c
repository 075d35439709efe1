/*
 * Wheels: 10,000 timeouts added and cancelled, in another order, while the worker sleeps.
 *
 *     wheel       the hashed one
 *     wheel-fast  its fast kind
 *     tickless    the other one
 */
#include <stdlib.h> /* calloc */

#include "benches/regress/counted/counted.h"

enum {
    TIMEOUTS = 10000
};

struct wheel {
    gp_timer *timer;
    int64_t delays[TIMEOUTS];
    size_t order[TIMEOUTS]; /* in which they are cancelled */
    gp_timeout *timeouts[TIMEOUTS];
};

static int nothing(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    return 0;
}

MEASURED measured_wheel(struct wheel *work);

MEASURED measured_wheel(struct wheel *work)
{
    int failures = 0;

    for (size_t i = 0; i < TIMEOUTS; i++)
        failures += gp_timer_after(work->timer, work->delays[i], nothing, NULL, NULL,
                                   &work->timeouts[i]) != GP_OK;
    for (size_t i = 0; i < TIMEOUTS; i++) {
        failures += !gp_timeout_cancel(work->timeouts[work->order[i]]);
        gp_timeout_release(work->timeouts[work->order[i]]);
    }
    return failures;
}

static void make_delays(struct wheel *work)
{
    uint64_t seed = 1;

    for (size_t i = 0; i < TIMEOUTS; i++) {
        const size_t other = random_below(&seed, i + 1);
        work->delays[i] = GP_SECONDS(7200) + (int64_t)random_below(&seed, (size_t)GP_SECONDS(3600));
        work->order[i] = work->order[other];
        work->order[other] = i;
    }
}

/* One that stays the first, so that nobody wakes the worker; the sleep is for it to be at rest. */
static bool run_wheel(struct wheel *work)
{
    gp_timeout *first = NULL;
    bool done = gp_timer_start(work->timer) == GP_OK &&
                gp_timer_after(work->timer, GP_SECONDS(3600), nothing, NULL, NULL, &first) == GP_OK;

    if (done) {
        make_delays(work);
        (void)gp_sleep(GP_MILLISECONDS(50));
        done = measured_wheel(work) == 0 && gp_timer_pending(work->timer) == 1;
        gp_timeout_release(first);
    }
    return gp_timer_close(work->timer) == GP_OK && done;
}

static bool run_hashed(gp_wheel_config *config)
{
    struct wheel *work = calloc(1, sizeof(*work));

    config->tick = GP_SECONDS(600);
    bool done = work && gp_wheel_new(config, &work->timer) == GP_OK && run_wheel(work);
    free(work);
    return done;
}

static bool wheel(void)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    return run_hashed(&config);
}

static bool wheel_fast(void)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    config.kind = GP_FAST;
    return run_hashed(&config);
}

static bool tickless(void)
{
    struct wheel *work = calloc(1, sizeof(*work));
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;

    config.max_cancelled = TIMEOUTS + 1; /* the worker sleeps on */
    bool done = work && gp_tickless_new(&config, &work->timer) == GP_OK && run_wheel(work);
    free(work);
    return done;
}

const struct workload workloads_timer[] = {
    {"wheel", wheel}, {"wheel-fast", wheel_fast}, {"tickless", tickless}, {NULL, NULL}};
