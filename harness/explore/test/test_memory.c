/* Memory in the hands of the system's functions. */
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
}

static const struct test tests[] = {
    TEST(a_function_for_text_accesses_what_it_must_and_no_more),
    TEST(a_lock_orders_those_who_copy_text),
    TEST(freed_text_is_used_by_nobody),
    TEST(functions_for_text_do_what_they_are_for),
    END_OF_TESTS,
};

const struct suite memory_suite = {.name = "memory", .tests = tests};
