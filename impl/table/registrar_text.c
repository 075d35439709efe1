/*
 * The lines of a file:
 *
 *     NAME  cron EXPRESSION   [zone=ZONE] [overlap=once|twice]     # comment
 *     NAME  rate DURATION     [initial=DURATION]
 *     NAME  delay DURATION    [initial=DURATION]
 *     NAME  off
 *
 * Words stand between spaces and tabs. An expression has spaces itself: it goes on to the first
 * word with a = in it, which no expression has. A # begins a comment where a word would begin; in
 * FRI#2 it does not.
 *
 * Lines end in LF or CRLF, the last one also without. A byte order mark in front of the first is
 * what some editors leave there, and is passed over. Columns count bytes: what a line is made of is
 * ASCII.
 *
 *   [LINES-1] Each mistake of a line is told, unless an earlier one makes it impossible to say what
 *             the words after it are meant to be.
 *   [LINES-2] Mistakes are told from the top to the bottom, and from left to right.
 */
#include <string.h>

#include "table/registrar.h"

struct line {
    struct gp__planner *planner;
    struct gp__saying saying;
    const char *begin;
    char *at;  /* what is read next */
    char *end; /* a NUL stands there */
};

static size_t column_of(const struct line *line, const char *at)
{
    return (size_t)(at - line->begin) + 1;
}

static struct gp__place place_of(const struct line *line, const char *at)
{
    struct gp__place place = line->saying.at;
    place.column = column_of(line, at);
    return place;
}

/* Words. */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_word(const char *word, const char *wanted)
{
    return strcmp(word, wanted) == 0;
}

/* NULL: there is none. *end is where it ends. */
static char *next_word(struct line *line, char **end)
{
    char *word = line->at;
    while (is_blank(*word))
        word++;
    line->at = word;
    if (word == line->end || *word == '#')
        return NULL;
    while (line->at < line->end && !is_blank(*line->at))
        line->at++;
    *end = line->at;
    return word;
}

/* So that the word is a text of its own. */
static void cut(struct line *line, char *end)
{
    *end = '\0';
    if (line->at == end && end < line->end)
        line->at++;
}

static char *take_word(struct line *line)
{
    char *end;
    char *word = next_word(line, &end);
    if (word != NULL)
        cut(line, end);
    return word;
}

static bool is_option(const char *word, const char *end)
{
    return memchr(word, '=', (size_t)(end - word)) != NULL;
}

/* Values. */

static void say(struct line *line, enum gp__setting key, const char *name, const char *text)
{
    line->saying.said[key] =
        (struct gp__said){.text = text, .key = name, .at = place_of(line, text)};
}

/* Up to the first option, or the end; NULL: there is nothing. A duration is a single word. */
static char *take_value(struct line *line, bool words)
{
    char *value = NULL;
    char *value_end = NULL;
    char *end;
    for (char *word; (words || value == NULL) && (word = next_word(line, &end)) != NULL;) {
        if (is_option(word, end)) {
            line->at = word;
            break;
        }
        value = value == NULL ? word : value;
        value_end = end;
    }
    if (value != NULL)
        cut(line, value_end);
    return value;
}

static void read_option(struct line *line, char *word)
{
    char *value = strchr(word, '=') + 1;
    struct gp__place place = place_of(line, word);
    value[-1] = '\0';
    enum gp__setting key = is_word(word, "zone")      ? GP__ZONE
                           : is_word(word, "initial") ? GP__INITIAL
                           : is_word(word, "overlap") ? GP__OVERLAP
                                                      : GP__KEYS;
    if (key == GP__KEYS)
        gp__complain(&line->planner->complaints, &place,
                     "\"%s=\" is not known: zone=, initial= and overlap= are", word);
    else if (line->saying.said[key].text != NULL)
        gp__complain(&line->planner->complaints, &place, "%s= is there twice", word);
    else if (*value == '\0')
        gp__complain(&line->planner->complaints, &place, "%s= has no value", word);
    else
        say(line, key, word, value);
}

