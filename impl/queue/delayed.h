/* What a scheduled pool needs of its queue beyond the queue interface: a class table. */
#ifndef GP_QUEUE_DELAYED_H
#define GP_QUEUE_DELAYED_H

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"

struct gp__alarm;

/* Called with the queue's lock held; sets `at` anew. True: the take ends with GP_EAGAIN, and its
   caller does what has to be done. */
typedef bool gp__ring_fn(struct gp__alarm *, int64_t now);

/* While the queue is not empty a taker rings the alarm when its time has come: a waiting taker on
   time, a busy one on its next take. So only workers of the pool that has set the alarm may take
   from the queue; a scheduled pool shows its queue to no other thread. */
struct gp__alarm {
    int64_t at;
    gp__ring_fn *ring; /* NULL: there is no alarm */
    void *context;
};

struct gp__delayed_class {
    /* As offer, for a task that is due and that only the caller knows: it may get a new key. NULL:
       offer does it. */
    int (*offer_due)(gp_queue *, gp_task *, const struct gp__key_source *);

    void (*give_up_slot)(gp_queue *, gp_task *); /* a periodic task will not come back */

    /* Shows each task to `review`, which is called with the lock held and may give it a new time.
       Tasks for which it returns true go to `out`; their slots stay reserved, as if they ran. */
    void (*review)(gp_queue *, gp__match_fn *review, void *context, gp_task_list *out);
    void (*set_alarm)(gp_queue *, const struct gp__alarm *); /* in place of the one before */
};

static inline int gp__delayed_offer_due(gp_queue *queue, gp_task *task,
                                        const struct gp__key_source *keys)
{
    const struct gp__queue_class *class = queue->class;
    return class->delayed->offer_due != NULL ? class->delayed->offer_due(queue, task, keys)
                                             : class->offer(queue, task);
}

static inline void gp__delayed_give_up_slot(gp_queue *queue, gp_task *task)
{
    queue->class->delayed->give_up_slot(queue, task);
}

static inline void gp__delayed_review(gp_queue *queue, gp__match_fn *review, void *context,
                                      gp_task_list *out)
{
    *out = (gp_task_list){0};
    queue->class->delayed->review(queue, review, context, out);
}

static inline void gp__delayed_set_alarm(gp_queue *queue, const struct gp__alarm *alarm)
{
    queue->class->delayed->set_alarm(queue, alarm);
}

#endif
