/*
 * How many tasks an eager pool has, while they come and go in every way.
 *
 * The count decides whether a worker is started. One that is too high makes the pool start workers
 * for nobody, until it has all that it may have; and no run of the pool ever corrects it (dubbo
 * #6496). So each way in which a task can leave the pool is tried here against the others
 * [EAGER-1]; when the pool has ended it must not count anything.
 *
 * In each race a worker takes tasks out of the queue while somebody else wants the same ones.
 */
#include <pthread.h> /* pthread_exit */

#include "stress/eager_support.h"

#define LIFECYCLE "impl/pool/lifecycle.c"
#define POOL      "impl/pool/pool.c"
#define REJECTION "impl/pool/rejection.c"
#define WORKER    "impl/pool/worker.c"

/* What became of all jobs but the first. */
enum {
    SOME_RAN = ONE,
    SOME_DID_NOT,
    LOST_SOME
};

#define JOB_SLOTS                                                 \
    {"ran", {"none", "some"}}, {"did not run", {"none", "some"}}, \
    {                                                             \
        "lost",                                                   \
        {                                                         \
            "none", "some"                                        \
        }                                                         \
    }
#define LOSES "lost some", FORBIDDEN, "a task met no fate, or two", MAY_OCCUR

static void judge_all(struct eager_state *state, struct outcome *outcome, int first, int end)
{
    eager_end(state, outcome);
    for (int i = first; i < end; i++) {
        enum fate fate = job_fate(&state->base.jobs[i]);
        if (fate == RAN)
            outcome->slot[SOME_RAN] = 1;
        else if (fate == CANCELLED || fate == HANDED_BACK || fate == REJECTED)
            outcome->slot[SOME_DID_NOT] = 1;
        else
            outcome->slot[LOST_SOME] = 1;
    }
}

/* ---- a queue behind a gate ---- */

enum {
    BACKLOG = 4 /* jobs: one that holds the worker, and three behind it */
};

static bool set_up_backlog(void *argument, uint64_t random)
{
    struct eager_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    eager_hold(state, 0);
    if (!eager_open_gate(state) || !eager_open(state, &config, 1, JOBS, random)) {
        eager_tear_down(state);
        return false;
    }
    for (int i = 0; i < BACKLOG; i++)
        job_submit(&state->base.jobs[i], state->base.pool);
    return true;
}

static void act_let_go(void *argument, struct outcome *outcome)
{
    (void)outcome;
    eager_let_go(argument);
}

static void act_cancel_and_purge(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = BACKLOG - 1; i > 0; i--)
        if (state->jobs[i].future)
            gp_future_cancel(state->jobs[i].future, false);
    gp_pool_purge(state->pool);
}

static void act_remove(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    for (int i = BACKLOG - 1; i > 0; i--)
        if (state->jobs[i].future)
            gp_pool_remove(state->pool, state->jobs[i].future);
}

static void arbiter_of_backlog(void *argument, struct outcome *outcome)
{
    judge_all(argument, outcome, 1, BACKLOG);
}

/* ---- more than the pool can take ---- */

static bool set_up_full(struct eager_state *state, gp_reject_fn *reject, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.rejection.reject = reject;
    return eager_open(state, &config, 1, 1, random);
}

static bool set_up_abort(void *argument, uint64_t random)
{
    return set_up_full(argument, gp_reject_abort, random);
}

static bool set_up_discard_oldest(void *argument, uint64_t random)
{
    return set_up_full(argument, gp_reject_discard_oldest, random);
}

static void act_submit_two(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
    job_submit(&state->jobs[1], state->pool);
}

static void act_submit_two_more(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[2], state->pool);
    job_submit(&state->jobs[3], state->pool);
}

static void arbiter_of_four(void *argument, struct outcome *outcome)
{
    judge_all(argument, outcome, 0, 4);
}

/* ---- tasks that end their threads ---- */

static void end_thread(void *context)
{
    (void)context;
    pthread_exit(NULL);
}

static bool set_up_killers(void *argument, uint64_t random)
{
    struct eager_state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    state->base.jobs[0].body = end_thread;
    state->base.jobs[2].body = end_thread;
    return eager_open(state, &config, 2, JOBS, random);
}

/* ---- the family ---- */

