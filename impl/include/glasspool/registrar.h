/*
 * Glasspool: the table: tasks declared, rather than scheduled one by one.
 *
 *     static const gp_declared table[] = {
 *         GP_DECLARED_CRON("report", send_report, NULL, "0 30 9 * * MON-FRI", "Europe/Berlin"),
 *         GP_DECLARED_RATE("sync", sync_files, NULL, "500ms"),
 *         GP_DECLARED_DELAY("clean", clean_up, NULL, "1h30m"),
 *     };
 *     gp_registrar_config config = {table, 3, scheduled, "app.tab", "APP", &errors};
 *     gp_registrar *registrar;
 *     int status = gp_registrar_start(&config, &registrar);
 *
 * Each entry has exactly one of cron, fixed_rate and fixed_delay. What is said of an entry may be
 * said again elsewhere: in a file, and in the environment, which wins over the file. A value said
 * there replaces the entry's; one of another kind replaces that, too, and with it the zone, overlap
 * or initial delay that no longer applies. The whole is looked at before anything starts, also what
 * is replaced. If anything is wrong, nothing starts, and everything that is wrong is told.
 *
 * The file has one entry a line: its name, what it is, and the value; # begins a comment.
 *
 *     report  cron   0 30 9 * * MON-FRI   zone=Europe/Berlin  overlap=once
 *     sync    rate   500ms                initial=1s
 *     clean   delay  PT1H30M
 *     old     off
 *
 * It has at most a MiB, and lines of at most 1000 characters. Each entry has one line or none.
 * overlap=twice is GP_CRON_OVERLAP_TWICE (cron.h): an expression that names its hours matches both
 * times when clocks are put back. overlap=once is what holds if nobody says anything.
 *
 * In the environment, with the prefix "APP": APP_REPORT_CRON, APP_REPORT_ZONE, APP_REPORT_OVERLAP,
 * APP_SYNC_RATE, APP_SYNC_INITIAL, APP_CLEAN_DELAY; the name in capitals, anything but letters and
 * digits as _. A variable that is empty counts as not set. One that begins and ends like these, but
 * is of no entry, is wrong, as an unknown name in the file is: APP_SNYC_RATE. So the prefix is to
 * be this table's alone: two tables have two, and not APP beside APP_DB; and APP is ill chosen if
 * somebody else has an APP_HOME_ZONE. No other thread may change the environment meanwhile.
 *
 * The value "-", of cron, rate or delay, switches an entry off; in the file `off` does, too. So
 * "-" in the table is an entry that waits for a file or a variable to give it a time.
 *
 * Cron runs by the wall clock: such an entry is a triggered task (trigger.h). A rate and a delay
 * are durations, and do not care what the wall clock shows: they are periodic tasks (scheduled.h).
 * All go on when a run fails, unless options.stop_on_failure: the failure is counted, and told to
 * options.failed.
 */
#ifndef GLASSPOOL_REGISTRAR_H
#define GLASSPOOL_REGISTRAR_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t, uint64_t */

#include "api.h"
#include "scheduled.h" /* gp_scheduled */
#include "task.h"      /* gp_call_fn */
#include "trigger.h"   /* gp_trigger_options */

GP_BEGIN_DECLS

#define GP_UNSET (-1) /* of the durations in an entry */

/* An entry. Several may have the same function. Names are unique, of letters, digits, _ - and . and
   at most 64 of them. A duration is a number or a text, not both; GP_UNSET is not zero, so take one
   of the macros below. */
typedef struct gp_declared {
    const char *name;
    gp_call_fn *call;               /* returns 0, or the code of its failure */
    void *argument;                 /* the caller's, also afterwards */
    const char *cron;               /* an expression; "-": disabled; NULL: none */
    const char *zone;               /* of the expression; NULL: the local zone */
    unsigned cron_flags;            /* of the expression: 0, or GP_CRON_OVERLAP_TWICE */
    int64_t fixed_rate;             /* nanoseconds, or GP_UNSET */
    int64_t fixed_delay;            /* likewise */
    int64_t initial_delay;          /* likewise; not with cron */
    const char *fixed_rate_text;    /* a duration as text, instead of the number; NULL: none */
    const char *fixed_delay_text;   /* likewise */
    const char *initial_delay_text; /* likewise */
    gp_trigger_options options;     /* as in gp_schedule_trigger; `missed` is for cron */
} gp_declared;

