/* The finer points of POSIX, and what goes on without the machine: loops, stacks, the clock. */
#include <string.h>

#include "harness/explore/replay.h"
#include "harness/explore/symbols.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

/* The failure's place in the source is in this function. */
static void check_culprit(const struct failure *failure, const char *function)
{
    size_t count = 0;
    const struct frame *frames = symbols_at(failure->culprit, &count);

    require(count > 0);
    check_text(frames[count - 1].function, function);
    check_text(symbols_file(&frames[count - 1]), "programs_posix.c");
    check(frames[count - 1].line > 0);
}

/* ---- loops without a step ---- */

static void a_loop_without_a_step_is_a_livelock_with_its_place(void)
{
    struct campaign campaign = explored(program_loops_without_a_step, &strategy_random);
    campaign.rules.patience = 200000000;
    campaign.memory.races = false;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_LIVELOCK);
    check(strstr(result->first.message, "has computed for 0.2 s without a step"));
    check_culprit(&result->first, "wait_for_flag");
}

static void a_computation_that_ends_is_none(void)
{
    struct campaign campaign = explored(program_computes_for_a_moment, &strategy_random);
    campaign.executions = 1;

    check_finds_nothing(&campaign);
}

static void a_crash_has_its_place_in_the_program(void)
{
    struct campaign campaign = explored(program_crashes_in_the_library, &strategy_random);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_CRASH);
    check_culprit(&result->first, "program_crashes_in_the_library");
}

/* ---- barriers ---- */

static void whoever_enters_the_next_round_of_a_barrier_is_not_known_to_those_who_leave(void)
{
    struct campaign campaign = explored(program_barrier_of_two_rounds, &strategy_replay);
    campaign.executions = 1;

    replay_prepare(NULL, 0, NULL);
    check_finds(&campaign, ENDED_RACE);
}

/* ---- waiting by looking at the clock ---- */

/* Nothing fails, and the first observation is the same in every execution. */
static void check_always(explored_fn *program, int first)
{
    struct campaign campaign = explored(program, &strategy_random);
    struct outcomes outcomes;

    campaign.executions = 1000;
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check_int(outcomes.seen[0][0], first);
}

static void a_thread_may_wait_by_looking_at_the_clock(void)
{
    check_always(program_waits_by_the_clock, 1);
}

static void such_a_wait_can_be_cut_short_or_not(void)
{
    struct campaign campaign = explored(program_waits_by_clock_and_flag, &strategy_pct);
    struct outcomes outcomes;

    campaign.executions = 1000;
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 2);
}

static void a_few_looks_at_the_clock_take_no_time(void)
{
    check_always(program_looks_at_the_clock, 0);
}

static const struct test tests[] = {
    TEST(a_computation_that_ends_is_none),
    TEST(a_loop_without_a_step_is_a_livelock_with_its_place),
    TEST(a_crash_has_its_place_in_the_program),
    TEST(whoever_enters_the_next_round_of_a_barrier_is_not_known_to_those_who_leave),
    TEST(a_thread_may_wait_by_looking_at_the_clock),
    TEST(such_a_wait_can_be_cut_short_or_not),
    TEST(a_few_looks_at_the_clock_take_no_time),
    END_OF_TESTS};

const struct suite posix_suite = {.name = "posix", .tests = tests};
