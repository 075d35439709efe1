/*
 * Many at once: invoke_all and invoke_any, in time and late, interrupted, failing, rejected in the
 * middle. Whatever happens, each argument is destroyed once or still the caller's.
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define COUNT 4

/* Jobs for one call. */
struct batch {
    gp_pool *pool;
    struct job jobs[COUNT];
    gp_callable callables[COUNT];
    gp_future *futures[COUNT];
    int64_t nanos;
    int status;
    void *result;
};

static void batch_init(struct batch *batch, gp_pool *pool)
{
    *batch = (struct batch){.pool = pool, .nanos = GP_FOREVER};
    for (int i = 0; i < COUNT; i++) {
        job_init(&batch->jobs[i]);
        batch->jobs[i].subject.result = &batch->jobs[i];
        batch->callables[i] = job_callable(&batch->jobs[i]);
    }
}

static void invoke_all(void *argument)
{
    struct batch *batch = argument;
    batch->status =
        gp_pool_invoke_all(batch->pool, batch->callables, COUNT, batch->nanos, batch->futures);
}

static void invoke_any(void *argument)
{
    struct batch *batch = argument;
    batch->status =
        gp_pool_invoke_any(batch->pool, batch->callables, COUNT, batch->nanos, &batch->result);
}

static void check_all_destroyed(struct batch *batch, int times)
{
    for (int i = 0; i < COUNT; i++)
        check_int(batch->jobs[i].subject.destroyed, times);
}

static void let_all_go(struct batch *batch)
{
    for (int i = 0; i < COUNT; i++)
        job_let_go(&batch->jobs[i]);
}

static void release_all(struct batch *batch)
{
    for (int i = 0; i < COUNT; i++)
        gp_future_release(batch->futures[i]);
}

/* invoke_all. */

static void invoke_all_returns_when_all_are_done(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(2, 2, NULL));
    batch.jobs[1].subject.code = 5; /* a failure is an outcome like any other */
    invoke_all(&batch);
    check_status(batch.status, GP_OK);
    for (int i = 0; i < COUNT; i++) {
        check(gp_future_is_done(batch.futures[i]));
        check_int(batch.jobs[i].subject.runs, 1);
        check_status(gp_future_get(batch.futures[i], NULL), i == 1 ? GP_EFAILED : GP_OK);
    }
    release_all(&batch);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void invoke_all_in_time_has_all_results(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, NULL));
    batch.nanos = long_enough();
    invoke_all(&batch);
    check_status(batch.status, GP_OK);
    for (int i = 0; i < COUNT; i++)
        future_end(batch.futures[i], GP_OK);
    pool_end(batch.pool);
}

static void when_time_is_up_invoke_all_cancels_what_is_not_done(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, NULL));
    batch.nanos = GP_MILLISECONDS(20);
    for (int i = 1; i < COUNT; i++)
        batch.jobs[i].holds = true; /* whichever is interrupted, it does not end before the call */
    int64_t start = gp_now();
    invoke_all(&batch);
    check(gp_now() - start >= GP_MILLISECONDS(20));
    check_status(batch.status, GP_ETIMEDOUT);
    for (int i = 0; i < COUNT; i++)
        check(gp_future_is_done(batch.futures[i]));
    for (int i = 1; i < COUNT; i++)
        check(gp_future_is_cancelled(batch.futures[i]));
    release_all(&batch);
    let_all_go(&batch);
    pool_end(batch.pool);
    for (int i = 1; i < COUNT; i++)
        check_int(batch.jobs[i].interrupted, batch.jobs[i].subject.runs); /* none, or the running */
    check_all_destroyed(&batch, 1);
}

static void without_any_time_invoke_all_still_hands_out_futures(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, NULL));
    batch.nanos = 0;
    batch.jobs[0].action = sleep_until_interrupted;
    invoke_all(&batch);
    check_status(batch.status, GP_ETIMEDOUT);
    release_all(&batch);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void an_interrupted_invoke_all_cancels_everything(void)
{
    struct batch batch;
    struct helper helper;
    batch_init(&batch, pool_with(1, 1, NULL));
    batch.jobs[0].action = sleep_until_interrupted;
    helper_start(&helper, invoke_all, &batch);
    latch_await(&batch.jobs[0].begun);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(batch.status, GP_EINTERRUPTED);
    check(batch.futures[0] == NULL);
    pool_end(batch.pool);
    check_status(batch.jobs[0].status, GP_EINTERRUPTED);
    check_all_destroyed(&batch, 1);
}

static void check_invoke_all_rejected(struct batch *batch)
{
    check_status(batch->status, GP_EREJECTED);
    check(batch->futures[0] == NULL);
    let_all_go(batch);
    pool_end(batch->pool);
    check_all_destroyed(batch, 1);
    check_int(batch->jobs[COUNT - 1].subject.runs, 0);
}

