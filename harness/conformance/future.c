/*
 * The future: its seven states and four paths, running, completing, and who owns what.
 * What a failure carries is in future_failure.c, waiting in future_get.c, cancelling a task that
 * runs in future_cancel.c.
 */
#include <pthread.h> /* pthread_setcancelstate */
#include <string.h>

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

/* States and paths. */

static void a_new_future_is_new_and_neither_done_nor_cancelled(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    check_int(gp_future_state_of(future), GP_NEW);
    check(!gp_future_is_done(future));
    check(!gp_future_is_cancelled(future));
    gp_future_release(future);
}

static void remember_state(struct subject *subject)
{
    gp_future **future = subject->context;
    subject->result = (void *)(intptr_t)gp_future_state_of(*future);
}

static void run_ends_normal_with_the_result_and_is_new_until_then(void)
{
    gp_future *future = NULL;
    struct subject subject = {.inside = remember_state, .context = &future};
    void *result = &answer;
    future = future_of(&subject);
    check(gp_future_run(future));
    check_int(gp_future_state_of(future), GP_NORMAL);
    check(gp_future_is_done(future));
    check_status(gp_future_get(future, &result), GP_OK);
    check_int((intptr_t)result, GP_NEW); /* the state inside */
    gp_future_release(future);
}

static void a_failing_callable_ends_exceptional_with_its_code(void)
{
    struct subject subject = {.code = 7};
    gp_future *future = future_of(&subject);
    void *result = &answer;
    gp_failure failure;
    gp_future_run(future);
    check_int(gp_future_state_of(future), GP_EXCEPTIONAL);
    check_status(gp_future_get(future, &result), GP_EFAILED);
    check(result == &answer);
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, 7);
    check(failure.message == NULL && failure.payload == NULL);
    gp_future_release(future);
}

static void run_tells_whether_it_completed_the_future(void)
{
    struct subject good = {0};
    struct subject bad = {.code = 7};
    gp_future *first = future_of(&good);
    gp_future *second = future_of(&bad);
    check(gp_future_run(first));
    check(!gp_future_run(first));
    check(gp_future_run(second)); /* a failure is an outcome too */
    check(!gp_future_run(second));
    gp_future_release(first);
    gp_future_release(second);
}

static void set_ends_normal_without_running(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    void *result = NULL;
    check(gp_future_set(future, &answer));
    check_int(gp_future_state_of(future), GP_NORMAL);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    check_int(subject.runs, 0);
    gp_future_release(future);
}

static void fail_ends_exceptional_without_running(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_failure failure;
    check(gp_future_fail(future, &(gp_failure){.code = 5, .message = "five"}));
    check_int(gp_future_state_of(future), GP_EXCEPTIONAL);
    check_status(gp_future_failure(future, &failure), GP_OK);
    check_int(failure.code, 5);
    check_text(failure.message, "five");
    check_int(subject.runs, 0);
    gp_future_release(future);
}

static void cancel_without_interrupt_ends_cancelled(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    check(gp_future_cancel(future, false));
    check_int(gp_future_state_of(future), GP_CANCELLED);
    check(gp_future_is_done(future));
    check(gp_future_is_cancelled(future));
    check_status(gp_future_get(future, NULL), GP_ECANCELLED);
    gp_future_release(future);
}

static void cancel_with_interrupt_of_one_that_does_not_run_ends_interrupted(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    check(gp_future_cancel(future, true));
    check_int(gp_future_state_of(future), GP_INTERRUPTED);
    check(gp_future_is_cancelled(future));
    check_status(gp_future_get(future, NULL), GP_ECANCELLED);
    check(!gp_is_interrupted(gp_thread_self()));
    gp_future_release(future);
}

/* The four ways to a final state that need no second thread. */
static void go_normal(gp_future *future)
{
    gp_future_set(future, &answer);
}

static void go_exceptional(gp_future *future)
{
    gp_future_fail(future, &(gp_failure){.code = 5});
}

