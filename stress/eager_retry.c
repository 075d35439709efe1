/*
 * The second try of an eager pool, while the pool ends.
 *
 * Two callers find room for one more worker. One of them starts it; the task of the other is
 * rejected by the pool, and offered to the queue once more [EAGER-4]:
 *
 *        submit                        submit                      shutdown
 *        room for a worker
 *                                      room for a worker
 *        start it
 *                                      no more room: rejected
 *                                      shut down? no
 *                                                                  ctl = SHUTDOWN
 *        run, leave                                                TERMINATED
 *                                      offer
 *                                      running? no: take it back, reject it
 *
 *   Upstream has not got the last line, and the task stays in the queue of a pool that has ended.
 *   Who only looks, and does not take the task back, has another problem: shutdown_now may have
 *   handed it to its caller by then.
 */
#include "stress/eager_support.h"

static bool set_up(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    return eager_open(argument, &config, 1, 1, random);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(state->pool);
}

#define STRANDED "accepted and stranded: only freeing the pool has ended it"

const struct scenario eager_retry_races[] = {
    {
        .name = "eager/retry_offer_against_shutdown",
        .description = "a task is offered once more while the pool shuts down: it is run or "
                       "rejected, one of them, and the pool ends",
        .invariants = "[EAGER-1] [EAGER-4] [POOL-1]",
        .attacks = {EAGER, "gp__pool_enqueue(pool, task, gp__linked_offer);"},
        .broken_by = "eager-retry-unchecked",
        .state_size = sizeof(struct eager_state),
        .set_up = set_up,
        .actors = {{"submit", act_submit_one},
                   {"submit", act_submit_other},
                   {"shutdown", act_shutdown}},
        .invariant = eager_invariant,
        .arbiter = eager_judge_two,
        .tear_down = eager_tear_down,
        .slots = {END_SLOTS, {"one", FATES}, {"the other", FATES}},
        .outcomes =
            {
                {"one cancelled", FORBIDDEN, STRANDED, MAY_OCCUR},
                {"the other cancelled", FORBIDDEN, STRANDED, MAY_OCCUR},
                {DRIFTED},
                {"closed, counts nothing, one ran, the other ran", ACCEPTABLE, "both were in time",
                 MUST_OCCUR},
                {"closed, counts nothing, one ran, the other rejected", ACCEPTABLE,
                 "the shutdown came between", MUST_OCCUR},
                {"closed, counts nothing, one rejected, the other ran", ACCEPTABLE,
                 "the shutdown came between", MUST_OCCUR},
                {"closed, counts nothing, one rejected, the other rejected", ACCEPTABLE,
                 "the shutdown came first", MUST_OCCUR},
            },
    },
    {
        .name = "eager/retry_offer_against_shutdown_now",
        .like = "eager/retry_offer_against_shutdown",
        .description = "a task is offered once more while the pool is stopped: it is run, handed "
                       "back or rejected, one of them",
        .invariants = "[EAGER-1] [EAGER-4] [TASK-1]",
        .attacks = {EAGER, "gp__pool_enqueue(pool, task, gp__linked_offer);"},
        .broken_by = "eager-rejects-without-taking-back",
        .actors = {{"submit", act_submit_one},
                   {"submit", act_submit_other},
                   {"shutdown_now", act_shutdown_now}},
        .outcomes =
            {
                {"one cancelled", FORBIDDEN, STRANDED, MAY_OCCUR},
                {"the other cancelled", FORBIDDEN, STRANDED, MAY_OCCUR},
                {DRIFTED},
                {"closed, counts nothing, one ran, the other ran", ACCEPTABLE, "both were in time",
                 MUST_OCCUR},
                {"closed, counts nothing, one ran, the other handed back", ACCEPTABLE,
                 "it was in the queue", MAY_OCCUR},
                {"closed, counts nothing, one handed back, the other ran", ACCEPTABLE,
                 "it was in the queue", MAY_OCCUR},
                {"closed, counts nothing, one ran, the other rejected", ACCEPTABLE,
                 "the pool was stopped between", MUST_OCCUR},
                {"closed, counts nothing, one rejected, the other ran", ACCEPTABLE,
                 "the pool was stopped between", MUST_OCCUR},
                {"closed, counts nothing, one rejected, the other rejected", ACCEPTABLE,
                 "the pool was stopped first", MUST_OCCUR},
                {"closed, counts nothing, one handed back, the other rejected", ACCEPTABLE,
                 "the worker for the other was not admitted any more", MAY_OCCUR},
                {"closed, counts nothing, one rejected, the other handed back", ACCEPTABLE,
                 "the worker for the one was not admitted any more", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
