/*
 * What the program's addresses are called in its source: function, file and line, of the inlined
 * functions too, and the text of the line.
 *
 * All that is asked for stays known until the end of the harness; addresses do not change from
 * execution to execution.
 */
#ifndef HARNESS_EXPLORE_SYMBOLS_H
#define HARNESS_EXPLORE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h> /* size_t */

struct frame {
    const char *function;
    const char *path;
    unsigned line; /* 0: unknown */
};

/* Looks up return addresses: the call before each is what counts. What is known already costs
   nothing. */
void symbols_load(const void *const *addresses, size_t count);
/* The frames at an address that was looked up, the innermost first; NULL: nothing is known. */
const struct frame *symbols_at(const void *address, size_t *count);

bool symbols_is_ours(const struct frame *);       /* of the machine, and not of the program */
const char *symbols_file(const struct frame *);   /* its path without the directories */
const char *symbols_source(const struct frame *); /* the text of its line; NULL: not there */

#endif
