/*
 * What the races for the middle of a heap share: a queue full of due tasks with random times, and
 * a look at what is left of it.
 *
 * Each task carries its place in the state as its argument, and the arbiter counts how often each
 * came out, on which way: exactly once, and what was left comes out in order [DELAYED-1]. Most
 * actors look at the heap themselves, right after their own operation: the next one may mend what
 * it broke.
 */
#ifndef STRESS_DELAYED_REMOVE_SUPPORT_H
#define STRESS_DELAYED_REMOVE_SUPPORT_H

#include <glasspool/queue.h>
#include <glasspool/task.h>

#include "stress/scenarios.h"

enum {
    TASKS = 15, /* in the queue at the start: four full levels */
    ROOM = 16,  /* what a new heap has room for */
    PLACES = ROOM + 1
};

struct heap_state {
    gp_queue *queue;
    gp_queue *other;        /* NULL: there is only one */
    bool laned;             /* they have a lane, where tasks that come in order are */
    gp_task *tasks[PLACES]; /* a reference to each; NULL: there is none */
    int out[PLACES];        /* how often each came out; written by who took it, or alone */
    int newcomer;           /* the one that is not in the queue at the start */
    int target;             /* the one to be removed */
    int head;               /* the earliest of those in the queue */
    int tail;               /* the one that would come out last */
    int bottom;             /* the one in the last slot of the heap */
};

void heap_choose_lane(void *);
int heap_new_queue(const struct heap_state *, gp_queue **);

/* With so many tasks, all due; false: no memory, and nothing is left of it. */
bool heap_make(struct heap_state *, int count, uint64_t random);
bool heap_make_task(struct heap_state *, int place, int64_t time); /* not in the queue yet */
bool heap_set_up(void *, uint64_t random);                         /* with TASKS */
void heap_tear_down(void *);
int heap_invariant(void *);

int heap_place_of(const struct heap_state *, const gp_task *);
void heap_came_out(struct heap_state *, gp_task *);
bool heap_drain_is_ordered(struct heap_state *, gp_queue *);

/* A removal, as the value of a slot. */
enum removal {
    MISSED,
    REMOVED,
    BROKEN
};

unsigned char heap_remove(struct heap_state *, int place);

/* How the tasks that nobody took came out in the end. */
enum remainder {
    IN_ORDER,
    OUT_OF_ORDER,
    NOT_ONCE_EACH
};

#define REMAINDERS                                  \
    {                                               \
        "in order", "out of order", "not once each" \
    }

unsigned char heap_look_at_rest(struct heap_state *);

/* Slots of most of the races. */
enum {
    REMOVE,
    OPPONENT, /* who did something else meanwhile */
    REST
};

void act_remove(void *, struct outcome *);   /* the target, into REMOVE */
void heap_arbiter(void *, struct outcome *); /* a remainder, into REST */

#endif
