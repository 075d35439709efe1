#include "docs/pictures/goes_on.h"

#include <stdio.h>

#include "harness/explore/campaign.h"

static void start(const struct strategy_options *options)
{
    (void)options;
}

static bool begin(void)
{
    return true;
}

static unsigned pick(const struct turn *turn)
{
    return turn->by_default;
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    (void)kind;
    (void)count;
    return 0;
}

static const struct strategy goes_on = {
    .name = "goes on", .start = start, .begin = begin, .pick = pick, .pick_datum = pick_datum};

bool run_going_on(const char *name, void (*program)(void *), void *argument)
{
    struct campaign campaign = {.program = program,
                                .argument = argument,
                                .strategy = &goes_on,
                                .rules = MACHINE_RULES_DEFAULT,
                                .executions = 1};
    struct campaign_result result;
    campaign.rules.step_budget = 1000000;
    campaign.rules.early_time = false;
    if (!machine_prepare())
        return false;
    bool well = campaign_run(&campaign, &result) && result.first.verdict == ENDED_WELL;
    if (!well)
        fprintf(stderr, "%s: %s\n", name, result.first.message);
    campaign_result_free(&result);
    return well;
}
