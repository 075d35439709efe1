/*
 * The threadless executor (impl/rpc/threadless.c): how long a call takes whose answer is decoded by
 * the thread that waits for it.
 *
 *     threadless/round_trip       the answer is run by the caller
 *     threadless/pool_round_trip  it is run by a worker of a pool, and the caller gets its future
 *
 * In both the "network" is a thread of its own, which gets the call and gives the answer to the one
 * executor or the other. So the first wakes up two threads, one after the other, and the second
 * three. One thread calls, or two, each with a network of its own.
 */
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"

struct wire {
    gp_pool *network[2];
    gp_pool *shared;
};

struct call {
    gp_pool *shared;
    gp_threadless *threadless; /* NULL: the shared executor runs the answer */
    gp_future *answer;
};

static void decode(void *argument)
{
    (void)argument;
}

/* On the network's thread, which has a handle of its own. The call may be over, and its caller
   gone, as soon as somebody has the task. */
static void receive(void *argument)
{
    const struct call *call = argument;
    gp_task *task = gp_future_task(call->answer);
    gp_threadless *threadless = call->threadless;
    int status = threadless ? gp_threadless_execute_task(threadless, task)
                            : gp_pool_execute_task(call->shared, task);

    if (status != GP_OK && status != GP_EREJECTED)
        gp_task_discard(task);
    gp_threadless_release(threadless);
}

static bool pool_open(gp_pool **pool)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.time_tasks = false;
    return gp_pool_new(&config, pool) == GP_OK;
}

static void *wire_new(gb_state *state)
{
    struct wire *wire = calloc(1, sizeof(*wire));

    if (!wire || !pool_open(&wire->network[0]) || !pool_open(&wire->network[1]) ||
        !pool_open(&wire->shared))
        gb_fail(state, gp_strerror(GP_ENOMEM));
    return wire;
}

static void wire_free(void *fixture)
{
    struct wire *wire = fixture;

    if (!wire)
        return;
    for (int i = 0; i < 2; i++)
        if (wire->network[i])
            (void)gp_pool_close(wire->network[i]);
    if (wire->shared)
        (void)gp_pool_close(wire->shared);
    free(wire);
}

/* Send it, wait for the answer. */
static int send_and_wait(gb_state *state, struct call *call)
{
    const struct wire *wire = state->fixture;

    if (call->threadless)
        gp_threadless_retain(call->threadless);
    int status = gp_pool_execute(wire->network[state->thread], receive, call);
    if (status != GP_OK)
        gp_threadless_release(call->threadless);
    else if (call->threadless)
        status = gp_threadless_wait_and_drain(call->threadless);
    return status == GP_OK ? gp_future_get(call->answer, NULL) : status;
}

static int make_call(gb_state *state, bool threadless)
{
    const gp_callable callable = gp_callable_of(decode, NULL, NULL);
    const struct wire *wire = state->fixture;
    struct call call = {.shared = wire->shared};
    int status = gp_future_new(&callable, &call.answer);

    if (status != GP_OK)
        return status;
    gp_future_retain(call.answer); /* beside the owner's */
    if (threadless)
        status = gp_threadless_new(wire->shared, call.answer, &call.threadless);
    if (status == GP_OK)
        status = send_and_wait(state, &call);
    gp_threadless_release(call.threadless);
    gp_future_release(call.answer);
    return status;
}

static void run(gb_state *state, bool threadless)
{
    while (gb_keep_running(state)) {
        int status = make_call(state, threadless);
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
    }
    gb_items(state, gb_iterations(state));
}

static void round_trip(gb_state *state)
{
    run(state, true);
}

static void pool_round_trip(gb_state *state)
{
    run(state, false);
}

static const gb_bench benches[] = {
    {.name = "threadless/round_trip",
     .run = round_trip,
     .set_up = wire_new,
     .tear_down = wire_free,
     .clock = GB_REAL_TIME,
     .threads = {1, 2}},
    {.name = "threadless/pool_round_trip",
     .run = pool_round_trip,
     .set_up = wire_new,
     .tear_down = wire_free,
     .clock = GB_REAL_TIME,
     .threads = {1, 2}},
};
GB_REGISTER(benches);
