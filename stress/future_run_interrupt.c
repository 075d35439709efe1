/*
 * Interrupts of a run: they reach the runner, and the runner ends what comes with them.
 *
 *   An interrupt that reaches nobody. A run and a canceller each write one of two words and then
 *   look at the other (future_run.c): who claims looks at the state again, who cancels looks for
 *   the runner after it has left NEW. If either looks first, or not at all, a task can begin that
 *   is cancelled already, and that nobody interrupts:
 *
 *        run                           cancel(true)
 *        state is NEW
 *                                      NEW -> INTERRUPTING, runner? nobody
 *                                      -> INTERRUPTED
 *        runner: nobody -> me
 *        call                          ... and whatever it waits for, it waits
 *
 *   So there is a task here that waits for nothing but its interrupt.
 *
 *   Signals ended by the wrong one. Who is interrupted by signals has to end them itself, and the
 *   future is HANDED_OVER to it until it has. Somebody else may claim the future in that moment,
 *   and has to wait. The kernel's timers, which send the signals, are not to be had on the
 *   explorer: so the task here hands its future over to another, as a canceller would. And who is
 *   about to leave waits for the hand-over itself, not for what is written before it: or it ends
 *   the signals, says so, and the canceller's word comes after that, and stands for ever.
 */
#include <stdatomic.h>
#include <stdint.h>

#include <pthread.h>

#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "future/future.h" /* HANDED_OVER */
#include "stress/scenarios.h"

#define FUTURE "impl/future/future.c"

/* Plain data on purpose: the library orders one run after the other. */
struct state {
    gp_future *future;
    gp_future *other;  /* that the task or the canceller waits for */
    gp_thread *runner; /* who ran, retained; NULL: nobody yet */
    int ended;         /* the signals were, by the one they go to */
    int wait;          /* how the wait of the task ended */
};

static bool set_up(struct state *state, gp_call_fn *its_call)
{
    const gp_callable callable = {.call = its_call, .argument = state};

    if (gp_future_new(&callable, &state->other) != GP_OK)
        return false;
    if (gp_future_new(&callable, &state->future) == GP_OK)
        return true;
    gp_future_release(state->other);
    return false;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->future);
    gp_future_release(state->other);
    gp_thread_release(state->runner);
}

/* ---- a task that waits to be interrupted ---- */

enum {
    INTERRUPTED_CANCEL,
    WAIT
};

enum wait {
    NO_WAIT,
    ENDED_BY_INTERRUPT,
    ENDED_OTHERWISE
};

static int wait_for_interrupt(void *argument, void **result)
{
    struct state *state = argument;
    int status = gp_future_get(state->other, NULL);

    (void)result;
    state->wait = status == GP_EINTERRUPTED ? ENDED_BY_INTERRUPT : ENDED_OTHERWISE;
    return 0;
}

static bool set_up_waiting(void *argument, uint64_t random)
{
    struct state *state = argument;

    (void)random;
    return set_up(state, wait_for_interrupt);
}

static void act_run_waiting(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_run(state->future);
    gp_interrupted(); /* it may have come before the call */
    outcome->slot[WAIT] = (unsigned char)state->wait;
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[INTERRUPTED_CANCEL] = gp_future_cancel(state->future, true);
}

/* ---- a future that is handed over to another ---- */

enum {
    LEFT
};

static int hand_over(void *argument, void **result)
{
    struct state *state = argument;
    gp_task *task = &state->future->task;

    (void)result;
    atomic_store(&task->word.outcome, (uintptr_t)state); /* no thread's record: not the runner's */
    atomic_store(&task->state, GP__HANDED_OVER);
    gp_future_set(state->other, NULL);
    return 0;
}

static bool set_up_handed_over(void *argument, uint64_t random)
{
    struct state *state = argument;

    (void)random;
    return set_up(state, hand_over);
}

static void act_run_handed_over(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_run(state->future);
    outcome->slot[LEFT] = (unsigned char)state->ended;
}

static void act_end_signals(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_get(state->other, NULL);
    state->ended = true;
    atomic_store(&state->future->task.state, GP_INTERRUPTED);
}

/* ---- a future that is handed over to a runner that leaves ---- */

enum {
    HANDED,
    STATE
};

