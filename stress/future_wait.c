/*
 * Those who wait for a future, and those who give up waiting.
 *
 * Who waits pushes a node, which is on its own stack, onto the future's stack of waiters, looks at
 * the state once more and parks. Who completes the future grabs all the nodes at once and unparks
 * their threads. So far this is FutureTask. But a thread that gives up, by time-out or interrupt,
 * takes its node with it; in C the node is gone when the function returns, and a node in the middle
 * of a stack that anybody may grab at any time cannot be unlinked in passing. impl/future/waiters.c
 * therefore has only two operations, push and grab all, and leaving is made of both: grab all, drop
 * the own node, push the rest back.
 *
 * Where it can go wrong:
 *
 *   Leaving without the node [WAITERS-1]. It is then a node in a frame that is no more, and the
 *   next one to grab the stack writes into whatever is there now.
 *
 *   The rest is lost [WAITERS-2]. While one leaves, the others' nodes are in its hands. If it does
 *   not push them back they are in nobody's list, and nobody will ever wake their threads.
 *
 *   Not finding oneself [WAITERS-2]. Two leave at the same time: one has grabbed both nodes, the
 *   other finds the stack empty. Its node is still in use, so it has to try again until it has come
 *   back or was released:
 *
 *        leaver A                      leaver B
 *        grab: A, B
 *                                      grab: nothing. Leave all the same?
 *        push B back                   ... then this is a pointer into the void
 *
 *   The completer comes in between [WAITERS-3]. It finds the stack empty and goes on; the nodes
 *   that come back after that have nobody to wake them but the one who pushed them:
 *
 *        leaver A                      completer                      C, waiting without limit
 *        grab: A, C
 *                                      NEW -> COMPLETING -> NORMAL
 *                                      waiters? none
 *        push C back
 *        state? done: release C        ... or C waits for ever
 *
 *   The interrupt and the result. Both may come at the same time. A wait that ends by the interrupt
 *   has used it up: the flag is down. A wait that ends by the result has not: the flag stays for
 *   who looks next. And a future that has been seen done has a result, whatever the flag says
 *   (JDK-8073704: is_done said yes, and get was interrupted).
 *
 * To have threads leave all the time, some actors wait again and again with a limit that is over,
 * or a flag that is up, before they have begun. The arbiter looks whether a node was left behind:
 * the one place where a scenario needs to see a future from inside.
 */
#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "future/future.h" /* waiters */
#include "stress/answer.h"
#include "stress/scenarios.h"
#include "stress/support.h"

#define WAITERS "impl/future/waiters.c"

struct state {
    gp_future *future;
    int result;
    int64_t limit;        /* of a timed get, in nanoseconds */
    int attempts;         /* of somebody who waits again and again, and gives up ... */
    bool by_time;         /* ... by time-out, rather than by interrupt */
    gp_future *task;      /* whose callable waits for the future; or NULL */
    unsigned char answer; /* that the callable got */
    gp_thread *waiter;    /* who ran it, retained; or NULL */
};

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);

    state->limit = 1 + (int64_t)(random % 2048);
    state->attempts = 1 + (int)(random >> 62);
    state->by_time = (random >> 56 & 15) == 0; /* the slower way: the system wakes us late */
    return gp_future_new(&callable, &state->future) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_future_release(state->future);
    gp_future_release(state->task);
    gp_thread_release(state->waiter);
}

static unsigned char ask(struct state *state)
{
    void *result = NULL;
    int status = gp_future_get(state->future, &result);

    return answer_of(status, result == &state->result);
}

static unsigned char ask_with_limit(struct state *state, int64_t limit)
{
    void *result = NULL;
    int status = gp_future_get_timed(state->future, limit, &result);

    return answer_of(status, result == &state->result);
}

/* A get that is over before it has begun, unless the result is there. */
static unsigned char ask_in_vain(struct state *state)
{
    unsigned char answer;

    if (state->by_time)
        return ask_with_limit(state, 1);
    gp_thread_interrupt(gp_thread_self());
    answer = ask(state);
    gp_interrupted();
    return answer;
}

/* As a value of a slot. */
enum end {
    OTHERWISE,
    WITH_THE_RESULT,
    BY_GIVING_UP
};

