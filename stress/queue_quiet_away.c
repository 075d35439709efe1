/*
 * Quiet, since a task was taken away.
 *
 * Who awaits that a pool is quiet sleeps until a worker that goes to wait wakes it (queue_quiet.c).
 * That is enough as long as a worker comes for each task that was queued. There are two cases in
 * which none comes:
 *
 *   A task that is not due. The worker waits for it, until its time, and so it waits already: one
 *   taker, one worker, and the queue is not empty. Then the task is removed, or purged. From this
 *   moment on the pool is quiet, but the worker sleeps on, for an hour. So who takes the task away
 *   has to say it:
 *
 *        await                       remove                      worker
 *                                                                leads, 1 h
 *        one taker, one worker,
 *        one task: not quiet
 *        waits
 *                                    takes it out
 *                                    does anybody watch? nudge
 *        no task: quiet
 *
 *   A pool without workers. The only one was killed by its task, and there was no thread to replace
 *   it. What is queued waits for somebody who takes it away: shutdown_now, or the owner of the
 *   queue with a plain poll. Then no worker goes to wait, nor leaves.
 */
#include <pthread.h> /* pthread_exit */

#include <glasspool/queue.h>
#include <glasspool/scheduled.h>

#include "stress/pool_workers_support.h"
#include "stress/support.h"

#define QUEUE "impl/queue/queue.c"

struct state {
    struct pool_state base;
    gp_scheduled *scheduled; /* base.pool is its pool; or NULL */
    gp_queue *queue;         /* the pool's, where there is no such one */
    gp_future *far;          /* a task that is due in an hour */
    gp_future *gate;         /* the killer waits for it */
    bool awaiting;           /* asked only when nobody runs */
};

enum {
    QUIET,
    END,
    AWAY
};

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->far);
    gp_future_release(state->gate);
}

static void act_await(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    state->awaiting = true;
    outcome->slot[QUIET] = insist_on_quiet(state->base.pool) == GP_OK;
    state->awaiting = false;
}

/* Nobody can run, nothing is queued, and somebody still waits for that. */
static bool sleeps_on(void *argument)
{
    struct state *state = argument;
    gp_pool_stats stats;

    if (!state->awaiting)
        return false;
    gp_pool_statistics(state->base.pool, &stats);
    return stats.queued == 0;
}

/* ---- a task that is not due ---- */

static bool set_up_far(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.time_tasks = false;
    config.remove_on_cancel = random & 1;
    state->base.random = random;
    if (gp_scheduled_new(&config, &state->scheduled) != GP_OK)
        return false;
    state->base.pool = gp_scheduled_pool(state->scheduled);
    if (gp_schedule(state->scheduled, &nothing, AN_HOUR, &state->far) == GP_OK)
        return true;
    insist_on_close(state->scheduled);
    return false;
}

/* By name, or as one that is cancelled. */
static void act_remove(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (gp_scheduled_remove_on_cancel(state->scheduled))
        outcome->slot[AWAY] = gp_future_cancel(state->far, false);
    else
        outcome->slot[AWAY] = gp_pool_remove(state->base.pool, state->far);
}

static void act_purge(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_scheduled_set_remove_on_cancel(state->scheduled, false);
    outcome->slot[AWAY] = gp_future_cancel(state->far, false);
    gp_pool_purge(state->base.pool);
}

static void arbiter_of_far(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[END] = insist_on_close(state->scheduled) != GP_OK;
}

/* ---- a pool without workers ---- */

static void wait_and_end_thread(void *context)
{
    struct state *state = context;

    insist_on_get(state->gate);
    pthread_exit(NULL);
}

static int create_the_first(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct state *state = context;

    if (atomic_fetch_add_explicit(&state->base.threads, 1, memory_order_relaxed) > 0)
        return GP_EAGAIN;
    return workers_thread_new(run, argument, out);
}

static bool open_with_killer(struct state *state, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->base.jobs[0].body = wait_and_end_thread;
    state->base.jobs[0].context = state;
    config.factory.create = create_the_first;
    if (gp_future_new(&nothing, &state->gate) != GP_OK ||
        gp_linked_new(GP_UNBOUNDED, &config.queue) != GP_OK)
        return false;
    state->queue = config.queue;
    bool opened = workers_open(&state->base, &config, random);
    if (!opened)
        gp_queue_free(config.queue);
    return opened;
}

/* Its worker is about to leave, with a task behind it. */
static bool set_up_unattended(void *argument, uint64_t random)
{
    struct state *state = argument;
    bool opened = open_with_killer(state, random);
    bool ready = opened && job_submit(&state->base.jobs[0], state->base.pool) == GP_OK &&
                 job_submit(&state->base.jobs[1], state->base.pool) == GP_OK;

    if (state->gate)
        gp_future_set(state->gate, NULL);
    if (opened && !ready)
        pool_end(&state->base.pool);
    if (!ready)
        tear_down(state);
    return ready;
}

