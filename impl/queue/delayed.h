/* The delayed queue inside the library: what the scheduled pool needs beyond the interface. */
#ifndef GP_QUEUE_DELAYED_H
#define GP_QUEUE_DELAYED_H

#include "queue/queue.h"

void gp__delayed_give_up_slot(gp_queue *, gp_task *); /* a periodic task will not come back */

/* Shows each task to `review`, which is called with the lock held and may give it a new time. Those
   of which it says true are taken out; their slots stay reserved, as if they were run. */
void gp__delayed_review(gp_queue *, gp__match_fn *review, void *context, gp_task_list *out);

/* From now on a taker makes a round whenever `interval` has passed since the last one and the queue
   is not empty: who waits does so on time, who was busy when he comes. */
struct gp__rounds {
    bool (*is_needed)(void *context); /* with the lock held: is there anything to look at? */
    bool (*look)(void *context);      /* then, without the lock; true: the take ends as if the taker
                                         had been interrupted */
    void *context;
    int64_t interval;
};

void gp__delayed_begin_rounds(gp_queue *, const struct gp__rounds *);
void gp__delayed_hurry_rounds(gp_queue *); /* the next one is due now, if there are any */
void gp__delayed_end_rounds(gp_queue *);   /* one may still be under way */
bool gp__delayed_has_rounds(gp_queue *);

#endif
