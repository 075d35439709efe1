/*
 * The kinds of queue that hold tasks, in a table: what they have in common is tested once, for each
 * of them. Tasks made by a kind's own function come out first in, first out, whatever the kind.
 */
#ifndef CONFORMANCE_QUEUE_KINDS_H
#define CONFORMANCE_QUEUE_KINDS_H

#include <stddef.h>

#include <glasspool/queue.h>

#include "support.h"

enum {
    BOUND = 4
}; /* the capacity of those that have one */

struct queue_kind {
    const char *name;
    int (*make)(gp_queue **out);
    gp_task *(*task)(struct subject *);
    size_t capacity;
};

/* To go through them, with the name of each shown beside failures; NULL: that was the last. */
const struct queue_kind *first_kind(void);
const struct queue_kind *next_kind(const struct queue_kind *);
const struct queue_kind *first_bounded(void);
const struct queue_kind *next_bounded(const struct queue_kind *);

gp_queue *queue_of(const struct queue_kind *);
gp_task *offer_task(gp_queue *, const struct queue_kind *, struct subject *); /* made and offered */
void queue_end(gp_queue *);                                                   /* checked, freed */

#endif
