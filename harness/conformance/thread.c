/*
 * Threads: records that outlive them, interrupts, sleeping, and threads of the library's own.
 * What an interrupt signal does to a system call is in thread_signal.c.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np, PR_GET_TIMERSLACK */
#endif
#include <errno.h>
#include <pthread.h>
#include <signal.h> /* SIGUSR1 */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>    /* PR_GET_NAME, PR_GET_TIMERSLACK */
#include <sys/resource.h> /* getpriority */

#include <glasspool/clock.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "sync/clock.h"
#include "sync/globals.h"
#include "sync/thread.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

/* Records. */

static void note_self_twice(void *argument)
{
    gp_thread **records = argument;
    records[0] = gp_thread_self();
    records[1] = gp_thread_self();
}

static void a_foreign_thread_gets_one_record_at_its_first_call(void)
{
    gp_thread *records[2] = {NULL, NULL};
    struct helper helper;
    helper_start_bare(&helper, note_self_twice, records);
    helper_join(&helper);
    check(records[0] != NULL);
    check(records[0] == records[1]);
    check(records[0] != gp_thread_self());
}

static void retain_self(void *argument)
{
    *(gp_thread **)argument = gp_thread_retain(gp_thread_self());
}

static void a_record_outlives_its_thread_while_somebody_holds_it(void)
{
    gp_thread *record = NULL;
    struct helper helper;
    helper_start_bare(&helper, retain_self, &record);
    helper_join(&helper);
    check_text(gp_thread_name(record), "");
    check(!gp_is_interrupted(record));
    gp_thread_interrupt(record);
    check(gp_is_interrupted(record));
    check(gp_thread_is_started(record));
    gp_thread_release(record);
    gp_thread_release(NULL);
}

static void note_nothing(void *argument)
{
    *(bool *)argument = gp_interrupted();
}

static void a_thread_without_a_record_is_not_interrupted(void)
{
    bool interrupted = true;
    struct helper helper;
    helper_start_bare(&helper, note_nothing, &interrupted);
    helper_join(&helper);
    check(!interrupted);
}

struct recordless {
    struct fault_walk walk;
    gp_thread *record;
    int sleep_status;
    bool hit;
};

static void ask_for_a_record(void *argument)
{
    struct recordless *thread = argument;
    fault_walk_next(&thread->walk);
    thread->record = gp_thread_self();
    if (thread->record == NULL) {
        fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
        thread->sleep_status = gp_sleep(GP_SECONDS(3600));
    }
    thread->hit = fault_walk_hit(&thread->walk);
}

static void without_memory_there_is_no_record_and_nothing_leaks(void)
{
    struct recordless thread = {.walk = {.kinds = FAULT_ANY}};
    do {
        struct helper helper;
        helper_start_bare(&helper, ask_for_a_record, &thread);
        helper_join(&helper);
        check_int(thread.record == NULL, thread.hit);
        if (thread.hit)
            check_status(thread.sleep_status, GP_ENOMEM);
    } while (thread.hit);
    check(thread.walk.point > 3); /* memory, mutex, condition */
}

/* Interrupts. */

static void an_interrupt_raises_the_flag_and_interrupted_clears_it(void)
{
    gp_thread *self = gp_thread_self();
    check(!gp_is_interrupted(self));
    check(!gp_interrupted());
    gp_thread_interrupt(self);
    gp_thread_interrupt(self); /* a second one adds nothing */
    check(gp_is_interrupted(self));
    check(gp_is_interrupted(self)); /* looking does not clear it */
    check(gp_interrupted());
    check(!gp_interrupted());
    check(!gp_is_interrupted(self));
}

struct sleeper {
    struct helper helper;
    int64_t nanos;
    int status;
    bool flag_after;
};

static void sleep_and_note(void *argument)
{
    struct sleeper *sleeper = argument;
    sleeper->status = gp_sleep(sleeper->nanos);
    sleeper->flag_after = gp_interrupted();
}

static void check_interrupted_sleep(int64_t nanos)
{
    struct sleeper sleeper = {.nanos = nanos};
    helper_start(&sleeper.helper, sleep_and_note, &sleeper);
    helper_await_asleep(&sleeper.helper);
    helper_interrupt(&sleeper.helper);
    helper_join(&sleeper.helper);
    check_status(sleeper.status, GP_EINTERRUPTED);
    check(!sleeper.flag_after);
}

