/*
 * An inquiry: all that is tried on one program.
 *
 * Without a choice by the user it begins with a short walk, on which many a bug is met at once. It
 * goes on with dpor, for a part of the time: if that comes to an end it has seen every order that
 * matters, for the first variant of a scenario's state. Then the sampling strategies have their
 * turns, with all variants, and last those worlds in which freed memory is given out again at once,
 * and in which a load may read an old store. A failure ends it.
 */
#include "harness/explore/inquiry.h"

#include <stdio.h>
#include <string.h>

#include "harness/report/report.h"

enum {
    VARIANTS = 1024,  /* of the state, for those who sample */
    ORDERS_EVERY = 16 /* executions: telling them apart costs more than a third of the speed */
};

/* What is tried by default, and for which part of the time. */
static const struct {
    const char *strategy;
    double part;
    enum memory_model memory;
    bool reuse;          /* of freed memory */
    uint64_t executions; /* at most; 0: any number */
} plan[] = {
    {"pct", 0.1, MEMORY_SC, false, 2000},  {"dpor", 0.3, MEMORY_SC, false, 0},
    {"pct", 0.15, MEMORY_SC, false, 0},    {"pos", 0.15, MEMORY_SC, false, 0},
    {"random", 0.1, MEMORY_SC, false, 0},  {"pct", 0.1, MEMORY_SC, true, 0},
    {"random", 0.1, MEMORY_C11, false, 0},
};

enum {
    PLANNED = sizeof plan / sizeof plan[0]
};

static const double shortest = 0.001; /* seconds */

static bool run_phase(struct inquiry *inquiry, const struct campaign *campaign)
{
    struct phase *phase = &inquiry->phases[inquiry->count++];

    phase->strategy = campaign->strategy->name;
    phase->rules = campaign->rules;
    phase->memory = campaign->memory;
    bool sound = campaign_run(campaign, &phase->campaign);
    if (phase->campaign.first.verdict != ENDED_WELL && !inquiry->failed)
        inquiry->failed = phase;
    return sound;
}

static struct campaign campaign_of(const struct explore_options *options,
                                   const struct subject *subject, bool (*should_stop)(void))
{
    return (struct campaign){.program = subject->program,
                             .argument = subject->argument,
                             .options = {.seed = options->seed,
                                         .depth = options->depth,
                                         .preemption_bound = options->preemption_bound},
                             .rules = options->rules,
                             .memory = options->memory,
                             .executions = options->executions,
                             .keep_going = options->keep_going,
                             .ended = subject->ended,
                             .should_stop = should_stop};
}

static bool is_exhaustive(const char *strategy)
{
    return strcmp(strategy, "dfs") == 0 || strcmp(strategy, "dpor") == 0;
}

static bool try_one(struct inquiry *inquiry, struct campaign *campaign,
                    const struct explore_options *options, const char *strategy, double seconds)
{
    campaign->strategy = strategy_named(strategy);
    if (!options->faults_are_given)
        campaign->rules.faults.spins = is_exhaustive(strategy) ? 0 : 1;
    campaign->seconds = seconds;
    campaign->rules.variants = is_exhaustive(strategy) ? 1 : VARIANTS;
    campaign->orders = is_exhaustive(strategy) ? 0 : ORDERS_EVERY;
    return run_phase(inquiry, campaign);
}

static bool is_wanted(size_t index, const struct explore_options *options)
{
    return !options->memory_is_given || plan[index].memory == options->memory.model;
}

/* What this one and those after it have of the time, together. */
static double parts_from(size_t index, const struct explore_options *options)
{
    double sum = 0;

    for (size_t i = index; i < PLANNED; i++)
        sum += is_wanted(i, options) ? plan[i].part : 0;
    return sum;
}

static bool try_several(struct inquiry *inquiry, struct campaign *campaign,
                        const struct explore_options *options, double seconds)
{
    double left = seconds;
    bool sound = true;

    for (size_t i = 0; sound && !inquiry->failed && i < PLANNED; i++) {
        if (!is_wanted(i, options))
            continue;
        campaign->memory.model = plan[i].memory;
        campaign->rules.reuse = plan[i].reuse;
        campaign->options.seed = options->seed + i;
        if (options->executions == 0)
            campaign->executions = plan[i].executions;
        sound = try_one(inquiry, campaign, options, plan[i].strategy,
                        left * plan[i].part / parts_from(i, options));
        left = seconds - inquiry_seconds(inquiry);
        left = left > shortest ? left : shortest; /* 0 would be any time */
    }
    return sound;
}

