/*
 * A task that comes to a scheduled pool while it shuts down, and the last one that leaves it.
 *
 * schedule has the same problem as execute (pool_ctl.c): the pool may be shut down after it was
 * found running and before the task is in the queue. So there is a second look, at the policies
 * too: a task that may not run any more is taken back.
 *
 *   A subtler form of it: the pool may go from SHUTDOWN, in which delayed tasks are run, to TIDYING
 *   between the second look and the worker that is to be started [SCHEDULED-1]:
 *
 *        schedule                      shutdown
 *        running
 *                                      SHUTDOWN; queue empty, no worker
 *        offer
 *        may it run in SHUTDOWN? yes
 *                                      TIDYING
 *        start a worker: refused
 *        take it back, tell the caller
 *
 *   In Java nobody listens when addWorker says no, and get hangs (JDK-8358601). Natively that
 *   window is a few instructions wide. A factory that fails gives the same answer in the same
 *   place, and far more often; so here threads are short as well.
 *
 *   The look comes after the offer, also if the pool has its worker: the worker that was there
 *   before may have found the queue empty, and gone.
 *
 *   There may be two reasons to take it back: the pool does not want it, and a hook that decorates
 *   has cancelled it. To reject a task ends it, and so does to discard it: one of them may happen.
 *
 *   The pool itself has to outlive its tasks. The last one may be cancelled while close waits for
 *   it; then it is cancel that ends the pool, and close may free it before cancel returns
 *   [SCHEDULED-5]. Who cancels may give up the last handle as well, and then either of the two may
 *   be the one that frees: each count that goes down has to tell what was done before.
 *
 *   A policy that is changed while the pool shuts down is seen by one side or by the other
 *   [SCHEDULED-3]:
 *
 *        set_continue_periodic(false)  shutdown
 *        policy = off                  SHUTDOWN
 *        is it shut down?              which tasks does the policy keep?
 *        yes: shutdown once more
 *
 *   Each writes first and looks then. If both could miss, a task that nobody wants would keep the
 *   pool for as long as it takes until it is due.
 */
#include "stress/periodic_support.h"

#define SCHEDULED "impl/scheduled/scheduled.c"
#define TASK      "impl/scheduled/scheduled_task.c"

/* ---- schedule against shutdown ---- */

enum {
    ANSWER,
    LATER_CLOSE,
    LATER_GET
};

/* No thread is to be had at first, if chance so decides. */
static int create_or_fail(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct periodic_state *state = context;
    int number = atomic_fetch_add_explicit(&state->threads, 1, memory_order_relaxed);

    if (number < 2 && (state->random >> number & 1))
        return GP_EAGAIN;
    return gp_thread_new(NULL, run, argument, out);
}

static bool set_up_short_of_threads(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 0;
    config.factory.create = create_or_fail;
    config.factory.context = argument;
    return periodic_open(argument, &config, random);
}

static bool set_up_without_delayed(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.core_size = 0;
    config.execute_delayed = false;
    return periodic_open(argument, &config, random);
}

static int cancel_it(void *context, gp_future *task, gp_decorator *out)
{
    (void)context;
    (void)out;
    gp_future_cancel(task, false);
    return GP_OK;
}

static bool set_up_cancelling(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.execute_delayed = false;
    config.remove_on_cancel = true;
    config.decorate = cancel_it;
    return periodic_open(argument, &config, random);
}

/* Its worker waits, or is about to. */
static bool set_up_attended(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    if (!periodic_open(argument, &config, random))
        return false;
    gp_pool_prestart_all_core(periodic_pool(argument));
    return true;
}

enum answer {
    ACCEPTED,
    REFUSED,
    GIVEN_BACK
};

#define ANSWERED                                                    \
    {                                                               \
        {NULL, {"accepted", "rejected", "given back"}},             \
            {NULL, {"closed", "not closed", "not destroyed once"}}, \
        {                                                           \
            "get gave", GOTTEN                                      \
        }                                                           \
    }

static void schedule_and_get(struct periodic_state *state, int64_t delay, struct outcome *outcome)
{
    struct chore *chore = &state->chores[0];
    const gp_callable callable = chore_callable(chore);
    int status = gp_schedule(state->scheduled[0], &callable, delay, &chore->future);

    outcome->slot[ANSWER] = status == GP_OK          ? ACCEPTED
                            : status == GP_EREJECTED ? REFUSED
                                                     : GIVEN_BACK;
    outcome->slot[LATER_GET] = chore_get(chore);
}

static void act_schedule_now(void *argument, struct outcome *outcome)
{
    schedule_and_get(argument, 0, outcome);
}

static void act_schedule_far(void *argument, struct outcome *outcome)
{
    schedule_and_get(argument, AN_HOUR, outcome);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    (void)outcome;
    gp_pool_shutdown(periodic_pool(argument));
}

