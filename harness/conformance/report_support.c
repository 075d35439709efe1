/* Support for the tests of reports: see report_support.h. */
#include "report_support.h"

#include <glasspool/status.h>

#include "suite.h"

gp_report *report_of(const gp_report_config *config)
{
    gp_report *report = NULL;
    require_ok(gp_report_new(config, &report));
    check_int(gp_report_check(report), 0);
    return report;
}

void report_end(gp_report *report, uint64_t rejections, uint64_t dumps, uint64_t failed)
{
    gp_report_stats stats;
    gp_report_statistics(report, &stats);
    check_int(stats.rejections, rejections);
    check_int(stats.dumps, dumps);
    check_int(stats.failed, failed);
    check_int(gp_report_check(report), 0);
    gp_report_free(report);
}

gp_rejection rejection_by(gp_report *report)
{
    return (gp_rejection){.reject = gp_reject_report, .context = report};
}

void reject_one(gp_pool *pool)
{
    struct job job;
    job_init(&job);
    check_status(gp_pool_execute_task(pool, job_task(&job)), GP_EREJECTED);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1); /* [REPORT-4] */
}

gp_pool *closed_pool(gp_report *report, const char *name)
{
    gp_pool_config config = config_with(1, 1, NULL);
    config.rejection = rejection_by(report);
    config.thread.name = name;
    gp_pool *pool = pool_of(&config);
    gp_pool_shutdown(pool);
    return pool;
}
