/* Options: one table of them all, read with getopt_long, numbers checked to the last character. */
#include "harness/explore/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h> /* isatty */

#include "harness/explore/strategies.h"
#include "harness/explore/token.h" /* TOKEN_STEPS */
#include "harness/report/words.h"

static const char *program; /* as it calls itself */

/* ---- what there is ---- */

/* Which front ends and which requests honour an option: bits. */
enum {
    OF_SCENARIOS = 1 << EXPLORE_SCENARIOS,
    OF_PROGRAM = 1 << EXPLORE_PROGRAM,
    OF_BOTH = OF_SCENARIOS | OF_PROGRAM,
    WITH_RUN = 1 << EXPLORE_RUN,
    WITH_REPLAY = 1 << EXPLORE_REPLAY,
    WITH_LIST = 1 << EXPLORE_LIST,
    WITH_BREAKS = 1 << EXPLORE_BREAKS,
    WITH_ALL = WITH_RUN | WITH_REPLAY | WITH_LIST | WITH_BREAKS
};

struct known {
    const char *name, *argument; /* NULL: it takes none */
    char letter;
    unsigned fronts, requests;
    const char *help;
};

static const struct known all[] = {
    {"seconds", "N", 's', OF_BOTH, WITH_RUN, "how long, all in all (default 120)"},
    {"executions", "N", 'x', OF_BOTH, WITH_RUN, "at most, by each strategy"},
    {"scenario", "GLOB", 'c', OF_SCENARIOS, WITH_RUN | WITH_LIST | WITH_BREAKS,
     "only these, as in 'future_state/*'"},
    {"strategy", "NAME", 't', OF_BOTH, WITH_RUN,
     "only this one: random, pct, pos, dfs, dpor (default: a short pct, then dpor, then\n"
     "the sampling ones in turn)"},
    {"depth", "N", 'd', OF_BOTH, WITH_RUN, "of the bugs that pct looks for (default 3)"},
    {"bound", "N", 'b', OF_BOTH, WITH_RUN, "preemptions that dfs allows (default: any number)"},
    {"memory", "MODEL", 'y', OF_BOTH, WITH_RUN,
     "sc, or c11, where a load may read an older store (default: both in\n"
     "turn)"},
    {"no-races", NULL, 'R', OF_BOTH, WITH_RUN,
     "do not look for data races and uses of freed memory: faster"},
    {"faults", "LIST", 'f', OF_BOTH, WITH_RUN,
     "how many of each at most, as in\n"
     "'spurious=1,clock=1,cas=1,memory=1,thread=1,spins=1'; 'none' (default:\n"
     "spurious=1,clock=1,cas=1, and spins=1 for random, pct and pos)"},
    {"no-early-time", NULL, 'E', OF_BOTH, WITH_RUN, "move the clock only when no thread can run"},
    {"slack", "SECONDS", 'k', OF_BOTH, WITH_RUN,
     "how far the clock may overtake a thread that could run (default 1)"},
    {"steps", "N", 'p', OF_BOTH, WITH_RUN,
     "steps after which the threads take turns; an execution ends at twice as many\n"
     "(default 100000)"},
    {"seed", "N", 'r', OF_BOTH, WITH_RUN,
     "same seed, same executions (default: from the clock; it is printed)"},
    {"details", NULL, 'D', OF_SCENARIOS, WITH_RUN,
     "say of each strategy what it has covered, and how fast it was"},
    {"keep-going", NULL, 'g', OF_SCENARIOS, WITH_RUN,
     "after a failure go on counting outcomes, to the end of the strategy"},
    {"find", "OUTCOME", 'n', OF_SCENARIOS, WITH_RUN,
     "look for an execution with this outcome, a glob like 'set=1, *', and show it"},
    {"replay", "TOKEN", 'e', OF_BOTH, WITH_REPLAY,
     "repeat the execution that printed it, and show it"},
    {"gdb", "STEP", 'G', OF_BOTH, WITH_REPLAY, "with --replay: in gdb, which stops at that step"},
    {"full", NULL, 'F', OF_BOTH, WITH_RUN | WITH_REPLAY,
     "show all steps, not only those that matter to other threads"},
    {"mark", "LINES", 'M', OF_BOTH, WITH_RUN | WITH_REPLAY,
     "mark the steps that come from these lines of the source, as in\n"
     "'impl/a.c:3-5,impl/b.h:7-7'"},
    {"as-found", NULL, 'a', OF_BOTH, WITH_RUN,
     "show the execution that was found, not the shortest that is like it"},
    {"chrome", "FILE", 'C', OF_BOTH, WITH_RUN | WITH_REPLAY,
     "write the execution that is shown (a replay, or the last failure) as\n"
     "a trace that Chrome and ui.perfetto.dev open"},
    {"trace", "FILE", 'T', OF_BOTH, WITH_RUN | WITH_REPLAY,
     "write the execution with all that is known of it, as JSON"},
    {"graph", "FILE", 'q', OF_SCENARIOS, WITH_RUN,
     "write all schedules of a small scenario as a graph, as JSON"},
    {"json", "FILE", 'o', OF_SCENARIOS, WITH_RUN,
     "also write the results as JSON   ('-': standard output)"},
    {"junit", "FILE", 'u', OF_SCENARIOS, WITH_RUN,
     "also write the results as JUnit  ('-': standard output)"},
    {"html", "FILE", 'm', OF_SCENARIOS, WITH_RUN,
     "also write the results as a page ('-': standard output)"},
    {"list", NULL, 'l', OF_SCENARIOS, WITH_LIST, "name the scenarios, with what they race"},
    {"breaks", NULL, 'B', OF_SCENARIOS, WITH_BREAKS,
     "name the scenarios, with the mutant under which each fails"},
    {"help", NULL, 'h', OF_BOTH, WITH_ALL, "this"},
};

