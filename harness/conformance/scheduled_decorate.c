/*
 * The decorate hook: a decorator stands around each run of a task, is what the queue holds, and
 * goes when the task goes.
 */
#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

/* A decorator that counts, and does as it is told. */
struct decoration {
    gp_scheduled *scheduled;
    int status;        /* of decorate */
    bool absent;       /* decorate leaves *out alone */
    bool undestroyed;  /* without a destructor */
    int proceeds;      /* how often it calls gp_proceed */
    bool exits_before; /* it leaves its thread instead of proceeding, */
    bool exits_after;  /* or afterwards */
    bool cancels;      /* decorate cancels the task */
    _Atomic int decorated;
    _Atomic int before;
    _Atomic int after;
    _Atomic int destroyed;
    _Atomic int periodic; /* of the tasks decorated */
};

static void run_decorated(void *context, gp_proceeding *proceeding)
{
    struct decoration *decoration = context;
    atomic_fetch_add(&decoration->before, 1);
    if (decoration->exits_before)
        pthread_exit(NULL);
    for (int i = 0; i < decoration->proceeds; i++)
        gp_proceed(proceeding);
    if (decoration->exits_after)
        pthread_exit(NULL);
    atomic_fetch_add(&decoration->after, 1);
}

static void destroy_decoration(void *context)
{
    struct decoration *decoration = context;
    atomic_fetch_add(&decoration->destroyed, 1);
}

static int decorate(void *context, gp_future *task, gp_decorator *out)
{
    struct decoration *decoration = context;
    atomic_fetch_add(&decoration->decorated, 1);
    if (decoration->cancels)
        check(gp_future_cancel(task, false));
    if (gp_scheduled_is_periodic(task))
        atomic_fetch_add(&decoration->periodic, 1);
    if (decoration->status == GP_OK && !decoration->absent)
        *out = (gp_decorator){.run = run_decorated,
                              .context = context,
                              .destroy = decoration->undestroyed ? NULL : destroy_decoration};
    return decoration->status;
}

static gp_scheduled *decorated_pool(struct decoration *decoration, bool remove_on_cancel)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.decorate = decorate;
    config.decorate_context = decoration;
    config.remove_on_cancel = remove_on_cancel;
    decoration->scheduled = scheduled_of(&config);
    return decoration->scheduled;
}

static void fail_in_the_third_run(struct job *job)
{
    if (job->subject.runs == 3)
        job->subject.code = 4;
}

/* Running. */

static void a_decorator_needs_no_destructor(void)
{
    struct decoration decoration = {.proceeds = 1, .undestroyed = true};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init(&job);
    future_end(job_schedule(scheduled, &job, 0), GP_OK);
    scheduled_end(scheduled);
    check_int(decoration.after, 1);
    check_int(decoration.destroyed, 0);
}

static void a_decorator_stands_around_a_task_that_runs_once(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, GP_MILLISECONDS(1));
    check_status(gp_future_get(future, NULL), GP_OK);
    check_int(decoration.decorated, 1);
    check_int(decoration.periodic, 0);
    scheduled_end(scheduled);
    check_int(decoration.before, 1);
    check_int(decoration.after, 1);
    check_int(job.subject.destroyed, 1);
    check_int(decoration.destroyed, 0); /* we have a handle */
    gp_future_release(future);
    check_int(decoration.destroyed, 1);
}

static void a_decorator_stands_around_each_run_of_a_periodic_task(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init_acting(&job, fail_in_the_third_run, NULL);
    gp_future *future = job_at_fixed_rate(scheduled, &job, 0, GP_MICROSECONDS(50));
    check_status(gp_future_get(future, NULL), GP_EFAILED);
    check_int(future_failure_code(future), 4);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(decoration.periodic, 1);
    check_int(decoration.decorated, 1); /* the decorated task is what comes back */
    check_int(decoration.before, 3);
    check_int(decoration.after, 3);
    check_int(job.subject.runs, 3);
    check_int(job.subject.destroyed, 1);
    check_int(decoration.destroyed, 1);
}

