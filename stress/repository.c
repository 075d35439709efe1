/*
 * The repository: one pool for all who ask, and a new one for a dead one.
 *
 * Two who find no pool, or the same dead one, must not both put a new one there: one of them would
 * be known to nobody but its first user, with all its threads [REPOSITORY-1]. To look and to put
 * are one step, with the lock held in between, although a pool is made there:
 *
 *      create                        create
 *      find: none
 *                                    find: none
 *      make, put                     make, put                         (without the lock)
 *
 * Whoever was given a pool may use it after it was replaced. It is freed when nobody is left who
 * may [REPOSITORY-3].
 */
#include "stress/repository_support.h"

#include <glasspool/status.h>

#include "stress/support.h"

/* ---- create against create, replace against replace ---- */

static void act_create_too(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    (void)outcome;
    state->pools[1] = repository_create(state);
}

static void act_get(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    (void)outcome;
    state->pools[1] = repository_get(state);
}

enum given {
    NOTHING,
    ONE_POOL,
    TWO_POOLS,
    A_DEAD_ONE
};

#define GIVEN_SLOT                                           \
    {                                                        \
        "are given",                                         \
        {                                                    \
            "nothing", "one pool", "two pools", "a dead one" \
        }                                                    \
    }

static void arbiter_of_given(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;
    gp_pool *const *pools = state->pools;

    outcome->slot[ONE] = !pools[0] || !pools[1] ? NOTHING
                         : pools[0] != pools[1] ? TWO_POOLS
                         : gp_pool_is_shutdown(pools[0]) || gp_pool_is_shutdown(pools[1])
                             ? A_DEAD_ONE
                             : ONE_POOL;
    repository_judge_end(state, outcome);
}

/* ---- create against shutdown ---- */

static void act_shutdown_and_create(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    gp_pool_shutdown(state->old);
    state->pools[0] = repository_create(state);
    outcome->slot[ONE] = state->pools[0] && !gp_pool_is_shutdown(state->pools[0]);
}

/* ---- release against replacing ---- */

static void act_use_and_release(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[ONE] = gp_pool_execute(state->old, do_nothing, NULL) == GP_EREJECTED;
    repository_give_back(state, &state->old);
}

static void act_get_and_look(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    state->pools[1] = repository_get(state);
    outcome->slot[OTHER] = state->pools[1] && !gp_pool_is_shutdown(state->pools[1]);
}

/* ---- update against update ---- */

static bool set_up_fixed(void *argument, uint64_t random)
{
    struct repository_state *state = argument;
    gp_preset preset = GP_PRESET_FIXED_DEFAULT;

    preset.threads = 2;
    return repository_set_up_empty(state, random) &&
           gp_repository_create_if_absent(state->repository, NULL, PORT, &preset, &state->old) ==
               GP_OK;
}

static void act_update_to_1(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    (void)outcome;
    gp_repository_update(state->repository, state->old, 1);
}

static void act_update_to_3(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    (void)outcome;
    gp_repository_update(state->repository, state->old, 3);
}

static void arbiter_of_sizes(void *argument, struct outcome *outcome)
{
    struct repository_state *state = argument;

    outcome->slot[ONE] = (unsigned char)gp_pool_core_size(state->old);
    outcome->slot[OTHER] = (unsigned char)gp_pool_maximum_size(state->old);
    repository_judge_end(state, outcome);
}

/* ---- the family ---- */

