/*
 * Who waits for the head, and who wakes whom.
 *
 * Takers of a delayed queue that finds nothing due have to wait until the head is. If all of them
 * waited with the head's time as their limit, all would wake up for one task. So one of them, the
 * leader, waits that long, and the others, the followers, until somebody signals (the
 * leader-follower pattern; JDK-6609775 brought it to the queues). The danger is in the hand-overs:
 * followers have no limit of their own, so one signal too few is a thread that sleeps for ever,
 * with due work in the queue [DELAYED-6].
 *
 *   An earlier head arrives. The leader sleeps until the old head's time, an hour ahead, say. The
 *   new head is due now. offer takes the leader's title away and signals; whoever wakes, the old
 *   leader or a follower, looks again. A queue that signalled only when it had been empty, as
 *   ordinary queues may, would let both sleep for the hour:
 *
 *        taker A             taker B             producer
 *                                                offer(in an hour)      signal
 *        lead, 1 h
 *                            follow
 *                                                offer(now)             signal, or nobody wakes
 *                            wake, take it
 *                            leader? none, and the queue is not empty:  signal
 *        wake, lead, 1 h
 *                                                offer(now)             signal
 *        wake, take it
 *
 *   The leader leaves. It has taken its task, and another one is in the queue. Nobody has a limit
 *   any more. So on its way out a taker signals if there is no leader and still a task:
 *
 *        taker A             taker B             producer
 *                                                offer(in 20 us), offer(in 40 us)
 *        lead, 20 us
 *                            follow
 *        wake, take it
 *        leader? none:       signal
 *                            wake, lead, 20 us
 *                            wake, take it
 *
 *   The title goes astray. It belongs to whoever waits with the head's time as its limit. A leader
 *   that sleeps for an hour and keeps the title while an earlier head arrives makes followers of
 *   all others, and nobody is there when that head falls due. A leader whose limit is over gives it
 *   up before it looks again: the head may be gone (a poll outran it, somebody removed it), and
 *   then it must be able to lead once more, for the next one [DELAYED-5].
 *
 *   A signal meets the end of a wait. The signal for a new head takes the first taker out of the
 *   line, and at that moment the taker's patience ends, or it is interrupted. It was signalled, so
 *   the wait says so [CONDITION-2]; and if it leaves without a task all the same, because its limit
 *   is over or the flag is up by the time it waits again, it passes the signal on:
 *
 *        timed taker         follower            producer
 *        wait, 20 us         wait
 *                                                offer(in 60 us)        signal to the first
 *        wake after 25 us: not due, and too late to wait
 *        leader? none:       signal
 *        leave               wake, lead, 35 us
 *
 *   The moment itself. A head that falls due between two looks at the clock is "not due" for the
 *   first and "no time left to wait" for the second; who takes the latter for "no limit" sleeps
 *   for ever. APR's thread pool loses about one timer in 100,000 so. Each round looks once, and
 *   waits until a time, not for a while [CLOCK-1].
 *
 * A lost signal is a sleep of an hour or without end: a hang, and the watchdog's business. So that
 * nobody waits for ever with a library that is right, there is a task for each taker. What the
 * tables show is who got what: a task each, never one that is not due, never the same.
 *
 * Two ways to wait beside the queue. A producer that wants the takers to be asleep, or the head to
 * be due, waits a while for a future that nobody completes. And a taker that is to be interrupted
 * tells who it is through a future, and waits through another until the interrupt has been sent, so
 * that none is left over for its next turn.
 */
#include <glasspool/clock.h>
#include <glasspool/future.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>
#include <glasspool/task.h>
#include <glasspool/thread.h>

#include "stress/scenarios.h"
#include "stress/support.h"

#define DELAYED   "impl/queue/delayed.c"
#define CONDITION "impl/sync/condition.c"

enum {
    TAKERS = 3
};

/* What a taker got: the number of a task, which the task has as its argument, or what was wrong. */
enum {
    NOTHING,
    FIRST,
    SECOND,
    THIRD,
    FAR,
    TOO_EARLY,
    TOO_LATE,
    INTERRUPT
};

