/*
 * Scheduled tasks when their pool ends: the policies, what is handed back, and tasks that race the
 * shutdown. Whatever happens, nobody waits for a future that never gets done.
 */
#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "queue/queue.h"
#include "scheduled/scheduled.h"

#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

static gp_scheduled *scheduled_ending(bool execute_delayed, bool continue_periodic)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.execute_delayed = execute_delayed;
    config.continue_periodic = continue_periodic;
    return scheduled_of(&config);
}

/* Policies. */

static void by_default_delayed_tasks_are_run_and_periodic_ones_are_cancelled(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job delayed;
    struct job periodic;
    check(gp_scheduled_execute_delayed(scheduled));
    check(!gp_scheduled_continue_periodic(scheduled));
    job_init(&delayed);
    job_init(&periodic);
    gp_future *once = job_schedule(scheduled, &delayed, GP_MILLISECONDS(10));
    gp_future *again = job_at_fixed_rate(scheduled, &periodic, HOUR, HOUR);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    check_status(gp_future_get(again, NULL), GP_ECANCELLED); /* at once */
    check_int(periodic.subject.destroyed, 1);
    future_end(once, GP_OK);
    gp_future_release(again);
    scheduled_end(scheduled);
    check_int(periodic.subject.runs, 0);
    check_int(delayed.subject.runs, 1);
}

static void without_execute_delayed_what_is_not_due_is_cancelled(void)
{
    gp_scheduled *scheduled = scheduled_ending(false, false);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job holding;
    struct job due;
    struct job late;
    job_init_holding(&holding);
    job_init(&due);
    job_init(&late);
    gp_future *first = job_schedule(scheduled, &holding, 0);
    latch_await(&holding.begun);
    gp_future *second = job_schedule(scheduled, &due, 0);
    gp_future *third = job_schedule(scheduled, &late, HOUR);
    gp_pool_shutdown(pool);
    check_status(gp_future_get(third, NULL), GP_ECANCELLED);
    check_int(pool_queued(pool), 1); /* what is due is run */
    job_let_go(&holding);
    future_end(first, GP_OK);
    future_end(second, GP_OK);
    gp_future_release(third);
    scheduled_end(scheduled);
    check(!holding.interrupted);
    check_int(late.subject.runs, 0);
    check_int(late.subject.destroyed, 1);
}

struct again {
    struct latch runs; /* opened after so many */
};

static void count_run(struct job *job)
{
    struct again *again = job->context;
    latch_count_down(&again->runs);
}

static void with_continue_periodic_periodic_tasks_go_on_until_cancelled(void)
{
    for (int remove_on_cancel = 0; remove_on_cancel < 2; remove_on_cancel++) {
        gp_scheduled *scheduled = scheduled_ending(true, true);
        gp_pool *pool = gp_scheduled_pool(scheduled);
        struct again again;
        struct job job;
        gp_scheduled_set_remove_on_cancel(scheduled, remove_on_cancel);
        latch_init(&again.runs, 3);
        job_init_acting(&job, count_run, NULL);
        job.context = &again;
        gp_future *future = job_at_fixed_rate(scheduled, &job, 0, GP_MILLISECONDS(1));
        gp_pool_shutdown(pool);
        latch_await(&again.runs);
        check(!gp_future_is_done(future));
        check(!gp_pool_is_terminated(pool));
        check(gp_future_cancel(future, false));
        check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
        gp_future_release(future);
        scheduled_end(scheduled);
        check_int(job.subject.destroyed, 1);
    }
}

static void without_continue_periodic_a_running_task_is_cancelled_after_its_run(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init_holding(&job);
    gp_future *future = job_at_fixed_rate(scheduled, &job, 0, 1);
    latch_await(&job.begun);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    check(!gp_future_is_done(future));
    gate_open(&job.go_on, 100);
    future_end(future, GP_ECANCELLED); /* JDK-8176254: it is not just dropped */
    scheduled_end(scheduled);
    check(!job.interrupted);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
}

static void execute_delayed_switched_off_after_shutdown_drops_what_waits(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    job_init(&job);
    gp_future *future = job_schedule(scheduled, &job, HOUR);
    gp_pool_shutdown(pool);
    gp_scheduled_set_continue_periodic(scheduled, true);
    gp_scheduled_set_continue_periodic(scheduled, false); /* none of its business */
    gp_scheduled_set_execute_delayed(scheduled, true);
    check(!gp_future_is_done(future));
    gp_scheduled_set_execute_delayed(scheduled, false);
    check(!gp_scheduled_execute_delayed(scheduled));
    future_end(future, GP_ECANCELLED);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    gp_scheduled_set_execute_delayed(scheduled, false);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
}

