/*
 * Waiting for a future: many waiters, some of whom give up; deadlines and interrupts; and that done
 * wins over all of them.
 */
#include <glasspool/clock.h>
#include <glasspool/future.h>
#include <glasspool/status.h>

#include "future/future.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

static int answer = 42;

static gp_future *future_of(struct subject *subject)
{
    gp_callable callable = callable_of(subject);
    gp_future *future = NULL;
    require_ok(gp_future_new(&callable, &future));
    return future;
}

/* A getter: one call of get in another thread, and what it said. */
struct getter {
    struct helper helper;
    gp_future *future;
    int64_t nanos;
    int status;
    void *result;
    bool flag_after; /* was its interrupt flag up when get returned? */
    int64_t began;
    int64_t ended;
};

static void get_and_note(void *argument)
{
    struct getter *getter = argument;
    getter->began = gp_now();
    getter->status = gp_future_get_timed(getter->future, getter->nanos, &getter->result);
    getter->ended = gp_now();
    getter->flag_after = gp_interrupted();
}

struct push {
    gp_future *future;
    struct gp__future_waiter *before;
};

static bool has_pushed(void *argument)
{
    const struct push *push = argument;
    return atomic_load(&push->future->waiters) != push->before;
}

/* Starts it and returns when it is among the waiters. */
static void getter_start(struct getter *getter, gp_future *future, int64_t nanos)
{
    struct push push = {.future = future, .before = atomic_load(&future->waiters)};
    *getter = (struct getter){.future = future, .nanos = nanos};
    helper_start(&getter->helper, get_and_note, getter);
    check(eventually(has_pushed, &push));
}

static void get_waits_until_another_thread_has_run_it(void)
{
    struct subject subject = {.result = &answer};
    gp_future *future = future_of(&subject);
    struct getter getter;
    getter_start(&getter, future, GP_FOREVER);
    helper_await_asleep(&getter.helper);
    check(gp_future_run(future));
    helper_join(&getter.helper);
    check_status(getter.status, GP_OK);
    check(getter.result == &answer);
    check(atomic_load(&future->waiters) == NULL);
    gp_future_release(future);
}

static void get_of_a_done_future_does_not_wait(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    void *result = NULL;
    gp_future_set(future, &answer);
    check_status(gp_future_get(future, NULL), GP_OK);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    check_status(gp_future_get_timed(future, 0, &result), GP_OK);
    check_status(gp_future_get_timed(future, INT64_MIN, &result), GP_OK);
    gp_future_release(future);
}

enum {
    MANY = 6
};

static void all_waiters_are_released_together(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    struct getter getters[MANY];
    for (int i = 0; i < MANY; i++)
        getter_start(&getters[i], future, i % 2 == 0 ? GP_FOREVER : GP_SECONDS(3600));
    gp_future_set(future, &answer);
    for (int i = 0; i < MANY; i++) {
        helper_join(&getters[i].helper);
        check_status(getters[i].status, GP_OK);
        check(getters[i].result == &answer);
    }
    gp_future_release(future);
}

static void waiters_of_a_cancelled_future_hear_of_it(void)
{
    for (int may_interrupt = 0; may_interrupt <= 1; may_interrupt++) {
        struct subject subject = {0};
        gp_future *future = future_of(&subject);
        struct getter getter;
        getter_start(&getter, future, GP_FOREVER);
        gp_future_cancel(future, may_interrupt == 1);
        helper_join(&getter.helper);
        check_status(getter.status, GP_ECANCELLED);
        check(!getter.flag_after);
        gp_future_release(future);
    }
}

static void waiters_of_a_failed_future_hear_of_it(void)
{
    struct subject subject = {.code = 3};
    gp_future *future = future_of(&subject);
    struct getter getter;
    getter_start(&getter, future, GP_FOREVER);
    gp_future_run(future);
    helper_join(&getter.helper);
    check_status(getter.status, GP_EFAILED);
    gp_future_release(future);
}

/* Time. */

static void a_timed_get_gives_up_but_never_early(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    void *result = &answer;
    int64_t start = gp_now();
    check_status(gp_future_get_timed(future, GP_MILLISECONDS(20), &result), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(20));
    check(result == &answer);
    check(atomic_load(&future->waiters) == NULL);
    check_int(gp_future_state_of(future), GP_NEW);
    gp_future_release(future);
}

static void a_timeout_of_nothing_or_less_does_not_wait(void)
{
    static const int64_t timeouts[] = {0, -1, INT64_MIN, INT64_MIN + 1};
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++)
        check_status(gp_future_get_timed(future, timeouts[i], NULL), GP_ETIMEDOUT);
    check(atomic_load(&future->waiters) == NULL);
    gp_future_release(future);
}

