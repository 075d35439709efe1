/*
 * Rejecting with a report (impl/rpc/report.c), beside rejecting without: what the figures of a pool
 * cost the thread whose task it refuses.
 *
 *     report/abort    gp_reject_abort
 *     report/line     a line for each rejection, given to a function that does nothing with it
 *     report/dump     and a dump of the pool's threads, likewise
 *
 * The pool has been shut down, so it rejects everything.
 */
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"

struct subject {
    gp_report *report; /* NULL: none */
    gp_pool *pool;
};

static void nothing(void *argument)
{
    (void)argument;
}

static void take_line(void *context, const char *line)
{
    (void)context;
    (void)line;
}

static int take_dump(void *context, const gp_report_dump *dump)
{
    (void)context;
    (void)dump;
    return GP_OK;
}

static int open_pool(struct subject *subject)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    if (subject->report)
        config.rejection = (gp_rejection){gp_reject_report, subject->report};
    const int status = gp_pool_new(&config, &subject->pool);
    if (status == GP_OK)
        gp_pool_shutdown(subject->pool);
    return status;
}

static void *subject_of(gb_state *state, const gp_report_config *config)
{
    struct subject *subject = calloc(1, sizeof(*subject));
    int status = subject ? GP_OK : GP_ENOMEM;

    if (status == GP_OK && config)
        status = gp_report_new(config, &subject->report);
    if (status == GP_OK)
        status = open_pool(subject);
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return subject;
}

static void *without(gb_state *state)
{
    return subject_of(state, NULL);
}

static void *with_line(gb_state *state)
{
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;

    config.line = take_line;
    return subject_of(state, &config);
}

static void *with_dump(gb_state *state)
{
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;

    config.line = take_line;
    config.write = take_dump;
    config.interval = 0;
    return subject_of(state, &config);
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (!subject)
        return;
    (void)gp_pool_close(subject->pool);
    gp_report_free(subject->report);
    free(subject);
}

static void reject(gb_state *state)
{
    struct subject *subject = state->fixture;

    while (gb_keep_running(state))
        if (gp_pool_execute(subject->pool, nothing, NULL) != GP_EREJECTED)
            gb_fail(state, "it was not rejected");
    gb_items(state, gb_iterations(state));
}

static const gb_bench benches[] = {
    {.name = "report/abort", .run = reject, .set_up = without, .tear_down = subject_drop},
    {.name = "report/line", .run = reject, .set_up = with_line, .tear_down = subject_drop},
    {.name = "report/dump", .run = reject, .set_up = with_dump, .tear_down = subject_drop},
};
GB_REGISTER(benches);
