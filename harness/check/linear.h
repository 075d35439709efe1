/*
 * Linearizability: can a history be explained by doing its calls one after the other?
 *
 * An explanation is an order of the calls in which
 *
 *     - each gives what it gave, if a sequential object (the model) executes them in that order;
 *     - a call that returned before another was made comes before it;
 *     - a call that never returned is there or is not: it may or may not have taken effect.
 *
 * If there is one, nobody who uses the object can tell it from the sequential one; if there is
 * none, somebody can, and the history shows how. (M. Herlihy and J. Wing, 1990.)
 *
 * The model is told one call at a time. Its state is plain bytes: two states are the same if their
 * bytes are, so what is not used is kept zero.
 */
#ifndef HARNESS_CHECK_LINEAR_H
#define HARNESS_CHECK_LINEAR_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

#include "harness/scenario/history.h"

enum {
    LINEAR_STATE = 48,                            /* bytes that a model's state fits in */
    LINEAR_CALLS = HISTORY_LANES * HISTORY_CALLS, /* fewer than 64: a set of calls is a word */
    LINEAR_DEAD_ENDS = 2048,                      /* that are remembered; a power of two */
    LINEAR_STEPS = 1000000,                       /* after which the search gives up */
    LINEAR_WORD = 24                              /* bytes of a text */
};

/* A call in words: "offer 3" and "full". */
struct linear_words {
    char invocation[LINEAR_WORD];
    char response[LINEAR_WORD];
};

struct linear_model {
    const char *name;                         /* "a FIFO queue" */
    size_t state_size;                        /* at most LINEAR_STATE */
    void (*init)(void *state, int parameter); /* the state is zeroed; the parameter is what the
                                                 scenario says: a capacity, for example */
    /* Could it be this call's turn, and give this result? Then its effect on the state; if not, the
       state may be anything. Of a pending call any result is right. A call that would have to wait
       is not in turn. */
    bool (*apply)(void *state, const struct history_call *);
    bool (*accepts_final)(const void *state); /* may a history end like this? NULL: always */
    void (*describe)(const struct history_call *, struct linear_words *);
};

enum linear_verdict {
    LINEARIZABLE,
    NOT_LINEARIZABLE,
    LINEAR_UNDECIDED /* a lane was too short for its calls, or the search too long */
};

/* ---- the search; its insides are its own ---- */

struct linear_state {
    _Alignas(8) unsigned char bytes[LINEAR_STATE];
};

struct linear_position {
    uint64_t done;    /* the calls that have had their turn */
    uint64_t untried; /* those that may be next and were not tried yet */
    unsigned chosen;  /* the one that was tried last */
    struct linear_state state;
};

struct linear_dead_end {
    uint64_t done;
    uint64_t search; /* the number of the search that met it; others' entries are free */
    struct linear_state state;
};

/* The memory that a search needs, to be zeroed once and used again and again. */
struct linear_search {
    const struct linear_model *model;
    uint64_t number; /* of this search */
    unsigned steps;

    unsigned count;                          /* calls ... */
    struct history_call calls[LINEAR_CALLS]; /* ... in the order in which they returned */
    uint64_t before_end[LINEAR_CALLS];       /* for each: those that were made before it returned */
    uint64_t returned;                       /* those that are not pending */

    struct linear_position path[LINEAR_CALLS + 1];
    unsigned best_length;       /* how many calls the best order explains, */
    uint8_t best[LINEAR_CALLS]; /* and which; kept where the search has had to turn back */

    unsigned dead_end_count;
    struct linear_dead_end dead_ends[LINEAR_DEAD_ENDS];
};

enum linear_verdict linear_check(struct linear_search *, const struct linear_model *, int parameter,
                                 const struct history *);
const char *linear_model_flaw(const struct linear_model *); /* how it is badly written, or NULL */

#endif
