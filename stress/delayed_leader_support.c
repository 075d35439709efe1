/* See delayed_leader_support.h. */
#include "stress/delayed_leader_support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "stress/support.h"

void leader_choose_lane(void *argument)
{
    struct leader_state *state = argument;

    state->laned = true;
}

bool leader_set_up(void *argument, uint64_t random)
{
    struct leader_state *state = argument;

    for (int i = 0; i <= FAR; i++)
        state->numbers[i] = i;
    state->moment = GP_MICROSECONDS(10 + random % 64);
    state->hurry = random >> 32 & 1;
    return (state->laned ? gp_delayed_lane_new : gp_delayed_new)(&state->queue) == GP_OK;
}

void leader_tear_down(void *argument)
{
    struct leader_state *state = argument;

    for (int i = 0; i < TAKERS; i++)
        if (state->taken[i])
            gp_task_discard(state->taken[i]);
    if (state->removable)
        gp_task_release(state->removable);
    gp_future_release(state->never);
    gp_queue_free(state->queue);
}

bool leader_set_up_to_pause(void *argument, uint64_t random)
{
    struct leader_state *state = argument;
    gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);
    bool ready = leader_set_up(state, random) && gp_future_new(&callable, &state->never) == GP_OK;

    if (!ready)
        leader_tear_down(state);
    return ready;
}

int leader_invariant(void *argument)
{
    struct leader_state *state = argument;

    return gp_queue_check(state->queue);
}

void leader_offer(struct leader_state *state, int number, int64_t time)
{
    gp_callable callable = gp_callable_of(do_nothing, &state->numbers[number], NULL);
    gp_task *task;

    if (gp_task_new_delayed(&callable, time, (uint64_t)number, &task) == GP_OK &&
        gp_queue_offer(state->queue, task) != GP_OK)
        gp_task_discard(task);
}

void leader_pause(struct leader_state *state, int64_t nanos)
{
    gp_future_get_timed(state->never, nanos, NULL);
}

unsigned char leader_got(int status, const gp_task *task)
{
    if (status != GP_OK)
        return status == GP_EINTERRUPTED ? INTERRUPT : NOTHING;
    int64_t time = gp_task_time(task);
    int64_t late = gp_time_until(gp_now(), time);
    if (late < 0)
        return TOO_EARLY;
    return late > GP_SECONDS(5) ? TOO_LATE : (unsigned char)*(int *)gp_task_argument(task);
}

bool leader_late(void *argument)
{
    struct leader_state *state = argument;
    gp_task *head;
    bool waited_for = false;

    for (int i = 0; i < TAKERS; i++)
        waited_for = waited_for || state->taking[i];
    if (state->laned || !waited_for || gp_queue_peek(state->queue, &head) != GP_OK)
        return false;
    bool due = gp_time_until(gp_now(), gp_task_time(head)) >= 0;
    gp_task_release(head);
    return due;
}

unsigned char leader_take(struct leader_state *state, int taker)
{
    state->taking[taker] = true;
    int status = gp_queue_take(state->queue, &state->taken[taker]);
    state->taking[taker] = false;

    return leader_got(status, state->taken[taker]);
}

void act_take_second(void *argument, struct outcome *outcome)
{
    outcome->slot[1] = leader_take(argument, 1);
}

void arbiter_counts(void *argument, struct outcome *outcome)
{
    struct leader_state *state = argument;

    outcome->slot[2] = (unsigned char)gp_queue_size(state->queue);
}
