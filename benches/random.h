/* Random numbers that are the same everywhere and cost next to nothing: splitmix64 (Steele, Lea,
 * Flood, "Fast splittable pseudorandom number generators", 2014). */
#ifndef BENCHES_RANDOM_H
#define BENCHES_RANDOM_H

#include <stddef.h> /* size_t */
#include <stdint.h>

static inline uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 ... bound - 1; the bias of the modulus is of no account for bounds far below 2^64. */
static inline size_t random_below(uint64_t *seed, size_t bound)
{
    return (size_t)(random_next(seed) % bound);
}

#endif
