/* Reports: what a run showed, for people (text, HTML) and for programs (JSON, JUnit). */
#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

#include <stdbool.h>
#include <stdio.h> /* FILE */
#include <time.h>  /* time_t */

#include "harness/scenario/result.h"

/* A whole run. */
struct report {
    const struct result *results;
    size_t count;
    uint64_t seed;
    double seconds;      /* that it took */
    time_t ended;        /* by the wall clock */
    const char *flavour; /* of the build: "tsan", "asan", "valgrind", "plain" */
    const char *compiler;
};

typedef void report_fn(FILE *, const struct report *);

report_fn report_text_closing; /* the failures again, and "N passed, N failed" */
report_fn report_json;
report_fn report_junit;
report_fn report_html; /* one page that needs nothing else */

void report_text_result(FILE *, const struct result *); /* one scenario: its table and its notes */
size_t report_count(const struct report *, enum verdict);
bool report_write(const char *path, report_fn *, const struct report *); /* "-": standard output */

/* Better to know before the run than after it; NULL and "-" are fine. False: it has said why. */
bool report_can_write(const char *program, const char *path);
bool report_complain_of(const char *program, const char *path); /* by errno; false */

/* For the reports themselves. */
const char *report_grouped(uint64_t number); /* 1,234,567; good until the next call but three */
const char *report_counted(uint64_t number,
                           const char *noun); /* "1 step", "2,000 steps"; likewise */
double report_rate(const struct result *);    /* iterations per second */
void report_markup(FILE *, const char *text); /* as XML and HTML want it */

#endif
