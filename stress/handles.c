/*
 * Handles that are counted: of threads' records, and of threadless executors.
 *
 * Whoever holds a handle may make another, and two may do so at once. The count that they raise
 * decides who frees what it counts:
 *
 *        retain, release               retain, release
 *        refs: 2
 *                                      refs: 2
 *        refs = 3
 *                                      refs = 3, and four are held
 *        release: 2                    release: 1, release: 0, freed
 *        release ...                   of what is gone
 *
 * (Tasks and futures are counted, too: ownership.c has them.)
 */
#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>
#include <glasspool/threadless.h>

#include "stress/scenarios.h"
#include "stress/support.h"

#define THREAD     "impl/sync/thread.c"
#define THREADLESS "impl/rpc/threadless.c"

/* ---- records of threads ---- */

struct record_state {
    gp_thread *record; /* never started; one reference for each actor */
};

enum {
    NAME,
    OTHER_NAME
};

static bool set_up_record(void *argument, uint64_t random)
{
    const gp_thread_config config = {.name = "a name"};
    struct record_state *state = argument;

    (void)random;
    if (gp_thread_new(&config, do_nothing, NULL, &state->record) != GP_OK)
        return false;
    gp_thread_retain(state->record);
    return true;
}

/* It has one more for a moment, and looks at the record with its own. */
static unsigned char use_record(struct record_state *state)
{
    gp_thread_release(gp_thread_retain(state->record));
    unsigned char is_named = gp_thread_name(state->record)[0] == 'a';
    gp_thread_release(state->record);
    return is_named;
}

static void act_use_record(void *argument, struct outcome *outcome)
{
    outcome->slot[NAME] = use_record(argument);
}

static void act_use_record_too(void *argument, struct outcome *outcome)
{
    outcome->slot[OTHER_NAME] = use_record(argument);
}

/* ---- threadless executors ---- */

struct executor_state {
    gp_pool *pool;
    gp_future *answer;
    gp_threadless *threadless; /* one reference for each actor */
};

enum {
    NOTIFIED,
    OTHER_NOTIFIED,
    ANSWER
};

static void tear_down_executor(void *argument)
{
    struct executor_state *state = argument;

    gp_future_release(state->answer);
    gp_pool_close(state->pool);
}

static bool set_up_executor(void *argument, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    const gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    struct executor_state *state = argument;

    (void)random;
    if (gp_pool_new(&config, &state->pool) == GP_OK &&
        gp_future_new(&nothing, &state->answer) == GP_OK &&
        gp_threadless_new(state->pool, state->answer, &state->threadless) == GP_OK) {
        gp_threadless_retain(state->threadless);
        return true;
    }
    tear_down_executor(state);
    return false;
}

static bool use_executor(struct executor_state *state)
{
    const gp_failure failure = {.code = GP_EFAILED};

    gp_threadless_release(gp_threadless_retain(state->threadless));
    bool first = gp_threadless_notify_return(state->threadless, &failure);
    gp_threadless_release(state->threadless);
    return first;
}

static void act_use_executor(void *argument, struct outcome *outcome)
{
    outcome->slot[NOTIFIED] = use_executor(argument);
}

static void act_use_executor_too(void *argument, struct outcome *outcome)
{
    outcome->slot[OTHER_NOTIFIED] = use_executor(argument);
}

/* What was in its list is discarded with the last handle: the answer is failed by then. */
static void arbiter_of_answer(void *argument, struct outcome *outcome)
{
    struct executor_state *state = argument;

    outcome->slot[ANSWER] = gp_future_is_done(state->answer);
}

/* ---- the family ---- */

const struct scenario handles_races[] = {
    {
        .name = "handles/two_of_a_thread",
        .description = "two threads take a further handle of a thread's record at once, and give "
                       "all of them back: it is freed with the last",
        .invariants = "[THREAD-4]",
        .attacks = {THREAD, "atomic_fetch_add_explicit(&thread->refs, 1, memory_order_relaxed);"},
        .broken_by = "thread-retain-as-load-and-store",
        .state_size = sizeof(struct record_state),
        .set_up = set_up_record,
        .actors = {{"retain, release", act_use_record}, {"retain, release", act_use_record_too}},
        .slots = {{"one", {"saw nonsense", "saw its name"}},
                  {"the other", {"saw nonsense", "saw its name"}}},
        .outcomes =
            {
                {"one saw its name, the other saw its name", ACCEPTABLE,
                 "each held a handle while it looked", MUST_OCCUR},
            },
    },
    {
        .name = "handles/two_of_an_executor",
        .description = "two threads take a further handle of a threadless executor at once, and "
                       "give all of them back: it is freed with the last, and the answer failed",
        .invariants = "[THREADLESS-1] [THREADLESS-6]",
        .attacks = {THREADLESS,
                    "atomic_fetch_add_explicit(&threadless->refs, 1, memory_order_relaxed);"},
        .broken_by = "threadless-retain-as-load-and-store",
        .state_size = sizeof(struct executor_state),
        .set_up = set_up_executor,
        .actors = {{"retain, notify, release", act_use_executor},
                   {"retain, notify, release", act_use_executor_too}},
        .arbiter = arbiter_of_answer,
        .tear_down = tear_down_executor,
        .slots = {{"one", {"came second", "notified"}},
                  {"the other", {"came second", "notified"}},
                  {"the answer", {"is open", "is failed"}}},
        .outcomes =
            {
                {"the answer is open", FORBIDDEN, "a notification was lost", MAY_OCCUR},
                {"one notified, the other came second, the answer is failed", ACCEPTABLE,
                 "one is enough", MUST_OCCUR},
                {"one came second, the other notified, the answer is failed", ACCEPTABLE,
                 "likewise", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
