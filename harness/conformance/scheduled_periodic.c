/*
 * Periodic tasks: when their runs are due, what an overrun does, that runs never overlap, and the
 * ways in which they end.
 */
#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR   GP_SECONDS(3600)
#define PERIOD GP_MILLISECONDS(2)
#define RUNS   5

/* Notes each run, and fails in the last, so that the task ends by itself. */
struct diary {
    gp_future *future;     /* set before the gate is opened */
    int64_t due[RUNS];     /* the task's own time in each run */
    int64_t began[RUNS];   /* when each began */
    int64_t ended[RUNS];   /* ... and ended */
    int64_t overrun_until; /* the first run goes on until then */
};

static void write_diary(struct job *job)
{
    struct diary *diary = job->context;
    int run = job->subject.runs - 1;
    diary->due[run] = gp_task_time(gp_future_task(diary->future));
    diary->began[run] = job->began_at;
    while (run == 0 && gp_now() < diary->overrun_until)
        continue;
    diary->ended[run] = gp_now();
    if (run == RUNS - 1)
        job->subject.code = 7;
}

typedef gp_future *start_fn(gp_scheduled *, struct job *, int64_t initial_delay, int64_t period);

/* Runs it to its end. */
static void keep_diary(gp_scheduled *scheduled, start_fn *start, struct diary *diary)
{
    struct job job;
    job_init_holding(&job);
    job.action = write_diary;
    job.context = diary;
    diary->future = start(scheduled, &job, PERIOD, PERIOD);
    gate_open(&job.go_on, RUNS);
    check_status(gp_future_get_timed(diary->future, long_enough(), NULL), GP_EFAILED);
    check_int(future_failure_code(diary->future), 7);
    check_int(job.subject.runs, RUNS);
    gp_future_release(diary->future);
    scheduled_end(scheduled);
    check_int(job.subject.destroyed, 1);
}

static gp_scheduled *scheduled_overrunning(gp_overrun overrun)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.overrun = overrun;
    return scheduled_of(&config);
}

/* When. */

static void at_a_fixed_rate_runs_are_due_each_period_after_the_first(void)
{
    struct diary diary = {0};
    int64_t start = gp_now();
    keep_diary(scheduled_with(1), job_at_fixed_rate, &diary);
    check(diary.due[0] - start >= PERIOD);
    for (int i = 0; i < RUNS; i++) {
        check_int(diary.due[i], diary.due[0] + i * PERIOD);
        check(diary.began[i] >= diary.due[i]); /* never early */
    }
}

static void with_a_fixed_delay_runs_are_due_after_the_end_of_the_one_before(void)
{
    struct diary diary = {0};
    int64_t start = gp_now();
    keep_diary(scheduled_with(1), job_with_fixed_delay, &diary);
    check(diary.due[0] - start >= PERIOD);
    for (int i = 0; i < RUNS; i++)
        check(diary.began[i] >= diary.due[i]);
    for (int i = 1; i < RUNS; i++)
        check(diary.due[i] >= diary.ended[i - 1] + PERIOD);
}

static void runs_missed_by_an_overrun_are_caught_up_by_default(void)
{
    struct diary diary = {.overrun_until = gp_now() + (RUNS + 2) * PERIOD};
    keep_diary(scheduled_overrunning(GP_OVERRUN_CATCH_UP), job_at_fixed_rate, &diary);
    for (int i = 1; i < RUNS; i++) {
        check_int(diary.due[i], diary.due[0] + i * PERIOD);
        check(diary.began[i] >= diary.ended[i - 1]);
    }
}

static void runs_missed_by_an_overrun_can_be_skipped(void)
{
    struct diary diary = {.overrun_until = gp_now() + (RUNS + 2) * PERIOD};
    keep_diary(scheduled_overrunning(GP_OVERRUN_SKIP), job_at_fixed_rate, &diary);
    check(diary.due[1] > diary.overrun_until);
    for (int i = 1; i < RUNS; i++) {
        check_int((diary.due[i] - diary.due[0]) % PERIOD, 0);
        check(diary.due[i] > diary.ended[i - 1]);
        check(diary.began[i] >= diary.due[i]);
    }
}

static void skipping_changes_nothing_while_runs_are_in_time(void)
{
    gp_scheduled *scheduled = scheduled_overrunning(GP_OVERRUN_SKIP);
    struct job job;
    job_init(&job);
    gp_future *future = job_at_fixed_rate(scheduled, &job, 0, HOUR);
    latch_await(&job.begun);
    check(await_queued(gp_scheduled_pool(scheduled), 1));
    check(delay_of(future) > HOUR - long_enough());
    check(delay_of(future) <= HOUR);
    gp_future_release(future);
    scheduled_end(scheduled);
}

