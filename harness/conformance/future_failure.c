/* What a failing task carries to whoever asks: a code, a message, and a payload with an owner. */
#include <glasspool/future.h>
#include <glasspool/status.h>

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

static int payload_destroyed;

static void destroy_payload(void *payload)
{
    payload_destroyed += payload == &answer ? 1 : 1000;
}

static const gp_failure rich_failure = {
    .code = 3, .message = "three", .payload = &answer, .destroy_payload = destroy_payload};

static int fail_richly(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return gp_fail(&rich_failure);
}

static void gp_fail_hands_message_and_payload_to_whoever_asks(void)
{
    gp_callable callable = {.call = fail_richly};
    gp_future *future = NULL;
    gp_failure failure = {0};
    payload_destroyed = 0;
    require_ok(gp_future_new(&callable, &future));
    gp_future_run(future);
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, 3);
    check_text(failure.message, "three");
    check(failure.payload == &answer);
    check_int(payload_destroyed, 0);
    gp_future_release(future);
    check_int(payload_destroyed, 1);
}

static int fail_without_a_code(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return gp_fail(&(gp_failure){.message = "why"});
}

static void a_failure_without_a_code_gets_one(void)
{
    struct subject subject = {0};
    gp_callable callable = {.call = fail_without_a_code};
    gp_future *future = NULL;
    gp_failure failure;
    require_ok(gp_future_new(&callable, &future));
    gp_future_run(future);
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, GP_EFAILED);
    check_text(failure.message, "why");
    gp_future_release(future);
    future = future_of(&subject);
    check(gp_future_fail(future, &(gp_failure){.code = 0}));
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, GP_EFAILED);
    gp_future_release(future);
    future = future_of(&subject);
    check(gp_future_fail(future, &(gp_failure){.code = 0, .message = "why"}));
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, GP_EFAILED);
    check_text(failure.message, "why");
    gp_future_release(future);
}

static void a_refused_fail_leaves_the_payload_with_the_caller(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    payload_destroyed = 0;
    gp_future_set(future, NULL);
    check(!gp_future_fail(future, &rich_failure));
    gp_future_release(future);
    check_int(payload_destroyed, 0);
}

static void a_payload_needs_no_destructor(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_failure failure = {.code = 3, .payload = &answer};
    gp_failure told = {0};
    check(gp_future_fail(future, &failure));
    check_status(gp_future_failure(future, &told), GP_OK);
    check(told.payload == &answer);
    gp_future_release(future);
}

static int cancel_then_fail_richly(void *argument, void **result)
{
    gp_future_cancel(*(gp_future **)argument, false);
    return fail_richly(NULL, result);
}

static void the_payload_of_a_cancelled_task_is_destroyed(void)
{
    gp_future *future = NULL;
    gp_callable callable = {.call = cancel_then_fail_richly, .argument = &future};
    payload_destroyed = 0;
    require_ok(gp_future_new(&callable, &future));
    gp_future_run(future);
    check_int(gp_future_state_of(future), GP_CANCELLED);
    check_int(payload_destroyed, 1);
    gp_future_release(future);
}

static void without_memory_a_failure_keeps_its_code_and_destroys_its_payload(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_failure failure;
    payload_destroyed = 0;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    bool failed = gp_future_fail(future, &rich_failure);
    check_int(fault_disarm(), 1);
    check(failed);
    check_int(payload_destroyed, 1);
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, 3);
    check(failure.message == NULL && failure.payload == NULL);
    gp_future_release(future);
    check_int(payload_destroyed, 1);
}

static int status_in_destructor;

static void get_in_destructor(void *future)
{
    status_in_destructor = gp_future_state_of(future) == GP_EXCEPTIONAL
                               ? gp_future_get(future, NULL)
                               : GP_ESTATE; /* it would wait for itself */
}

static void who_destroys_a_payload_may_ask_for_the_outcome(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_failure failure = {.code = 3, .payload = future, .destroy_payload = get_in_destructor};
    status_in_destructor = GP_OK;
    fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
    bool failed = gp_future_fail(future, &failure);
    check_int(fault_disarm(), 1);
    check(failed);
    check_status(status_in_destructor, GP_EFAILED);
    gp_future_release(future);
}

static void end_the_thread(gp_future *future, void *context)
{
    (void)future;
    (void)context;
    pthread_exit(NULL);
}

static void *fail_without_memory(void *future)
{
    fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
    gp_future_fail(future, &rich_failure);
    return NULL;
}

static void without_memory_the_payload_is_destroyed_though_the_hook_ends_its_thread(void)
{
    gp_callable callable = {.call = fail_richly};
    gp_future *future = NULL;
    pthread_t thread;
    payload_destroyed = 0;
    require_ok(gp_future_new_hooked(&callable, end_the_thread, NULL, &future));
    check_int(pthread_create(&thread, NULL, fail_without_memory, future), 0);
    check_int(pthread_join(thread, NULL), 0);
    check_int(fault_disarm(), 1);
    check_int(gp_future_state_of(future), GP_EXCEPTIONAL);
    check_int(payload_destroyed, 1);
    gp_future_release(future);
}

struct without_record {
    gp_failure failure;
    unsigned faults;
};

static void fail_without_a_record(void *argument)
{
    struct without_record *call = argument;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    gp_fail(&call->failure);
    call->faults = fault_disarm();
}

