/*
 * Queues that hold tasks, as a sorted list.
 *
 * Of a task's number some bits are its key: none in a FIFO queue, the rank in a priority queue, all
 * of them in a delayed queue. A task goes in behind all whose key is not greater, and comes out at
 * the front. That is the whole difference between the three.
 */
#include <glasspool/status.h>

#include "harness/check/models.h"

enum key_bits {
    FIFO_KEY = 0,
    PRIORITY_KEY = 0xF0,
    DELAYED_KEY = 0xFF
};

enum {
    LISTED = 8 /* tasks in a list */
};

struct queue {
    uint8_t capacity; /* 0: no bound */
    uint8_t count;
    uint8_t tasks[LINEAR_CALLS]; /* the front first; zero behind the last */
};

_Static_assert(sizeof(struct queue) <= LINEAR_STATE, "it is a model's state");

UNOBSERVED static void init(void *state, int parameter)
{
    struct queue *queue = state;

    queue->capacity = (uint8_t)parameter;
}

/* ---- in and out ---- */

UNOBSERVED static bool is_full(const struct queue *queue)
{
    return queue->capacity != 0 && queue->count >= queue->capacity;
}

UNOBSERVED static void insert(struct queue *queue, unsigned task, unsigned key)
{
    unsigned at = queue->count++;

    for (; at > 0 && (queue->tasks[at - 1] & key) > (task & key); at--)
        queue->tasks[at] = queue->tasks[at - 1];
    queue->tasks[at] = (uint8_t)task;
}

UNOBSERVED static void take_out(struct queue *queue, unsigned at)
{
    queue->count--;
    for (; at < queue->count; at++)
        queue->tasks[at] = queue->tasks[at + 1];
    queue->tasks[at] = 0;
}

UNOBSERVED static unsigned place_of(const struct queue *queue, int task)
{
    unsigned at = 0;

    while (at < queue->count && queue->tasks[at] != task)
        at++;
    return at;
}

UNOBSERVED int64_t model_list(int64_t list, unsigned i, unsigned task)
{
    return i < LISTED ? (int64_t)((uint64_t)list | (uint64_t)task << 8 * i) : list;
}

/* ---- the operations ---- */

UNOBSERVED static bool remove_one(struct queue *queue, const struct history_call *call)
{
    unsigned at = place_of(queue, call->argument);

    if (at == queue->count)
        return history_gave(call, GP_ENOTFOUND);
    take_out(queue, at);
    return history_gave(call, GP_OK);
}

UNOBSERVED static bool drain(struct queue *queue, const struct history_call *call)
{
    int64_t list = 0;

    for (unsigned i = 0; queue->count > 0; i++) {
        list = model_list(list, i, queue->tasks[0]);
        take_out(queue, 0);
    }
    return history_gave(call, list);
}

UNOBSERVED static int64_t remaining(const struct queue *queue)
{
    return queue->capacity == 0 ? -1 : queue->capacity - queue->count;
}

UNOBSERVED static bool add(struct queue *queue, const struct history_call *call, unsigned key)
{
    insert(queue, (unsigned)call->argument, key);
    return history_gave(call, GP_OK);
}

UNOBSERVED static bool take(struct queue *queue, const struct history_call *call)
{
    unsigned head = queue->tasks[0];

    take_out(queue, 0);
    return history_gave(call, head);
}

UNOBSERVED static bool apply(struct queue *queue, const struct history_call *call, unsigned key)
{
    bool full = is_full(queue), empty = queue->count == 0;

    if (call->result == GP_EINTERRUPTED || call->result == GP_ENOMEM)
        return true;
    switch ((enum queue_operation)call->operation) {
    case QUEUE_OFFER:
        return full ? history_gave(call, GP_EFULL) : add(queue, call, key);
    case QUEUE_PUT:
        return full ? call->result == GP_ETIMEDOUT : add(queue, call, key);
    case QUEUE_POLL:
        return empty ? history_gave(call, GP_EEMPTY) : take(queue, call);
    case QUEUE_TAKE:
        return empty ? call->result == GP_ETIMEDOUT : take(queue, call);
    case QUEUE_REMOVE:
        return remove_one(queue, call);
    case QUEUE_PEEK:
        return history_gave(call, empty ? GP_EEMPTY : queue->tasks[0]);
    case QUEUE_SIZE:
        return history_gave(call, queue->count);
    case QUEUE_REMAINING:
        return history_gave(call, remaining(queue));
    case QUEUE_DRAIN:
        return drain(queue, call);
    }
    return false;
}

UNOBSERVED static bool apply_fifo(void *state, const struct history_call *call)
{
    return apply(state, call, FIFO_KEY);
}

UNOBSERVED static bool apply_priority(void *state, const struct history_call *call)
{
    return apply(state, call, PRIORITY_KEY);
}

UNOBSERVED static bool apply_delayed(void *state, const struct history_call *call)
{
    return apply(state, call, DELAYED_KEY);
}

/* ---- the three ---- */

const struct linear_model model_fifo = {.name = "a FIFO queue",
                                        .state_size = sizeof(struct queue),
                                        .init = init,
                                        .apply = apply_fifo,
                                        .describe = model_describe_queue};

const struct linear_model model_priority = {.name = "a priority queue",
                                            .state_size = sizeof(struct queue),
                                            .init = init,
                                            .apply = apply_priority,
                                            .describe = model_describe_queue};

const struct linear_model model_delayed = {.name = "a delayed queue",
                                           .state_size = sizeof(struct queue),
                                           .init = init,
                                           .apply = apply_delayed,
                                           .describe = model_describe_queue};