static void continue_periodic_switched_off_after_shutdown_ends_periodic_tasks(void)
{
    gp_scheduled *scheduled = scheduled_ending(true, true);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job job;
    job_init(&job);
    gp_future *future = job_at_fixed_rate(scheduled, &job, HOUR, HOUR);
    gp_pool_shutdown(pool);
    check(!gp_future_is_done(future));
    check(gp_scheduled_continue_periodic(scheduled));
    gp_scheduled_set_continue_periodic(scheduled, false);
    future_end(future, GP_ECANCELLED);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    scheduled_end(scheduled);
}

static void policies_switched_before_shutdown_change_nothing_yet(void)
{
    gp_scheduled *scheduled = scheduled_ending(true, true);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *once = job_schedule(scheduled, &jobs[0], HOUR);
    gp_future *again = job_at_fixed_rate(scheduled, &jobs[1], HOUR, HOUR);
    gp_scheduled_set_execute_delayed(scheduled, false);
    gp_scheduled_set_continue_periodic(scheduled, false);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 2);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    future_end(once, GP_ECANCELLED);
    future_end(again, GP_ECANCELLED);
    scheduled_end(scheduled);
}

/* [SCHEDULED-3]: the policy changes without anybody looking at the queue again. */
static void a_task_looks_at_the_policy_when_it_is_taken(void)
{
    gp_scheduled *scheduled = scheduled_ending(true, true);
    struct job holding;
    struct job periodic;
    job_init_holding(&holding);
    job_init(&periodic);
    gp_future_release(job_schedule(scheduled, &holding, 0));
    latch_await(&holding.begun);
    gp_future *future = job_at_fixed_rate(scheduled, &periodic, 0, HOUR);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    atomic_store(&scheduled->continue_periodic, false);
    job_let_go(&holding);
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(periodic.subject.runs, 0);
    check_int(periodic.subject.destroyed, 1);
}

/* shutdown_now. */

static void shutdown_now_hands_back_everything_the_earliest_first(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job jobs[3];
    gp_future *futures[3];
    gp_task_list unrun;
    for (int i = 0; i < 3; i++)
        job_init(&jobs[i]);
    futures[2] = job_schedule(scheduled, &jobs[2], HOUR * 3);
    futures[0] = job_at_fixed_rate(scheduled, &jobs[0], HOUR, HOUR);
    futures[1] = job_schedule(scheduled, &jobs[1], HOUR * 2);
    gp_pool_shutdown_now(gp_scheduled_pool(scheduled), &unrun);
    check_int(unrun.count, 3);
    for (int i = 0; i < 3; i++) {
        gp_task *task = gp_task_list_pop(&unrun);
        check(gp_task_future(task) == futures[i]);
        check(!gp_future_is_done(futures[i]));
        if (i < 2)
            gp_task_run(task); /* the pool is stopped, but this thread is none of its workers */
        else
            gp_task_discard(task);
        future_end(futures[i],
                   i == 1 ? GP_OK : GP_ECANCELLED); /* the first has run, but not ended */
    }
    scheduled_end(scheduled);
    for (int i = 0; i < 3; i++) {
        check_int(jobs[i].subject.runs, i < 2 ? 1 : 0);
        check_int(jobs[i].subject.destroyed, 1);
    }
}

static void shutdown_now_without_a_list_cancels_everything(void)
{
    gp_scheduled *scheduled = scheduled_ending(true, true);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *once = job_schedule(scheduled, &jobs[0], HOUR);
    gp_future *again = job_with_fixed_delay(scheduled, &jobs[1], HOUR, HOUR);
    gp_pool_shutdown_now(gp_scheduled_pool(scheduled), NULL);
    future_end(once, GP_ECANCELLED);
    future_end(again, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(jobs[0].subject.destroyed, 1);
    check_int(jobs[1].subject.destroyed, 1);
}

static void shutdown_now_interrupts_a_periodic_task_and_cancels_it(void)
{
    gp_scheduled *scheduled = scheduled_ending(true, true);
    struct job job;
    job_init_acting(&job, sleep_until_interrupted, NULL);
    gp_future *future = job_at_fixed_rate(scheduled, &job, 0, 1);
    latch_await(&job.begun);
    gp_pool_shutdown_now(gp_scheduled_pool(scheduled), NULL);
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_status(job.status, GP_EINTERRUPTED);
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
}

/* After. */

static void check_refused(gp_scheduled *scheduled, int expected)
{
    struct job jobs[3];
    for (int i = 0; i < 3; i++)
        job_init(&jobs[i]);
    gp_callable once = job_callable(&jobs[0]);
    gp_callable rate = job_callable(&jobs[1]);
    gp_callable delay = job_callable(&jobs[2]);
    gp_future *futures[3] = {NULL, NULL, NULL};
    check_status(gp_schedule(scheduled, &once, 0, &futures[0]), expected);
    check_status(gp_schedule_at_fixed_rate(scheduled, &rate, 0, 1, &futures[1]), expected);
    check_status(gp_schedule_with_fixed_delay(scheduled, &delay, 0, 1, &futures[2]), expected);
    for (int i = 0; i < 3; i++) {
        check_int(futures[i] != NULL, expected == GP_OK);
        if (futures[i] != NULL)
            future_end(futures[i], GP_ECANCELLED);
        check_int(jobs[i].subject.runs, 0);
        check_int(jobs[i].subject.destroyed, 1);
    }
}

static void after_shutdown_tasks_are_rejected_and_used_up(void)
{
    static gp_reject_fn *const policies[] = {NULL, gp_reject_abort, gp_reject_caller_runs,
                                             gp_reject_discard_oldest, gp_reject_discard};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
        config.rejection.reject = policies[i];
        config.continue_periodic = true;
        gp_scheduled *scheduled = scheduled_of(&config);
        gp_pool_shutdown(gp_scheduled_pool(scheduled));
        check_refused(scheduled, policies[i] == gp_reject_discard ? GP_OK : GP_EREJECTED);
        scheduled_end(scheduled);
    }
}

