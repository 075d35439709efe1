/*
 * The race for a future's state.
 *
 * A future starts as NEW, and any number of threads may want to end that: the runner with a result
 * (set), the runner with an error (fail), anybody with a cancel. In Java and here alike there is no
 * lock. What there is, is one compare-and-swap out of NEW [FUTURE-1]: who makes it completes the
 * future, everybody else is told "not you", and nothing that a loser does can be seen afterwards.
 *
 * Where it can go wrong:
 *
 *   Two winners. If the way out of NEW were "look, then store", two threads could both look before
 *   either stores: set says true, cancel says true, and whoever asks gets what was stored last.
 *
 *        set                           cancel
 *        state is NEW
 *                                      state is NEW
 *        state = COMPLETING
 *                                      state = CANCELLED        both believe it was theirs
 *
 *   A result before its time. The final state says "the outcome is there". It must be stored after
 *   the outcome and with release; a reader that sees the state with acquire then sees the outcome
 *   [FUTURE-2]. x86 keeps stores in order, so that on most machines only the compiler, or a tool
 *   that reasons about order instead of watching it, shows this mistake: ThreadSanitizer does.
 *   (JDK-7132378 was the same thing in Java: a racing get returned null.)
 *
 *   In between for ever. INTERRUPTING is a promise, and a runner that sees it waits until it is
 *   kept. A canceller that finds nobody to interrupt has to keep it all the same (in jsr166 a
 *   failing interrupt once left it open).
 *
 *   A completion that publishes nothing. What a thread did before it completed the future is what
 *   whoever sees it completed may rely on, without a lock. For set the release of the final state
 *   does it; a plain cancel has no final store, so there the CAS itself has to.
 *
 *   An interrupt for somebody else. cancel(true) interrupts the thread that runs the task. Between
 *   its CAS and the interrupt the task may end, and its thread go on to another task, which would
 *   be hit instead. So cancel announces itself (INTERRUPTING), and a runner that sees this does not
 *   leave before the interrupt has come (INTERRUPTED) [FUTURE-4]:
 *
 *        runner                        canceller
 *                                      NEW -> INTERRUPTING
 *        set fails, runner = NULL
 *        state is INTERRUPTING: wait   interrupt(runner as read)
 *                                      -> INTERRUPTED
 *        leave, flag up or never up
 *
 *   The runner's flag is then either up when run returns, or it will never be: that is what
 *   run_against_cancel_true looks at. In its next iteration the same thread is "the next task".
 *
 *   Done, and yet not to be had. From COMPLETING on a future says that it is done, and who has
 *   heard that may ask for its outcome. A callable that asks for its own is refused, instead of
 *   waiting for ever; but somebody else may set the result while it runs, and then there is one for
 *   it, too.
 *
 * The arbiter is a getter that comes when all is over. Its answer must be the winner's.
 */
#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "stress/answer.h"
#include "stress/scenarios.h"

#define FUTURE "impl/future/future.c"

enum {
    RESULT = 42,
    OTHER_RESULT = 43,
    REASON = 5
};

struct state {
    gp_future *future;
    int result;        /* what the winner's pointer must point to */
    int other_result;  /* likewise, if somebody else sets */
    int reason;        /* of the cancellation, written by who cancels */
    gp_thread *runner; /* who ran, retained; NULL: nobody yet */
    bool called;       /* the callable was */
    bool done;         /* when the callable looked at its own future ... */
    int answer;        /* ... and what get told it then */
};

static int call(void *argument, void **result)
{
    struct state *state = argument;

    state->called = true;
    state->result = RESULT;
    *result = &state->result;
    return 0;
}

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = {.call = call, .argument = state};

    (void)random;
    return gp_future_new(&callable, &state->future) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->future);
    gp_thread_release(state->runner);
}

/* ---- completing ---- */

static bool set(struct state *state)
{
    state->result = RESULT;
    return gp_future_set(state->future, &state->result);
}

/* ---- asking ---- */

static unsigned char ask(struct state *state)
{
    void *result = NULL;
    int status = gp_future_get(state->future, &result);

    if (status == GP_OK && result == &state->other_result && *(int *)result == OTHER_RESULT)
        return THE_OTHER_RESULT;
    return answer_of(status, result == &state->result && *(int *)result == RESULT);
}

