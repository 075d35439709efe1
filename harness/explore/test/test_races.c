/* Data races and misused memory: found where they are, and only there. */
#include <errno.h>

#include "harness/explore/test/every.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

static struct campaign every_execution_of(explored_fn *program, enum memory_model model)
{
    struct campaign campaign = explored(program, &strategy_every);

    campaign.executions = 0;
    campaign.memory.model = model;
    return campaign;
}

/* Under both models; so do those that find nothing. */
static void check_found(explored_fn *program, enum verdict_kind verdict)
{
    for (int model = MEMORY_SC; model <= MEMORY_C11; model++) {
        struct campaign campaign = every_execution_of(program, (enum memory_model)model);
        check_finds(&campaign, verdict);
    }
}

static void check_silent(explored_fn *program)
{
    for (int model = MEMORY_SC; model <= MEMORY_C11; model++) {
        struct campaign campaign = every_execution_of(program, (enum memory_model)model);
        check_finds_nothing(&campaign);
    }
}

/* Fails in all of them, and as a race in some. */
static void check_always_found(explored_fn *program)
{
    struct campaign campaign = every_execution_of(program, MEMORY_SC);

    campaign.keep_going = true;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check(result->verdicts[ENDED_RACE] > 0);
    check_int(result->verdicts[ENDED_RACE] + result->verdicts[ENDED_USE_AFTER_FREE],
              result->executions);
}

/* ---- data races ---- */

static void plain_accesses_race_if_one_writes(void)
{
    check_found(race_two_writes, ENDED_RACE);
    check_found(race_write_and_read, ENDED_RACE);
    check_silent(race_none_two_reads);
}

static void a_lock_orders_those_who_have_it(void)
{
    check_found(race_one_without_lock, ENDED_RACE);
    check_silent(race_none_locked);
}

static void neighbours_in_a_byte_race_and_neighbouring_bytes_do_not(void)
{
    check_found(race_bits, ENDED_RACE);
    check_silent(race_none_bytes);
}

static void memset_and_memcpy_access_every_byte_and_no_other(void)
{
    check_found(race_memset, ENDED_RACE);
    check_silent(race_none_beside_memset);
    check_found(race_memcpy, ENDED_RACE);
    check_silent(race_none_beside_memcpy);
}

static void a_plain_access_races_with_an_atomic_one(void)
{
    check_found(race_atomic_store_and_plain_read, ENDED_RACE);
    check_found(race_atomic_load_and_plain_write, ENDED_RACE);
    check_silent(race_none_atomic_load_and_plain_read);
    check_silent(race_none_atomic_both);
}

static void a_relaxed_flag_orders_nothing(void)
{
    check_found(race_message_relaxed, ENDED_RACE);
    check_found(race_message_release_only, ENDED_RACE);
    check_found(race_message_acquire_only, ENDED_RACE);
    check_found(race_message_acquire_fence_only, ENDED_RACE);
}

static void release_and_acquire_order(void)
{
    check_silent(race_none_message);
    check_silent(race_none_message_fenced);
    check_silent(race_none_message_seq_cst_fenced);
    check_found(race_write_after_release, ENDED_RACE);
}

static void a_release_sequence_orders(void)
{
    check_silent(race_none_passed_on);
    check_found(race_stored_over, ENDED_RACE);
}

static void creating_and_joining_order(void)
{
    check_silent(race_none_created_and_joined);
    check_found(race_not_joined, ENDED_RACE);
}

static void a_stack_that_is_used_again_has_no_past(void)
{
    check_silent(race_none_stacks_again);
}

static void a_place_that_is_used_again_has_no_past(void)
{
    struct campaign campaign = explored(race_none_place_again, &strategy_random);

    check_finds_nothing(&campaign);
}

/* Where it would continue a release sequence of its own, it ends that of the dead thread. */
static void a_number_that_is_given_again_is_another_thread(void)
{
    check_found(race_passed_on_by_the_next, ENDED_RACE);
    check_found(race_passed_on_after_an_addition, ENDED_RACE);
}

static void check_answers(explored_fn *program, int answer)
{
    struct campaign campaign = every_execution_of(program, MEMORY_SC);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check_int(outcomes.seen[0][0], answer);
}

static void the_locks_of_a_dead_thread_are_no_other_threads(void)
{
    check_found(program_locks_what_a_dead_thread_has, ENDED_DEADLOCK);
    check_answers(program_unlocks_what_a_dead_thread_has, EPERM);
    check_found(program_unlocks_a_dead_threads_read_lock, ENDED_MISUSE);
    check_found(program_unlocks_a_dead_threads_spin_lock, ENDED_MISUSE);
}

static void a_stack_has_no_past_although_its_end_is_not_known(void)
{
    for (int model = MEMORY_SC; model <= MEMORY_C11; model++) {
        struct campaign campaign = explored(race_none_many_successors, &strategy_random);
        campaign.executions = 20;
        campaign.memory.model = (enum memory_model)model;
        const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
        check_text(result->first.message, "");
        check(result->limits[LIMIT_PLACES] > 0 || SET_WORDS > 1);
    }
}

static void everything_that_waits_orders(void)
{
    check_silent(race_none_rwlock);
    check_found(race_write_with_read_lock, ENDED_RACE);
    check_silent(race_none_semaphore);
    check_silent(race_none_once);
    check_silent(race_none_barrier);
    check_silent(race_none_condition);
}

