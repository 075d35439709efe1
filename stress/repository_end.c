/*
 * The end of a repository's pools, while others ask for them.
 *
 * Destroying all of them waits for tasks; and a task may ask the repository for a pool, even for
 * its own. So nobody may wait with the lock held. But then a pool that is waited for may be the one
 * that another frees: who waits for its end counts as one who may use it [REPOSITORY-3].
 *
 *      destroy all                              destroy all
 *      lease the first, let the lock go
 *      wait for its end                         lease the first, let the lock go, wait
 *      lease the next, drop the first
 *                                               its `next` is still there
 *
 * Nor is a pool freed with the lock held: that waits for its threads. Meanwhile it is in no list,
 * and who looks at the lists alone takes the repository for empty [REPOSITORY-5]:
 *
 *      release                                  close
 *      take the pool out, let the lock go
 *      free it                                  nothing is left: free the repository
 *      lock again
 */
#include "stress/repository_support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "stress/support.h"

/* ---- destroying all ---- */

static bool set_up_two_dying(void *argument, uint64_t random)
{
    struct repository_state *state = argument;
    gp_pool *shared = NULL;

    if (!repository_set_up_one(state, random) ||
        gp_repository_shared(state->repository, &shared) != GP_OK)
        return false;
    gp_repository_release(state->repository, shared);
    return repository_give_back(state, &state->old);
}

static void act_destroy(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[ONE] = gp_repository_destroy_all(state->repository, 0) != GP_OK;
}

static void act_destroy_too(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[OTHER] = gp_repository_destroy_all(state->repository, 0) != GP_OK;
}

static void act_destroy_and_look(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    gp_repository_destroy_all(state->repository, 0);
    outcome->slot[ONE] = gp_pool_is_terminated(state->old);
}

/* ---- destroying all against a task that asks ---- */

static void ask(void *argument)
{
    struct repository_state *state = argument;

    state->pools[2] = repository_create(state);
}

static bool set_up_asking(void *argument, uint64_t random)
{
    struct repository_state *state = argument;

    return repository_set_up_one(state, random) && gp_pool_execute(state->old, ask, state) == GP_OK;
}

static void act_destroy_in_order(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    gp_repository_destroy_all(state->repository, GP_FOREVER);
    outcome->slot[ONE] = gp_pool_is_terminated(state->old);
}

enum gotten {
    NOTHING,
    ITS_OWN,
    A_NEW_ONE
};

/* By the end of the old pool its task has asked. */
static void arbiter_of_asking(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[OTHER] = !state->pools[2]                ? NOTHING
                           : state->pools[2] == state->old ? ITS_OWN
                                                           : A_NEW_ONE;
    repository_judge_end(state, outcome);
}

/* ---- after all are destroyed ---- */

static void act_destroy_and_ask(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    gp_repository_destroy_all(state->repository, 0);
    state->pools[0] = repository_get(state);
    outcome->slot[ONE] = state->pools[0] != NULL;
}

static void act_share(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[OTHER] = gp_repository_shared(state->repository, &state->pools[1]) == GP_OK;
}

/* ---- giving the last lease back ---- */

struct witnessed_state {
    struct repository_state base;
    gp_run_fn *run; /* of the one worker, and its argument */
    void *argument;
    bool gone; /* plain: who has joined the worker sees it */
};

static void run_witnessed(void *argument)
{
    struct witnessed_state *state = argument;

    state->run(state->argument);
    state->gone = true;
}

static int create_witnessed(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct witnessed_state *state = context;

    state->run = run;
    state->argument = argument;
    return gp_thread_new(NULL, run_witnessed, state, out);
}

/* A pool that is shut down and replaced, has had a worker, and is leased once. */
static bool set_up_witnessed(void *argument, uint64_t random)
{
    struct witnessed_state *state = argument;
    const gp_thread_factory factory = {create_witnessed, state};

    if (!repository_set_up_one(state, random) ||
        gp_pool_set_factory(state->base.old, &factory) != GP_OK ||
        gp_pool_execute(state->base.old, do_nothing, NULL) != GP_OK)
        return false;
    gp_pool_shutdown(state->base.old);
    state->base.pools[0] = repository_create(&state->base);
    return repository_give_back(&state->base, &state->base.pools[0]);
}

