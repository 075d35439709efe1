/* Crashes of explored programs: a verdict, like all others. */
#ifndef HARNESS_EXPLORE_CRASH_H
#define HARNESS_EXPLORE_CRASH_H

#include <stdbool.h>

bool crash_watch(void); /* from now on, on this thread; false: the system refuses */

#endif
