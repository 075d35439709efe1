/*
 * Tasks that are put back after each run, while somebody ends the pool or the task.
 *
 * A scheduled pool has one way for all its tasks: through the queue. A periodic task is taken out,
 * run, given its next time, and put back by the worker that ran it. While it runs it is in no
 * queue: whoever ends the pool, changes a policy or cancels the task in that moment does not find
 * it. So the one who puts it back has to look after them [SCHEDULED-3]:
 *
 *        worker                        shutdown, or a change of policy
 *        run
 *        may it run again? yes
 *                                      SHUTDOWN; out of the queue with periodic tasks: none there
 *        offer
 *        may it run again? no: take it back, cancel it
 *
 *   Without the second look the task stays in the queue and holds up the end of the pool until it
 *   is due; without the cancel it is dropped, and who waits for its future waits for ever
 *   (JDK-8176254, JDK-8177632). The same with cancel under remove_on_cancel, where upstream still
 *   leaves the task in the queue [SCHEDULED-2].
 *
 *   The worker that puts a task back is itself there to run it again. But who rejects a task may
 *   run it too, and then a stranger puts it back, while the last worker leaves a pool that shuts
 *   down:
 *
 *        who rejects it                the last worker
 *        run                           the queue is empty, SHUTDOWN: leave
 *        may it run again? yes         nobody is left, the queue is still empty
 *        offer
 *        may it run again? yes
 *                                      TIDYING
 *        start a worker: refused. Take it back, cancel it
 *
 * Some of the tasks here are hourly. Where the worker runs them from the front and another thread
 * cancels them from the back, the two meet once in each iteration, wherever that is.
 */
#include "stress/periodic_support.h"
#include "stress/support.h"

#define SCHEDULED "impl/scheduled/scheduled.c"
#define TASK      "impl/scheduled/scheduled_task.c"

static void await_first_run(struct periodic_state *state)
{
    insist_on_get(state->ran);
}

/* ---- re-queue against shutdown ---- */

static bool set_up_ending(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.execute_delayed = random & 1; /* that is for others */
    state->chores[0].limit = 1000;
    return periodic_open(state, &config, random);
}

static void act_shutdown_after_a_run(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    await_first_run(state);
    gp_pool_shutdown(periodic_pool(state));
    insist_on_end(periodic_pool(state));
}

/* ---- going on after shutdown ---- */

static bool set_up_going_on(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    config.execute_delayed = random & 1; /* that is for others */
    state->chores[0].limit = 20;
    return periodic_open(state, &config, random);
}

/* ---- re-queue against shutdown_now ---- */

static bool set_up_stopping(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = random & 1; /* that is for shutdown */
    state->chores[0].limit = 1000;
    return periodic_open(state, &config, random);
}

static void act_stop_after_a_run(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;
    gp_task_list unrun;

    (void)outcome;
    await_first_run(state);
    gp_pool_shutdown_now(periodic_pool(state), &unrun);
    for (gp_task *task; (task = gp_task_list_pop(&unrun)) != NULL;) {
        if (state->random & 2)
            gp_task_run(task);
        else
            gp_task_discard(task);
    }
}

/* ---- cancel against re-queue ---- */

enum {
    HOURLY_RUNS,
    HOURLY_CLOSE,
    HOURLY_CHORES,
    QUIET
};

static void await_go(void *argument)
{
    struct periodic_state *state = argument;

    insist_on_get(state->gate);
}

/* The worker waits. */
static bool open_gated(struct periodic_state *state, gp_scheduled_config *config, uint64_t random)
{
    if (!periodic_new_signal(&state->gate))
        return false;
    if (!periodic_open(state, config, random)) {
        gp_future_release(state->gate);
        return false;
    }
    bool ready = gp_pool_execute(periodic_pool(state), await_go, state) == GP_OK;
    if (!ready)
        periodic_undo(state);
    return ready;
}

/* The worker waits, hourly tasks are due behind it. */
static bool open_gated_hourly(struct periodic_state *state, gp_scheduled_config *config,
                              uint64_t random)
{
    bool ready = open_gated(state, config, random);
    for (int i = 0; ready && i < CHORES; i++) {
        ready = chore_start(state, i, AN_HOUR) == GP_OK;
        if (!ready)
            periodic_undo(state);
    }
    return ready;
}

static bool set_up_removing(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.remove_on_cancel = true;
    return open_gated_hourly(argument, &config, random);
}

/* If a task were still queued, the pool would not be quiet for an hour; under virtual time that is
   a moment, too, so one has to look at the clock. */
