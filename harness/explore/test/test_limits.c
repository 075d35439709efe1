/* What the machine does not see by itself: loops without steps, waits by looking at the clock,
   stacks, constructors. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/explore/arena.h"
#include "harness/explore/inquiry.h"
#include "harness/explore/past.h"
#include "harness/explore/place.h"
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
    check_text(symbols_file(&frames[count - 1]), "programs_limits.c");
    check(frames[count - 1].line > 0);
}

/* ---- loops without a step ---- */

static void a_loop_without_a_step_is_not_judged_and_has_its_place(void)
{
    struct campaign campaign = explored(program_loops_without_a_step, &strategy_random);
    campaign.rules.patience = 200000000;
    campaign.executions = 1;
    campaign.memory.races = false;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->unjudged.verdict, ENDED_LIMIT);
    check(result->limits[LIMIT_LOOPS] > 0);
    check(strstr(result->unjudged.message, "has computed for 0.2 s without a step"));
    check_culprit(&result->unjudged, "wait_for_flag");
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

/* ---- the campaign's time: by a clock that goes when a program has observed this ---- */

enum {
    OBSERVED_WHEN_UP = 50
};

static bool is_up(void)
{
    return observed[0] >= OBSERVED_WHEN_UP;
}

static double controlled_clock(void)
{
    return is_up() ? 100 : 1;
}

static const struct campaign_result *run_by_controlled_clock(const struct campaign *campaign)
{
    double (*kept)(void) = campaign_clock;

    memset(observed, 0, sizeof observed);
    campaign_clock = controlled_clock;
    const struct campaign_result *result = campaign_outcomes(campaign, NULL);
    campaign_clock = kept;
    return result;
}

/* Its one execution is not counted, not judged, and no limit. */
static void check_stopped(const struct campaign_result *result)
{
    check_int(machine.verdict, ENDED_STOPPED);
    check_int(result->executions + result->cut, 0);
    check(!result->ended && !result->complete);
    check_int(result->first.verdict, ENDED_WELL);
    check_int(result->unjudged.verdict, ENDED_WELL);
    for (unsigned i = 0; i < LIMITS; i++)
        check_int(result->limits[i], 0);
}

static void an_execution_is_stopped_when_the_time_is_up(void)
{
    static const struct strategy *const all[] = {&strategy_random, &strategy_pct, &strategy_pos,
                                                 &strategy_dfs, &strategy_dpor};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct campaign campaign = explored(program_steps_when_the_time_is_up, all[i]);
        campaign.seconds = 10;
        check_stopped(run_by_controlled_clock(&campaign));
        check_int(observed[0], OBSERVED_WHEN_UP);
    }
}

static void an_execution_is_stopped_when_the_user_wants_it(void)
{
    struct campaign campaign = explored(program_steps_when_the_time_is_up, &strategy_dpor);

    campaign.should_stop = is_up;
    check_stopped(run_by_controlled_clock(&campaign));
    check_int(observed[0], OBSERVED_WHEN_UP);
}

static void an_execution_in_time_goes_on(void)
{
    struct campaign campaign = explored(program_steps_when_the_time_is_up, &strategy_dpor);

    campaign.seconds = 1000;
    check(run_by_controlled_clock(&campaign)->complete);
    check_int(observed[0], 2 * OBSERVED_WHEN_UP);
}

/* Of the second thread's addition, when the strategy is about to compare it. */
static bool is_second_addition(void)
{
    const struct effect *last = past.count > 0 ? &past.events[past.count - 1].effect : NULL;

    return last && past.settled < past.count && last->kind == OP_RMW && last->thread == 2;
}

static uint32_t addition_of(unsigned thread)
{
    for (uint32_t i = 0; i < past.count; i++)
        if (past.events[i].effect.kind == OP_RMW && past.events[i].effect.thread == thread)
            return i;
    require(false);
    return 0;
}

static bool is_compared;

