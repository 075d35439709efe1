/*
 * The random walk: each time, any of those who can step, each with the same chance. Faults are
 * rarer, or most executions would be about nothing else.
 */
#include "harness/explore/random.h"
#include "harness/explore/strategies.h"

enum {
    FAULT_ODDS = 16,
    FEW = 4 /* of the threads that can step */
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

/* Without branches on what is random, which would be mispredicted every other time. */
static unsigned nth(thread_set set, unsigned n)
{
    for (unsigned i = 0; i < FEW; i++)
        set &= set - (i < n);
    for (; n > FEW; n--)
        set &= set - 1;
    return (unsigned)__builtin_ctzll(set);
}

/* In two bits each, in four, in eight; then the sum. */
static unsigned size_of(thread_set set)
{
    set -= set >> 1 & UINT64_C(0x5555555555555555);
    set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
    set = (set + (set >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (unsigned)(set * UINT64_C(0x0101010101010101) >> 56);
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
