/* An execution as people get to see it: all of what the files of this folder know, in one call. */
#ifndef HARNESS_EXPLORE_SHOW_H
#define HARNESS_EXPLORE_SHOW_H

#include "harness/explore/campaign.h"
#include "harness/explore/columns.h"
#include "harness/explore/token.h"

/* Shrinks a failure of the program under the machine's present rules, and prints it with its token.
   The story has the program's names; it is recorded afterwards, for trace.h. False: it does not
   fail again, or there is no memory. */
bool show_failure(FILE *, struct story *, void (*program)(void *), void *argument, struct failure *,
                  enum columns_extent);
/* Sets the machine's rules as the token has them, and prints the execution that it stands for, or
   where it diverged. False: no memory. */
bool show_token(FILE *, struct story *, void (*program)(void *), void *argument,
                const struct token *, enum columns_extent);

#endif
