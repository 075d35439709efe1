/* See campaign.h. The clock of the system is asked only now and then: it takes as long as some
   steps do. */
#include "harness/explore/campaign.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/explore/assembly.h"

enum {
    LOOKS_AT_CLOCK = 64, /* executions between them */
    IN_VAIN = 100        /* executions after which to stop if none of them could be judged */
};

static double monotonic_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double (*campaign_clock)(void) = monotonic_seconds;

/* ---- time ---- */

/* Of the campaign that runs: for the tick, which has no other way to know. */
static struct {
    double end, end_of_all; /* by campaign_clock; 0: none */
    bool has_ended_one;     /* execution: until then the end of all counts alone */
    bool (*should_stop)(void);
} timing;

static bool is_past(double end)
{
    return end > 0 && campaign_clock() >= end;
}

static enum time_left time_left(void)
{
    if ((timing.should_stop && timing.should_stop()) || is_past(timing.end_of_all))
        return TIME_IS_UP_ALL;
    return timing.has_ended_one && is_past(timing.end) ? TIME_IS_UP : TIME_IS_LEFT;
}

static void begin_timing(const struct campaign *campaign, double began)
{
    double all = campaign->seconds_of_all > 0 ? campaign->seconds_of_all : campaign->seconds;

    timing.end = campaign->seconds > 0 ? began + campaign->seconds : 0;
    timing.end_of_all = all > 0 ? began + all : 0;
    timing.has_ended_one = false;
    timing.should_stop = campaign->should_stop;
    machine.time_is_up = false;
    machine.time_left = time_left;
}

static void end_timing(void)
{
    machine.time_left = NULL;
    machine.time_is_up = false;
}

/* ---- failures ---- */

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001B3);
}

/* Who waits, and where: a sum, since the numbers of the threads may differ. */
static uint64_t sum_of_waiting(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < machine.count; i++)
        if (machine.threads[i].alive)
            sum += mix((uintptr_t)machine.threads[i].op.pc, machine.threads[i].op.kind);
    return sum;
}

static uint64_t sum_of_accesses(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < machine.access_count; i++)
        sum += mix((uintptr_t)machine.accesses[i].pc, machine.accesses[i].flags);
    return sum;
}

static uint64_t sum_of_text(const char *text)
{
    uint64_t sum = 0;

    for (; *text; text++)
        sum = mix(sum, (unsigned char)*text);
    return sum;
}

/* Where no other culprit is named it is the last step. */
static const void *find_culprit(void)
{
    return machine.culprit ? machine.culprit : machine_self()->op.pc;
}

/* The verdict, and its culprit: both sites of a race, in any order; the line of an assertion; who
   waits for what in a deadlock; the outcome that is forbidden; the exit code, and which call of
   exit; the limit. */
uint64_t failure_bug_of_machine(void)
{
    switch (machine.verdict) {
    case ENDED_RACE:
        return mix((uint64_t)machine.verdict, sum_of_accesses());
    case ENDED_DEADLOCK:
    case ENDED_LIVELOCK:
        return mix((uint64_t)machine.verdict, machine.stuck ? sum_of_waiting() : 0);
    case ENDED_FORBIDDEN:
    case ENDED_FOUND:
    case ENDED_BROKEN:
        return mix((uint64_t)machine.verdict, sum_of_text(machine.message));
    case ENDED_FAILED:
        return mix(mix((uint64_t)machine.verdict, (uint64_t)machine.exit_code),
                   (uintptr_t)machine.culprit);
    case ENDED_LIMIT:
        return mix((uint64_t)machine.verdict, machine.limits >> LIMIT_FIRST_TO_END);
    case ENDED_LATE:
    case ENDED_NOT_LINEARIZABLE:
        return (uint64_t)machine.verdict;
    default:
        return mix((uint64_t)machine.verdict, (uintptr_t)find_culprit());
    }
}

bool failure_of_machine(struct failure *failure)
{
    size_t size = machine.deviation_count * sizeof *failure->deviations;

    *failure = (struct failure){.verdict = machine.verdict,
                                .culprit = machine.culprit,
                                .bug = failure_bug_of_machine(),
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
    failure_free(&result->unjudged);
}

/* False: no memory. */
static bool count_execution(const struct campaign *campaign, struct campaign_result *result)
{
    result->steps += machine.steps;
    if (machine.verdict == ENDED_STOPPED)
        return true;
    timing.has_ended_one = true;
    result->verdicts[machine.verdict]++;
    for (limit_set left = machine.limits; left != 0; left &= left - 1)
        result->limits[__builtin_ctz(left)]++;
    if (machine.verdict == ENDED_CUT) {
        result->cut++;
        return true;
    }
    result->executions++;
    if (campaign->ended)
        campaign->ended(campaign->argument);
    struct failure *first = machine.verdict == ENDED_LIMIT ? &result->unjudged : &result->first;
    if (machine.verdict == ENDED_WELL || first->verdict != ENDED_WELL)
        return true;
    return failure_of_machine(first);
}

/* Executions that end otherwise may take long. */
static bool is_time_to_look(const struct campaign_result *result)
{
    return (result->executions + result->cut) % LOOKS_AT_CLOCK == 0 ||
           (machine.verdict != ENDED_WELL && machine.verdict != ENDED_CUT);
}

static bool is_over(const struct campaign *campaign, const struct campaign_result *result)
{
    if (machine.time_is_up)
        return true;
    if (result->first.verdict != ENDED_WELL && !campaign->keep_going)
        return true;
    if (campaign->executions > 0 && result->executions >= campaign->executions)
        return true;
    if (result->executions == IN_VAIN && result->verdicts[ENDED_LIMIT] == IN_VAIN)
        return true;
    if (!is_time_to_look(result))
        return false;
    if (campaign->show_progress)
        campaign->show_progress();
    return time_left() != TIME_IS_LEFT;
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
    if (machine.verdict == ENDED_STOPPED)
        return;
    if (campaign->strategy->end)
        campaign->strategy->end();
    if (machine.counting && machine.verdict != ENDED_CUT)
        orders_end();
}

static void conclude(const struct campaign *campaign, struct campaign_result *result)
{
    const struct strategy *strategy = campaign->strategy;

    if (strategy->covered)
        strategy->covered(result->covered, sizeof result->covered);
    if (!campaign->memory.races)
        result->limits[LIMIT_PLAIN] = result->executions;
    result->complete = result->ended;
    if (assembly_is_there())
        result->limits[LIMIT_ASSEMBLY] = result->executions;
    for (unsigned i = 0; i < LIMITS; i++)
        result->complete &= result->limits[i] == 0;
    result->orders = orders_seen;
    machine.counting = false;
}

bool campaign_run(const struct campaign *campaign, struct campaign_result *result)
{
    const struct strategy *strategy = campaign->strategy;
    double began = campaign_clock();
    bool sound = campaign_set_rules(&campaign->rules, &campaign->memory);

    *result = (struct campaign_result){0};
    machine.limits = 0;
    orders_forget();
    begin_timing(campaign, began);
    if (sound)
        strategy->start(&campaign->options);
    while (sound && !is_over(campaign, result)) {
        if (!strategy->begin()) {
            result->ended = !(machine.limits & limit_bit(LIMIT_SEARCH));
            result->limits[LIMIT_SEARCH] += !result->ended;
            break;
        }
        run_once(campaign, result->executions + result->cut);
        sound = count_execution(campaign, result);
    }
    end_timing();
    conclude(campaign, result);
    result->seconds = campaign_clock() - began;
    return sound;
}
