/*
 * The explorer around anybody's program: what gp-cc links to a main of its own.
 *
 *     gp-cc mytest.c -o mytest && ./mytest --strategy=pct
 *
 * The program's main has become gpx_main, and is run again and again from the beginning, as thread
 * 0 of the machine. It fails if an assertion does, or if the explorer finds what no program should
 * do: a data race, a deadlock, a leak and so on. Arguments after -- are the program's own.
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
    char **words;
} arguments;

/* ---- the program ---- */

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
    int code = gpx_main(arguments.count, arguments.words);
    unsigned living = count_living();
    if (code != 0 && living > 0)
        machine_finish(ENDED_FAILED, "main returned %d while %u of its threads %s running", code,
                       living, living == 1 ? "was" : "were");
    if (code != 0)
        machine_finish(ENDED_FAILED, "main returned %d", code);
}

static uint64_t ended;       /* executions */
static uint64_t ended_early; /* those that left threads behind */

static void look_for_living(void *unused)
{
    (void)unused;
    ended++;
    ended_early += machine.verdict == ENDED_WELL && count_living() > 0;
}

static const struct subject subject = {.program = run_main, .ended = look_for_living};

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

/* Is asked now and then, and so a good moment to say how far it is. */
static bool should_stop(void)
{
    time_t time = progress.shown ? now() : 0;

    if (progress.shown && time != progress.last) {
        progress.last = time;
        printf("\r\033[K%s; at most %.0f s left", report_counted(ended, "execution"),
               progress.seconds - (double)(time - progress.began));
        fflush(stdout);
    }
    return interrupt_came();
}

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

static void tell_busy(void)
{
    struct record_stack stack = {.count = 1, .frames = {machine.busy.pc}};
    char place[STORY_TEXT];

    if (!machine.busy.pc)
        return;
    symbols_load(&machine.busy.pc, 1);
    story_place(&stack, place);
    printf(
        "Thread %u spins at %s: without sched_yield in the loop the explorer cannot know that it\n"
        "waits, and spends its time on rounds that see nothing new.\n",
        machine.busy.thread, place);
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
    if (ended_early > 0)
        printf("In %s of them the program ended while threads of it were running, and what these\n"
               "would have done was not looked at: let main join them.\n",
               ended_early == executions ? "all" : report_grouped(ended_early));
    tell_busy();
    printf("%s: nothing found in %s%s, seed %" PRIu64 "\n", options->program,
           report_counted(executions, "execution"), interrupt_came() ? ", then stopped" : "",
           options->seed);
    return interrupt_came() ? EXIT_INTERRUPTED : EXIT_ALL_PASSED;
}

/* ---- requests ---- */

static int replay(const struct explore_options *options)
{
    struct story story = {.program = options->program};
    const struct token *token = show_read_token(options->program, options->replay);

    if (!token)
        return EXIT_USAGE;
    if (strcmp(token->program, options->program) != 0)
        fprintf(stderr, "%s: the token is of a program called %s; let us see\n", options->program,
                token->program);
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
    bool sound = inquiry_run(&inquiry, &subject, options, options->seconds, should_stop);
    clear_progress();
    if (!sound) {
        fprintf(stderr, "%s: no memory\n", options->program);
        return EXIT_SOMETHING_FAILED;
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
    if (!machine_prepare()) {
        fprintf(stderr, "%s: no memory\n", options.program);
        return EXIT_SOMETHING_FAILED;
    }
    return options.request == EXPLORE_REPLAY ? replay(&options) : run(&options);
}
