/*
 * PCT, probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS
 * 2010): threads have random priorities, and whoever can step and has the highest does; at d - 1
 * random moments of an execution whoever is about to step falls below all others. A bug that needs
 * d steps to come in a certain order is found by an execution with a probability of at least
 *
 *        1 / (n * k^(d-1))         n threads, k moments
 *
 * k is the number of turns, that is of steps at which more than one could go on: where nobody else
 * can, falling changes nothing. n and k are the largest seen so far; an execution with more turns
 * than those before it has no change in the rest. The clock is a thread like others. Faults are
 * outside of the bound: a spurious wake-up or another failure comes at random, and rarely.
 *
 * Fairness: PCT starves threads without end, and a program that spins would never come to an end.
 * The machine goes round in turns after rules.step_budget steps.
 */
#include <stdio.h>
#include <string.h>

#include "harness/explore/random.h"
#include "harness/explore/strategies.h"

enum {
    MOST_CHANGES = 15,
    FAULT_ODDS = 16,
    TURNS_AT_FIRST = 64
};

static struct {
    struct random dice;
    unsigned depth;
    uint64_t priorities[CLOCK_THREAD + 1];
    thread_set met; /* have a priority */
    uint32_t changes[MOST_CHANGES];
    uint32_t turns; /* in this execution */
    uint32_t most_turns, most_threads;
} pct;

static void start(const struct strategy_options *options)
{
    memset(&pct, 0, sizeof pct);
    pct.dice.state = options->seed;
    pct.depth = options->depth > 0 ? options->depth : 1;
    if (pct.depth > MOST_CHANGES + 1)
        pct.depth = MOST_CHANGES + 1;
}

static bool begin(void)
{
    uint32_t turns = pct.most_turns ? pct.most_turns : TURNS_AT_FIRST;

    pct.turns = 0;
    pct.met = set_none();
    for (unsigned i = 0; i + 1 < pct.depth; i++)
        pct.changes[i] = random_below(&pct.dice, turns);
    return true;
}

/* Above all that anybody falls to. */
static void meet(thread_set newcomers)
{
    pct.met = set_or(pct.met, newcomers);
    for (struct set_walk each = set_walk(newcomers); set_next(&each);)
        pct.priorities[each.at] = random_next(&pct.dice) | UINT64_C(1) << 63;
}

static unsigned highest(thread_set set)
{
    unsigned best = lowest(set);

    for (struct set_walk each = set_walk(set); set_next(&each);)
        if (pct.priorities[each.at] > pct.priorities[best])
            best = each.at;
    return best;
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled;
    uint32_t number = pct.turns++;

    meet(set_minus(set, pct.met));
    if (!set_is_empty(turn->spurious) && !set_equals(turn->spurious, set) &&
        random_below(&pct.dice, FAULT_ODDS) != 0)
        set = set_minus(set, turn->spurious);
    for (unsigned i = 0; i + 1 < pct.depth; i++)
        if (pct.changes[i] == number)
            pct.priorities[highest(set)] = i;
    return highest(set);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    if (kind >= DATUM_WEAK_CAS && random_below(&pct.dice, FAULT_ODDS) != 0)
        return 0;
    return random_below(&pct.dice, count);
}

static void end(void)
{
    uint32_t threads = set_count(pct.met);

    if (threads > pct.most_threads)
        pct.most_threads = threads;
    if (pct.turns > pct.most_turns)
        pct.most_turns = pct.turns;
}

static void covered(char *text, size_t room)
{
    double bound = pct.most_threads;

    for (unsigned i = 1; i < pct.depth; i++)
        bound *= pct.most_turns;
    if (pct.most_turns == 0)
        snprintf(text, room, "there was never more than one who could go on");
    else
        snprintf(
            text, room,
            "each finds a bug of depth %u with a chance of 1 in %.0f or better (%u threads, %u "
            "turns)",
            pct.depth, bound, pct.most_threads, pct.most_turns);
}

const struct strategy strategy_pct = {.name = "pct",
                                      .start = start,
                                      .begin = begin,
                                      .pick = pick,
                                      .pick_datum = pick_datum,
                                      .end = end,
                                      .covered = covered};