bool inquiry_run(struct inquiry *inquiry, const struct subject *subject,
                 const struct explore_options *options, double seconds, bool (*should_stop)(void))
{
    struct campaign campaign = campaign_of(options, subject, should_stop);

    memset(inquiry, 0, sizeof *inquiry);
    if (options->strategy)
        return try_one(inquiry, &campaign, options, options->strategy, seconds);
    return try_several(inquiry, &campaign, options, seconds);
}

void inquiry_free(struct inquiry *inquiry)
{
    for (unsigned i = 0; i < inquiry->count; i++)
        campaign_result_free(&inquiry->phases[i].campaign);
}

uint64_t inquiry_executions(const struct inquiry *inquiry)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < inquiry->count; i++)
        sum += inquiry->phases[i].campaign.executions;
    return sum;
}

bool inquiry_is_complete(const struct inquiry *inquiry)
{
    for (unsigned i = 0; i < inquiry->count; i++)
        if (inquiry->phases[i].campaign.complete)
            return true;
    return false;
}

uint64_t inquiry_steps(const struct inquiry *inquiry)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < inquiry->count; i++)
        sum += inquiry->phases[i].campaign.steps;
    return sum;
}

double inquiry_seconds(const struct inquiry *inquiry)
{
    double sum = 0;

    for (unsigned i = 0; i < inquiry->count; i++)
        sum += inquiry->phases[i].campaign.seconds;
    return sum;
}

bool inquiry_show_failure(FILE *file, struct inquiry *inquiry, const struct subject *subject,
                          struct story *story, const struct explore_options *options)
{
    struct phase *phase = inquiry->failed;

    phase->campaign.first.as_found = options->as_found;
    story->marks = options->marks;
    story->width = options->width;
    return campaign_set_rules(&phase->rules, &phase->memory) &&
           show_failure(file, story, subject->program, subject->argument, &phase->campaign.first,
                        options->full ? COLUMNS_ALL : COLUMNS_RACE) &&
           show_write_files(options->program, &options->files, story);
}

bool inquiry_replay(const struct subject *subject, struct story *story, const struct token *token,
                    const struct explore_options *options)
{
    story->token = options->replay;
    story->marks = options->marks;
    story->width = options->width;
    return show_token(stdout, story, subject->program, subject->argument, token,
                      options->full ? COLUMNS_ALL : COLUMNS_RACE) &&
           show_write_files(options->program, &options->files, story) &&
           story->verdict == ENDED_WELL;
}

static const char *world_of(const struct phase *phase)
{
    return phase->memory.model == MEMORY_C11 ? "c11 " : phase->rules.reuse ? "reuse " : "";
}

void inquiry_describe(const struct inquiry *inquiry, char *text, size_t room)
{
    size_t length = 0;

    *text = '\0';
    for (unsigned i = 0; i < inquiry->count && length < room; i++) {
        const struct phase *phase = &inquiry->phases[i];
        length += (size_t)snprintf(text + length, room - length, "%s%s%s %s%s", i > 0 ? ", " : "",
                                   world_of(phase), phase->strategy,
                                   phase->campaign.complete ? "complete: " : "",
                                   report_grouped(phase->campaign.executions));
    }
}

static void write_phase(FILE *file, const struct phase *phase)
{
    const struct campaign_result *campaign = &phase->campaign;

    fprintf(file, "        %s%s: %s%s", world_of(phase), phase->strategy,
            campaign->complete ? "complete, " : "",
            report_counted(campaign->executions, "execution"));
    if (campaign->cut > 0)
        fprintf(file, " and %s cut short", report_grouped(campaign->cut));
    if (campaign->orders.counted > 0)
        fprintf(file, ", with %s%s in the %s that were compared",
                report_counted(campaign->orders.distinct, "different order"),
                campaign->orders.full ? " or more" : "", report_grouped(campaign->orders.counted));
    if (*campaign->covered && (campaign->ended || !is_exhaustive(phase->strategy)))
        fprintf(file, "; %s", campaign->covered);
    fprintf(file, "; %.1f M steps/s\n",
            campaign->seconds > 0 ? (double)campaign->steps / campaign->seconds / 1e6 : 0.0);
}

void inquiry_write_phases(FILE *file, const struct inquiry *inquiry)
{
    for (unsigned i = 0; i < inquiry->count; i++)
        write_phase(file, &inquiry->phases[i]);
}