static void go_cancelled(gp_future *future)
{
    gp_future_cancel(future, false);
}

static void go_interrupted(gp_future *future)
{
    gp_future_cancel(future, true);
}

static void check_all_refused(gp_future *future)
{
    gp_future_state state = gp_future_state_of(future);
    check(!gp_future_run(future));
    check(!gp_future_run_and_reset(future));
    check(!gp_future_set(future, NULL));
    check(!gp_future_fail(future, &(gp_failure){.code = 6, .message = "too late"}));
    check(!gp_future_cancel(future, false));
    check(!gp_future_cancel(future, true));
    check_int(gp_future_state_of(future), state);
}

static void no_path_leads_out_of_a_final_state(void)
{
    static void (*const ways[])(gp_future *) = {go_normal, go_exceptional, go_cancelled,
                                                go_interrupted};
    static const gp_future_state ends[] = {GP_NORMAL, GP_EXCEPTIONAL, GP_CANCELLED, GP_INTERRUPTED};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct subject subject = {0};
        gp_future *future = future_of(&subject);
        ways[i](future);
        check_int(gp_future_state_of(future), ends[i]);
        check_all_refused(future);
        check_int(gp_future_state_of(future), ends[i]);
        check_int(subject.runs, 0);
        gp_future_release(future);
        check_int(subject.destroyed, 1);
    }
}

static void each_state_has_its_name(void)
{
    check_text(gp_future_state_name(GP_NEW), "NEW");
    check_text(gp_future_state_name(GP_COMPLETING), "COMPLETING");
    check_text(gp_future_state_name(GP_NORMAL), "NORMAL");
    check_text(gp_future_state_name(GP_EXCEPTIONAL), "EXCEPTIONAL");
    check_text(gp_future_state_name(GP_CANCELLED), "CANCELLED");
    check_text(gp_future_state_name(GP_INTERRUPTING), "INTERRUPTING");
    check_text(gp_future_state_name(GP_INTERRUPTED), "INTERRUPTED");
    check_text(gp_future_state_name((gp_future_state)7), "?");
}

/* Running. */

static void run_itself(struct subject *subject)
{
    gp_future **future = subject->context;
    subject->result = gp_future_run(*future) || gp_future_run_and_reset(*future) ? &answer : NULL;
}

static void a_running_future_cannot_be_run_again(void)
{
    gp_future *future = NULL;
    struct subject subject = {.inside = run_itself, .context = &future};
    void *result = &answer;
    future = future_of(&subject);
    gp_future_run(future);
    check_int(subject.runs, 1);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == NULL);
    gp_future_release(future);
}

static void run_and_reset_leaves_it_new_to_run_again(void)
{
    struct subject subject = {.result = &answer};
    gp_future *future = future_of(&subject);
    for (int i = 1; i <= 3; i++) {
        check(gp_future_run_and_reset(future));
        check_int(subject.runs, i);
        check_int(gp_future_state_of(future), GP_NEW);
        check_int(subject.destroyed, 0);
    }
    gp_future_release(future);
    check_int(subject.destroyed, 1);
}

static void run_and_reset_that_fails_ends_exceptional(void)
{
    struct subject subject = {.code = 9};
    gp_future *future = future_of(&subject);
    check(!gp_future_run_and_reset(future));
    check_int(gp_future_state_of(future), GP_EXCEPTIONAL);
    check_int(subject.destroyed, 1);
    check(!gp_future_run_and_reset(future));
    check_int(subject.runs, 1);
    gp_future_release(future);
}

static void cancel_itself(struct subject *subject)
{
    gp_future **future = subject->context;
    gp_future_cancel(*future, false);
}

static void run_and_reset_of_one_cancelled_meanwhile_is_false(void)
{
    gp_future *future = NULL;
    struct subject subject = {.inside = cancel_itself, .context = &future};
    future = future_of(&subject);
    check(!gp_future_run_and_reset(future));
    check_int(gp_future_state_of(future), GP_CANCELLED);
    check_int(subject.destroyed, 1);
    gp_future_release(future);
}