static void without_a_record_a_payload_is_destroyed_if_there_is_one(void)
{
    struct without_record bare = {{.code = 3, .destroy_payload = destroy_payload}, 0};
    struct without_record rich = {rich_failure, 0};
    struct helper helper;
    payload_destroyed = 0;
    helper_start_bare(&helper, fail_without_a_record, &bare);
    helper_join(&helper);
    check_int(payload_destroyed, 0);
    helper_start_bare(&helper, fail_without_a_record, &rich);
    helper_join(&helper);
    check_int(payload_destroyed, 1);
    check(bare.faults > 0 && rich.faults > 0);
}

static int fail_but_run_another_first(void *argument, void **result)
{
    int code = fail_richly(NULL, result);
    gp_future_run(argument); /* it is done: nothing happens */
    return code;
}

static void a_run_of_one_that_is_done_forgets_no_failure(void)
{
    struct subject subject = {0};
    gp_future *is_done = future_of(&subject);
    gp_callable callable = {.call = fail_but_run_another_first, .argument = is_done};
    gp_future *future = NULL;
    gp_failure failure;
    payload_destroyed = 0;
    gp_future_set(is_done, NULL);
    require_ok(gp_future_new(&callable, &future));
    gp_future_run(future);
    check_status(gp_future_failure(future, &failure), GP_OK);
    check(failure.payload == &answer);
    check_int(payload_destroyed, 0);
    gp_future_release(future);
    gp_future_release(is_done);
    check_int(payload_destroyed, 1);
}

static int fail_richly_then_succeed(void *argument, void **result)
{
    (void)argument;
    (void)result;
    gp_fail(&rich_failure);
    return 0;
}

static void a_failure_that_was_not_returned_is_forgotten(void)
{
    gp_callable unsure = {.call = fail_richly_then_succeed};
    struct subject plain = {.code = 3}; /* the same code by chance */
    gp_future *first = NULL;
    gp_future *second = future_of(&plain);
    gp_failure failure;
    payload_destroyed = 0;
    require_ok(gp_future_new(&unsure, &first));
    gp_future_run(first);
    check_int(gp_future_state_of(first), GP_NORMAL);
    check_int(payload_destroyed, 1);
    gp_future_run(second);
    check_status(gp_future_failure(second, &failure), GP_OK);
    check(failure.message == NULL && failure.payload == NULL);
    gp_future_release(first);
    gp_future_release(second);
    check_int(payload_destroyed, 1);
}

static int fail_richly_but_return_four(void *argument, void **result)
{
    fail_richly(argument, result);
    return 4;
}

static void the_code_that_is_returned_counts(void)
{
    gp_callable callable = {.call = fail_richly_but_return_four};
    gp_future *future = NULL;
    gp_failure failure;
    payload_destroyed = 0;
    require_ok(gp_future_new(&callable, &future));
    gp_future_run(future);
    check_int(payload_destroyed, 1); /* it belonged to another failure */
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, 4);
    check(failure.message == NULL && failure.payload == NULL);
    gp_future_release(future);
    check_int(payload_destroyed, 1);
}

static int fail_richly_twice(void *argument, void **result)
{
    fail_richly(argument, result);
    return fail_richly(argument, result);
}

static void a_second_gp_fail_destroys_the_payload_of_the_first(void)
{
    gp_callable callable = {.call = fail_richly_twice};
    gp_future *future = NULL;
    payload_destroyed = 0;
    require_ok(gp_future_new(&callable, &future));
    gp_future_run(future);
    check_int(payload_destroyed, 1);
    gp_future_release(future);
    check_int(payload_destroyed, 2);
}

static void failure_is_known_only_when_exceptional(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_failure failure;
    check_status(gp_future_failure(future, &failure), GP_ESTATE);
    check_status(gp_future_failure(future, NULL), GP_EINVAL);
    gp_future_cancel(future, false);
    check_status(gp_future_failure(future, &failure), GP_ESTATE);
    gp_future_release(future);
}

static void run_another(gp_future *future, void *context)
{
    (void)future;
    gp_task_run(context);
}

/* The payload is the future's before its hook runs, whatever the hook does on the same thread. */
static void a_hook_that_runs_a_task_leaves_the_payload_alone(void)
{
    struct subject subject = {0};
    gp_callable callable = {.call = fail_richly};
    gp_future *future = NULL;
    payload_destroyed = 0;
    require_ok(gp_future_new_hooked(&callable, run_another, task_of(&subject), &future));
    gp_future_run(future);
    check_int(subject.runs, 1);
    check_int(payload_destroyed, 0);
    gp_future_release(future);
    check_int(payload_destroyed, 1);
}

static const struct test tests[] = {
    TEST(gp_fail_hands_message_and_payload_to_whoever_asks),
    TEST(a_failure_without_a_code_gets_one),
    TEST(a_refused_fail_leaves_the_payload_with_the_caller),
    TEST(a_payload_needs_no_destructor),
    TEST(the_payload_of_a_cancelled_task_is_destroyed),
    TEST(without_memory_a_failure_keeps_its_code_and_destroys_its_payload),
    TEST(who_destroys_a_payload_may_ask_for_the_outcome),
    TEST(without_memory_the_payload_is_destroyed_though_the_hook_ends_its_thread),
    TEST(without_a_record_a_payload_is_destroyed_if_there_is_one),
    TEST(a_run_of_one_that_is_done_forgets_no_failure),
    TEST(a_failure_that_was_not_returned_is_forgotten),
    TEST(the_code_that_is_returned_counts),
    TEST(a_second_gp_fail_destroys_the_payload_of_the_first),
    TEST(failure_is_known_only_when_exceptional),
    TEST(a_hook_that_runs_a_task_leaves_the_payload_alone),
    END_OF_TESTS,
};

const struct suite future_failure_suite = {.name = "future_failure", .tests = tests};
