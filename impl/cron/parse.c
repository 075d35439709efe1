/*
 * Cron expressions: from text to sets of bits.
 *
 *     expression  =  "-"  |  macro  |  [second] minute hour day month weekday
 *     field       =  item { "," item }
 *     item        =  ( "*" | value [ "-" value ] ) [ "/" step ]     in each field
 *                 |  "?"                                            day and weekday, alone
 *                 |  "L" | "L-" n | "LW" | n "W"                    day
 *                 |  value "#" n | value "L"                        weekday
 *
 *   [PARSE-1] A text is taken as a whole or not at all, and refused at its first mistake from the
 *             left; but the number of fields is looked at before what is in them.
 *   [PARSE-2] What is accepted has an hour, a minute and a second. So a search finds a time of day
 *             on each day that matches, and need not ask whether.
 *   [PARSE-3] A number is within its field before it becomes a bit, however many digits it has.
 *
 * Strict where it protects. A range that runs backwards, a step of 0 or one larger than the whole
 * field are refused: of these Spring once made endless loops and silent nonsense (SPR-7239,
 * SPR-14462), and 0/90 minutes, as Unix's cron and Spring take it, means each hour and not each 90
 * minutes.
 *
 * Sunday is 0 and 7, and at either end of a range what makes it run forward: SUN-TUE is 0-2,
 * FRI-SUN is 5-7. A star stands for 0-7, so that every second weekday begins with Sunday, as in
 * Unix; a/n goes up to 7.
 */
#include "cron/cron.h"

#include <string.h>

enum {
    FIELDS = GP_CRON_WEEKDAY + 1,
    NAME_LENGTH = 3,
    SUNDAY_TOO = 7
};

static const struct field {
    int minimum;
    int maximum;
    int most_step;
    const char *names; /* three letters each, the first for the minimum; NULL: it has none */
    const char *out_of_range;
} fields[FIELDS] = {
    [GP_CRON_SECOND] = {0, 59, 60, NULL, "a second is from 0 to 59"},
    [GP_CRON_MINUTE] = {0, 59, 60, NULL, "a minute is from 0 to 59"},
    [GP_CRON_HOUR] = {0, 23, 24, NULL, "an hour is from 0 to 23"},
    [GP_CRON_DAY] = {1, 31, 31, NULL, "a day is from 1 to 31"},
    [GP_CRON_MONTH] = {1, 12, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC",
                       "a month is from 1 to 12, or JAN to DEC"},
    [GP_CRON_WEEKDAY] = {0, 7, 7, "SUNMONTUEWEDTHUFRISAT",
                         "a weekday is from 0 to 7, or SUN to SAT"},
};

static const struct {
    const char *name;
    const char *means;
} macros[] = {
    {"@yearly", "0 0 0 1 1 *"}, {"@annually", "0 0 0 1 1 *"}, {"@monthly", "0 0 0 1 * *"},
    {"@weekly", "0 0 0 * * 0"}, {"@daily", "0 0 0 * * *"},    {"@midnight", "0 0 0 * * *"},
    {"@hourly", "0 0 * * * *"},
};

struct parser {
    const char *text;
    enum gp_cron_field field;
    const char *at;  /* what is read next */
    const char *end; /* of the item */
    uint64_t bits;   /* of the field, so far */
    struct gp__cron_set set;
    gp_cron_error error;
};

static bool refuse(struct parser *parser, const char *at, size_t length, const char *reason)
{
    parser->error = (gp_cron_error){.field = parser->field,
                                    .position = (size_t)(at - parser->text),
                                    .length = length,
                                    .reason = reason};
    return false;
}

/* From there to what is read next. */
static bool refuse_from(struct parser *parser, const char *begin, const char *reason)
{
    return refuse(parser, begin, (size_t)(parser->at - begin), reason);
}

/* Signs. */

static bool is_space(char sign)
{
    return sign == ' ' || (sign >= '\t' && sign <= '\r');
}

static bool is_digit(char sign)
{
    return sign >= '0' && sign <= '9';
}

static char upper(char sign)
{
    if (sign >= 'a' && sign <= 'z')
        return (char)(sign - 'a' + 'A');
    return sign;
}

static bool is_letter(char sign)
{
    return upper(sign) >= 'A' && upper(sign) <= 'Z';
}

