/*
 * What is read and what is told: times as text.
 *
 *     cron      2,000 times from one match to the next and back again, of expressions from every
 *               second to 29 February on a Monday, in UTC and where clocks are put forward and back
 *     duration  5,000 durations read and written
 *     table     200 times a table of six entries, with all kinds of times, is checked
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "benches/regress/counted/counted.h"

enum {
    CRONS = 10,
    MATCHES = 200
};

static const char *const expressions[CRONS / 2] = {
    "* * * * * *", "0 30 9 * * MON-FRI", "0 */5 0-6 L * ?", "0 15 2 15W 1/3 ?", "0 0 0 29 2 MON"};

struct cron {
    gp_cron *crons[CRONS];
    int64_t ends[CRONS]; /* where each way back ends */
};

MEASURED measured_cron(struct cron *work);

MEASURED measured_cron(struct cron *work)
{
    const int64_t start = GP_SECONDS(1790000000); /* in September 2026 */
    int failures = 0;

    for (size_t i = 0; i < CRONS; i++) {
        int64_t time = start;
        int64_t matches = 0;
        for (int64_t next; matches < MATCHES; matches++, time = next)
            if ((next = gp_cron_next(work->crons[i], time)) == GP_NEVER)
                break;
        for (int64_t left = matches - 1; left > 0; left--)
            time = gp_cron_prev(work->crons[i], time);
        work->ends[i] = time;
        failures += matches == 0;
    }
    return failures;
}

/* Each way back must have ended at the first match. */
static int check_ends(const struct cron *work)
{
    int failures = 0;

    for (size_t i = 0; i < CRONS; i++)
        failures += work->ends[i] != gp_cron_next(work->crons[i], GP_SECONDS(1790000000));
    return failures;
}

static bool cron(void)
{
    struct cron work = {0};
    gp_zone *berlin = NULL;
    bool done = gp_zone_of_rule("CET-1CEST,M3.5.0,M10.5.0/3", &berlin) == GP_OK;

    for (size_t i = 0; i < CRONS; i++)
        done = done && gp_cron_parse_in(expressions[i / 2], i % 2 == 0 ? NULL : berlin, 0,
                                        &work.crons[i], NULL) == GP_OK;
    done = done && measured_cron(&work) == 0 && check_ends(&work) == 0;
    for (size_t i = 0; i < CRONS; i++)
        gp_cron_release(work.crons[i]);
    gp_zone_release(berlin);
    return done;
}

/* ---- durations ---- */

enum {
    DURATIONS = 5000
};

static const char *const durations[] = {"500ms", "1h30m", "2d", "1s500ms", "90ms", "3us7ns"};

MEASURED measured_duration(void);

MEASURED measured_duration(void)
{
    int failures = 0;

    for (size_t i = 0; i < DURATIONS; i++) {
        const char *text = durations[i % (sizeof(durations) / sizeof(durations[0]))];
        char written[32];
        int64_t nanos = -1;
        failures += gp_duration_parse(text, &nanos, NULL) != GP_OK;
        failures += gp_duration_text(nanos, written, sizeof(written)) <= 0;
        failures += strcmp(text, written) != 0;
    }
    return failures;
}

static bool duration(void)
{
    return measured_duration() == 0;
}

/* ---- the table ---- */

enum {
    CHECKS = 200
};

static int nothing(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return 0;
}

MEASURED measured_table(const gp_registrar_config *config);

MEASURED measured_table(const gp_registrar_config *config)
{
    int failures = 0;

    for (size_t i = 0; i < CHECKS; i++)
        failures += gp_registrar_check(config) != GP_OK;
    return failures;
}

static bool table(void)
{
    static const gp_declared entries[] = {
        {GP_DECLARED_UNSET, .name = "each-second", .call = nothing, .zone = "UTC",
         .cron = "* * * * * *"},
        {GP_DECLARED_UNSET, .name = "mornings", .call = nothing, .zone = "UTC",
         .cron = "0 30 9 * * MON-FRI"},
        {GP_DECLARED_UNSET, .name = "last-day", .call = nothing, .zone = "UTC",
         .cron = "0 */5 0-6 L * ?"},
        {GP_DECLARED_UNSET, .name = "quick", .call = nothing, .fixed_rate_text = "500ms"},
        {GP_DECLARED_UNSET, .name = "slow", .call = nothing, .fixed_delay_text = "PT1H30M"},
        {GP_DECLARED_UNSET, .name = "late", .call = nothing, .fixed_rate_text = "1m",
         .initial_delay_text = "10s"},
    };
    const gp_registrar_config config = {.entries = entries,
                                        .count = sizeof(entries) / sizeof(entries[0])};

    return measured_table(&config) == 0;
}

const struct workload workloads_text[] = {
    {"cron", cron}, {"duration", duration}, {"table", table}, {NULL, NULL}};
