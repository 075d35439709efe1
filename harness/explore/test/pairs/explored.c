/*
 * The pairs on the explorer.
 *
 *     pairs [--samples N] [--seed N] [NAME]       all of them, or this one
 *
 * Each program is explored as gp-cc explores one without options, and then by several strategies
 * under each memory model: `random` and `pct` sample N executions, `every` and `dpor` run all of
 * them. All have to agree. In the racy twin each finds the race, in every execution or in some, as
 * pairs.def says. In the ordered twin none finds anything, the searches are complete, and the read
 * was reached.
 *
 * A search that ends and is not complete has left something out. `bounded` has the pairs for which
 * that is so, and what is left out; it is checked in both directions.
 *
 * A line per program and mode has five words: NAME TWIN MODE RESULT VERDICT. MODE is `default`,
 * `sc` or `c11`; RESULT is `ok` or `FAILED`; VERDICT is `race` or `-`. What is wrong follows, or
 * what was left out. The last line is "pairs: N passed, N failed". Exit status: 0 if none failed, 1
 * if one did, 2 if there is no such pair, option or memory.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/inquiry.h"
#include "harness/explore/test/every.h"
#include "harness/explore/test/pairs/pairs.h"
#include "harness/report/words.h"

enum {
    SAMPLES = 200,       /* executions */
    EXECUTIONS = 100000, /* more than any of the programs has */
    BY_DEFAULT = 4000,   /* in each campaign of an inquiry */
    SECONDS = 60,        /* of an inquiry, and never reached */
    TOLD = 4096          /* bytes of text about a program */
};

static const struct search {
    const struct strategy *strategy;
    bool ends;
} searches[] = {{&strategy_random, false},
                {&strategy_pct, false},
                {&strategy_every, true},
                {&strategy_dpor, true}};

static const struct pair {
    const char *name; /* NULL: a heading */
    enum found found;
    program_fn *twins[2]; /* the racy one first */
} pairs[] = {
#define GROUP(words)           {.name = NULL},
#define PAIR(name, found, ...) {#name, found, {name##_racy, name##_ordered}},
#include "harness/explore/test/pairs/pairs.def"
#undef PAIR
#undef GROUP
};

/* Ordered twins of which a search, under `c11`, leaves something out. */
static const struct bound {
    const char *name;
    enum limit limit;
} bounded[] = {{"low_half", LIMIT_MIXED_SIZES},
               {"high_half", LIMIT_MIXED_SIZES},
               {"sixteen_bytes", LIMIT_WIDE},
               {"large", LIMIT_WIDE}};

static struct {
    uint64_t samples, seed;
    const char *only;               /* this pair; NULL: all */
    struct explore_options options; /* of gp-cc's programs, without any that is given */
} wanted = {.samples = SAMPLES, .seed = 1};

static struct {
    unsigned passed, failed;
} tally;

/* ---- what the programs call ---- */

const struct timespec nap = {.tv_sec = 10}; /* no thread is held back for so long [MACHINE-3] */

static uint64_t uses;

void step_done(int step)
{
    (void)step;
}

void after_step(int step)
{
    (void)step;
}

void use(int read)
{
    (void)read;
    uses++;
}

/* ---- judging ---- */

/* A program in one mode. */
struct trial {
    const struct pair *pair;
    const char *mode;
    bool racy, raced;
    char wrong[TOLD]; /* empty: nothing */
    const char *left_out;
};

