/* The insides of a team, shared by team.c (its life) and race.c (its work). */
#ifndef HARNESS_NATIVE_TEAM_INTERNAL_H
#define HARNESS_NATIVE_TEAM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "harness/check/histories.h"
#include "harness/native/stagger.h"
#include "harness/native/team.h"

enum {
    CACHE_LINE = 64
};

/*
 * Fields are marked as in the library:
 *      I  set before the threads are told to begin, constant while they run
 *      A  atomic
 *      L  under the team's lock
 *      O  the slot's own thread only, and slot 0's between blocks
 *      P  the plan of the block: written by slot 0, read by all after the next hand-over
 */
struct slot {
    _Alignas(CACHE_LINE) atomic_uint_least64_t arrived; /* A: lines and hand-overs reached */
    atomic_int phase;                                   /* A: enum whereabouts; set per block */
    struct team *team;                                  /* I */
    unsigned index;                                     /* I */
    pthread_t thread;                                   /* I */
    _Atomic pid_t id;                                   /* A: of the thread, once it runs */

    _Alignas(CACHE_LINE) uint64_t turn; /* O: what `arrived` was last set to */
    int core;                           /* O: the one it is pinned to, -1: any */
    size_t ready;                       /* O: states of its share that are set up */
    struct tally tally;                 /* O: of the block */
    uint64_t broken_count;              /* O: of the block */
    bool short_of_memory;               /* O: a state of the block could not be set up */
    int broken_invariant;               /* O: the first of the block */
    struct histories histories;         /* O: of the block */
};

struct team {
    struct slot slots[SCENARIO_ACTORS];
    unsigned number;            /* I: which team of how many, for pinning */
    team_finished_fn *finished; /* I */
    void *context;              /* I */

    pthread_mutex_t lock;
    pthread_cond_t begin;             /* L */
    unsigned started;                 /* L: threads that exist */
    unsigned at_work;                 /* L: threads that have not left the scenario */
    uint64_t orders;                  /* L: orders given; threads wait for the next */
    bool dismissed;                   /* L: no more orders */
    bool muted;                       /* L: the result is no longer the team's */
    atomic_uint sleepers;             /* A: at a meeting, waiting for the bell */
    atomic_uint bell;                 /* A: how often it has rung */
    atomic_bool abandoned;            /* A: whoever still can leaves for good */
    atomic_bool stop;                 /* A: finish the block, then the scenario */
    atomic_uint_least64_t iterations; /* A: for the progress display */

    struct order order;    /* I */
    unsigned actors;       /* I */
    unsigned patience;     /* I: looks at the others before giving up the core ... */
    unsigned yields;       /* I: ... so often, before going to sleep */
    size_t stride;         /* I: bytes from state to state */
    size_t room;           /* I: states that fit */
    unsigned char *states; /* I */
    struct outcome *outcomes[SCENARIO_ACTORS]; /* I: per actor, per state of the block */

    struct tuner tuner;  /* P */
    size_t block;        /* P: states in it; 0: the scenario is over */
    int64_t block_start; /* P */
    bool pinned;         /* P */
    bool failed;         /* P: and nothing more is wanted than to know that */
    struct tally seen;   /* P: everything so far */
};

void race_run(struct slot *);  /* one scenario, from the first block to the last */
void race_ring(struct team *); /* wakes whoever sleeps at a meeting */
void slot_pin(struct slot *);

#endif
