/*
 * What the races of timers share: alarms, a timer for them, and what became of each.
 *
 * An alarm is a timeout that counts what happens to it. The counters are plain variables: what
 * becomes of a timeout is decided once [TIMEOUT-1], and ThreadSanitizer tells if it is not. When
 * the race is over the arbiter stops the timer, and each alarm has a fate: it rang, somebody's
 * cancel has won, or it was handed back.
 *
 * Want of memory or of a thread (FAULTS=memory=1,thread=1 of the explorer) is no outcome: a call
 * that fails for it has changed nothing, and is made again.
 *
 * Scenarios called `..._tickless` are the same with a tickless timer.
 */
#ifndef STRESS_WHEEL_SUPPORT_H
#define STRESS_WHEEL_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <glasspool/future.h>
#include <glasspool/wheel.h>

#include "stress/scenarios.h"

enum {
    ALARMS = 4
};

/* A moment is a tick that comes while the actors are at work. Timers tick until they are judged,
   and as many may wait for that as a runner races in a row: where each turn takes a hundred times
   as long, and one thread runs at a time, shorter ticks would leave nothing for the actors. */
#ifdef HARNESS_VALGRIND
#define A_MOMENT INT64_C(50000000)
#else
#define A_MOMENT INT64_C(50000)
#endif

#define AN_HOUR        INT64_C(3600000000000)
#define NO_TICK        AN_HOUR /* of timers whose worker only waits */
/* Of scenarios whose worker ticks: a second would be thousands of ticks to make up for. */
#define SLACK_OF_TICKS (INT64_C(2) * 1000 * 1000)

struct alarm {
    gp_timeout *timeout; /* a handle; NULL: there is none, yet or ever */
    int status;          /* of adding it */
    int rings;
    int ends;                     /* how often its argument was destroyed */
    int cancels;                  /* that have won */
    int handbacks;                /* lists of stop that it was in */
    void (*ring)(struct alarm *); /* what else its function does; may be NULL */
    void *context;                /* for that */
};

enum wheel_kind {
    HASHED_WHEEL,
    FAST_WHEEL, /* of the fast kind */
    TICKLESS_WHEEL
};

struct wheel_state {
    gp_timer *timer;
    enum wheel_kind kind;
    struct alarm alarms[ALARMS];
    gp_future *announcement; /* set when the first alarm is there; NULL: nobody waits for that */
    gp_timeout_list unrun[2];
    int stops[2]; /* what they gave */
};

gp_timeout_fn alarm_rings; /* the argument is an alarm */
gp_destroy_fn alarm_ends;  /* likewise */

void alarm_add(struct wheel_state *, int number, int64_t delay);
bool wheel_add_in_set_up(struct wheel_state *, int number, int64_t delay); /* false: torn down */
bool alarm_cancel(struct alarm *); /* it has a handle; counts, if it wins */

/* What became of it. */
enum alarm_fate {
    NOT_ADDED,
    REJECTED,
    RANG,
    CANCELLED,
    HANDED_BACK,
    LOST_SIGHT_OF,     /* nothing of all that */
    IN_TWO_WAYS,       /* more than one */
    NOT_DESTROYED_ONCE /* its argument */
};

#define ALARM_FATES                                                                   \
    {                                                                                 \
        "not added", "rejected", "rang", "cancelled", "handed back", "lost sight of", \
            "ended in two ways", "not destroyed once"                                 \
    }

/* When the timer has stopped and the lists are given up; releases the handle. */
unsigned char alarm_fate(struct alarm *);

/* The slots of an outcome: how the timer ended, the fates of the first alarms, and then what the
   scenario has of its own. */
enum {
    END,
    FATES,
    SECOND_FATE,
    THIRD_FATE
};

#define TIMER_SLOT                           \
    {                                        \
        "the timer",                         \
        {                                    \
            "ended well", "did not end well" \
        }                                    \
    }
#define DID_NOT_END_WELL \
    "the timer did not end well", FORBIDDEN, "stop was refused, or left something behind", MAY_OCCUR

void wheel_judge(struct wheel_state *, struct outcome *,
                 int alarms); /* closes it, and fills them */

void wheel_choose_fast(void *);
void wheel_choose_tickless(void *);
bool wheel_open(struct wheel_state *, int64_t tick); /* not started; of the chosen kind */
bool wheel_open_started(struct wheel_state *, int64_t tick, int64_t max_pending);
bool wheel_open_with(struct wheel_state *, const gp_wheel_config *);
bool wheel_open_tickless(struct wheel_state *, int64_t max_cancelled); /* started */
int wheel_start(struct wheel_state *);
bool wheel_announce_later(struct wheel_state *); /* makes the announcement; false: torn down */
void wheel_await_announcement(struct wheel_state *);
void wheel_stop(struct wheel_state *, int number);      /* into stops and unrun */
void wheel_take_back(struct wheel_state *, int number); /* give the list up, count what is in it */
bool wheel_close(struct wheel_state *);                 /* stop it, take all back, free it */
void wheel_tear_down(void *);
int wheel_invariant(void *);

/* What more than one file wants. */

void wheel_act_stop(void *, struct outcome *);
void wheel_act_stop_when_announced(void *, struct outcome *);
void wheel_arbiter_of_one(void *, struct outcome *); /* alarm */
void wheel_arbiter_of_two(void *, struct outcome *);
void wheel_arbiter_of_three(void *, struct outcome *);

#endif
