/* What the library asks of the system beyond C11 and pthreads: one thin function each. */
#ifndef GP_SYNC_OS_H
#define GP_SYNC_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gp__os_signal { /* a source of repeated signals to one thread */
    void *timer;
    bool open;
};

void gp__os_name_thread(const char *name);    /* the calling thread, as the system shows it */
void gp__os_set_nice(int nice);               /* of the calling thread */
void gp__os_set_timer_slack(int64_t nanos);   /* of the calling thread */
int gp__os_prepare_signal(int signal_number); /* a handler is there afterwards; or GP_EINVAL */
int gp__os_signal_open(struct gp__os_signal *, int signal_number); /* to the calling thread */
void gp__os_signal_repeat(struct gp__os_signal *); /* now, and every millisecond from then on */
void gp__os_signal_stop(struct gp__os_signal *);   /* none is under way when the target calls it */
void gp__os_signal_close(struct gp__os_signal *);
int gp__os_init_brief_lock(pthread_mutex_t *); /* held for moments only; GP_OK, GP_ENOMEM */
void gp__os_backoff(unsigned *rounds); /* let others run, while waiting for something short */
void gp__os_linger(unsigned *rounds);  /* likewise, for what is over in some ten instructions */

#endif
