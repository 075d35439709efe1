/*
 * A token: an execution in one printable word.
 *
 *     gpx2:delayed_leader/leads:m0r0e1u0s1000000000b100000v16p1w1n0t0i1j1:EBgB2C:kAdAx...:q7Tz
 *     |    |                    |                                         |      |     check
 *     |    |                    rules                                     |      trail
 *     |    program, as a scenario or a file is called                     deviations
 *     version
 *
 * Rules: memory model, races; early time, reuse, slack, step budget, variants; how many spurious
 * wake-ups, weak-CAS failures, lacks of memory, lacks of threads, impatient spins and jumps of the
 * clock there may be. All of them are always written, so that a token does not depend on what the
 * defaults are.
 *
 * Deviations and the trail are written in base64url. Numbers take five bits per character, the
 * lowest first, with the sixth bit where more follow; deviations are pairs of the distance to the
 * choice before and of what was chosen; the trail begins with the number of steps.
 *
 * The last four characters are a sum of all that is before them: a token that was mistyped or cut
 * is refused. It is not a seal. Whatever passes is checked again by the machine as it is used.
 */
#ifndef HARNESS_EXPLORE_TOKEN_H
#define HARNESS_EXPLORE_TOKEN_H

#include "harness/explore/machine.h"
#include "harness/explore/memory.h"
#include "harness/explore/trail.h"

enum {
    TOKEN_NAME = 160,   /* bytes that the name of a program fits in */
    TOKEN_REASON = 160, /* bytes that the reason for a refusal fits in */
    TOKEN_STEPS = 16 * 1024 * 1024,
    TOKEN_DEVIATIONS = 16 * 1024
};

struct token {
    char program[TOKEN_NAME];
    struct machine_rules rules;
    struct memory_rules memory;
    uint32_t deviation_count;
    struct deviation deviations[TOKEN_DEVIATIONS];
    struct trail trail;
};

/* The last execution of the machine; false: it has too many deviations for a token. */
bool token_of_machine(const char *program, struct token *);
/* NULL: no memory. The caller frees it. */
char *token_write(const struct token *);
/* False: it is not a token, and `reason` says why. */
bool token_read(const char *text, struct token *, char reason[TOKEN_REASON]);
/* Sets the machine's rules as the token has them; false: no memory. */
bool token_set_rules(const struct token *);

#endif
