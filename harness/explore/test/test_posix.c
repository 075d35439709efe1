/* The finer points of POSIX, and what goes on without the machine: loops, stacks, the clock. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/explore/arena.h"
#include "harness/explore/place.h"
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

/* ---- what locks say ---- */

static void a_thread_that_locks_its_own_mutex_with_a_limit_waits_until_then(void)
{
    check_always(program_timedlock_of_own_mutex, 1);
}

static void a_wait_takes_back_the_level_of_a_recursive_mutex_that_it_gave_up(void)
{
    check_always(program_waits_with_recursive_mutex, 1);
}

static void a_recursive_mutex_locked_twice_is_kept_in_a_wait(void)
{
    struct campaign campaign = explored(program_keeps_recursive_mutex_in_wait, &strategy_random);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_DEADLOCK);
    check(strstr(result->first.message, "and still has its mutex"));
    check(strstr(result->first.message, "thread 1 waits for a mutex that thread 0 has"));
}

static void a_time_that_is_none_is_refused(void)
{
    check_always(program_invalid_times, 9);
}

static void a_once_routine_that_was_cancelled_is_called_again(void)
{
    check_always(program_once_is_cancelled, 1);
}

static void a_thread_is_told_that_it_has_the_read_write_lock(void)
{
    check_always(program_rwlock_of_own, 1);
}

/* ---- threads by name ---- */

static void check_misuse(explored_fn *program, const struct strategy *strategy, const char *message)
{
    struct campaign campaign = explored(program, strategy);
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);

    check_int(result->first.verdict, ENDED_MISUSE);
    check(strstr(result->first.message, message));
}

static void two_joins_of_one_thread_are_a_misuse_at_once_or_in_turn(void)
{
    check_misuse(program_joined_by_two, &strategy_random, "join thread 1 at the same time");
    check_misuse(program_joined_twice, &strategy_random, "names thread 1, which has been joined");
}

static void whether_a_thread_is_joined_or_detached_first_is_a_matter_of_order(void)
{
    check_misuse(program_joined_and_detached, &strategy_dpor, "thread 1, which");
}

static void the_name_of_a_thread_is_not_used_again(void)
{
    check_misuse(program_names_a_thread_of_old, &strategy_random, "which has been joined");
}

static void thread_specific_data_of_main_are_destroyed_only_by_pthread_exit(void)
{
    check_always(program_main_returns_with_specific, 0);
    check_always(program_main_exits_with_specific, 1);
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
    check_constructor(program_locks_and_unlocks, "programs_posix.c:", ": lock, in a constructor");
    check_constructor(program_makes_a_key,
                      "programs_posix.c:", ": pthread_key_create, in a constructor");
    check_constructor(program_allocates, "programs_posix.c:", ": malloc, in a constructor");
    check_constructor(program_fails_an_assertion, "outside of any execution: assertion: ",
                      "assertion failed: observed[0] == 1");
    check_constructor(program_adds_atomically, "", "");
}

/* ---- misuse ---- */

int chosen_misuse; /* read by the program */

static const char *const messages[MISUSES] = {
    [MISUSE_LOCK_DESTROYED] = "thread 0 uses a mutex that was destroyed",
    [MISUSE_TRYLOCK_DESTROYED] = "thread 0 uses a mutex that was destroyed",
    [MISUSE_UNLOCK_DESTROYED] = "thread 0 uses a mutex that was destroyed",
    [MISUSE_SIGNAL_DESTROYED] = "thread 0 uses a condition that was destroyed",
    [MISUSE_READ_LOCK_DESTROYED] = "thread 0 uses a read-write lock that was destroyed",
    [MISUSE_WRITE_LOCK_DESTROYED] = "thread 0 uses a read-write lock that was destroyed",
    [MISUSE_SPIN_LOCK_DESTROYED] = "thread 0 uses a spin lock that was destroyed",
    [MISUSE_SEM_WAIT_DESTROYED] = "thread 0 uses a semaphore that was destroyed",
    [MISUSE_SEM_POST_DESTROYED] = "thread 0 uses a semaphore that was destroyed",
    [MISUSE_BARRIER_DESTROYED] =
        "thread 0 waits at a barrier that was never initialised, or was destroyed",
    [MISUSE_UNLOCK_ANOTHERS_READ_LOCK] =
        "a read-write lock is unlocked by a thread that does not have it",
    [MISUSE_DESTROY_LOCKED] = "thread 0 destroys a mutex while thread 0 has it",
    [MISUSE_DESTROY_READ_LOCKED] = "thread 0 destroys a read-write lock while somebody has it",
    [MISUSE_DESTROY_CONDITION_WITH_WAITER] =
        "thread 0 destroys a condition while thread 1 waits on it",
    [MISUSE_DESTROY_SEMAPHORE_WITH_WAITER] =
        "thread 0 destroys a semaphore while thread 1 waits on it",
    [MISUSE_DESTROY_BARRIER_WITH_WAITER] = "thread 0 destroys a barrier while thread 1 waits at it",
    [MISUSE_TWO_MUTEXES] = "thread 2 waits on a condition with another mutex than thread 1",
};

static void each_misuse_is_found_and_names_its_threads(void)
{
    struct campaign campaign = explored(program_misuse, &strategy_replay);

    campaign.executions = 1;
    replay_prepare(NULL, 0, NULL);
    for (chosen_misuse = 0; chosen_misuse < MISUSES; chosen_misuse++) {
        const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
        check_int(result->first.verdict, ENDED_MISUSE);
        check_text(result->first.message, messages[chosen_misuse]);
    }
    chosen_misuse = MISUSE_NONE;
    check_finds_nothing(&campaign);
}

static const struct test tests[] = {
    TEST(a_computation_that_ends_is_none),
    TEST(a_loop_without_a_step_is_a_livelock_with_its_place),
    TEST(a_crash_has_its_place_in_the_program),
    TEST(whoever_enters_the_next_round_of_a_barrier_is_not_known_to_those_who_leave),
    TEST(a_thread_may_wait_by_looking_at_the_clock),
    TEST(such_a_wait_can_be_cut_short_or_not),
    TEST(a_few_looks_at_the_clock_take_no_time),
    TEST(a_thread_that_locks_its_own_mutex_with_a_limit_waits_until_then),
    TEST(a_wait_takes_back_the_level_of_a_recursive_mutex_that_it_gave_up),
    TEST(a_recursive_mutex_locked_twice_is_kept_in_a_wait),
    TEST(a_time_that_is_none_is_refused),
    TEST(a_once_routine_that_was_cancelled_is_called_again),
    TEST(a_thread_is_told_that_it_has_the_read_write_lock),
    TEST(two_joins_of_one_thread_are_a_misuse_at_once_or_in_turn),
    TEST(whether_a_thread_is_joined_or_detached_first_is_a_matter_of_order),
    TEST(the_name_of_a_thread_is_not_used_again),
    TEST(thread_specific_data_of_main_are_destroyed_only_by_pthread_exit),
    TEST(stacks_are_large_and_always_at_the_same_place),
    TEST(large_frames_do_not_step_over_the_guard),
    TEST(more_stack_than_there_is_is_refused),
    TEST(a_constructor_is_told_what_it_cannot_do),
    TEST(each_misuse_is_found_and_names_its_threads),
    END_OF_TESTS};

const struct suite posix_suite = {.name = "posix", .tests = tests};
