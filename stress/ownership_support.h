/*
 * What the races for arguments share: an argument that counts what is done to it, and what became
 * of it, in words.
 *
 * It counts in plain words: if the library orders its runs and its end, as it must, there is no
 * race in here.
 */
#ifndef STRESS_OWNERSHIP_SUPPORT_H
#define STRESS_OWNERSHIP_SUPPORT_H

struct argument {
    int runs;
    int inside;    /* of them, those that are not over */
    int destroyed; /* how often */
    int misused;   /* destroyed while inside, or called when destroyed */
};

void argument_enter(struct argument *); /* a call begins ... */
void argument_leave(struct argument *); /* ... and ends */
void argument_destroy(struct argument *);

/* What became of it, as a value of a slot. */
enum ending {
    NEVER,
    ONCE,
    TWICE,
    TOO_EARLY,
    MISTOLD /* that somebody finds out who knows what its maker was told */
};

#define ENDINGS                                                                        \
    {                                                                                  \
        "never destroyed", "destroyed once", "destroyed twice", "destroyed too early", \
            "of a task whose maker was told something else"                            \
    }

unsigned char argument_ending(const struct argument *); /* an ending */

#endif