static void run_of_one_cancelled_meanwhile_drops_the_outcome(void)
{
    gp_future *future = NULL;
    struct subject subject = {.inside = cancel_itself, .context = &future, .result = &answer};
    void *result = NULL;
    future = future_of(&subject);
    check(!gp_future_run(future)); /* it was not this call that completed it */
    check_int(gp_future_state_of(future), GP_CANCELLED);
    check_status(gp_future_get(future, &result), GP_ECANCELLED);
    check(result == NULL);
    check_int(subject.destroyed, 1);
    gp_future_release(future);
}

static void count_call(void *argument)
{
    ++*(int *)argument;
}

static void the_adapter_gives_its_result_when_the_function_returns(void)
{
    int calls = 0;
    gp_callable callable = gp_callable_of(count_call, &calls, &answer);
    gp_future *future = NULL;
    void *result = NULL;
    require_ok(gp_future_new(&callable, &future));
    check(gp_future_run(future));
    check_int(calls, 1);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    gp_future_release(future);
}

static void note_cancel_state(void *argument)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, argument);
}

/* By a thread that belongs to no pool, and has a record. */
static void check_run_leaves_cancel_state(int wanted)
{
    int seen = -1;
    int before;
    int after;
    gp_callable callable = gp_callable_of(note_cancel_state, &seen, NULL);
    gp_future *future = NULL;
    require(gp_thread_self() != NULL);
    require_ok(gp_future_new(&callable, &future));
    pthread_setcancelstate(wanted, &before);
    gp_future_run(future);
    pthread_setcancelstate(before, &after);
    check_int(seen, wanted);
    check_int(after, wanted);
    gp_future_release(future);
}

static void a_run_finds_its_thread_cancellable_as_its_caller_has_it(void)
{
    check_run_leaves_cancel_state(PTHREAD_CANCEL_ENABLE);
    check_run_leaves_cancel_state(PTHREAD_CANCEL_DISABLE);
}

static void cancel_from_plain_function(void *argument)
{
    gp_future_cancel(*(gp_future **)argument, false);
}

static void a_plain_function_cancelled_meanwhile_gives_no_result(void)
{
    gp_future *future = NULL;
    gp_callable callable = gp_callable_of(cancel_from_plain_function, &future, &answer);
    void *result = NULL;
    require_ok(gp_future_new(&callable, &future));
    check(!gp_future_run(future));
    check_status(gp_future_get(future, &result), GP_ECANCELLED);
    check(result == NULL);
    gp_future_release(future);
}

struct duel {
    gp_future *future;
    struct gate start;
    _Atomic int completions;
    bool (*attack)(gp_future *);
};

static void duellist(void *argument)
{
    struct duel *duel = argument;
    gate_pass(&duel->start);
    if (duel->attack(duel->future))
        atomic_fetch_add(&duel->completions, 1);
}

static void runs_that_race_call_once(bool (*attack)(gp_future *))
{
    for (unsigned i = 0; i < scaled(200); i++) {
        struct subject subject = {0};
        struct duel duel = {.future = future_of(&subject), .attack = attack};
        struct helper helpers[2];
        gate_init(&duel.start);
        helper_start(&helpers[0], duellist, &duel);
        helper_start(&helpers[1], duellist, &duel);
        gate_open(&duel.start, 2);
        helper_join(&helpers[0]);
        helper_join(&helpers[1]);
        check_int(duel.completions, 1);
        check(subject.runs <= 1);
        gp_future_release(duel.future);
        check_int(subject.destroyed, 1);
    }
}

static void two_runs_race_and_the_callable_runs_once(void)
{
    runs_that_race_call_once(gp_future_run);
}

static bool cancel_plainly(gp_future *future)
{
    return gp_future_cancel(future, false);
}

static void two_cancels_race_and_one_succeeds(void)
{
    runs_that_race_call_once(cancel_plainly);
}

