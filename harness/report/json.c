/*
 * The report as JSON: everything that is known, one object per scenario, keys in the order in which
 * a person would ask. Written by hand, since writing JSON takes one function: the one for strings
 * (quote.h).
 */
#include <inttypes.h>

#include "harness/report/quote.h"
#include "harness/report/report.h"

/* ---- one scenario ---- */

static void write_outcome(FILE *file, const struct result_line *line)
{
    fprintf(file, "{");
    report_quote_member(file, "outcome", line->outcome);
    fprintf(file, ", \"count\": %" PRIu64 ", \"share\": %.6f, ", line->count, line->share);
    report_quote_member(file, "grade", grade_name(line->grade));
    fprintf(file, ", \"demanded\": %s, \"missing\": %s, ", line->demanded ? "true" : "false",
            line->missing ? "true" : "false");
    report_quote_member(file, "why", line->why);
    fprintf(file, "}");
}

static void write_outcomes(FILE *file, const struct result *result)
{
    static struct result_line lines[RESULT_LINES];
    size_t count = result_lines(result, lines);

    fprintf(file, "      \"outcomes\": [");
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s\n        ", i ? "," : "");
        write_outcome(file, &lines[i]);
    }
    fprintf(file, "\n      ]");
}

struct list {
    FILE *file;
    size_t count;
};

static void write_complaint(const char *sentence, void *context)
{
    struct list *list = context;

    fputs(list->count++ ? ", " : "", list->file);
    report_quote(list->file, sentence);
}

static void write_complaints(FILE *file, const struct result *result)
{
    struct list list = {.file = file};

    fprintf(file, "      \"complaints\": [");
    result_complaints(result, write_complaint, &list);
    fprintf(file, "],\n");
}

static void write_description(FILE *file, const struct scenario *scenario)
{
    fprintf(file, "      ");
    report_quote_member(file, "description", scenario->description);
    fprintf(file, ",\n      ");
    report_quote_member(file, "invariants", scenario->invariants);
    fprintf(file, ",\n      \"attacks\": {");
    report_quote_member(file, "file", scenario->attacks.file);
    fprintf(file, ", ");
    report_quote_member(file, "pattern", scenario->attacks.pattern);
    fprintf(file, "},\n");
}

static void write_numbers(FILE *file, const struct result *result)
{
    fprintf(file, "      \"iterations\": %" PRIu64 ", \"seconds\": %.3f,\n", result->iterations,
            result->seconds);
    fprintf(file, "      \"seed\": %" PRIu64 ", ", result->seed);
    report_quote_member(file, "best_stagger", result->best_stagger);
    fprintf(file, ",\n");
    fprintf(file, "      \"hung\": %s, \"stopped_early\": %s, \"sanitizer_reports\": %u,\n",
            result->hung ? "true" : "false", result->stopped_early ? "true" : "false",
            result->sanitizer_reports);
    fprintf(file, "      \"broken_states\": %" PRIu64 ", \"broken_invariant\": %d,\n",
            result->broken_count, result->broken_invariant);
    fprintf(file, "      \"not_linearizable\": %" PRIu64 ", \"undecided\": %" PRIu64 ",\n",
            result->not_linearizable, result->undecided);
}

static void write_result(FILE *file, const struct result *result)
{
    fprintf(file, "    {\n      ");
    report_quote_member(file, "scenario", result->scenario->name);
    fprintf(file, ",\n      ");
    report_quote_member(file, "verdict", verdict_name(result->verdict));
    fprintf(file, ",\n");
    write_description(file, result->scenario);
    write_numbers(file, result);
    write_complaints(file, result);
    write_outcomes(file, result);
    fprintf(file, ",\n      ");
    report_quote_member(file, "notes", result->notes);
    fprintf(file, "\n    }");
}

/* ---- the run ---- */

void report_json(FILE *file, const struct report *report)
{
    fprintf(file, "{\n  ");
    report_quote_member(file, "flavour", report->flavour);
    fprintf(file, ",\n  ");
    report_quote_member(file, "compiler", report->compiler);
    fprintf(file, ",\n  \"seed\": %" PRIu64 ", \"seconds\": %.3f,\n", report->seed,
            report->seconds);
    fprintf(file, "  \"passed\": %zu, \"failed\": %zu, \"not_run\": %zu,\n",
            report_count(report, PASSED), report_count(report, FAILED),
            report_count(report, NOT_RUN));
    fprintf(file, "  \"scenarios\": [\n");
    for (size_t i = 0; i < report->count; i++) {
        write_result(file, &report->results[i]);
        fprintf(file, "%s\n", i + 1 < report->count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
}
