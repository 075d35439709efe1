/* Functions that travel without a task: the interface for the kinds of pool. */
#ifndef GP_POOL_FUNCTIONS_H
#define GP_POOL_FUNCTIONS_H

#include <stdbool.h>

#include "pool/worker.h"
#include "queue/queue.h"

/* Can a pool with this queue and these hooks take them? */
bool gp__may_take_functions(const gp_queue *, const gp_pool_hooks *);

/* True: done, with that status. False: it has to become a task. */
bool gp__enqueue_function(gp_pool *pool, gp_run_fn *run, void *argument,
                          const struct gp__key_source *keys, int *status);
bool gp__start_function(gp_pool *pool, gp_run_fn *run, void *argument, int *status); /* no keys */

void gp__run_functions(struct gp__worker *); /* those that are queued, and tasks between them */

#endif
