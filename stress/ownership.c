/*
 * Who destroys the argument, and who frees the task.
 *
 * In Java the collector knows when nobody needs a task any more. In C that is a question, and it
 * has two answers. The task's memory is counted: who holds a handle holds one reference, and the
 * last one to give it back frees the task. The argument is an event: its destructor is called once,
 * when the callable can no longer be running and will not start [TASK-2], which is often long
 * before the last handle is gone. A future has three who might call it [FUTURE-5]:
 *
 *      the runner     after the call, if the state has left NEW
 *      the owner      when it drops the task, if nobody runs it
 *      the last one   with the memory
 *
 * Where it can go wrong:
 *
 *   Under the runner's feet. Any holder of a handle may run the future while its owner discards it:
 *   a pool that is shut down, say. The owner must not destroy what is in use, so it only notes that
 *   it has dropped the task and looks for a runner; the runner gives up its claim and looks for the
 *   note. Whoever looks second destroys:
 *
 *        owner                         runner
 *        dropped = true                runner = nobody
 *        a runner? none: destroy       dropped? yes: destroy
 *
 *   Both at once. The picture shows it: both may look second. So `retired` is exchanged, not looked
 *   at and then set.
 *
 *   The last one frees too early. Giving back a reference says "I am done with it". The one who
 *   frees has to see all that the others did before they said so: release on each decrement,
 *   acquire on the last. x86 gives this for nothing; ThreadSanitizer shows it missing.
 *
 *   The owner finds it taken. A worker's turn comes while another holder runs the task. It gives
 *   the task up, as it would have after its own run; but the result is on its way. So it ends what
 *   nobody runs, and leaves alone what somebody does: that run ends it, if it does not complete it.
 *   Whether there is an argument to destroy makes no difference to those who wait.
 *
 *   A count that is no count. One more reference is an addition, and others subtract meanwhile.
 *
 * The argument counts what is done to it (ownership_support.h).
 */
#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "stress/answer.h"
#include "stress/ownership_support.h"
#include "stress/scenarios.h"

#define FUTURE "impl/future/future.c"
#define TASK   "impl/future/task.c"

struct state {
    gp_future *future;
    int handles; /* to it, until the race is over */
    struct argument argument;
    int payloads;         /* destroyed */
    gp_thread *actors[3]; /* borrowed: they outlive the state */
    gp_thread *last;      /* who destroyed the argument, likewise */
};

static int call(void *argument, void **result)
{
    struct state *state = argument;

    argument_enter(&state->argument);
    *result = state;
    argument_leave(&state->argument);
    return 0;
}

static void destroy(void *argument)
{
    struct state *state = argument;

    argument_destroy(&state->argument);
    state->last = gp_thread_self();
}

static unsigned char ask(gp_future *future, const struct state *state)
{
    void *result = NULL;
    int status = gp_future_get(future, &result);

    return answer_of(status, result == state);
}

/* As many references as there are actors. */
static bool set_up_with(struct state *state, int actors, gp_destroy_fn *destructor)
{
    const gp_callable callable = {.call = call, .argument = state, .destroy = destructor};

    if (gp_future_new(&callable, &state->future) != GP_OK)
        return false;
    for (state->handles = 1; state->handles < actors; state->handles++)
        gp_future_retain(state->future);
    return true;
}

static bool set_up(struct state *state, int actors)
{
    return set_up_with(state, actors, destroy);
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    while (state->handles-- > 0)
        gp_future_release(state->future);
}

static bool set_up_for_two(void *argument, uint64_t random)
{
    (void)random;
    return set_up(argument, 2);
}

static bool set_up_for_three(void *argument, uint64_t random)
{
    (void)random;
    return set_up(argument, 3);
}

/* ---- the owner discards it while another runs it ---- */

enum {
    RUN,
    CALLS,
    GET,
    ARGUMENT
};

static void act_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[RUN] = gp_future_run(state->future);
}

static void act_reset(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[RUN] = gp_future_run_and_reset(state->future);
}

