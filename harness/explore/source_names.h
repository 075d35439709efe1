/*
 * What a line of the source calls the object that it works on.
 *
 * Reading it off is a guess, made with the knowledge of what is done there: the first argument of
 * the call that does it, as in atomic_load(&future->state), or what stands beside an operator, as
 * in count++. A line on which several things are done to different objects tells nothing, rather
 * than something wrong.
 */
#ifndef HARNESS_EXPLORE_SOURCE_NAMES_H
#define HARNESS_EXPLORE_SOURCE_NAMES_H

#include "harness/explore/labels.h"

enum {
    SOURCE_NAME = 128 /* bytes that a name fits in */
};

/* With dots for arrows, without what is in brackets: of &self->links[i].state,
   "self.links.state". False: nothing is known. */
bool source_name(enum label_kind, enum op_kind, const struct record_stack *,
                 char name[SOURCE_NAME]);

#endif