/* Overlap. */

struct crowd {
    _Atomic int inside;
    _Atomic int overlaps;
    int runs; /* written by one run at a time */
    int last;
};

static void enter_alone(struct job *job)
{
    struct crowd *crowd = job->context;
    if (atomic_fetch_add(&crowd->inside, 1) != 0)
        atomic_fetch_add(&crowd->overlaps, 1);
    if (++crowd->runs >= crowd->last)
        job->subject.code = 1;
    atomic_fetch_sub(&crowd->inside, 1);
}

static void check_no_overlap(start_fn *start)
{
    gp_scheduled *scheduled = scheduled_with(4);
    struct crowd crowd = {.last = (int)scaled(2000)};
    struct job job;
    job_init_acting(&job, enter_alone, NULL);
    job.context = &crowd;
    gp_future *future = start(scheduled, &job, 0, 1); /* always late */
    future_end(future, GP_EFAILED);
    check_int(crowd.overlaps, 0);
    check_int(crowd.runs, crowd.last);
    scheduled_end(scheduled);
    check_int(job.subject.runs, crowd.last);
}

static void runs_of_one_task_never_overlap_however_many_workers_there_are(void)
{
    check_no_overlap(job_at_fixed_rate);
    check_no_overlap(job_with_fixed_delay);
}

/* Ends. */

static void fail_soon(struct job *job)
{
    if (job->subject.runs == 3)
        job->subject.code = 9;
}

static void a_failing_periodic_task_ends_alone(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job failing;
    struct job other;
    job_init_acting(&failing, fail_soon, NULL);
    job_init_holding(&other);
    gp_future *first = job_at_fixed_rate(scheduled, &failing, 0, GP_MICROSECONDS(100));
    gp_future *second = job_at_fixed_rate(scheduled, &other, 0, GP_MICROSECONDS(100));
    gate_open(&other.go_on, 1000000);
    check_status(gp_future_get_timed(first, long_enough(), NULL), GP_EFAILED);
    check_int(future_failure_code(first), 9);
    check_int(failing.subject.runs, 3);
    int runs = other.subject.runs;
    int64_t start = gp_now();
    while (other.subject.runs <= runs + 2 && gp_now() - start < long_enough())
        continue;
    check(other.subject.runs > runs + 2);
    check(!gp_future_is_done(second));
    check_int(failing.subject.runs, 3);
    gp_future_cancel(second, false);
    gp_future_release(first);
    gp_future_release(second);
    scheduled_end(scheduled);
    check_int(failing.subject.destroyed, 1);
    check_int(other.subject.destroyed, 1);
}

static void leave_in_the_second_run(struct job *job)
{
    if (job->subject.runs == 2)
        pthread_exit(NULL);
}

static void a_periodic_task_that_leaves_its_thread_ends_and_the_worker_is_replaced(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job leaving;
    struct job next;
    job_init_acting(&leaving, leave_in_the_second_run, NULL);
    job_init(&next);
    gp_future *future = job_at_fixed_rate(scheduled, &leaving, 0, 1);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
    check_int(future_failure_code(future), GP_EABRUPT);
    gp_future_release(future);
    job_run(pool, &next);
    check_int(leaving.subject.runs, 2);
    check_int(pool_queued(pool), 0);
    check(await_pool_size(pool, 1)); /* replaced, perhaps twice: then one retires */
    scheduled_end(scheduled);
    check_int(leaving.subject.destroyed, 1);
}

static void cancel_itself(struct job *job)
{
    gp_future **future = job->context;
    if (job->subject.runs == 2)
        job->status = gp_future_cancel(*future, true);
}

static void a_periodic_task_may_cancel_itself(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_future *future = NULL;
    struct job job;
    struct job next;
    job_init_holding(&job);
    job.action = cancel_itself;
    job.context = &future;
    future = job_at_fixed_rate(scheduled, &job, 0, 1);
    gate_open(&job.go_on, 2);
    future_end(future, GP_ECANCELLED);
    job_init(&next);
    job_run(gp_scheduled_pool(scheduled), &next);
    check(!next.interrupted);
    scheduled_end(scheduled);
    check(job.status);
    check_int(job.subject.runs, 2);
    check_int(job.subject.destroyed, 1);
}

