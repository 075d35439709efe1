/*
 * Small programs whose executions can be counted, for the tests of the strategies, and what they
 * share.
 */
#ifndef HARNESS_EXPLORE_TEST_PROGRAMS_SEARCH_H
#define HARNESS_EXPLORE_TEST_PROGRAMS_SEARCH_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "harness/explore/machine.h"

struct search_program {
    const char *name;     /* NULL ends a table */
    void (*run)(void);    /* leaves its outcome in observed[0] */
    struct faults faults; /* that are allowed */
    uint64_t orders;      /* that there are, as theory has it; 0: not known */
    bool too_large;       /* for dfs */
    bool c11;             /* is its memory model */
    bool uncut;           /* dpor begins none of its orders in vain */
    bool counts_spins;    /* how often it goes round matters, and no search sees all of that */
};

#define PROGRAM(function) .name = #function, .run = (function)

extern const struct search_program search_programs_on_data[], search_programs_that_wait[],
    search_programs_drawn[];

/* With a bug that two steps in the wrong order are enough for: an assertion fails. */
void program_depth_two_bug(void);

/* ---- for the programs ---- */

enum {
    MOST_THREADS = 16
};

typedef void *thread_body(void *number);

extern struct common {
    pthread_t threads[MOST_THREADS];
    _Atomic unsigned x, y, z;
    _Atomic unsigned own[MOST_THREADS]; /* one for each thread */
    unsigned seen[MOST_THREADS];        /* by each thread */
    unsigned tape;                      /* digits, appended with a lock held */
    pthread_mutex_t lock, other_lock;
    pthread_cond_t cond;
    unsigned ready; /* with the lock held */
    sem_t semaphore;
} common;

static inline void *as_argument(unsigned number)
{
    return (void *)(uintptr_t)number;
}
static inline unsigned as_number(void *argument)
{
    return (unsigned)(uintptr_t)argument;
}

void begin(unsigned number, thread_body *);
void wait_for(unsigned count); /* threads from 0 on */
void run_all(unsigned count, thread_body *const *);
#define RUN(...)                                                            \
    run_all(sizeof((thread_body *[]){__VA_ARGS__}) / sizeof(thread_body *), \
            (thread_body *[]){__VA_ARGS__})

uint64_t what_was_seen(unsigned threads); /* and the tape, as one number */
void leave(uint64_t outcome);
struct timespec in_nanoseconds(long); /* from now */
void append(unsigned digit);
void append_locked(unsigned digit);

/* Bodies that more than one file uses. */
thread_body append_name, store_name, store_own, store_y_load_x;

#endif
