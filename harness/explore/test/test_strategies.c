/* Each strategy finds what it is there for, and says truthfully what it has covered. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"
#include "harness/explore/test/programs_search.h"

static const struct strategy *const strategies[] = {&strategy_random, &strategy_pct, &strategy_pos,
                                                    &strategy_dfs, &strategy_dpor};

enum {
    STRATEGIES = sizeof strategies / sizeof strategies[0]
};

/* Of the small programs one whose orders are known. */
static const struct search_program *program_of_orders(uint64_t orders)
{
    const struct search_program *program = search_programs_on_data;

    while (program->name && program->orders != orders)
        program++;
    require(program->name != NULL);
    return program;
}

static struct campaign without_races(void (*program)(void), const struct strategy *strategy)
{
    struct campaign campaign = explored(program, strategy);

    campaign.memory.races = false;
    return campaign;
}

/* ---- finding ---- */

static void each_finds_a_bug_of_depth_two(void)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = without_races(program_depth_two_bug, strategies[i]);
        check_within(strategies[i]->name);
        campaign.options.depth = 2;
        check_finds(&campaign, ENDED_ASSERTION);
    }
    check_within(NULL);
}

static void each_is_found_by_its_name(void)
{
    for (unsigned i = 0; i < STRATEGIES; i++)
        check(strategy_named(strategies[i]->name) == strategies[i]);
    check(strategy_named("luck") == NULL);
}

static void each_comes_to_the_end_of_a_spin(void)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = without_races(program_spins_until_told, strategies[i]);
        check_within(strategies[i]->name);
        check_finds_nothing(&campaign);
    }
    check_within(NULL);
}

/* ---- what was covered ---- */

static void pct_keeps_its_promise(void)
{
    struct campaign campaign = without_races(program_depth_two_bug, &strategy_pct);
    unsigned n, k;

    campaign.options.depth = 2;
    campaign.keep_going = true;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    const char *numbers = strchr(result->covered, '(');
    require(numbers != NULL);
    require(sscanf(numbers, "(%u threads, %u turns)", &n, &k) == 2);
    check(!result->complete);
    check(result->verdicts[ENDED_ASSERTION] * n * k >= result->executions);
}

static void dfs_with_a_bound_says_so(void)
{
    struct campaign campaign = explored(program_of_orders(3)->run, &strategy_dfs);

    campaign.options.preemption_bound = 1;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    uint64_t bounded = result->executions;
    check(result->ended);
    check(!result->complete);
    check(result->limits[LIMIT_PREEMPTIONS] > 0);

    campaign.options.preemption_bound = UINT_MAX;
    result = campaign_outcomes(&campaign, NULL);
    check(result->complete);
    check(bounded < result->executions);
}

static void a_search_that_is_stopped_is_not_complete(void)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = without_races(program_of_orders(6)->run, strategies[i]);
        check_within(strategies[i]->name);
        campaign.executions = 3;
        check(!campaign_outcomes(&campaign, NULL)->complete);
    }
    check_within(NULL);
}

/* Without races plain writes are not seen, and the spin could have an end. So it goes round until
   all is as it was. */
static void a_spin_may_have_to_go_round_for_long(void)
{
    struct campaign campaign = without_races(program_spins_for_ever, &strategy_dpor);

    campaign.keep_going = true;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check(result->verdicts[ENDED_LIVELOCK] > 0);
    check(result->limits[LIMIT_CHOICES] > 0);
    check(result->ended);
    check(!result->complete);
}

/* ---- orders ---- */

static void orders_are_counted_as_theory_has_it(void)
{
    for (const struct search_program *program = search_programs_on_data; program->name; program++) {
        if (program->orders == 0 || program->too_large)
            continue;
        struct campaign campaign = explored(program->run, &strategy_dfs);
        check_within(program->name);
        campaign.executions = 0;
        campaign.keep_going = true;
        campaign.orders = 1;
        const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
        check(result->complete);
        check_int(result->orders.distinct, program->orders);
    }
    check_within(NULL);
}

static void sampling_sees_all_orders_of_a_small_program(void)
{
    for (unsigned i = 0; i < STRATEGIES; i++) {
        struct campaign campaign = without_races(program_of_orders(6)->run, strategies[i]);
        check_within(strategies[i]->name);
        campaign.orders = 1;
        check_int(campaign_outcomes(&campaign, NULL)->orders.distinct, 6);
    }
    check_within(NULL);
}

static const struct test tests[] = {
    TEST(each_finds_a_bug_of_depth_two),
    TEST(each_is_found_by_its_name),
    TEST(each_comes_to_the_end_of_a_spin),
    TEST(pct_keeps_its_promise),
    TEST(dfs_with_a_bound_says_so),
    TEST(a_search_that_is_stopped_is_not_complete),
    TEST(a_spin_may_have_to_go_round_for_long),
    TEST(orders_are_counted_as_theory_has_it),
    TEST(sampling_sees_all_orders_of_a_small_program),
    END_OF_TESTS,
};

const struct suite strategies_suite = {.name = "strategies", .tests = tests};
