/*
 * The library's probes in explored builds: -DGP_PROBE_HEADER='"harness/explore/probe.h"' makes
 * impl/sync/probe.h include this file.
 *
 * A probe is no step, and neither is what its arguments do: they are worked out only while an
 * execution is recorded, and one that is recorded must not differ from one that is not. So the
 * machine stands aside meanwhile: atomics are carried out on the spot, and nothing is checked.
 */
#ifndef HARNESS_EXPLORE_PROBE_H
#define HARNESS_EXPLORE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct explore_argument {
    uint64_t value;
    bool is_pointer;
};

bool explore_probe_begin(void); /* false: nobody wants to know */
/* `names`: the arguments as the source has them. */
void explore_probe_end(const char *name, const char *names, unsigned count,
                       const struct explore_argument *);

#define EXPLORE_IS_POINTER(x)            \
    _Generic((x), bool                   \
             : false, char               \
             : false, signed char        \
             : false, unsigned char      \
             : false, short              \
             : false, unsigned short     \
             : false, int                \
             : false, unsigned           \
             : false, long               \
             : false, unsigned long      \
             : false, long long          \
             : false, unsigned long long \
             : false, default            \
             : true)
#define EXPLORE_ARGUMENT(x)                                                    \
    {                                                                          \
        .value = (uint64_t)(uintptr_t)(x), .is_pointer = EXPLORE_IS_POINTER(x) \
    }
#define EXPLORE_1(a)          EXPLORE_ARGUMENT(a)
#define EXPLORE_2(a, b)       EXPLORE_ARGUMENT(a), EXPLORE_ARGUMENT(b)
#define EXPLORE_3(a, b, c)    EXPLORE_2(a, b), EXPLORE_ARGUMENT(c)
#define EXPLORE_4(a, b, c, d) EXPLORE_3(a, b, c), EXPLORE_ARGUMENT(d)

#define EXPLORE_CHOOSE(a, b, c, d, chosen, ...) chosen
#define EXPLORE_ARGUMENTS(...) \
    EXPLORE_CHOOSE(__VA_ARGS__, EXPLORE_4, EXPLORE_3, EXPLORE_2, EXPLORE_1, 0)(__VA_ARGS__)

#define GP_PROBE(name, ...)                                                                    \
    do {                                                                                       \
        if (explore_probe_begin()) {                                                           \
            const struct explore_argument explore_list[] = {EXPLORE_ARGUMENTS(__VA_ARGS__)};   \
            explore_probe_end(#name, #__VA_ARGS__, sizeof explore_list / sizeof *explore_list, \
                              explore_list);                                                   \
        }                                                                                      \
    } while (0)

#endif
