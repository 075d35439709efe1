/*
 * What the families of queue scenarios share: a queue with a few tasks, and calls that are recorded
 * in a history.
 *
 * All tasks belong to the state from beginning to end, wherever they are, and are given back by
 * tear_down once each; before that somebody has drained the queue. So a broken queue, which hands
 * out the same task twice, breaks no more than itself.
 */
#ifndef STRESS_QUEUE_SUPPORT_H
#define STRESS_QUEUE_SUPPORT_H

#include <stdbool.h>
#include <stddef.h> /* offsetof */
#include <stdint.h> /* int64_t */

#include <glasspool/queue.h>
#include <glasspool/task.h>

#include "harness/check/models.h"

enum {
    TASKS = 4 /* counted from 1: 0 is none */
};

/* Lanes, for the actors in the order of the table. */
enum {
    FIRST,
    SECOND,
    THIRD
};

/* A scenario's state is this, or starts with it. */
struct queue_state {
    gp_queue *queue;
    gp_task *tasks[TASKS + 1];
    int names[TASKS + 1]; /* what the history, and the model, call them */
    struct history history;
};

#define QUEUE_HISTORY offsetof(struct queue_state, history)

/* Making one, with the first tasks in it; false: no memory, and nothing is left of it. Tasks have
   ranks 0 to 7, the first of the array being that of task 1. */

bool queue_new_linked(struct queue_state *, size_t capacity, int inside);
bool queue_new_array(struct queue_state *, size_t capacity, int inside,
                     uint64_t random); /* the first slot is anywhere, so that tasks lie across the
                                          end of the array */
bool queue_new_conveyor(struct queue_state *, int inside);
bool queue_new_synchronous(struct queue_state *);
bool queue_new_priority(struct queue_state *, const int *ranks, int inside);
bool queue_new_delayed(struct queue_state *, const int *ranks, int inside); /* all tasks are due */
bool queue_new_laned(struct queue_state *, const int *ranks, int inside);   /* likewise */

/* Set-ups that more than one family wants. */

bool queue_set_up_empty(void *, uint64_t random);       /* linked, unbounded */
bool queue_set_up_for_one(void *, uint64_t random);     /* linked, full with one task */
bool queue_set_up_empty_array(void *, uint64_t random); /* of two slots */

void queue_tear_down(void *);
int queue_invariant(void *);

/* Calls, recorded in a lane. Those that take give the number of the task, or a status. */

int recorded_offer(struct queue_state *, unsigned lane, int task);
int recorded_put(struct queue_state *, unsigned lane, int task);
int recorded_offer_timed(struct queue_state *, unsigned lane, int task, int64_t nanos);
int recorded_poll(struct queue_state *, unsigned lane);
int recorded_take(struct queue_state *, unsigned lane);
int recorded_poll_timed(struct queue_state *, unsigned lane, int64_t nanos);
int recorded_remove(struct queue_state *, unsigned lane, int task);
size_t recorded_size(struct queue_state *, unsigned lane);
int recorded_drain(struct queue_state *, unsigned lane, int *first); /* how many, and the first */

/* Two takers, of which each gets one of the tasks that a third offers. */
enum {
    ONE_TAKER,
    OTHER_TAKER
};

void queue_act_take_one(void *, struct outcome *);
void queue_act_take_other(void *, struct outcome *);
void queue_act_offer_two(void *, struct outcome *);

unsigned char task_or_none(int taken); /* what a taking call gave, for a slot of an outcome */

void arbiter_drains(void *, struct outcome *); /* size and drain, recorded */

#endif
