/*
 * The explorer around anybody's program: what gp-cc links to a main of its own.
 *
 *     gp-cc mytest.c -o mytest && ./mytest --strategy=pct
 *
 * The program's main has become gpx_main, and is run again and again from the beginning, as thread
 * 0 of the machine. It fails if an assertion does, or if the explorer finds what no program should
 * do: a data race, a deadlock, a leak and so on. Arguments after -- are the program's own.
 */
#include <libgen.h> /* basename */
#include <stdio.h>
#include <stdlib.h>

#include "harness/explore/inquiry.h"
#include "harness/explore/options.h"
#include "harness/explore/runtime.h"
#include "harness/report/interrupt.h"
#include "harness/report/report.h"

int gpx_main(int count, char **words) __attribute__((weak)); /* not where scenarios are explored */

static struct {
    int count;
    char **words;
} arguments;

static void run_main(void *unused)
{
    (void)unused;
    int code = gpx_main(arguments.count, arguments.words);
    if (code != 0)
        machine_finish(ENDED_ASSERTION, "main returned %d", code);
}

static int tell(const struct inquiry *inquiry, const char *name)
{
    double seconds = inquiry_seconds(inquiry);
    char text[256];

    inquiry_describe(inquiry, text, sizeof text);
    printf("%s: %s; %.1f M steps/s\n", name, text,
           seconds > 0 ? (double)inquiry_steps(inquiry) / seconds / 1e6 : 0.0);
    if (!inquiry->failed) {
        printf("%s: nothing found in %s executions\n", name,
               report_grouped(inquiry_executions(inquiry)));
        return EXIT_SUCCESS;
    }
    const struct failure *failure = &inquiry->failed->campaign.first;
    printf("%s: FAILED, %s: %s\n", name, verdict_kind_name(failure->verdict), failure->message);
    return EXIT_FAILURE;
}

int main(int count, char **words)
{
    static struct inquiry inquiry;
    struct subject subject = {.program = run_main};
    struct explore_options options;

    if (!explore_options_parse(&options, count, words))
        return 2;
    if (options.request == EXPLORE_HELP) {
        explore_options_help(stdout);
        return EXIT_SUCCESS;
    }
    interrupt_heed();
    if (!machine_prepare() ||
        !inquiry_run(&inquiry, &subject, &options, options.seconds, interrupt_came)) {
        fputs("no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int code = tell(&inquiry, basename(words[0]));
    inquiry_free(&inquiry);
    return code;
}