static void step_when_time_is_up(unsigned thread)
{
    bool comes = is_second_addition();

    if (comes) {
        observed[0] = OBSERVED_WHEN_UP;
        let_timer_tick();
    }
    strategy_dpor.stepped(thread);
    if (comes)
        is_compared = happened_before(addition_of(1), addition_of(2));
}

static void dpor_stops_comparing_when_the_time_is_up(void)
{
    struct strategy strategy = strategy_dpor;

    strategy.stepped = step_when_time_is_up;
    struct campaign campaign = explored(program_adds_twice_at_one_place, &strategy);
    campaign.executions = 1;
    campaign.seconds = 1000;
    run_by_controlled_clock(&campaign);
    check(is_compared);
    campaign.seconds = 10;
    check(!run_by_controlled_clock(&campaign)->ended);
    check(!is_compared);
}

static void dpor_finds_the_one_order_that_matters_among_many_steps(void)
{
    struct campaign campaign = explored(program_meets_after_many_steps, &strategy_dpor);
    struct outcomes outcomes;

    const struct campaign_result *result = campaign_outcomes(&campaign, &outcomes);
    check(result->complete);
    check_int(result->executions, 2);
    check_int(outcomes.count, 2);
}

static struct campaign computing(void)
{
    struct campaign campaign = explored(program_computes_when_the_time_is_up, &strategy_random);

    campaign.executions = 1;
    campaign.rules.patience = INT64_C(1000000000000);
    return campaign;
}

static void a_loop_is_waited_for_no_longer_than_there_is_time(void)
{
    struct campaign campaign = computing();

    campaign.seconds = 10;
    const struct campaign_result *result = run_by_controlled_clock(&campaign);
    check_int(result->limits[LIMIT_LOOPS], 1);
    check_int(observed[1], 0);
}

static void a_loop_is_waited_for_while_others_have_time(void)
{
    struct campaign campaign = computing();

    campaign.seconds = 10;
    campaign.seconds_of_all = 1000;
    const struct campaign_result *result = run_by_controlled_clock(&campaign);
    check_int(result->limits[LIMIT_LOOPS], 0);
    check_int(observed[1], 1);
}

static void compute(void *unused)
{
    (void)unused;
    program_computes_when_the_time_is_up();
}

static void no_other_strategy_waits_for_the_loop_when_the_time_is_up(void)
{
    static struct inquiry inquiry;
    double (*kept)(void) = campaign_clock;
    struct campaign campaign = computing();
    struct subject subject = {.program = compute};
    struct explore_options options = {
        .rules = campaign.rules, .memory = campaign.memory, .seed = 1, .depth = 3};

    memset(observed, 0, sizeof observed);
    campaign_clock = controlled_clock;
    check(inquiry_run(&inquiry, &subject, &options, 10, NULL));
    campaign_clock = kept;
    check_int(inquiry.count, 1);
    check_int(inquiry.phases[0].campaign.limits[LIMIT_LOOPS], 1);
    inquiry_free(&inquiry);
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

    check_finds(&campaign, ENDED_LIMIT);
}

static void more_keys_than_there_are_are_refused(void)
{
    struct campaign campaign = explored(program_makes_too_many_keys, &strategy_random);

    check_finds(&campaign, ENDED_LIMIT);
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
    check_finds(&campaign, ENDED_LIMIT);
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
    TEST(a_loop_without_a_step_is_not_judged_and_has_its_place),
    TEST(a_crash_has_its_place_in_the_program),
    TEST(an_execution_is_stopped_when_the_time_is_up),
    TEST(an_execution_is_stopped_when_the_user_wants_it),
    TEST(an_execution_in_time_goes_on),
    TEST(dpor_stops_comparing_when_the_time_is_up),
    TEST(dpor_finds_the_one_order_that_matters_among_many_steps),
    TEST(a_loop_is_waited_for_no_longer_than_there_is_time),
    TEST(a_loop_is_waited_for_while_others_have_time),
    TEST(no_other_strategy_waits_for_the_loop_when_the_time_is_up),
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
