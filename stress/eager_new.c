/*
 * A queue that is offered a task while it is given to an eager pool.
 *
 * The queue asks its pool how many tasks and workers there are; a queue that is nobody's yet
 * refuses. Whoever makes the pool writes its numbers first and then, in the queue, whose it is. Who
 * offers reads these in the reverse order, and must not see a pool whose numbers are not there yet:
 *
 *        gp_eager_new                  gp_queue_offer
 *        submitted = 0, ctl = ...
 *        queue.eager = the pool
 *                                      queue.eager? the pool. Its ctl?
 */
#include "stress/eager_support.h"
#include "stress/support.h"

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

static void act_make_pool(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    config.maximum_size = 1;
    config.queue = state->queue;
    outcome->slot[MADE] = gp_eager_new(&config, &state->base.base.pool) == GP_OK;
}

/* What a queue answers. */
enum answer {
    REFUSED,
    FULL,
    TAKEN,
    NONSENSE
};

static void act_offer(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;
    int status = gp_queue_offer(state->queue, state->task);

    outcome->slot[OFFERED] = status == GP_EREJECTED ? REFUSED
                             : status == GP_EFULL   ? FULL
                             : status == GP_OK      ? TAKEN
                                                    : NONSENSE;
    if (status == GP_OK)
        state->task = NULL;
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct new_state *state = argument;

    outcome->slot[END] = !pool_end(&state->base.base.pool);
    if (state->task)
        gp_task_discard(state->task);
}

const struct scenario eager_new_races[] = {
    {
        .name = "eager/offer_against_new",
        .description = "a task is offered to a queue while an eager pool is made of it: the queue "
                       "refuses, or asks a pool whose numbers are there",
        .invariants = "[EAGER-2]",
        .attacks = {EAGER, "atomic_store_explicit(&queue->eager, eager, memory_order_release);"},
        .broken_by = "eager-published-relaxed",
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
    {.name = NULL},
};
