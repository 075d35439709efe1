/*
 * Quiet, with strangers at the queue.
 *
 * Who gives a queue to a pool may keep its address, and take from it beside the workers, say to
 * move what is queued elsewhere. Such a stranger has to do with the question whether the pool is
 * quiet [QUEUE-1] in two ways, and with its end in a third.
 *
 *   It takes the last task. If a worker had been woken for it, that one will tell who awaits quiet
 *   when it goes to wait again. If there is none the stranger has to say it, as others do who take
 *   tasks away: that race is among theirs (queue_quiet_away.c).
 *
 *   It waits. Then it sleeps where idle workers sleep, and must not be taken for one:
 *
 *        execute, await                    worker                 stranger
 *                                          runs the task
 *                                                                 waits for another one
 *        quiet? one waits, one worker,     is still at it
 *        and nothing is queued
 *
 *   Here the stranger gives up after a moment. What it has taken by then it discards, and nobody
 *   waits for that.
 *
 *   It takes the last task of a pool that has been shut down. A worker that has seen the task waits
 *   for it, and nobody interrupts it any more; so the pool has to hear of it [QUEUE-2]:
 *
 *        shutdown                          worker                 stranger
 *        ctl = SHUTDOWN
 *        interrupts who is idle
 *                                          one is queued
 *                                                                 takes it
 *                                          waits
 *                                                                 tells the pool, which finds the
 *                                                                 queue empty and interrupts it
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>

#include "stress/pool_workers_support.h"
#include "stress/support.h"

#define QUEUE "impl/queue/queue.c"

struct state {
    struct pool_state base;
    gp_queue *queue; /* the pool's */
    int64_t patience;
};

enum {
    FIRST,
    END,
    SECOND
};

static void discard_taken(gp_task *task)
{
    struct job *job = gp_task_argument(task);

    job->handed_back++;
    gp_task_discard(task);
}

static bool open_pool(struct state *state, gp_pool_config *config, uint64_t random)
{
    if (gp_linked_new(GP_UNBOUNDED, &config->queue) != GP_OK)
        return false;
    state->queue = config->queue;
    bool opened = workers_open(&state->base, config, random);
    if (!opened)
        gp_queue_free(config->queue);
    return opened;
}

/* ---- it waits ---- */

static bool set_up_idle(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->patience = GP_MICROSECONDS(1 + random % 8);
    if (!open_pool(state, &config, random))
        return false;
    gp_pool_prestart_core(state->base.pool);
    return true;
}

/* 1: the pool was quiet before the task had run. */
static void act_submit_and_await(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    struct job *job = &state->base.jobs[0];

    if (job_submit(job, state->base.pool) == GP_OK && insist_on_quiet(state->base.pool) == GP_OK)
        outcome->slot[SECOND] = job->runs == 0;
}

static void act_take_timed(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task;

    (void)outcome;
    if (gp_queue_poll_timed(state->queue, state->patience, &task) == GP_OK)
        discard_taken(task);
}

static void arbiter_of_idle(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[END] = !pool_end(&state->base.pool);
    outcome->slot[FIRST] = (unsigned char)job_fate(&state->base.jobs[0]);
}

/* ---- it takes the last task, at the end ---- */

static void act_submit_and_shut_down(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    job_submit(&state->base.jobs[0], state->base.pool);
    job_submit(&state->base.jobs[1], state->base.pool);
    gp_pool_shutdown(state->base.pool);
    insist_on_end(state->base.pool);
}

static void act_poll_twice(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task;

    (void)outcome;
    for (int i = 0; i < 2; i++)
        if (gp_queue_poll(state->queue, &task) == GP_OK)
            discard_taken(task);
}

static void arbiter_of_end(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_of_idle(state, outcome);
    outcome->slot[SECOND] = (unsigned char)job_fate(&state->base.jobs[1]);
}

/* ---- it takes a task, at the beginning ---- */

/* A queue with a task in it, and no pool yet. */
static bool set_up_queue(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_callable callable = job_callable(&state->base.jobs[0]);
    gp_task *task;

    (void)random;
    if (gp_linked_new(GP_UNBOUNDED, &state->queue) != GP_OK)
        return false;
    if (gp_task_new(&callable, &task) == GP_OK) {
        gp_queue_offer(state->queue, task);
        return true;
    }
    gp_queue_free(state->queue);
    return false;
}

