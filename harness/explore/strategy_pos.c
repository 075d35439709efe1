/*
 * POS, partial order sampling (Yuan, Yang, Gu, CAV 2018): every step that is about to be taken has
 * a random priority, and the highest that is possible is taken. Those that depend on it draw again,
 * and so does its thread for its next one. Steps that do not depend on each other keep theirs, so
 * that their order, which does not matter, is not rolled for time and again: orders that do matter
 * come with more equal chances than in a random walk.
 *
 * Faults come at random, and rarely, as in the other strategies that sample.
 */
#include "harness/explore/dependence.h"
#include "harness/explore/random.h"
#include "harness/explore/strategies.h"

enum {
    FAULT_ODDS = 16
};

static struct random dice;
static uint64_t priorities[CLOCK_THREAD + 1];
static thread_set drawn; /* have a priority */

static void start(const struct strategy_options *options)
{
    dice.state = options->seed;
    delays_matter = false;
}

static bool begin(void)
{
    drawn = 0;
    return true;
}

static unsigned highest(thread_set set)
{
    unsigned best = lowest(set);

    for (; set != 0; set &= set - 1)
        if (priorities[lowest(set)] > priorities[best])
            best = lowest(set);
    return best;
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled;

    for (thread_set left = set & ~drawn; left != 0; left &= left - 1)
        priorities[lowest(left)] = random_next(&dice);
    drawn |= set;
    if (turn->spurious && turn->spurious != set && random_below(&dice, FAULT_ODDS) != 0)
        set &= ~turn->spurious;
    return highest(set);
}

static void stepped(unsigned thread)
{
    drawn &= ~only(thread);
    if (drawn == 0)
        return;
    struct effect step = effect_of_next(thread);
    for (thread_set left = drawn; left != 0; left &= left - 1) {
        struct effect other = effect_of_next(lowest(left));
        if (effects_depend(&step, &other))
            drawn &= ~(left & -left);
    }
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    if (kind >= DATUM_WEAK_CAS && random_below(&dice, FAULT_ODDS) != 0)
        return 0;
    return random_below(&dice, count);
}

const struct strategy strategy_pos = {.name = "pos",
                                      .start = start,
                                      .begin = begin,
                                      .pick = pick,
                                      .pick_datum = pick_datum,
                                      .stepped = stepped};
