/* Hangs: a scenario in which nothing moves hangs, or is only kept from its processors. */
#include "harness/native/hang.h"

#include "suite.h"

static bool hangs(double lasted, double used)
{
    const struct standstill still = {.lasted = lasted, .used = used};
    return hang_is_likely(&still, 10);
}

static void nothing_hangs_before_the_limit(void)
{
    check(!hangs(0, 0));
    check(!hangs(10, 0));
    check(!hangs(10, 20));
}

static void whoever_sleeps_past_the_limit_hangs(void)
{
    check(hangs(10.1, 0));
    check(hangs(10.1, 0.5));
    check(hangs(40, 1.9));
}

static void whoever_works_for_as_long_as_the_limit_hangs(void)
{
    check(hangs(10.1, 10));
    check(hangs(11, 20));
    check(hangs(40, 10));
}

static void whoever_is_kept_from_working_does_not(void)
{
    check(!hangs(10.1, 0.6));
    check(!hangs(20, 2));
    check(!hangs(59, 9.9));
}

static void but_not_for_ever(void)
{
    check(!hangs(60, 5));
    check(hangs(60.1, 5));
}

static const struct test tests[] = {
    TEST(nothing_hangs_before_the_limit),
    TEST(whoever_sleeps_past_the_limit_hangs),
    TEST(whoever_works_for_as_long_as_the_limit_hangs),
    TEST(whoever_is_kept_from_working_does_not),
    TEST(but_not_for_ever),
    END_OF_TESTS,
};

const struct suite hang_suite = {.name = "hang", .tests = tests};
