/*
 * Support for the suites of triggers: a wall clock that is moved by hand, and a trigger that reads
 * its times from a list and remembers what it was asked.
 */
#ifndef CONFORMANCE_TRIGGER_SUPPORT_H
#define CONFORMANCE_TRIGGER_SUPPORT_H

#include <glasspool/trigger.h>

#include "pool_support.h"

#define START  INT64_C(1700000000000000000)
#define HOUR   GP_SECONDS(3600)
#define MINUTE GP_SECONDS(60)

/* It shows the monotonic time plus an offset, so that it runs by itself. */
struct hand_clock {
    _Atomic int64_t offset;
    _Atomic int reads; /* so often it was read */
    int moves_after;   /* after so many more reads it moves by itself; 0: it does not */
    int64_t moves_by;  /* ... by that much */
    bool is_steady;    /* nobody watches it */
    int slow_reads;    /* so many take long */
};

void hand_clock_move(struct hand_clock *, int64_t by);
int64_t hand_clock_now(void *argument);             /* of a hand_clock */
gp_scheduled_config config_by(struct hand_clock *); /* one worker */
gp_scheduled *scheduled_by(struct hand_clock *);

enum {
    SCRIPT_LENGTH = 8
};

/* Asked for the nth time it gives the nth time; after the last GP_NEVER. Read it when the task has
   ended, or cannot be asking. */
struct script {
    int64_t times[SCRIPT_LENGTH];
    int count;
    gp_trigger_context contexts[SCRIPT_LENGTH]; /* what it was told */
    int64_t nows[SCRIPT_LENGTH];
    _Atomic int asked;
    _Atomic int destroyed;
    void (*inside)(struct script *); /* called when it is asked; NULL: nothing to do */
    void *context;
};

gp_trigger script_trigger(struct script *);
gp_future *job_trigger(gp_scheduled *, struct job *, struct script *, const gp_trigger_options *);
gp_triggered_status status_of(gp_future *);        /* must succeed */
bool await_ended_runs(gp_future *, uint64_t runs); /* until so many have ended */
bool await_asked(struct script *, int times);      /* until it was asked so often */

/* A task that waits for its second time, an hour off; its first run was at once. */
struct waiting {
    struct hand_clock clock;
    struct script script;
    struct job job;
    gp_trigger_options options;
    gp_scheduled *scheduled;
    gp_future *future;
    int64_t first;
    int64_t next;
};

void begin_waiting(struct waiting *, gp_missed); /* by a clock that is steady */
void end_waiting(struct waiting *);
void move_and_look(struct waiting *, int64_t by);
void check_delay(struct waiting *, int64_t expected); /* until its second time, or a bit less */
bool are_near(int64_t left, int64_t right); /* the two clocks are read one after the other */

#endif