static void fresh_memory_is_published_like_any_other(void)
{
    check_found(race_publication_relaxed, ENDED_RACE);
    check_silent(race_none_publication);
}

static void a_race_is_found_in_whichever_order_it_is_run(void)
{
    check_always_found(race_two_writes);
    check_always_found(race_write_and_read);
    check_always_found(race_seen_by_a_third);
    check_always_found(race_beside_a_known_write);
}

static void a_race_is_told_with_both_accesses(void)
{
    struct campaign campaign = every_execution_of(race_write_and_read, MEMORY_SC);

    check_finds(&campaign, ENDED_RACE);
    const struct access *first = &machine.accesses[0], *second = &machine.accesses[1];
    check_int(machine.access_count, 2);
    check_int(first->thread, 1);
    check_int(first->flags, ACCESS_WRITES);
    check_int(first->size, sizeof(int));
    check_int(second->thread, 2);
    check_int(second->flags, 0);
    check(first->pc && second->pc && first->pc != second->pc);
    check(machine.culprit == second->pc);
    check_text(machine.message, "in a global variable: thread 1 writes 4 bytes, thread 2 reads 4 "
                                "bytes, and nothing orders the two");
}

/* ---- blocks ---- */

static void freed_memory_is_used_by_nobody(void)
{
    check_found(freed_read, ENDED_USE_AFTER_FREE);
    check_found(freed_write, ENDED_USE_AFTER_FREE);
    check_found(freed_atomic, ENDED_USE_AFTER_FREE);
    check_found(freed_lock, ENDED_USE_AFTER_FREE);
    check_found(freed_signal, ENDED_USE_AFTER_FREE);
    check_found(freed_memset, ENDED_USE_AFTER_FREE);
    check_found(freed_when_alone, ENDED_USE_AFTER_FREE);
    check_silent(freed_none);
}

static void use_after_free_is_told_with_who_freed(void)
{
    struct campaign campaign = every_execution_of(freed_read, MEMORY_SC);

    check_finds(&campaign, ENDED_USE_AFTER_FREE);
    check_int(machine.access_count, 2);
    check_int(machine.accesses[0].thread, 1);
    check(machine.accesses[0].flags & ACCESS_FREES);
    check_int(machine.accesses[1].thread, 2);
    check(machine.culprit == machine.accesses[1].pc);
}

static void a_block_is_freed_once(void)
{
    check_found(freed_twice, ENDED_DOUBLE_FREE);
    check_found(freed_never_allocated, ENDED_MISUSE);
}

static void freeing_is_a_write_of_the_block(void)
{
    check_found(freed_by_the_last_relaxed, ENDED_RACE);
    check_silent(freed_by_the_last);
}

/* Whoever comes first: as a race, or as a use after free. */
static void freeing_what_others_may_use_is_found_in_every_execution(void)
{
    check_always_found(freed_while_used);
    check_always_found(freed_while_locked);
    check_always_found(freed_before_signal);
    check_silent(freed_after_signal);
    check_silent(freed_after_broadcast);
}

static void memory_beyond_a_block_is_nobodys(void)
{
    check_found(block_left_behind, ENDED_OUT_OF_BLOCK);
    check_text(machine.message, "outside of any block: thread 0 reads 4 bytes");
    check_silent(block_not_left);
}

/* ---- sixteen bytes ---- */

static void sixteen_bytes_are_atomic(void)
{
    struct campaign campaign = every_execution_of(race_none_sixteen_bytes, MEMORY_C11);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check_int(outcomes.seen[0][0], 7);
    check_int(outcomes.seen[0][1], 7);
}

static const struct test tests[] = {
    TEST(plain_accesses_race_if_one_writes),
    TEST(a_lock_orders_those_who_have_it),
    TEST(neighbours_in_a_byte_race_and_neighbouring_bytes_do_not),
    TEST(memset_and_memcpy_access_every_byte_and_no_other),
    TEST(a_plain_access_races_with_an_atomic_one),
    TEST(a_relaxed_flag_orders_nothing),
    TEST(release_and_acquire_order),
    TEST(a_release_sequence_orders),
    TEST(creating_and_joining_order),
    TEST(a_stack_that_is_used_again_has_no_past),
    TEST(a_place_that_is_used_again_has_no_past),
    TEST(a_number_that_is_given_again_is_another_thread),
    TEST(the_locks_of_a_dead_thread_are_no_other_threads),
    TEST(a_stack_has_no_past_although_its_end_is_not_known),
    TEST(everything_that_waits_orders),
    TEST(fresh_memory_is_published_like_any_other),
    TEST(a_race_is_found_in_whichever_order_it_is_run),
    TEST(a_race_is_told_with_both_accesses),
    TEST(freed_memory_is_used_by_nobody),
    TEST(use_after_free_is_told_with_who_freed),
    TEST(a_block_is_freed_once),
    TEST(freeing_is_a_write_of_the_block),
    TEST(freeing_what_others_may_use_is_found_in_every_execution),
    TEST(memory_beyond_a_block_is_nobodys),
    TEST(sixteen_bytes_are_atomic),
    END_OF_TESTS,
};

const struct suite races_suite = {.name = "races", .tests = tests};
