/*
 * What a search claims is true: where it says that it has seen everything, it has; what it left out
 * it names; and the bug that it shows is the one that it found.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/explore/shrink.h"
#include "harness/explore/strategies.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

static const struct strategy *const strategies[] = {&strategy_random, &strategy_pct, &strategy_pos,
                                                    &strategy_dfs, &strategy_dpor};

enum {
    STRATEGIES = sizeof strategies / sizeof *strategies
};

static void check_all_find(explored_fn *program, enum verdict_kind verdict, struct faults faults)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = explored(program, strategies[i]);
        check_within(strategies[i]->name);
        campaign.rules.faults = faults;
        check_finds(&campaign, verdict);
    }
    check_within(NULL);
}

static void check_no_race(explored_fn *program, enum memory_model model)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = explored(program, strategies[i]);
        check_within(strategies[i]->name);
        campaign.memory.model = model;
        check_finds_nothing(&campaign);
    }
    check_within(NULL);
}

static void check_race(explored_fn *program)
{
    check_all_find(program, ENDED_RACE, (struct faults){0});
}

/* ---- steps ---- */

static void a_thread_may_run_before_the_program_ends(void)
{
    check_all_find(program_returns_before_its_thread_asserts, ENDED_ASSERTION, (struct faults){0});
    check_all_find(program_exits_before_its_thread, ENDED_ASSERTION, (struct faults){0});
}

static void and_the_program_may_end_before_it(void)
{
    struct campaign campaign = explored(program_returns_before_its_thread_asserts, &strategy_dpor);
    campaign.keep_going = true;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check(result->complete);
    check(result->verdicts[ENDED_WELL] > 0);
    check(result->verdicts[ENDED_ASSERTION] > 0);
}

static void a_spurious_wakeup_may_come_before_a_time_far_off(void)
{
    check_all_find(program_waits_longer_than_the_slack, ENDED_ASSERTION,
                   (struct faults){.spurious = 1});
}

static void time_passes_although_no_thread_waits_for_it(void)
{
    check_all_find(program_locks_after_its_deadline, ENDED_DEADLOCK, (struct faults){.jumps = 1});

    struct campaign campaign = explored(program_locks_after_its_deadline, &strategy_dpor);
    check_finds_nothing(&campaign);
}

static void the_order_of_allocations_is_told_apart(void)
{
    check_all_find(program_compares_addresses, ENDED_ASSERTION, (struct faults){0});
}

static void a_weak_exchange_may_fail_with_an_old_value(void)
{
    struct campaign campaign = explored(program_weak_exchange_of_an_old_value, &strategy_dpor);

    campaign.rules.faults.weak_cas = 1;
    check_finds_nothing(&campaign);
    campaign.memory.model = MEMORY_C11;
    check_finds(&campaign, ENDED_ASSERTION);
}

static void a_thread_may_be_cancelled_before_it_tests(void)
{
    check_all_find(program_is_cancelled_after_a_load, ENDED_ASSERTION, (struct faults){0});
}

static void a_key_may_be_deleted_before_it_is_used(void)
{
    check_all_find(program_deletes_a_key, ENDED_ASSERTION, (struct faults){0});
}

/* ---- races ---- */

static void a_new_thread_does_not_know_what_a_dead_one_did(void)
{
    check_race(program_reads_what_a_detached_thread_wrote);
    check_race(program_creates_after_anothers_join);
}

static void no_access_is_forgotten(void)
{
    check_race(program_many_readers_and_a_writer);
}

static void readers_are_ordered_with_writers_and_not_with_readers(void)
{
    check_race(program_reader_after_reader);
    check_no_race(program_writer_after_reader, MEMORY_SC);
    check_no_race(program_writer_after_reader, MEMORY_C11);
}

static void a_release_sequence_goes_on_with_stores_of_its_thread(void)
{
    check_no_race(program_relaxed_store_after_release, MEMORY_SC);
    check_no_race(program_relaxed_store_after_release, MEMORY_C11);
    check_race(program_relaxed_store_of_another);
}

