/*
 * Cancelled, and out of the queue.
 *
 * With remove_on_cancel a cancelled timer does not stay in its pool's queue until it would have
 * been due. Cancel then has two steps, and others may come between and beside them:
 *
 *   1. The state: NEW -> CANCELLED, by one CAS [FUTURE-1]. Of many cancels one wins, and only the
 *      winner goes on to step 2.
 *   2. The queue: take the task back, if it is still there. Who takes it out of the queue owns it
 *      [TASK-1], and ends it: the argument is destroyed, the reference given up.
 *
 *        cancel                              worker
 *        NEW -> CANCELLED
 *                                            take: it is due, and now mine
 *        remove: not found, so not mine
 *                                            run: not NEW, do nothing; end it
 *
 *   A cancel that ended the task because *it* had cancelled it, and not because it had taken it
 *   out, would end it a second time here.
 *
 * Java asks heapIndex first whether the task is queued at all, and 0 is an index: a test for
 * "greater than 0" forgets the head. Here cancel asks the queue in any case.
 *
 * Without remove_on_cancel cancelled timers wait to be purged. Purging moves the ones that stay up
 * into the gaps and makes a heap of them again; each has to learn its new slot, or nobody finds it
 * any more [DELAYED-2].
 *
 * The timers here are hours ahead, and the pool's worker sleeps until the first is due; what the
 * actors do is for them alone, but where one is due at once, and the worker wakes up to compete.
 * The arbiter counts what is left in the queue, ends the pool, and looks at the arguments: each
 * destroyed once, whichever way its timer ended.
 *
 * The races called `..._fast` are the same in a fast pool, whose queue has a lane beside the heap.
 */
#include <glasspool/clock.h>
#include <glasspool/future.h>
#include <glasspool/pool.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "stress/scenarios.h"

#define FUTURE         "impl/future/future.c"
#define HEAP           "impl/queue/heap.h"
#define SCHEDULED_TASK "impl/scheduled/scheduled_task.c"

enum {
    TIMERS = 7, /* hours ahead: three full levels */
    DUE = TIMERS,
    PLACES = DUE + 1
};

struct timer {
    gp_future *future; /* a handle; NULL: there is none */
    int runs;
    int ends; /* how often its argument was destroyed */
};

struct state {
    gp_scheduled *scheduled;
    gp_kind kind;
    struct timer timers[PLACES];
    int head;                /* the earliest */
    int target;              /* some other one */
    gp_future *announcement; /* completed when the due one is scheduled, or could not be */
};

static void run(void *argument)
{
    struct timer *timer = argument;

    timer->runs++;
}

static void end(void *argument)
{
    struct timer *timer = argument;

    timer->ends++;
}

static bool schedule(struct state *state, int place, int64_t delay)
{
    struct timer *timer = &state->timers[place];
    gp_callable callable = {.run = run, .argument = timer, .destroy = end};

    return gp_schedule(state->scheduled, &callable, delay, &timer->future) == GP_OK;
}

/* ---- before and after the race ---- */

static void close_pool(struct state *state)
{
    if (!state->scheduled)
        return;
    gp_pool_shutdown_now(gp_scheduled_pool(state->scheduled), NULL);
    gp_scheduled_close(state->scheduled);
    state->scheduled = NULL;
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    close_pool(state);
    for (int i = 0; i < PLACES; i++)
        gp_future_release(state->timers[i].future);
    gp_future_release(state->announcement);
}

/* The last one is the latest, so it stays in the last slot: the bottom. */
static int64_t delay_of(int place, uint64_t random)
{
    return place == TIMERS - 1 ? GP_SECONDS(7200) : GP_SECONDS(3600 + (random >> 8 * place & 255));
}

static bool schedule_timers(struct state *state, uint64_t random)
{
    for (int i = 0; i < TIMERS; i++) {
        if (!schedule(state, i, delay_of(i, random)))
            return false;
        if (delay_of(i, random) < delay_of(state->head, random))
            state->head = i;
    }
    state->target = (state->head + 1 + (int)(random >> 60) % (TIMERS - 2)) % (TIMERS - 1);
    return true;
}

