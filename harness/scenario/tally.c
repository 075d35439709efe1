/*
 * The tally is a small hash table with open addressing. A scenario has a handful of outcomes, so
 * nearly every addition finds its entry at the first look. Three quarters full is full: what comes
 * then is counted as lost, because a scenario with 96 distinct outcomes has an error in its slots
 * and fails anyway.
 */
#include "harness/scenario/tally.h"

#include <string.h>
#include "harness/scenario/unobserved.h"

static const size_t usable = TALLY_ROOM / 4 * 3;

void tally_clear(struct tally *tally)
{
    memset(tally, 0, sizeof *tally);
}

/* The entry of this key, or the free one where it belongs. */
UNOBSERVED static size_t position_of(const struct tally *tally, uint64_t key)
{
    uint64_t spread = key * UINT64_C(0x9E3779B97F4A7C15);
    size_t position = (size_t)(spread >> 32) % TALLY_ROOM;

    while (tally->entries[position].count != 0 && tally->entries[position].key != key)
        position = (position + 1) % TALLY_ROOM;
    return position;
}

UNOBSERVED void tally_add(struct tally *tally, uint64_t key, uint64_t count)
{
    struct tally_entry *entry = &tally->entries[position_of(tally, key)];

    if (entry->count == 0) {
        if (tally->used == usable) {
            tally->lost += count;
            return;
        }
        tally->used++;
        entry->key = key;
    }
    entry->count += count;
    tally->total += count;
}

void tally_merge(struct tally *tally, const struct tally *from)
{
    for (size_t i = 0; i < TALLY_ROOM; i++)
        if (from->entries[i].count != 0)
            tally_add(tally, from->entries[i].key, from->entries[i].count);
    tally->lost += from->lost;
}

uint64_t tally_count(const struct tally *tally, uint64_t key)
{
    return tally->entries[position_of(tally, key)].count;
}
