/*
 * Conformance: the program.
 *
 *     conformance [--suite GLOB] [--test GLOB] [--list] [--help]
 *
 * Runs the suites one after the other: a line per failed assertion, a line per suite, and at the
 * end, alone on a line, "conformance: N passed, N failed" (tests, not assertions). Exit status 0 if
 * none failed.
 *
 * The tests run in a thread of their own, so that the main thread can be the watchdog, and so that
 * the library's record of the testing thread is given back before the leak checkers look.
 */
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <glasspool/thread.h>

#include "suite.h"
#include "watchdog.h"

#define FAILURES_SHOWN 10 /* of one test */

static struct {
    const char *suite;
    const char *test;
    bool list;
} options = {.suite = "*", .test = "*"};

static const char usage[] = "usage: conformance [--suite GLOB] [--test GLOB] [--list] [--help]\n"
                            "  --suite GLOB  only the suites whose name matches\n"
                            "  --test GLOB   only the tests whose name matches\n"
                            "  --list        name them, run nothing\n"
                            "GP_SLOW=1 in the environment: fewer rounds, more patience\n";

/* Exits on --help and on what it does not know. */
static void parse(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--suite") == 0 && i + 1 < count) {
            options.suite = arguments[++i];
        } else if (strcmp(arguments[i], "--test") == 0 && i + 1 < count) {
            options.test = arguments[++i];
        } else if (strcmp(arguments[i], "--list") == 0) {
            options.list = true;
        } else {
            bool help = strcmp(arguments[i], "--help") == 0;
            fputs(usage, help ? stdout : stderr);
            exit(help ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
}

static bool selected(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

static void list(void)
{
    for (const struct suite *const *suite = suites; *suite != NULL; suite++)
        for (const struct test *test = (*suite)->tests; test->name != NULL; test++)
            if (selected(options.suite, (*suite)->name) && selected(options.test, test->name))
                printf("%s.%s\n", (*suite)->name, test->name);
}

static void print_failures(const char *suite, const char *test)
{
    unsigned count = 0;
    for (CU_pFailureRecord each = CU_get_failure_list(); each != NULL; each = each->pNext)
        if (++count <= FAILURES_SHOWN)
            printf("%s.%s: %s:%u: %s\n", suite, test, each->strFileName, each->uiLineNumber,
                   each->strCondition);
    if (count > FAILURES_SHOWN)
        printf("%s.%s: and %u more\n", suite, test, count - FAILURES_SHOWN);
    fflush(stdout);
}

/* Some tests interrupt their own thread; none may leave that to the next. */
static int leftovers(const char *suite, const char *test)
{
    if (!gp_interrupted())
        return 0;
    printf("%s.%s: left its thread interrupted\n", suite, test);
    return 1;
}

static void run_test(CU_pSuite cunit_suite, const struct suite *suite, const struct test *test)
{
    CU_pTest cunit_test = CU_add_test(cunit_suite, test->name, test->run);
    check_within(NULL);
    if (suite->prepare != NULL)
        suite->prepare();
    watchdog_test_begins(suite->name, test->name);
    CU_run_test(cunit_suite, cunit_test);
    print_failures(suite->name, test->name);
    watchdog_test_ends((int)CU_get_number_of_failures() + leftovers(suite->name, test->name));
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void run_suite(const struct suite *suite)
{
    struct timespec start;
    unsigned count = 0;
    CU_pSuite cunit_suite = CU_add_suite(suite->name, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (const struct test *test = suite->tests; test->name != NULL; test++) {
        if (selected(options.test, test->name)) {
            run_test(cunit_suite, suite, test);
            count++;
        }
    }
    if (count > 0)
        printf("%-12s %4u tests %8.2f s\n", suite->name, count, seconds_since(&start));
    fflush(stdout);
}

static void *run_all(void *unused)
{
    (void)unused;
    CU_initialize_registry();
    CU_set_error_action(CUEA_IGNORE);
    for (const struct suite *const *suite = suites; *suite != NULL; suite++)
        if (selected(options.suite, (*suite)->name))
            run_suite(*suite);
    CU_cleanup_registry();
    watchdog_run_ends();
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t tests;
    parse(count, arguments);
    if (options.list) {
        list();
        return EXIT_SUCCESS;
    }
    if (pthread_create(&tests, NULL, run_all, NULL) != 0)
        return EXIT_FAILURE;
    struct tally tally = watchdog_watch();
    pthread_join(tests, NULL);
    if (tally.passed + tally.failed == 0) {
        fprintf(stderr, "conformance: no test matches --suite '%s' --test '%s'\n", options.suite,
                options.test);
        return EXIT_FAILURE;
    }
    watchdog_close(tally);
    return tally.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