#define GOT                                                                                \
    {                                                                                      \
        "nothing", "the first", "the second", "the third", "the far one", "one too early", \
            "one too late", "an interrupt"                                                 \
    }

struct state {
    gp_queue *queue;
    int numbers[FAR + 1];
    gp_task *taken[TAKERS];
    gp_task *removable; /* a reference */
    int64_t moment;     /* some microseconds, not always the same */
    bool hurry;         /* of the producer: no pause */
    gp_future *never;   /* completed by nobody */
    gp_future *victim;  /* completed with the record of the taker that is to be interrupted */
    gp_future *over;    /* completed when it has been */
};

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;

    for (int i = 0; i <= FAR; i++)
        state->numbers[i] = i;
    state->moment = GP_MICROSECONDS(10 + random % 64);
    state->hurry = random >> 32 & 1;
    return gp_delayed_new(&state->queue) == GP_OK;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    for (int i = 0; i < TAKERS; i++)
        if (state->taken[i])
            gp_task_discard(state->taken[i]);
    if (state->removable)
        gp_task_release(state->removable);
    gp_future_release(state->never);
    gp_future_release(state->victim);
    gp_future_release(state->over);
    gp_queue_free(state->queue);
}

static bool set_up_with_futures(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);
    bool ready = set_up(state, random) && gp_future_new(&callable, &state->never) == GP_OK &&
                 gp_future_new(&callable, &state->victim) == GP_OK &&
                 gp_future_new(&callable, &state->over) == GP_OK;

    if (!ready)
        tear_down(state);
    return ready;
}

static int invariant(void *argument)
{
    struct state *state = argument;

    return gp_queue_check(state->queue);
}

/* ---- offering and taking ---- */

static void offer(struct state *state, int number, int64_t time)
{
    gp_callable callable = gp_callable_of(do_nothing, &state->numbers[number], NULL);
    gp_task *task;

    if (gp_task_new_delayed(&callable, time, (uint64_t)number, &task) == GP_OK &&
        gp_queue_offer(state->queue, task) != GP_OK)
        gp_task_discard(task);
}

static void pause_for(struct state *state, int64_t nanos)
{
    gp_future_get_timed(state->never, nanos, NULL);
}

/* What a call has given, as the value of a slot. */
static unsigned char result_of(int status, const gp_task *task)
{
    if (status != GP_OK)
        return status == GP_EINTERRUPTED ? INTERRUPT : NOTHING;
    int64_t late = gp_time_until(gp_now(), gp_task_time(task));
    if (late < 0)
        return TOO_EARLY;
    return late > GP_SECONDS(5) ? TOO_LATE : (unsigned char)*(int *)gp_task_argument(task);
}

static unsigned char take(struct state *state, int taker)
{
    int status = gp_queue_take(state->queue, &state->taken[taker]);

    return result_of(status, state->taken[taker]);
}

static void act_take_first(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = take(argument, 0);
}

static void act_take_second(void *argument, struct outcome *outcome)
{
    outcome->slot[1] = take(argument, 1);
}

static void arbiter_counts(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[2] = (unsigned char)gp_queue_size(state->queue);
}

/* ---- an earlier head ---- */

static void act_offer_earlier_heads(void *argument, struct outcome *outcome)
{
    int64_t now = gp_now();

    (void)outcome;
    offer(argument, FAR, gp_time_after(now, GP_SECONDS(3600)));
    offer(argument, FIRST, now);
    offer(argument, SECOND, now);
}

/* ---- the next leader ---- */

static void act_offer_a_sequence(void *argument, struct outcome *outcome)
{
    int64_t now = gp_now();

    (void)outcome;
    offer(argument, FIRST, gp_time_after(now, GP_MICROSECONDS(20)));
    offer(argument, SECOND, gp_time_after(now, GP_MICROSECONDS(40)));
}

