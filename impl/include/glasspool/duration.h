/*
 * Glasspool: durations as text.
 *
 *     500ms   1h30m   2d   1.5s   90            numbers with units d h m s ms us ns, the larger
 *                                               first; a number alone is in milliseconds, as in
 *                                               Spring
 *     PT1H   PT1H30M   P2D   PT0.5S   P1DT12H   ISO 8601, in days and less
 *
 * Letters in any case; no spaces. Only the last number may have a fraction. A duration is never
 * negative, is a whole number of nanoseconds, and at most what an int64_t of them holds.
 */
#ifndef GLASSPOOL_DURATION_H
#define GLASSPOOL_DURATION_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#include "api.h"

GP_BEGIN_DECLS

typedef struct gp_duration_error {
    size_t position;    /* of the character at which the trouble begins */
    const char *reason; /* a few words, a literal */
} gp_duration_error;

GP_API int gp_duration_parse(const char *text, int64_t *nanos,
                             gp_duration_error *error); /* GP_EINVAL; error may be NULL */
GP_API int gp_duration_text(int64_t nanos, char *text,
                            size_t size); /* "1h30m", "1s500ms", which reads as the same; as
                                             snprintf. GP_EINVAL: negative */

GP_END_DECLS

#endif