static void act_make_pool(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    (void)outcome;
    config.queue = state->queue;
    pool_open(&state->base, &config, 0);
}

static void act_poll(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task;

    (void)outcome;
    if (gp_queue_poll(state->queue, &task) == GP_OK)
        discard_taken(task);
}

static int invariant_of_queue(void *argument)
{
    struct state *state = argument;

    return gp_queue_check(state->queue);
}

/* Without memory there is no pool, and the queue is ours. */
static void arbiter_of_beginning(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (state->base.pool)
        arbiter_of_idle(state, outcome);
    else
        gp_queue_free(state->queue);
}

/* ---- the family ---- */

const struct scenario queue_quiet_strangers_races[] = {
    {
        .name = "queue_quiet/stranger_waits",
        .description = "a task is submitted and the pool awaited quiet while a stranger waits at "
                       "its queue: it is not taken for an idle worker",
        .invariants = "[QUEUE-1]",
        .attacks = {QUEUE, "- queue->strangers >= workers(context);"},
        .broken_by = "quiet-counts-strangers",
        .state_size = sizeof(struct state),
        .set_up = set_up_idle,
        .actors = {{"submit, await", act_submit_and_await}, {"take, timed", act_take_timed}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_idle,
        .tear_down = pool_tear_down,
        .slots = {{"the task", FATES},
                  {NULL, ENDS},
                  {"when quiet it", {"was done with", "had not run"}}},
        .outcomes =
            {
                {"the task ran, closed, when quiet it was done with", ACCEPTABLE,
                 "its worker waits again", MUST_OCCUR},
                {"the task handed back, closed, when quiet it had not run", ACCEPTABLE,
                 "the stranger has it", MUST_OCCUR},
                {"the task ran, closed, when quiet it had not run", FORBIDDEN,
                 "a stranger waited, and was taken for its worker", MAY_OCCUR},
            },
    },
    {
        .name = "queue_quiet/stranger_at_the_end",
        .description = "a stranger takes tasks out of the queue of a pool that is being shut down: "
                       "a worker that has seen them does not wait for them for ever",
        .invariants = "[QUEUE-2] [LIFE-2] [LIFE-3]",
        .attacks = {QUEUE, "int status = gp__queue_poll(queue, out);"},
        .broken_by = "pool-untold-of-poll",
        .state_size = sizeof(struct state),
        .set_up = set_up_idle,
        .actors = {{"submit, shut down", act_submit_and_shut_down}, {"poll", act_poll_twice}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_end,
        .tear_down = pool_tear_down,
        .slots = {{"one task", FATES}, {NULL, ENDS}, {"the other", FATES}},
        .outcomes =
            {
                {"one task ran, closed, the other ran", ACCEPTABLE, "the worker was quicker",
                 MUST_OCCUR},
                {"one task ran, closed, the other handed back", ACCEPTABLE, "one each", MAY_OCCUR},
                {"one task handed back, closed, the other ran", ACCEPTABLE, "one each", MAY_OCCUR},
                {"one task handed back, closed, the other handed back", ACCEPTABLE,
                 "the stranger was quicker", MAY_OCCUR},
            },
    },
    {
        .name = "queue_quiet/stranger_at_the_beginning",
        .description = "a stranger takes a task out of a queue that is being given to a pool: it "
                       "tells nobody, or the pool, and how to do that it knows by then",
        .invariants = "[QUEUE-2]",
        .attacks = {QUEUE, "atomic_store_explicit(&queue->keeper, keeper, memory_order_release);"},
        .broken_by = "keeper-set-relaxed",
        .state_size = sizeof(struct state),
        .set_up = set_up_queue,
        .actors = {{"make a pool", act_make_pool}, {"poll", act_poll}},
        .invariant = invariant_of_queue,
        .arbiter = arbiter_of_beginning,
        .tear_down = pool_tear_down,
        .slots = {{"the task", FATES}, {NULL, ENDS}},
        .outcomes =
            {
                {"the task handed back, closed", ACCEPTABLE, "the stranger has it", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