static void when_the_pool_rejects_one_invoke_all_gives_up_all(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, linked_of(1)));
    batch.jobs[0].action = sleep_until_interrupted;
    invoke_all(&batch); /* the third or fourth finds no room */
    check_invoke_all_rejected(&batch);
    batch_init(&batch, pool_with(1, 1, NULL));
    gp_pool_shutdown(batch.pool);
    invoke_all(&batch);
    check_invoke_all_rejected(&batch);
    check_int(batch.jobs[0].subject.runs, 0);
}

/* Refuses it, and there is room for the next one. */
static int refuse_and_make_room(void *context, gp_pool *pool, gp_task *task)
{
    (void)context;
    gp_task_discard(task);
    check_status(gp_pool_set_maximum_size(pool, COUNT), GP_OK);
    return GP_EREJECTED;
}

static void after_the_first_that_is_rejected_invoke_gives_the_pool_nothing_more(void)
{
    static void (*const calls[])(void *) = {invoke_all, invoke_any};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        gp_pool_config config = config_with(1, 1, synchronous());
        struct batch batch;
        config.rejection.reject = refuse_and_make_room;
        batch_init(&batch, pool_of(&config));
        batch.jobs[0].action = sleep_until_interrupted;
        batch.nanos = GP_MILLISECONDS(20);
        calls[i](&batch);
        check_status(batch.status, GP_EREJECTED);
        pool_end(batch.pool);
        check_all_destroyed(&batch, 1);
        for (int j = 1; j < COUNT; j++)
            check_int(batch.jobs[j].subject.runs, 0);
    }
}

/* With all that it held: the sanitizers and memcheck would see a leak. */
static void when_a_task_ends_the_callers_thread_the_call_ends_too(void)
{
    static void (*const calls[])(void *) = {invoke_all, invoke_any};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct saturated saturated;
        struct batch batch;
        saturate(&saturated, (gp_rejection){.reject = gp_reject_caller_runs});
        batch_init(&batch, saturated.pool);
        batch.jobs[1].action = leave_by_exit;
        run_in_helper(calls[i], &batch);
        saturated_end(&saturated);
        check_all_destroyed(&batch, 1);
        check_int(batch.jobs[COUNT - 1].subject.runs, 0);
    }
}

static void a_discarding_policy_leaves_invoke_all_with_cancelled_futures(void)
{
    gp_pool_config config = config_with(1, 1, linked_of(1));
    struct batch batch;
    config.rejection.reject = gp_reject_discard;
    batch_init(&batch, pool_of(&config));
    gp_pool_shutdown(batch.pool);
    invoke_all(&batch);
    check_status(batch.status, GP_OK);
    for (int i = 0; i < COUNT; i++)
        future_end(batch.futures[i], GP_ECANCELLED);
    check_all_destroyed(&batch, 1);
    pool_end(batch.pool);
}

static void invoke_refuses_what_makes_no_sense(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, NULL));
    gp_callable *callables = batch.callables;
    check_status(gp_pool_invoke_all(NULL, callables, COUNT, 0, batch.futures), GP_EINVAL);
    check_status(gp_pool_invoke_all(batch.pool, NULL, COUNT, 0, batch.futures), GP_EINVAL);
    check_status(gp_pool_invoke_all(batch.pool, callables, 0, 0, batch.futures), GP_EINVAL);
    check_status(gp_pool_invoke_all(batch.pool, callables, COUNT, 0, NULL), GP_EINVAL);
    check_status(gp_pool_invoke_any(NULL, callables, COUNT, 0, NULL), GP_EINVAL);
    check_status(gp_pool_invoke_any(batch.pool, NULL, COUNT, 0, NULL), GP_EINVAL);
    check_status(gp_pool_invoke_any(batch.pool, callables, 0, 0, NULL), GP_EINVAL);
    callables[COUNT - 1] = (gp_callable){0};
    check_status(gp_pool_invoke_all(batch.pool, callables, COUNT, 0, batch.futures), GP_EINVAL);
    check_status(gp_pool_invoke_any(batch.pool, callables, COUNT, 0, NULL), GP_EINVAL);
    check_all_destroyed(&batch, 0);
    pool_end(batch.pool);
}

/* invoke_any. */

static void invoke_any_gives_the_result_of_one_and_cancels_the_rest(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(COUNT, COUNT, NULL));
    for (int i = 0; i < COUNT; i++)
        if (i != 2)
            batch.jobs[i].action = sleep_until_interrupted;
    invoke_any(&batch);
    check_status(batch.status, GP_OK);
    check(batch.result == &batch.jobs[2]);
    pool_end(batch.pool); /* which it does: nobody sleeps on */
    check_all_destroyed(&batch, 1);
}

