/*
 * See trace.h. Slices of one track must not overlap in part, so what a thread waits for is on its
 * own track, where nothing else happens meanwhile, and what it holds is an asynchronous event,
 * which may overlap as it likes.
 */
#include <inttypes.h>

#include "harness/explore/labels.h"
#include "harness/explore/trace.h"
#include "harness/report/quote.h"

struct chrome {
    FILE *file;
    const struct story *story;
    uint32_t events, arrows;
};

/* The beginning of an event: what all of them have. `at` is in steps. */
static void begin_event(struct chrome *chrome, const char *phase, const char *category,
                        const char *name, unsigned thread, double at)
{
    fprintf(chrome->file, "%s\n{\"ph\": \"%s\", \"pid\": 1, \"tid\": %u, \"ts\": %.1f, ",
            chrome->events++ ? "," : "", phase, thread, at);
    report_quote_member(chrome->file, "cat", category);
    fprintf(chrome->file, ", ");
    report_quote_member(chrome->file, "name", name);
}

static void end_event(struct chrome *chrome)
{
    fprintf(chrome->file, "}");
}

/* ---- tracks ---- */

static void write_track(struct chrome *chrome, unsigned thread, const char *name)
{
    char text[STORY_TEXT];

    if (thread == CLOCK_THREAD)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%u %s", thread, name);
    begin_event(chrome, "M", "", "thread_name", thread, 0);
    fprintf(chrome->file, ", \"args\": {");
    report_quote_member(chrome->file, "name", text);
    fprintf(chrome->file, "}");
    end_event(chrome);
}

static void write_tracks(struct chrome *chrome)
{
    for (unsigned i = 0; i < machine.count; i++)
        write_track(chrome, i, story_thread(chrome->story, i));
    write_track(chrome, CLOCK_THREAD, "clock");
}

/* ---- slices ---- */

static void write_step(struct chrome *chrome, uint32_t index)
{
    const struct record *record = record_at(index);
    char text[STORY_TEXT], time[STORY_TIME];

    story_operation(index, text);
    begin_event(chrome, "X", "step", text, record->thread, index);
    fprintf(chrome->file, ", \"dur\": 1, \"args\": {\"step\": %" PRIu32 ", ", index + 1);
    report_quote_member(chrome->file, "virtual time", story_time(record->now, time));
    story_place(&record->stack, text);
    fprintf(chrome->file, ", ");
    report_quote_member(chrome->file, "source", text);
    story_calls(&record->stack, RECORD_FRAMES, text);
    fprintf(chrome->file, ", ");
    report_quote_member(chrome->file, "calls", text);
    fprintf(chrome->file, "}");
    end_event(chrome);
}

/* The next step of a thread; at the end: the number of steps. */
static uint32_t next_of(unsigned thread, uint32_t index)
{
    do
        index++;
    while (index < record_count() && record_at(index)->thread != thread);
    return index;
}

static void write_wait(struct chrome *chrome, uint32_t index)
{
    const struct record *record = record_at(index);
    uint32_t back = next_of(record->thread, index);
    char text[STORY_TEXT];

    if (record->kind != OP_WAIT || back == index + 1)
        return;
    snprintf(text, sizeof text, "waits on %s", story_object(index));
    begin_event(chrome, "X", "wait", text, record->thread, index + 1);
    fprintf(chrome->file, ", \"dur\": %" PRIu32, back - index - 1);
    end_event(chrome);
}

/* ---- mutexes ---- */

/* The mutex that a step has from then on; NULL: none. */
static const void *taken_by(const struct record *record)
{
    if (record->kind == OP_WAKE)
        return record->second;
    bool locks = record->kind >= OP_LOCK && record->kind <= OP_TRYLOCK && record->after == 0;
    return locks ? record->object : NULL;
}

static const void *given_up_by(const struct record *record)
{
    if (record->kind == OP_WAIT)
        return record->second;
    return record->kind == OP_UNLOCK ? record->object : NULL;
}

static void write_hold(struct chrome *chrome, uint32_t from)
{
    const struct record *record = record_at(from);
    const void *mutex = taken_by(record);
    uint32_t to = from;

    if (!mutex)
        return;
    do
        to = next_of(record->thread, to);
    while (to < record_count() && given_up_by(record_at(to)) != mutex);
    const char *label = labels_of(LABEL_MUTEX, mutex);
    for (int i = 0; i < 2; i++) {
        begin_event(chrome, i ? "e" : "b", "mutex", label, record->thread,
                    i ? (double)to + 0.9 : (double)from);
        fprintf(chrome->file, ", \"id\": \"%" PRIu32 "\"", from);
        end_event(chrome);
    }
}

/* ---- arrows ---- */

static void write_arrow(struct chrome *chrome, const char *name, uint32_t from, uint32_t to)
{
    if (to >= record_count())
        return;
    begin_event(chrome, "s", "order", name, record_at(from)->thread, from + 0.5);
    fprintf(chrome->file, ", \"id\": %" PRIu32, ++chrome->arrows);
    end_event(chrome);
    begin_event(chrome, "f", "order", name, record_at(to)->thread, to + 0.5);
    fprintf(chrome->file, ", \"id\": %" PRIu32 ", \"bp\": \"e\"", chrome->arrows);
    end_event(chrome);
}

static void write_arrows_of_signal(struct chrome *chrome, uint32_t index)
{
    const struct record *record = record_at(index);

    for (struct set_walk each = set_walk(record->woken); set_next(&each);)
        write_arrow(chrome, op_name(record->kind), index, next_of(each.at, index));
}

/* To whoever takes the mutex next, if that is another thread. */
static void write_arrow_of_unlock(struct chrome *chrome, uint32_t index)
{
    const void *mutex = given_up_by(record_at(index));
    uint32_t to = index + 1;

    if (!mutex)
        return;
    while (to < record_count() && taken_by(record_at(to)) != mutex)
        to++;
    if (to < record_count() && record_at(to)->thread != record_at(index)->thread)
        write_arrow(chrome, "unlock", index, to);
}

static void write_arrow_of_create(struct chrome *chrome, uint32_t index)
{
    const struct record *record = record_at(index);

    if (record->kind == OP_CREATE && record->after == 0)
        write_arrow(chrome, "create", index, next_of((unsigned)record->before, index));
}

void trace_write_chrome(FILE *file, const struct story *story)
{
    struct chrome chrome = {.file = file, .story = story};

    fprintf(file, "{\"displayTimeUnit\": \"ns\", \"otherData\": {");
    report_quote_member(file, "program", story->program);
    fprintf(file, ", ");
    report_quote_member(file, "verdict", verdict_kind_name(story->verdict));
    fprintf(file, ", ");
    report_quote_member(file, "message", story->message);
    fprintf(file, ", ");
    report_quote_member(file, "token", story->token ? story->token : "");
    fprintf(file, "}, \"traceEvents\": [");
    write_tracks(&chrome);
    for (uint32_t i = 0; i < record_count(); i++) {
        write_step(&chrome, i);
        write_wait(&chrome, i);
        write_hold(&chrome, i);
        write_arrows_of_signal(&chrome, i);
        write_arrow_of_unlock(&chrome, i);
        write_arrow_of_create(&chrome, i);
    }
    fprintf(file, "\n]}\n");
}