static bool make_pool(struct state *state, bool remove_on_cancel, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_callable callable = gp_callable_of(run, NULL, NULL);

    config.kind = state->kind;
    config.remove_on_cancel = remove_on_cancel;
    config.time_tasks = false;
    bool ready = gp_scheduled_new(&config, &state->scheduled) == GP_OK &&
                 gp_future_new(&callable, &state->announcement) == GP_OK &&
                 schedule_timers(state, random);
    if (!ready)
        tear_down(state);
    return ready;
}

static void choose_fast(void *argument)
{
    struct state *state = argument;

    state->kind = GP_FAST;
}

static bool set_up(void *argument, uint64_t random)
{
    return make_pool(argument, true, random);
}

static int invariant(void *argument)
{
    struct state *state = argument;

    return gp_pool_check(gp_scheduled_pool(state->scheduled));
}

static unsigned char count_queued(struct state *state)
{
    gp_pool_stats stats;

    gp_pool_statistics(gp_scheduled_pool(state->scheduled), &stats);
    return (unsigned char)stats.queued;
}

enum {
    ONE,
    ANOTHER,
    THE_LAST,
    LEFT,
    ENDS
};

#define ENDINGS                      \
    {                                \
        "once each", "not once each" \
    }

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[LEFT] = count_queued(state);
    close_pool(state);
    for (int i = 0; i < PLACES; i++)
        if (state->timers[i].future && state->timers[i].ends != 1)
            outcome->slot[ENDS] = true;
}

/* ---- head, middle and bottom ---- */

enum {
    TURN = 5
};

/* What a cancel or a removal did. */
enum removal {
    LOST,
    DONE,
    BROKEN
};

static unsigned char cancel(struct state *state, int place)
{
    if (!gp_future_cancel(state->timers[place].future, false))
        return LOST;
    return invariant(state) == 0 ? DONE : BROKEN;
}

static void act_cancel_head(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ONE] = cancel(state, state->head);
}

/* By the number of those that are left it sees how many came before it. */
static void act_cancel_middle(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ANOTHER] = cancel(state, state->target);
    outcome->slot[TURN] = (unsigned char)(TIMERS - count_queued(state));
}

static void act_cancel_bottom(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[THE_LAST] = cancel(state, TIMERS - 1);
}

/* ---- the same one, by many ---- */

static void act_cancel_first(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ONE] = cancel(state, state->target);
}

static void act_cancel_second(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ANOTHER] = gp_future_cancel(state->timers[state->target].future, true);
}

static void act_cancel_third(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[THE_LAST] = cancel(state, state->target);
}

/* ---- one that is being taken ---- */

enum {
    CANCEL,
    RUNS,
    SCHEDULE
};

/* The worker and the canceller wake up for it. */
static void act_schedule_due(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    schedule(state, DUE, 0);
    gp_future_set(state->announcement, state->timers[DUE].future);
    outcome->slot[SCHEDULE] = invariant(state) != 0;
}

static void act_cancel_due(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    void *future = NULL;

    gp_future_get(state->announcement, &future);
    if (future)
        outcome->slot[CANCEL] = gp_future_cancel(future, false);
}

static void arbiter_of_due(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (state->timers[DUE].future)
        gp_future_get(state->timers[DUE].future, NULL);
    arbiter(state, outcome);
    outcome->slot[RUNS] = (unsigned char)state->timers[DUE].runs;
}

/* ---- purge ---- */

enum {
    RUN_OF_DUE = THE_LAST,
    PURGE = TURN
};

/* Three are cancelled, and stay. */
static bool set_up_cancelled(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (!make_pool(state, false, random))
        return false;
    for (int i = 1; i <= 5; i += 2)
        gp_future_cancel(state->timers[(state->target + i) % TIMERS].future, false);
    return true;
}

static void act_purge(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_pool_purge(gp_scheduled_pool(state->scheduled));
    outcome->slot[PURGE] = invariant(state) != 0;
}

static unsigned char remove_timer(struct state *state, int place)
{
    if (!gp_pool_remove(gp_scheduled_pool(state->scheduled), state->timers[place].future))
        return LOST;
    return invariant(state) == 0 ? DONE : BROKEN;
}

static void act_remove_alive(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ONE] = remove_timer(state, state->target);
}

