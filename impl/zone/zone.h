/* Time zones inside the library: in seconds, and by the number of a period. */
#ifndef GP_ZONE_ZONE_H
#define GP_ZONE_ZONE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/zone.h>

#include "zone/civil.h"

#define GP__ABBREVIATION_SIZE 16

/* Offsets lie between these, those of a table as those of a rule. */
#define GP__LOWEST_OFFSET  (-25 * 3600 + 1)
#define GP__HIGHEST_OFFSET (26 * 3600 - 1)

struct gp__local_type {
    int32_t offset;
    bool daylight_saving;
    char abbreviation[GP__ABBREVIATION_SIZE];
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 */
struct gp_zone {
    _Atomic size_t refs;          /* A */
    size_t count;                 /* I of transitions; periods are one more */
    int64_t *times;               /* I of the transitions, ascending; period i + 1 begins at i */
    uint16_t *kinds;              /* I of each period: which of the types */
    struct gp__local_type *types; /* I */
    size_t type_count;            /* I */
    char *name;                   /* I */
};

/* Which period a second lies in; and the period itself. The first begins with the first second that
   there is, the last ends after the last. */
struct gp__period {
    int64_t begin;
    int64_t end;
    int32_t offset;
};

size_t gp__zone_find(const gp_zone *, int64_t second);

static inline struct gp__period gp__zone_period(const gp_zone *zone, size_t number)
{
    return (struct gp__period){.begin = number == 0 ? GP__FIRST_SECOND : zone->times[number - 1],
                               .end = number == zone->count ? GP__LAST_SECOND + 1
                                                            : zone->times[number],
                               .offset = zone->types[zone->kinds[number]].offset};
}

/* Making one: room for so many, then types, then transitions in their order. */
int gp__zone_new(const char *name, size_t transitions, size_t types, gp_zone **out);
uint16_t gp__zone_add_type(gp_zone *, const struct gp__local_type *);
void gp__zone_add(gp_zone *, int64_t second, uint16_t kind);

/* rule.c */

enum gp__rule_kind {
    GP__RULE_JULIAN,  /* Jn: 1 to 365, 29 February does not count */
    GP__RULE_DAY,     /* n: 0 to 365, it does */
    GP__RULE_WEEKDAY, /* Mm.w.d */
};

struct gp__rule_date {
    enum gp__rule_kind kind;
    int day; /* of the year, or the weekday */
    int week;
    int month;
    int32_t time; /* seconds after midnight, local time as it was until then */
};

struct gp__rule {
    struct gp__local_type standard;
    struct gp__local_type daylight;
    bool has_daylight;
    struct gp__rule_date begin; /* of daylight saving time, if there is any */
    struct gp__rule_date end;
};

#define GP__RULE_TRANSITIONS (2 * (size_t)(GP__LAST_YEAR - GP__FIRST_YEAR + 3)) /* at most */

bool gp__rule_read(const char *text, size_t length, struct gp__rule *out);
void gp__rule_extend(const struct gp__rule *, gp_zone *, int64_t after); /* adds what comes later
                                                        than that; type and kind of the rest, too */
bool gp__is_abbreviation(const char *text, size_t length);

#endif
