/*
 * Cron triggers: Spring's CronTrigger. The expression itself is the trigger; it does not change, so
 * any number of tasks may have it.
 *
 * Next is the first match after the end of the last run, or after the time it was due at if that is
 * later: a timer that is early, or a clock that was put back, must not find the same match again
 * (SPR-7004, [TRIGGER-3]).
 */
#include <glasspool/trigger.h>

static int64_t next_match(void *cron, const gp_trigger_context *last, int64_t now)
{
    if (last->completion == GP_NEVER)
        return gp_cron_next(cron, now);
    return gp_cron_next(cron,
                        last->scheduled > last->completion ? last->scheduled : last->completion);
}

static void release_cron(void *cron)
{
    gp_cron_release(cron);
}

gp_trigger gp_trigger_of_cron(gp_cron *cron)
{
    return (gp_trigger){.next = next_match, .self = gp_cron_retain(cron), .destroy = release_cron};
}