static void an_interrupt_ends_a_sleep_and_is_used_up(void)
{
    check_interrupted_sleep(GP_SECONDS(3600));
    check_interrupted_sleep(GP_FOREVER);
    check_interrupted_sleep(INT64_MAX - 1);
}

static void an_interrupt_before_a_sleep_ends_it_at_once(void)
{
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_sleep(GP_SECONDS(3600)), GP_EINTERRUPTED);
    check(!gp_interrupted());
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_sleep(0), GP_EINTERRUPTED);
    check_status(gp_sleep(0), GP_OK);
}

static void a_sleep_is_never_too_short(void)
{
    int64_t start = gp_now();
    check_status(gp_sleep(GP_MILLISECONDS(10)), GP_OK);
    check(gp_now() - start >= GP_MILLISECONDS(10));
    check_status(gp_sleep(-1), GP_OK);
    check_status(gp_sleep(INT64_MIN), GP_OK);
}

static void a_permit_does_not_shorten_a_sleep(void)
{
    int64_t start = gp_now();
    gp__unpark(gp_thread_self());
    check_status(gp_sleep(GP_MILLISECONDS(5)), GP_OK);
    check(gp_now() - start >= GP_MILLISECONDS(5));
}

static void a_permit_lets_one_park_return_even_if_given_before(void)
{
    gp_thread *self = gp_thread_self();
    gp__unpark(self);
    gp__unpark(self); /* permits do not add up */
    check_status(gp__park(self, GP__NO_DEADLINE), GP_OK);
    check_status(gp__park(self, gp__deadline(0)), GP_ETIMEDOUT);
}

static void an_interrupted_park_leaves_the_flag_up(void)
{
    gp_thread *self = gp_thread_self();
    gp_thread_interrupt(self);
    check_status(gp__park(self, GP__NO_DEADLINE), GP_EINTERRUPTED);
    check(gp_interrupted());
}

static void sleep_then_reach_a_cancellation_point(void *argument)
{
    *(int *)argument = gp_sleep(GP_MILLISECONDS(20));
    pthread_testcancel();
    *(int *)argument = 1;
}

static void cancellation_by_pthreads_waits_until_the_park_is_over(void)
{
    int status = 2;
    struct helper helper;
    helper_start(&helper, sleep_then_reach_a_cancellation_point, &status);
    pthread_cancel(helper.thread);
    helper_join(&helper);
    check_status(status, GP_OK); /* the sleep ended in its own time, the thread after it */
}

/* Threads of our own. */

struct own {
    gp_thread *self;
    char name[32];
    size_t stack_size;
    int nice;
    int timer_slack;
    struct gate go_on;
    int join_status;
    bool interrupted;
};

static void look_at_oneself(void *argument)
{
    struct own *own = argument;
    pthread_attr_t attributes;
    own->self = gp_thread_self();
    prctl(PR_GET_NAME, own->name);
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &own->stack_size);
    pthread_attr_destroy(&attributes);
    own->nice = getpriority(PRIO_PROCESS, (id_t)thread_id());
    own->timer_slack = prctl(PR_GET_TIMERSLACK);
    own->join_status = gp_thread_join(own->self);
    own->interrupted = gp_interrupted();
}

static gp_thread *new_thread(const gp_thread_config *config, void (*run)(void *), void *argument)
{
    gp_thread *thread = NULL;
    require_ok(gp_thread_new(config, run, argument, &thread));
    return thread;
}

static struct own run_own(const gp_thread_config *config)
{
    struct own own = {0};
    gp_thread *thread = new_thread(config, look_at_oneself, &own);
    check(!gp_thread_is_started(thread));
    check_status(gp_thread_start(thread), GP_OK);
    check_status(gp_thread_join(thread), GP_OK);
    check(gp_thread_is_started(thread));
    check(own.self == thread);
    check_status(own.join_status, GP_EDEADLK); /* joining oneself */
    gp_thread_release(thread);
    return own;
}

static void a_thread_runs_with_its_record_as_its_own(void)
{
    struct own own = run_own(NULL);
    check(own.stack_size > 0);
    check(!own.interrupted);
}

static void a_thread_has_the_name_stack_and_timer_slack_it_was_given(void)
{
    gp_thread_config config = {
        .name = "a-name-of-20-letters", .stack_size = 512 * 1024, .timer_slack = 12345};
    struct own own = run_own(&config);
    check_text(own.name, "a-name-of-20-le");
    check(own.stack_size >= config.stack_size);
    check(own.stack_size < 2 * config.stack_size);
    check_int(own.timer_slack, 12345);
}

