/*
 * Glasspool: time zones, from the system's own tables.
 *
 * A zone says how far local time is from UTC, at any time. It is read once, from the zoneinfo files
 * that every Unix has (TZif, RFC 9636), and does not change afterwards: any number of threads may
 * use any number of zones side by side. What the C library takes for the zone, TZ and tzset(), is
 * neither used nor disturbed.
 *
 * Wall time is in nanoseconds since 1970-01-01 00:00 UTC, leap seconds not counted, as
 * CLOCK_REALTIME has it. It ends in the year 2262.
 */
#ifndef GLASSPOOL_ZONE_H
#define GLASSPOOL_ZONE_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int32_t, int64_t */

#include "api.h"

GP_BEGIN_DECLS

typedef struct gp_zone gp_zone;

/* The zone of a name: "Europe/Berlin"; "UTC" and "Etc/UTC" need no file. TZDIR, if set, is where
   the files are. NULL is the local zone: the one that the environment variable TZ names, gives the
   path of, or describes as in gp_zone_of_rule; UTC if TZ is empty; without TZ that of
   /etc/localtime; without that UTC. GP_EINVAL: not a name. GP_ENOTFOUND: no such file. GP_ENOTSUP:
   not a table that can be used; damaged, with leap seconds, or not to be opened now. */
GP_API int gp_zone_open(const char *name, gp_zone **out);

/* The same from a rule as POSIX has it, "CET-1CEST,M3.5.0,M10.5.0/3" (daylight saving time with its
   dates, or none: GP_EINVAL); and from the bytes of a TZif file, which are read and not kept. The
   name is for gp_zone_name. */
GP_API int gp_zone_of_rule(const char *rule, gp_zone **out);
GP_API int gp_zone_of_data(const char *name, const void *data, size_t size, gp_zone **out);

GP_API gp_zone *gp_zone_retain(gp_zone *); /* one more handle */
GP_API void gp_zone_release(gp_zone *);    /* NULL is fine */

GP_API const char *gp_zone_name(const gp_zone *); /* as it was given; of the local zone "local" */

/* A stretch of time over which the offset does not change; the last and the first have no end. */
typedef struct gp_zone_period {
    int64_t begin;            /* wall time, INT64_MIN: always so */
    int64_t end;              /* the first moment after it, INT64_MAX: for ever */
    int32_t offset;           /* seconds to be added to UTC */
    bool daylight_saving;     /* as the table says */
    const char *abbreviation; /* "CEST"; lives as long as the zone */
} gp_zone_period;

/* The one that this wall time is in. */
GP_API gp_zone_period gp_zone_period_at(const gp_zone *, int64_t time);

GP_END_DECLS

#endif