/* ---- two who want to complete it ---- */

enum {
    FIRST,
    SECOND,
    GET,
    STATE
};

static void act_set(void *argument, struct outcome *outcome)
{
    outcome->slot[FIRST] = set(argument);
}

static void act_set_other(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    state->other_result = OTHER_RESULT;
    outcome->slot[SECOND] = gp_future_set(state->future, &state->other_result);
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[SECOND] = gp_future_cancel(state->future, false);
}

static void act_cancel_true(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[FIRST] = gp_future_cancel(state->future, true);
}

static void arbiter_asks(void *argument, struct outcome *outcome)
{
    outcome->slot[GET] = ask(argument);
}

static void arbiter_asks_for_state(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[GET] = ask(state);
    outcome->slot[STATE] = (unsigned char)gp_future_state_of(state->future);
}

/* ---- run against cancel(true) ---- */

enum {
    CANCEL_TRUE, /* as act_cancel_true has it */
    CALL,
    FLAG,
    LATER_GET,
    LEAK
};

static void act_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LEAK] = gp_interrupted();
    state->runner = gp_thread_retain(gp_thread_self());
    gp_future_run(state->future);
    outcome->slot[FLAG] = gp_interrupted();
    outcome->slot[CALL] = state->called;
}

/* A flag that is up now came after run had returned. */
static void arbiter_asks_and_looks(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LATER_GET] = ask(state);
    if (gp_is_interrupted(state->runner))
        outcome->slot[LEAK] = true;
}

/* ---- get against set ---- */

enum {
    DONE,
    WAITING_GET
};

static void act_get(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[DONE] = gp_future_is_done(state->future);
    outcome->slot[WAITING_GET] = ask(state);
}

static void act_only_set(void *argument, struct outcome *outcome)
{
    (void)outcome;
    set(argument);
}

/* ---- a callable that asks for its own result ---- */

enum {
    OWN_DONE,
    OWN_GET
};

static int ask_for_own(void *argument, void **result)
{
    struct state *state = argument;
    void *own = NULL;

    (void)result;
    state->done = gp_future_is_done(state->future);
    int status = gp_future_get(state->future, &own);
    state->answer = status == GP_EDEADLK ? NO_ANSWER : answer_of(status, own == &state->result);
    return 0;
}

static bool set_up_asking(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = {.call = ask_for_own, .argument = state};

    (void)random;
    state->answer = SOMETHING_ELSE; /* not called */
    return gp_future_new(&callable, &state->future) == GP_OK;
}

static void act_run_asking(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_run(state->future);
    outcome->slot[OWN_DONE] = state->done;
    outcome->slot[OWN_GET] = (unsigned char)state->answer;
}

/* ---- what a completion publishes ---- */

enum {
    LOOK_CAME = SECOND + 1,
    LOOK_SAW
};

static void act_cancel_for_a_reason(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    state->reason = REASON;
    act_cancel(state, outcome);
}

/* Reads without asking get, where the state alone allows it. */
static void act_look(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LOOK_CAME] = gp_future_is_done(state->future);
    if (!gp_future_is_cancelled(state->future) && ask(state) == THE_RESULT)
        outcome->slot[LOOK_SAW] = THE_RESULT;
    else if (gp_future_is_cancelled(state->future) && state->reason == REASON)
        outcome->slot[LOOK_SAW] = CANCELLATION;
    else
        outcome->slot[LOOK_SAW] = SOMETHING_ELSE;
}

/* ---- the family ---- */