static int tell_who_runs(void *argument, void **result)
{
    struct state *state = argument;

    (void)result;
    state->runner = gp_thread_retain(gp_thread_self());
    gp_future_set(state->other, NULL);
    return 0;
}

static bool set_up_to_hand_over(void *argument, uint64_t random)
{
    struct state *state = argument;

    (void)random;
    return set_up(state, tell_who_runs);
}

/* As one who cancels does that has begun to send signals. */
static void act_hand_over(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task = &state->future->task;
    unsigned char expected = GP_NEW;

    gp_future_get(state->other, NULL);
    if (!atomic_compare_exchange_strong(&task->state, &expected, GP_INTERRUPTING))
        return;
    pthread_mutex_lock(&state->runner->lock);
    state->runner->task_interrupts++;
    pthread_mutex_unlock(&state->runner->lock);
    atomic_store(&task->word.outcome, (uintptr_t)state->runner);
    atomic_store(&task->state, GP__HANDED_OVER);
    outcome->slot[HANDED] = true;
}

static void act_run_alone(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_run(state->future);
}

static void arbiter_sees_state(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_future_state now = gp_future_state_of(state->future);

    outcome->slot[STATE] = now == GP_NORMAL ? 1 : now == GP_INTERRUPTED ? 2 : 0;
}
/* ---- the family ---- */

const struct scenario future_run_interrupt_races[] = {
    {
        .name = "future_run/interrupt_against_call",
        .description = "cancel(true) races the begin of a run whose callable waits for nothing "
                       "else: it is interrupted, or not called",
        .invariants = "[FUTURE-3]",
        .attacks = {FUTURE, "gp_thread *runner = atomic_load(&future->runner);"},
        .broken_by = "cancel-reads-runner-early",
        .state_size = sizeof(struct state),
        .set_up = set_up_waiting,
        .actors = {{"run", act_run_waiting}, {"cancel(true)", act_interrupt}},
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"the wait", {"did not begin", "was interrupted", "ended otherwise"}}},
        .outcomes =
            {
                {"cancel won, the wait was interrupted", ACCEPTABLE,
                 "one of the two saw the other: here the canceller the runner", MUST_OCCUR},
                {"cancel won, the wait did not begin", ACCEPTABLE,
                 "cancelled before the call: the runner saw it", MUST_OCCUR},
            },
    },
    {
        .name = "future_run/handed_over_to_another",
        .description = "a runner leaves a future whose signals somebody else is to end: it waits "
                       "until they are",
        .invariants = "[FUTURE-4]",
        .attacks = {FUTURE, "outcome_of(future) == self) {"},
        .broken_by = "signals-ended-by-another",
        .state_size = sizeof(struct state),
        .set_up = set_up_handed_over,
        .actors = {{"run", act_run_handed_over}, {"end the signals", act_end_signals}},
        .tear_down = tear_down,
        .slots = {{"the run ended", {"before the signals", "after the signals"}}},
        .outcomes =
            {
                {"the run ended after the signals", ACCEPTABLE, "it was not its business",
                 MUST_OCCUR},
                {"the run ended before the signals", FORBIDDEN,
                 "its thread ended what goes to another, which it goes on to reach", MAY_OCCUR},
            },
    },
    {
        .name = "future_run/handed_over_to_one_who_leaves",
        .description =
            "a future is handed over to its runner, who is to end the signals, when that "
            "one has returned from the call: it waits for the hand-over, and ends them",
        .invariants = "[FUTURE-4]",
        .attacks = {FUTURE, "if (state == GP__HANDED_OVER && outcome_of(future) == self) {"},
        .broken_by = "signals-ended-too-early",
        .state_size = sizeof(struct state),
        .set_up = set_up_to_hand_over,
        .actors = {{"run", act_run_alone}, {"hand over", act_hand_over}},
        .arbiter = arbiter_sees_state,
        .tear_down = tear_down,
        .slots = {{"the hand-over", {"came too late", "succeeded"}},
                  {"the future is", {"on its way", "done", "interrupted"}}},
        .outcomes =
            {
                {"the hand-over came too late, the future is done", ACCEPTABLE,
                 "the run had completed it", MUST_OCCUR},
                {"the hand-over succeeded, the future is interrupted", ACCEPTABLE,
                 "the runner has ended the signals", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
