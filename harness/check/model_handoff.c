/*
 * The hand-off: a queue that holds nothing.
 *
 * A put and the take that gets its task happen at the same moment. A model does one thing after the
 * other, so the put comes first, the take at once after it, and nothing in between:
 *
 *      nobody  -- put 3 -->  3 in the air  -- take gives 3 -->  nobody
 *
 * An order alone would allow the put to have returned before the take was made, as in a queue with
 * room for one. So the model looks at the stamps: the take must have begun before the put ended.
 * (The other way round needs no looking: the put comes before the take in this order, and could not
 * if the take had returned before the put was made.) Nor may a history end with a task in the air.
 */
#include <glasspool/status.h>

#include "harness/check/models.h"

struct handoff {
    uint8_t task;      /* in the air; 0: none is */
    uint8_t put_ended; /* when its put returned; HISTORY_NEVER: it has not */
};

_Static_assert(sizeof(struct handoff) <= LINEAR_STATE, "it is a model's state");

UNOBSERVED static void init(void *state, int parameter)
{
    (void)state;
    (void)parameter;
}

UNOBSERVED static bool put(struct handoff *handoff, const struct history_call *call)
{
    handoff->task = (uint8_t)call->argument;
    handoff->put_ended = (uint8_t)history_end_of(call);
    return history_gave(call, GP_OK);
}

UNOBSERVED static bool take(struct handoff *handoff, const struct history_call *call)
{
    unsigned task = handoff->task;
    bool met = call->began < handoff->put_ended;

    *handoff = (struct handoff){0};
    return met && history_gave(call, task);
}

/* While nothing is in the air. What a pending call gave is not known, so it is taken to have met
   somebody: had it not, it would have had no effect. */
UNOBSERVED static bool apply_to_nobody(struct handoff *handoff, const struct history_call *call)
{
    switch ((enum queue_operation)call->operation) {
    case QUEUE_OFFER:
        return call->result == GP_EFULL || put(handoff, call);
    case QUEUE_PUT:
        return call->result == GP_ETIMEDOUT || put(handoff, call);
    case QUEUE_POLL:
    case QUEUE_PEEK:
        return call->result == GP_EEMPTY;
    case QUEUE_TAKE:
        return call->result == GP_ETIMEDOUT;
    case QUEUE_REMOVE:
        return history_gave(call, GP_ENOTFOUND);
    case QUEUE_SIZE:
    case QUEUE_REMAINING:
        return history_gave(call, 0);
    case QUEUE_DRAIN:
        break;
    }
    return false;
}

UNOBSERVED static bool apply(void *state, const struct history_call *call)
{
    struct handoff *handoff = state;

    if (handoff->task != 0)
        return (call->operation == QUEUE_TAKE || call->operation == QUEUE_POLL) &&
               take(handoff, call);
    if (call->result == GP_EINTERRUPTED || call->result == GP_ENOMEM)
        return true;
    return apply_to_nobody(handoff, call);
}

UNOBSERVED static bool accepts_final(const void *state)
{
    const struct handoff *handoff = state;

    return handoff->task == 0;
}

const struct linear_model model_handoff = {.name = "a hand-off",
                                           .state_size = sizeof(struct handoff),
                                           .init = init,
                                           .apply = apply,
                                           .accepts_final = accepts_final,
                                           .describe = model_describe_queue};