/* The done hook. */

struct hook_log {
    int calls;
    gp_future_state state;
    int get_status;
};

static void log_done(gp_future *future, void *context)
{
    struct hook_log *log = context;
    log->calls++;
    log->state = gp_future_state_of(future);
    log->get_status = gp_future_get(future, NULL);
}

static gp_future *hooked_future_of(struct subject *subject, struct hook_log *log)
{
    gp_callable callable = callable_of(subject);
    gp_future *future = NULL;
    require_ok(gp_future_new_hooked(&callable, log_done, log, &future));
    return future;
}

static void the_done_hook_is_called_once_whatever_the_path(void)
{
    static void (*const ways[])(gp_future *) = {go_normal, go_exceptional, go_cancelled,
                                                go_interrupted};
    static const int statuses[] = {GP_OK, GP_EFAILED, GP_ECANCELLED, GP_ECANCELLED};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct subject subject = {0};
        struct hook_log log = {0};
        gp_future *future = hooked_future_of(&subject, &log);
        check_int(log.calls, 0);
        ways[i](future);
        check_all_refused(future);
        check_int(log.calls, 1);
        check_int(log.state, gp_future_state_of(future));
        check_status(log.get_status, statuses[i]);
        gp_future_release(future);
        check_int(log.calls, 1);
    }
}

static void the_done_hook_waits_for_the_last_of_the_resetting_runs(void)
{
    struct subject subject = {0};
    struct hook_log log = {0};
    gp_future *future = hooked_future_of(&subject, &log);
    check(gp_future_run_and_reset(future));
    check_int(log.calls, 0);
    check(gp_future_run(future));
    check_int(log.calls, 1);
    check_int(log.state, GP_NORMAL);
    gp_future_release(future);
}

/* Ownership: the destructor is called exactly once. */

static void run_through_its_task_uses_the_owner_up(void)
{
    struct subject subject = {.result = &answer};
    gp_future *future = future_of(&subject);
    gp_future *handle = gp_future_retain(future);
    check(gp_task_future(gp_future_task(future)) == future);
    gp_task_run(gp_future_task(future));
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
    check_int(gp_future_state_of(handle), GP_NORMAL);
    gp_future_release(handle);
    check_int(subject.destroyed, 1);
}

static void discarding_its_task_cancels_it(void)
{
    struct subject subject = {0};
    gp_future *handle = gp_future_retain(future_of(&subject));
    gp_task_discard(gp_future_task(handle));
    check_int(gp_future_state_of(handle), GP_CANCELLED);
    check_int(subject.runs, 0);
    check_int(subject.destroyed, 1);
    gp_future_release(handle);
    check_int(subject.destroyed, 1);
}

static void a_cancelled_task_that_leaves_its_queue_is_destroyed_without_running(void)
{
    struct subject subject = {0};
    gp_future *handle = gp_future_retain(future_of(&subject));
    gp_future_cancel(handle, false);
    check_int(subject.destroyed, 0); /* the owner still has it */
    gp_task_run(gp_future_task(handle));
    check_int(subject.runs, 0);
    check_int(subject.destroyed, 1);
    gp_future_release(handle);
    check_int(subject.destroyed, 1);
}

static void releasing_does_not_cancel_but_the_last_release_destroys(void)
{
    struct subject subject = {0};
    gp_future *future = future_of(&subject);
    gp_future_release(gp_future_retain(future));
    check_int(gp_future_state_of(future), GP_NEW);
    check_int(subject.destroyed, 0);
    gp_future_release(future);
    check_int(subject.destroyed, 1);
    check_int(subject.runs, 0);
    gp_future_release(NULL);
}

static void discard_through_task(struct subject *subject)
{
    gp_task_discard(gp_future_task(*(gp_future **)subject->context));
    subject->result = (void *)(intptr_t)atomic_load(&subject->destroyed);
}

