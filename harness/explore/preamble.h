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
 *
 * A function that asks not to be instrumented would have steps and accesses that are not seen, and
 * a search could not be complete. So in a program of gp-cc (GPX_PROGRAM) these attributes become
 * others, which have no effect without the sanitizers that they name. They do not become nothing:
 * [[gnu::]] is no attribute, and a header may ask __has_attribute. The scenarios of the harness
 * have functions that must not be seen (harness/scenario/unobserved.h).
 *
 * A __builtin_memcpy stays the compiler's, whatever -fno-builtin says, and may be done in line,
 * without marks. So do its kin. Their macros call the runtime, unless the compiler knows the value:
 * a __builtin_strlen may be in a constant expression. Those with a size behind the operands are
 * what <string.h> calls in a program that defines _FORTIFY_SOURCE itself.
 *
 * Some builtins of x86 are assembly by another name. A fence of the processor is that of the memory
 * model: mfence is sequentially consistent, lfence acquires, sfence releases. A load or store that
 * bypasses the cache is a plain one.
 */
#ifndef HARNESS_EXPLORE_PREAMBLE_H
#define HARNESS_EXPLORE_PREAMBLE_H

#pragma GCC system_header /* the program's warnings are about the program */

#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#include <stdatomic.h>

#undef atomic_init
#define atomic_init(object, value)                                      \
    __extension__({                                                     \
        __typeof__((void)0, *(object)) atomic_init_value = (value);     \
        *(__typeof__(atomic_init_value) *)(object) = atomic_init_value; \
    })
#endif

#if defined(GPX_PROGRAM)
#define no_sanitize(...)                  no_sanitize("null")
#define __no_sanitize__(...)              __no_sanitize__("null")
#define no_sanitize_thread                no_sanitize_address
#define __no_sanitize_thread__            __no_sanitize_address__
#define disable_sanitizer_instrumentation no_sanitize_address
#endif

#if !defined(__cplusplus)
void gpx_pause(void);

#define __builtin_ia32_pause() gpx_pause()
#define __builtin_arm_yield()  gpx_pause()

void *gpx_memcpy(void *to, const void *from, __SIZE_TYPE__ size);
void *gpx_memmove(void *to, const void *from, __SIZE_TYPE__ size);
void *gpx_mempcpy(void *to, const void *from, __SIZE_TYPE__ size);
void *gpx_memset(void *to, int byte, __SIZE_TYPE__ size);
void *gpx_memchr(const void *bytes, int byte, __SIZE_TYPE__ size);
int gpx_memcmp(const void *left, const void *right, __SIZE_TYPE__ size);
char *gpx_strcpy(char *to, const char *from);
char *gpx_stpcpy(char *to, const char *from);
char *gpx_strcat(char *to, const char *from);
char *gpx_strncpy(char *to, const char *from, __SIZE_TYPE__ size);
char *gpx_strncat(char *to, const char *from, __SIZE_TYPE__ most);
char *gpx_strchr(const char *text, int letter);
char *gpx_strrchr(const char *text, int letter);
char *gpx_strstr(const char *text, const char *part);
int gpx_strcmp(const char *left, const char *right);
int gpx_strncmp(const char *left, const char *right, __SIZE_TYPE__ most);
__SIZE_TYPE__ gpx_strlen(const char *text);

