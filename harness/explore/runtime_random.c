/*
 * rand and srand: the same numbers in each execution.
 *
 * There is one state for all threads, as in the system, and whoever comes first gets the first
 * number. So each call is a step, and its order with others is searched like that of atomics. It
 * orders nothing.
 */
#include <stdlib.h> /* RAND_MAX */

#include "harness/explore/random.h"
#include "harness/explore/runtime.h"

static struct random dice;

void runtime_forget_numbers(void)
{
    dice.state = 1; /* what the standard has for those who do not call srand */
}

int gpx_rand(void)
{
    announce_atomic(OP_RMW, 0, &dice, sizeof dice, __ATOMIC_RELAXED, CALLER);
    uint64_t before = dice.state;
    int number = (int)(random_next(&dice) & RAND_MAX);
    RECORD(before, dice.state);
    machine_changed();
    return number;
}

uint64_t runtime_state_of_numbers(void)
{
    return dice.state;
}

/* What it changes is the caller's. */
int gpx_rand_r(unsigned *seed)
{
    runtime_access(seed, sizeof *seed, ACCESS_WRITES, CALLER);
    return rand_r(seed);
}

void gpx_srand(unsigned seed)
{
    announce_atomic(OP_STORE, 0, &dice, sizeof dice, __ATOMIC_RELAXED, CALLER);
    RECORD(dice.state, seed);
    dice.state = seed;
    machine_changed();
}
