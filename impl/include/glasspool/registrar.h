/*
 * Glasspool: the table: tasks declared, rather than scheduled one by one.
 *
 *     static const gp_declared table[] = {
 *         GP_DECLARED_CRON("report", send_report, NULL, "0 30 9 * * MON-FRI", "Europe/Berlin"),
 *         GP_DECLARED_RATE("sync", sync_files, NULL, "500ms"),
 *         GP_DECLARED_DELAY("clean", clean_up, NULL, "1h30m"),
 *     };
 *     gp_registrar *registrar;
 *     int status = gp_registrar_start(&(gp_registrar_config){.entries = table, .count = 3,
 *                                     .scheduled = scheduled}, &registrar);
 *
 * Each entry has exactly one of cron, fixed_rate and fixed_delay. What is said of an entry may be
 * said again elsewhere: in a file, and in the environment, which wins over the file. A value said
 * there replaces the entry's; one of another kind replaces that, too. The whole is looked at before
 * anything starts. If anything is wrong, nothing starts, and everything that is wrong is told.
 *
 * The file has one entry a line: its name, what it is, and the value; # begins a comment.
 *
 *     report  cron   0 30 9 * * MON-FRI   zone=Europe/Berlin
 *     sync    rate   500ms                initial=1s
 *     clean   delay  PT1H30M
 *     old     off
 *
 * In the environment, with the prefix "APP": APP_REPORT_CRON, APP_REPORT_ZONE, APP_SYNC_RATE,
 * APP_SYNC_INITIAL, APP_CLEAN_DELAY; the name in capitals, anything but letters and digits as _.
 * The value "-" switches an entry off.
 *
 * Cron entries are triggered tasks (trigger.h) and go on when a run fails; those with a rate or a
 * delay are too, so that all entries of a table behave alike. on_failure changes it for an entry.
 */
#ifndef GLASSPOOL_REGISTRAR_H
#define GLASSPOOL_REGISTRAR_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#include "api.h"
#include "scheduled.h" /* gp_scheduled */
#include "task.h"      /* gp_call_fn */
#include "trigger.h"   /* gp_trigger_options */

GP_BEGIN_DECLS

#define GP_UNSET (-1) /* of the durations in an entry */

/* An entry. Several may have the same function; names are unique, of letters, digits, _ - and . */
typedef struct gp_declared {
    const char *name;
    gp_call_fn *call;               /* returns 0, or the code of its failure */
    void *argument;                 /* the caller's, also afterwards */
    const char *cron;               /* an expression; "-": disabled; NULL: none */
    const char *zone;               /* of the expression; NULL: the local zone */
    int64_t fixed_rate;             /* nanoseconds, or GP_UNSET */
    int64_t fixed_delay;            /* likewise */
    int64_t initial_delay;          /* likewise; not with cron */
    const char *fixed_rate_text;    /* a duration as text, instead of the number; NULL: none */
    const char *fixed_delay_text;   /* likewise */
    const char *initial_delay_text; /* likewise */
    gp_trigger_options options;     /* as in gp_schedule_trigger */
} gp_declared;

#define GP_DECLARED_CRON(name, call, argument, cron, zone)                                \
    {                                                                                     \
        name, call, argument, cron, zone, GP_UNSET, GP_UNSET, GP_UNSET, NULL, NULL, NULL, \
        {                                                                                 \
            GP_MISSED_RUN_ONCE, false, NULL, NULL                                         \
        }                                                                                 \
    }
#define GP_DECLARED_RATE(name, call, argument, rate)                                      \
    {                                                                                     \
        name, call, argument, NULL, NULL, GP_UNSET, GP_UNSET, GP_UNSET, rate, NULL, NULL, \
        {                                                                                 \
            GP_MISSED_RUN_ONCE, false, NULL, NULL                                         \
        }                                                                                 \
    }
#define GP_DECLARED_DELAY(name, call, argument, delay)                                     \
    {                                                                                      \
        name, call, argument, NULL, NULL, GP_UNSET, GP_UNSET, GP_UNSET, NULL, delay, NULL, \
        {                                                                                  \
            GP_MISSED_RUN_ONCE, false, NULL, NULL                                          \
        }                                                                                  \
    }

/* Something wrong: where, and what. The texts live as long as the errors. */
typedef struct gp_registrar_error {
    const char *source; /* "table", the file's name, or the name of a variable */
    size_t line;        /* of the file, from 1 on; in the table the number of the entry, from 1 on;
                           0: the source as a whole */
    size_t column;      /* from 1 on; 0: the line as a whole */
    const char *name;   /* of the entry; NULL: of none */
    const char *text;   /* what is wrong, in words */
} gp_registrar_error;

typedef struct gp_registrar_errors {
    size_t count;
    gp_registrar_error *errors; /* in the order of the sources */
} gp_registrar_errors;

GP_API void gp_registrar_errors_free(gp_registrar_errors *); /* leaves it empty */

typedef struct gp_registrar_config {
    const gp_declared
        *entries; /* read while the call lasts; names, functions and arguments later */
    size_t count;
    gp_scheduled *scheduled;     /* borrowed: to be there until the registrar is closed */
    const char *file;            /* NULL: none */
    const char *environment;     /* the prefix; NULL: the environment is not asked */
    gp_registrar_errors *errors; /* filled, to be freed, if something is wrong; NULL: not wanted */
} gp_registrar_config;

typedef struct gp_registrar gp_registrar;

/* GP_EINVAL: the table is wrong, *errors says where; nothing runs. Anything else that fails: what
   was started is cancelled again. */
GP_API int gp_registrar_start(const gp_registrar_config *, gp_registrar **out);
GP_API int gp_registrar_check(const gp_registrar_config *); /* the same, without starting; needs no
                                                               scheduled pool */
GP_API gp_future *gp_registrar_find(gp_registrar *, const char *name); /* borrowed; NULL: no such
                                                                          entry, or switched off */
GP_API void gp_registrar_close(gp_registrar *); /* cancels all, frees; NULL is fine. A run that is
                                                   under way goes on */

GP_END_DECLS

#endif
