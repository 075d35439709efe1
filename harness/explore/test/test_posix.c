/* The finer points of POSIX: what locks, waits and threads answer, and what is misuse. */
#include <string.h>

#include "harness/explore/replay.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

/* Nothing fails, and the first observation is the same in every execution. */
/* ---- barriers ---- */

static void whoever_enters_the_next_round_of_a_barrier_is_not_known_to_those_who_leave(void)
{
    struct campaign campaign = explored(program_barrier_of_two_rounds, &strategy_replay);
    campaign.executions = 1;

    replay_prepare(NULL, 0, NULL);
    check_finds(&campaign, ENDED_RACE);
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
    check_always(program_invalid_times, 12);
}

static void a_once_routine_that_was_cancelled_is_called_again(void)
{
    check_always(program_once_is_cancelled, 1);
}

/* POSIX: it shall not be consumed by a thread that is cancelled if others wait. */
static void a_signal_is_not_lost_with_a_thread_that_is_cancelled(void)
{
    struct campaign campaign = explored(program_cancelled_when_signalled, &strategy_dpor);
    struct outcomes outcomes;

    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    check_int(outcomes.count, 2);
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
    check_misuse(program_joined_by_two, &strategy_random, "names thread 1, which has been joined");
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

/* ---- too early, too late ---- */

int chosen_object; /* read by the program */

/* As schedules go by default: main goes on as long as it can. */
static void check_by_default(explored_fn *program, enum verdict_kind verdict)
{
    struct campaign campaign = explored(program, &strategy_replay);

    campaign.executions = 1;
    replay_prepare(NULL, 0, NULL);
    check_finds(&campaign, verdict);
}

static void initialising_and_destroying_race_with_any_use(void)
{
    for (chosen_object = 0; chosen_object < OBJECTS; chosen_object++) {
        check_by_default(program_started_before_initialised, ENDED_RACE);
        check_by_default(program_destroyed_before_joined, ENDED_RACE);
        check_by_default(program_used_in_between, ENDED_WELL);
    }
}

int chosen_answer; /* read by the program */

static void an_answer_that_is_written_races_with_who_reads_it(void)
{
    for (chosen_answer = 0; chosen_answer < ANSWERS; chosen_answer++) {
        check_by_default(program_reads_too_early, ENDED_RACE);
        check_int(machine.accesses[1].thread, 0);
    }
}

/* ---- the threads of C11 ---- */

static void c11_threads_are_those_of_posix_with_other_answers(void)
{
    check_always(program_c11_waits, 1);
    check_always(program_c11_locks, 1);
}

static void a_deadlock_of_c11_mutexes_is_found(void)
{
    struct campaign campaign = explored(program_c11_deadlock, &strategy_dpor);

    check_finds(&campaign, ENDED_DEADLOCK);
}

static const struct test tests[] = {
    TEST(whoever_enters_the_next_round_of_a_barrier_is_not_known_to_those_who_leave),
    TEST(a_thread_that_locks_its_own_mutex_with_a_limit_waits_until_then),
    TEST(a_wait_takes_back_the_level_of_a_recursive_mutex_that_it_gave_up),
    TEST(a_recursive_mutex_locked_twice_is_kept_in_a_wait),
    TEST(a_time_that_is_none_is_refused),
    TEST(a_once_routine_that_was_cancelled_is_called_again),
    TEST(a_signal_is_not_lost_with_a_thread_that_is_cancelled),
    TEST(a_thread_is_told_that_it_has_the_read_write_lock),
    TEST(two_joins_of_one_thread_are_a_misuse_at_once_or_in_turn),
    TEST(whether_a_thread_is_joined_or_detached_first_is_a_matter_of_order),
    TEST(the_name_of_a_thread_is_not_used_again),
    TEST(thread_specific_data_of_main_are_destroyed_only_by_pthread_exit),
    TEST(each_misuse_is_found_and_names_its_threads),
    TEST(initialising_and_destroying_race_with_any_use),
    TEST(an_answer_that_is_written_races_with_who_reads_it),
    TEST(c11_threads_are_those_of_posix_with_other_answers),
    TEST(a_deadlock_of_c11_mutexes_is_found),
    END_OF_TESTS};

const struct suite posix_suite = {.name = "posix", .tests = tests};
