/* The arguments of glasspool-cron. Options may stand anywhere, as --zone X or --zone=X. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/version.h>

#include "command/command.h"

#define TEXT_OF_(number) #number
#define TEXT_OF(number)  TEXT_OF_(number)
#define VERSION \
    TEXT_OF(GP_VERSION_MAJOR) "." TEXT_OF(GP_VERSION_MINOR) "." TEXT_OF(GP_VERSION_PATCH)

static const char help[] =
    "usage: " COMMAND " next EXPRESSION [--zone ZONE] [--count N] [--from TIME]\n"
    "                      [--prev] [--spring] [--json]\n"
    "       " COMMAND " describe EXPRESSION [--zone ZONE]\n"
    "       " COMMAND " check FILE [--from TIME]\n"
    "       " COMMAND " --help | -h | --version\n"
    "\n"
    "next      the next times of a cron expression, in its zone\n"
    "describe  the expression in words\n"
    "check     a table of tasks: all its errors, or when each entry will run\n"
    "\n"
    "An EXPRESSION has six fields, second minute hour day month weekday, or five, without the\n"
    "second; it is one argument, so put it in quotes, and -- before one that begins with a -.\n"
    "\n"
    "  --zone ZONE   such as Europe/Berlin; without it the local one\n"
    "  --count N     so many times, at most 10000; without it 5\n"
    "  --from TIME   those after that, such as 2026-03-28T00:00, in the zone (check: in UTC), or\n"
    "                with Z or +02:00 behind it; without it now. If clocks leave that time out it\n"
    "                is moved on, 02:30 to 03:30; if they show it twice the first is meant\n"
    "  --prev        those before it, the last first\n"
    "  --spring      when clocks are put back, a time that comes twice is meant twice, as in "
    "Spring\n"
    "  --json        for programs\n"
    "\n"
    "A FILE has lines such as\n"
    "\n"
    "  report  cron   0 30 9 * * MON-FRI   zone=Europe/Berlin\n"
    "  sync    rate   500ms                initial=1s\n"
    "  clean   delay  PT1H30M\n"
    "  old     off\n"
    "\n"
    "Exit status: 0; 1 if an expression, a zone, a time or a file is wrong; 2 if the arguments "
    "are.\n";

#define UNQUOTED "\"%s\" is one argument too many; an expression goes in quotes"

static const struct {
    const char *name;
    int (*run)(const struct options *);
    const char *argument; /* what it needs one of */
    const char *too_many; /* what is said of a second */
    const char *allowed;  /* options */
} commands[] = {
    {"next", command_next, "expression", UNQUOTED, " zone count from prev spring json "},
    {"describe", command_describe, "expression", UNQUOTED, " zone "},
    {"check", command_check, "file", "\"%s\" is one file too many", " from "},
};

enum {
    COMMANDS = sizeof commands / sizeof *commands,
    COUNT_MAX = 10000
};

static int refuse(const char *format, const char *what)
{
    fprintf(stderr, COMMAND ": ");
    fprintf(stderr, format, what);
    fprintf(stderr, "; " COMMAND " --help tells more\n");
    return USAGE;
}

struct arguments {
    char **at; /* the next one, up to a NULL */
    int command;
    struct options options;
};

static bool is_allowed(int command, const char *name, size_t length)
{
    const char *at = commands[command].allowed;
    for (; (at = strchr(at, ' ')) != NULL && at[1] != '\0'; at++)
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

static bool is_option(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncmp(name, wanted, length) == 0;
}

/* An option that needs no value: where it is kept. */
static bool *flag_of(struct options *options, const char *name, size_t length)
{
    return is_option(name, length, "prev")     ? &options->prev
           : is_option(name, length, "spring") ? &options->spring
           : is_option(name, length, "json")   ? &options->json
                                               : NULL;
}

static int read_count(struct options *options, const char *value)
{
    char *end;
    options->count = strtol(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || options->count < 1 ||
        options->count > COUNT_MAX)
        return refuse("--count cannot be \"%s\": a number from 1 to 10000", value);
    return FINE;
}

static int read_option(struct arguments *arguments)
{
    const char *option = *arguments->at++;
    const char *name = option + 2;
    size_t length = strcspn(name, "=");
    struct options *options = &arguments->options;
    if (option[1] != '-' && strpbrk(option, " \t") != NULL)
        return refuse("\"%s\" begins with a -: put -- before it", option);
    if (option[1] != '-' || !is_allowed(arguments->command, name, length))
        return refuse("there is no option %s here", option);
    bool *flag = flag_of(options, name, length);
    if (flag != NULL) {
        *flag = true;
        return name[length] == '\0' ? FINE : refuse("%s: it has no value", option);
    }
    const char *value = name[length] == '=' ? name + length + 1 : *arguments->at;
    if (value == NULL)
        return refuse("%s: its value is missing", option);
    if (name[length] == '\0')
        arguments->at++;
    if (is_option(name, length, "count"))
        return read_count(options, value);
    *(is_option(name, length, "zone") ? &options->zone : &options->from) = value;
    return FINE;
}

static int read_arguments(struct arguments *arguments)
{
    struct options *options = &arguments->options;
    bool only_arguments = false;
    while (*arguments->at != NULL) {
        const char *text = *arguments->at;
        bool is_dash = strcmp(text, "-") == 0; /* an expression: disabled */
        int status = FINE;
        if (!only_arguments && strcmp(text, "--") == 0) {
            only_arguments = true;
            arguments->at++;
        } else if (!only_arguments && *text == '-' && !is_dash) {
            status = read_option(arguments);
        } else if (options->argument != NULL) {
            status = refuse(commands[arguments->command].too_many, text);
        } else {
            options->argument = text;
            arguments->at++;
        }
        if (status != FINE)
            return status;
    }
    return options->argument != NULL
               ? FINE
               : refuse("the %s is missing", commands[arguments->command].argument);
}

static int run(int argument_count, char **argument)
{
    if (argument_count < 2)
        return refuse("%s", "it is not said what is to be done");
    for (int i = 1; i < argument_count; i++)
        if (strcmp(argument[i], "--help") == 0 || strcmp(argument[i], "-h") == 0)
            return fputs(help, stdout) < 0 ? WRONG : FINE;
    if (strcmp(argument[1], "--version") == 0)
        return puts(COMMAND " " VERSION) < 0 ? WRONG : FINE;
    struct arguments arguments = {.at = argument + 2, .options = {.count = 5}};
    while (arguments.command < COMMANDS &&
           strcmp(argument[1], commands[arguments.command].name) != 0)
        arguments.command++;
    if (arguments.command == COMMANDS)
        return refuse("\"%s\" is not known: next, describe and check are", argument[1]);
    int status = read_arguments(&arguments);
    return status != FINE ? status : commands[arguments.command].run(&arguments.options);
}

int main(int argument_count, char **argument)
{
    setvbuf(stderr, NULL, _IOFBF, BUFSIZ); /* a file may have many errors */
    int status = run(argument_count, argument);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, COMMAND ": the output cannot be written\n");
        return WRONG;
    }
    return status;
}