static void complain(struct trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void complain(struct trial *trial, const char *format, ...)
{
    size_t length = strlen(trial->wrong);
    va_list values;

    va_start(values, format);
    vsnprintf(trial->wrong + length, TOLD - length, format, values);
    va_end(values);
}

static const struct bound *bound_of(const struct trial *trial)
{
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if (strcmp(bounded[i].name, trial->pair->name) == 0)
            return &bounded[i];
    return NULL;
}

/* It has run all executions, and left out what it is known to. */
static void judge_end(struct trial *trial, const struct campaign_result *result,
                      const char *strategy, enum memory_model model)
{
    const struct bound *bound = model == MEMORY_C11 ? bound_of(trial) : NULL;

    if (!result->ended)
        complain(trial, "; %s: no end after %" PRIu64 " executions", strategy, result->executions);
    else if (!bound && !result->complete)
        complain(trial, "; %s: incomplete: %s", strategy, result->covered);
    else if (bound && (result->complete || result->limits[bound->limit] == 0))
        complain(trial, "; %s: nothing was left out", strategy);
    if (bound)
        trial->left_out = limit_text(bound->limit);
}

static void judge_search(struct trial *trial, const struct campaign_result *result,
                         const struct search *search, enum memory_model model)
{
    uint64_t races = result->verdicts[ENDED_RACE], all = result->executions;
    const char *by = search->strategy->name;

    trial->raced |= races > 0;
    if (races + result->verdicts[ENDED_WELL] < all)
        complain(trial, "; %s: another failure: %s", by, result->first.message);
    else if (trial->racy && races == 0)
        complain(trial, "; %s: no race", by);
    else if (trial->racy && trial->pair->found == IN_EVERY && races < all)
        complain(trial, "; %s: a race in %" PRIu64 " of %" PRIu64 " executions", by, races, all);
    else if (!trial->racy && races > 0)
        complain(trial, "; %s: a race: %s", by, result->first.message);
    else if (!trial->racy && search->ends)
        judge_end(trial, result, by, model);
}

/* An inquiry that has found nothing has searched under both models. */
static void judge_extent(struct trial *trial, const struct inquiry *inquiry)
{
    bool searched[2] = {false, false};

    for (unsigned i = 0; i < inquiry->count; i++) {
        const struct phase *phase = &inquiry->phases[i];
        if (strcmp(phase->strategy->name, "dpor") != 0)
            continue;
        judge_end(trial, &phase->campaign, phase->strategy->name, phase->memory.model);
        searched[phase->memory.model] = true;
    }
    if (!(searched[MEMORY_SC] && searched[MEMORY_C11]))
        complain(trial, "; not searched under both models");
}

static void judge_inquiry(struct trial *trial, const struct inquiry *inquiry)
{
    const struct phase *failed = inquiry->failed;

    trial->raced = failed && failed->campaign.first.verdict == ENDED_RACE;
    if (failed && !(trial->racy && trial->raced))
        complain(trial, "; %s: %s", failed->strategy->name, failed->campaign.first.message);
    else if (!failed && trial->racy)
        complain(trial, "; no race");
    else if (!trial->racy)
        judge_extent(trial, inquiry);
}

static void tell(struct trial *trial)
{
    if (!trial->racy && !trial->raced && uses == 0)
        complain(trial, "; the read was never reached");
    printf("%s %s %s %s %s%s", trial->pair->name, trial->racy ? "racy" : "ordered", trial->mode,
           trial->wrong[0] ? "FAILED" : "ok", trial->raced ? "race" : "-", trial->wrong);
    if (!trial->wrong[0] && trial->left_out)
        printf(" left out: %s", trial->left_out);
    putchar('\n');
    if (trial->wrong[0])
        tally.failed++;
    else
        tally.passed++;
}

/* ---- exploring: false: no memory ---- */

static program_fn *explored; /* the program */

static void perform(void *unused)
{
    (void)unused;
    explored();
}

static bool search_all(struct trial *trial, enum memory_model model)
{
    bool sound = true;

    for (size_t i = 0; sound && i < sizeof searches / sizeof *searches; i++) {
        struct campaign_result result;
        struct campaign campaign = {
            .program = perform,
            .strategy = searches[i].strategy,
            .options = {.seed = wanted.seed, .depth = 3, .preemption_bound = UINT32_MAX},
            .rules = MACHINE_RULES_DEFAULT,
            .memory = {.races = true, .model = model},
            .executions = searches[i].ends ? EXECUTIONS : wanted.samples,
            .keep_going = true,
        };
        sound = campaign_run(&campaign, &result);
        judge_search(trial, &result, &searches[i], model);
        campaign_result_free(&result);
    }
    return sound;
}

static bool inquire(struct trial *trial)
{
    static const struct subject subject = {.program = perform};
    struct inquiry inquiry;
    bool sound = inquiry_run(&inquiry, &subject, &wanted.options, SECONDS, NULL);

    judge_inquiry(trial, &inquiry);
    inquiry_free(&inquiry);
    return sound;
}

static bool explore(const struct pair *pair, bool racy)
{
    static const char *const modes[] = {"default", "sc", "c11"};
    bool sound = true;

    explored = pair->twins[racy ? 0 : 1];
    for (unsigned mode = 0; sound && mode < 3; mode++) {
        struct trial trial = {.pair = pair, .mode = modes[mode], .racy = racy};
        uses = 0;
        sound =
            mode == 0 ? inquire(&trial) : search_all(&trial, mode == 1 ? MEMORY_SC : MEMORY_C11);
        tell(&trial);
    }
    return sound;
}

/* ---- the command line ---- */

static bool set_defaults(char *program)
{
    char *words[] = {program, NULL};

    if (!explore_options_parse(&wanted.options, EXPLORE_PROGRAM, program, 1, words))
        return false;
    wanted.options.seed = wanted.seed;
    wanted.options.executions = BY_DEFAULT;
    return true;
}

static bool apply(int option)
{
    switch (option) {
    case 'n':
        return words_number("pairs", "samples", optarg, 1, UINT64_MAX, &wanted.samples);
    case 's':
        return words_number("pairs", "seed", optarg, 0, UINT64_MAX, &wanted.seed);
    default:
        return false;
    }
}

static bool parse(int count, char **words)
{
    static const struct option known[] = {
        {"samples", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 's'}, {0}};
    int option;

    while ((option = getopt_long(count, words, "", known, NULL)) != -1)
        if (!apply(option))
            return false;
    if (optind < count)
        wanted.only = words[optind++];
    return optind == count;
}

int main(int count, char **words)
{
    if (!parse(count, words)) {
        fprintf(stderr, "pairs [--samples N] [--seed N] [NAME]\n");
        return 2;
    }
    optind = 1;
    bool sound = set_defaults(words[0]) && machine_prepare();
    for (size_t i = 0; sound && i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].name && (!wanted.only || strcmp(wanted.only, pairs[i].name) == 0))
            sound = explore(&pairs[i], true) && explore(&pairs[i], false);
    if (!sound || tally.passed + tally.failed == 0) {
        fprintf(stderr, "pairs: %s\n", sound ? "there is no such pair" : "no memory");
        return 2;
    }
    printf("pairs: %u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed == 0 ? 0 : 1;
}
