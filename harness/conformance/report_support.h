/* Support for the tests of reports: pools that reject with one. */
#ifndef CONFORMANCE_REPORT_SUPPORT_H
#define CONFORMANCE_REPORT_SUPPORT_H

#include <glasspool/report.h>

#include "pool_support.h"

gp_report *report_of(const gp_report_config *); /* must succeed */
void report_end(gp_report *, uint64_t rejections, uint64_t dumps, uint64_t failed); /* so many */
gp_rejection rejection_by(gp_report *);
void reject_one(gp_pool *);                          /* a task, rejected and used up */
gp_pool *closed_pool(gp_report *, const char *name); /* a pool that rejects all */

#endif