#define ENDS                                           \
    {                                                  \
        "ended otherwise", "got the result", "gave up" \
    }

static unsigned char ask_repeatedly(struct state *state)
{
    unsigned char giving_up = state->by_time ? TIME_OUT : INTERRUPT;
    unsigned char answer = giving_up;

    for (int i = 0; i < state->attempts && answer == giving_up; i++)
        answer = ask_in_vain(state);
    if (answer == giving_up)
        return BY_GIVING_UP;
    return answer == THE_RESULT ? WITH_THE_RESULT : OTHERWISE;
}

static void act_set(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_set(state->future, &state->result);
}

/* Who sets has waited in vain before: so it comes when others give up as well. */
static void act_give_up_and_set(void *argument, struct outcome *outcome)
{
    ask_in_vain(argument);
    act_set(argument, outcome);
}

/* Who waits with a limit is woken late; so who sets has to be late at times. */
static void act_set_late(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (state->by_time)
        ask_with_limit(state, state->limit);
    act_set(state, outcome);
}

/* ---- with a limit, and without ---- */

enum {
    LIMITED,
    NODES,
    SECOND,
    THIRD
};

static void act_get_timed(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LIMITED] = ask_with_limit(state, state->limit);
}

static void act_give_up(void *argument, struct outcome *outcome)
{
    outcome->slot[LIMITED] = ask_repeatedly(argument);
}

static void act_give_up_as_second(void *argument, struct outcome *outcome)
{
    outcome->slot[SECOND] = ask_repeatedly(argument);
}

static void act_give_up_as_third(void *argument, struct outcome *outcome)
{
    outcome->slot[THIRD] = ask_repeatedly(argument);
}

static void act_get_as_second(void *argument, struct outcome *outcome)
{
    outcome->slot[SECOND] = ask(argument);
}

static bool has_nodes(const struct state *state)
{
    return atomic_load(&state->future->waiters) != NULL;
}

static void arbiter_looks_for_nodes(void *argument, struct outcome *outcome)
{
    outcome->slot[NODES] = has_nodes(argument);
}

/* ---- a wait that is interrupted: a task waits for the future, and is cancelled ---- */

enum {
    CANCEL,
    GOT,
    FLAG,
    LEFT,
    LEAK
};

static int wait_for_future(void *argument, void **result)
{
    struct state *state = argument;

    (void)result;
    state->answer = ask(state);
    return 0;
}

static bool set_up_with_task(void *argument, uint64_t random)
{
    struct state *state = argument;
    const gp_callable callable = {.call = wait_for_future, .argument = state};

    if (!set_up(state, random))
        return false;
    if (gp_future_new(&callable, &state->task) == GP_OK)
        return true;
    gp_future_release(state->future);
    return false;
}

static void act_run(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LEAK] = gp_interrupted();
    state->waiter = gp_thread_retain(gp_thread_self());
    gp_future_run(state->task);
    outcome->slot[FLAG] = gp_interrupted();
    outcome->slot[GOT] = state->answer;
}

static void act_cancel_task(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[CANCEL] = gp_future_cancel(state->task, true);
}

/* Now and then only when the task is cancelled: then interrupt and result come close together. */
static void act_set_after_cancel(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (state->by_time)
        gp_future_get_timed(state->task, state->limit, NULL);
    act_set(state, outcome);
}

/* Nothing may be lost: neither the result, nor the interrupt, which must not come later. */
static void arbiter_looks_for_all(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LEFT] = has_nodes(state) ? SOMETHING_ELSE : ask(state);
    if (gp_is_interrupted(state->waiter))
        outcome->slot[LEAK] = true;
}

/* ---- seen done, and the flag is up ---- */

enum {
    CAME,
    DONE_GOT,
    DONE_FLAG
};

static void act_get_interrupted(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_thread_interrupt(gp_thread_self());
    outcome->slot[CAME] = gp_future_is_done(state->future);
    outcome->slot[DONE_GOT] = ask(state);
    outcome->slot[DONE_FLAG] = gp_interrupted();
}

/* ---- the family ---- */

