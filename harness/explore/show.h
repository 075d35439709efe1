/* An execution as people get to see it: all of what the files of this folder know, in one call. */
#ifndef HARNESS_EXPLORE_SHOW_H
#define HARNESS_EXPLORE_SHOW_H

#include "harness/explore/campaign.h"
#include "harness/explore/columns.h"
#include "harness/explore/token.h"

/* Shrinks a failure of the program under the machine's present rules, and prints it with its token.
   The story has the program's names; it is recorded afterwards, for trace.h, and its token is good
   until the next is shown. What does not fail alike again is printed as it goes now, with what was
   found. False: no memory. */
bool show_failure(FILE *, struct story *, void (*program)(void *), void *argument, struct failure *,
                  enum columns_extent);
/* Sets the machine's rules as the token has them, and prints the execution that it stands for, or
   where it diverged. False: no memory. */
bool show_token(FILE *, struct story *, void (*program)(void *), void *argument,
                const struct token *, enum columns_extent);
/* NULL: it is none, and that has been said. Good until the next call. */
const struct token *show_read_token(const char *program, const char *text);

/* What else may be wanted of the story that was told last; NULL: not. */
struct show_files {
    const char *chrome, *glasspool; /* paths */
};

bool show_can_write_files(const char *program, const struct show_files *);
/* False: it has said why. */
bool show_write_files(const char *program, const struct show_files *, const struct story *);

/* Replaces this process by a debugger that has it replay the token, with the program's arguments,
   stops at the step and shows where that is. It returns if it cannot, and has said why. */
void show_in_debugger(const char *program, const char *path, const char *given, char **arguments,
                      uint32_t step);

#endif
