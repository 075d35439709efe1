/*
 * The explorer around anybody's program: what gp-cc links to a main of its own.
 *
 *     gp-cc mytest.c -o mytest && ./mytest --strategy=pct
 *
 * The program's main has become gpx_main, and is run again and again from the beginning, as thread
 * 0 of the machine. It fails if an assertion does, or if the explorer finds what no program should
 * do: a data race, a deadlock, a leak and so on. Arguments after -- are the program's own. It may
 * write to them, so each execution has them anew, at the same addresses.
 */
#include <inttypes.h>
#include <libgen.h> /* basename */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h> /* isatty */

#include "harness/explore/inquiry.h"
#include "harness/explore/options.h"
#include "harness/explore/runtime.h"
#include "harness/explore/symbols.h"
#include "harness/report/interrupt.h"

int gpx_main(int count, char **words) __attribute__((weak)); /* not where scenarios are explored */

static struct {
    int count;
    char **words; /* the explorer's; main does not get to see these */
    size_t size;
    char **given; /* to main: the pointers, and behind them the texts, in `size` bytes */
    char **fresh; /* what `given` begins with: its pointers point into it */
} arguments;

/* ---- the program ---- */

static size_t size_of_arguments(void)
{
    size_t size = ((size_t)arguments.count + 1) * sizeof *arguments.words;

    for (int i = 0; i < arguments.count; i++)
        size += strlen(arguments.words[i]) + 1;
    return size;
}

static bool prepare_arguments(void)
{
    arguments.size = size_of_arguments();
    arguments.given = malloc(arguments.size);
    arguments.fresh = malloc(arguments.size);
    if (!arguments.given || !arguments.fresh)
        return false;
    size_t at = ((size_t)arguments.count + 1) * sizeof *arguments.words;
    for (int i = 0; i < arguments.count; i++) {
        size_t length = strlen(arguments.words[i]) + 1;
        memcpy((char *)arguments.fresh + at, arguments.words[i], length);
        arguments.fresh[i] = (char *)arguments.given + at;
        at += length;
    }
    arguments.fresh[arguments.count] = NULL;
    return true;
}

static unsigned count_living(void)
{
    unsigned count = 0;

    for (unsigned i = 1; i < machine.count; i++)
        count += machine.threads[i].alive;
    return count;
}

static void run_main(void *unused)
{
    (void)unused;
    memcpy(arguments.given, arguments.fresh, arguments.size);
    int code = gpx_main(arguments.count, arguments.given) & 0xff; /* as the system has it */
    if (code != 0)
        runtime_announce_end(NULL);
    unsigned living = count_living();
    machine.exit_code = code;
    if (code != 0 && living > 0)
        machine_finish(ENDED_FAILED, "main returned %d while %u of its threads %s running", code,
                       living, living == 1 ? "was" : "were");
    if (code != 0)
        machine_finish(ENDED_FAILED, "main returned %d", code);
}

static uint64_t ended; /* executions */

static void count_ended(void *unused)
{
    (void)unused;
    ended++;
}

/* ---- while it runs ---- */

static struct {
    bool shown; /* on a terminal only */
    time_t began, last;
    double seconds;
} progress;

static time_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void begin_progress(double seconds)
{
    progress.shown = isatty(STDOUT_FILENO);
    progress.began = progress.last = now();
    progress.seconds = seconds;
}

static void clear_progress(void)
{
    if (progress.shown)
        fputs("\r\033[K", stdout);
}

static void show_progress(void)
{
    time_t time = progress.shown ? now() : 0;

    if (progress.shown && time != progress.last) {
        progress.last = time;
        printf("\r\033[K%s; at most %.0f s left", report_counted(ended, "execution"),
               progress.seconds - (double)(time - progress.began));
        fflush(stdout);
    }
}

static const struct subject subject = {
    .program = run_main, .ended = count_ended, .show_progress = show_progress};

/* ---- telling ---- */

/* As a shell reads it. */
static void write_quoted(FILE *file, const char *word)
{
    if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_./=:,+@%") == strlen(word)) {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, file);
    fputc('\'', file);
}

/* What to type to have an execution again, as a story wants it. */
static void set_command(struct story *story)
{
    static char *before, *after; /* to the end of the process */
    size_t size;
    FILE *file = open_memstream(&before, &size);

    if (file) {
        write_quoted(file, arguments.words[0]);
        fputs(" --replay ", file);
        story->command = fclose(file) == 0 ? before : NULL;
    }
    file = open_memstream(&after, &size);
    for (int i = 1; file && i < arguments.count; i++) {
        fputs(i == 1 ? " -- " : " ", file);
        write_quoted(file, arguments.words[i]);
    }
    if (file)
        story->arguments = fclose(file) == 0 ? after : NULL;
}

