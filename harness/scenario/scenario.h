/*
 * A scenario: one race, written down as data and a few small functions.
 *
 * It has a state, two to six actors that race on it, an arbiter that looks at what they left, and a
 * table of outcomes, each with a grade and the reason for it. An outcome that the table does not
 * have is forbidden. The idea, and the three grades, are those of OpenJDK's jcstress.
 *
 *     choose(state)          alone, before set_up
 *     set_up(state)          alone
 *     actor, actor, ...      at the same time, each once
 *     invariant(state)       alone, after them; a controlled scheduler asks between steps, too
 *     late(state)            only by a controlled scheduler, when nobody can run
 *     arbiter(state)         alone
 *     tear_down(state)       alone
 *
 * Nothing here knows what a thread is. A runner may give each actor a thread of its own, or run all
 * of them as fibers on one, with a clock that it moves by hand. So that both are possible:
 *
 *     - an actor waits through the library under test and in no other way: it neither sleeps nor
 *       spins;
 *     - an actor asks the library for the time, inside the race: a time taken in set_up is stale;
 *     - set-up, arbiter and tear-down may run on any thread, never two of them on the same state;
 *     - no two states share anything.
 *
 * Results. An actor writes small numbers into slots of the outcome, each slot having one writer:
 *
 *     outcome->slot[0] = gp_future_set(...);
 *
 * Eight bytes are one machine word, which can be counted a million times a second. Only the report
 * turns them into words, by the names that the scenario gives to its slots:
 *
 *     .slots = {{"set", {"lost", "won"}}, {"get", {"nothing", "a result"}}}      slot[0] = 1
 *                                                                                slot[1] = 0
 *     is printed, and written in the table, as "set won, get nothing".
 *
 * Likeness. A race that is run once more, on another kind of queue say, names the first scenario
 * and states the difference:
 *
 *     .name = "delayed_lane/leader_outrun", .like = "delayed_leader/leader_outrun",
 *     .attacks = ..., .choose = leader_choose_lane,
 *
 * Each field that it leaves zero is that of the first, except `broken_by`: the mutant of one kind
 * need not break the other. Arrays are replaced as a whole. The first may be like another in turn.
 *
 * Histories. Where it matters who came before whom, actors also record their calls, into a struct
 * history in the state (history.h); the runner then asks a model whether the calls, one after the
 * other in some order, could have given these results. What it cannot explain is a bug, whatever
 * the table says.
 */
#ifndef HARNESS_SCENARIO_H
#define HARNESS_SCENARIO_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

enum {
    SCENARIO_ACTORS = 6,    /* at most */
    SCENARIO_SLOTS = 8,     /* results per outcome: one machine word of bytes */
    SCENARIO_WORDS = 8,     /* names for the values of a slot */
    SCENARIO_OUTCOMES = 24, /* rows of the table */
    SCENARIO_TEXT = 256,    /* bytes that the text of any outcome fits in */
    SCENARIO_TWINS = 256    /* scenarios that are like others */
};

struct outcome {
    unsigned char slot[SCENARIO_SLOTS]; /* zero unless somebody writes it */
};

enum grade {
    ACCEPTABLE,  /* what one expects */
    INTERESTING, /* allowed, and worth knowing that it happens */
    FORBIDDEN    /* a bug */
};

enum demand {
    MAY_OCCUR,
    MUST_OCCUR /* a run that never sees it has not exercised the race, and fails */
};

/* A row of the table. The text names slots and values; a slot that it leaves out may have any
   value, and the first row that fits is the one that counts. Only a forbidden row leaves slots out
   without further ado; any other then ends in ", ...". */
struct graded_outcome {
    const char *text;
    enum grade grade;
    const char *why; /* one sentence */
    enum demand demand;
};

struct scenario_slot {
    const char *name;                  /* NULL: the value alone says it */
    const char *words[SCENARIO_WORDS]; /* by value; a value without a word is printed as a number */
};

struct scenario_actor {
    const char *name; /* a verb, for the report of a hang */
    void (*act)(void *state, struct outcome *outcome);
};

struct scenario_line {
    const char *file;    /* of the library, from the top of the repository */
    const char *pattern; /* text that the line contains, and no other line of the file */
};

struct linear_model; /* harness/check/linear.h */

/* The calls that actors record, and what must be able to explain them. */
struct scenario_history {
    const struct linear_model *model; /* NULL: none are recorded */
    int parameter;                    /* for the model: the capacity of a queue, say */
    size_t offset;                    /* offsetof(struct state, history) */
};

struct scenario {
    const char *name;             /* "family/name", in stress/<family>.c or stress/<family>_*.c */
    const char *like;             /* the name of another scenario, or NULL; see above */
    const char *description;      /* one sentence: what races with what, and what must hold */
    const char *invariants;       /* the numbered invariants at stake: "[FUTURE-1] [FUTURE-4]" */
    struct scenario_line attacks; /* the line that protects them */
    const char *broken_by; /* a mutant of the library, by name, under which it fails: the proof that
                              it can. May be NULL in one that is like another, whose table has been
                              proved */

    size_t state_size;           /* the state arrives zeroed */
    void (*choose)(void *state); /* before set_up: which kind of queue or pool; may be NULL */
    bool (*set_up)(void *state, uint64_t random);  /* false: no memory. May use the random bits */
    struct scenario_actor actors[SCENARIO_ACTORS]; /* the first unnamed one ends them */
    int (*invariant)(void *state); /* 0, or the number of the broken invariant; may be NULL */
    bool (*late)(void *state); /* something is due, and whoever waits for it sleeps; may be NULL */
    void (*arbiter)(void *state, struct outcome *outcome); /* may be NULL */
    void (*tear_down)(void *state);                        /* may be NULL */
    struct scenario_history history;                       /* judged after the arbiter */
    int64_t slack; /* nanoseconds by which the explorer may let time overtake a thread, if a second
                      is too much for what ticks; 0: a second */

    struct scenario_slot slots[SCENARIO_SLOTS];
    struct graded_outcome outcomes[SCENARIO_OUTCOMES]; /* ends at the first without text */
};

/* The scenario `of` on another kind, with no other difference. */
#define SCENARIO_TWIN(of, twin, kind)                  \
    {                                                  \
        .name = (twin), .like = (of), .choose = (kind) \
    }

/* The scenarios of a program: arrays that end with a nameless one, those of a family side by side;
   the list ends with NULL. The harness declares it, the program that links the harness defines
   it. */
extern const struct scenario *const scenario_families[];

typedef void scenario_visit_fn(const struct scenario *, void *context);

/* NULL: all of them. Each is visited with what it has from the one that it is like, and stays where
   it is until the program ends. Not from two threads at the same time. */
void scenario_each(const char *glob, scenario_visit_fn *visit, void *context);
scenario_visit_fn
    scenario_print_break; /* to a FILE: its name, a tab, and its mutant, if it has one */
bool scenario_set_up(const struct scenario *, void *state, uint64_t random); /* choose and set_up */
size_t scenario_actor_count(const struct scenario *);
const char *scenario_flaw(const struct scenario *); /* what is wrong with how it is written, the
                       history apart; NULL: nothing. A runner refuses a flawed one */

/* Outcomes. */

uint64_t outcome_key(const struct outcome *); /* the eight bytes as one number, for counting */
struct outcome outcome_of_key(uint64_t key);
void outcome_text(const struct scenario *, struct outcome, char text[SCENARIO_TEXT]);
const struct graded_outcome *outcome_row(const struct scenario *, struct outcome); /* or NULL */
const char *grade_name(enum grade);

#endif
