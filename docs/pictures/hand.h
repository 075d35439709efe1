/*
 * Included before the first line of impl/wheel/hashed.c, with APPEND_ALOUD, when that is compiled
 * for the drawings: what it puts into a bucket goes through append_aloud, in wheel.c, which learns
 * by that where the buckets are. `wheel` is what hashed.c calls its wheel wherever it appends.
 */
#ifndef DOCS_PICTURES_HAND_H
#define DOCS_PICTURES_HAND_H

#include "wheel/timer.h"

void append_aloud(struct gp__row *all, struct gp__row *row, gp_timeout *timeout);

#ifdef APPEND_ALOUD
#define gp__row_append(row, timeout) append_aloud(wheel->buckets, row, timeout)
#endif

#endif
