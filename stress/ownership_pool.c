/*
 * What becomes of a task that a pool has taken over.
 *
 * It is run, or cancelled, or removed, or purged, or handed back by shutdown_now, or rejected, or
 * dropped in favour of a later one. Each of these is somebody's decision, and several may be made
 * at the same time: a worker takes the task while its maker cancels it and another shuts the pool
 * down. Exactly one place owns the task at any moment [TASK-1]: the queue, or whoever has taken it
 * out. So the question "who ends it?" is always the question "who got it out of the queue?", and
 * the queue's lock answers it. What remains to be got wrong:
 *
 *   Deciding before asking. remove that cancels first, and then finds that a worker has the task,
 *   has cancelled what it could not remove.
 *
 *   Rejecting what one has not got. execute that finds the pool shut down after it has queued the
 *   task rejects it, if it can take it back. If not, a worker has it, and the answer is that it was
 *   accepted.
 *
 *   Taking out and forgetting. Who took a task out has to end it, even if there seems to be nothing
 *   left to do because it is cancelled: its argument waits for its destructor, and whoever holds a
 *   handle may keep it for long. Java's discarding policies leave the future open for ever.
 *
 * A task that goes on, the periodic one, is in ownership_pool_periodic.c.
 *
 * Each job's argument counts what is done to it (ownership_support.h). The arbiter closes the pool,
 * and only then looks: all arguments have to be destroyed while the handles are still there.
 */
#include <glasspool/future.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "stress/answer.h"
#include "stress/ownership_support.h"
#include "stress/scenarios.h"

#define FUTURE    "impl/future/future.c"
#define POOL      "impl/pool/pool.c"
#define REJECTION "impl/pool/rejection.c"

enum {
    JOBS = 4
};

struct job {
    gp_future *future; /* a handle */
    int accepted;      /* by execute */
    struct argument argument;
};

struct state {
    gp_pool *pool;
    int count; /* of jobs */
    struct job jobs[JOBS];
};

static int call(void *argument, void **result)
{
    struct job *job = argument;

    argument_enter(&job->argument);
    *result = job;
    argument_leave(&job->argument);
    return 0;
}

static void destroy(void *argument)
{
    struct job *job = argument;

    argument_destroy(&job->argument);
}

/* ---- a pool and its jobs ---- */

static void release_jobs(struct state *state)
{
    for (int i = 0; i < state->count; i++)
        gp_future_release(state->jobs[i].future);
}

/* If there was no race, nobody has used up the jobs. */
static void tear_down(void *argument)
{
    struct state *state = argument;

    if (state->pool) {
        release_jobs(state);
        gp_pool_close(state->pool);
    }
    release_jobs(state);
}

static bool make_jobs(struct state *state, int count)
{
    for (; state->count < count; state->count++) {
        struct job *job = &state->jobs[state->count];
        const gp_callable callable = {.call = call, .argument = job, .destroy = destroy};
        if (gp_future_new(&callable, &job->future) != GP_OK)
            return false;
        gp_future_retain(job->future); /* ours; the other one goes to the pool */
    }
    return true;
}

/* One worker, which is there already: it takes as long to start as all the rest together. */
static bool set_up_pool(struct state *state, gp_queue *queue, gp_reject_fn *reject, int count)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.queue = queue;
    config.rejection.reject = reject;
    if (gp_pool_new(&config, &state->pool) != GP_OK) {
        if (queue)
            gp_queue_free(queue);
        return false;
    }
    gp_pool_prestart_core(state->pool);
    if (make_jobs(state, count))
        return true;
    tear_down(state);
    return false;
}

static bool set_up(void *argument, uint64_t random)
{
    return set_up_pool(argument, NULL, gp_reject_abort, 2 + (int)(random & 1));
}

/* Room for one beside the running one, and the oldest has to give way. */
static bool set_up_narrow(void *argument, uint64_t random)
{
    gp_queue *queue;

    (void)random;
    return gp_linked_new(1, &queue) == GP_OK &&
           set_up_pool(argument, queue, gp_reject_discard_oldest, JOBS);
}

static struct job *last_job(struct state *state)
{
    return &state->jobs[state->count - 1];
}

static void execute_all(struct state *state)
{
    for (int i = 0; i < state->count; i++) {
        gp_task *task = gp_future_task(state->jobs[i].future);
        int status = gp_pool_execute_task(state->pool, task);
        state->jobs[i].accepted = status == GP_OK;
        if (status != GP_OK && status != GP_EREJECTED)
            gp_task_discard(task);
    }
}

static void close_pool(struct state *state)
{
    gp_pool_close(state->pool);
    state->pool = NULL;
}

/* ---- what became of a job, as values of slots ---- */