static void arbiter_of_one_shot(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    outcome->slot[LATER_CLOSE] = !periodic_close(state);
    if (state->chores[0].ends != (outcome->slot[ANSWER] == GIVEN_BACK ? 0 : 1))
        outcome->slot[LATER_CLOSE] = 2;
}

/* ---- cancel against close ---- */

enum {
    LAST_CANCEL,
    LAST_CLOSE,
    LAST_CHORE
};

/* An hourly task that is due in an hour; after shutdown it is waited for. */
static bool set_up_far(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    struct chore *chore = &state->chores[0];
    const gp_callable callable = chore_callable(chore);
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    if (!periodic_open(state, &config, random))
        return false;
    bool ready = gp_schedule(state->scheduled[0], &callable, AN_HOUR, &chore->future) == GP_OK;
    if (!ready)
        periodic_undo(state);
    return ready;
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    outcome->slot[LAST_CANCEL] = gp_future_cancel(state->chores[0].future, false);
}

static void act_close(void *argument, struct outcome *outcome)
{
    outcome->slot[LAST_CLOSE] = !periodic_close(argument);
}

static void arbiter_of_last(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    outcome->slot[LAST_CHORE] = chore_conduct(&state->chores[0]);
}

static void act_cancel_and_release(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    act_cancel(argument, outcome);
    gp_future_release(state->chores[0].future);
    state->chores[0].future = NULL;
}

/* ---- policies against shutdown ---- */

enum {
    HOURLY,
    LATER,
    POLICY_CLOSE
};

/* One that is run each hour, and one that is run once, in an hour. */
static bool set_up_both_kinds(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    const gp_callable hourly = chore_callable(&state->chores[0]);
    const gp_callable later = chore_callable(&state->chores[1]);
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    if (!periodic_open(state, &config, random))
        return false;
    bool ready =
        gp_schedule_at_fixed_rate(state->scheduled[0], &hourly, AN_HOUR, AN_HOUR,
                                  &state->chores[0].future) == GP_OK &&
        gp_schedule(state->scheduled[0], &later, AN_HOUR, &state->chores[1].future) == GP_OK;
    if (!ready)
        periodic_undo(state);
    return ready;
}

static void act_discontinue_periodic(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    gp_scheduled_set_continue_periodic(state->scheduled[0], false);
}

static void act_drop_delayed(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    gp_scheduled_set_execute_delayed(state->scheduled[0], false);
}

/* All is said and done: whatever is still there stays for an hour. */
static void arbiter_of_policies(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    outcome->slot[HOURLY] = gp_future_is_cancelled(state->chores[0].future);
    outcome->slot[LATER] = gp_future_is_cancelled(state->chores[1].future);
    gp_future_cancel(state->chores[0].future, false);
    gp_future_cancel(state->chores[1].future, false);
    gp_pool_purge(periodic_pool(state));
    outcome->slot[POLICY_CLOSE] = !periodic_close(state);
}

/* ---- the family ---- */