static void a_thread_may_be_nicer_than_its_creator(void)
{
    int creator = getpriority(PRIO_PROCESS, (id_t)thread_id());
    gp_thread_config config = {.nice = creator <= 5 ? 5 : 19}; /* not everybody may be less nice */
    check_int(run_own(&config).nice, config.nice);
    check_int(run_own(NULL).nice, creator);
    check_int(getpriority(PRIO_PROCESS, (id_t)thread_id()), creator);
}

static void a_name_is_copied_and_cut(void)
{
    char name[] = "0123456789012345678901234567890123456789";
    gp_thread_config config = {.name = name};
    gp_thread *thread = new_thread(&config, look_at_oneself, NULL);
    memset(name, 'x', sizeof name - 1);
    check_text(gp_thread_name(thread), "0123456789012345678901234567890");
    gp_thread_release(thread); /* never started: that is fine */
}

static void wait_at_gate(void *argument)
{
    gate_pass(argument);
}

static void a_thread_starts_once_and_is_joined_once(void)
{
    struct gate gate;
    gate_init(&gate);
    gp_thread *thread = new_thread(NULL, wait_at_gate, &gate);
    check_status(gp_thread_join(thread), GP_ESTATE); /* not started yet */
    check_status(gp_thread_start(thread), GP_OK);
    check_status(gp_thread_start(thread), GP_ESTATE);
    gate_open(&gate, 1);
    check_status(gp_thread_join(thread), GP_OK);
    check_status(gp_thread_join(thread), GP_ESTATE);
    check_status(gp_thread_start(thread), GP_ESTATE);
    gp_thread_release(thread);
}

static void a_foreign_thread_cannot_be_started_or_joined(void)
{
    struct gate gate;
    struct helper helper;
    gate_init(&gate);
    helper_start(&helper, wait_at_gate, &gate);
    check(gp_thread_is_started(helper.record));
    check_status(gp_thread_start(helper.record), GP_ESTATE);
    check_status(gp_thread_join(helper.record), GP_ESTATE);
    gate_open(&gate, 1);
    helper_join(&helper);
}

static void count_down(void *argument)
{
    latch_count_down(argument);
}

static void a_thread_that_nobody_joins_cleans_up_after_itself(void)
{
    struct latch ended;
    latch_init(&ended, 1);
    gp_thread *thread = new_thread(NULL, count_down, &ended);
    check_status(gp_thread_start(thread), GP_OK);
    gp_thread_release(thread);
    latch_await(&ended);
}

static void an_interrupt_before_the_start_is_there_at_the_start(void)
{
    struct own own = {0};
    gp_thread *thread = new_thread(NULL, look_at_oneself, &own);
    gp_thread_interrupt(thread);
    check_status(gp_thread_start(thread), GP_OK);
    check_status(gp_thread_join(thread), GP_OK);
    check(own.interrupted);
    gp_thread_release(thread);
}

static void exit_the_thread(void *argument)
{
    latch_count_down(argument);
    pthread_exit(NULL);
}

static void a_thread_may_leave_by_pthread_exit(void)
{
    struct latch begun;
    latch_init(&begun, 1);
    gp_thread *thread = new_thread(NULL, exit_the_thread, &begun);
    check_status(gp_thread_start(thread), GP_OK);
    check_status(gp_thread_join(thread), GP_OK);
    check_int(begun.count, 0);
    check_int(atomic_load(&thread->refs), 1); /* the thread has given back its own */
    gp_thread_release(thread);
}

static pthread_key_t late_key;

static void call_the_library_late(void *argument)
{
    *(bool *)argument = gp_thread_self() != NULL && !gp_interrupted();
}

static void set_late_key(void *argument)
{
    pthread_setspecific(late_key, argument);
}

static void a_thread_that_is_ending_may_still_call_the_library(void)
{
    bool called = false;
    require(pthread_key_create(&late_key, call_the_library_late) == 0);
    gp_thread *thread = new_thread(NULL, set_late_key, &called);
    check_status(gp_thread_start(thread), GP_OK);
    check_status(gp_thread_join(thread), GP_OK);
    check(called);
    gp_thread_release(thread);
    pthread_key_delete(late_key);
}

/* Bad input and faults. */

