/* Tasks: one owner, any number of references, and a destructor that is called exactly once. */
#include <pthread.h>

#include <glasspool/status.h>
#include <glasspool/task.h>

#include "future/task.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

/* The fates of a task. */

static void a_task_that_runs_is_destroyed_after_it(void)
{
    struct subject subject = {0};
    gp_task_run(task_of(&subject));
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
}

static void a_task_that_is_discarded_is_destroyed_without_running(void)
{
    struct subject subject = {0};
    gp_task_discard(task_of(&subject));
    check_int(subject.runs, 0);
    check_int(subject.destroyed, 1);
}

static void a_task_that_is_only_released_is_destroyed_too(void)
{
    struct subject subject = {0};
    gp_task_release(task_of(&subject));
    check_int(subject.runs, 0);
    check_int(subject.destroyed, 1);
}

static void a_delayed_task_shares_these_fates(void)
{
    struct subject subject = {0};
    gp_task_run(delayed_task_of(&subject, 0, 0));
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
    gp_task_discard(delayed_task_of(&subject, 0, 0));
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 2);
}

static void a_task_that_fails_is_destroyed_like_any_other(void)
{
    struct subject subject = {.code = 5};
    gp_task_run(task_of(&subject));
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
}

static void leave_the_thread(struct subject *subject)
{
    (void)subject;
    pthread_exit(NULL);
}

static void run_task(void *argument)
{
    gp_task_run(argument);
}

static void a_task_that_exits_its_thread_is_destroyed(void)
{
    struct subject subject = {.inside = leave_the_thread};
    run_in_helper(run_task, task_of(&subject));
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
}

static void note_destroyed(struct subject *subject)
{
    subject->result = (void *)(intptr_t)atomic_load(&subject->destroyed);
}

static void the_argument_is_there_while_the_task_runs(void)
{
    struct subject subject = {.inside = note_destroyed};
    gp_task_run(task_of(&subject));
    check(subject.result == NULL);
}

static void a_reference_keeps_the_memory_but_not_the_argument(void)
{
    struct subject subject = {0};
    gp_task *task = task_of(&subject);
    gp_task *reference = gp_task_retain(task);
    check(reference == task);
    gp_task_run(task);
    check_int(subject.destroyed, 1);
    check(gp_task_argument(reference) == &subject);
    gp_task_release(reference);
    check_int(subject.destroyed, 1);
}

/* What a task knows. */

static void a_plain_task_has_an_argument_but_no_future(void)
{
    struct subject subject = {0};
    gp_task *task = task_of(&subject);
    check(gp_task_argument(task) == &subject);
    check(gp_task_future(task) == NULL);
    check(!gp__task_is_delayed(task));
    gp_task_discard(task);
}

static void a_delayed_task_knows_its_time_and_sequence(void)
{
    struct subject subject = {0};
    gp_task *task = delayed_task_of(&subject, INT64_MIN, 77);
    check_int(gp_task_time(task), INT64_MIN);
    check_int(task->sequence, 77);
    gp__task_set_time(task, 12);
    check_int(gp_task_time(task), 12);
    gp_task_discard(task);
}

static void set_flag(void *argument)
{
    *(bool *)argument = true;
}

static void the_adapter_makes_a_callable_of_a_plain_function(void)
{
    static int result;
    bool called = false;
    gp_callable callable = gp_callable_of(set_flag, &called, &result);
    gp_task *task = NULL;
    check(callable.run == set_flag && callable.call == NULL);
    check(callable.argument == &called && callable.result == &result);
    check(callable.destroy == NULL);
    require_ok(gp_task_new(&callable, &task));
    gp_task_run(task);
    check(called);
}

/* Lists. */

enum {
    COUNT = 4
};

static gp_task_list list_of(struct subject *subjects)
{
    gp_task_list list = {0};
    for (int i = 0; i < COUNT; i++)
        gp__task_list_append(&list, task_of(&subjects[i]));
    check_int(list.count, COUNT);
    return list;
}

