/*
 * Drawing histories. A call is a bar from its first stamp to its second:
 *
 *           offer               poll
 *        1  offer 1
 *        2  |                   poll
 *        3  |                   -> empty
 *        4  -> ok
 *        5                      poll
 *                               never returned
 *
 * Lanes without calls are left out. Trailing space is not written: notes end up in reports.
 */
#include "harness/check/drawing.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    WIDTH = 20,             /* of a column */
    CELL = LINEAR_WORD + 4, /* bytes: a word and an arrow */
    FIRST_COLUMN = 9
};

/* A text that grows. */
struct text {
    char *letters;
    size_t room;
    size_t length;
    size_t line; /* where the present line starts */
};

static struct text begin(char *letters, size_t room)
{
    struct text text = {.room = room};

    text.letters = letters;
    return text;
}

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    size_t room = text->room - text->length;
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text->letters + text->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void end_line(struct text *text)
{
    add(text, "\n");
    text->line = text->length;
}

static void write_cell(struct text *text, unsigned column, const char *cell)
{
    size_t used = text->length - text->line, start = FIRST_COLUMN + column * WIDTH;

    if (*cell)
        add(text, "%*s%s", used < start ? (int)(start - used) : 1, "", cell);
}

/* ---- cells ---- */

static const struct history_call *call_at(const struct history_lane *lane, unsigned stamp)
{
    for (unsigned i = 0; i < lane->count && i < HISTORY_CALLS; i++)
        if (lane->calls[i].began <= stamp && stamp <= history_end_of(&lane->calls[i]))
            return &lane->calls[i];
    return NULL;
}

static void describe_cell(const struct linear_model *model, const struct history_call *call,
                          unsigned stamp, char cell[CELL])
{
    struct linear_words words;

    if (!call) {
        cell[0] = '\0';
        return;
    }
    model->describe(call, &words);
    if (call->began == stamp)
        snprintf(cell, CELL, "%s", words.invocation);
    else if (call->ended == stamp)
        snprintf(cell, CELL, "-> %s", words.response);
    else
        snprintf(cell, CELL, "%s", stamp == HISTORY_NEVER ? "never returned" : "|");
}

static void draw_line(struct text *text, const struct history *history,
                      const struct linear_model *model, unsigned stamp)
{
    unsigned column = 0;

    for (unsigned i = 0; i < HISTORY_LANES; i++) {
        const struct history_lane *lane = &history->lanes[i];
        char cell[CELL];
        if (lane->count == 0)
            continue;
        describe_cell(model, call_at(lane, stamp), stamp, cell);
        write_cell(text, column++, cell);
    }
    end_line(text);
}

/* ---- drawings ---- */

static void draw_names(struct text *text, const struct history *history,
                       const char *const names[HISTORY_LANES])
{
    unsigned column = 0;

    for (unsigned i = 0; i < HISTORY_LANES; i++)
        if (history->lanes[i].count > 0)
            write_cell(text, column++, names[i]);
    end_line(text);
}

static bool has_pending(const struct history *history)
{
    for (unsigned i = 0; i < HISTORY_LANES; i++)
        if (call_at(&history->lanes[i], HISTORY_NEVER))
            return true;
    return false;
}

void drawing_of(const struct history *history, const struct linear_model *model,
                const char *const names[HISTORY_LANES], char *text, size_t room)
{
    struct text drawing = begin(text, room);
    unsigned stamps = history->stamps;

    draw_names(&drawing, history, names);
    for (unsigned stamp = 1; stamp <= stamps; stamp++) {
        add(&drawing, "%7u", stamp);
        draw_line(&drawing, history, model, stamp);
    }
    if (has_pending(history))
        draw_line(&drawing, history, model, HISTORY_NEVER);
    for (unsigned i = 0; i < HISTORY_LANES; i++)
        if (history->lanes[i].count > HISTORY_CALLS)
            add(&drawing, "%*sand more calls of %s, for which there was no room\n", FIRST_COLUMN,
                "", names[i]);
}

void drawing_of_best(const struct linear_search *search, char *text, size_t room)
{
    struct text drawing = begin(text, room);

    add(&drawing, "The longest order that fits has %u of %u calls:", search->best_length,
        search->count);
    for (unsigned i = 0; i < search->best_length; i++) {
        const struct history_call *call = &search->calls[search->best[i]];
        struct linear_words words;
        search->model->describe(call, &words);
        add(&drawing, "%s %s -> %s", i ? "," : "", words.invocation,
            history_is_pending(call) ? "?" : words.response);
    }
    end_line(&drawing);
}
