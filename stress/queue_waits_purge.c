/*
 * Room that a purge makes.
 *
 * A pool with a bounded queue, full, and somebody who waits for room in it: a rejection handler
 * that blocks its submitter, as many write one, does just that. Cancelled tasks stay in the queue
 * until a worker or a purge takes them out. The purge takes out many at once, so it owes a signal
 * to as many putters [ARRAY-2], or to one that passes it on [LINKED-4].
 *
 *        put 3           put 4           purge
 *        sleeps          sleeps
 *                                        takes out 1 and 2, which are cancelled: signal, signal
 *        in              in
 *
 * The only worker of the pool is kept busy until all that is over, so that nobody else makes room.
 * Other ways to make it, and who sleeps on a queue in general, are in queue_waits.c.
 */
#include <glasspool/queue.h>

#include "stress/pool_support.h"
#include "stress/support.h"

#define LINKED "impl/queue/linked.c"
#define ARRAY  "impl/queue/array.c"

/* Jobs. */
enum {
    BUSY,        /* keeps the worker */
    CANCELLED_1, /* fill the queue, ... */
    CANCELLED_2, /* ... and are cancelled */
    PUT_3,       /* to be put */
    PUT_4,       /* likewise */
    ROOM = PUT_3 - CANCELLED_1
};

struct state {
    struct pool_state base;
    gp_queue *queue; /* the pool's */
    gp_future *gate; /* what keeps the worker */
    gp_task *tasks[JOBS];
};

/* ---- before the race ---- */

static void tear_down(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->gate);
}

static void wait_for_gate(void *context)
{
    gp_future_get(context, NULL);
}

static bool open_pool(struct state *state, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    config.queue = state->queue;
    if (gp_future_new(&nothing, &state->gate) == GP_OK && pool_open(&state->base, &config, random))
        return true;
    gp_queue_free(state->queue);
    gp_future_release(state->gate);
    return false;
}

static bool make_jobs(struct state *state)
{
    bool made = true;

    state->base.jobs[BUSY].body = wait_for_gate;
    state->base.jobs[BUSY].context = state->gate;
    for (int i = BUSY; i <= CANCELLED_2; i++)
        made = made && job_submit(&state->base.jobs[i], state->base.pool) == GP_OK;
    for (int i = PUT_3; made && i <= PUT_4; i++) {
        const gp_callable callable = job_callable(&state->base.jobs[i]);
        made = gp_task_new(&callable, &state->tasks[i]) == GP_OK;
    }
    return made;
}

static bool set_up(struct state *state, uint64_t random)
{
    if (!open_pool(state, random))
        return false;
    if (!make_jobs(state)) {
        if (state->tasks[PUT_3])
            gp_task_discard(state->tasks[PUT_3]);
        gp_future_set(state->gate, NULL);
        pool_end(&state->base.pool);
        tear_down(state);
        return false;
    }
    gp_future_cancel(state->base.jobs[CANCELLED_1].future, false);
    gp_future_cancel(state->base.jobs[CANCELLED_2].future, false);
    return true;
}

static bool set_up_linked(void *argument, uint64_t random)
{
    struct state *state = argument;

    return gp_linked_new(ROOM, &state->queue) == GP_OK && set_up(state, random);
}

static bool set_up_array(void *argument, uint64_t random)
{
    struct state *state = argument;

    return gp_array_new(ROOM, &state->queue) == GP_OK && set_up(state, random);
}

/* ---- the race ---- */

enum {
    FIRST,
    SECOND,
    BEHIND,
    CLOSE
};

static unsigned char put(struct state *state, int job)
{
    return gp_queue_put(state->queue, state->tasks[job]) == GP_OK;
}

static void act_put_3(void *argument, struct outcome *outcome)
{
    outcome->slot[FIRST] = put(argument, PUT_3);
}

static void act_put_4(void *argument, struct outcome *outcome)
{
    outcome->slot[SECOND] = put(argument, PUT_4);
}

/* Who purges sees whether anybody was in before it came back. */
static void act_purge(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_pool_purge(state->base.pool);
    outcome->slot[BEHIND] = gp_queue_size(state->queue) > 0;
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    struct job *jobs = state->base.jobs;

    gp_future_set(state->gate, NULL);
    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    if (job_fate(&jobs[PUT_3]) != RAN)
        outcome->slot[FIRST] = 2;
    if (job_fate(&jobs[PUT_4]) != RAN)
        outcome->slot[SECOND] = 2;
}

#define PUTS                                  \
    {                                         \
        "did not get in", "got in", "is lost" \
    }

/* ---- the family ---- */

const struct scenario queue_waits_purge_races[] = {
    {
        .name = "queue_waits/linked_purge",
        .description = "two putters of a pool's full linked queue wait for room, and the cancelled "
                       "tasks in it are purged: both get in",
        .invariants = "[LINKED-4]",
        .attacks = {LINKED, "filter(&queue->inbox, matches, context, out);"},
        .broken_by = "linked-purge-tells-nobody",
        .state_size = sizeof(struct state),
        .set_up = set_up_linked,
        .actors = {{"put 3", act_put_3}, {"put 4", act_put_4}, {"purge", act_purge}},
        .invariant = pool_invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"one", PUTS},
                  {"the other", PUTS},
                  {"behind the purge came", {"nobody yet", "somebody"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"one got in, the other got in, behind the purge came nobody yet, closed",
                 ACCEPTABLE, "they came later, or were still waking up", MUST_OCCUR},
                {"one got in, the other got in, behind the purge came somebody, closed", ACCEPTABLE,
                 "somebody who had waited was in at once", MUST_OCCUR},
            },
    },
    {
        .name = "queue_waits/array_purge",
        .like = "queue_waits/linked_purge",
        .description = "two putters of a pool's full array queue wait for room, and the cancelled "
                       "tasks in it are purged: both get in",
        .invariants = "[ARRAY-2]",
        .attacks = {ARRAY, "gp__task_list_append(out, task);"},
        .broken_by = "array-purge-skips-signal",
        .set_up = set_up_array,
    },
    {.name = NULL},
};