static void act_release(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[ONE] = !repository_give_back(state, &state->old);
}

/* Once: who finds it busy leaves it to the arbiter. The other may have no repository any more. */
static void act_close(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[OTHER] = gp_repository_close(state->repository) == GP_OK;
}

static void arbiter_of_close(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    if (outcome->slot[OTHER])
        state->repository = NULL;
    else
        repository_judge_end(state, outcome);
}

static void act_destroy_and_see(void *argument, struct outcome *outcome)
{
    struct witnessed_state *state = argument;

    if (gp_repository_destroy_all(state->base.repository, GP_FOREVER) == GP_OK)
        outcome->slot[OTHER] = state->gone;
}

/* ---- the family ---- */

const struct scenario repository_end_races[] = {
    {
        .name = "repository/destroy_against_destroy",
        .description = "two threads destroy all pools that nobody has leased: both wait for their "
                       "end, and each pool is freed once",
        .invariants = "[REPOSITORY-3]",
        .attacks = {REPOSITORY, "int ended = await_end(executor->pool, grace, start);"},
        .broken_by = "repository-waits-without-lease",
        .state_size = sizeof(struct repository_state),
        .set_up = set_up_two_dying,
        .actors = {{"destroy", act_destroy}, {"destroy", act_destroy_too}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"one", {"succeeded", "failed"}},
                  {"the other", {"succeeded", "failed"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the repository ended well, one succeeded, the other succeeded", ACCEPTABLE,
                 "whoever was first", MUST_OCCUR},
            },
    },
    {
        .name = "repository/destroy_against_create",
        .description = "all pools are destroyed while another thread asks for one and uses it: the "
                       "old one has ended, the new one lives on or was destroyed as well",
        .invariants = "[REPOSITORY-2] [REPOSITORY-3]",
        .attacks = {REPOSITORY, "retire_all(repository);"},
        .broken_by = "repository-retires-unlocked",
        .state_size = sizeof(struct repository_state),
        .set_up = repository_set_up_one,
        .actors = {{"destroy all", act_destroy_and_look},
                   {"create and use", repository_act_create_and_use}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"the old one", {"goes on", "has ended"}},
                  {"the other", {"is refused", "is served"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the old one goes on", FORBIDDEN, "although all were destroyed", MAY_OCCUR},
                {"the repository ended well, the old one has ended, the other is served",
                 ACCEPTABLE, "by the old one in time, or by a new one", MUST_OCCUR},
                {"the repository ended well, the old one has ended, the other is refused",
                 INTERESTING, "it was given the old one a moment before", MAY_OCCUR},
            },
    },
    {
        .name = "repository/destroy_against_lease",
        .description = "all pools are destroyed, which nobody has leased, while another thread "
                       "asks for one and uses it: it is not freed before that is done",
        .invariants = "[REPOSITORY-2] [REPOSITORY-3]",
        .attacks = {REPOSITORY, "*out = lease(executor)->pool;"},
        .broken_by = "repository-late-lease",
        .state_size = sizeof(struct repository_state),
        .set_up = set_up_two_dying,
        .actors = {{"destroy all", act_destroy}, {"create and use", repository_act_create_and_use}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"destroying", {"succeeded", "failed"}},
                  {"the other", {"is refused", "is served"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the repository ended well, destroying succeeded, the other is served", ACCEPTABLE,
                 "by the old one in time, or by a new one", MUST_OCCUR},
                {"the repository ended well, destroying succeeded, the other is refused",
                 INTERESTING, "it was given the old one a moment before", MAY_OCCUR},
            },
    },
    {
        .name = "repository/destroy_against_a_task_that_asks",
        .description = "all pools are destroyed in order while a task of one of them asks for its "
                       "own pool: nobody waits for the other",
        .invariants = "[REPOSITORY-2]",
        .attacks = {REPOSITORY, "int ended = await_end(executor->pool, grace, start);"},
        .broken_by = "repository-waits-with-lock",
        .state_size = sizeof(struct repository_state),
        .set_up = set_up_asking,
        .actors = {{"destroy all", act_destroy_in_order}, {"create", repository_act_create}},
        .invariant = repository_invariant,
        .arbiter = arbiter_of_asking,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"the old one", {"goes on", "has ended"}},
                  {"its task gets", {"nothing", "its own pool", "a new one"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the old one goes on", FORBIDDEN, "although all were destroyed", MAY_OCCUR},
                {"its task gets nothing", FORBIDDEN, "it asked", MAY_OCCUR},
                {"the repository ended well, the old one has ended, its task gets its own pool",
                 ACCEPTABLE, "it asked before", MAY_OCCUR},
                {"the repository ended well, the old one has ended, its task gets a new one",
                 ACCEPTABLE, "it asked afterwards", MUST_OCCUR},
            },
    },
    {
        .name = "repository/destroyed_are_forgotten",
        .description = "all pools are destroyed while another thread asks for the shared one: who "
                       "asks for one of them afterwards is told that there is none (dubbo #7820)",
        .invariants = "[REPOSITORY-2]",
        .attacks = {REPOSITORY, "retire_all(repository);"},
        .broken_by = "repository-keeps-destroyed",
        .state_size = sizeof(struct repository_state),
        .set_up = repository_set_up_one,
        .actors = {{"destroy all", act_destroy_and_ask}, {"share", act_share}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"who asks gets", {"nothing", "a pool"}},
                  {"the other", {"gets nothing", "gets the shared one"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"who asks gets a pool", FORBIDDEN, "of those that were destroyed", MAY_OCCUR},
                {"the repository ended well, who asks gets nothing, the other gets the shared one",
                 ACCEPTABLE, "whichever came first", MUST_OCCUR},
            },
    },
    {
        .name = "repository/release_against_close",
        .description = "the last lease is given back, and the pool freed with that, while another "
                       "thread closes the repository: it is freed when nobody is inside",
        .invariants = "[REPOSITORY-5]",
        .attacks = {REPOSITORY, "busy = busy || repository->sweepers > 0;"},
        .broken_by = "repository-freed-under-sweeper",
        .state_size = sizeof(struct witnessed_state),
        .set_up = set_up_witnessed,
        .actors = {{"release", act_release}, {"close", act_close}},
        .arbiter = arbiter_of_close,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"the lease", {"was given back", "was not known"}},
                  {"closing", {"found it busy", "succeeded"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the repository ended well, the lease was given back, closing found it busy",
                 ACCEPTABLE, "it was still leased, or its pool being freed", MUST_OCCUR},
                {"the repository ended well, the lease was given back, closing succeeded",
                 ACCEPTABLE, "the lease was given back before", MUST_OCCUR},
            },
    },
    {
        .name = "repository/release_against_destroy",
        .description = "the last lease of a dead pool is given back, and the pool freed with that, "
                       "while another thread destroys all: its worker is gone when that returns",
        .invariants = "[REPOSITORY-5] [REPOSITORY-3]",
        .attacks = {REPOSITORY, "while (repository->sweepers > 0 && status == GP_OK)"},
        .broken_by = "repository-end-unawaited",
        .state_size = sizeof(struct witnessed_state),
        .set_up = set_up_witnessed,
        .actors = {{"release", act_release}, {"destroy all", act_destroy_and_see}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"the lease", {"was given back", "was not known"}},
                  {"its worker", {"may be there", "is gone"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"its worker may be there", FORBIDDEN, "although all were destroyed", MAY_OCCUR},
                {"the repository ended well, the lease was given back, its worker is gone",
                 ACCEPTABLE, "whoever has freed the pool", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
