/*
 * Failures, and what comes with them.
 *
 * A future that fails has more to say than one that succeeds: a code, a message, and perhaps a
 * payload, something that the failing task owned and now hands over with its destructor. Again one
 * CAS out of NEW decides who completes the future [FUTURE-1]; but here it decides about ownership
 * as well. If fail wins, the payload is the future's and dies with it. If fail loses, the payload
 * is the caller's as before, untouched:
 *
 *        fail(payload)                 set
 *        copy the failure
 *                                      NEW -> COMPLETING -> NORMAL
 *        CAS fails: free the copy, tell the caller, who keeps the payload
 *
 * Where it can go wrong:
 *
 *   A loser's traces. The copy is made before the CAS, since it may want memory. Whatever else is
 *   done before the CAS is done by losers, too: an outcome written there replaces the winner's
 *   [FUTURE-2].
 *
 *   Too well tidied up. The copy has to go when fail loses; what it points to must not.
 *
 *   A failure before its time. Code and outcome are two words. A final state that is there before
 *   both are shows a failure without its message, or without its code (JDK-7132378). COMPLETING
 *   keeps everybody out until they are there; even who has just lost the race and asks at once.
 *
 * The arbiter asks when the payload was destroyed: with the future, if fail won; not at all, if it
 * lost.
 */
#include <glasspool/future.h>
#include <glasspool/status.h>

#include "stress/answer.h"
#include "stress/scenarios.h"
#include "stress/support.h"

#define FUTURE "impl/future/future.c"

enum {
    RESULT = 42,
    CODE = 7
};

struct state {
    gp_future *future;
    int result;
    unsigned char destroyed; /* how often the payload was, whose address this is */
};

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);

    (void)random;
    return gp_future_new(&callable, &state->future) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->future);
}

/* ---- completing ---- */

static bool set(struct state *state)
{
    state->result = RESULT;
    return gp_future_set(state->future, &state->result);
}

static void destroy_payload(void *payload)
{
    unsigned char *destroyed = payload;

    ++*destroyed;
}

static bool fail(struct state *state)
{
    const gp_failure failure = {.code = CODE,
                                .message = "lost",
                                .payload = &state->destroyed,
                                .destroy_payload = destroy_payload};

    return gp_future_fail(state->future, &failure);
}

/* ---- asking ---- */

static unsigned char ask_for_failure(struct state *state)
{
    gp_failure failure;

    if (gp_future_failure(state->future, &failure) == GP_OK && failure.code == CODE &&
        failure.message && failure.payload == &state->destroyed)
        return THE_FAILURE;
    return SOMETHING_ELSE;
}

static unsigned char ask(struct state *state)
{
    void *result = NULL;
    int status = gp_future_get(state->future, &result);

    if (status == GP_EFAILED)
        return ask_for_failure(state);
    return answer_of(status, result == &state->result && *(int *)result == RESULT);
}

enum payload_fate {
    KEPT,
    DESTROYED,
    DESTROYED_TWICE,
    DESTROYED_EARLY
};

#define PAYLOAD_FATES                                                 \
    {                                                                 \
        "kept", "destroyed", "destroyed twice", "destroyed too early" \
    }

/* A payload goes with its future: this ends the future. */
static unsigned char end_of_payload(struct state *state)
{
    if (state->destroyed)
        return DESTROYED_EARLY;
    gp_future_release(state->future);
    state->future = NULL;
    return state->destroyed;
}

/* ---- fail against one other ---- */

enum {
    FAIL,
    OTHER,
    GET,
    PAYLOAD
};

static void act_fail(void *argument, struct outcome *outcome)
{
    outcome->slot[FAIL] = fail(argument);
}

static void act_set(void *argument, struct outcome *outcome)
{
    outcome->slot[OTHER] = set(argument);
}

static void act_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[OTHER] = gp_future_cancel(state->future, false);
}

static void arbiter_asks_for_payload(void *argument, struct outcome *outcome)
{
    outcome->slot[GET] = ask(argument);
    outcome->slot[PAYLOAD] = end_of_payload(argument);
}

/* ---- three, each of whom asks at once ---- */

enum {
    TRIO_SET,
    TRIO_FAIL,
    TRIO_CANCEL,
    SETTER_GOT,
    FAILER_GOT,
    CANCELLER_GOT,
    TRIO_PAYLOAD
};

static void act_set_and_ask(void *argument, struct outcome *outcome)
{
    outcome->slot[TRIO_SET] = set(argument);
    outcome->slot[SETTER_GOT] = ask(argument);
}

