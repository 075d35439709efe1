/* What all families of scenarios may want. */
#ifndef STRESS_SUPPORT_H
#define STRESS_SUPPORT_H

#include <glasspool/scheduled.h>

void do_nothing(void *unused); /* a gp_run_fn, for tasks that are not about running */

/* Who has no record of its thread yet needs memory to wait: these try again. */
int insist_on_get(gp_future *);      /* gp_future_get, without the result */
int insist_on_quiet(gp_pool *);      /* gp_pool_await_quiescence, for ever */
int insist_on_end(gp_pool *);        /* gp_pool_await_termination, for ever */
int insist_on_close(gp_scheduled *); /* gp_scheduled_close */

#endif
