/*
 * Conformance: the program.
 *
 *     conformance [OPTION...]         --help tells them
 *
 * Runs the suites one after the other: a line per failed assertion, a line per suite, and at the
 * end, alone on a line, "conformance: N passed, N failed" (tests, not assertions). Exit status: 0
 * if none failed, 1 if one did, 2 if it was called wrongly or no test is called so.
 *
 * The tests run in a thread of their own, so that the main thread can be the watchdog, and so that
 * the library's record of the testing thread is given back before the leak checkers look.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <glasspool/thread.h>

#include "harness/report/words.h"
#include "suite.h"
#include "watchdog.h"

#define FAILURES_SHOWN 10 /* of one test */

#define WRONG_USAGE 2

static struct {
    const char *suite;
    const char *test;
    bool list;
    bool until_failure;
} options = {.suite = "*", .test = "*"};

static const char program[] = "conformance";
static const char usage[] = "usage: conformance [OPTION...]\n"
                            "  --suite GLOB     only the suites whose name matches\n"
                            "  --test GLOB      only the tests whose name matches\n"
                            "  --hang SECONDS   a test that takes longer hangs (default 60)\n"
                            "  --until-failure  end with the first test that fails\n"
                            "  --list           name them, run nothing\n"
                            "  --help           this\n"
                            "GP_SLOW=1 in the environment: fewer rounds, ten times the patience\n"
                            "Exit code: 0 none failed, 1 one did, 2 not understood, or there is no "
                            "such test\n";

static bool read_patience(const char *word)
{
    uint64_t seconds;
    if (!words_number(program, "hang", word, 1, 3600, &seconds))
        return false;
    watchdog_set_patience((int)seconds);
    return true;
}

static bool apply(int letter)
{
    switch (letter) {
    case 's':
        options.suite = optarg;
        return true;
    case 't':
        options.test = optarg;
        return true;
    case 'w':
        return read_patience(optarg);
    case 'f':
        options.until_failure = true;
        return true;
    case 'l':
        options.list = true;
        return true;
    case 'h':
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    default:
        return false;
    }
}

/* Exits on --help and on what it does not know. */
static void parse(int count, char **words)
{
    static const struct option known[] = {{"suite", required_argument, NULL, 's'},
                                          {"test", required_argument, NULL, 't'},
                                          {"hang", required_argument, NULL, 'w'},
                                          {"until-failure", no_argument, NULL, 'f'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;
    while ((letter = words_next(program, count, words, known)) != -1)
        if (!apply(letter))
            exit(WRONG_USAGE);
    if (optind < count) {
        fprintf(stderr, "conformance: what is '%s'? (see --help)\n", words[optind]);
        exit(WRONG_USAGE);
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

/* False: it has failed. */
static bool run_test(CU_pSuite cunit_suite, const struct suite *suite, const struct test *test)
{
    CU_pTest cunit_test = CU_add_test(cunit_suite, test->name, test->run);
    check_within(NULL);
    if (suite->prepare != NULL)
        suite->prepare();
    watchdog_test_begins(suite->name, test->name);
    CU_run_test(cunit_suite, cunit_test);
    print_failures(suite->name, test->name);
    int failures = (int)CU_get_number_of_failures() + leftovers(suite->name, test->name);
    watchdog_test_ends(failures);
    return failures == 0;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* False: the run is over. */
static bool run_suite(const struct suite *suite)
{
    struct timespec start;
    unsigned count = 0;
    bool goes_on = true;
    CU_pSuite cunit_suite = CU_add_suite(suite->name, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (const struct test *test = suite->tests; goes_on && test->name != NULL; test++) {
        if (selected(options.test, test->name)) {
            goes_on = run_test(cunit_suite, suite, test) || !options.until_failure;
            count++;
        }
    }
    if (count > 0)
        printf("%-12s %4u tests %8.2f s\n", suite->name, count, seconds_since(&start));
    fflush(stdout);
    return goes_on;
}

static void *run_all(void *unused)
{
    bool goes_on = true;
    (void)unused;
    CU_initialize_registry();
    CU_set_error_action(CUEA_IGNORE);
    for (const struct suite *const *suite = suites; goes_on && *suite != NULL; suite++)
        if (selected(options.suite, (*suite)->name))
            goes_on = run_suite(*suite);
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
        return WRONG_USAGE;
    }
    watchdog_close(tally);
    return tally.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
