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
    drawn = set_none();
    return true;
}

static unsigned highest(thread_set set)
{
    unsigned best = lowest(set);

    for (struct set_walk each = set_walk(set); set_next(&each);)
        if (priorities[each.at] > priorities[best])
            best = each.at;
    return best;
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled;

    for (struct set_walk each = set_walk(set_minus(set, drawn)); set_next(&each);)
        priorities[each.at] = random_next(&dice);
    drawn = set_or(drawn, set);
    if (!set_is_empty(turn->spurious) && !set_equals(turn->spurious, set) &&
        random_below(&dice, FAULT_ODDS) != 0)
        set = set_minus(set, turn->spurious);
    return highest(set);
}

static void stepped(unsigned thread)
{
    set_remove(&drawn, thread);
    if (set_is_empty(drawn))
        return;
    struct effect step = effect_of_next(thread);
    for (struct set_walk each = set_walk(drawn); set_next(&each);) {
        struct effect other = effect_of_next(each.at);
        if (effects_depend(&step, &other))
            set_remove(&drawn, each.at);
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
