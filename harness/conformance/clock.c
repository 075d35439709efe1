/* The clock: differences that survive the wrap, deadlines, and what the system is told of them. */
#include <limits.h>

#include <glasspool/clock.h>

#include "sync/clock.h"

#include "suite.h"

static void the_clock_never_goes_backwards(void)
{
    int64_t last = gp_now();
    for (unsigned i = 0; i < scaled(10000); i++) {
        int64_t now = gp_now();
        check(gp_time_until(now, last) >= 0);
        last = now;
    }
}

static void the_clock_is_the_monotonic_one(void)
{
    struct timespec before;
    struct timespec after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    int64_t now = gp_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    check(now >= GP_SECONDS(before.tv_sec) + before.tv_nsec);
    check(now <= GP_SECONDS(after.tv_sec) + after.tv_nsec);
}

static void units_are_nanoseconds(void)
{
    check_int(GP_MICROSECONDS(3), 3000);
    check_int(GP_MILLISECONDS(3), 3000000);
    check_int(GP_SECONDS(3), INT64_C(3000000000));
}

static void time_until_is_a_difference(void)
{
    check_int(gp_time_until(10, 3), 7);
    check_int(gp_time_until(3, 10), -7);
    check_int(gp_time_until(-3, 10), -13);
    check_int(gp_time_until(5, 5), 0);
}

static void time_until_is_right_across_the_wrap(void)
{
    check_int(gp_time_until(INT64_MIN + 4, INT64_MAX - 5), 10);
    check_int(gp_time_until(INT64_MAX - 5, INT64_MIN + 4), -10);
    check_int(gp_time_until(INT64_MIN, INT64_MAX), 1);
}

static void time_after_wraps(void)
{
    check_int(gp_time_after(10, 5), 15);
    check_int(gp_time_after(10, -5), 5);
    check_int(gp_time_after(INT64_MAX, 1), INT64_MIN);
    check_int(gp_time_after(INT64_MIN, -1), INT64_MAX);
    check_int(gp_time_until(gp_time_after(INT64_MAX - 2, 100), INT64_MAX - 2), 100);
}

static void a_deadline_is_now_and_the_timeout(void)
{
    int64_t before = gp_now();
    int64_t deadline = gp__deadline(GP_SECONDS(5));
    int64_t after = gp_now();
    check(gp_time_until(deadline, before) >= GP_SECONDS(5));
    check(gp_time_until(deadline, after) <= GP_SECONDS(5));
}

static void a_timeout_of_nothing_or_less_is_a_deadline_that_has_passed(void)
{
    static const int64_t timeouts[] = {0, -1, INT64_MIN};
    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
        int64_t deadline = gp__deadline(timeouts[i]);
        check(gp__passed(deadline, gp_now()));
    }
}

static void a_timeout_for_ever_is_a_deadline_that_never_passes(void)
{
    check_int(gp__deadline(GP_FOREVER), GP__NO_DEADLINE);
    check(!gp__passed(GP__NO_DEADLINE, gp_now()));
    check(!gp__passed(GP__NO_DEADLINE, INT64_MAX));
    check(!gp__passed(GP__NO_DEADLINE, 0));
}

static void the_longest_timeout_is_far_away_although_it_wraps(void)
{
    int64_t deadline = gp__deadline(INT64_MAX - 1);
    check(!gp__passed(deadline, gp_now()));
    check(gp_time_until(deadline, gp_now()) > GP_SECONDS(3600));
}

static void a_deadline_has_passed_at_its_very_nanosecond(void)
{
    check(!gp__passed(100, 99));
    check(gp__passed(100, 100));
    check(gp__passed(100, 101));
}

static void the_system_is_told_a_wrapped_time_as_a_late_one(void)
{
    struct timespec plain = gp__timespec(GP_SECONDS(2) + 7);
    struct timespec wrapped = gp__timespec(gp_time_after(INT64_MAX, 10));
    check_int(plain.tv_sec, 2);
    check_int(plain.tv_nsec, 7);
    check(wrapped.tv_sec > INT64_MAX / GP_SECONDS(1) - 1);
    check(wrapped.tv_nsec >= 0 && wrapped.tv_nsec < GP_SECONDS(1));
}

static const struct test tests[] = {
    TEST(the_clock_never_goes_backwards),
    TEST(the_clock_is_the_monotonic_one),
    TEST(units_are_nanoseconds),
    TEST(time_until_is_a_difference),
    TEST(time_until_is_right_across_the_wrap),
    TEST(time_after_wraps),
    TEST(a_deadline_is_now_and_the_timeout),
    TEST(a_timeout_of_nothing_or_less_is_a_deadline_that_has_passed),
    TEST(a_timeout_for_ever_is_a_deadline_that_never_passes),
    TEST(the_longest_timeout_is_far_away_although_it_wraps),
    TEST(a_deadline_has_passed_at_its_very_nanosecond),
    TEST(the_system_is_told_a_wrapped_time_as_a_late_one),
    END_OF_TESTS,
};

const struct suite clock_suite = {.name = "clock", .tests = tests};
