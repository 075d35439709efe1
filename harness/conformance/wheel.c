/* Timers: making them, timeouts that are called or cancelled, the limit, the executor, failures. */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "suite.h"
#include "support.h"
#include "wheel/timer.h"
#include "wheel_support.h"

#define HOUR GP_SECONDS(3600)

/* Making. */

static void a_timer_that_nobody_used_can_be_ended(void)
{
    gp_timer *timer = quick_timer();
    gp_timeout_list unrun;
    check_status(gp_timer_free(timer), GP_EBUSY);
    check(!gp_timer_is_stopped(timer));
    check_status(gp_timer_stop(timer, &unrun), GP_OK);
    check(gp_timer_is_stopped(timer));
    check_int(unrun.count, 0);
    check_status(gp_timer_free(timer), GP_OK);
    check_status(gp_timer_free(NULL), GP_OK);
    check_status(gp_timer_close(NULL), GP_OK);
    check_status(gp_timer_close(quick_timer()), GP_OK);
}

static void start_twice_is_fine_and_after_stop_refused(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    gp_timeout *timeout = NULL;
    check_status(gp_timer_start(timer), GP_OK);
    check_status(gp_timer_start(timer), GP_OK);
    check_status(gp_timer_free(timer), GP_EBUSY);
    check_status(gp_timer_stop(timer, NULL), GP_OK);
    check_status(gp_timer_start(timer), GP_ESTATE);
    check_status(gp_timer_after(timer, 0, call_subject_of_timeout, &subject,
                                destroy_subject_of_timeout, &timeout),
                 GP_ESTATE);
    check(timeout == NULL);
    check_int(subject.destroyed, 0);
    timer_end(timer); /* stops it once more */
}

/* Calling. */

static void a_timeout_is_called_once_and_not_early(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    int64_t before = gp_now();
    gp_timeout *timeout = timeout_after(timer, GP_MILLISECONDS(3), &subject);
    check(gp_timeout_timer(timeout) == timer);
    check(gp_timeout_argument(timeout) == &subject);
    check(gp_time_until(gp_timeout_deadline(timeout), before) >= GP_MILLISECONDS(3));
    check(await_destroyed(&subject, 1));
    check(gp_time_until(gp_now(), before) >= GP_MILLISECONDS(3));
    check(gp_timeout_is_expired(timeout));
    check(!gp_timeout_is_cancelled(timeout));
    check(!gp_timeout_cancel(timeout));
    check_int(gp_timer_pending(timer), 0);
    timer_end(timer);
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
    gp_timeout_release(timeout); /* after its timer */
    gp_timeout_release(NULL);
}

static void arguments_are_checked(void)
{
    gp_timer *timer = quick_timer();
    check_status(gp_timer_after(NULL, 0, call_subject_of_timeout, NULL, NULL, NULL), GP_EINVAL);
    check_status(gp_timer_after(timer, 0, NULL, NULL, NULL, NULL), GP_EINVAL);
    timer_end(timer);
}

static void a_delay_of_zero_or_less_is_due_at_once(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    check_status(add_after(timer, 0, &subject), GP_OK);
    check_status(add_after(timer, -HOUR, &subject), GP_OK);
    check_status(add_after(timer, INT64_MIN, &subject), GP_OK);
    check(await_destroyed(&subject, 3));
    timer_end(timer);
}

static void a_delay_without_end_is_not_due(void)
{
    struct subject never = {0};
    struct subject soon = {0};
    gp_timer *timer = quick_timer();
    gp_timeout *timeout = timeout_after(timer, INT64_MAX, &never);
    check_status(add_after(timer, GP_MILLISECONDS(20), &soon), GP_OK);
    check(await_runs(&soon, 1)); /* two revolutions later */
    check_int(never.runs, 0);
    check(gp_time_until(gp_timeout_deadline(timeout), gp_now()) > HOUR);
    check_int(gp_timer_pending(timer), 1);
    gp_timeout_release(timeout);
    timer_end(timer);
    check_int(never.destroyed, 1);
}

