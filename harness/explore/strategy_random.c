/*
 * The random walk: each time, any of those who can step, each with the same chance. Faults are
 * rarer, or most executions would be about nothing else.
 */
#include "harness/explore/random.h"
#include "harness/explore/strategies.h"

enum {
    FAULT_ODDS = 16
};

static struct random dice;

static void start(const struct strategy_options *options)
{
    dice.state = options->seed;
}

static bool begin(void)
{
    return true;
}

static unsigned nth(thread_set set, unsigned n)
{
    for (; n > 0; n--)
        set &= set - 1;
    return (unsigned)__builtin_ctzll(set);
}

static unsigned size_of(thread_set set)
{
    unsigned size = 0;

    for (; set != 0; set &= set - 1)
        size++;
    return size;
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled;

    if (turn->spurious && turn->spurious != set && random_below(&dice, FAULT_ODDS) != 0)
        set &= ~turn->spurious;
    return nth(set, random_below(&dice, size_of(set)));
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    if (kind >= DATUM_WEAK_CAS && random_below(&dice, FAULT_ODDS) != 0)
        return 0;
    return random_below(&dice, count);
}

const struct strategy strategy_random = {
    .name = "random", .start = start, .begin = begin, .pick = pick, .pick_datum = pick_datum};
