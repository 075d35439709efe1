/* Random numbers for strategies: splitmix64, a few instructions each. */
#ifndef HARNESS_EXPLORE_RANDOM_H
#define HARNESS_EXPLORE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Less than `limit`. */
static inline unsigned random_below(struct random *random, unsigned limit)
{
    return (unsigned)((random_next(random) >> 32) * limit >> 32);
}

#endif