static void atomics_of_several_sizes_order_threads(void)
{
    check_no_race(program_ticket_lock_on_halves, MEMORY_SC);
    check_no_race(program_ticket_lock_on_halves, MEMORY_C11);

    struct campaign campaign = explored(program_ticket_lock_on_halves, &strategy_dpor);
    campaign.memory.model = MEMORY_C11;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check(!result->complete);
    check(result->limits[LIMIT_MIXED_SIZES] > 0);
}

static void times_are_read_by_those_who_wait(void)
{
    check_race(program_sleeps_for_what_is_written);
}

/* ---- old stores ---- */

static bool is_seen(explored_fn *program, int first)
{
    struct campaign campaign = explored(program, &strategy_dpor);
    struct outcomes outcomes;

    campaign.memory.model = MEMORY_C11;
    const struct campaign_result *result = campaign_outcomes(&campaign, &outcomes);
    check(result->complete);
    for (unsigned i = 0; i < outcomes.count; i++)
        if (outcomes.seen[i][0] == first)
            return true;
    return false;
}

static void a_store_is_read_however_old_and_often(void)
{
    check(is_seen(program_five_stale_loads, 1));
    check(is_seen(program_oldest_of_many_stores, 1));
}

/* ---- verdicts ---- */

static void plain_accesses_that_are_not_looked_at_are_left_out(void)
{
    struct campaign campaign = explored(program_plain_race, &strategy_dpor);
    campaign.memory.races = false;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_WELL);
    check(!result->complete);
    check(result->limits[LIMIT_PLAIN] > 0);
}

static void check_limit(explored_fn *program, enum limit limit)
{
    struct campaign campaign = explored(program, &strategy_dpor);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_WELL);
    check(result->verdicts[ENDED_LIMIT] > 0);
    check(result->limits[limit] > 0);
}

static void what_a_lock_cannot_do_is_a_limit(void)
{
    check_limit(program_prefers_writers, LIMIT_CALLS);
    check_limit(program_reads_lock_often, LIMIT_TABLES);
}

/* Each seed finds one of two assertions, and the story is that of the one found. */
static void what_is_shown_is_the_bug_that_was_found(void)
{
    unsigned found[2] = {0};

    for (unsigned seed = 1; seed <= 32; seed++) {
        struct campaign campaign = explored(program_two_assertions, &strategy_random);
        struct failure failure;
        struct shrink_result shrunk;
        char message[sizeof failure.message];

        campaign.options.seed = seed;
        const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
        require(result->first.verdict == ENDED_ASSERTION);
        failure = copy_of_failure(&result->first);
        memcpy(message, failure.message, sizeof message);
        found[strstr(message, "before == 0") != NULL]++;
        check(shrink(campaign.program, campaign.argument, &failure, &shrunk));
        check_text(failure.message, message);
        failure_free(&failure);
    }
    check(found[0] > 0 && found[1] > 0);
}

/* ---- spins, and what has no end ---- */

/* All ends are seen, in few executions: rounds that see nothing new are not told apart. */
static void check_spin(explored_fn *program, enum memory_model model)
{
    struct campaign campaign = explored(program, &strategy_dpor);

    campaign.memory.model = model;
    check_finds_nothing(&campaign);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check(result->complete);
    check(result->executions + result->cut < 100);
}

static void a_spin_waits_for_a_change(void)
{
    explored_fn *const programs[] = {program_spins_without_yield, program_lock_by_compare_exchange,
                                     program_lock_by_exchange, program_spins_by_trying};

    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        check_spin(programs[i], MEMORY_SC);
        check_spin(programs[i], MEMORY_C11);
    }
}

static void check_ends_with_faults(explored_fn *program, struct faults faults)
{
    struct campaign campaign = explored(program, &strategy_dpor);

    campaign.rules.faults = faults;
    check_finds_nothing(&campaign);
    campaign.memory.model = MEMORY_C11;
    check_finds_nothing(&campaign);
}

