/*
 * A table that is started while its pool shuts down, or closed while its entries run.
 *
 * Entries are scheduled one after the other. The first may be due at once, and the last be refused:
 *
 *      start                         shut down                 a worker
 *      first: accepted
 *                                                              first: due
 *                                    SHUTDOWN
 *      second: refused, so all are
 *                                                              first: must not have run
 *
 * So a run waits until the start has ended [REGISTRAR-1]. It must wait: who left the run out would
 * make the first one come a period late. Waiting, it also learns its own future, which is known to
 * the thread that starts a moment after it is known to the pool.
 *
 * Closing frees the registrar, of which a run under way needs its entry; the last of them frees it
 * [REGISTRAR-3].
 */
#include <stdatomic.h>

#include <glasspool/clock.h>
#include <glasspool/registrar.h>
#include <glasspool/status.h>

#include "stress/scenarios.h"
#include "stress/support.h"

#define REGISTRAR "impl/table/registrar.c"

struct registrar_state {
    gp_scheduled *scheduled;
    gp_registrar *registrar;
    gp_future *ran;   /* set by the first run, or by who was told of it */
    gp_future *never; /* nobody sets it */
    gp_future *told;  /* what `failed` was told, borrowed */
    int runs;         /* one after the other */
    atomic_int begun; /* the same, for who asks meanwhile */
    int at_close;     /* how many had begun when it was closed */
    int64_t started;  /* when the start began */
    bool late;        /* the first run was, by far */
};

enum {
    END,
    ANSWER,
    RUNS,
    LATE
};

#define END_SLOT                             \
    {                                        \
        "the pool",                          \
        {                                    \
            "ended well", "did not end well" \
        }                                    \
    }
#define DID_NOT_END_WELL \
    "the pool did not end well", FORBIDDEN, "something is left in it", MAY_OCCUR

static int run(void *argument, void **result)
{
    struct registrar_state *state = argument;

    (void)result;
    atomic_fetch_add_explicit(&state->begun, 1, memory_order_relaxed); /* a figure */
    if (state->runs++ == 0)
        gp_future_set(state->ran, NULL);
    return 0;
}

static int run_and_fail(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return 7;
}

/* ---- set-up and end ---- */

static bool set_up(void *argument, uint64_t random)
{
    struct registrar_state *state = argument;
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    (void)random;
    config.time_tasks = false;
    config.remove_on_cancel = true;
    return gp_future_new(&nothing, &state->ran) == GP_OK &&
           gp_future_new(&nothing, &state->never) == GP_OK &&
           gp_scheduled_new(&config, &state->scheduled) == GP_OK &&
           gp_pool_prestart_core(gp_scheduled_pool(state->scheduled)) == GP_OK;
}

static int start(struct registrar_state *state, const gp_declared *entries, size_t count)
{
    gp_registrar_config config = {
        .entries = entries, .count = count, .scheduled = state->scheduled};

    return gp_registrar_start(&config, &state->registrar);
}

static void judge_end(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;

    gp_registrar_close(state->registrar);
    state->registrar = NULL;
    outcome->slot[END] = insist_on_close(state->scheduled) != GP_OK;
    if (outcome->slot[END] == 0)
        state->scheduled = NULL;
}

static void tear_down(void *argument)
{
    struct registrar_state *state = argument;

    gp_registrar_close(state->registrar);
    insist_on_close(state->scheduled);
    gp_future_release(state->ran);
    gp_future_release(state->never);
}

static void act_shutdown(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;

    (void)outcome;
    gp_pool_shutdown(gp_scheduled_pool(state->scheduled));
}

/* ---- start against shutdown ---- */

enum answer {
    STARTED,
    REFUSED,
    FOR_WANT_OF_MEMORY,
    SOMETHING_ELSE
};

