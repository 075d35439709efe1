/* Triggered tasks and the watch inside the library. */
#ifndef GP_SCHEDULED_TRIGGER_H
#define GP_SCHEDULED_TRIGGER_H

#include <pthread.h>

#include <glasspool/trigger.h>

#include "queue/queue.h" /* gp__match_fn */
#include "scheduled/scheduled.h"

#define GP__STEP_TOLERANCE GP_MILLISECONDS(50)  /* so far the clocks may come apart unnoticed */
#define GP__WATCH_INTERVAL GP_MILLISECONDS(500) /* the clocks are compared at this interval */

/* Both clocks, read at the same time. */
struct gp__moment {
    int64_t wall;
    int64_t monotonic;
};

/* A look at tasks in the queue: by the clocks as they are when it begins, under its lock. */
struct gp__review {
    gp_scheduled *scheduled;
    bool begun;
    struct gp__moment now; /* when it has begun; else any earlier moment */
};

struct gp__moment gp__moment_of(gp_scheduled *);
int64_t gp__moment_offset(const struct gp__moment *); /* wall - monotonic */
bool gp__is_step(int64_t offset, int64_t before);     /* has the clock been set in between? */

/* What is known of a run. One that still goes on when it has ended has left by pthread_exit or
   pthread_cancel. */
enum gp__run_end {
    GP__RUN_GOES_ON,
    GP__RUN_FAILED,
    GP__RUN_RETURNED
};

/*
 * A task with a trigger.
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 *   T: belongs to the holder of the task: a queue, under its lock, or the thread that took it out
 *   S: written by the holder of the task, under `lock`; read by other threads under `lock`
 */
struct gp__triggered {
    struct gp__extended_task base; /* I its fields have letters of their own */
    gp_trigger trigger;            /* I except when it is abandoned */
    gp_trigger_options options;    /* I */
    pthread_mutex_t lock;          /* I */
    int64_t offset;                /* T between the clocks, as its time was computed */
    int64_t last_offset;           /* T to which the times of the last run refer */
    int64_t began;                 /* T monotonic: when the current run began */
    bool running;                  /* T a run is going on */
    enum gp__run_end run;          /* T the current run, as far as is known */
    atomic_bool unwatched;         /* A it no longer counts for the watch */
    gp_triggered_status status;    /* S */
};

/* trigger.c; unless it says otherwise, by the holder of the task */
int64_t gp__triggered_offset(const struct gp__triggered *); /* by any thread; 0 for NULL */
bool gp__triggered_run(struct gp__triggered *);             /* true: it may run again */
void gp__triggered_end_run(struct gp__triggered *);         /* in any case */
bool gp__triggered_set_next_time(struct gp__triggered *);   /* false: there is none */
bool gp__triggered_is_early(struct gp__triggered *, struct gp__moment *now);       /* sets *now */
bool gp__triggered_reckon(struct gp__triggered *, const struct gp__moment *now);   /* its time anew;
                                                                     false: there is none */
bool gp__triggered_ask_anew(struct gp__triggered *, const struct gp__moment *now); /* the same */
gp__match_fn gp__triggered_review; /* of a task in the queue, context a review; true: ask anew */
void gp__triggered_ends(struct gp__triggered *);    /* by any thread, also more than once */
void gp__triggered_abandon(struct gp__triggered *); /* see gp__task_abandon */
void gp__triggered_free(struct gp__triggered *);

/* watch.c */
int gp__watch_init(gp_scheduled *);
void gp__watch_destroy(gp_scheduled *);
void gp__watch_enter(gp_scheduled *); /* one more triggered task */
void gp__watch_leave(gp_scheduled *); /* one less */
void gp__watch_look(gp_scheduled *);  /* compare the clocks, and do what has to be done */
int gp__watch_check(gp_scheduled *);  /* 0, or the number of its invariant that does not hold */
/* It was put into the queue with a time computed under that offset: is it still right? */
void gp__watch_recheck(gp_scheduled *, const struct gp__scheduled_task *, int64_t offset);

#endif