enum {
    ALL = sizeof all / sizeof all[0]
};

static bool has(unsigned bits, unsigned number)
{
    return bits >> number & 1;
}

/* ---- help ---- */

static void write_option(FILE *file, const struct known *known)
{
    enum {
        INDENT = 20
    };
    char name[32];

    snprintf(name, sizeof name, "--%s%s%s", known->name, known->argument ? " " : "",
             known->argument ? known->argument : "");
    fprintf(file, "  %-*s", INDENT - 2, name);
    for (const char *text = known->help; *text; text++) {
        fputc(*text, file);
        if (*text == '\n')
            fprintf(file, "%*s", INDENT, "");
    }
    fputc('\n', file);
}

void explore_options_help(FILE *file, const struct explore_options *options)
{
    if (options->front == EXPLORE_SCENARIOS)
        fprintf(file,
                "usage: %s [options]\n"
                "Runs race scenarios on a scheduler of its own, with virtual time: searches their\n"
                "interleavings for one that fails, and prints a token that repeats it.\n\n",
                program);
    else
        fprintf(file,
                "usage: %s [options] [-- arguments of the program]\n"
                "Runs its main again and again on a scheduler of its own, with virtual time: "
                "searches\n"
                "the interleavings for one that fails, and prints a token that repeats it.\n\n",
                program);
    for (size_t i = 0; i < ALL; i++)
        if (has(all[i].fronts, options->front))
            write_option(file, &all[i]);
    fputs(options->front == EXPLORE_SCENARIOS
              ? "\nExit code: 0 all passed, 1 something failed or could not be judged, 2 wrong "
                "usage,\n"
                "130 stopped by Ctrl-C.\n"
              : "\nExit status: 0 complete; 1 an execution failed; 2 wrong usage; 3 nothing found, "
                "but\n"
                "not everything was seen; 4 inconclusive: some executions ended at a limit; 130 "
                "stopped\n"
                "by Ctrl-C.\n",
          file);
}

/* ---- numbers ---- */

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
    } known[] = {{"spurious", &faults->spurious}, {"cas", &faults->weak_cas},
                 {"memory", &faults->no_memory},  {"thread", &faults->no_thread},
                 {"spins", &faults->spins},       {"clock", &faults->jumps}};

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
        options->faults_are_given = true;
        return read_faults(optarg, &options->rules.faults);
    case 'E':
        options->rules.early_time = false;
        return true;
    case 'G':
        return read_small("gdb", optarg, 1, UINT_MAX, &options->gdb_step);
    case 'F':
        options->full = true;
        return true;
    case 'M':
        options->marks = optarg;
        return true;
    case 'q':
        options->graph = optarg;
        return true;
    case 'a':
        options->as_found = true;
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
        return read_small("steps", optarg, 100, TOKEN_STEPS / 2, &options->rules.step_budget);
    default: /* it has been said why */
        return false;
    }
}

