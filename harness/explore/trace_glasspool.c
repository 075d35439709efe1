/*
 * See trace.h. Glasspool's own trace:
 *
 *     {"format": "glasspool-trace", "version": 2, "program": ..., "verdict": ..., "token": ...,
 *      "threads": [{"thread": 0, "name": "main"}, ...],
 *      "steps": [{"step": 1, "thread": 0, "kind": "lock", "text": "lock queue.lock",
 *                 "object": "queue.lock", "object_kind": "mutex", "before": "0", "after": "1",
 *                 "time": 0, "function": ..., "file": ..., "line": 12, "woken": [2],
 *                 "at": [7, 16]}, ...],
 *      "probes": [{"step": 1, "thread": 0, "name": "future_state", "arguments": ["future", "1"],
 *                  "at": [[7, 0], null]}],
 *      "writes": [{"step": 1, "thread": 0, "name": "queue.size", "at": [3, 64], "size": 8,
 *                  "words": ["2"], "to": [null], "function": ..., "file": ..., "line": 40}, ...]}
 *
 * Times are virtual nanoseconds since the start; "start" is what the clock showed then. Values are
 * text, as the columns show them: numbers of JSON end at 2 to the 53rd, and pointers have names.
 * "before" and "after" are there of atomics only. The steps of the clock have the thread 63. A
 * probe was passed after its step, and so was a plain write done: to memory that was allocated, of
 * at most two words.
 *
 * "at" says where in the program's memory something lies: in which block, numbered as they are met,
 * and how many bytes into it. So all that is told of one structure can be put together. "to" is the
 * same of a word that points there.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h> /* getcwd */

#include "harness/explore/arena.h"
#include "harness/explore/clock.h"
#include "harness/explore/labels.h"
#include "harness/explore/source_names.h"
#include "harness/explore/trace.h"
#include "harness/report/quote.h"

static void write_member(FILE *file, const char *key, const char *value)
{
    fprintf(file, ", ");
    report_quote_member(file, key, value);
}

/* From the directory that we are in, where the file is below it. */
static const char *relative(const char *path)
{
    char here[1024];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;

    return length > 0 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1
                                                                                 : path;
}

/* ---- places in memory ---- */

enum {
    BLOCKS = 4096 /* those beyond have no number */
};

static const struct arena_block *blocks[BLOCKS];
static unsigned block_count;

static unsigned number_of(const struct arena_block *block)
{
    for (unsigned i = 0; i < block_count; i++)
        if (blocks[i] == block)
            return i;
    if (block_count == BLOCKS)
        return BLOCKS;
    blocks[block_count] = block;
    return block_count++;
}

static void write_at(FILE *file, const void *address)
{
    const struct arena_block *block = arena_has(address) ? arena_block_of(address) : NULL;
    unsigned number = block ? number_of(block) : BLOCKS;

    if (number == BLOCKS)
        fprintf(file, "null");
    else
        fprintf(file, "[%u, %td]", number, (const char *)address - (const char *)(block + 1));
}

/* ---- steps ---- */

static void write_frame(FILE *file, const struct frame *frames, size_t count)
{
    if (count == 0 || symbols_is_ours(frames))
        return;
    write_member(file, "function", frames->function);
    write_member(file, "file", relative(frames->path));
    fprintf(file, ", \"line\": %u", frames->line);
}

static void write_place(FILE *file, uint32_t index)
{
    size_t count;
    const struct frame *frames = story_frames(index, &count);

    write_frame(file, frames, count);
}

static void write_object(FILE *file, uint32_t index)
{
    const struct record *record = record_at(index);
    const char *label = story_object(index);
    enum label_kind kind;
    char value[32];

    if (!label || !labels_kind_of(record->kind, &kind))
        return;
    write_member(file, "object", label);
    write_member(file, "object_kind", label_kind_name(kind));
    if (kind == LABEL_ATOMIC) {
        write_member(file, "before", labels_value(record->before, record->size, value));
        write_member(file, "after", labels_value(record->after, record->size, value));
    }
}

static void write_woken(FILE *file, thread_set woken)
{
    const char *before = ", \"woken\": [";

    if (set_is_empty(woken))
        return;
    for (struct set_walk each = set_walk(woken); set_next(&each);) {
        fprintf(file, "%s%u", before, each.at);
        before = ", ";
    }
    fprintf(file, "]");
}

