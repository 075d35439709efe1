/*
 * Who calls the callable, and when the run is over.
 *
 * A future may be handed to any number of threads that call run on it, and cancelled by others
 * meanwhile. There is no lock; there are two words. `runner` is the claim: one CAS from nobody to
 * oneself, and only who made it calls the callable [FUTURE-3]. `state` is the outcome: one CAS out
 * of NEW, and only who made it completes [FUTURE-1]. A run takes both, in this order:
 *
 *        state is NEW, runner: nobody -> me, state is still NEW
 *        call
 *        state: NEW -> COMPLETING -> NORMAL
 *        runner: me -> nobody
 *
 * Where it can go wrong:
 *
 *   The claim given up too early. Between the call and the CAS of `state` the future looks as it
 *   did before: NEW, and without a runner if the claim is gone already. A second run enters (jsr166
 *   had that in 2011):
 *
 *        run                           run
 *        call
 *        runner = nobody
 *                                      state is NEW, runner: nobody -> me
 *        NEW -> COMPLETING             call, again
 *
 *   The completion left to somebody else. A canceller that finds a runner may think that the runner
 *   will wake those who wait, since it is about to complete. But its CAS fails now, and it leaves
 *   (JDK-6431315): who has made the CAS out of NEW does the rest, always.
 *
 *   The completion done twice, or half. Waking those who wait and calling the done hook are two
 *   steps of the same thing. Both happen once, whoever waits or does not.
 *
 *   A run that may be repeated. run_and_reset leaves the state NEW, so that the claim alone keeps
 *   two runs apart, and a cancel can come between any two steps. The answer "may run again" is
 *   given after a look at the state that comes after the claim was given up: then either the look
 *   sees the cancel, or the canceller sees no runner and interrupts nobody (the second pair in
 *   future.c). An answer without that look sends a cancelled task back into the queue.
 *
 *   The argument gone before the end. It is destroyed when the future has left NEW, and by the
 *   runner that comes after the done hook: the hook may look at it.
 */
#include <stdint.h>

#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "stress/answer.h"
#include "stress/scenarios.h"

#define FUTURE "impl/future/future.c"

/* Plain data on purpose: the library orders one run after the other. Words rather than bytes: a
   compiler may read neighbouring bytes together, and the hook's are another thread's. */
struct state {
    gp_future *future;
    int calls;         /* of the callable */
    int inside;        /* of them, those that are not over */
    int overlaps;      /* how often another had begun by then */
    gp_thread *runner; /* who ran, retained; NULL: nobody yet */
    int hooks;         /* calls of the done hook */
    int witness;       /* what the hook saw */
    int destroyed;     /* the argument was */
};

static int call(void *argument, void **result)
{
    struct state *state = argument;

    if (state->inside++ > 0)
        state->overlaps++;
    state->calls++;
    *result = state;
    state->inside--;
    return 0;
}

static unsigned char ask(struct state *state)
{
    void *result = NULL;
    int status = gp_future_get(state->future, &result);

    return answer_of(status, result == state);
}

static void done(gp_future *future, void *argument)
{
    struct state *state = argument;

    state->hooks++;
    state->witness = SOMETHING_ELSE;
    if (gp_future_state_of(future) == GP_NORMAL && state->destroyed)
        return; /* set by the runner, which is this thread */
    if (gp_future_state_of(future) != GP_COMPLETING)
        state->witness = ask(state);
}

static void note_destroyed(void *argument)
{
    struct state *state = argument;

    state->destroyed++;
}

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = {.call = call, .argument = state};

    (void)random;
    return gp_future_new(&callable, &state->future) == GP_OK;
}

static bool set_up_hooked(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = {.call = call, .argument = state, .destroy = note_destroyed};

    (void)random;
    return gp_future_new_hooked(&callable, done, state, &state->future) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->future);
    gp_thread_release(state->runner);
}

/* ---- run against run ---- */

enum {
    FIRST,
    SECOND,
    CALLS,
    GET,
    OVERLAP = GET
};

static void act_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[FIRST] = gp_future_run(state->future);
}

