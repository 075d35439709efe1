/*
 * Those who wait for several tasks at once.
 *
 *   Until one succeeds. The tasks of invoke_any report to a meeting point. Of two that succeed at
 *   the same time one is the answer; the report of the other may come when the caller has left, and
 *   still finds the meeting point [INVOKE-2].
 *
 *   And the rest is ended. However such a call returns, with an answer, because its time is up or
 *   because its caller was interrupted, no task of it is left to run for nobody [INVOKE-1]. Here
 *   one task is patient: it waits for a gate that in most scenarios nobody opens, and only an
 *   interrupt ends its run. If the call forgets it, it keeps its worker, and the pool never ends:
 *
 *        caller                        worker
 *        invoke_any: wait              the patient one: wait for the gate
 *        interrupted, or answered
 *        cancel(true) each             interrupted: leave
 *        return
 */
#include "stress/pool_ctl_support.h"
#include "stress/support.h"
#include "stress/victim.h"

#define SUBMIT "impl/pool/submit.c"

enum {
    TWO = 2 /* tasks, and a worker for each */
};

struct state {
    struct pool_state base;
    struct victim victim; /* the caller */
    gp_future *gate;      /* what the patient one waits for */
};

/* ---- two succeed at once ---- */

enum {
    ONE_GOT,
    OTHER_GOT,
    INVOKED,
    INVOKE_CLOSE
};

static bool set_up_core_2(void *argument, uint64_t random)
{
    return ctl_open(argument, 2, random);
}

static unsigned char invoke_any(struct pool_state *state, struct job *jobs)
{
    const gp_callable callables[] = {job_callable(&jobs[0]), job_callable(&jobs[1])};
    void *result = NULL;
    int status = gp_pool_invoke_any(state->pool, callables, 2, GP_FOREVER, &result);

    if (status != GP_OK)
        return 3;
    return result == &jobs[0] ? 1 : result == &jobs[1] ? 2 : 3;
}

static void act_invoke_one(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[ONE_GOT] = invoke_any(state, &state->jobs[0]);
}

static void act_invoke_other(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[OTHER_GOT] = invoke_any(state, &state->jobs[2]);
}

static void arbiter_of_invoked(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[INVOKE_CLOSE] = !pool_end(&state->pool);
    for (int i = 0; i < 4; i++)
        if (state->jobs[i].runs > 1 || state->jobs[i].ends != 1)
            outcome->slot[INVOKED] = 1;
}

/* ---- the patient one ---- */

enum {
    CALL,
    UNENDED,
    PATIENT_CLOSE,
    UNDONE /* when the call returned */
};

/* How a call returned. */
enum returned {
    WITH_TROUBLE,
    WITH_ANSWER,
    INTERRUPTED,
    TIMED_OUT
};

#define RETURNS                                                                  \
    {                                                                            \
        "had trouble", "gave its answer", "was interrupted", "came to its limit" \
    }

static void wait_for_gate(void *context)
{
    gp_future_get(context, NULL);
}

static int fail(void *argument, void **result)
{
    struct job *job = argument;

    (void)result;
    job->runs++;
    return 1;
}

static void tear_down_patient(void *argument)
{
    struct state *state = argument;

    pool_tear_down(&state->base);
    gp_future_release(state->gate);
}

/* Two workers, there already, and a patient job. */
static bool set_up_patient(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    if (gp_future_new(&nothing, &state->gate) != GP_OK || !ctl_open(&state->base, TWO, random)) {
        tear_down_patient(state);
        return false;
    }
    state->base.jobs[0].body = wait_for_gate;
    state->base.jobs[0].context = state->gate;
    gp_pool_prestart_all_core(state->base.pool);
    return true;
}

static unsigned char returned(int status)
{
    return status == GP_OK             ? WITH_ANSWER
           : status == GP_EINTERRUPTED ? INTERRUPTED
           : status == GP_ETIMEDOUT    ? TIMED_OUT
                                       : WITH_TROUBLE;
}

/* The patient one and one that succeeds, in either order. */
static void act_invoke_any(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    struct job *jobs = state->base.jobs;
    int first = (int)(state->base.random & 1);
    const gp_callable callables[TWO] = {job_callable(&jobs[first]), job_callable(&jobs[!first])};

    victim_stand(&state->victim);
    outcome->slot[CALL] =
        returned(gp_pool_invoke_any(state->base.pool, callables, TWO, GP_FOREVER, NULL));
    victim_leave(&state->victim);
}

/* The patient one and one that fails. */
static int invoke_all(struct state *state, int64_t nanos, struct outcome *outcome)
{
    struct job *jobs = state->base.jobs;
    gp_callable callables[TWO] = {job_callable(&jobs[1]), job_callable(&jobs[0])};
    gp_future *futures[TWO] = {NULL, NULL};

    callables[0].call = fail;
    int status = gp_pool_invoke_all(state->base.pool, callables, TWO, nanos, futures);
    for (int i = 0; i < TWO; i++) {
        if (futures[i] && !gp_future_is_done(futures[i]))
            outcome->slot[UNDONE] = true;
        gp_future_release(futures[i]);
    }
    return status;
}

static void act_invoke_all(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    victim_stand(&state->victim);
    outcome->slot[CALL] = returned(invoke_all(state, GP_FOREVER, outcome));
    victim_leave(&state->victim);
}

