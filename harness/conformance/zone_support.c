/* Support for the suites of zones and cron expressions. */
#include "zone_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"

/* The calendar, counted. */

static bool is_leap_year(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int month_length(int year, int month)
{
    static const int lengths[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return lengths[month] + (month == 2 && is_leap_year(year));
}

static int year_length(int year)
{
    return is_leap_year(year) ? 366 : 365;
}

int64_t days_of(int year, int month, int day)
{
    int64_t days = 0;
    for (int each = 1970; each < year; each++)
        days += year_length(each);
    for (int each = year; each < 1970; each++)
        days -= year_length(each);
    for (int each = 1; each < month; each++)
        days += month_length(year, each);
    return days + day - 1;
}

struct date date_of(int64_t days)
{
    struct date date = {.year = 1970, .month = 1, .weekday = (int)(((days + 4) % 7 + 7) % 7)};
    while (days < 0)
        days += year_length(--date.year);
    while (days >= year_length(date.year))
        days -= year_length(date.year++);
    while (days >= month_length(date.year, date.month))
        days -= month_length(date.year, date.month++);
    date.day = (int)days + 1;
    return date;
}

/* Times as text. */

int64_t utc(const char *text)
{
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int found = sscanf(text, "%d-%d-%d %d:%d:%d", &year, &month, &day, &hour, &minute, &second);
    require(found == 3 || found >= 5);
    return GP_SECONDS(days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second);
}

void utc_text(int64_t time, char text[UTC_TEXT_SIZE])
{
    int64_t seconds = time / GP_SECONDS(1) - (time % GP_SECONDS(1) < 0);
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int rest = (int)(seconds - days * 86400);
    struct date date = date_of(days);
    if (time == GP_NEVER || time == INT64_MIN)
        snprintf(text, UTC_TEXT_SIZE, "never");
    else
        snprintf(text, UTC_TEXT_SIZE, "%04d-%02d-%02d %02d:%02d:%02d%s", date.year % 10000,
                 date.month % 100, date.day % 100, rest / 3600, rest / 60 % 60, rest % 60,
                 time % GP_SECONDS(1) == 0 ? "" : " and a bit");
}

void check_time(int64_t actual, const char *expected, const char *what)
{
    char found[UTC_TEXT_SIZE];
    char wanted[UTC_TEXT_SIZE] = "never";
    utc_text(actual, found);
    if (expected != NULL)
        utc_text(utc(expected), wanted);
    check_within(what);
    check_text(found, wanted);
    check_within(NULL);
}

/* TZif. */

struct writer {
    unsigned char *at;
    unsigned char *end;
};

static void put_byte(struct writer *writer, unsigned byte)
{
    require(writer->at < writer->end);
    *writer->at++ = (unsigned char)byte;
}

static void put_number(struct writer *writer, uint64_t number, int bytes)
{
    while (bytes-- > 0)
        put_byte(writer, (unsigned)(number >> (8 * bytes) & 0xff));
}

static void put_text(struct writer *writer, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_byte(writer, (unsigned char)text[i]);
}

static void put_header(struct writer *writer, const struct tzif *tzif)
{
    put_text(writer, "TZif", 4);
    put_byte(writer, (unsigned char)tzif->version);
    put_number(writer, 0, 8);
    put_number(writer, 0, 7);
    put_number(writer, tzif->ut_flags, 4);
    put_number(writer, tzif->standard_flags, 4);
    put_number(writer, tzif->leap_seconds, 4);
    put_number(writer, tzif->times_count, 4);
    put_number(writer, tzif->type_count, 4);
    put_number(writer, tzif->names_size, 4);
}

static void put_block(struct writer *writer, const struct tzif *tzif, int time_size)
{
    for (size_t i = 0; i < tzif->times_count; i++)
        put_number(writer, (uint64_t)tzif->times[i], time_size);
    for (size_t i = 0; i < tzif->times_count; i++)
        put_byte(writer, tzif->kinds[i]);
    for (size_t i = 0; i < tzif->type_count; i++) {
        put_number(writer, (uint32_t)tzif->types[i].offset, 4);
        put_byte(writer, tzif->types[i].daylight_saving);
        put_byte(writer, tzif->types[i].name);
    }
    put_text(writer, tzif->names, tzif->names_size);
    uint32_t rest = tzif->leap_seconds * (uint32_t)(time_size + 4);
    for (uint32_t i = 0; i < rest + tzif->standard_flags + tzif->ut_flags; i++)
        put_byte(writer, 0);
}

size_t tzif_write(const struct tzif *tzif, unsigned char data[TZIF_SIZE])
{
    struct writer writer = {.at = data, .end = data + TZIF_SIZE};
    put_header(&writer, tzif);
    put_block(&writer, tzif, 4);
    if (tzif->version != 0) {
        put_header(&writer, tzif);
        put_block(&writer, tzif, 8);
    }
    if (tzif->footer != NULL) {
        put_byte(&writer, '\n');
        put_text(&writer, tzif->footer, strlen(tzif->footer));
        put_byte(&writer, '\n');
    }
    return (size_t)(writer.at - data);
}

/* Zones. */

gp_zone *zone_of_rule(const char *rule)
{
    gp_zone *zone = NULL;
    require_ok(gp_zone_of_rule(rule, &zone));
    return zone;
}

gp_zone *zone_of_changes(int32_t offset, const struct change *changes)
{
    int64_t times[32];
    uint8_t kinds[32];
    struct tzif_type types[33] = {{.offset = offset}};
    struct tzif tzif = {.version = '2',
                        .times = times,
                        .kinds = kinds,
                        .types = types,
                        .type_count = 1,
                        .names = "AAA",
                        .names_size = 4,
                        .footer = ""};
    for (; changes->at != NULL; changes++) {
        size_t i = tzif.times_count++;
        require(i < 32);
        times[i] = utc(changes->at) / GP_SECONDS(1);
        types[i + 1].offset = changes->offset;
        kinds[i] = (uint8_t)tzif.type_count++;
    }
    unsigned char data[TZIF_SIZE];
    size_t size = tzif_write(&tzif, data);
    gp_zone *zone = NULL;
    require_ok(gp_zone_of_data("changes", data, size, &zone));
    return zone;
}

gp_zone *zone_of_system(const char *name)
{
    gp_zone *zone = NULL;
    int status = gp_zone_open(name, &zone);
    if (status == GP_ENOTFOUND) {
        printf("%s: skipped, because this system has no table for it (in Debian: tzdata)\n", name);
        return NULL;
    }
    require_ok(status);
    return zone;
}
