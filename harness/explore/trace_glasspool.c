/*
 * See trace.h. Glasspool's own trace:
 *
 *     {"format": "glasspool-trace", "version": 1, "program": ..., "verdict": ..., "token": ...,
 *      "threads": [{"thread": 0, "name": "main"}, ...],
 *      "steps": [{"step": 1, "thread": 0, "kind": "lock", "text": "lock queue.lock",
 *                 "object": "queue.lock", "object_kind": "mutex", "before": "0", "after": "1",
 *                 "time": 0, "function": ..., "file": ..., "line": 12, "woken": [2]}, ...],
 *      "probes": [{"step": 1, "thread": 0, "name": "future_state", "arguments": ["future", "1"]}]}
 *
 * Times are virtual nanoseconds since the start. Values are text, as the columns show them: numbers
 * of JSON end at 2 to the 53rd, and pointers have names. "before" and "after" are there of atomics
 * only. The steps of the clock have the thread 63. A probe was passed after its step.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h> /* getcwd */

#include "harness/explore/clock.h"
#include "harness/explore/labels.h"
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

static void write_place(FILE *file, uint32_t index)
{
    size_t count;
    const struct frame *frames = story_frames(index, &count);

    if (count == 0 || symbols_is_ours(frames))
        return;
    write_member(file, "function", frames->function);
    write_member(file, "file", relative(frames->path));
    fprintf(file, ", \"line\": %u", frames->line);
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

    if (woken == 0)
        return;
    for (; woken != 0; woken &= woken - 1) {
        fprintf(file, "%s%d", before, __builtin_ctzll(woken));
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
    fprintf(file, "]}");
}

static void write_thread(FILE *file, const struct story *story, unsigned thread)
{
    fprintf(file, "{\"thread\": %u", thread);
    write_member(file, "name", story_thread(story, thread));
    fprintf(file, "}");
}

void trace_write_glasspool(FILE *file, const struct story *story)
{
    fprintf(file, "{\"format\": \"glasspool-trace\", \"version\": 1");
    write_member(file, "program", story->program);
    write_member(file, "about", story->about ? story->about : "");
    write_member(file, "verdict", verdict_kind_name(story->verdict));
    write_member(file, "message", story->message);
    write_member(file, "token", story->token ? story->token : "");
    fprintf(file, ",\n\"threads\": [");
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
    fprintf(file, "]}\n");
}