static void act_invoke_all_timed(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int64_t limit = GP_MICROSECONDS(1) << state->base.random % 12;

    outcome->slot[CALL] = returned(invoke_all(state, limit, outcome));
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    victim_interrupt(&state->victim);
}

static void act_open_gate(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_set(state->gate, NULL);
}

static void arbiter_of_patient(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    outcome->slot[PATIENT_CLOSE] = !pool_end(&state->pool);
    for (int i = 0; i < TWO; i++)
        if (state->jobs[i].runs > 1 || state->jobs[i].ends != 1)
            outcome->slot[UNENDED] = true;
}

/* ---- the family ---- */

const struct scenario pool_ctl_invoke_races[] = {
    {
        .name = "pool_ctl/invoke_any",
        .description = "two tasks of one call succeed at once, on two workers: one of them is the "
                       "answer, and the meeting point outlives both reports",
        .invariants = "[INVOKE-2]",
        .attacks = {SUBMIT, "if (meeting->winner == NULL && gp_future_state_of(future)"},
        .broken_by = "invoke-any-second-winner",
        .state_size = sizeof(struct pool_state),
        .set_up = set_up_core_2,
        .actors = {{"invoke_any", act_invoke_one}, {"invoke_any", act_invoke_other}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_invoked,
        .tear_down = pool_tear_down,
        .slots = {{"one got", {"nothing", "the first", "the second", "nonsense"}},
                  {"the other", {"nothing", "the first", "the second", "nonsense"}},
                  {"tasks", {"ended once each", "not ended once each"}},
                  {NULL, ENDS}},
        .outcomes =
            {
                {"one got nonsense", FORBIDDEN, "the answer is none of the two", MAY_OCCUR},
                {"one got nothing", FORBIDDEN, "both tasks succeed", MAY_OCCUR},
                {"the other nonsense", FORBIDDEN, "the answer is none of the two", MAY_OCCUR},
                {"the other nothing", FORBIDDEN, "both tasks succeed", MAY_OCCUR},
                {"one got the first, tasks ended once each, closed, ...", ACCEPTABLE,
                 "it reported first", MUST_OCCUR},
                {"one got the second, tasks ended once each, closed, ...", ACCEPTABLE,
                 "it reported first", MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/invoke_any_interrupted",
        .description = "one task of a call succeeds, another waits for what does not come, and the "
                       "caller is interrupted: however the call returns, both have ended",
        .invariants = "[INVOKE-1] [FUTURE-4]",
        .attacks = {SUBMIT, "gp_future_cancel(batch->futures[i], true);"},
        .broken_by = "invoke-cancel-without-interrupt",
        .state_size = sizeof(struct state),
        .set_up = set_up_patient,
        .actors = {{"invoke_any", act_invoke_any}, {"interrupt", act_interrupt}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_patient,
        .tear_down = tear_down_patient,
        .slots = {{"the call", RETURNS}, {"each task ended", {"once", "not once"}}, {NULL, ENDS}},
        .outcomes =
            {
                {"the call gave its answer, each task ended once, closed", ACCEPTABLE,
                 "one succeeded first", MUST_OCCUR},
                {"the call was interrupted, each task ended once, closed", ACCEPTABLE,
                 "the interrupt came first", MUST_OCCUR},
            },
    },
    {
        .name = "pool_ctl/invoke_all_interrupted",
        .like = "pool_ctl/invoke_any_interrupted",
        .description = "one task of a call fails, another waits for what does not come, and the "
                       "caller is interrupted: it is told so, and both have ended",
        .invariants = "[INVOKE-1]",
        .attacks = {SUBMIT, "if (status == GP_ETIMEDOUT || status == GP_EINTERRUPTED ||"},
        .broken_by = "invoke-all-swallows-interrupt",
        .actors = {{"invoke_all", act_invoke_all}, {"interrupt", act_interrupt}},
        .outcomes =
            {
                {"the call was interrupted, each task ended once, closed", ACCEPTABLE,
                 "nothing else ends it", MUST_OCCUR},
                {"the call gave its answer", FORBIDDEN, "one of its tasks had none", MAY_OCCUR},
            },
    },
    {
        .name = "pool_ctl/invoke_all_timed",
        .description = "one task of a call fails, another is let go on as the call comes to its "
                       "limit: in either case both are done when it returns",
        .invariants = "[INVOKE-1]",
        .attacks = {SUBMIT, "gp_future_cancel(batch->futures[i], true);"},
        .broken_by = "invoke-timeout-leaves-tasks",
        .state_size = sizeof(struct state),
        .set_up = set_up_patient,
        .actors = {{"invoke_all", act_invoke_all_timed}, {"open the gate", act_open_gate}},
        .invariant = pool_invariant,
        .arbiter = arbiter_of_patient,
        .tear_down = tear_down_patient,
        .slots = {{"the call", RETURNS},
                  {"each task ended", {"once", "not once"}},
                  {NULL, ENDS},
                  {"on return", {"both were done", "one was not"}}},
        .outcomes =
            {
                {"on return one was not", FORBIDDEN, "one was left to itself", MAY_OCCUR},
                {"the call gave its answer, each task ended once, closed, on return both were done",
                 ACCEPTABLE, "both were done in time", MUST_OCCUR},
                {"the call came to its limit, each task ended once, closed, on return both were "
                 "done",
                 ACCEPTABLE, "what was not done was cancelled", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