static void act_remove_cancelled(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[ANOTHER] = remove_timer(state, (state->target + 1) % TIMERS);
}

static void act_schedule_and_get(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    if (schedule(state, DUE, 0))
        outcome->slot[RUN_OF_DUE] = gp_future_get(state->timers[DUE].future, NULL) == GP_OK;
}

/* ---- the family ---- */

const struct scenario delayed_cancel_races[] = {
    {
        .name = "delayed_cancel/head_middle_bottom",
        .description = "three threads cancel the head, one from the middle, and the one in the "
                       "last slot, with remove-on-cancel: all three leave the queue, which stays "
                       "a heap",
        .invariants = "[SCHEDULED-2] [DELAYED-1] [DELAYED-2]",
        .attacks = {HEAP, "gp__heap_extract(heap, (size_t)i, is_before);"},
        .broken_by = "delayed-cancel-stale-slot",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"cancel the head", act_cancel_head},
                   {"cancel one from the middle", act_cancel_middle},
                   {"cancel the one at the bottom", act_cancel_bottom}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"the head was", {"not cancelled", "cancelled", "cancelled from no heap"}},
                  {"the middle", {"not cancelled", "cancelled", "cancelled from no heap"}},
                  {"the bottom", {"not cancelled", "cancelled", "cancelled from no heap"}},
                  {"left", {NULL}},
                  {"arguments destroyed", ENDINGS},
                  {"the middle came", {NULL, "first", "second", "third"}}},
        .outcomes =
            {
                {"arguments destroyed not once each", FORBIDDEN, "who took it out ends it",
                 MAY_OCCUR},
                {"the head was cancelled, the middle cancelled, the bottom cancelled, left 4, "
                 "arguments destroyed once each, the middle came first",
                 ACCEPTABLE, "the last slot was still the bottom's", MAY_OCCUR},
                {"the head was cancelled, the middle cancelled, the bottom cancelled, left 4, "
                 "arguments destroyed once each, the middle came second",
                 ACCEPTABLE, "one was gone, or was while it counted", MAY_OCCUR},
                {"the head was cancelled, the middle cancelled, the bottom cancelled, left 4, "
                 "arguments destroyed once each, the middle came third",
                 ACCEPTABLE, "both were gone, or were while it counted", MUST_OCCUR},
                {"the head was cancelled, the middle cancelled, the bottom cancelled", FORBIDDEN,
                 "one that is cancelled is still in the queue", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_cancel/cancel_by_many",
        .description = "three threads cancel the same timer, with remove-on-cancel: one of them "
                       "wins, and takes out this timer and no other",
        .invariants = "[FUTURE-1] [SCHEDULED-2] [TASK-2]",
        .attacks = {FUTURE, "!leave_new(future, may_interrupt ? GP_INTERRUPTING : GP_CANCELLED))"},
        .broken_by = "cancel-ignores-lost-cas",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"cancel", act_cancel_first},
                   {"cancel(true)", act_cancel_second},
                   {"cancel", act_cancel_third}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"one", {"lost", "won", "won and broke the heap"}},
                  {"another", {"lost", "won"}},
                  {"the last", {"lost", "won", "won and broke the heap"}},
                  {"left", {NULL}},
                  {"arguments destroyed", ENDINGS}},
        .outcomes =
            {
                {"arguments destroyed not once each", FORBIDDEN, "who took it out ends it",
                 MAY_OCCUR},
                {"one won, another lost, the last lost, left 6, arguments destroyed once each",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
                {"one lost, another won, the last lost, left 6, arguments destroyed once each",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
                {"one lost, another lost, the last won, left 6, arguments destroyed once each",
                 ACCEPTABLE, "one of three", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_cancel/cancel_against_take",
        .description = "a due timer is cancelled, with remove-on-cancel, while the worker wakes up "
                       "to take it: whoever takes it out of the queue ends it, once",
        .invariants = "[TASK-1] [TASK-2] [SCHEDULED-2]",
        .attacks = {SCHEDULED_TASK, "!gp__pool_take_back(&scheduled->pool, element_of(task)))"},
        .broken_by = "cancel-drops-unowned-timer",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"schedule", act_schedule_due}, {"cancel", act_cancel_due}},
        .invariant = invariant,
        .arbiter = arbiter_of_due,
        .tear_down = tear_down,
        .slots = {{"cancel", {"lost", "won"}},
                  {"the timer", {"did not run", "ran"}},
                  {"schedule left", {"a heap", "no heap"}},
                  {"left", {NULL}},
                  {"arguments destroyed", ENDINGS}},
        .outcomes =
            {
                {"arguments destroyed not once each", FORBIDDEN, "who took it out ends it",
                 MAY_OCCUR},
                {"schedule left no heap", FORBIDDEN, "the others have not moved", MAY_OCCUR},
                {"cancel won, the timer did not run, schedule left a heap, left 7, "
                 "arguments destroyed once each",
                 ACCEPTABLE,
                 "it left the queue, or the worker had it and saw that it was cancelled",
                 MUST_OCCUR},
                {"cancel lost, the timer ran, schedule left a heap, left 7, "
                 "arguments destroyed once each",
                 ACCEPTABLE, "the run was over first", MUST_OCCUR},
                {"cancel won, the timer ran, schedule left a heap, left 7, "
                 "arguments destroyed once each",
                 INTERESTING, "cancelled while it ran", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_cancel/purge_against_remove_and_take",
        .description = "cancelled timers are purged while others remove, one of the cancelled and "
                       "one that is not, and the worker takes a due one: each is found by who "
                       "looks for it first",
        .invariants = "[DELAYED-1] [DELAYED-2] [TASK-1]",
        .attacks = {HEAP, "gp__heapify(heap, is_before);"},
        .broken_by = "delayed-purge-exposes-array",
        .state_size = sizeof(struct state),
        .set_up = set_up_cancelled,
        .actors = {{"purge", act_purge},
                   {"remove one that is alive", act_remove_alive},
                   {"remove one that is cancelled", act_remove_cancelled},
                   {"schedule and get", act_schedule_and_get}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"the one alive was", {"not found", "removed", "removed from no heap"}},
                  {"the cancelled one", {"purged", "removed", "removed from no heap"}},
                  {"the due one", {"did not run", "ran"}},
                  {"left", {NULL}},
                  {"arguments destroyed", ENDINGS},
                  {"purge left", {"a heap", "no heap"}}},
        .outcomes =
            {
                {"the one alive was not found", FORBIDDEN,
                 "it was there, in a slot that it does "
                 "not know of",
                 MAY_OCCUR},
                {"purge left no heap", FORBIDDEN, "it did not make one of what it kept", MAY_OCCUR},
                {"arguments destroyed not once each", FORBIDDEN, "who took it out ends it",
                 MAY_OCCUR},
                {"the due one did not run", FORBIDDEN, "nobody cancelled it", MAY_OCCUR},
                {"the one alive was removed, the cancelled one purged, the due one ran, "
                 "left 3, arguments destroyed once each, purge left a heap",
                 ACCEPTABLE, "purge came first", MUST_OCCUR},
                {"the one alive was removed, the cancelled one removed, the due one ran, "
                 "left 3, arguments destroyed once each, purge left a heap",
                 ACCEPTABLE, "remove came first", MUST_OCCUR},
            },
    },
    SCENARIO_TWIN("delayed_cancel/head_middle_bottom", "delayed_cancel/head_middle_bottom_fast",
                  choose_fast),
    SCENARIO_TWIN("delayed_cancel/cancel_by_many", "delayed_cancel/cancel_by_many_fast",
                  choose_fast),
    {
        .name = "delayed_cancel/cancel_against_take_fast",
        .like = "delayed_cancel/cancel_against_take",
        .description = "the same in a fast pool: the due timer is on the lane",
        .invariants = "[TASK-1] [TASK-2] [SCHEDULED-2] [LANE-5]",
        .choose = choose_fast,
    },
    {
        .name = "delayed_cancel/purge_against_remove_and_take_fast",
        .like = "delayed_cancel/purge_against_remove_and_take",
        .description = "the same in a fast pool: the due timer is on the lane",
        .invariants = "[DELAYED-1] [DELAYED-2] [TASK-1] [LANE-5]",
        .choose = choose_fast,
    },
    {.name = NULL},
};
