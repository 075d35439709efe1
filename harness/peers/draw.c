/*
 * Drawing questions.
 *
 * A field is a star, a number, a range, one of these with a step, or a list of them. Months and
 * weekdays have names at times, in any case. The weights are such that matches lie seconds, days or
 * years ahead: with every field drawn alike nearly all expressions would match within the hour.
 *
 * What the two sides understand differently is drawn seldom or not at all, and has rules (rules.c)
 * and cases of its own:
 *
 *   - a range of weekdays that ends with the name SUN, which is 0 to both peers and so inverted:
 *     not at all, as 7 is always a number here;
 *   - steps from a star in the day field, which Spring 4.3 counts from 0: not to Spring, who gets
 *     1/n instead;
 *   - a question whose second is between two of the expression, not to Spring but one in a hundred:
 *     it goes to the later of the two, and keeps that when it moves on to another minute;
 *   - a narrow choice of days together with one of weekdays, two in a hundred: Friday the 13th
 *     may be more than a year away, and Spring gives up before;
 *   - days from the 29th on alone, one in twenty: cron-parser refuses what never comes;
 *   - for cron-parser no list in which a value is there twice, which it refuses, and no list of
 *     weekdays with # or L, which it has alone only.
 *
 * A wrong expression has a number that is too large, a range that is inverted, or a step of zero:
 * what all agree to refuse.
 */
#include "harness/peers/draw.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

struct field {
    unsigned low, high;
    const char *names; /* three letters each, from low on */
    unsigned star;     /* how often it is one, in percent */
};

enum {
    SECOND,
    MINUTE,
    HOUR,
    DAY,
    MONTH,
    WEEKDAY,
    FIELDS
};

