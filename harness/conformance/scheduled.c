/*
 * The scheduled pool: tasks that run once, later; who comes first; absurd times; what futures of
 * scheduled tasks tell.
 */
#include <stdatomic.h>
#include <time.h>

#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "scheduled/scheduled.h"

#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

/* Once. */

static void a_task_is_run_once_and_never_early(void)
{
    static int answer;
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    void *result = NULL;
    job_init(&job);
    job.subject.result = &answer;
    int64_t start = gp_now();
    gp_future *future = job_schedule(scheduled, &job, GP_MILLISECONDS(10));
    check_status(gp_future_get(future, &result), GP_OK);
    check(job.began_at - start >= GP_MILLISECONDS(10));
    check(result == &answer);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
}

static void a_plain_function_gives_the_result_that_came_with_it(void)
{
    static int answer;
    gp_scheduled *scheduled = scheduled_with(1);
    gp_callable callable = gp_callable_of(run_nothing, NULL, &answer);
    gp_future *future = NULL;
    void *result = NULL;
    check_status(gp_schedule(scheduled, &callable, 1, &future), GP_OK);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void a_task_that_fails_tells_how(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job failing;
    struct job leaving;
    job_init(&failing);
    failing.subject.code = 42;
    job_init_acting(&leaving, leave_by_exit, NULL);
    gp_future *first = job_schedule(scheduled, &failing, 0);
    gp_future *second = job_schedule(scheduled, &leaving, 0);
    check_status(gp_future_get(first, NULL), GP_EFAILED);
    check_status(gp_future_get(second, NULL), GP_EFAILED);
    check_int(future_failure_code(first), 42);
    check_int(future_failure_code(second), GP_EABRUPT);
    gp_future_release(first);
    gp_future_release(second);
    scheduled_end(scheduled);
    check_int(failing.subject.destroyed, 1);
    check_int(leaving.subject.destroyed, 1);
}

static void a_task_without_a_handle_is_run(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    check_status(gp_schedule(scheduled, &callable, GP_MILLISECONDS(1), NULL), GP_OK);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
}

/* Functions without a destructor. What is due at once, and of which nobody has a handle, needs no
   task [LANE-7], if a worker is there; all else does. */

static gp_scheduled *attended(gp_pool_hooks hooks)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.hooks = hooks;
    gp_scheduled *scheduled = scheduled_of(&config);
    gp_pool_prestart_all_core(gp_scheduled_pool(scheduled));
    return scheduled;
}

static void count_down(void *latch)
{
    latch_count_down(latch);
}

static int call_down(void *latch, void **result)
{
    *result = NULL;
    latch_count_down(latch);
    return 0;
}

static atomic_int bare_runs;

static void run_bare(void *nothing)
{
    bare_runs += nothing == NULL;
}

static void a_function_without_a_handle_is_run_at_once(void)
{
    gp_scheduled *scheduled = attended((gp_pool_hooks){0});
    struct latch ran;
    latch_init(&ran, 2);
    bare_runs = 0;
    const gp_callable callables[] = {gp_callable_of(run_bare, NULL, NULL),
                                     gp_callable_of(count_down, &ran, NULL),
                                     {.call = call_down, .argument = &ran}};
    for (size_t i = 0; i < sizeof callables / sizeof *callables; i++)
        check_status(gp_schedule(scheduled, &callables[i], 0, NULL), GP_OK);
    latch_await(&ran);
    scheduled_end(scheduled);
    check_int(bare_runs, 1);
}

