/*
 * The end of triggered tasks and of their pool, and the beginning and end of the watch.
 *
 * A look that takes a task out to have it asked may be the last to have it: when the pool is shut
 * down meanwhile, who puts it back has to see that [SCHEDULED-3]; when the trigger has no further
 * time, who waits for the end of the pool has to be told, for no worker has seen the task go:
 *
 *        look                                    worker
 *                                                waits for the task, an hour yet
 *        take it out, ask: never; discard it
 *        tell the pool [LIFE-2]                  interrupted: shut down, nothing queued: leaves
 *
 * The watch ends with the last triggered task [WATCH-1], and so each task has to be counted off
 * once. Two may want to: who cancels it, since it may yet stay in the queue for long, and who has
 * run it and drops it. It takes one step to find out who is first:
 *
 *        cancel                                  worker
 *        counted off? not yet                    counted off? not yet
 *        one task less                           one task less
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#include "stress/support.h"

#define SCHEDULED "impl/scheduled/scheduled.c"
#define TASK      "impl/scheduled/scheduled_task.c"
#define TRIGGER   "impl/scheduled/trigger.c"
#define WATCH     "impl/scheduled/watch.c"

enum {
    COUNT = 0,
    SOON = 3
};

static int ended(const struct trigger_state *state)
{
    int count = 0;

    for (int i = 0; i < ERRANDS; i++)
        count += gp_future_is_cancelled(state->errands[i].future);
    return count;
}

static void act_step_and_look(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    trigger_step(state, 2 * AN_HOUR);
    gp__watch_look(state->scheduled);
}

/* ---- a look against shutdown ---- */

static bool set_up_skipping(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    return trigger_open_idle(argument, &config, random, GP_MISSED_SKIP, AN_HOUR, 3 * AN_HOUR);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    int64_t began = gp_now();

    gp_pool_shutdown(trigger_pool(state));
    insist_on_end(trigger_pool(state));
    outcome->slot[SOON] = gp_time_until(gp_now(), began) < AN_HOUR / 2;
}

static void arbiter_of_ended(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    outcome->slot[COUNT] = trigger_how_many(ended(state));
    trigger_end(state, outcome);
}

/* ---- a look against shutdown_now ---- */

enum {
    HANDED_BACK_RAN = SOON
};

static void act_stop_and_run(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    gp_task_list unrun;
    bool ran = true;

    while (!gp_thread_self()) /* without a record nobody can run anything */
        continue;
    gp_pool_shutdown_now(trigger_pool(state), &unrun);
    outcome->slot[COUNT] = trigger_how_many((int)unrun.count);
    for (gp_task *task; (task = gp_task_list_pop(&unrun)) != NULL;) {
        struct errand *errand = gp_task_argument(task);
        gp_task_run(task);
        ran = ran && errand->runs == 1;
    }
    outcome->slot[HANDED_BACK_RAN] = ran;
}

static void arbiter_of_stopped(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    if (ended(state) != ERRANDS)
        outcome->slot[HANDED_BACK_RAN] = false;
    trigger_end(state, outcome);
}

/* ---- a look that ends the last task ---- */

static bool set_up_last(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    for (int i = 0; i < ERRANDS; i++)
        state->errands[i].ends = true;
    return trigger_open_idle(state, &config, random, GP_MISSED_SKIP, AN_HOUR, -1);
}

/* ---- the first task against the end of the last ---- */

static bool set_up_one(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    state->watched = true;
    if (!trigger_open(state, &config, random))
        return false;
    for (int i = 0; i < 2; i++)
        state->errands[i].delays[0] = AN_HOUR;
    errand_start(state, 0, NULL);
    return state->errands[0].status == GP_OK || trigger_undo(state);
}

static void act_end_the_last(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    gp_future_cancel(state->errands[0].future, false);
}

static void act_start_the_first(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    errand_start(state, 1, NULL);
}

static void arbiter_of_watch(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    outcome->slot[COUNT] = gp__watch_check(state->scheduled) != 0;
    trigger_end(state, outcome);
}

/* ---- cancelled while it runs, for the last time ---- */

static bool set_up_last_run(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    state->watched = true;
    if (!trigger_open(state, &config, random))
        return false;
    state->errands[0].delays[1] = -1;
    state->errands[0].ends = true;
    errand_start(state, 0, NULL);
    return state->errands[0].status == GP_OK || trigger_undo(state);
}

static void act_await_quiet(void *argument, struct outcome *outcome)
{
    (void)outcome;
    insist_on_quiet(trigger_pool(argument));
}

/* ---- scheduling against shutdown ---- */

static bool set_up_empty(void *argument, uint64_t random)
{
    struct trigger_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    for (int i = 0; i < ERRANDS; i++)
        state->errands[i].delays[0] = random >> i & 1 ? 0 : AN_HOUR;
    return trigger_open(state, &config, random);
}

static void act_schedule_all(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    int taken = 0;

    for (int i = 0; i < ERRANDS; i++) {
        errand_start(state, i, NULL);
        taken += state->errands[i].status == GP_OK;
    }
    outcome->slot[COUNT] = trigger_how_many(taken);
}

static void act_end_it(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;

    (void)outcome;
    if (state->random >> 16 & 1)
        gp_pool_shutdown(trigger_pool(state));
    else
        gp_pool_shutdown_now(trigger_pool(state), NULL);
}

