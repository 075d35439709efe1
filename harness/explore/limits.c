/* The limits in words. */
#include "harness/explore/limits.h"

#include <stddef.h> /* NULL */

#include "harness/explore/sets.h"

#define MORE_THREADS (SET_WORDS == 1 ? "link with gp-cc --many-threads" : NULL)

static const struct {
    const char *text, *option;
} words[LIMITS] = {
    [LIMIT_STALE_READS] = {"further reads of a store that was overtaken", NULL},
    [LIMIT_MODIFICATION_ORDER] = {"stores that come within a release sequence", NULL},
    [LIMIT_SEQ_CST_ORDER] = {"orders of seq_cst operations that are not the order of execution",
                             NULL},
    [LIMIT_MIXED_SIZES] = {"older stores of a word that atomics of several sizes access", NULL},
    [LIMIT_WIDE] = {"older stores of atomics that have more than eight bytes", NULL},
    [LIMIT_RECORDS] = {"races with accesses whose records were dropped", NULL},
    [LIMIT_PLACES] = {"races of a thread with an earlier one that had its number", MORE_THREADS},
    [LIMIT_PLAIN] = {"the order of plain accesses", "drop --no-races"},
    [LIMIT_SPINS] = {"rounds of a spin that saw nothing new", "--faults spins=N"},
    [LIMIT_CHOICES] = {"other choices after the step budget", "--steps N"},
    [LIMIT_PREEMPTIONS] = {"orders with more preemptions", "--bound N"},
    [LIMIT_SEARCH] = {"what the search had no memory for", NULL},
    [LIMIT_STEPS] = {"all that comes after the last step allowed", "--steps N"},
    [LIMIT_THREADS] = {"all that comes after one thread too many", MORE_THREADS},
    [LIMIT_MEMORY] = {"all that comes after an allocation for which there is no room", NULL},
    [LIMIT_TABLES] = {"all that comes after one atomic or store too many", NULL},
    [LIMIT_CALLS] = {"all that comes after a call that the explorer does not control", NULL},
    [LIMIT_LOOPS] = {"all that comes after a loop without a step", NULL},
    [LIMIT_ASSEMBLY] = {"what assembly does to memory", "compile without --allow-assembly"},
};

const char *limit_text(enum limit limit)
{
    return words[limit].text;
}

const char *limit_option(enum limit limit)
{
    return words[limit].option;
}
