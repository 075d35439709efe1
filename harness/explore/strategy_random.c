/*
 * The random walk: each time, any of those who can step, each with the same chance. Faults are
 * rarer, or most executions would be about nothing else.
 */
#include "harness/explore/strategies.h"
#include "harness/explore/walk.h"

enum {
    FAULT_ODDS = 16
};

struct walk walk;

static void list_sets(void)
{
    for (unsigned set = 1; set < 1 << (WALK_FEW + 1); set++) {
        walk.sets[set].count = 0;
        for (unsigned i = 0; i <= WALK_FEW; i++)
            if (set >> i & 1)
                walk.sets[set].members[walk.sets[set].count++] =
                    (thread_number)(i < WALK_FEW ? i : CLOCK_THREAD);
    }
}

static void start(const struct strategy_options *options)
{
    walk.random.state = options->seed;
    walk.ahead = random_next(&walk.random);
    list_sets();
}

static bool begin(void)
{
    return true;
}

static unsigned pick_of_many(thread_set set)
{
    struct set_walk each = set_walk(set);

    for (unsigned n = walk_below(set_count(set)); set_next(&each) && n > 0;)
        n--;
    return each.at;
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled;

    if (!set_is_empty(turn->spurious) && !set_equals(turn->spurious, set) &&
        walk_below(FAULT_ODDS) != 0)
        set = set_minus(set, turn->spurious);
    return walk_is_of_few(set) ? walk_pick(set) : pick_of_many(set);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    if (kind >= DATUM_WEAK_CAS && walk_below(FAULT_ODDS) != 0)
        return 0;
    return walk_below(count);
}

const struct strategy strategy_random = {.name = "random",
                                         .walks = true,
                                         .start = start,
                                         .begin = begin,
                                         .pick = pick,
                                         .pick_datum = pick_datum};