static bool gets_quiet_soon(struct periodic_state *state)
{
    int64_t began = gp_now();

    return insist_on_quiet(periodic_pool(state)) == GP_OK &&
           gp_time_until(gp_now(), began) < GP_SECONDS(1800);
}

/* The worker goes through them from the front. */
static void act_cancel_from_the_back(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    await_first_run(state);
    for (int i = CHORES - 1; i >= 0; i--)
        gp_future_cancel(state->chores[i].future, false);
    outcome->slot[QUIET] = gets_quiet_soon(state);
}

static void act_go_and_get_all(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    gp_future_set(state->gate, NULL);
    for (int i = 0; i < CHORES; i++)
        chore_get(&state->chores[i]);
}

static void arbiter_of_hourly(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;
    int runs = 0;

    outcome->slot[HOURLY_CLOSE] = !periodic_close(state);
    for (int i = 0; i < CHORES; i++) {
        runs += state->chores[i].runs;
        if (chore_conduct(&state->chores[i]) != IN_ORDER || state->chores[i].runs > 1)
            outcome->slot[HOURLY_CHORES] = true;
    }
    outcome->slot[HOURLY_RUNS] = runs == CHORES;
}

/* ---- the policy changes after shutdown ---- */

/* Shut down, and going on. */
static bool set_up_shut_down(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    if (!open_gated_hourly(argument, &config, random))
        return false;
    gp_pool_shutdown(periodic_pool(argument));
    return true;
}

/* Each look takes the queue's lock for a while, so that the others have to wait for it. */
static void act_go_and_watch(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    gp_future_set(state->gate, NULL);
    for (int i = 0; i < 8; i++)
        gp_pool_check(periodic_pool(state));
    act_go_and_get_all(state, outcome);
}

static void act_discontinue(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    await_first_run(state);
    int64_t began = gp_now();
    gp_scheduled_set_continue_periodic(state->scheduled[0], false);
    insist_on_end(periodic_pool(state));
    outcome->slot[QUIET] = gp_time_until(gp_now(), began) < GP_SECONDS(1800);
}

/* ---- put back by who rejects it ---- */

static int run_it_here(void *context, gp_pool *pool, gp_task *task)
{
    (void)context;
    (void)pool;
    gp_task_run(task);
    return GP_OK;
}

/* Shut down, with one task to end. Of the chore's two runs a worker has to do the second. */
static bool set_up_rejecting(void *argument, uint64_t random)
{
    struct periodic_state *state = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    config.continue_periodic = true;
    config.rejection.reject = run_it_here;
    state->chores[0].limit = 2;
    if (!open_gated(state, &config, random))
        return false;
    gp_pool_shutdown(periodic_pool(state));
    return true;
}

static void act_go(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    (void)outcome;
    gp_future_set(state->gate, NULL);
}

/* ---- the family ---- */