const struct scenario periodic_shutdown_races[] = {
    {
        .name = "periodic/schedule_against_shutdown",
        .description = "a task is scheduled while a pool without workers shuts down, and threads "
                       "are short: it is run, rejected or given back; get does not hang "
                       "(JDK-8358601)",
        .invariants = "[SCHEDULED-1] [POOL-2] [LIFE-1]",
        .attacks = {SCHEDULED, "gp__can_run_in_current_run_state(scheduled, task) ? gp__ensure"},
        .broken_by = "prestart-answer-ignored",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_short_of_threads,
        .actors = {{"schedule, get", act_schedule_now}, {"shutdown", act_shutdown}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_one_shot,
        .tear_down = periodic_tear_down,
        .slots = ANSWERED,
        .outcomes =
            {
                {"accepted, closed, get gave a result", ACCEPTABLE, "it was queued in time",
                 MUST_OCCUR},
                {"rejected, closed, get gave nothing", ACCEPTABLE, "the shutdown came first",
                 MUST_OCCUR},
                {"given back, closed, get gave nothing", ACCEPTABLE, "nobody would have run it",
                 MUST_OCCUR},
            },
    },
    {
        .name = "periodic/attended_against_shutdown",
        .like = "periodic/schedule_against_shutdown",
        .description = "a task is scheduled while a pool shuts down whose worker has nothing to "
                       "do: the worker stays for it, or it is rejected",
        .invariants = "[SCHEDULED-1] [WORKER-5]",
        .attacks = {SCHEDULED,
                    "status = recheck_and_prestart(scheduled, task, element); /* (6), (7) */"},
        .broken_by = "schedule-attended-before-offer",
        .set_up = set_up_attended,
        .outcomes =
            {
                {"accepted, closed, get gave a result", ACCEPTABLE, "it was queued in time",
                 MUST_OCCUR},
                {"rejected, closed, get gave nothing", ACCEPTABLE, "the shutdown came first",
                 MUST_OCCUR},
                {"given back, closed, get gave nothing", INTERESTING,
                 "there was no memory for it, or no thread", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/delayed_against_shutdown",
        .description = "a task for later is scheduled while the pool shuts down, with the policy "
                       "to drop such tasks: it is rejected or cancelled, it does not stay",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, ": GP_EREJECTED;"},
        .broken_by = "schedule-skips-policy-recheck",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_without_delayed,
        .actors = {{"schedule, get", act_schedule_far}, {"shutdown", act_shutdown}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_one_shot,
        .tear_down = periodic_tear_down,
        .slots = ANSWERED,
        .outcomes =
            {
                {"accepted, closed, get gave a cancellation", ACCEPTABLE,
                 "it was in the queue, and was taken out once", MUST_OCCUR},
                {"rejected, closed, get gave nothing", ACCEPTABLE, "the shutdown came first",
                 MUST_OCCUR},
                {"given back, closed, get gave nothing", INTERESTING,
                 "there was no memory for it, or no thread", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/cancelled_against_shutdown",
        .like = "periodic/delayed_against_shutdown",
        .description = "a task is cancelled by the hook that decorates it, and must not stay, and "
                       "the pool shuts down and wants none for later: it ends for one reason",
        .invariants = "[SCHEDULED-1] [SCHEDULED-2]",
        .attacks = {SCHEDULED, "bool unwanted = status == GP_OK && is_to_be_removed("},
        .broken_by = "schedule-ends-it-twice",
        .set_up = set_up_cancelling,
    },
    {
        .name = "periodic/cancel_against_close",
        .description = "the last task of a pool is cancelled while the pool is closed and waits "
                       "for it: cancel ends the pool, which may be freed before cancel returns",
        .invariants = "[SCHEDULED-5] [SCHEDULED-2] [LIFE-2]",
        .attacks = {TASK, "atomic_fetch_add_explicit(&scheduled->tasks, GP__NUMBER_AND_REFERENCE,"},
        .broken_by = "pool-reference-not-taken",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_far,
        .actors = {{"cancel", act_cancel}, {"close", act_close}},
        .arbiter = arbiter_of_last,
        .tear_down = periodic_tear_down,
        .slots = {{"cancel", {"lost", "won"}}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"cancel won, closed, all in order", ACCEPTABLE,
                 "the task keeps the pool's memory for as long as it is referred to", MUST_OCCUR},
            },
    },
    {
        .name = "periodic/release_against_close",
        .like = "periodic/cancel_against_close",
        .description = "the last task of a pool is cancelled, and its last handle given up, while "
                       "the pool is closed: whoever comes last frees what both have used",
        .invariants = "[SCHEDULED-5]",
        .attacks = {SCHEDULED, "if ((uint32_t)atomic_fetch_sub_explicit(&scheduled->tasks, 1"},
        .broken_by = "scheduled-release-relaxed",
        .actors = {{"cancel, release", act_cancel_and_release}, {"close", act_close}},
        .outcomes =
            {
                {"cancel won, closed, all in order", ACCEPTABLE, "freed by the one or by the other",
                 MUST_OCCUR},
            },
    },
    {
        .name = "periodic/policies_against_shutdown",
        .description = "what is to become of tasks after shutdown is changed while the pool shuts "
                       "down: one of the two looks after the other, and drops them",
        .invariants = "[SCHEDULED-3]",
        .attacks = {SCHEDULED, "if (atomic_exchange(&scheduled->continue_periodic, on) && !on &&"},
        .broken_by = "policy-misses-shutdown",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_both_kinds,
        .actors = {{"no more periodic", act_discontinue_periodic},
                   {"no more delayed", act_drop_delayed},
                   {"shutdown", act_shutdown}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_policies,
        .tear_down = periodic_tear_down,
        .slots = {{"hourly", {"stays", "dropped"}}, {"later", {"stays", "dropped"}}, {NULL, ENDS}},
        .outcomes =
            {
                {"hourly dropped, later dropped, closed", ACCEPTABLE,
                 "by shutdown, or by shutdown called once more", MUST_OCCUR},
                {"hourly stays", FORBIDDEN, "the pool does not end before it is due", MAY_OCCUR},
                {"later stays", FORBIDDEN, "likewise", MAY_OCCUR},
            },
    },
    SCENARIO_TWIN("periodic/schedule_against_shutdown", "periodic/schedule_against_shutdown_fast",
                  periodic_choose_fast),
    SCENARIO_TWIN("periodic/delayed_against_shutdown", "periodic/delayed_against_shutdown_fast",
                  periodic_choose_fast),
    SCENARIO_TWIN("periodic/cancelled_against_shutdown", "periodic/cancelled_against_shutdown_fast",
                  periodic_choose_fast),
    SCENARIO_TWIN("periodic/policies_against_shutdown", "periodic/policies_against_shutdown_fast",
                  periodic_choose_fast),
    {.name = NULL},
};