static void act_run_too(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[SECOND] = gp_future_run(state->future);
}

static void arbiter_counts_and_asks(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLS] = (unsigned char)state->calls;
    outcome->slot[GET] = ask(state);
}

/* ---- run against set, whose result could be called ---- */

static int call_of_result(void *argument, void **result)
{
    struct state *state = argument;

    (void)result;
    state->calls += 2;
    return 0;
}

static void act_set_what_could_be_called(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[SECOND] = gp_future_set(state->future, (void *)(uintptr_t)call_of_result);
}

static void arbiter_counts_calls(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLS] = (unsigned char)state->calls;
}

/* ---- run_and_reset against run_and_reset ---- */

static void act_reset(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[FIRST] = gp_future_run_and_reset(state->future);
}

static void act_reset_too(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[SECOND] = gp_future_run_and_reset(state->future);
}

static void arbiter_counts(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLS] = (unsigned char)state->calls;
    outcome->slot[OVERLAP] = state->overlaps > 0;
}

/* ---- a run, a set, a cancel, and one who waits ---- */

enum {
    COMPLETER,
    CANCEL,
    WAITING_GET,
    CALLED,
    HOOK = CALLED,
    HOOK_SAW
};

static void act_complete_by_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[COMPLETER] = gp_future_run(state->future);
}

static void act_set(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[COMPLETER] = gp_future_set(state->future, state);
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CANCEL] = gp_future_cancel(state->future, false);
}

static void act_get(void *argument, struct outcome *outcome)
{
    outcome->slot[WAITING_GET] = ask(argument);
}

static void arbiter_sees_calls(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLED] = (unsigned char)state->calls;
}

static void arbiter_sees_hook(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[HOOK] = (unsigned char)state->hooks;
    outcome->slot[HOOK_SAW] = (unsigned char)state->witness;
}

static void arbiter_asks_and_sees_hook(void *argument, struct outcome *outcome)
{
    act_get(argument, outcome);
    arbiter_sees_hook(argument, outcome);
}

/* ---- run_and_reset against cancel(true) ---- */

enum {
    AGAIN,
    CANCEL_TRUE,
    RESET_CALLED,
    FLAG,
    LEAK
};

static void act_reset_and_look(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LEAK] = gp_interrupted();
    state->runner = gp_thread_retain(gp_thread_self());
    outcome->slot[AGAIN] = gp_future_run_and_reset(state->future);
    outcome->slot[FLAG] = gp_interrupted();
    outcome->slot[RESET_CALLED] = (unsigned char)state->calls;
}

static void act_cancel_true(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CANCEL_TRUE] = gp_future_cancel(state->future, true);
}

/* A flag that is up now came after the run had returned. */
static void arbiter_looks_at_flag(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (gp_is_interrupted(state->runner))
        outcome->slot[LEAK] = true;
}

/* ---- the family ---- */