static void bad_configurations_are_refused(void)
{
    static const gp_thread_config bad[] = {{.nice = -21},
                                           {.nice = 20},
                                           {.timer_slack = -1},
                                           {.interrupt_signal = -1},
                                           {.stack_size = 1},
                                           {.interrupt_signal = 9},
                                           {.interrupt_signal = 19},
                                           {.interrupt_signal = 10000},
                                           {.stack_size = 1, .interrupt_signal = SIGUSR1}};
    gp_thread *thread = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_status(gp_thread_new(&bad[i], wait_at_gate, NULL, &thread), GP_EINVAL);
    check_status(gp_thread_new(NULL, NULL, NULL, &thread), GP_EINVAL);
    check_status(gp_thread_new(NULL, wait_at_gate, NULL, NULL), GP_EINVAL);
    check(thread == NULL);
}

static void the_ends_of_a_range_are_in_it(void)
{
    static const gp_thread_config good[] = {{.nice = -20}, {.nice = 19}, {.timer_slack = 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        gp_thread_release(new_thread(&good[i], wait_at_gate, NULL));
}

static void without_memory_or_locks_no_thread_is_made(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_thread *thread = NULL;
        int status = gp_thread_new(NULL, wait_at_gate, NULL, &thread);
        check_status(status, fault_walk_hit(&walk) ? GP_ENOMEM : GP_OK);
        check_int(thread != NULL, status == GP_OK);
        gp_thread_release(thread);
    }
    check_int(walk.point, 4); /* memory, mutex, condition, none */
}

static void a_start_that_fails_can_be_tried_again(void)
{
    struct latch ran;
    latch_init(&ran, 1);
    gp_thread *thread = new_thread(NULL, count_down, &ran);
    fault_arm(FAULT_THREAD, 1, FAULT_THIS_THREAD);
    int status = gp_thread_start(thread);
    check_int(fault_disarm(), 1);
    check_status(status, GP_EAGAIN);
    check(!gp_thread_is_started(thread));
    check_int(atomic_load(&thread->refs), 1); /* the thread that never was holds none */
    check_status(gp_thread_start(thread), GP_OK);
    check_status(gp_thread_join(thread), GP_OK);
    check_int(ran.count, 0);
    gp_thread_release(thread);
}

static void pool_numbers_count_up(void)
{
    unsigned first = gp__next_pool_number();
    check(first > 0);
    check_int(gp__next_pool_number(), first + 1);
}

static const struct test tests[] = {
    TEST(a_foreign_thread_gets_one_record_at_its_first_call),
    TEST(a_record_outlives_its_thread_while_somebody_holds_it),
    TEST(a_thread_without_a_record_is_not_interrupted),
    TEST(without_memory_there_is_no_record_and_nothing_leaks),
    TEST(an_interrupt_raises_the_flag_and_interrupted_clears_it),
    TEST(an_interrupt_ends_a_sleep_and_is_used_up),
    TEST(an_interrupt_before_a_sleep_ends_it_at_once),
    TEST(a_sleep_is_never_too_short),
    TEST(a_permit_does_not_shorten_a_sleep),
    TEST(a_permit_lets_one_park_return_even_if_given_before),
    TEST(an_interrupted_park_leaves_the_flag_up),
    TEST(cancellation_by_pthreads_waits_until_the_park_is_over),
    TEST(a_thread_runs_with_its_record_as_its_own),
    TEST(a_thread_has_the_name_stack_and_timer_slack_it_was_given),
    TEST(a_thread_may_be_nicer_than_its_creator),
    TEST(a_name_is_copied_and_cut),
    TEST(a_thread_starts_once_and_is_joined_once),
    TEST(a_foreign_thread_cannot_be_started_or_joined),
    TEST(a_thread_that_nobody_joins_cleans_up_after_itself),
    TEST(an_interrupt_before_the_start_is_there_at_the_start),
    TEST(a_thread_may_leave_by_pthread_exit),
    TEST(a_thread_that_is_ending_may_still_call_the_library),
    TEST(bad_configurations_are_refused),
    TEST(the_ends_of_a_range_are_in_it),
    TEST(without_memory_or_locks_no_thread_is_made),
    TEST(a_start_that_fails_can_be_tried_again),
    TEST(pool_numbers_count_up),
    END_OF_TESTS,
};

const struct suite thread_suite = {.name = "thread", .tests = tests};
