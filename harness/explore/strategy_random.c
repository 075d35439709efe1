/*
 * The random walk: each time, any of those who can step, each with the same chance. Faults are
 * rarer, or most executions would be about nothing else.
 */
#include "harness/explore/random.h"
#include "harness/explore/strategies.h"

enum {
    FAULT_ODDS = 16,
    FEW = 6 /* threads, that the table is for; the clock besides */
};

/* The next number is drawn ahead: whoever waits for it, to know who steps, need not wait long. */
static struct {
    struct random random;
    uint64_t ahead;
} dice;

static inline unsigned below(unsigned limit)
{
    unsigned number = (unsigned)((dice.ahead >> 32) * limit >> 32);

    dice.ahead = random_next(&dice.random);
    return number;
}

/* Of each set of a few: how many there are, and which. A look costs less than to count and to go
   from one to the next, and has no branches on what is random, which would be mispredicted. */
static struct {
    uint8_t count;
    uint8_t members[FEW + 1];
} sets[1 << (FEW + 1)];

static void list_sets(void)
{
    for (unsigned set = 1; set < 1 << (FEW + 1); set++) {
        sets[set].count = 0;
        for (unsigned i = 0; i <= FEW; i++)
            if (set >> i & 1)
                sets[set].members[sets[set].count++] = (uint8_t)(i < FEW ? i : CLOCK_THREAD);
    }
}

static void start(const struct strategy_options *options)
{
    dice.random.state = options->seed;
    dice.ahead = random_next(&dice.random);
    list_sets();
}

static bool begin(void)
{
    return true;
}

static unsigned pick_of_many(thread_set set)
{
    unsigned n = below((unsigned)__builtin_popcountll(set));

    for (; n > 0; n--)
        set &= set - 1;
    return lowest(set);
}

static unsigned pick_among(thread_set set)
{
    const thread_set few = only(FEW) - 1;

    if ((set & ~few & ~only(CLOCK_THREAD)) != 0)
        return pick_of_many(set);
    unsigned index = (unsigned)((set & few) | set >> CLOCK_THREAD << FEW);
    return sets[index].members[below(sets[index].count)];
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled;

    if (turn->spurious && turn->spurious != set && below(FAULT_ODDS) != 0)
        set &= ~turn->spurious;
    return pick_among(set);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    if (kind >= DATUM_WEAK_CAS && below(FAULT_ODDS) != 0)
        return 0;
    return below(count);
}

const struct strategy strategy_random = {.name = "random",
                                         .start = start,
                                         .begin = begin,
                                         .pick = pick,
                                         .pick_among = pick_among,
                                         .pick_datum = pick_datum};