/* Twice, so that the second claim may come when the owner believes that nobody runs it. */
static void act_reset_twice(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    act_reset(argument, outcome);
    gp_future_run_and_reset(state->future);
}

/* As a worker does: if it cannot, since somebody else is at it, the owner drops it all the same. */
static void act_run_as_owner(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_task_run(gp_future_task(state->future));
}

static void act_discard(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_task_discard(gp_future_task(state->future));
}

/* The argument has to be gone before the runner's handle is. */
static void arbiter_looks_at_argument(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLS] = (unsigned char)state->argument.runs;
    outcome->slot[GET] = ask(state->future, state);
    outcome->slot[ARGUMENT] = argument_ending(&state->argument);
    gp_future_release(state->future);
    state->handles = 0;
    if (state->argument.destroyed > 1)
        outcome->slot[ARGUMENT] = TWICE;
}

/* ---- the same, and there is nothing to destroy ---- */

static bool set_up_undestroyed(void *argument, uint64_t random)
{
    (void)random;
    return set_up_with(argument, 2, NULL);
}

static void arbiter_asks(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CALLS] = (unsigned char)state->argument.runs;
    outcome->slot[GET] = ask(state->future, state);
    gp_future_release(state->future);
    state->handles = 0;
}

/* ---- all give back their handles ---- */

enum {
    LAST,
    GONE_ARGUMENT,
    WAITING_GET,
    PAYLOAD = WAITING_GET
};

static void leave(struct state *state, int actor)
{
    state->actors[actor] = gp_thread_self();
    gp_future_release(state->future);
}

static void act_get_and_release(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[WAITING_GET] = ask(state->future, state);
    leave(state, 0);
}

static void act_set_and_release(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_set(state->future, state);
    leave(state, 1);
}

/* One more handle, for a moment. */
static void act_retain_and_release(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_future *another = gp_future_retain(state->future);

    (void)outcome;
    gp_future_release(another);
    leave(state, 2);
}

static void destroy_payload(void *payload)
{
    struct state *state = payload;

    state->payloads++;
}

static void act_fail_and_release(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    const gp_failure failure = {
        .code = GP_EFAILED, .payload = state, .destroy_payload = destroy_payload};

    (void)outcome;
    gp_future_fail(state->future, &failure);
    leave(state, 0);
}

static void act_release(void *argument, struct outcome *outcome)
{
    (void)outcome;
    leave(argument, 1);
}

/* Counted from 1; 0: nobody destroyed it. */
static unsigned char last_of(const struct state *state)
{
    for (unsigned char i = 0; i < 3; i++)
        if (state->last && state->actors[i] == state->last)
            return (unsigned char)(i + 1);
    return 0;
}

static void arbiter_looks_who_was_last(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LAST] = last_of(state);
    outcome->slot[GONE_ARGUMENT] = argument_ending(&state->argument);
    state->handles = 0;
}

static void arbiter_looks_at_payload(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    arbiter_looks_who_was_last(state, outcome);
    outcome->slot[PAYLOAD] = (unsigned char)state->payloads;
}

/* ---- the family ---- */

