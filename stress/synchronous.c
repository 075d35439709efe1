/*
 * From hand to hand: the races of a queue that holds nothing.
 *
 * A task passes through the synchronous queue at one moment, in which one puts and another takes.
 * Both calls have to agree that it did. Each side may be the one that waits, and each may give up:
 * because its time is over, because it is interrupted, or at once (offer and poll). Whoever waits
 * stands in a list with a node on its own stack, and what the partner does to the node it does
 * under the lock, while the node is in the list. The dangers are three.
 *
 *   A node that stays behind. Its owner has given up and gone, and somebody hands a task to what is
 *   left of it: the offer says yes, nobody has the task, and the stack of a stranger is written to.
 *   A node is therefore off its list before its owner leaves [SYNCHRONOUS-2]. (In the JDK they were
 *   only left lying about, for the garbage collector to find them still linked: JDK-8332154.) Nor
 *   can it be assumed to be the first of the list:
 *
 *        poll A, 3 us          poll B, 3 us          offer
 *        [A]
 *                              [B, A]
 *        time is up: the list is what was behind A, nothing
 *                              time is up: the list is what was behind B: [A]
 *                                                    to A, who is gone
 *
 *   Two who wait for each other [SYNCHRONOUS-1]. A taker that gets in line without looking whether
 *   a putter stands in the other one stands there for ever, as does the putter.
 *
 *   A task in two places, or in none. A putter that gives up keeps its task; one that was met does
 *   not. What decides is the match, made under the lock, and not what the clock says when its owner
 *   wakes up, or a flag: a taker that was handed a task as its time ran out, and then says that its
 *   time has run out, has lost the task for all. A waiter that does give up has dealt with what
 *   made it do so: the flag is down after GP_EINTERRUPTED (jsr166 forgot that in 2006), or its next
 *   wait ends before it has begun.
 *
 * Histories are explained by a model of a hand-off: a put and a take that were under way at the
 * same time, with nothing in between (harness/check/model_handoff.c). On top of that the tables say
 * whether both sides agree.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"
#include "stress/victim.h"

#define SYNCHRONOUS "impl/queue/synchronous.c"

struct state {
    struct queue_state queue;
    int64_t patience;
    struct victim victim; /* of one scenario */
};

/* Patience that ends while the others come. */
static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;

    state->patience = GP_MICROSECONDS(1 + random % 8);
    return queue_new_synchronous(&state->queue);
}

/* ---- those who put ---- */

enum {
    GIVEN,
    GOT,
    OTHER_GOT
};

static void act_offer(void *argument, struct outcome *outcome)
{
    outcome->slot[GIVEN] = recorded_offer(argument, FIRST, 1) == GP_OK;
}

static void act_offer_timed(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[GIVEN] = recorded_offer_timed(&state->queue, FIRST, 1, state->patience) == GP_OK;
}

static void act_put(void *argument, struct outcome *outcome)
{
    outcome->slot[GIVEN] = recorded_put(argument, FIRST, 1) == GP_OK;
}

/* ---- those who take ---- */

static void act_poll(void *argument, struct outcome *outcome)
{
    outcome->slot[GOT] = recorded_poll(argument, SECOND) == 1;
}

static void act_poll_timed(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[GOT] = recorded_poll_timed(&state->queue, SECOND, state->patience) == 1;
}

static void act_poll_timed_too(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[OTHER_GOT] = recorded_poll_timed(&state->queue, THIRD, state->patience) == 1;
}

static void act_take(void *argument, struct outcome *outcome)
{
    outcome->slot[GOT] = recorded_take(argument, SECOND) == 1;
}

/* ---- interrupted ---- */

/* Again and again, until somebody has the task. */
static void act_put_interrupted(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int status;

    victim_stand(&state->victim);
    do {
        status = recorded_put(&state->queue, FIRST, 1);
        outcome->slot[GIVEN]++;
    } while (status == GP_EINTERRUPTED);
    victim_leave(&state->victim);
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    victim_interrupt(&state->victim);
}

/* ---- the family ---- */

