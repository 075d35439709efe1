/*
 * `check`: a file in the manner of a crontab, as gp_registrar_start reads it. All that is wrong, as
 * a compiler shows it; or, if nothing is, when each entry will run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <glasspool/clock.h>
#include <glasspool/cron.h>
#include <glasspool/duration.h>
#include <glasspool/registrar.h>
#include <glasspool/status.h>

#include "command/command.h"

enum {
    WIDEST = 400, /* the last column that a caret is put under */
    TEXT_SIZE = 512
};

/* Errors. */

/* The file once more, for its lines; NULL: it can be read only once, like a pipe, or not at all. */
static FILE *reopen(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "r") : NULL;
}

/* A file, and the line of it that was read last. */
struct lines {
    FILE *file; /* NULL: it is not to be had */
    size_t number;
    char *line;
    size_t room;
};

/* Moves on to that line, which is not before the one that was read last. */
static bool read_line(struct lines *lines, size_t wanted)
{
    while (lines->file != NULL && lines->number < wanted) {
        if (getline(&lines->line, &lines->room, lines->file) < 0)
            return false;
        lines->number++;
    }
    return lines->file != NULL;
}

static void show_error(const gp_registrar_error *error, struct lines *lines)
{
    fprintf(stderr, "%s", error->source);
    if (error->line > 0)
        fprintf(stderr, ":%zu", error->line);
    if (error->column > 0)
        fprintf(stderr, ":%zu", error->column);
    fputs(": ", stderr);
    show_safely(error->text, strlen(error->text)); /* it may cite the file */
    fputc('\n', stderr);
    if (error->column > 0 && error->column <= WIDEST && read_line(lines, error->line))
        show_caret("    ", lines->line, error->column - 1);
}

static void show_errors(const char *path, const gp_registrar_errors *errors)
{
    struct lines lines = {.file = reopen(path)};
    for (size_t i = 0; i < errors->count; i++)
        show_error(&errors->errors[i], &lines);
    if (lines.file != NULL)
        fclose(lines.file);
    free(lines.line);
    fprintf(stderr, "%zu error%s\n", errors->count, errors->count == 1 ? "" : "s");
}

/* Entries. */

static void describe_period(const gp_declared *entry, char *text)
{
    bool is_rate = entry->fixed_rate != GP_UNSET;
    char period[64];
    char initial[64];
    gp_duration_text(is_rate ? entry->fixed_rate : entry->fixed_delay, period, sizeof period);
    gp_duration_text(entry->initial_delay, initial, sizeof initial);
    int length =
        snprintf(text, TEXT_SIZE, is_rate ? "every %s" : "%s after the end of each run", period);
    if (entry->initial_delay > 0)
        snprintf(text + length, TEXT_SIZE - (size_t)length, ", first after %s", initial);
}

/* "next Mon 2026-03-30 09:30:00 +02:00 CEST, in 2 days 7 hours" */
static void describe_next(const gp_cron *cron, int64_t now, char *next)
{
    int64_t time = gp_cron_next(cron, now);
    char when[TIME_SIZE];
    char distance[TIME_SIZE];
    if (time == GP_NEVER) {
        snprintf(next, TEXT_SIZE, "%s", no_match_text(cron, false));
        return;
    }
    time_text(gp_cron_zone(cron), time, when);
    distance_text(time - now, distance);
    snprintf(next, TEXT_SIZE, "next %s, in %s", when, distance);
}

static void describe_cron(const gp_declared *entry, int64_t now, char *text, char *next)
{
    gp_cron *cron;
    char path[ZONE_SIZE];
    const char *zone = zone_by_name(entry->zone, path);
    if (gp_cron_parse(entry->cron, zone, entry->cron_flags, &cron, NULL) != GP_OK)
        return;
    gp_cron_describe(cron, text, TEXT_SIZE);
    if (!gp_cron_is_disabled(cron))
        describe_next(cron, now, next);
    gp_cron_release(cron);
}

static void show_entries(const gp_declared *entries, size_t count, int64_t now)
{
    int width = 0;
    for (size_t i = 0; i < count; i++)
        if ((int)strlen(entries[i].name) > width)
            width = (int)strlen(entries[i].name);
    for (size_t i = 0; i < count; i++) {
        char text[TEXT_SIZE] = "";
        char next[TEXT_SIZE] = "";
        if (entries[i].cron == NULL)
            describe_period(&entries[i], text);
        else if (strcmp(entries[i].cron, "-") == 0)
            strcpy(text, "off");
        else
            describe_cron(&entries[i], now, text, next);
        printf("%-*s  %s\n", width, entries[i].name, text);
        if (*next != '\0')
            printf("%-*s  %s\n", width, "", next);
    }
}

/* Now, or what --from says, in UTC if it does not say in which zone. */
static bool find_now(const struct options *options, int64_t *now)
{
    gp_zone *utc = NULL;
    const char *reason = "out of memory";
    size_t position = 0;
    *now = gp_wall_now();
    if (options->from == NULL)
        return true;
    bool read = gp_zone_open("UTC", &utc) == GP_OK &&
                read_time(options->from, utc, now, &reason, &position);
    gp_zone_release(utc);
    if (read)
        return true;
    show_caret("", options->from, position);
    fprintf(stderr, "--from: %s\n", reason);
    return false;
}

int command_check(const struct options *options)
{
    gp_declared *entries;
    size_t count;
    gp_registrar_errors errors;
    int64_t now;
    if (!find_now(options, &now))
        return WRONG;
    int status = gp_registrar_read(options->argument, &entries, &count, &errors);
    if (status == GP_EINVAL)
        show_errors(options->argument, &errors);
    else if (status != GP_OK)
        fprintf(stderr, COMMAND ": %s\n", gp_strerror(status));
    gp_registrar_errors_free(&errors);
    if (status != GP_OK)
        return WRONG;
    show_entries(entries, count, now);
    gp_registrar_entries_free(entries);
    return FINE;
}