/* One is due at once; some more give it time to be. */
static void act_start_several(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;
    gp_declared entries[] = {GP_DECLARED_RATE("at-once", run, state, "1h"),
                             GP_DECLARED_DELAY("later-1", run, state, "1h"),
                             GP_DECLARED_DELAY("later-2", run, state, "1h"),
                             GP_DECLARED_DELAY("later-3", run, state, "1h")};
    enum {
        COUNT = sizeof entries / sizeof *entries
    };

    for (int i = 1; i < COUNT; i++)
        entries[i].initial_delay = GP_SECONDS(3600);
    int status = start(state, entries, COUNT);
    outcome->slot[ANSWER] = status == GP_OK          ? STARTED
                            : status == GP_EREJECTED ? REFUSED
                            : status == GP_ENOMEM    ? FOR_WANT_OF_MEMORY
                                                     : SOMETHING_ELSE;
}

static void arbiter_of_start(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;

    judge_end(state, outcome);
    outcome->slot[RUNS] = state->runs > 0;
}

/* ---- start against the first run ---- */

static void note_failure(void *context, gp_future *future, const gp_failure *failure)
{
    struct registrar_state *state = context;

    (void)failure;
    state->told = future;
    state->late = gp_time_until(gp_now(), state->started) > GP_SECONDS(5);
    gp_future_set(state->ran, NULL);
}

static void act_start_failing(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;
    gp_declared entry = GP_DECLARED_RATE("failing", run_and_fail, NULL, "1h");

    entry.options.failed = note_failure;
    entry.options.context = state;
    state->started = gp_now();
    outcome->slot[ANSWER] = start(state, &entry, 1) != GP_OK;
    if (outcome->slot[ANSWER] != 0)
        gp_future_set(state->ran, NULL);
}

static void act_await_first(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;

    (void)outcome;
    insist_on_get(state->ran);
}

static void arbiter_of_failure(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;

    outcome->slot[RUNS] =
        state->registrar != NULL && state->told == gp_registrar_find(state->registrar, "failing");
    outcome->slot[LATE] = state->late;
    judge_end(state, outcome);
}

/* ---- close against a run ---- */

/* Not in the set-up: the entry runs without a pause, and a runner may set up many states first. */
static void act_start_and_close(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;
    const gp_declared entry = GP_DECLARED_RATE("often", run, state, "1us");

    (void)outcome;
    if (start(state, &entry, 1) != GP_OK) /* for want of memory */
        gp_future_set(state->ran, NULL);
    insist_on_get(state->ran);
    gp_registrar_close(state->registrar);
    state->registrar = NULL;
}

/* ---- close against being put back ---- */

enum {
    A_MOMENT = 20000 /* nanoseconds: many periods */
};

static void act_start_close_and_count(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;

    act_start_and_close(state, outcome);
    state->at_close = atomic_load_explicit(&state->begun, memory_order_relaxed);
    gp_future_get_timed(state->never, A_MOMENT, NULL);
}

/* A run may have begun for the pool, and not yet have counted itself. */
static void arbiter_of_runs(void *argument, struct outcome *outcome)
{
    struct registrar_state *state = argument;
    int later;

    judge_end(state, outcome);
    later = atomic_load_explicit(&state->begun, memory_order_relaxed) - state->at_close;
    outcome->slot[ANSWER] = (unsigned char)(later < 2 ? later : 2);
}

/* ---- the family ---- */

