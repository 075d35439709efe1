/*
 * An inquiry: all that is tried on one program.
 *
 * Without a choice by the user it begins with a short walk, on which many a bug is met at once. It
 * goes on with dpor, for a part of the time: if that comes to an end it has seen every order that
 * matters, for the first variant of a scenario's state. Then the sampling strategies have their
 * turns, with all variants, and last those worlds in which freed memory is given out again at once,
 * and in which a load may read an old store. A failure ends it.
 *
 * A program has no variants, so where dpor has come to an end there is nothing left to sample, and
 * a small one is done long before its time is up. The user waits for the result, and the bug may
 * need the C11 memory: a short walk with it follows the first.
 */
#include "harness/explore/inquiry.h"

#include <stdio.h>
#include <string.h>

#include "harness/explore/assembly.h"
#include "harness/report/report.h"

enum {
    VARIANTS = 1024,       /* of the state, for the sampling strategies */
    REUSE_AT_LEAST = 2000, /* executions, where all was seen without it; and so many times as */
    REUSE_FACTOR = 4,      /* many as that took */
    ORDERS_EVERY = 16      /* executions: telling them apart costs more than a third of the speed */
};

/* What is tried by default, and for which part of the time. */
struct planned {
    const char *strategy;
    double part;
    enum memory_model memory;
    bool reuse;          /* of freed memory */
    uint64_t executions; /* at most; 0: any number */
};

struct plan {
    const struct planned *phases;
    size_t count;
};

static const struct planned for_scenarios[] = {
    {"pct", 0.1, MEMORY_SC, false, 2000},  {"dpor", 0.3, MEMORY_SC, false, 0},
    {"pct", 0.15, MEMORY_SC, false, 0},    {"pos", 0.15, MEMORY_SC, false, 0},
    {"random", 0.1, MEMORY_SC, false, 0},  {"pct", 0.1, MEMORY_SC, true, 0},
    {"random", 0.1, MEMORY_C11, false, 0},
};

static const struct planned for_programs[] = {
    {"pct", 0.1, MEMORY_SC, false, 2000},  {"random", 0.1, MEMORY_C11, false, 2000},
    {"dpor", 0.3, MEMORY_SC, false, 0},    {"pct", 0.1, MEMORY_SC, false, 0},
    {"pos", 0.1, MEMORY_SC, false, 0},     {"random", 0.05, MEMORY_SC, false, 0},
    {"pct", 0.05, MEMORY_SC, true, 0},     {"dpor", 0.1, MEMORY_C11, false, 0},
    {"random", 0.1, MEMORY_C11, false, 0},
};

enum {
    FOR_SCENARIOS = sizeof for_scenarios / sizeof *for_scenarios,
    FOR_PROGRAMS = sizeof for_programs / sizeof *for_programs
};

_Static_assert((int)FOR_SCENARIOS <= INQUIRY_PHASES && (int)FOR_PROGRAMS <= INQUIRY_PHASES,
               "an inquiry has room for each of them");

static struct plan plan_for(const struct subject *subject)
{
    if (subject->varies)
        return (struct plan){for_scenarios, FOR_SCENARIOS};
    return (struct plan){for_programs, FOR_PROGRAMS};
}

static bool run_phase(struct inquiry *inquiry, const struct campaign *campaign)
{
    struct phase *phase = &inquiry->phases[inquiry->count++];

    phase->strategy = campaign->strategy;
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
                             .show_progress = subject->show_progress,
                             .should_stop = should_stop};
}

static bool try_one(struct inquiry *inquiry, struct campaign *campaign,
                    const struct explore_options *options, const char *strategy, double seconds)
{
    bool exhaustive = strategy_named(strategy)->exhaustive;

    campaign->strategy = strategy_named(strategy);
    if (!options->faults_are_given)
        campaign->rules.faults.spins = exhaustive ? 0 : 1;
    campaign->seconds = seconds;
    campaign->rules.variants = exhaustive ? 1 : VARIANTS;
    campaign->orders = exhaustive ? 0 : ORDERS_EVERY;
    return run_phase(inquiry, campaign);
}

static bool is_wanted(enum memory_model memory, const struct explore_options *options)
{
    return !options->memory_is_given || memory == options->memory.model;
}

