/*
 * glasspool-cron, the command: cron expressions and tables of tasks, from a shell.
 *
 *      main.c      arguments; help
 *      next.c      `next` and `describe`
 *      check.c     `check`
 *      times.c     times and durations, read and written
 *      local.c     the name of the local zone
 *
 * It is not part of the library, and calls nothing but its public functions. What the library has
 * in private headers alone is taken from there: the calendar, how far offsets go, what may be shown
 * on a terminal. Everything is said to stdout, what is wrong to stderr.
 */
#ifndef GP_COMMAND_COMMAND_H
#define GP_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/zone.h>

#define COMMAND "glasspool-cron"

enum {
    FINE,  /* exit status */
    WRONG, /* an expression, a zone, a file */
    USAGE  /* the arguments */
};

struct options {
    const char *argument; /* the expression, or the file; NULL: none was given */
    const char *zone;     /* NULL: the local one */
    const char *from;     /* NULL: now */
    long count;
    bool prev;
    bool spring;
    bool json;
};

int command_next(const struct options *);
int command_describe(const struct options *);
int command_check(const struct options *);

/* The expression, or the reason why not, with a caret, to stderr: NULL. */
struct gp_cron *open_cron(const struct options *);

/* Why it has no next, or previous, time: there is none at all, or none that can be told. */
const char *no_match_text(const struct gp_cron *, bool prev);

/* The zone itself, or the name of the local one if it is NULL and that can be found out. */
enum {
    ZONE_SIZE = 512
};

const char *zone_by_name(const char *zone, char path[ZONE_SIZE]);

/* Times. */

enum {
    TIME_SIZE = 96 /* bytes that the text of a time fits in */
};

/* "2026-03-28T00:00", also with a space for the T, without a time, with seconds, and with Z or an
   offset behind; else it is local to the zone. False: it is none, *reason and *position say why. */
bool read_time(const char *text, const gp_zone *, int64_t *time, const char **reason,
               size_t *position);

void time_text(const gp_zone *, int64_t time,
               char *text);                              /* "Mon 2026-03-30 09:30:00 +02:00 CEST" */
void iso_text(int64_t time, int32_t offset, char *text); /* "2026-03-30T09:30:00+02:00", or Z */
const char *weekday_of(int64_t time, int32_t offset);    /* "Monday" */
void distance_text(int64_t nanos, char *text); /* "2 days 3 hours": the two largest units */

/* To stderr, with a dot for each byte that a terminal might obey. */
void show_safely(const char *text, size_t size);

/* The line, up to its end or the text's, the same way, and a caret under the character at that
   position, which may be behind it. */
void show_caret(const char *indent, const char *line, size_t position);

#endif
