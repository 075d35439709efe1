/*
 * Is it quiet?
 *
 * A pool is quiet when nothing is queued and nothing is running. Nobody counts that: it is read off
 * the queue, which is empty, and at which as many takers wait as there are workers [QUEUE-1]. On
 * the way of a task this costs nothing. What it has to get right is the moment at which a task has
 * left the hands of the one who submits it, and its worker is not awake yet:
 *
 *        execute, await                    worker
 *                                          waits: one taker, one worker
 *        into the queue, signal
 *        quiet? one taker, one worker,     is waking up
 *        but the queue is not empty: no
 *                                          awake: no taker
 *                                          takes it, runs it, waits again
 *        quiet
 *
 * A worker that was signalled still counts as a taker until it has the lock; so one has to look at
 * the queue as well. A queue that holds nothing gives no such sign: there the worker ceases to wait
 * at the moment at which it is handed the task [SYNCHRONOUS-3].
 *
 * Here two submit a task each, wait until the pool is quiet, and look at what their own task has
 * left: it has run, and what it wrote can be read without further ado (it is plain memory, and
 * ThreadSanitizer looks on).
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/scenarios.h"

#define QUEUE       "impl/queue/queue.c"
#define SYNCHRONOUS "impl/queue/synchronous.c"

enum {
    ONE,
    OTHER
};

struct state {
    gp_pool *pool;
    int runs[2]; /* of each one's task */
};

/* With one worker, which waits or is about to. */
static bool set_up(struct state *state, gp_pool_config *config)
{
    if (gp_pool_new(config, &state->pool) != GP_OK)
        return false;
    gp_pool_prestart_core(state->pool);
    return true;
}

static bool set_up_linked(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    (void)random;
    return set_up(argument, &config);
}

/* With room for two more workers: who finds nobody waiting starts one. */
static bool set_up_synchronous(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    (void)random;
    config.maximum_size = 3;
    config.keep_alive = GP_SECONDS(3600);
    if (gp_synchronous_new(&config.queue) != GP_OK)
        return false;
    bool ready = set_up(argument, &config);
    if (!ready)
        gp_queue_free(config.queue);
    return ready;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_pool_close(state->pool);
}

static int invariant(void *argument)
{
    struct state *state = argument;

    return gp_pool_check(state->pool);
}

static void count_run(void *argument)
{
    ++*(int *)argument;
}

/* 2: the pool did not take it, or did not wait. */
static unsigned char runs_when_quiet(struct state *state, int mine)
{
    if (gp_pool_execute(state->pool, count_run, &state->runs[mine]) != GP_OK ||
        gp_pool_await_quiescence(state->pool, GP_FOREVER) != GP_OK)
        return 2;
    return state->runs[mine] != 0;
}

static void act_one(void *argument, struct outcome *outcome)
{
    outcome->slot[ONE] = runs_when_quiet(argument, ONE);
}

static void act_other(void *argument, struct outcome *outcome)
{
    outcome->slot[OTHER] = runs_when_quiet(argument, OTHER);
}

/* ---- the family ---- */

const struct scenario queue_quiet_races[] = {
    {
        .name = "queue_quiet/linked",
        .description = "two submit a task and wait until the pool is quiet: a task that is queued "
                       "for a worker that is not yet awake is not forgotten",
        .invariants = "[QUEUE-1]",
        .attacks = {QUEUE, "&& queue->class->backlog(queue) == 0;"},
        .broken_by = "quiet-ignores-backlog",
        .state_size = sizeof(struct state),
        .set_up = set_up_linked,
        .actors = {{"execute, await", act_one}, {"execute, await", act_other}},
        .invariant = invariant,
        .tear_down = tear_down,
        .slots = {{"one's task", {"has not run", "has run", "was refused"}},
                  {"the other's", {"has not run", "has run", "was refused"}}},
        .outcomes =
            {
                {"one's task has run, the other's has run", ACCEPTABLE,
                 "it was quiet when both were told so", MUST_OCCUR},
                {"one's task has not run", FORBIDDEN, "accepted before, so it was not quiet",
                 MAY_OCCUR},
                {"the other's has not run", FORBIDDEN, "accepted before, so it was not quiet",
                 MAY_OCCUR},
            },
    },
    {
        .name = "queue_quiet/synchronous",
        .like = "queue_quiet/linked",
        .description = "two submit a task and wait until the pool is quiet: a worker that has been "
                       "handed a task and is not yet awake does not count as waiting",
        .invariants = "[QUEUE-1] [SYNCHRONOUS-3]",
        .attacks = {SYNCHRONOUS, "gp__queue_end_wait(&queue->base, taker->stranger);"},
        .broken_by = "synchronous-matched-taker-counted",
        .set_up = set_up_synchronous,
    },
    {.name = NULL},
};
