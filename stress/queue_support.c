#include "stress/queue_support.h"
#include "stress/support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

/* ---- tasks ---- */

static int name_of(const gp_task *task)
{
    return *(int *)gp_task_argument(task);
}

static int number_of(const struct queue_state *state, const gp_task *task)
{
    return (int)((int *)gp_task_argument(task) - state->names);
}

static gp_callable named(struct queue_state *state, const int *ranks, int task)
{
    state->names[task] = MODEL_TASK(ranks ? ranks[task - 1] : 0, task);
    return gp_callable_of(do_nothing, &state->names[task], NULL);
}

static bool make_tasks(struct queue_state *state, const int *ranks)
{
    for (int i = 1; i <= TASKS; i++) {
        gp_callable callable = named(state, ranks, i);
        if (gp_task_new(&callable, &state->tasks[i]) != GP_OK)
            return false;
    }
    return true;
}

/* All of them due in the past, whatever the clock does until the race. */
static bool make_due_tasks(struct queue_state *state, const int *ranks)
{
    int64_t past = gp_time_after(gp_now(), -GP_SECONDS(1));

    for (int i = 1; i <= TASKS; i++) {
        gp_callable callable = named(state, ranks, i);
        int64_t time = gp_time_after(past, ranks[i - 1]);
        if (gp_task_new_delayed(&callable, time, (uint64_t)i, &state->tasks[i]) != GP_OK)
            return false;
    }
    return true;
}

/* ---- queues ---- */

bool queue_set_up_empty(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_linked(argument, GP_UNBOUNDED, 0);
}

bool queue_set_up_for_one(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_linked(argument, 1, 1);
}

bool queue_set_up_empty_array(void *argument, uint64_t random)
{
    return queue_new_array(argument, 2, 0, random);
}

void queue_tear_down(void *argument)
{
    struct queue_state *state = argument;

    for (int i = 1; i <= TASKS; i++)
        if (state->tasks[i])
            gp_task_discard(state->tasks[i]);
    gp_queue_free(state->queue);
}

int queue_invariant(void *argument)
{
    struct queue_state *state = argument;

    return gp_queue_check(state->queue);
}

static bool begin(struct queue_state *state, bool made, int inside)
{
    for (int i = 1; made && i <= inside; i++)
        recorded_offer(state, HISTORY_ALONE, i);
    if (!made)
        queue_tear_down(state);
    return made;
}

bool queue_new_linked(struct queue_state *state, size_t capacity, int inside)
{
    bool made = gp_linked_new(capacity, &state->queue) == GP_OK && make_tasks(state, NULL);

    return begin(state, made, inside);
}

/* In and out with a task: the slots go round, and none is as it was made. */
static void turn(struct queue_state *state, uint64_t times)
{
    gp_task *task;

    for (; times > 0; times--) {
        gp_queue_offer(state->queue, state->tasks[1]);
        gp_queue_poll(state->queue, &task);
    }
}

bool queue_new_array(struct queue_state *state, size_t capacity, int inside, uint64_t random)
{
    bool made = gp_array_new(capacity, &state->queue) == GP_OK && make_tasks(state, NULL);

    if (made)
        turn(state, capacity + random % capacity);
    return begin(state, made, inside);
}

bool queue_new_conveyor(struct queue_state *state, int inside)
{
    bool made = gp_conveyor_new(&state->queue) == GP_OK && make_tasks(state, NULL);

    return begin(state, made, inside);
}

bool queue_new_synchronous(struct queue_state *state)
{
    bool made = gp_synchronous_new(&state->queue) == GP_OK && make_tasks(state, NULL);

    return begin(state, made, 0);
}

static int by_rank(const gp_task *left, const gp_task *right)
{
    return name_of(left) / MODEL_TASK(1, 0) - name_of(right) / MODEL_TASK(1, 0);
}

bool queue_new_priority(struct queue_state *state, const int *ranks, int inside)
{
    bool made = gp_priority_new(by_rank, &state->queue) == GP_OK && make_tasks(state, ranks);

    return begin(state, made, inside);
}

bool queue_new_delayed(struct queue_state *state, const int *ranks, int inside)
{
    bool made = gp_delayed_new(&state->queue) == GP_OK && make_due_tasks(state, ranks);

    return begin(state, made, inside);
}

