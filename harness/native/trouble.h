/*
 * Trouble that no table of outcomes can hold: reports of a sanitizer, and crashes. Both are charged
 * to the scenario that ran.
 */
#ifndef HARNESS_NATIVE_TROUBLE_H
#define HARNESS_NATIVE_TROUBLE_H

#include "harness/scenario/result.h"

void trouble_end(void);                 /* all is collected: if the process now dies, then of what
                                           comes later, which is shown */
void trouble_watch(bool until_failure); /* once, before the first scenario */
void trouble_concerns(struct result *); /* from now on, on this thread; NULL: nobody */
void trouble_collect(struct result *);  /* what was reported against it becomes its notes */
void trouble_collect_unclaimed(struct result *); /* what no thread of a team has reported */
void trouble_leaves_threads(void); /* a team was given up: nobody joins its threads, and no more
                                      is to be said about that */
bool trouble_was_reported(const struct result *); /* anything that these two would collect */

#endif
