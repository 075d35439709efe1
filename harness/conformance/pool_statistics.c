/*
 * Watching a pool: its figures, the hooks around each task, and waiting until nothing is to be
 * done.
 */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/histogram.h"
#include "pool/pool.h"
#include "pool/worker.h"

#include "pool_support.h"
#include "suite.h"
#include "support.h"

/* Figures. */

static gp_pool_stats stats_of(gp_pool *pool)
{
    gp_pool_stats stats;
    gp_pool_statistics(pool, &stats);
    return stats;
}

static void a_new_pool_has_figures_of_zero(void)
{
    static const gp_pool_stats zero;
    gp_pool *pool = pool_with(1, 1, NULL);
    gp_pool_stats stats;
    memset(&stats, 0xff, sizeof stats);
    gp_pool_statistics(pool, &stats);
    check_int(stats.pool_size, 0);
    check_int(stats.largest, 0);
    check_int(stats.total, 0);
    check(memcmp(&stats.waited, &zero.waited, sizeof zero.waited) == 0);
    check(memcmp(&stats.ran, &zero.ran, sizeof zero.ran) == 0);
    pool_end(pool);
}

static void figures_tell_what_runs_and_what_is_queued(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    gp_pool_stats stats = stats_of(saturated.pool);
    check_int(stats.pool_size, 1);
    check_int(stats.active, 1);
    check_int(stats.largest, 1);
    check_int(stats.completed, 0);
    check_int(stats.queued, 1);
    check_int(stats.deepest, 1);
    check_int(stats.total, 2);
    job_let_go(&saturated.running);
    check(await_completed(saturated.pool, 2));
    check(await_idle(saturated.pool, 1));
    stats = stats_of(saturated.pool);
    check_int(stats.active, 0);
    check_int(stats.queued, 0);
    check_int(stats.total, 2);
    saturated_end(&saturated);
}

struct shown {
    gp_pool *pool;
    gp_task *wanted; /* look when this one is about to run */
    gp_pool_thread thread;
};

static void look_before(void *context, gp_task *task)
{
    struct shown *shown = context;
    if (task == shown->wanted)
        check_int(gp_pool_threads(shown->pool, &shown->thread, 1), 1);
}

/* [FUTURE-7] */
static void what_came_of_a_task_is_not_shown_as_its_function(void)
{
    struct shown shown = {.thread.runs = (void (*)(void))run_nothing};
    gp_pool_config config = config_with(1, 1, NULL);
    struct job running, queued;
    config.hooks = (gp_pool_hooks){.before_execute = look_before, .context = &shown};
    shown.pool = pool_of(&config);
    job_init_holding(&running);
    job_init(&queued);
    job_execute(shown.pool, &running);
    latch_await(&running.begun); /* its hook has looked at `wanted` */
    gp_future *future = job_submit(shown.pool, &queued);
    shown.wanted = gp_future_task(future);
    check(gp_future_set(future, &queued));
    job_let_go(&running);
    check(await_completed(shown.pool, 2));
    check(shown.thread.runs == NULL);
    gp_future_release(future);
    pool_end(shown.pool);
}

static void largest_and_deepest_remember_the_maximum(void)
{
    gp_pool *pool = pool_with(0, 3, linked_of(2));
    struct job jobs[5];
    for (int i = 0; i < 5; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
        if (i == 0)
            latch_await(&jobs[0].begun); /* one runs, two are queued, two get workers */
    }
    check_int(stats_of(pool).largest, 3);
    check_int(stats_of(pool).deepest, 2);
    for (int i = 0; i < 5; i++)
        job_let_go(&jobs[i]);
    check(await_pool_size(pool, 0));
    gp_pool_stats stats = stats_of(pool);
    check_int(stats.largest, 3);
    check_int(stats.deepest, 2);
    check_int(stats.completed, 5); /* of workers that have left */
    check_int(stats.ran.count, 5);
    check_int(stats.waited.count, 5);
    pool_end(pool);
}