static bool apply_report(struct explore_options *options, int letter)
{
    switch (letter) {
    case 'o':
        options->reports.json = optarg;
        return true;
    case 'u':
        options->reports.junit = optarg;
        return true;
    case 'm':
        options->reports.html = optarg;
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
    case 'n':
        options->wanted = optarg;
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

/* As COLUMNS says, or the terminal itself; 0: neither. */
static int width_of_terminal(void)
{
    enum {
        NARROWEST = 60,
        WIDEST = 400
    };
    const char *given = getenv("COLUMNS");
    struct winsize size;
    long width = given ? strtol(given, NULL, 10) : 0;

    if (width <= 0 && isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return 0;
    return (int)(width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width);
}

static void set_defaults(struct explore_options *options)
{
    *options = (struct explore_options){.seconds = 120,
                                        .seed = words_seed(),
                                        .depth = 3,
                                        .width = width_of_terminal(),
                                        .preemption_bound = UINT_MAX,
                                        .memory = {.races = true},
                                        .rules = MACHINE_RULES_DEFAULT};
    options->rules.faults.spurious = options->rules.faults.weak_cas = 1;
    options->rules.faults.jumps = 1;
}

/* What this front end offers, for getopt_long. */
static void list_known(enum explore_front front, struct option known[ALL + 1])
{
    size_t count = 0;

    for (size_t i = 0; i < ALL; i++)
        if (has(all[i].fronts, front))
            known[count++] =
                (struct option){.name = all[i].name,
                                .has_arg = all[i].argument ? required_argument : no_argument,
                                .val = all[i].letter};
    known[count] = (struct option){0};
}

static const char *name_of_request(enum explore_request request)
{
    static const char *const names[] = {
        [EXPLORE_REPLAY] = "--replay", [EXPLORE_LIST] = "--list", [EXPLORE_BREAKS] = "--breaks"};

    return names[request];
}

/* Each option that was given must mean something to the request. */
static bool are_honoured(const bool given[UCHAR_MAX + 1], enum explore_request request)
{
    for (size_t i = 0; i < ALL; i++) {
        if (!given[(unsigned char)all[i].letter] || has(all[i].requests, request))
            continue;
        if (request == EXPLORE_RUN)
            fprintf(stderr, "%s: --%s needs --replay TOKEN (see --help)\n", program, all[i].name);
        else
            fprintf(stderr, "%s: --%s cannot go with %s (see --help)\n", program, all[i].name,
                    name_of_request(request));
        return false;
    }
    return true;
}

/* Others have no bound, and would go on without a word. */
static bool is_bound_honoured(const bool given[UCHAR_MAX + 1], const char *strategy)
{
    if (!given['b'] || (strategy && strcmp(strategy, "dfs") == 0))
        return true;
    fprintf(stderr, "%s: --bound needs --strategy dfs (see --help)\n", program);
    return false;
}

/* What is left are the program's own words, if there is a program. */
static bool take_rest(struct explore_options *options, int count, char **words)
{
    bool after_dashes = strcmp(words[optind - 1], "--") == 0;

    options->arguments = words + optind;
    if (optind == count || (after_dashes && options->front == EXPLORE_PROGRAM))
        return true;
    fprintf(stderr, "%s: what is '%s'? %s\n", program, words[optind],
            options->front == EXPLORE_PROGRAM ? "The program's own arguments come after --"
                                              : "(see --help)");
    return false;
}

bool explore_options_parse(struct explore_options *options, enum explore_front front,
                           const char *name, int count, char **words)
{
    struct option known[ALL + 1];
    bool given[UCHAR_MAX + 1] = {false};
    int letter;

    program = name;
    set_defaults(options);
    options->program = name;
    options->front = front;
    list_known(front, known);
    while ((letter = words_next(name, count, words, known)) != -1) {
        given[(unsigned char)letter] = true;
        if (!apply(options, letter))
            return false;
        if (options->request == EXPLORE_HELP)
            return true;
    }
    return are_honoured(given, options->request) && is_bound_honoured(given, options->strategy) &&
           take_rest(options, count, words);
}
