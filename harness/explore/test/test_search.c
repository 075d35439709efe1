/*
 * The searches that see everything agree: for each of many small programs dpor finds the outcomes
 * that plain depth first search finds, in no more executions, and in as many as there are orders
 * where that is known. Both numbers are printed.
 */
#include <stdio.h>
#include <string.h>

#include "harness/explore/random.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"
#include "harness/explore/test/programs_search.h"

enum {
    MOST_EXECUTIONS = 400000,
    MOST_ENDS = 2048
};

/* The different ways in which the executions of a program ended: what was observed, in one number,
   each of them different almost surely. */
struct ends {
    uint64_t seen[MOST_ENDS];
    unsigned count;
};

static bool has(const struct ends *ends, uint64_t end)
{
    for (unsigned i = 0; i < ends->count; i++)
        if (ends->seen[i] == end)
            return true;
    return false;
}

static void note_end(void *argument)
{
    struct ends *ends = argument;
    struct random mixer = {.state = (uint64_t)machine.verdict};
    uint64_t end = 0;

    for (unsigned i = 0; i < OBSERVATIONS; i++) {
        mixer.state ^= (uint64_t)(unsigned)observed[i];
        end ^= random_next(&mixer);
    }
    if (!has(ends, end) && ends->count < MOST_ENDS)
        ends->seen[ends->count++] = end;
}

static bool are_all_in(const struct ends *a, const struct ends *b)
{
    for (unsigned i = 0; i < a->count; i++)
        if (!has(b, a->seen[i]))
            return false;
    return true;
}

static struct campaign_result search(const struct search_program *program,
                                     const struct strategy *strategy, struct ends *ends)
{
    struct campaign campaign = explored(program->run, strategy);

    memset(ends, 0, sizeof *ends);
    campaign.argument = ends;
    campaign.ended = note_end;
    campaign.executions = MOST_EXECUTIONS;
    campaign.keep_going = true;
    campaign.memory.model = program->c11 ? MEMORY_C11 : MEMORY_SC;
    campaign.rules.faults = program->faults;
    return *campaign_outcomes(&campaign, NULL);
}

static void compare(const struct search_program *program)
{
    static struct ends all, reduced;

    if (program->too_large)
        return;
    struct campaign_result dfs = search(program, &strategy_dfs, &all);
    struct campaign_result dpor = search(program, &strategy_dpor, &reduced);

    printf("    %-31s %3u outcomes, executions: dfs %7ju, dpor %5ju and %ju cut\n", program->name,
           all.count, (uintmax_t)dfs.executions, (uintmax_t)dpor.executions, (uintmax_t)dpor.cut);
    check(dfs.complete == !program->counts_spins);
    check(dpor.complete == !program->counts_spins);
    check_int(dpor.limits[LIMIT_SPINS] > 0, program->counts_spins);
    check(program->counts_spins || are_all_in(&all, &reduced));
    check(are_all_in(&reduced, &all));
    check(dpor.executions + dpor.cut <= dfs.executions);
}

static void for_each(const struct search_program *program,
                     void (*visit)(const struct search_program *))
{
    for (; program->name; program++) {
        check_within(program->name);
        visit(program);
    }
    check_within(NULL);
}

static const struct search_program litmus_tests[] = {
    {PROGRAM(litmus_sb_relaxed), .c11 = true},
    {PROGRAM(litmus_sb_fenced), .c11 = true},
    {PROGRAM(litmus_sb_fence_against_seq_cst), .c11 = true},
    {PROGRAM(litmus_mp_relaxed), .c11 = true},
    {PROGRAM(litmus_cowr), .c11 = true},
    {PROGRAM(litmus_corr), .c11 = true},
    {.name = NULL},
};

static void dpor_finds_the_outcomes_that_dfs_finds(void)
{
    printf("\n");
    for_each(search_programs_on_data, compare);
    for_each(search_programs_that_wait, compare);
    for_each(search_programs_drawn, compare);
    for_each(litmus_tests, compare);
}

/* ---- known numbers ---- */

static void count_orders(const struct search_program *program)
{
    static struct ends ends;

    if (program->orders == 0)
        return;
    struct campaign_result dpor = search(program, &strategy_dpor, &ends);
    check(dpor.complete);
    check_int(dpor.executions, program->orders);
    check(!program->uncut || dpor.cut == 0);
}

static void dpor_runs_each_order_once(void)
{
    for_each(search_programs_on_data, count_orders);
    for_each(search_programs_that_wait, count_orders);
}

static const struct test tests[] = {
    TEST(dpor_finds_the_outcomes_that_dfs_finds),
    TEST(dpor_runs_each_order_once),
    END_OF_TESTS,
};

const struct suite search_suite = {.name = "search", .tests = tests};
