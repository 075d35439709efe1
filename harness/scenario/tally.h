/*
 * A tally: how often each outcome was seen. Adding to it neither allocates nor locks, so that it
 * can be done between two iterations of a race. Each thread counts in a tally of its own.
 */
#ifndef HARNESS_SCENARIO_TALLY_H
#define HARNESS_SCENARIO_TALLY_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

enum {
    TALLY_ROOM = 128 /* distinct outcomes; a power of two */
};

struct tally_entry {
    uint64_t key;   /* outcome_key() */
    uint64_t count; /* 0: the entry is free */
};

struct tally {
    struct tally_entry entries[TALLY_ROOM];
    uint64_t total;
    uint64_t lost; /* outcomes for which there was no entry left; none may be trusted then */
    size_t used;
};

void tally_clear(struct tally *);
void tally_add(struct tally *, uint64_t key, uint64_t count);
void tally_merge(struct tally *, const struct tally *from);
uint64_t tally_count(const struct tally *, uint64_t key);

#endif