static void act_fail_and_ask(void *argument, struct outcome *outcome)
{
    outcome->slot[TRIO_FAIL] = fail(argument);
    outcome->slot[FAILER_GOT] = ask(argument);
}

static void act_cancel_and_ask(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[TRIO_CANCEL] = gp_future_cancel(state->future, false);
    outcome->slot[CANCELLER_GOT] = ask(state);
}

static void arbiter_ends_payload(void *argument, struct outcome *outcome)
{
    outcome->slot[TRIO_PAYLOAD] = end_of_payload(argument);
}

/* ---- the family ---- */

const struct scenario future_failure_races[] = {
    {
        .name = "future_failure/fail_against_set",
        .description = "a failure with a payload races a result: the loser leaves no trace, and "
                       "the payload of a lost failure stays its caller's",
        .invariants = "[FUTURE-1] [FUTURE-2]",
        .attacks = {FUTURE, "gp_failure *copy = copy_failure(failure);"},
        .broken_by = "failure-written-before-cas",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"fail", act_fail}, {"set", act_set}},
        .arbiter = arbiter_asks_for_payload,
        .tear_down = tear_down,
        .slots = {{"fail", {"lost", "won"}},
                  {"set", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"payload", PAYLOAD_FATES}},
        .outcomes =
            {
                {"fail won, set lost, get the failure, payload destroyed", ACCEPTABLE,
                 "fail came first: the payload is the future's", MUST_OCCUR},
                {"fail lost, set won, get the result, payload kept", ACCEPTABLE,
                 "set came first: the payload stays with who tried to fail", MUST_OCCUR},
                {"fail won, set won", FORBIDDEN, "two threads left NEW", MAY_OCCUR},
                {"set won, get something else", FORBIDDEN, "the loser wrote the outcome",
                 MAY_OCCUR},
            },
    },
    {
        .name = "future_failure/fail_against_cancel",
        .description = "a failure with a payload races a cancel: destroyed with the future if fail "
                       "won, untouched if it lost",
        .invariants = "[FUTURE-1]",
        .attacks = {FUTURE, "free(copy);"},
        .broken_by = "lost-failure-destroys-payload",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"fail", act_fail}, {"cancel", act_cancel}},
        .arbiter = arbiter_asks_for_payload,
        .tear_down = tear_down,
        .slots = {{"fail", {"lost", "won"}},
                  {"cancel", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"payload", PAYLOAD_FATES}},
        .outcomes =
            {
                {"fail won, cancel lost, get the failure, payload destroyed", ACCEPTABLE,
                 "fail came first", MUST_OCCUR},
                {"fail lost, cancel won, get a cancellation, payload kept", ACCEPTABLE,
                 "cancel came first", MUST_OCCUR},
                {"fail lost, payload destroyed too early", FORBIDDEN,
                 "the caller was told to keep it, and it is gone", MAY_OCCUR},
            },
    },
    {
        .name = "future_failure/set_fail_cancel",
        .description = "set, fail and cancel race, and all three ask at once: one wins, and each "
                       "gets the winner's story complete",
        .invariants = "[FUTURE-1] [FUTURE-2]",
        .attacks = {FUTURE, "if (!leave_new(future, GP_COMPLETING)) {"},
        .broken_by = "failure-skips-completing",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"set", act_set_and_ask},
                   {"fail", act_fail_and_ask},
                   {"cancel", act_cancel_and_ask}},
        .arbiter = arbiter_ends_payload,
        .tear_down = tear_down,
        .slots = {{"set", {"lost", "won"}},
                  {"fail", {"lost", "won"}},
                  {"cancel", {"lost", "won"}},
                  {"setter got", ANSWERS},
                  {"failer got", ANSWERS},
                  {"canceller got", ANSWERS},
                  {"payload", PAYLOAD_FATES}},
        .outcomes =
            {
                {"set won, fail lost, cancel lost, setter got the result, failer got the result, "
                 "canceller got the result, payload kept",
                 ACCEPTABLE, "the CAS of set came first", MUST_OCCUR},
                {"set lost, fail won, cancel lost, setter got the failure, failer got the failure, "
                 "canceller got the failure, payload destroyed",
                 ACCEPTABLE, "the CAS of fail came first", MUST_OCCUR},
                {"set lost, fail lost, cancel won, setter got a cancellation, failer got a "
                 "cancellation, canceller got a cancellation, payload kept",
                 ACCEPTABLE, "the CAS of cancel came first", MUST_OCCUR},
                {"fail won, setter got something else", FORBIDDEN,
                 "EXCEPTIONAL was there before the failure was", MAY_OCCUR},
                {"fail won, canceller got something else", FORBIDDEN,
                 "EXCEPTIONAL was there before the failure was", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
