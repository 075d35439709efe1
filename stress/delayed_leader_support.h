/*
 * What the races for the head of a delayed queue share: a queue, tasks with numbers, and takers
 * that say which one they got.
 *
 * A producer that wants the takers to be asleep, or the head to be due, waits a while for a future
 * that nobody completes.
 */
#ifndef STRESS_DELAYED_LEADER_SUPPORT_H
#define STRESS_DELAYED_LEADER_SUPPORT_H

#include <glasspool/future.h>
#include <glasspool/queue.h>
#include <glasspool/task.h>

#include "stress/scenarios.h"
#include "stress/victim.h"

enum {
    TAKERS = 3
};

/* What a taker got: the number of a task, which the task has as its argument, or what was wrong. */
enum {
    NOTHING,
    FIRST,
    SECOND,
    THIRD,
    FAR,
    TOO_EARLY,
    TOO_LATE,
    INTERRUPT
};

#define GOT                                                                                \
    {                                                                                      \
        "nothing", "the first", "the second", "the third", "the far one", "one too early", \
            "one too late", "an interrupt"                                                 \
    }

struct leader_state {
    gp_queue *queue;
    bool laned; /* it has a lane */
    int numbers[FAR + 1];
    gp_task *taken[TAKERS];
    bool taking[TAKERS]; /* who is at it; asked only when nobody runs */
    gp_task *removable;  /* a reference */
    int64_t moment;      /* some microseconds, not always the same */
    bool hurry;          /* of the producer: no pause */
    gp_future *never;    /* completed by nobody */
    struct victim victim;
};

void leader_choose_lane(void *);
bool leader_set_up(void *, uint64_t random);
bool leader_set_up_to_pause(void *, uint64_t random); /* for those who call leader_pause */
void leader_tear_down(void *);
int leader_invariant(void *);
bool leader_late(void *); /* never with a lane: who waits for a latch may sleep for a moment */

void leader_offer(struct leader_state *, int number, int64_t time);
void leader_pause(struct leader_state *, int64_t nanos);
unsigned char leader_got(int status, const gp_task *);       /* what a call has given, for a slot */
unsigned char leader_take(struct leader_state *, int taker); /* likewise */

void act_take_second(void *, struct outcome *); /* into slot 1 */
void arbiter_counts(void *, struct outcome *);  /* what is left, into slot 2 */

#endif
