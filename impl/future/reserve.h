/* A reserve: memory for tasks that are made where nothing may fail. */
#ifndef GP_FUTURE_RESERVE_H
#define GP_FUTURE_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

#include <glasspool/task.h>

struct gp__reserve;

struct gp__reserve *gp__reserve_new(size_t count, size_t task_size); /* NULL: no memory */
void gp__reserve_release(struct gp__reserve *); /* by its owner; tasks in it stay. NULL: no-op */
void *gp__reserve_take(struct gp__reserve *, size_t i); /* memory for the i-th task */
bool gp__reserve_is_whole(struct gp__reserve *);        /* no task is in it any more */
void gp__reserve_give_back(void *task);                 /* in place of free, once it has ended */

/* A task without a future in such memory; delayed: for a delayed queue. */
gp_task *gp__reserved_task_init(void *memory, gp_run_fn *run, void *argument, bool delayed);

#endif
