/*
 * See holds.h. The table is for the wide build.
 *
 *   [HOLDS-1] A row that no lock names is all zero.
 *   [HOLDS-2] Rows that were given back form a list: rows.unused is the first, next[row] follows.
 *             Rows are numbered from 1; 0 is none.
 */
#include "harness/explore/holds.h"

#if SET_WORDS > 1

#include <string.h>

enum {
    ROWS = 1 << 12 /* locks that have readers at the same time */
};

static struct {
    uint32_t used;   /* at some time in this execution */
    uint32_t unused; /* [HOLDS-2] */
    uint32_t next[ROWS + 1];
    uint8_t counts[ROWS + 1][MACHINE_THREADS];
} rows;

/* Where a lock was, something else may be by now: then any row will do. */
static uint8_t *row_of(const struct x_rwlock *lock)
{
    return rows.counts[lock->held % (ROWS + 1)];
}

static uint32_t take_row(void)
{
    uint32_t row = rows.unused;

    if (row != 0) {
        rows.unused = rows.next[row];
        return row;
    }
    if (rows.used == ROWS)
        machine_stop_at(LIMIT_TABLES, "more than %d read-write locks that have readers", ROWS);
    return ++rows.used;
}

static void give_back(struct x_rwlock *lock)
{
    rows.next[lock->held] = rows.unused;
    rows.unused = lock->held;
    lock->held = 0;
}

unsigned holds_of(const struct x_rwlock *lock, unsigned thread)
{
    return lock->readers > 0 ? row_of(lock)[thread] : 0;
}

void holds_add(struct x_rwlock *lock, unsigned thread, int count)
{
    if (lock->readers == 0)
        lock->held = take_row();
    uint8_t *holds = &row_of(lock)[thread];
    *holds = (uint8_t)(*holds + count);
    lock->readers += (uint32_t)count;
    if (lock->readers == 0 && lock->held > 0 && lock->held <= ROWS)
        give_back(lock);
}

void holds_forget(void)
{
    memset(rows.counts, 0, (rows.used + 1) * sizeof rows.counts[0]); /* [HOLDS-1] */
    rows.used = rows.unused = 0;
}

const void *holds_table(size_t *size)
{
    *size = (rows.used + 1) * sizeof rows.counts[0];
    return rows.counts;
}

#endif
