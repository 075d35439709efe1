/*
 * The report as a page: one file that needs nothing else, to be mailed, archived, put on a server.
 *
 *      header      the verdict in one sentence, flavour, compiler, seed, time, totals
 *      failures    the scenarios that failed, with their complaints; absent if there are none
 *      overview    all scenarios by family, each a link
 *      filter      text, family, grade, failed only; works on what follows
 *      families    a heading each, and under it the scenarios: what races, the table, the notes
 *
 * A scenario's anchor is its name: report.html#future_state/set_against_cancel.
 *
 * Style and script are files of their own, page.css and page.js, so that editors and people know
 * what they look at. The assembler copies them into the program (.incbin), which spares us a
 * generator; their paths start at the top of the repository, where make runs.
 *
 * The page is complete without the script: the filter, which would be of no use then, is hidden
 * until the script shows it. Nothing is told by colour alone: grades and verdicts are written out,
 * each has a mark, and the bars of the three grades have different patterns.
 */
#include <inttypes.h>
#include <string.h>

#include "harness/report/report.h"

/* The bytes of a file, and a zero behind them. */
#define EMBED(name, path)                                                      \
    __asm__(".pushsection .rodata\n" name ":\n.incbin \"" path "\"\n.byte 0\n" \
            ".popsection\n")

extern const char page_css[], page_js[];
EMBED("page_css", "harness/report/page.css");
EMBED("page_js", "harness/report/page.js");

static const char *const verdict_marks[] = {"–", "✓", "✗"}; /* by enum verdict */
static const char *const grade_marks[] = {"✓", "◆", "✗"};   /* by enum grade */
static const char *const verdict_classes[] = {"not-run", "passed", "failed"};

/* ---- small pieces ---- */

/* What stands between the tags is text, and is escaped; the tags are not. */
static void write_element(FILE *file, const char *open, const char *text, const char *close)
{
    fputs(open, file);
    report_markup(file, text);
    fputs(close, file);
}

static void write_fact(FILE *file, const char *name, const char *value)
{
    fprintf(file, "<div><dt>%s</dt>", name);
    write_element(file, "<dd>", value, "</dd></div>\n");
}

static const char *short_name(const struct scenario *scenario)
{
    return strchr(scenario->name, '/') + 1;
}

static size_t family_length(const struct scenario *scenario)
{
    return strcspn(scenario->name, "/");
}

static bool starts_family(const struct report *report, size_t index)
{
    const struct scenario *scenario = report->results[index].scenario;
    size_t length = family_length(scenario) + 1;

    return index == 0 ||
           strncmp(report->results[index - 1].scenario->name, scenario->name, length) != 0;
}

static void write_link(FILE *file, const struct scenario *scenario, const char *text)
{
    write_element(file, "<a href=\"#", scenario->name, "\">");
    write_element(file, "", text, "</a>");
}

static void write_verdict(FILE *file, enum verdict verdict)
{
    fprintf(file, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
            verdict_classes[verdict], verdict_marks[verdict], verdict_name(verdict));
}

static void write_complaint(const char *sentence, void *context)
{
    write_element(context, "<li>", sentence, "</li>\n");
}

static void write_complaints(FILE *file, const struct result *result)
{
    if (result->verdict != FAILED)
        return;
    fputs("<ul class=\"complaints\">\n", file);
    result_complaints(result, write_complaint, file);
    fputs("</ul>\n", file);
}

/* ---- the top of the page ---- */

static void write_sentence(FILE *file, const struct report *report)
{
    size_t failed = report_count(report, FAILED), not_run = report_count(report, NOT_RUN);

    if (failed > 0)
        fprintf(file, "%zu of %zu scenarios failed", failed, report->count);
    else if (not_run > 0)
        fprintf(file, "%zu of %zu scenarios passed, then it was stopped",
                report_count(report, PASSED), report->count);
    else
        fprintf(file, "All %zu scenarios passed", report->count);
}

static void write_head(FILE *file, const struct report *report)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          file);
    write_sentence(file, report);
    fprintf(file, " (%s)</title>\n<style>\n%s</style>\n</head>\n<body>\n", report->flavour,
            page_css);
    fputs("<a class=\"skip\" href=\"#scenarios\">Skip to the scenarios</a>\n", file);
}

static uint64_t all_iterations(const struct report *report)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < report->count; i++)
        sum += report->results[i].iterations;
    return sum;
}

static void write_run(FILE *file, const struct report *report)
{
    char ended[32], took[32], seed[32];
    struct tm utc;

    gmtime_r(&report->ended, &utc);
    strftime(ended, sizeof ended, "%Y-%m-%d %H:%M UTC", &utc);
    snprintf(took, sizeof took, "%.1f s", report->seconds);
    snprintf(seed, sizeof seed, "%" PRIu64, report->seed);
    fputs("<dl class=\"facts\">\n", file);
    write_fact(file, "Flavour", report->flavour);
    write_fact(file, "Compiler", report->compiler);
    write_fact(file, "Seed", seed);
    write_fact(file, "Ended", ended);
    write_fact(file, "Took", took);
    write_fact(file, "Iterations", report_grouped(all_iterations(report)));
    fputs("</dl>\n", file);
}