const struct scenario future_run_races[] = {
    {
        .name = "future_run/run_against_run",
        .description = "two threads run the same future: its callable is called once, and one of "
                       "them completes it",
        .invariants = "[FUTURE-1] [FUTURE-3]",
        .attacks = {FUTURE, "run->succeeded = code == 0;"},
        .broken_by = "future-claim-dropped-early",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"run", act_run}, {"run", act_run_too}},
        .arbiter = arbiter_counts_and_asks,
        .tear_down = tear_down,
        .slots = {{"one", {"did nothing", "completed it"}},
                  {"the other", {"did nothing", "completed it"}},
                  {"calls", {NULL}},
                  {"get", ANSWERS}},
        .outcomes =
            {
                {"one completed it, the other did nothing, calls 1, get the result", ACCEPTABLE,
                 "its claim came first", MUST_OCCUR},
                {"one did nothing, the other completed it, calls 1, get the result", ACCEPTABLE,
                 "its claim came first", MUST_OCCUR},
                {"calls 2", FORBIDDEN, "the claim was gone before the state had settled",
                 MAY_OCCUR},
            },
    },
    {
        .name = "future_run/function_against_outcome",
        .description = "a result is set while another thread is about to call: the word that had "
                       "the function has the result now, and is not called",
        .invariants = "[FUTURE-7] [FUTURE-1]",
        .attacks = {FUTURE, "struct gp__call callable = gp__task_callable(&future->task);"},
        .broken_by = "function-read-after-last-look",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"run", act_run}, {"set", act_set_what_could_be_called}},
        .arbiter = arbiter_counts_calls,
        .tear_down = tear_down,
        .slots = {{"run", {"did nothing", "completed it"}},
                  {"set", {"came too late", "completed it"}},
                  {"calls", {NULL}}},
        .outcomes =
            {
                {"calls 2", FORBIDDEN, "the result was called", MAY_OCCUR},
                {"run completed it, set came too late, calls 1", ACCEPTABLE, "the run was first",
                 MUST_OCCUR},
                {"run did nothing, set completed it, calls 0", ACCEPTABLE, "the result was first",
                 MUST_OCCUR},
                {"run did nothing, set completed it, calls 1", ACCEPTABLE,
                 "the result came while the callable was called", MAY_OCCUR},
            },
    },
    {
        .name = "future_run/reset_against_reset",
        .description = "two threads run_and_reset the same future: both may have a run, never at "
                       "the same time",
        .invariants = "[FUTURE-3]",
        .attacks = {FUTURE, "atomic_compare_exchange_strong(&future->runner, &nobody, self);"},
        .broken_by = "future-claim-without-cas",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"run_and_reset", act_reset}, {"run_and_reset", act_reset_too}},
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"one", {"did not run", "ran"}},
                  {"the other", {"did not run", "ran"}},
                  {"calls", {NULL}},
                  {"one by one", {"yes", "no"}}},
        .outcomes =
            {
                {"one ran, the other ran, calls 2, one by one yes", ACCEPTABLE,
                 "the second claim came after the first run", MUST_OCCUR},
                {"one ran, the other did not run, calls 1, one by one yes", ACCEPTABLE,
                 "the second claim came during the first run", MUST_OCCUR},
                {"one did not run, the other ran, calls 1, one by one yes", ACCEPTABLE,
                 "the second claim came during the first run", MUST_OCCUR},
                {"one by one no", FORBIDDEN, "two runs of one task overlapped", MAY_OCCUR},
            },
    },
    {
        .name = "future_run/run_against_cancel",
        .description = "a run races a cancel while somebody waits: one of them completes the "
                       "future, and does so to the end",
        .invariants = "[FUTURE-1] [FUTURE-3] [FUTURE-6]",
        .attacks = {FUTURE, "if (may_interrupt)"},
        .broken_by = "cancel-leaves-completion-to-runner",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"run", act_complete_by_run}, {"cancel", act_cancel}, {"get", act_get}},
        .arbiter = arbiter_sees_calls,
        .tear_down = tear_down,
        .slots = {{"run", {"completed nothing", "completed it"}},
                  {"cancel", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"callable", {"not called", "called", "called twice"}}},
        .outcomes =
            {
                {"run completed it, cancel lost, get the result, callable called", ACCEPTABLE,
                 "the run was over first", MUST_OCCUR},
                {"run completed nothing, cancel won, get a cancellation, callable not called",
                 ACCEPTABLE, "cancelled before the call", MUST_OCCUR},
                {"run completed nothing, cancel won, get a cancellation, callable called",
                 ACCEPTABLE, "cancelled during the call, whose result is dropped", MAY_OCCUR},
            },
    },
    {
        .name = "future_run/reset_against_cancel_true",
        .description = "cancel(true) comes while a repeatable run is on its way: told to run again "
                       "is only who was not, and will not be, interrupted",
        .invariants = "[FUTURE-3] [FUTURE-4]",
        .attacks = {FUTURE, "return run.succeeded && run.state == GP_NEW; /* (19) */"},
        .broken_by = "reset-ignores-cancel",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"run_and_reset", act_reset_and_look}, {"cancel(true)", act_cancel_true}},
        .arbiter = arbiter_looks_at_flag,
        .tear_down = tear_down,
        .slots = {{"again", {"no", "yes"}},
                  {"cancel", {"lost", "won"}},
                  {"callable", {"not called", "called"}},
                  {"flag", {"down", "up"}},
                  {"next task", {"untouched", "interrupted"}}},
        .outcomes =
            {
                {"next task interrupted", FORBIDDEN,
                 "the runner left while the state was INTERRUPTING", MAY_OCCUR},
                {"cancel lost", FORBIDDEN, "nobody else completes the future", MAY_OCCUR},
                {"again yes, flag up", FORBIDDEN, "cancelled, and yet sent for another run",
                 MAY_OCCUR},
                {"again yes, cancel won, callable called, flag down, next task untouched",
                 ACCEPTABLE, "the run was over when the cancel came", MUST_OCCUR},
                {"again no, cancel won, callable not called, flag down, next task untouched",
                 ACCEPTABLE, "cancelled before anybody had claimed the run", MUST_OCCUR},
                {"again no, cancel won, callable not called, flag up, next task untouched",
                 INTERESTING, "cancelled between the claim and the second look at the state",
                 MAY_OCCUR},
                {"again no, cancel won, callable called, flag up, next task untouched", ACCEPTABLE,
                 "cancelled while it ran", MAY_OCCUR},
                {"again no, cancel won, callable called, flag down, next task untouched",
                 INTERESTING,
                 "cancelled while it ran, but the runner was gone when cancel looked for it",
                 MAY_OCCUR},
            },
    },
    {
        .name = "future_run/hook_of_set_against_cancel",
        .description = "set races cancel on a future with a done hook, and somebody waits: the "
                       "hook is called once, by the winner, and sees the outcome",
        .invariants = "[FUTURE-1] [FUTURE-6]",
        .attacks = {FUTURE, "if (future->task.class->done != NULL)"},
        .broken_by = "waiters-or-hook",
        .state_size = sizeof(struct state),
        .set_up = set_up_hooked,
        .actors = {{"set", act_set}, {"cancel", act_cancel}, {"get", act_get}},
        .arbiter = arbiter_sees_hook,
        .tear_down = tear_down,
        .slots = {{"set", {"lost", "won"}},
                  {"cancel", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"hook", {"not called", "called once", "called twice"}},
                  {"it saw", ANSWERS}},
        .outcomes =
            {
                {"set won, cancel lost, get the result, hook called once, it saw the result",
                 ACCEPTABLE, "called by set", MUST_OCCUR},
                {"set lost, cancel won, get a cancellation, hook called once, it saw a "
                 "cancellation",
                 ACCEPTABLE, "called by cancel", MUST_OCCUR},
                {"hook not called", FORBIDDEN, "forgotten over those who waited", MAY_OCCUR},
            },
    },
    {
        .name = "future_run/hook_of_run_against_cancel",
        .description = "a run races a cancel on a future with a done hook: the hook is called "
                       "once, though both are at its end",
        .invariants = "[FUTURE-1]",
        .attacks = {FUTURE, "run->state = load_state(future);"},
        .broken_by = "cancelled-run-completes-again",
        .state_size = sizeof(struct state),
        .set_up = set_up_hooked,
        .actors = {{"run", act_complete_by_run}, {"cancel", act_cancel}},
        .arbiter = arbiter_asks_and_sees_hook,
        .tear_down = tear_down,
        .slots = {{"run", {"completed nothing", "completed it"}},
                  {"cancel", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"hook", {"not called", "called once", "called twice"}},
                  {"it saw", ANSWERS}},
        .outcomes =
            {
                {"run completed it, cancel lost, get the result, hook called once, it saw the "
                 "result",
                 ACCEPTABLE, "called by the runner", MUST_OCCUR},
                {"run completed nothing, cancel won, get a cancellation, hook called once, it saw "
                 "a cancellation",
                 ACCEPTABLE, "called by the canceller", MUST_OCCUR},
                {"hook called twice", FORBIDDEN,
                 "a runner that was cancelled has nothing to complete", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
