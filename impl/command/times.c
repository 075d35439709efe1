/*
 * Times as people write and read them.
 *
 * A local time that clocks leave out is taken as if they had not been put forward: 02:30 is then
 * shown as 03:30. One that they show twice is the first of the two.
 */
#include <stdio.h>
#include <string.h>

#include <glasspool/clock.h>

#include "command/command.h"
#include "zone/civil.h"
#include "cron/shown.h"
#include "zone/zone.h"

/* Writing. */

static int64_t local_seconds(int64_t time, int32_t offset)
{
    return gp__floor_divide(time, GP_SECONDS(1)) + offset;
}

const char *weekday_of(int64_t time, int32_t offset)
{
    int64_t days = gp__floor_divide(local_seconds(time, offset), GP__DAY_SECONDS);
    return gp__weekday_name(gp__weekday_of(days));
}

/* "2026-03-30", the sign, "09:30:00". */
static int put_time(int64_t seconds, char between, char *text)
{
    int64_t days = gp__floor_divide(seconds, GP__DAY_SECONDS);
    int rest = (int)(seconds - days * GP__DAY_SECONDS);
    struct gp__date date = gp__date_of(days);
    return snprintf(text, TIME_SIZE, "%04d-%02d-%02d%c%02d:%02d:%02d", date.year, date.month,
                    date.day, between, rest / 3600, rest / 60 % 60, rest % 60);
}

static void put_offset(int32_t offset, char *text, size_t size)
{
    int32_t amount = offset < 0 ? -offset : offset;
    int length = snprintf(text, size, "%c%02d:%02d", offset < 0 ? '-' : '+', amount / 3600,
                          amount / 60 % 60);
    if (amount % 60 != 0) /* before there were time zones */
        snprintf(text + length, size - (size_t)length, ":%02d", amount % 60);
}

void iso_text(int64_t time, int32_t offset, char *text)
{
    int length = put_time(local_seconds(time, offset), 'T', text);
    if (offset == 0)
        snprintf(text + length, TIME_SIZE - (size_t)length, "Z");
    else
        put_offset(offset, text + length, TIME_SIZE - (size_t)length);
}

void time_text(const gp_zone *zone, int64_t time, char *text)
{
    gp_zone_period period = gp_zone_period_at(zone, time);
    char local[TIME_SIZE];
    char offset[16];
    put_time(local_seconds(time, period.offset), ' ', local);
    put_offset(period.offset, offset, sizeof offset);
    bool named = period.abbreviation[0] != '+' && period.abbreviation[0] != '-';
    snprintf(text, TIME_SIZE, "%.3s %.32s %s%s%.16s", weekday_of(time, period.offset), local,
             offset, named ? " " : "", named ? period.abbreviation : "");
}

void distance_text(int64_t nanos, char *text)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}};
    int64_t seconds = nanos / GP_SECONDS(1);
    int length = 0;
    int parts = 0;
    snprintf(text, TIME_SIZE, "less than a second");
    for (int i = 0; i < 4 && parts < 2; i++) {
        int64_t count = seconds / units[i].seconds;
        seconds %= units[i].seconds;
        if (count == 0 && parts == 0)
            continue;
        parts++;
        if (count > 0)
            length += snprintf(text + length, TIME_SIZE - (size_t)length, "%s%lld %s%s",
                               length > 0 ? " " : "", (long long)count, units[i].name,
                               count == 1 ? "" : "s");
    }
}

/* Reading. */

struct reader {
    const char *at;
    const char *reason; /* NULL: all is well so far */
};

static int read_number(struct reader *reader, int digits, int minimum, int maximum,
                       const char *reason)
{
    const char *begin = reader->at;
    int value = 0;
    if (reader->reason != NULL)
        return minimum;
    for (; digits > 0 && *reader->at >= '0' && *reader->at <= '9'; digits--)
        value = value * 10 + (*reader->at++ - '0');
    if (digits == 0 && value >= minimum && value <= maximum)
        return value;
    reader->at = begin;
    reader->reason = reason;
    return minimum;
}

