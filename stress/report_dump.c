/*
 * Rejections that come together, and the dump that one of them writes.
 *
 *        reject                              reject
 *        none under way, long ago: mine
 *        the time is set, `dumping` taken
 *                                            one is under way: no
 *        write it; give `dumping` back
 *                                            none under way, but it was begun just now: no
 *
 * Whether a dump is due is asked, and the answer acted upon, in one step [REPORT-2]. Upstream sets
 * the time when the dump is written and the permit given back: who has asked before that writes a
 * second one.
 *
 * The dump goes into memory here. Its counters are plain variables: only one thread at a time is to
 * touch them [REPORT-1].
 */
#include <glasspool/report.h>

#include <string.h>

#include "stress/pool_support.h"
#include "stress/support.h"

#define REPORT "impl/rpc/report.c"
#define WORKER "impl/pool/worker.c"

#define INTERVAL GP_MILLISECONDS(2) /* long enough for three rejections in it */

struct report_state {
    struct pool_state base;
    gp_report *report;
    int dumps;
    size_t missing; /* threads, in the last dump */
    int inside;     /* dumps under way */
    bool overlap, nonsense;
    int64_t first, last; /* the time before the first rejection and after the last; of each actor */
    int64_t other_first, other_last;
    gp_future *over; /* set by the actor that takes longer */
};

enum {
    CLOSE,
    FATE,
    OTHER_FATE,
    DUMPS,
    DUMP,
    LIST
};

#define DUMP_COUNTS                   \
    {                                 \
        "none", "one", "two", "three" \
    }

/* How the dumps were. */
enum manner {
    FINE,
    OVERLAPPING,
    NONSENSE,
    TOO_MANY
};

#define MANNERS                                                  \
    {                                                            \
        "as it should be", "two at once", "nonsense", "too many" \
    }

/* It may show no task, or one of ours. */
static bool makes_sense(const struct report_state *state, const gp_pool_thread *thread)
{
    const gp_callable callable = job_callable(&((struct report_state *)state)->base.jobs[0]);

    return strncmp(thread->name, "io-thread-", strlen("io-thread-")) == 0 &&
           (!thread->runs || thread->runs == (void (*)(void))callable.call);
}

static int write_dump(void *context, const gp_report_dump *dump)
{
    struct report_state *state = context;

    state->overlap = state->overlap || state->inside > 0;
    state->inside++;
    state->dumps++;
    state->missing = dump->missing;
    for (size_t i = 0; i < dump->count; i++)
        if (!makes_sense(state, &dump->threads[i]))
            state->nonsense = true;
    state->inside--;
    return GP_OK;
}

static bool report_open(struct report_state *state, int64_t interval, gp_pool_config *config,
                        uint64_t random)
{
    const gp_report_config report = {.write = write_dump, .context = state, .interval = interval};

    if (gp_report_new(&report, &state->report) != GP_OK)
        return false;
    config->thread.name = "io";
    config->rejection = (gp_rejection){gp_reject_report, state->report};
    if (pool_open(&state->base, config, random))
        return true;
    gp_report_free(state->report);
    return false;
}

/* A pool that rejects everything. */
static bool open_shut_down(struct report_state *state, int64_t interval, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    if (!report_open(state, interval, &config, random))
        return false;
    gp_pool_shutdown(state->base.pool);
    return true;
}

static unsigned char manner(const struct report_state *state)
{
    if (state->overlap)
        return OVERLAPPING;
    return state->nonsense ? NONSENSE : FINE;
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->base.jobs[0]);
    outcome->slot[OTHER_FATE] = (unsigned char)job_fate(&state->base.jobs[1]);
    outcome->slot[DUMPS] = (unsigned char)state->dumps;
    outcome->slot[DUMP] = manner(state);
}

static void tear_down(void *argument)
{
    struct report_state *state = argument;

    pool_tear_down(argument);
    gp_report_free(state->report);
    gp_future_release(state->over);
}

static int invariant(void *argument)
{
    struct report_state *state = argument;

    return gp_report_check(state->report);
}

/* ---- two rejections ---- */

static bool set_up_once(void *argument, uint64_t random)
{
    return open_shut_down(argument, AN_HOUR, random);
}

static bool set_up_always(void *argument, uint64_t random)
{
    return open_shut_down(argument, 0, random);
}