static void histograms_tell_how_long_tasks_waited_and_ran(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    int64_t start = gp_now();
    while (gp_now() - start < GP_MILLISECONDS(5))
        continue;
    job_let_go(&saturated.running);
    check(await_completed(saturated.pool, 2));
    check(await_idle(saturated.pool, 1)); /* a task is counted before its time is noted */
    gp_pool_stats stats = stats_of(saturated.pool);
    check_int(stats.waited.count, 2);
    check_int(stats.ran.count, 2);
    check(stats.waited.maximum >= GP_MILLISECONDS(5)); /* the queued one */
    check(stats.ran.maximum >= GP_MILLISECONDS(5));    /* the running one */
    check(stats.ran.total >= stats.ran.maximum);
    check(gp_histogram_quantile(&stats.ran, 1.0) == stats.ran.maximum);
    saturated_end(&saturated);
}

static void without_time_tasks_there_are_no_histograms(void)
{
    gp_pool_config config = config_with(1, 1, NULL);
    struct job job;
    config.time_tasks = false;
    gp_pool *pool = pool_of(&config);
    job_init(&job);
    job_run(pool, &job);
    check(await_completed(pool, 1));
    check_int(stats_of(pool).ran.count, 0);
    check_int(stats_of(pool).waited.count, 0);
    pool_end(pool);
}

/* When it was queued is noted where others have the time at which they are due. */
static void a_delayed_task_keeps_its_time(void)
{
    gp_queue *queue = NULL;
    gp_task *task = NULL;
    struct job job;
    int64_t due = gp_now() + GP_SECONDS(3600);
    require_ok(gp_delayed_new(&queue));
    gp_pool *pool = pool_with(0, 1, queue);
    job_init(&job);
    const gp_callable callable = job_callable(&job);
    require_ok(gp_task_new_delayed(&callable, due, 0, &task));
    gp_task_retain(task);
    check_status(gp_pool_execute_task(pool, task), GP_OK);
    check_int(gp_task_time(task), due);
    gp_task_release(task);
    pool_end_now(pool);
    check_int(job.subject.runs, 0);
}

static gp_histogram histogram_of(const int64_t *durations, size_t count)
{
    static const struct gp__histogram empty;
    struct gp__histogram histogram = empty;
    gp_histogram out = {0};
    for (size_t i = 0; i < count; i++)
        gp__histogram_record(&histogram, durations[i]);
    gp__histogram_read(&histogram, &out);
    return out;
}

static void a_histogram_counts_in_powers_of_two(void)
{
    static const int64_t durations[] = {0, -5, 1, 2, 3, 4, 7, 8, INT64_MAX};
    gp_histogram histogram = histogram_of(durations, 8);
    check_int(histogram.count, 8);
    check_int(histogram.total, 25);
    check_int(histogram.maximum, 8);
    check_int(histogram.buckets[0], 2); /* a clock that seems to go backwards counts as zero */
    check_int(histogram.buckets[1], 1);
    check_int(histogram.buckets[2], 2);
    check_int(histogram.buckets[3], 2);
    check_int(histogram.buckets[4], 1);
    histogram = histogram_of(&durations[8], 1);
    check_int(histogram.buckets[GP_HISTOGRAM_BUCKETS - 1], 1);
}

static void a_quantile_is_an_upper_bound(void)
{
    static const int64_t durations[] = {0, 1, 5, 5, 6, 7, 100, 200, 200, 1000};
    static const gp_histogram empty;
    gp_histogram histogram = histogram_of(durations, 10);
    check_int(gp_histogram_quantile(&histogram, 0.0), 0);
    check_int(gp_histogram_quantile(&histogram, 0.1), 0);
    check_int(gp_histogram_quantile(&histogram, 0.2), 1);
    check_int(gp_histogram_quantile(&histogram, 0.5), 7);
    check_int(gp_histogram_quantile(&histogram, 0.7), 127);
    check_int(gp_histogram_quantile(&histogram, 0.9), 255);
    check_int(gp_histogram_quantile(&histogram, 1.0), 1000);
    check_int(gp_histogram_quantile(&histogram, 2.0), 1000);
    check_int(gp_histogram_quantile(&empty, 0.5), 0);
    histogram = histogram_of(&durations[6], 4);
    check_int(gp_histogram_quantile(&histogram, 0.0), 127); /* of the least, not of nothing */
}

