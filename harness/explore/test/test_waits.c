/* Locks, conditions and time: what the explorer finds wrong, and what it leaves alone. */
#include <errno.h>

#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

static bool has(const struct outcomes *outcomes, int first)
{
    for (unsigned i = 0; i < outcomes->count; i++)
        if (outcomes->seen[i][0] == first)
            return true;
    return false;
}

static void check_fails(explored_fn *program, enum verdict_kind verdict)
{
    struct campaign campaign = explored(program, &strategy_random);

    check_finds(&campaign, verdict);
}

/* Nothing fails, and the first observation is one of these two, each of them in some execution. */
static void check_either(explored_fn *program, int one, int other)
{
    struct campaign campaign = explored(program, &strategy_random);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, one == other ? 1 : 2);
    check(has(&outcomes, one));
    check(has(&outcomes, other));
}

static void two_locks_in_opposite_order_deadlock(void)
{
    check_fails(program_deadlock_of_two, ENDED_DEADLOCK);
}

static void two_locks_in_the_same_order_do_not(void)
{
    check_always(program_locks_in_order, 0);
}

static void a_lost_wake_up_is_a_deadlock_that_tells_of_the_signal(void)
{
    struct campaign campaign = explored(program_lost_wakeup, &strategy_random);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_DEADLOCK);
    check_text(result->first.message,
               "thread 0 waits for the end of thread 1; thread 1 waits on a condition (signals "
               "that found nobody: 1)");
}

static void a_wait_that_looks_first_loses_nothing(void)
{
    check_always(program_wakeup_not_lost, 0);
}

static void if_instead_of_while_is_found_out(void)
{
    struct campaign campaign = explored(program_if_instead_of_while, &strategy_random);
    struct outcomes outcomes;

    campaign_outcomes(&campaign, &outcomes);
    check(has(&outcomes, 1)); /* something was taken that was not there */
}

static void while_instead_of_if_is_right(void)
{
    check_always(program_while_instead_of_if, 0);
}

static void while_is_right_with_spurious_wake_ups_too(void)
{
    struct campaign campaign = explored(program_while_instead_of_if, &strategy_random);
    struct outcomes outcomes;

    campaign.rules.faults.spurious = 2;
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check(has(&outcomes, 0));
}

static void a_signal_may_wake_any_of_those_who_wait(void)
{
    check_either(program_which_waiter, 1, 2);
}

static void a_timeout_may_beat_the_signal(void)
{
    check_either(program_timeout_against_signal, 0, ETIMEDOUT);
}

static void time_may_pass_although_somebody_could_run(void)
{
    check_either(program_timeout_overtakes, 0, 1);
}

static void without_early_time_it_does_not(void)
{
    struct campaign campaign = explored(program_timeout_overtakes, &strategy_random);
    struct outcomes outcomes;

    campaign.rules.early_time = false;
    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 1);
    check(has(&outcomes, 1));
}

static void nobody_is_held_back_for_an_hour(void)
{
    check_always(program_hour_is_not_overtaken, 1);
}

static void what_is_due_while_its_taker_sleeps_is_late(void)
{
    check_fails(program_late, ENDED_LATE);
}

static void what_its_taker_is_told_of_is_not(void)
{
    check_always(program_in_time, 0);
}

static void a_year_of_sleep_takes_no_time(void)
{
    check_always(program_sleeps, 365);
}

static void the_wall_clock_is_plausible(void)
{
    check_always(program_wall_clock, 1);
}

static void a_recursive_mutex_counts(void)
{
    check_always(program_recursive_mutex, 1);
}

static void an_errorcheck_mutex_tells(void)
{
    check_always(program_errorcheck_mutex, 1);
}

static void trylock_succeeds_or_is_told_busy(void)
{
    check_either(program_trylock, 0, EBUSY);
}

static void a_timed_lock_succeeds_or_times_out(void)
{
    check_either(program_timedlock, 0, ETIMEDOUT);
}

static void a_reader_sees_all_or_nothing_of_a_writer(void)
{
    check_either(program_readers_and_a_writer, 0, 1);
}

static void spin_locks_exclude(void)
{
    check_always(program_spin_locks, 2);
}

static void a_semaphore_publishes(void)
{
    check_always(program_semaphore, 1);
}

static void a_timed_wait_for_a_semaphore_succeeds_or_times_out(void)
{
    check_either(program_semaphore_timeout, 0, ETIMEDOUT);
}

static void nobody_passes_a_barrier_alone_and_one_is_told(void)
{
    check_always(program_barrier, 1);
}

static void once_is_once_and_over_for_all_who_ask(void)
{
    check_always(program_once, 2);
}

static const struct test tests[] = {TEST(two_locks_in_opposite_order_deadlock),
                                    TEST(two_locks_in_the_same_order_do_not),
                                    TEST(a_lost_wake_up_is_a_deadlock_that_tells_of_the_signal),
                                    TEST(a_wait_that_looks_first_loses_nothing),
                                    TEST(if_instead_of_while_is_found_out),
                                    TEST(while_instead_of_if_is_right),
                                    TEST(while_is_right_with_spurious_wake_ups_too),
                                    TEST(a_signal_may_wake_any_of_those_who_wait),
                                    TEST(a_timeout_may_beat_the_signal),
                                    TEST(time_may_pass_although_somebody_could_run),
                                    TEST(without_early_time_it_does_not),
                                    TEST(nobody_is_held_back_for_an_hour),
                                    TEST(what_is_due_while_its_taker_sleeps_is_late),
                                    TEST(what_its_taker_is_told_of_is_not),
                                    TEST(a_year_of_sleep_takes_no_time),
                                    TEST(the_wall_clock_is_plausible),
                                    TEST(a_recursive_mutex_counts),
                                    TEST(an_errorcheck_mutex_tells),
                                    TEST(trylock_succeeds_or_is_told_busy),
                                    TEST(a_timed_lock_succeeds_or_times_out),
                                    TEST(a_reader_sees_all_or_nothing_of_a_writer),
                                    TEST(spin_locks_exclude),
                                    TEST(a_semaphore_publishes),
                                    TEST(a_timed_wait_for_a_semaphore_succeeds_or_times_out),
                                    TEST(nobody_passes_a_barrier_alone_and_one_is_told),
                                    TEST(once_is_once_and_over_for_all_who_ask),
                                    END_OF_TESTS};

const struct suite waits_suite = {.name = "waits", .tests = tests};
