/* What a verdict means in a story: who waits for what and since when, which two accesses race. */
#ifndef HARNESS_EXPLORE_EXPLAIN_H
#define HARNESS_EXPLORE_EXPLAIN_H

#include <stdio.h>

#include "harness/explore/story.h"

void explain_write(FILE *, const struct story *); /* right after story_record */

#endif