static void a_function_that_is_due_at_once_may_have_a_handle(void)
{
    static int answer;
    gp_scheduled *scheduled = attended((gp_pool_hooks){0});
    gp_callable callable = gp_callable_of(run_nothing, NULL, &answer);
    gp_future *future = NULL;
    void *result = NULL;
    check_status(gp_schedule(scheduled, &callable, 0, &future), GP_OK);
    check_status(gp_future_get(future, &result), GP_OK);
    check(result == &answer);
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void a_function_for_later_is_not_run_at_once(void)
{
    gp_scheduled *scheduled = attended((gp_pool_hooks){0});
    struct latch ran[2];
    for (int i = 0; i < 2; i++) {
        latch_init(&ran[i], 1);
        gp_callable callable = gp_callable_of(count_down, &ran[i], NULL);
        check_status(gp_schedule(scheduled, &callable, i == 0 ? HOUR : 0, NULL), GP_OK);
    }
    latch_await(&ran[1]);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 1);
    scheduled_end_now(scheduled);
    check_int(ran[0].count, 1);
}

static void a_function_can_be_run_again_and_again(void)
{
    gp_scheduled *scheduled = attended((gp_pool_hooks){0});
    gp_future *future = NULL;
    struct latch ran[2];
    gp_callable callables[2];
    for (int i = 0; i < 2; i++) {
        latch_init(&ran[i], 3);
        callables[i] = gp_callable_of(count_down, &ran[i], NULL);
    }
    check_status(gp_schedule_at_fixed_rate(scheduled, &callables[0], 0, 1000, NULL), GP_OK);
    check_status(gp_schedule_at_fixed_rate(scheduled, &callables[1], 0, 1000, &future), GP_OK);
    latch_await(&ran[0]);
    latch_await(&ran[1]);
    scheduled_end_now(scheduled);
    gp_future_release(future);
}

static void count_task(void *tasks, gp_task *task)
{
    *(int *)tasks += task != NULL;
}

static void count_task_afterwards(void *tasks, gp_task *task, int status)
{
    *(int *)tasks += task != NULL && status == GP_OK;
}

static void a_function_that_a_hook_is_to_see_is_a_task(void)
{
    int tasks = 0;
    const gp_pool_hooks hooks[] = {{.before_execute = count_task, .context = &tasks},
                                   {.after_execute = count_task_afterwards, .context = &tasks}};
    const gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        gp_scheduled *scheduled = attended(hooks[i]);
        check_status(gp_schedule(scheduled, &callable, 0, NULL), GP_OK);
        scheduled_end(scheduled);
        check_int(tasks, i + 1);
    }
}

static void a_delay_below_zero_counts_as_zero(void)
{
    static const int64_t delays[] = {0, -1, -HOUR, INT64_MIN};
    gp_scheduled *scheduled = scheduled_with(1);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        struct job job;
        job_init_holding(&job);
        gp_future *future = job_schedule(scheduled, &job, delays[i]);
        check(delay_of(future) <= 0);
        check(delay_of(future) > -HOUR);
        job_let_go(&job);
        future_end(future, GP_OK);
        job_await_end(&job);
    }
    scheduled_end(scheduled);
}

static void what_makes_no_sense_is_refused_and_left_alone(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init(&job);
    gp_callable good = job_callable(&job);
    gp_callable neither = {.argument = &job.subject, .destroy = good.destroy};
    gp_future *future = NULL;
    check_status(gp_schedule(NULL, &good, 0, &future), GP_EINVAL);
    check_status(gp_schedule(scheduled, NULL, 0, &future), GP_EINVAL);
    check_status(gp_schedule(scheduled, &neither, 0, &future), GP_EINVAL);
    check_status(gp_schedule_at_fixed_rate(scheduled, &good, 0, 0, &future), GP_EINVAL);
    check_status(gp_schedule_at_fixed_rate(scheduled, &good, 0, -1, &future), GP_EINVAL);
    check_status(gp_schedule_at_fixed_rate(NULL, &good, 0, 1, &future), GP_EINVAL);
    check_status(gp_schedule_with_fixed_delay(scheduled, &good, 0, 0, &future), GP_EINVAL);
    check_status(gp_schedule_with_fixed_delay(scheduled, &good, 0, INT64_MIN, &future), GP_EINVAL);
    check_status(gp_schedule_with_fixed_delay(scheduled, NULL, 0, 1, &future), GP_EINVAL);
    check(future == NULL);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 0);
    check_int(job.subject.destroyed, 0);
    scheduled_end(scheduled);
}

