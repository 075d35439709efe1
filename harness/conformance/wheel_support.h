/*
 * Support for the tests of timers: timeouts whose arguments are subjects (support.h).
 *
 * What the kinds of wheel have in common is tested once, by suites that are run for each: they
 * configure a hashed wheel, and get the kind that was chosen, with all settings that it knows.
 */
#ifndef CONFORMANCE_WHEEL_SUPPORT_H
#define CONFORMANCE_WHEEL_SUPPORT_H

#include <glasspool/wheel.h>

#include "support.h"

void choose_hashed(void); /* before each test of a suite */
void choose_tickless(void);
void choose_fast(void); /* hashed */

gp_wheel_config quick_config(void); /* ticks of a millisecond, 8 to a revolution */
int timer_new(const gp_wheel_config *, gp_timer **out); /* of the chosen kind */
gp_timer *timer_of(const gp_wheel_config *);            /* or the test ends */
gp_timer *quick_timer(void);                            /* the two together */
void timer_end(gp_timer *);                             /* closes it */

gp_timeout_fn call_subject_of_timeout;    /* its argument is a subject */
gp_destroy_fn destroy_subject_of_timeout; /* likewise */
gp_timeout *timeout_after(gp_timer *, int64_t delay, struct subject *); /* a handle; or the end */
int add_after(gp_timer *, int64_t delay, struct subject *);             /* no handle; the status */

bool await_runs(struct subject *, int count); /* false: not in a long time */
bool await_destroyed(struct subject *, int count);

/* A timer that believes it has started, a moment ago, but has no worker: the test is the worker,
   and calls timer_turn. Delays that count from the tick begin at the timer's start, so that all
   kinds have the deadline that they are told. To be ended by timer_end. */
gp_timer *timer_without_worker(const gp_wheel_config *);
gp_timeout *timeout_due(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                        gp_destroy_fn *destroy); /* in nanoseconds after the start; or the end */
void add_due(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
             gp_destroy_fn *destroy); /* the same, without a handle */
void timer_turn(gp_timer *, int64_t now);

#endif