/* A round in which something failed by a fault is none that is repeated for ever. */
static void a_fault_ends_no_loop(void)
{
    for (unsigned most = 1; most <= 3; most++) {
        check_ends_with_faults(program_yields_after_a_failed_exchange,
                               (struct faults){.weak_cas = most});
        check_ends_with_faults(program_pushes_with_yields, (struct faults){.weak_cas = most});
        check_ends_with_faults(program_creates_in_a_loop, (struct faults){.no_thread = most});
    }
}

static void a_spin_that_no_thread_can_end_is_a_livelock(void)
{
    check_all_find(program_spins_in_vain, ENDED_LIVELOCK, (struct faults){0});
    check(machine.steps < 100);
}

static void a_loop_that_counts_is_no_spin(void)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = explored(program_gives_up_spinning, strategies[i]);
        check_within(strategies[i]->name);
        campaign.executions = 100;
        check_finds_nothing(&campaign);
    }
    check_within(NULL);
}

static void a_loop_that_draws_numbers_is_no_spin(void)
{
    struct campaign campaign = explored(program_draws_until_it_gives_up, &strategy_dpor);
    check_finds_nothing(&campaign);

    campaign = explored(program_draws_for_long, &strategy_random);
    campaign.executions = 1;
    campaign.rules.step_budget = 10000;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check_int(result->verdicts[ENDED_LIMIT], 1);
}

static void a_cycle_of_states_is_a_livelock(void)
{
    struct campaign campaign = explored(program_polls_in_vain, &strategy_random);

    campaign.rules.step_budget = 1000;
    check_finds(&campaign, ENDED_LIVELOCK);
    check(machine.steps < 1100);
}

static void a_long_execution_is_none(void)
{
    struct campaign campaign = explored(program_increments_often, &strategy_random);

    campaign.executions = 3;
    check_finds_nothing(&campaign);
    campaign.rules.step_budget = 1000;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check_int(result->first.verdict, ENDED_WELL);
    check_int(result->verdicts[ENDED_LIMIT], 3);
    check_int(result->limits[LIMIT_STEPS], 3);
}

static const struct test tests[] = {
    TEST(a_thread_may_run_before_the_program_ends),
    TEST(and_the_program_may_end_before_it),
    TEST(a_spurious_wakeup_may_come_before_a_time_far_off),
    TEST(time_passes_although_no_thread_waits_for_it),
    TEST(the_order_of_allocations_is_told_apart),
    TEST(a_weak_exchange_may_fail_with_an_old_value),
    TEST(a_thread_may_be_cancelled_before_it_tests),
    TEST(a_key_may_be_deleted_before_it_is_used),
    TEST(a_new_thread_does_not_know_what_a_dead_one_did),
    TEST(no_access_is_forgotten),
    TEST(readers_are_ordered_with_writers_and_not_with_readers),
    TEST(a_release_sequence_goes_on_with_stores_of_its_thread),
    TEST(atomics_of_several_sizes_order_threads),
    TEST(times_are_read_by_those_who_wait),
    TEST(a_store_is_read_however_old_and_often),
    TEST(plain_accesses_that_are_not_looked_at_are_left_out),
    TEST(what_a_lock_cannot_do_is_a_limit),
    TEST(what_is_shown_is_the_bug_that_was_found),
    TEST(a_spin_waits_for_a_change),
    TEST(a_fault_ends_no_loop),
    TEST(a_spin_that_no_thread_can_end_is_a_livelock),
    TEST(a_loop_that_counts_is_no_spin),
    TEST(a_loop_that_draws_numbers_is_no_spin),
    TEST(a_cycle_of_states_is_a_livelock),
    TEST(a_long_execution_is_none),
    END_OF_TESTS,
};

const struct suite soundness_suite = {.name = "soundness", .tests = tests};
