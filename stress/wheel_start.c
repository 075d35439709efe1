/*
 * The worker: who starts it, who may rely on it, and what becomes of it.
 *
 * Whoever adds first starts the worker, and whoever else adds meanwhile waits for the same thread
 * [TIMER-3]. All need the time at which its clock began, which it alone can say: it is there when
 * the state says STARTED, even for those who look at nothing but the state.
 *
 * A function may kill its worker. Then the same begins again, with the old worker in the part of
 * the first who adds; unless the timer stops, which a worker that is made too late would outlive.
 */
#include "stress/wheel_support.h"

#include <pthread.h> /* pthread_exit */
#include <stdatomic.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#define TIMER  "impl/wheel/timer.c"
#define WORKER "impl/wheel/timer_worker.c"

/* ---- start against start ---- */

struct state {
    struct wheel_state base;
    _Atomic(gp_run_fn *) run; /* what the factory's threads are to run, always the same ... */
    _Atomic(void *) argument; /* ... and with what */
    atomic_int threads;       /* that began */
};

enum {
    THREADS = FATES,
    STATUSES /* 0 if all were GP_OK; one slot for each starter */
};

static void run_counted(void *argument)
{
    struct state *state = argument;

    atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);
    gp_run_fn *run = atomic_load(&state->run);
    run(atomic_load(&state->argument));
}

static int create_counted(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;

    atomic_store(&state->run, run);
    atomic_store(&state->argument, argument);
    return gp_thread_new(NULL, run_counted, state, out);
}

static bool set_up_counted(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;

    (void)random;
    config.tick = NO_TICK;
    config.ticks_per_wheel = 2;
    config.factory = (gp_thread_factory){.create = create_counted, .context = state};
    return wheel_open_with(&state->base, &config);
}

static void act_start(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[STATUSES] = wheel_start(&state->base) != GP_OK;
}

static void act_start_too(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[STATUSES + 1] = wheel_start(&state->base) != GP_OK;
}

static void arbiter_of_start(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[THREADS] = (unsigned char)atomic_load(&state->threads);
    wheel_judge(&state->base, outcome, 0);
}

/* ---- the start time ---- */

enum {
    DEADLINE = SECOND_FATE
};

static bool set_up_fresh(void *argument, uint64_t random)
{
    (void)random;
    return wheel_open(argument, NO_TICK);
}

static void act_start_it(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    wheel_start(state);
}

static void act_add_and_look(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;
    int64_t before = gp_now();

    alarm_add(state, 0, AN_HOUR);
    if (!state->alarms[0].timeout)
        return;
    int64_t deadline = gp_timeout_deadline(state->alarms[0].timeout);
    outcome->slot[DEADLINE] =
        gp_time_until(deadline, before) >= AN_HOUR && gp_time_until(deadline, gp_now()) <= AN_HOUR;
}

/* ---- a function that kills its worker ---- */

static void announce_and_exit(struct alarm *alarm)
{
    struct wheel_state *state = alarm->context;

    gp_future_set(state->announcement, NULL);
    pthread_exit(NULL);
}

static bool set_up_killing(void *argument, uint64_t random)
{
    struct wheel_state *state = argument;

    (void)random;
    state->alarms[0].ring = announce_and_exit;
    state->alarms[0].context = state;
    return wheel_open(state, A_MOMENT) && wheel_announce_later(state);
}

static void act_add_both(void *argument, struct outcome *outcome)
{
    struct wheel_state *state = argument;

    (void)outcome;
    alarm_add(state, 0, 0);
    alarm_add(state, 1, 0);
    if (!state->alarms[0].timeout)
        gp_future_set(state->announcement, NULL);
    wheel_await_announcement(state);
}

/* ---- the family ---- */

const struct scenario wheel_start_races[] = {
    {
        .name = "wheel_start/start_against_start",
        .description = "two threads start a timer: both find it started, by one worker",
        .invariants = "[TIMER-3]",
        .attacks = {TIMER, "gp__timer_set_state(timer, GP__TIMER_STARTING);"},
        .broken_by = "timer-started-twice",
        .state_size = sizeof(struct state),
        .set_up = set_up_counted,
        .actors = {{"start", act_start}, {"start", act_start_too}},
        .invariant = wheel_invariant,
        .arbiter = arbiter_of_start,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT,
                  {"threads", {NULL}},
                  {"one start", {"succeeded", "failed"}},
                  {"the other", {"succeeded", "failed"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"threads 2", FORBIDDEN, "each has started a worker", MAY_OCCUR},
                {"the timer ended well, threads 1, one start succeeded, the other succeeded",
                 ACCEPTABLE, "whoever was first", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_start/start_against_add",
        .description = "a timeout is added while another thread starts the timer: its deadline is "
                       "right, whoever started it",
        .invariants = "[TIMER-3]",
        .attacks = {TIMER, "atomic_store_explicit(&timer->state, state, memory_order_release);"},
        .broken_by = "start-time-unpublished",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_fresh,
        .actors = {{"start", act_start_it}, {"add", act_add_and_look}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_one,
        .tear_down = wheel_tear_down,
        .slots = {TIMER_SLOT, {"the timeout", ALARM_FATES}, {"its deadline", {"wrong", "right"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"its deadline wrong", FORBIDDEN, "it did not see the start time", MAY_OCCUR},
                {"the timer ended well, the timeout handed back, its deadline right", ACCEPTABLE,
                 "an hour ahead", MUST_OCCUR},
            },
    },
    {
        .name = "wheel_start/killed_against_stop",
        .description = "the function of a timeout kills the worker while the timer stops: the next "
                       "one is called or handed back, and no worker is left over",
        .invariants = "[TURN-2] [TIMER-3] [TIMER-4]",
        .attacks = {WORKER, "bool replace = is_started(timer);"},
        .broken_by = "killed-worker-replaced-in-stop",
        .state_size = sizeof(struct wheel_state),
        .set_up = set_up_killing,
        .actors = {{"add", act_add_both}, {"stop", wheel_act_stop_when_announced}},
        .invariant = wheel_invariant,
        .arbiter = wheel_arbiter_of_two,
        .tear_down = wheel_tear_down,
        .slack = SLACK_OF_TICKS,
        .slots = {TIMER_SLOT, {"the one that kills", ALARM_FATES}, {"the next", ALARM_FATES}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the timer ended well, the one that kills rang, the next rang", ACCEPTABLE,
                 "the worker was replaced, and stop came late", MAY_OCCUR},
                {"the timer ended well, the one that kills rang, the next handed back", ACCEPTABLE,
                 "stop came first", MUST_OCCUR},
                {"the timer ended well, the one that kills rang, the next not added", ACCEPTABLE,
                 "stop came before it was added", MAY_OCCUR},
            },
    },
    SCENARIO_TWIN("wheel_start/start_against_add", "wheel_start/start_against_add_tickless",
                  wheel_choose_tickless),
    SCENARIO_TWIN("wheel_start/killed_against_stop", "wheel_start/killed_against_stop_tickless",
                  wheel_choose_tickless),
    {.name = NULL},
};
