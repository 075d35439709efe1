/* The machine: interleavings, variables, memory, and all the ways to end. */
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

static bool has(const struct outcomes *outcomes, int first, int second)
{
    for (unsigned i = 0; i < outcomes->count; i++)
        if (outcomes->seen[i][0] == first && outcomes->seen[i][1] == second)
            return true;
    return false;
}

/* Nothing fails, and `observed` starts with these in every execution. */
static void check_always_pair(explored_fn *program, int first, int second)
{
    struct campaign campaign = explored(program, &strategy_random);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check_int(outcomes.seen[0][0], first);
    check_int(outcomes.seen[0][1], second);
}

static void check_fails(explored_fn *program, enum verdict_kind verdict)
{
    struct campaign campaign = explored(program, &strategy_random);

    check_finds(&campaign, verdict);
}

static void an_update_in_two_steps_is_lost_in_some_executions(void)
{
    struct campaign campaign = explored(program_two_increments, &strategy_random);
    struct outcomes outcomes;

    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 2);
    check(has(&outcomes, 1, 0));
    check(has(&outcomes, 2, 0));
}

static void the_same_seed_gives_the_same_executions(void)
{
    struct campaign campaign = explored(program_two_increments, &strategy_random);
    campaign.executions = 100;
    uint64_t steps = campaign_outcomes(&campaign, NULL)->steps;

    check_int(campaign_outcomes(&campaign, NULL)->steps, steps);
}

static void global_variables_start_afresh(void)
{
    check_always_pair(program_globals_start_afresh, 7, 0);
}

static void thread_local_variables_and_errno_are_each_threads_own(void)
{
    check_always_pair(program_thread_locals_are_apart, 15, 25);
}

static void thread_specific_data_are_destroyed_in_rounds(void)
{
    check_always_pair(program_specifics_are_destroyed, 3, 1);
}

static void pthread_exit_runs_the_cleanups_of_all_frames(void)
{
    check_always_pair(program_exit_runs_cleanups, 2, 3);
}

static void a_thread_that_waits_can_be_cancelled_and_has_the_mutex_in_its_handler(void)
{
    check_always_pair(program_cancelled_in_wait, 1, 1);
}

static void cancellation_waits_until_it_is_enabled(void)
{
    struct campaign campaign = explored(program_cancelled_while_disabled, &strategy_random);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 2);
    check(has(&outcomes, 1, 0)); /* cancelled when that was possible */
    check(has(&outcomes, 1, 1)); /* over before that */
}

static void main_may_leave_before_the_others(void)
{
    check_always_pair(program_main_leaves_first, 1, 0);
}

static void threads_that_were_joined_make_room(void)
{
    check_always_pair(program_two_hundred_threads_in_turn, 200, 0);
}

static void fresh_memory_is_the_same_in_every_execution(void)
{
    struct campaign campaign = explored(program_reads_fresh_memory, &strategy_random);
    struct outcomes outcomes;

    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 1);
}

static void a_leak_is_found(void)
{
    check_fails(program_leaks, ENDED_LEAK);
}

static void what_a_global_points_to_is_no_leak(void)
{
    check_always_pair(program_keeps_in_a_global, 0, 0);
}

static void a_double_free_is_found(void)
{
    check_fails(program_frees_twice, ENDED_DOUBLE_FREE);
}

static void abort_is_a_failure(void)
{
    check_fails(program_aborts, ENDED_ASSERTION);
}

static void a_failed_assertion_is_a_failure(void)
{
    check_fails(program_fails_assertion, ENDED_ASSERTION);
}

static void a_crash_is_a_failure_and_the_next_execution_goes_on(void)
{
    check_fails(program_crashes, ENDED_CRASH);
    check_always_pair(program_globals_start_afresh, 7, 0);
}

static void a_stack_that_overflows_is_a_crash(void)
{
    check_fails(program_overflows_its_stack, ENDED_CRASH);
}

static void a_spin_that_nobody_ends_is_a_livelock(void)
{
    check_fails(program_spins_for_ever, ENDED_LIVELOCK);
}

