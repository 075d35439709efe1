/*
 * What the races of triggers share: errands, a scheduler with a wall clock of its own, and a look
 * at how they have behaved.
 *
 * An errand is a task with a trigger. Both count what happens to them, in plain variables: the
 * trigger is asked while the task is in no queue and does not run [TRIGGER-1], and ThreadSanitizer
 * tells if it is otherwise. The trigger's answers are delays from now: the first, the second, and
 * so on; after the last it is a hundred hours, or never.
 *
 * The wall clock is the monotonic one plus an offset that actors change, by hours. Unless `watched`
 * is set it is said to be steady: then no alarm rings, which would ring twice in a real second,
 * and the actors look in their place (gp__watch_look).
 *
 * Scenarios called `..._fast` are the same with a fast scheduler, whose queue has a lane.
 */
#ifndef STRESS_TRIGGER_SUPPORT_H
#define STRESS_TRIGGER_SUPPORT_H

#include <stdatomic.h>

#include <glasspool/trigger.h>

#include "scheduled/trigger.h"
#include "stress/pool_support.h"

enum {
    ERRANDS = 4,
    ANSWERS = 2,
    AWAITED_RUNS = 8 /* at most */
};

struct trigger_state;

struct errand {
    struct trigger_state *state;     /* that it is part of */
    void (*thinks)(struct errand *); /* what its trigger does beside answering; NULL: nothing */
    int64_t delays[ANSWERS];         /* of the first answers, from now */
    bool ends;                       /* there are no others */
    gp_trigger inner;                /* asked in their place, if it has a function */
    int limit;     /* the run that fails, in a task that ends with a failure; 0: none */
    bool fails;    /* each run does, with something to be destroyed */
    int64_t takes; /* so long a run takes */
    int asked;
    int64_t answer; /* the last one: the time of the run that comes */
    bool repeated;  /* a time was not later than the one before */
    bool outdated;  /* a time was over when it was given */
    bool orphaned;  /* asked in a pool that had ended */
    int runs;
    bool busy;
    bool overlapped;
    int64_t began;     /* its last run, by the monotonic clock */
    int told;          /* of how many failures */
    int payloads;      /* of these, destroyed */
    int ends_argument; /* calls of the destructors */
    int ends_trigger;
    int status;        /* of scheduling it */
    gp_future *future; /* a reference */
    gp_future **ran;   /* one for each of the first runs, set at its end; NULL: nobody waits */
    int awaited;       /* how many of them there are */
};

struct trigger_state {
    gp_scheduled *scheduled;
    gp_kind kind;
    _Atomic int64_t offset; /* of the wall clock */
    struct errand errands[ERRANDS];
    gp_future *ran[AWAITED_RUNS]; /* of the first errand, ours to release */
    gp_future *gate;              /* what the worker waits for */
    gp_future *stepped;           /* an actor has set the clock */
    uint64_t random;
    bool watched; /* the clock is not said to be steady */
};

void trigger_choose_fast(void *);
bool trigger_open(struct trigger_state *, gp_scheduled_config *, uint64_t random); /* one worker */
bool trigger_open_held(struct trigger_state *, gp_scheduled_config *,
                       uint64_t random); /* the worker waits */
bool trigger_open_gated(struct trigger_state *, gp_scheduled_config *, uint64_t random,
                        gp_missed missed, int64_t first,
                        int64_t second); /* likewise, and all errands are scheduled, with these
                                            delays */
bool trigger_open_idle(struct trigger_state *, gp_scheduled_config *, uint64_t random,
                       gp_missed missed, int64_t first, int64_t second); /* nobody waits */
bool trigger_await_runs(struct trigger_state *, int count); /* before it is opened: of the first
                                            errand so many can be awaited, and not only one */
bool trigger_undo(struct trigger_state *);                  /* what a set-up has made; says false */
void trigger_tear_down(void *);
int trigger_invariant(void *);
gp_pool *trigger_pool(struct trigger_state *);
bool trigger_close(struct trigger_state *); /* false: it could not be closed */

void errand_start(struct trigger_state *, int number, const gp_trigger_options *);
gp_trigger_options errand_options(struct trigger_state *, int number); /* that tell the errand */
bool errand_is_on_time(struct trigger_state *, int number); /* its time is right by the clock */

int trigger_runs(const struct trigger_state *);       /* of all errands */
int trigger_on_time(struct trigger_state *);          /* how many are, when the watch has looked */
void trigger_await_first_run(struct trigger_state *); /* of the first errand */
void trigger_no_runs(struct trigger_state *);         /* it could not be scheduled: nobody waits */

void trigger_step(struct trigger_state *, int64_t by);
void trigger_go(struct trigger_state *); /* opens the gate; the worker has done all that was due */

void act_trigger_go(void *, struct outcome *);

/* Of all errands together. */
enum {
    NONE_OF_THEM,
    SOME_OF_THEM,
    ALL_OF_THEM
};

#define HOW_MANY              \
    {                         \
        "none", "some", "all" \
    }

unsigned char trigger_how_many(int count); /* of ERRANDS */

enum behaviour {
    WELL,
    RAN_TWICE_AT_ONCE,
    REPEATED_A_TIME,
    CAME_TOO_LATE,
    ASKED_AFTER_THE_END,
    NOT_DESTROYED_ONCE
};

#define BEHAVIOURS                                                                    \
    {                                                                                 \
        "all in order", "runs overlapped", "a time was run twice", "a time was over", \
            "asked after the end", "not destroyed once"                               \
    }

/* The last slots of all outcomes, the first being the scenario's. */
enum {
    CLOSE = 1,
    BEHAVIOUR = 2
};

/* Closes the pool, and tells of both; releases the futures. */
void trigger_end(struct trigger_state *, struct outcome *);

#endif
