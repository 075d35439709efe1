/*
 * The future: whoever comes first completes it, and everybody else finds it done.
 *
 * Of the seven states three moments can be told apart from outside: new, done, and how. COMPLETING
 * and INTERRUPTING are done already: is_done says so, and get waits for what is on its way.
 *
 * A run takes its turn where it completes the future. One that gives false has found it done, or
 * found somebody else running it, who may complete it later or not at all. The second cannot be
 * told from the calls that are done, so false is taken as it is; a future that nobody completes
 * shows elsewhere, as a get that waits for ever.
 *
 * A get that is interrupted must not have found it done (JDK-8073704).
 */
#include <stdio.h> /* snprintf */

#include <glasspool/status.h>

#include "harness/check/models.h"

enum condition {
    NEW,
    NORMAL,
    FAILURE,
    CANCELLATION
};

struct future {
    enum condition condition;
    int32_t result; /* if NORMAL, else 0 */
};

_Static_assert(sizeof(struct future) <= LINEAR_STATE, "it is a model's state");

UNOBSERVED static void init(void *state, int parameter)
{
    (void)state;
    (void)parameter;
}

UNOBSERVED static bool complete(struct future *future, const struct history_call *call,
                                enum condition condition)
{
    bool first = future->condition == NEW;

    if (first) {
        future->condition = condition;
        future->result = condition == NORMAL ? call->argument : 0;
    }
    return history_gave(call, first);
}

UNOBSERVED static bool run(struct future *future, const struct history_call *call)
{
    if (!history_is_pending(call) && !call->result)
        return true;
    return future->condition == NEW &&
           complete(future, call, call->argument < 0 ? FAILURE : NORMAL);
}

UNOBSERVED static bool run_and_reset(const struct future *future, const struct history_call *call)
{
    return history_gave(call, false) || (future->condition == NEW && history_gave(call, true));
}

UNOBSERVED static bool get(const struct future *future, const struct history_call *call)
{
    switch (future->condition) {
    case NEW:
        return call->result == GP_ETIMEDOUT || call->result == GP_EINTERRUPTED ||
               call->result == GP_EDEADLK;
    case NORMAL:
        return history_gave(call, future->result);
    case FAILURE:
        return history_gave(call, GP_EFAILED);
    case CANCELLATION:
        return history_gave(call, GP_ECANCELLED);
    }
    return false;
}

UNOBSERVED static bool apply(void *state, const struct history_call *call)
{
    struct future *future = state;

    if (call->result == GP_ENOMEM)
        return true;
    switch ((enum future_operation)call->operation) {
    case FUTURE_SET:
        return complete(future, call, NORMAL);
    case FUTURE_FAIL:
        return complete(future, call, FAILURE);
    case FUTURE_CANCEL:
        return complete(future, call, CANCELLATION);
    case FUTURE_RUN:
        return run(future, call);
    case FUTURE_RUN_AND_RESET:
        return run_and_reset(future, call);
    case FUTURE_GET:
        return get(future, call);
    case FUTURE_IS_DONE:
        return history_gave(call, future->condition != NEW);
    case FUTURE_IS_CANCELLED:
        return history_gave(call, future->condition == CANCELLATION);
    }
    return false;
}

/* ---- in words ---- */

static const struct {
    const char *name;
    bool has_argument;
} operations[] = {
    [FUTURE_SET] = {"set", true},
    [FUTURE_FAIL] = {"fail", false},
    [FUTURE_CANCEL] = {"cancel", false},
    [FUTURE_RUN] = {"run", true},
    [FUTURE_RUN_AND_RESET] = {"run_and_reset", false},
    [FUTURE_GET] = {"get", false},
    [FUTURE_IS_DONE] = {"is_done", false},
    [FUTURE_IS_CANCELLED] = {"is_cancelled", false},
};

static void describe_result(const struct history_call *call, char *text)
{
    if (call->result < 0)
        snprintf(text, LINEAR_WORD, "%s", model_status(call->result));
    else if (call->operation == FUTURE_GET)
        snprintf(text, LINEAR_WORD, "%d", (int)call->result);
    else
        snprintf(text, LINEAR_WORD, "%s", call->result ? "true" : "false");
}

static void describe(const struct history_call *call, struct linear_words *words)
{
    bool known = call->operation < sizeof operations / sizeof operations[0];
    const char *name = known ? operations[call->operation].name : "an unknown operation";

    if (known && operations[call->operation].has_argument)
        snprintf(words->invocation, LINEAR_WORD, "%s %d", name, (int)call->argument);
    else
        snprintf(words->invocation, LINEAR_WORD, "%s", name);
    describe_result(call, words->response);
}

const struct linear_model model_future = {.name = "a future",
                                          .state_size = sizeof(struct future),
                                          .init = init,
                                          .apply = apply,
                                          .describe = describe};
