/*
 * The report for people: a heading per scenario, its table, what is wrong with it.
 *
 *     PASSED  future_state/set_against_cancel   2,103,296 iterations, 1,402,197/s, seed 7
 *             set and cancel race for a new future: exactly one wins, ...
 *
 *          count    share  grade        outcome
 *      1,200,419   57.07%  acceptable   set won, cancel lost, get the result
 *                                       the CAS of set came first
 */
#include <inttypes.h>
#include <string.h>

#include "harness/report/report.h"

static void write_complaint(const char *sentence, void *context)
{
    fprintf(context, "        %s\n", sentence);
}

static void write_line(FILE *file, const struct result_line *line)
{
    fprintf(file, "  %15s  %6.2f%%  %-11s  %s%s\n", report_grouped(line->count), 100 * line->share,
            grade_name(line->grade), line->outcome, line->missing ? "   <- NEVER SEEN" : "");
    fprintf(file, "%41s%s\n", "", line->why);
}

static void write_table(FILE *file, const struct result *result)
{
    static struct result_line lines[RESULT_LINES];
    size_t count = result_lines(result, lines);

    fprintf(file, "\n  %15s  %7s  %-11s  %s\n", "count", "share", "grade", "outcome");
    for (size_t i = 0; i < count; i++)
        write_line(file, &lines[i]);
    fputc('\n', file);
}

void report_text_result(FILE *file, const struct result *result)
{
    static const char *const marks[] = {"NOT RUN", "PASSED", "FAILED"};

    fprintf(file, "%-7s %s   %s iterations, %s/s, seed %" PRIu64 "%s\n", marks[result->verdict],
            result->scenario->name, report_grouped(result->iterations),
            report_grouped((uint64_t)report_rate(result)), result->seed,
            result->stopped_early ? " (stopped early)" : "");
    fprintf(file, "        %s\n", result->scenario->description);
    if (result->best_stagger[0])
        fprintf(file, "        best stagger %s\n", result->best_stagger);
    result_complaints(result, write_complaint, file);
    write_table(file, result);
    if (result->notes_length > 0)
        fprintf(file, "%s\n", result->notes);
    fflush(file);
}

static void write_failure(FILE *file, const struct result *result)
{
    fprintf(file, "FAILED  %s   attacks %s: %s, %s\n", result->scenario->name,
            result->scenario->attacks.file, result->scenario->attacks.pattern,
            result->scenario->invariants);
    result_complaints(result, write_complaint, file);
}

/* Only with --lenient can something pass without having been exercised. */
static void write_unexercised(FILE *file, const struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct result *result = &report->results[i];
        if (result->lenient && result->verdict == PASSED &&
            !result_is_exercised(result->scenario, &result->tally))
            fprintf(file, "not exercised, which is forgiven: %s\n", result->scenario->name);
    }
}

void report_text_closing(FILE *file, const struct report *report)
{
    size_t not_run = report_count(report, NOT_RUN);

    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].verdict == FAILED)
            write_failure(file, &report->results[i]);
    fprintf(file, "%s, %s, seed %" PRIu64 ", %.1f s\n", report->flavour, report->compiler,
            report->seed, report->seconds);
    if (not_run > 0)
        fprintf(file, "%zu not run: stopped before their turn\n", not_run);
    write_unexercised(file, report);
    fprintf(file, "%zu passed, %zu failed\n", report_count(report, PASSED),
            report_count(report, FAILED));
}
