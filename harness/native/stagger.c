/*
 * Staggers and their tuner.
 *
 * The staggers, for n actors: one without any delay, and for each window (8 steps, 32, ... 524288;
 * a step is one multiplication, a nanosecond or so) one in which all actors are delayed at random
 * within the window, and n in which one of them is late by the window besides. The long windows are
 * for actors that start threads: whoever is to come after them must be late by more than that
 * takes. A window that exceeds what an iteration takes without any delay is left out, unless it is
 * one of the short ones.
 *
 * The tuner gives every stagger a block, then every fourth block to the next in turn and the other
 * three to the one with the best score. The score of a block is the rarity of its outcomes per unit
 * of time: an outcome that makes up a share p of everything seen so far counts 1/p. A stagger that
 * produces what others do not therefore scores high, until it has produced so much of it that it is
 * rare no longer. No target has to be set: the shares drift together by themselves. All blocks are
 * made to take about the same time, so that trying the long windows does not eat up the run.
 *
 * Reproducible means this. The delays are a pure function of (seed, scenario, stagger, actor,
 * iteration within the stagger), the random bits for set_up likewise, without the actor. The tuner,
 * which watches real threads, decides how often each stagger has its turn; with one stagger fixed,
 * a seed gives the same states with the same delays in the same order, for ever. It does not give
 * the same blocks: how many iterations there are to a block follows the time that they take, and
 * who is bound to a processor changes from block to block (race.c). The outcomes stay those of real
 * threads: nobody can promise more. That takes a scheduler of one's own.
 */
#include "harness/native/stagger.h"

#include <stdio.h> /* snprintf */
#include <string.h>

#include "harness/scenario/unobserved.h"

enum {
    WINDOWS = 9,
    SHORT_WINDOW = 2048, /* always tried */
    EXPLORE_EVERY = 4,
    FIRST_BLOCK = 16, /* iterations, while the cost is unknown */
    BLOCK_NANOS = 2000000
};