static const struct field fields[FIELDS] = {
    [SECOND] = {0, 59, NULL, 10},
    [MINUTE] = {0, 59, NULL, 25},
    [HOUR] = {0, 23, NULL, 35},
    [DAY] = {1, 31, NULL, 50},
    [MONTH] = {1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", 60},
    [WEEKDAY] = {0, 7, "SUNMONTUEWEDTHUFRISAT", 50},
};

/* An expression that grows. */
struct text {
    char *letters;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    size_t room = EXPRESSION_ROOM - text->length;
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text->letters + text->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* ---- chance ---- */

static uint64_t word(struct draw *draw) /* splitmix64 */
{
    uint64_t mixed = draw->state += 0x9E3779B97F4A7C15U;

    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
}

unsigned draw_below(struct draw *draw, unsigned limit)
{
    return (unsigned)(word(draw) % limit);
}

bool draw_percent(struct draw *draw, unsigned percent)
{
    return draw_below(draw, 100) < percent;
}

static unsigned between(struct draw *draw, unsigned low, unsigned high)
{
    return low + draw_below(draw, high - low + 1);
}

/* ---- fields ---- */

/* The weekday 7 has no name: SUN is 0. */
static void add_value(struct draw *draw, struct text *text, const struct field *field,
                      unsigned value)
{
    bool lower = draw_percent(draw, 30);
    bool is_seven = field == &fields[WEEKDAY] && value == field->high;

    if (!field->names || draw_percent(draw, 50) || is_seven) {
        add(text, "%u", value);
        return;
    }
    size_t index = 3 * (size_t)(value - field->low);
    for (size_t i = index; i < index + 3; i++)
        add(text, "%c", lower ? tolower(field->names[i]) : field->names[i]);
}

enum kind {
    ONE,
    RANGE,
    STAR,
    FROM
};

/* What a list consists of: from, to, every so many. */
struct item {
    enum kind kind;
    unsigned low, high, step;
};

static struct item draw_item(struct draw *draw, const struct field *field)
{
    unsigned kind = draw_below(draw, 100), most = (field->high - field->low) / 2;
    struct item item = {.low = between(draw, field->low, field->high), .step = 1};

    item.kind = kind < 55 ? ONE : kind < 85 ? RANGE : kind < 93 ? STAR : FROM;
    item.high = item.kind == ONE ? item.low : field->high;
    if (item.kind == RANGE)
        item.high = between(draw, item.low, field->high);
    if (item.kind == STAR)
        item.low = field->low;
    if (item.kind == STAR && field == &fields[DAY] && draw->peer->days_from_zero)
        item.kind = FROM;
    if (item.kind != ONE && kind >= 75)
        item.step = between(draw, 1, draw_percent(draw, 80) ? most : field->high);
    return item;
}

/* The values as bits; 7 is the same weekday as 0. */
static uint64_t values_of(const struct item *item, const struct field *field)
{
    uint64_t values = 0;

    for (unsigned value = item->low; value <= item->high; value += item->step)
        values |= UINT64_C(1) << (field == &fields[WEEKDAY] ? value % 7 : value);
    return values;
}

static void add_item(struct draw *draw, struct text *text, const struct field *field,
                     const struct item *item)
{
    if (item->kind == STAR)
        add(text, "*");
    else
        add_value(draw, text, field, item->low);
    if (item->kind == RANGE) {
        add(text, "-");
        add_value(draw, text, field, item->high);
    }
    if (item->step > 1 || item->kind == FROM || item->kind == STAR)
        add(text, "/%u", item->step);
}

/* Returns the values of the list. */
static uint64_t add_list(struct draw *draw, struct text *text, const struct field *field)
{
    unsigned count = draw_percent(draw, 70) ? 1 : between(draw, 2, 4);
    uint64_t values = 0;

    for (unsigned i = 0; i < count; i++) {
        struct item item = draw_item(draw, field);
        if (i > 0 && draw->peer->disjoint && (values & values_of(&item, field)))
            continue;
        add(text, "%s", i > 0 ? "," : "");
        add_item(draw, text, field, &item);
        values |= values_of(&item, field);
    }
    return values;
}

/* With few exceptions such as February has. */
static void add_days(struct draw *draw, struct text *text)
{
    const uint64_t in_february = (UINT64_C(1) << 29) - 1;
    size_t start = text->length;

    while (!(add_list(draw, text, &fields[DAY]) & in_february) && !draw_percent(draw, 5))
        text->length = start;
}

/* More than a week of a month: has every weekday, so that both are soon met. */
static void add_week(struct draw *draw, struct text *text)
{
    unsigned low = between(draw, 1, 22);

    add(text, "%u-%u", low, between(draw, low + 6, 31));
}

static void add_wrong(struct draw *draw, struct text *text, const struct field *field)
{
    switch (draw_below(draw, 3)) {
    case 0:
        add(text, "%u", field->high + 1 + draw_below(draw, 100));
        break;
    case 1:
        add(text, "%u-%u", field->high - 1, field->low + 1);
        break;
    default:
        add(text, "%u/0", field->low);
    }
}

/* L and dL, and d#n. */
static void add_last(struct draw *draw, struct text *text, const struct field *field)
{
    if (field == &fields[DAY])
        add(text, "L");
    else if (draw_percent(draw, 50))
        add(text, "%uL", between(draw, field->low, field->high));
    else
        add(text, "%u#%u", between(draw, field->low, field->high), between(draw, 1, 5));
}

/* ---- expressions ---- */

/* Neither, one, or both are restricted. */
static void choose_stars(struct draw *draw, bool star[FIELDS])
{
    for (unsigned i = 0; i < FIELDS; i++)
        star[i] = draw_percent(draw, fields[i].star);
    if (!draw->peer->both_days && !star[DAY] && !star[WEEKDAY])
        star[draw_percent(draw, 50) ? DAY : WEEKDAY] = true;
}

/* Returns the values, as far as they are of interest: those of the seconds. */
static uint64_t add_field(struct draw *draw, struct text *text, unsigned which, bool star)
{
    bool is_day = which == DAY || which == WEEKDAY;

    if (star)
        add(text, is_day && draw_percent(draw, 30) ? "?" : "*");
    else if (is_day && draw->peer->last && draw_percent(draw, 30))
        add_last(draw, text, &fields[which]);
    else if (which == DAY)
        add_days(draw, text);
    else
        return add_list(draw, text, &fields[which]);
    return UINT64_MAX;
}

/* Returns the seconds. */
static uint64_t draw_expression(struct draw *draw, char letters[EXPRESSION_ROOM])
{
    struct text text = {0};
    bool star[FIELDS];
    unsigned wrong = draw_percent(draw, 1) ? draw_below(draw, FIELDS) : FIELDS;
    uint64_t seconds = UINT64_MAX;

    text.letters = letters;
    choose_stars(draw, star);
    for (unsigned i = 0; i < FIELDS; i++) {
        uint64_t values = UINT64_MAX;
        add(&text, "%s", i > 0 ? " " : "");
        if (i == wrong)
            add_wrong(draw, &text, &fields[i]);
        else if (i == DAY && !star[DAY] && !star[WEEKDAY] && draw_percent(draw, 98))
            add_week(draw, &text);
        else
            values = add_field(draw, &text, i, star[i]);
        if (i == SECOND)
            seconds = values;
    }
    return seconds;
}

/* Is a second between two of the set, and not in it? */
static bool lies_between(unsigned second, uint64_t set)
{
    uint64_t bit = UINT64_C(1) << second;

    return (set & (bit - 1)) && !(set & bit) && (set & ~(bit - 1));
}

/* From 1970 to 2099. */
static int64_t draw_seconds(struct draw *draw, uint64_t set)
{
    int64_t seconds = (int64_t)(word(draw) % (UINT64_C(130) * 31557600));
    unsigned second = (unsigned)(seconds % 60), other = second;

    if (draw->peer->keeps_second && !draw_percent(draw, 1))
        while (lies_between(other, set))
            other = draw_below(draw, 60);
    return seconds - second + other;
}

void draw_question(struct draw *draw, struct question *question, char expression[EXPRESSION_ROOM])
{
    uint64_t seconds = draw_expression(draw, expression);

    *question = (struct question){.expression = expression,
                                  .backwards = draw->peer->backwards && draw_percent(draw, 50),
                                  .seconds = draw_seconds(draw, seconds)};
}