static void tasks_that_come_through_the_pool_are_decorated_too(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    job_run(pool, &jobs[0]);
    job_execute(pool, &jobs[1]);
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_OK);
    scheduled_end(scheduled);
    check_int(decoration.before, 3);
    check_int(decoration.destroyed, 3);
    check_int(jobs[1].subject.destroyed, 1);
}

static void without_a_decorator_the_task_runs_plainly(void)
{
    struct decoration decoration = {.absent = true};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init(&job);
    future_end(job_schedule(scheduled, &job, 0), GP_OK);
    scheduled_end(scheduled);
    check_int(decoration.decorated, 1);
    check_int(decoration.before, 0);
    check_int(decoration.destroyed, 0);
}

static void to_proceed_twice_is_to_proceed_once(void)
{
    struct decoration decoration = {.proceeds = 3};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init(&job);
    future_end(job_schedule(scheduled, &job, 0), GP_OK);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
    check_int(decoration.destroyed, 1);
}

static void a_decorator_that_does_not_proceed_ends_the_task(void)
{
    struct decoration decoration = {.proceeds = 0};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    future_end(job_schedule(scheduled, &jobs[0], 0), GP_ECANCELLED);
    future_end(job_at_fixed_rate(scheduled, &jobs[1], 0, 1), GP_ECANCELLED);
    check(await_queued(gp_scheduled_pool(scheduled), 0));
    scheduled_end(scheduled);
    check_int(decoration.before, 2);
    check_int(decoration.destroyed, 2);
    check_int(jobs[0].subject.runs + jobs[1].subject.runs, 0);
    check_int(jobs[0].subject.destroyed + jobs[1].subject.destroyed, 2);
}

static void a_decorator_that_leaves_its_thread_ends_the_task(void)
{
    struct decoration decoration = {.exits_before = true};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init(&job);
    future_end(job_at_fixed_rate(scheduled, &job, 0, 1), GP_ECANCELLED);
    decoration.exits_before = false; /* nobody else looks any more */
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
    check_int(decoration.destroyed, 1);
}

static void a_decorator_may_leave_its_thread_after_the_run(void)
{
    struct decoration decoration = {.proceeds = 1, .exits_after = true};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init_acting(&job, fail_in_the_third_run, NULL);
    future_end(job_at_fixed_rate(scheduled, &job, 0, 1), GP_EFAILED); /* on three workers */
    scheduled_end(scheduled);
    check_int(decoration.before, 3);
    check_int(decoration.after, 0);
    check_int(job.subject.destroyed, 1);
    check_int(decoration.destroyed, 1);
}

static void a_decorated_task_may_leave_its_thread(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job jobs[2];
    job_init_acting(&jobs[0], leave_by_exit, NULL);
    job_init_acting(&jobs[1], leave_by_exit, NULL);
    future_end(job_schedule(scheduled, &jobs[0], 0), GP_EFAILED);
    future_end(job_at_fixed_rate(scheduled, &jobs[1], 0, 1), GP_EFAILED);
    scheduled_end(scheduled);
    check_int(decoration.after, 0);
    check_int(decoration.destroyed, 2);
    check_int(jobs[0].subject.destroyed + jobs[1].subject.destroyed, 2);
}

/* Cancelling and ending. */

static void remove_on_cancel_finds_a_decorated_task(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, true);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *once = job_schedule(scheduled, &jobs[0], HOUR);
    gp_future *again = job_at_fixed_rate(scheduled, &jobs[1], 0, HOUR);
    latch_await(&jobs[1].begun);
    check(await_completed(pool, 1));
    check(await_queued(pool, 2)); /* it came back */
    check(gp_future_cancel(once, false));
    check(gp_future_cancel(again, false));
    check_int(pool_queued(pool), 0);
    check_int(gp_pool_check(pool), 0);
    future_end(once, GP_ECANCELLED);
    future_end(again, GP_ECANCELLED);
    check_int(decoration.destroyed, 2);
    scheduled_end(scheduled);
}

