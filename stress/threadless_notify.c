/*
 * No answer will come: the waiting future is failed instead, and the caller comes back.
 *
 * The notification stands in line with the tasks, and is run by whoever runs them. Whether the
 * answer or the notification completes the future is decided there; each must see to what the other
 * brought [THREADLESS-6].
 */
#include "stress/threadless_support.h"

enum {
    WAIT = ONE_JOB,
    ANSWER,
    ONE_PAYLOAD,
    OTHER_PAYLOAD
};

#define PAYLOAD                                   \
    {                                             \
        "was destroyed", "was not destroyed once" \
    }

static void act_wait(void *argument, struct outcome *outcome)
{
    outcome->slot[WAIT] = threadless_wait(argument);
}

static void act_notify(void *argument, struct outcome *outcome)
{
    (void)outcome;
    threadless_notify(argument, 0);
}

static void act_notify_too(void *argument, struct outcome *outcome)
{
    (void)outcome;
    threadless_notify(argument, 1);
}

/* The answer is read before it is given up, its payload after. */
static void judge(struct threadless_state *state, struct outcome *outcome, int payloads)
{
    threadless_judge(state, outcome, 0);
    outcome->slot[ANSWER] = threadless_answered(state);
    gp_future_release(state->answer);
    state->answer = NULL;
    for (int i = 0; i < payloads; i++)
        outcome->slot[ONE_PAYLOAD + i] = threadless_destroyed(state, i);
}

static void arbiter_of_one(void *argument, struct outcome *outcome)
{
    judge(argument, outcome, 1);
}

static void arbiter_of_two(void *argument, struct outcome *outcome)
{
    judge(argument, outcome, 2);
}

/* ---- against the answer ---- */

static void set_answer(void *context)
{
    gp_future_set(context, NULL);
}

static bool set_up_answer(void *argument, uint64_t random)
{
    struct threadless_state *state = argument;

    if (!threadless_open(state, random))
        return false;
    state->base.jobs[0].body = set_answer;
    state->base.jobs[0].context = state->answer;
    return true;
}

/* ---- the family ---- */

const struct scenario threadless_notify_races[] = {
    {
        .name = "threadless_notify/notify_against_wait",
        .description = "a caller that waits for its answer is told that none will come: it comes "
                       "back, and the future is failed",
        .invariants = "[THREADLESS-4] [THREADLESS-6]",
        .attacks = {THREADLESS, "put(threadless, &threadless->notification);"},
        .broken_by = "threadless-unsent-notification",
        .state_size = sizeof(struct threadless_state),
        .set_up = threadless_set_up,
        .actors = {{"wait", act_wait}, {"notify", act_notify}},
        .invariant = threadless_invariant,
        .arbiter = arbiter_of_one,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS},
                  {"the wait", DRAINED},
                  {"the future", ANSWERED},
                  {"the payload", PAYLOAD}},
        .outcomes =
            {
                {"closed, the wait came back, the future was failed, the payload was destroyed",
                 ACCEPTABLE, "whoever came first", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_notify/notify_against_answer",
        .like = "threadless_notify/notify_against_wait",
        .description = "the answer and a notification reach a caller that waits: one of them "
                       "completes the future, and the payload is destroyed in either case",
        .invariants = "[THREADLESS-6]",
        .attacks = {THREADLESS,
                    "if (!gp_future_fail(threadless->waiting_future, &threadless->failure))"},
        .broken_by = "threadless-leaked-payload",
        .set_up = set_up_answer,
        .actors = {{"wait", act_wait}, {"execute", act_execute_one}, {"notify", act_notify}},
        .outcomes =
            {
                {"closed, the wait came back, the future has its result, the payload was "
                 "destroyed",
                 ACCEPTABLE, "the answer came first", MUST_OCCUR},
                {"closed, the wait came back, the future was failed, the payload was destroyed",
                 ACCEPTABLE, "the notification came first", MUST_OCCUR},
            },
    },
    {
        .name = "threadless_notify/two_notifies",
        .description = "a caller that waits is told twice that no answer will come: one of the two "
                       "fails the future, and neither payload is lost",
        .invariants = "[THREADLESS-6]",
        .attacks = {THREADLESS, "bool first = !threadless->notified;"},
        .broken_by = "threadless-node-linked-twice",
        .state_size = sizeof(struct threadless_state),
        .set_up = threadless_set_up,
        .actors = {{"wait", act_wait}, {"notify", act_notify}, {"notify", act_notify_too}},
        .invariant = threadless_invariant,
        .arbiter = arbiter_of_two,
        .tear_down = threadless_tear_down,
        .slots = {{NULL, ENDS},
                  {"the wait", DRAINED},
                  {"the future", ANSWERED},
                  {"one payload", PAYLOAD},
                  {"the other payload", PAYLOAD}},
        .outcomes =
            {
                {"closed, the wait came back, the future was failed, one payload was destroyed, "
                 "the other payload was destroyed",
                 ACCEPTABLE, "the one came first", MUST_OCCUR},
                {"closed, the wait came back, the future was failed by the other, one payload was "
                 "destroyed, the other payload was destroyed",
                 ACCEPTABLE, "the other came first", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