static bool is_equal(const char *left, const char *right, size_t length)
{
    size_t i = 0;
    while (i < length && upper(left[i]) == upper(right[i]))
        i++;
    return i == length;
}

static char peek(const struct parser *parser)
{
    if (parser->at == parser->end)
        return '\0';
    return upper(*parser->at);
}

static bool take(struct parser *parser, char sign)
{
    if (peek(parser) != sign)
        return false;
    parser->at++;
    return true;
}

static bool is_read(const struct parser *parser)
{
    return parser->at == parser->end;
}

/* Values. */

/* Digits; beyond a thousand one is as large as another: [PARSE-3]. */
static int read_digits(struct parser *parser)
{
    int number = 0;
    for (; is_digit(peek(parser)); parser->at++)
        number = number > 1000 ? number : number * 10 + (*parser->at - '0');
    return number;
}

static bool read_number(struct parser *parser, int minimum, int maximum, const char *reason,
                        int *out)
{
    const char *begin = parser->at;
    if (is_read(parser))
        return refuse(parser, begin, 0, "a number is missing");
    if (!is_digit(*begin))
        return refuse(parser, begin, 1, "not a number");
    *out = read_digits(parser);
    if (*out < minimum || *out > maximum)
        return refuse_from(parser, begin, reason);
    return true;
}

/* The number of a name of so many letters; -1: it is none. */
static int named(enum gp_cron_field field, const char *name, size_t length)
{
    const char *names = fields[field].names;
    if (names == NULL || length != NAME_LENGTH)
        return -1;
    for (int i = 0; names[i] != '\0'; i += NAME_LENGTH)
        if (is_equal(names + i, name, NAME_LENGTH))
            return fields[field].minimum + i / NAME_LENGTH;
    return -1;
}

static bool read_value(struct parser *parser, int *out)
{
    const struct field *field = &fields[parser->field];
    const char *begin = parser->at;
    if (!is_letter(peek(parser)))
        return read_number(parser, field->minimum, field->maximum, field->out_of_range, out);
    while (is_letter(peek(parser)))
        parser->at++;
    *out = named(parser->field, begin, (size_t)(parser->at - begin));
    if (*out >= 0)
        return true;
    return refuse_from(parser, begin,
                       field->names == NULL ? "a name where only numbers are known"
                                            : "no such name");
}

/* What every field has: star, value, range, and a step. */

struct range {
    int from;
    int to;
    int step;
};

static bool read_end_of_range(struct parser *parser, const char *begin, struct range *range)
{
    if (!read_value(parser, &range->to))
        return false;
    if (parser->field == GP_CRON_WEEKDAY && range->from > range->to) {
        if (range->from == SUNDAY_TOO)
            range->from = 0;
        else if (range->to == 0)
            range->to = SUNDAY_TOO;
    }
    if (range->from > range->to)
        return refuse_from(parser, begin, "the range runs backwards");
    return true;
}

static bool read_step(struct parser *parser, struct range *range)
{
    const char *begin = parser->at;
    if (!read_number(parser, 0, fields[parser->field].most_step,
                     "the step is larger than the field", &range->step))
        return false;
    if (range->step == 0)
        return refuse_from(parser, begin, "a step of 0 goes nowhere");
    return true;
}

static bool refuse_rest(struct parser *parser)
{
    const char *reason = "does not belong here";
    if (peek(parser) == 'W')
        reason = "W goes with a single day of the month";
    else if (peek(parser) == 'L' || peek(parser) == '#')
        reason = "L and # go with a single weekday";
    return refuse(parser, parser->at, (size_t)(parser->end - parser->at), reason);
}

static bool read_range(struct parser *parser)
{
    const struct field *field = &fields[parser->field];
    const char *begin = parser->at;
    struct range range = {field->minimum, field->maximum, 1};
    bool star = take(parser, '*');
    if (!star) {
        if (!read_value(parser, &range.from))
            return false;
        range.to = range.from;
        if (take(parser, '-')) {
            if (!read_end_of_range(parser, begin, &range))
                return false;
        } else if (peek(parser) == '/') {
            range.to = field->maximum;
        }
    }
    bool stepped = take(parser, '/');
    if (stepped && !read_step(parser, &range))
        return false;
    if (!is_read(parser))
        return refuse_rest(parser);
    if (parser->field == GP_CRON_HOUR && (star || stepped))
        parser->set.through_hours = true;
    for (int value = range.from; value <= range.to; value += range.step)
        parser->bits |= UINT64_C(1) << value;
    return true;
}

