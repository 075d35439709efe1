/* What each step does, for those who want to see it: filled in only while machine.recording. */
#ifndef HARNESS_EXPLORE_RECORD_H
#define HARNESS_EXPLORE_RECORD_H

#include <stdint.h>

#include "harness/explore/machine.h"

struct record {
    uint8_t thread; /* or CLOCK_THREAD */
    uint8_t kind;
    uint8_t order, size;
    bool has_values;
    int64_t now;
    const void *pc, *object, *second;
    uint64_t before, after; /* of an atomic; of others `after` is what the call returned */
};

void record_step(unsigned thread); /* begins the record of this step */
void record_values(uint64_t before, uint64_t after);

#define RECORD(before, after)                                     \
    do {                                                          \
        if (machine.recording)                                    \
            record_values((uint64_t)(before), (uint64_t)(after)); \
    } while (0)

void record_begin(void); /* from now on; forgets what was recorded */
void record_end(void);
uint32_t record_count(void);
const struct record *record_at(uint32_t index);

#endif
