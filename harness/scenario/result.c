/*
 * Results: from counted bytes to a graded table and a verdict.
 *
 * There is one list of reasons to fail, in result_complaints. The verdict is "no complaint", so
 * that a report can never show a failure without its reason, nor a reason without a failure.
 */
#include "harness/scenario/result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h> /* qsort */
#include <string.h>

static const char not_in_table[] = "not in the table, hence forbidden";

void result_fail(struct result *result, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(result->failure, sizeof result->failure, format, arguments);
    va_end(arguments);
}

void result_note(struct result *result, const char *format, ...)
{
    size_t room = RESULT_NOTES - result->notes_length;
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(result->notes + result->notes_length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        result->notes_length += (size_t)length < room ? (size_t)length : room - 1;
}

void result_add_histories(struct result *result, uint64_t not_linearizable, uint64_t undecided,
                          const char *first)
{
    if (result->not_linearizable + result->undecided == 0)
        result_note(result, "%s", first);
    result->not_linearizable += not_linearizable;
    result->undecided += undecided;
}

/* ---- the table ---- */

static int by_count(const void *left, const void *right)
{
    const struct result_line *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->outcome, b->outcome);
}

static void seen_line(const struct result *result, const struct tally_entry *entry,
                      struct result_line *line)
{
    struct outcome outcome = outcome_of_key(entry->key);
    const struct graded_outcome *row = outcome_row(result->scenario, outcome);

    outcome_text(result->scenario, outcome, line->outcome);
    line->count = entry->count;
    line->share = (double)entry->count / (double)result->tally.total;
    line->grade = row ? row->grade : FORBIDDEN;
    line->why = row ? row->why : not_in_table;
    line->demanded = row && row->demand == MUST_OCCUR;
    line->missing = false;
}

static void unseen_line(const struct graded_outcome *row, struct result_line *line)
{
    snprintf(line->outcome, sizeof line->outcome, "%s", *row->text ? row->text : "anything else");
    line->count = 0;
    line->share = 0;
    line->grade = row->grade;
    line->why = row->why;
    line->demanded = line->missing = row->demand == MUST_OCCUR;
}

static bool row_is_seen(const struct scenario *scenario, const struct graded_outcome *row,
                        const struct tally *tally)
{
    for (size_t i = 0; i < TALLY_ROOM; i++)
        if (tally->entries[i].count != 0 &&
            outcome_row(scenario, outcome_of_key(tally->entries[i].key)) == row)
            return true;
    return false;
}

size_t result_lines(const struct result *result, struct result_line lines[RESULT_LINES])
{
    const struct scenario *scenario = result->scenario;
    size_t count = 0;

    for (size_t i = 0; i < TALLY_ROOM; i++)
        if (result->tally.entries[i].count != 0)
            seen_line(result, &result->tally.entries[i], &lines[count++]);
    for (size_t i = 0; i < SCENARIO_OUTCOMES && scenario->outcomes[i].text; i++)
        if (!row_is_seen(scenario, &scenario->outcomes[i], &result->tally))
            unseen_line(&scenario->outcomes[i], &lines[count++]);
    qsort(lines, count, sizeof lines[0], by_count);
    return count;
}

bool result_is_exercised(const struct scenario *scenario, const struct tally *tally)
{
    for (size_t i = 0; i < SCENARIO_OUTCOMES && scenario->outcomes[i].text; i++)
        if (scenario->outcomes[i].demand == MUST_OCCUR &&
            !row_is_seen(scenario, &scenario->outcomes[i], tally))
            return false;
    return true;
}

/* ---- the verdict ---- */

static bool is_forbidden(const struct scenario *scenario, uint64_t key)
{
    const struct graded_outcome *row = outcome_row(scenario, outcome_of_key(key));

    return !row || row->grade == FORBIDDEN;
}

bool result_is_settled(const struct result *result)
{
    if (result->failure[0] != '\0' || result->hung || result->sanitizer_reports > 0 ||
        result->broken_count > 0 || result->not_linearizable > 0)
        return true;
    for (size_t i = 0; i < TALLY_ROOM; i++)
        if (result->tally.entries[i].count != 0 &&
            is_forbidden(result->scenario, result->tally.entries[i].key))
            return true;
    return false;
}

/* What is wrong with a line of the table; false: nothing. */
static bool line_complaint(const struct result *result, const struct result_line *line,
                           char *sentence, size_t room)
{
    int width = SCENARIO_TEXT - 1;

    if (line->grade == FORBIDDEN && line->count > 0)
        snprintf(sentence, room, "forbidden, seen %" PRIu64 " times: %.*s", line->count, width,
                 line->outcome);
    else if (line->missing && !result->hung && !result->stopped_early && !result->lenient)
        snprintf(sentence, room, "not exercised, never seen: %.*s", width, line->outcome);
    else
        return false;
    return true;
}

static void complain_of_outcomes(const struct result *result, result_complaint_fn *complain,
                                 void *context)
{
    struct result_line lines[RESULT_LINES];
    size_t count = result_lines(result, lines);
    char sentence[SCENARIO_TEXT + 128];

    for (size_t i = 0; i < count; i++)
        if (line_complaint(result, &lines[i], sentence, sizeof sentence))
            complain(sentence, context);
    if (result->tally.lost > 0)
        complain("too many distinct outcomes to count", context);
}

static void complain_of_histories(const struct result *result, result_complaint_fn *complain,
                                  void *context)
{
    char sentence[128];

    if (result->not_linearizable > 0) {
        snprintf(sentence, sizeof sentence, "histories that are not linearizable: %" PRIu64,
                 result->not_linearizable);
        complain(sentence, context);
    }
    if (result->undecided > 0) {
        snprintf(sentence, sizeof sentence, "histories that are too long to be judged: %" PRIu64,
                 result->undecided);
        complain(sentence, context);
    }
}

void result_complaints(const struct result *result, result_complaint_fn *complain, void *context)
{
    char sentence[128];

    if (result->failure[0] != '\0')
        complain(result->failure, context);
    if (result->hung)
        complain("hung: no actor made progress", context);
    if (result->sanitizer_reports > 0) {
        snprintf(sentence, sizeof sentence, "reports of the sanitizer: %u",
                 result->sanitizer_reports);
        complain(sentence, context);
    }
    if (result->broken_count > 0) {
        snprintf(sentence, sizeof sentence, "invariant %d broken in %" PRIu64 " states",
                 result->broken_invariant, result->broken_count);
        complain(sentence, context);
    }
    complain_of_histories(result, complain, context);
    if (result->set_up_failures > 0)
        complain("a state could not be set up: no memory", context);
    complain_of_outcomes(result, complain, context);
}

static void fail(const char *sentence, void *context)
{
    struct result *result = context;

    (void)sentence;
    result->verdict = FAILED;
}

void result_judge(struct result *result)
{
    bool ran = result->iterations > 0 || !result->stopped_early;

    result->verdict = ran ? PASSED : NOT_RUN;
    result_complaints(result, fail, result);
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"not run", "passed", "failed"};

    return names[verdict];
}
