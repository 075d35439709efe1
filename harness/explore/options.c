/* Options: read with getopt_long, numbers checked to the last character. */
#include "harness/explore/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/strategies.h"
#include "harness/report/words.h"

static const char help_text[] =
    "usage: explore [options]\n"
    "Runs race scenarios on a scheduler of its own, with virtual time: searches their\n"
    "interleavings for one that fails, and prints a token that repeats it.\n"
    "\n"
    "  --seconds N       for all scenarios together (default 120)\n"
    "  --executions N    at most, per scenario and strategy\n"
    "  --scenario GLOB   only these, as in 'future_state/*'\n"
    "  --strategy NAME   only this one: random, pct, pos, dfs, dpor (default: a short\n"
    "                    pct, then dpor, then the sampling ones in turn)\n"
    "  --depth N         of the bugs that pct looks for (default 3)\n"
    "  --bound N         preemptions that dfs allows (default: any number)\n"
    "  --memory MODEL    sc, or c11, where a load may read an older store (default: both in turn)\n"
    "  --no-races        do not look for data races and uses of freed memory: faster\n"
    "  --faults LIST     how many of each at most, as in 'spurious=1,cas=1,memory=1,thread=1'\n"
    "                    (default: spurious=1)\n"
    "  --no-early-time   the clock moves only when nobody can run\n"
    "  --slack SECONDS   by how much it may overtake a thread that could run (default 1)\n"
    "  --steps N         after which an execution goes on in turns (default 20000)\n"
    "  --seed N          same seed, same executions (default: from the clock; it is printed)\n"
    "  --details         say of each strategy what it has covered, and how fast it was\n"
    "  --keep-going      do not stop at the first failure of a scenario\n"
    "  --replay TOKEN    repeat the execution that printed it, and show it\n"
    "  --gdb STEP        with --replay: in gdb, which stops at that step\n"
    "  --full            show all steps, not only those that matter to other threads\n"
    "  --chrome FILE     write the execution that is shown, a failure or a replay, as a trace "
    "that\n"
    "                    Chrome and ui.perfetto.dev open\n"
    "  --trace FILE      write it with all that is known of it, as JSON\n"
    "  --json FILE       also write the results as JSON   ('-': standard output)\n"
    "  --junit FILE      also write the results as JUnit  ('-': standard output)\n"
    "  --html FILE       also write the results as a page ('-': standard output)\n"
    "  --list            name the scenarios, with what they race\n"
    "  --breaks          for each scenario the change of the library under which it fails:\n"
    "                    name, file, old text and new text, separated by tabs\n"
    "  --help            this\n"
    "\n"
    "Exit code: 0 all passed, 1 something failed, 2 wrong usage, 130 stopped by Ctrl-C.\n";

void explore_options_help(FILE *file)
{
    fputs(help_text, file);
}

/* ---- numbers ---- */

static const char program[] = "explore";

static bool read_seconds(const char *name, const char *word, double *value)
{
    return words_seconds(program, name, word, value);
}

static bool read_small(const char *name, const char *word, unsigned minimum, unsigned maximum,
                       unsigned *value)
{
    uint64_t number;

    if (!words_number(program, name, word, minimum, maximum, &number))
        return false;
    *value = (unsigned)number;
    return true;
}

static bool read_slack(const char *word, int64_t *slack)
{
    double seconds;

    if (!read_seconds("slack", word, &seconds))
        return false;
    *slack = (int64_t)(seconds * 1e9);
    return true;
}

/* ---- words ---- */

static bool read_memory(const char *word, struct explore_options *options)
{
    options->memory_is_given = true;
    if (strcmp(word, "sc") == 0)
        options->memory.model = MEMORY_SC;
    else if (strcmp(word, "c11") == 0)
        options->memory.model = MEMORY_C11;
    else
        return words_refuse(program, "memory", word);
    return true;
}

static bool read_strategy(const char *word, const char **name)
{
    *name = word;
    return strategy_named(word) || words_refuse(program, "strategy", word);
}

static unsigned *budget_of(struct faults *faults, const char *name, size_t length)
{
    const struct {
        const char *name;
        unsigned *budget;
    } known[] = {{"spurious", &faults->spurious},
                 {"cas", &faults->weak_cas},
                 {"memory", &faults->no_memory},
                 {"thread", &faults->no_thread}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0)
            return known[i].budget;
    return NULL;
}

static bool read_fault(char *item, struct faults *faults)
{
    char *equals = strchr(item, '=');
    unsigned *budget = equals ? budget_of(faults, item, (size_t)(equals - item)) : NULL;
    uint64_t number;

    if (!budget || !words_is_number(equals + 1, 0, 1000, &number))
        return false;
    *budget = (unsigned)number;
    return true;
}

