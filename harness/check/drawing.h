/*
 * A history as a drawing: a column per lane, a line per stamp, so that what was under way at the
 * same time stands side by side.
 */
#ifndef HARNESS_CHECK_DRAWING_H
#define HARNESS_CHECK_DRAWING_H

#include <stddef.h> /* size_t */

#include "harness/check/linear.h"

/* Lines of text, cut off where the room ends. Names are those of the lanes. */
void drawing_of(const struct history *, const struct linear_model *,
                const char *const names[HISTORY_LANES], char *text, size_t room);
/* One line: the longest order that the search found to fit. */
void drawing_of_best(const struct linear_search *, char *text, size_t room);

#endif
