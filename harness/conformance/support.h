/*
 * Support: latches, helper threads, and callables that remember what happened to them.
 *
 * Tests do not sleep and hope. To be sure that another thread has come to a point they use a latch
 * or a gate; to be sure that it waits inside the library they ask for it again and again, with a
 * generous limit (eventually). Each test is right whether or not the other thread has got as far as
 * asleep: being asleep only makes it the more interesting case.
 */
#ifndef CONFORMANCE_SUPPORT_H
#define CONFORMANCE_SUPPORT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <glasspool/queue.h>
#include <glasspool/task.h>
#include <glasspool/thread.h>

bool eventually(bool (*holds)(void *), void *context); /* false: it did not, in a long time */

/* A latch opens when it has been counted down to zero, and stays open. */
struct latch {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    unsigned count;
};

void latch_init(struct latch *, unsigned count);
void latch_count_down(struct latch *);
void latch_await(struct latch *);
bool latch_await_for(struct latch *, int64_t nanos); /* false: not open yet */

/* A gate lets as many pass as it was opened for. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    unsigned permits;
};

void gate_init(struct gate *);
void gate_open(struct gate *, unsigned permits);
void gate_pass(struct gate *);

/* A helper is a plain pthread, foreign to the library, that runs one function. */
struct helper {
    pthread_t thread;
    void (*run)(void *);
    void *argument;
    bool bare;           /* it has no record at its start */
    gp_thread *record;   /* ours to release; NULL if bare */
    long id;             /* the system's */
    struct latch begun;  /* record and id are set */
    struct latch ended;  /* run has returned, or the thread has left it */
    bool joined_in_time; /* it ended by itself */
};

void helper_start(struct helper *, void (*run)(void *), void *argument);
void helper_start_bare(struct helper *, void (*run)(void *), void *argument);
void helper_await_asleep(struct helper *); /* it sleeps somewhere, presumably where it should */
void helper_interrupt(struct helper *);
void helper_join(struct helper *); /* checks that it ends; one that does not is interrupted */
void run_in_helper(void (*run)(void *), void *argument); /* start, join */
bool thread_is_asleep(long id);
long thread_id(void); /* the system's, of the calling thread */

/* A subject is the argument of a task: it counts what becomes of it. */
struct subject {
    _Atomic int runs;
    _Atomic int destroyed;
    int code;                         /* what the callable returns */
    void *result;                     /* what it gives if that is 0 */
    void (*inside)(struct subject *); /* called by the callable; NULL: nothing to do */
    void *context;                    /* for inside */
};

gp_callable callable_of(struct subject *); /* call, with a destructor */
gp_task *task_of(struct subject *);        /* a task without a future */
gp_task *delayed_task_of(struct subject *, int64_t time, uint64_t sequence);

size_t waiting_takers(gp_queue *);            /* how many wait to take */
bool await_takers(gp_queue *, size_t count);  /* until so many wait to take */
bool await_putters(gp_queue *, size_t count); /* until so many wait to put */

uint64_t random_next(uint64_t *state); /* xorshift; the state must not be 0 */
uint64_t random_below(uint64_t *state, uint64_t limit);

#endif