const struct scenario future_state_races[] = {
    {
        .name = "future_state/set_against_cancel",
        .description = "set and cancel race for a new future: exactly one wins, and get tells the "
                       "winner's story",
        .invariants = "[FUTURE-1]",
        .attacks = {FUTURE, "bool won = atomic_compare_exchange_strong"},
        .broken_by = "future-check-then-store",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"set", act_set}, {"cancel", act_cancel}},
        .arbiter = arbiter_asks,
        .tear_down = tear_down,
        .slots = {{"set", {"lost", "won"}}, {"cancel", {"lost", "won"}}, {"get", ANSWERS}},
        .outcomes =
            {
                {"set won, cancel lost, get the result", ACCEPTABLE, "the CAS of set came first",
                 MUST_OCCUR},
                {"set lost, cancel won, get a cancellation", ACCEPTABLE,
                 "the CAS of cancel came first", MUST_OCCUR},
                {"set won, cancel won", FORBIDDEN, "two threads left NEW", MAY_OCCUR},
                {"set lost, cancel lost", FORBIDDEN, "nobody left NEW", MAY_OCCUR},
            },
    },
    {
        .name = "future_state/run_against_cancel_true",
        .description = "cancel(true) comes while the task runs: the interrupt reaches this run or "
                       "nobody, never the thread's next task",
        .invariants = "[FUTURE-1] [FUTURE-3] [FUTURE-4]",
        .attacks = {FUTURE, "if (run->state >= GP_INTERRUPTING)"},
        .broken_by = "future-runner-leaves-early",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"run", act_run}, {"cancel(true)", act_cancel_true}},
        .arbiter = arbiter_asks_and_looks,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"callable", {"not called", "called"}},
                  {"flag", {"down", "up"}},
                  {"get", ANSWERS},
                  {"next task", {"untouched", "interrupted"}}},
        .outcomes =
            {
                {"next task interrupted", FORBIDDEN,
                 "the runner left while the state was INTERRUPTING, and the interrupt came later",
                 MAY_OCCUR},
                {"cancel lost, callable called, flag down, get the result, next task untouched",
                 ACCEPTABLE, "the run was over first", MUST_OCCUR},
                {"cancel won, callable not called, flag down, get a cancellation, "
                 "next task untouched",
                 ACCEPTABLE, "cancelled before anybody had claimed the run", MUST_OCCUR},
                {"cancel won, callable not called, flag up, get a cancellation, "
                 "next task untouched",
                 INTERESTING, "cancelled between the claim and the second look at the state",
                 MAY_OCCUR},
                {"cancel won, callable called, flag up, get a cancellation, next task untouched",
                 ACCEPTABLE, "cancelled while it ran, and the runner waited for the interrupt",
                 MUST_OCCUR},
                {"cancel won, callable called, flag down, get a cancellation, next task untouched",
                 INTERESTING,
                 "cancelled while it ran, but the runner was gone when cancel looked for it",
                 MAY_OCCUR},
            },
    },
    {
        .name = "future_state/get_against_set",
        .description = "get comes just before, during or after set: it returns, and what it "
                       "returns is complete",
        .invariants = "[FUTURE-2] [FUTURE-6]",
        .attacks = {FUTURE, "atomic_store_explicit(&future->task.state, final_state"},
        .broken_by = "future-final-state-relaxed",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"get", act_get}, {"set", act_only_set}},
        .tear_down = tear_down,
        .slots = {{"get came", {"early", "late"}}, {"and got", ANSWERS}},
        .outcomes =
            {
                {"get came early, and got the result", ACCEPTABLE,
                 "it saw NEW first: it waited, or the outcome was there when it looked again",
                 MUST_OCCUR},
                {"get came late, and got the result", ACCEPTABLE,
                 "the state had left NEW; at worst it sat out COMPLETING", MUST_OCCUR},
            },
    },
    {
        .name = "future_state/set_against_set",
        .description = "two set different results: one wins, the other is told so, and get has the "
                       "winner's",
        .invariants = "[FUTURE-1] [FUTURE-2]",
        .attacks = {FUTURE, "unsigned char expected = GP_NEW;"},
        .broken_by = "future-cas-expects-anything",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"set", act_set}, {"set the other", act_set_other}},
        .arbiter = arbiter_asks,
        .tear_down = tear_down,
        .slots = {{"one", {"lost", "won"}}, {"the other", {"lost", "won"}}, {"get", ANSWERS}},
        .outcomes =
            {
                {"one won, the other lost, get the result", ACCEPTABLE, "its CAS came first",
                 MUST_OCCUR},
                {"one lost, the other won, get the other result", ACCEPTABLE, "its CAS came first",
                 MUST_OCCUR},
                {"one won, the other won", FORBIDDEN,
                 "a CAS that expects whatever it has just read is no CAS out of NEW, even after a "
                 "look",
                 MAY_OCCUR},
                {"one lost, the other lost", FORBIDDEN, "nobody left NEW", MAY_OCCUR},
            },
    },
    {
        .name = "future_state/cancel_against_cancel_true",
        .description = "a cancel races one that interrupts, and nobody runs the task: one wins, "
                       "and its state is final",
        .invariants = "[FUTURE-1]",
        .attacks = {FUTURE, "if (runner == NULL || !gp__begin_task_interrupt(runner)) {"},
        .broken_by = "future-interrupting-for-ever",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"cancel(true)", act_cancel_true}, {"cancel", act_cancel}},
        .arbiter = arbiter_asks_for_state,
        .tear_down = tear_down,
        .slots = {{"cancel(true)", {"lost", "won"}},
                  {"cancel", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"state",
                   {"NEW", "COMPLETING", "NORMAL", "EXCEPTIONAL", "CANCELLED", "INTERRUPTING",
                    "INTERRUPTED"}}},
        .outcomes =
            {
                {"cancel(true) won, cancel lost, get a cancellation, state INTERRUPTED", ACCEPTABLE,
                 "the one that interrupts came first", MUST_OCCUR},
                {"cancel(true) lost, cancel won, get a cancellation, state CANCELLED", ACCEPTABLE,
                 "the one that does not came first", MUST_OCCUR},
                {"state INTERRUPTING", FORBIDDEN, "a promise that nobody keeps any more",
                 MAY_OCCUR},
            },
    },
    {
        .name = "future_state/completion_publishes",
        .description = "set and cancel race, each with plain data written before: whoever sees the "
                       "future done sees the winner's data",
        .invariants = "[FUTURE-1] [FUTURE-2]",
        .attacks = {FUTURE, "bool won = atomic_compare_exchange_strong"},
        .broken_by = "future-cas-publishes-nothing",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"set", act_set}, {"cancel", act_cancel_for_a_reason}, {"look", act_look}},
        .tear_down = tear_down,
        .slots = {{"set", {"lost", "won"}},
                  {"cancel", {"lost", "won"}},
                  {"a look came", {"early", "late"}},
                  {"and saw", ANSWERS}},
        .outcomes =
            {
                {"set won, cancel lost, a look came early, and saw the result", ACCEPTABLE,
                 "it had to wait", MAY_OCCUR},
                {"set won, cancel lost, a look came late, and saw the result", ACCEPTABLE,
                 "published by the final state", MUST_OCCUR},
                {"set lost, cancel won, a look came early, and saw a cancellation", ACCEPTABLE,
                 "it had to wait", MAY_OCCUR},
                {"set lost, cancel won, a look came late, and saw a cancellation", ACCEPTABLE,
                 "published by the CAS, which is all there is", MUST_OCCUR},
            },
    },
    {
        .name = "future_state/own_get_against_set",
        .description = "a callable asks for the result of its own future while another thread sets "
                       "it: if it was done before, get has it",
        .invariants = "[FUTURE-2] [FUTURE-6]",
        .attacks = {FUTURE, "if (state == GP_NEW && atomic_load(&future->runner) == self)"},
        .broken_by = "own-get-refused-when-done",
        .state_size = sizeof(struct state),
        .set_up = set_up_asking,
        .actors = {{"run", act_run_asking}, {"set", act_only_set}},
        .tear_down = tear_down,
        .slots = {{"own get came", {"early", "late"}},
                  {"and got",
                   {"a refusal", "the result", "a cancellation", "the other result", "the failure",
                    "a time-out", "an interrupt", "no chance"}}},
        .outcomes =
            {
                {"own get came early, and got a refusal", ACCEPTABLE,
                 "nobody but itself could have completed it, as far as it knew", MUST_OCCUR},
                {"own get came early, and got the result", ACCEPTABLE,
                 "set came between its two questions", MAY_OCCUR},
                {"own get came late, and got the result", ACCEPTABLE, "set was first", MAY_OCCUR},
                {"own get came early, and got no chance", ACCEPTABLE, "set came before the call",
                 MUST_OCCUR},
                {"own get came late, and got a refusal", FORBIDDEN,
                 "it was told that the future is done, and then that it waits for itself",
                 MAY_OCCUR},
            },
    },
    {.name = NULL},
};