const struct scenario periodic_requeue_races[] = {
    {
        .name = "periodic/requeue_against_shutdown",
        .description = "a periodic task runs and is put back while the pool shuts down: it ends, "
                       "and who waits for it is told",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, "if (!put_back(scheduled, task, element))"},
        .broken_by = "periodic-refused-requeue-uncancelled",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_ending,
        .actors = {{"schedule, get", act_chore_and_get}, {"shutdown", act_shutdown_after_a_run}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_chore,
        .tear_down = periodic_tear_down,
        .slots = {{"get gave", GOTTEN}, {NULL, ENDS}, {NULL, CONDUCTS}},
        .outcomes =
            {
                {"get gave a cancellation, closed, all in order", ACCEPTABLE,
                 "the shutdown has ended it, in the queue or after a run", MUST_OCCUR},
                {"get gave a failure, closed, all in order", INTERESTING,
                 "it had all its runs before the shutdown came", MAY_OCCUR},
                {"get gave nothing, closed, all in order", INTERESTING,
                 "rejected, although a quick worker had already run it", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/continue_against_shutdown",
        .like = "periodic/requeue_against_shutdown",
        .description = "a periodic task runs and is put back while the pool shuts down, with the "
                       "policy to go on: it has all its runs",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3] [LIFE-1]",
        .attacks = {TASK, "return !gp_scheduled_continue_periodic(scheduled);"},
        .broken_by = "periodic-kept-by-wrong-policy",
        .set_up = set_up_going_on,
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "it went on until its last run failed", MUST_OCCUR},
                {"get gave a cancellation", FORBIDDEN, "the policy says that it goes on",
                 MAY_OCCUR},
            },
    },
    {
        .name = "periodic/shutdown_now_against_run",
        .like = "periodic/requeue_against_shutdown",
        .description = "a pool is stopped while its periodic task runs, is put back or waits: the "
                       "task is not put back, or is handed back, and who waits for it is told",
        .attacks = {SCHEDULED, "if (gp__at_least(ctl, GP__STOP))"},
        .broken_by = "periodic-requeued-after-stop",
        .set_up = set_up_stopping,
        .actors = {{"schedule, get", act_chore_and_get}, {"shutdown_now", act_stop_after_a_run}},
        .outcomes =
            {
                {"get gave a cancellation, closed, all in order", ACCEPTABLE,
                 "the stop has ended it", MUST_OCCUR},
                {"get gave a failure, closed, all in order", INTERESTING,
                 "it had all its runs before the stop came", MAY_OCCUR},
                {"get gave nothing, closed, all in order", INTERESTING,
                 "rejected, although a quick worker had already run it", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/cancel_against_requeue",
        .description = "hourly tasks are run from the front and cancelled from the back: one that "
                       "is cancelled as its run ends does not stay in the queue for the hour",
        .invariants = "[SCHEDULED-2]",
        .attacks = {SCHEDULED, "!is_to_be_removed(scheduled, task) && gp__ensure_prestart"},
        .broken_by = "periodic-cancelled-task-requeued",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_removing,
        .actors = {{"cancel", act_cancel_from_the_back}, {"get", act_go_and_get_all}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_hourly,
        .tear_down = periodic_tear_down,
        .slots = {{"runs", {"some", "all"}},
                  {NULL, ENDS},
                  {"tasks", {"ended once each", "not ended once each"}},
                  {"then", {"there was trouble", "all was quiet"}}},
        .outcomes =
            {
                {"runs some, closed, tasks ended once each, then all was quiet", ACCEPTABLE,
                 "they met half-way; who came second took the task out", MUST_OCCUR},
                {"runs all, closed, tasks ended once each, then all was quiet", ACCEPTABLE,
                 "the canceller was slow", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/discontinue_against_requeue",
        .description = "the policy to go on after shutdown is withdrawn while hourly tasks run and "
                       "are put back: none holds up the end of the pool for the hour",
        .invariants = "[SCHEDULED-1] [SCHEDULED-3]",
        .attacks = {SCHEDULED, "bool wanted = gp__can_run_in_current_run_state(scheduled, task)"},
        .broken_by = "policy-unchecked-after-requeue",
        .state_size = sizeof(struct periodic_state),
        .set_up = set_up_shut_down,
        .actors = {{"withdraw the policy", act_discontinue}, {"watch, get", act_go_and_watch}},
        .invariant = periodic_invariant,
        .arbiter = arbiter_of_hourly,
        .tear_down = periodic_tear_down,
        .slots = {{"runs", {"some", "all"}},
                  {NULL, ENDS},
                  {"tasks", {"ended once each", "not ended once each"}},
                  {"the pool ended", {"after the hour", "soon"}}},
        .outcomes =
            {
                {"runs some, closed, tasks ended once each, the pool ended soon", ACCEPTABLE,
                 "one was being run, the others were found in the queue", MUST_OCCUR},
                {"runs all, closed, tasks ended once each, the pool ended soon", ACCEPTABLE,
                 "the policy was withdrawn late", MAY_OCCUR},
            },
    },
    {
        .name = "periodic/rejected_against_last_worker",
        .like = "periodic/requeue_against_shutdown",
        .description = "a periodic task is rejected by a pool that shuts down, run by who rejects "
                       "it, and put back: there is a worker for its next run, or it ends",
        .attacks = {SCHEDULED, "!is_to_be_removed(scheduled, task) && gp__ensure_prestart(pool)"},
        .broken_by = "requeue-by-stranger-unattended",
        .set_up = set_up_rejecting,
        .actors = {{"schedule, get", act_chore_and_get}, {"the last task ends", act_go}},
        .outcomes =
            {
                {"get gave a failure, closed, all in order", ACCEPTABLE,
                 "there was a worker for its last run", MUST_OCCUR},
                {"get gave a cancellation, closed, all in order", ACCEPTABLE,
                 "the pool had ended, before its run or after it; or there was no memory for it, "
                 "or no thread",
                 MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("periodic/requeue_against_shutdown", "periodic/requeue_against_shutdown_fast",
                  periodic_choose_fast),
    SCENARIO_TWIN("periodic/cancel_against_requeue", "periodic/cancel_against_requeue_fast",
                  periodic_choose_fast),
    SCENARIO_TWIN("periodic/continue_against_shutdown", "periodic/continue_against_shutdown_fast",
                  periodic_choose_fast),
    {.name = NULL},
};
