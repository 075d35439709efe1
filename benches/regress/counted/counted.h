/*
 * The workloads that are counted in instructions (ci/regress).
 *
 * Rules for a workload. All input is made beforehand, from a fixed seed. Nothing depends on time:
 * what must be due lies in the past, what must not lies hours ahead. The work proper is done by one
 * thread, in one function that is not inlined and whose name begins with `measured_`: callgrind
 * counts what happens between its entry and its return, and nothing else. It may call malloc only
 * where the library does. If there are other threads, they sleep meanwhile and are not woken.
 */
#ifndef BENCHES_REGRESS_COUNTED_COUNTED_H
#define BENCHES_REGRESS_COUNTED_COUNTED_H

#include <stdbool.h>

#include <glasspool/glasspool.h>

#include "benches/random.h"

#define MEASURED __attribute__((noinline)) int

struct workload {
    const char *name;
    bool (*run)(void); /* false: it went wrong */
};

extern const struct workload workloads_queue[], workloads_pool[], workloads_timer[],
    workloads_text[]; /* up to no name */

#endif