static void write_totals(FILE *file, const struct report *report)
{
    static const enum verdict order[] = {PASSED, FAILED, NOT_RUN};

    fputs("<ul class=\"totals\" aria-label=\"Totals\">\n", file);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        fprintf(file, "<li class=\"%s\"><span aria-hidden=\"true\">%s</span> <b>%zu</b> %s</li>\n",
                verdict_classes[order[i]], verdict_marks[order[i]], report_count(report, order[i]),
                verdict_name(order[i]));
    fputs("</ul>\n", file);
}

static void write_header(FILE *file, const struct report *report)
{
    bool failed = report_count(report, FAILED) > 0;

    fprintf(file, "<header class=\"%s\">\n<p class=\"kind\">Race scenarios on real threads</p>\n",
            failed ? "failed" : "passed");
    fputs("<h1>", file);
    write_sentence(file, report);
    fputs("</h1>\n", file);
    write_totals(file, report);
    write_run(file, report);
    fputs("</header>\n", file);
}

static void write_failures(FILE *file, const struct report *report)
{
    if (report_count(report, FAILED) == 0)
        return;
    fputs("<section class=\"failures\" aria-labelledby=\"failures\">\n"
          "<h2 id=\"failures\">What failed</h2>\n<ul>\n",
          file);
    for (size_t i = 0; i < report->count; i++) {
        if (report->results[i].verdict != FAILED)
            continue;
        fputs("<li>", file);
        write_link(file, report->results[i].scenario, report->results[i].scenario->name);
        write_complaints(file, &report->results[i]);
        fputs("</li>\n", file);
    }
    fputs("</ul>\n</section>\n", file);
}

static void write_overview_entry(FILE *file, const struct result *result)
{
    fprintf(file, "<li class=\"%s\"><span class=\"mark\" aria-hidden=\"true\">%s</span> ",
            verdict_classes[result->verdict], verdict_marks[result->verdict]);
    write_link(file, result->scenario, short_name(result->scenario));
    if (result->verdict != PASSED)
        fprintf(file, " <small>%s</small>", verdict_name(result->verdict));
    fputs("</li>\n", file);
}

static void write_overview(FILE *file, const struct report *report)
{
    fputs("<nav class=\"overview\" aria-labelledby=\"overview\">\n"
          "<h2 id=\"overview\">Overview</h2>\n<div class=\"columns\">\n",
          file);
    for (size_t i = 0; i < report->count; i++) {
        const struct scenario *scenario = report->results[i].scenario;
        if (starts_family(report, i))
            fprintf(file, "%s<section>\n<h3>%.*s</h3>\n<ul>\n", i == 0 ? "" : "</ul>\n</section>\n",
                    (int)family_length(scenario), scenario->name);
        write_overview_entry(file, &report->results[i]);
    }
    fputs("</ul>\n</section>\n</div>\n</nav>\n", file);
}

static void write_filter(FILE *file, const struct report *report)
{
    fputs("<form class=\"filter\" role=\"search\" aria-label=\"Filter the scenarios\" hidden>\n"
          "<label>Text <input type=\"search\" name=\"text\" placeholder=\"press / to search\">"
          "</label>\n<label>Family <select name=\"family\"><option value=\"\">all</option>\n",
          file);
    for (size_t i = 0; i < report->count; i++)
        if (starts_family(report, i))
            fprintf(file, "<option>%.*s</option>\n",
                    (int)family_length(report->results[i].scenario),
                    report->results[i].scenario->name);
    fputs("</select></label>\n<label>Seen <select name=\"grade\"><option value=\"\">any grade"
          "</option>\n",
          file);
    for (int grade = ACCEPTABLE; grade <= FORBIDDEN; grade++)
        fprintf(file, "<option>%s</option>\n", grade_name((enum grade)grade));
    fputs("<option value=\"missing\">not all it must see</option>\n</select></label>\n"
          "<label class=\"check\"><input type=\"checkbox\" name=\"failed\"> Failed only</label>\n"
          "<button type=\"reset\">Show all</button>\n<output aria-live=\"polite\"></output>\n"
          "</form>\n",
          file);
}

/* ---- one scenario ---- */

static void write_outcome(FILE *file, const struct result_line *line)
{
    const char *grade = grade_name(line->grade);

    fprintf(file, "<tr class=\"%s%s\">\n", grade, line->count == 0 ? " unseen" : "");
    write_element(file, "<td class=\"outcome\"><b>", line->outcome, "</b>");
    if (line->missing)
        fputs(" <strong class=\"never\">never seen, though it must be</strong>", file);
    write_element(file, "<span class=\"why\">", line->why, "</span></td>\n");
    fprintf(file,
            "<td class=\"grade\"><span class=\"mark\" aria-hidden=\"true\">%s</span> %s</td>\n",
            grade_marks[line->grade], grade);
    fprintf(file, "<td class=\"count\">%s</td>\n", report_grouped(line->count));
    fprintf(file,
            "<td class=\"share\"><span class=\"percent\">%.2f%%</span>"
            "<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:%.3f%%\"></i></span></td>\n"
            "</tr>\n",
            100 * line->share, 100 * line->share);
}

