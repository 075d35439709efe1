/*
 * The explored program's global and thread-local variables: set back before each execution, and
 * each thread its own.
 */
#ifndef HARNESS_EXPLORE_GLOBALS_H
#define HARNESS_EXPLORE_GLOBALS_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

bool globals_prepare(void); /* remembers how they are now; false: no memory */
void globals_restore(void); /* as they were then */
/* A region of them; false: there are no more. */
bool globals_region(unsigned index, void **start, size_t *size);
/* The next part of them that has changed since, and *at, at first 0, for the part behind it; false:
   there is none. */
bool globals_next_change(size_t *at, const void **start, size_t *size);

/* Where the running thread's thread-local variables are, and what a new thread's begin with. */
struct globals_tls {
    unsigned char *start;
    size_t size;
    unsigned char *fresh;
};

extern struct globals_tls globals_tls;

enum {
    GLOBALS_REGIONS = 2 /* with initial values, and without */
};

static inline bool globals_is_thread_local(uint64_t address)
{
    return address - (uintptr_t)globals_tls.start < globals_tls.size;
}

/* Words, since it is mostly one or two of them and a call would cost more. */
static inline void globals_copy(unsigned char *to, const unsigned char *from, size_t size)
{
    if (__builtin_expect(size == 2 * sizeof(uint64_t), 1)) {
        __builtin_memcpy(to, from, 2 * sizeof(uint64_t));
        return;
    }
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t)) {
        __builtin_memcpy(to, from, sizeof(uint64_t));
        to += sizeof(uint64_t);
        from += sizeof(uint64_t);
    }
    for (; size > 0; size--)
        *to++ = *from++;
}

#endif