const struct scenario future_wait_races[] = {
    {
        .name = "future_wait/timed_get_against_set",
        .description = "a get with a limit races set: it has the result or a time-out, and leaves "
                       "no node behind",
        .invariants = "[WAITERS-1]",
        .attacks = {WAITERS, "leave(future, &node);"},
        .broken_by = "timed-out-node-stays",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"get with a limit", act_get_timed}, {"set", act_set_late}},
        .arbiter = arbiter_looks_for_nodes,
        .tear_down = tear_down,
        .slots = {{"get", ANSWERS}, {"nodes left", {"none", "some"}}},
        .outcomes =
            {
                {"get the result, nodes left none", ACCEPTABLE, "set came in time", MUST_OCCUR},
                {"get a time-out, nodes left none", ACCEPTABLE, "set came too late", MUST_OCCUR},
                {"nodes left some", FORBIDDEN, "a pointer into a frame that is no more", MAY_OCCUR},
            },
    },
    {
        .name = "future_wait/one_gives_up",
        .description = "of two who wait one gives up, again and again, while set is on its way: "
                       "the other is woken",
        .invariants = "[FUTURE-6] [WAITERS-1] [WAITERS-2]",
        .attacks = {WAITERS, "if (last == NULL)"},
        .broken_by = "leaver-keeps-the-rest",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"give up", act_give_up},
                   {"get", act_get_as_second},
                   {"give up and set", act_give_up_and_set}},
        .arbiter = arbiter_looks_for_nodes,
        .tear_down = tear_down,
        .slots = {{"one", ENDS}, {"nodes left", {"none", "some"}}, {"the other got", ANSWERS}},
        .outcomes =
            {
                {"one got the result, nodes left none, the other got the result", ACCEPTABLE,
                 "set came in time for both", MUST_OCCUR},
                {"one gave up, nodes left none, the other got the result", ACCEPTABLE,
                 "set came when one had left", MUST_OCCUR},
            },
    },
    {
        .name = "future_wait/two_give_up",
        .description = "two who wait give up at the same time, and a set may come: neither leaves "
                       "while its node is in the other's hands",
        .invariants = "[WAITERS-1] [WAITERS-2]",
        .attacks = {WAITERS, "while (!atomic_load_explicit(&node->released, memory_order_acquire)"},
        .broken_by = "leaver-tries-only-once",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"give up", act_give_up},
                   {"give up", act_give_up_as_second},
                   {"give up and set", act_give_up_and_set}},
        .arbiter = arbiter_looks_for_nodes,
        .tear_down = tear_down,
        .slots = {{"one", ENDS}, {"nodes left", {"none", "some"}}, {"the other", ENDS}},
        .outcomes =
            {
                {"nodes left some", FORBIDDEN, "a pointer into a frame that is no more", MAY_OCCUR},
                {"one got the result, nodes left none, the other got the result", ACCEPTABLE,
                 "set came in time for both", MUST_OCCUR},
                {"one gave up, nodes left none, the other gave up", ACCEPTABLE,
                 "set came when both had left", MUST_OCCUR},
                {"one got the result, nodes left none, the other gave up", ACCEPTABLE,
                 "set came in between", MAY_OCCUR},
                {"one gave up, nodes left none, the other got the result", ACCEPTABLE,
                 "set came in between", MAY_OCCUR},
            },
    },
    {
        .name = "future_wait/completer_in_between",
        .description = "set comes while the nodes of others are in the hands of one who gives up: "
                       "who pushes them back has to look, or nobody wakes them",
        .invariants = "[FUTURE-6] [WAITERS-3]",
        .attacks = {WAITERS, "if (settled_state(future) != GP_NEW) /* [WAITERS-3] */"},
        .broken_by = "push-back-without-look",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"give up", act_give_up},
                   {"get", act_get_as_second},
                   {"give up", act_give_up_as_third},
                   {"give up and set", act_give_up_and_set}},
        .arbiter = arbiter_looks_for_nodes,
        .tear_down = tear_down,
        .slots = {{"one", ENDS},
                  {"nodes left", {"none", "some"}},
                  {"the patient one got", ANSWERS},
                  {"another", ENDS}},
        .outcomes =
            {
                {"nodes left some", FORBIDDEN, "a pointer into a frame that is no more", MAY_OCCUR},
                {"one ended otherwise", FORBIDDEN, "neither the result nor the interrupt",
                 MAY_OCCUR},
                {"another ended otherwise", FORBIDDEN, "neither the result nor the interrupt",
                 MAY_OCCUR},
                {"one gave up, nodes left none, the patient one got the result, another gave up",
                 ACCEPTABLE, "both had left when set came, or were on their way out", MUST_OCCUR},
                {"one got the result, nodes left none, the patient one got the result, another got "
                 "the result",
                 ACCEPTABLE, "all were still there", MAY_OCCUR},
                {"one gave up, nodes left none, the patient one got the result, another got the "
                 "result",
                 ACCEPTABLE, "the one had left when set came", MAY_OCCUR},
                {"one got the result, nodes left none, the patient one got the result, another "
                 "gave up",
                 ACCEPTABLE, "the other had left when set came", MAY_OCCUR},
            },
    },
    {
        .name = "future_wait/interrupted_get_against_set",
        .description = "who waits is interrupted while set is on its way: the wait ends by one of "
                       "them, and the other one is not lost",
        .invariants = "[FUTURE-4] [FUTURE-6] [WAITERS-1]",
        .attacks = {WAITERS, "if (status == GP_EINTERRUPTED)"},
        .broken_by = "future-interrupt-reported-twice",
        .state_size = sizeof(struct state),
        .set_up = set_up_with_task,
        .actors = {{"run a task that gets", act_run},
                   {"set", act_set_after_cancel},
                   {"cancel(true) the task", act_cancel_task}},
        .arbiter = arbiter_looks_for_all,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"get", ANSWERS},
                  {"flag", {"down", "up"}},
                  {"a later get", ANSWERS},
                  {"next task", {"untouched", "interrupted"}}},
        .outcomes =
            {
                {"next task interrupted", FORBIDDEN, "the interrupt came after its task",
                 MAY_OCCUR},
                {"get an interrupt, flag up", FORBIDDEN, "one interrupt, two effects", MAY_OCCUR},
                {"cancel lost, get an interrupt", FORBIDDEN, "an interrupt from nowhere",
                 MAY_OCCUR},
                {"cancel lost, get the result, flag down, a later get the result, "
                 "next task untouched",
                 ACCEPTABLE, "the task was over first", MUST_OCCUR},
                {"cancel won, get nothing, a later get the result, next task untouched, ...",
                 ACCEPTABLE, "cancelled before it could wait", MUST_OCCUR},
                {"cancel won, get an interrupt, flag down, a later get the result, "
                 "next task untouched",
                 ACCEPTABLE, "interrupted, and the flag is used up; the result is still there",
                 MUST_OCCUR},
                {"cancel won, get the result, flag up, a later get the result, next task untouched",
                 ACCEPTABLE, "the result came first, and the flag stays up for who looks next",
                 MAY_OCCUR},
                {"cancel won, get the result, flag down, a later get the result, "
                 "next task untouched",
                 INTERESTING,
                 "cancelled after the wait, but the runner was gone when cancel looked for it",
                 MAY_OCCUR},
            },
    },
    {
        .name = "future_wait/seen_done",
        .description = "a thread whose flag is up sees the future done, perhaps only COMPLETING: "
                       "its get has the result, not the interrupt",
        .invariants = "[FUTURE-6]",
        .attacks = {WAITERS, "while (settled_state(future) == GP_NEW && status == GP_OK)"},
        .broken_by = "interrupt-beats-done",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"get, interrupted", act_get_interrupted}, {"set", act_set}},
        .tear_down = tear_down,
        .slots = {{"get came", {"early", "late"}}, {"and got", ANSWERS}, {"flag", {"down", "up"}}},
        .outcomes =
            {
                {"get came early, and got an interrupt, flag down", ACCEPTABLE,
                 "it would have had to wait", MUST_OCCUR},
                {"get came early, and got the result, flag up", ACCEPTABLE,
                 "done before it could wait: the flag stays for who looks next", MAY_OCCUR},
                {"get came late, and got the result, flag up", ACCEPTABLE,
                 "seen done, if only COMPLETING: done wins", MUST_OCCUR},
                {"get came late, and got an interrupt", FORBIDDEN,
                 "it had been told that there is nothing to wait for", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