static void expect(struct reader *reader, char wanted, const char *reason)
{
    if (reader->reason != NULL)
        return;
    if (*reader->at == wanted)
        reader->at++;
    else
        reader->reason = reason;
}

static int64_t read_date(struct reader *reader)
{
    int year = read_number(reader, 4, 1700, 2261, "a year has four digits, from 1700 to 2261");
    expect(reader, '-', "a - is missing, as in 2026-03-28");
    int month = read_number(reader, 2, 1, 12, "a month is from 01 to 12");
    expect(reader, '-', "a - is missing, as in 2026-03-28");
    int day = read_number(reader, 2, 1, gp__month_length(year, month), "there is no such day");
    return gp__days_of(year, month, day) * GP__DAY_SECONDS;
}

static int64_t read_clock(struct reader *reader)
{
    int hour = read_number(reader, 2, 0, 23, "an hour is from 00 to 23");
    expect(reader, ':', "a : is missing, as in 09:30");
    int minute = read_number(reader, 2, 0, 59, "a minute is from 00 to 59");
    int second = 0;
    if (reader->reason == NULL && *reader->at == ':') {
        reader->at++;
        second = read_number(reader, 2, 0, 59, "a second is from 00 to 59");
    }
    return hour * 3600 + minute * 60 + second;
}

static int64_t read_offset(struct reader *reader)
{
    char sign = *reader->at++;
    int hours = sign == 'Z' ? 0 : read_number(reader, 2, 0, 23, "an offset is like +02:00");
    int minutes = 0;
    if (sign != 'Z') {
        expect(reader, ':', "an offset is like +02:00");
        minutes = read_number(reader, 2, 0, 59, "an offset is like +02:00");
    }
    return (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/* From the first period that may show it, each is asked whether it does; until one that would show
   it before it begins: its clocks were put forward over that time. */
static int64_t of_local(const gp_zone *zone, int64_t local)
{
    gp_zone_period period = gp_zone_period_at(zone, GP_SECONDS(local - GP__HIGHEST_OFFSET));
    int64_t time = GP_SECONDS(local - period.offset);
    while (time >= period.end) {
        gp_zone_period next = gp_zone_period_at(zone, period.end);
        if (GP_SECONDS(local - next.offset) < next.begin)
            break;
        period = next;
        time = GP_SECONDS(local - period.offset);
    }
    return time;
}

bool read_time(const char *text, const gp_zone *zone, int64_t *time, const char **reason,
               size_t *position)
{
    struct reader reader = {.at = text};
    int64_t local = read_date(&reader);
    bool has_offset = false;
    int64_t offset = 0;
    if (reader.reason == NULL && (*reader.at == 'T' || *reader.at == ' ')) {
        reader.at++;
        local += read_clock(&reader);
        has_offset = reader.reason == NULL && *reader.at != '\0' && strchr("Z+-", *reader.at);
        offset = has_offset ? read_offset(&reader) : 0;
    }
    if (reader.reason == NULL && *reader.at != '\0')
        reader.reason = "nothing may follow here";
    *reason = reader.reason;
    *position = (size_t)(reader.at - text);
    *time = has_offset ? (local - offset) * GP_SECONDS(1) : of_local(zone, local);
    return reader.reason == NULL;
}

/* Showing. */

void show_safely(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i += gp__shown_step(text + i)) {
        size_t length = gp__shown_length(text + i);
        fwrite(length > 0 ? text + i : ".", 1, length > 0 ? length : 1, stderr);
    }
}

void show_caret(const char *indent, const char *line, size_t position)
{
    size_t size = strcspn(line, "\r\n");
    fputs(indent, stderr);
    show_safely(line, size);
    fprintf(stderr, "\n%s", indent);
    for (size_t i = 0; i < position; i += i < size ? gp__shown_step(line + i) : 1)
        fputc(i < size && line[i] == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
}