#define GPX_UNLESS_KNOWN(name, ...)                                                      \
    (__builtin_constant_p(__builtin_##name(__VA_ARGS__)) ? __builtin_##name(__VA_ARGS__) \
                                                         : gpx_##name(__VA_ARGS__))

#define __builtin_memcpy(...)                      gpx_memcpy(__VA_ARGS__)
#define __builtin_memmove(...)                     gpx_memmove(__VA_ARGS__)
#define __builtin_mempcpy(...)                     gpx_mempcpy(__VA_ARGS__)
#define __builtin_memset(...)                      gpx_memset(__VA_ARGS__)
#define __builtin_strcpy(...)                      gpx_strcpy(__VA_ARGS__)
#define __builtin_stpcpy(...)                      gpx_stpcpy(__VA_ARGS__)
#define __builtin_strcat(...)                      gpx_strcat(__VA_ARGS__)
#define __builtin_strncpy(...)                     gpx_strncpy(__VA_ARGS__)
#define __builtin_strncat(...)                     gpx_strncat(__VA_ARGS__)
#define __builtin_memchr(...)                      GPX_UNLESS_KNOWN(memchr, __VA_ARGS__)
#define __builtin_memcmp(...)                      GPX_UNLESS_KNOWN(memcmp, __VA_ARGS__)
#define __builtin_strchr(...)                      GPX_UNLESS_KNOWN(strchr, __VA_ARGS__)
#define __builtin_strrchr(...)                     GPX_UNLESS_KNOWN(strrchr, __VA_ARGS__)
#define __builtin_strstr(...)                      GPX_UNLESS_KNOWN(strstr, __VA_ARGS__)
#define __builtin_strcmp(...)                      GPX_UNLESS_KNOWN(strcmp, __VA_ARGS__)
#define __builtin_strncmp(...)                     GPX_UNLESS_KNOWN(strncmp, __VA_ARGS__)
#define __builtin_strlen(...)                      GPX_UNLESS_KNOWN(strlen, __VA_ARGS__)
#define __builtin___memcpy_chk(to, from, n, room)  gpx_memcpy(to, from, n)
#define __builtin___memmove_chk(to, from, n, room) gpx_memmove(to, from, n)
#define __builtin___mempcpy_chk(to, from, n, room) gpx_mempcpy(to, from, n)
#define __builtin___memset_chk(to, byte, n, room)  gpx_memset(to, byte, n)
#define __builtin___strcpy_chk(to, from, room)     gpx_strcpy(to, from)
#define __builtin___stpcpy_chk(to, from, room)     gpx_stpcpy(to, from)
#define __builtin___strcat_chk(to, from, room)     gpx_strcat(to, from)
#define __builtin___strncpy_chk(to, from, n, room) gpx_strncpy(to, from, n)
#define __builtin___strncat_chk(to, from, n, room) gpx_strncat(to, from, n)
#endif

#if defined(__x86_64__) && !defined(__cplusplus)
#define __builtin_ia32_mfence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __builtin_ia32_lfence() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define __builtin_ia32_sfence() __atomic_thread_fence(__ATOMIC_RELEASE)

#define GPX_STORE(type, to, value)                            \
    __extension__({                                           \
        type gpx_value = (value);                             \
        (void)gpx_memcpy((to), &gpx_value, sizeof gpx_value); \
    })
#define GPX_LOAD(from)                                          \
    __extension__({                                             \
        __typeof__((void)0, *(from)) gpx_value;                 \
        (void)gpx_memcpy(&gpx_value, (from), sizeof gpx_value); \
        gpx_value;                                              \
    })
#define __builtin_ia32_movntdqa(from)          GPX_LOAD(from)
#define __builtin_ia32_movntdqa256(from)       GPX_LOAD(from)
#define __builtin_ia32_movnti(to, value)       GPX_STORE(int, to, value)
#define __builtin_ia32_movnti64(to, value)     GPX_STORE(long long, to, value)
#define __builtin_ia32_movntq(to, value)       GPX_STORE(long long, to, value)
#define __builtin_ia32_movntps(to, value)      GPX_STORE(__typeof__(value), to, value)
#define __builtin_ia32_movntpd(to, value)      GPX_STORE(__typeof__(value), to, value)
#define __builtin_ia32_movntdq(to, value)      GPX_STORE(__typeof__(value), to, value)
#define __builtin_ia32_movntps256(to, value)   GPX_STORE(__typeof__(value), to, value)
#define __builtin_ia32_movntpd256(to, value)   GPX_STORE(__typeof__(value), to, value)
#define __builtin_ia32_movntdq256(to, value)   GPX_STORE(__typeof__(value), to, value)
#define __builtin_nontemporal_store(value, to) GPX_STORE(__typeof__((void)0, *(to)), to, value)

#if defined(__clang__) /* whose headers only declare them */
__attribute__((__always_inline__)) static __inline__ void gpx_mfence(void)
{
    __builtin_ia32_mfence();
}
__attribute__((__always_inline__)) static __inline__ void gpx_lfence(void)
{
    __builtin_ia32_lfence();
}
__attribute__((__always_inline__)) static __inline__ void gpx_sfence(void)
{
    __builtin_ia32_sfence();
}
#define _mm_pause  gpx_pause
#define _mm_mfence gpx_mfence
#define _mm_lfence gpx_lfence
#define _mm_sfence gpx_sfence
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
