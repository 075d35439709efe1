/* Support for the suites of the delayed queue: a model of it, and walks against the model. */
#ifndef CONFORMANCE_DELAYED_SUPPORT_H
#define CONFORMANCE_DELAYED_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/queue.h>

#include "queue/delayed.h" /* struct gp__key */

#include "support.h"

gp_queue *new_queue(void); /* of the reference */
gp_queue *new_laned(void);

int64_t long_ago(void);
int64_t in_an_hour(void);
ptrdiff_t index_of(gp_task *);

/* One more task, which must go in; the queue is checked. */
gp_task *offer_new(gp_queue *queue, struct subject *subject, int64_t time, uint64_t sequence);
int offer_without_memory(gp_queue *, gp_task *);

/* Lanes. */

struct gp__lane *lane_of(gp_queue *);
size_t on_lane(gp_queue *); /* how many are */

struct draws {
    uint32_t sequence; /* of the next key */
    int asked;         /* keys drawn */
};

struct gp__key draw_key(void *argument); /* the next, from struct draws */

/* The model: a plain array in which everything is searched. */

#define MODEL_SIZE 256

struct model {
    gp_task *tasks[MODEL_SIZE];
    size_t size;
    bool laned; /* where a task is cannot be seen from a snapshot */
};

size_t model_first(const struct model *); /* the place of the one that comes out first */
gp_task *model_remove(struct model *, size_t i);
void check_against_model(gp_queue *, const struct model *);

/* Offers, polls, removes and purges at random, checks each step, and frees the queue. Times are
   `base` or a little later, which is due or not. */
void walk_on(gp_queue *queue, bool laned, uint64_t seed, int64_t base, bool due);

#endif