#define ALL_RAN  "closed, counts nothing, ran some, did not run none, lost none"
#define SOME_RUN "closed, counts nothing, ran some, did not run some, lost none"
#define NONE_RAN "closed, counts nothing, ran none, did not run some, lost none"

const struct scenario eager_count_races[] = {
    {
        .name = "eager/count_under_purge",
        .description = "queued tasks are cancelled and purged while the worker runs them: each "
                       "leaves the count once",
        .invariants = "[EAGER-1]",
        .attacks = {POOL, "gp__pool_left(pool, cancelled.count);"},
        .broken_by = "eager-purged-still-counted",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_backlog,
        .actors = {{"let go", act_let_go}, {"cancel, purge", act_cancel_and_purge}},
        .invariant = eager_invariant,
        .arbiter = arbiter_of_backlog,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, JOB_SLOTS},
        .outcomes =
            {
                {DRIFTED},
                {LOSES},
                {ALL_RAN, ACCEPTABLE, "the worker was quick", MAY_OCCUR},
                {SOME_RUN, ACCEPTABLE, "they met half-way", MAY_OCCUR},
                {NONE_RAN, ACCEPTABLE, "the worker was slow", MUST_OCCUR},
            },
    },
    {
        .name = "eager/count_under_remove",
        .like = "eager/count_under_purge",
        .description = "queued tasks are removed from the back while the worker takes them from "
                       "the front: each leaves the count once",
        .attacks = {POOL, "    gp__pool_left(pool, 1);"},
        .broken_by = "eager-removed-still-counted",
        .actors = {{"let go", act_let_go}, {"remove", act_remove}},
    },
    {
        .name = "eager/count_under_shutdown_now",
        .like = "eager/count_under_purge",
        .description = "a pool is stopped while its worker runs what is queued: each task leaves "
                       "the count once, run or handed back",
        .attacks = {LIFECYCLE, "gp__pool_left(pool, tasks.count);"},
        .broken_by = "eager-handed-back-still-counted",
        .actors = {{"let go", act_let_go}, {"shutdown_now", act_shutdown_now}},
    },
    {
        .name = "eager/count_under_rejection",
        .description = "two threads submit more than the pool can take: what is rejected was never "
                       "there",
        .invariants = "[EAGER-1] [EAGER-4]",
        .attacks = {EAGER, "        eager_left(pool, 1);"},
        .broken_by = "eager-rejected-still-counted",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up_abort,
        .actors = {{"submit", act_submit_two}, {"submit", act_submit_two_more}},
        .invariant = eager_invariant,
        .arbiter = arbiter_of_four,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, JOB_SLOTS},
        .outcomes =
            {
                {DRIFTED},
                {LOSES},
                {ALL_RAN, ACCEPTABLE, "the worker was quick", MAY_OCCUR},
                {SOME_RUN, ACCEPTABLE, "the queue was full", MUST_OCCUR},
            },
    },
    {
        .name = "eager/count_under_discard_oldest",
        .like = "eager/count_under_rejection",
        .description = "two threads submit more than the pool can take, and the oldest task makes "
                       "room: it leaves the count, or the worker has it",
        .invariants = "[EAGER-1]",
        .attacks = {REJECTION, "gp__pool_left(pool, 1);"},
        .broken_by = "eager-dropped-still-counted",
        .set_up = set_up_discard_oldest,
        .outcomes =
            {
                {DRIFTED},
                {LOSES},
                {ALL_RAN, ACCEPTABLE, "the worker was quick", MAY_OCCUR},
                {SOME_RUN, ACCEPTABLE, "the oldest made room", MUST_OCCUR},
            },
    },
    {
        .name = "eager/count_under_abrupt_exit",
        .like = "eager/count_under_rejection",
        .description = "tasks end their threads while others are submitted: they leave the count "
                       "with their workers",
        .invariants = "[EAGER-1] [WORKER-5]",
        .attacks = {WORKER, "    gp__pool_left(pool, 1);"},
        .broken_by = "eager-killer-still-counted",
        .set_up = set_up_killers,
        .outcomes =
            {
                {DRIFTED},
                {LOSES},
                {ALL_RAN, ACCEPTABLE, "a worker that its task has killed is replaced", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