/* What day and weekday have besides. */

static bool read_last(struct parser *parser)
{
    const char *begin = parser->at++;
    int days = 0;
    if (take(parser, 'W'))
        parser->set.last_weekday = true;
    else if (is_read(parser))
        parser->set.before_last |= 1;
    else if (!take(parser, '-'))
        return refuse(parser, begin, (size_t)(parser->end - begin), "L, L-n or LW");
    else if (!read_number(parser, 1, 30, "from L-1 to L-30", &days))
        return false;
    else
        parser->set.before_last |= UINT32_C(1) << days;
    return is_read(parser) ? true : refuse_rest(parser);
}

static bool read_day(struct parser *parser)
{
    const char *begin = parser->at;
    int day = 0;
    if (peek(parser) == 'L')
        return read_last(parser);
    bool nearest = parser->end - begin > 1 && upper(parser->end[-1]) == 'W' && is_digit(*begin);
    if (!nearest)
        return read_range(parser);
    if (!read_number(parser, 1, 31, fields[GP_CRON_DAY].out_of_range, &day))
        return false;
    if (parser->at + 1 < parser->end)
        return refuse(parser, begin, (size_t)(parser->end - begin),
                      "W goes with a single day of the month");
    parser->set.nearest |= UINT32_C(1) << day;
    return true;
}

/* Like read_value, but a name may have an L after it. */
static bool read_single_weekday(struct parser *parser, uint8_t *out)
{
    const char *begin = parser->at;
    const char *end = parser->end;
    int weekday = 0;
    if (is_letter(peek(parser)) && end - begin == NAME_LENGTH + 1)
        parser->end--;
    bool well = read_value(parser, &weekday);
    parser->end = end;
    if (well)
        *out = (uint8_t)(1 << weekday % SUNDAY_TOO);
    return well;
}

static bool read_weekday(struct parser *parser)
{
    const char *end = parser->end;
    const char *number = memchr(parser->at, '#', (size_t)(end - parser->at));
    bool last = upper(end[-1]) == 'L';
    uint8_t weekday = 0;
    int n = 0;
    if (last && end - parser->at == 1)
        return refuse(parser, parser->at, 1, "the last of which weekday? 5L is a Friday's");
    if (number == NULL && !last)
        return read_range(parser);
    if (!read_single_weekday(parser, &weekday))
        return false;
    if (number != NULL && parser->at == number) {
        parser->at++;
        if (!read_number(parser, 1, 5, "a month has at most 5 of a weekday", &n))
            return false;
        parser->set.nth[n] |= weekday;
    } else if (last && parser->at + 1 == end) {
        parser->at++;
        parser->set.last |= weekday;
    }
    if (is_read(parser))
        return true;
    return refuse(parser, parser->at, (size_t)(end - parser->at),
                  "L and # go with a single weekday");
}

/* Fields. */

static bool is_date(enum gp_cron_field field)
{
    return field == GP_CRON_DAY || field == GP_CRON_WEEKDAY;
}

static bool read_item(struct parser *parser)
{
    if (is_read(parser))
        return refuse(parser, parser->at, 0, "a value is missing");
    if (peek(parser) == '?')
        return refuse(parser, parser->at, 1,
                      is_date(parser->field) ? "? stands alone" : "? is for day and weekday alone");
    if (parser->field == GP_CRON_DAY)
        return read_day(parser);
    return parser->field == GP_CRON_WEEKDAY ? read_weekday(parser) : read_range(parser);
}

static void store(struct parser *parser)
{
    struct gp__cron_set *set = &parser->set;
    uint64_t bits = parser->bits;
    switch (parser->field) {
    case GP_CRON_SECOND:
        set->seconds = bits;
        break;
    case GP_CRON_MINUTE:
        set->minutes = bits;
        break;
    case GP_CRON_HOUR:
        set->hours = bits;
        break;
    case GP_CRON_DAY:
        set->days = (uint32_t)bits;
        break;
    case GP_CRON_MONTH:
        set->months = (uint32_t)bits;
        break;
    default: /* GP_CRON_WEEKDAY */
        set->weekdays = (uint8_t)((bits | bits >> SUNDAY_TOO) & GP__ALL_WEEKDAYS);
        break;
    }
}