static void the_check_notices_a_broken_pool(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    pool->size = 1; /* a worker that nobody has to join */
    check_int(gp_pool_check(pool), GP_POOL_INVARIANT + 5);
    pool->unjoined = 1;
    check_int(gp_pool_check(pool), GP_POOL_INVARIANT + 5); /* more than ever */
    pool->size = 0;
    pool->unjoined = 0;
    int ctl = atomic_exchange(&pool->ctl, gp__ctl_of(GP__TIDYING, 1));
    check_int(gp_pool_check(pool), GP_POOL_INVARIANT + 3);
    atomic_store(&pool->ctl, ctl);
    int core_size = atomic_exchange(&pool->core_size, 2);
    check_int(gp_pool_check(pool), GP_POOL_INVARIANT + 4);
    atomic_store(&pool->core_size, core_size);
    check_int(gp_pool_check(pool), 0);
    pool_end(pool);
}

/* Hooks. */

struct hooked {
    _Atomic int before;
    _Atomic int after;
    _Atomic int terminated;
    _Atomic int abrupt;
    _Atomic int wrong; /* an argument that is not as it should be */
    _Atomic bool inside;
};

static void before_execute(void *context, gp_task *task)
{
    struct hooked *hooked = context;
    const struct subject *subject = gp_task_argument(task);
    bool fresh = subject->runs == 0 && subject->destroyed == 0;
    atomic_fetch_add(&hooked->before, 1);
    if (!fresh || atomic_exchange(&hooked->inside, true))
        atomic_fetch_add(&hooked->wrong, 1);
}

static void after_execute(void *context, gp_task *task, int status)
{
    struct hooked *hooked = context;
    const struct subject *subject = gp_task_argument(task);
    bool done = subject->runs == 1 && subject->destroyed == 1;
    atomic_fetch_add(&hooked->after, 1);
    if (status == GP_EABRUPT)
        atomic_fetch_add(&hooked->abrupt, 1);
    if (!done || !atomic_exchange(&hooked->inside, false) ||
        (status != GP_EABRUPT && status != GP_OK))
        atomic_fetch_add(&hooked->wrong, 1);
}

static void terminated(void *context)
{
    struct hooked *hooked = context;
    atomic_fetch_add(&hooked->terminated, 1);
}

static gp_pool *hooked_pool(struct hooked *hooked)
{
    gp_pool_config config = config_with(1, 1, NULL);
    config.hooks = (gp_pool_hooks){.before_execute = before_execute,
                                   .after_execute = after_execute,
                                   .terminated = terminated,
                                   .context = hooked};
    return pool_of(&config);
}

static void the_hooks_stand_around_each_task(void)
{
    struct hooked hooked = {0};
    gp_pool *pool = hooked_pool(&hooked);
    struct job jobs[3];
    for (int i = 0; i < 3; i++)
        job_init(&jobs[i]);
    jobs[1].subject.code = 3; /* failing is the future's business */
    job_run(pool, &jobs[0]);
    future_end(job_submit(pool, &jobs[1]), GP_EFAILED);
    job_execute(pool, &jobs[2]);
    pool_end(pool);
    check_int(hooked.before, 3);
    check_int(hooked.after, 3);
    check_int(hooked.abrupt, 0);
    check_int(hooked.terminated, 1);
    check_int(hooked.wrong, 0);
}

static void the_after_hook_learns_of_an_abrupt_exit(void)
{
    struct hooked hooked = {0};
    gp_pool *pool = hooked_pool(&hooked);
    struct job leaving[2];
    for (int i = 0; i < 2; i++)
        job_init_acting(&leaving[i], leave_by_exit, pool);
    future_end(job_submit(pool, &leaving[0]), GP_EFAILED);
    job_execute(pool, &leaving[1]);
    pool_end(pool);
    check_int(hooked.before, 2);
    check_int(hooked.after, 2);
    check_int(hooked.abrupt, 2);
    check_int(hooked.terminated, 1);
    check_int(hooked.wrong, 0);
}

static void tasks_that_are_not_run_pass_no_hook(void)
{
    struct hooked hooked = {0};
    gp_pool *pool = hooked_pool(&hooked);
    struct job job;
    gp_pool_shutdown_now(pool, NULL);
    job_init(&job);
    check_status(gp_pool_execute_task(pool, job_task(&job)), GP_EREJECTED);
    pool_end(pool);
    check_int(hooked.before, 0);
    check_int(hooked.after, 0);
    check_int(hooked.terminated, 1);
}

/* Quiescence. */

static void a_pool_with_nothing_to_do_is_quiescent(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    check_status(gp_pool_await_quiescence(pool, 0), GP_OK);
    gp_pool_prestart_all_core(pool);
    check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
    check(!gp_pool_is_shutdown(pool));
    pool_end(pool);
}

