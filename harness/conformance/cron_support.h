/* Support for the suites of cron expressions. */
#ifndef CONFORMANCE_CRON_SUPPORT_H
#define CONFORMANCE_CRON_SUPPORT_H

#include <glasspool/cron.h>

#include "zone_support.h"

gp_cron *cron_of(const char *expression, gp_zone *zone, unsigned flags); /* must succeed */
gp_cron *cron_in_utc(const char *expression);

#define MOST_RUNS 9

/* From a time on, the next ones; and back again, the previous ones. A NULL ends them; if it comes
   after fewer than MOST_RUNS it only means that no more are looked at. "never" is one. */
void check_runs(gp_cron *, const char *after, const char *const runs[MOST_RUNS]);

/* The same of an expression in UTC. */
void check_utc_runs(const char *expression, const char *after, const char *const runs[MOST_RUNS]);

#define RUNS(...)                  \
    (const char *const[MOST_RUNS]) \
    {                              \
        __VA_ARGS__                \
    }

#endif