static void a_list_gives_its_tasks_back_first_to_last(void)
{
    struct subject subjects[COUNT] = {0};
    gp_task_list list = list_of(subjects);
    for (int i = 0; i < COUNT; i++) {
        gp_task *task = gp_task_list_pop(&list);
        check(gp_task_argument(task) == &subjects[i]);
        check_int(list.count, COUNT - 1 - i);
        gp_task_run(task);
    }
    check(gp_task_list_pop(&list) == NULL);
    check(list.first == NULL && list.last == NULL);
    for (int i = 0; i < COUNT; i++)
        check_int(subjects[i].destroyed, 1);
}

static void a_list_is_discarded_as_a_whole(void)
{
    struct subject subjects[COUNT] = {0};
    gp_task_list list = list_of(subjects);
    gp_task_discard(gp_task_list_pop(&list));
    gp_task_list_discard(&list);
    gp_task_list_discard(&list); /* empty now */
    check_int(list.count, 0);
    for (int i = 0; i < COUNT; i++) {
        check_int(subjects[i].destroyed, 1);
        check_int(subjects[i].runs, 0);
    }
}

static void a_task_can_leave_a_list_from_anywhere(void)
{
    for (int victim = 0; victim < COUNT; victim++) {
        struct subject subjects[COUNT] = {0};
        struct subject later = {0};
        gp_task_list list = list_of(subjects);
        gp_task *task = list.first;
        for (int i = 0; i < victim; i++)
            task = task->next;
        check(gp__task_list_remove(&list, task));
        check(!gp__task_list_remove(&list, task));
        check_int(list.count, COUNT - 1);
        gp__task_list_append(&list, task_of(&later)); /* the end of the list is still its end */
        check_int(list.count, COUNT);
        check(gp_task_argument(list.last) == &later);
        gp_task_list_discard(&list);
        check_int(later.destroyed, 1);
        check_int(subjects[victim].destroyed, 0);
        gp_task_discard(task);
    }
}

static void the_only_task_can_leave_a_list(void)
{
    struct subject subject = {0};
    gp_task *task = task_of(&subject);
    gp_task_list list = {0};
    gp__task_list_append(&list, task);
    check(gp__task_list_remove(&list, task));
    check(list.first == NULL && list.last == NULL && list.count == 0);
    gp_task_discard(task);
}

static void lists_can_be_joined(void)
{
    struct subject subjects[2 * COUNT] = {0};
    gp_task_list all = {0};
    gp_task_list first = list_of(subjects);
    gp_task_list second = list_of(subjects + COUNT);
    gp_task_list empty = {0};
    gp__task_list_splice(&all, &first);
    gp__task_list_splice(&all, &empty);
    gp__task_list_splice(&all, &second);
    check(first.first == NULL && second.first == NULL && second.count == 0);
    check_int(all.count, 2 * COUNT);
    for (int i = 0; i < 2 * COUNT; i++) {
        gp_task *task = gp_task_list_pop(&all);
        check(gp_task_argument(task) == &subjects[i]);
        gp_task_discard(task);
    }
}

/* Failures. */

static int payload;
static _Atomic int payload_destroyed;

static void destroy_payload(void *argument)
{
    atomic_fetch_add(&payload_destroyed, argument == &payload ? 1 : 1000);
}

static int fail_richly(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return gp_fail(&(gp_failure){
        .code = 3, .message = "three", .payload = &payload, .destroy_payload = destroy_payload});
}

static void gp_fail_returns_its_code_and_never_zero(void)
{
    check_int(gp_fail(&(gp_failure){.code = 12}), 12);
    check_int(gp_fail(&(gp_failure){.code = GP_ETIMEDOUT}), GP_ETIMEDOUT);
    check_int(gp_fail(&(gp_failure){.code = 0}), GP_EFAILED);
}

static void nobody_asks_a_task_without_a_future_so_its_payload_is_destroyed(void)
{
    gp_callable callable = {.call = fail_richly};
    gp_task *task = NULL;
    payload_destroyed = 0;
    require_ok(gp_task_new(&callable, &task));
    gp_task_run(task);
    check_int(payload_destroyed, 1);
}

static void fail_at_the_end_of_the_thread(void *argument)
{
    fail_richly(argument, NULL);
}