/* The search that has seen all there is with that memory; NULL: none has. */
static const struct phase *complete_search(const struct inquiry *inquiry, enum memory_model memory)
{
    for (unsigned i = 0; !inquiry->varies && i < inquiry->count; i++) {
        const struct phase *phase = &inquiry->phases[i];
        if (phase->campaign.complete && phase->memory.model == memory)
            return phase;
    }
    return NULL;
}

/* Could it show anything new? After a complete search only reuse can; where `sc` did not complete,
   the larger search under `c11` would not either. */
static bool is_needed(const struct planned *planned, const struct inquiry *inquiry,
                      const struct explore_options *options)
{
    if (!is_wanted(planned->memory, options))
        return false;
    if (strategy_named(planned->strategy)->exhaustive)
        return planned->memory == MEMORY_SC || !is_wanted(MEMORY_SC, options) ||
               complete_search(inquiry, MEMORY_SC);
    return planned->reuse || !complete_search(inquiry, planned->memory);
}

/* What this one and those after it have of the time, together. */
static double parts_from(size_t index, const struct plan *plan, const struct inquiry *inquiry,
                         const struct explore_options *options)
{
    double sum = 0;

    for (size_t i = index; i < plan->count; i++)
        sum += is_needed(&plan->phases[i], inquiry, options) ? plan->phases[i].part : 0;
    return sum;
}

/* At most; 0: any number. After a complete search, reuse gets a multiple of its executions. */
static uint64_t executions_of(const struct planned *planned, const struct inquiry *inquiry,
                              const struct explore_options *options)
{
    const struct phase *complete = complete_search(inquiry, MEMORY_SC);

    if (options->executions > 0)
        return options->executions;
    if (planned->reuse && complete)
        return REUSE_AT_LEAST + REUSE_FACTOR * complete->campaign.executions;
    return planned->executions;
}

static bool is_stopped(const struct campaign *campaign)
{
    return campaign->should_stop && campaign->should_stop();
}

static bool try_several(struct inquiry *inquiry, struct campaign *campaign, const struct plan *plan,
                        const struct explore_options *options, double seconds)
{
    double left = seconds;
    bool sound = true;

    for (size_t i = 0; sound && !inquiry->failed && i < plan->count; i++) {
        const struct planned *planned = &plan->phases[i];
        if (is_stopped(campaign) || left <= 0 || !is_needed(planned, inquiry, options))
            continue;
        campaign->seconds_of_all = left;
        campaign->memory.model = planned->memory;
        campaign->rules.reuse = planned->reuse;
        campaign->options.seed = options->seed + i;
        campaign->executions = executions_of(planned, inquiry, options);
        sound = try_one(inquiry, campaign, options, planned->strategy,
                        left * planned->part / parts_from(i, plan, inquiry, options));
        left = seconds - inquiry_seconds(inquiry);
    }
    return sound;
}

bool inquiry_run(struct inquiry *inquiry, const struct subject *subject,
                 const struct explore_options *options, double seconds, bool (*should_stop)(void))
{
    struct campaign campaign = campaign_of(options, subject, should_stop);

    struct plan plan = plan_for(subject);

    memset(inquiry, 0, sizeof *inquiry);
    inquiry->varies = subject->varies;
    if (options->strategy)
        return try_one(inquiry, &campaign, options, options->strategy, seconds);
    return try_several(inquiry, &campaign, &plan, options, seconds);
}

void inquiry_fail_unjudged(struct inquiry *inquiry)
{
    for (unsigned i = 0; !inquiry->failed && i < inquiry->count; i++) {
        struct campaign_result *campaign = &inquiry->phases[i].campaign;
        if (campaign->unjudged.verdict == ENDED_WELL)
            continue;
        campaign->first = campaign->unjudged;
        campaign->unjudged = (struct failure){0};
        inquiry->failed = &inquiry->phases[i];
    }
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

const struct failure *inquiry_unjudged(const struct inquiry *inquiry)
{
    for (unsigned i = 0; i < inquiry->count; i++)
        if (inquiry->phases[i].campaign.unjudged.verdict != ENDED_WELL)
            return &inquiry->phases[i].campaign.unjudged;
    return NULL;
}

uint64_t inquiry_unjudged_count(const struct inquiry *inquiry)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < inquiry->count; i++)
        sum += inquiry->phases[i].campaign.verdicts[ENDED_LIMIT];
    return sum;
}