static void a_configuration_that_makes_no_sense_is_refused(void)
{
    gp_scheduled *scheduled = NULL;
    gp_scheduled_config good = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled_config bad[4] = {good, good, good, good};
    bad[0].core_size = -1;
    bad[1].keep_alive = -1;
    bad[2].core_timeout = true;
    bad[2].keep_alive = 0;
    bad[3].thread.nice = 100;
    for (int i = 0; i < 4; i++)
        check_status(gp_scheduled_new(&bad[i], &scheduled), GP_EINVAL);
    check_status(gp_scheduled_new(NULL, &scheduled), GP_EINVAL);
    check_status(gp_scheduled_new(&good, NULL), GP_EINVAL);
    check(scheduled == NULL);
    check_status(gp_scheduled_close(NULL), GP_OK);
}

static void close_waits_for_delayed_tasks(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, GP_MILLISECONDS(5));
    check_status(gp_scheduled_close(scheduled), GP_OK);
    future_end(future, GP_OK);
    check_int(job.subject.runs, 1);
}

/* Who comes first. */

struct order {
    int next; /* written by a single worker */
    int seen[8];
};

static void note_order(struct job *job)
{
    struct order *order = job->context;
    order->seen[order->next++] = job->status;
}

/* Which is due first; it is crossed out. */
static int first_due(int64_t *due, int count)
{
    int first = 0;
    for (int i = 1; i < count; i++)
        if (due[i] < due[first])
            first = i;
    due[first] = INT64_MAX;
    return first;
}

/*
 * Holds the only worker while tasks are scheduled with these delays. When they are due depends on
 * how long that takes, so they are asked.
 */
static void check_order(const int64_t *delays, int count)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct order order = {0};
    struct job holding;
    struct job jobs[8];
    int64_t due[8];
    job_init_holding(&holding);
    gp_future_release(job_schedule(scheduled, &holding, 0));
    latch_await(&holding.begun);
    for (int i = 0; i < count; i++) {
        job_init_acting(&jobs[i], note_order, NULL);
        jobs[i].context = &order;
        jobs[i].status = i;
        gp_future *future = job_schedule(scheduled, &jobs[i], delays[i]);
        due[i] = gp_task_time(gp_future_task(future));
        gp_future_release(future);
    }
    check_int(gp_pool_check(gp_scheduled_pool(scheduled)), 0);
    job_let_go(&holding);
    scheduled_end(scheduled);
    for (int i = 0; i < count; i++)
        check_int(order.seen[i], first_due(due, count));
}

static void the_earliest_comes_first(void)
{
    static const int64_t delays[] = {GP_MILLISECONDS(12), GP_MILLISECONDS(4), 0,
                                     GP_MILLISECONDS(8)};
    check_order(delays, 4);
}

static void among_equals_the_first_come_is_first(void)
{
    static const int64_t delays[8];
    check_order(delays, 8);
}

static void an_earlier_task_wakes_a_worker_that_waits_for_a_later_one(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job late;
    struct job early;
    job_init(&late);
    job_init(&early);
    gp_future *first = job_schedule(scheduled, &late, HOUR);
    check(await_idle(gp_scheduled_pool(scheduled), 1));
    gp_future *second = job_schedule(scheduled, &early, GP_MILLISECONDS(1));
    future_end(second, GP_OK);
    check(!gp_future_is_done(first));
    gp_future_release(first);
    scheduled_end_now(scheduled);
    check_int(late.subject.runs, 0);
    check_int(late.subject.destroyed, 1);
}

