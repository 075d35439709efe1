/*
 * The report as JUnit XML, which every CI system reads: one test case per scenario, the family as
 * its class, a failure with the complaints, and the table as its output.
 */
#include <inttypes.h>
#include <string.h>

#include "harness/report/report.h"

static void write_complaint(const char *sentence, void *context)
{
    report_markup(context, sentence);
    fputs("; ", context);
}

static void write_failure(FILE *file, const struct result *result)
{
    fputs("      <failure message=\"", file);
    result_complaints(result, write_complaint, file);
    fputs("\">", file);
    report_markup(file, result->notes);
    fputs("</failure>\n", file);
}

static void write_output(FILE *file, const struct result *result)
{
    static struct result_line lines[RESULT_LINES];
    size_t count = result_lines(result, lines);

    fprintf(file, "      <system-out>%" PRIu64 " iterations, seed %" PRIu64 "\n",
            result->iterations, result->seed);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%" PRIu64 " %s: ", lines[i].count, grade_name(lines[i].grade));
        report_markup(file, lines[i].outcome);
        fputc('\n', file);
    }
    fputs("</system-out>\n", file);
}

static void write_case(FILE *file, const struct result *result)
{
    const char *name = result->scenario->name;
    size_t family = strcspn(name, "/");

    fprintf(file, "    <testcase classname=\"stress.%.*s\" name=\"", (int)family, name);
    report_markup(file, name + family + (name[family] == '/'));
    fprintf(file, "\" time=\"%.3f\">\n", result->seconds);
    if (result->verdict == FAILED)
        write_failure(file, result);
    if (result->verdict == NOT_RUN)
        fputs("      <skipped message=\"stopped before its turn\"/>\n", file);
    write_output(file, result);
    fputs("    </testcase>\n", file);
}

void report_junit(FILE *file, const struct report *report)
{
    size_t failed = report_count(report, FAILED), skipped = report_count(report, NOT_RUN);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
    fprintf(file,
            "  <testsuite name=\"stress.%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
            "skipped=\"%zu\" time=\"%.3f\">\n",
            report->flavour, report->count, failed, skipped, report->seconds);
    for (size_t i = 0; i < report->count; i++)
        write_case(file, &report->results[i]);
    fputs("  </testsuite>\n</testsuites>\n", file);
}