static void invoke_any_passes_over_those_that_fail(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, NULL));
    batch.jobs[0].subject.code = 1;
    batch.jobs[1].action = leave_by_exit;
    invoke_any(&batch);
    check_status(batch.status, GP_OK);
    check(batch.result == &batch.jobs[2] || batch.result == &batch.jobs[3]);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void invoke_any_fails_if_all_fail(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(2, 2, NULL));
    for (int i = 0; i < COUNT; i++)
        batch.jobs[i].subject.code = i + 1;
    invoke_any(&batch);
    check_status(batch.status, GP_EFAILED);
    check(batch.result == NULL);
    check_int(batch.jobs[COUNT - 1].subject.runs, 1);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void invoke_any_does_without_a_place_for_the_result(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, NULL));
    check_status(gp_pool_invoke_any(batch.pool, batch.callables, COUNT, GP_FOREVER, NULL), GP_OK);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void when_time_is_up_invoke_any_cancels_all(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(2, 2, NULL));
    batch.nanos = GP_MILLISECONDS(10);
    for (int i = 0; i < COUNT; i++)
        batch.jobs[i].action = sleep_until_interrupted;
    int64_t start = gp_now();
    invoke_any(&batch);
    check(gp_now() - start >= GP_MILLISECONDS(10));
    check_status(batch.status, GP_ETIMEDOUT);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void an_interrupted_invoke_any_cancels_all(void)
{
    struct batch batch;
    struct helper helper;
    batch_init(&batch, pool_with(1, 1, NULL));
    for (int i = 0; i < COUNT; i++)
        batch.jobs[i].action = sleep_until_interrupted;
    helper_start(&helper, invoke_any, &batch);
    latch_await(&batch.jobs[0].begun);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(batch.status, GP_EINTERRUPTED);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

static void when_the_pool_rejects_one_invoke_any_gives_up_all(void)
{
    struct batch batch;
    batch_init(&batch, pool_with(1, 1, linked_of(1)));
    batch.jobs[0].action = sleep_until_interrupted;
    invoke_any(&batch);
    check_status(batch.status, GP_EREJECTED);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
    batch_init(&batch, pool_with(1, 1, NULL));
    gp_pool_shutdown(batch.pool);
    invoke_any(&batch);
    check_status(batch.status, GP_EREJECTED);
    pool_end(batch.pool);
    check_all_destroyed(&batch, 1);
}

/* Losers may still report when the call has returned. */
static void invoke_any_is_sound_whoever_wins(void)
{
    gp_pool *pool = pool_with(3, 3, NULL);
    for (unsigned round = 0; round < scaled(400); round++) {
        struct subject subject = {.result = pool};
        gp_callable callables[COUNT];
        void *result = NULL;
        for (int i = 0; i < COUNT; i++)
            callables[i] = callable_of(&subject);
        check_status(gp_pool_invoke_any(pool, callables, COUNT, GP_FOREVER, &result), GP_OK);
        check(result == pool);
        check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
        check_int(subject.destroyed, COUNT);
    }
    pool_end(pool);
}

/* When no thread is to be had. */

static int refuse_with(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    (void)run;
    (void)argument;
    (void)out;
    return *(int *)context;
}

/* The header: GP_EINVAL and GP_ENOMEM leave all arguments, any other failure uses all of them. */
static void check_without_threads(int code, void (*invoke)(void *))
{
    gp_pool_config config = config_with(0, 1, synchronous());
    struct batch batch;
    config.factory = (gp_thread_factory){.create = refuse_with, .context = &code};
    batch_init(&batch, pool_of(&config));
    invoke(&batch);
    check(batch.status != GP_OK);
    bool untouched = batch.status == GP_EINVAL || batch.status == GP_ENOMEM;
    check_all_destroyed(&batch, untouched ? 0 : 1);
    pool_end(batch.pool);
}

static void what_invoke_says_without_threads_tells_whose_the_arguments_are(void)
{
    static const int codes[] = {GP_EAGAIN, GP_ENOMEM, GP_EINVAL, GP_EREJECTED, 11};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        check_without_threads(codes[i], invoke_all);
        check_without_threads(codes[i], invoke_any);
    }
}

static const struct test tests[] = {
    TEST(invoke_all_returns_when_all_are_done),
    TEST(invoke_all_in_time_has_all_results),
    TEST(when_time_is_up_invoke_all_cancels_what_is_not_done),
    TEST(without_any_time_invoke_all_still_hands_out_futures),
    TEST(an_interrupted_invoke_all_cancels_everything),
    TEST(when_the_pool_rejects_one_invoke_all_gives_up_all),
    TEST(after_the_first_that_is_rejected_invoke_gives_the_pool_nothing_more),
    TEST(when_a_task_ends_the_callers_thread_the_call_ends_too),
    TEST(a_discarding_policy_leaves_invoke_all_with_cancelled_futures),
    TEST(invoke_refuses_what_makes_no_sense),
    TEST(invoke_any_gives_the_result_of_one_and_cancels_the_rest),
    TEST(invoke_any_passes_over_those_that_fail),
    TEST(invoke_any_fails_if_all_fail),
    TEST(invoke_any_does_without_a_place_for_the_result),
    TEST(when_time_is_up_invoke_any_cancels_all),
    TEST(an_interrupted_invoke_any_cancels_all),
    TEST(when_the_pool_rejects_one_invoke_any_gives_up_all),
    TEST(invoke_any_is_sound_whoever_wins),
    TEST(what_invoke_says_without_threads_tells_whose_the_arguments_are),
    END_OF_TESTS,
};

const struct suite pool_invoke_suite = {.name = "pool_invoke", .tests = tests};