static bool read_field(struct parser *parser, const char *begin, const char *end)
{
    parser->at = begin;
    parser->bits = 0;
    if (is_date(parser->field) && end - begin == 1 && *begin == '?') {
        parser->bits = parser->field == GP_CRON_DAY ? GP__ALL_DAYS : GP__ALL_WEEKDAYS;
    } else {
        for (bool more = true; more; parser->at = parser->end + 1) {
            const char *comma = memchr(parser->at, ',', (size_t)(end - parser->at));
            more = comma != NULL;
            parser->end = more ? comma : end;
            if (!read_item(parser))
                return false;
        }
    }
    store(parser);
    return true;
}

/* The whole. */

struct span {
    const char *begin;
    const char *end;
};

/* As many fields as there are, and one more at most. */
static int split(const char *text, const char *end, struct span spans[FIELDS + 1])
{
    int count = 0;
    while (count <= FIELDS) {
        while (text < end && is_space(*text))
            text++;
        if (text == end)
            break;
        spans[count].begin = text;
        while (text < end && !is_space(*text))
            text++;
        spans[count++].end = text;
    }
    return count;
}

static bool read_fields(struct parser *parser, const char *end)
{
    struct span spans[FIELDS + 1];
    int count = split(parser->text, end, spans);
    parser->field = GP_CRON_EXPRESSION;
    if (count == 0)
        return refuse(parser, end, 0, "it is empty");
    if (count < FIELDS - 1)
        return refuse(parser, end, 0, "fields are missing: there are to be 5, or 6 with seconds");
    if (count > FIELDS)
        return refuse(parser, spans[FIELDS].begin, (size_t)(end - spans[FIELDS].begin),
                      "too many fields: there are to be 5, or 6 with seconds");
    parser->set.seconds = 1;
    int first = FIELDS - count;
    for (int i = 0; i < count; i++) { /* [PARSE-1] */
        parser->field = (enum gp_cron_field)(first + i);
        if (!read_field(parser, spans[i].begin, spans[i].end))
            return false;
    }
    return true;
}

static bool read_macro(struct parser *parser, struct span span)
{
    size_t length = (size_t)(span.end - span.begin);
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if (strlen(macros[i].name) == length && is_equal(span.begin, macros[i].name, length)) {
            parser->text = macros[i].means;
            return read_fields(parser, parser->text + strlen(parser->text));
        }
    return refuse(parser, span.begin, length, "no such macro");
}

static bool read_text(struct parser *parser)
{
    struct span spans[FIELDS + 1] = {{NULL, NULL}};
    parser->field = GP_CRON_EXPRESSION;
    if (parser->text == NULL) {
        parser->error = (gp_cron_error){.field = GP_CRON_EXPRESSION, .reason = "there is none"};
        return false;
    }
    size_t length = strlen(parser->text);
    if (length > GP__LONGEST_CRON)
        return refuse(parser, parser->text + GP__LONGEST_CRON, length - GP__LONGEST_CRON,
                      "longer than 1000 characters");
    int count = split(parser->text, parser->text + length, spans);
    if (count != 1 || (*spans[0].begin != '@' && *spans[0].begin != '-'))
        return read_fields(parser, parser->text + length);
    if (*spans[0].begin == '@')
        return read_macro(parser, spans[0]);
    parser->set.disabled = spans[0].end - spans[0].begin == 1;
    return parser->set.disabled ? true : read_fields(parser, parser->text + length);
}

static void note_specials(struct gp__cron_set *set)
{
    set->special_days = set->before_last != 0 || set->nearest != 0 || set->last_weekday;
    set->special_weekdays = set->last != 0;
    for (int n = 1; n <= 5; n++)
        set->special_weekdays = set->special_weekdays || set->nth[n] != 0;
}

bool gp__cron_read(const char *text, struct gp__cron_set *out, gp_cron_error *error)
{
    struct parser parser = {.text = text};
    if (!read_text(&parser)) {
        *error = parser.error;
        return false;
    }
    note_specials(&parser.set);
    parser.set.never = parser.set.disabled || !gp__cron_has_date(&parser.set);
    *out = parser.set;
    return true;
}
