/* The few things that a process has once. */
#ifndef GP_SYNC_GLOBALS_H
#define GP_SYNC_GLOBALS_H

#include <stdbool.h>

#include <glasspool/thread.h>

extern _Thread_local gp_thread *gp__current; /* for the next alone: each task asks several times */

/* The calling thread's record, or NULL. */
static inline gp_thread *gp__current_thread(void)
{
    return gp__current;
}

unsigned gp__next_pool_number(void);     /* 1, 2, ...: for pool-N-thread-M */
unsigned gp__next_timer_number(void);    /* 1, 2, ...: for timer-N */
unsigned gp__add_timer(void);            /* how many timers there are now that are not stopped */
void gp__remove_timer(void);             /* one less */
bool gp__claim_timer_warning(void);      /* true, once */
int gp__set_current_thread(gp_thread *); /* a foreign thread's: released when the thread ends */
void gp__set_own_thread(gp_thread *);    /* a thread of ours: it cleans up after itself */
void gp__set_former_owner(const void *); /* its record goes, but destructors of its thread-specific
                                            data are yet to come: ... */
const void *gp__former_owner(void);      /* ... whom did the calling thread work for? or NULL */

#endif
