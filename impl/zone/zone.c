/*
 * Time zones: the table, and what it is asked.
 *
 * A zone is a row of periods. In each the offset from UTC, the name of the time and whether it is
 * daylight saving time stay the same. The file of a zone lists the moments at which one period ends
 * and the next begins, up to some year, and ends with a rule for all the years to come.
 *
 *        times        t0      t1      t2                t3   ...
 *      ---------------|-------|-------|-----------------|------------------>
 *        kinds   0        1       2           3             4     (which type)
 *
 *   [ZONE-1] The times ascend strictly, and lie where nanoseconds in an int64_t can reach them: in
 *            the years 1677 to 2262. What a file says beyond that is left out; the first period is
 *            then the one that lasts at the beginning of 1677's range.
 *   [ZONE-2] Neighbouring periods differ in something. A transition that changes nothing is left
 *            out; one that changes the name alone is not.
 *   [ZONE-3] A zone never changes once it has been handed out, and is freed with its last handle.
 *
 * The rule is carried out when a zone is opened, to the end of time: a few hundred years of two
 * transitions each, about 5 kB. So a question is a search by halves in one array, whatever the year
 * is; no question needs memory, and no question can fail. To compute the transitions around the
 * time that is asked for, as C libraries do, saves the memory and pays with each question; and a
 * rule then has two meanings to keep equal, one for the state and one for the next change.
 *
 * A zone is one block of memory: it is there, or it is not.
 */
#include "zone/zone.h"

#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

/* Making one. */

int gp__zone_new(const char *name, size_t transitions, size_t types, gp_zone **out)
{
    size_t name_size = strlen(name) + 1;
    size_t times_size = transitions * sizeof(int64_t);
    size_t types_size = types * sizeof(struct gp__local_type);
    size_t kinds_size = (transitions + 1) * sizeof(uint16_t);
    gp_zone *zone = malloc(sizeof *zone + times_size + types_size + kinds_size + name_size);
    if (zone == NULL)
        return GP_ENOMEM;
    *zone = (gp_zone){.times = (int64_t *)(zone + 1)};
    zone->types = (struct gp__local_type *)(zone->times + transitions);
    zone->kinds = (uint16_t *)(zone->types + types);
    zone->name = (char *)(zone->kinds + transitions + 1);
    zone->kinds[0] = 0;
    memcpy(zone->name, name, name_size);
    atomic_init(&zone->refs, 1);
    *out = zone;
    return GP_OK;
}

static bool is_same(const struct gp__local_type *left, const struct gp__local_type *right)
{
    return left->offset == right->offset && left->daylight_saving == right->daylight_saving &&
           strcmp(left->abbreviation, right->abbreviation) == 0;
}

/* Equal types have equal numbers, so that kinds can be compared. */
uint16_t gp__zone_add_type(gp_zone *zone, const struct gp__local_type *type)
{
    size_t number = 0;
    while (number < zone->type_count && !is_same(&zone->types[number], type))
        number++;
    if (number == zone->type_count)
        zone->types[zone->type_count++] = *type;
    return (uint16_t)number;
}

void gp__zone_add(gp_zone *zone, int64_t second, uint16_t kind)
{
    if (second > GP__LAST_SECOND || kind == zone->kinds[zone->count]) /* [ZONE-1] [ZONE-2] */
        return;
    if (second >= GP__FIRST_SECOND)
        zone->times[zone->count++] = second;
    zone->kinds[zone->count] = kind;
}

/* Handles: [ZONE-3]. */

gp_zone *gp_zone_retain(gp_zone *zone)
{
    /* relaxed: who has a handle may make another */
    atomic_fetch_add_explicit(&zone->refs, 1, memory_order_relaxed);
    return zone;
}

void gp_zone_release(gp_zone *zone)
{
    /* acq_rel: all uses of the others come before the free */
    if (zone != NULL && atomic_fetch_sub_explicit(&zone->refs, 1, memory_order_acq_rel) == 1)
        free(zone);
}

const char *gp_zone_name(const gp_zone *zone)
{
    return zone->name;
}

/* Questions. */

/* As many transitions as are not later than that. */
size_t gp__zone_find(const gp_zone *zone, int64_t second)
{
    size_t low = 0;
    size_t high = zone->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->times[middle] <= second)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gp_zone_period gp_zone_period_at(const gp_zone *zone, int64_t time)
{
    size_t number = gp__zone_find(zone, gp__floor_divide(time, GP_SECONDS(1)));
    const struct gp__local_type *type = &zone->types[zone->kinds[number]];
    return (gp_zone_period){.begin = number == 0 ? INT64_MIN : GP_SECONDS(zone->times[number - 1]),
                            .end =
                                number == zone->count ? INT64_MAX : GP_SECONDS(zone->times[number]),
                            .offset = type->offset,
                            .daylight_saving = type->daylight_saving,
                            .abbreviation = type->abbreviation};
}