static void after_shutdown_the_pool_interface_rejects_as_well(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct job executed;
    struct job submitted;
    job_init(&executed);
    job_init(&submitted);
    gp_callable callable = job_callable(&submitted);
    gp_pool_shutdown_now(pool, NULL);
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_EREJECTED);
    check_status(gp_pool_execute_task(pool, job_task(&executed)), GP_EREJECTED);
    check_status(gp_pool_submit(pool, &callable, NULL), GP_EREJECTED);
    check_int(executed.subject.destroyed, 1);
    check_int(submitted.subject.destroyed, 1);
    scheduled_end(scheduled);
}

/* Racing: [SCHEDULED-1], JDK-8358601. */

struct race {
    gp_scheduled *scheduled;
    struct gate start;
    struct subject subject;
    int64_t delay;
    int64_t period; /* 0: once */
    int status;
    gp_future *future;
};

static void schedule_racing(void *argument)
{
    struct race *race = argument;
    gp_callable callable = callable_of(&race->subject);
    gate_pass(&race->start);
    race->status = race->period == 0
                       ? gp_schedule(race->scheduled, &callable, race->delay, &race->future)
                       : gp_schedule_with_fixed_delay(race->scheduled, &callable, race->delay,
                                                      race->period, &race->future);
}

/* False: something was stranded. */
static bool race_end(struct race *race)
{
    gp_pool *pool = gp_scheduled_pool(race->scheduled);
    check(race->status == GP_OK || race->status == GP_EREJECTED);
    bool done = race->future == NULL || future_is_done_soon(race->future);
    check(done);
    int status = gp_pool_await_termination(pool, long_enough());
    check_status(status, GP_OK);
    check_int(pool_queued(pool), 0);
    gp_future_release(race->future);
    scheduled_end_now(race->scheduled);
    check_int(race->subject.destroyed, 1);
    if (race->period == 0) /* a periodic task may have had a run or two before it was refused */
        check(race->status == GP_OK || race->subject.runs == 0);
    return done && status == GP_OK;
}

static bool race_shutdown(struct race *race, uint64_t delay, bool stop)
{
    gp_pool *pool = gp_scheduled_pool(race->scheduled);
    struct helper helper;
    gate_init(&race->start);
    helper_start(&helper, schedule_racing, race);
    gate_open(&race->start, 1);
    for (volatile uint64_t i = delay; i > 0; i--)
        continue;
    if (stop)
        gp_pool_shutdown_now(pool, NULL);
    else
        gp_pool_shutdown(pool);
    helper_join(&helper);
    return race_end(race);
}

static void race_rounds(unsigned rounds, const struct race *model, bool execute_delayed,
                        uint64_t random)
{
    bool sound = true;
    for (unsigned round = 0; round < rounds && sound; round++) {
        gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
        config.core_size = (int)(round % 3);
        config.execute_delayed = execute_delayed;
        struct race race = *model;
        race.scheduled = scheduled_of(&config);
        if (round % 4 == 0)
            gp_pool_prestart_all_core(gp_scheduled_pool(race.scheduled));
        sound = race_shutdown(&race, random_below(&random, 20000), round % 7 == 6);
    }
}