const struct scenario repository_races[] = {
    {
        .name = "repository/create_against_create",
        .description = "two threads ask for a pool that there is not yet: both get the same",
        .invariants = "[REPOSITORY-1]",
        .attacks = {REPOSITORY, "int status = gp_preset_pool(preset, &executor->pool);"},
        .broken_by = "repository-two-creations",
        .state_size = sizeof(struct repository_state),
        .set_up = repository_set_up_empty,
        .actors = {{"create", repository_act_create}, {"create", act_create_too}},
        .invariant = repository_invariant,
        .arbiter = arbiter_of_given,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT, GIVEN_SLOT},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"are given two pools", FORBIDDEN, "one of them will be known to nobody else",
                 MAY_OCCUR},
                {"the repository ended well, are given one pool", ACCEPTABLE, "whoever made it",
                 MUST_OCCUR},
            },
    },
    {
        .name = "repository/replace_against_replace",
        .like = "repository/create_against_create",
        .description = "one thread gets and one creates while the pool is dead: both get the same "
                       "new one, and the dead one is gone",
        .invariants = "[REPOSITORY-1] [REPOSITORY-2]",
        .attacks = {REPOSITORY, "struct executor *dead = *executor;"},
        .broken_by = "repository-two-replacements",
        .set_up = repository_set_up_dead,
        .actors = {{"create", repository_act_create}, {"get", act_get}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"are given two pools", FORBIDDEN, "one of them will be known to nobody else",
                 MAY_OCCUR},
                {"are given a dead one", FORBIDDEN, "it was dead before anybody asked", MAY_OCCUR},
                {"the repository ended well, are given one pool", ACCEPTABLE, "whoever made it",
                 MUST_OCCUR},
            },
    },
    {
        .name = "repository/create_against_shutdown",
        .description = "a thread shuts the pool down and asks for it, another asks and uses it: "
                       "the first gets a new one, the second may be refused",
        .invariants = "[REPOSITORY-2]",
        .attacks = {REPOSITORY, "else if (gp_pool_is_shutdown(executor->pool))"},
        .broken_by = "repository-hands-out-dying",
        .state_size = sizeof(struct repository_state),
        .set_up = repository_set_up_one,
        .actors = {{"shut down and create", act_shutdown_and_create},
                   {"create and use", repository_act_create_and_use}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"who shuts down gets", {"a dead one", "a new one"}},
                  {"the other", {"is refused", "is served"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"who shuts down gets a dead one", FORBIDDEN, "although it knows that it is dead",
                 MAY_OCCUR},
                {"the repository ended well, who shuts down gets a new one, the other is served",
                 ACCEPTABLE, "by the old one in time, or by the new one", MUST_OCCUR},
                {"the repository ended well, who shuts down gets a new one, the other is refused",
                 INTERESTING, "it was given the old one a moment before", MAY_OCCUR},
            },
    },
    {
        .name = "repository/release_against_replace",
        .description = "a dead pool is used and given back while another thread has it replaced: "
                       "it is freed after its last use",
        .invariants = "[REPOSITORY-3]",
        .attacks = {REPOSITORY,
                    "if (executor->leases > 0 || !gp_pool_is_terminated(executor->pool)) {"},
        .broken_by = "repository-frees-leased",
        .state_size = sizeof(struct repository_state),
        .set_up = repository_set_up_dead,
        .actors = {{"use and release", act_use_and_release}, {"get", act_get_and_look}},
        .invariant = repository_invariant,
        .arbiter = repository_judge_end,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT,
                  {"the dead one", {"took a task", "refused a task"}},
                  {"who asks gets", {"a dead one", "a new one"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the dead one took a task", FORBIDDEN, "nobody will run it", MAY_OCCUR},
                {"who asks gets a dead one", FORBIDDEN, "it was dead before anybody asked",
                 MAY_OCCUR},
                {"the repository ended well, the dead one refused a task, who asks gets a new one",
                 ACCEPTABLE, "as it must be", MUST_OCCUR},
            },
    },
    {
        .name = "repository/update_against_update",
        .description = "a fixed pool of 2 is to have 1 thread, and 3: it has the one or the other, "
                       "and stays fixed",
        .invariants = "[REPOSITORY-4]",
        .attacks = {REPOSITORY,
                    "status = gp_pool_is_shutdown(pool) ? GP_ESTATE : set_sizes(pool, threads);"},
        .broken_by = "repository-interleaved-updates",
        .state_size = sizeof(struct repository_state),
        .set_up = set_up_fixed,
        .actors = {{"update to 1", act_update_to_1}, {"update to 3", act_update_to_3}},
        .invariant = repository_invariant,
        .arbiter = arbiter_of_sizes,
        .tear_down = repository_tear_down,
        .slots = {END_SLOT, {"core", {NULL}}, {"maximum", {NULL}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the repository ended well, core 1, maximum 1", ACCEPTABLE, "1 came last",
                 MUST_OCCUR},
                {"the repository ended well, core 3, maximum 3", ACCEPTABLE, "3 came last",
                 MUST_OCCUR},
            },
    },
    {.name = NULL},
};
