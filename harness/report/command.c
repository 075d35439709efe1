/* See command.h. */
#include "harness/report/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* isatty */

#include "harness/report/interrupt.h"

#if defined(__clang__)
const char command_compiler[] = "clang " __clang_version__;
#else
const char command_compiler[] = "gcc " __VERSION__;
#endif

static bool is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

struct command command_of(const char *name, const struct command_files *files)
{
    bool taken = is_standard_output(files->json) || is_standard_output(files->junit) ||
                 is_standard_output(files->html);
    FILE *text = taken ? stderr : stdout;

    return (struct command){
        .name = name, .files = *files, .text = text, .on_terminal = isatty(fileno(text))};
}

void command_clear_progress(const struct command *command)
{
    if (command->on_terminal)
        fputs("\r\033[K", command->text);
}

/* ---- choosing ---- */

struct choosing {
    const struct command *command;
    command_flaw_fn *flaw;
    struct choice choice;
    bool flawed;
};

static void count_scenario(const struct scenario *scenario, void *context)
{
    struct choosing *choosing = context;
    const char *flaw = scenario_flaw(scenario);

    if (!flaw)
        flaw = choosing->flaw(scenario);
    choosing->choice.count++;
    if (flaw) {
        fprintf(stderr, "%s: %s: %s\n", choosing->command->name, scenario->name, flaw);
        choosing->flawed = true;
    }
}

static void add_scenario(const struct scenario *scenario, void *context)
{
    struct choosing *choosing = context;

    choosing->choice.results[choosing->choice.count++].scenario = scenario;
}

static void note_one(const struct scenario *scenario, void *noted)
{
    (void)scenario;
    *(bool *)noted = true;
}

static void complain_of_name(const struct command *command, const char *name)
{
    char family[128]; /* no name is that long */
    bool is_family = false;

    snprintf(family, sizeof family, "%s/*", name);
    scenario_each(family, note_one, &is_family);
    fprintf(stderr, "%s: no scenario is called '%s'; ", command->name, name);
    if (is_family)
        fprintf(stderr, "did you mean '%s'?\n", family);
    else
        fprintf(stderr, "--list (with make: ARGS=--list) lists them\n");
}

struct choice command_choose(const struct command *command, const char *glob, command_flaw_fn *flaw)
{
    struct choosing choosing = {.command = command, .flaw = flaw};
    struct choice *choice = &choosing.choice;

    scenario_each(glob, count_scenario, &choosing);
    if (choice->count == 0)
        complain_of_name(command, glob ? glob : "");
    choice->results = choosing.flawed ? NULL : calloc(choice->count + 1, sizeof *choice->results);
    choice->count = 0;
    if (choice->results)
        scenario_each(glob, add_scenario, &choosing);
    return *choice;
}

static void print_scenario(const struct scenario *scenario, void *context)
{
    (void)context;
    printf("%s\n    %s\n    %s  attacks %s: %s\n", scenario->name, scenario->description,
           scenario->invariants, scenario->attacks.file, scenario->attacks.pattern);
}

static int print_each(const struct command *command, const char *glob, command_flaw_fn *flaw,
                      scenario_visit_fn *print)
{
    struct choice choice = command_choose(command, glob, flaw);

    scenario_each(glob, print, stdout);
    free(choice.results);
    return choice.count > 0 ? EXIT_ALL_PASSED : EXIT_USAGE;
}

int command_list(const struct command *command, const char *glob, command_flaw_fn *flaw)
{
    return print_each(command, glob, flaw, print_scenario);
}

int command_print_breaks(const struct command *command, const char *glob, command_flaw_fn *flaw)
{
    return print_each(command, glob, flaw, scenario_print_break);
}

/* ---- files ---- */

static bool are_distinct(const struct command *command, const char *one, const char *other)
{
    if (!one || !other || strcmp(one, other) != 0)
        return true;
    fprintf(stderr, "%s: two reports cannot go to '%s'\n", command->name, one);
    return false;
}

bool command_can_report(const struct command *command)
{
    const struct command_files *files = &command->files;

    return are_distinct(command, files->json, files->junit) &&
           are_distinct(command, files->json, files->html) &&
           are_distinct(command, files->junit, files->html) &&
           report_can_write(command->name, files->json) &&
           report_can_write(command->name, files->junit) &&
           report_can_write(command->name, files->html);
}

static bool write_report(const char *name, const char *path, report_fn *write,
                         const struct report *report)
{
    return !path || report_write(path, write, report) || report_complain_of(name, path);
}

static bool write_reports(const struct command *command, const struct report *report)
{
    bool json = write_report(command->name, command->files.json, report_json, report);
    bool junit = write_report(command->name, command->files.junit, report_junit, report);
    bool html = write_report(command->name, command->files.html, report_html, report);

    return json && junit && html;
}

int command_finish(const struct command *command, const struct report *report, const char *unsound)
{
    command_clear_progress(command);
    bool written = write_reports(command, report);
    report_text_closing(command->text, report);
    if (unsound)
        fprintf(stderr, "%s: %s\n", command->name, unsound);
    if (unsound || !written || report_count(report, FAILED) > 0)
        return EXIT_SOMETHING_FAILED;
    return interrupt_came() ? EXIT_INTERRUPTED : EXIT_ALL_PASSED;
}