static int add_another(gp_timeout *timeout, void *argument)
{
    struct subject *subject = argument;
    atomic_fetch_add(&subject->runs, 1);
    return gp_timer_check(gp_timeout_timer(timeout)) != 0 ||
           add_after(gp_timeout_timer(timeout), 0, subject) != GP_OK;
}

static void a_function_may_add_and_check(void)
{
    struct subject subject = {0};
    struct subject idle = {0};
    gp_timer *timer = quick_timer();
    for (int i = 0; i < 40; i++)
        check_status(add_after(timer, HOUR + GP_MILLISECONDS(i), &idle), GP_OK);
    check_status(gp_timer_after(timer, GP_MILLISECONDS(20), add_another, &subject, NULL, NULL),
                 GP_OK);
    check(await_runs(&subject, 2));
    check_int(gp_timer_failures(timer), 0);
    timer_end(timer);
    check_int(idle.destroyed, 40);
}

/* Cancelling. */

static void a_cancelled_timeout_is_not_called(void)
{
    struct subject subject = {0};
    struct subject later = {0};
    gp_timer *timer = quick_timer();
    gp_timeout *timeout = timeout_after(timer, GP_MILLISECONDS(20), &subject);
    check_int(gp_timer_pending(timer), 1);
    check(gp_timeout_cancel(timeout));
    check_int(gp_timer_pending(timer), 0); /* at once */
    check_int(subject.destroyed, 1);       /* likewise */
    check(!gp_timeout_cancel(timeout));
    check(gp_timeout_is_cancelled(timeout));
    check(!gp_timeout_is_expired(timeout));
    check_status(add_after(timer, GP_MILLISECONDS(40), &later), GP_OK);
    check(await_runs(&later, 1));
    check_int(subject.runs, 0);
    gp_timeout_release(timeout);
    timer_end(timer);
    check_int(subject.destroyed, 1);
}

/* An argument that owns the handle, and gives it up when it is destroyed. The worker, which finds a
   timeout that is cancelled already, does the same a moment later. */

struct owner {
    gp_timer *timer;
    gp_timeout *handle;
};

static int do_nothing_with(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    (void)argument;
    return 0;
}

static void give_up_handle(void *argument)
{
    struct owner *owner = argument;
    gp_timeout_release(owner->handle);
    timer_turn(owner->timer, 0);
}

static void a_cancel_outlives_the_handle_that_its_argument_owns(void)
{
    gp_wheel_config config = quick_config();
    struct owner owner = {.timer = timer_without_worker(&config)};
    require_ok(
        gp_timer_after(owner.timer, HOUR, do_nothing_with, &owner, give_up_handle, &owner.handle));
    check(gp_timeout_cancel(owner.handle));
    timer_end(owner.timer);
}

static void one_that_is_dropped_is_cancelled_and_given_up(void)
{
    struct subject subject = {0};
    gp_wheel_config config = quick_config();
    gp_timer *timer = timer_without_worker(&config);
    gp_timeout *timeout = timeout_after(timer, HOUR, &subject);
    gp_timeout_retain(timeout);
    check(gp_timeout_drop(timeout));
    check_int(subject.destroyed, 1);
    check_int(gp_timer_pending(timer), 0);
    check(gp_timeout_is_cancelled(timeout)); /* of the other handle */
    check(!gp_timeout_drop(timeout));        /* gives that up all the same */
    timer_turn(timer, 0);
    check(gp_timeout_drop(timeout_after(timer, HOUR, &subject))); /* before it arrives */
    timeout = timeout_after(timer, HOUR, &subject);
    timer_turn(timer, 0);
    check(gp_timeout_drop(timeout)); /* out of its row */
    check(!gp_timeout_drop(NULL));
    timer_end(timer); /* leaks and late accesses are the sanitizer's to find */
    check_int(subject.destroyed, 3);
    check_int(subject.runs, 0);
}

static void one_that_outlives_its_timer_can_be_dropped(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    gp_timeout *timeout = timeout_after(timer, HOUR, &subject);
    timer_end(timer);
    check(!gp_timeout_drop(timeout));
    check_int(subject.destroyed, 1);
}

