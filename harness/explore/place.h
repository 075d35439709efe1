/*
 * Memory at a place of our choice: blocks and stacks have the same addresses in each run of the
 * harness, so that a program which looks at the bits of an address does the same thing when it is
 * replayed [MACHINE-1]. If something is there already, any other place will do.
 *
 * Both places are far from where programs, libraries and the heap are put, and within 39 bits.
 */
#ifndef HARNESS_EXPLORE_PLACE_H
#define HARNESS_EXPLORE_PLACE_H

#include <stddef.h> /* size_t */
#include <sys/mman.h>

#define PLACE_OF_BLOCKS ((void *)0x2000000000)
#define PLACE_OF_STACKS ((void *)0x2100000000)

/* Zeroes, which cost nothing until touched, at this place or, NULL, at any; MAP_FAILED: none. */
static inline void *place_reserve(void *place, size_t size)
{
    int protection = PROT_READ | PROT_WRITE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory =
        place ? mmap(place, size, protection, flags | MAP_FIXED_NOREPLACE, -1, 0) : MAP_FAILED;

    return memory != MAP_FAILED ? memory : mmap(NULL, size, protection, flags, -1, 0);
}

#endif
