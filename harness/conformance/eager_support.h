/* Support for the suites of the eager pool. */
#ifndef CONFORMANCE_EAGER_SUPPORT_H
#define CONFORMANCE_EAGER_SUPPORT_H

#include <glasspool/eager.h>

#include "pool_support.h"

gp_queue *task_queue_of(int capacity);
gp_pool *eager_of(const gp_pool_config *); /* must succeed */
gp_pool *eager_with(int core_size, int maximum_size, int capacity);
bool await_submitted(gp_pool *, size_t count); /* until it has so many tasks */
void eager_end(gp_pool *); /* checked, shut down: nothing is counted any more; closed */

/* One worker that is busy, one task in a queue for one; no more workers. */
void saturate_eager(struct saturated *, gp_rejection);
void saturated_eager_end(struct saturated *); /* lets go, waits until nothing is counted, closes */

/* A factory that fails so often and then makes threads, context: how often, an int. */
int create_after_failures(void *context, gp_run_fn *run, void *argument, gp_thread **out);

#endif