static void a_task_discarded_while_it_runs_keeps_its_argument_until_it_returns(void)
{
    gp_future *future = NULL;
    struct subject subject = {.inside = discard_through_task, .context = &future};
    future = future_of(&subject);
    gp_future *handle = gp_future_retain(future);
    gp_future_run(handle);
    check(subject.result == NULL);
    check_int(subject.destroyed, 1);
    check_int(gp_future_state_of(handle), GP_CANCELLED);
    gp_future_release(handle);
    check_int(subject.destroyed, 1);
}

/* Bad input and faults. */

static void bad_arguments_are_refused_and_destroy_nothing(void)
{
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    gp_callable empty = {.argument = &subject, .destroy = callable.destroy};
    gp_callable both = {.call = callable.call, .run = callable.destroy};
    gp_future *future = NULL;
    struct hook_log log = {0};
    check_status(gp_future_new(NULL, &future), GP_EINVAL);
    check_status(gp_future_new(&empty, &future), GP_EINVAL);
    check_status(gp_future_new(&both, &future), GP_EINVAL);
    check_status(gp_future_new(&callable, NULL), GP_EINVAL);
    check_status(gp_future_new_hooked(NULL, log_done, &log, &future), GP_EINVAL);
    check_status(gp_future_new_hooked(&callable, NULL, &log, &future), GP_EINVAL);
    check_status(gp_future_new_hooked(&callable, log_done, &log, NULL), GP_EINVAL);
    check(future == NULL);
    check_int(subject.destroyed, 0);
}

static void without_memory_no_future_is_made_and_nothing_destroyed(void)
{
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    struct fault_walk plain = {.kinds = FAULT_ANY};
    struct fault_walk hooked = {.kinds = FAULT_ANY};
    while (fault_walk_next(&plain)) {
        gp_future *future = NULL;
        int status = gp_future_new(&callable, &future);
        check_status(status, fault_walk_hit(&plain) ? GP_ENOMEM : GP_OK);
        check_int(subject.destroyed, 0);
        gp_future_release(future);
    }
    subject.destroyed = 0;
    while (fault_walk_next(&hooked)) {
        gp_future *future = NULL;
        int status = gp_future_new_hooked(&callable, log_done, &(struct hook_log){0}, &future);
        check_status(status, fault_walk_hit(&hooked) ? GP_ENOMEM : GP_OK);
        check_int(subject.destroyed, 0);
        if (future != NULL)
            gp_task_discard(gp_future_task(future));
    }
    check_int(plain.point, 2);
    check_int(hooked.point, 2);
}

struct bare_call {
    gp_future *future;
    bool (*act)(gp_future *);
    bool acted;
    unsigned faults;
};

static void act_without_memory(void *argument)
{
    struct bare_call *call = argument;
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    call->acted = call->act(call->future);
    call->faults = fault_disarm();
}

static void check_ends_for_want_of_memory(bool (*act)(gp_future *), bool acted)
{
    struct subject subject = {0};
    struct bare_call call = {.future = future_of(&subject), .act = act};
    struct helper helper;
    gp_failure failure;
    helper_start_bare(&helper, act_without_memory, &call);
    helper_join(&helper);
    check(call.faults > 0);
    check_int(call.acted, acted);
    check_int(subject.runs, 0);
    check_int(gp_future_state_of(call.future), GP_EXCEPTIONAL);
    check_status(gp_future_failure(call.future, &failure), GP_OK);
    check_status(failure.code, GP_ENOMEM);
    gp_future_release(call.future);
    check_int(subject.destroyed, 1);
}

static void a_thread_that_cannot_get_a_record_fails_the_future_it_runs(void)
{
    check_ends_for_want_of_memory(gp_future_run, true);
    check_ends_for_want_of_memory(gp_future_run_and_reset, false);
}

static void run_elsewhere_without_memory(struct subject *subject)
{
    struct bare_call *call = subject->context;
    struct helper helper;
    helper_start_bare(&helper, act_without_memory, call);
    helper_join(&helper);
    subject->result = (void *)(intptr_t)gp_future_state_of(call->future);
}