UNOBSERVED uint64_t random_mix(uint64_t seed, uint64_t counter)
{
    uint64_t z = seed + (counter + 1) * UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- the staggers ---- */

unsigned stagger_count(unsigned actors)
{
    return 1 + WINDOWS * (1 + actors);
}

static uint32_t window_of(unsigned stagger, unsigned actors)
{
    unsigned step = stagger == 0 ? 0 : 1 + (stagger - 1) / (1 + actors);

    return step == 0 ? 0 : UINT32_C(2) << (2 * step); /* 8, 32, 128, ... */
}

/* The actor that is late, counted from 1; 0: nobody. */
static unsigned late_actor_of(unsigned stagger, unsigned actors)
{
    return stagger == 0 ? 0 : (stagger - 1) % (1 + actors);
}

/* ---- the tuner ---- */

void tuner_start(struct tuner *tuner, uint64_t seed, unsigned actors, int fixed)
{
    memset(tuner, 0, sizeof *tuner);
    tuner->seed = seed;
    tuner->actors = actors;
    tuner->count = stagger_count(actors);
    tuner->fixed = fixed;
}

static unsigned best_of(const struct tuner *tuner)
{
    unsigned best = 0;

    for (unsigned i = 1; i < tuner->count; i++)
        if (tuner->score[i] > tuner->score[best])
            best = i;
    return best;
}

static bool is_worth_trying(const struct tuner *tuner, unsigned stagger)
{
    uint32_t window = window_of(stagger, tuner->actors);

    return window <= SHORT_WINDOW || window <= tuner->cost[0];
}

static unsigned next_in_turn(struct tuner *tuner)
{
    unsigned next = tuner->in_turn;

    do {
        tuner->in_turn = (tuner->in_turn + 1) % tuner->count;
    } while (!is_worth_trying(tuner, tuner->in_turn));
    tuner->all_tried = tuner->all_tried || tuner->in_turn == 0;
    return next;
}

static unsigned choose(struct tuner *tuner)
{
    if (tuner->fixed != STAGGER_TUNED)
        return (unsigned)tuner->fixed;
    if (!tuner->all_tried || tuner->turn % EXPLORE_EVERY == 0)
        return next_in_turn(tuner);
    return best_of(tuner);
}

static int tell(unsigned stagger, unsigned actors, char *text, size_t room)
{
    unsigned window = window_of(stagger, actors);
    unsigned late_actor = late_actor_of(stagger, actors);

    if (window == 0)
        return snprintf(text, room, "%u: nobody late", stagger);
    if (late_actor == 0)
        return snprintf(text, room, "%u: each actor late by up to %u steps", stagger, window);
    return snprintf(text, room, "%u: each actor late by up to %u steps, actor %u by %u more",
                    stagger, window, late_actor, window);
}

void tuner_tell_best(const struct tuner *tuner, char *text, size_t room)
{
    text[0] = '\0';
    if (tuner->fixed != STAGGER_TUNED) {
        size_t length = (size_t)tell((unsigned)tuner->fixed, tuner->actors, text, room);
        snprintf(text + length, room - length, " (no other was tried)");
    } else if (tuner->all_tried) {
        tell(best_of(tuner), tuner->actors, text, room);
    }
}

static size_t affordable(double cost, size_t room)
{
    double iterations = cost > 0 ? BLOCK_NANOS / cost : FIRST_BLOCK;

    if (iterations >= (double)room)
        return room;
    return iterations < 1 ? 1 : (size_t)iterations;
}

size_t tuner_next_block(struct tuner *tuner, size_t room)
{
    tuner->current = choose(tuner);
    double cost = tuner->cost[tuner->current];
    size_t iterations = affordable(cost > 0 ? cost : tuner->cost[0], room);
    tuner->turn++;
    tuner->first = tuner->iterations[tuner->current];
    tuner->iterations[tuner->current] += iterations;
    return iterations;
}

static double rarity(const struct tally *block, const struct tally *all)
{
    double sum = 0;

    for (size_t i = 0; i < TALLY_ROOM; i++)
        if (block->entries[i].count != 0)
            sum += (double)block->entries[i].count * (double)all->total /
                   (double)tally_count(all, block->entries[i].key);
    return sum;
}

/* The mean, with the past forgotten little by little. */
static void remember(double *mean, double value)
{
    *mean = *mean == 0 ? value : 0.7 * *mean + 0.3 * value;
}

void tuner_learn(struct tuner *tuner, const struct tally *block, const struct tally *all,
                 int64_t nanos)
{
    if (block->total == 0 || all->lost > 0 || nanos <= 0)
        return;
    remember(&tuner->score[tuner->current], rarity(block, all) / (double)nanos);
    remember(&tuner->cost[tuner->current], (double)nanos / (double)block->total);
}

/* ---- the delays ---- */

/* Other numbers than those of the delays, and others for each stagger. */
UNOBSERVED uint64_t tuner_random(const struct tuner *tuner, size_t index)
{
    return random_mix(random_mix(tuner->seed, ~(uint64_t)tuner->current), tuner->first + index);
}

struct delay tuner_delay(const struct tuner *tuner, unsigned actor)
{
    uint32_t window = window_of(tuner->current, tuner->actors);
    bool late = late_actor_of(tuner->current, tuner->actors) == actor + 1;
    uint64_t stream = (uint64_t)tuner->current << 8 | actor;

    return (struct delay){
        .stream = random_mix(tuner->seed, stream), .window = window, .late = late ? window : 0};
}

/* The asm keeps the compiler from computing the chain at once; it touches no memory. */
UNOBSERVED static void take_steps(uint64_t steps)
{
    uint64_t value = 1;

    for (; steps > 0; steps--) {
        value *= 3;
        __asm__ volatile("" : "+r"(value));
    }
}

UNOBSERVED void delay_wait(const struct delay *delay, uint64_t iteration)
{
    if (delay->window == 0)
        return;
    uint64_t random = random_mix(delay->stream, iteration) >> 32;
    take_steps(delay->late + (random * (delay->window + UINT64_C(1)) >> 32));
}