/* The limit. */

static void set_state(gp_timer *timer, enum gp__timer_state state)
{
    pthread_mutex_lock(&timer->lock);
    gp__timer_set_state(timer, state);
    pthread_mutex_unlock(&timer->lock);
}

static void beyond_the_limit_timeouts_are_rejected_and_leave_no_trace(void)
{
    struct subject subject = {0};
    struct subject refused = {0};
    gp_wheel_config config = quick_config();
    config.max_pending = 2;
    gp_timer *timer = timer_of(&config);
    gp_timeout *timeout = timeout_after(timer, HOUR, &subject);
    check_status(add_after(timer, HOUR, &subject), GP_OK);
    for (int i = 0; i < 3; i++) {
        check_status(add_after(timer, HOUR, &refused), GP_EREJECTED);
        check_int(refused.destroyed, i + 1); /* used up */
        check_int(gp_timer_pending(timer), 2);
        check_int(gp_timer_check(timer), 0);
    }
    check(gp_timeout_cancel(timeout));
    check_status(add_after(timer, HOUR, &subject), GP_OK); /* there is room at once */
    check_status(add_after(timer, HOUR, &refused), GP_EREJECTED);
    gp_timeout_release(timeout);
    timer_end(timer);
    check_int(subject.destroyed, 3);
    check_int(refused.runs, 0);
}

static void one_that_is_refused_needs_no_destructor_and_gives_no_handle(void)
{
    gp_wheel_config config = quick_config();
    config.max_pending = 1;
    gp_timer *timer = timer_of(&config);
    gp_timeout *handle = NULL;
    check_status(gp_timer_after(timer, HOUR, do_nothing_with, NULL, NULL, &handle), GP_OK);
    gp_timeout *kept = handle;
    check_status(gp_timer_after(timer, HOUR, do_nothing_with, NULL, NULL, &handle), GP_EREJECTED);
    check(handle == kept);
    gp_timeout_release(kept);
    timer_end(timer);
}

/* The count that it finds may be that of another who is about to be refused. */
static void one_that_finds_no_room_while_the_timer_stops_is_told_that(void)
{
    struct subject subject = {0};
    struct subject late = {0};
    gp_wheel_config config = quick_config();
    config.max_pending = 1;
    gp_timer *timer = timer_without_worker(&config);
    check_status(add_after(timer, HOUR, &subject), GP_OK);
    set_state(timer, GP__TIMER_STOPPING);
    check_status(timer->intake->add(timer, HOUR, call_subject_of_timeout, &late,
                                    destroy_subject_of_timeout, NULL),
                 GP_ESTATE);
    check_int(late.destroyed, 0);
    set_state(timer, GP__TIMER_STARTED);
    timer_end(timer);
}

static void the_check_notices_a_count_below_zero(void)
{
    gp_timer *timer = quick_timer();
    gp__timer_unpend(timer); /* of a timeout that never was */
    check_int(gp_timer_check(timer), GP_TIMER_INVARIANT + 2);
    atomic_fetch_add(&timer->counts, 1);
    check_int(gp_timer_check(timer), 0);
    timer_end(timer);
}

static void without_a_limit_many_are_taken(void)
{
    struct subject subject = {0};
    gp_wheel_config config = quick_config();
    config.max_pending = -1;
    gp_timer *timer = timer_of(&config);
    for (int i = 0; i < 1000; i++)
        check_status(add_after(timer, HOUR, &subject), GP_OK);
    check_int(gp_timer_pending(timer), 1000);
    timer_end(timer);
    check_int(subject.destroyed, 1000);
}

/* Failing. */

struct failures {
    _Atomic int count;
    _Atomic int status;    /* the last */
    struct latch *noticed; /* counted down by each; or NULL */
};

static void note_failure(void *context, gp_timeout *timeout, int status)
{
    struct failures *failures = context;
    check(gp_timeout_is_expired(timeout));
    atomic_store(&failures->status, status);
    atomic_fetch_add(&failures->count, 1);
    if (failures->noticed != NULL)
        latch_count_down(failures->noticed);
}