/* [FUTURE-3] There would have been nothing for it to do. */
static void a_thread_that_cannot_get_a_record_leaves_alone_what_another_runs(void)
{
    struct bare_call call = {.act = gp_future_run};
    struct subject subject = {.inside = run_elsewhere_without_memory, .context = &call};
    void *result = &answer;
    call.future = future_of(&subject);
    check(gp_future_run(call.future));
    check(call.faults > 0);
    check(!call.acted);
    check_status(gp_future_get(call.future, &result), GP_OK);
    check_int((intptr_t)result, GP_NEW); /* the state afterwards */
    gp_future_release(call.future);
}

static void lose_to_the_owner(struct subject *subject)
{
    gp_task_run(subject->context); /* the owner's turn: it is being run already, so it is dropped */
}

/* [FUTURE-5] The owner has dropped it while somebody else ran it: that run is the last one. */
static void what_its_owner_has_dropped_does_not_run_again(void)
{
    struct subject subject = {.inside = lose_to_the_owner};
    gp_future *future = future_of(&subject);
    subject.context = gp_future_task(gp_future_retain(future));
    gp_future_run_and_reset(future);
    check_int(gp_future_state_of(future), GP_CANCELLED);
    check_int(subject.destroyed, 1);
    check(!gp_future_run_and_reset(future));
    check_int(subject.runs, 1);
    check_status(gp_future_get_timed(future, 0, NULL), GP_ECANCELLED);
    gp_future_release(future);
}

static const struct test tests[] = {
    TEST(a_new_future_is_new_and_neither_done_nor_cancelled),
    TEST(run_ends_normal_with_the_result_and_is_new_until_then),
    TEST(a_failing_callable_ends_exceptional_with_its_code),
    TEST(run_tells_whether_it_completed_the_future),
    TEST(set_ends_normal_without_running),
    TEST(fail_ends_exceptional_without_running),
    TEST(cancel_without_interrupt_ends_cancelled),
    TEST(cancel_with_interrupt_of_one_that_does_not_run_ends_interrupted),
    TEST(no_path_leads_out_of_a_final_state),
    TEST(each_state_has_its_name),
    TEST(a_running_future_cannot_be_run_again),
    TEST(run_and_reset_leaves_it_new_to_run_again),
    TEST(run_and_reset_that_fails_ends_exceptional),
    TEST(run_and_reset_of_one_cancelled_meanwhile_is_false),
    TEST(run_of_one_cancelled_meanwhile_drops_the_outcome),
    TEST(the_adapter_gives_its_result_when_the_function_returns),
    TEST(a_run_finds_its_thread_cancellable_as_its_caller_has_it),
    TEST(a_plain_function_cancelled_meanwhile_gives_no_result),
    TEST(two_runs_race_and_the_callable_runs_once),
    TEST(two_cancels_race_and_one_succeeds),
    TEST(the_done_hook_is_called_once_whatever_the_path),
    TEST(the_done_hook_waits_for_the_last_of_the_resetting_runs),
    TEST(run_through_its_task_uses_the_owner_up),
    TEST(discarding_its_task_cancels_it),
    TEST(a_cancelled_task_that_leaves_its_queue_is_destroyed_without_running),
    TEST(releasing_does_not_cancel_but_the_last_release_destroys),
    TEST(a_task_discarded_while_it_runs_keeps_its_argument_until_it_returns),
    TEST(bad_arguments_are_refused_and_destroy_nothing),
    TEST(without_memory_no_future_is_made_and_nothing_destroyed),
    TEST(a_thread_that_cannot_get_a_record_fails_the_future_it_runs),
    TEST(a_thread_that_cannot_get_a_record_leaves_alone_what_another_runs),
    TEST(what_its_owner_has_dropped_does_not_run_again),
    END_OF_TESTS,
};

const struct suite future_suite = {.name = "future", .tests = tests};