static void a_task_scheduled_while_a_fresh_pool_shuts_down_is_never_stranded(void)
{
    race_rounds(scaled(3000), &(struct race){.delay = 0}, true, 5);
    race_rounds(scaled(1000), &(struct race){.delay = GP_MICROSECONDS(50)}, true, 6);
}

/* Here the task must not keep the pool: it may have met a worker that waits for it already. */
static void a_late_task_scheduled_while_the_pool_shuts_down_does_not_keep_it(void)
{
    race_rounds(scaled(3000), &(struct race){.delay = HOUR}, false, 7);
}

static void a_periodic_task_scheduled_while_the_pool_shuts_down_is_ended(void)
{
    race_rounds(scaled(1500), &(struct race){.period = 1}, true, 8);
    race_rounds(scaled(1500), &(struct race){.delay = HOUR, .period = HOUR}, true, 9);
}

/*
 * A late task that is scheduled while the pool is shut down is taken back by its submitter. A
 * worker may wait for it by then: it has to be told that there is nothing to wait for.
 */
static bool schedule_past_shutdown(void)
{
    struct race race = {.scheduled = scheduled_ending(false, false), .delay = HOUR};
    gp_pool *pool = gp_scheduled_pool(race.scheduled);
    struct helper helper;
    check_status(gp_pool_prestart_core(pool), GP_OK);
    check(await_idle(pool, 1));
    gate_init(&race.start);
    gate_open(&race.start, 1);
    gp_thread *worker = only_worker(pool);
    pthread_mutex_lock(&pool->queue->lock);
    gp_thread_interrupt(worker);
    helper_start(&helper, schedule_racing, &race);
    helper_await_asleep(&helper); /* it has seen a pool that runs */
    shutdown_takes_effect(pool);
    pthread_mutex_unlock(&pool->queue->lock);
    helper_join(&helper);
    return race_end(&race);
}

static void a_late_task_taken_back_at_shutdown_leaves_no_worker_waiting(void)
{
    bool sound = true;
    for (unsigned round = 0; round < scaled(400) && sound; round++)
        sound = schedule_past_shutdown();
}

/* JDK-8176254, JDK-8177632. */
static void a_periodic_task_that_races_shutdown_is_cancelled_not_dropped(void)
{
    uint64_t random = 10;
    for (unsigned round = 0; round < scaled(1000); round++) {
        gp_scheduled *scheduled = scheduled_with(2);
        struct subject subject = {0};
        gp_callable callable = callable_of(&subject);
        gp_future *future = NULL;
        check_status(gp_schedule_at_fixed_rate(scheduled, &callable, 0, 1, &future), GP_OK);
        for (volatile uint64_t i = random_below(&random, 100000); i > 0; i--)
            continue;
        gp_pool_shutdown(gp_scheduled_pool(scheduled));
        future_end(future, GP_ECANCELLED);
        scheduled_end(scheduled);
        check_int(subject.destroyed, 1);
    }
}

static const struct test tests[] = {
    TEST(by_default_delayed_tasks_are_run_and_periodic_ones_are_cancelled),
    TEST(without_execute_delayed_what_is_not_due_is_cancelled),
    TEST(with_continue_periodic_periodic_tasks_go_on_until_cancelled),
    TEST(without_continue_periodic_a_running_task_is_cancelled_after_its_run),
    TEST(execute_delayed_switched_off_after_shutdown_drops_what_waits),
    TEST(continue_periodic_switched_off_after_shutdown_ends_periodic_tasks),
    TEST(policies_switched_before_shutdown_change_nothing_yet),
    TEST(a_task_looks_at_the_policy_when_it_is_taken),
    TEST(shutdown_now_hands_back_everything_the_earliest_first),
    TEST(shutdown_now_without_a_list_cancels_everything),
    TEST(shutdown_now_interrupts_a_periodic_task_and_cancels_it),
    TEST(after_shutdown_tasks_are_rejected_and_used_up),
    TEST(after_shutdown_the_pool_interface_rejects_as_well),
    TEST(a_task_scheduled_while_a_fresh_pool_shuts_down_is_never_stranded),
    TEST(a_late_task_scheduled_while_the_pool_shuts_down_does_not_keep_it),
    TEST(a_late_task_taken_back_at_shutdown_leaves_no_worker_waiting),
    TEST(a_periodic_task_scheduled_while_the_pool_shuts_down_is_ended),
    TEST(a_periodic_task_that_races_shutdown_is_cancelled_not_dropped),
    END_OF_TESTS,
};

const struct suite scheduled_shutdown_suite = {
    .name = "scheduled_shutdown", .tests = tests, .prepare = scheduled_on_heap};
const struct suite scheduled_shutdown_laned_suite = {
    .name = "scheduled_shutdown_laned", .tests = tests, .prepare = scheduled_on_lane};
