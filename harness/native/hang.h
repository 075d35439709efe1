/* When standing still is a hang. */
#ifndef HARNESS_NATIVE_HANG_H
#define HARNESS_NATIVE_HANG_H

#include <stdbool.h>

/* How long nothing has moved, and what the process has used of its processors meanwhile. Seconds,
   both of them. */
struct standstill {
    double lasted;
    double used;
};

bool hang_is_likely(const struct standstill *, double limit); /* limit: --hang */

#endif
