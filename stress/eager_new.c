/*
 * A queue that is offered a task while it is given to an eager pool.
 *
 * The queue asks its pool how many tasks and workers there are; a queue that is nobody's yet
 * refuses. Whoever makes the pool writes its numbers first and then, in the queue, whose it is. Who
 * offers reads these in the reverse order, and must not see a pool whose numbers are not there yet:
 *
 *        gp_eager_new                  gp_queue_offer
 *        submitted = 0, ctl = ...
 *        queue.keeper = the pool
 *                                      queue.keeper? the pool. Its ctl?
 *
 * A pool counts what others bring, and they tell it before. So a put that finds nobody to tell is
 * refused, even if the pool is there before the put is over: else a worker would count off what
 * nobody has counted [EAGER-1].
 */
#include "stress/eager_support.h"
#include "stress/support.h"

#define QUEUE "impl/queue/queue.c"

struct new_state {
    struct eager_state base;
    gp_queue *queue;
    gp_task *task; /* NULL: it is in the queue */
};

enum {
    MADE,
    OFFERED,
    END
};

enum {
    MISCOUNTED = 2 /* at the END */
};

static bool set_up(void *argument, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    struct new_state *state = argument;

    (void)random;
    if (gp_task_new(&nothing, &state->task) != GP_OK)
        return false;
    if (gp_task_queue_new(1, &state->queue) == GP_OK)
        return true;
    gp_task_discard(state->task);
    return false;
}

static void make_pool(struct new_state *state, int core, struct outcome *outcome)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = core;
    config.maximum_size = 1;
    config.queue = state->queue;
    outcome->slot[MADE] = gp_eager_new(&config, &state->base.base.pool) == GP_OK;
}

static void act_make_pool(void *argument, struct outcome *outcome)
{
    make_pool(argument, 0, outcome);
}

/* With a worker that takes what is there. */
static void act_make_and_start(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;

    make_pool(state, 1, outcome);
    if (outcome->slot[MADE])
        gp_pool_prestart_core(state->base.base.pool);
}

/* What a queue answers. */
enum answer {
    REFUSED,
    FULL,
    TAKEN,
    NONSENSE
};

static void note_answer(struct new_state *state, int status, struct outcome *outcome)
{
    outcome->slot[OFFERED] = status == GP_EREJECTED ? REFUSED
                             : status == GP_EFULL   ? FULL
                             : status == GP_OK      ? TAKEN
                                                    : NONSENSE;
    if (status == GP_OK)
        state->task = NULL;
}

static void act_offer(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;

    note_answer(state, gp_queue_offer(state->queue, state->task), outcome);
}

static void act_put(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;

    note_answer(state, gp_queue_put(state->queue, state->task), outcome);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;

    outcome->slot[END] = !pool_end(&state->base.base.pool);
    if (state->task)
        gp_task_discard(state->task);
}

/* The end is another one, if the pool still counts tasks, or fewer than none. */
static void arbiter_of_count(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;
    gp_pool *pool = state->base.base.pool;
    bool counts;

    gp_pool_shutdown(pool);
    counts = gp_pool_await_termination(pool, GP_FOREVER) != GP_OK || gp_eager_submitted(pool) != 0;
    arbiter(argument, outcome);
    if (counts)
        outcome->slot[END] = MISCOUNTED;
}

const struct scenario eager_new_races[] = {
    {
        .name = "eager/offer_against_new",
        .description = "a task is offered to a queue while an eager pool is made of it: the queue "
                       "refuses, or asks a pool whose numbers are there",
        .invariants = "[EAGER-2]",
        .attacks = {QUEUE, "atomic_store_explicit(&queue->keeper, keeper, memory_order_release);"},
        .broken_by = "eager-announced-relaxed",
        .state_size = sizeof(struct new_state),
        .set_up = set_up,
        .actors = {{"make a pool", act_make_pool}, {"offer", act_offer}},
        .arbiter = arbiter,
        .slots = {{"the pool", {"is missing", "is there"}},
                  {"the offer", {"was refused", "found it full", "was taken", "failed"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"the pool is there, the offer was refused, closed", ACCEPTABLE,
                 "it came first: the queue was nobody's", MUST_OCCUR},
                {"the pool is there, the offer found it full, closed", ACCEPTABLE,
                 "it came second: there may be a worker, so the queue asks for one", MUST_OCCUR},
            },
    },
    {
        .name = "eager/put_against_new",
        .description = "a task is put into a queue while an eager pool is made of it, whose worker "
                       "takes it: it was refused, or counted",
        .invariants = "[EAGER-1] [QUEUE-4]",
        .attacks = {QUEUE, "if (keeper == NULL)"},
        .broken_by = "eager-queue-takes-before-its-pool",
        .state_size = sizeof(struct new_state),
        .set_up = set_up,
        .actors = {{"make a pool, prestart", act_make_and_start}, {"put", act_put}},
        .arbiter = arbiter_of_count,
        .slots = {{"the pool", {"is missing", "is there"}},
                  {"the put", {"was refused", "found it full", "was taken", "failed"}},
                  {NULL, {"closed", "not closed", "and counted wrongly"}}},
        .outcomes =
            {
                {"the pool is there, the put was refused, closed", ACCEPTABLE,
                 "it came first: the queue was nobody's", MUST_OCCUR},
                {"the pool is there, the put was taken, closed", ACCEPTABLE,
                 "it came second, and was counted", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
