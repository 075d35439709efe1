/*
 * Included before the first line of impl/queue/delayed.c and of delayed_all.c, with PLACE_ALOUD,
 * when these are compiled for the drawings: what they write into the heap goes through place_aloud,
 * in heap.c.
 */
#ifndef DOCS_PICTURES_ALOUD_H
#define DOCS_PICTURES_ALOUD_H

#include "queue/delayed.h"

void place_aloud(struct gp__entry *heap, size_t k, const struct gp__entry *entry);

#ifdef PLACE_ALOUD
#define gp__place place_aloud
#endif

#endif