/* The weaker memory has all executions of the stronger one, unless the user wants just that. */
static const struct phase *decisive_search(const struct inquiry *inquiry,
                                           const struct explore_options *options)
{
    return complete_search(inquiry, options->memory_is_given ? options->memory.model : MEMORY_C11);
}

bool inquiry_only_sc_is_complete(const struct inquiry *inquiry,
                                 const struct explore_options *options)
{
    return complete_search(inquiry, MEMORY_SC) && !decisive_search(inquiry, options);
}

enum conclusion inquiry_conclusion(const struct inquiry *inquiry,
                                   const struct explore_options *options)
{
    if (inquiry->failed)
        return CONCLUSION_FAILED;
    if (inquiry_unjudged(inquiry) || inquiry_executions(inquiry) == 0)
        return CONCLUSION_INCONCLUSIVE;
    return decisive_search(inquiry, options) ? CONCLUSION_COMPLETE : CONCLUSION_NOTHING_FOUND;
}

bool inquiry_has_complete_search(const struct inquiry *inquiry)
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
                                   world_of(phase), phase->strategy->name,
                                   phase->campaign.complete ? "complete: " : "",
                                   report_grouped(phase->campaign.executions));
    }
}

/* What it left out, how often, and which option changes that. */
static void write_limits(FILE *file, const struct campaign_result *campaign)
{
    for (unsigned i = 0; i < LIMITS; i++) {
        if (campaign->limits[i] == 0)
            continue;
        fprintf(file, "            left out in %s: %s",
                report_counted(campaign->limits[i], "execution"), limit_text((enum limit)i));
        if (i == LIMIT_ASSEMBLY) {
            fputs(", at ", file);
            assembly_write_places(file);
        }
        if (limit_option((enum limit)i))
            fprintf(file, " (%s)", limit_option((enum limit)i));
        fputc('\n', file);
    }
}

void inquiry_write_rules(FILE *file, const struct inquiry *inquiry,
                         const struct explore_options *options)
{
    const struct phase *phase = decisive_search(inquiry, options);
    const struct faults *faults = &phase->rules.faults;
    const struct {
        unsigned budget;
        const char *what;
    } all[] = {{faults->spurious, "spurious wake-up"},
               {phase->rules.early_time ? faults->jumps : 0, "jump of the clock"},
               {faults->weak_cas, "spurious failure of a weak compare-exchange"},
               {faults->no_memory, "failed allocation"},
               {faults->no_thread, "failed creation of a thread"}};

    fprintf(file, "        memory  %s\n        faults  ",
            phase->memory.model == MEMORY_C11 ? "of C11" : "sequentially consistent");
    unsigned kinds = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].budget > 0)
            fprintf(file, "%s%s", kinds++ > 0 ? ", " : "at most ",
                    report_counted(all[i].budget, all[i].what));
    fputs(kinds == 0 ? "none\n" : "\n", file);
    if (phase->rules.early_time)
        fprintf(file, "        time    no thread that could run is overtaken by more than %g s\n",
                (double)phase->rules.slack / 1e9);
    else
        fputs("        time    the clock moves only when no thread can run\n", file);
    fputs("        blocks  freed memory is not reused\n", file);
}

static void write_phase(FILE *file, const struct phase *phase)
{
    const struct campaign_result *campaign = &phase->campaign;

    fprintf(file, "        %s%s: %s%s", world_of(phase), phase->strategy->name,
            campaign->complete ? "complete, " : "",
            report_counted(campaign->executions, "execution"));
    if (campaign->cut > 0)
        fprintf(file, " and %s cut short", report_grouped(campaign->cut));
    if (campaign->orders.counted > 0)
        fprintf(file, ", with %s%s in the %s that were compared",
                report_counted(campaign->orders.distinct, "different order"),
                campaign->orders.full ? " or more" : "", report_grouped(campaign->orders.counted));
    if (phase->strategy->exhaustive && !campaign->ended)
        fputs("; not at its end (--seconds N)", file);
    else if (*campaign->covered)
        fprintf(file, "; %s", campaign->covered);
    fprintf(file, "; %.1f M steps/s\n",
            campaign->seconds > 0 ? (double)campaign->steps / campaign->seconds / 1e6 : 0.0);
}

void inquiry_write_phases(FILE *file, const struct inquiry *inquiry)
{
    for (unsigned i = 0; i < inquiry->count; i++) {
        write_phase(file, &inquiry->phases[i]);
        write_limits(file, &inquiry->phases[i].campaign);
    }
}