static void the_longest_timeout_does_not_overflow(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    struct getter getter;
    getter_start(&getter, future, INT64_MAX - 1);
    helper_await_asleep(&getter.helper);
    gp_future_set(future, &answer);
    helper_join(&getter.helper);
    check_status(getter.status, GP_OK);
    gp_future_release(future);
}

static void a_waiter_that_gives_up_takes_only_itself_out(void)
{
    for (int victim = 0; victim < 3; victim++) { /* the bottom of the stack, the middle, the top */
        struct subject subject = {0};
        gp_future *future = future_of(&subject);
        struct getter getters[3];
        for (int i = 0; i < 3; i++)
            getter_start(&getters[i], future, GP_FOREVER);
        helper_interrupt(&getters[victim].helper);
        helper_join(&getters[victim].helper);
        check_status(getters[victim].status, GP_EINTERRUPTED);
        gp_future_set(future, &answer);
        for (int i = 0; i < 3; i++) {
            if (i == victim)
                continue;
            helper_join(&getters[i].helper);
            check_status(getters[i].status, GP_OK);
        }
        gp_future_release(future);
    }
}

struct churn {
    gp_future *future;
    struct gate start;
    _Atomic int wrong;
};

static void get_impatiently(void *argument)
{
    struct churn *churn = argument;
    uint64_t random = (uint64_t)thread_id();
    int status;
    gate_pass(&churn->start);
    do {
        int64_t nanos = (int64_t)random_below(&random, 50000);
        status = gp_future_get_timed(churn->future, nanos, NULL);
    } while (status == GP_ETIMEDOUT);
    if (status != GP_OK)
        atomic_fetch_add(&churn->wrong, 1);
}

static void get_patiently(void *argument)
{
    struct churn *churn = argument;
    gate_pass(&churn->start);
    if (gp_future_get(churn->future, NULL) != GP_OK)
        atomic_fetch_add(&churn->wrong, 1);
}

static void waiters_that_come_and_go_lose_nobody(void)
{
    for (unsigned round = 0; round < scaled(300); round++) {
        struct subject subject = {0};
        struct churn churn = {.future = future_of(&subject)};
        struct helper helpers[4];
        gate_init(&churn.start);
        for (int i = 0; i < 4; i++)
            helper_start(&helpers[i], i < 2 ? get_impatiently : get_patiently, &churn);
        gate_open(&churn.start, 4);
        gp_sleep(GP_MICROSECONDS(round % 60 * 17));
        gp_future_set(churn.future, NULL);
        for (int i = 0; i < 4; i++)
            helper_join(&helpers[i]);
        check_int(churn.wrong, 0);
        gp_future_release(churn.future);
    }
}

/* Interrupts. */

static void an_interrupted_get_gives_up_and_clears_the_flag(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    struct getter getter;
    getter_start(&getter, future, GP_FOREVER);
    helper_await_asleep(&getter.helper);
    helper_interrupt(&getter.helper);
    helper_join(&getter.helper);
    check_status(getter.status, GP_EINTERRUPTED);
    check(!getter.flag_after);
    check(atomic_load(&future->waiters) == NULL);
    gp_future_release(future);
}

static void an_interrupt_before_get_ends_it_at_once(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_future_get(future, NULL), GP_EINTERRUPTED);
    check(!gp_interrupted());
    check_status(gp_future_get_timed(future, 0, NULL), GP_ETIMEDOUT);
    gp_future_release(future);
}

static void done_wins_over_an_interrupt_which_stays_up(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_future_set(future, &answer);
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_future_get(future, NULL), GP_OK);
    check_status(gp_future_get_timed(future, 0, NULL), GP_OK);
    check(gp_interrupted());
    gp_future_release(future);
}

/* A completer that stops for a while between COMPLETING and the final state. */
static void get_of_a_completing_future_waits_for_the_moment_in_spite_of_interrupt_and_time(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    struct getter getter = {.future = future, .nanos = 0};
    atomic_store(&future->task.state, GP_COMPLETING);
    helper_start(&getter.helper, get_and_note, &getter);
    helper_interrupt(&getter.helper);
    check(!latch_await_for(&getter.helper.ended, GP_MILLISECONDS(10)));
    check(gp_future_is_done(future));
    atomic_store(&future->task.word.outcome, (uintptr_t)&answer);
    atomic_store(&future->task.state, GP_NORMAL);
    helper_join(&getter.helper);
    check_status(getter.status, GP_OK);
    check(getter.result == &answer);
    check(getter.flag_after);
    gp_future_release(future);
}

