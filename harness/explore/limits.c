/* The limits in words. */
#include "harness/explore/limits.h"

#include <stddef.h> /* NULL */

#include "harness/explore/sets.h"

#define MANY_THREADS "link with gp-cc --many-threads"
#define ONE_WORD     (SET_WORDS == 1)

/* A page of the book has them, too (docs/tables). */
static const struct {
    const char *text, *option;
} words[LIMITS] = {
    [LIMIT_OLD_STORES] = {"further old values and places of stores", NULL},
    [LIMIT_MODIFICATION_ORDER] = {"stores that come within a release sequence", NULL},
    [LIMIT_SEQ_CST_ORDER] = {"orders of seq_cst operations that are not the order of execution",
                             "no weaker accesses to the same atomics"},
    [LIMIT_MIXED_SIZES] = {"older stores of a word that atomics of several sizes access", NULL},
    [LIMIT_WIDE] = {"older stores of atomics that have more than eight bytes", NULL},
    [LIMIT_RECORDS] = {"races with accesses whose records were dropped", NULL},
    [LIMIT_PLACES] = {"races of a thread with an earlier one that had its number",
                      ONE_WORD ? "join the earlier one, or " MANY_THREADS : "join the earlier one"},
    [LIMIT_PLAIN] = {"data races and what depends on them", "drop --no-races"},
    [LIMIT_SPINS] = {"rounds of a spin that saw nothing new",
                     "--faults spurious=1,clock=1,cas=1,spins=N"},
    [LIMIT_CHOICES] = {"other choices after the step budget", "--steps N"},
    [LIMIT_PREEMPTIONS] = {"orders with more preemptions", "--bound N"},
    [LIMIT_SEARCH] = {"executions for which the search had no memory", NULL},
    [LIMIT_ASSEMBLY] = {"what assembly does to memory", "use atomics in its place"},
    [LIMIT_STEPS] = {"the rest of an execution after its last step allowed", "--steps N"},
    [LIMIT_THREADS] = {"the rest of an execution that creates too many threads",
                       ONE_WORD ? MANY_THREADS : NULL},
    [LIMIT_MEMORY] = {"the rest of an execution that allocates too much", NULL},
    [LIMIT_TABLES] = {"the rest of an execution that has too many atomics or stores", NULL},
    [LIMIT_CALLS] = {"the rest of an execution after a call that is not controlled", NULL},
    [LIMIT_LOOPS] = {"the rest of an execution after a loop without a step",
                     "put an atomic, a lock or a yield into the loop"},
};

const char *limit_text(enum limit limit)
{
    return words[limit].text;
}

const char *limit_option(enum limit limit)
{
    return words[limit].option;
}
