/*
 * Memory models: the exact set of results that each litmus test has under `sc` and `c11`, found by
 * going through all of its executions. A result is a digit per value, and the sets are sorted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/test/every.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

enum {
    DIGITS = 4,
    TEXT = OUTCOMES * (DIGITS + 1) + 1
};

static int by_value(const void *left, const void *right)
{
    return memcmp(left, right, DIGITS);
}

/* The first `digits` of each result. */
static void tell(const struct outcomes *outcomes, unsigned digits, char text[TEXT])
{
    char rows[OUTCOMES][DIGITS + 1] = {{0}};

    for (unsigned i = 0; i < outcomes->count; i++)
        for (unsigned k = 0; k < digits; k++)
            rows[i][k] = (char)('0' + outcomes->seen[i][k]);
    qsort(rows, outcomes->count, sizeof rows[0], by_value);
    *text = '\0';
    for (unsigned i = 0; i < outcomes->count; i++)
        snprintf(text + strlen(text), TEXT - strlen(text), "%s%s", i > 0 ? " " : "", rows[i]);
}

static void check_results(explored_fn *program, enum memory_model model, const char *expected)
{
    struct campaign campaign = explored(program, &strategy_every);
    struct outcomes outcomes;
    char found[TEXT];

    campaign.memory.model = model;
    campaign.executions = 0;
    const struct campaign_result *result = campaign_outcomes(&campaign, &outcomes);
    check_text(result->first.message, "");
    check(result->complete);
    tell(&outcomes, (unsigned)strcspn(expected, " "), found);
    check_text(found, expected);
}

static void check_both(explored_fn *program, const char *sc, const char *c11)
{
    check_within("sc");
    check_results(program, MEMORY_SC, sc);
    check_within("c11");
    check_results(program, MEMORY_C11, c11);
    check_within(NULL);
}

static void check_same(explored_fn *program, const char *expected)
{
    check_both(program, expected, expected);
}

/* ---- store buffering ---- */

static void a_load_overtakes_a_store_unless_both_are_seq_cst(void)
{
    check_both(litmus_sb_relaxed, "01 10 11", "00 01 10 11");
    check_both(litmus_sb_release_acquire, "01 10 11", "00 01 10 11");
    check_same(litmus_sb_seq_cst, "01 10 11");
}

static void a_seq_cst_fence_keeps_a_load_behind_a_store(void)
{
    check_same(litmus_sb_fenced, "01 10 11");
    check_both(litmus_sb_weakly_fenced, "01 10 11", "00 01 10 11");
}

static void a_seq_cst_fence_pairs_with_seq_cst_accesses_if_both_are(void)
{
    check_same(litmus_sb_fence_against_seq_cst, "01 10 11");
    check_both(litmus_sb_fence_against_seq_cst_store, "01 10 11", "00 01 10 11");
    check_both(litmus_sb_fence_against_seq_cst_load, "01 10 11", "00 01 10 11");
}

/* ---- message passing ---- */

static void a_message_is_complete_by_release_and_acquire(void)
{
    check_both(litmus_mp_relaxed, "00 01 11", "00 01 10 11");
    check_both(litmus_mp_release_only, "00 01 11", "00 01 10 11");
    check_both(litmus_mp_acquire_only, "00 01 11", "00 01 10 11");
    check_same(litmus_mp_release_acquire, "00 01 11");
}

static void fences_release_and_acquire_for_relaxed_accesses(void)
{
    check_same(litmus_mp_fenced, "00 01 11");
    check_same(litmus_mp_fence_to_acquire, "00 01 11");
    check_same(litmus_mp_release_to_fence, "00 01 11");
}

static void a_release_sequence_goes_on_through_a_read_modify_write_only(void)
{
    check_same(litmus_release_sequence, "00 01 11 21");
    check_both(litmus_no_release_sequence, "00 01 11 21", "00 01 11 20 21");
}

static void a_compare_exchange_may_fail_by_an_old_value(void)
{
    check_both(litmus_late_exchange, "000 011 111", "000 011 100 111");
    check_same(litmus_latest_exchange, "01 11");
}

static void a_lock_releases_and_acquires(void)
{
    check_same(litmus_mp_locked, "00 01 11");
}

/* ---- load buffering ---- */

static void no_load_reads_a_store_that_is_yet_to_come(void)
{
    check_same(litmus_lb_relaxed, "00 01 10");
}

/* ---- coherence ---- */

static void a_location_never_goes_back(void)
{
    check_same(litmus_corr, "00 01 02 11 12 22");
    check_same(litmus_cowr, "11 12 22");
}

