/*
 * What the program's objects are called in a story: "queue.lock", "future.state", "m3".
 *
 * Only a global variable has a name of its own; what lies on the heap or on a stack has the one by
 * which the source line calls it that uses it first (source_names.h). Its last two parts are taken:
 * of &future->state, "future.state". If another object has that label already, there is a number
 * behind it, "future.state#2". Where the source tells nothing, it is the letter of its kind and a
 * number.
 *
 * Of a global variable the source's name is taken if it begins with the variable's, "shared.state";
 * otherwise, say behind a pointer, it is the variable with the number of bytes into it, "shared+8";
 * of node->next, at its beginning, with the member: "first.next".
 *
 * Pointers that the program stores have the names that probes give to them, or those of the global
 * variables that they point to, or are p1, p2, ... in the order in which they are met.
 */
#ifndef HARNESS_EXPLORE_LABELS_H
#define HARNESS_EXPLORE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/explore/record.h"

enum label_kind {
    LABEL_ATOMIC,
    LABEL_MUTEX,
    LABEL_CONDITION,
    LABEL_RWLOCK,
    LABEL_SEMAPHORE,
    LABEL_BARRIER,
    LABEL_SPIN,
    LABEL_ONCE,
    LABEL_MEMORY, /* of a plain access */
    LABEL_POINTER,
    LABEL_KINDS
};

void labels_clear(void);
/* Labels it if the source tells its name; to be tried for each use, since not each does. */
void labels_try(enum label_kind, const void *object, enum op_kind, const struct record_stack *);
/* Good until labels_clear. */
const char *labels_of(enum label_kind, const void *object);
/* The same, with a name that is known otherwise, of so many bytes. */
const char *labels_name(enum label_kind, const void *object, const char *name, size_t length);
/* Gives it the label that it has as something else, if it has one. */
void labels_share(enum label_kind, const void *object);
bool labels_kind_of(enum op_kind, enum label_kind *); /* of its object; false: it has none */
const char *label_kind_name(enum label_kind);         /* "mutex" */

/* A value as the story shows it: a number, a time, the label of a pointer, or "?" for memory that
   nobody has written to. */
const char *labels_value(uint64_t value, unsigned size, char text[32]);
bool labels_is_pointer(uint64_t value); /* into the program's memory */

#endif
