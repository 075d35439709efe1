/* See campaign.h. The clock of the system is asked only now and then: it takes as long as some
   steps do. */
#include "harness/explore/campaign.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LOOKS_AT_CLOCK = 64 /* executions between them */
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool failure_of_machine(struct failure *failure)
{
    size_t size = machine.deviation_count * sizeof *failure->deviations;

    *failure = (struct failure){.verdict = machine.verdict,
                                .culprit = machine.culprit,
                                .steps = machine.steps,
                                .switches = machine.switches,
                                .choices = machine.choices,
                                .deviation_count = machine.deviation_count,
                                .deviations = malloc(size + 1)};
    memcpy(failure->message, machine.message, sizeof failure->message);
    if (failure->deviations)
        memcpy(failure->deviations, machine.deviations, size);
    return failure->deviations != NULL;
}

void failure_free(struct failure *failure)
{
    free(failure->deviations);
    failure->deviations = NULL;
}

void campaign_result_free(struct campaign_result *result)
{
    failure_free(&result->first);
}

/* False: no memory. */
static bool count_execution(const struct campaign *campaign, struct campaign_result *result)
{
    result->steps += machine.steps;
    result->verdicts[machine.verdict]++;
    if (machine.verdict == ENDED_CUT) {
        result->cut++;
        return true;
    }
    result->executions++;
    if (campaign->ended)
        campaign->ended(campaign->argument);
    if (machine.verdict == ENDED_WELL || result->first.verdict != ENDED_WELL)
        return true;
    return failure_of_machine(&result->first);
}

static bool is_over(const struct campaign *campaign, const struct campaign_result *result,
                    double began)
{
    if (result->first.verdict != ENDED_WELL && !campaign->keep_going)
        return true;
    if (campaign->executions > 0 && result->executions >= campaign->executions)
        return true;
    if ((result->executions + result->cut) % LOOKS_AT_CLOCK != 0)
        return false;
    return (campaign->seconds > 0 && seconds_now() - began >= campaign->seconds) ||
           (campaign->should_stop && campaign->should_stop());
}

bool campaign_set_rules(const struct machine_rules *rules, const struct memory_rules *memory)
{
    memory_rules = *memory;
    machine.ordering = memory->races || memory->model == MEMORY_C11;
    return machine_set_rules(rules);
}

static void run_once(const struct campaign *campaign, uint64_t number)
{
    machine.counting = campaign->orders > 0 && number % campaign->orders == 0;
    if (machine.counting)
        orders_begin();
    machine_run(campaign->program, campaign->argument, campaign->strategy);
    if (campaign->strategy->end)
        campaign->strategy->end();
    if (machine.counting && machine.verdict != ENDED_CUT)
        orders_end();
}

static void conclude(const struct strategy *strategy, struct campaign_result *result)
{
    bool all = !strategy->covered || strategy->covered(result->covered, sizeof result->covered);

    result->complete = result->ended && all;
    result->orders = orders_seen;
    machine.counting = false;
}

bool campaign_run(const struct campaign *campaign, struct campaign_result *result)
{
    const struct strategy *strategy = campaign->strategy;
    double began = seconds_now();
    bool sound = campaign_set_rules(&campaign->rules, &campaign->memory);

    *result = (struct campaign_result){0};
    orders_forget();
    if (sound)
        strategy->start(&campaign->options);
    while (sound && !is_over(campaign, result, began)) {
        if (!strategy->begin()) {
            result->ended = true;
            break;
        }
        run_once(campaign, result->executions + result->cut);
        sound = count_execution(campaign, result);
    }
    conclude(strategy, result);
    result->seconds = seconds_now() - began;
    return sound;
}
