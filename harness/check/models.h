/*
 * The models: what queues and futures are, one call at a time.
 *
 * Each model comes with the operations that it knows. The result of a call is what the library's
 * function returned: a status, a truth, a count. Where the function also hands out something, the
 * result is that, a positive number, or else the status, which is negative:
 *
 *     history_end(call, status == GP_OK ? number_of(task) : status);
 *
 * A call that waits (put, take, get) is in turn where it could return. If it gave up, it has
 * changed nothing: GP_ETIMEDOUT is right where it would have had to wait, GP_EINTERRUPTED (except
 * for futures) and GP_ENOMEM anywhere.
 */
#ifndef HARNESS_CHECK_MODELS_H
#define HARNESS_CHECK_MODELS_H

#include "harness/check/linear.h"

/* ---- queues ---- */

/* Tasks are numbers from 1 to 127. In a priority queue the least rank comes first, and among equals
   the first that went in; in a delayed queue, all of whose tasks must be due, the rank is the time
   and the number below it the sequence. A FIFO queue takes the number as a name. */
#define MODEL_TASK(rank, number) ((rank)*16 + (number)) /* ranks 0 to 7, numbers 1 to 15 */

enum queue_operation {
    QUEUE_OFFER,     /* task: GP_OK, GP_EFULL */
    QUEUE_PUT,       /* task: GP_OK; offer_timed, too */
    QUEUE_POLL,      /* the task, or GP_EEMPTY */
    QUEUE_TAKE,      /* the task; poll_timed, too */
    QUEUE_REMOVE,    /* task: GP_OK, GP_ENOTFOUND */
    QUEUE_PEEK,      /* the task, or GP_EEMPTY */
    QUEUE_SIZE,      /* a count */
    QUEUE_REMAINING, /* a count, or -1: GP_UNBOUNDED */
    QUEUE_DRAIN      /* the tasks, as model_list has it */
};

extern const struct linear_model model_fifo;     /* parameter: the capacity; 0: no bound */
extern const struct linear_model model_priority; /* likewise */
extern const struct linear_model model_delayed;  /* likewise */

/* A hand-off holds nothing: who puts and who takes must have been there at the same time. That
   offer or poll found nobody is always right: a call under way need not have arrived yet. It knows
   no drain. */
extern const struct linear_model model_handoff;

/* A list of up to eight tasks as a result: begin with 0, add the i-th, counted from 0. */
int64_t model_list(int64_t list, unsigned i, unsigned task);

/* ---- futures ---- */

/* Results are numbers that are not negative. */
enum future_operation {
    FUTURE_SET,           /* result: true, false */
    FUTURE_FAIL,          /* true, false */
    FUTURE_CANCEL,        /* true, false */
    FUTURE_RUN,           /* what the callable gives, negative if it fails: true; false: it was
                             done, or somebody else is running it */
    FUTURE_RUN_AND_RESET, /* of a callable that does not fail: true, false as above */
    FUTURE_GET,           /* the result, GP_EFAILED, GP_ECANCELLED; get_timed, too */
    FUTURE_IS_DONE,       /* true, false */
    FUTURE_IS_CANCELLED   /* true, false */
};

extern const struct linear_model model_future;

/* ---- calls in words ---- */

const char *model_status(int64_t status); /* "ok", "empty", ... */
void model_describe_queue(const struct history_call *, struct linear_words *);

#endif
