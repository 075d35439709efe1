/* The few things that a process has once. */
#ifndef GP_SYNC_GLOBALS_H
#define GP_SYNC_GLOBALS_H

#include <glasspool/thread.h>

unsigned gp__next_pool_number(void);     /* 1, 2, ...: for pool-N-thread-M */
gp_thread *gp__current_thread(void);     /* the calling thread's record, or NULL */
int gp__set_current_thread(gp_thread *); /* a foreign thread's: released when the thread ends */
void gp__set_own_thread(gp_thread *);    /* a thread of ours: it cleans up after itself */

#endif
