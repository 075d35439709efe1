/*
 * Glasspool: rejecting with a report.
 *
 * A policy like gp_reject_abort that also says what the pool was doing: at each rejection one line
 * with its figures, and now and then a dump of its threads.
 *
 *     gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
 *     config.line = log_warning;
 *     config.directory = "/var/log/server";
 *     gp_report_new(&config, &report);
 *     pool_config.rejection = (gp_rejection){gp_reject_report, report};
 *
 * The library prints nothing: the line goes to a function of yours, and the dump, too, if you have
 * one for it; else into a new file. Both are called by the thread whose task was rejected, with no
 * lock held. They may use the pool; a task that they give it, and that is rejected, calls `line`
 * once more, from inside. They must return.
 *
 * A file is called POOL-YYYYMMDD-HHMMSS-N.threads, in UTC, and may be read by its owner only: the
 * figures, a line for each thread with the function that it runs, and where the C library knows how
 * the stack of the thread whose task was rejected.
 *
 * Lifetime. A report may serve several pools, and must outlive them. The interval is then common to
 * them.
 */
#ifndef GLASSPOOL_REPORT_H
#define GLASSPOOL_REPORT_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t, uint64_t */

#include "api.h"
#include "pool.h" /* gp_reject_fn, gp_pool_thread */

GP_BEGIN_DECLS

typedef struct gp_report gp_report;

typedef struct gp_report_dump { /* lent for the call */
    const char *pool;           /* the pool's name */
    const char *line;           /* the same text as `line` got */
    const gp_pool_thread *threads;
    size_t count;
    size_t missing; /* threads that came while the list was made */
} gp_report_dump;

typedef struct gp_report_config {
    void (*line)(void *context, const char *line);       /* NULL: no lines */
    int (*write)(void *context, const gp_report_dump *); /* GP_OK, or why not; NULL: a file */
    void *context;                                       /* of these two */
    const char *directory; /* of the files, copied, 1 to 900 bytes; NULL, and no `write`: no
                              dumps. If it is not there a dump fails, and nothing else */
    int64_t interval;      /* at least so long from one dump to the next, failed or not; 0: a dump
                              for each rejection, but for those that come during one */
} gp_report_config;

#define GP_REPORT_CONFIG_DEFAULT                      \
    {                                                 \
        NULL, NULL, NULL, NULL, INT64_C(600000000000) \
    }

GP_API int gp_report_new(const gp_report_config *, gp_report **out); /* GP_EINVAL, GP_ENOMEM */
GP_API void gp_report_free(gp_report *); /* its pools have ended; NULL is fine */

GP_API gp_reject_fn gp_reject_report; /* GP_EREJECTED; its context is a gp_report */

/* Watching it. */

typedef struct gp_report_stats {
    uint64_t rejections;
    uint64_t dumps;  /* written */
    uint64_t failed; /* for want of memory, of the directory, or as `write` says */
} gp_report_stats;

GP_API void gp_report_statistics(gp_report *, gp_report_stats *out); /* of all its pools */
GP_API int gp_report_check(gp_report *); /* walks its invariants: 0, or the broken one's number */

GP_END_DECLS

#endif
