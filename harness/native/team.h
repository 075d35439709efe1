/*
 * A team: up to six threads that run scenarios, one thread per actor.
 *
 * The threads live as long as the team and serve one scenario after the other. A team that hangs
 * cannot be stopped, since nothing in C ends a thread that does not listen: it is abandoned, and
 * whoever owns it goes on with a new one.
 */
#ifndef HARNESS_NATIVE_TEAM_H
#define HARNESS_NATIVE_TEAM_H

#include <stdbool.h>
#include <stdint.h>    /* uint64_t, int64_t */
#include <sys/types.h> /* pid_t */

#include "harness/scenario/result.h"

struct team;

/* What a team is to do. Times are those of native_now(). */
struct order {
    const struct scenario *scenario;
    struct result *result; /* filled in; the team's until team_is_finished or team_abandon */
    uint64_t seed;
    int stagger;         /* one to stay with, or STAGGER_TUNED */
    bool until_failure;  /* end at the first failure */
    int64_t deadline;    /* end then, if all that must be seen was seen ... */
    int64_t last_moment; /* ... but no later than this */
};

/* Where an actor is, for the report of a hang. */
enum whereabouts {
    BETWEEN_SCENARIOS,
    SETTING_UP,
    ACTING,
    WAITING_FOR_OTHERS, /* done with its part; another actor keeps it waiting */
    JUDGING
};

typedef void team_finished_fn(void *context); /* called by a thread of the team */

struct team *team_new(unsigned number, team_finished_fn *, void *context); /* NULL: no memory */
bool team_begin(struct team *, const struct order *); /* false: a thread could not be created */
void team_stop(struct team *);                        /* after the present block */
bool team_is_finished(struct team *);
uint64_t team_progress(struct team *);   /* a number that changes as long as anybody gets on */
uint64_t team_iterations(struct team *); /* so far, of the present scenario */
void team_mute(struct team *);           /* the result is the caller's from now on */
void team_free(struct team *);           /* a finished one; joins its threads */
void team_abandon(struct team *);        /* a hung one: its memory is lost, its threads are on
                                            their own; the result is the caller's again */

/* For the report of a hang. */
enum whereabouts team_whereabouts(struct team *, unsigned actor);
pid_t team_thread(struct team *, unsigned actor); /* the system's number of it */

/* The machine. */
int64_t native_now(void);            /* monotonic nanoseconds */
int64_t native_processor_time(void); /* nanoseconds that the process has worked, on all cores */
unsigned native_cores(void);

#endif
