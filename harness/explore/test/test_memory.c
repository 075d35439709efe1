/* Memory in the hands of the system's functions, and what is left of it at the end. */
#include <string.h>

#include "harness/explore/strategies.h"
#include "harness/explore/symbols.h"
#include "harness/explore/test/every.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

static struct campaign every_execution_of(explored_fn *program)
{
    struct campaign campaign = explored(program, &strategy_every);

    campaign.executions = 0;
    return campaign;
}

static void check_found(explored_fn *program, enum verdict_kind verdict)
{
    struct campaign campaign = every_execution_of(program);

    check_finds(&campaign, verdict);
}

static void check_silent(explored_fn *program)
{
    struct campaign campaign = every_execution_of(program);

    check_finds_nothing(&campaign);
}

/* A byte more would be too much, and a byte less too little. */
static void a_function_for_text_accesses_what_it_must_and_no_more(void)
{
    static const struct {
        const char *name;
        explored_fn *races, *beside;
    } functions[] = {
#define TEXT_FUNCTION(name) {#name, race_##name, race_none_beside_##name},
        TEXT_FUNCTIONS
#undef TEXT_FUNCTION
    };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        check_within(functions[i].name);
        check_found(functions[i].races, ENDED_RACE);
        check_silent(functions[i].beside);
    }
    check_within(NULL);
}

static void a_lock_orders_those_who_copy_text(void)
{
    check_silent(race_none_strcpy_locked);
}

static void freed_text_is_used_by_nobody(void)
{
    check_found(freed_strlen, ENDED_USE_AFTER_FREE);
    check_found(freed_strcpy, ENDED_USE_AFTER_FREE);
    check_found(freed_printed, ENDED_USE_AFTER_FREE);
}

static void functions_for_text_do_what_they_are_for(void)
{
    check_silent(program_works_with_text);
    check_silent(program_reallocates_to_nothing);
}

/* ---- leaks ---- */

static void check_leak(explored_fn *program, const char *message)
{
    struct campaign campaign = every_execution_of(program);

    campaign.executions = 100;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check_text(verdict_kind_name(result->first.verdict), verdict_kind_name(ENDED_LEAK));
    check_text(result->first.message, message);
}

static void a_long_list_is_kept_or_lost_as_a_whole(void)
{
    struct campaign campaign = every_execution_of(program_keeps_a_long_list);

    campaign.executions = 2;
    check_finds_nothing(&campaign);
    check_leak(program_loses_a_long_list,
               "100000 blocks, 800000 bytes in all, were lost and never freed");
    check_leak(program_loses_a_ring, "2 blocks, 16 bytes in all, were lost and never freed");
}

static void a_pointer_with_a_tag_in_its_upper_bits_is_one(void)
{
    check_silent(program_keeps_a_tagged_pointer);
    check_leak(program_loses_a_tagged_pointer, "24 bytes were lost and never freed");
}

static void what_a_living_thread_has_is_no_leak(void)
{
    check_silent(program_exits_with_a_local_variable);
    check_silent(program_ends_before_its_thread);
    check_silent(program_has_a_thread_with_a_variable);
}

static void what_is_left_for_a_join_is_no_leak(void)
{
    check_silent(program_does_not_join);
}

static void a_leak_is_found_however_the_program_ends(void)
{
    check_leak(program_exits_and_has_lost, "24 bytes were lost and never freed");
    check_leak(program_loses_beside_a_thread, "24 bytes were lost and never freed");
    check_leak(program_loses_after_main, "24 bytes were lost and never freed");
}

/* ---- thread-local variables ---- */

/* Here all threads have them at the same address. */
static void the_address_of_a_thread_local_variable_is_not_passed_on(void)
{
    check_found(program_starts_with_a_thread_local, ENDED_LIMIT);
    check_found(program_stores_a_thread_local, ENDED_LIMIT);
    check_found(program_exchanges_a_thread_local, ENDED_LIMIT);
    check_found(program_compares_and_stores_a_thread_local, ENDED_LIMIT);
    check_silent(program_passes_other_variables_on);
}

/* No execution is judged, and none fails. `function` allocates the block; "": there is none. */
static void check_escape(explored_fn *program, const char *message, const char *function)
{
    struct campaign campaign = every_execution_of(program);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    const void *culprit = result->unjudged.culprit;
    const struct frame *frames = NULL;
    size_t count = 0;

    check_int(result->first.verdict, ENDED_WELL);
    check_int(result->unjudged.verdict, ENDED_LIMIT);
    check(result->limits[LIMIT_CALLS] == result->executions);
    check(strncmp(result->unjudged.message, message, strlen(message)) == 0);
    if (culprit) {
        symbols_load(&culprit, 1);
        frames = symbols_at(culprit, &count);
    }
    check_text(frames ? frames[0].function : "", function);
}

static void nor_by_a_plain_store(void)
{
    check_escape(program_passes_a_thread_local_plainly,
                 "the global variable plainly_passed has the address of a thread-local variable; ",
                 "");
    check_silent(program_passes_a_global_plainly);
    check_silent(program_passes_a_value_of_a_thread_local);
    check_silent(program_keeps_a_thread_local_to_itself);
}

static void nor_in_a_block(void)
{
    static const char message[] = "the block that was allocated here has the address of ";

    check_escape(program_passes_a_thread_local_in_a_block, message, "pass_in_block");
    check_escape(program_frees_a_passed_thread_local, message, "pass_in_block");
    check_silent(program_frees_a_passed_global);
}