/* ---- the title taken away ---- */

static void act_offer_far_and_soon(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    offer(state, FAR, gp_time_after(gp_now(), GP_SECONDS(3600)));
    if (!state->hurry)
        pause_for(state, state->moment); /* one of them leads now, and comes after the other */
    int64_t now = gp_now();
    offer(state, FIRST, gp_time_after(now, state->moment));
    offer(state, SECOND, gp_time_after(now, 2 * state->moment));
}

/* ---- a timed poll ---- */

enum {
    FOUND = 3
};

static unsigned char poll_timed(struct state *state, int64_t nanos)
{
    int status = gp_queue_poll_timed(state->queue, nanos, &state->taken[0]);

    return result_of(status, state->taken[0]);
}

static void act_poll_for_a_moment(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[0] = poll_timed(state, state->moment);
}

static void act_offer_a_bit_later(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int64_t now = gp_now();

    (void)outcome;
    offer(state, FIRST, gp_time_after(now, state->moment + GP_MICROSECONDS(40)));
    offer(state, SECOND, gp_time_after(now, state->moment + GP_MICROSECONDS(60)));
}

static void act_poll_then_offer(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[FOUND] = gp_queue_size(state->queue) > 0;
    outcome->slot[0] = poll_timed(state, state->moment);
    offer(state, FIRST, gp_now());
}

static void act_offer_far(void *argument, struct outcome *outcome)
{
    (void)outcome;
    offer(argument, FAR, gp_time_after(gp_now(), GP_SECONDS(3600)));
}

/* ---- a plain poll ---- */

static void act_offer_and_poll(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int64_t now = gp_now();

    offer(state, FIRST, gp_time_after(now, state->moment));
    offer(state, SECOND, gp_time_after(now, state->moment + GP_MICROSECONDS(200)));
    pause_for(state, state->moment);
    int status = gp_queue_poll(state->queue, &state->taken[1]);
    outcome->slot[1] = result_of(status, state->taken[1]);
}

/* ---- the head removed ---- */

enum {
    REMOVAL = 3
};

static void act_offer_and_remove(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_callable callable = gp_callable_of(do_nothing, &state->numbers[FIRST], NULL);
    int64_t time = gp_time_after(gp_now(), state->moment + GP_MICROSECONDS(60));
    int64_t later = gp_time_after(time, GP_MICROSECONDS(150));

    if (gp_task_new_delayed(&callable, time, FIRST, &state->removable) != GP_OK)
        return;
    gp_task_retain(state->removable);
    if (gp_queue_offer(state->queue, state->removable) != GP_OK)
        gp_task_discard(state->removable);
    offer(state, SECOND, later);
    offer(state, THIRD, later);
    if (!state->hurry)
        pause_for(state, state->moment); /* the leader sleeps now */
    outcome->slot[REMOVAL] = gp_queue_remove(state->queue, state->removable) == GP_OK;
    if (outcome->slot[REMOVAL])
        gp_task_discard(state->removable);
}

/* ---- three takers ---- */

enum {
    ALL_THREE = 3
};

static void act_take_third(void *argument, struct outcome *outcome)
{
    outcome->slot[2] = take(argument, 2);
}

static void act_offer_three_at_once(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int64_t time = gp_time_after(gp_now(), state->moment);

    (void)outcome;
    for (int number = FIRST; number <= THIRD; number++)
        offer(state, number, time);
}

static void act_offer_now(void *argument, struct outcome *outcome)
{
    (void)outcome;
    offer(argument, FIRST, gp_now());
}

static void act_offer_soon(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    offer(state, SECOND, gp_time_after(gp_now(), state->moment / 4));
}

static void act_offer_later(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    offer(state, THIRD, gp_time_after(gp_now(), state->moment));
}

