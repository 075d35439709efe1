/* What the machine does not see by itself: loops without steps, waits by looking at the clock,
   stacks, constructors. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/explore/arena.h"
#include "harness/explore/place.h"
#include "harness/explore/symbols.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

/* Nothing fails, and the first observation is the same in every execution. */
/* The failure's place in the source is in this function. */
static void check_culprit(const struct failure *failure, const char *function)
{
    size_t count = 0;
    const struct frame *frames = symbols_at(failure->culprit, &count);

    require(count > 0);
    check_text(frames[count - 1].function, function);
    check_text(symbols_file(&frames[count - 1]), "programs_limits.c");
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

/* ---- waiting by looking at the clock ---- */

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

/* ---- stacks ---- */

static void stacks_are_large_and_always_at_the_same_place(void)
{
    check_always(program_uses_much_stack, 2);
    check(fiber_stacks_start() == PLACE_OF_STACKS);
    check(arena.start == PLACE_OF_BLOCKS);
}

static void large_frames_do_not_step_over_the_guard(void)
{
    struct campaign campaign = explored(program_overflows_by_large_frames, &strategy_random);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_CRASH);
    check_text(result->first.message, "stack overflow: thread 1 has used all of its 8192 KB");
    check_culprit(&result->first, "descend");
}

static void more_stack_than_there_is_is_refused(void)
{
    struct campaign campaign = explored(program_asks_for_too_much_stack, &strategy_random);

    check_finds(&campaign, ENDED_UNCONTROLLED);
}

static void more_keys_than_there_are_are_refused(void)
{
    struct campaign campaign = explored(program_makes_too_many_keys, &strategy_random);

    check_finds(&campaign, ENDED_UNCONTROLLED);
    check(strstr(machine.message, "there are 32 of them"));
}

/* ---- the system ---- */

static void the_system_answers_the_same_everywhere(void)
{
    struct campaign campaign = explored(program_asks_the_system, &strategy_random);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
    check_int(outcomes.seen[0][0], 1);
    campaign = explored(program_asks_the_system_too_much, &strategy_random);
    check_finds(&campaign, ENDED_UNCONTROLLED);
}

static void random_numbers_are_the_same_in_each_execution_and_drawn_in_any_order(void)
{
    struct campaign campaign = explored(program_draws_numbers, &strategy_dpor);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 2);
    for (unsigned i = 0; i < outcomes.count; i++)
        check_int(outcomes.seen[i][0] + outcomes.seen[i][1], 1);
    campaign = explored(program_draws_without_a_seed, &strategy_random);
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 1);
}

/* ---- constructors: in a process of its own, as it is before machine_prepare ---- */

static int run_as_constructor(explored_fn *program, int *ends)
{
    require(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        machine.prepared = false;
        machine.aside = true;
        machine.ordering = false;
        program();
        _exit(EXIT_SUCCESS);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* What it says ends in this, and it fails; or it says nothing, and goes on. */
static void check_constructor(explored_fn *program, const char *line, const char *told)
{
    char text[512] = "";
    int ends[2], status = run_as_constructor(program, ends);

    close(ends[1]);
    check(read(ends[0], text, sizeof text - 1) >= 0);
    close(ends[0]);
    check(WIFEXITED(status));
    check_int(WEXITSTATUS(status), *told ? EXIT_FAILURE : EXIT_SUCCESS);
    check(strncmp(text, line, strlen(line)) == 0);
    check(strstr(text, told));
}

static void a_constructor_is_told_what_it_cannot_do(void)
{
    explored(program_adds_atomically, &strategy_random); /* so that there is a machine */
    check_constructor(program_locks_and_unlocks, "programs_limits.c:", ": lock, in a constructor");
    check_constructor(program_makes_a_key,
                      "programs_limits.c:", ": pthread_key_create, in a constructor");
    check_constructor(program_allocates, "programs_limits.c:", ": malloc, in a constructor");
    check_constructor(program_fails_an_assertion, "outside of any execution: assertion: ",
                      "assertion failed: observed[0] == 1");
    check_constructor(program_adds_atomically, "", "");
}

static const struct test tests[] = {
    TEST(a_computation_that_ends_is_none),
    TEST(a_loop_without_a_step_is_a_livelock_with_its_place),
    TEST(a_crash_has_its_place_in_the_program),
    TEST(a_thread_may_wait_by_looking_at_the_clock),
    TEST(such_a_wait_can_be_cut_short_or_not),
    TEST(a_few_looks_at_the_clock_take_no_time),
    TEST(stacks_are_large_and_always_at_the_same_place),
    TEST(large_frames_do_not_step_over_the_guard),
    TEST(more_stack_than_there_is_is_refused),
    TEST(more_keys_than_there_are_are_refused),
    TEST(the_system_answers_the_same_everywhere),
    TEST(random_numbers_are_the_same_in_each_execution_and_drawn_in_any_order),
    TEST(a_constructor_is_told_what_it_cannot_do),
    END_OF_TESTS};

const struct suite limits_suite = {.name = "limits", .tests = tests};
