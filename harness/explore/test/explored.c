/* See explored.h. */
#include "harness/explore/test/explored.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

int observed[OBSERVATIONS];

enum {
    EXECUTIONS = 20000
};

/* What a campaign's program is started with. */
static struct {
    explored_fn *program;
    struct outcomes *outcomes;
} stage;

void watch_for_lateness(bool (*late)(void *)); /* called by programs */

void watch_for_lateness(bool (*late)(void *))
{
    machine.watch = (struct machine_watch){.late = late};
}

void let_timer_tick(void)
{
    raise(SIGVTALRM);
}

static void perform(void *unused)
{
    (void)unused;
    memset(observed, 0, sizeof observed);
    stage.program();
}

static void note_outcome(void *unused)
{
    struct outcomes *outcomes = stage.outcomes;

    (void)unused;
    if (!outcomes || machine.verdict != ENDED_WELL)
        return;
    for (unsigned i = 0; i < outcomes->count; i++)
        if (memcmp(outcomes->seen[i], observed, sizeof observed) == 0)
            return;
    if (outcomes->count < OUTCOMES)
        memcpy(outcomes->seen[outcomes->count++], observed, sizeof observed);
}

struct campaign explored(explored_fn *program, const struct strategy *strategy)
{
    if (!machine.prepared)
        require(machine_prepare());
    stage.program = program;
    stage.outcomes = NULL;
    return (struct campaign){.program = perform,
                             .strategy = strategy,
                             .options = {.seed = 1, .depth = 3, .preemption_bound = UINT32_MAX},
                             .rules = MACHINE_RULES_DEFAULT,
                             .memory = {.races = true},
                             .executions = EXECUTIONS,
                             .ended = note_outcome};
}

const struct campaign_result *campaign_outcomes(const struct campaign *campaign,
                                                struct outcomes *outcomes)
{
    static struct campaign_result result;

    stage.outcomes = outcomes;
    if (outcomes)
        outcomes->count = 0;
    campaign_result_free(&result);
    require(campaign_run(campaign, &result));
    return &result;
}

void check_finds(const struct campaign *campaign, enum verdict_kind verdict)
{
    const struct campaign_result *result = campaign_outcomes(campaign, NULL);

    const struct failure *failure = verdict == ENDED_LIMIT ? &result->unjudged : &result->first;

    check_text(verdict_kind_name(failure->verdict), verdict_kind_name(verdict));
}

void check_finds_nothing(const struct campaign *campaign)
{
    const struct campaign_result *result = campaign_outcomes(campaign, NULL);

    check_text(result->first.message, "");
    check_text(result->unjudged.message, "");
    check_text(verdict_kind_name(result->first.verdict), verdict_kind_name(ENDED_WELL));
    check(result->executions > 0);
}

void check_always(explored_fn *program, int first)
{
    struct campaign campaign = explored(program, &strategy_random);
    struct outcomes outcomes;

    campaign.executions = 1000;
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check_int(outcomes.seen[0][0], first);
}

struct failure copy_of_failure(const struct failure *failure)
{
    struct failure copy = *failure;
    size_t size = failure->deviation_count * sizeof *failure->deviations;

    copy.deviations = malloc(size + 1);
    if (!copy.deviations)
        abort();
    memcpy(copy.deviations, failure->deviations, size);
    return copy;
}
