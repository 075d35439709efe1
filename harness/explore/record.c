/* See record.h. One record for each step; the buffer grows, and only ever outside of fibers' sight:
   its memory is the harness's own. */
#include "harness/explore/record.h"

#include <stdlib.h>

static struct record *records;
static uint32_t count, room;

void record_begin(void)
{
    count = 0;
    machine.recording = true;
}

void record_end(void)
{
    machine.recording = false;
}

static bool make_room(void)
{
    uint32_t larger = room ? 2 * room : 1024;
    struct record *moved = realloc(records, larger * sizeof *records);

    if (!moved)
        return false;
    records = moved;
    room = larger;
    return true;
}

void record_step(unsigned thread)
{
    const struct op *op = &machine.threads[thread].op;

    if (count == room && !make_room())
        return;
    struct record *record = &records[count++];
    *record = (struct record){.thread = (uint8_t)thread, .kind = OP_ADVANCE, .now = machine.now};
    if (thread == CLOCK_THREAD)
        return;
    record->kind = op->kind;
    record->order = op->order;
    record->size = op->size;
    record->pc = op->pc;
    record->object = op->object;
    record->second = op->second;
}

void record_values(uint64_t before, uint64_t after)
{
    if (count == 0)
        return;
    records[count - 1].has_values = true;
    records[count - 1].before = before;
    records[count - 1].after = after;
}

uint32_t record_count(void)
{
    return count;
}

const struct record *record_at(uint32_t index)
{
    return &records[index];
}
