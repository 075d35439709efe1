/* What all families of scenarios may want. */
#ifndef STRESS_SUPPORT_H
#define STRESS_SUPPORT_H

void do_nothing(void *unused); /* a gp_run_fn, for tasks that are not about running */

#endif
