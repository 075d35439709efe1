/*
 * Functions on the lane of a scheduled pool.
 *
 * gp_pool_execute, and gp_schedule without delay and without a handle, put a plain function on the
 * lane, and no task around it [LANE-7]. What has no address cannot be taken back. So the pool is
 * asked whether the function may stay before it is put there, with the put latch held; and whoever
 * shuts the pool down, or leaves it, looks at the lane with that latch held afterwards. The races
 * are those of the conveyor (conveyor_pool.c), with another queue and another pool around it.
 *
 * Two who schedule draw their keys before they come to the latch, and may come in the other order.
 * Then the later one gets another key [LANE-1].
 *
 * Not so if somebody may have seen the first key: a hook that decorates gets the future before it
 * is in the queue, and may give it to others, even if it decorates nothing. Who compares the two
 * meanwhile would see one key before and another after:
 *
 *        schedule                   schedule                    compare
 *        draw a key: 1; the hook
 *                                   draw a key: 2; the hook
 *                                   to the lane
 *                                                               1 and 2: the first one
 *        out of order: draw 3, and
 *        write it into the task
 *                                                               3 and 2: the second one
 */
#include <stdatomic.h>

#include <glasspool/clock.h>
#include <glasspool/scheduled.h>

#include "stress/conveyor_support.h"
#include "stress/pool_ctl_support.h"
#include "stress/scenarios.h"
#include "stress/support.h"

#define LANE      "impl/queue/lane.c"
#define SCHEDULED "impl/scheduled/scheduled.c"

static void act_execute_another(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    conveyor_execute(&state->jobs[2], state->pool);
}

/* ---- keys that a hook has seen ---- */

struct hook_state {
    gp_scheduled *scheduled;
    _Atomic(gp_future *) seen[2]; /* references */
    atomic_int count;
};

enum {
    FIRST_LOOK,
    SECOND_LOOK
};

static int see(void *context, gp_future *task, gp_decorator *out)
{
    struct hook_state *state = context;
    int i = atomic_fetch_add(&state->count, 1);

    (void)out;
    if (i < 2)
        atomic_store(&state->seen[i], gp_future_retain(task));
    return GP_OK;
}

static bool set_up_hook(void *argument, uint64_t random)
{
    struct hook_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    (void)random;
    config.core_size = 1;
    config.time_tasks = false;
    config.kind = GP_FAST;
    config.decorate = see;
    config.decorate_context = state;
    return gp_scheduled_new(&config, &state->scheduled) == GP_OK;
}

static void act_schedule(void *argument, struct outcome *outcome)
{
    struct hook_state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    (void)outcome;
    gp_schedule(state->scheduled, &nothing, 0, NULL);
}

static unsigned char look(struct hook_state *state)
{
    const gp_future *one = atomic_load(&state->seen[0]);
    const gp_future *other = atomic_load(&state->seen[1]);

    return one == NULL || other == NULL ? 0 : gp_scheduled_compare(one, other) < 0 ? 1 : 2;
}

static void act_compare(void *argument, struct outcome *outcome)
{
    outcome->slot[FIRST_LOOK] = look(argument);
    outcome->slot[SECOND_LOOK] = look(argument);
}

static void tear_down_hook(void *argument)
{
    struct hook_state *state = argument;

    gp_scheduled_close(state->scheduled);
    for (int i = 0; i < 2; i++)
        gp_future_release(atomic_load(&state->seen[i]));
}

static void arbiter_of_hook(void *argument, struct outcome *outcome)
{
    struct hook_state *state = argument;

    (void)outcome;
    gp_scheduled_close(state->scheduled);
    state->scheduled = NULL;
}

#define WHO_IS_FIRST                               \
    {                                              \
        "not both there", "the first", "the other" \
    }

const struct scenario delayed_lane_pool_races[] = {
    {
        .name = "delayed_lane/execute_against_shutdown_now",
        .like = "conveyor/execute_against_shutdown_now",
        .description = "functions are put on the lane while the pool is stopped: each is run, "
                       "handed back or rejected, one of them",
        .invariants = "[SCHEDULED-1] [LANE-6] [LANE-7]",
        .attacks = {LANE, "if (check->may_enqueue(check->context))"},
        .broken_by = "lane-accepts-unasked",
        .set_up = laned_set_up_with_worker,
    },
    {
        .name = "delayed_lane/worker_against_placing",
        .like = "conveyor/worker_against_placing",
        .description = "functions are put on the lane while the pool shuts down and its worker "
                       "leaves: the answer that they may stay holds until they are there",
        .invariants = "[SCHEDULED-1] [WORKER-5] [LANE-7]",
        .attacks = {LANE, "gp__latch_lock(&lane->belts.put_latch); /* before asking */"},
        .broken_by = "lane-asks-before-latch",
        .set_up = laned_set_up_with_worker,
    },
    {
        .name = "delayed_lane/drawn_anew",
        .description = "two threads schedule functions for now: who has drawn its key first and "
                       "comes to the lane last gets another",
        .invariants = "[LANE-1]",
        .attacks = {LANE, "renew(item, keys);"},
        .broken_by = "lane-key-out-of-order",
        .state_size = sizeof(struct pool_state),
        .set_up = laned_set_up_with_worker,
        .actors = {{"execute", act_execute_two}, {"execute", act_execute_another}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_two,
        .tear_down = pool_tear_down,
        .slots = {{"one", FATES}, {NULL, ENDS}, {"the other", FATES}},
        .outcomes =
            {
                {"one ran, closed, the other ran", ACCEPTABLE, "in whichever order they came",
                 MUST_OCCUR},
            },
    },
    {
        .name = "delayed_lane/compared_while_put",
        .description =
            "two threads schedule for now, and a hook shows both tasks to a third, which "
            "compares them: a key that may have been seen is not drawn anew",
        .invariants = "[LANE-1]",
        .attacks = {SCHEDULED, "return due && scheduled->decorate == NULL"},
        .broken_by = "lane-seen-key-drawn-anew",
        .state_size = sizeof(struct hook_state),
        .set_up = set_up_hook,
        .actors = {{"schedule", act_schedule},
                   {"schedule", act_schedule},
                   {"compare", act_compare}},
        .arbiter = arbiter_of_hook,
        .tear_down = tear_down_hook,
        .slots = {{"at first", WHO_IS_FIRST}, {"then", WHO_IS_FIRST}},
        .outcomes =
            {
                {"at first not both there, ...", ACCEPTABLE, "it came early", MUST_OCCUR},
                {"at first the first, then the first", ACCEPTABLE, "their order stays", MAY_OCCUR},
                {"at first the other, then the other", ACCEPTABLE, "their order stays", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
