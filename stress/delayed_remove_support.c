/* See delayed_remove_support.h. */
#include "stress/delayed_remove_support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "stress/support.h"

/* Its place, from the pointer into `out` that it carries. */
int heap_place_of(const struct heap_state *state, const gp_task *task)
{
    return (int)((int *)gp_task_argument(task) - state->out);
}

void heap_came_out(struct heap_state *state, gp_task *task)
{
    state->out[heap_place_of(state, task)]++;
    gp_task_discard(task);
}

/* ---- before the race ---- */

void heap_choose_lane(void *argument)
{
    struct heap_state *state = argument;

    state->laned = true;
}

int heap_new_queue(const struct heap_state *state, gp_queue **out)
{
    return (state->laned ? gp_delayed_lane_new : gp_delayed_new)(out);
}

bool heap_make_task(struct heap_state *state, int place, int64_t time)
{
    gp_callable callable = gp_callable_of(do_nothing, &state->out[place], NULL);

    if (gp_task_new_delayed(&callable, time, (uint64_t)place, &state->tasks[place]) != GP_OK)
        return false;
    gp_task_retain(state->tasks[place]); /* ours; the other one goes to the queue */
    return true;
}

void heap_tear_down(void *argument)
{
    struct heap_state *state = argument;
    gp_task *newcomer = state->tasks[state->newcomer];

    if (newcomer && state->out[state->newcomer] == 0) /* it never got into the queue */
        gp_task_discard(newcomer);
    for (int i = 0; i < PLACES; i++)
        if (state->tasks[i])
            gp_task_release(state->tasks[i]);
    gp_queue_free(state->queue);
    gp_queue_free(state->other);
}

static bool add_task(struct heap_state *state, gp_queue *queue, int place, int64_t time)
{
    if (!heap_make_task(state, place, time))
        return false;
    if (gp_queue_offer(queue, state->tasks[place]) == GP_OK)
        return true;
    gp_task_discard(state->tasks[place]);
    return false;
}

/* All are due, with random times. With two queues each gets every second one. */
static bool fill(struct heap_state *state, int count, uint64_t random)
{
    int64_t now = gp_now();

    for (int i = 0; i < count; i++) {
        int64_t age = (int64_t)(random >> (4 * i) & 15) + 1; /* some are of the same time */
        gp_queue *queue = state->other && i % 2 == 1 ? state->other : state->queue;
        if (!add_task(state, queue, i, now - age))
            return false;
        if (gp_task_time(state->tasks[i]) < gp_task_time(state->tasks[state->head]))
            state->head = i;
        if (gp_task_time(state->tasks[i]) >= gp_task_time(state->tasks[state->tail]))
            state->tail = i;
    }
    return true;
}

bool heap_make(struct heap_state *state, int count, uint64_t random)
{
    state->newcomer = PLACES - 1;
    state->target = (int)(random >> 60) % TASKS;
    bool ready = heap_new_queue(state, &state->queue) == GP_OK && fill(state, count, random);
    if (!ready)
        heap_tear_down(state);
    return ready;
}

bool heap_set_up(void *argument, uint64_t random)
{
    return heap_make(argument, TASKS, random);
}

/* ---- in it ---- */

unsigned char heap_remove(struct heap_state *state, int place)
{
    gp_task *task = state->tasks[place];

    if (gp_queue_remove(state->queue, task) != GP_OK)
        return MISSED;
    heap_came_out(state, task);
    return gp_queue_check(state->queue) == 0 ? REMOVED : BROKEN;
}

void act_remove(void *argument, struct outcome *outcome)
{
    struct heap_state *state = argument;

    outcome->slot[REMOVE] = heap_remove(state, state->target);
}

/* ---- after it ---- */

int heap_invariant(void *argument)
{
    struct heap_state *state = argument;
    int broken = gp_queue_check(state->queue);

    return broken == 0 && state->other ? gp_queue_check(state->other) : broken;
}

bool heap_drain_is_ordered(struct heap_state *state, gp_queue *queue)
{
    gp_task_list rest = {0};
    int64_t previous = INT64_MIN;
    int place = -1;
    bool ordered = true;

    gp_queue_drain(queue, &rest);
    for (gp_task *task; (task = gp_task_list_pop(&rest)) != NULL;) {
        int64_t time = gp_task_time(task);
        ordered = ordered &&
                  (time > previous || (time == previous && heap_place_of(state, task) > place));
        previous = time;
        place = heap_place_of(state, task);
        heap_came_out(state, task);
    }
    return ordered;
}

unsigned char heap_look_at_rest(struct heap_state *state)
{
    bool ordered = heap_drain_is_ordered(state, state->queue);

    if (state->other)
        ordered = heap_drain_is_ordered(state, state->other) && ordered;
    for (int i = 0; i < PLACES; i++)
        if (state->tasks[i] && state->out[i] != 1)
            return NOT_ONCE_EACH;
    return ordered ? IN_ORDER : OUT_OF_ORDER;
}

void heap_arbiter(void *argument, struct outcome *outcome)
{
    outcome->slot[REST] = heap_look_at_rest(argument);
}
