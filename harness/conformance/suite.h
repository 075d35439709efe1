/*
 * Conformance: how a suite is written.
 *
 * One file per concept, harness/conformance/<concept>.c. A test is a function without arguments
 * whose name is the sentence that it proves; the file ends with the table of its tests and the
 * suite that names it. suites.c lists the suites of the program.
 *
 * Assertions are CUnit's, with the values shown when they differ. They belong to the thread that
 * runs the test: other threads leave what they saw in memory, and the test looks at it when they
 * have ended.
 */
#ifndef CONFORMANCE_SUITE_H
#define CONFORMANCE_SUITE_H

#include <stdbool.h>
#include <stddef.h> /* NULL */
#include <stdint.h> /* intmax_t */

struct test {
    const char *name; /* NULL ends a table */
    void (*run)(void);
};

struct suite {
    const char *name;
    const struct test *tests;
    void (*prepare)(void); /* called before each test; NULL: nothing to do */
};

extern const struct suite *const suites[]; /* of the program; NULL ends them */

#define TEST(function)                       \
    {                                        \
        .name = #function, .run = (function) \
    }
#define END_OF_TESTS              \
    {                             \
        .name = NULL, .run = NULL \
    }

/* Assertions. require ends the test at once: only where going on makes no sense. */

#define check(expression)   check_true((expression), #expression, false, __FILE__, __LINE__)
#define require(expression) check_true((expression), #expression, true, __FILE__, __LINE__)
#define check_int(actual, expected) \
    check_integers((intmax_t)(actual), (intmax_t)(expected), #actual, __FILE__, __LINE__)
#define check_status(actual, expected) \
    check_codes((actual), (expected), #actual, false, __FILE__, __LINE__)
#define require_ok(actual) check_codes((actual), 0, #actual, true, __FILE__, __LINE__)
#define check_text(actual, expected) \
    check_strings((actual), (expected), #actual, __FILE__, __LINE__)

void check_true(bool holds, const char *expression, bool fatal, const char *file, unsigned line);
void check_integers(intmax_t actual, intmax_t expected, const char *expression, const char *file,
                    unsigned line);
void check_codes(int actual, int expected, const char *expression, bool fatal, const char *file,
                 unsigned line); /* status codes, shown in words */
void check_strings(const char *actual, const char *expected, const char *expression,
                   const char *file, unsigned line);

void check_within(const char *context); /* shown with each failure from now on; NULL: no more */

/* Patience. GP_SLOW in the environment says that we run under something like Valgrind. */

bool is_slow(void);
unsigned scaled(unsigned rounds); /* of them, as many as this run can afford; at least 1 */

#endif