/* Of all but the last: destroyed once, or the first that was not. */
static unsigned char ending_of_others(const struct state *state)
{
    for (int i = 0; i < state->count - 1; i++)
        if (argument_ending(&state->jobs[i].argument) != ONCE)
            return argument_ending(&state->jobs[i].argument);
    return ONCE;
}

/* The pool has ended: a future that is not done will never be. */
static unsigned char ask(const struct job *job)
{
    void *result = NULL;

    if (!gp_future_is_done(job->future))
        return NO_ANSWER;
    int status = gp_future_get(job->future, &result);
    return answer_of(status, result == job);
}

enum {
    ENDER, /* what the one said who wanted to end the last job */
    CALLED,
    GET,
    ARGUMENT,
    OTHERS,
    LISTED
};

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    close_pool(state);
    outcome->slot[CALLED] = (unsigned char)last_job(state)->argument.runs;
    outcome->slot[GET] = ask(last_job(state));
    outcome->slot[ARGUMENT] = argument_ending(&last_job(state)->argument);
    outcome->slot[OTHERS] = ending_of_others(state);
}

static void arbiter_of_execute(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter(state, outcome);
    outcome->slot[ENDER] = (unsigned char)last_job(state)->accepted;
}

static void act_execute(void *argument, struct outcome *outcome)
{
    (void)outcome;
    execute_all(argument);
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ENDER] = gp_future_cancel(last_job(state)->future, false);
}

static void act_remove(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ENDER] = gp_pool_remove(state->pool, last_job(state)->future);
}

static void act_purge(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_purge(state->pool);
}

static void act_shut_down_now(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task_list unrun;

    gp_pool_shutdown_now(state->pool, &unrun);
    for (gp_task *task; (task = gp_task_list_pop(&unrun)) != NULL; gp_task_discard(task))
        if (gp_task_future(task) == last_job(state)->future)
            outcome->slot[LISTED] = true;
}

static void act_shut_down(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
}

/* ---- rejected, or dropped for a later one ---- */

enum {
    RAN,
    DROPPED,
    REJECTED,
    ALL
};

static void arbiter_counts(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    close_pool(state);
    outcome->slot[ALL] = ONCE;
    for (int i = 0; i < state->count; i++) {
        const struct job *job = &state->jobs[i];
        unsigned char answer = ask(job);
        if (argument_ending(&job->argument) != ONCE)
            outcome->slot[ALL] = argument_ending(&job->argument);
        if (job->argument.runs == 1 && job->accepted && answer == THE_RESULT)
            outcome->slot[RAN] = true;
        else if (job->argument.runs == 0 && answer == CANCELLATION)
            outcome->slot[job->accepted ? DROPPED : REJECTED] = true;
        else
            outcome->slot[ALL] = MISTOLD;
    }
}

/* ---- the family ---- */

