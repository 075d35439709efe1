/* Crashes of explored programs, and loops that never come back: verdicts, like all others. */
#ifndef HARNESS_EXPLORE_CRASH_H
#define HARNESS_EXPLORE_CRASH_H

#include <stdbool.h>

bool crash_watch(void);          /* from now on, on this thread; false: the system refuses */
void crash_begin(void);          /* of an execution: none yet */
const void *crash_culprit(void); /* where in the program it was; NULL: nowhere, or none was */

#endif
