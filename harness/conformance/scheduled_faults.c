/*
 * Faults of the scheduled pool: at each point of each call, while a periodic task comes back, and
 * without threads. A task that was refused is its caller's, with its argument.
 */
#include <glasspool/clock.h>
#include <glasspool/scheduled.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR          GP_SECONDS(3600)
#define HEAP_CAPACITY 16 /* the first; the next task makes it grow */

static void gp_scheduled_new_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    while (fault_walk_next(&walk)) {
        gp_scheduled *scheduled = NULL;
        int status = gp_scheduled_new(&config, &scheduled);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check(hit == (scheduled == NULL));
        if (scheduled != NULL)
            scheduled_end(scheduled);
    }
    check(walk.point > 4);
}

/* One call, at each of its fault points, on a pool whose heap is full. */

typedef int call_fn(gp_scheduled *, const gp_callable *);

static int call_once(gp_scheduled *scheduled, const gp_callable *callable)
{
    return gp_schedule(scheduled, callable, HOUR, NULL);
}

static int call_at_fixed_rate(gp_scheduled *scheduled, const gp_callable *callable)
{
    return gp_schedule_at_fixed_rate(scheduled, callable, HOUR, HOUR, NULL);
}

static int call_with_fixed_delay(gp_scheduled *scheduled, const gp_callable *callable)
{
    return gp_schedule_with_fixed_delay(scheduled, callable, HOUR, HOUR, NULL);
}

static int call_submit(gp_scheduled *scheduled, const gp_callable *callable)
{
    return gp_pool_submit(gp_scheduled_pool(scheduled), callable, NULL);
}

/* The task itself is made without faults: it is the way into the pool that matters. */
static int call_execute_task(gp_scheduled *scheduled, const gp_callable *callable)
{
    gp_task *task = NULL;
    struct subject *subject = callable->argument;
    int status = gp_task_new(callable, &task);
    if (status != GP_OK)
        return status;
    status = gp_pool_execute_task(gp_scheduled_pool(scheduled), task);
    if (status != GP_OK) {
        check_int(subject->destroyed, 0);
        gp_task_discard(task);
        atomic_store(&subject->destroyed, 0);
    }
    return status;
}

static void fill(gp_scheduled *scheduled, struct subject *subject, int count)
{
    gp_callable callable = callable_of(subject);
    for (int i = 0; i < count; i++)
        check_status(gp_schedule(scheduled, &callable, HOUR, NULL), GP_OK);
}

static void visit(struct fault_walk *walk, call_fn *call, int core_size, int filled)
{
    gp_scheduled *scheduled = scheduled_with(core_size);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct subject filling = {0};
    struct job job;
    struct job next;
    job_init(&job);
    job_init(&next);
    fill(scheduled, &filling, filled);
    size_t queued = pool_queued(pool);
    gp_callable callable = job_callable(&job);
    fault_walk_next(walk);
    int status = call(scheduled, &callable);
    if (fault_walk_hit(walk))
        check(status == GP_OK || status == GP_ENOMEM || status == GP_EAGAIN);
    else
        check_status(status, GP_OK);
    if (status != GP_OK)
        check_int(pool_queued(pool), queued);
    check_int(gp_pool_check(pool), 0);
    job_run(pool, &next); /* as good as ever */
    scheduled_end_now(scheduled);
    check_int(job.subject.destroyed, status == GP_OK ? 1 : 0);
    check_int(filling.destroyed, filled);
}

static void walk_faults(call_fn *call)
{
    for (int core_size = 0; core_size < 2; core_size++) {
        for (int filled = 0; filled <= HEAP_CAPACITY; filled += HEAP_CAPACITY) {
            struct fault_walk walk = {.kinds = FAULT_ANY};
            while (!walk.over)
                visit(&walk, call, core_size, filled);
            check(walk.point > 1);
        }
    }
}

static void schedule_fails_cleanly_at_each_point(void)
{
    walk_faults(call_once);
    walk_faults(call_at_fixed_rate);
    walk_faults(call_with_fixed_delay);
}

static void submit_and_execute_fail_cleanly_at_each_point(void)
{
    walk_faults(call_submit);
    walk_faults(call_execute_task);
}

/* [PERIODIC-2]: the slot of a periodic task that runs is reserved. */

static void a_periodic_task_comes_back_without_memory(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_pool *pool = gp_scheduled_pool(scheduled);
    struct subject filling = {0};
    struct job periodic;
    struct job refused;
    job_init_holding(&periodic);
    job_init(&refused);
    gp_callable callable = job_callable(&refused);
    gp_future *future = job_at_fixed_rate(scheduled, &periodic, 0, HOUR);
    latch_await(&periodic.begun);
    fill(scheduled, &filling, HEAP_CAPACITY - 1); /* and one slot is kept */
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_ALL_THREADS);
    int status = gp_schedule(scheduled, &callable, HOUR, NULL);
    job_let_go(&periodic);
    bool back = await_queued(pool, HEAP_CAPACITY);
    fault_disarm();
    check_status(status, GP_ENOMEM);
    check_int(refused.subject.destroyed, 0);
    check(back);
    check(!gp_future_is_done(future));
    check_int(gp_pool_check(pool), 0);
    gp_future_release(future);
    scheduled_end_now(scheduled);
}

static void run_without_memory(struct job *job)
{
    if (job->subject.runs == 50)
        job->subject.code = 3;
}