static bool read_faults(const char *word, struct faults *faults)
{
    char text[128], *rest = NULL;

    *faults = (struct faults){0};
    if (snprintf(text, sizeof text, "%s", word) >= (int)sizeof text)
        return words_refuse(program, "faults", word);
    for (char *item = strtok_r(text, ",", &rest); item; item = strtok_r(NULL, ",", &rest))
        if (strcmp(item, "none") != 0 && !read_fault(item, faults))
            return words_refuse(program, "faults", word);
    return true;
}

/* ---- options ---- */

static bool apply_rule(struct explore_options *options, int letter)
{
    switch (letter) {
    case 'y':
        return read_memory(optarg, options);
    case 'R':
        options->memory.races = false;
        return true;
    case 'f':
        return read_faults(optarg, &options->rules.faults);
    case 'E':
        options->rules.early_time = false;
        return true;
    case 'G':
        return read_small("gdb", optarg, 1, UINT_MAX, &options->gdb_step);
    case 'F':
        options->full = true;
        return true;
    case 'D':
        options->detailed = true;
        return true;
    case 'C':
        options->files.chrome = optarg;
        return true;
    case 'T':
        options->files.glasspool = optarg;
        return true;
    case 'k':
        return read_slack(optarg, &options->rules.slack);
    case 'p':
        return read_small("steps", optarg, 100, 1000000000, &options->rules.step_budget);
    default:
        fprintf(stderr, "(see --help)\n"); /* getopt_long has said why */
        return false;
    }
}

static bool apply_report(struct explore_options *options, int letter)
{
    switch (letter) {
    case 'o':
        options->json = optarg;
        return true;
    case 'u':
        options->junit = optarg;
        return true;
    case 'm':
        options->html = optarg;
        return true;
    default:
        return apply_rule(options, letter);
    }
}

static bool apply(struct explore_options *options, int letter)
{
    switch (letter) {
    case 's':
        return read_seconds("seconds", optarg, &options->seconds);
    case 'x':
        return words_number(program, "executions", optarg, 0, UINT64_MAX, &options->executions);
    case 'c':
        options->scenario = optarg;
        return true;
    case 't':
        return read_strategy(optarg, &options->strategy);
    case 'd':
        return read_small("depth", optarg, 1, 64, &options->depth);
    case 'b':
        return read_small("bound", optarg, 0, UINT_MAX, &options->preemption_bound);
    case 'r':
        return words_number(program, "seed", optarg, 0, UINT64_MAX, &options->seed);
    case 'g':
        options->keep_going = true;
        return true;
    case 'e':
        options->request = EXPLORE_REPLAY;
        options->replay = optarg;
        return true;
    case 'l':
        options->request = EXPLORE_LIST;
        return true;
    case 'B':
        options->request = EXPLORE_BREAKS;
        return true;
    case 'h':
        options->request = EXPLORE_HELP;
        return true;
    default:
        return apply_report(options, letter);
    }
}

static void set_defaults(struct explore_options *options)
{
    *options = (struct explore_options){.seconds = 120,
                                        .seed = words_seed(),
                                        .depth = 3,
                                        .preemption_bound = UINT_MAX,
                                        .memory = {.races = true},
                                        .rules = MACHINE_RULES_DEFAULT};
    options->rules.faults.spurious = 1;
}

bool explore_options_parse(struct explore_options *options, int count, char **words)
{
    static const struct option known[] = {{"seconds", required_argument, NULL, 's'},
                                          {"executions", required_argument, NULL, 'x'},
                                          {"scenario", required_argument, NULL, 'c'},
                                          {"strategy", required_argument, NULL, 't'},
                                          {"depth", required_argument, NULL, 'd'},
                                          {"bound", required_argument, NULL, 'b'},
                                          {"memory", required_argument, NULL, 'y'},
                                          {"no-races", no_argument, NULL, 'R'},
                                          {"faults", required_argument, NULL, 'f'},
                                          {"no-early-time", no_argument, NULL, 'E'},
                                          {"slack", required_argument, NULL, 'k'},
                                          {"steps", required_argument, NULL, 'p'},
                                          {"seed", required_argument, NULL, 'r'},
                                          {"keep-going", no_argument, NULL, 'g'},
                                          {"replay", required_argument, NULL, 'e'},
                                          {"gdb", required_argument, NULL, 'G'},
                                          {"full", no_argument, NULL, 'F'},
                                          {"details", no_argument, NULL, 'D'},
                                          {"chrome", required_argument, NULL, 'C'},
                                          {"trace", required_argument, NULL, 'T'},
                                          {"json", required_argument, NULL, 'o'},
                                          {"junit", required_argument, NULL, 'u'},
                                          {"html", required_argument, NULL, 'm'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"breaks", no_argument, NULL, 'B'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;

    set_defaults(options);
    while ((letter = getopt_long(count, words, "", known, NULL)) != -1)
        if (!apply(options, letter))
            return false;
    options->first_word = optind;
    return true;
}
