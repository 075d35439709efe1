/*
 * A result: what one run of one scenario showed, and whether it passed.
 *
 * Every runner fills one in, every report prints it. It passes if it ran, saw each outcome that it
 * must see, and nothing else happened: no forbidden outcome, no broken invariant, no history that
 * is not linearizable, no hang, no report of a sanitizer.
 */
#ifndef HARNESS_SCENARIO_RESULT_H
#define HARNESS_SCENARIO_RESULT_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

#include "harness/scenario/scenario.h"
#include "harness/scenario/tally.h"

enum {
    RESULT_STAGGER = 96, /* bytes that the words for a stagger fit in */
    RESULT_FAILURE = 600,
    RESULT_NOTES = 24 * 1024 /* bytes of stacks and sanitizer reports that are kept */
};

enum verdict {
    NOT_RUN, /* stopped before its turn */
    PASSED,
    FAILED
};

struct result {
    const struct scenario *scenario;
    uint64_t seed;
    uint64_t iterations;
    double seconds;
    struct tally tally;

    char best_stagger[RESULT_STAGGER]; /* how the actors were delayed when the outcomes mixed best,
                                          in words; empty: not known */

    uint64_t broken_count;     /* states whose invariant did not hold */
    int broken_invariant;      /* the number of the first */
    uint64_t not_linearizable; /* histories that the model does not explain */
    uint64_t undecided;        /* histories that were too long for it */
    uint64_t set_up_failures;  /* no memory */
    unsigned sanitizer_reports;
    char failure[RESULT_FAILURE]; /* another reason to fail, which the runner tells; or empty */
    bool hung;
    bool stopped_early; /* by the user, or at a failure: what was not seen is forgiven */
    bool lenient;       /* what was not seen is told, but forgiven */

    enum verdict verdict;
    char notes[RESULT_NOTES]; /* lines of text: stacks of a hang, sanitizer reports, a history */
    size_t notes_length;
};

/* One line of the table of a report. */
struct result_line {
    char outcome[SCENARIO_TEXT];
    uint64_t count;
    double share; /* 0 to 1 */
    enum grade grade;
    const char *why;
    bool demanded; /* it must be seen ... */
    bool missing;  /* ... and was not */
};

enum {
    RESULT_LINES = TALLY_ROOM + SCENARIO_OUTCOMES
};

typedef void result_complaint_fn(const char *sentence, void *context);

/* How many histories were judged badly; the first of them, drawn, becomes a note. */
void result_add_histories(struct result *, uint64_t not_linearizable, uint64_t undecided,
                          const char *first);
void result_fail(struct result *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_note(struct result *, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t result_lines(const struct result *, struct result_line lines[RESULT_LINES]); /* most frequent
                                                                                       first */
bool result_is_exercised(const struct scenario *, const struct tally *); /* all that must be seen
                                                                            was seen */
bool result_is_settled(const struct result *); /* it has failed, whatever may still come */
void result_judge(struct result *);            /* sets the verdict */
/* Each reason why it failed. */
void result_complaints(const struct result *result, result_complaint_fn *complain, void *context);
const char *verdict_name(enum verdict);

#endif
