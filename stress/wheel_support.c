/* See wheel_support.h. */
#include "stress/wheel_support.h"

#include <glasspool/status.h>

#include "stress/support.h"

int alarm_rings(gp_timeout *timeout, void *argument)
{
    struct alarm *alarm = argument;

    (void)timeout;
    alarm->rings++;
    if (alarm->ring)
        alarm->ring(alarm);
    return 0;
}

void alarm_ends(void *argument)
{
    struct alarm *alarm = argument;

    alarm->ends++;
}

static bool is_want(int status)
{
    return status == GP_ENOMEM || status == GP_EAGAIN;
}

void alarm_add(struct wheel_state *state, int number, int64_t delay)
{
    struct alarm *alarm = &state->alarms[number];

    do
        alarm->status =
            gp_timer_after(state->timer, delay, alarm_rings, alarm, alarm_ends, &alarm->timeout);
    while (is_want(alarm->status));
}

bool wheel_add_in_set_up(struct wheel_state *state, int number, int64_t delay)
{
    alarm_add(state, number, delay);
    if (!state->alarms[number].timeout)
        wheel_tear_down(state);
    return state->alarms[number].timeout;
}

bool alarm_cancel(struct alarm *alarm)
{
    bool won = gp_timeout_cancel(alarm->timeout);

    if (won)
        alarm->cancels++;
    return won;
}

static unsigned char decided_fate(const struct alarm *alarm)
{
    if (alarm->rings + alarm->cancels + alarm->handbacks > 1)
        return IN_TWO_WAYS;
    if (alarm->ends != 1)
        return NOT_DESTROYED_ONCE;
    if (alarm->rings)
        return RANG;
    if (alarm->cancels)
        return CANCELLED;
    return alarm->handbacks ? HANDED_BACK : LOST_SIGHT_OF;
}

unsigned char alarm_fate(struct alarm *alarm)
{
    if (alarm->status == GP_EREJECTED)
        return alarm->ends == 1 ? REJECTED : NOT_DESTROYED_ONCE;
    if (!alarm->timeout)
        return NOT_ADDED;
    gp_timeout_release(alarm->timeout);
    alarm->timeout = NULL;
    return decided_fate(alarm);
}

bool wheel_open_with(struct wheel_state *state, const gp_wheel_config *config)
{
    return gp_wheel_new(config, &state->timer) == GP_OK;
}

void wheel_choose_fast(void *argument)
{
    struct wheel_state *state = argument;

    state->kind = FAST_WHEEL;
}

void wheel_choose_tickless(void *argument)
{
    struct wheel_state *state = argument;

    state->kind = TICKLESS_WHEEL;
}

static bool open_tickless(struct wheel_state *state, int64_t max_pending, int64_t max_cancelled)
{
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;

    config.max_pending = max_pending;
    config.max_cancelled = max_cancelled;
    config.thread.timer_slack = 1;
    return gp_tickless_new(&config, &state->timer) == GP_OK;
}

static bool open_limited(struct wheel_state *state, int64_t tick, int64_t max_pending)
{
    const gp_tickless_config tickless = GP_TICKLESS_CONFIG_DEFAULT;
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    if (state->kind == TICKLESS_WHEEL)
        return open_tickless(state, max_pending, tickless.max_cancelled);
    config.tick = tick;
    config.ticks_per_wheel = 2;
    config.thread.timer_slack = 1;
    config.max_pending = max_pending;
    config.kind = state->kind == FAST_WHEEL ? GP_FAST : GP_REFERENCE;
    return wheel_open_with(state, &config);
}

bool wheel_open(struct wheel_state *state, int64_t tick)
{
    return open_limited(state, tick, 0);
}

int wheel_start(struct wheel_state *state)
{
    int status;

    do
        status = gp_timer_start(state->timer);
    while (is_want(status));
    return status;
}

static bool open_has_started(struct wheel_state *state)
{
    bool started = wheel_start(state) == GP_OK;

    if (!started)
        wheel_tear_down(state);
    return started;
}

bool wheel_open_started(struct wheel_state *state, int64_t tick, int64_t max_pending)
{
    return open_limited(state, tick, max_pending) && open_has_started(state);
}

bool wheel_open_tickless(struct wheel_state *state, int64_t max_cancelled)
{
    return open_tickless(state, 0, max_cancelled) && open_has_started(state);
}

bool wheel_announce_later(struct wheel_state *state)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    bool made = gp_future_new(&nothing, &state->announcement) == GP_OK;

    if (!made)
        wheel_tear_down(state);
    return made;
}

void wheel_await_announcement(struct wheel_state *state)
{
    while (is_want(gp_future_get(state->announcement, NULL)))
        ;
}

static int stop(struct wheel_state *state, gp_timeout_list *unrun)
{
    int status;

    do
        status = gp_timer_stop(state->timer, unrun);
    while (is_want(status));
    return status;
}

void wheel_stop(struct wheel_state *state, int number)
{
    state->stops[number] = stop(state, &state->unrun[number]);
}

void wheel_take_back(struct wheel_state *state, int number)
{
    for (gp_timeout *timeout; (timeout = gp_timeout_list_pop(&state->unrun[number])) != NULL;) {
        struct alarm *alarm = gp_timeout_argument(timeout);
        alarm->handbacks++;
        gp_timeout_release(timeout);
    }
}

bool wheel_close(struct wheel_state *state)
{
    gp_timeout_list rest;
    bool well = stop(state, &rest) == GP_OK;

    wheel_take_back(state, 0);
    wheel_take_back(state, 1);
    state->unrun[0] = rest;
    wheel_take_back(state, 0);
    well = well && gp_timer_pending(state->timer) == 0 && gp_timer_uncollected(state->timer) == 0 &&
           gp_timer_check(state->timer) == 0 && gp_timer_free(state->timer) == GP_OK;
    state->timer = NULL;
    return well;
}

void wheel_judge(struct wheel_state *state, struct outcome *outcome, int alarms)
{
    outcome->slot[END] = !wheel_close(state);
    for (int i = 0; i < alarms; i++)
        outcome->slot[FATES + i] = alarm_fate(&state->alarms[i]);
}

void wheel_tear_down(void *argument)
{
    struct wheel_state *state = argument;

    if (state->timer)
        wheel_close(state);
    for (int i = 0; i < ALARMS; i++)
        gp_timeout_release(state->alarms[i].timeout);
    gp_future_release(state->announcement);
}

int wheel_invariant(void *argument)
{
    struct wheel_state *state = argument;

    return gp_timer_check(state->timer);
}

void wheel_act_stop(void *argument, struct outcome *outcome)
{
    (void)outcome;
    wheel_stop(argument, 0);
}

void wheel_act_stop_when_announced(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    wheel_await_announcement(state);
    wheel_stop(state, 0);
}

void wheel_arbiter_of_one(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 1);
}

void wheel_arbiter_of_two(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 2);
}

void wheel_arbiter_of_three(void *argument, struct outcome *outcome)
{
    wheel_judge(argument, outcome, 3);
}