static void read_options(struct line *line)
{
    char *end;
    for (char *word; (word = next_word(line, &end)) != NULL;) {
        struct gp__place place = place_of(line, word);
        bool option = is_option(word, end);
        cut(line, end);
        if (!option) {
            gp__complain(&line->planner->complaints, &place,
                         "\"%s\" is too much: nothing may follow here but options", word);
            return;
        }
        read_option(line, word);
    }
}

static void read_key_value(struct line *line, enum gp__setting key, const char *name)
{
    struct gp__place place = place_of(line, line->at);
    const char *value = take_value(line, key == GP__CRON);
    if (value == NULL)
        gp__complain(&line->planner->complaints, &place, "%s is missing",
                     key == GP__CRON ? "the cron expression" : "the duration");
    else
        say(line, key, name, value);
    read_options(line);
}

static void read_off(struct line *line)
{
    line->saying.off = true;
    const char *word = take_word(line);
    if (word == NULL)
        return;
    struct gp__place place = place_of(line, word);
    gp__complain(&line->planner->complaints, &place, "\"%s\" is too much: nothing follows off",
                 word);
}

static void read_kind(struct line *line)
{
    struct gp__place place = place_of(line, line->at);
    const char *kind = take_word(line);
    if (kind == NULL) {
        gp__complain(&line->planner->complaints, &place, "cron, rate, delay or off is missing");
        return;
    }
    if (is_word(kind, "cron"))
        read_key_value(line, GP__CRON, "cron");
    else if (is_word(kind, "rate"))
        read_key_value(line, GP__RATE, "rate");
    else if (is_word(kind, "delay"))
        read_key_value(line, GP__DELAY, "delay");
    else if (is_word(kind, "off"))
        read_off(line);
    else { /* [LINES-1]: what follows could be anything */
        place = place_of(line, kind);
        gp__complain(&line->planner->complaints, &place,
                     "\"%s\" is not known: cron, rate, delay and off are", kind);
    }
}

/* Lines. */

/* [LINES-2], for those that one line has added */
static void sort_by_column(gp_registrar_error *errors, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        gp_registrar_error error = errors[i];
        size_t place = i;
        for (; place > 0 && errors[place - 1].column > error.column; place--)
            errors[place] = errors[place - 1];
        errors[place] = error;
    }
}

/* False: it is not a line of text. */
static bool is_text(struct line *line)
{
    size_t length = (size_t)(line->end - line->begin);
    const char *strange = memchr(line->begin, '\0', length);
    const char *what = "there is a NUL byte";
    if (strange == NULL) {
        strange = memchr(line->begin, '\r', length);
        what = "there is a carriage return inside the line";
    }
    if (length > GP__LINE_MAX) {
        struct gp__place place = place_of(line, line->begin + GP__LINE_MAX);
        gp__complain(&line->planner->complaints, &place, "the line has more than %d characters",
                     GP__LINE_MAX);
        return false;
    }
    if (strange == NULL)
        return true;
    struct gp__place place = place_of(line, strange);
    gp__complain(&line->planner->complaints, &place, "%s", what);
    return false;
}

static void read_line(struct line *line, gp__saying_fn *each)
{
    struct gp__complaints *complaints = &line->planner->complaints;
    size_t first = complaints->list.count;
    if (!is_text(line))
        return;
    *line->end = '\0';
    char *name = take_word(line);
    if (name == NULL)
        return;
    line->saying.at.name = name;
    line->saying.at.column = column_of(line, name);
    read_kind(line);
    each(line->planner, &line->saying);
    if (complaints->list.count > first)
        sort_by_column(complaints->list.errors + first, complaints->list.count - first);
}

void gp__read_lines(struct gp__planner *planner, const char *source, char *text, size_t size,
                    gp__saying_fn *each)
{
    char *end = text + size;
    size_t number = 0;
    for (char *at = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
         at < end;) {
        char *feed = memchr(at, '\n', (size_t)(end - at));
        char *next = feed == NULL ? end : feed + 1;
        char *line_end = feed == NULL ? end : feed;
        if (line_end > at && line_end[-1] == '\r')
            line_end--;
        struct line line = {.planner = planner,
                            .saying = {.at = {.source = source, .line = ++number}},
                            .begin = at,
                            .at = at,
                            .end = line_end};
        read_line(&line, each);
        at = next;
    }
}