/* ---- the interval ---- */

enum {
    THIRD = 2
};

static bool set_up_interval(void *argument, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    struct report_state *state = argument;

    if (gp_future_new(&nothing, &state->over) != GP_OK)
        return false;
    if (open_shut_down(state, INTERVAL, random))
        return true;
    gp_future_release(state->over);
    return false;
}

static void act_reject_twice(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;

    (void)outcome;
    state->first = gp_now();
    job_submit(&state->base.jobs[0], state->base.pool);
    gp_sleep(INTERVAL);
    job_submit(&state->base.jobs[THIRD], state->base.pool);
    state->last = gp_now();
    gp_future_set(state->over, NULL);
}

/* It stays until the other has ended, which sleeps. */
static void act_reject_between(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;

    (void)outcome;
    state->other_first = gp_now();
    job_submit(&state->base.jobs[1], state->base.pool);
    state->other_last = gp_now();
    gp_future_get(state->over, NULL);
}

/* All rejections were within this time: the dumps cannot be more than the intervals in it. */
static bool are_too_many(const struct report_state *state)
{
    int64_t from = state->first, to = state->last;

    if (gp_time_until(from, state->other_first) > 0)
        from = state->other_first;
    if (gp_time_until(state->other_last, to) > 0)
        to = state->other_last;
    return state->dumps > 1 + gp_time_until(to, from) / INTERVAL;
}

static void arbiter_of_interval(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;

    arbiter(state, outcome);
    if (are_too_many(state))
        outcome->slot[DUMP] = TOO_MANY;
}

/* ---- figures ---- */

enum {
    FIGURES = 2
};

/* A dump belongs to a rejection, which was counted before. */
static void act_ask_for_figures(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;
    gp_report_stats stats;

    gp_report_statistics(state->report, &stats);
    outcome->slot[FIGURES] = (unsigned char)(stats.rejections + stats.dumps);
    if (stats.dumps > stats.rejections)
        outcome->slot[FIGURES] = 3;
}

static void arbiter_of_figures(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;

    outcome->slot[CLOSE] = !pool_end(&state->base.pool);
    outcome->slot[FATE] = (unsigned char)job_fate(&state->base.jobs[0]);
}

/* ---- workers that leave ---- */

/* A worker for one task, which then leaves; who comes meanwhile is rejected. */
static bool set_up_leaving(void *argument, uint64_t random)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    config.core_size = 0;
    config.maximum_size = 1;
    if (gp_synchronous_new(&config.queue) != GP_OK)
        return false;
    if (report_open(argument, 0, &config, random))
        return true;
    gp_queue_free(config.queue);
    return false;
}

static void arbiter_of_list(void *argument, struct outcome *outcome)
{
    struct report_state *state = argument;

    arbiter(state, outcome);
    outcome->slot[LIST] = (unsigned char)state->missing;
}

/* ---- the family ---- */

