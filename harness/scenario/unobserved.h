/*
 * UNOBSERVED: a function of the harness that ThreadSanitizer need not watch, or must not.
 *
 * Need not: code that runs in every iteration and touches nothing but the harness's own memory. The
 * time it saves goes into more iterations; the code under test is watched as ever.
 *
 * Must not: code whose atomics would be taken for synchronisation, and so hide races from it
 * (history.c).
 *
 * gcc leaves everything out of such a function. clang, told the same, still reports the atomics; it
 * has a second attribute for that, which would turn off the other sanitizers too.
 */
#ifndef HARNESS_SCENARIO_UNOBSERVED_H
#define HARNESS_SCENARIO_UNOBSERVED_H

#include "harness/scenario/flavour.h"

#if defined(HARNESS_TSAN) && defined(__clang__)
#define UNOBSERVED __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#else
#define UNOBSERVED __attribute__((no_sanitize("thread")))
#endif

#endif
