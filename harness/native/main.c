/*
 * The native runner as a command: chooses scenarios, has them run, prints and writes the reports.
 *
 * On a terminal a line at the bottom shows what is going on; otherwise only finished results are
 * printed. The first Ctrl-C ends the run after the present block, with what is known so far; the
 * second ends the process.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h> /* time */

#include "harness/check/histories.h"
#include "harness/native/options.h"
#include "harness/native/stacks.h"
#include "harness/native/supervisor.h"
#include "harness/native/team.h"
#include "harness/native/trouble.h"
#include "harness/report/command.h"
#include "harness/report/interrupt.h"
#include "harness/scenario/flavour.h"

#if defined(HARNESS_VALGRIND)
static const char flavour[] = "valgrind";
#elif defined(HARNESS_TSAN)
static const char flavour[] = "tsan";
#elif defined(HARNESS_ASAN)
static const char flavour[] = "asan";
#else
static const char flavour[] = "plain";
#endif

/* ---- what is shown while it runs ---- */

static struct command command;

static void show_result(const struct result *result)
{
    command_clear_progress(&command);
    report_text_result(command.text, result);
}

static void show_progress(const struct progress *progress)
{
    if (!command.on_terminal || !progress->scenario)
        return;
    command_clear_progress(&command);
    fprintf(command.text, "%zu/%zu  %s  %" PRIu64 " iterations, %.0f s left",
            progress->finished + 1, progress->count, progress->scenario->name, progress->iterations,
            progress->seconds_left > 0 ? progress->seconds_left : 0.0);
    fflush(command.text);
}

/* ---- requests ---- */

static int run(const struct options *options)
{
    struct choice choice = command_choose(&command, options->scenario, histories_flaw);
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

    if (choice.count == 0 || !command_can_report(&command)) {
        free(choice.results);
        return EXIT_USAGE;
    }
    if (native_cores() < 2)
        fprintf(command.text, "one processor: outcomes that need two at a time are not demanded\n");
    interrupt_heed();
    stacks_prepare();
    trouble_watch(options->until_failure);
    bool sound = supervise(&supervision);
    struct report report = {.results = choice.results,
                            .count = choice.count,
                            .seed = options->seed,
                            .seconds = (double)(native_now() - began) / 1e9,
                            .ended = time(NULL),
                            .flavour = flavour,
                            .compiler = command_compiler};
    int code =
        command_finish(&command, &report, sound ? NULL : "no memory, or no threads to be had");
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
    command = command_of("stress", &options.files);
    switch (options.request) {
    case REQUEST_HELP:
        options_help(stdout);
        return EXIT_ALL_PASSED;
    case REQUEST_LIST:
        return command_list(&command, options.scenario, histories_flaw);
    case REQUEST_BREAKS:
        return command_print_breaks(&command, options.scenario, histories_flaw);
    case REQUEST_RUN:
        break;
    }
    return run(&options);
}