/* Did each of the three tasks come to somebody? */
static void arbiter_compares(void *argument, struct outcome *outcome)
{
    unsigned seen = 0;

    (void)argument;
    for (int i = 0; i < TAKERS; i++)
        if (outcome->slot[i] >= FIRST && outcome->slot[i] <= THIRD)
            seen |= 1U << outcome->slot[i];
    outcome->slot[ALL_THREE] = seen == (1U << FIRST | 1U << SECOND | 1U << THIRD);
}

/* ---- interrupts ---- */

enum {
    FLAG = 3
};

/* When the interrupt has been sent. True: it has not been reported yet. */
static bool await_interrupter(struct state *state)
{
    bool noticed = false;

    while (gp_future_get(state->over, NULL) == GP_EINTERRUPTED)
        noticed = true;
    return gp_interrupted() || noticed;
}

static void act_take_as_victim(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_future_set(state->victim, gp_thread_self());
    outcome->slot[0] = take(state, 0);
    outcome->slot[FLAG] = await_interrupter(state);
}

static void interrupt_victim(struct state *state)
{
    void *thread = NULL;

    gp_future_get(state->victim, &thread);
    if (thread)
        gp_thread_interrupt(thread);
    gp_future_set(state->over, NULL);
}

static void act_offer_and_interrupt(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int64_t now = gp_now();

    (void)outcome;
    offer(state, FIRST, gp_time_after(now, 2 * state->moment));
    offer(state, SECOND, gp_time_after(now, 3 * state->moment));
    if (!state->hurry)
        pause_for(state, state->moment);
    interrupt_victim(state);
}

static void act_offer_to_victim(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    gp_future_get(state->victim, NULL);
    offer(state, FIRST, gp_now());
    offer(state, SECOND, gp_now());
}

static void act_interrupt(void *argument, struct outcome *outcome)
{
    (void)outcome;
    interrupt_victim(argument);
}

/* ---- the moment itself ---- */

static void act_take_at_the_moment(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    int64_t called = gp_now();

    outcome->slot[0] = take(state, 0);
    if (state->taken[0])
        outcome->slot[1] = gp_time_until(gp_task_time(state->taken[0]), called) > 0;
}

static void act_offer_at_the_moment(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    offer(state, FIRST, gp_time_after(gp_now(), state->moment / 16));
}

/* ---- the family ---- */

/* Of the two scenarios with three takers. */
#define ONE_EACH                                                                                \
    {                                                                                           \
        {"among them they have not all three", FORBIDDEN, "a task was lost, or came out twice", \
         MAY_OCCUR},                                                                            \
            {"one got the first", ACCEPTABLE, "any order will do", MUST_OCCUR},                 \
            {"another the first", ACCEPTABLE, "any order will do", MUST_OCCUR},                 \
            {"the last the first", ACCEPTABLE, "any order will do", MUST_OCCUR},                \
    }