static void tell_unjudged(const struct inquiry *inquiry, const struct explore_options *options)
{
    const struct failure *unjudged = inquiry_unjudged(inquiry);
    struct record_stack stack = {.count = 1};
    char place[STORY_TEXT];

    if (!unjudged) {
        printf("%s: inconclusive: no execution came to its end in time (--seconds N), seed %" PRIu64
               "\n",
               options->program, options->seed);
        return;
    }
    stack.frames[0] = unjudged->culprit;
    printf("%s: inconclusive: %s of ", options->program,
           report_grouped(inquiry_unjudged_count(inquiry)));
    printf("%s could not be judged, seed %" PRIu64 "\n",
           report_counted(inquiry_executions(inquiry), "execution"), options->seed);
    printf("The first of them: %s", unjudged->message);
    if (unjudged->culprit) {
        symbols_load(&unjudged->culprit, 1);
        story_place(&stack, place);
        printf(" (%s)", place);
    }
    putchar('\n');
}

static void tell_nothing_found(const struct inquiry *inquiry, const struct explore_options *options,
                               bool complete)
{
    printf("%s: %snothing found in %s%s, seed %" PRIu64 "\n", options->program,
           complete ? "complete, " : "", report_counted(inquiry_executions(inquiry), "execution"),
           interrupt_came() ? ", then stopped" : "", options->seed);
    if (inquiry_only_sc_is_complete(inquiry, options))
        puts("These are all executions with sequentially consistent memory (--memory sc), but not "
             "all with that\nof C11 (--memory c11)");
    if (!complete)
        return;
    puts("These are all executions with:");
    inquiry_write_rules(stdout, inquiry, options);
}

static int tell_conclusion(const struct inquiry *inquiry, const struct explore_options *options)
{
    switch (inquiry_conclusion(inquiry, options)) {
    case CONCLUSION_COMPLETE:
        tell_nothing_found(inquiry, options, true);
        return EXIT_ALL_PASSED;
    case CONCLUSION_INCONCLUSIVE:
        tell_unjudged(inquiry, options);
        return interrupt_came() ? EXIT_INTERRUPTED : EXIT_INCONCLUSIVE;
    default:
        tell_nothing_found(inquiry, options, false);
        return interrupt_came() ? EXIT_INTERRUPTED : EXIT_NOTHING_FOUND;
    }
}

static int tell(struct inquiry *inquiry, const struct explore_options *options)
{
    uint64_t executions = inquiry_executions(inquiry);
    struct story story = {.program = options->program};

    if (inquiry->failed) {
        set_command(&story);
        if (!inquiry_show_failure(stdout, inquiry, &subject, &story, options))
            fprintf(stderr, "%s: no memory\n", options->program);
        printf("\nFound in %s, seed %" PRIu64 ":\n", report_counted(executions, "execution"),
               options->seed);
        inquiry_write_phases(stdout, inquiry);
        return EXIT_SOMETHING_FAILED;
    }
    printf("%s:\n", options->program);
    inquiry_write_phases(stdout, inquiry);
    return tell_conclusion(inquiry, options);
}

/* ---- requests ---- */

static int replay(const struct explore_options *options)
{
    struct story story = {.program = options->program};
    const struct token *token = show_read_token(options->program, options->replay);

    if (!token)
        return EXIT_USAGE;
    if (strcmp(token->program, options->program) != 0)
        fprintf(stderr, "%s: the token was made by a program called %s; trying it anyway\n",
                options->program, token->program);
    machine.showing = true;
    set_command(&story);
    return inquiry_replay(&subject, &story, token, options) ? EXIT_ALL_PASSED
                                                            : EXIT_SOMETHING_FAILED;
}

static int run(const struct explore_options *options)
{
    static struct inquiry inquiry;

    interrupt_heed();
    begin_progress(options->seconds);
    bool sound = inquiry_run(&inquiry, &subject, options, options->seconds, interrupt_came);
    clear_progress();
    if (!sound) {
        fprintf(stderr, "%s: no memory\n", options->program);
        return EXIT_INCONCLUSIVE;
    }
    int code = tell(&inquiry, options);
    inquiry_free(&inquiry);
    return code;
}

/* The word before the program's own is "--", one of ours that is done with, or the first. */
static void keep_arguments(char **words, const struct explore_options *options)
{
    arguments.words = options->arguments - 1;
    arguments.words[0] = words[0];
    while (arguments.words[arguments.count])
        arguments.count++;
}

int main(int count, char **words)
{
    struct explore_options options;

    if (!explore_options_parse(&options, EXPLORE_PROGRAM, basename(words[0]), count, words))
        return EXIT_USAGE;
    if (options.request == EXPLORE_HELP) {
        explore_options_help(stdout, &options);
        return EXIT_ALL_PASSED;
    }
    if (options.gdb_step > 0) {
        show_in_debugger(options.program, words[0], options.replay, options.arguments,
                         options.gdb_step);
        return EXIT_USAGE;
    }
    keep_arguments(words, &options);
    if (!show_can_write_files(options.program, &options.files))
        return EXIT_USAGE;
    if (!prepare_arguments() || !machine_prepare()) {
        fprintf(stderr, "%s: no memory\n", options.program);
        return EXIT_INCONCLUSIVE;
    }
    return options.request == EXPLORE_REPLAY ? replay(&options) : run(&options);
}