static void discard_behind(struct state *state, gp_task *task)
{
    state->base.jobs[1].handed_back++;
    gp_task_discard(task);
}

static void act_poll(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task;

    (void)outcome;
    if (gp_queue_poll(state->queue, &task) == GP_OK)
        discard_behind(state, task);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task;
    int status;

    (void)outcome;
    do
        status = gp_queue_take(state->queue, &task);
    while (status == GP_ENOMEM);
    if (status == GP_OK)
        discard_behind(state, task);
}

static void arbiter_of_unattended(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[END] = !pool_end(&state->base.pool);
    outcome->slot[AWAY] = (unsigned char)job_fate(&state->base.jobs[1]);
}

/* ---- the family ---- */

#define IS_QUIET                              \
    {                                         \
        "the pool was",                       \
        {                                     \
            "never quiet", "quiet in the end" \
        }                                     \
    }

const struct scenario queue_quiet_away_races[] = {
    {
        .name = "queue_quiet/far_task_removed",
        .description = "a task that is due in an hour is removed, or cancelled and so removed, "
                       "while somebody waits until the pool is quiet: it is told",
        .invariants = "[QUEUE-1]",
        .attacks = {QUEUE, "int status = queue->class->remove(queue, task);"},
        .broken_by = "quiet-untold-of-removal",
        .state_size = sizeof(struct state),
        .set_up = set_up_far,
        .actors = {{"await", act_await}, {"remove", act_remove}},
        .invariant = pool_invariant,
        .late = sleeps_on,
        .arbiter = arbiter_of_far,
        .tear_down = tear_down,
        .slots = {IS_QUIET, {NULL, ENDS}, {"the task was", {"not found", "removed"}}},
        .outcomes =
            {
                {"the pool was quiet in the end, closed, the task was removed", ACCEPTABLE,
                 "nothing is queued, and the worker waits", MUST_OCCUR},
            },
    },
    {
        .name = "queue_quiet/far_task_purged",
        .description = "a task that is due in an hour is cancelled and purged while somebody waits "
                       "until the pool is quiet: it is told",
        .invariants = "[QUEUE-1]",
        .attacks = {QUEUE, "queue->class->remove_if(queue, matches, context, out);"},
        .broken_by = "quiet-untold-of-purge",
        .state_size = sizeof(struct state),
        .set_up = set_up_far,
        .actors = {{"await", act_await}, {"cancel, purge", act_purge}},
        .invariant = pool_invariant,
        .late = sleeps_on,
        .arbiter = arbiter_of_far,
        .tear_down = tear_down,
        .slots = {IS_QUIET, {NULL, ENDS}, {"the task was", {"not cancelled", "cancelled"}}},
        .outcomes =
            {
                {"the pool was quiet in the end, closed, the task was cancelled", ACCEPTABLE,
                 "nothing is queued, and the worker waits", MUST_OCCUR},
            },
    },
    {
        .name = "queue_quiet/unattended_stopped",
        .description = "a pool whose worker was killed, and not replaced, is stopped while "
                       "somebody waits until it is quiet: it is told",
        .invariants = "[QUEUE-1]",
        .attacks = {QUEUE, "queue->class->drain(queue, out);"},
        .broken_by = "quiet-untold-of-drain",
        .state_size = sizeof(struct state),
        .set_up = set_up_unattended,
        .actors = {{"await", act_await}, {"shutdown_now", act_shutdown_now}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_unattended,
        .tear_down = tear_down,
        .slots = {IS_QUIET, {NULL, ENDS}, {"the one behind", FATES}},
        .outcomes =
            {
                {"the pool was quiet in the end, closed, the one behind handed back", ACCEPTABLE,
                 "nothing is queued, and no worker is there", MUST_OCCUR},
            },
    },
    {
        .name = "queue_quiet/unattended_polled",
        .like = "queue_quiet/unattended_stopped",
        .description = "the owner of the queue takes out the task of a pool whose worker was "
                       "killed while somebody waits until the pool is quiet: it is told",
        .attacks = {QUEUE, "int status = queue->class->poll(queue, out);"},
        .broken_by = "quiet-untold-of-poll",
        .actors = {{"await", act_await}, {"poll", act_poll}},
    },
    {
        .name = "queue_quiet/unattended_taken",
        .like = "queue_quiet/unattended_stopped",
        .description = "a stranger waits for the task of a pool whose worker was killed, and gets "
                       "it, while somebody waits until the pool is quiet: it is told",
        .attacks = {QUEUE, "gp__queue_nudge(queue); /* no worker will run it */"},
        .broken_by = "quiet-untold-of-take",
        .actors = {{"await", act_await}, {"take", act_take}},
    },
    {.name = NULL},
};
