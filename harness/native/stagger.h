/*
 * Staggers: by how much each actor is held back after the common start.
 *
 * Two actors that leave a barrier together do not meet where one wants them to: the one with the
 * longer way to the critical line always comes second. A stagger is a way to shift them: a window
 * of random delay for each, and possibly one actor who is late by a whole window. There are a few
 * dozen; the tuner finds out by trying which of them mix the outcomes.
 */
#ifndef HARNESS_NATIVE_STAGGER_H
#define HARNESS_NATIVE_STAGGER_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

#include "harness/scenario/tally.h"

enum {
    STAGGER_MAX = 64, /* upper bound of stagger_count */
    STAGGER_TUNED = -1
};

/* What an actor needs to know for a block of iterations. */
struct delay {
    uint64_t stream; /* this actor's random numbers under this stagger */
    uint32_t window; /* up to so many steps at random ... */
    uint32_t late;   /* ... on top of these */
};

struct tuner {
    uint64_t seed;
    unsigned actors;
    unsigned count;                   /* of staggers */
    unsigned turn;                    /* blocks begun */
    int fixed;                        /* a stagger to stay with, or STAGGER_TUNED */
    unsigned in_turn;                 /* the stagger to be tried next ... */
    bool all_tried;                   /* ... for the second time and on */
    unsigned current;                 /* the stagger of the present block */
    uint64_t first;                   /* its iterations before this block */
    uint64_t iterations[STAGGER_MAX]; /* per stagger, so far */
    double score[STAGGER_MAX];        /* how well it mixed, lately, per nanosecond */
    double cost[STAGGER_MAX];         /* nanoseconds per iteration, lately */
};

unsigned stagger_count(unsigned actors);

void tuner_start(struct tuner *, uint64_t seed, unsigned actors, int fixed); /* fixed: one of
                                                             stagger_count, or STAGGER_TUNED */
size_t tuner_next_block(struct tuner *, size_t room); /* its iterations, at most `room` */
void tuner_learn(struct tuner *, const struct tally *block, const struct tally *all, int64_t nanos);
void tuner_tell_best(const struct tuner *, char *text, size_t room); /* the stagger with the best
                                         score, in words, or the fixed one; nothing unless all
                                         were tried */

struct delay tuner_delay(const struct tuner *, unsigned actor);
void delay_wait(const struct delay *, uint64_t iteration); /* counted within the stagger */

uint64_t tuner_random(const struct tuner *, size_t index); /* for set_up of the block's index-th */

uint64_t random_mix(uint64_t seed, uint64_t counter); /* the counter-th number of a stream */

#endif
