/*
 * What the races of periodic tasks share: chores, a scheduler that runs them, and a look at how
 * they have behaved.
 *
 * A chore is a periodic task that counts its runs. The counters are plain variables: being in the
 * queue and being run exclude each other [PERIODIC-1], and ThreadSanitizer tells if they do not. A
 * chore that is to end fails at its last run. Some chores are hourly, so that one which is left in
 * the queue by mistake is noticed: somebody would have to wait for an hour.
 *
 * Scenarios called `..._fast` are the same with a fast first scheduler, whose queue has a lane.
 */
#ifndef STRESS_PERIODIC_SUPPORT_H
#define STRESS_PERIODIC_SUPPORT_H

#include <stdatomic.h>

#include <glasspool/scheduled.h>

#include "stress/pool_support.h"

enum {
    CHORES = 6,
    RUNS = 8, /* whose times are kept */
    A_MICROSECOND = 1000
};

struct chore {
    int limit; /* the run that fails; 0: none */
    int runs;
    int ends; /* calls of its destructor */
    bool busy;
    bool overlapped;
    int64_t due[RUNS];   /* when each run was due, if the scenario asks for it ... */
    int64_t began[RUNS]; /* ... and when it began */
    gp_future *future;   /* a reference */
    gp_future *ran;      /* set at the first run; NULL: nobody waits for that */
};

struct periodic_state {
    gp_scheduled *scheduled[2];
    gp_kind kind; /* of the first */
    struct chore chores[CHORES];
    gp_future *ran;  /* as in the chores, ours to release */
    gp_future *gate; /* what a task waits for */
    uint64_t random;
    atomic_int threads; /* that the factory was asked for */
};

gp_callable chore_callable(struct chore *);
/* At a fixed rate or with a fixed delay: chance decides. */
int chore_start(struct periodic_state *, int number, int64_t period);
unsigned char chore_get(const struct chore *); /* a gotten; waits */

/* How a chore has behaved. */
enum conduct {
    IN_ORDER,
    OVERLAPPED,
    NOT_ENDED_ONCE,
    TOO_MANY_RUNS
};

#define CONDUCTS                                                              \
    {                                                                         \
        "all in order", "runs overlapped", "not ended once", "runs too often" \
    }

unsigned char chore_conduct(const struct chore *);

/* ---- schedulers ---- */

bool periodic_new_signal(gp_future **); /* a future, to be set */
void periodic_choose_fast(void *);
bool periodic_open(struct periodic_state *, gp_scheduled_config *,
                   uint64_t random);             /* one worker, idle */
bool periodic_close(struct periodic_state *);    /* false: it could not be closed */
void periodic_undo(struct periodic_state *);     /* what a set-up has made */
gp_pool *periodic_pool(struct periodic_state *); /* of the first scheduler */
void periodic_tear_down(void *);
int periodic_invariant(void *);

/* ---- one chore, from beginning to end ---- */

enum {
    GET,
    CLOSE,
    CHORE
};

void act_chore_and_get(void *, struct outcome *);
void arbiter_of_chore(void *, struct outcome *); /* CLOSE, CHORE */

#endif