const struct scenario synchronous_races[] = {
    {
        .name = "synchronous/offer_against_timed_poll",
        .description = "a task is offered as a taker's time runs out: both sides say that it was "
                       "handed over, or both that it was not",
        .invariants = "[SYNCHRONOUS-2]",
        .attacks = {SYNCHRONOUS, "*out = node.task;"},
        .broken_by = "synchronous-timeout-after-match",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"offer", act_offer}, {"poll, timed", act_poll_timed}},
        .invariant = queue_invariant,
        .tear_down = queue_tear_down,
        .history = {.model = &model_handoff, .offset = QUEUE_HISTORY},
        .slots = {{"offer", {"found nobody", "handed it over"}}, {"poll", {"gave up", "got it"}}},
        .outcomes =
            {
                {"offer found nobody, poll gave up", ACCEPTABLE,
                 "the taker had not come yet, or had gone", MUST_OCCUR},
                {"offer handed it over, poll got it", ACCEPTABLE, "the taker was waiting",
                 MUST_OCCUR},
                {"offer handed it over, poll gave up", FORBIDDEN, "nobody has the task", MAY_OCCUR},
            },
    },
    {
        .name = "synchronous/put_against_take",
        .description = "one puts, one takes: whoever comes second finds the other, in either order",
        .invariants = "[SYNCHRONOUS-1]",
        .attacks = {SYNCHRONOUS, "gp_task *task = receive(queue); /* [SYNCHRONOUS-1] */"},
        .broken_by = "synchronous-taker-ignores-putter",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"put", act_put}, {"take", act_take}},
        .invariant = queue_invariant,
        .tear_down = queue_tear_down,
        .history = {.model = &model_handoff, .offset = QUEUE_HISTORY},
        .slots = {{"put", {"failed", "handed it over"}}, {"take", {"got nothing", "got it"}}},
        .outcomes =
            {
                {"put handed it over, take got it", ACCEPTABLE, "they met", MUST_OCCUR},
            },
    },
    {
        .name = "synchronous/timed_offer_against_poll",
        .description = "somebody polls as a putter's time runs out: both sides say that it was "
                       "handed over, or both that it was not",
        .invariants = "[SYNCHRONOUS-2]",
        .attacks = {SYNCHRONOUS, "unlink_node(&queue->putters, &node);"},
        .broken_by = "synchronous-timed-out-putter-listed",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"offer, timed", act_offer_timed}, {"poll", act_poll}},
        .invariant = queue_invariant,
        .tear_down = queue_tear_down,
        .history = {.model = &model_handoff, .offset = QUEUE_HISTORY},
        .slots = {{"offer", {"gave up", "handed it over"}}, {"poll", {"found nobody", "got it"}}},
        .outcomes =
            {
                {"offer gave up, poll found nobody", ACCEPTABLE,
                 "the putter had not come yet, or had gone", MUST_OCCUR},
                {"offer handed it over, poll got it", ACCEPTABLE, "the putter was waiting",
                 MUST_OCCUR},
                {"offer gave up, poll got it", FORBIDDEN, "both have the task", MAY_OCCUR},
            },
    },
    {
        .name = "synchronous/two_takers",
        .description =
            "a task is offered while two takers wait and give up: one of them has it, or "
            "nobody was there",
        .invariants = "[SYNCHRONOUS-2]",
        .attacks = {SYNCHRONOUS, "unlink_node(&queue->takers, &node);"},
        .broken_by = "synchronous-unlinks-list-head",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"offer", act_offer},
                   {"poll, timed", act_poll_timed},
                   {"poll, timed", act_poll_timed_too}},
        .invariant = queue_invariant,
        .tear_down = queue_tear_down,
        .history = {.model = &model_handoff, .offset = QUEUE_HISTORY},
        .slots = {{"offer", {"found nobody", "handed it over"}},
                  {"one", {"gave up", "got it"}},
                  {"the other", {"gave up", "got it"}}},
        .outcomes =
            {
                {"offer found nobody, one gave up, the other gave up", ACCEPTABLE,
                 "the takers had not come yet, or had gone", MUST_OCCUR},
                {"offer handed it over, one got it, the other gave up", ACCEPTABLE,
                 "it was the last to come, or the other had gone", MUST_OCCUR},
                {"offer handed it over, one gave up, the other got it", ACCEPTABLE,
                 "it was the last to come, or the other had gone", MUST_OCCUR},
                {"offer handed it over, one gave up, the other gave up", FORBIDDEN,
                 "nobody has the task", MAY_OCCUR},
            },
    },
    {
        .name = "synchronous/interrupted_put",
        .description = "a putter is interrupted as somebody takes: it has handed its task over, or "
                       "has it still and hands it over the second time",
        .invariants = "[SYNCHRONOUS-2] [THREAD-2]",
        .attacks = {"impl/sync/condition.c", "if (status == GP_EINTERRUPTED)"},
        .broken_by = "condition-interrupt-not-consumed",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"put", act_put_interrupted}, {"take", act_take}, {"interrupt", act_interrupt}},
        .invariant = queue_invariant,
        .tear_down = queue_tear_down,
        .history = {.model = &model_handoff, .offset = QUEUE_HISTORY},
        .slots = {{"it took", {"no put", "one put", "two puts"}},
                  {"take", {"got nothing", "got it"}}},
        .outcomes =
            {
                {"it took one put, take got it", ACCEPTABLE, "they met before the interrupt",
                 MUST_OCCUR},
                {"it took two puts, take got it", ACCEPTABLE, "interrupted once, and only once",
                 MUST_OCCUR},
            },
    },
    {.name = NULL},
};