const struct scenario delayed_leader_races[] = {
    {
        .name = "delayed_leader/earlier_head",
        .description = "a due task arrives while the leader waits for one in an hour: each of two "
                       "takers gets a due one, neither sleeps for the hour",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "if (queue->heap[0].task == task) {"},
        .broken_by = {DELAYED, "if (queue->heap[0].task == task) {", "if (queue->size == 1) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_earlier_heads}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"one got", GOT}, {"the other", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"one got the first, the other the second, left 1", ACCEPTABLE,
                 "the far one stays; who comes first is anybody's", MUST_OCCUR},
                {"one got the second, the other the first, left 1", ACCEPTABLE,
                 "the far one stays; who comes first is anybody's", MUST_OCCUR},
                {"one got one too early", FORBIDDEN, "the far one, an hour early", MAY_OCCUR},
                {"the other one too early", FORBIDDEN, "the far one, an hour early", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/next_leader",
        .description = "the leader leaves with its task while another is in the queue: the "
                       "follower has to be told, since it has no limit of its own",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "if (queue->leader == NULL && queue->size > 0)"},
        .broken_by = {DELAYED, "if (queue->leader == NULL && queue->size > 0)",
                      "if (queue->leader == NULL && queue->size > 1)"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_a_sequence}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"one got", GOT}, {"the other", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"one got the first, the other the second, left 0", ACCEPTABLE,
                 "both were served, in the order of time", MUST_OCCUR},
                {"one got the second, the other the first, left 0", ACCEPTABLE,
                 "both were served, in the order of time", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/title_taken_away",
        .description = "a head that is due in a moment arrives while the leader waits for one in "
                       "an hour: the title is free, and whoever wakes leads for the new head",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "if (queue->heap[0].task == task) {"},
        .broken_by = {DELAYED, "if (queue->heap[0].task == task) {",
                      "if (queue->heap[0].task == task) "
                      "gp__condition_signal(&queue->base.available); "
                      "else if (queue->size == 0) {"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_futures,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer", act_offer_far_and_soon}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"one got", GOT}, {"the other", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"one got the first, the other the second, left 1", ACCEPTABLE,
                 "the far one stays; who leads for the new head is anybody's", MUST_OCCUR},
                {"one got the second, the other the first, left 1", ACCEPTABLE,
                 "the far one stays; who leads for the new head is anybody's", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/leader_interrupted",
        .description = "the leader is interrupted while a follower waits: the task that it waited "
                       "for is not lost, the follower leads",
        .invariants = "[DELAYED-6] [THREAD-2]",
        .attacks = {DELAYED, "if (queue->leader == NULL && queue->size > 0)"},
        .broken_by = {DELAYED, "if (queue->leader == NULL && queue->size > 0)",
                      "if (status == GP_OK && queue->leader == NULL && queue->size > 0)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_futures,
        .actors = {{"take", act_take_as_victim},
                   {"take", act_take_second},
                   {"offer and interrupt", act_offer_and_interrupt}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"the victim got", GOT},
                  {"the other", GOT},
                  {"left", {NULL}},
                  {"the flag is", {"down", "up"}}},
        .outcomes =
            {
                {"the victim got an interrupt, the other the first, left 1, the flag is down",
                 ACCEPTABLE, "it left without a task, and the other did not sleep on", MUST_OCCUR},
                {"the victim got an interrupt, the flag is up", FORBIDDEN,
                 "one interrupt, reported twice", MAY_OCCUR},
                {"the victim got the first, the other the second, left 0, the flag is up",
                 ACCEPTABLE, "the interrupt came when it had its task, or was about to", MAY_OCCUR},
                {"the victim got the second, the other the first, left 0, the flag is up",
                 ACCEPTABLE, "the interrupt came when it had its task, or was about to", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/interrupt_meets_signal",
        .description = "a waiting taker is signalled and interrupted at the same moment: neither "
                       "gets lost, and the interrupt is reported once",
        .invariants = "[CONDITION-2] [THREAD-2] [DELAYED-6]",
        .attacks = {CONDITION, "/* [CONDITION-2] */"},
        .broken_by = {CONDITION, "return GP_OK;                 /* [CONDITION-2] */",
                      "return status;"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_futures,
        .actors = {{"take", act_take_as_victim},
                   {"take", act_take_second},
                   {"offer", act_offer_to_victim},
                   {"interrupt", act_interrupt}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"the victim got", GOT},
                  {"the other", GOT},
                  {"left", {NULL}},
                  {"the flag is", {"down", "up"}}},
        .outcomes =
            {
                {"the victim got an interrupt, the other the first, left 1, the flag is down",
                 ACCEPTABLE, "the interrupt came first", MUST_OCCUR},
                {"the victim got an interrupt, the flag is up", FORBIDDEN,
                 "it was signalled, said that it was interrupted, and kept the flag", MAY_OCCUR},
                {"the victim got the first, the other the second, left 0, the flag is up",
                 ACCEPTABLE, "the signal came first, or with it; the flag waits for the next wait",
                 MUST_OCCUR},
                {"the victim got the second, the other the first, left 0, the flag is up",
                 ACCEPTABLE, "likewise, and the other was quicker", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/timeout_meets_signal",
        .description = "the signal for a new head goes to a timed poll whose patience ends before "
                       "the head is due: it passes the signal on to one who waits without limit",
        .invariants = "[DELAYED-6] [CONDITION-2]",
        .attacks = {DELAYED, "status = GP_ETIMEDOUT;"},
        .broken_by = {DELAYED, "status = GP_ETIMEDOUT;",
                      "pthread_mutex_unlock(&base->lock); return GP_ETIMEDOUT;"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"poll for a moment", act_poll_for_a_moment},
                   {"take", act_take_second},
                   {"offer", act_offer_a_bit_later}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"poll got", GOT}, {"take", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"poll got nothing, take the first, left 1", ACCEPTABLE,
                 "its patience was over, and whoever waits for ever learned of the head",
                 MUST_OCCUR},
                {"poll got the first, take the second, left 0", ACCEPTABLE,
                 "it woke up late, and a due head counts for more than a limit that is over",
                 MAY_OCCUR},
                {"poll got the second, take the first, left 0", ACCEPTABLE,
                 "likewise, and the other was quicker", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/timed_poll_against_leader",
        .description = "a poll with a limit of microseconds and a take without one wait for a head "
                       "in an hour: the poll must not lead, or it would sleep for the hour",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "gp_time_until(deadline, queue->heap[0].time) < 0)"},
        .broken_by = {DELAYED, "gp_time_until(deadline, queue->heap[0].time) < 0)",
                      "gp_time_until(deadline, queue->heap[0].time) > 0)"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"poll for a moment, then offer", act_poll_then_offer},
                   {"take", act_take_second},
                   {"offer", act_offer_far}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"poll got", GOT},
                  {"take", GOT},
                  {"left", {NULL}},
                  {"poll found", {"no task", "the far one"}}},
        .outcomes =
            {
                {"poll got one too early", FORBIDDEN, "the far one, an hour early", MAY_OCCUR},
                {"poll got nothing, take the first, left 1, poll found no task", ACCEPTABLE,
                 "the far one came while it waited, or after", MUST_OCCUR},
                {"poll got nothing, take the first, left 1, poll found the far one", ACCEPTABLE,
                 "the far one was the head from the start, and was left to somebody else",
                 MUST_OCCUR},
            },
    },
    {
        .name = "delayed_leader/leader_outrun",
        .description = "a plain poll takes the head as it falls due and the leader wakes up for "
                       "it: the leader gets it, or leads again for the next one",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "if (queue->leader == self) /* [DELAYED-5] */"},
        .broken_by = {DELAYED, "if (queue->leader == self) /* [DELAYED-5] */",
                      "if (queue->leader == self && status != GP_ETIMEDOUT)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_futures,
        .actors = {{"take", act_take_first}, {"offer and poll", act_offer_and_poll}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"take got", GOT}, {"poll", GOT}, {"left", {NULL}}},
        .outcomes =
            {
                {"take got the first, poll nothing, left 1", ACCEPTABLE,
                 "the leader was there when the head fell due", MAY_OCCUR},
                {"take got the second, poll the first, left 0", ACCEPTABLE,
                 "the poll outran the leader, which went on to wait for the next", MUST_OCCUR},
                {"take got the first, poll the second, left 0", INTERESTING,
                 "the poll came so late that both had fallen due", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/head_removed",
        .description = "the head is removed while the leader sleeps until its time: the leader "
                       "looks again, and takes the next one when that is due, not before",
        .invariants = "[DELAYED-5] [DELAYED-6]",
        .attacks = {DELAYED, "status = await_head(queue, deadline);"},
        .broken_by = {DELAYED, "status = await_head(queue, deadline);",
                      "status = await_head(queue, deadline); "
                      "if (status == GP_ETIMEDOUT && queue->size > 0) "
                      "{ *out = finish_poll(queue); status = GP_OK; break; }"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_futures,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"offer and remove", act_offer_and_remove}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"one got", GOT},
                  {"the other", GOT},
                  {"left", {NULL}},
                  {"remove", {"came too late", "took the first"}}},
        .outcomes =
            {
                {"one got one too early", FORBIDDEN, "the leader believed its alarm", MAY_OCCUR},
                {"the other one too early", FORBIDDEN, "the leader believed its alarm", MAY_OCCUR},
                {"one got the second, the other the third, left 0, remove took the first",
                 ACCEPTABLE, "the leader woke up for nothing, and led again", MUST_OCCUR},
                {"one got the third, the other the second, left 0, remove took the first",
                 ACCEPTABLE, "the leader woke up for nothing, and led again", MUST_OCCUR},
                {"one got the first, the other the second, left 1, remove came too late",
                 ACCEPTABLE, "the leader had it already", MAY_OCCUR},
                {"one got the second, the other the first, left 1, remove came too late",
                 ACCEPTABLE, "the leader had it already", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_leader/last_follower",
        .description = "three tasks fall due at once, and three takers wait: each that leaves "
                       "tells the next, down to the last one",
        .invariants = "[DELAYED-6] [QUEUE-1]",
        .attacks = {DELAYED, "gp__condition_signal(&base->available);"},
        .broken_by = {DELAYED, "if (queue->leader == NULL && queue->size > 0)",
                      "if (queue->leader == NULL && queue->size > 0 && base->takers > 1)"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"take", act_take_third},
                   {"offer three", act_offer_three_at_once}},
        .invariant = invariant,
        .arbiter = arbiter_compares,
        .tear_down = tear_down,
        .slots = {{"one got", GOT},
                  {"another", GOT},
                  {"the last", GOT},
                  {"among them", {"they have not all three", "they have all three"}}},
        .outcomes = ONE_EACH,
    },
    {
        .name = "delayed_leader/many_offers",
        .description = "three producers offer, three takers take, all at once: new heads, leaders "
                       "and followers in any order, and everybody gets one",
        .invariants = "[DELAYED-5] [DELAYED-6] [CONDITION-1]",
        .attacks = {CONDITION, "condition->last = waiter->previous;"},
        .broken_by = {CONDITION, "condition->last = waiter->previous;", "condition->last = NULL;"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"take", act_take_first},
                   {"take", act_take_second},
                   {"take", act_take_third},
                   {"offer now", act_offer_now},
                   {"offer soon", act_offer_soon},
                   {"offer later", act_offer_later}},
        .invariant = invariant,
        .arbiter = arbiter_compares,
        .tear_down = tear_down,
        .slots = {{"one got", GOT},
                  {"another", GOT},
                  {"the last", GOT},
                  {"among them", {"they have not all three", "they have all three"}}},
        .outcomes = ONE_EACH,
    },
    {
        .name = "delayed_leader/due_while_looking",
        .description = "the head falls due while a taker decides how long to wait for it: the "
                       "taker does not go to sleep on a task that is due",
        .invariants = "[CLOCK-1] [DELAYED-6]",
        .attacks = {DELAYED, "gp__queue_await_task(&queue->base, queue->heap[0].time);"},
        .broken_by = {DELAYED,
                      "int status = gp__queue_await_task(&queue->base, queue->heap[0].time);",
                      "int64_t rest = gp_time_until(queue->heap[0].time, gp_now()); int status = "
                      "gp__queue_await_task(&queue->base, "
                      "rest > 0 ? queue->heap[0].time : GP__NO_DEADLINE);"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"take", act_take_at_the_moment}, {"offer", act_offer_at_the_moment}},
        .invariant = invariant,
        .arbiter = arbiter_counts,
        .tear_down = tear_down,
        .slots = {{"take got", GOT},
                  {"it came when the task was", {"due", "not due"}},
                  {"left", {NULL}}},
        .outcomes =
            {
                {"take got the first, it came when the task was not due, left 0", ACCEPTABLE,
                 "it waited, or the task fell due before it could", MUST_OCCUR},
                {"take got the first, it came when the task was due, left 0", ACCEPTABLE,
                 "the offer was over long before", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
