/* `next`: the times of an expression, and `describe`: the expression in words. */
#include <stdio.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/cron.h>
#include <glasspool/status.h>

#include "command/command.h"

gp_cron *open_cron(const struct options *options)
{
    gp_cron *cron = NULL;
    gp_cron_error error = {.reason = ""};
    char text[2048];
    char path[ZONE_SIZE];
    int status = gp_cron_parse(options->argument, zone_by_name(options->zone, path),
                               options->spring ? GP_CRON_OVERLAP_TWICE : 0, &cron, &error);
    if (status == GP_OK)
        return cron;
    if (status == GP_ENOMEM)
        fprintf(stderr, COMMAND ": out of memory\n");
    else if (error.field == GP_CRON_ZONE)
        fprintf(stderr, COMMAND ": zone \"%s\": %s\n",
                options->zone == NULL ? "local" : options->zone, error.reason);
    else {
        gp_cron_explain(options->argument, &error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    return NULL;
}

const char *no_match_text(const gp_cron *cron, bool prev)
{
    if (gp_cron_is_disabled(cron))
        return "never: it is disabled";
    if (gp_cron_next(cron, INT64_MIN) == GP_NEVER)
        return "never: there is no such day";
    return prev ? "no match since 1677" : "no match until 2262";
}

/* Lines. */

struct listing {
    const struct options *options;
    const gp_cron *cron;
    int64_t from;
    long shown;
};

static void show_time(struct listing *listing, int64_t time)
{
    const struct options *options = listing->options;
    char text[TIME_SIZE];
    char distance[TIME_SIZE];
    time_text(gp_cron_zone(listing->cron), time, text);
    distance_text(options->prev ? listing->from - time : time - listing->from, distance);
    if (options->from == NULL)
        printf(options->prev ? "%-36s  %s ago\n" : "%-36s  in %s\n", text, distance);
    else
        printf("%-36s  %s %s\n", text, distance, options->prev ? "earlier" : "later");
}

static void show_json(struct listing *listing, int64_t time)
{
    gp_zone_period period = gp_zone_period_at(gp_cron_zone(listing->cron), time);
    char local[TIME_SIZE];
    char utc[TIME_SIZE];
    iso_text(time, period.offset, local);
    iso_text(time, 0, utc);
    printf(
        "%s\n    {\"local\": \"%s\", \"utc\": \"%s\",\n"
        "     \"abbreviation\": \"%s\", \"weekday\": \"%s\", \"epoch\": %lld, \"seconds\": %lld}",
        listing->shown == 0 ? "" : ",", local, utc, period.abbreviation,
        weekday_of(time, period.offset), (long long)(time / GP_SECONDS(1)),
        (long long)((time - listing->from) / GP_SECONDS(1)));
}

/* An expression that could be compiled has letters and signs alone, but for a tab. */
static void begin_json(const struct listing *listing)
{
    char text[512];
    gp_cron_describe(listing->cron, text, sizeof text);
    printf("{\n  \"expression\": \"");
    for (const char *at = listing->options->argument; *at != '\0'; at++)
        putchar((unsigned char)*at < ' ' ? ' ' : *at);
    printf("\",\n  \"zone\": \"%s\",\n  \"description\": \"%s\",\n  \"times\": [",
           gp_zone_name(gp_cron_zone(listing->cron)), text);
}

static void show_all(struct listing *listing)
{
    const struct options *options = listing->options;
    int64_t time = listing->from;
    for (; listing->shown < options->count; listing->shown++) {
        time =
            options->prev ? gp_cron_prev(listing->cron, time) : gp_cron_next(listing->cron, time);
        if (time == GP_NEVER || time == INT64_MIN)
            break;
        if (options->json)
            show_json(listing, time);
        else
            show_time(listing, time);
    }
}

/* Where it begins; false: --from makes no sense, which has been said. */
static bool find_start(const struct options *options, const gp_cron *cron, int64_t *from)
{
    const char *reason;
    size_t position;
    if (options->from == NULL) {
        *from = gp_wall_now();
        return true;
    }
    if (read_time(options->from, gp_cron_zone(cron), from, &reason, &position))
        return true;
    show_caret("", options->from, position);
    fprintf(stderr, "--from: %s\n", reason);
    return false;
}

static int list_times(const struct options *options, const gp_cron *cron)
{
    struct listing listing = {.options = options, .cron = cron};
    if (!find_start(options, cron, &listing.from))
        return WRONG;
    if (options->json)
        begin_json(&listing);
    show_all(&listing);
    if (options->json)
        printf("%s]\n}\n", listing.shown == 0 ? "" : "\n  ");
    else if (listing.shown == 0)
        printf("%s\n", no_match_text(cron, options->prev));
    return FINE;
}

int command_next(const struct options *options)
{
    gp_cron *cron = open_cron(options);
    if (cron == NULL)
        return WRONG;
    int status = list_times(options, cron);
    gp_cron_release(cron);
    return status;
}

int command_describe(const struct options *options)
{
    gp_cron *cron = open_cron(options);
    char text[1024];
    if (cron == NULL)
        return WRONG;
    gp_cron_describe(cron, text, sizeof text);
    printf("%s\n", text);
    gp_cron_release(cron);
    return FINE;
}
