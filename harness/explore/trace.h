/*
 * An execution as a file for other programs.
 *
 * Chrome's trace format, which ui.perfetto.dev opens: a track per thread, a slice per step and per
 * wait, a line per hold of a mutex, arrows from a signal to whom it wakes, from an unlock to the
 * next lock, from a creation to the thread's beginning. In this picture each step takes a
 * microsecond, so that it can be seen; the virtual time is an argument of the slice.
 *
 * Glasspool's own format, for a player: all that is known of each step, and the probes.
 */
#ifndef HARNESS_EXPLORE_TRACE_H
#define HARNESS_EXPLORE_TRACE_H

#include <stdio.h>

#include "harness/explore/story.h"

void trace_write_chrome(FILE *, const struct story *);
void trace_write_glasspool(FILE *, const struct story *);

#endif