static void a_failure_that_nobody_collects_goes_with_its_thread(void)
{
    payload_destroyed = 0;
    run_in_helper(fail_at_the_end_of_the_thread, NULL);
    check_int(payload_destroyed, 1);
}

static void fail_without_memory(void *argument)
{
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    *(int *)argument = fail_richly(NULL, NULL);
    fault_disarm();
}

static void without_memory_gp_fail_keeps_the_code_and_destroys_the_payload(void)
{
    int code = 0;
    struct helper helper;
    payload_destroyed = 0;
    helper_start_bare(&helper, fail_without_memory, &code);
    helper_join(&helper);
    check_int(code, 3);
    check_int(payload_destroyed, 1);
}

/* Bad input and faults. */

static void bad_callables_are_refused_and_nothing_is_destroyed(void)
{
    struct subject subject = {0};
    gp_callable good = callable_of(&subject);
    gp_callable empty = {.argument = &subject, .destroy = good.destroy};
    gp_callable both = {.call = good.call, .run = set_flag, .destroy = good.destroy};
    gp_task *task = NULL;
    check_status(gp_task_new(NULL, &task), GP_EINVAL);
    check_status(gp_task_new(&empty, &task), GP_EINVAL);
    check_status(gp_task_new(&both, &task), GP_EINVAL);
    check_status(gp_task_new(&good, NULL), GP_EINVAL);
    check_status(gp_task_new_delayed(&empty, 0, 0, &task), GP_EINVAL);
    check_status(gp_task_new_delayed(&good, 0, 0, NULL), GP_EINVAL);
    check(task == NULL);
    check_int(subject.destroyed, 0);
}

static void without_memory_no_task_is_made_and_nothing_is_destroyed(void)
{
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    gp_task *task = NULL;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int plain = gp_task_new(&callable, &task);
    int delayed = gp_task_new_delayed(&callable, 0, 0, &task);
    check_int(fault_disarm(), 2);
    check_status(plain, GP_ENOMEM);
    check_status(delayed, GP_ENOMEM);
    check(task == NULL);
    check_int(subject.destroyed, 0);
}

static void a_task_costs_one_allocation(void)
{
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    gp_task *task = NULL;
    fault_arm(FAULT_MEMORY, UINT32_MAX, FAULT_THIS_THREAD); /* counts only */
    require_ok(gp_task_new_delayed(&callable, 0, 0, &task));
    gp_task_run(task);
    fault_disarm();
    check_int(fault_calls(), 1);
}

static const struct test tests[] = {
    TEST(a_task_that_runs_is_destroyed_after_it),
    TEST(a_task_that_is_discarded_is_destroyed_without_running),
    TEST(a_task_that_is_only_released_is_destroyed_too),
    TEST(a_delayed_task_shares_these_fates),
    TEST(a_task_that_fails_is_destroyed_like_any_other),
    TEST(a_task_that_exits_its_thread_is_destroyed),
    TEST(the_argument_is_there_while_the_task_runs),
    TEST(a_reference_keeps_the_memory_but_not_the_argument),
    TEST(a_plain_task_has_an_argument_but_no_future),
    TEST(a_delayed_task_knows_its_time_and_sequence),
    TEST(the_adapter_makes_a_callable_of_a_plain_function),
    TEST(a_list_gives_its_tasks_back_first_to_last),
    TEST(a_list_is_discarded_as_a_whole),
    TEST(a_task_can_leave_a_list_from_anywhere),
    TEST(the_only_task_can_leave_a_list),
    TEST(lists_can_be_joined),
    TEST(gp_fail_returns_its_code_and_never_zero),
    TEST(nobody_asks_a_task_without_a_future_so_its_payload_is_destroyed),
    TEST(a_failure_that_nobody_collects_goes_with_its_thread),
    TEST(without_memory_gp_fail_keeps_the_code_and_destroys_the_payload),
    TEST(bad_callables_are_refused_and_nothing_is_destroyed),
    TEST(without_memory_no_task_is_made_and_nothing_is_destroyed),
    TEST(a_task_costs_one_allocation),
    END_OF_TESTS,
};

const struct suite task_suite = {.name = "task", .tests = tests};