const struct scenario registrar_races[] = {
    {
        .name = "registrar/start_against_shutdown",
        .description = "a table is started while its pool is shut down: all of it, or nothing, "
                       "and then no function was called",
        .invariants = "[REGISTRAR-1] [REGISTRAR-2]",
        .attacks = {REGISTRAR, "if (!pass_gate(entry->registrar) ||"},
        .broken_by = "registrar-no-gate",
        .state_size = sizeof(struct registrar_state),
        .set_up = set_up,
        .actors = {{"start", act_start_several}, {"shut down", act_shutdown}},
        .arbiter = arbiter_of_start,
        .tear_down = tear_down,
        .slots = {END_SLOT,
                  {"the table is", {"started", "refused", "too large", "something else"}},
                  {"the first", {"has not run", "has run"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the table is something else", FORBIDDEN, "there is no reason for that",
                 MAY_OCCUR},
                {"the pool ended well, the table is too large, the first has not run", INTERESTING,
                 "there was no memory for it, or no thread", MAY_OCCUR},
                {"the table is refused, the first has run", FORBIDDEN, "for nothing", MAY_OCCUR},
                {"the pool ended well, the table is started, the first has run", ACCEPTABLE,
                 "the shutdown came later", MUST_OCCUR},
                {"the pool ended well, the table is started, the first has not run", ACCEPTABLE,
                 "the shutdown came between the start and the run", MAY_OCCUR},
                {"the pool ended well, the table is refused, the first has not run", ACCEPTABLE,
                 "the shutdown came first, or between two entries", MUST_OCCUR},
            },
    },
    {
        .name = "registrar/start_against_first_run",
        .description = "an entry is due while it is being started, and fails: whoever is told gets "
                       "its future, and in time",
        .invariants = "[REGISTRAR-1] [REGISTRAR-4]",
        .attacks = {REGISTRAR, "return state == GP_NORMAL ||"},
        .broken_by = "registrar-gate-open-early",
        .state_size = sizeof(struct registrar_state),
        .set_up = set_up,
        .actors = {{"start", act_start_failing}, {"await the failure", act_await_first}},
        .arbiter = arbiter_of_failure,
        .tear_down = tear_down,
        .slots = {END_SLOT,
                  {"the table is", {"started", "refused"}},
                  {"who is told gets", {"something else", "its future"}},
                  {NULL, {"in time", "too late"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"too late", FORBIDDEN, "the first run was left out, and the next one told",
                 MAY_OCCUR},
                {"the pool ended well, the table is refused, who is told gets something else, "
                 "in time",
                 INTERESTING, "there was no memory for it, or no thread: nobody is told",
                 MAY_OCCUR},
                {"who is told gets something else", FORBIDDEN, "it would cancel the wrong one",
                 MAY_OCCUR},
                {"the pool ended well, the table is started, who is told gets its future, in time",
                 ACCEPTABLE, "the run has waited for the start", MUST_OCCUR},
            },
    },
    {
        .name = "registrar/close_against_run",
        .description = "a registrar is closed while an entry runs and is put back: the last who "
                       "needs it frees it",
        .invariants = "[REGISTRAR-3]",
        .attacks = {REGISTRAR,
                    "if (atomic_fetch_sub_explicit(&registrar->refs, 1, memory_order_acq_rel)"},
        .broken_by = "registrar-relaxed-last-release",
        .state_size = sizeof(struct registrar_state),
        .set_up = set_up,
        .actors = {{"start, close", act_start_and_close}, {"await a run", act_await_first}},
        .arbiter = judge_end,
        .tear_down = tear_down,
        .slots = {END_SLOT},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"the pool ended well", ACCEPTABLE, "as it must be", MUST_OCCUR},
            },
    },
    {
        .name = "registrar/close_against_requeue",
        .description = "a registrar is closed while an entry runs and is put back: no run begins "
                       "afterwards",
        .invariants = "[REGISTRAR-3]",
        .attacks = {REGISTRAR, "gp__scheduled_withdraw(registrar->entries[i].future);"},
        .broken_by = "registrar-close-cancels-nothing",
        .state_size = sizeof(struct registrar_state),
        .set_up = set_up,
        .actors = {{"start, close", act_start_close_and_count}, {"await a run", act_await_first}},
        .arbiter = arbiter_of_runs,
        .tear_down = tear_down,
        .slots = {END_SLOT, {"after the close", {"nothing runs", "one goes on", "more run"}}},
        .outcomes =
            {
                {DID_NOT_END_WELL},
                {"after the close more run", FORBIDDEN, "they were cancelled", MAY_OCCUR},
                {"the pool ended well, after the close nothing runs", ACCEPTABLE, "as it must be",
                 MUST_OCCUR},
                {"the pool ended well, after the close one goes on", INTERESTING,
                 "it had begun, and had not yet counted itself", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
