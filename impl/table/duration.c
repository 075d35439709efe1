/*
 * Durations as text: java.time.Duration.parse, and the simple form beside it that Spring 6 has.
 *
 * A text is numbers with units, the larger unit first; what differs between the two forms is where
 * the units may stand. Numbers are exact: they are added up in nanoseconds, and what is finer than
 * one is refused, not rounded. Floating point was rejected: 0.1s would be what a double makes of
 * it.
 *
 *   [DURATION-1] A text is taken as a whole or not at all, and refused at its first mistake from
 *                the left.
 *   [DURATION-2] What gp_duration_text writes, gp_duration_parse reads as the same duration.
 *
 * A fraction, 0.d1d2d3 of a unit, is (d1 * unit + (d2 * unit + (d3 * unit) / 10) / 10) / 10. It is
 * a whole number of nanoseconds if, and only if, each of the divisions leaves no remainder, the
 * innermost first; and nothing in it is larger than ten units.
 */
#include <glasspool/duration.h>

#include <stdbool.h>
#include <stdio.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

/* Units, the larger first. */

enum {
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    MILLISECOND,
    MICROSECOND,
    NANOSECOND,
    UNITS
};

static const struct {
    char name[3];
    int64_t nanos;
} units[UNITS] = {
    [DAY] = {"d", GP_SECONDS(86400)},
    [HOUR] = {"h", GP_SECONDS(3600)},
    [MINUTE] = {"m", GP_SECONDS(60)},
    [SECOND] = {"s", GP_SECONDS(1)},
    [MILLISECOND] = {"ms", GP_MILLISECONDS(1)},
    [MICROSECOND] = {"us", GP_MICROSECONDS(1)},
    [NANOSECOND] = {"ns", 1},
};

/* Reading. */

struct reader {
    const char *text;
    const char *at;       /* what is read next */
    int last;             /* the unit before; -1: none yet */
    const char *fraction; /* the point of a number before; NULL: none had one */
    int64_t nanos;        /* what has been read */
    gp_duration_error error;
};

/* A number as it stands there. */
struct number {
    const char *begin;
    const char *point; /* NULL: it has none */
    const char *end;
};

