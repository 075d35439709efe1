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
 * passed, a row that is at fault has an arrow, and one that comes from a line that was to be marked
 * a double arrow. What is left out, since it is much, and not what it is about: steps on objects
 * that no other thread touches, and the rounds of a loop after the third.
 *
 * Of many threads only some have a column of their own: those that a detector reports, and those
 * that took the last steps. All others share the last column.
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
    WIDTH = 100,    /* of a page */
    TEXT_ROOM = 40, /* what the last column has at least */
    WIDEST = 30,    /* a column needs no more */
    PLACE_ROOM = 20,
    HEAD_STEPS = 150, /* of an execution that is longer than both, these are shown */
    TAIL_STEPS = 30,
    CONTINUED = 4,      /* the indent of a text that goes on */
    LONGEST_ROUND = 12, /* steps of a loop that is taken for one */
    ROUNDS_SHOWN = 3,
    MOST_LANES = 12
};

struct layout {
    FILE *file;
    const struct story *story;
    enum columns_extent extent;
    uint32_t first, end;         /* the steps that are shown */
    uint32_t gap_from, gap_to;   /* but for these */
    int lanes[CLOCK_THREAD + 1]; /* of each thread, where its column is; -1: it has none */
    unsigned count;              /* of lanes */
    unsigned sharing;            /* threads that have the last lane together */
    int width, stride;
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
    if (machine.stuck)
        layout->first = begin_of_deadlock(layout->first);
    while (layout->end > layout->first && is_alone(layout->end - 1))
        layout->end--;
    if (is_last_at_fault(layout->story->verdict))
        layout->end = count;
    layout->gap_from = layout->gap_to = layout->end;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The threads that have a column of their own, among all that are shown. */
static thread_set choose_own(const struct layout *layout, unsigned all)
{
    thread_set own = set_none();
    unsigned most = all <= MOST_LANES ? MOST_LANES : MOST_LANES - 1;

    for (unsigned i = 0; i < layout->access_count; i++)
        set_add(&own, layout->accesses[i].thread);
    for (uint32_t i = layout->end; i-- > layout->first && set_count(own) < most;)
        set_add_if(record_at(i)->thread != CLOCK_THREAD, &own, record_at(i)->thread);
    return own;
}

static void place_lanes(struct layout *layout)
{
    thread_set all = set_none();

    for (uint32_t i = layout->first; i < layout->end; i++)
        set_add_if(record_at(i)->thread != CLOCK_THREAD, &all, record_at(i)->thread);
    for (unsigned i = 0; i < layout->access_count; i++)
        set_add(&all, layout->accesses[i].thread);
    thread_set own = choose_own(layout, set_count(all));
    layout->sharing = set_count(set_minus(all, own));
    for (int i = 0; i <= CLOCK_THREAD; i++)
        layout->lanes[i] = set_has(own, (unsigned)i) ? (int)layout->count++ : -1;
    for (struct set_walk each = set_walk(set_minus(all, own)); set_next(&each);)
        layout->lanes[each.at] = (int)layout->count;
    layout->count += layout->sharing > 0;
}

static bool has_own_lane(const struct layout *layout, unsigned thread)
{
    int shared = layout->sharing > 0 ? (int)layout->count - 1 : -1;

    return layout->lanes[thread] >= 0 && layout->lanes[thread] != shared;
}

static void measure_margin(struct layout *layout)
{
    char text[STORY_TEXT], time[STORY_TIME];

    layout->time_width = (int)strlen("time");
    layout->place_width = (int)strlen("source");
    for (uint32_t i = layout->first; i < layout->end; i++) {
        const struct record *record = record_at(i);
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
}

static int margin(const struct layout *layout)
{
    return 3 + 4 + 2 + layout->time_width + 2 + layout->place_width + 2;
}

static void place_columns(struct layout *layout)
{
    int room = layout->width - margin(layout) - TEXT_ROOM, columns = (int)layout->count - 1;

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

/* As much of a text as fits, up to a space if it does not fit whole. */
static int fitting(const char *text, int room)
{
    int length = (int)strlen(text), cut = larger(room, 2 * CONTINUED);

    if (length <= cut)
        return length;
    while (cut > CONTINUED && text[cut] != ' ')
        cut--;
    return cut > CONTINUED ? cut : larger(room, 2 * CONTINUED);
}

/* Its text up to where the page ends; how much that was. */
static int write_line(struct layout *layout, const struct row *row)
{
    int lane = row->thread == CLOCK_THREAD ? 0 : layout->lanes[row->thread], at = 0;
    char step[16] = "";

    if (row->step > 0)
        snprintf(step, sizeof step, "%" PRIu32, row->step);
    fprintf(layout->file, "%-3s%4s  %*s  %-*s  ", row->mark, step, layout->time_width, row->time,
            layout->place_width, ending(row->place, layout->place_width));
    if (row->thread != CLOCK_THREAD)
        at = write_bars(layout, 0, 0, lane);
    int start = lane * layout->stride;
    int length = fitting(row->text, layout->width - margin(layout) - start);
    fprintf(layout->file, "%*s%.*s", start - at, "", length, row->text);
    write_bars(layout, start + length, lane + 1, (int)layout->count);
    fputc('\n', layout->file);
    return length;
}

/* What does not fit goes on below. */
static void write_row(struct layout *layout, const struct row *row)
{
    const char *rest = row->text + write_line(layout, row);
    char text[STORY_TEXT + CONTINUED];
    struct row next = {.thread = row->thread, .mark = "", .time = "", .place = "", .text = text};

    while (*(rest += strspn(rest, " "))) {
        snprintf(text, sizeof text, "%*s%s", CONTINUED, "", rest);
        rest += write_line(layout, &next) - CONTINUED;
    }
}

/* For the name of a thread, over its column. */
static int room_for_name(const struct layout *layout, unsigned thread)
{
    if (layout->lanes[thread] + 1 == (int)layout->count)
        return TEXT_ROOM;
    return layout->stride > 3 ? layout->stride - 3 : 0;
}

/* What the columns before have left no room for stays away. */
static int write_head(struct layout *layout, int at, int lane, const char *text)
{
    int column = lane * layout->stride;

    if (at > 0 && column <= at)
        return at;
    return at + fprintf(layout->file, "%*s%s", column - at, "", text);
}

static void write_heading(struct layout *layout)
{
    char text[16 + TEXT_ROOM];
    int at = 0;

    fprintf(layout->file, "%7s  %*s  %-*s  ", "step", layout->time_width, "time",
            layout->place_width, "source");
    for (unsigned thread = 0; thread < MACHINE_THREADS; thread++) {
        if (!has_own_lane(layout, thread))
            continue;
        int room = room_for_name(layout, thread);
        snprintf(text, sizeof text, "%u%s%.*s", thread, room > 0 ? " " : "", room,
                 story_thread(layout->story, thread));
        at = write_head(layout, at, layout->lanes[thread], text);
    }
    if (layout->sharing > 0)
        fprintf(layout->file, "%*sothers",
                larger(1, ((int)layout->count - 1) * layout->stride - at), "");
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
    if (!machine.stuck)
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
    int before = margin(layout) + layout->lanes[record->thread] * layout->stride;
    int room = layout->width - before - 5;
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

/* A step from a line that is to be marked, unless the thread was there at its last step, too. */
static bool comes_to_mark(const struct layout *layout, uint32_t index)
{
    uint32_t before = index;

    if (!story_is_at_mark(layout->story, &record_at(index)->stack))
        return false;
    while (before > 0 && record_at(before - 1)->thread != record_at(index)->thread)
        before--;
    return before == 0 || !story_is_at_mark(layout->story, &record_at(before - 1)->stack);
}

static const char *mark_of(const struct layout *layout, uint32_t index)
{
    if (is_marked(layout, index))
        return "-->";
    return comes_to_mark(layout, index) ? "==>" : "";
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
                                    .mark = mark_of(layout, index),
                                    .time = same_time ? "" : story_time(record->now, time),
                                    .place = place,
                                    .text = text});
}

/* A plain access that a detector has reported, after the step that it came after. */
static void write_access(struct layout *layout, const struct record_access *access)
{
    char text[STORY_TEXT], place[STORY_TEXT];

    story_place(&access->stack, place);
    bool whole = access->flags & (ACCESS_FREES | ACCESS_ALLOCATES);
    snprintf(text, sizeof text, "%s %s%s", story_access(access), whole ? "the block of " : "",
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

/* The first plain access after the step that comes from a line that is to be marked. */
static const struct record_access *marked_access(const struct story *story, uint32_t step)
{
    uint32_t count = story->marks ? record_access_count() : 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct record_access *access = record_access_at(i);
        if (access->step == step && !(access->flags & ACCESS_ATOMIC) &&
            story_is_at_mark(story, &access->stack))
            return access;
    }
    return NULL;
}

/* Unless the step comes from there itself. */
static void write_marks_after(struct layout *layout, uint32_t step)
{
    const struct record_access *access = marked_access(layout->story, step);
    char text[STORY_TEXT + 16], calls[STORY_TEXT], place[STORY_TEXT];

    if (!access || story_is_at_mark(layout->story, &record_at(step - 1)->stack))
        return;
    story_place(&access->stack, place);
    story_calls(&access->stack, 1, calls);
    snprintf(text, sizeof text, "%s in %s", story_access(access), calls);
    write_row(
        layout,
        &(struct row){
            .thread = access->thread, .mark = "==>", .time = "", .place = place, .text = text});
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
    return !*mark_of(layout, index);
}

static bool is_same_place(uint32_t one, uint32_t other)
{
    const struct record *a = record_at(one), *b = record_at(other);

    return a->thread == b->thread && a->kind == b->kind && a->stack.count > 0 &&
           b->stack.count > 0 && a->stack.frames[0] == b->stack.frames[0];
}

/* Do the steps up to this one go round, each being where the one so many before it was? */
static bool goes_round(const struct layout *layout, uint32_t index, uint32_t length)
{
    uint32_t shown = ROUNDS_SHOWN * length;

    if (index < layout->first + shown + length)
        return false;
    for (uint32_t i = 0; i < shown; i++)
        if (!is_same_place(index - i, index - i - length))
            return false;
    return true;
}

static bool has_probe(uint32_t step)
{
    for (uint32_t i = 0; i < record_probe_count(); i++)
        if (record_probe_at(i)->step == step)
            return true;
    return false;
}

/* One more round of a loop, in which nothing of note happens. */
static bool is_repetition(const struct layout *layout, uint32_t index)
{
    if (layout->extent == COLUMNS_ALL || *mark_of(layout, index) || has_probe(index + 1))
        return false;
    for (uint32_t length = 1; length <= LONGEST_ROUND; length++)
        if (goes_round(layout, index, length))
            return true;
    return false;
}

static bool is_hidden(const struct layout *layout, uint32_t index)
{
    return is_repetition(layout, index) || is_private(layout, index);
}

/* Of an execution that is still too long, the middle. */
static void choose_gap(struct layout *layout)
{
    uint32_t from = layout->first, to = layout->end;

    if (layout->extent == COLUMNS_ALL)
        return;
    for (uint32_t shown = 0; from < layout->end && shown < HEAD_STEPS; from++)
        shown += !is_hidden(layout, from);
    for (uint32_t shown = 0; to > from && shown < TAIL_STEPS; shown += !is_hidden(layout, to))
        to--;
    layout->gap_from = to > from ? from : layout->end;
    layout->gap_to = to > from ? to : layout->end;
}

/* The rounds of a loop that are left out; the step after them. */
static uint32_t skip_rounds(struct layout *layout, uint32_t index)
{
    uint32_t end = index;

    while (end < layout->end && end != layout->gap_from && is_repetition(layout, end))
        end++;
    if (end > index)
        fprintf(layout->file, "%7s  steps %u to %u, round and round\n", "...", index + 1, end);
    return end;
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
        i = skip_rounds(layout, i);
        if (i == layout->end)
            break;
        if (i == layout->gap_from) {
            i--;
            continue;
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
        write_marks_after(layout, i + 1);
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

    if (op->kind == OP_WAKE || op->kind == OP_JOIN || !has_own_lane(layout, thread))
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
    for (unsigned i = 0; machine.stuck && i < machine.count; i++)
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

/* Who is who, if the heads of the columns have no room for that. */
static void write_names(const struct layout *layout)
{
    char text[MOST_LANES * STORY_TEXT] = "";
    size_t length = 0;
    bool whole = layout->sharing == 0;

    for (unsigned thread = 0; thread < MACHINE_THREADS; thread++) {
        if (!has_own_lane(layout, thread))
            continue;
        const char *name = story_thread(layout->story, thread);
        whole = whole && (int)strlen(name) <= room_for_name(layout, thread);
        if (length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%u %s",
                                       length > 0 ? "; " : "", thread, name);
    }
    if (layout->sharing > 0 && length < sizeof text)
        snprintf(text + length, sizeof text - length, "; and %u others, in the last column",
                 layout->sharing);
    if (!whole)
        write_wrapped(layout->file, "threads", text);
}

static void write_header(const struct layout *layout)
{
    FILE *file = layout->file;
    const struct story *story = layout->story;
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
    write_names(layout);
    if (story->token)
        write_token(file, story);
    fputc('\n', file);
}

void columns_write(FILE *file, const struct story *story, enum columns_extent extent)
{
    struct layout layout = {.file = file,
                            .story = story,
                            .extent = extent,
                            .width = story->width > 0 ? story->width : WIDTH};

    while (layout.access_count < 2 &&
           record_conflict(layout.access_count, &layout.accesses[layout.access_count]))
        layout.access_count++;
    choose_extent(&layout);
    choose_gap(&layout);
    measure_margin(&layout);
    place_lanes(&layout);
    place_columns(&layout);
    write_header(&layout);
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