static gp_wheel_config config_noting(struct failures *failures)
{
    gp_wheel_config config = quick_config();
    config.hooks = (gp_timer_hooks){.failed = note_failure, .context = failures};
    return config;
}

static void one_that_fails_is_counted_and_does_not_disturb_the_others(void)
{
    struct failures failures = {0};
    struct subject failing = {.code = 7};
    struct subject next = {0};
    gp_wheel_config config = config_noting(&failures);
    gp_timer *timer = timer_of(&config);
    check_status(add_after(timer, 0, &failing), GP_OK);
    check_status(add_after(timer, 0, &next), GP_OK);
    check(await_destroyed(&failing, 1));
    check(await_destroyed(&next, 1));
    check_int(failures.count, 1);
    check_int(failures.status, 7);
    check_int(gp_timer_failures(timer), 1);
    timer_end(timer);
}

static int fail_with_payload(gp_timeout *timeout, void *payload)
{
    (void)timeout;
    return gp_fail(&(gp_failure){
        .code = 5, .payload = payload, .destroy_payload = destroy_subject_of_timeout});
}

static void what_comes_with_a_failure_is_given_up(void)
{
    struct subject payload = {0};
    struct failures failures = {0};
    gp_wheel_config config = config_noting(&failures);
    gp_timer *timer = timer_of(&config);
    require_ok(gp_timer_after(timer, 0, fail_with_payload, &payload, NULL, NULL));
    check(await_destroyed(&payload, 1));
    timer_end(timer);
    check_int(failures.status, 5);
}

/* The executor. */

static gp_pool *one_worker_pool(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *pool = NULL;
    require_ok(gp_pool_new(&config, &pool));
    return pool;
}

static void remember_thread(struct subject *subject)
{
    gp_thread **thread = subject->context;
    *thread = gp_thread_retain(gp_thread_self());
}

/* A copy of it: what the timer was given may be gone when its thread is made. */
static void its_thread_has_the_name_of_the_timer(void)
{
    char given[] = "ours";
    const char *const names[] = {given, NULL};
    for (int i = 0; i < 2; i++) {
        gp_thread *thread = NULL;
        struct subject subject = {.inside = remember_thread, .context = &thread};
        gp_wheel_config config = quick_config();
        config.thread.name = names[i];
        gp_timer *timer = timer_of(&config);
        given[0] = '?';
        check_status(add_after(timer, 0, &subject), GP_OK);
        check(await_destroyed(&subject, 1));
        timer_end(timer);
        if (names[i] != NULL)
            check_text(gp_thread_name(thread), "ours");
        else
            check(strncmp(gp_thread_name(thread), "timer-", 6) == 0);
        gp_thread_release(thread);
    }
}

static void functions_run_on_the_executor(void)
{
    gp_thread *thread = NULL;
    struct failures failures = {0};
    struct subject subject = {.inside = remember_thread, .context = &thread, .code = 3};
    struct subject cancelled = {0};
    gp_wheel_config config = config_noting(&failures);
    config.executor = one_worker_pool();
    gp_timer *timer = timer_of(&config);
    gp_timeout *timeout = timeout_after(timer, HOUR, &cancelled);
    check_status(add_after(timer, 0, &subject), GP_OK);
    check(await_destroyed(&subject, 1));
    check(gp_timeout_cancel(timeout));
    gp_timeout_release(timeout);
    timer_end(timer);
    check_status(gp_pool_close(config.executor), GP_OK);
    check(strncmp(gp_thread_name(thread), "pool-", 5) == 0);
    gp_thread_release(thread);
    check_int(failures.status, 3);
    check_int(cancelled.destroyed, 1);
}

