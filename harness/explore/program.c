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
#include <string.h>

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

static const struct subject subject = {.program = run_main};

static int tell(struct inquiry *inquiry, const struct explore_options *options, const char *name)
{
    printf("%s:\n", name);
    inquiry_write_phases(stdout, inquiry);
    if (!inquiry->failed) {
        printf("%s: nothing found in %s executions%s\n", name,
               report_grouped(inquiry_executions(inquiry)),
               interrupt_came() ? ", then stopped" : "");
        return interrupt_came() ? 130 : EXIT_SUCCESS;
    }
    struct story story = {.program = name};
    putchar('\n');
    if (!inquiry_show_failure(stdout, inquiry, &subject, &story, options))
        fputs("no memory\n", stderr);
    printf("\nonce more: %s --replay TOKEN\n", name);
    return EXIT_FAILURE;
}

static int replay(const struct explore_options *options, const char *name)
{
    static struct token token;
    struct story story = {.program = name};
    char reason[TOKEN_REASON];

    if (!token_read(options->replay, &token, reason)) {
        fprintf(stderr, "%s: this is not a token that I know: %s\n", name, reason);
        return 2;
    }
    if (strcmp(token.program, name) != 0)
        fprintf(stderr, "%s: the token is of a program called %s; let us see\n", name,
                token.program);
    machine.showing = true;
    bool sound = show_token(stdout, &story, subject.program, subject.argument, &token,
                            options->full ? COLUMNS_ALL : COLUMNS_RACE) &&
                 show_write_files(&options->files, &story);
    return sound && story.verdict == ENDED_WELL ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **words)
{
    static struct inquiry inquiry;
    struct explore_options options;

    if (!explore_options_parse(&options, count, words))
        return 2;
    arguments.count = count - options.first_word + 1;
    arguments.words = words + options.first_word - 1; /* the one before them is "--", or our own */
    arguments.words[0] = words[0];
    if (options.request == EXPLORE_HELP) {
        explore_options_help(stdout);
        return EXIT_SUCCESS;
    }
    if (options.request == EXPLORE_REPLAY && options.gdb_step > 0)
        return show_in_debugger(words[0], options.replay, options.gdb_step) ? 0 : 2;
    if (!machine_prepare()) {
        fputs("no memory\n", stderr);
        return EXIT_FAILURE;
    }
    const char *name = basename(words[0]);
    if (options.request == EXPLORE_REPLAY)
        return replay(&options, name);
    interrupt_heed();
    if (!inquiry_run(&inquiry, &subject, &options, options.seconds, interrupt_came)) {
        fputs("no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int code = tell(&inquiry, &options, name);
    inquiry_free(&inquiry);
    return code;
}
