/* A year of a table of a thousand cron entries, under the explorer. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <glasspool/glasspool.h>

#include "benches/explore/programs.h"

/* 2027-01-01 00:00:00 UTC, a Friday. */
#define NEW_YEAR INT64_C(1798761600000000000)
#define A_DAY    GP_SECONDS(86400)
#define A_YEAR   (A_DAY * 365)

static const char berlin[] = "CET-1CEST,M3.5.0,M10.5.0/3";

/*
 * The table: hourly, daily, weekly and monthly entries, half of them in UTC, half in the zone of
 * Berlin. The clock starts a day early, so that all are there when the year begins. None is due at
 * the turn of the year, so that of each the year has its share:
 *
 *     hourly     100 entries   every hour that passes, gap and overlap or not: 365 * 24 times
 *     daily      300           at a fixed hour: 365 times; but 02:mm does not exist in Berlin on
 *                              28 March, and happens twice, but matches once, on 31 October
 *     weekly     400           52 times, Fridays 53
 *     monthly    200           12 times
 */
enum {
    HOURLY = 100,
    DAILY = HOURLY + 300,
    WEEKLY = DAILY + 400
};

struct entry {
    gp_cron *cron;
    int64_t last; /* wall time of the last run */
    struct table_life *life;
};

static int64_t start; /* monotonic */

static int64_t wall_now(void *unused)
{
    (void)unused;
    return NEW_YEAR - A_DAY + (gp_now() - start);
}

/* Exact to the second, and no second twice. */
static void run_entry(void *argument)
{
    struct entry *entry = argument;
    int64_t now = wall_now(NULL);

    entry->life->runs += now >= NEW_YEAR && now < NEW_YEAR + A_YEAR;
    entry->life->wrong +=
        !gp_cron_matches(entry->cron, now) || now / GP_SECONDS(1) == entry->last / GP_SECONDS(1);
    entry->last = now;
}

static bool is_in_berlin(int i)
{
    return i % 2 == 1;
}

static int hour_of(int i)
{
    return 1 + i / 2 % 23;
}

/* Its expression; and how often it is due, found without it. */
static int describe(int i, char *text, size_t size)
{
    int second = 1 + i % 59, minute = i % 60, hour = hour_of(i);

    if (i < HOURLY) {
        snprintf(text, size, "%d %d * * * *", second, minute);
        return 365 * 24;
    }
    if (i < DAILY) {
        snprintf(text, size, "%d %d %d * * *", second, minute, hour);
        return is_in_berlin(i) && hour == 2 ? 364 : 365;
    }
    hour = 3 + hour % 20;
    if (i < WEEKLY) {
        snprintf(text, size, "%d %d %d * * %d", second, minute, hour, i % 7);
        return i % 7 == 5 ? 53 : 52;
    }
    snprintf(text, size, "%d %d %d %d * *", second, minute, hour, 1 + i % 28);
    return 12;
}

static bool add(gp_scheduled *scheduled, struct entry *entry, int i, gp_zone *zone,
                struct table_life *life)
{
    const gp_callable callable = gp_callable_of(run_entry, entry, NULL);
    char text[64];

    *entry = (struct entry){.life = life};
    life->expected += describe(i, text, sizeof text);
    if (gp_cron_parse_in(text, zone, 0, &entry->cron, NULL) != GP_OK)
        return false;
    gp_trigger trigger = gp_trigger_of_cron(entry->cron);
    return gp_schedule_trigger(scheduled, &callable, &trigger, NULL, NULL) == GP_OK;
}

static void live(gp_scheduled *scheduled, gp_zone *zone, struct entry *entries,
                 struct table_life *life)
{
    for (int i = 0; i < TABLE_ENTRIES; i++)
        life->wrong += !add(scheduled, &entries[i], i, is_in_berlin(i) ? zone : NULL, life);
    gp_sleep(NEW_YEAR + A_YEAR - wall_now(NULL));
    gp_scheduled_close(scheduled);
    for (int i = 0; i < TABLE_ENTRIES; i++)
        gp_cron_release(entries[i].cron);
    gp_zone_release(zone);
}

/* The entries are no variable of the program: those are restored before each execution. */
void program_table_year(void *table_life)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled = NULL;
    gp_zone *zone = NULL;
    struct entry *entries = calloc(TABLE_ENTRIES, sizeof *entries);

    start = gp_now();
    config.time_tasks = false;
    config.wall_clock = (gp_wall_clock){wall_now, NULL, true};
    if (entries && gp_zone_of_rule(berlin, &zone) == GP_OK &&
        gp_scheduled_new(&config, &scheduled) == GP_OK)
        live(scheduled, zone, entries, table_life);
    free(entries);
}