static void write_step(FILE *file, uint32_t index)
{
    const struct record *record = record_at(index);
    char text[STORY_TEXT];

    fprintf(file, "{\"step\": %" PRIu32 ", \"thread\": %u, \"time\": %" PRId64, index + 1,
            record->thread, record->now - START_OF_TIME);
    write_member(file, "kind", op_name(record->kind));
    story_operation(index, text);
    write_member(file, "text", text);
    write_object(file, index);
    write_place(file, index);
    write_woken(file, record->woken);
    if (record->object && arena_has(record->object)) {
        fprintf(file, ", \"at\": ");
        write_at(file, record->object);
    }
    fprintf(file, "}");
}

static void write_probe(FILE *file, const struct record_probe *probe)
{
    char value[32];

    fprintf(file, "{\"step\": %" PRIu32 ", \"thread\": %u", probe->step, probe->thread);
    write_member(file, "name", probe->name);
    fprintf(file, ", \"arguments\": [");
    for (unsigned i = 0; i < probe->count; i++) {
        fprintf(file, "%s", i ? ", " : "");
        report_quote(file, labels_value(probe->arguments[i], 8, value));
    }
    fprintf(file, "], \"at\": [");
    for (unsigned i = 0; i < probe->count; i++) {
        fprintf(file, "%s", i ? ", " : "");
        write_at(file, (const void *)(uintptr_t)probe->arguments[i]);
    }
    fprintf(file, "]}");
}

static void write_words(FILE *file, const struct record_write *write)
{
    unsigned size = write->size < 8 ? write->size : 8;
    char value[32];

    fprintf(file, ", \"words\": [");
    for (unsigned i = 0; i * 8 < write->size; i++) {
        fprintf(file, "%s", i ? ", " : "");
        report_quote(file, labels_value(write->words[i], size, value));
    }
    fprintf(file, "], \"to\": [");
    for (unsigned i = 0; i * 8 < write->size; i++) {
        fprintf(file, "%s", i ? ", " : "");
        write_at(file, (const void *)(uintptr_t)write->words[i]);
    }
    fprintf(file, "]");
}

static void write_write(FILE *file, const struct record_write *write)
{
    struct record_stack stack = {.count = 1, .frames = {write->pc}};
    char name[SOURCE_NAME];
    size_t count = 0;
    const struct frame *frames = symbols_at(write->pc, &count);

    fprintf(file, "{\"step\": %" PRIu32 ", \"thread\": %u, \"size\": %u, \"at\": ", write->step,
            write->thread, write->size);
    write_at(file, write->address);
    write_words(file, write);
    if (source_name(LABEL_MEMORY, OP_STORE, &stack, name))
        write_member(file, "name", name);
    write_frame(file, frames, count);
    fprintf(file, "}");
}

static void write_thread(FILE *file, const struct story *story, unsigned thread)
{
    fprintf(file, "{\"thread\": %u", thread);
    write_member(file, "name", story_thread(story, thread));
    fprintf(file, "}");
}

void trace_write_glasspool(FILE *file, const struct story *story)
{
    block_count = 0;
    fprintf(file, "{\"format\": \"glasspool-trace\", \"version\": 2");
    write_member(file, "program", story->program);
    write_member(file, "about", story->about ? story->about : "");
    write_member(file, "verdict", verdict_kind_name(story->verdict));
    write_member(file, "message", story->message);
    write_member(file, "token", story->token ? story->token : "");
    fprintf(file, ", \"start\": %" PRId64 ",\n\"threads\": [", (int64_t)START_OF_TIME);
    for (unsigned i = 0; i < machine.count; i++) {
        fprintf(file, "%s\n", i ? "," : "");
        write_thread(file, story, i);
    }
    fprintf(file, "],\n\"steps\": [");
    for (uint32_t i = 0; i < record_count(); i++) {
        fprintf(file, "%s\n", i ? "," : "");
        write_step(file, i);
    }
    fprintf(file, "],\n\"probes\": [");
    for (uint32_t i = 0; i < record_probe_count(); i++) {
        fprintf(file, "%s\n", i ? "," : "");
        write_probe(file, record_probe_at(i));
    }
    fprintf(file, "],\n\"writes\": [");
    for (uint32_t i = 0; i < record_write_count(); i++) {
        fprintf(file, "%s\n", i ? "," : "");
        write_write(file, record_write_at(i));
    }
    fprintf(file, "]}\n");
}