static void a_task_cancelled_while_it_is_decorated_does_not_linger(void)
{
    for (int absent = 0; absent < 2; absent++) {
        struct decoration decoration = {.proceeds = 1, .cancels = true, .absent = absent != 0};
        gp_scheduled *scheduled = decorated_pool(&decoration, true);
        struct job job;
        job_init(&job);
        gp_pool_prestart_all_core(gp_scheduled_pool(scheduled));
        gp_future *future = job_schedule(scheduled, &job, HOUR);
        check_int(pool_queued(gp_scheduled_pool(scheduled)), 0);
        check_int(job.subject.destroyed, 1);
        future_end(future, GP_ECANCELLED);
        scheduled_end(scheduled);
    }
}

static void without_remove_on_cancel_it_lingers(void)
{
    struct decoration decoration = {.proceeds = 1, .cancels = true};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 1);
    gp_pool_purge(gp_scheduled_pool(scheduled));
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 0);
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
}

static void remove_and_purge_find_a_decorated_task(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *first = job_schedule(scheduled, &jobs[0], HOUR);
    gp_future *second = job_schedule(scheduled, &jobs[1], HOUR);
    check(gp_pool_remove(pool, first));
    check(gp_future_cancel(second, false));
    check_int(pool_queued(pool), 1);
    gp_pool_purge(pool);
    check_int(pool_queued(pool), 0);
    future_end(first, GP_ECANCELLED);
    future_end(second, GP_ECANCELLED);
    check_int(decoration.destroyed, 2);
    scheduled_end(scheduled);
}

static void a_decorated_task_knows_its_time_and_rank(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, true);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *late = job_schedule(scheduled, &jobs[0], HOUR + HOUR);
    gp_future *early = job_with_fixed_delay(scheduled, &jobs[1], HOUR, HOUR);
    check(delay_of(late) > HOUR);
    check(gp_scheduled_is_periodic(early));
    check(gp_scheduled_compare(early, late) < 0);
    gp_future_release(late);
    gp_future_release(early);
    scheduled_end_now(scheduled);
    check_int(decoration.destroyed, 2);
}

static void shutdown_hands_back_or_cancels_decorated_tasks(void)
{
    struct decoration decoration = {.proceeds = 1};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    gp_task_list unrun;
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *once = job_schedule(scheduled, &jobs[0], HOUR);
    gp_future *again = job_at_fixed_rate(scheduled, &jobs[1], HOUR, HOUR);
    gp_pool_shutdown(pool);
    check_status(gp_future_get(again, NULL), GP_ECANCELLED);
    gp_pool_shutdown_now(pool, &unrun);
    check_int(unrun.count, 1);
    check(gp_task_future(unrun.first) == once);
    gp_task_run(gp_task_list_pop(&unrun)); /* the pool is stopped, but we are no worker of it */
    future_end(once, GP_OK);
    gp_future_release(again);
    scheduled_end(scheduled);
    check_int(jobs[0].subject.runs, 1);
    check_int(jobs[1].subject.runs, 0);
    check_int(jobs[0].subject.destroyed + jobs[1].subject.destroyed, 2);
    check_int(decoration.destroyed, 2);
}

/* Failing. */

static void when_decorate_fails_so_does_schedule(void)
{
    static const int codes[] = {GP_ENOMEM, GP_EINVAL, GP_EPERM, 12};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct decoration decoration = {.status = codes[i]};
        gp_scheduled *scheduled = decorated_pool(&decoration, false);
        gp_future *future = NULL;
        struct job job;
        job_init(&job);
        gp_callable callable = job_callable(&job);
        gp_task *task = job_task(&job);
        check_status(gp_schedule(scheduled, &callable, 0, &future), codes[i]);
        check_status(gp_schedule_at_fixed_rate(scheduled, &callable, 0, 1, &future), codes[i]);
        check_status(gp_pool_execute_task(gp_scheduled_pool(scheduled), task), codes[i]);
        check_int(job.subject.destroyed, 0);
        check(future == NULL);
        gp_task_discard(task);
        scheduled_end(scheduled);
        check_int(decoration.destroyed, 0);
    }
}