const struct scenario report_dump_races[] = {
    {
        .name = "report_dump/two_rejections",
        .description = "two tasks are rejected at once: one dump is written, and both tasks are "
                       "discarded",
        .invariants = "[REPORT-2] [REPORT-4]",
        .attacks = {REPORT, "report->has_begun = true;"},
        .broken_by = "report-two-dumps",
        .state_size = sizeof(struct report_state),
        .set_up = set_up_once,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"dumps", DUMP_COUNTS},
                  {"all", MANNERS}},
        .outcomes =
            {
                {"closed, one rejected, the other rejected, dumps one, all as it should be",
                 ACCEPTABLE, "by whoever came first", MUST_OCCUR},
            },
    },
    {
        .name = "report_dump/one_at_a_time",
        .like = "report_dump/two_rejections",
        .description = "two tasks are rejected at once, and a dump is due at any time: two are "
                       "written one after the other, or one",
        .invariants = "[REPORT-1]",
        .attacks = {REPORT, "is_dump_wanted(report) && !report->dumping && is_dump_due"},
        .broken_by = "report-overlapping-dumps",
        .set_up = set_up_always,
        .outcomes =
            {
                {"all two at once", FORBIDDEN, "a writer is disturbed by another", MAY_OCCUR},
                {"closed, one rejected, the other rejected, dumps one, all as it should be",
                 ACCEPTABLE, "the second came during the first dump", MUST_OCCUR},
                {"closed, one rejected, the other rejected, dumps two, all as it should be",
                 ACCEPTABLE, "the second came after it", MUST_OCCUR},
            },
    },
    {
        .name = "report_dump/rejection_against_interval",
        .like = "report_dump/two_rejections",
        .description = "a task is rejected when the interval since the last dump ends: there are "
                       "never more dumps than intervals",
        .invariants = "[REPORT-2]",
        .attacks = {REPORT, "gp_time_until(now, report->latest) >= report->config.interval"},
        .broken_by = "report-no-interval",
        .set_up = set_up_interval,
        .actors = {{"submit, submit", act_reject_twice}, {"submit", act_reject_between}},
        .arbiter = arbiter_of_interval,
        .outcomes =
            {
                {"all too many", FORBIDDEN, "one was written too early", MAY_OCCUR},
                {"closed, one rejected, the other rejected, dumps one, all as it should be",
                 ACCEPTABLE, "the first dump took that long", MAY_OCCUR},
                {"closed, one rejected, the other rejected, dumps two, all as it should be",
                 ACCEPTABLE, "one came too early", MUST_OCCUR},
                {"closed, one rejected, the other rejected, dumps three, all as it should be",
                 INTERESTING, "the other was late by an interval", MAY_OCCUR},
            },
    },
    {
        .name = "report_dump/report_against_leaving_worker",
        .description =
            "a task is rejected while the worker that is in the way comes or leaves: what "
            "the dump says of it makes sense",
        .invariants = "[REPORT-3] [WORKER-1]",
        .attacks = {WORKER, "pool->workers = worker->next;"},
        .broken_by = "pool-stale-first-worker",
        .state_size = sizeof(struct report_state),
        .set_up = set_up_leaving,
        .actors = {{"submit", act_submit_one}, {"submit", act_submit_other}},
        .invariant = invariant,
        .arbiter = arbiter_of_list,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"one", FATES},
                  {"the other", FATES},
                  {"dumps", DUMP_COUNTS},
                  {"all", MANNERS},
                  {"the list", {"is complete", "missed one"}}},
        .outcomes =
            {
                {"closed, one ran, the other rejected, dumps one, all as it should be, the list "
                 "is complete",
                 ACCEPTABLE, "the worker was busy, or on its way", MUST_OCCUR},
                {"closed, one rejected, the other ran, dumps one, all as it should be, the list "
                 "is complete",
                 ACCEPTABLE, "likewise", MUST_OCCUR},
                {"closed, one ran, the other rejected, dumps one, all as it should be, the list "
                 "missed one",
                 INTERESTING, "the worker came while the list was made", MAY_OCCUR},
                {"closed, one rejected, the other ran, dumps one, all as it should be, the list "
                 "missed one",
                 INTERESTING, "likewise", MAY_OCCUR},
                {"closed, one ran, the other ran, dumps none, all as it should be, the list is "
                 "complete",
                 ACCEPTABLE, "it had left, or took both", MAY_OCCUR},
            },
    },
    {
        .name = "report_dump/figures_against_rejection",
        .description = "the figures of a report are asked for while a task is rejected and a dump "
                       "written: they belong together",
        .invariants = "[REPORT-1]",
        .attacks = {REPORT, "*out = report->stats;"},
        .broken_by = "report-figures-unlocked",
        .state_size = sizeof(struct report_state),
        .set_up = set_up_always,
        .actors = {{"submit", act_submit_one}, {"statistics", act_ask_for_figures}},
        .invariant = invariant,
        .arbiter = arbiter_of_figures,
        .tear_down = tear_down,
        .slots = {{NULL, ENDS},
                  {"the task", FATES},
                  {"counted", {"nothing", "the rejection", "the dump as well", "a dump alone"}}},
        .outcomes =
            {
                {"counted a dump alone", FORBIDDEN, "there is no dump without a rejection",
                 MAY_OCCUR},
                {"closed, the task rejected, counted nothing", ACCEPTABLE,
                 "the question came first", MUST_OCCUR},
                {"closed, the task rejected, counted the rejection", ACCEPTABLE,
                 "the dump was being written", MAY_OCCUR},
                {"closed, the task rejected, counted the dump as well", ACCEPTABLE,
                 "the question came last", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
