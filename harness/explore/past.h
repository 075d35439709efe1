/*
 * The past of an execution: its steps, which of them happened before which, and what each found.
 *
 * A step is noted twice: when it is about to be done (past_note), and when it is over, that is when
 * the next one is about to be picked (past_settle): only then it is known what came of it. In
 * between somebody has to find those that it depends on and join their clocks; that is the
 * strategy's work, since it looks for more than that while it looks.
 */
#ifndef HARNESS_EXPLORE_PAST_H
#define HARNESS_EXPLORE_PAST_H

#include "harness/explore/dependence.h"

enum {
    PAST_LANES =
        CLOCK_THREAD + 1 /* a clock has a place for each thread, the machine's clock included */
};

enum {
    WAS_FREE = 1,     /* what it touches could have been taken by anybody */
    WAS_READABLE = 2, /* ... by a reader */
};

typedef uint32_t vector_clock[PAST_LANES]; /* of each thread, how many of its steps */

struct event {
    struct effect effect;
    thread_set enabled;  /* who could have stepped instead */
    thread_set spurious; /* ... for no reason */
    thread_set woke;     /* whose wait it ended, or whom it created */
    int64_t now;         /* before it */
    uint64_t changes;    /* likewise */
    uint64_t allocations;
    uint64_t was;             /* what the object held, if it is one of the runtime's */
    uint32_t sequence;        /* of its thread: 1 for the first */
    uint32_t before;          /* its thread's last event before this one, or its creation, + 1 */
    uint32_t all;             /* so many of the first events happened before it */
    uint32_t waker;           /* of a wake-up: the event that ended the wait, + 1 */
    uint8_t state;            /* of the object: WAS_... */
    bool may_wake_spuriously; /* such wake-ups were left */
};

struct past {
    struct event *events;
    vector_clock *clocks; /* of each event: what happened before it, itself included */
    uint32_t count;       /* of events */
    uint32_t settled;     /* of them, how many are */
    uint32_t room;
    uint32_t steps[PAST_LANES]; /* of each thread: so many */
    uint32_t last[PAST_LANES];  /* of each thread: its last event, or its creation, + 1 */
    uint32_t waker[PAST_LANES]; /* of each thread: who ended its wait, + 1 */
};

extern struct past past;

bool past_prepare(uint32_t steps); /* for executions of so many; false: no memory */
void past_cut_to(uint32_t count);  /* forgets the events from there on */

void past_note(unsigned thread, thread_set enabled, thread_set spurious);
/* Completes the last one; not announced: its thread did not come to its next step. */
void past_settle(bool announced);
struct event past_pending(unsigned thread); /* the event that its next op would be */

/* What the thread of the event knew before it; all events before the number that is returned. */
uint32_t past_known_to(const struct event *, uint32_t *clock);

static inline bool is_known(const uint32_t *clock, uint32_t event)
{
    const struct event *e = &past.events[event];

    return clock[e->effect.thread] >= e->sequence;
}
static inline bool happened_before(uint32_t earlier, uint32_t later)
{
    return is_known(past.clocks[later], earlier);
}
void clock_join(uint32_t *clock, const uint32_t *other);

#endif