static void due_tasks_run_side_by_side_on_several_workers(void)
{
    gp_scheduled *scheduled = scheduled_with(3);
    struct job jobs[3];
    for (int i = 0; i < 3; i++) {
        job_init_holding(&jobs[i]);
        gp_future_release(job_schedule(scheduled, &jobs[i], GP_MILLISECONDS(1)));
    }
    for (int i = 0; i < 3; i++)
        latch_await(&jobs[i].begun); /* all of them inside */
    for (int i = 0; i < 3; i++)
        job_let_go(&jobs[i]);
    scheduled_end(scheduled);
}

/* Absurd times: JDK-6725789. */

static void a_huge_delay_stays_behind_an_overdue_head(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job holding;
    struct job overdue;
    struct job huge[3];
    gp_future *futures[3];
    job_init_holding(&holding);
    job_init(&overdue);
    gp_future_release(job_schedule(scheduled, &holding, 0));
    latch_await(&holding.begun);
    gp_future *head = job_schedule(scheduled, &overdue, 0);
    while (delay_of(head) >= 0)
        continue;
    for (int i = 0; i < 3; i++) {
        job_init(&huge[i]);
        futures[i] = job_schedule(scheduled, &huge[i], INT64_MAX - i);
        check(delay_of(futures[i]) > INT64_MAX / 4);
        check(gp_scheduled_compare(head, futures[i]) < 0);
        check(gp_scheduled_compare(futures[i], head) > 0);
        check_int(gp_pool_check(gp_scheduled_pool(scheduled)), 0);
    }
    job_let_go(&holding);
    future_end(head, GP_OK);
    for (int i = 0; i < 3; i++) {
        check(!gp_future_is_done(futures[i]));
        gp_future_release(futures[i]);
    }
    scheduled_end_now(scheduled);
}

static void a_huge_delay_in_an_empty_queue_is_waited_for(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job huge;
    struct job job;
    job_init(&huge);
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &huge, INT64_MAX);
    check(await_idle(gp_scheduled_pool(scheduled), 1));
    job_run(gp_scheduled_pool(scheduled), &job);
    check(!gp_future_is_done(future));
    gp_future_release(future);
    scheduled_end_now(scheduled);
    check_int(huge.subject.runs, 0);
}

/* Core size 0: JDK-7091003, JDK-8065320, JDK-8129861. */

static int64_t processor_time(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * GP_SECONDS(1) + used.tv_nsec;
}

/* How much of the processor the program uses while nothing happens but a task being waited for. */
static void check_idle_share(int core_size, int64_t keep_alive)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    int64_t delay = GP_MILLISECONDS(is_slow() ? 1000 : 100);
    struct job job;
    config.core_size = core_size;
    config.keep_alive = keep_alive;
    gp_scheduled *scheduled = scheduled_of(&config);
    job_init(&job);
    int64_t before = processor_time();
    gp_future *future = job_schedule(scheduled, &job, delay);
    future_end(future, GP_OK);
    check(processor_time() - before < delay / 8); /* who spins has no processor to itself */
    scheduled_end(scheduled);
}

static void with_core_size_zero_tasks_run_and_the_worker_retires(void)
{
    gp_scheduled *scheduled = scheduled_with(0);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    for (int i = 0; i < 2; i++) {
        struct job job;
        job_init(&job);
        future_end(job_schedule(scheduled, &job, GP_MILLISECONDS(1)), GP_OK);
        job_await_end(&job);
        check_int(job.subject.runs, 1);
        check(await_pool_size(pool, 0));
    }
    scheduled_end(scheduled);
}

static void waiting_does_not_use_the_processor(void)
{
    check_idle_share(0, GP_MILLISECONDS(10));
    check_idle_share(1, 0);
}

static void waiting_with_core_size_and_keep_alive_zero_does_not_either(void)
{
    check_idle_share(0, 0);
}

/* What a future tells. */

