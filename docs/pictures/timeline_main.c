/*
 * When does a scheduled task run? Asked of the library, in virtual time: what docs/pictures/draw
 * makes timelines from.
 *
 *     timeline KIND INITIAL PERIOD UNTIL LENGTH...
 *
 * KIND is once, rate, skip (a rate that leaves out what it has missed) or delay. All times are
 * milliseconds after the call. The first run takes the first LENGTH, the second the second, all
 * others the last. Prints a line "BEGIN END" for each run that begins before UNTIL.
 *
 * The program is timeline.c, and takes turns on the explorer's machine: whoever runs goes on until
 * it has to wait, and time passes when nobody can run. So nobody is late but by another's doing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "docs/pictures/timeline.h"
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

static bool run(struct timeline *timeline)
{
    struct campaign campaign = {.program = timeline_run,
                                .argument = timeline,
                                .strategy = &goes_on,
                                .rules = MACHINE_RULES_DEFAULT,
                                .executions = 1};
    struct campaign_result result;
    campaign.rules.step_budget = 1000000;
    campaign.rules.early_time = false;
    bool well = campaign_run(&campaign, &result) && result.first.verdict == ENDED_WELL;
    if (!well)
        fprintf(stderr, "timeline: %s\n", result.first.message);
    campaign_result_free(&result);
    return well;
}

int main(int argc, char **argv)
{
    struct timeline timeline = {0};
    if (argc < 6 || argc - 5 > MOST_RUNS || !machine_prepare())
        return 2;
    timeline.kind = argv[1];
    timeline.initial = strtol(argv[2], NULL, 10);
    timeline.period = strtol(argv[3], NULL, 10);
    timeline.until = strtol(argv[4], NULL, 10);
    for (int i = 5; i < argc; i++)
        timeline.lengths[timeline.length_count++] = strtol(argv[i], NULL, 10);
    if (!run(&timeline))
        return 1;
    for (int i = 0; i < timeline.run_count; i++)
        if (timeline.runs[i].begins < timeline.until)
            printf("%" PRId64 " %" PRId64 "\n", timeline.runs[i].begins, timeline.runs[i].ends);
    return 0;
}