const struct scenario ownership_pool_races[] = {
    {
        .name = "ownership_pool/cancel_against_shutdown_now",
        .description = "a job is cancelled while a worker may take it and shutdown_now may hand it "
                       "back: whoever ends it, its argument is destroyed once, and at once",
        .invariants = "[TASK-1] [TASK-2] [FUTURE-5]",
        .attacks = {FUTURE, "gp__future_give_up_callable(future);"},
        .broken_by = "cancelled-not-given-up",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"execute", act_execute},
                   {"cancel", act_cancel},
                   {"shutdown_now", act_shut_down_now}},
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"callable", {"not called", "called"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS},
                  {"others", ENDINGS},
                  {"handed back", {"no", "yes"}}},
        .outcomes =
            {
                {"callable called, handed back yes", FORBIDDEN, "it had two owners", MAY_OCCUR},
                {"cancel won, callable not called, get a cancellation, argument destroyed once, "
                 "others destroyed once, handed back yes",
                 ACCEPTABLE, "cancelled in the queue, and discarded all the same", MUST_OCCUR},
                {"cancel lost, callable not called, get a cancellation, argument destroyed once, "
                 "others destroyed once, handed back yes",
                 ACCEPTABLE, "discarded before it could be cancelled", MAY_OCCUR},
                {"cancel won, callable not called, get a cancellation, argument destroyed once, "
                 "others destroyed once, handed back no",
                 ACCEPTABLE, "the worker had it, or the pool rejected it", MUST_OCCUR},
                {"cancel lost, callable not called, get a cancellation, argument destroyed once, "
                 "others destroyed once, handed back no",
                 ACCEPTABLE, "rejected before it could be cancelled", MAY_OCCUR},
                {"cancel won, callable called, get a cancellation, argument destroyed once, others "
                 "destroyed once, handed back no",
                 ACCEPTABLE, "cancelled during the call", MAY_OCCUR},
                {"cancel lost, callable called, get the result, argument destroyed once, others "
                 "destroyed once, handed back no",
                 ACCEPTABLE, "the run was over first", MAY_OCCUR},
            },
    },
    {
        .name = "ownership_pool/remove_against_worker",
        .description = "a job is removed while the worker may take it: removed means not run and "
                       "cancelled, not removed means nothing has happened to it",
        .invariants = "[TASK-1] [TASK-2]",
        .attacks = {POOL, "if (gp__queue_remove(pool->queue, task) != GP_OK)"},
        .broken_by = "cancel-before-remove",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"execute", act_execute}, {"remove", act_remove}},
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"remove", {"failed", "succeeded"}},
                  {"callable", {"not called", "called"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS},
                  {"others", ENDINGS}},
        .outcomes =
            {
                {"remove succeeded, callable not called, get a cancellation, argument destroyed "
                 "once, others destroyed once",
                 ACCEPTABLE, "it was in the queue", MUST_OCCUR},
                {"remove failed, callable called, get the result, argument destroyed once, others "
                 "destroyed once",
                 ACCEPTABLE, "not there yet, or the worker had it", MUST_OCCUR},
                {"remove failed, get a cancellation", FORBIDDEN,
                 "cancelled, though it was not removed", MAY_OCCUR},
            },
    },
    {
        .name = "ownership_pool/purge_against_worker",
        .description = "a job is cancelled, and purge and the worker both look for it: the one who "
                       "gets it out of the queue ends it",
        .invariants = "[TASK-1] [TASK-2]",
        .attacks = {POOL, "gp_task_list_discard(&cancelled);"},
        .broken_by = "purged-and-forgotten",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"execute", act_execute}, {"cancel", act_cancel}, {"purge", act_purge}},
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"callable", {"not called", "called"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS},
                  {"others", ENDINGS}},
        .outcomes =
            {
                {"cancel won, callable not called, get a cancellation, argument destroyed once, "
                 "others destroyed once",
                 ACCEPTABLE, "ended by purge or by the worker", MUST_OCCUR},
                {"cancel won, callable called, get a cancellation, argument destroyed once, others "
                 "destroyed once",
                 ACCEPTABLE, "cancelled during the call", MAY_OCCUR},
                {"cancel lost, callable called, get the result, argument destroyed once, others "
                 "destroyed once",
                 ACCEPTABLE, "the run was over first", MAY_OCCUR},
                {"argument never destroyed", FORBIDDEN, "taken out, and forgotten", MAY_OCCUR},
            },
    },
    {
        .name = "ownership_pool/execute_against_shutdown",
        .description = "jobs come while the pool is shut down: accepted means that it is run, "
                       "rejected that it is not and is used up",
        .invariants = "[POOL-1] [TASK-1] [TASK-2]",
        .attacks = {POOL, "if (!gp__is_running(gp__pool_load_ctl(pool))"},
        .broken_by = "reject-without-taking-back",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"execute", act_execute}, {"shutdown", act_shut_down}},
        .arbiter = arbiter_of_execute,
        .tear_down = tear_down,
        .slots = {{"execute", {"rejected it", "accepted it"}},
                  {"callable", {"not called", "called"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS},
                  {"others", ENDINGS}},
        .outcomes =
            {
                {"execute accepted it, callable called, get the result, argument destroyed once, "
                 "others destroyed once",
                 ACCEPTABLE, "shut down after it had been queued", MUST_OCCUR},
                {"execute rejected it, callable not called, get a cancellation, argument destroyed "
                 "once, others destroyed once",
                 ACCEPTABLE, "shut down before", MUST_OCCUR},
            },
    },
    {
        .name = "ownership_pool/discard_oldest_against_worker",
        .description = "each job that finds the queue full drops the one before it, which the "
                       "worker may be taking, while the pool is shut down: each is ended, once",
        .invariants = "[TASK-1] [TASK-2] [LIFE-2]",
        .attacks = {REJECTION, "gp_task_discard(oldest);"},
        .broken_by = "oldest-dropped-not-discarded",
        .state_size = sizeof(struct state),
        .set_up = set_up_narrow,
        .actors = {{"execute", act_execute}, {"shutdown", act_shut_down}},
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"run", {"none", "some"}},
                  {"dropped", {"none", "some"}},
                  {"rejected", {"none", "some"}},
                  {"each argument", ENDINGS}},
        .outcomes =
            {
                {"run some, dropped some, rejected none, each argument destroyed once", ACCEPTABLE,
                 "the shutdown came late", MUST_OCCUR},
                {"run some, dropped some, rejected some, each argument destroyed once", ACCEPTABLE,
                 "the shutdown came in the middle", MAY_OCCUR},
                {"run none, dropped some, rejected some, each argument destroyed once", INTERESTING,
                 "dropped for one that was rejected then", MAY_OCCUR},
                {"dropped none, rejected some, each argument destroyed once, ...", ACCEPTABLE,
                 "the shutdown came early", MUST_OCCUR},
                {"run some, dropped none, rejected none, each argument destroyed once", ACCEPTABLE,
                 "the worker was quick", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
