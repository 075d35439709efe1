/*
 * Litmus tests as data: a few threads with a handful of atomic accesses each, whose outcomes tell
 * one memory model from another. One notation feeds the explored program
 * (programs_litmus_table.c), the axioms (rc11.c) and the enumeration of interleavings
 * (interleavings.c).
 *
 *      x=1 F y | y=1 F x : x y
 *
 *      x           loads; what it finds is the test's next result, as it is of all that read
 *      x=1         stores 1
 *      x+1         adds 1, in one step
 *      x~1         exchanges for 1
 *      x?0:1       compares with 0 and, if equal, stores 1
 *      F           a fence
 *      (1)         ends the thread unless the last value that it read is 1
 *      |           the next thread
 *      : x y       what these hold in the end is part of the outcome
 *
 * Locations are w, x, y and z; all hold 0 at first. Behind an access or a fence stands its order,
 * as in x=1.rel, F.sc or, for a compare-and-exchange that fails in another order, x?0:1.sc.rlx:
 * one of rlx, acq, rel, ar, sc. Where there is none, the variant decides.
 *
 * An outcome is what was read, thread by thread, and what the named locations hold in the end: one
 * digit each, from 0 to 9 and then from a on; - stands for a load that was not reached.
 */
#ifndef HARNESS_EXPLORE_TEST_LITMUS_H
#define HARNESS_EXPLORE_TEST_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LITMUS_THREADS = 4,
    LITMUS_OPS = 20, /* of a thread */
    LITMUS_LOCATIONS = 4,
    LITMUS_RESULTS = 8,     /* of a test: one for each digit of its outcomes */
    LITMUS_OUTCOMES = 1024, /* of a test */
    LITMUS_NOTHING = 31,    /* for the value of a load that was not reached */
    LITMUS_TEXT = LITMUS_OUTCOMES * (LITMUS_RESULTS + 1)
};

enum litmus_kind {
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_ADD,
    LITMUS_EXCHANGE,
    LITMUS_CAS,
    LITMUS_FENCE,
    LITMUS_END_UNLESS
};

struct litmus_op {
    enum litmus_kind kind;
    int order;   /* as in the compiler's __ATOMIC_... */
    int failure; /* of a compare-and-exchange that fails */
    unsigned location;
    unsigned value;
    unsigned expected; /* by a compare-and-exchange */
    int result;        /* place of what it reads among the results; -1: it does not read */
};

struct litmus {
    unsigned threads;
    unsigned lengths[LITMUS_THREADS];
    struct litmus_op ops[LITMUS_THREADS][LITMUS_OPS];
    unsigned results;                     /* digits of an outcome */
    unsigned observed;                    /* the last of these are locations' ... */
    unsigned locations[LITMUS_LOCATIONS]; /* ... namely theirs */
};

/* ---- variants ---- */

enum litmus_variant {
    LITMUS_RLX, /* all accesses relaxed, no fences */
    LITMUS_RA,  /* loads acquire, stores release, read-modify-writes do both; no fences */
    LITMUS_SC,  /* all accesses seq_cst, no fences */
    LITMUS_FRA, /* all accesses relaxed, fences acq_rel */
    LITMUS_FSC, /* all accesses relaxed, fences seq_cst */
    LITMUS_VARIANTS,
    LITMUS_WRITTEN = LITMUS_VARIANTS /* as the text says; without order: relaxed */
};

const char *litmus_variant_name(enum litmus_variant);
bool litmus_parse(const char *text, enum litmus_variant, struct litmus *); /* false: nonsense */

/* ---- outcomes ---- */

typedef uint64_t litmus_outcome; /* its digits, the first one the most significant */

/* Sorted. */
struct litmus_set {
    unsigned count;
    litmus_outcome outcomes[LITMUS_OUTCOMES];
};

litmus_outcome litmus_pack(const struct litmus *, const unsigned *results);
bool litmus_has(const struct litmus_set *, litmus_outcome);
bool litmus_add(struct litmus_set *, litmus_outcome); /* false: no room */
void litmus_subtract(struct litmus_set *from, const struct litmus_set *);
void litmus_tell(const struct litmus *, const struct litmus_set *, char text[LITMUS_TEXT]);
bool litmus_read(const struct litmus *, const char *text, struct litmus_set *); /* adds to it */

/* ---- the table ---- */

struct litmus_row {
    const char *name;     /* NULL ends the table */
    const char *text;     /* */
    const char *outcome;  /* the one that the test is about */
    const char *verdicts; /* of the literature on it: A allowed, F forbidden; one for each variant,
                             or one alone if it is LITMUS_WRITTEN */
    const char *source;   /* of the test or the verdict: litmus_table.c says what is what */
};

enum litmus_reason {
    REASON_SEQ_CST_ORDER,    /* its order of seq_cst operations is not an order of execution */
    REASON_RELEASE_SEQUENCE, /* in its modification order a store comes within one */
    REASON_C11_SEQUENCE,     /* C11 has release sequences that others' stores end, RC11 not */
    LITMUS_REASONS
};

/* Outcomes that RC11 allows and the explorer does not see; or, for the last reason, the other
   way round. */
struct litmus_exception {
    const char *name; /* of a row that is LITMUS_WRITTEN; NULL ends the table */
    const char *outcomes;
    enum litmus_reason reason;
};

extern const struct litmus_row litmus_rows[];
extern const struct litmus_exception litmus_exceptions[];

/* ---- the references ---- */

/* Which stores belong to a release sequence: in RC11, also later ones of its thread; in C11, these
   unless a store of another thread comes in between. */
enum release_sequence {
    SEQUENCE_RC11,
    SEQUENCE_C11,
    SEQUENCES
};

struct rc11_outcomes {
    struct litmus_set allowed;
    struct litmus_set forwards; /* of these: by an execution that can be run in an order which is
                                   one for its seq_cst operations, too */
    uint64_t executions;        /* that are consistent */
};

bool rc11_outcomes(const struct litmus *, enum release_sequence, struct rc11_outcomes *);
bool interleavings(const struct litmus *, struct litmus_set *); /* false: no room */

/* ---- the explored program ---- */

extern struct litmus litmus_test; /* what it runs; the harness's own */

void program_litmus(void);

#endif
