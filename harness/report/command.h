/*
 * What the commands that run scenarios have in common: they choose some by a glob, list them, write
 * reports, and end with a code that says how it went.
 *
 * People read on standard output, unless a report for programs goes there ("-"): then on standard
 * error.
 */
#ifndef HARNESS_REPORT_COMMAND_H
#define HARNESS_REPORT_COMMAND_H

#include "harness/report/report.h"

enum exit_code {
    EXIT_ALL_PASSED = 0,
    EXIT_SOMETHING_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NOTHING_FOUND = 3, /* by a search that has not seen everything */
    EXIT_INCONCLUSIVE = 4,  /* a search could not judge what it has seen */
    EXIT_INTERRUPTED = 130  /* what a shell expects of SIGINT */
};

/* Where the reports go, each a path, "-" or NULL. */
struct command_files {
    const char *json, *junit, *html;
};

struct command {
    const char *name; /* as it calls itself */
    struct command_files files;
    FILE *text; /* where people read */
    bool on_terminal;
};

extern const char command_compiler[]; /* that made it, with its version */

struct command command_of(const char *name, const struct command_files *);
/* At the bottom of a terminal there may be a line that shows what is going on. */
void command_clear_progress(const struct command *);

/* ---- choosing ---- */

typedef const char *command_flaw_fn(const struct scenario *); /* NULL: it has none */

struct choice {
    struct result *results; /* to be freed */
    size_t count;           /* 0: there are none, or they are flawed; that has been said */
};

struct choice command_choose(const struct command *, const char *glob, command_flaw_fn *);
int command_list(const struct command *, const char *glob, command_flaw_fn *);
int command_print_breaks(const struct command *, const char *glob, command_flaw_fn *);

/* ---- files ---- */

bool command_can_report(const struct command *); /* false: it has said why not */
/* Writes the reports, and for people how it ended. `unsound`: what kept the run from its end, or
   NULL. */
int command_finish(const struct command *, const struct report *, const char *unsound);

#endif