/*
 * A completer that stops for a while before it releases the waiters. The waiter is kept from waking
 * until it has been interrupted and the future is done.
 */
static void done_wins_over_an_interrupt_that_woke_the_waiter(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    struct getter getter;
    getter_start(&getter, future, GP_FOREVER);
    helper_await_asleep(&getter.helper);
    gp_thread *record = getter.helper.record;
    pthread_mutex_lock(&record->lock);
    atomic_store(&record->interrupted, true);
    pthread_cond_signal(&record->unparked);
    atomic_store(&future->task.word.outcome, (uintptr_t)&answer);
    atomic_store(&future->task.state, GP_NORMAL);
    pthread_mutex_unlock(&record->lock);
    helper_join(&getter.helper);
    check_status(getter.status, GP_OK);
    check(getter.flag_after);
    check(atomic_load(&future->waiters) == NULL);
    gp_future_release(future);
}

static void an_interrupt_that_races_completion_is_reported_or_kept(void)
{
    for (unsigned round = 0; round < scaled(200); round++) {
        struct subject subject = {0};
        gp_future *future = future_of(&subject);
        struct getter getter;
        getter_start(&getter, future, GP_FOREVER);
        helper_interrupt(&getter.helper);
        gp_future_set(future, &answer);
        helper_join(&getter.helper);
        check(getter.status == GP_OK ? getter.flag_after
                                     : getter.status == GP_EINTERRUPTED && !getter.flag_after);
        gp_future_release(future);
    }
}

/* Oneself. */

static void get_own_future(struct subject *subject)
{
    gp_future **future = subject->context;
    int *statuses = subject->result;
    statuses[0] = gp_future_get(*future, NULL);
    statuses[1] = gp_future_get_timed(*future, GP_SECONDS(1), NULL);
}

static void get_of_ones_own_future_is_a_deadlock_not_a_hang(void)
{
    int statuses[2] = {0, 0};
    gp_future *future = NULL;
    struct subject subject = {.inside = get_own_future, .context = &future, .result = statuses};
    future = future_of(&subject);
    check(gp_future_run_and_reset(future));
    check_status(statuses[0], GP_EDEADLK);
    check_status(statuses[1], GP_EDEADLK);
    statuses[0] = GP_OK;
    check(gp_future_run(future));
    check_status(statuses[0], GP_EDEADLK);
    gp_future_release(future);
}

static void get_without_memory(void *argument)
{
    struct getter *getter = argument;
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    getter->status = gp_future_get(getter->future, NULL);
    fault_disarm();
}

static void a_thread_that_cannot_get_a_record_cannot_wait(void)
{
    struct subject subject = {0};
    struct getter getter = {.future = future_of(&subject)};
    helper_start_bare(&getter.helper, get_without_memory, &getter);
    helper_join(&getter.helper);
    check_status(getter.status, GP_ENOMEM);
    check_int(gp_future_state_of(getter.future), GP_NEW);
    gp_future_set(getter.future, NULL);
    helper_start_bare(&getter.helper, get_without_memory, &getter); /* done: no need to wait */
    helper_join(&getter.helper);
    check_status(getter.status, GP_OK);
    gp_future_release(getter.future);
}

static const struct test tests[] = {
    TEST(get_waits_until_another_thread_has_run_it),
    TEST(get_of_a_done_future_does_not_wait),
    TEST(all_waiters_are_released_together),
    TEST(waiters_of_a_cancelled_future_hear_of_it),
    TEST(waiters_of_a_failed_future_hear_of_it),
    TEST(a_timed_get_gives_up_but_never_early),
    TEST(a_timeout_of_nothing_or_less_does_not_wait),
    TEST(the_longest_timeout_does_not_overflow),
    TEST(a_waiter_that_gives_up_takes_only_itself_out),
    TEST(waiters_that_come_and_go_lose_nobody),
    TEST(an_interrupted_get_gives_up_and_clears_the_flag),
    TEST(an_interrupt_before_get_ends_it_at_once),
    TEST(done_wins_over_an_interrupt_which_stays_up),
    TEST(get_of_a_completing_future_waits_for_the_moment_in_spite_of_interrupt_and_time),
    TEST(done_wins_over_an_interrupt_that_woke_the_waiter),
    TEST(an_interrupt_that_races_completion_is_reported_or_kept),
    TEST(get_of_ones_own_future_is_a_deadlock_not_a_hang),
    TEST(a_thread_that_cannot_get_a_record_cannot_wait),
    END_OF_TESTS,
};

const struct suite future_get_suite = {.name = "future_get", .tests = tests};