static void get_delay_counts_down(void)
{
    gp_scheduled *scheduled = scheduled_with(0);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    int64_t first = delay_of(future);
    int64_t second = delay_of(future);
    check(first <= HOUR && first > HOUR - long_enough());
    check(second <= first);
    check(!gp_scheduled_is_periodic(future));
    check_status(gp_scheduled_get_delay(future, NULL), GP_EINVAL);
    gp_future_release(future);
    scheduled_end_now(scheduled);
}

static void compare_orders_by_time_then_by_sequence(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *late = job_schedule(scheduled, &jobs[0], HOUR + HOUR);
    gp_future *early = job_schedule(scheduled, &jobs[1], HOUR);
    check(gp_scheduled_compare(early, late) < 0);
    check(gp_scheduled_compare(late, early) > 0);
    check_int(gp_scheduled_compare(late, late), 0);
    check(gp_pool_remove(pool, late) && gp_pool_remove(pool, early));
    gp__task_set_time(gp_future_task(late), 5); /* out of the queue nobody minds */
    gp__task_set_time(gp_future_task(early), 5);
    check(gp_scheduled_compare(late, early) < 0); /* it came first */
    check(gp_scheduled_compare(early, late) > 0);
    gp_future_release(late);
    gp_future_release(early);
    scheduled_end(scheduled);
}

static void futures_from_elsewhere_have_no_delay_no_period_and_no_rank(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job jobs[2];
    gp_future *foreign = NULL;
    int64_t nanos = 17;
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_callable callable = job_callable(&jobs[0]);
    require_ok(gp_future_new(&callable, &foreign));
    gp_future *own = job_schedule(scheduled, &jobs[1], HOUR);
    check_status(gp_scheduled_get_delay(foreign, &nanos), GP_EINVAL);
    check_int(nanos, 17);
    check(!gp_scheduled_is_periodic(foreign));
    check_int(gp_scheduled_compare(foreign, own), 0);
    check_int(gp_scheduled_compare(own, foreign), 0);
    check_int(gp_scheduled_compare(foreign, foreign), 0);
    gp_future_release(foreign);
    gp_future_release(own);
    scheduled_end_now(scheduled);
}

static const struct test tests[] = {
    TEST(a_task_is_run_once_and_never_early),
    TEST(a_plain_function_gives_the_result_that_came_with_it),
    TEST(a_task_that_fails_tells_how),
    TEST(a_task_without_a_handle_is_run),
    TEST(a_function_without_a_handle_is_run_at_once),
    TEST(a_function_that_is_due_at_once_may_have_a_handle),
    TEST(a_function_for_later_is_not_run_at_once),
    TEST(a_function_can_be_run_again_and_again),
    TEST(a_function_that_a_hook_is_to_see_is_a_task),
    TEST(a_delay_below_zero_counts_as_zero),
    TEST(what_makes_no_sense_is_refused_and_left_alone),
    TEST(a_configuration_that_makes_no_sense_is_refused),
    TEST(close_waits_for_delayed_tasks),
    TEST(the_earliest_comes_first),
    TEST(among_equals_the_first_come_is_first),
    TEST(an_earlier_task_wakes_a_worker_that_waits_for_a_later_one),
    TEST(due_tasks_run_side_by_side_on_several_workers),
    TEST(a_huge_delay_stays_behind_an_overdue_head),
    TEST(a_huge_delay_in_an_empty_queue_is_waited_for),
    TEST(with_core_size_zero_tasks_run_and_the_worker_retires),
    TEST(waiting_does_not_use_the_processor),
    TEST(waiting_with_core_size_and_keep_alive_zero_does_not_either),
    TEST(get_delay_counts_down),
    TEST(compare_orders_by_time_then_by_sequence),
    TEST(futures_from_elsewhere_have_no_delay_no_period_and_no_rank),
    END_OF_TESTS,
};

const struct suite scheduled_suite = {
    .name = "scheduled", .tests = tests, .prepare = scheduled_on_heap};
const struct suite scheduled_laned_suite = {
    .name = "scheduled_laned", .tests = tests, .prepare = scheduled_on_lane};
