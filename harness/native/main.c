/*
 * The native runner as a command: chooses scenarios, has them run, prints and writes the reports.
 *
 * On a terminal a line at the bottom shows what is going on; otherwise only finished results are
 * printed. The first Ctrl-C ends the run after the present block, with what is known so far; the
 * second ends the process.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>   /* time */
#include <unistd.h> /* isatty */

#include "harness/check/histories.h"
#include "harness/native/options.h"
#include "harness/native/stacks.h"
#include "harness/native/supervisor.h"
#include "harness/native/team.h"
#include "harness/native/trouble.h"
#include "harness/report/interrupt.h"
#include "harness/report/report.h"
#include "harness/scenario/flavour.h"

enum exit_code {
    EXIT_ALL_PASSED = 0,
    EXIT_SOMETHING_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INTERRUPTED = 130 /* what a shell expects of SIGINT */
};

#if defined(HARNESS_VALGRIND)
static const char flavour[] = "valgrind";
#elif defined(HARNESS_TSAN)
static const char flavour[] = "tsan";
#elif defined(HARNESS_ASAN)
static const char flavour[] = "asan";
#else
static const char flavour[] = "plain";
#endif

#if defined(__clang__)
static const char compiler[] = "clang " __clang_version__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

/* ---- what is shown while it runs ---- */

static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static bool reports_to_standard_output(const struct options *options)
{
    return is_standard_output(options->json) || is_standard_output(options->junit) ||
           is_standard_output(options->html);
}

static bool on_terminal;
static FILE *text; /* where people read; standard output, unless a report for programs goes there */

static void clear_progress(void)
{
    if (on_terminal)
        fputs("\r\033[K", text);
}

static void show_result(const struct result *result)
{
    clear_progress();
    report_text_result(text, result);
}

static void show_progress(const struct progress *progress)
{
    if (!on_terminal || !progress->scenario)
        return;
    clear_progress();
    fprintf(text, "%zu/%zu  %s  %" PRIu64 " iterations, %.0f s left", progress->finished + 1,
            progress->count, progress->scenario->name, progress->iterations,
            progress->seconds_left > 0 ? progress->seconds_left : 0.0);
    fflush(text);
}

/* ---- choosing ---- */

struct choice {
    struct result *results;
    size_t count;
    bool flawed;
};

static void count_scenario(const struct scenario *scenario, void *context)
{
    struct choice *choice = context;
    const char *flaw = scenario_flaw(scenario);

    if (!flaw)
        flaw = histories_flaw(scenario);
    choice->count++;
    if (flaw) {
        fprintf(stderr, "stress: %s: %s\n", scenario->name, flaw);
        choice->flawed = true;
    }
}

static void add_scenario(const struct scenario *scenario, void *context)
{
    struct choice *choice = context;

    choice->results[choice->count++].scenario = scenario;
}

/* The chosen scenarios with room for their results; count 0: there are none, or they are flawed. */
static struct choice choose(const char *glob)
{
    struct choice choice = {0};

    scenario_each(glob, count_scenario, &choice);
    if (choice.count == 0)
        fprintf(stderr, "stress: no scenario is called '%s' (see --list; a family is 'name/*')\n",
                glob ? glob : "");
    choice.results = choice.flawed ? NULL : calloc(choice.count + 1, sizeof *choice.results);
    choice.count = 0;
    if (choice.results)
        scenario_each(glob, add_scenario, &choice);
    return choice;
}

/* ---- requests ---- */

static void print_scenario(const struct scenario *scenario, void *context)
{
    (void)context;
    printf("%s\n    %s\n    %s  attacks %s: %s\n", scenario->name, scenario->description,
           scenario->invariants, scenario->attacks.file, scenario->attacks.pattern);
}

static int list(const char *glob)
{
    struct choice choice = choose(glob);

    scenario_each(glob, print_scenario, NULL);
    free(choice.results);
    return choice.count > 0 ? EXIT_ALL_PASSED : EXIT_USAGE;
}

/* ---- reports ---- */

static bool complain_of(const char *path)
{
    fprintf(stderr, "stress: cannot write '%s': %s\n", path, strerror(errno));
    return false;
}

/* Better to know before the run than after it. */
static bool is_writable(const char *path)
{
    if (!path || is_standard_output(path))
        return true;
    FILE *file = fopen(path, "a");
    return file ? fclose(file) == 0 : complain_of(path);
}

static bool are_writable(const struct options *options)
{
    return is_writable(options->json) && is_writable(options->junit) && is_writable(options->html);
}

static bool write_report(const char *path, report_fn *write, const struct report *report)
{
    return !path || report_write(path, write, report) || complain_of(path);
}

static bool write_reports(const struct options *options, const struct report *report)
{
    bool json = write_report(options->json, report_json, report);
    bool junit = write_report(options->junit, report_junit, report);
    bool html = write_report(options->html, report_html, report);

    return json && junit && html;
}

static int finish(const struct options *options, const struct report *report, bool sound)
{
    clear_progress();
    bool written = write_reports(options, report);
    report_text_closing(text, report);
    if (!sound)
        fputs("stress: no memory, or no threads to be had\n", stderr);
    if (!sound || !written || report_count(report, FAILED) > 0)
        return EXIT_SOMETHING_FAILED;
    return interrupt_came() ? EXIT_INTERRUPTED : EXIT_ALL_PASSED;
}

static int run(const struct options *options)
{
    struct choice choice = choose(options->scenario);
    struct supervision supervision = {.results = choice.results,
                                      .count = choice.count,
                                      .seconds = options->seconds,
                                      .hang_seconds = options->hang_seconds,
                                      .jobs = options->jobs,
                                      .seed = options->seed,
                                      .stagger = options->stagger,
                                      .until_failure = options->until_failure,
                                      .lenient = options->lenient || native_cores() < 2,
                                      .on_result = show_result,
                                      .on_progress = show_progress,
                                      .should_stop = interrupt_came};
    int64_t began = native_now();

    if (choice.count == 0 || !are_writable(options)) {
        free(choice.results);
        return EXIT_USAGE;
    }
    if (native_cores() < 2)
        fprintf(text, "one processor: outcomes that need two at a time are not demanded\n");
    interrupt_heed();
    stacks_prepare();
    trouble_watch();
    bool sound = supervise(&supervision);
    struct report report = {.results = choice.results,
                            .count = choice.count,
                            .seed = options->seed,
                            .seconds = (double)(native_now() - began) / 1e9,
                            .ended = time(NULL),
                            .flavour = flavour,
                            .compiler = compiler};
    int code = finish(options, &report, sound);
    trouble_end();
    if (sound)
        free(choice.results);
    return code;
}

int main(int count, char **words)
{
    struct options options;

    if (!options_parse(&options, count, words))
        return EXIT_USAGE;
    text = reports_to_standard_output(&options) ? stderr : stdout;
    on_terminal = isatty(fileno(text));
    switch (options.request) {
    case REQUEST_HELP:
        options_help(stdout);
        return EXIT_ALL_PASSED;
    case REQUEST_LIST:
        return list(options.scenario);
    case REQUEST_BREAKS:
        scenario_each(options.scenario, scenario_print_break, stdout);
        return EXIT_ALL_PASSED;
    case REQUEST_RUN:
        break;
    }
    return run(&options);
}
