/*
 * Glasspool: cron expressions.
 *
 *     second  minute  hour  day   month  weekday       six fields; without the first, five:
 *     0-59    0-59    0-23  1-31  1-12   0-7           second 0
 *                                 JAN..  SUN..         0 and 7 are Sunday; names in any case
 *
 *     *          every                        ?         the same, of day and weekday
 *     a          that one                     a-b       from a to b
 *     a,b        either                       x/n       every nth of x; a/n: from a to the end
 *     L  L-n     last day, n days before it   LW        last of Monday to Friday
 *     nW         the day of Monday to Friday that is nearest to n in the same month
 *     d#n        the nth weekday d            dL        the last weekday d
 *     @yearly @annually @monthly @weekly @daily @midnight @hourly        -      never: disabled
 *
 * Lists may mix all of these; ? stands alone. A range runs forward, but Sunday may stand at either
 * end: SUN-TUE, FRI-SUN. A step is at most as large as its field: 0/90 of minutes is refused, as it
 * would not mean what it says. L and W in any case, too; fields are apart by spaces or tabs.
 *
 * Day and weekday must both match, as in Spring. ("0 0 0 13 * FRI" is every Friday the 13th;
 * Unix's cron would run on all Fridays and on each 13th.)
 *
 * When clocks are put forward, local times are left out; an expression that asks for one of them
 * has no match that day. When clocks are put back, an hour happens twice. An expression that names
 * its hours matches the first time only, as users of cron expect; one that goes through the hours,
 * with * or / in that field, matches both times. GP_CRON_OVERLAP_TWICE makes the former do so, too,
 * as Spring does.
 *
 * A compiled expression does not change: threads may share it. Times are wall time (zone.h).
 */
#ifndef GLASSPOOL_CRON_H
#define GLASSPOOL_CRON_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#include "api.h"
#include "clock.h" /* GP_NEVER */
#include "zone.h"  /* gp_zone */

GP_BEGIN_DECLS

typedef struct gp_cron gp_cron;

enum gp_cron_flags {
    GP_CRON_OVERLAP_TWICE = 1 /* fixed hours, too, match in both hours of an overlap */
};

enum gp_cron_field {
    GP_CRON_SECOND,
    GP_CRON_MINUTE,
    GP_CRON_HOUR,
    GP_CRON_DAY,
    GP_CRON_MONTH,
    GP_CRON_WEEKDAY,
    GP_CRON_EXPRESSION, /* the number of its fields, an unknown macro */
    GP_CRON_ZONE        /* no such zone */
};

/* Where an expression is wrong, and why. */
typedef struct gp_cron_error {
    enum gp_cron_field field;
    size_t position;    /* of the character in the expression at which the trouble begins */
    size_t length;      /* how many characters it concerns; 0: something is missing there */
    const char *reason; /* a few words, a literal */
} gp_cron_error;

/* zone: as in gp_zone_open, NULL is the local one; error may be NULL. GP_EINVAL: *error says what
   is wrong, *out is not written; with a zone that cannot be opened also what gp_zone_open says. */
GP_API int gp_cron_parse(const char *expression, const char *zone, unsigned flags, gp_cron **out,
                         gp_cron_error *error);

/* The same with a zone at hand, which it keeps a reference of; NULL: UTC. */
GP_API int gp_cron_parse_in(const char *expression, gp_zone *zone, unsigned flags, gp_cron **out,
                            gp_cron_error *error);

GP_API gp_cron *gp_cron_retain(gp_cron *); /* one more handle */
GP_API void gp_cron_release(gp_cron *);    /* NULL is fine */

GP_API int64_t gp_cron_next(const gp_cron *, int64_t after);  /* the first match later than that,
                                                                 or GP_NEVER */
GP_API int64_t gp_cron_prev(const gp_cron *, int64_t before); /* the last match earlier than that,
                                                                 or INT64_MIN */
GP_API bool gp_cron_matches(const gp_cron *, int64_t time);   /* is the second of that time one? */
GP_API bool gp_cron_is_disabled(const gp_cron *);             /* was it "-"? */
GP_API gp_zone *gp_cron_zone(const gp_cron *);                /* borrowed */

/* In words: "at 09:30, Monday to Friday (Europe/Berlin)". As snprintf: the length of the whole
   text; what does not fit is cut. */
GP_API int gp_cron_describe(const gp_cron *, char *text, size_t size);

/* What is wrong, in words and with a caret under the character; as snprintf. Of an error of the
   zone it has no caret, and does not say which zone: the error does not know, the caller does. */
GP_API int gp_cron_explain(const char *expression, const gp_cron_error *, char *text, size_t size);

GP_END_DECLS

#endif
