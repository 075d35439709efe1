/*
 * Support for the suites of zones and cron expressions: times as text, TZif files made by hand, and
 * zones.
 *
 * A system may be without zoneinfo files. Whatever can be tested without them uses rules, or small
 * tables that are made here; the rest says that it is skipped, and why.
 */
#ifndef CONFORMANCE_ZONE_SUPPORT_H
#define CONFORMANCE_ZONE_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/zone.h>

#define UTC_TEXT_SIZE 40

/* "2026-03-29 01:00:00", or without the seconds, or the date alone: wall time. The calendar is
   counted here year by year, and shares nothing with the library's. */
int64_t utc(const char *text);
void utc_text(int64_t time, char text[UTC_TEXT_SIZE]);
void check_time(int64_t actual, const char *expected, const char *what); /* NULL: GP_NEVER */

struct date {
    int year;
    int month;
    int day;
    int weekday; /* 0 is Sunday */
};

struct date date_of(int64_t days); /* since 1970-01-01 */
int64_t days_of(int year, int month, int day);
int month_length(int year, int month);

/* TZif. */

struct tzif_type {
    int32_t offset;
    uint8_t daylight_saving;
    uint8_t name; /* where it begins in the names */
};

struct tzif {
    char version; /* '2'; 0: the old one, 32 bits */
    size_t times_count;
    const int64_t *times;
    const uint8_t *kinds;
    size_t type_count;
    const struct tzif_type *types;
    const char *names; /* with their NULs */
    size_t names_size;
    const char *footer; /* NULL: nothing after the block, not even line ends */
    uint32_t leap_seconds;
    uint32_t standard_flags;
    uint32_t ut_flags;
};

#define TZIF_SIZE 2048

size_t tzif_write(const struct tzif *, unsigned char data[TZIF_SIZE]);

/* Zones. They must succeed. */

struct change {
    const char *at; /* as for utc; NULL ends a table of them */
    int32_t offset; /* from then on */
};

gp_zone *zone_of_rule(const char *rule);
gp_zone *zone_of_changes(int32_t offset, const struct change *changes);
gp_zone *zone_of_system(const char *name); /* NULL, and it says so: this system does not have it */

#endif
