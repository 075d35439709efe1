/*
 * How fast is the explorer? Use `make explore-bench`.
 *
 * Two programs, each under the random walk, with more and more being looked at: steps and
 * executions per second on one core. The machine's noise is in all of them alike, so that the
 * columns can be compared with each other, and less so with those of another day. Then a year in
 * the life of a scheduled pool, which must have the right number of hours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benches/explore/programs.h"
#include "harness/explore/campaign.h"

enum {
    HOURS = 24 * 365,
    YEAR_STEPS = 10000000
};

static const struct {
    const char *name;
    struct memory_rules memory;
} ways[] = {
    {"sc", {.model = MEMORY_SC}},
    {"sc, races", {.model = MEMORY_SC, .races = true}},
    {"c11, races", {.model = MEMORY_C11, .races = true}},
};

static bool run(struct campaign *campaign, struct campaign_result *result)
{
    return campaign_run(campaign, result) && result->first.verdict == ENDED_WELL;
}

static bool measure(const char *name, void (*program)(void *), double seconds)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct campaign campaign = {.program = program,
                                    .strategy = strategy_named("random"),
                                    .options = {.seed = 1},
                                    .rules = MACHINE_RULES_DEFAULT,
                                    .memory = ways[i].memory,
                                    .seconds = seconds};
        struct campaign_result result;
        if (!run(&campaign, &result)) {
            printf("%s: %s\n", name, result.first.message);
            return false;
        }
        printf("%-16s %-12s %8.1f M steps/s %10.0f executions/s %6.0f steps each\n", name,
               ways[i].name, (double)result.steps / result.seconds / 1e6,
               (double)result.executions / result.seconds,
               (double)result.steps / (double)result.executions);
        campaign_result_free(&result);
    }
    return true;
}

static bool live_a_year(void)
{
    int hours = 0;
    struct campaign campaign = {.program = program_year,
                                .argument = &hours,
                                .strategy = strategy_named("random"),
                                .options = {.seed = 1},
                                .rules = MACHINE_RULES_DEFAULT,
                                .executions = 1};
    struct campaign_result result;

    campaign.rules.step_budget = YEAR_STEPS;
    bool well = run(&campaign, &result) && hours == HOURS;
    printf("a year of an hourly task on 4 workers: %d runs, %.2f s\n", hours, result.seconds);
    if (!well)
        printf("that should have been %d; %s\n", HOURS, result.first.message);
    campaign_result_free(&result);
    return well;
}

int main(int count, char **words)
{
    double seconds = count > 1 ? strtod(words[1], NULL) : 2;

    if (!machine_prepare())
        return EXIT_FAILURE;
    bool well = measure("mini queue", program_mini_queue, seconds);
    well = measure("delayed queue", program_delayed_queue, seconds) && well;
    well = live_a_year() && well;
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