static int refuse(struct reader *reader, const char *at, const char *reason)
{
    reader->error = (gp_duration_error){.position = (size_t)(at - reader->text), .reason = reason};
    return GP_EINVAL; /* [DURATION-1] */
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static const char *over_digits(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

static const char *no_number(char c)
{
    return c == '-' || c == '+' ? "a duration has no sign"
           : c == ' '           ? "no spaces in a duration"
           : c == '.'           ? "a digit is missing before the point"
                                : "a number is missing";
}

static int read_decimal(struct reader *reader, struct number *out)
{
    struct number number = {.begin = reader->at, .end = over_digits(reader->at)};
    if (number.end == number.begin)
        return refuse(reader, number.begin, no_number(*number.begin));
    if (reader->fraction != NULL)
        return refuse(reader, reader->fraction, "only the last number may have a fraction");
    if (*number.end == '.') {
        number.point = number.end;
        number.end = over_digits(number.point + 1);
        if (number.end == number.point + 1)
            return refuse(reader, number.end, "a digit is missing after the point");
    }
    reader->fraction = number.point;
    reader->at = number.end;
    *out = number;
    return GP_OK;
}

/* False: it is more than an int64_t holds. */
static bool whole_nanos(const struct number *number, int64_t unit, int64_t *out)
{
    const char *end = number->point != NULL ? number->point : number->end;
    int64_t value = 0;
    for (const char *at = number->begin; at < end; at++) {
        int digit = *at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (value > INT64_MAX / unit)
        return false;
    *out = value * unit;
    return true;
}

/* False: it is finer than a nanosecond. */
static bool fraction_nanos(const struct number *number, int64_t unit, int64_t *out)
{
    int64_t nanos = 0;
    if (number->point != NULL)
        for (const char *at = number->end - 1; at > number->point; at--) {
            nanos += unit * (*at - '0');
            if (nanos % 10 != 0)
                return false;
            nanos /= 10;
        }
    *out = nanos;
    return true;
}

static int add(struct reader *reader, const struct number *number, int unit)
{
    int64_t nanos = units[unit].nanos;
    int64_t whole;
    int64_t fraction;
    if (!fraction_nanos(number, nanos, &fraction))
        return refuse(reader, number->point, "finer than a nanosecond");
    if (!whole_nanos(number, nanos, &whole) || whole > INT64_MAX - fraction ||
        whole + fraction > INT64_MAX - reader->nanos)
        return refuse(reader, number->begin, "too long: 292 years are the most");
    reader->nanos += whole + fraction;
    reader->last = unit;
    return GP_OK;
}

static int check_order(struct reader *reader, int unit, const char *at)
{
    if (unit > reader->last)
        return GP_OK;
    return refuse(reader, at,
                  unit == reader->last ? "this unit has been already" : "the larger units first");
}

/* 1h30m, and a number alone. */

static int read_unit(struct reader *reader, int *out)
{
    const char *at = reader->at;
    size_t length = 0;
    while (lower(at[length]) >= 'a' && lower(at[length]) <= 'z')
        length++;
    for (int unit = 0; unit < UNITS; unit++) {
        const char *name = units[unit].name;
        size_t size = name[1] == '\0' ? 1 : 2;
        if (length == size && lower(at[0]) == name[0] && (size == 1 || lower(at[1]) == name[1])) {
            *out = unit;
            reader->at += length;
            return check_order(reader, unit, at);
        }
    }
    return refuse(reader, at,
                  length == 0 ? *at == ' ' ? "no spaces in a duration" : "a unit is missing"
                              : "no such unit: d h m s ms us ns are known");
}

static int read_simple(struct reader *reader)
{
    struct number number = {0};
    int status = GP_OK;
    while (status == GP_OK && (*reader->at != '\0' || reader->last < 0)) {
        int unit = MILLISECOND;
        status = read_decimal(reader, &number);
        if (status == GP_OK && (*reader->at != '\0' || reader->last >= 0))
            status = read_unit(reader, &unit);
        if (status == GP_OK)
            status = add(reader, &number, unit);
    }
    return status;
}

/* PT1H30M */

static int read_designator(struct reader *reader, bool time, int *out)
{
    const char *at = reader->at;
    switch (lower(*at)) {
    case 'd':
        *out = DAY;
        break;
    case 'h':
        *out = HOUR;
        break;
    case 'm':
        *out = MINUTE;
        break;
    case 's':
        *out = SECOND;
        break;
    case '\0':
        return refuse(reader, at, "a unit is missing");
    default:
        return refuse(reader, at, "no such unit: D, and after a T also H M S are known");
    }
    if (time && *out == DAY)
        return refuse(reader, at, "days stand before the T");
    if (!time && *out != DAY)
        return refuse(reader, at,
                      *out == MINUTE ? "months are not known, minutes stand after a T"
                                     : "hours and seconds stand after a T");
    reader->at++;
    return check_order(reader, *out, at);
}

static int read_iso(struct reader *reader)
{
    struct number number = {0};
    bool time = false;
    int status = GP_OK;
    reader->at++; /* over the P */
    do {
        int unit = DAY;
        if (!time && lower(*reader->at) == 't') {
            time = true;
            reader->at++;
        }
        status = read_decimal(reader, &number);
        if (status == GP_OK)
            status = read_designator(reader, time, &unit);
        if (status == GP_OK)
            status = add(reader, &number, unit);
    } while (status == GP_OK && *reader->at != '\0');
    return status;
}

int gp_duration_parse(const char *text, int64_t *nanos, gp_duration_error *error)
{
    struct reader reader = {.text = text, .at = text, .last = -1, .error = {0, "there is no text"}};
    int status = text == NULL || nanos == NULL ? GP_EINVAL
                 : lower(*text) == 'p'         ? read_iso(&reader)
                                               : read_simple(&reader);
    if (status == GP_OK)
        *nanos = reader.nanos;
    else if (error != NULL)
        *error = reader.error;
    return status;
}

/* Writing. */

int gp_duration_text(int64_t nanos, char *text, size_t size)
{
    char whole[64] = "0s"; /* seven numbers, of 19 digits together at most, with their units */
    size_t length = nanos == 0 ? 2 : 0;
    if (nanos < 0)
        return GP_EINVAL;
    for (int unit = 0; unit < UNITS; unit++) {
        int64_t count = nanos / units[unit].nanos;
        nanos %= units[unit].nanos;
        if (count > 0) /* [DURATION-2] */
            length += (size_t)snprintf(whole + length, sizeof whole - length, "%lld%s",
                                       (long long)count, units[unit].name);
    }
    return snprintf(text, size, "%s", whole);
}
