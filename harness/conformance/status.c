/* Status codes: each has words of its own. */
#include <string.h>

#include <glasspool/glasspool.h>

#include "suite.h"

#define LAST_STATUS GP_ENOTSUP

static void every_code_has_words_of_its_own(void)
{
    for (int code = GP_OK; code >= LAST_STATUS; code--) {
        check(strlen(gp_strerror(code)) > 0);
        check(strcmp(gp_strerror(code), gp_strerror(LAST_STATUS - 1)) != 0);
        for (int other = GP_OK; other > code; other--)
            check(strcmp(gp_strerror(code), gp_strerror(other)) != 0);
    }
}

static void an_unknown_code_has_words_too(void)
{
    check(strlen(gp_strerror(LAST_STATUS - 1)) > 0);
    check(strlen(gp_strerror(1)) > 0);
    check_text(gp_strerror(12345), gp_strerror(-12345));
}

static void success_is_zero_and_errors_are_negative(void)
{
    check_int(GP_OK, 0);
    check(GP_EINVAL < 0);
    check(LAST_STATUS < GP_EINVAL);
}

static const struct test tests[] = {
    TEST(every_code_has_words_of_its_own),
    TEST(an_unknown_code_has_words_too),
    TEST(success_is_zero_and_errors_are_negative),
    END_OF_TESTS,
};

const struct suite status_suite = {.name = "status", .tests = tests};
