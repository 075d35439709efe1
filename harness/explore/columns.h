/* The printed story of an execution: a row for each step, a column for each thread. */
#ifndef HARNESS_EXPLORE_COLUMNS_H
#define HARNESS_EXPLORE_COLUMNS_H

#include <stdio.h>

#include "harness/explore/story.h"

enum columns_extent {
    COLUMNS_RACE, /* not what thread 0 does alone, not what no other thread touches */
    COLUMNS_ALL
};

void columns_write(FILE *, const struct story *, enum columns_extent);

#endif
