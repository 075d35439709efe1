/* Ends of waits, of loops, of threads: each that there may be has to be seen, and no other. */
#include "harness/explore/shrink.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

static const struct strategy *const searches[] = {&strategy_dfs, &strategy_dpor};

enum {
    SEARCHES = sizeof searches / sizeof *searches
};

static void check_all_find(explored_fn *program, enum verdict_kind verdict)
{
    for (unsigned i = 0; i < SEARCHES; i++) {
        struct campaign campaign = explored(program, searches[i]);
        check_within(searches[i]->name);
        check_finds(&campaign, verdict);
    }
    check_within(NULL);
}

static void a_wait_may_time_out_before_a_signal_comes(void)
{
    check_all_find(program_times_out_before_a_signal, ENDED_ASSERTION);
    check_all_find(program_times_out_before_a_broadcast, ENDED_ASSERTION);
}

static void a_wait_may_be_cancelled_before_a_signal_comes(void)
{
    check_all_find(program_is_cancelled_before_a_signal, ENDED_ASSERTION);
}

/* What tells the rounds apart is not in the program's memory. */
static void a_loop_that_counts_elsewhere_is_no_spin(void)
{
    check_all_find(program_counts_at_a_key, ENDED_ASSERTION);

    struct campaign campaign = explored(program_creates_keys, &strategy_dpor);
    check_finds_nothing(&campaign);
}

/* Far-off times come, too: what waits for one is no livelock. */
static void a_loop_that_a_far_time_ends_is_no_livelock(void)
{
    for (unsigned early = 0; early < 2; early++) {
        struct campaign campaign = explored(program_works_until_stopped, &strategy_random);
        campaign.executions = 3;
        campaign.rules.step_budget = 1000;
        campaign.rules.early_time = early == 1;
        check_finds_nothing(&campaign);
    }
}

static bool saw_a_deleted_key_and_no_call(explored_fn *program, const struct strategy *strategy)
{
    struct campaign campaign = explored(program, strategy);
    struct outcomes outcomes;

    check(campaign_outcomes(&campaign, &outcomes)->complete);
    for (unsigned i = 0; i < outcomes.count; i++)
        if (outcomes.seen[i][0] == 0 && outcomes.seen[i][1] == 1)
            return true;
    return false;
}

static void a_key_may_be_deleted_between_two_destructors(void)
{
    for (unsigned i = 0; i < SEARCHES; i++)
        check(
            saw_a_deleted_key_and_no_call(program_deletes_a_key_between_destructors, searches[i]));
}

static void check_shrinks_to_itself(unsigned seed, const void *culprits[2])
{
    struct campaign campaign = explored(program_two_exits, &strategy_random);
    struct shrink_result shrunk;

    campaign.options.seed = seed;
    struct failure failure = copy_of_failure(&campaign_outcomes(&campaign, NULL)->first);
    const void *culprit = failure.culprit;
    require(failure.verdict == ENDED_FAILED);
    check(shrink(campaign.program, campaign.argument, &failure, &shrunk));
    check(failure.culprit == culprit);
    failure_free(&failure);
    if (culprits[0] != culprit)
        culprits[culprits[0] ? 1 : 0] = culprit;
}

static void the_exit_that_is_shown_is_the_one_that_was_found(void)
{
    const void *culprits[2] = {NULL, NULL};

    for (unsigned seed = 1; seed <= 32; seed++)
        check_shrinks_to_itself(seed, culprits);
    check(culprits[0] && culprits[1]);
}

static const struct test tests[] = {
    TEST(a_wait_may_time_out_before_a_signal_comes),
    TEST(a_wait_may_be_cancelled_before_a_signal_comes),
    TEST(a_loop_that_counts_elsewhere_is_no_spin),
    TEST(a_loop_that_a_far_time_ends_is_no_livelock),
    TEST(a_key_may_be_deleted_between_two_destructors),
    TEST(the_exit_that_is_shown_is_the_one_that_was_found),
    END_OF_TESTS,
};

const struct suite ends_suite = {.name = "ends", .tests = tests};
