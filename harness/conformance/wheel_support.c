/* Support for the tests of timers: see wheel_support.h. */
#include "wheel_support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"
#include "wheel/fast.h"

static int new_tickless(const gp_wheel_config *config, gp_timer **out)
{
    gp_tickless_config tickless = GP_TICKLESS_CONFIG_DEFAULT;
    tickless.max_pending = config->max_pending;
    tickless.thread = config->thread;
    tickless.factory = config->factory;
    tickless.executor = config->executor;
    tickless.hooks = config->hooks;
    return gp_tickless_new(&tickless, out);
}

static int new_fast(const gp_wheel_config *config, gp_timer **out)
{
    gp_wheel_config fast = *config;
    fast.kind = GP_FAST;
    return gp_wheel_new(&fast, out);
}

static int (*chosen)(const gp_wheel_config *, gp_timer **out) = gp_wheel_new;

void choose_hashed(void)
{
    chosen = gp_wheel_new;
}

void choose_tickless(void)
{
    chosen = new_tickless;
}

void choose_fast(void)
{
    chosen = new_fast;
}

int timer_new(const gp_wheel_config *config, gp_timer **out)
{
    return chosen(config, out);
}

gp_wheel_config quick_config(void)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    config.tick = GP_MILLISECONDS(1);
    config.ticks_per_wheel = 8;
    return config;
}

gp_timer *timer_of(const gp_wheel_config *config)
{
    gp_timer *timer = NULL;
    require_ok(timer_new(config, &timer));
    return timer;
}

gp_timer *quick_timer(void)
{
    gp_wheel_config config = quick_config();
    return timer_of(&config);
}

void timer_end(gp_timer *timer)
{
    check_status(gp_timer_stop(timer, NULL), GP_OK);
    check_int(gp_timer_pending(timer), 0);
    check_int(gp_timer_check(timer), 0);
    check_status(gp_timer_free(timer), GP_OK);
}

int call_subject_of_timeout(gp_timeout *timeout, void *argument)
{
    struct subject *subject = argument;
    (void)timeout;
    atomic_fetch_add(&subject->runs, 1);
    if (subject->inside != NULL)
        subject->inside(subject);
    return subject->code;
}

void destroy_subject_of_timeout(void *argument)
{
    struct subject *subject = argument;
    atomic_fetch_add(&subject->destroyed, 1);
}

gp_timeout *timeout_after(gp_timer *timer, int64_t delay, struct subject *subject)
{
    gp_timeout *timeout = NULL;
    require_ok(gp_timer_after(timer, delay, call_subject_of_timeout, subject,
                              destroy_subject_of_timeout, &timeout));
    return timeout;
}

int add_after(gp_timer *timer, int64_t delay, struct subject *subject)
{
    return gp_timer_after(timer, delay, call_subject_of_timeout, subject,
                          destroy_subject_of_timeout, NULL);
}

struct count {
    _Atomic int *actual;
    int expected;
};

static bool has_reached(void *argument)
{
    const struct count *count = argument;
    return atomic_load(count->actual) >= count->expected;
}

bool await_runs(struct subject *subject, int count)
{
    return eventually(has_reached, &(struct count){&subject->runs, count});
}

bool await_destroyed(struct subject *subject, int count)
{
    return eventually(has_reached, &(struct count){&subject->destroyed, count});
}

gp_timer *timer_without_worker(const gp_wheel_config *config)
{
    gp_timer *timer = timer_of(config);
    timer->start_time = gp_now();
    timer->has_begun = true;
    pthread_mutex_lock(&timer->lock);
    gp__timer_set_state(timer, GP__TIMER_STARTED);
    pthread_mutex_unlock(&timer->lock);
    return timer;
}

static bool is_fast(const gp_timer *timer)
{
    return timer->intake != &gp__inbox_intake;
}

gp_timeout *timeout_due(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                        gp_destroy_fn *destroy)
{
    gp_timeout *timeout = NULL;
    require_ok(is_fast(timer) ? gp_timer_after(timer, deadline, run, argument, destroy, &timeout)
                              : gp__timer_add(timer, deadline, run, argument, destroy, &timeout));
    return timeout;
}

void add_due(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
             gp_destroy_fn *destroy)
{
    require_ok(is_fast(timer) ? gp_timer_after(timer, deadline, run, argument, destroy, NULL)
                              : gp__timer_add(timer, deadline, run, argument, destroy, NULL));
}

void timer_turn(gp_timer *timer, int64_t now)
{
    if (is_fast(timer))
        gp__fast_settle(timer, gp__fast_collect(timer), 0);
    gp__timer_turn(timer, now);
}
