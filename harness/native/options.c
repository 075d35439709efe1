/* Options: read with getopt_long, numbers checked to the last character. */
#include "harness/native/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/native/stagger.h"
#include "harness/native/team.h" /* native_cores */
#include "harness/report/words.h"
#include "harness/scenario/scenario.h"

static const char help_text[] =
    "usage: stress [options]\n"
    "Runs race scenarios on real threads and grades what happens.\n"
    "\n"
    "  --seconds N      for all scenarios together (default 90)\n"
    "  --scenario GLOB  only these, as in 'future_state/*'\n"
    "  --seed N         same seed, same staggering (default: from the clock; it is printed)\n"
    "  --stagger N      stay with one way to stagger the actors: 0 none, 1 ... more and more\n"
    "                   (0 to 27 for two actors, up to 9 more for each further one; default:\n"
    "                   tuned)\n"
    "  --jobs N         scenarios at the same time (default: one for every two cores)\n"
    "  --hang SECONDS   without progress, until a scenario counts as hung (default 10; up to six\n"
    "                   times that while other programs keep it from the processors)\n"
    "  --until-failure  end a scenario at its first failure\n"
    "  --lenient        what must be seen and was not is told, but is no failure: for tools that\n"
    "                   run one thread at a time\n"
    "  --json FILE      also write the results as JSON   ('-': standard output)\n"
    "  --junit FILE     also write the results as JUnit  ('-': standard output)\n"
    "  --html FILE      also write the results as a page ('-': standard output)\n"
    "  --list           name the scenarios, with what they race\n"
    "  --breaks         name the scenarios, with the mutant under which each fails\n"
    "  --help           this\n"
    "\n"
    "Exit code: 0 all passed, 1 something failed, 2 wrong usage, 130 stopped by Ctrl-C.\n";

void options_help(FILE *file)
{
    fputs(help_text, file);
}

/* ---- numbers ---- */

static const char program[] = "stress";

static bool read_stagger(const char *word, int *stagger)
{
    uint64_t number;

    if (!words_number(program, "stagger", word, 0, STAGGER_MAX - 1, &number))
        return false;
    *stagger = (int)number;
    return true;
}

static bool read_jobs(const char *word, unsigned *jobs)
{
    uint64_t number;

    if (!words_number(program, "jobs", word, 1, 256, &number))
        return false;
    *jobs = (unsigned)number;
    return true;
}

/* How many staggers a scenario has depends on how many actors it has. */

static unsigned last_stagger_of(const struct scenario *scenario)
{
    return stagger_count((unsigned)scenario_actor_count(scenario)) - 1;
}

static void find_narrowest(const struct scenario *scenario, void *context)
{
    const struct scenario **narrowest = context;

    if (!*narrowest || last_stagger_of(scenario) < last_stagger_of(*narrowest))
        *narrowest = scenario;
}

static bool stagger_fits(const struct options *options)
{
    const struct scenario *narrowest = NULL;

    scenario_each(options->scenario, find_narrowest, &narrowest);
    if (!narrowest || options->stagger <= (int)last_stagger_of(narrowest))
        return true;
    fprintf(stderr, "stress: --stagger cannot be %d: %s has %zu actors, and for them 0 to %u\n",
            options->stagger, narrowest->name, scenario_actor_count(narrowest),
            last_stagger_of(narrowest));
    return false;
}

/* ---- options ---- */

static bool apply(struct options *options, int letter)
{
    switch (letter) {
    case 's':
        return words_seconds(program, "seconds", optarg, &options->seconds);
    case 'w':
        return words_seconds(program, "hang", optarg, &options->hang_seconds);
    case 'c':
        options->scenario = optarg;
        return true;
    case 'r':
        return words_number(program, "seed", optarg, 0, UINT64_MAX, &options->seed);
    case 'g':
        return read_stagger(optarg, &options->stagger);
    case 'j':
        return read_jobs(optarg, &options->jobs);
    case 'f':
        options->until_failure = true;
        return true;
    case 'n':
        options->lenient = true;
        return true;
    case 'o':
        options->files.json = optarg;
        return true;
    case 'u':
        options->files.junit = optarg;
        return true;
    case 'm':
        options->files.html = optarg;
        return true;
    case 'l':
        options->request = REQUEST_LIST;
        return true;
    case 'b':
        options->request = REQUEST_BREAKS;
        return true;
    case 'h':
        options->request = REQUEST_HELP;
        return true;
    default:
        return false;
    }
}

static void set_defaults(struct options *options)
{
    unsigned pairs = native_cores() / 2;

    *options = (struct options){.seconds = 90,
                                .hang_seconds = 10,
                                .seed = words_seed(),
                                .stagger = STAGGER_TUNED,
                                .jobs = pairs > 0 ? pairs : 1};
}

bool options_parse(struct options *options, int count, char **words)
{
    static const struct option known[] = {{"seconds", required_argument, NULL, 's'},
                                          {"hang", required_argument, NULL, 'w'},
                                          {"scenario", required_argument, NULL, 'c'},
                                          {"seed", required_argument, NULL, 'r'},
                                          {"stagger", required_argument, NULL, 'g'},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"until-failure", no_argument, NULL, 'f'},
                                          {"lenient", no_argument, NULL, 'n'},
                                          {"json", required_argument, NULL, 'o'},
                                          {"junit", required_argument, NULL, 'u'},
                                          {"html", required_argument, NULL, 'm'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"breaks", no_argument, NULL, 'b'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;

    set_defaults(options);
    while ((letter = words_next(program, count, words, known)) != -1)
        if (!apply(options, letter))
            return false;
    if (optind < count)
        fprintf(stderr, "stress: what is '%s'? (see --help)\n", words[optind]);
    return optind == count && stagger_fits(options);
}