#define GP_DECLARED_CRON(name, call, argument, cron, zone)                                   \
    {                                                                                        \
        name, call, argument, cron, zone, 0, GP_UNSET, GP_UNSET, GP_UNSET, NULL, NULL, NULL, \
        {                                                                                    \
            GP_MISSED_RUN_ONCE, false, NULL, NULL                                            \
        }                                                                                    \
    }
#define GP_DECLARED_RATE(name, call, argument, rate)                                         \
    {                                                                                        \
        name, call, argument, NULL, NULL, 0, GP_UNSET, GP_UNSET, GP_UNSET, rate, NULL, NULL, \
        {                                                                                    \
            GP_MISSED_RUN_ONCE, false, NULL, NULL                                            \
        }                                                                                    \
    }
#define GP_DECLARED_DELAY(name, call, argument, delay)                                        \
    {                                                                                         \
        name, call, argument, NULL, NULL, 0, GP_UNSET, GP_UNSET, GP_UNSET, NULL, delay, NULL, \
        {                                                                                     \
            GP_MISSED_RUN_ONCE, false, NULL, NULL                                             \
        }                                                                                     \
    }

/* For an entry with more to it: no duration as a number. Those that it has are texts, so nothing is
   set twice, and no compiler warns of that.

       {GP_DECLARED_UNSET, .name = "sync", .call = sync_files, .fixed_rate_text = "500ms",
        .initial_delay_text = "1s", .options = {.failed = log_failure}},

   An entry that is a variable can start as any of the above, and be changed. */
#define GP_DECLARED_UNSET .fixed_rate = GP_UNSET, .fixed_delay = GP_UNSET, .initial_delay = GP_UNSET

/* Something wrong: where, and what. The texts live as long as the errors. */
typedef struct gp_registrar_error {
    const char *source; /* "table", the file's name, or the name of a variable */
    size_t line;        /* of the file, from 1 on; in the table the number of the entry, from 1 on;
                           0: the source as a whole */
    size_t column;      /* of the line in bytes, from 1 on; of a variable, and in the table, of the
                           value's text; 0: the whole of it */
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
    gp_scheduled *scheduled;     /* borrowed; may be closed before the registrar, or after */
    const char *file;            /* NULL: none */
    const char *environment;     /* the prefix; NULL: the environment is not asked */
    gp_registrar_errors *errors; /* filled, to be freed, if something is wrong; NULL: not wanted */
} gp_registrar_config;

typedef struct gp_registrar gp_registrar;

/* GP_EINVAL: something is wrong, *errors says what; without errors in it: the arguments are. What
   else fails, as GP_EREJECTED when the pool is shut down: *errors is empty. In either case nothing
   has run, and nothing will. */
GP_API int gp_registrar_start(const gp_registrar_config *, gp_registrar **out);
GP_API int gp_registrar_check(const gp_registrar_config *); /* the same, without starting; needs no
                                                               scheduled pool */

/* Of one that runs. */

GP_API gp_future *gp_registrar_find(gp_registrar *, const char *name); /* borrowed; NULL: no such
                                                                          entry, or switched off */
GP_API int gp_registrar_count(gp_registrar *, const char *name, uint64_t *runs,
                              uint64_t *failures); /* that have ended, and how many of these by a
                                   failure or by leaving the thread; GP_ENOTFOUND */

/* Cancels all, takes them out of the queue, and frees; NULL is fine. A run that is under way, or
   about to call its function, goes on. */
GP_API void gp_registrar_close(gp_registrar *);

/* The entries of a file alone, for who chooses their functions by name: all have the function NULL,
   and those that are off the expression "-". To be freed. */
GP_API int gp_registrar_read(const char *file, gp_declared **entries, size_t *count,
                             gp_registrar_errors *);  /* NULL: not wanted */
GP_API void gp_registrar_entries_free(gp_declared *); /* NULL is fine */

GP_END_DECLS

#endif
