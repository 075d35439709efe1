/*
 * See columns.h. It looks like this:
 *
 *       step  time  source         1 take                      2 offer
 *        ...  steps 1 to 4, of thread 0 alone
 *          5     0                 [1] take begins             |
 *                                  [1] gp_queue_take > delayed_take_until
 *          6        delayed.c:268  lock base.lock              |
 *          7                       |                           [2] offer begins
 *
 * A row has one thread's step and nothing else, so a text may run on over the columns to its right:
 * with many threads the columns stand closer and the texts stay whole. Every turn of another thread
 * begins with a line that says in which functions it is. A line with a star is a probe that was
 * passed, and a row that is at fault has an arrow. Steps on objects that no other thread touches
 * are left out: they are many, and not what it is about.
 *
 * Rejected: a cell for each thread, cut to its width, which left a dozen letters for four threads;
 * and colours, which do not survive being pasted into a report.
 */
#include "harness/explore/columns.h"

#include <inttypes.h>
#include <string.h>

#include "harness/explore/explain.h"
#include "harness/explore/labels.h"
#include "harness/explore/objects.h"
#include "harness/explore/shrink.h"

enum {
    WIDTH = 100,
    TEXT_ROOM = 40, /* what the last column has at least */
    WIDEST = 30,    /* a column needs no more */
    PLACE_ROOM = 20,
    HEAD_STEPS = 150, /* of an execution that is longer than both, these are shown */
    TAIL_STEPS = 30
};

struct layout {
    FILE *file;
    const struct story *story;
    enum columns_extent extent;
    uint32_t first, end;         /* the steps that are shown */
    uint32_t gap_from, gap_to;   /* but for these */
    int lanes[CLOCK_THREAD + 1]; /* of each thread, where its column is; -1: it has none */
    unsigned count;
    int stride;
    int time_width, place_width;
    uint32_t hidden;       /* steps */
    unsigned access_count; /* that a detector has reported */
    struct record_access accesses[2];
};

/* ---- what is shown, and where ---- */

static bool is_alone(uint32_t index)
{
    return record_at(index)->thread == 0 || record_at(index)->thread == CLOCK_THREAD;
}

/* Other verdicts are about the whole. */
static bool is_last_at_fault(enum verdict_kind verdict)
{
    return verdict != ENDED_WELL && verdict != ENDED_FORBIDDEN && verdict != ENDED_FOUND &&
           verdict != ENDED_BROKEN && verdict != ENDED_NOT_LINEARIZABLE && verdict != ENDED_LEAK &&
           verdict != ENDED_CUT;
}

/* Thread 0 may be one of those who cannot go on, by what it did alone: from the first lock that it
   still has, or from its last step, that is shown. */
static uint32_t begin_of_deadlock(uint32_t first)
{
    const struct op *op = &machine.threads[0].op;
    uint32_t begin = first;

    if (!machine.threads[0].alive || op->kind == OP_JOIN)
        return first;
    for (uint32_t i = first; i-- > 0;) {
        const struct record *record = record_at(i);
        const struct x_mutex *mutex = record->object;
        if (record->thread == 0 &&
            (begin == first || (record->kind == OP_LOCK && mutex->owner == 1)))
            begin = i;
    }
    return begin;
}

/* What thread 0 does alone at the beginning and at the end. Its last step stays if that is where
   the execution failed. */