static void what_the_executor_refuses_has_failed(void)
{
    struct failures failures = {0};
    struct subject subject = {0};
    gp_wheel_config config = config_noting(&failures);
    config.executor = one_worker_pool();
    gp_timer *timer = timer_of(&config);
    gp_pool_shutdown(config.executor);
    check_status(add_after(timer, 0, &subject), GP_OK);
    check_status(add_after(timer, HOUR, &subject), GP_OK);
    check(await_destroyed(&subject, 1));
    check_int(failures.status, GP_EREJECTED);
    check_int(subject.runs, 0);
    check_int(gp_timer_pending(timer), 1);
    timer_end(timer);
    check_status(gp_pool_close(config.executor), GP_OK);
    check_int(failures.count, 1);
    check_int(subject.destroyed, 2);
}

static gp_pool *pool_with_room_for_one(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *pool = NULL;
    require_ok(gp_linked_new(1, &config.queue));
    require_ok(gp_pool_new(&config, &pool));
    return pool;
}

static void pass_gate(struct subject *subject)
{
    gate_pass(subject->context);
}

/* The executor is busy, and has room for one: when another is refused that one is in its queue. */
static void what_the_executor_drops_has_failed_and_may_outlive_the_timer(void)
{
    struct gate gate;
    struct latch refusal;
    struct failures failures = {.noticed = &refusal};
    struct subject slow = {.inside = pass_gate, .context = &gate};
    struct subject dropped = {0};
    struct subject refused = {0};
    gp_wheel_config config = config_noting(&failures);
    gate_init(&gate);
    latch_init(&refusal, 1);
    config.executor = pool_with_room_for_one();
    gp_timer *timer = timer_of(&config);
    check_status(add_after(timer, 0, &slow), GP_OK);
    check(await_runs(&slow, 1));
    gp_timeout *timeout = timeout_after(timer, 0, &dropped);
    check_status(add_after(timer, 0, &refused), GP_OK);
    latch_await(&refusal);
    check(gp_timeout_is_expired(timeout));
    timer_end(timer); /* does not wait for the executor */
    check_int(dropped.destroyed, 0);
    gp_pool_shutdown_now(config.executor, NULL);
    check_int(failures.count, 2);
    check_int(failures.status, GP_EREJECTED);
    gate_open(&gate, 1);
    check_status(gp_pool_close(config.executor), GP_OK);
    check_int(slow.destroyed, 1);
    check_int(dropped.destroyed, 1);
    check_int(dropped.runs, 0);
    check_int(refused.destroyed, 1);
    gp_timeout_release(timeout);
}

static const struct test tests[] = {
    TEST(a_timer_that_nobody_used_can_be_ended),
    TEST(start_twice_is_fine_and_after_stop_refused),
    TEST(a_timeout_is_called_once_and_not_early),
    TEST(arguments_are_checked),
    TEST(a_delay_of_zero_or_less_is_due_at_once),
    TEST(a_delay_without_end_is_not_due),
    TEST(a_function_may_add_and_check),
    TEST(a_cancelled_timeout_is_not_called),
    TEST(a_cancel_outlives_the_handle_that_its_argument_owns),
    TEST(one_that_is_dropped_is_cancelled_and_given_up),
    TEST(one_that_outlives_its_timer_can_be_dropped),
    TEST(beyond_the_limit_timeouts_are_rejected_and_leave_no_trace),
    TEST(one_that_is_refused_needs_no_destructor_and_gives_no_handle),
    TEST(one_that_finds_no_room_while_the_timer_stops_is_told_that),
    TEST(the_check_notices_a_count_below_zero),
    TEST(without_a_limit_many_are_taken),
    TEST(one_that_fails_is_counted_and_does_not_disturb_the_others),
    TEST(what_comes_with_a_failure_is_given_up),
    TEST(its_thread_has_the_name_of_the_timer),
    TEST(functions_run_on_the_executor),
    TEST(what_the_executor_refuses_has_failed),
    TEST(what_the_executor_drops_has_failed_and_may_outlive_the_timer),
    END_OF_TESTS,
};

const struct suite wheel_suite = {.name = "wheel", .tests = tests, .prepare = choose_hashed};
const struct suite tickless_suite = {
    .name = "tickless", .tests = tests, .prepare = choose_tickless};
const struct suite wheel_fast_suite = {
    .name = "wheel_fast", .tests = tests, .prepare = choose_fast};