/* GP_EREJECTED means to every caller that the task is used up; other failures, that it is not. */
static void when_decorate_rejects_the_answer_tells_whose_the_argument_is(void)
{
    struct decoration decoration = {.status = GP_EREJECTED};
    gp_scheduled *scheduled = decorated_pool(&decoration, false);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_callable callable = job_callable(&jobs[0]);
    gp_task *task = gp_task_retain(job_task(&jobs[1]));
    int status = gp_schedule(scheduled, &callable, 0, NULL);
    check(status != GP_OK);
    check_int(jobs[0].subject.destroyed, status == GP_EREJECTED ? 1 : 0);
    status = gp_pool_execute_task(gp_scheduled_pool(scheduled), task);
    check(status != GP_OK);
    check_int(jobs[1].subject.destroyed, status == GP_EREJECTED ? 1 : 0);
    if (status != GP_EREJECTED)
        gp_task_discard(task);
    gp_task_release(task);
    scheduled_end(scheduled);
}

static void decorated_tasks_fail_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (!walk.over) {
        struct decoration decoration = {.proceeds = 1};
        gp_scheduled *scheduled = decorated_pool(&decoration, false);
        gp_future *future = NULL;
        struct job job;
        job_init(&job);
        gp_callable callable = job_callable(&job);
        fault_walk_next(&walk);
        int status = gp_schedule(scheduled, &callable, 0, &future);
        bool hit = fault_walk_hit(&walk);
        check(hit || status == GP_OK);
        if (status == GP_OK)
            future_end(future, GP_OK);
        scheduled_end(scheduled);
        check_int(job.subject.destroyed, status == GP_OK ? 1 : 0);
        check_int(decoration.destroyed, decoration.decorated);
    }
    check(walk.point > 2);
}

static const struct test tests[] = {
    TEST(a_decorator_needs_no_destructor),
    TEST(a_decorator_stands_around_a_task_that_runs_once),
    TEST(a_decorator_stands_around_each_run_of_a_periodic_task),
    TEST(tasks_that_come_through_the_pool_are_decorated_too),
    TEST(without_a_decorator_the_task_runs_plainly),
    TEST(to_proceed_twice_is_to_proceed_once),
    TEST(a_decorator_that_does_not_proceed_ends_the_task),
    TEST(a_decorator_that_leaves_its_thread_ends_the_task),
    TEST(a_decorator_may_leave_its_thread_after_the_run),
    TEST(a_decorated_task_may_leave_its_thread),
    TEST(remove_on_cancel_finds_a_decorated_task),
    TEST(a_task_cancelled_while_it_is_decorated_does_not_linger),
    TEST(without_remove_on_cancel_it_lingers),
    TEST(remove_and_purge_find_a_decorated_task),
    TEST(a_decorated_task_knows_its_time_and_rank),
    TEST(shutdown_hands_back_or_cancels_decorated_tasks),
    TEST(when_decorate_fails_so_does_schedule),
    TEST(when_decorate_rejects_the_answer_tells_whose_the_argument_is),
    TEST(decorated_tasks_fail_cleanly_at_each_point),
    END_OF_TESTS,
};

const struct suite scheduled_decorate_suite = {
    .name = "scheduled_decorate", .tests = tests, .prepare = scheduled_on_heap};
const struct suite scheduled_decorate_laned_suite = {
    .name = "scheduled_decorate_laned", .tests = tests, .prepare = scheduled_on_lane};