static void a_periodic_task_says_so_and_never_completes_normally(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *rate = job_at_fixed_rate(scheduled, &jobs[0], 0, GP_MILLISECONDS(1));
    gp_future *delay = job_with_fixed_delay(scheduled, &jobs[1], 0, GP_MILLISECONDS(1));
    check(gp_scheduled_is_periodic(rate));
    check(gp_scheduled_is_periodic(delay));
    latch_await(&jobs[0].begun);
    latch_await(&jobs[1].begun);
    check_status(gp_future_get_timed(rate, GP_MILLISECONDS(5), NULL), GP_ETIMEDOUT);
    check(!gp_future_is_done(delay));
    check(gp_future_cancel(rate, false));
    check(gp_future_cancel(delay, true));
    future_end(rate, GP_ECANCELLED);
    future_end(delay, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(jobs[0].subject.destroyed, 1);
    check_int(jobs[1].subject.destroyed, 1);
}

static void a_periodic_task_without_a_handle_ends_with_the_pool(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    check_status(gp_schedule_at_fixed_rate(scheduled, &callable, 0, PERIOD, NULL), GP_OK);
    latch_await(&job.begun);
    scheduled_end(scheduled);
    check_int(job.subject.destroyed, 1);
}

/* Absurd periods: JDK-8051859. */

static void check_huge_period(start_fn *start, int64_t period)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    job_init(&job);
    gp_future *future = start(scheduled, &job, 0, period);
    latch_await(&job.begun);
    check(await_completed(pool, 1));
    check(await_queued(pool, 1));
    check(await_idle(pool, 1));
    check_int(job.subject.runs, 1);
    check(delay_of(future) > INT64_MAX / 4);
    check_int(gp_pool_check(pool), 0);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 1);
}

static void a_huge_period_does_not_come_round_at_once(void)
{
    static const int64_t periods[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX / 2 + 1, INT64_MAX / 2,
                                      INT64_MAX / 2 - 1};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        check_huge_period(job_at_fixed_rate, periods[i]);
        check_huge_period(job_with_fixed_delay, periods[i]);
    }
}

/* It is not in the queue while it runs, so that the huge delay finds no overdue head to mind. */
static void a_task_that_comes_back_overdue_stays_before_a_huge_delay(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job huge;
    struct job job;
    job_init(&huge);
    job_init_holding(&job);
    gp_future *periodic = job_at_fixed_rate(scheduled, &job, 0, 1);
    latch_await(&job.begun);
    gp_future *future = job_schedule(scheduled, &huge, GP_FOREVER);
    gate_open(&job.go_on, 3);
    while (job.subject.runs < 3)
        continue;
    check_int(gp_pool_check(gp_scheduled_pool(scheduled)), 0);
    check(gp_scheduled_compare(periodic, future) < 0);
    gp_future_cancel(periodic, false);
    gate_open(&job.go_on, 1); /* a fourth run may have begun */
    gp_future_release(periodic);
    gp_future_release(future);
    scheduled_end_now(scheduled);
}

static void several_workers_share_many_periodic_tasks(void)
{
    enum {
        TASKS = 20
    };
    gp_scheduled *scheduled = scheduled_with(3);
    struct crowd crowds[TASKS];
    struct job jobs[TASKS];
    gp_future *futures[TASKS];
    for (int i = 0; i < TASKS; i++) {
        crowds[i] = (struct crowd){.last = (int)scaled(100)};
        job_init_acting(&jobs[i], enter_alone, NULL);
        jobs[i].context = &crowds[i];
        futures[i] =
            (i % 2 == 0 ? job_at_fixed_rate : job_with_fixed_delay)(scheduled, &jobs[i], 0, 10000);
    }
    for (int i = 0; i < TASKS; i++) {
        future_end(futures[i], GP_EFAILED);
        check_int(crowds[i].overlaps, 0);
        check_int(crowds[i].runs, crowds[i].last);
    }
    scheduled_end(scheduled);
}

static const struct test tests[] = {
    TEST(at_a_fixed_rate_runs_are_due_each_period_after_the_first),
    TEST(with_a_fixed_delay_runs_are_due_after_the_end_of_the_one_before),
    TEST(runs_missed_by_an_overrun_are_caught_up_by_default),
    TEST(runs_missed_by_an_overrun_can_be_skipped),
    TEST(skipping_changes_nothing_while_runs_are_in_time),
    TEST(runs_of_one_task_never_overlap_however_many_workers_there_are),
    TEST(a_failing_periodic_task_ends_alone),
    TEST(a_periodic_task_that_leaves_its_thread_ends_and_the_worker_is_replaced),
    TEST(a_periodic_task_may_cancel_itself),
    TEST(a_periodic_task_says_so_and_never_completes_normally),
    TEST(a_periodic_task_without_a_handle_ends_with_the_pool),
    TEST(a_huge_period_does_not_come_round_at_once),
    TEST(several_workers_share_many_periodic_tasks),
    TEST(a_task_that_comes_back_overdue_stays_before_a_huge_delay),
    END_OF_TESTS,
};

const struct suite scheduled_periodic_suite = {
    .name = "scheduled_periodic", .tests = tests, .prepare = scheduled_on_heap};