/* 12 for one and 21 for the other would be two orders. */
static void all_agree_on_the_order_of_a_location(void)
{
    check_same(litmus_corr_of_two,
               "0000 0001 0002 0011 0012 0021 0022 0100 0101 0102 0111 0112 0121 0122 "
               "0200 0201 0202 0211 0212 0221 0222 1100 1101 1102 1111 1112 1121 1122 "
               "1200 1201 1202 1211 1212 1222 2100 2101 2102 2111 2121 2122 2200 2201 2202 2211 "
               "2212 2221 2222");
}

static void coherence_reaches_across_threads(void)
{
    check_both(litmus_wrc_relaxed, "000 001 010 011 100 101 111",
               "000 001 010 011 100 101 110 111");
    check_same(litmus_wrc_release_acquire, "000 001 010 011 100 101 111");
}

/* ---- independent reads ---- */

static const char all_iriw[] = "0000 0001 0010 0011 0100 0101 0110 0111 "
                               "1000 1001 1010 1011 1100 1101 1110 1111";
static const char agreed_iriw[] = "0000 0001 0010 0011 0100 0101 0110 0111 "
                                  "1000 1001 1011 1100 1101 1110 1111";

static void readers_disagree_on_independent_stores_unless_seq_cst(void)
{
    check_both(litmus_iriw_relaxed, agreed_iriw, all_iriw);
    check_both(litmus_iriw_release_acquire, agreed_iriw, all_iriw);
    check_same(litmus_iriw_seq_cst, agreed_iriw);
    check_same(litmus_iriw_fenced, agreed_iriw);
}

static void a_seq_cst_fence_passes_on_what_it_has_seen(void)
{
    check_both(litmus_rwc_release_acquire, "000 001 010 011 101 110 111",
               "000 001 010 011 100 101 110 111");
    check_same(litmus_rwc_fenced, "000 001 010 011 101 110 111");
}

/* ---- the order of stores ---- */

static void a_load_may_be_late_after_a_store(void)
{
    check_both(litmus_r_relaxed, "01 11 12", "01 02 11 12");
    check_same(litmus_r_seq_cst, "01 11 12");
    check_same(litmus_r_fenced, "01 11 12");
}

/* RC11 has 11, 12 and 00 besides: memory_stores.c says why they are left out. */
static void the_modification_order_is_the_order_of_execution(void)
{
    check_same(litmus_2_2w_relaxed, "12 21 22");
    check_same(litmus_2_2w_seq_cst, "12 21 22");
    check_same(litmus_s_relaxed, "01 02 11");
    check_same(litmus_sb_rmw, "01 10 11");
}

/* RC11 has 130 as well: memory_stores.c says why it is left out. */
static void the_order_of_seq_cst_operations_is_the_order_of_execution(void)
{
    check_same(litmus_z6u, "010 011 030 031 120 121 131 310 311 340 341");
}

/* ---- what is around it ---- */

static void who_waits_for_a_store_gets_to_see_it_soon(void)
{
    check_same(litmus_waits, "1");
    check_same(litmus_waits_beside_a_sleeper, "1");

    struct campaign campaign = explored(litmus_waits, &strategy_every);
    campaign.memory.model = MEMORY_C11;
    check(campaign_outcomes(&campaign, NULL)->executions < 100);
}

static void plain_initialisation_is_read_by_all(void)
{
    check_same(litmus_plain_initialisation, "03");
}

static const struct test tests[] = {
    TEST(a_load_overtakes_a_store_unless_both_are_seq_cst),
    TEST(a_seq_cst_fence_keeps_a_load_behind_a_store),
    TEST(a_seq_cst_fence_pairs_with_seq_cst_accesses_if_both_are),
    TEST(a_message_is_complete_by_release_and_acquire),
    TEST(fences_release_and_acquire_for_relaxed_accesses),
    TEST(a_release_sequence_goes_on_through_a_read_modify_write_only),
    TEST(a_compare_exchange_may_fail_by_an_old_value),
    TEST(a_lock_releases_and_acquires),
    TEST(no_load_reads_a_store_that_is_yet_to_come),
    TEST(a_location_never_goes_back),
    TEST(all_agree_on_the_order_of_a_location),
    TEST(coherence_reaches_across_threads),
    TEST(readers_disagree_on_independent_stores_unless_seq_cst),
    TEST(a_seq_cst_fence_passes_on_what_it_has_seen),
    TEST(a_load_may_be_late_after_a_store),
    TEST(the_modification_order_is_the_order_of_execution),
    TEST(the_order_of_seq_cst_operations_is_the_order_of_execution),
    TEST(who_waits_for_a_store_gets_to_see_it_soon),
    TEST(plain_initialisation_is_read_by_all),
    END_OF_TESTS,
};

const struct suite litmus_suite = {.name = "litmus", .tests = tests};
