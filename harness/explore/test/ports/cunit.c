/*
 * As much of CUnit as the suites use, for processors that this machine has no CUnit for: its
 * headers are the same for all, its library is not. Tests run one at a time, and what is known of
 * the last one is forgotten when the next begins.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static CU_Suite the_suite;
static CU_Test the_test;
static CU_FailureRecord *first, *last;
static unsigned failures;
static jmp_buf end_of_test;

/* ---- a test ---- */

static void forget_failures(void)
{
    while (first) {
        CU_FailureRecord *next = first->pNext;
        free(first->strFileName);
        free(first->strCondition);
        free(first);
        first = next;
    }
    last = NULL;
    failures = 0;
}

CU_ErrorCode CU_run_test(CU_pSuite suite, CU_pTest test)
{
    (void)suite;
    forget_failures();
    if (setjmp(end_of_test) == 0)
        test->pTestFunc();
    return CUE_SUCCESS;
}

/* Without memory it is counted all the same. */
static void add_failure(unsigned line, const char *condition, const char *file)
{
    CU_FailureRecord *record = calloc(1, sizeof *record);

    failures++;
    if (!record)
        return;
    record->uiLineNumber = line;
    record->strFileName = strdup(file);
    record->strCondition = strdup(condition);
    *(last ? &last->pNext : &first) = record;
    last = record;
}

CU_BOOL CU_assertImplementation(CU_BOOL value, unsigned line, const char *condition,
                                const char *file, const char *function, CU_BOOL fatal)
{
    (void)function;
    if (!value)
        add_failure(line, condition, file);
    if (!value && fatal)
        longjmp(end_of_test, 1);
    return value;
}

CU_pFailureRecord CU_get_failure_list(void)
{
    return first;
}

unsigned CU_get_number_of_failures(void)
{
    return failures;
}

/* ---- registering ---- */

CU_ErrorCode CU_initialize_registry(void)
{
    return CUE_SUCCESS;
}

void CU_cleanup_registry(void)
{
    forget_failures();
}

void CU_set_error_action(CU_ErrorAction action)
{
    (void)action;
}

CU_pSuite CU_add_suite(const char *name, CU_InitializeFunc init, CU_CleanupFunc clean)
{
    (void)name;
    (void)init;
    (void)clean;
    return &the_suite;
}

CU_pTest CU_add_test(CU_pSuite suite, const char *name, CU_TestFunc func)
{
    (void)suite;
    (void)name;
    the_test.pTestFunc = func;
    return &the_test;
}
