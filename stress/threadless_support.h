/*
 * What the races of threadless executors share: one call, whose tasks are jobs (pool_support.h).
 *
 * A job knows who ran it, so that it can be told whether it was the thread that waits or the shared
 * executor. The waiting future is called the answer; what it is failed with has a payload that
 * counts its destruction.
 */
#ifndef STRESS_THREADLESS_SUPPORT_H
#define STRESS_THREADLESS_SUPPORT_H

#include <glasspool/threadless.h>

#include "stress/pool_support.h"

#define THREADLESS "impl/rpc/threadless.c"

enum {
    PAYLOADS = 2
};

struct threadless_state {
    struct pool_state base; /* the shared executor, and the jobs */
    gp_threadless *threadless;
    gp_future *answer;
    gp_thread *waiter;      /* a reference */
    int payloads[PAYLOADS]; /* how often each was destroyed */
};

/* What a wait came back with. */
enum drained {
    CAME_BACK,
    FOUND_IT_BUSY,
    TIMED_OUT,
    WAS_INTERRUPTED,
    FAILED
};

#define DRAINED                                                                \
    {                                                                          \
        "came back", "found it busy", "timed out", "was interrupted", "failed" \
    }

/* What became of a job. */
enum whereabouts {
    NOWHERE, /* lost */
    HERE,    /* run by the thread that waited */
    ELSEWHERE,
    DISCARDED,
    TURNED_AWAY,
    TWICE,
    ENDED_WRONGLY
};

#define WHEREABOUTS                                                                              \
    {                                                                                            \
        "is lost", "ran here", "ran elsewhere", "was discarded", "was refused", "met two fates", \
            "was not destroyed once"                                                             \
    }

/* What became of the answer. */
enum answered {
    NOT_DONE,
    A_RESULT,
    FAILED_BY_ONE, /* its code is that of the payload */
    FAILED_BY_OTHER
};

#define ANSWERED                                                                 \
    {                                                                            \
        "is not done", "has its result", "was failed", "was failed by the other" \
    }

/* The slots of an outcome that all of them have. */
enum {
    SHARED_END,
    ONE_JOB,
    OTHER_JOB,
    FREE_SLOT
};

bool threadless_open(struct threadless_state *, uint64_t random);
int threadless_execute(struct threadless_state *,
                       int number); /* of the job; as gp_threadless_submit */
bool threadless_notify(struct threadless_state *,
                       int number); /* of the payload; destroys it if it stays ours */
unsigned char threadless_wait(struct threadless_state *); /* a drained */
unsigned char threadless_wait_for(struct threadless_state *, int64_t nanos);
unsigned char threadless_answered(struct threadless_state *);                      /* an answered */
unsigned char threadless_destroyed(const struct threadless_state *, int payload);  /* 0: once */
unsigned char threadless_whereabouts(const struct threadless_state *, int number); /* of the job */
void threadless_judge(struct threadless_state *, struct outcome *,
                      int jobs); /* closes all, fills the first slots */
void threadless_tear_down(void *);
int threadless_invariant(void *);

/* What more than one file wants. */

bool threadless_set_up(void *, uint64_t random); /* threadless_open */
void act_execute_one(void *, struct outcome *);
void act_execute_other(void *, struct outcome *);
void threadless_arbiter_of_one(void *, struct outcome *);
void threadless_arbiter_of_two(void *, struct outcome *);

#endif
