/*
 * A scheduled pool with one task, for a while: the explored half of the timelines in the book. Time
 * is virtual, so a run takes exactly as long as it sleeps.
 */
#include "docs/pictures/timeline.h"

#include <string.h>

#include <glasspool/glasspool.h>

static int64_t origin; /* when it was scheduled */

static int64_t milliseconds_now(void)
{
    return gp_time_until(gp_now(), origin) / GP_MILLISECONDS(1);
}

static void run_for_a_while(void *argument)
{
    struct timeline *timeline = argument;
    int last = timeline->length_count - 1;
    int number = timeline->run_count;
    if (number == MOST_RUNS)
        return;
    timeline->runs[number].begins = milliseconds_now();
    gp_sleep(GP_MILLISECONDS(timeline->lengths[number < last ? number : last]));
    timeline->runs[number].ends = milliseconds_now();
    timeline->run_count++;
}

static int schedule(gp_scheduled *scheduled, struct timeline *timeline)
{
    const gp_callable callable = gp_callable_of(run_for_a_while, timeline, NULL);
    int64_t initial = GP_MILLISECONDS(timeline->initial);
    int64_t period = GP_MILLISECONDS(timeline->period);
    if (strcmp(timeline->kind, "once") == 0)
        return gp_schedule(scheduled, &callable, initial, NULL);
    if (strcmp(timeline->kind, "delay") == 0)
        return gp_schedule_with_fixed_delay(scheduled, &callable, initial, period, NULL);
    return gp_schedule_at_fixed_rate(scheduled, &callable, initial, period, NULL);
}

void timeline_run(void *argument)
{
    struct timeline *timeline = argument;
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;
    config.core_size = 2; /* that runs do not overlap is not for want of workers */
    if (strcmp(timeline->kind, "skip") == 0)
        config.overrun = GP_OVERRUN_SKIP;
    if (gp_scheduled_new(&config, &scheduled) != GP_OK)
        return;
    origin = gp_now();
    if (schedule(scheduled, timeline) == GP_OK)
        gp_sleep(GP_MILLISECONDS(timeline->until));
    gp_scheduled_close(scheduled);
}