bool queue_new_laned(struct queue_state *state, const int *ranks, int inside)
{
    bool made = gp_delayed_lane_new(&state->queue) == GP_OK && make_due_tasks(state, ranks);

    return begin(state, made, inside);
}

/* ---- in ---- */

int recorded_offer(struct queue_state *state, unsigned lane, int task)
{
    struct history_open call =
        history_begin(&state->history, lane, QUEUE_OFFER, state->names[task]);
    int status = gp_queue_offer(state->queue, state->tasks[task]);

    history_end(call, status);
    return status;
}

int recorded_put(struct queue_state *state, unsigned lane, int task)
{
    struct history_open call = history_begin(&state->history, lane, QUEUE_PUT, state->names[task]);
    int status = gp_queue_put(state->queue, state->tasks[task]);

    history_end(call, status);
    return status;
}

int recorded_offer_timed(struct queue_state *state, unsigned lane, int task, int64_t nanos)
{
    struct history_open call = history_begin(&state->history, lane, QUEUE_PUT, state->names[task]);
    int status = gp_queue_offer_timed(state->queue, state->tasks[task], nanos);

    history_end(call, status);
    return status;
}

/* ---- out ---- */

static int end_with(struct queue_state *state, struct history_open call, int status,
                    const gp_task *task)
{
    history_end(call, status == GP_OK ? name_of(task) : status);
    return status == GP_OK ? number_of(state, task) : status;
}

int recorded_poll(struct queue_state *state, unsigned lane)
{
    gp_task *task = NULL;
    struct history_open call = history_begin(&state->history, lane, QUEUE_POLL, 0);
    int status = gp_queue_poll(state->queue, &task);

    return end_with(state, call, status, task);
}

int recorded_take(struct queue_state *state, unsigned lane)
{
    gp_task *task = NULL;
    struct history_open call = history_begin(&state->history, lane, QUEUE_TAKE, 0);
    int status = gp_queue_take(state->queue, &task);

    return end_with(state, call, status, task);
}

int recorded_poll_timed(struct queue_state *state, unsigned lane, int64_t nanos)
{
    gp_task *task = NULL;
    struct history_open call = history_begin(&state->history, lane, QUEUE_TAKE, 0);
    int status = gp_queue_poll_timed(state->queue, nanos, &task);

    return end_with(state, call, status, task);
}

int recorded_remove(struct queue_state *state, unsigned lane, int task)
{
    struct history_open call =
        history_begin(&state->history, lane, QUEUE_REMOVE, state->names[task]);
    int status = gp_queue_remove(state->queue, state->tasks[task]);

    history_end(call, status);
    return status;
}

size_t recorded_size(struct queue_state *state, unsigned lane)
{
    struct history_open call = history_begin(&state->history, lane, QUEUE_SIZE, 0);
    size_t size = gp_queue_size(state->queue);

    history_end(call, (int64_t)size);
    return size;
}

int recorded_drain(struct queue_state *state, unsigned lane, int *first)
{
    gp_task_list rest;
    struct history_open call = history_begin(&state->history, lane, QUEUE_DRAIN, 0);
    int64_t list = 0;
    int count = 0;

    gp_queue_drain(state->queue, &rest);
    if (first)
        *first = rest.first ? number_of(state, rest.first) : 0;
    for (gp_task *task; (task = gp_task_list_pop(&rest)) != NULL; count++)
        list = model_list(list, (unsigned)count, (unsigned)name_of(task));
    history_end(call, list);
    return count;
}

unsigned char task_or_none(int taken)
{
    return taken > 0 ? (unsigned char)taken : 0;
}

void queue_act_take_one(void *argument, struct outcome *outcome)
{
    outcome->slot[ONE_TAKER] = task_or_none(recorded_take(argument, FIRST));
}

void queue_act_take_other(void *argument, struct outcome *outcome)
{
    outcome->slot[OTHER_TAKER] = task_or_none(recorded_take(argument, SECOND));
}

void queue_act_offer_two(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, THIRD, 1);
    recorded_offer(argument, THIRD, 2);
}

void arbiter_drains(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_size(argument, HISTORY_ALONE);
    recorded_drain(argument, HISTORY_ALONE, NULL);
}
