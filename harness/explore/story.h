/*
 * A story: an execution that was recorded, in words. Those who print it (columns.h, trace.h) ask
 * here what each step did, to what, and where.
 */
#ifndef HARNESS_EXPLORE_STORY_H
#define HARNESS_EXPLORE_STORY_H

#include "harness/explore/record.h"
#include "harness/explore/symbols.h"
#include "harness/scenario/scenario.h"

enum {
    STORY_TEXT = 160, /* bytes that any of the texts below fits in */
    STORY_TIME = 32
};

struct story {
    const char *program;             /* as its token calls it */
    const char *about;               /* what must hold; may be NULL */
    const char *token;               /* may be NULL */
    const char *command, *arguments; /* to type before the token and after it; NULL: nothing */
    int width;                       /* of the columns; 0: that of a page */
    const char *marks; /* lines of the source, as in "impl/a.c:3-5,impl/b.h:7-7"; NULL: none */
    const struct scenario *scenario; /* whose actors have names; NULL: a program of its own */

    /* What was found, if the execution ended otherwise when it was recorded; "": it did not. */
    char found[sizeof machine.message + 32];

    /* Filled in by story_record. */
    enum verdict_kind verdict;
    char message[sizeof machine.message];
    const char *actors[MACHINE_THREADS]; /* what a thread is called that is one; else NULL */
};

struct story story_of_scenario(const struct scenario *); /* its names */
/* Has the execution that replay_prepare was told of once more, and listens. */
void story_record(struct story *, void (*program)(void *), void *argument);

bool story_makes_thread(const struct record *); /* does thread 0? Then the stack says where */
/* Actors are the threads that the harness itself starts, in their order; set-up may have started
   others before. If the harness has made this one it is the next: `named` counts them, from 0. */
void story_name_actor(struct story *, unsigned thread, const void *maker, size_t *named);

void story_probe(const struct record_probe *, char text[STORY_TEXT]); /* "queue_take queue, task" */

/* Of step number `index` of the record, counted from 0. */
void story_operation(uint32_t index, char text[STORY_TEXT]);     /* "lock queue.lock" */
const char *story_object(uint32_t index);                        /* its label; NULL: none */
const struct frame *story_frames(uint32_t index, size_t *count); /* where; NULL: unknown */
/* The functions that it is in, the outermost first: "take > gp_queue_take > delayed_take_until". At
   most so many. */
void story_calls(const struct record_stack *, unsigned most, char text[STORY_TEXT]);
void story_place(const struct record_stack *, char text[STORY_TEXT]); /* "delayed.c:266"; "" */

const char *story_access(const struct record_access *); /* "write" */
/* Is it in a line that is to be marked, or called from there? */
bool story_is_at_mark(const struct story *, const struct record_stack *);
/* What a thread is called: as an actor, or as it has called itself, or the function that it began
   with. */
const char *story_thread(const struct story *, unsigned thread);
/* Since the start, in units that people use: "0", "20us", "1h+20us". */
const char *story_time(int64_t now, char text[STORY_TIME]);

#endif
