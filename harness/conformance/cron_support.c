/* Support for the suites of cron expressions. */
#include "cron_support.h"

#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"

gp_cron *cron_of(const char *expression, gp_zone *zone, unsigned flags)
{
    gp_cron *cron = NULL;
    gp_cron_error error = {.reason = ""};
    int status = gp_cron_parse_in(expression, zone, flags, &cron, &error);
    check_within(expression);
    check_text(error.reason, "");
    require_ok(status);
    check_within(NULL);
    return cron;
}

gp_cron *cron_in_utc(const char *expression)
{
    return cron_of(expression, NULL, 0);
}

void check_runs(gp_cron *cron, const char *after, const char *const runs[MOST_RUNS])
{
    char text[300];
    int64_t time = utc(after);
    int64_t last = time;
    int count = 0;
    gp_cron_describe(cron, text, sizeof text);
    for (; count < MOST_RUNS && runs[count] != NULL; count++) {
        bool never = strcmp(runs[count], "never") == 0;
        time = gp_cron_next(cron, time);
        check_time(time, never ? NULL : runs[count], text);
        if (never || time == GP_NEVER)
            break;
        check(gp_cron_matches(cron, time));
        last = time;
    }
    for (time = last + 1; count-- > 0;) {
        time = gp_cron_prev(cron, time);
        check_time(time, runs[count], text);
    }
    check(gp_cron_prev(cron, time) <= utc(after));
}

void check_utc_runs(const char *expression, const char *after, const char *const runs[MOST_RUNS])
{
    gp_cron *cron = cron_in_utc(expression);
    check_runs(cron, after, runs);
    gp_cron_release(cron);
}