static void a_spin_that_somebody_ends_is_none(void)
{
    check_always_pair(program_spins_until_told, 1, 0);
}

static void unlocking_anothers_mutex_is_a_misuse(void)
{
    check_fails(program_unlocks_what_is_not_its_own, ENDED_MISUSE);
}

/* Both with and without the fault; nothing else. */
static void check_fault(struct campaign *campaign, int without, int with)
{
    struct outcomes outcomes;

    check_text(campaign_outcomes(campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 2);
    check(has(&outcomes, without, 0));
    check(has(&outcomes, with, with == 0));
}

static void an_allocation_fails_where_that_is_allowed(void)
{
    struct campaign campaign = explored(program_without_memory, &strategy_random);

    check_always_pair(program_without_memory, 1, 0);
    campaign.rules.faults.no_memory = 1;
    check_fault(&campaign, 1, 0);
}

static void a_thread_cannot_be_had_where_that_is_allowed(void)
{
    struct campaign campaign = explored(program_without_thread, &strategy_random);
    struct outcomes outcomes;

    campaign.rules.faults.no_thread = 1;
    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 2);
}

static void a_weak_compare_exchange_fails_for_no_reason_where_that_is_allowed(void)
{
    struct campaign campaign = explored(program_weak_compare_exchange, &strategy_random);
    struct outcomes outcomes;

    check_always_pair(program_weak_compare_exchange, 1, 0);
    campaign.rules.faults.weak_cas = 1;
    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 2);
    check(has(&outcomes, 0, 0));
}

static void every_way_to_write_a_weak_compare_exchange_is_known(void)
{
    struct campaign campaign = explored(program_weak_spellings, &strategy_dfs);
    struct outcomes outcomes;

    campaign.rules.faults.weak_cas = 1;
    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 9);
    check(has(&outcomes, 0, 0));
    for (int i = 0; i < 8; i++)
        check(has(&outcomes, 1 << i, 0));
}

static void no_other_compare_exchange_fails_for_no_reason(void)
{
    struct campaign campaign = explored(program_strong_spellings, &strategy_dfs);
    struct outcomes outcomes;

    campaign.rules.faults.weak_cas = 1;
    campaign_outcomes(&campaign, &outcomes);
    check_int(outcomes.count, 1);
    check(has(&outcomes, 0, 0));
}

static const struct test tests[] = {
    TEST(an_update_in_two_steps_is_lost_in_some_executions),
    TEST(the_same_seed_gives_the_same_executions),
    TEST(global_variables_start_afresh),
    TEST(thread_local_variables_and_errno_are_each_threads_own),
    TEST(thread_specific_data_are_destroyed_in_rounds),
    TEST(pthread_exit_runs_the_cleanups_of_all_frames),
    TEST(a_thread_that_waits_can_be_cancelled_and_has_the_mutex_in_its_handler),
    TEST(cancellation_waits_until_it_is_enabled),
    TEST(main_may_leave_before_the_others),
    TEST(threads_that_were_joined_make_room),
    TEST(fresh_memory_is_the_same_in_every_execution),
    TEST(a_leak_is_found),
    TEST(what_a_global_points_to_is_no_leak),
    TEST(a_double_free_is_found),
    TEST(abort_is_a_failure),
    TEST(a_failed_assertion_is_a_failure),
    TEST(a_crash_is_a_failure_and_the_next_execution_goes_on),
    TEST(a_stack_that_overflows_is_a_crash),
    TEST(a_spin_that_nobody_ends_is_a_livelock),
    TEST(a_spin_that_somebody_ends_is_none),
    TEST(unlocking_anothers_mutex_is_a_misuse),
    TEST(an_allocation_fails_where_that_is_allowed),
    TEST(a_thread_cannot_be_had_where_that_is_allowed),
    TEST(a_weak_compare_exchange_fails_for_no_reason_where_that_is_allowed),
    TEST(every_way_to_write_a_weak_compare_exchange_is_known),
    TEST(no_other_compare_exchange_fails_for_no_reason),
    END_OF_TESTS};

const struct suite machine_suite = {.name = "machine", .tests = tests};
