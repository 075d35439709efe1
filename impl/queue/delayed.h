/* The delayed queue inside the library: what the scheduled pool needs beyond the interface. */
#ifndef GP_QUEUE_DELAYED_H
#define GP_QUEUE_DELAYED_H

#include "queue/queue.h"

void gp__delayed_give_up_slot(gp_queue *, gp_task *); /* a periodic task will not come back */

#endif
