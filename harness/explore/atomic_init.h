/*
 * Included before all else in explored sources (-include): atomic_init is no step.
 *
 * The standard says that it is not atomic. clang makes a plain store of it; gcc's header a relaxed
 * one, which would be a step, and no build could replay what the other found. Here it is the same
 * for both.
 */
#ifndef HARNESS_EXPLORE_ATOMIC_INIT_H
#define HARNESS_EXPLORE_ATOMIC_INIT_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#include <stdatomic.h>

#undef atomic_init
#define atomic_init(object, value)                                                        \
    __extension__({                                                                       \
        __typeof__((void)0, *(object)) atomic_init_value = (value);                       \
        __builtin_memcpy((void *)(object), &atomic_init_value, sizeof atomic_init_value); \
    })
#endif

#endif
