/*
 * Included before the first line of impl/queue/delayed.c when that is compiled for the drawings,
 * with a heap.h in which gp__set_entry calls place_aloud first. It is in heap.c.
 */
#ifndef DOCS_PICTURES_ALOUD_H
#define DOCS_PICTURES_ALOUD_H

#include <stddef.h>

struct gp__entry;

void place_aloud(const struct gp__entry *entry, size_t k);

#endif
