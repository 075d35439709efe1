/*
 * Included before all else in explored sources (-include). It makes a program take the same steps
 * whichever compiler it comes from, and tells the runtime what the compilers would not.
 *
 * atomic_init is no step: the standard says that it is not atomic. clang makes a plain store of it,
 * gcc's header a relaxed one.
 *
 * A pause is a yield: of the processor's other thread, by the book. Those in assembly are called by
 * what `assembly` inserts.
 *
 * A weak compare-exchange may fail for no reason. gcc calls another function for it than for a
 * strong one; clang calls the same for both, which only returns what it found. So here the runtime
 * is told before that it is weak, and asked afterwards whether it was done. The operands are
 * evaluated first, since they may contain a compare-exchange of their own. A kind that is known
 * only at run time is taken for a strong one, as gcc does it. So is the kind of a builtin with an
 * operand that has commas outside of parentheses, as compound literals may: a macro cannot tell
 * which operand says "weak" then.
 */
#ifndef HARNESS_EXPLORE_PREAMBLE_H
#define HARNESS_EXPLORE_PREAMBLE_H

#pragma GCC system_header /* the program's warnings are about the program */

#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#include <stdatomic.h>

#undef atomic_init
#define atomic_init(object, value)                                                        \
    __extension__({                                                                       \
        __typeof__((void)0, *(object)) atomic_init_value = (value);                       \
        __builtin_memcpy((void *)(object), &atomic_init_value, sizeof atomic_init_value); \
    })
#endif

#if !defined(__cplusplus)
void gpx_pause(void);

#define __builtin_ia32_pause() gpx_pause()
#define __builtin_arm_yield()  gpx_pause()
#if defined(__clang__) /* whose headers only declare it */
#define _mm_pause gpx_pause
#endif
#endif

#if defined(__clang__) && !defined(__cplusplus)
void gpx___weak_exchange(const volatile void *object, __SIZE_TYPE__ size);
_Bool gpx___weak_exchange_done(void);

/* <stdatomic.h> stands on this one. */
#define __c11_atomic_compare_exchange_weak(object, expected, desired, success, failure)            \
    __extension__({                                                                                \
        __auto_type gpx_object = (object);                                                         \
        __auto_type gpx_expected = (expected);                                                     \
        __typeof__((void)0, *gpx_object) gpx_desired = (desired);                                  \
        gpx___weak_exchange(gpx_object, sizeof gpx_desired);                                       \
        (_Bool)(__c11_atomic_compare_exchange_weak(gpx_object, gpx_expected, gpx_desired, success, \
                                                   failure) &&                                     \
                gpx___weak_exchange_done());                                                       \
    })

/* The fourth of their operands says "weak". */
#define __atomic_compare_exchange(...) \
    GPX_IF_SIX(GPX_EXCHANGE, __atomic_compare_exchange, __VA_ARGS__)(__VA_ARGS__)
#define __atomic_compare_exchange_n(...) \
    GPX_IF_SIX(GPX_EXCHANGE_N, __atomic_compare_exchange_n, __VA_ARGS__)(__VA_ARGS__)

#define GPX_EXCHANGE(object, expected, desired, weak, success, failure)                      \
    GPX_EXCHANGE_BY(__atomic_compare_exchange, object, expected, __auto_type, desired, weak, \
                    success, failure)
#define GPX_EXCHANGE_N(object, expected, desired, weak, success, failure) \
    GPX_EXCHANGE_BY(__atomic_compare_exchange_n, object, expected,        \
                    __typeof__((void)0, *gpx_object), desired, weak, success, failure)
#define GPX_EXCHANGE_BY(builtin, object, expected, type, desired, weak, success, failure) \
    __extension__({                                                                       \
        __auto_type gpx_object = (object);                                                \
        __auto_type gpx_expected = (expected);                                            \
        type gpx_desired = (desired);                                                     \
        if (GPX_IS_WEAK(weak))                                                            \
            gpx___weak_exchange(gpx_object, sizeof *gpx_object);                          \
        (_Bool)(builtin(gpx_object, gpx_expected, gpx_desired, weak, success, failure) && \
                (!GPX_IS_WEAK(weak) || gpx___weak_exchange_done()));                      \
    })

#define GPX_IS_WEAK(weak) (__builtin_constant_p(weak) && (weak))

/* Operands are six: the first word; they are others, up to twelve: the second. */
#define GPX_IF_SIX(six, other, ...)                                                          \
    GPX_THIRTEENTH(__VA_ARGS__, other, other, other, other, other, other, six, other, other, \
                   other, other, other, )
#define GPX_THIRTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, ...) m
#endif

#endif
