/*
 * The flavour: which sanitizer this file is compiled for.
 *
 * gcc defines a macro for each, clang has __has_feature. The valgrind flavour, HARNESS_VALGRIND by
 * the Makefile, is compiled as for ThreadSanitizer, and so has HARNESS_TSAN as well.
 */
#ifndef HARNESS_SCENARIO_FLAVOUR_H
#define HARNESS_SCENARIO_FLAVOUR_H

#if defined(__has_feature)
#define HARNESS_HAS_FEATURE(feature) __has_feature(feature)
#else
#define HARNESS_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_THREAD__) || HARNESS_HAS_FEATURE(thread_sanitizer)
#define HARNESS_TSAN 1
#endif

#if defined(__SANITIZE_ADDRESS__) || HARNESS_HAS_FEATURE(address_sanitizer)
#define HARNESS_ASAN 1
#endif

#endif
