/* Could a step have been taken before another that came first? */
#ifndef HARNESS_EXPLORE_REVERSAL_H
#define HARNESS_EXPLORE_REVERSAL_H

#include "harness/explore/past.h"

enum reversal {
    REVERSAL_IMPOSSIBLE,
    REVERSAL_PERHAPS,
    REVERSAL_CERTAIN
};

/* Could the later one, which depends on event number `earlier`, be taken if that, and what
   happened after it, had not been? `later` may be in the past, or be pending. */
enum reversal reversal_of(uint32_t earlier, const struct event *later);

#endif