static void write_outcomes(FILE *file, const struct result_line *lines, size_t count)
{
    fputs("<table>\n<thead><tr><th scope=\"col\">Outcome, and why</th>"
          "<th scope=\"col\" class=\"grade\">Grade</th><th scope=\"col\" class=\"count\">Count</th>"
          "<th scope=\"col\" class=\"share\">Share</th></tr></thead>\n<tbody>\n",
          file);
    for (size_t i = 0; i < count; i++)
        write_outcome(file, &lines[i]);
    fputs("</tbody>\n</table>\n", file);
}

static void write_numbers(FILE *file, const struct result *result)
{
    char seed[32];

    snprintf(seed, sizeof seed, "%" PRIu64, result->seed);
    write_fact(file, "Iterations", report_grouped(result->iterations));
    write_fact(file, "Per second", report_grouped((uint64_t)report_rate(result)));
    write_fact(file, "Seed", seed);
    if (result->best_stagger[0])
        write_fact(file, "Best stagger", result->best_stagger);
    if (result->stopped_early)
        write_fact(file, "Ended", "stopped early");
}

static void write_source(FILE *file, const struct scenario *scenario)
{
    write_element(file, "<div class=\"wide\"><dt>Attacks</dt><dd>", scenario->attacks.file, " ");
    write_element(file, "<code>", scenario->attacks.pattern, "</code></dd></div>\n");
    if (scenario->broken_by)
        write_element(file, "<div class=\"wide\"><dt>Fails with</dt><dd><code>make break MUTANT=",
                      scenario->broken_by, "</code></dd></div>\n");
}

static void write_again(FILE *file, const struct report *report, const struct result *result)
{
    bool usual = strcmp(report->flavour, "tsan") == 0;

    fprintf(file, "<div class=\"wide\"><dt>Again</dt><dd><code>make stress%s%s SCENARIO=",
            usual ? "" : "-", usual ? "" : report->flavour);
    report_markup(file, result->scenario->name);
    fprintf(file, " SEED=%" PRIu64 "</code></dd></div>\n", result->seed);
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void write_notes(FILE *file, const struct result *result)
{
    if (result->notes_length == 0)
        return;
    fprintf(file,
            "<details>\n<summary>Notes: stacks and reports, %zu lines</summary>\n"
            "<pre tabindex=\"0\">",
            count_lines(result->notes));
    report_markup(file, result->notes);
    fputs("</pre>\n</details>\n", file);
}

/* What the filter asks for, as words: each grade that was seen; whether something is missing. */
static void write_seen(FILE *file, const struct result_line *lines, size_t count)
{
    bool seen[FORBIDDEN + 1] = {false}, missing = false;

    for (size_t i = 0; i < count; i++) {
        missing = missing || lines[i].missing;
        seen[lines[i].grade] = seen[lines[i].grade] || lines[i].count > 0;
    }
    fputs(" data-seen=\"", file);
    for (int grade = ACCEPTABLE; grade <= FORBIDDEN; grade++)
        if (seen[grade])
            fprintf(file, "%s ", grade_name((enum grade)grade));
    fprintf(file, "%s\"", missing ? "missing" : "");
}

static void write_result(FILE *file, const struct report *report, const struct result *result)
{
    static struct result_line lines[RESULT_LINES];
    const struct scenario *scenario = result->scenario;
    size_t count = result_lines(result, lines);

    fprintf(file, "<article class=\"%s\"", verdict_classes[result->verdict]);
    write_element(file, " id=\"", scenario->name, "\"");
    write_seen(file, lines, count);
    fputs(">\n<h3>", file);
    write_link(file, scenario, short_name(scenario));
    fputs(" ", file);
    write_verdict(file, result->verdict);
    write_element(file, "</h3>\n<p>", scenario->description, "</p>\n");
    write_complaints(file, result);
    write_outcomes(file, lines, count);
    fputs("<dl class=\"facts\">\n", file);
    write_numbers(file, result);
    write_fact(file, "Invariants", scenario->invariants);
    write_source(file, scenario);
    write_again(file, report, result);
    fputs("</dl>\n", file);
    write_notes(file, result);
    fputs("</article>\n", file);
}

/* ---- the page ---- */

static void write_families(FILE *file, const struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct scenario *scenario = report->results[i].scenario;
        if (starts_family(report, i))
            fprintf(file, "%s<section class=\"family\">\n<h2>%.*s</h2>\n",
                    i == 0 ? "" : "</section>\n", (int)family_length(scenario), scenario->name);
        write_result(file, report, &report->results[i]);
    }
    fputs("</section>\n", file);
}

void report_html(FILE *file, const struct report *report)
{
    write_head(file, report);
    write_header(file, report);
    write_failures(file, report);
    write_overview(file, report);
    fputs("<main id=\"scenarios\" tabindex=\"-1\">\n", file);
    write_filter(file, report);
    write_families(file, report);
    fprintf(file, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", page_js);
}