static void a_periodic_task_runs_on_without_memory(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct job job;
    job_init_holding(&job);
    job.action = run_without_memory;
    require(gp_thread_self() != NULL); /* get asks for it */
    gp_future *future = job_at_fixed_rate(scheduled, &job, 0, 1000);
    latch_await(&job.begun);
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_ALL_THREADS);
    gate_open(&job.go_on, 50);
    int status = gp_future_get_timed(future, long_enough(), NULL);
    fault_disarm();
    check_status(status, GP_EFAILED);
    check_int(job.subject.runs, 50);
    gp_future_release(future);
    scheduled_end(scheduled);
}

/* No worker has taken this one, so no slot is reserved for it. */
static int run_without_memory_here(void *context, gp_pool *pool, gp_task *task)
{
    (void)pool;
    *(gp_future **)context = gp_future_retain(gp_task_future(task));
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    gp_task_run(task);
    fault_disarm();
    return GP_OK;
}

static void a_periodic_task_run_by_a_handler_ends_if_it_cannot_be_put_back(void)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_future *future = NULL;
    struct subject filling = {0};
    struct subject subject = {0};
    gp_callable callable = callable_of(&subject);
    config.continue_periodic = true;
    config.rejection = (gp_rejection){.reject = run_without_memory_here, .context = &future};
    gp_scheduled *scheduled = scheduled_of(&config);
    fill(scheduled, &filling, HEAP_CAPACITY);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    check_status(gp_schedule_at_fixed_rate(scheduled, &callable, 0, HOUR, NULL), GP_OK);
    check_int(subject.runs, 1);
    check_int(subject.destroyed, 1);
    future_end(future, GP_ECANCELLED);
    scheduled_end_now(scheduled);
}

/* A slot that was reserved is given up, whichever way the task ends. */

static void end_by_failing(struct job *job)
{
    job->subject.code = 1;
}

static void check_slot_given_up(void (*action)(struct job *), bool cancel)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct subject filling = {0};
    struct job job;
    job_init_holding(&job);
    job.action = action;
    gp_future *future = job_at_fixed_rate(scheduled, &job, 0, HOUR);
    latch_await(&job.begun);
    if (cancel)
        gp_future_cancel(future, false);
    job_let_go(&job);
    future_end(future, cancel ? GP_ECANCELLED : GP_EFAILED);
    check(await_completed(gp_scheduled_pool(scheduled), 1));
    fault_arm(FAULT_REALLOC, FAULT_EVERY, FAULT_ALL_THREADS);
    fill(scheduled, &filling, HEAP_CAPACITY); /* all of it is there again */
    check_int(fault_disarm(), 0);
    check_int(gp_pool_check(gp_scheduled_pool(scheduled)), 0);
    scheduled_end_now(scheduled);
}

static void a_periodic_task_that_ends_gives_its_slot_up(void)
{
    check_slot_given_up(end_by_failing, false);
    check_slot_given_up(leave_by_exit, false);
    check_slot_given_up(NULL, true);
}

/* Threads. */

static void without_threads_a_task_goes_back_to_its_caller(void)
{
    for (int core_size = 0; core_size < 2; core_size++) {
        gp_scheduled *scheduled = scheduled_with(core_size);
        gp_future *future = NULL;
        struct job job;
        job_init(&job);
        gp_callable callable = job_callable(&job);
        gp_task *task = job_task(&job);
        fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
        int once = gp_schedule(scheduled, &callable, 0, &future);
        int periodic = gp_schedule_at_fixed_rate(scheduled, &callable, 0, 1, &future);
        int executed = gp_pool_execute_task(gp_scheduled_pool(scheduled), task);
        check(fault_disarm() >= 3);
        check_status(once, GP_EAGAIN);
        check_status(periodic, GP_EAGAIN);
        check_status(executed, GP_EAGAIN);
        check(future == NULL);
        check_int(job.subject.destroyed, 0);
        check_int(pool_queued(gp_scheduled_pool(scheduled)), 0);
        gp_task_discard(task);
        scheduled_end(scheduled);
    }
}

static void without_more_threads_the_pool_makes_do(void)
{
    gp_scheduled *scheduled = scheduled_with(3);
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    future_end(job_schedule(scheduled, &jobs[0], 0), GP_OK);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    gp_future *future = job_schedule(scheduled, &jobs[1], GP_MILLISECONDS(1));
    check_int(fault_disarm(), 1);
    future_end(future, GP_OK);
    check(jobs[0].record == jobs[1].record);
    scheduled_end(scheduled);
}

static const struct test tests[] = {
    TEST(gp_scheduled_new_fails_cleanly_at_each_point),
    TEST(schedule_fails_cleanly_at_each_point),
    TEST(submit_and_execute_fail_cleanly_at_each_point),
    TEST(a_periodic_task_comes_back_without_memory),
    TEST(a_periodic_task_runs_on_without_memory),
    TEST(a_periodic_task_run_by_a_handler_ends_if_it_cannot_be_put_back),
    TEST(a_periodic_task_that_ends_gives_its_slot_up),
    TEST(without_threads_a_task_goes_back_to_its_caller),
    TEST(without_more_threads_the_pool_makes_do),
    END_OF_TESTS,
};

const struct suite scheduled_faults_suite = {
    .name = "scheduled_faults", .tests = tests, .prepare = scheduled_on_heap};
const struct suite scheduled_faults_laned_suite = {
    .name = "scheduled_faults_laned", .tests = tests, .prepare = scheduled_on_lane};