static void await_quiescence_waits_for_what_runs_and_what_is_queued(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    int64_t start = gp_now();
    check_status(gp_pool_await_quiescence(saturated.pool, GP_MILLISECONDS(5)), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(5));
    check(gp_pool_remove(saturated.pool, saturated.queued_future));
    check_status(gp_pool_await_quiescence(saturated.pool, GP_MILLISECONDS(1)), GP_ETIMEDOUT);
    job_let_go(&saturated.running);
    check_status(gp_pool_await_quiescence(saturated.pool, long_enough()), GP_OK);
    check_int(saturated.running.subject.destroyed, 1);
    saturated_end(&saturated);
}

struct quiet {
    gp_pool *pool;
    int status;
};

static void await_quiet(void *argument)
{
    struct quiet *quiet = argument;
    quiet->status = gp_pool_await_quiescence(quiet->pool, GP_FOREVER);
}

static void await_quiescence_can_be_interrupted(void)
{
    struct saturated saturated;
    struct helper helper;
    saturate(&saturated, (gp_rejection){0});
    struct quiet quiet = {.pool = saturated.pool};
    helper_start(&helper, await_quiet, &quiet);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(quiet.status, GP_EINTERRUPTED);
    saturated_end(&saturated);
}

/* Nobody takes the last task: it is removed, the workers have retired, threads fail. */
static void await_quiescence_notices_retiring_workers(void)
{
    gp_pool_config config = config_with(0, 2, synchronous());
    struct job jobs[2];
    struct helper helper;
    gp_pool *pool = pool_of(&config); /* keep-alive 0: nobody ever waits */
    for (int i = 0; i < 2; i++) {
        job_init_holding(&jobs[i]);
        job_execute(pool, &jobs[i]);
        latch_await(&jobs[i].begun);
    }
    struct quiet quiet = {.pool = pool};
    helper_start(&helper, await_quiet, &quiet);
    helper_await_asleep(&helper);
    job_let_go(&jobs[0]);
    job_let_go(&jobs[1]);
    helper_join(&helper);
    check_status(quiet.status, GP_OK);
    check_int(jobs[0].subject.destroyed + jobs[1].subject.destroyed, 2);
    pool_end(pool);
}

static void await_own_quiescence(struct job *job)
{
    job->status = gp_pool_await_quiescence(job->pool, GP_FOREVER);
}

static void a_task_cannot_wait_for_its_own_pool_to_be_quiescent(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, await_own_quiescence, pool);
    job_run(pool, &job);
    check_status(job.status, GP_EDEADLK);
    pool_end(pool);
}

static void quiescence_means_that_all_tasks_given_before_are_done(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    struct subject subject = {0};
    int given = 0;
    for (unsigned round = 0; round < scaled(300); round++) {
        for (unsigned i = 0; i <= round % 4; i++) {
            check_status(gp_pool_execute_task(pool, task_of(&subject)), GP_OK);
            given++;
        }
        check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
        check_int(subject.destroyed, given);
    }
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(a_new_pool_has_figures_of_zero),
    TEST(figures_tell_what_runs_and_what_is_queued),
    TEST(what_came_of_a_task_is_not_shown_as_its_function),
    TEST(largest_and_deepest_remember_the_maximum),
    TEST(histograms_tell_how_long_tasks_waited_and_ran),
    TEST(without_time_tasks_there_are_no_histograms),
    TEST(a_delayed_task_keeps_its_time),
    TEST(a_histogram_counts_in_powers_of_two),
    TEST(a_quantile_is_an_upper_bound),
    TEST(the_check_notices_a_broken_pool),
    TEST(the_hooks_stand_around_each_task),
    TEST(the_after_hook_learns_of_an_abrupt_exit),
    TEST(tasks_that_are_not_run_pass_no_hook),
    TEST(a_pool_with_nothing_to_do_is_quiescent),
    TEST(await_quiescence_waits_for_what_runs_and_what_is_queued),
    TEST(await_quiescence_can_be_interrupted),
    TEST(await_quiescence_notices_retiring_workers),
    TEST(a_task_cannot_wait_for_its_own_pool_to_be_quiescent),
    TEST(quiescence_means_that_all_tasks_given_before_are_done),
    END_OF_TESTS,
};

const struct suite pool_statistics_suite = {.name = "pool_statistics", .tests = tests};