const struct scenario ownership_races[] = {
    {
        .name = "ownership/discard_against_run",
        .description = "the owner discards a task that another holder runs: its argument is "
                       "destroyed once, and not while the callable has it",
        .invariants = "[TASK-2] [FUTURE-5]",
        .attacks = {FUTURE, "gp__future_give_up_callable(future);"},
        .broken_by = "argument-destroyed-mid-run",
        .state_size = sizeof(struct state),
        .set_up = set_up_for_two,
        .actors = {{"run", act_run}, {"discard", act_discard}},
        .arbiter = arbiter_looks_at_argument,
        .tear_down = tear_down,
        .slots = {{"run", {"completed nothing", "completed it"}},
                  {"callable", {"not called", "called", "called twice"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS}},
        .outcomes =
            {
                {"run completed it, callable called, get the result, argument destroyed once",
                 ACCEPTABLE, "the run was over first: the runner destroyed it", MUST_OCCUR},
                {"run completed nothing, callable not called, get a cancellation, argument "
                 "destroyed once",
                 ACCEPTABLE, "discarded before the call: the owner destroyed it", MUST_OCCUR},
                {"run completed nothing, callable called, get a cancellation, argument destroyed "
                 "once",
                 ACCEPTABLE, "discarded during the call: left to the runner", MAY_OCCUR},
                {"argument destroyed too early", FORBIDDEN, "under the runner's feet", MAY_OCCUR},
            },
    },
    {
        .name = "ownership/discard_against_reset",
        .description = "the owner discards a task while another holder runs it and would leave it "
                       "to be run again: both may find that it is over, one destroys",
        .invariants = "[TASK-2] [FUTURE-5]",
        .attacks = {TASK, "!atomic_exchange_explicit(&task->retired, true, memory_order_acq_rel))"},
        .broken_by = "retired-tested-then-set",
        .state_size = sizeof(struct state),
        .set_up = set_up_for_two,
        .actors = {{"run_and_reset", act_reset}, {"discard", act_discard}},
        .arbiter = arbiter_looks_at_argument,
        .tear_down = tear_down,
        .slots = {{"again", {"no", "yes"}},
                  {"callable", {"not called", "called"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS}},
        .outcomes =
            {
                {"again yes, callable called, get a cancellation, argument destroyed once",
                 ACCEPTABLE, "the run was over first", MUST_OCCUR},
                {"again no, callable not called, get a cancellation, argument destroyed once",
                 ACCEPTABLE, "discarded before the call", MUST_OCCUR},
                {"again no, callable called, get a cancellation, argument destroyed once",
                 ACCEPTABLE, "discarded during the call", MAY_OCCUR},
                {"argument destroyed twice", FORBIDDEN, "both looked before either had noted it",
                 MAY_OCCUR},
            },
    },
    {
        .name = "ownership/last_handles",
        .description = "one waits, one sets, one takes another handle for a moment, and all give "
                       "theirs back: the last one, whoever it is, frees the future",
        .invariants = "[TASK-1] [TASK-2] [FUTURE-5]",
        .attacks = {TASK, "atomic_fetch_add_explicit(&task->refs, 1, memory_order_relaxed);"},
        .broken_by = "retain-as-load-and-store",
        .state_size = sizeof(struct state),
        .set_up = set_up_for_three,
        .actors = {{"get and release", act_get_and_release},
                   {"set and release", act_set_and_release},
                   {"retain and release", act_retain_and_release}},
        .arbiter = arbiter_looks_who_was_last,
        .tear_down = tear_down,
        .slots = {{"freed by", {"nobody", "the getter", "the setter", "the third"}},
                  {"argument", ENDINGS},
                  {"get", ANSWERS}},
        .outcomes =
            {
                {"freed by the getter, argument destroyed once, get the result", ACCEPTABLE,
                 "it had to wait for the result", MUST_OCCUR},
                {"freed by the setter, argument destroyed once, get the result", ACCEPTABLE,
                 "it had woken the getter, and was not done yet", MAY_OCCUR},
                {"freed by the third, argument destroyed once, get the result", ACCEPTABLE,
                 "it came late", MUST_OCCUR},
                {"freed by nobody", FORBIDDEN, "a reference too many: the future is never freed",
                 MAY_OCCUR},
            },
    },
    {
        .name = "ownership/release_against_completion",
        .description = "one fails the future and gives back its handle, another only gives back "
                       "its own: who is last sees all that was written, and frees it once",
        .invariants = "[TASK-2] [FUTURE-2] [FUTURE-5]",
        .attacks = {TASK, "atomic_fetch_sub_explicit(&task->refs, 1, memory_order_acq_rel) == 1)"},
        .broken_by = "release-without-order",
        .state_size = sizeof(struct state),
        .set_up = set_up_for_two,
        .actors = {{"fail and release", act_fail_and_release}, {"release", act_release}},
        .arbiter = arbiter_looks_at_payload,
        .tear_down = tear_down,
        .slots = {{"freed by", {"nobody", "the completer", "the other"}},
                  {"argument", ENDINGS},
                  {"payload", {"never destroyed", "destroyed once", "destroyed twice"}}},
        .outcomes =
            {
                {"freed by the completer, argument destroyed once, payload destroyed once",
                 ACCEPTABLE, "the other had no use for it", MUST_OCCUR},
                {"freed by the other, argument destroyed once, payload destroyed once", ACCEPTABLE,
                 "it frees what the completer left", MUST_OCCUR},
            },
    },
    {
        .name = "ownership/owner_runs_against_reset",
        .description = "the owner would run a task that another holder runs again and again, and "
                       "drops it: no run begins when the argument is being destroyed",
        .invariants = "[FUTURE-5] [TASK-2]",
        .attacks = {"impl/future/future.c", "if (atomic_load(&future->runner) == NULL)"},
        .broken_by = "dropped-while-claimed",
        .state_size = sizeof(struct state),
        .set_up = set_up_for_two,
        .actors = {{"run_and_reset, twice", act_reset_twice}, {"run, drop", act_run_as_owner}},
        .arbiter = arbiter_looks_at_argument,
        .tear_down = tear_down,
        .slots = {{"again", {"no", "yes"}},
                  {"callable", {"not called", "called", "called twice", "called each time"}},
                  {"get", ANSWERS},
                  {"argument", ENDINGS}},
        .outcomes =
            {
                {"argument destroyed twice", FORBIDDEN, "by the owner and by a run", MAY_OCCUR},
                {"get the result, argument destroyed once, ...", ACCEPTABLE,
                 "the owner ran it, before, between or after the others", MUST_OCCUR},
                {"get a cancellation, argument destroyed once, ...", ACCEPTABLE,
                 "the owner came while another ran it, and dropped it", MUST_OCCUR},
            },
    },
    {
        .name = "ownership/owner_runs_against_run",
        .like = "ownership/discard_against_run",
        .description = "the owner would run a task that another holder runs, and drops it: who "
                       "began to run it completes it all the same",
        .invariants = "[FUTURE-5] [FUTURE-1]",
        .attacks = {FUTURE, "|| atomic_load(&future->runner) != NULL)"},
        .broken_by = "dropped-run-cancelled",
        .actors = {{"run", act_run}, {"run, drop", act_run_as_owner}},
        .outcomes =
            {
                {"run completed it, callable called, get the result, argument destroyed once",
                 ACCEPTABLE, "the owner came during the run, or after it", MUST_OCCUR},
                {"run completed nothing, callable called, get the result, argument destroyed once",
                 ACCEPTABLE, "the owner ran it", MUST_OCCUR},
                {"get a cancellation", FORBIDDEN, "the owner ended what another had begun",
                 MAY_OCCUR},
            },
    },
    {
        .name = "ownership/undestroyed_against_reset",
        .description = "the owner would run a task without a destructor that another holder runs "
                       "and leaves to be run again, and drops it: nobody waits for it for ever",
        .invariants = "[FUTURE-5]",
        .attacks = {FUTURE, "if (load_state(future) != GP_NEW && !gp__task_has_destructor("},
        .broken_by = "dropped-without-destructor-stays-new",
        .state_size = sizeof(struct state),
        .set_up = set_up_undestroyed,
        .actors = {{"run_and_reset", act_reset}, {"run, drop", act_run_as_owner}},
        .arbiter = arbiter_asks,
        .tear_down = tear_down,
        .slots = {{"again", {"no", "yes"}},
                  {"callable", {"not called", "called", "called twice"}},
                  {"get", ANSWERS}},
        .outcomes =
            {
                {"get the result, ...", ACCEPTABLE, "the owner ran it, before or after the other",
                 MUST_OCCUR},
                {"get a cancellation, ...", ACCEPTABLE,
                 "the owner came while the other ran it, and dropped it", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