static void choose_extent(struct layout *layout)
{
    uint32_t count = record_count();
    layout->first = 0;
    layout->end = layout->gap_from = layout->gap_to = count;
    if (layout->extent == COLUMNS_ALL)
        return;
    while (layout->first < count && is_alone(layout->first))
        layout->first++;
    if (layout->first == count)
        layout->first = 0;
    if (layout->story->verdict == ENDED_DEADLOCK)
        layout->first = begin_of_deadlock(layout->first);
    while (layout->end > layout->first && is_alone(layout->end - 1))
        layout->end--;
    if (is_last_at_fault(layout->story->verdict))
        layout->end = count;
    layout->gap_from = layout->gap_to = layout->end;
    if (layout->end - layout->first > HEAD_STEPS + TAIL_STEPS) {
        layout->gap_from = layout->first + HEAD_STEPS;
        layout->gap_to = layout->end - TAIL_STEPS;
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void place_lanes(struct layout *layout)
{
    char text[STORY_TEXT], time[STORY_TIME];

    layout->time_width = (int)strlen("time");
    layout->place_width = (int)strlen("source");
    for (int i = 0; i <= CLOCK_THREAD; i++)
        layout->lanes[i] = -1;
    for (uint32_t i = layout->first; i < layout->end; i++) {
        const struct record *record = record_at(i);
        if (record->thread != CLOCK_THREAD)
            layout->lanes[record->thread] = 0;
        story_place(&record->stack, text);
        layout->place_width = larger(layout->place_width, (int)strlen(text));
        layout->time_width = larger(layout->time_width, (int)strlen(story_time(record->now, time)));
    }
    for (unsigned i = 0; i < layout->access_count; i++) {
        story_place(&layout->accesses[i].stack, text);
        layout->place_width = larger(layout->place_width, (int)strlen(text));
    }
    if (layout->place_width > PLACE_ROOM)
        layout->place_width = PLACE_ROOM;
    for (int i = 0; i <= CLOCK_THREAD; i++)
        if (layout->lanes[i] == 0)
            layout->lanes[i] = (int)layout->count++;
}

static int margin(const struct layout *layout)
{
    return 3 + 4 + 2 + layout->time_width + 2 + layout->place_width + 2;
}

static void place_columns(struct layout *layout)
{
    int room = WIDTH - margin(layout) - TEXT_ROOM, columns = (int)layout->count - 1;

    layout->stride = columns > 0 ? room / columns : 0;
    if (layout->stride > WIDEST)
        layout->stride = WIDEST;
    if (layout->stride < 2)
        layout->stride = 2;
}

/* ---- rows ---- */

struct row {
    uint32_t step; /* 0: none */
    unsigned thread;
    const char *mark, *time, *place, *text;
};

/* The bars of the columns from `from` to before `to`. */
static int write_bars(struct layout *layout, int at, int from, int to)
{
    for (int lane = from; lane < to; lane++) {
        int column = lane * layout->stride;
        if (column <= at && at > 0)
            continue;
        fprintf(layout->file, "%*s|", column - at, "");
        at = column + 1;
    }
    return at;
}

/* As much of the end of the text as fits. */
static const char *ending(const char *text, int room)
{
    int length = (int)strlen(text);

    return length > room ? text + (length - room) : text;
}

static void write_row(struct layout *layout, const struct row *row)
{
    int lane = row->thread == CLOCK_THREAD ? 0 : layout->lanes[row->thread], at = 0;
    char step[16] = "";

    if (row->step > 0)
        snprintf(step, sizeof step, "%" PRIu32, row->step);
    fprintf(layout->file, "%-3s%4s  %*s  %-*s  ", row->mark, step, layout->time_width, row->time,
            layout->place_width, ending(row->place, layout->place_width));
    if (row->thread != CLOCK_THREAD)
        at = write_bars(layout, 0, 0, lane);
    int start = lane * layout->stride, room = WIDTH - margin(layout) - start;
    fprintf(layout->file, "%*s%.*s", start - at, "", room, row->text);
    write_bars(layout, start + (int)strlen(row->text), lane + 1, (int)layout->count);
    fputc('\n', layout->file);
}

static void write_heading(struct layout *layout)
{
    int at = 0;

    fprintf(layout->file, "%7s  %*s  %-*s  ", "step", layout->time_width, "time",
            layout->place_width, "source");
    for (unsigned thread = 0; thread < MACHINE_THREADS; thread++) {
        if (layout->lanes[thread] < 0)
            continue;
        int column = layout->lanes[thread] * layout->stride;
        int room = layout->stride > 3 ? layout->stride - 3 : 1;
        if (layout->lanes[thread] + 1 == (int)layout->count)
            room = TEXT_ROOM;
        at += fprintf(layout->file, "%*s%u %.*s", column - at, "", thread, room,
                      story_thread(layout->story, thread));
    }
    fputc('\n', layout->file);
}

static void write_fold(struct layout *layout, uint32_t from, uint32_t to)
{
    bool alone = true;

    for (uint32_t i = from; i < to && alone; i++)
        alone = is_alone(i);
    if (to > from)
        fprintf(layout->file, "%7s  steps %u to %u%s\n", "...", from + 1, to,
                alone ? ", of thread 0 alone" : "");
}

/* ---- steps ---- */

static bool is_reported(const struct layout *layout, uint32_t step)
{
    for (unsigned i = 0; i < layout->access_count; i++)
        if (layout->accesses[i].step == step && (layout->accesses[i].flags & ACCESS_ATOMIC))
            return true;
    return false;
}

/* A step that a detector reports; a wait that never ends; or the last step of all, if it is at
   fault. */
static bool is_marked(const struct layout *layout, uint32_t index)
{
    const struct record *record = record_at(index);
    enum verdict_kind verdict = layout->story->verdict;

    if (!is_last_at_fault(verdict))
        return false;
    if (layout->access_count > 0)
        return is_reported(layout, index + 1);
    if (verdict != ENDED_DEADLOCK)
        return index + 1 == record_count();
    if (record->thread == CLOCK_THREAD || !machine.threads[record->thread].alive ||
        machine.threads[record->thread].op.kind != OP_WAKE)
        return false;
    for (uint32_t i = index + 1; i < record_count(); i++)
        if (record_at(i)->thread == record->thread)
            return false;
    return true;
}

static void write_note(struct layout *layout, unsigned thread, const char *text)
{
    write_row(layout,
              &(struct row){.thread = thread, .mark = "", .time = "", .place = "", .text = text});
}

/* The functions that a thread is in as its turn begins, as many of the innermost as fit. */
static void write_calls(struct layout *layout, uint32_t index, bool after_begin)
{
    const struct record *record = record_at(index);
    int room = WIDTH - margin(layout) - layout->lanes[record->thread] * layout->stride - 5;
    char calls[STORY_TEXT], text[STORY_TEXT + 16];

    for (unsigned most = 5; most > 0; most--) {
        story_calls(&record->stack, most, calls);
        if ((int)strlen(calls) <= room)
            break;
    }
    snprintf(text, sizeof text, "[%u] %s", record->thread, calls);
    if (!after_begin || strcmp(calls, story_thread(layout->story, record->thread)) != 0)
        write_note(layout, record->thread, text);
}

/* The probes that the thread passed after its step. */
static void write_probes(struct layout *layout, uint32_t step)
{
    char text[STORY_TEXT];

    for (uint32_t i = 0; i < record_probe_count(); i++)
        if (record_probe_at(i)->step == step) {
            story_probe(record_probe_at(i), text);
            write_note(layout, record_probe_at(i)->thread, text);
        }
}

static void write_step(struct layout *layout, uint32_t index)
{
    const struct record *record = record_at(index);
    char text[STORY_TEXT], place[STORY_TEXT], time[STORY_TIME];
    bool same_time = index > layout->first && record_at(index - 1)->now == record->now;

    story_operation(index, text);
    if (record->kind == OP_BEGIN)
        snprintf(text, sizeof text, "[%u] %s begins", record->thread,
                 story_thread(layout->story, record->thread));
    story_place(&record->stack, place);
    write_row(layout, &(struct row){.step = index + 1,
                                    .thread = record->thread,
                                    .mark = is_marked(layout, index) ? "-->" : "",
                                    .time = same_time ? "" : story_time(record->now, time),
                                    .place = place,
                                    .text = text});
}

/* A plain access that a detector has reported, after the step that it came after. */
static void write_access(struct layout *layout, const struct record_access *access)
{
    char text[STORY_TEXT], place[STORY_TEXT];

    story_place(&access->stack, place);
    snprintf(text, sizeof text, "%s %s", story_access(access),
             labels_of(LABEL_MEMORY, machine.address));
    write_row(
        layout,
        &(struct row){
            .thread = access->thread, .mark = "-->", .time = "", .place = place, .text = text});
}

static void write_accesses_after(struct layout *layout, uint32_t step)
{
    for (unsigned i = 0; i < layout->access_count; i++)
        if (layout->accesses[i].step == step && !(layout->accesses[i].flags & ACCESS_ATOMIC))
            write_access(layout, &layout->accesses[i]);
}

/* Whether the step is about something that no other thread touches in what is shown, or would touch
   next. */
static bool is_private(const struct layout *layout, uint32_t index)
{
    const struct record *record = record_at(index);

    if (record->kind >= OP_WAIT && record->kind <= OP_BROADCAST)
        return false;
    if (layout->extent == COLUMNS_ALL || !story_object(index))
        return false;
    for (uint32_t i = layout->first; i < layout->end; i++)
        if (record_at(i)->object == record->object && record_at(i)->thread != record->thread)
            return false;
    for (unsigned i = 0; i < machine.count; i++)
        if (machine.threads[i].alive && machine.threads[i].op.object == record->object)
            return false;
    return !is_marked(layout, index);
}

static void write_steps(struct layout *layout)
{
    unsigned last = CLOCK_THREAD;
    bool began = false; /* the last step of a thread was its first */

    for (uint32_t i = layout->first; i < layout->end; i++) {
        if (i == layout->gap_from) {
            write_fold(layout, i, layout->gap_to);
            i = layout->gap_to;
        }
        unsigned thread = record_at(i)->thread;
        bool hidden = is_private(layout, i);
        layout->hidden += hidden;
        bool begins = record_at(i)->kind == OP_BEGIN;
        if (!hidden && thread != CLOCK_THREAD) {
            if (!begins && (thread != last || began))
                write_calls(layout, i, began);
            last = thread;
            began = begins;
        }
        if (!hidden)
            write_step(layout, i);
        write_probes(layout, i + 1);
        write_accesses_after(layout, i + 1);
    }
}

/* What a thread would do next, if it ever could. Waits have been told, and whoever waits for the
   end of another is not at fault. */
static void write_stuck(struct layout *layout, unsigned thread)
{
    const struct op *op = &machine.threads[thread].op;
    struct record_stack stack = {.count = 1, .frames = {op->pc}};
    char text[STORY_TEXT], place[STORY_TEXT];
    enum label_kind kind;

    if (op->kind == OP_WAKE || op->kind == OP_JOIN || layout->lanes[thread] < 0)
        return;
    story_place(&stack, place);
    snprintf(text, sizeof text, "%s %s: never", op_name(op->kind),
             labels_kind_of(op->kind, &kind) ? labels_of(kind, op->object) : "");
    write_row(
        layout,
        &(struct row){.thread = thread, .mark = "-->", .time = "", .place = place, .text = text});
}

static void write_all_stuck(struct layout *layout)
{
    for (unsigned i = 0; layout->story->verdict == ENDED_DEADLOCK && i < machine.count; i++)
        if (machine.threads[i].alive)
            write_stuck(layout, i);
}

/* ---- the whole ---- */

/* Words, broken at the edge of the page. */
static void write_wrapped(FILE *file, const char *title, const char *text)
{
    enum {
        INDENT = 14
    };
    int at = fprintf(file, "    %-*s", INDENT - 4, title);

    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > INDENT && at + 1 + length > WIDTH)
            at = fprintf(file, "\n%*s", INDENT, "") - 1;
        at += fprintf(file, "%s%.*s", at > INDENT ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

/* In one line, however long: it is there to be copied. */
static void write_token(FILE *file, const struct story *story)
{
    if (story->command)
        fprintf(file, "    once more %s%s%s\n", story->command, story->token,
                story->arguments ? story->arguments : "");
    else
        fprintf(file, "    token     %s\n", story->token);
}

static void write_header(FILE *file, const struct story *story)
{
    uint32_t switches = shrink_size_of_machine().switches;

    fprintf(file, "%s: %s, after %u step%s and %u context switch%s\n", story->program,
            verdict_kind_name(story->verdict), record_count(), record_count() == 1 ? "" : "s",
            switches, switches == 1 ? "" : "es");
    if (story->about)
        write_wrapped(file, "expected", story->about);
    if (story->message[0])
        write_wrapped(file, "happened", story->message);
    if (story->found[0]) {
        write_wrapped(file, "at first", story->found);
        write_wrapped(file, "beware",
                      "the two differ, although all choices were the same: the program depends on "
                      "something else, such as memory that it has not written, or that belonged to "
                      "a function that has returned");
    }
    if (story->token)
        write_token(file, story);
    fputc('\n', file);
}

void columns_write(FILE *file, const struct story *story, enum columns_extent extent)
{
    struct layout layout = {.file = file, .story = story, .extent = extent};

    while (layout.access_count < 2 &&
           record_conflict(layout.access_count, &layout.accesses[layout.access_count]))
        layout.access_count++;
    choose_extent(&layout);
    place_lanes(&layout);
    place_columns(&layout);
    write_header(file, story);
    write_heading(&layout);
    write_fold(&layout, 0, layout.first);
    write_steps(&layout);
    write_all_stuck(&layout);
    write_fold(&layout, layout.end, record_count());
    if (layout.hidden > 0)
        fprintf(file, "%7s  and %u step%s on what no other thread touches\n", "...", layout.hidden,
                layout.hidden == 1 ? "" : "s");
    fputc('\n', file);
    explain_write(file, story);
}
