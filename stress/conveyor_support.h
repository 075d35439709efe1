/* What the races of pools with a conveyor, or a lane, share: such a pool, and plain functions for
   it. */
#ifndef STRESS_CONVEYOR_SUPPORT_H
#define STRESS_CONVEYOR_SUPPORT_H

#include "stress/pool_support.h"

/* As pool_open, with a conveyor. */
bool conveyor_open(struct pool_state *, gp_pool_config *, uint64_t random);

/* One core worker, which is there already: without it a function would be its first task and never
   see a belt. */
bool conveyor_set_up_with_worker(void *, uint64_t random);

/* The same of a scheduled pool with a lane, which is made of the same belts. */
bool laned_set_up_with_worker(void *, uint64_t random);

void conveyor_execute(struct job *, gp_pool *); /* as a plain function */
void act_execute_two(void *, struct outcome *); /* the first two jobs */

#endif