static void arbiter_of_destroyed(void *argument, struct outcome *outcome)
{
    trigger_end(argument, outcome);
}

/* ---- the family ---- */

const struct scenario trigger_end_races[] = {
    {
        .name = "trigger/look_against_shutdown",
        .description = "tasks whose time was jumped over are taken out, asked and put back while "
                       "the pool shuts down: all end, and none holds up the end of the pool",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, "bool wanted = gp__can_run_in_current_run_state(scheduled, task)"},
        .broken_by = "policy-unchecked-after-requeue",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_skipping,
        .actors = {{"step, look", act_step_and_look}, {"shutdown", act_shutdown}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_ended,
        .tear_down = trigger_tear_down,
        .slots = {{"ended", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"the pool ended", {"after the hour", "soon"}}},
        .outcomes =
            {
                {"ended all, closed, all in order, the pool ended soon", ACCEPTABLE,
                 "by the shutdown in the queue, or by who was about to put it there", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/look_against_shutdown_now",
        .description = "a pool is stopped while tasks are taken out, asked and put back: what is "
                       "handed back can be run, long before its time, and the rest has ended",
        .invariants = "[SCHEDULED-1] [TRIGGER-5]",
        .attacks = {TASK, "triggered_of(task) == NULL || !gp__is_worker_of("},
        .broken_by = "handed-back-put-off",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_skipping,
        .actors = {{"step, look", act_step_and_look}, {"stop, run", act_stop_and_run}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_stopped,
        .tear_down = trigger_tear_down,
        .slots = {{"handed back", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"then", {"one was lost", "these ran and the rest ended"}}},
        .outcomes =
            {
                {"handed back all, closed, all in order, then these ran and the rest ended",
                 ACCEPTABLE, "none was out", MUST_OCCUR},
                {"handed back some, closed, all in order, then these ran and the rest ended",
                 ACCEPTABLE, "some were out, and not put back", MAY_OCCUR},
                {"handed back none, closed, all in order, then these ran and the rest ended",
                 ACCEPTABLE, "all were out", MAY_OCCUR},
            },
    },
    {
        .name = "trigger/last_look_against_shutdown",
        .description = "a look ends the last tasks of a pool that shuts down and goes on with "
                       "periodic ones: the pool ends",
        .invariants = "[LIFE-2]",
        .attacks = {WATCH, "gp__pool_tasks_removed(&scheduled->pool);"},
        .broken_by = "last-look-tells-nobody",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_last,
        .actors = {{"step, look", act_step_and_look}, {"shutdown", act_shutdown}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_ended,
        .tear_down = trigger_tear_down,
        .slots = {{"ended", HOW_MANY},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS},
                  {"the pool ended", {"after the hour", "soon"}}},
        .outcomes =
            {
                {"ended all, closed, all in order, the pool ended soon", ACCEPTABLE,
                 "whoever was last has told the worker", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/first_against_last",
        .description = "the last triggered task ends while another is scheduled: the watch is kept "
                       "as long as there is one",
        .invariants = "[WATCH-1]",
        .attacks = {WATCH, "if (--scheduled->watch.tasks == 0)"},
        .broken_by = "watch-ends-one-early",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_one,
        .actors = {{"cancel", act_end_the_last}, {"schedule", act_start_the_first}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_watch,
        .tear_down = trigger_tear_down,
        .slots = {{"the watch", {"is kept", "is wrong"}}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"the watch is kept, closed, all in order", ACCEPTABLE,
                 "it went on, or was ended and begun again", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/cancel_against_last_run",
        .like = "trigger/first_against_last",
        .description = "the only triggered task is cancelled while it runs for the last time: it "
                       "is counted off once, and the watch ends",
        .attacks = {TRIGGER, "atomic_exchange_explicit(&self->unwatched, true"},
        .broken_by = "triggered-counted-off-twice",
        .set_up = set_up_last_run,
        .actors = {{"cancel", act_end_the_last}, {"await", act_await_quiet}},
        .outcomes =
            {
                {"the watch is kept, closed, all in order", ACCEPTABLE,
                 "whoever was first has counted it off", MUST_OCCUR},
            },
    },
    {
        .name = "trigger/schedule_against_shutdown",
        .description = "tasks are scheduled while the pool is ended: trigger and argument of each "
                       "are destroyed once, whether it was taken or rejected",
        .invariants = "[SCHEDULED-1] [TRIGGER-6]",
        .attacks = {TRIGGER, "gp_trigger_discard(&self->trigger); /* [TRIGGER-6] */"},
        .broken_by = "unrun-trigger-leaked",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up_empty,
        .actors = {{"schedule", act_schedule_all}, {"end it", act_end_it}},
        .invariant = trigger_invariant,
        .arbiter = arbiter_of_destroyed,
        .tear_down = trigger_tear_down,
        .slots = {{"taken", HOW_MANY}, {NULL, ENDS}, {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"taken some, closed, all in order", ACCEPTABLE, "the end came in between",
                 MUST_OCCUR},
                {"taken all, closed, all in order", ACCEPTABLE, "the end came late", MAY_OCCUR},
                {"taken none, closed, all in order", ACCEPTABLE, "the end came early", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