static void check_under_c11(explored_fn *program, enum verdict_kind verdict)
{
    struct campaign campaign = every_execution_of(program);

    campaign.memory.model = MEMORY_C11;
    if (verdict == ENDED_WELL)
        check_finds_nothing(&campaign);
    else
        check_finds(&campaign, verdict);
}

static void a_thread_local_atomic_is_each_threads_own(void)
{
    check_silent(program_has_its_own_atomic);
    check_under_c11(program_has_its_own_atomic, ENDED_WELL);
    check_found(program_relies_on_its_own_atomic, ENDED_RACE);
    check_under_c11(program_relies_on_its_own_atomic, ENDED_RACE);
}

static void no_other_thread_ends_a_spin_on_it(void)
{
    check_found(program_spins_on_its_own_atomic, ENDED_LIVELOCK);
    check(machine.steps < 100);
    check_under_c11(program_spins_on_its_own_atomic, ENDED_LIVELOCK);
    check(machine.steps < 100);
}

static void a_thread_local_lock_is_a_limit(void)
{
    explored_fn *const programs[] = {
        program_locks_a_thread_local, program_tries_a_thread_local_until,
        program_waits_on_a_thread_local, program_signals_a_thread_local,
        program_posts_to_a_thread_local};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        check_found(programs[i], ENDED_LIMIT);
        check(strstr(machine.message, "a lock, condition or semaphore that is thread-local"));
    }
}

/* ---- what a thread learns of another, and is not ordered by ---- */

static const struct strategy *const searches[] = {&strategy_dfs, &strategy_dpor};

static struct campaign search_under_c11(explored_fn *program, const struct strategy *strategy)
{
    struct campaign campaign = explored(program, strategy);

    campaign.executions = 0;
    campaign.memory.model = MEMORY_C11;
    return campaign;
}

static void a_store_may_come_before_one_that_its_thread_has_learnt_of(void)
{
    static const struct {
        const char *name;
        explored_fn *program;
    } looks[] = {
#define LOOK(name) {#name, program_tells_by_##name}
        LOOK(trylock),   LOOK(timedlock),    LOOK(unlock),   LOOK(trywrlock), LOOK(read_unlock),
        LOOK(tryrdlock), LOOK(spin_trylock), LOOK(getvalue), LOOK(post),      LOOK(trywait),
        LOOK(signal),    LOOK(wait),         LOOK(cancel),
#undef LOOK
    };

    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        for (size_t j = 0; j < sizeof searches / sizeof *searches; j++) {
            struct campaign campaign = search_under_c11(looks[i].program, searches[j]);
            check_within(looks[i].name);
            check_finds(&campaign, ENDED_ASSERTION);
            campaign.memory.model = MEMORY_SC;
            check_finds_nothing(&campaign);
        }
    check_within(NULL);
}

static void what_is_learnt_so_is_not_in_the_order_of_seq_cst(void)
{
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        struct campaign campaign = search_under_c11(program_tries_and_loads_seq_cst, searches[i]);
        const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
        check_int(result->first.verdict, ENDED_WELL);
        check(!result->complete);
        check(result->limits[LIMIT_SEQ_CST_ORDER] > 0);
    }
}

static void check_complete(explored_fn *program, bool complete)
{
    struct campaign campaign = search_under_c11(program, &strategy_dpor);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_WELL);
    check(result->complete == complete);
    check((result->limits[LIMIT_SEQ_CST_ORDER] == 0) == complete);
}

static void a_signal_tells_nothing_that_the_mutex_does_not_order(void)
{
    check_complete(program_signals_with_mutex, true);
    check_complete(program_signals_after_mutex, true);
    check_complete(program_signals_without_mutex, false);
}

/* ---- local variables ---- */

static void a_local_variable_ends_with_its_function(void)
{
    check_found(program_leaves_while_a_local_is_used, ENDED_USE_AFTER_RETURN);
    check_found(program_uses_a_local_of_a_dead_thread, ENDED_USE_AFTER_RETURN);
    check_silent(program_stays_while_a_local_is_used);
}

static const struct test tests[] = {
    TEST(a_function_for_text_accesses_what_it_must_and_no_more),
    TEST(a_lock_orders_those_who_copy_text),
    TEST(freed_text_is_used_by_nobody),
    TEST(functions_for_text_do_what_they_are_for),
    TEST(a_long_list_is_kept_or_lost_as_a_whole),
    TEST(a_pointer_with_a_tag_in_its_upper_bits_is_one),
    TEST(what_a_living_thread_has_is_no_leak),
    TEST(what_is_left_for_a_join_is_no_leak),
    TEST(a_leak_is_found_however_the_program_ends),
    TEST(the_address_of_a_thread_local_variable_is_not_passed_on),
    TEST(nor_by_a_plain_store),
    TEST(nor_in_a_block),
    TEST(a_thread_local_atomic_is_each_threads_own),
    TEST(no_other_thread_ends_a_spin_on_it),
    TEST(a_thread_local_lock_is_a_limit),
    TEST(a_store_may_come_before_one_that_its_thread_has_learnt_of),
    TEST(what_is_learnt_so_is_not_in_the_order_of_seq_cst),
    TEST(a_signal_tells_nothing_that_the_mutex_does_not_order),
    TEST(a_local_variable_ends_with_its_function),
    END_OF_TESTS,
};

const struct suite memory_suite = {.name = "memory", .tests = tests};
